"""Did the best rate transfer? The verdict on a sweep's table."""

import html
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from scaletx import _checks
from scaletx.analysis import printed
from scaletx.analysis.cells import clean, curves
from scaletx.analysis.columns import find_columns, parts, refuse_groups
from scaletx.analysis.drift import Drift, drift
from scaletx.analysis.judgment import Answer, Evidence, Margins, judge
from scaletx.analysis.mixed import refuse_mixed
from scaletx.analysis.optima import Optimum, optima
from scaletx.analysis.regret import Regret, regrets


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What a sweep says about transfer, and why.

    Attributes:
        verdict: `transfers`, `drifts` or `cannot tell`.
        loss: The column of the loss that was judged.
        size: The column of the size.
        lr: The column of the rate.
        drift: Slope of log2 best rate against log2 size, with its 95 % interval.
        optima: Those of each size and seed, and those of each size's mean (seed None).
        regret: One row for each pair of sizes, small to large.
        margins: The bounds of the slope and of the relative regret.
        reasons: Sentences: why, and what would decide it.
        table: The cells: size, seed, lr, loss, status.
    """

    verdict: Answer
    loss: str
    size: str
    lr: str
    drift: Drift
    optima: tuple[Optimum, ...]
    regret: tuple[Regret, ...]
    margins: Margins
    reasons: tuple[str, ...]
    table: pd.DataFrame = field(repr=False, compare=False)

    def to_dict(self) -> dict[str, Any]:
        """Return strictly valid JSON: null, never NaN, where a value is unknown."""
        return {
            "verdict": self.verdict.value,
            "loss": self.loss,
            "size": self.size,
            "lr": self.lr,
            "drift": self.drift._asdict(),
            "optima": [each._asdict() for each in self.optima],
            "regret": [row.to_dict() for row in self.regret],
            "margins": self.margins._asdict(),
            "reasons": list(self.reasons),
        }

    def __str__(self) -> str:
        return printed.text(self)

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"


def verdict(
    table: pd.DataFrame,
    *,
    size: str | None = None,
    lr: str | None = None,
    loss: str | None = None,
    seed: str = "seed",
    group: str | None = None,
    margin: float = 0.15,
    regret_margin: float = 0.02,
    allow_mixed: bool = False,
    ignore: str | Iterable[str] = (),
) -> Verdict:
    r"""Judge whether the best rate stays the same as models grow.

    The drift is the slope $b$ of $\log_2 \eta^*$ against $\log_2$ size; the rule is in
    `judge`. Margins are fixed before the data and do not grow with noise.

    Args:
        table: One row a run. A store's table names its columns itself; of another,
            name those that are not found under a common name.
        size: Column of the size; at most 0 leaves the drift.
        lr: Column of the rate, above 0.
        loss: Column of the loss, in any unit. Without a `status` column a loss that is
            not finite is a diverged run.
        seed: Column of the seed; a table without one has one seed.
        group: Column that has one value here; `verdicts` judges each of several.
        margin: Bound of the slope.
        regret_margin: Bound of the regret, as a share of the loss.
        allow_mixed: Compare runs although further columns vary.
        ignore: Columns that may vary.

    Returns:
        The verdict, with optima, drift and regrets.

    Raises:
        ValueError: If a column is unknown, a value unusable, a cell there twice, or a
            further setting varies.

    Example:
        >>> lr = [2.0**-k for k in (2, 3, 4, 5)] * 3
        >>> width = [64] * 4 + [128] * 4 + [256] * 4
        >>> loss = [1.5, 1.25, 1.75, 3.0] * 3
        >>> table = pd.DataFrame({"width": width, "lr": lr, "loss": loss})
        >>> verdict(table).drift.slope
        0.0
    """
    margins = Margins(
        _checks.number("margin", margin, above=0),
        _checks.number("regret_margin", regret_margin, least=0),
    )
    if table.empty:
        raise ValueError("The table has no rows: there is nothing to judge yet.")
    columns = find_columns(table, size=size, lr=lr, loss=loss, seed=seed)
    refuse_groups(table, group, "verdict")
    if not allow_mixed:
        named = (ignore,) if isinstance(ignore, str) else tuple(ignore)
        refuse_mixed(table, columns, named)
    cells = clean(table, columns)
    grids = curves(cells)
    found = optima(grids)
    slope = drift([point for each in found for point in each.points()])
    costs = regrets(grids)
    answer, reasons = judge(Evidence(columns, grids, found, slope, costs), margins)
    return Verdict(
        verdict=answer,
        loss=columns.loss,
        size=columns.size,
        lr=columns.lr,
        drift=slope,
        optima=tuple(optimum for each in found for optimum in each.all),
        regret=tuple(costs),
        margins=margins,
        reasons=reasons,
        table=cells,
    )


def verdicts(table: pd.DataFrame, *, group: str, **words: Any) -> dict[Any, Verdict]:
    """Judge each group of a table by itself.

    Args:
        table: One row a run.
        group: Column of the group.
        **words: What `verdict` takes.

    Returns:
        A verdict for each value of the group, in order of appearance.

    Raises:
        ValueError: As `verdict` does.
    """
    return {
        value: verdict(part, group=group, **words)
        for value, part in parts(table, group).items()
    }
