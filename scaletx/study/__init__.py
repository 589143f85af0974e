"""Studies: claims that anyone can test again."""

from scaletx.study.curve_study import Watch, curve_study
from scaletx.study.runner import Found, Result, claims, conclude, find, run
from scaletx.study.study import Finding, Outcome, Size, Study, Tables
from scaletx.study.sweep_study import Arm, sweep_study

__all__ = [
    "Arm",
    "Finding",
    "Found",
    "Outcome",
    "Result",
    "Size",
    "Study",
    "Tables",
    "Watch",
    "claims",
    "conclude",
    "curve_study",
    "find",
    "run",
    "sweep_study",
]
