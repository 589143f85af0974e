"""Does the drop of K_eff go with SGD's divergence, in softmax models?

Hypothesis: SGD amplifies the rows of W that softmax selects, so softmax localises on
ever fewer units, and that is where training diverges (the paper's). Then runs that
diverge have dropped to a smaller K_eff/K before their end than runs that do not.

Measured: over rates, sizes and seeds, the smallest K_eff/K of each run while it was
finite, and the chance that a run that diverged has the smaller one of a pair (the area
under the ROC curve).

Confirms: a chance of .9 or more, with its interval above .75; refutes: the interval
below .75. The interval resamples seeds.
"""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from scaletx import analysis, sweep
from scaletx._types import RunStatus
from scaletx.plots.canvas import blank, shades
from scaletx.study import Finding, Size, Study, Tables

WORDS = {
    "optimizer": "sgd",
    "activation": "softmax",
    "allow_no_rule": True,
    "seeds": 5,
    "n": "32,64,128,256",
    "diagnostics": "localization",
    "log_every": 1,
}
ARMS = {
    "centered": {"eta0": "0.03125:2:13"},
    "uncentered": {"eta0": "0.00390625:0.5:15", "centered": False},
    "standard": {"eta0": "0.5:32:13", "parameterization": "sp"},
}
CHANCE, LEAST, DRAWS = 0.9, 0.75, 1000


def measure(folder: Path, size: Size, report: Any) -> Tables:
    """Sweep rates up to divergence; keep each run's smallest K_eff/K."""
    quick = {"n": "8,16,32", "steps": 10, "seeds": 2}
    words = WORDS | (quick if size is Size.QUICK else {})
    tables = {}
    for arm, rest in ARMS.items():
        lanes = sweep.run(sweep.spec(**words, **rest), folder / arm, report=report)
        curves = analysis.read(folder / arm).curves
        least = curves.groupby("lane")["K_eff"].min().rename("least_K_eff")
        start = curves[curves["step"] == 0].set_index("lane")["K_eff"]
        kept = lanes[["N", "K", "eta0", "seed", "status", "first_bad_step", "lane"]]
        kept = kept.join(least, on="lane").join(start.rename("first_K_eff"), on="lane")
        tables[arm] = kept.drop(columns="lane").round({"least_K_eff": 6})
    return tables


def chance(table: pd.DataFrame) -> float:
    """Of a diverged and another run at random, that the diverged has less K_eff."""
    gone = table["status"] == RunStatus.DIVERGED
    a, b = table["least_K_eff"][gone], table["least_K_eff"][~gone]
    if not len(a) or not len(b):
        return np.nan
    less = np.subtract.outer(a.to_numpy(), b.to_numpy())
    return float(np.mean((less < 0) + 0.5 * (less == 0)))


def judge(tables: Tables) -> list[Finding]:
    """Compare the chances with what was fixed beforehand."""
    findings = []
    for arm in ARMS:
        table = tables[arm]
        seeds = sorted(set(table["seed"]))
        of_seed = [table[table["seed"] == seed] for seed in seeds]
        rng = np.random.default_rng(0)
        draws = [
            chance(pd.concat([of_seed[i] for i in rng.integers(len(seeds), size=5)]))
            for _ in range(DRAWS)
        ]
        found = chance(table)
        low, high = np.nanquantile(draws, [0.025, 0.975])
        word = "cannot tell"
        if found >= CHANCE and low > LEAST:
            word = "goes with it"
        elif high < LEAST:
            word = "does not"
        gone = table["status"] == RunStatus.DIVERGED
        least = [table["least_K_eff"][of].median() for of in (gone, ~gone)]
        said = (
            f"chance {found:.2f} [{low:.2f}, {high:.2f}]; {gone.sum()} of {len(table)} "
            f"runs diverged; K_eff/K starts at {table['first_K_eff'].mean():.2f}, its "
            f"least is {least[0]:.2f} (median) where diverged, {least[1]:.2f} elsewhere"
        )
        expected = "" if arm == "standard" else "goes with it"
        findings.append(Finding(arm, expected, word, said))
    return findings


def draw(tables: Tables) -> Any:
    """Draw the smallest K_eff/K of every run against its rate."""
    figure, axes = blank(len(ARMS))
    for ax, arm in zip(axes, ARMS, strict=True):
        sizes = sorted(set(tables[arm]["N"]))
        colors = shades(len(sizes))
        for i, (at, table) in enumerate(tables[arm].groupby("N")):
            for gone, marker in ((False, "o"), (True, "x")):
                of = table[(table["status"] == RunStatus.DIVERGED) == gone]
                label = f"N = {at}, {'diverged' if gone else 'trained'}"
                ax.plot(
                    of["eta0"] * 2 ** (0.08 * (i - len(sizes) / 2)),
                    of["least_K_eff"],
                    marker,
                    color=colors[i],
                    markersize=4,
                    fillstyle="none",
                    label=label,
                )
        ax.set_xscale("log")
        ax.set_ylim(-0.04, 1)
        ax.set_xlabel("eta0")
        ax.set_ylabel("smallest $K_{eff}/K$ of the run")
        ax.set_title(arm, loc="left", fontsize="medium")
        ax.spines[["top", "right"]].set_visible(False)
    axes[-1].legend(
        loc="upper left", bbox_to_anchor=(1.05, 1), frameon=False, fontsize="small"
    )
    return figure


STUDY = Study(
    claim="In softmax models the drop of K_eff goes with SGD's divergence.",
    source="arXiv 2605.10164, figure 15 (top), app. H.3 and H.4",
    measure=measure,
    judge=judge,
    draw=draw,
    opposite={"goes with it": "does not"},
)
