"""Sentences: why a verdict is what it is, and what would decide it."""

import math
from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from scaletx._types import RunStatus
from scaletx.analysis import options
from scaletx.analysis.cells import Curves
from scaletx.analysis.columns import Columns
from scaletx.analysis.drift import Drift
from scaletx.analysis.optima import Optimum, SizeOptima
from scaletx.analysis.optimum import OptimumStatus
from scaletx.analysis.options import listed
from scaletx.analysis.regret import Regret

MOST = 4
"""Advice to multiply seeds or rates by more than this is not worth giving."""


def few_sizes(sizes: Sequence[float], columns: Columns, least: int) -> str:
    """Say that there are too few sizes."""
    if not sizes:
        return f"No {columns.size} is above 0: a drift needs {least} such sizes."
    return (
        f"A drift needs {least} sizes; there is {columns.size} = {listed(sizes)} "
        f"only. Add sizes: {options.larger(columns.size, sizes, least)}."
    )


def unresolved(
    found: Sequence[SizeOptima], curves: Sequence[Curves], columns: Columns
) -> list[str]:
    """Say for each size without a resolved optimum what is wrong; equal ones as one."""
    of_size = {each.size: each for each in curves}
    together = defaultdict(list)
    for each in found:
        together[_problem(each, of_size[each.size], columns)].append(each.size)
    return [
        problem.replace("{sizes}", f"{columns.size} = {listed(sizes)}")
        for problem, sizes in together.items()
    ]


def _problem(each: SizeOptima, curves: Curves, columns: Columns) -> str:
    best, grid = each.mean[0], curves.log2_lr
    if best.status is OptimumStatus.NO_DATA:
        if np.isinf(curves.loss).any():
            lower = options.grid(columns.lr, grid, below=True)
            return f"Every rate diverged at {{sizes}}. Lower them: {lower}."
        return "No run ended at {sizes}. Run them again: --retry failed."
    if best.low is None or best.high is None:
        return "The optimum at {sizes} lies " + _on_edge([best], grid, columns)
    if best.status is OptimumStatus.MULTIMODAL:
        rates = listed(2.0**m.log2_lr for m in each.mean if m.log2_lr is not None)
        return (
            "The loss at {sizes} has several minima that may each be the lowest "
            f"({columns.lr} = {rates}). More seeds tell them apart: "
            f"--seeds {2 * len(each.seeds) + 1}."
        )
    seeds = listed(seed.seed for seed in each.censored)
    edge = _on_edge(each.censored, grid, columns)
    return f"The optimum at {{sizes}}, seed {seeds}, lies {edge}"


def _on_edge(found: Sequence[Optimum], grid: np.ndarray, columns: Columns) -> str:
    below = any(each.low is None for each in found)
    above = any(each.high is None for each in found)
    edge = " and the ".join(["lower"] * below + ["upper"] * above)
    places = sorted({each.log2_lr for each in found if each.log2_lr is not None})
    rates = listed(2.0**place for place in places)
    extend = options.grid(columns.lr, grid, below=below, above=above)
    return (
        f"on the {edge} edge of the grid ({columns.lr} = {rates}). Extend it: {extend}."
    )


def left_out(sizes: Sequence[float], columns: Columns) -> list[str]:
    """Say which sizes have no logarithm."""
    none = listed(size for size in sizes if size <= 0)
    return [f"{columns.size} = {none} has no logarithm: not in the drift."] * bool(none)


def wide(
    drift: Drift,
    margin: float,
    resolved: Sequence[SizeOptima],
    grid: np.ndarray,
    columns: Columns,
) -> str:
    """Say that the interval reaches across the margin, and what would narrow it."""
    slope, low, high = drift
    assert slope is not None and low is not None and high is not None
    ratio = (high - low) / 2 / max(abs(margin - abs(slope)), 1e-9)
    seeds = max(len(each.seeds) for each in resolved)
    coarse = any(each.mean[0].status is OptimumStatus.COARSE for each in resolved)
    ways = []
    if seeds == 1:
        ways.append("more seeds (--seeds 3)")
    elif ratio**2 <= MOST and not coarse:
        count = math.ceil(seeds * ratio**2) + 1
        ways.append(f"about {count} seeds (--seeds {count})")
    if (seeds == 1 or coarse) and ratio <= MOST:
        finer = options.grid(columns.lr, grid, finer=math.ceil(ratio))
        ways.append(f"a finer grid ({finer})")
    sizes = [each.size for each in resolved]
    ways.append(f"a wider range of sizes ({options.larger(columns.size, sizes, 4)})")
    return (
        f"The interval of the slope, {interval(drift)}, reaches across the margin "
        f"-/+{margin:g}. What would decide it: {', or '.join(ways)}."
    )


def regret(row: Regret, small: Curves, columns: Columns, margin: float) -> str:
    """Say why one regret speaks against transfer, though the slope does not."""
    rate = 2.0 ** float(small.log2_lr[small.best])
    carried = (
        f"the best {columns.lr} of {columns.size} = {listed([row.start])} ({rate:.4g})"
    )
    at = f"{columns.size} = {listed([row.end])}"
    if row.status is RunStatus.DIVERGED:
        return f"The slope is within its margin, but at {at} {carried} diverges."
    if row.status is RunStatus.FAILED:
        return (
            f"The regret at {at} is unknown: {carried} has no run there that ended. "
            f"Run it: {options.option(columns.size)} {listed([row.end])} "
            f"{options.option(columns.lr)} {rate:.12g}."
        )
    if row.relative is None:
        return f"The regret at {at} has no relative size: losses there are not above 0."
    finer = options.grid(columns.lr, small.log2_lr, finer=2)
    return (
        f"The slope is within its margin, but at {at} {carried} costs "
        f"{row.relative:.2%} of the loss (margin {margin:.2%}). A finer grid tells "
        f"whether that is more than the grid's rounding: {finer}."
    )


def transfers(
    drift: Drift, margin: float, costs: Sequence[Regret], columns: Columns
) -> str:
    """Say what a transfer rests on."""
    worst = max(row.relative or 0.0 for row in costs)
    return (
        f"The interval of the slope, {interval(drift)}, lies inside -/+{margin:g}, and "
        f"the best {columns.lr} of {columns.size} = {listed([costs[0].start])} costs "
        f"at most {worst:.2%} of the loss at larger sizes."
    )


def drifts(drift: Drift, margin: float, columns: Columns) -> str:
    """Say how fast the best rate moves."""
    return (
        f"The interval of the slope, {interval(drift)}, lies outside -/+{margin:g}: "
        f"each doubling of {columns.size} multiplies the best {columns.lr} by "
        f"{2.0 ** (drift.slope or 0.0):.2f}."
    )


def interval(drift: Drift) -> str:
    """Write an interval."""
    return f"[{drift.low:+.3f}, {drift.high:+.3f}]"
