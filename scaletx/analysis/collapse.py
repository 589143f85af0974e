"""Do training curves of different sizes lie on each other at one rate?"""

import html
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from jaxtyping import Float

from scaletx import _checks
from scaletx._text import aligned
from scaletx.analysis.carried import carried
from scaletx.analysis.cells import clean, curves
from scaletx.analysis.collapsed import CollapseAnswer, Seen, judge
from scaletx.analysis.columns import find_columns, parts, refuse_groups
from scaletx.analysis.deviation import Deviation, deviation, houdayer_hartmann
from scaletx.analysis.epochs import BATCH_LOSS, CurveStatus, SizeCurve
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
    group: str | None = None,
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
        curves_table: For a lanes table: columns `lane`, `step` and the curve; of
            `batch_loss` a row is the mean over the steps up to its own, of any other
            the value at its step, or empty.
        size: Column of the size.
        lr: Column of the rate.
        loss: Column that chooses the rate.
        curve: Column of the curves that is compared; a diagnostic, say.
        seed: Column of the seed.
        group: Column that has one value here; `collapses` judges each of several.
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
    lanes, table = _tables(results, curves_table)
    _require(lanes, table, curve)
    refuse_groups(lanes, group, "collapse")
    columns = find_columns(lanes, size=size, lr=lr, loss=loss, seed=seed)
    if not allow_mixed:
        refuse_mixed(lanes, columns, (ignore,) if isinstance(ignore, str) else ignore)
    grids = curves(clean(lanes, columns))
    best = grids[0].best
    rate = None if best is None else float(2.0 ** grids[0].log2_lr[best])
    times, found = carried(
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


def collapses(
    results: Results | pd.DataFrame,
    curves_table: pd.DataFrame | None = None,
    *,
    group: str,
    **words: Any,
) -> dict[Any, Collapse]:
    """Judge each group of runs by itself, each at its own best rate.

    Args:
        results: What `read` returned, or a lanes table.
        curves_table: For a lanes table: its curves.
        group: Column of the group.
        **words: What `collapse` takes.

    Returns:
        A collapse for each value of the group, in order of appearance.

    Raises:
        ValueError: As `collapse` does.
    """
    lanes, table = _tables(results, curves_table)
    return {
        value: collapse(part, table, group=group, **words)
        for value, part in parts(lanes, group).items()
    }


def _tables(
    results: Results | pd.DataFrame, table: pd.DataFrame | None
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
    return lanes, table


def _require(lanes: pd.DataFrame, table: pd.DataFrame, curve: str) -> None:
    wanted = (*CURVE_COLUMNS[:2], curve)
    lacking = [name for name in wanted if name not in table]
    lacking += ["lane"] * ("lane" not in lanes and "lane" not in lacking)
    if lacking:
        raise ValueError(
            f"collapse needs the columns {', '.join(lacking)}: lane names a run in "
            f"both tables, step and {curve} make its curve. The curves have "
            f"{', '.join(map(str, table))}."
        )
