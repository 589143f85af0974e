"""A verdict as one short table of text."""

from typing import TYPE_CHECKING

from scaletx._text import aligned
from scaletx._types import RunStatus
from scaletx.analysis.advice import interval
from scaletx.analysis.optima import Optimum
from scaletx.analysis.options import listed
from scaletx.analysis.regret import Regret

if TYPE_CHECKING:
    from scaletx.analysis.verdict import Verdict

WITHOUT_REGRET = {RunStatus.FAILED: "not run", RunStatus.DIVERGED: "diverges"}


def text(v: "Verdict") -> str:
    """Write the answer, one line for each size, and the reasons."""
    slope = "unknown" if v.drift.slope is None else f"{v.drift.slope:+.3f}"
    spread = "" if v.drift.low is None else f" {interval(v.drift)}"
    means = [each for each in v.optima if each.seed is None]
    start = min((row.start for row in v.regret), default=None)
    costs = {row.end: row for row in v.regret if row.start == start}
    paid = "regret" if start is None else f"regret from {listed([start])}"
    head = (v.size, f"best {v.lr}", "log2", "interval", v.loss, paid, "status")
    rows = aligned([head, *(_line(each, costs.get(each.size)) for each in means)])
    title = f"{v.verdict}: slope {slope}{spread} of log2 {v.lr} by log2 {v.size}"
    margins = f"margins: slope {v.margins.slope:g}, regret {v.margins.regret:g}"
    return "\n".join([f"{title}; {margins}", rows, *v.reasons])


def _line(each: Optimum, cost: Regret | None) -> tuple[str, ...]:
    """Write one size's optimum, and what the smallest size's rate costs there."""
    size, status = listed([each.size]), each.status.value
    if each.log2_lr is None:
        return size, "", "", "", "", "", status
    low = "" if each.low is None else f"{each.low:.2f}"
    high = "" if each.high is None else f"{each.high:.2f}"
    paid = "" if cost is None else WITHOUT_REGRET.get(cost.status, "")
    if cost is not None and cost.relative is not None:
        paid = f"{cost.relative:.2%}"
    rate, place = f"{2.0**each.log2_lr:.4g}", f"{each.log2_lr:.3f}"
    return size, rate, place, f"{low}..{high}", f"{each.loss:.4g}", paid, status
