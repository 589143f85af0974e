"""Does a quantity inside the model grow with its size?"""

from enum import StrEnum
from typing import NamedTuple

import numpy as np
import pandas as pd

from scaletx import _checks
from scaletx.analysis.drift import Point, drift
from scaletx.analysis.epochs import tracks
from scaletx.analysis.optimum import OptimumStatus

LEAST_SIZES = 3


class TrendAnswer(StrEnum):
    """What a quantity does as the size grows."""

    GROWS = "grows"
    FLAT = "flat"
    FALLS = "falls"
    CANNOT_TELL = "cannot tell"


class Trend(NamedTuple):
    """A power of the size.

    Attributes:
        answer: `grows` or `falls` if the interval of the slope lies above or below the
            margin, `flat` if inside, else `cannot tell`.
        curve: The column.
        slope: Of its logarithm against that of the size; None below three sizes.
        low: Lower end of the 95 % interval.
        high: Upper end.
        margin: Bound of a flat slope.
    """

    answer: TrendAnswer
    curve: str
    slope: float | None
    low: float | None
    high: float | None
    margin: float


def trend(
    lanes: pd.DataFrame,
    curves: pd.DataFrame,
    *,
    curve: str,
    size: str = "N",
    margin: float = 0.15,
) -> Trend:
    r"""Fit the power of the size with which a column of the curves grows.

    Each run counts once, with the median over time of the logarithm of its curve
    $q(t)$; the slope is that of least squares,

    $$\operatorname{median}_t \log q(t) \approx a + b \log(\text{size}),$$

    over all sizes and seeds, with Student's t interval.

    Args:
        lanes: Runs that ended, all at one rate: columns `lane` and the size.
        curves: Columns `lane`, `step` and the curve, above 0.
        curve: Column of the curves: a diagnostic, or batch_loss.
        size: Column of the size.
        margin: Bound of a flat slope, fixed before the data.

    Returns:
        The word, and the slope with its interval.

    Raises:
        ValueError: If a column is unknown, or a run has no curve or one not above 0.
    """
    margin = _checks.number("margin", margin, above=0)
    for name, table in ((size, lanes), ("lane", lanes), (curve, curves)):
        if name not in table:
            raise ValueError(
                f"trend got no column {name!r}: there are {', '.join(map(str, table))}."
            )
    points = []
    found = tracks(curves, list(lanes["lane"]), curve)
    for at, track in zip(lanes[size], found, strict=True):
        if not np.all(track.value > 0):
            raise ValueError(
                f"{curve} is {track.value.min():g} at {size} = {at:g}: its power of "
                "the size is that of a quantity above 0."
            )
        u = float(np.median(np.log2(track.value)))
        points.append(Point(float(np.log2(at)), u, u, u, OptimumStatus.BRACKETED))
    if len({point.log2_size for point in points}) < LEAST_SIZES:
        return Trend(TrendAnswer.CANNOT_TELL, curve, None, None, None, margin)
    slope, low, high = drift(points)
    assert slope is not None and low is not None and high is not None
    answer = TrendAnswer.CANNOT_TELL
    if -margin <= low and high <= margin:
        answer = TrendAnswer.FLAT
    elif low > margin:
        answer = TrendAnswer.GROWS
    elif high < -margin:
        answer = TrendAnswer.FALLS
    return Trend(answer, curve, slope, low, high, margin)
