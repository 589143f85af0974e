"""Fit a law from many starts, and say how far the result can be trusted."""

from enum import StrEnum
from itertools import product
from typing import NamedTuple

import numpy as np
from jaxtyping import Float
from scipy import optimize

from scaletx.analysis.descent import descend
from scaletx.analysis.laws import Robust, Scaled

FALLS = (0.3, 1.0, 3.0, 8.0)
"""Starts of a power term's fall over the data (log of first to last value)."""
OFFSETS = (0.0, 0.5, 0.9, 0.99)
"""Starts of the offset, as shares of the least y."""
REACHED = 1e-4
"""Two starts at least must come as near to the least objective, relatively."""
EQUAL = 1e-9
"""Starts as near as this are equally good ..."""
APART = 1e-2
"""... and disagree if a coordinate of theirs differs by more than this."""
SAME = 1e-12
"""Objectives that agree to this differ by rounding only."""
AT_BOUND = 1e-6
"""A coordinate lies on a bound within this share of its range."""


class FitStatus(StrEnum):
    """How far a fit can be trusted; a solver's own success is no part of it."""

    CONVERGED = "converged"
    BOUND_HIT = "bound_hit"
    STARTS_DISAGREE = "starts_disagree"
    DEGENERATE = "degenerate"


class LossName(StrEnum):
    """Loss of the log residuals."""

    HUBER = "huber"
    SQUARE = "square"


class Solution(NamedTuple):
    """The best of all starts.

    Attributes:
        theta: In the coordinates of `Scaled`.
        objective: Sum of the loss over rows.
        agree: Whether at least two starts reach the objective, and where they do, one
            place.
    """

    theta: Float[np.ndarray, " parameters"]
    objective: float
    agree: bool


def starts(data: Scaled) -> list[Float[np.ndarray, " parameters"]]:
    """Lay starts over falls and offsets; the factors follow by the data's center."""
    terms, least = data.z.shape[1], float(np.exp(data.v.min()))
    found = []
    for share, *falls in product(OFFSETS, *[FALLS] * terms):
        rest = np.log(max(1 - share * least, 1e-3) / terms)
        found.append(np.array([share * least, *[rest] * terms, *falls]))
    return found


def solve(
    data: Scaled,
    loss: Robust,
) -> Solution:
    """Minimise the sum of the loss of log residuals.

    All starts descend together; the best goes on by L-BFGS-B with analytic gradients,
    on the objective divided by its natural unit (delta^2, or the mean square of v),
    and is polished by a trust region method on the residuals.

    Args:
        data: The data without units.
        loss: Of a log residual.

    Returns:
        The best solution.
    """
    bounds = data.bounds
    unit = min(loss.delta**2, float(np.mean(data.v**2)) or 1.0)

    def objective(theta):
        r, slope = data.with_slope(theta)
        value = float(np.sum(loss.value(r)))
        return value / unit, slope.T @ loss.slope(r) / unit

    begin = np.array(starts(data))
    found = descend(data, loss, np.ones((len(begin), len(data.v))), begin)
    ended = sorted(((objective(x)[0], x) for x in found), key=lambda pair: pair[0])
    refined = optimize.minimize(
        objective,
        ended[0][1],
        jac=True,
        method="L-BFGS-B",
        bounds=bounds,
        options={"maxiter": 200, "ftol": 1e-14, "gtol": 1e-9},
    )
    theta = _polished(data, loss, refined.x)
    least = objective(theta)[0]
    reached = [x for value, x in ended if value <= least + REACHED * max(least, 1.0)]
    equal = [x for value, x in ended if value <= least + EQUAL * max(least, 1.0)]
    apart = max((float(np.abs(x - theta).max()) for x in equal), default=0.0)
    agree = len(reached) > 1 and apart <= APART
    return Solution(theta, least * unit, agree)


def at_bounds(data: Scaled, theta: Float[np.ndarray, " parameters"]) -> list[int]:
    """Return the places of the coordinates that lie on a bound."""
    low, high = data.bounds.T
    near = AT_BOUND * (high - low)
    return np.flatnonzero((theta <= low + near) | (theta >= high - near)).tolist()


def _polished(
    data: Scaled, loss: Robust, theta: Float[np.ndarray, " parameters"]
) -> Float[np.ndarray, " parameters"]:
    """Refine the coordinates that are free; those on a bound go onto it exactly."""
    low, high = data.bounds.T
    held = at_bounds(data, theta)
    full = theta.copy()
    full[held] = np.where(theta - low < high - theta, low, high)[held]
    free = np.setdiff1d(np.arange(len(theta)), held)

    def put(part):
        whole = full.copy()
        whole[free] = part
        return whole

    if not len(free):
        return full
    huber = bool(np.isfinite(loss.delta))
    found = optimize.least_squares(
        lambda part: data.with_slope(put(part))[0],
        full[free],
        jac=lambda part: data.with_slope(put(part))[1][:, free],  # type: ignore[arg-type]
        bounds=(low[free], high[free]),
        x_scale="jac",
        loss="huber" if huber else "linear",
        f_scale=loss.delta if huber else 1.0,
        ftol=1e-15,
        xtol=1e-15,
        gtol=1e-15,
        max_nfev=500,
    )
    candidates = [put(found.x), full, theta]
    totals = [float(loss.value(data.with_slope(x)[0]).sum()) for x in candidates]
    within = min(totals) * (1 + SAME) + SAME**2
    return next(x for x, t in zip(candidates, totals, strict=True) if t <= within)
