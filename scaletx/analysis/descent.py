"""Fit a law from many starts, or to many weightings of its rows, at once."""

import numpy as np
from jaxtyping import Float

from scaletx.analysis.laws import Robust, Scaled

ITERATIONS = 100
DAMPING = (1e-9, 1e9)


def descend(
    data: Scaled,
    loss: Robust,
    weight: Float[np.ndarray, "replicates n"],
    start: Float[np.ndarray, "replicates parameters"],
) -> Float[np.ndarray, "replicates parameters"]:
    """Minimise the weighted loss of each replicate, from its own start.

    Levenberg-Marquardt steps, the Huber loss by the squares that touch it from above,
    for all replicates in one array: scipy fits one problem at a time, a minute for 500
    replicates instead of a second. A coordinate on a bound that pulls
    outward rests; a step that does not lower the loss is not taken.

    Args:
        data: The data without units.
        loss: Of a log residual.
        weight: How often each replicate drew each row.
        start: Where each begins.

    Returns:
        The coordinates of each replicate's fit.
    """
    low, high = data.bounds.T
    theta = np.clip(start, low, high)
    damping = np.full(len(weight), 1e-3)
    r, slope = data.with_slope(theta)
    total = (weight * loss.value(r)).sum(axis=1)
    for _ in range(ITERATIONS):
        with np.errstate(divide="ignore"):
            touch = weight * np.minimum(1, loss.delta / np.abs(r))
        gradient = np.einsum("ri,rip->rp", touch * r, slope)
        outward = (theta <= low) & (gradient > 0) | (theta >= high) & (gradient < 0)
        moving = np.where(outward[:, None, :], 0, slope)
        square = np.einsum("ri,rip,riq->rpq", touch, moving, moving)
        diagonal = np.einsum("rpp->rp", square)
        diagonal += damping[:, None] * diagonal + np.where(diagonal > 0, 0, 1)
        diagonal += 1e-14 * diagonal.max(axis=1, keepdims=True)
        push = np.where(outward, 0, gradient)
        step = np.linalg.solve(square, -push[:, :, None])[:, :, 0]
        tried = np.clip(theta + step, low, high)
        new_r, new_slope = data.with_slope(tried)
        new_total = (weight * loss.value(new_r)).sum(axis=1)
        better = new_total < total
        theta = np.where(better[:, None], tried, theta)
        r = np.where(better[:, None], new_r, r)
        slope = np.where(better[:, None, None], new_slope, slope)
        total = np.where(better, new_total, total)
        damping = np.clip(np.where(better, damping / 5, damping * 10), *DAMPING)
        if (damping >= DAMPING[1]).all():
            break
    return theta
