"""What a law says beyond its data, and beside data that it was not fitted to."""

from typing import Any, NamedTuple


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
