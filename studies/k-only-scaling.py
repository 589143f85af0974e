"""The best loss as K grows alone, with N, P and B fixed: a scaling law.

Hypothesis: at the best rate of each K the training loss follows E + A K^-a, and a law
fitted to K <= 256 forecasts K = 512 and 1024 within 5 %.

Confirms: both forecasts within 5 %, for ReLU with SGD and with Adam. The standard
parameterization, whose outputs grow with K, has no limit to approach: off.
"""

from pathlib import Path
from typing import Any

from scaletx import analysis, plots, sweep
from scaletx.study import Finding, Size, Study, Tables

WORDS = {"regime": "k-only", "n": 64, "seeds": 5}
STANDARD = {"parameterization": "sp"}
ARMS = {
    "sgd": ("within 5 %", {"optimizer": "sgd", "eta0": "0.0625:8:15"}),
    "adam": ("within 5 %", {"optimizer": "adam", "eta0": "0.015625:2:15"}),
    "standard-sgd": (
        "off",
        {"optimizer": "sgd", "eta0": "0.00048828125:1:23"} | STANDARD,
    ),
    "standard-adam": (
        "off",
        {"optimizer": "adam", "eta0": "0.00048828125:0.25:19"} | STANDARD,
    ),
}
COLUMNS = ["K", "eta0", "seed", "status", "train_mse"]
CLOSE = 0.05


def measure(folder: Path, size: Size, report: Any) -> Tables:
    """Sweep K from 32 to 1024, or a few small ones."""
    quick = {"k": "8,16,24,32,48,64", "n": 16, "steps": 10, "seeds": 2}
    words = WORDS | (quick if size is Size.QUICK else {"k": "32,64,128,256,512,1024"})
    tables = {}
    for arm, (_, rest) in ARMS.items():
        lanes = sweep.run(sweep.spec(**words, **rest), folder / arm, report=report)
        tables[arm] = lanes[COLUMNS]
    return tables


def _fit(tables: Tables, arm: str) -> Any:
    return analysis.fit_table(tables[arm], x="K", y="train_mse", lr="eta0", holdout=2)


def judge(tables: Tables) -> list[Finding]:
    """Compare the forecasts with what was measured."""
    findings = []
    for arm, (expected, _) in ARMS.items():
        fit = _fit(tables, arm)
        known = [held for held in fit.held_out if held.error is not None]
        word = "cannot tell"
        if len(known) == 2:
            close = all(abs(held.error) <= CLOSE for held in known)
            word = "within 5 %" if close else "off"
        said = ", ".join(f"{h.error:+.1%} at K {h.forecast.x:g}" for h in known)
        a, interval = fit.params["a"], fit.intervals.get("a", (None, None))
        law = "no exponent" if a is None else f"a = {a:.2f}"
        if interval[0] is not None:
            law += f" [{interval[0]:.2f}, {interval[1]:.2f}]"
        evidence = f"forecast {said}; {law}; fit {fit.status}"
        name = f"relu {arm.replace('-', ' ')}"
        findings.append(Finding(name, expected, word, evidence))
    return findings


def draw(tables: Tables) -> Any:
    """Draw the law of SGD with its forecast."""
    return plots.power_law(_fit(tables, "sgd")).figure


STUDY = Study(
    claim="With N, P and B fixed the best loss follows a power law with offset in K, "
    "whose forecasts from K <= 256 hold at 512 and 1024.",
    source="the sizes of arXiv 2605.10164, figure 16; the law is beyond the paper",
    measure=measure,
    judge=judge,
    draw=draw,
    opposite={"within 5 %": "off", "off": "within 5 %"},
)
