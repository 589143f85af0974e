"""How the best rate moves with size: a slope and its interval."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy import stats

from scaletx.analysis.optimum import OptimumStatus

LEVEL = 0.95
DRAWS = 20_000
SKEW = 1 / 8
"""Part of its grid interval by which a parabola's vertex may be off."""


class Point(NamedTuple):
    """A resolved optimum: log2 of size and rate, and the rate's grid interval."""

    log2_size: float
    log2_lr: float
    low: float
    high: float
    status: OptimumStatus


class Drift(NamedTuple):
    """Slope of log2 best rate against log2 size, with its 95 % interval."""

    slope: float | None
    low: float | None
    high: float | None


def drift(points: Sequence[Point]) -> Drift:
    r"""Fit the slope of the best rate against size.

    Least squares of all (size, seed) optima $u_i$ on $x_i = \log_2$ size:

    $$b = \sum_i w_i u_i,\qquad w_i = \frac{x_i - \bar x}{\sum_j (x_j - \bar x)^2} .$$

    Its error has two independent parts. Seeds: $s_b\,t_{n-2}$, Student's t with the
    residual standard error. Grid: each size's optimum uniform within a part of its
    interval, the same for all seeds, as they share the grid:

    - one seed: all of it. Such a seed shows noise only where its residuals exceed what
      the grid explains (mean square: step^2/12); the excess enters $s_b$.
    - several seeds, `coarse`: all of it.
    - several seeds, else: 1/8. In a basin of curvature $k$ and third derivative $c$
      the parabola of step $h$ through a point $p$ from the minimum misses it by
      $(c/k)(p^2/2 - h^2/6)$, so by the grid's place sizes differ by up to $-/+(c/k)
      h^2/16$: an eighth of half a step where curvature changes by its own size over
      one step. Without this part a skewed basin on a grid of octaves is covered in 93 %
      of planted tables of three to five seeds; with it, in 98 %
      (`bench/calibration.py`).

    Args:
        points: The resolved optima of each size and seed.

    Returns:
        The slope and its interval; all None below two sizes.

    Example:
        >>> at = [Point(x, -x / 2, -x / 2, -x / 2, OptimumStatus.COARSE)
        ...       for x in (5.0, 6.0, 7.0)]
        >>> drift(at).slope
        -0.5
    """
    if len({point.log2_size for point in points}) < 2:
        return Drift(None, None, None)
    x = np.array([point.log2_size for point in points])
    u = np.array([point.log2_lr for point in points])
    centered = x - x.mean()
    weights = centered / (centered**2).sum()
    slope = float(weights @ u)
    several = len(set(x)) < len(x)
    reach = np.array([(p.low - p.log2_lr, p.high - p.log2_lr) for p in points]).T
    if several:
        parabola = [point.status is not OptimumStatus.COARSE for point in points]
        reach[:, parabola] *= SKEW
    freedom = max(len(x) - 2, 1)
    residual = u - u.mean() - slope * centered
    explained = 0.0 if several else np.mean((reach[1] - reach[0]) ** 2) / 12
    scatter = max((residual**2).sum() / freedom - explained, 0.0)
    error = float(np.sqrt(scatter / (centered**2).sum()))
    noise = stats.t(freedom)
    if not reach.any():
        half = float(noise.ppf((1 + LEVEL) / 2)) * error
        return Drift(slope, slope - half, slope + half)
    rng = np.random.default_rng(0)
    _, size = np.unique(x, return_inverse=True)
    at = rng.random((DRAWS, size.max() + 1))[:, size]
    draws = slope + (reach[0] + at * (reach[1] - reach[0])) @ weights
    draws += error * noise.ppf(rng.random(DRAWS))
    low, high = np.quantile(draws, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Drift(slope, float(low), float(high))
