"""Fit a law with intervals: the one core of all laws of an offset and powers."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int
from scipy import stats

from scaletx.analysis.descent import descend
from scaletx.analysis.drift import LEVEL
from scaletx.analysis.fitting import FitStatus, at_bounds, solve
from scaletx.analysis.laws import Law, Robust, Scaled

LEAST_USABLE = 0.5
"""Intervals need at least this share of the replicates."""


class Fitted(NamedTuple):
    """A law's estimate, its replicates, and how far to trust them.

    Attributes:
        status: How far the estimate can be trusted.
        values: The law's parameters at full precision; None if not determined.
        objective: Sum of the loss over rows; None without values.
        draws: One row of parameters a usable replicate.
        clusters: How many clusters were resampled.
        failed: Replicates that left too few distinct points to fit.
        reasons: Sentences: what the status means here.
    """

    status: FitStatus
    values: Float[np.ndarray, " parameters"] | None
    objective: float | None
    draws: Float[np.ndarray, "replicates parameters"]
    clusters: int
    failed: int
    reasons: tuple[str, ...]

    def interval(
        self, draws: Float[np.ndarray, "replicates ..."]
    ) -> Float[np.ndarray, "2 ..."] | None:
        """Return the 95 % interval of what replicates give; None if too few.

        Percentiles at levels expanded for few clusters, as Student's t would
        (Hesterberg, "What Teachers Should Know About the Bootstrap", The American
        Statistician 69, 2015): plain percentiles of n clusters are too narrow by about
        sqrt((n - 1)/n), and by the normal quantile instead of t's. Planted power laws
        (6 sizes by 5 seeds, rows or 5 seeds as clusters) are covered in 97 to 100 %.
        """
        done, n = len(self.draws), self.clusters
        if not done or done < LEAST_USABLE * (done + self.failed):
            return None
        reach = np.sqrt(n / (n - 1)) * stats.t.ppf((1 + LEVEL) / 2, n - 1)
        tail = stats.norm.sf(reach)
        return np.quantile(draws, [tail, 1 - tail], axis=0)


def fit(
    law: Law,
    x: Float[np.ndarray, "n terms"],
    y: Float[np.ndarray, " n"],
    cluster: Int[np.ndarray, " n"],
    *,
    loss: Robust,
    replicates: int,
) -> Fitted:
    """Fit a law, and refit it to resampled clusters.

    Args:
        law: Which.
        x: Above 0, one column a term.
        y: Above 0.
        cluster: Number of each row's cluster, from 0.
        loss: Of a log residual.
        replicates: How many resamples.

    Returns:
        The fit; `degenerate` where points are too few, without intervals, and without
        an estimate where they do not even determine one.
    """
    count, nothing = len(law.parameters), np.zeros((0, len(law.parameters)))
    clusters = int(cluster.max()) + 1
    distinct = len(np.unique(x, axis=0))
    if distinct < count or np.ptp(x, axis=0).min() == 0 or np.ptp(y) == 0:
        why = (
            "y is the same in all rows: there is no fall to fit a power to."
            if np.ptp(y) == 0
            else _few(law, distinct)
        )
        return Fitted(FitStatus.DEGENERATE, None, None, nothing, clusters, 0, (why,))
    data = Scaled.of(x, y)
    best = solve(data, loss)
    values = data.values(best.theta)
    if distinct == count:
        why = _few(law, distinct)
        return Fitted(
            FitStatus.DEGENERATE, values, best.objective, nothing, clusters, 0, (why,)
        )
    status, reasons = _status(law, data, best.theta, best.agree)
    draws, failed = _resample(data, loss, best.theta, cluster, replicates, count)
    fitted = Fitted(status, values, best.objective, draws, clusters, failed, reasons)
    if replicates and fitted.interval(draws) is None:
        reasons += (
            f"No intervals: {failed} of {replicates} resamples of {clusters} clusters "
            f"had fewer than {count + 1} distinct points. Add seeds or sizes.",
        )
    return fitted._replace(reasons=reasons)


def _few(law: Law, distinct: int) -> str:
    count = len(law.parameters)
    exact = " So many points cannot test it."
    return (
        f"{law.name} has {count} parameters and needs {count + 1} distinct points to "
        f"test it; there {'is' if distinct == 1 else 'are'} {distinct}."
        f"{exact if distinct == count else ''} Add sizes."
    )


def _status(
    law: Law, data: Scaled, theta: Float[np.ndarray, " parameters"], agree: bool
) -> tuple[FitStatus, tuple[str, ...]]:
    held = at_bounds(data, theta)
    terms = len(law.factors)
    low, high = data.bounds.T
    reasons = []
    for i in held:
        name = law.parameters[i]
        lower = theta[i] - low[i] < high[i] - theta[i]
        if i == 0:
            why = "the data show no floor" if lower else "the data show no fall"
        elif i <= terms:
            why = "its term vanishes" if lower else "its term outgrows the data"
        elif lower:
            why = "y falls no faster than a logarithm, or rises"
        else:
            why = "all of the fall lies between two neighboring points"
        side = "0" if i == 0 and lower else "lower" if lower else "upper"
        reasons.append(f"{name} is at its bound ({side}): {why}.")
    if held:
        return FitStatus.BOUND_HIT, tuple(reasons)
    if not agree:
        return FitStatus.STARTS_DISAGREE, (
            "Starts end at different places that fit about equally well: the data do "
            "not determine the law. Add sizes, or runs nearer to the floor.",
        )
    return FitStatus.CONVERGED, ()


def _resample(
    data: Scaled,
    loss: Robust,
    theta: Float[np.ndarray, " parameters"],
    cluster: Int[np.ndarray, " n"],
    replicates: int,
    count: int,
) -> tuple[Float[np.ndarray, "replicates parameters"], int]:
    clusters = int(cluster.max()) + 1
    if clusters < 2 or not replicates:
        return np.zeros((0, count)), replicates
    rng = np.random.default_rng(0)
    drawn = rng.multinomial(clusters, np.full(clusters, 1 / clusters), size=replicates)
    weight = drawn[:, cluster].astype(float)
    _, point = np.unique(data.z, axis=0, return_inverse=True)
    seen = [len(np.unique(point[row > 0])) > count for row in weight]
    begin = np.tile(theta, (int(sum(seen)), 1))
    draws = data.values(descend(data, loss, weight[seen], begin))
    return draws, replicates - len(begin)
