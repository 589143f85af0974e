"""Do activations and their updates keep their size as a model grows?"""

import html
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy import stats

from scaletx import _checks
from scaletx._text import aligned

LEAST_SIZES = 4
LEVEL = 0.95
COLUMNS = ("size", "seed", "step", "quantity", "rms")


class CheckAnswer(StrEnum):
    """What a coordinate check says. It never says that a rate transfers."""

    AS_EXPECTED = "as expected"
    OFF = "off"
    CANNOT_TELL = "cannot tell"


class Exponent(NamedTuple):
    """How a quantity grows with size at one step.

    Attributes:
        quantity: Its name; `Delta` marks the change since step 0.
        step: Steps done.
        expected: The declared exponent.
        overall: Slope of log rms against log size over all sizes.
        slope: The same at the largest size.
        low: Lower end of its 95 % interval.
        high: Upper end.
        answer: Whether that agrees with the declared exponent.
    """

    quantity: str
    step: int
    expected: float
    overall: float | None
    slope: float | None
    low: float | None
    high: float | None
    answer: CheckAnswer


@dataclass(frozen=True, kw_only=True)
class CoordinateCheck:
    """Measured against declared exponents.

    Attributes:
        answer: Off if any exponent is, as expected if all are.
        exponents: One for each quantity and step.
        margin: Bound of the difference from the declared exponent.
        reasons: Sentences that name what is off, or what would decide.
        table: size, seed, step, quantity, rms.
    """

    answer: CheckAnswer
    exponents: tuple[Exponent, ...]
    margin: float
    reasons: tuple[str, ...]
    table: pd.DataFrame = field(repr=False, compare=False)

    def to_dict(self) -> dict[str, Any]:
        """Return strictly valid JSON."""
        return {
            "answer": str(self.answer),
            "margin": self.margin,
            "exponents": [each._asdict() for each in self.exponents],
            "reasons": list(self.reasons),
        }

    def __str__(self) -> str:
        head = ("quantity", "step", "expected", "overall", "at the largest", "")
        rows = [
            (
                e.quantity,
                e.step,
                f"{e.expected:+g}",
                _said(e.overall),
                _said(e),
                e.answer,
            )
            for e in self.exponents
        ]
        lines = [f"coordinate check: {self.answer}; margin {self.margin:g}"]
        return "\n".join([*lines, aligned([head, *rows]), *self.reasons])

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"


def check_coordinates(
    table: pd.DataFrame,
    *,
    expected: Mapping[str, float] | None = None,
    margin: float = 0.2,
) -> CoordinateCheck:
    r"""Compare how quantities grow with size with how they should.

    For each quantity and step the logarithm of its root mean square over all sizes and
    seeds is fitted by

    $$\log_2 \mathrm{rms} = a + b\,(x - x_{\max}) + c\,(x - x_{\max})^2,\qquad
    x = \log_2 \mathrm{size},$$

    so that b is the exponent at the largest size, with Student's t interval. Correct
    prescriptions are not exactly flat at small sizes; what counts is where their slope
    goes. `as expected`: the interval lies within the margin of the declared exponent;
    `off`: it lies outside, or the quantity is zero or not finite at some size; else
    `cannot tell`.

    Args:
        table: Columns size, seed, step, quantity, rms.
        expected: Declared exponent by quantity; 0 for those left out.
        margin: Largest difference that passes, fixed before the data. A missing or
            doubled factor of N^1/2 is 0.5.

    Raises:
        ValueError: If a column is missing, or there are fewer than four sizes.
    """
    for name in COLUMNS:
        if name not in table:
            raise _checks.unknown("a column of the check", name, table.columns)
    margin = _checks.number("margin", margin, above=0)
    sizes = sorted(table["size"].unique())
    for size in sizes:
        _checks.number("size", float(size), above=0)
    if len(sizes) < LEAST_SIZES:
        raise ValueError(
            f"a coordinate check needs {LEAST_SIZES} sizes or more, got {len(sizes)}: "
            "add sizes, so that a trend can be told from a power."
        )
    expected = expected or {}
    quantities = sorted(set(map(str, table["quantity"])))
    for name in expected:
        if name not in quantities:
            raise _checks.unknown("expected", name, quantities)
    for (name, step), rows in table.groupby(["quantity", "step"]):  # type: ignore[misc]
        if len(set(rows["size"])) < len(sizes):
            raise ValueError(
                f"{name!r} at step {step} is missing at some sizes: every quantity "
                "needs a value at every size."
            )
    groups = table.groupby(["quantity", "step"], sort=False)
    found = tuple(
        _exponent(
            str(quantity), int(step), rows, expected.get(str(quantity), 0), margin
        )
        for (quantity, step), rows in groups  # type: ignore[misc]
        if not (str(quantity).startswith("Delta") and step == 0)
    )
    words = {each.answer for each in found}
    order = (CheckAnswer.OFF, CheckAnswer.CANNOT_TELL, CheckAnswer.AS_EXPECTED)
    answer = next(word for word in order if word in words)
    return CoordinateCheck(
        answer=answer,
        exponents=found,
        margin=margin,
        reasons=tuple(
            _reason(e) for e in found if e.answer is not CheckAnswer.AS_EXPECTED
        ),
        table=table,
    )


def _exponent(
    quantity: str, step: int, rows: pd.DataFrame, expected: float, margin: float
) -> Exponent:
    rms = rows["rms"].to_numpy(float)
    if not (np.isfinite(rms) & (rms > 0)).all():
        nothing = (None, None, None, None)
        return Exponent(quantity, step, expected, *nothing, CheckAnswer.OFF)
    x, y = np.log2(rows["size"].to_numpy(float)), np.log2(rms)
    x = x - x.max()
    overall = float(np.polyfit(x, y, 1)[0])
    design = np.stack([np.ones_like(x), x, x**2], axis=1)
    inverse = np.linalg.inv(design.T @ design)
    fit = inverse @ design.T @ y
    freedom = max(len(y) - 3, 1)
    scatter = float(((y - design @ fit) ** 2).sum()) / freedom
    half = float(
        stats.t.ppf((1 + LEVEL) / 2, freedom) * np.sqrt(scatter * inverse[1, 1])
    )
    low, high = float(fit[1]) - half, float(fit[1]) + half
    answer = CheckAnswer.CANNOT_TELL
    if expected - margin <= low and high <= expected + margin:
        answer = CheckAnswer.AS_EXPECTED
    elif low > expected + margin or high < expected - margin:
        answer = CheckAnswer.OFF
    return Exponent(quantity, step, expected, overall, float(fit[1]), low, high, answer)


def _said(value: Exponent | float | None) -> str:
    if isinstance(value, Exponent):
        if value.slope is None:
            return "none"
        return f"{value.slope:+.2f} [{value.low:+.2f}, {value.high:+.2f}]"
    return "none" if value is None else f"{value:+.2f}"


def _reason(e: Exponent) -> str:
    where = f"{e.quantity} at step {e.step}"
    if e.slope is None:
        return f"{where} is zero or not finite at some size."
    if e.answer is CheckAnswer.OFF:
        return (
            f"{where} grows as size^{e.slope:.2f} at the largest size, "
            f"declared {e.expected:g}: a factor is missing or wrong."
        )
    return (
        f"{where}: the interval [{e.low:+.2f}, {e.high:+.2f}] reaches across the "
        "margin: larger sizes or more seeds would decide."
    )
