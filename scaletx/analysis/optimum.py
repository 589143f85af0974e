"""Where the best rate of one curve lies, and how well the grid resolves it."""

from enum import StrEnum
from typing import NamedTuple

import numpy as np
from jaxtyping import Float


class OptimumStatus(StrEnum):
    """How well the grid resolves an optimum."""

    BRACKETED = "bracketed"
    COARSE = "coarse"
    NOT_BRACKETED_LOW = "not_bracketed_low"
    NOT_BRACKETED_HIGH = "not_bracketed_high"
    MULTIMODAL = "multimodal"
    NO_DATA = "no_data"


RESOLVED = (OptimumStatus.BRACKETED, OptimumStatus.COARSE)


class Minimum(NamedTuple):
    """A minimum of a curve.

    Attributes:
        log2_lr: The parabola's vertex, or the grid point; None without data.
        low: Lower end of the interval in log2 lr; None where it is open.
        high: Upper end.
        status: How well the grid resolves it.
        loss: The least loss measured there.
    """

    log2_lr: float | None
    low: float | None
    high: float | None
    status: OptimumStatus
    loss: float | None


def minima(
    log2_lr: Float[np.ndarray, " rates"],
    loss: Float[np.ndarray, " rates"],
    *,
    noise: float = 0.0,
) -> list[Minimum]:
    r"""Find the minimum of a curve, and any that may be as low.

    The vertex of the parabola through the best grid point $(u_0, L_0)$ and its
    neighbors $u_\pm$, in $u = \log_2$ lr on any grid, is

    $$u^* = u_0 + \frac{1}{2}\,\frac{h_+^2 d_- - h_-^2 d_+}{h_+ d_- + h_- d_+},\qquad
    h_\pm = |u_\pm - u_0|,\quad d_\pm = L_\pm - L_0 .$$

    - `bracketed`: both neighbors ended.
    - `coarse`: one diverged or is missing, so there is no parabola and the grid point
      stands for the vertex. A diverged rate does bracket: the grid reaches beyond it.
    - `not_bracketed_low`, `_high`: no rate was tested beyond; the interval is open.
    - `multimodal`: another minimum lies more than two grid steps away and is higher by
      at most `noise`. All are listed, the best first.

    The interval reaches half way to the tested rates on both sides: one grid step in
    all. (From neighbor to neighbor, twice that, a `coarse` optimum's drift would be
    covered in 100 % of planted tables instead of 94 to 100: `bench/calibration.py`.)

    Args:
        log2_lr: The grid, rising, in octaves.
        loss: `inf` where the run diverged, `nan` where none is; in any unit.
        noise: What a second minimum may be higher by, in the unit of the loss.

    Returns:
        One minimum, or several that are `multimodal`; one `no_data` if no run ended.

    Example:
        >>> u = np.array([-4.0, -3.0, -2.0, 0.0])
        >>> minima(u, (u + 2.75) ** 2)[0].log2_lr
        -2.75
    """
    ended = np.isfinite(loss)
    if not ended.any():
        return [Minimum(None, None, None, OptimumStatus.NO_DATA, None)]
    best = int(np.argmin(np.where(ended, loss, np.inf)))
    tested = np.flatnonzero(~np.isnan(loss))
    far = 2.001 * float(np.median(np.diff(log2_lr))) if len(log2_lr) > 1 else np.inf
    wall = np.concatenate([[np.inf], loss[tested], [np.inf]])
    lowest = (wall[1:-1] <= wall[:-2]) & (wall[1:-1] <= wall[2:]) & ended[tested]
    others = [
        int(i)
        for i in tested[lowest]
        if abs(log2_lr[i] - log2_lr[best]) > far and loss[i] <= loss[best] + noise
    ]
    found = [_resolve(log2_lr, loss, tested, i) for i in (best, *others)]
    if others:
        found = [each._replace(status=OptimumStatus.MULTIMODAL) for each in found]
    return found


def _resolve(
    u: Float[np.ndarray, " rates"],
    loss: Float[np.ndarray, " rates"],
    tested: np.ndarray,
    i: int,
) -> Minimum:
    below, above = tested[tested < i], tested[tested > i]
    at, least = float(u[i]), float(loss[i])
    h_low = at - float(u[below[-1]]) if len(below) else None
    h_high = float(u[above[0]]) - at if len(above) else None
    status = OptimumStatus.COARSE
    if h_high is None:
        status = OptimumStatus.NOT_BRACKETED_HIGH
    elif h_low is None:
        status = OptimumStatus.NOT_BRACKETED_LOW
    elif above[0] - below[-1] == 2 and np.isfinite(loss[[i - 1, i + 1]]).all():
        status = OptimumStatus.BRACKETED
        d_low, d_high = loss[i - 1] - least, loss[i + 1] - least
        slope = h_high**2 * d_low - h_low**2 * d_high
        curvature = h_high * d_low + h_low * d_high
        at += float(slope / curvature / 2) if curvature > 0 else 0.0
    low = None if h_low is None else at - h_low / 2
    high = None if h_high is None else at + h_high / 2
    return Minimum(at, low, high, status, least)
