"""A study made of sweeps: arms that differ in a few words, each with a prediction."""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from scaletx import analysis, plots, sweep
from scaletx.analysis import Deviation, Verdict
from scaletx.study.study import Finding, Size, Study, Tables

LANES = ["N", "K", "P", "B", "eta0", "seed", "status", "train_mse", "test_mse", "lane"]
KEY = 12
"""Digits of a lane's key in the small tables."""


class Arm(NamedTuple):
    """One sweep of a study.

    Attributes:
        expect: The verdict that the claim predicts: transfers or drifts.
        words: The words of the sweep, besides those that all arms share.
        curves: What the claim predicts for the training curves, collapses or fails;
            None if it says nothing of them.
    """

    expect: str
    words: Mapping[str, Any]
    curves: str | None = None


def sweep_study(
    *,
    claim: str,
    source: str,
    arms: Mapping[str, Arm],
    common: Mapping[str, Any],
    size: str = "N",
) -> Study:
    """Build a study that judges for each arm whether the learning rate transfers.

    The quick size takes the three smallest shapes, two seeds, every other rate and few
    steps: it shows that everything runs, and decides nothing.

    Args:
        claim: The claim, one sentence.
        source: Where it is made.
        arms: The sweeps by name.
        common: Words that all arms share.
        size: The size that grows.

    Returns:
        The study; its tables are one a sweep, named after the arm.
    """

    def measure(folder: Path, scale: Size, report: Callable[[Any], None]) -> Tables:
        tables = {}
        for name, arm in arms.items():
            spec = sweep.spec(**common, **arm.words)
            chosen = _quick(spec) if scale is Size.QUICK else spec
            lanes = sweep.run(chosen, folder / file_name(name), report=report)
            lanes["lane"] = lanes["lane"].str[:KEY]
            tables[file_name(name)] = lanes[LANES]
            if arm.curves:
                curves = analysis.read(folder / file_name(name)).curves
                tables[f"{file_name(name)}.curves"] = _carried(lanes, curves, size)
        return tables

    def verdicts(tables: Tables) -> dict[str, Verdict]:
        return {n: analysis.verdict(tables[file_name(n)], size=size) for n in arms}

    def judge(tables: Tables) -> list[Finding]:
        findings = []
        for name, v in verdicts(tables).items():
            arm, table = arms[name], tables[file_name(name)]
            said = evidence(v, table)
            findings.append(Finding(name, arm.expect, str(v.verdict), said))
            if arm.curves:
                curves = tables[f"{file_name(name)}.curves"]
                found = analysis.collapse(table, curves, size=size)
                said = "; ".join(
                    _deviation(each, size)
                    for each in found.deviations
                    if each.size != found.reference
                )
                if found.reference is not None:
                    said += f"; against {size} {found.reference:g}"
                word = str(found.verdict)
                findings.append(Finding(f"{name}: curves", arm.curves, word, said))
        return findings

    def draw(tables: Tables) -> Any:
        judged = verdicts(tables)
        return plots.figure(list(judged.values()), titles=list(judged))

    return Study(claim=claim, source=source, measure=measure, judge=judge, draw=draw)


def file_name(name: str) -> str:
    """Name the table of an arm: letters, digits and hyphens."""
    return "-".join(re.findall(r"[A-Za-z0-9]+", name))


def _quick(spec: sweep.SweepSpec) -> sweep.SweepSpec:
    return replace(
        spec,
        shapes=tuple(sorted(spec.shapes)[:3]),
        grid=tuple(axis[::2] for axis in spec.grid),
        seeds=spec.seeds[:2],
        settings=replace(spec.settings, steps=min(10, spec.settings.steps)),
    )


def _carried(lanes: pd.DataFrame, curves: pd.DataFrame, size: str) -> pd.DataFrame:
    """The curves at the rate that a user would carry over."""
    curves = curves.assign(lane=curves["lane"].str[:KEY])
    rate = analysis.collapse(lanes, curves, size=size).rate
    at = np.isclose(lanes["eta0"], np.nan if rate is None else rate, rtol=1e-8)
    chosen = set(lanes["lane"][at])
    mine = np.array([lane in chosen for lane in curves["lane"]])
    mine &= np.isfinite(curves["batch_loss"].to_numpy(float))
    return pd.DataFrame(curves.loc[mine, ["lane", "step", "batch_loss"]])


def _deviation(found: Deviation, size: str) -> str:
    if found.D is None:
        word = "no reference" if found.status == "ok" else found.status
        return f"{size} {found.size:g}: {word}"
    return (
        f"D {found.D:.3f} [{found.low:.3f}, {found.high:.3f}] at {size} {found.size:g}"
    )


def evidence(v: Verdict, table: pd.DataFrame) -> str:
    """Say a verdict's numbers in one line."""
    sizes = sorted(table[v.size].unique())
    reach = f"{v.size} {sizes[0]}..{sizes[-1]}, {table['seed'].nunique()} seeds"
    slope, low, high = v.drift
    if slope is None or low is None or high is None:
        return f"slope unknown ({reach})"
    carried = [r for r in v.regret if r.start == sizes[0] and r.end == sizes[-1]]
    cost = "unknown"
    if carried:
        r = carried[0]
        cost = r.status if r.relative is None else f"{100 * r.relative:.1f} %"
    return (
        f"slope {slope:+.2f} [{low:+.2f}, {high:+.2f}]; rate of {sizes[0]} at "
        f"{sizes[-1]} costs {cost} ({reach})"
    )
