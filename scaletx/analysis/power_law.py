"""The power law with offset: y = E + A x^-a, with intervals and forecasts."""

import html
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from jaxtyping import Float

from scaletx import _checks
from scaletx._text import aligned
from scaletx.analysis.columns import numbers
from scaletx.analysis.fitted import Fitted, fit
from scaletx.analysis.fitting import FitStatus, LossName
from scaletx.analysis.forecast import FAR, Forecast, HeldOut, interval, number, printed
from scaletx.analysis.laws import POWER_LAW, Robust
from scaletx.analysis.options import listed


@dataclass(frozen=True, kw_only=True)
class PowerLawFit:
    """The fit of y = E + A x^-a.

    Attributes:
        status: `converged`, `bound_hit`, `starts_disagree` or `degenerate`.
        params: E, A and a at full precision; None where not determined.
        intervals: Their 95 % intervals; None where unknown.
        objective: Sum of the loss of log residuals; None without an estimate.
        n: Rows fitted.
        dropped: Names of rows that were left out before, and why.
        settings: What the fit was asked.
        reasons: Sentences: what the status means here.
        held_out: Forecasts at the largest x, which were not fitted.
        x: Of the rows fitted.
        y: Of the rows fitted.
        x_name: What x is.
        y_name: What y is.
    """

    status: FitStatus
    params: dict[str, float | None]
    intervals: dict[str, tuple[float | None, float | None]]
    objective: float | None
    n: int
    dropped: tuple[str, ...]
    settings: dict[str, Any]
    reasons: tuple[str, ...]
    held_out: tuple[HeldOut, ...]
    x: Float[np.ndarray, " n"] = field(repr=False, compare=False)
    y: Float[np.ndarray, " n"] = field(repr=False, compare=False)
    x_name: str = "x"
    y_name: str = "y"
    _fitted: Fitted = field(repr=False, compare=False)

    def forecast(self, x: float) -> Forecast:
        """Evaluate the law from the stored values, with an interval.

        Raises:
            ValueError: If x is not above 0.
        """
        at = _checks.number("x", x, above=0)
        far = at > FAR * self.x.max() or at < self.x.min() / FAR
        found = self._fitted
        if found.values is None:
            return Forecast(at, None, None, None, bool(far))
        point = np.array([[at]])
        y = _known(float(POWER_LAW.evaluate(found.values, point)[0]))
        low, high = _ends(found.interval(POWER_LAW.evaluate(found.draws, point)[:, 0]))
        return Forecast(at, y, low, high, bool(far))

    def to_dict(self) -> dict[str, Any]:
        """Return strictly valid JSON: null, never NaN, where a value is unknown."""
        return {
            "law": POWER_LAW.name,
            "status": self.status.value,
            "params": dict(self.params),
            "intervals": {name: list(ends) for name, ends in self.intervals.items()},
            "objective": self.objective,
            "n": self.n,
            "dropped": list(self.dropped),
            "settings": dict(self.settings),
            "held_out": [each.to_dict() for each in self.held_out],
            "reasons": list(self.reasons),
        }

    def __str__(self) -> str:
        rows = [("", "estimate", "interval")]
        rows += [
            (name, number(value), interval(*self.intervals[name]))
            for name, value in self.params.items()
        ]
        title = (
            f"{self.status}: {self.y_name} = E + A {self.x_name}^-a, {self.n} rows, "
            f"{self.settings['clusters']} clusters"
        )
        lines = [title, aligned(rows)]
        if self.held_out:
            lines.append(printed(self.held_out, self.x_name))
        if self.dropped:
            lines.append(f"Left out: {listed(self.dropped, '; ')}.")
        return "\n".join([*lines, *self.reasons])

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"


def fit_power_law(
    x: Any,
    y: Any,
    *,
    groups: Sequence[Any] | np.ndarray | None = None,
    loss: str = LossName.HUBER,
    delta: float = 1e-3,
    holdout: int = 0,
    replicates: int = 500,
    names: Sequence[str] | None = None,
    dropped: Sequence[str] = (),
    x_name: str = "x",
    y_name: str = "y",
) -> PowerLawFit:
    r"""Fit $y = E + A\, x^{-a}$ with $E \ge 0$, $A > 0$, $a > 0$.

    Minimises $\sum_i \mathrm{Huber}_\delta(\log \hat y_i - \log y_i)$ in float64 from
    16 starts, on data without units, so that scaling x or y by any factor leaves the
    exponent as it is. Intervals refit the law to resampled clusters: percentiles,
    expanded for few clusters.

    Rows are whole runs. If several rows come from one run, as checkpoints do, name the
    run as group: resampling checkpoints as if they were runs gives intervals far too
    narrow.

    - `converged`: at least two starts end at the best place, within all bounds.
    - `bound_hit`: a parameter lies on a bound; `E = 0` says that no floor is seen.
    - `starts_disagree`: one start alone is best, or equally good ones differ.
    - `degenerate`: fewer than four distinct x (three give the exact curve through
      them, without intervals; fewer give no estimate), or y does not vary.

    Args:
        x: Sizes, `(n,)`, above 0, in any unit.
        y: Losses, `(n,)`, above 0, in any unit.
        groups: Cluster of each row (a seed, a size); None: each row is one.
        loss: `huber` or `square`.
        delta: Bend of the Huber loss, in log y.
        holdout: How many of the largest distinct x to leave out and forecast.
        replicates: Resamples for the intervals; 0 for none.
        names: What to call each row in an error.
        dropped: Rows that were left out before, to be kept with the fit.
        x_name: What x is.
        y_name: What y is.

    Returns:
        The fit.

    Raises:
        ValueError: If an argument is out of range, or a row is not two finite numbers
            above 0: all such rows are named.

    Example:
        >>> x = np.array([64.0, 128, 256, 512, 1024])
        >>> found = fit_power_law(x, 0.5 + 8 / x, replicates=0)
        >>> found.status.value, round(found.params["a"], 8)
        ('converged', 1.0)

    References:
        Hoffmann et al., "Training Compute-Optimal Large Language Models",
        arXiv:2203.15556, section 3.3; Besiroglu et al., "Chinchilla Scaling: A
        Replication Attempt", arXiv:2404.10102.
    """
    word = _checks.word("loss", loss, LossName)
    delta = _checks.number("delta", delta, above=0)
    holdout = _checks.integer("holdout", holdout, least=0)
    replicates = _checks.integer("replicates", replicates, least=0)
    u, v = numbers(x, x_name), numbers(y, y_name)
    _refuse_bad(u, v, names)
    if groups is not None and len(groups) != len(u):
        raise ValueError(
            f"fit_power_law got {len(groups)} groups for {len(u)} rows: give each row "
            "its own, or none."
        )
    distinct: np.ndarray = np.unique(u)
    if holdout >= len(distinct):
        raise ValueError(
            f"holdout={holdout} leaves nothing to fit: there are {len(distinct)} "
            "distinct x."
        )
    kept = np.isin(u, distinct[: len(distinct) - holdout])
    labels = np.arange(len(u)) if groups is None else np.asarray(groups).astype(str)
    _, cluster = np.unique(labels[kept], return_inverse=True)
    robust = Robust(delta) if word is LossName.HUBER else Robust()
    found = fit(
        POWER_LAW,
        u[kept][:, None],
        v[kept],
        cluster,
        loss=robust,
        replicates=replicates,
    )
    ends = found.interval(found.draws)
    made = PowerLawFit(
        status=found.status,
        params=_named(found.values),
        intervals={
            name: _ends(None if ends is None else ends[:, i])
            for i, name in enumerate(POWER_LAW.parameters)
        },
        objective=found.objective,
        n=int(kept.sum()),
        dropped=tuple(dropped),
        settings={
            "loss": word.value,
            "delta": delta if word is LossName.HUBER else None,
            "holdout": holdout,
            "clusters": found.clusters,
            "replicates": replicates,
            "failed_replicates": found.failed,
        },
        reasons=found.reasons,
        held_out=(),
        x=u[kept],
        y=v[kept],
        x_name=x_name,
        y_name=y_name,
        _fitted=found,
    )
    tested = tuple(_held(made, at, v[u == at]) for at in np.unique(u[~kept]))
    return replace(made, held_out=tested)


def _refuse_bad(
    x: Float[np.ndarray, " n"],
    y: Float[np.ndarray, " n"],
    names: Sequence[str] | None,
) -> None:
    if x.ndim != 1 or x.shape != y.shape or not len(x):
        raise ValueError(
            f"fit_power_law got x of shape {x.shape} and y of shape {y.shape}: "
            "expected one number each a row, and a row at least."
        )
    good = np.isfinite(x) & np.isfinite(y) & (x > 0) & (y > 0)
    bad = [
        f"{names[i] if names is not None else f'row {i}'} (x = {x[i]:g}, y = {y[i]:g})"
        for i in np.flatnonzero(~good).tolist()
    ]
    if bad:
        raise ValueError(
            f"{len(bad)} of {len(x)} rows cannot be fitted: {listed(bad)}. A power law "
            "needs finite x and y above 0: leave these rows out."
        )


def _held(made: PowerLawFit, x: float, y: Float[np.ndarray, " rows"]) -> HeldOut:
    forecast, measured = made.forecast(x), float(np.exp(np.log(y).mean()))
    error = None if forecast.y is None else forecast.y / measured - 1
    return HeldOut(forecast, measured, len(y), error)


def _named(values: Float[np.ndarray, " parameters"] | None) -> dict[str, float | None]:
    """Name the parameters; None where one is unknown or exceeds a float."""
    given = np.full(len(POWER_LAW.parameters), np.nan) if values is None else values
    numbers = [_known(value) for value in given.tolist()]
    return dict(zip(POWER_LAW.parameters, numbers, strict=True))


def _known(value: float) -> float | None:
    return value if np.isfinite(value) else None


def _ends(
    interval: Float[np.ndarray, "2"] | None,
) -> tuple[float | None, float | None]:
    return (
        (None, None)
        if interval is None
        else (_known(float(interval[0])), _known(float(interval[1])))
    )
