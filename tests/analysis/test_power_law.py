import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scaletx import analysis
from scaletx.analysis import FitStatus, fit_power_law, fit_table
from scaletx.analysis.fitting import solve, starts
from scaletx.analysis.laws import Law, Robust, Scaled

from .planted import planted

X = 2.0 ** np.arange(5, 11)
TRUE = {"E": 0.03, "A": 5.0, "a": 0.8}


def law(x, E=0.03, A=5.0, a=0.8):
    return E + A * x**-a


def noisy(rng, seeds=5, noise=0.02, **words):
    x = np.repeat(X, seeds)
    return x, law(x, **words) * np.exp(noise * rng.normal(size=len(x)))


@pytest.mark.parametrize("loss", ["huber", "square"])
@pytest.mark.parametrize(
    ("E", "A", "a"), [(0.03, 5, 0.8), (1.69, 400, 0.34), (0.5, 0.01, 0.1), (2, 9, 2.0)]
)
def test_exact_data_come_back(loss, E, A, a):
    found = fit_power_law(X, law(X, E, A, a), loss=loss, replicates=0)
    assert found.status is FitStatus.CONVERGED
    assert found.params == pytest.approx({"E": E, "A": A, "a": a}, rel=1e-8)


def test_no_floor_is_a_bound_and_exact():
    found = fit_power_law(X, 5 * X**-0.8, replicates=0)
    assert found.status is FitStatus.BOUND_HIT
    assert found.params["E"] == 0.0
    assert found.params["a"] == pytest.approx(0.8, rel=1e-8)
    assert found.reasons == ("E is at its bound (0): the data show no floor.",)


@given(st.sampled_from([1e-6, 3.7e-3, 1e6]), st.sampled_from([1e-6, 41.0, 1e6]))
def test_units_change_no_exponent(by_x, by_y):
    x, y = noisy(np.random.default_rng(0), seeds=1)
    one = fit_power_law(x, y, replicates=0)
    two = fit_power_law(x * by_x, y * by_y, replicates=0)
    assert two.status is one.status
    assert two.params["a"] == pytest.approx(one.params["a"], abs=1e-6)
    assert two.params["E"] == pytest.approx(one.params["E"] * by_y, rel=1e-6)
    assert two.objective == pytest.approx(one.objective, rel=1e-6)


def test_units_change_no_interval():
    x, y = noisy(np.random.default_rng(0))
    one = fit_power_law(x, y, replicates=100).intervals["a"]
    two = fit_power_law(x * 1e6, y * 1e6, replicates=100).intervals["a"]
    assert two == pytest.approx(one, abs=1e-3)


def test_gradients_are_those_of_the_law():
    rng = np.random.default_rng(0)
    data = Scaled.of(rng.uniform(1, 9, (7, 2)), rng.uniform(1, 2, 7))
    for theta in starts(data)[1::7]:
        _, slope = data.with_slope(theta)
        for i in range(len(theta)):
            step = np.zeros(len(theta))
            step[i] = 1e-6
            up, down = (data.with_slope(theta + s)[0] for s in (step, -step))
            np.testing.assert_allclose((up - down) / 2e-6, slope[:, i], atol=1e-7)


def test_the_core_fits_a_second_law():
    # L = E + A N^-alpha + B D^-beta needs a name, nothing else.
    second = Law("chinchilla", "E", ("A", "B"), ("alpha", "beta"))
    n, d = (axis.ravel() for axis in np.meshgrid(np.geomspace(1e7, 1e10, 5), X * 1e8))
    x = np.column_stack([n, d])
    y = 1.69 + 406.4 * n**-0.34 + 410.7 * d**-0.28
    found = solve(Scaled.of(x, y), Robust(1e-3))
    values = Scaled.of(x, y).values(found.theta)
    assert found.agree
    assert values == pytest.approx([1.69, 406.4, 410.7, 0.34, 0.28], rel=1e-6)
    np.testing.assert_allclose(second.evaluate(values, x), y, rtol=1e-10)


def test_the_core_meets_the_chinchilla_replication():
    table = Path(__file__).parents[3] / "shared/fixtures/chinchilla_extracted.csv"
    if not table.exists():
        pytest.skip("the public table is not here")
    rows = pd.read_csv(table).sort_values("loss").iloc[:240]
    n = rows["Model Size"].to_numpy()
    x = np.column_stack([n, rows["Training FLOP"] / (6 * n)])
    data = Scaled.of(x, rows["loss"].to_numpy())
    found = solve(data, Robust(1e-3))
    E, A, B, alpha, beta = data.values(found.theta)
    assert found.agree and found.objective == pytest.approx(1.018274018e-3, rel=1e-8)
    assert pytest.approx(1.81722, abs=2e-4) == E
    assert pytest.approx((477.826, 2143.42), rel=1e-3) == (A, B)
    assert (alpha, beta) == pytest.approx((0.347310, 0.367172), abs=1e-4)


def test_outliers_hardly_move_huber():
    x, y = noisy(np.random.default_rng(0), noise=0.001)
    y[[3, 17]] *= 2
    huber = fit_power_law(x, y, replicates=0).params["a"]
    square = fit_power_law(x, y, loss="square", replicates=0).params["a"]
    assert abs(huber - 0.8) < 0.02 < abs(square - 0.8)


def test_a_row_below_the_floor_is_fitted():
    x, y = noisy(np.random.default_rng(0), noise=0.001)
    y[-1] = 0.01
    found = fit_power_law(x, y, replicates=0)
    assert found.status is FitStatus.CONVERGED
    assert found.params["E"] == pytest.approx(0.03, rel=0.05)


def test_rising_data_hit_a_bound():
    found = fit_power_law(X, X**0.5, replicates=0)
    assert found.status is FitStatus.BOUND_HIT
    assert any("or rises" in reason for reason in found.reasons)


@pytest.mark.parametrize(
    ("x", "y", "said"),
    [
        (X[:2], law(X[:2]), "needs 4 distinct points to test it; there are 2"),
        (np.full(9, 7.0), np.linspace(1, 2, 9), "there is 1"),
        (X, np.ones(6), "y is the same in all rows"),
    ],
)
def test_too_little_data_are_degenerate(x, y, said):
    found = fit_power_law(x, y)
    assert found.status is FitStatus.DEGENERATE and said in found.reasons[0]
    assert set(found.params.values()) == {None} and found.objective is None
    assert found.forecast(5.0).y is None
    json.dumps(found.to_dict(), allow_nan=False)
    assert "unknown" in str(found)


def test_prototype_numbers_of_k_only():
    k = 2.0 ** np.arange(6, 11)
    losses = [0.1317, 0.0758, 0.0513, 0.0415, 0.0371]
    whole = fit_power_law(k, losses)
    assert whole.status is FitStatus.CONVERGED
    assert whole.params["a"] == pytest.approx(1.224, abs=1e-3)
    assert whole.intervals["a"] == (None, None)
    assert whole.settings["failed_replicates"] > 250
    assert whole.reasons[0].startswith("No intervals")
    small = fit_power_law(k, losses, holdout=2)
    assert small.status is FitStatus.DEGENERATE  # three points: exact, untested
    assert small.params["a"] == pytest.approx(1.190, abs=1e-3)
    errors = [each.error for each in small.held_out]
    assert errors == pytest.approx([-0.023, -0.034], abs=1e-3)


def test_held_out_sizes_are_forecast():
    x, y = noisy(np.random.default_rng(1))
    found = fit_power_law(x, y, holdout=2)
    assert found.n == 20 and found.x.max() == X[3]
    assert [each.forecast.x for each in found.held_out] == X[4:].tolist()
    for each in found.held_out:
        assert each.rows == 5
        assert each.forecast.low <= law(each.forecast.x) <= each.forecast.high
        assert each.error == pytest.approx(each.forecast.y / each.measured - 1)


def test_forecasts_far_beyond_the_data_are_flagged():
    found = fit_power_law(X, law(X), replicates=0)
    assert [found.forecast(x).far for x in (3.0, 3.3, 500, 10239, 10241)] == [
        True,
        False,
        False,
        False,
        True,
    ]
    assert found.forecast(4096).y == pytest.approx(law(4096), rel=1e-9)
    with pytest.raises(ValueError, match=r"x=-1: expected a finite number > 0"):
        found.forecast(-1)


def test_the_printed_fit_says_what_far_means():
    x = np.array([1.0, 2, 4, 8, 100])
    said = "far: more than 10 times beyond the N fitted."
    far = str(fit_power_law(x, law(x), holdout=1, replicates=0, x_name="N"))
    assert "100 (far)" in far and far.splitlines().count(said) == 1
    assert "far" not in str(fit_power_law(X, law(X), holdout=1, replicates=0))


def test_bad_rows_are_refused_by_name():
    y = law(X)
    y[[1, 4]] = np.nan, -1
    with pytest.raises(ValueError, match=r"2 of 6 rows.*row 1 .*y = nan.*row 4"):
        fit_power_law(X, y)
    with pytest.raises(ValueError, match=r"N=8"):
        fit_power_law([0.0, 1], [1, 2], names=["N=8", "N=9"])
    with pytest.raises(ValueError, match="got 2 groups for 6 rows"):
        fit_power_law(X, law(X), groups=[1, 2])
    with pytest.raises(ValueError, match="holdout=6 leaves nothing"):
        fit_power_law(X, law(X), holdout=6)
    with pytest.raises(ValueError, match="expected one of huber, square"):
        fit_power_law(X, law(X), loss="hubber")
    with pytest.raises(ValueError, match="a row at least"):
        fit_power_law([], [])


def test_checkpoints_named_as_one_run_widen_the_interval():
    rng = np.random.default_rng(2)
    run = np.repeat(np.arange(12), 6)
    x = np.repeat(np.tile(X, 2), 6)
    y = law(x) * np.exp(0.03 * rng.normal(size=12)[run])
    rows = fit_power_law(x, y).intervals["a"]
    runs = fit_power_law(x, y, groups=run).intervals["a"]
    assert runs[1] - runs[0] > 1.5 * (rows[1] - rows[0])


@pytest.mark.slow
@pytest.mark.parametrize("by_seed", [False, True])
def test_intervals_cover_planted_laws(by_seed):
    rng = np.random.default_rng(0)
    covered, fits = dict.fromkeys([*TRUE, "forecast"], 0), 40
    for _ in range(fits):
        x, y = noisy(rng)
        seed = np.tile(np.arange(5), len(X))
        if by_seed:
            y *= np.exp(0.02 * rng.normal(size=5)[seed])
        found = fit_power_law(x, y, groups=seed if by_seed else None, replicates=200)
        for name, value in TRUE.items():
            low, high = found.intervals[name]
            covered[name] += low <= value <= high
        ahead = found.forecast(4096)
        covered["forecast"] += ahead.low <= law(4096) <= ahead.high
    # 95 % at least; binomial: 33 or fewer of 40 has probability 0.3 %.
    assert min(covered.values()) >= 34


def test_a_store_gives_the_best_rate_of_each_size():
    table = planted(noise=0.001)
    table.loc[(table["N"] == 32) & (table["eta0"] == 2.0**-9), "status"] = "diverged"
    found = fit_table(table, x="N", y="train_mse", replicates=50)
    assert found.n == 4 * 3 and found.dropped == ()
    best = table[(table["N"] == 64) & (table["eta0"] == 2.0**-4)]["train_mse"]
    assert sorted(found.y[found.x == 64]) == pytest.approx(sorted(best))
    with pytest.raises(ValueError, match="differ in more"):
        fit_table(table.assign(noise=table["seed"]), x="N", y="train_mse")


def test_rows_that_did_not_end_are_dropped_by_name():
    table = pd.DataFrame({"w": X, "loss": law(X), "run": list("abcdef")})
    table.loc[1, "loss"] = np.nan
    found = fit_table(table, x="w", y="loss", group="run", replicates=0)
    assert found.n == 5 and "run = b (loss is missing)" in found.dropped[0]
    assert "Left out: w = 64.0, run = b" in str(found)
    status = table.assign(status=["ok"] * 5 + ["diverged"], loss=law(X))
    assert "(diverged)" in fit_table(status, x="w", y="loss", replicates=0).dropped[0]
    with pytest.raises(ValueError, match="No run with a loss ended"):
        fit_table(table.assign(loss=np.nan), x="w", y="loss")
    with pytest.raises(ValueError, match=r"x='width' is unknown"):
        fit_table(table, x="width", y="loss")
    with pytest.raises(ValueError, match="Column 'run' holds 'a'"):
        fit_table(table, x="w", y="run")


def test_json_has_the_documented_keys():
    x, y = noisy(np.random.default_rng(0))
    found = fit_power_law(x, y, holdout=1, replicates=50)
    data = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert {
        "law", "status", "params", "intervals", "objective", "n", "dropped", "settings"
    } <= data.keys()  # fmt: skip
    assert data["law"] == "power-law"
    assert data["params"] == found.params  # full precision
    assert data["intervals"]["a"] == list(found.intervals["a"])
    assert str(found).startswith("converged: y = E + A x^-a, 25 rows")
    assert analysis.PowerLawFit.__name__ in repr(found)


def test_a_factor_beyond_a_float_is_unknown_and_json_stays_strict():
    x = np.array([1e6, 1.02e6, 1.04e6, 1.06e6, 1.1e6])
    found = fit_power_law(x, 1 + (x / 1e6) ** -300.0)
    assert found.params["A"] is None
    json.dumps(found.to_dict(), allow_nan=False)
    assert "unknown" in str(found)
