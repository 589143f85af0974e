"""Why the data-aware rate overshoots on data whose spectrum is not steep.

Dividing SGD's rate by lambda_max of all inputs leaves the best rate growing with N on
power-law data and CIFAR images (studies power-law-data and cifar). Hypothesis: a step
meets the second moment of its batch, whose largest eigenvalue exceeds that of all
samples by about tr/B, a constant in the proportional regime; the smaller lambda_max,
the more that counts. Then a rate divided by the mean lambda_max of batches does not
move.

Dividing by a number of each size only names rates anew, so the plain table's sweep is
read again with eta0 lambda_max in place of eta0, for lambda_max of all inputs and of
batches. Confirms: the slope of log2 best eta0 lambda_max by log2 N of batches inside
the margin .15 with its interval, on all data.
"""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from scaletx import analysis, plots, sweep
from scaletx.data import lambda_max
from scaletx.parameterization import Sizes
from scaletx.study import Finding, Size, Study, Tables
from scaletx.study.sweep_study import file_name
from scaletx.training.denseam import lane_inputs

ARMS = {
    "power law": {
        "data": "power-law:1",
        "n": "32,64,128,256",
        "eta0": "0.002:0.256:15",
    },
    "CIFAR-10": {
        "data": "cifar10:local/cifar10",
        "n": "16,64,256",
        "eta0": "0.001:0.256:17",
    },
    "photo patches": {
        "data": "patches",
        "n": "36,64,144,256",
        "eta0": "0.001:0.064:13",
    },
}
KINDS = ("all", "batch")
BATCHES, MARGIN = 10, 0.15


def measure(folder: Path, size: Size, report: Any) -> Tables:
    """Sweep the plain table, and measure the eigenvalues of each size."""
    tables = {}
    for arm, words in ARMS.items():
        quick = {}
        if size is Size.QUICK:
            n = ",".join(words["n"].split(",")[:2])
            quick = {"n": n, "steps": 10, "seeds": 2}
        spec = sweep.spec(**{"optimizer": "sgd", "seeds": 5} | words | quick)
        lanes = sweep.run(spec, folder / file_name(arm), report=report)
        rows = [
            (*shape[:1], *_eigenvalues(Sizes(*shape), seed, spec.settings))
            for shape in spec.shapes
            for seed in spec.seeds
        ]
        found = pd.DataFrame(rows, columns=["N", *KINDS]).groupby("N").mean().round(4)
        kept = lanes[["N", "eta0", "seed", "status", "train_mse"]]
        tables[file_name(arm)] = kept.join(found, on="N")
    return tables


def _eigenvalues(sizes: Sizes, seed: int, settings: Any) -> tuple[float, float]:
    inputs = lane_inputs(sizes, seed, settings)
    g = np.tanh(inputs.samples[0])
    batches = [lambda_max(g[i]) for i in inputs.order[:BATCHES]]
    return lambda_max(g), float(np.mean(batches))


def _verdict(table: pd.DataFrame, kind: str) -> analysis.Verdict:
    renamed = table.assign(eta0=table["eta0"] * table[kind]).drop(columns=list(KINDS))
    return analysis.verdict(renamed, size="N", lr="eta0", loss="train_mse")


def judge(tables: Tables) -> list[Finding]:
    """Judge the slopes alone: the grids of renamed rates differ from size to size."""
    findings = []
    for arm in ARMS:
        table = tables[file_name(arm)]
        for kind in KINDS:
            slope, low, high = _verdict(table, kind).drift
            word, said = "cannot tell", "slope unknown"
            if slope is not None and low is not None and high is not None:
                inside = -MARGIN <= low and high <= MARGIN
                outside = low > MARGIN or high < -MARGIN
                word = "stays" if inside else "moves" if outside else word
                said = f"slope {slope:+.2f} [{low:+.2f}, {high:+.2f}]"
            values = table.groupby("N")[kind].first()
            said += "; lambda_max " + ", ".join(f"{v:.2f}" for v in values)
            expected = "stays" if kind == "batch" else ""
            findings.append(Finding(f"{arm}: {kind}", expected, word, said))
    return findings


def draw(tables: Tables) -> Any:
    """Draw losses against the rate times lambda_max, of all and of batches."""
    verdicts, titles = [], []
    for arm in ARMS:
        for kind in KINDS:
            verdicts.append(_verdict(tables[file_name(arm)], kind))
            titles.append(f"{arm}: eta0 lambda_max, {kind}")
    return plots.figure(verdicts, titles=titles)


STUDY = Study(
    claim="A rate divided by lambda_max of batches transfers where one divided by that "
    "of all inputs overshoots.",
    source="beyond the paper",
    measure=measure,
    judge=judge,
    draw=draw,
    opposite={"stays": "moves"},
)
