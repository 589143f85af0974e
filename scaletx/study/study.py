"""A study: a claim, what is measured for it, and how that is judged and drawn."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

Tables = Mapping[str, pd.DataFrame]
"""Small tables by the name of their file: all that judging and drawing read."""


class Outcome(StrEnum):
    """What the evidence says about a claim."""

    CONFIRMED = "confirmed"
    REFUTED = "refuted"
    CANNOT_TELL = "cannot tell"


class Size(StrEnum):
    """How much is computed: seconds for a test, or what the claim needs."""

    QUICK = "quick"
    FULL = "full"


class Finding(NamedTuple):
    """One line of evidence.

    Attributes:
        name: What was measured, such as an arm of the study.
        expected: The word that the claim predicts; empty for what is shown beside.
        found: The word that the data gave.
        evidence: The numbers behind it, in one line.
    """

    name: str
    expected: str
    found: str
    evidence: str


@dataclass(frozen=True, kw_only=True)
class Study:
    """A claim that anyone can test again.

    `measure` computes and stores; `judge` and `draw` read its small tables only, so
    that verdicts and figures are rebuilt in seconds without training.

    Attributes:
        claim: The claim, one sentence.
        source: Where it is made.
        measure: `(folder, size, report)` -> tables; resumes what `folder` holds.
        judge: Tables -> findings.
        draw: Tables -> a figure.
        opposite: Pairs of words that exclude each other: a finding that is the opposite
            of what was expected refutes the claim.
    """

    claim: str
    source: str
    measure: Callable[[Path, Size, Callable[[Any], None]], Tables]
    judge: Callable[[Tables], list[Finding]]
    draw: Callable[[Tables], Any]
    opposite: Mapping[str, str] = field(
        default_factory=lambda: {
            "transfers": "drifts",
            "drifts": "transfers",
            "collapses": "fails",
            "fails": "collapses",
        }
    )

    def outcome(self, findings: list[Finding]) -> Outcome:
        """Confirmed if all is as expected, refuted if anything is the opposite."""
        findings = [f for f in findings if f.expected]
        if any(f.found == self.opposite.get(f.expected) for f in findings):
            return Outcome.REFUTED
        if all(f.found == f.expected for f in findings):
            return Outcome.CONFIRMED
        return Outcome.CANNOT_TELL
