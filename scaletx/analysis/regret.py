"""What it costs to carry a small model's best rate over to a larger one."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from scaletx._types import RunStatus
from scaletx.analysis.cells import Curves


class Regret(NamedTuple):
    """The cost of one size's best grid rate at another size.

    Attributes:
        start: The size whose rate is carried over.
        end: The size that uses it.
        status: `diverged` if it diverges there, `failed` if no such run ended.
        regret: In the unit of the loss; None unless the status is `ok`.
        relative: As a share of the best loss at `end`; None unless that is positive.
        share: As a share of the gain from `start` to `end`; None if the gain is within
            its noise.
    """

    start: float
    end: float
    status: RunStatus
    regret: float | None
    relative: float | None
    share: float | None

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON, its ends named `from` and `to`."""
        rest = self._asdict()
        return {"from": rest.pop("start"), "to": rest.pop("end"), **rest}


def regrets(sizes: Sequence[Curves]) -> list[Regret]:
    r"""Compute the regret of every size's best rate at every larger size.

    On seed means $L$, with $\eta_n$ the best rate of the grid at size $n$,

    $$R(n \to N) = L_N(\eta_n) - \min_\eta L_N(\eta) .$$

    The gain is $\min L_n - \min L_N$; its noise is twice its standard error over
    seeds, and counts as zero where there is one seed.

    Args:
        sizes: The curves of each size, rising.

    Returns:
        One row a pair of sizes, unless no run ended at the smaller.
    """
    return [
        _carry(small, large)
        for i, small in enumerate(sizes)
        for large in sizes[i + 1 :]
        if small.best is not None
    ]


def _carry(small: Curves, large: Curves) -> Regret:
    assert small.best is not None
    at = np.flatnonzero(large.log2_lr == small.log2_lr[small.best])
    loss = float(large.mean[at[0]]) if len(at) else np.nan
    if large.best is None or not np.isfinite(loss):
        status = RunStatus.DIVERGED if np.isinf(loss) else RunStatus.FAILED
        return Regret(small.size, large.size, status, None, None, None)
    least = float(large.mean[large.best])
    regret, gain = loss - least, float(small.mean[small.best]) - least
    clear = gain > 2 * np.hypot(_error(small), _error(large))
    return Regret(
        start=small.size,
        end=large.size,
        status=RunStatus.OK,
        regret=regret,
        relative=regret / least if least > 0 else None,
        share=regret / gain if clear else None,
    )


def _error(size: Curves) -> float:
    """Return the standard error over seeds of the least mean loss."""
    seeds = size.loss[:, size.best]
    seeds = seeds[np.isfinite(seeds)]
    return float(seeds.std(ddof=1) / np.sqrt(len(seeds))) if len(seeds) > 1 else 0.0
