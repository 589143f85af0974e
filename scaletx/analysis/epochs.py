"""Training curves by the epoch: those of a size's seeds on one time axis."""

from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

import numpy as np
import pandas as pd
from jaxtyping import Float

from scaletx.analysis.columns import numbers


class CurveStatus(StrEnum):
    """What there is of a size at one rate.

    `diverged` if a seed diverged; else `ok` if one ended, `failed` if none did, and
    `missing` if none was run.
    """

    OK = "ok"
    DIVERGED = "diverged"
    FAILED = "failed"
    MISSING = "missing"


class SizeCurve(NamedTuple):
    """The curves of one size at one rate.

    Attributes:
        size: The size.
        status: What there is of it.
        seeds: The seeds that ended.
        value: A loss, averaged over each stretch of epochs, or a diagnostic at its end;
            empty unless `ok`.
    """

    size: float
    status: CurveStatus
    seeds: tuple[int | float | str, ...]
    value: Float[np.ndarray, "seeds times"]

    @property
    def log_mean(self) -> Float[np.ndarray, " times"]:
        """Logarithm of the mean over seeds."""
        return np.log(self.value.mean(axis=0))

    @property
    def error(self) -> Float[np.ndarray, " times"]:
        """Standard error of `log_mean` over seeds; NaN with one seed."""
        if len(self.seeds) < 2:
            return np.full(self.value.shape[1], np.nan)
        spread = self.value.std(axis=0, ddof=1) / self.value.mean(axis=0)
        return spread / np.sqrt(len(self.seeds))

    @property
    def spread(self) -> float | None:
        """Relative standard deviation over seeds, median over time; None with one."""
        if len(self.seeds) < 2:
            return None
        return float(np.median(self.error) * np.sqrt(len(self.seeds)))


BATCH_LOSS = "batch_loss"


class Track(NamedTuple):
    """A curve as it was logged, one value a row.

    Attributes:
        step: Steps done.
        value: The values.
        averaged: Whether a value is the mean over the steps since the row before; else
            it is the value at its step.
    """

    step: Float[np.ndarray, " rows"]
    value: Float[np.ndarray, " rows"]
    averaged: bool = True

    @property
    def widest(self) -> float:
        """The most steps between two rows, or before the first."""
        return float(np.diff(self.step, prepend=0).max())

    def at(self, edges: Float[np.ndarray, " edges"]) -> Float[np.ndarray, " times"]:
        """Return a value for each edge but the first.

        Of averages it is the mean since the edge before: the sum up to a step is exact
        where a row ends there, and linear in between. Of values at steps it is the
        value there, linear between rows.

        Example:
            >>> track = Track(np.array([2.0, 4.0, 6.0]), np.array([5.0, 3.0, 1.0]))
            >>> edges = np.array([0.0, 4.0, 6.0])
            >>> track.at(edges).tolist()
            [4.0, 1.0]
            >>> track._replace(averaged=False).at(edges).tolist()
            [3.0, 1.0]
        """
        if not self.averaged:
            return np.interp(edges[1:], self.step, self.value)
        width = np.diff(self.step, prepend=0)
        total = np.concatenate([[0.0], np.cumsum(width * self.value)])
        sums = np.interp(edges, np.concatenate([[0.0], self.step]), total)
        return np.diff(sums) / np.diff(edges)


def tracks(
    curves: pd.DataFrame, lanes: Sequence[str], column: str = BATCH_LOSS
) -> list[Track]:
    """Read a column of the curves of some lanes, in their order.

    The batch loss is the mean over the steps up to its row. Any other column, such as a
    diagnostic, is a value at its step; rows without one are skipped.

    Raises:
        ValueError: If a lane has no curve, or a value is not a number.
    """
    averaged = column == BATCH_LOSS
    logged = pd.DataFrame(curves[curves["lane"].isin(lanes)])
    logged = logged.assign(**{column: numbers(logged[column], column)})
    logged = logged.dropna(subset=[column])
    of_lane = dict(iter(logged.sort_values("step").groupby("lane", sort=False)))
    missing = [lane for lane in lanes if lane not in of_lane]
    if missing:
        why = "their curves part was lost" if averaged else "it was not logged or lost"
        raise ValueError(
            f"{len(missing)} of {len(lanes)} runs have no curve of {column} (lane "
            f"{str(missing[0])[:12]}): {why}. Run the sweep again with --rerun, or "
            "leave these runs out."
        )
    found = []
    for lane in lanes:
        rows = of_lane[lane]
        step = np.asarray(rows["step"], dtype=float)
        if np.any(np.diff(step, prepend=0 if averaged else -1) <= 0):
            raise ValueError(
                f"The curve of lane {str(lane)[:12]} has step {step[0]:g} first or a "
                f"step twice: expected rising steps, from {1 if averaged else 0} on."
            )
        found.append(Track(step, np.asarray(rows[column], dtype=float), averaged))
    return found


def on_epochs(
    of_size: Sequence[Sequence[Track]], epoch: Sequence[float]
) -> tuple[Float[np.ndarray, " times"], list[Float[np.ndarray, "seeds times"]]]:
    """Put curves on an axis of epochs, the same at every size.

    A point is one epoch, or as few whole ones as no two logged rows lie further apart.
    What is left of the steps after the last whole point of the shortest run is dropped,
    and so is a value at step 0.

    Args:
        of_size: The tracks of each size's seeds.
        epoch: Steps per epoch of each size.

    Returns:
        The epochs done at each point, and a matrix of values for each size.

    Raises:
        ValueError: If a run is shorter than a point, or a value not above 0 and finite.
    """
    pairs = [(t, e) for size, e in zip(of_size, epoch, strict=True) for t in size]
    per_point = max(1, *(int(np.ceil(t.widest / e - 1e-9)) for t, e in pairs))
    points = min(int(track.step[-1] / e / per_point + 1e-9) for track, e in pairs)
    if points < 1:
        raise ValueError(
            f"A run is shorter than one point of its curve, {per_point} epoch(s): "
            "collapse compares curves over epochs. Train for more steps, or log more "
            "often (--log-every)."
        )
    times = per_point * np.arange(points + 1.0)
    values = [
        np.array([track.at(times * e) for track in size])
        for size, e in zip(of_size, epoch, strict=True)
    ]
    flat = np.concatenate([value.ravel() for value in values])
    bad = flat[~((flat > 0) & (flat < np.inf))]
    if len(bad):
        raise ValueError(
            f"A value of the curve is {bad[0]:g}: curves are compared by their "
            "logarithm, so each must be above 0, and finite."
        )
    return times[1:], values
