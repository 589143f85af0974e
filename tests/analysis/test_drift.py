import numpy as np
import pytest
from scipy import stats

from scaletx.analysis.drift import Point, drift
from scaletx.analysis.optimum import OptimumStatus


def points(x, u, half=0.5, status=OptimumStatus.BRACKETED):
    pairs = zip(x, u, strict=True)
    return [Point(a, b, b - half, b + half, status) for a, b in pairs]


def test_seeds_give_students_t():
    rng = np.random.default_rng(0)
    x = np.repeat([5.0, 6.0, 7.0, 8.0], 3)
    u = -0.3 * x + 0.1 * rng.normal(size=len(x))
    fit = stats.linregress(x, u)
    half = stats.t.ppf(0.975, len(x) - 2) * fit.stderr
    found = drift(points(x, u, half=0.0))
    assert found.slope == pytest.approx(fit.slope)
    assert (found.low, found.high) == pytest.approx(
        (fit.slope - half, fit.slope + half)
    )


def test_one_seed_propagates_half_a_grid_step():
    x = np.array([5.0, 6.0, 7.0, 8.0])
    found = drift(points(x, 0 * x))
    # Independent: the sum of weighted uniforms, by brute force.
    weights = (x - x.mean()) / 5
    draws = np.random.default_rng(1).uniform(-0.5, 0.5, (400_000, 4)) @ weights
    assert (found.low, found.high) == pytest.approx(
        np.quantile(draws, [0.025, 0.975]), abs=0.01
    )


def test_a_coarse_optimum_keeps_its_grid_interval_however_many_seeds_agree():
    x = np.repeat([5.0, 6.0, 7.0], 5)
    fine = drift(points(x, -x, half=0.0))
    vertex = drift(points(x, -x))
    coarse = drift(points(x, -x, status=OptimumStatus.COARSE))
    single = drift(points([5.0, 6.0, 7.0], [-5.0, -6.0, -7.0]))
    assert fine.high - fine.low == pytest.approx(0, abs=1e-9)
    assert coarse == pytest.approx(single, abs=1e-9)
    assert vertex.high - vertex.low == pytest.approx((coarse.high - coarse.low) / 8)


def test_below_two_sizes_there_is_no_slope():
    assert drift([]) == (None, None, None)
    assert drift(points([5.0, 5.0], [1.0, 2.0])) == (None, None, None)
