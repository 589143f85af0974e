"""Studies: claims that anyone can test again."""

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
    "claims",
    "conclude",
    "find",
    "run",
    "sweep_study",
]
