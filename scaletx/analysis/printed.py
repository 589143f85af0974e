"""A verdict as one short table of text."""

from typing import TYPE_CHECKING

from scaletx.analysis.advice import interval
from scaletx.analysis.options import listed

if TYPE_CHECKING:
    from scaletx.analysis.verdict import Verdict


def text(v: "Verdict") -> str:
    """Write the answer, one line for each size, and the reasons."""
    slope = "unknown" if v.drift.slope is None else f"{v.drift.slope:+.3f}"
    spread = "" if v.drift.low is None else f" {interval(v.drift)}"
    means = [each for each in v.optima if each.seed is None]
    start = min((row.start for row in v.regret), default=None)
    costs = {row.end: row for row in v.regret if row.start == start}
    head = (v.size, f"best {v.lr}", "log2", "interval", v.loss, "regret", "status")
    lines = [head]
    for each in means:
        known = each.log2_lr is not None
        cost = costs.get(each.size)
        ends = ("" if end is None else f"{end:.2f}" for end in (each.low, each.high))
        lines.append(
            (
                listed([each.size]),
                f"{2.0**each.log2_lr:.4g}" if known else "",
                f"{each.log2_lr:.3f}" if known else "",
                "..".join(ends) if known else "",
                "" if each.loss is None else f"{each.loss:.4g}",
                "" if cost is None or cost.relative is None else f"{cost.relative:.2%}",
                each.status.value,
            )
        )
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    rows = [
        "  ".join(f"{cell:>{width}}" for cell, width in zip(line, widths, strict=True))
        for line in lines
    ]
    title = f"{v.verdict}: slope {slope}{spread} of log2 {v.lr} by log2 {v.size}"
    margins = f"margins: slope {v.margins.slope:g}, regret {v.margins.regret:g}"
    return "\n".join([f"{title}; {margins}", *rows, *v.reasons])
