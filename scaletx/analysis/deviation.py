"""How far the curves of sizes lie from the largest one's, with an interval."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Float
from scipy import stats

from scaletx.analysis.drift import LEVEL
from scaletx.analysis.epochs import CurveStatus, SizeCurve


class Deviation(NamedTuple):
    """How far one size's curve lies from that of the reference, the largest size.

    Attributes:
        size: The size.
        status: What there is of it at the rate.
        D: Median over time of the distance of the logarithms; None for the reference,
            and where the status is not `ok`.
        low: Lower end of its 95 % interval; None with one seed.
        high: Upper end.
        seeds: How many seeds ended.
        seed_spread: Relative standard deviation of the loss over seeds, median over
            time; None with one seed.
    """

    size: float
    status: CurveStatus
    D: float | None
    low: float | None
    high: float | None
    seeds: int
    seed_spread: float | None


def distance(curve: SizeCurve, reference: SizeCurve) -> Float[np.ndarray, " times"]:
    r"""Return $\log L_N(t) - \log L_{\max}(t)$, each a seed mean."""
    return curve.log_mean - reference.log_mean


def half_width(curve: SizeCurve, reference: SizeCurve) -> Float[np.ndarray, " times"]:
    r"""Return the half width of the interval of `distance` at each time.

    Welch's: $t_\nu \sqrt{s_N^2 + s_{\max}^2}$ with the standard errors over seeds.
    NaN where a size has one seed.
    """
    a, b = curve.error**2, reference.error**2
    of = [max(len(each.seeds) - 1, 1) for each in (curve, reference)]
    total = a + b
    each = np.maximum(a**2 / of[0] + b**2 / of[1], np.finfo(float).tiny)
    freedom = np.clip(total**2 / each, min(of), sum(of))
    return stats.t.ppf((1 + LEVEL) / 2, freedom) * np.sqrt(total)


def seeds_for(each: Deviation, half: float, most: int) -> int | None:
    r"""Return the fewest seeds a size that shrink an interval to a half width.

    With equal noise at both sizes the half width of $n$ seeds goes as
    $t_{2(n - 1)} / \sqrt n$. None if more than `most` are needed, or it is unknown.

    Example:
        >>> noisy = Deviation(64, CurveStatus.OK, 0.1, 0.02, 0.18, 2, 0.05)
        >>> seeds_for(noisy, 0.04, most=8)
        4
    """
    if each.D is None or each.low is None or each.high is None:
        return None
    now = max(each.high - each.D, each.D - each.low)
    seeds = np.arange(each.seeds, most + 1)
    reach = stats.t.ppf((1 + LEVEL) / 2, 2 * (seeds - 1)) / np.sqrt(seeds)
    enough = seeds[now * reach / reach[0] < half]
    return int(enough[0]) if len(enough) else None


def deviation(curve: SizeCurve, reference: SizeCurve) -> Deviation:
    r"""Measure how far a size's curve lies from the reference.

    $$D_N = \operatorname{median}_t\, |d_N(t)|,\qquad
    d_N(t) = \log L_N(t) - \log L_{\max}(t),$$

    with the interval $[\operatorname{median}_t \max(|d_N| - h, 0),\
    \operatorname{median}_t (|d_N| + h)]$, $h(t)$ the half width of Welch's t interval
    of $d_N(t)$ over seeds.

    A seed's offset hardly changes over a run, so the interval of the median is that of
    a typical time; noise that is fresh at each time makes it too wide, never too
    narrow. Planted curves of 3, 5 and 10 seeds are covered in 94 to 100 %. Bootstraps
    over seeds cover 72 to 98 % of them, and none at D = 0: resampled noise never lets
    curves come closer than they are.
    """
    if curve.status is not CurveStatus.OK or curve is reference:
        count = len(curve.seeds)
        return Deviation(
            curve.size, curve.status, None, None, None, count, curve.spread
        )
    d, h = np.abs(distance(curve, reference)), half_width(curve, reference)
    known = bool(np.isfinite(h).all())
    return Deviation(
        size=curve.size,
        status=curve.status,
        D=float(np.median(d)),
        low=float(np.median(np.maximum(d - h, 0))) if known else None,
        high=float(np.median(d + h)) if known else None,
        seeds=len(curve.seeds),
        seed_spread=curve.spread,
    )


def houdayer_hartmann(curves: Sequence[SizeCurve]) -> float | None:
    r"""Measure the quality of the collapse in units of seed noise.

    $$S = \frac{1}{\mathcal N} \sum_{N, t} \frac{(y_N(t) - Y_N(t))^2}
    {\sigma_N(t)^2 + \Sigma_N(t)^2},\qquad y = \log L,$$

    where the master curve $Y_N$ is the mean of the other sizes' curves with weights
    $1/\sigma^2$ and $\Sigma_N$ its error: the local linear fit of the reference, whose
    value at a time that all curves share is that mean. About 1 if sizes differ by seed
    noise only. S much above 1 beside a small D is a resolved finite-size correction,
    not a failure.

    Returns:
        S; None if a size has one seed, no noise, or there is but one size.

    References:
        Houdayer and Hartmann, "Low-temperature behavior of two-dimensional Gaussian
        Ising spin glasses", Phys. Rev. B 70, 014418 (2004), appendix.
    """
    if len(curves) < 2:
        return None
    y = np.array([each.log_mean for each in curves])
    variance = np.array([each.error for each in curves]) ** 2
    if not np.all(variance > 0):
        return None
    weight = 1 / variance
    others = weight.sum(axis=0) - weight
    master = ((weight * y).sum(axis=0) - weight * y) / others
    return float(np.mean((y - master) ** 2 / (variance + 1 / others)))
