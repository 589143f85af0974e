"""The curves of every size at the rate that is carried over."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from jaxtyping import Float

from scaletx._types import RunStatus
from scaletx.analysis.cells import DIGITS, Curves
from scaletx.analysis.columns import Columns
from scaletx.analysis.epochs import CurveStatus, SizeCurve, on_epochs, tracks


def carried(
    lanes: pd.DataFrame,
    table: pd.DataFrame,
    grids: Sequence[Curves],
    rate: float | None,
    *,
    columns: Columns,
    epoch: float | None,
    curve: str,
) -> tuple[Float[np.ndarray, " times"], list[SizeCurve]]:
    """Collect the curves of every size at one rate, on one axis of epochs.

    Raises:
        ValueError: If an epoch's steps are unknown, or a curve is missing or unusable.
    """
    loss = pd.to_numeric(lanes[columns.loss], errors="coerce")
    ended = np.isfinite(np.asarray(loss, dtype=float))
    if "status" in lanes:
        ended &= np.asarray(lanes["status"] == RunStatus.OK)
    at_rate = np.array([_same(rate, x) for x in lanes[columns.lr]], dtype=bool)
    here = ended & at_rate
    sizes = np.asarray(pd.to_numeric(lanes[columns.size]))
    found, of_size, epochs = [], [], []
    for grid in grids:
        column = [_same(rate, x) for x in 2.0**grid.log2_lr]
        run = np.asarray(sizes == grid.size) & at_rate
        status = _status(grid.loss[:, column], bool(run.any()))
        rows = pd.DataFrame(lanes[here & (sizes == grid.size)])
        seeds = tuple(rows[columns.seed].tolist()) if columns.seed else (0,)
        if status is CurveStatus.OK:
            of_size.append(tracks(table, list(rows["lane"]), curve))
            epochs.append(epoch or _epoch(rows, grid.size))
        else:
            seeds = ()
        found.append(SizeCurve(grid.size, status, seeds, np.zeros((0, 0))))
    times, losses = on_epochs(of_size, epochs) if of_size else (np.zeros(0), [])
    rest = iter(losses)
    return times, [
        each._replace(value=next(rest)) if each.status is CurveStatus.OK else each
        for each in found
    ]


def _same(rate: float | None, other: float) -> bool:
    return rate is not None and f"{rate:.{DIGITS}g}" == f"{float(other):.{DIGITS}g}"


def _status(loss: Float[np.ndarray, "seeds rates"], run: bool) -> CurveStatus:
    """Say how the runs at one size and rate ended: a diverged seed decides."""
    if not run:
        return CurveStatus.MISSING
    if np.isinf(loss).any():
        return CurveStatus.DIVERGED
    return CurveStatus.OK if np.isfinite(loss).any() else CurveStatus.FAILED


def _epoch(rows: pd.DataFrame, size: float) -> float:
    if not {"P", "B"} <= set(rows):
        raise ValueError(
            "The table has no columns P and B, so the steps of an epoch are unknown: "
            "give epoch=STEPS."
        )
    counts = {(int(p), int(b)) for p, b in zip(rows["P"], rows["B"], strict=True)}
    if len(counts) > 1:
        raise ValueError(
            f"Runs at size {size:g} differ in P or B {sorted(counts)}: an epoch is "
            "P // B steps, one number a size. Leave some out, or give epoch=STEPS."
        )
    ((p, b),) = counts
    return float(max(p // b, 1))
