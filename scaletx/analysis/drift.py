"""How the best rate moves with size: a slope and its interval."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy import stats

from scaletx.analysis.optimum import OptimumStatus

LEVEL = 0.95
DRAWS = 20_000


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
    residual standard error. Grid: each size's optimum uniform within its interval, the
    same for all seeds, as they share the grid; it counts for a `coarse` optimum, and
    for every optimum where there is one seed. One seed shows noise only where its
    residuals exceed what the grid explains (mean square: step^2/12), so there the
    excess alone enters $s_b$.

    Measured on planted tables (`bench/calibration.py`), the interval covers the slope
    in 97 to 99 % of those with two to five seeds. With one seed and runs so noisy that
    the optimum moves by more than a grid step it covers less: in the worst kind 90 %.

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
    reach = np.zeros((2, len(x)))
    for i, point in enumerate(points):
        if point.status is OptimumStatus.COARSE or not several:
            reach[:, i] = point.low - u[i], point.high - u[i]
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
