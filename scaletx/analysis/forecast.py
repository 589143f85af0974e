"""What a law says beyond its data, and beside data that it was not fitted to."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from scaletx._text import aligned
from scaletx.analysis.options import listed

FAR = 10.0
"""A forecast further beyond the data than this factor is flagged."""


class Forecast(NamedTuple):
    """What a law says at an x.

    Attributes:
        x: Where.
        y: The law's value; None without an estimate.
        low: Lower end of its 95 % interval: of the law, not of one further run.
        high: Upper end.
        far: Whether x lies more than ten times beyond the data.
    """

    x: float
    y: float | None
    low: float | None
    high: float | None
    far: bool


class HeldOut(NamedTuple):
    """A forecast beside what was measured and not fitted.

    Attributes:
        forecast: The forecast.
        measured: Geometric mean of the measured y.
        rows: How many were measured.
        error: Forecast over measured, minus 1; None without a forecast.
    """

    forecast: Forecast
    measured: float
    rows: int
    error: float | None

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON, flat."""
        return self.forecast._asdict() | {
            "measured": self.measured,
            "rows": self.rows,
            "error": self.error,
        }


def printed(held_out: Sequence[HeldOut], x_name: str) -> str:
    """Write forecasts beside what was measured, one line each, and what far means."""
    head = (f"held out {x_name}", "forecast", "interval", "measured", "error")
    rows = [
        (
            listed([f.x]) + (" (far)" if f.far else ""),
            number(f.y),
            interval(f.low, f.high),
            number(each.measured),
            "" if each.error is None else f"{each.error:+.1%}",
        )
        for each in held_out
        for f in [each.forecast]
    ]
    far = any(each.forecast.far for each in held_out)
    said = f"\nfar: more than {FAR:g} times beyond the {x_name} fitted."
    return aligned([head, *rows]) + (said if far else "")


def number(value: float | None) -> str:
    """Write a number that may be unknown."""
    return "unknown" if value is None else f"{value:.4g}"


def interval(low: float | None, high: float | None) -> str:
    """Write an interval; nothing if it is unknown."""
    return "" if low is None or high is None else f"{low:.4g}..{high:.4g}"
