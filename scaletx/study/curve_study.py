"""A study of what happens inside: columns of curves at one rate, size by size."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from scaletx import analysis, plots, sweep
from scaletx._types import RunStatus
from scaletx.study.study import Finding, Size, Study, Tables
from scaletx.study.sweep_study import KEY, file_name

LANES = ["N", "K", "P", "B", "eta0", "seed", "status", "train_mse", "lane"]
DIGITS = 6
"""Significant digits of the curves in the small tables."""
TRENDS = {"grows", "flat", "falls"}


class Watch(NamedTuple):
    """One sweep of a curve study, at one rate.

    Attributes:
        words: The words of the sweep, besides or in place of those that all share.
        expect: For each column of the curves the word that the claim predicts: `grows`,
            `flat` or `falls` with the size (`scaletx.analysis.trend`), or `collapses`
            or `fails` for curves of different sizes (`scaletx.analysis.collapse`), or
            nothing, "", for a trend that is shown beside.
    """

    words: Mapping[str, Any]
    expect: Mapping[str, str]


def curve_study(
    *,
    claim: str,
    source: str,
    watches: Mapping[str, Watch],
    common: Mapping[str, Any],
    size: str = "N",
) -> Study:
    """Build a study that judges columns of curves: diagnostics, or losses.

    The quick size takes the three smallest shapes, two seeds and twenty steps.

    Args:
        claim: The claim, one sentence.
        source: Where it is made.
        watches: The sweeps by name, each with a single eta0.
        common: Words that all sweeps share.
        size: The size that grows.

    Returns:
        The study; its tables are the lanes of each sweep, and their curves.
    """

    def measure(folder: Path, scale: Size, report: Callable[[Any], None]) -> Tables:
        tables = {}
        for name, watch in watches.items():
            spec = sweep.spec(**{**common, **watch.words})
            if scale is Size.QUICK:
                spec = _quick(spec)
            home = folder / file_name(name)
            lanes = sweep.run(spec, home, report=report)
            columns = list(watch.expect)
            curves = analysis.read(home).curves
            curves = curves.loc[curves["lane"].isin(lanes["lane"])]
            curves = pd.DataFrame(curves[["lane", "step", *columns]])
            kept = _rounded(curves.dropna(subset=columns, how="all"))
            tables[file_name(name)] = _short_keys(pd.DataFrame(lanes[LANES]))
            tables[f"{file_name(name)}.curves"] = _short_keys(kept)
        return tables

    def judge(tables: Tables) -> list[Finding]:
        findings = []
        for name, watch in watches.items():
            lanes = tables[file_name(name)]
            curves = tables[f"{file_name(name)}.curves"]
            for column, expected in watch.expect.items():
                word, said = _judged(lanes, curves, column, expected, size)
                findings.append(Finding(f"{name}: {column}", expected, word, said))
        return findings

    def draw(tables: Tables) -> Any:
        found = {finding.name: finding.found for finding in judge(tables)}
        panels = []
        for name, watch in watches.items():
            lanes = tables[file_name(name)][["lane", size, "seed"]]
            curves = tables[f"{file_name(name)}.curves"].merge(lanes, on="lane")
            for column in watch.expect:
                title = f"{name}\n{column}: {found[f'{name}: {column}']}"
                table = curves.rename(columns={size: "size", column: "value"})
                table = table.dropna(subset=["value"])
                panels.append(plots.CurvePanel(title, column, table))
        return plots.curves(panels, size=size)

    opposite = {
        "grows": "flat",
        "falls": "flat",
        "flat": "grows",
        "collapses": "fails",
        "fails": "collapses",
    }
    return Study(
        claim=claim,
        source=source,
        measure=measure,
        judge=judge,
        draw=draw,
        opposite=opposite,
    )


def _judged(
    lanes: pd.DataFrame, curves: pd.DataFrame, column: str, expected: str, size: str
) -> tuple[str, str]:
    """The word for a column, and the numbers behind it."""
    sizes, seeds = sorted(set(lanes[size])), set(lanes["seed"])
    reach = f"{size} {sizes[0]}..{sizes[-1]}, {len(seeds)} seeds"
    lost = sum(lanes["status"] != RunStatus.OK)
    if lost:
        return "cannot tell", f"{lost} runs diverged ({reach})"
    power = analysis.trend(lanes, curves, curve=column, size=size)
    said = "" if power.slope is None else (
        f"{size}^{power.slope:+.2f} [{power.low:+.2f}, {power.high:+.2f}]"
    )  # fmt: skip
    if expected in TRENDS or not expected:
        return str(power.answer), f"{said} ({reach})"
    found = analysis.collapse(lanes, curves, size=size, curve=column)
    apart = ", ".join(
        f"{each.D:.3f} at {each.size:g}"
        for each in found.deviations
        if each.D is not None
    )
    return str(found.verdict), f"D {apart}; {said} ({reach})"


def _quick(spec: sweep.SweepSpec) -> sweep.SweepSpec:
    settings = replace(spec.settings, steps=min(20, spec.settings.steps), log_every=2)
    shapes = tuple(sorted(spec.shapes)[:3])
    return replace(spec, shapes=shapes, seeds=spec.seeds[:2], settings=settings)


def _short_keys(table: pd.DataFrame) -> pd.DataFrame:
    return table.assign(lane=[str(key)[:KEY] for key in table["lane"]])


def _rounded(curves: pd.DataFrame) -> pd.DataFrame:
    short = curves.copy()
    for name in short.select_dtypes("floating"):
        short[name] = [float(f"{x:.{DIGITS}g}") for x in short[name]]
    return short
