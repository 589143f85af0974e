"""The optima of a whole table: one for each size and seed, and one for each size."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy import stats

from scaletx.analysis.cells import Curves
from scaletx.analysis.drift import LEVEL, Point
from scaletx.analysis.optimum import RESOLVED, OptimumStatus, minima


class Optimum(NamedTuple):
    """Where the best rate of a size lies.

    Attributes:
        size: The size.
        seed: The seed; None for the mean over seeds.
        log2_lr: The best rate; None without data.
        low: Lower end of its interval in log2 lr; None where it is open.
        high: Upper end.
        status: How well the grid resolves it.
        loss: The least loss measured.
    """

    size: float
    seed: int | float | str | None
    log2_lr: float | None
    low: float | None
    high: float | None
    status: OptimumStatus
    loss: float | None


class SizeOptima(NamedTuple):
    """The minima of one size's seed mean, and those of each seed, the best first."""

    mean: tuple[Optimum, ...]
    seeds: tuple[tuple[Optimum, ...], ...]

    @property
    def size(self) -> float:
        """The size."""
        return self.mean[0].size

    @property
    def all(self) -> list[Optimum]:
        """Every minimum, those of the seeds first."""
        return [each for seed in self.seeds for each in seed] + list(self.mean)

    @property
    def censored(self) -> list[Optimum]:
        """Seeds whose best rate lies on an edge of the grid."""
        best = [seed[0] for seed in self.seeds if seed[0].log2_lr is not None]
        return [each for each in best if each.low is None or each.high is None]

    @property
    def resolved(self) -> bool:
        """Whether the size counts for the drift.

        Its mean is `bracketed` or `coarse`, and no seed is on an edge: to leave such a
        seed out, or to take the edge for its optimum, would pull the drift to zero.
        """
        return self.mean[0].status in RESOLVED and not self.censored

    def points(self) -> list[Point]:
        """Return each seed's optimum for the drift; none at a size <= 0."""
        if self.size <= 0 or not self.resolved:
            return []
        x = float(np.log2(self.size))
        return [
            Point(x, best.log2_lr, best.low, best.high, best.status)
            for best, *_ in self.seeds
            if best.log2_lr is not None
            if best.low is not None and best.high is not None
        ]


def optima(sizes: Sequence[Curves]) -> list[SizeOptima]:
    """Find the optima of every size and seed.

    The interval of a seed's optimum is the grid's. That of a mean over several seeds,
    where `bracketed`, is Student's t with the spread of the seeds' optima about their
    size's mean, pooled over sizes.
    """
    found = [_of_size(curves) for curves in sizes]
    groups = [np.array([p.log2_lr for p in each.points()]) for each in found]
    groups = [group for group in groups if len(group) > 1]
    freedom = sum(len(group) - 1 for group in groups)
    if not freedom:
        return found
    pooled = np.sqrt(sum(((g - g.mean()) ** 2).sum() for g in groups) / freedom)
    reach = float(stats.t.ppf((1 + LEVEL) / 2, freedom) * pooled)
    return [_with_seed_interval(each, reach) for each in found]


def _of_size(curves: Curves) -> SizeOptima:
    noise = curves.noise

    def listed(seed, loss, noise) -> tuple[Optimum, ...]:
        found = minima(curves.log2_lr, loss, noise=noise)
        return tuple(Optimum(curves.size, seed, *each) for each in found)

    seeds = zip(curves.seeds, curves.loss, strict=True)
    return SizeOptima(
        mean=listed(None, curves.mean, noise / np.sqrt(len(curves.seeds))),
        seeds=tuple(listed(seed, loss, noise) for seed, loss in seeds),
    )


def _with_seed_interval(each: SizeOptima, reach: float) -> SizeOptima:
    best, count = each.mean[0], len(each.points())
    if best.status is not OptimumStatus.BRACKETED or count < 2 or best.log2_lr is None:
        return each
    half = reach / float(np.sqrt(count))
    best = best._replace(low=best.log2_lr - half, high=best.log2_lr + half)
    return each._replace(mean=(best,))
