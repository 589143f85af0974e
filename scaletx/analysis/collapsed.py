"""The rule that turns deviations into `collapses`, `fails` or `cannot tell`."""

from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

from scaletx.analysis import options
from scaletx.analysis.advice import MOST
from scaletx.analysis.cells import Curves
from scaletx.analysis.columns import Columns
from scaletx.analysis.deviation import Deviation, seeds_for
from scaletx.analysis.epochs import CurveStatus
from scaletx.analysis.options import listed

LEAST_SIZES = 3


class CollapseAnswer(StrEnum):
    """What training curves at one rate say."""

    COLLAPSES = "collapses"
    FAILS = "fails"
    CANNOT_TELL = "cannot tell"


class Seen(NamedTuple):
    """All that a judgment reads; grids and deviations by rising size."""

    columns: Columns
    grids: Sequence[Curves]
    rate: float | None
    deviations: Sequence[Deviation]
    reference: float | None


def judge(seen: Seen, margin: float) -> tuple[CollapseAnswer, tuple[str, ...]]:
    """Answer, with the reasons.

    - `fails`: at some size but the smallest, the interval of D lies above the margin;
      or a size diverges at the rate.
    - `collapses`: D is within the margin at every size but the smallest, and falls
      with size, or rises by no more than its interval allows.
    - `cannot tell`: anything else; also with fewer than three sizes, with one seed
      (an interval needs two), or where a size has no run at the rate.

    The smallest size is not held to the margin: its curve may be small-size physics.
    """
    c, rate, found = seen.columns, seen.rate, seen.deviations
    if rate is None:
        return CollapseAnswer.CANNOT_TELL, (
            f"No run ended at {c.size} = {listed([found[0].size])}, the smallest size, "
            "so there is no rate to carry over. Lower the rates, or run it again: "
            "--retry failed.",
        )
    at = f"{c.lr} = {rate:.4g}"
    notes = _edge(seen)
    lost = [each.size for each in found if each.status is CurveStatus.DIVERGED]
    if lost:
        verb = "diverges" if len(lost) == 1 else "diverge"
        said = f"{c.size} = {listed(lost)} {verb} at {at}, the rate carried over."
        return CollapseAnswer.FAILS, (said, *notes)
    judged = [d for d in found[1:] if d.D is not None]
    above = [d for d in judged if d.low is not None and d.low > margin]
    if above:
        return CollapseAnswer.FAILS, (*(_above(d, seen, margin) for d in above), *notes)
    open_ = _open(seen)
    if open_:
        return CollapseAnswer.CANNOT_TELL, (*open_, *notes)
    wide = [d for d in judged if d.D is not None and d.D > margin]
    if wide:
        reasons = [_undecided(d, seen, margin) for d in wide]
        return CollapseAnswer.CANNOT_TELL, (*reasons, *notes)
    rises = _rises([d for d in found if d.D is not None], seen)
    if rises:
        return CollapseAnswer.CANNOT_TELL, (*rises, *notes)
    worst = max(d.D for d in judged if d.D is not None)
    reasons = [
        f"At {at}, the best of {c.size} = {listed([found[0].size])}, the curves of "
        f"larger sizes lie within {worst:.3f} of {c.size} = {listed([seen.reference])} "
        f"in log loss (margin {margin:g})."
    ]
    reaching = [d for d in judged if d.high is not None and d.high > margin]
    reasons += [
        f"The interval of {_value(d, seen)} reaches above the margin; more seeds "
        f"narrow it: {_seeds(d, margin)}."
        for d in reaching
    ]
    return CollapseAnswer.COLLAPSES, (*reasons, *notes)


def _open(seen: Seen) -> list[str]:
    """Say what is missing before anything can be said."""
    c, found, rate = seen.columns, seen.deviations, seen.rate
    if len(found) < LEAST_SIZES:
        sizes = [d.size for d in found]
        return [
            f"A collapse needs {LEAST_SIZES} sizes; there is {c.size} = "
            f"{listed(sizes)} only. Add sizes: "
            f"{options.larger(c.size, sizes, LEAST_SIZES)}."
        ]
    rate_word = f"{c.lr} = {rate:.4g}, the best rate of the smallest size"
    for status, said, retry in (
        (CurveStatus.MISSING, "has no run at", ""),
        (CurveStatus.FAILED, "has only failed runs at", " --retry failed"),
    ):
        sizes = [d.size for d in found if d.status is status]
        if sizes:
            return [
                f"{c.size} = {listed(sizes)} {said} {rate_word}. Run it: "
                f"{options.option(c.size)} {listed(sizes, ',')} "
                f"{options.option(c.lr)} {rate:.12g}{retry}."
            ]
    alone = [d.size for d in found if d.seeds < 2]
    if alone:
        return [
            f"{c.size} = {listed(alone)} has one seed, so what is noise is unknown. "
            "Add seeds: --seeds 3."
        ]
    return []


def _rises(found: Sequence[Deviation], seen: Seen) -> list[str]:
    c = seen.columns
    pairs = zip(found, found[1:], strict=False)
    rising = [
        (a, b)
        for a, b in pairs
        if b.low is not None and a.high is not None and b.low > a.high
    ]
    sizes = [each.size for each in seen.deviations]
    return [
        f"D rises from {a.D:.3f} at {c.size} = {listed([a.size])} to {b.D:.3f} at "
        f"{listed([b.size])}, beyond noise, though curves that collapse come closer. "
        f"Add a larger size: {options.larger(c.size, sizes, LEAST_SIZES)}."
        for a, b in rising
    ]


def _edge(seen: Seen) -> list[str]:
    """Say that the rate carried over lies on an edge of the smallest size's grid."""
    grid, c = seen.grids[0], seen.columns
    last = len(grid.log2_lr) - 1
    if last < 1 or grid.best not in (0, last):
        return []
    below, above = grid.best == 0, grid.best == last
    extend = options.grid(c.lr, grid.log2_lr, below=below, above=above)
    return [
        f"The rate carried over lies on the {'lower' if below else 'upper'} edge of "
        f"the grid of {c.size} = {listed([grid.size])}: a better one may lie beyond "
        f"({extend})."
    ]


def _value(d: Deviation, seen: Seen) -> str:
    return f"D at {seen.columns.size} = {listed([d.size])}"


def _above(d: Deviation, seen: Seen, margin: float) -> str:
    return (
        f"{_value(d, seen)} is {d.D:.3f} [{d.low:.3f}, {d.high:.3f}], above the margin "
        f"{margin:g}: curves of different sizes do not lie on each other."
    )


def _undecided(d: Deviation, seen: Seen, margin: float) -> str:
    return (
        f"{_value(d, seen)} is {d.D:.3f} [{d.low:.3f}, {d.high:.3f}], above the margin "
        f"{margin:g} but not by its interval. What would decide it: "
        f"{_seeds(d, margin)}."
    )


def _seeds(d: Deviation, margin: float) -> str:
    """Say how many seeds would take the margin out of the interval, if so few do."""
    assert d.D is not None
    most = MOST * d.seeds
    count = seeds_for(d, abs(d.D - margin), most)
    about = f"about {count} seeds (--seeds {count})"
    return f"more than {most} seeds" if count is None else about
