"""Do training curves of different sizes lie on each other at one rate?"""

import html
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from jaxtyping import Float

from scaletx import _checks
from scaletx._text import aligned
from scaletx._types import RunStatus
from scaletx.analysis.cells import DIGITS, Curves, clean, curves
from scaletx.analysis.collapsed import CollapseAnswer, Seen, judge
from scaletx.analysis.columns import Columns, find_columns
from scaletx.analysis.deviation import Deviation, deviation, houdayer_hartmann
from scaletx.analysis.epochs import (
    BATCH_LOSS,
    CurveStatus,
    SizeCurve,
    on_epochs,
    tracks,
)
from scaletx.analysis.mixed import refuse_mixed
from scaletx.analysis.options import listed
from scaletx.analysis.tables import CURVE_COLUMNS, Results


@dataclass(frozen=True, kw_only=True)
class Collapse:
    """Whether the training curves of all sizes lie on each other, and why.

    Attributes:
        verdict: `collapses`, `fails` or `cannot tell`.
        size: The column of the size.
        lr: The column of the rate.
        rate: The rate of all curves: the smallest size's best; None if it has none.
        loss: The column that chose the rate.
        curve: The column that is compared.
        reference: The size that the others are compared with; None if none ended.
        deviations: One a size, rising.
        S: Houdayer and Hartmann's quality of collapse; None where seeds are too few.
        margin: The bound of D.
        reasons: Sentences: why, and what would decide it.
        epochs: Epochs done at each point of the curves.
        curves: The curves of each size at the rate.
    """

    verdict: CollapseAnswer
    size: str
    lr: str
    rate: float | None
    loss: str
    curve: str
    reference: float | None
    deviations: tuple[Deviation, ...]
    S: float | None
    margin: float
    reasons: tuple[str, ...]
    epochs: Float[np.ndarray, " times"] = field(repr=False, compare=False)
    curves: tuple[SizeCurve, ...] = field(repr=False, compare=False)

    def to_dict(self) -> dict[str, Any]:
        """Return strictly valid JSON: null, never NaN, where a value is unknown."""
        return {
            "verdict": self.verdict.value,
            "size": self.size,
            "lr": self.lr,
            "rate": self.rate,
            "loss": self.loss,
            "curve": self.curve,
            "reference": self.reference,
            "deviations": [each._asdict() for each in self.deviations],
            "S": self.S,
            "margin": self.margin,
            "epochs": self.epochs.tolist(),
            "reasons": list(self.reasons),
        }

    def __str__(self) -> str:
        rate = "unknown" if self.rate is None else f"{self.rate:.4g}"
        quality = "unknown" if self.S is None else f"{self.S:.3g}"
        head = (self.size, "D", "interval", "seed spread", "seeds", "status")
        rows = aligned([head, *(self._line(each) for each in self.deviations)])
        title = (
            f"{self.verdict}: D of {self.curve} against {self.size} = "
            f"{listed([self.reference])} at {self.lr} = {rate}; margin "
            f"{self.margin:g}; S {quality}"
        )
        return "\n".join([title, rows, *self.reasons])

    def _line(self, each: Deviation) -> tuple[str, ...]:
        known = each.low is not None and each.high is not None
        value = "" if each.D is None else f"{each.D:.4f}"
        return (
            listed([each.size]),
            "reference" if each.size == self.reference else value,
            f"{each.low:.4f}..{each.high:.4f}" if known else "",
            "" if each.seed_spread is None else f"{each.seed_spread:.4f}",
            str(each.seeds),
            each.status.value,
        )

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"


def collapse(
    results: Results | pd.DataFrame,
    curves_table: pd.DataFrame | None = None,
    *,
    size: str | None = None,
    lr: str | None = None,
    loss: str | None = None,
    curve: str = BATCH_LOSS,
    seed: str = "seed",
    margin: float = 0.05,
    epoch: float | None = None,
    allow_mixed: bool = False,
    ignore: str | Iterable[str] = (),
) -> Collapse:
    r"""Judge whether training curves are the same at every size.

    All curves are taken at the best grid rate of the smallest size (by the seed mean
    of the loss), what a user would carry over. `deviation` says how far each lies from
    the largest size's; the rule is in `scaletx.analysis.collapsed.judge`.

    Args:
        results: What `read` returned, or a lanes table: one row a run, with a column
            `lane`.
        curves_table: For a lanes table: columns `lane`, `step`, `batch_loss`, a row
            the mean over the steps up to its own.
        size: Column of the size.
        lr: Column of the rate.
        loss: Column that chooses the rate.
        curve: Column of the curves that is compared; a diagnostic, say.
        seed: Column of the seed.
        margin: Bound of D, fixed before the data.
        epoch: Steps per epoch of every size; None takes each size's P // B.
        allow_mixed: Compare runs although further columns vary.
        ignore: Columns that may vary.

    Returns:
        The word, the deviations with intervals, S, and the curves.

    Raises:
        ValueError: If a column is unknown, a curve missing or not above 0, a cell
            there twice, or a further setting varies.
    """
    margin = _checks.number("margin", margin, above=0)
    if epoch is not None:
        epoch = _checks.number("epoch", epoch, above=0)
    lanes, table = _tables(results, curves_table, curve)
    columns = find_columns(lanes, size=size, lr=lr, loss=loss, seed=seed)
    if not allow_mixed:
        refuse_mixed(lanes, columns, (ignore,) if isinstance(ignore, str) else ignore)
    grids = curves(clean(lanes, columns))
    best = grids[0].best
    rate = None if best is None else float(2.0 ** grids[0].log2_lr[best])
    times, found = _at_rate(
        lanes, table, grids, rate, columns=columns, epoch=epoch, curve=curve
    )
    ended = [each for each in found if each.status is CurveStatus.OK]
    reference = ended[-1] if ended else None
    deviations = [deviation(each, reference or each) for each in found]
    seen = Seen(columns, grids, rate, deviations, reference and reference.size)
    answer, reasons = judge(seen, margin)
    return Collapse(
        verdict=answer,
        size=columns.size,
        lr=columns.lr,
        rate=rate,
        loss=columns.loss,
        curve=curve,
        reference=reference.size if reference else None,
        deviations=tuple(deviations),
        S=houdayer_hartmann(ended),
        margin=margin,
        reasons=reasons,
        epochs=times,
        curves=tuple(found),
    )


def _tables(
    results: Results | pd.DataFrame, table: pd.DataFrame | None, curve: str
) -> tuple[pd.DataFrame, pd.DataFrame]:
    lanes = results.lanes if isinstance(results, Results) else results
    if table is None:
        if not isinstance(results, Results):
            raise ValueError(
                "collapse(lanes) got no curves: it compares whole training curves. "
                "Give it what analysis.read returned, or a table of curves too."
            )
        table = results.curves
    if lanes.empty:
        raise ValueError("The table has no rows: there is nothing to judge yet.")
    wanted = (*CURVE_COLUMNS[:2], curve)
    lacking = [name for name in wanted if name not in table]
    lacking += ["lane"] * ("lane" not in lanes and "lane" not in lacking)
    if lacking:
        raise ValueError(
            f"collapse needs the columns {', '.join(lacking)}: lane names a run in "
            f"both tables, step and {curve} make its curve. The curves have "
            f"{', '.join(map(str, table))}."
        )
    return lanes, table


def _at_rate(
    lanes: pd.DataFrame,
    table: pd.DataFrame,
    grids: Sequence[Curves],
    rate: float | None,
    *,
    columns: Columns,
    epoch: float | None,
    curve: str,
) -> tuple[Float[np.ndarray, " times"], list[SizeCurve]]:
    """Collect the curves of every size at one rate."""
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
