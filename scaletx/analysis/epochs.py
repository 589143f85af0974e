"""Training curves by the epoch: those of a size's seeds on one time axis."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from jaxtyping import Float

from scaletx._types import RunStatus


class SizeCurve(NamedTuple):
    """The curves of one size at one rate.

    Attributes:
        size: The size.
        status: `diverged` if a seed diverged, `failed` if no seed ended, else `ok`.
        seeds: The seeds that ended.
        loss: Mean over each stretch of epochs; empty unless `ok`.
    """

    size: float
    status: RunStatus
    seeds: tuple[int | float | str, ...]
    loss: Float[np.ndarray, "seeds times"]

    @property
    def log_mean(self) -> Float[np.ndarray, " times"]:
        """Logarithm of the mean over seeds."""
        return np.log(self.loss.mean(axis=0))

    @property
    def error(self) -> Float[np.ndarray, " times"]:
        """Standard error of `log_mean` over seeds; NaN with one seed."""
        if len(self.seeds) < 2:
            return np.full(self.loss.shape[1], np.nan)
        spread = self.loss.std(axis=0, ddof=1) / self.loss.mean(axis=0)
        return spread / np.sqrt(len(self.seeds))

    @property
    def spread(self) -> float | None:
        """Relative standard deviation over seeds, median over time; None with one."""
        if len(self.seeds) < 2:
            return None
        return float(np.median(self.error) * np.sqrt(len(self.seeds)))


class Track(NamedTuple):
    """A curve as it was logged: the mean over the steps up to each `step`."""

    step: Float[np.ndarray, " rows"]
    loss: Float[np.ndarray, " rows"]

    @property
    def widest(self) -> float:
        """The most steps that one row averages."""
        return float(np.diff(self.step, prepend=0).max())

    def means(self, edges: Float[np.ndarray, " edges"]) -> Float[np.ndarray, " times"]:
        r"""Average the loss between steps.

        The sum up to a step is exact where a row ends there, and linear in between.

        Example:
            >>> track = Track(np.array([2.0, 4.0, 6.0]), np.array([5.0, 3.0, 1.0]))
            >>> track.means(np.array([0.0, 4.0, 6.0])).tolist()
            [4.0, 1.0]
        """
        width = np.diff(self.step, prepend=0)
        total = np.concatenate([[0.0], np.cumsum(width * self.loss)])
        at = np.interp(edges, np.concatenate([[0.0], self.step]), total)
        return np.diff(at) / np.diff(edges)


BATCH_LOSS = "batch_loss"


def tracks(
    curves: pd.DataFrame, lanes: Sequence[str], column: str = BATCH_LOSS
) -> list[Track]:
    """Read a column of the curves of some lanes, in their order.

    A batch loss is the mean over the steps up to its row. Any other column, such as a
    diagnostic, is a value at the steps done of its row, and stands for the steps up to
    the next one.

    Raises:
        ValueError: If a lane has no curve.
    """
    logged = pd.DataFrame(curves[curves["lane"].isin(lanes)])
    logged = logged.dropna(subset=[column])
    of_lane = dict(iter(logged.sort_values("step").groupby("lane", sort=False)))
    missing = [lane for lane in lanes if lane not in of_lane]
    if missing:
        raise ValueError(
            f"{len(missing)} of {len(lanes)} runs have no curve of {column} (lane "
            f"{str(missing[0])[:12]}): their curves part was lost. Run the sweep again "
            "with --rerun, or leave these runs out."
        )
    found = []
    for lane in lanes:
        rows = of_lane[lane]
        step = np.asarray(rows["step"], dtype=float)
        if column != BATCH_LOSS and len(step) > 1:
            step = np.append(step[1:], 2 * step[-1] - step[-2])
        if step[0] <= 0 or not np.all(np.diff(step) > 0):
            raise ValueError(
                f"The curve of lane {str(lane)[:12]} has step {step[0]:g} first or a "
                "step twice: expected each row to average the steps up to its own."
            )
        found.append(Track(step, np.asarray(rows[column], dtype=float)))
    return found


def on_epochs(
    of_size: Sequence[Sequence[Track]], epoch: Sequence[float]
) -> tuple[Float[np.ndarray, " times"], list[Float[np.ndarray, "seeds times"]]]:
    """Average curves over epochs, the same epochs at every size.

    A point is one epoch, or as few whole ones as no logged row is wider than. What is
    left of the steps after the last whole point of the shortest run is dropped.

    Args:
        of_size: The tracks of each size's seeds.
        epoch: Steps per epoch of each size.

    Returns:
        The epochs done at each point, and a matrix of losses for each size.

    Raises:
        ValueError: If a run is shorter than a point, or a loss is not above 0.
    """
    pairs = [(t, e) for size, e in zip(of_size, epoch, strict=True) for t in size]
    per_point = max(int(np.ceil(track.widest / e - 1e-9)) for track, e in pairs)
    points = min(int(track.step[-1] / e / per_point + 1e-9) for track, e in pairs)
    if points < 1:
        raise ValueError(
            f"A run is shorter than one point of its curve, {per_point} epoch(s): "
            "collapse compares curves over epochs. Train for more steps, or log more "
            "often (--log-every)."
        )
    times = per_point * np.arange(points + 1.0)
    losses = [
        np.array([track.means(times * e) for track in size])
        for size, e in zip(of_size, epoch, strict=True)
    ]
    least = min(float(loss.min()) for loss in losses)
    if least <= 0:
        raise ValueError(
            f"A value of the curve is {least:g}: curves are compared by their "
            "logarithm, so each must be above 0."
        )
    return times[1:], losses
