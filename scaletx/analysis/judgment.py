"""The rule that turns a drift and its regrets into an answer."""

from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

from scaletx._types import RunStatus
from scaletx.analysis import advice
from scaletx.analysis.cells import Curves
from scaletx.analysis.columns import Columns
from scaletx.analysis.drift import Drift
from scaletx.analysis.optima import SizeOptima
from scaletx.analysis.regret import Regret

LEAST_SIZES = 3


class Answer(StrEnum):
    """What a sweep says about transfer."""

    TRANSFERS = "transfers"
    DRIFTS = "drifts"
    CANNOT_TELL = "cannot tell"


class Margins(NamedTuple):
    """Bounds fixed before the data: of the slope, and of the relative regret."""

    slope: float
    regret: float


class Evidence(NamedTuple):
    """All that a judgment reads; curves and optima by rising size."""

    columns: Columns
    curves: Sequence[Curves]
    optima: Sequence[SizeOptima]
    drift: Drift
    regrets: Sequence[Regret]


def judge(seen: Evidence, margins: Margins) -> tuple[Answer, tuple[str, ...]]:
    """Answer, with the reasons.

    - `drifts`: the slope's interval lies wholly outside its margin.
    - `transfers`: it lies inside, and the best rate of the smallest resolved size, the
      one that a user would carry over, has a regret within its margin at every larger
      size.
    - `cannot tell`: anything else; also where fewer than three sizes are resolved, or
      more than one is not.

    A size is resolved if the optimum of its seed mean is `bracketed` or `coarse` and
    no seed's optimum is on an edge of the grid.
    """
    columns = seen.columns
    positive = [each for each in seen.optima if each.size > 0]
    resolved = [each for each in positive if each.resolved]
    unresolved = [each for each in positive if not each.resolved]
    notes = advice.unresolved(unresolved, seen.curves, columns)
    notes += advice.left_out([each.size for each in seen.optima], columns)
    if len(positive) < LEAST_SIZES:
        sizes = [each.size for each in positive]
        notes.insert(0, advice.few_sizes(sizes, columns, LEAST_SIZES))
    if len(resolved) < LEAST_SIZES or len(unresolved) > 1:
        return Answer.CANNOT_TELL, tuple(notes)
    answer, reasons = _decide(seen, margins, resolved)
    return answer, (*reasons, *notes)


def _decide(
    seen: Evidence, margins: Margins, resolved: Sequence[SizeOptima]
) -> tuple[Answer, list[str]]:
    margin, columns, (_, low, high) = margins.slope, seen.columns, seen.drift
    assert low is not None and high is not None
    if low > margin or high < -margin:
        return Answer.DRIFTS, [advice.drifts(seen.drift, margin, columns)]
    if low < -margin or high > margin:
        grid = seen.curves[-1].log2_lr
        wide = advice.wide(seen.drift, margin, resolved, grid, columns)
        return Answer.CANNOT_TELL, [wide]
    start = resolved[0].size
    costs = [row for row in seen.regrets if row.start == start]
    over = [row for row in costs if not _within(row, margins.regret)]
    if over:
        small = next(each for each in seen.curves if each.size == start)
        return Answer.CANNOT_TELL, [
            advice.regret(row, small, columns, margins.regret) for row in over
        ]
    return Answer.TRANSFERS, [advice.transfers(seen.drift, margin, costs, columns)]


def _within(row: Regret, margin: float) -> bool:
    return (
        row.status is RunStatus.OK
        and row.relative is not None
        and row.relative <= margin
    )
