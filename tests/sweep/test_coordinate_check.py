"""The check passes what is right, fails planted faults, and never says transfers."""

import json

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pandas as pd
import pytest

from scaletx import plots
from scaletx.analysis import CheckAnswer, check_coordinates
from scaletx.models import DenseAM
from scaletx.parameterization import Sizes, prescribe
from scaletx.sweep import check_denseam, coordinate_check, spec

SIZES = (32, 64, 128, 256)


def checked(**words):
    given = {"eta0": 0.05, "seeds": 16, "steps": 4, "n": "32,64,128,256"} | words
    return check_denseam(spec(**given), steps=2)


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        {"optimizer": "sgd"},
        {"optimizer": "adam"},
        {"optimizer": "adam", "activation": "linear"},
        {"optimizer": "adam", "biases": "zero"},
    ],
)
def test_the_tables_rows_are_as_expected(words):
    found = checked(**words)
    assert found.answer is CheckAnswer.AS_EXPECTED, str(found)
    assert "transfer" not in str(found)


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        {"optimizer": "sgd", "centered": False},
        {"optimizer": "adam", "parameterization": "sp"},
    ],
)
def test_what_breaks_transfer_is_off(words):
    found = checked(**words)
    assert found.answer is CheckAnswer.OFF
    assert any("Delta F" in reason for reason in found.reasons)


def trained(factor, steps=2):
    """A centered relu model under SGD whose rate or scales have a planted factor."""

    def build(N, seed):
        sizes = Sizes.proportional(N)
        p = prescribe(**sizes._asdict(), optimizer="sgd", eta0=0.05)
        rng = np.random.default_rng(seed)
        x = jnp.asarray(rng.standard_normal((sizes.B, N)), jnp.float32)
        model = DenseAM(p, key=jax.random.key(seed))
        out, rate = factor(sizes)
        tx = optax.sgd(p.eta_W * rate)

        def read(model):
            return out * model(x)

        def loss(model):
            return jnp.sum((read(model) - x) ** 2) / (2 * sizes.B)

        state = tx.init(model)
        for _ in range(steps + 1):
            yield {"Z": model.preactivations(model.features(x)), "F": read(model)}
            updates, state = tx.update(jax.grad(loss)(model), state)
            model = optax.apply_updates(model, updates)

    return build


@pytest.mark.slow
@pytest.mark.parametrize(
    ("factor", "quantity"),
    [
        (lambda s: (1.0, 1 / s.K), "Delta Z"),  # an unscaled rate
        (lambda s: (1.0, s.N / 32), "Delta Z"),  # a factor doubled
        (lambda s: ((s.K / 64) ** -0.5, 1.0), "F"),  # a factor missing
    ],
)
def test_planted_factors_are_off(factor, quantity):
    found = coordinate_check(trained(factor), SIZES, seeds=range(8), steps=1)
    assert found.answer is CheckAnswer.OFF
    assert any(reason.startswith(quantity) for reason in found.reasons)


@pytest.mark.slow
def test_without_a_planted_factor_the_same_model_passes():
    build = trained(lambda sizes: (1.0, 1.0))
    found = coordinate_check(build, SIZES, seeds=range(16), steps=1)
    assert found.answer is CheckAnswer.AS_EXPECTED, str(found)


def mlp(mu):
    """A plain MLP with Adam, under the standard or the mu-parameterization."""

    def build(width, seed):
        rng = np.random.default_rng(seed)
        x, y = rng.standard_normal((32, 16)), rng.standard_normal((32, 1))
        W = [
            rng.standard_normal((16, width)) / 4,
            rng.standard_normal((width, width)) / width**0.5,
            rng.standard_normal((width, 1)) / (width if mu else width**0.5),
        ]
        params = [jnp.asarray(w, jnp.float32) for w in W]
        scale = (1.0, 64 / width, 64 / width) if mu else (1.0, 1.0, 1.0)

        def layers(params):
            h1 = jnp.tanh(x @ params[0])
            h2 = jnp.tanh(h1 @ params[1])
            return {"hidden": h1 @ params[1], "out": h2 @ params[2]}

        def loss(params):
            return jnp.mean((layers(params)["out"] - y) ** 2)

        tx = optax.adam(0.01)
        state = tx.init(params)
        for _ in range(3):
            yield layers(params)
            updates, state = tx.update(jax.grad(loss)(params), state)
            params = [p + u * s for p, u, s in zip(params, updates, scale, strict=True)]

    return build


@pytest.mark.slow
def test_it_serves_a_users_own_mlp():
    sizes, expected = (64, 128, 256, 512), {"out": -0.5}
    mu = coordinate_check(mlp(mu=True), sizes, seeds=range(12), steps=2,
                          changes=("hidden", "out"), expected=expected)  # fmt: skip
    standard = coordinate_check(mlp(mu=False), sizes, seeds=range(12), steps=2)
    by_name = {(e.quantity, e.step): e for e in mu.exponents}
    assert by_name["Delta hidden", 1].answer is CheckAnswer.AS_EXPECTED
    assert by_name["Delta out", 1].answer is CheckAnswer.AS_EXPECTED
    assert standard.answer is CheckAnswer.OFF
    off = {e.quantity for e in standard.exponents if e.answer is CheckAnswer.OFF}
    assert {"Delta hidden", "Delta out"} <= off


def planted(slope, curvature=0.0, noise=0.01, sizes=SIZES, seeds=5):
    rng = np.random.default_rng(0)
    rows = []
    for size in sizes:
        x = np.log2(size / max(sizes))
        for seed in range(seeds):
            u = slope * x + curvature * x**2 + noise * rng.standard_normal()
            rows.append((size, seed, 1, "q", 2.0**u))
    return pd.DataFrame(rows, columns=["size", "seed", "step", "quantity", "rms"])


def test_the_slope_at_the_largest_size_decides():
    flattening = check_coordinates(planted(slope=0.0, curvature=0.1))
    (e,) = flattening.exponents
    assert e.overall < -0.2 and e.answer is CheckAnswer.AS_EXPECTED
    assert check_coordinates(planted(slope=0.5)).answer is CheckAnswer.OFF
    assert check_coordinates(planted(0.5), expected={"q": 0.5}).answer == "as expected"
    assert check_coordinates(planted(0.0, noise=0.9)).answer is CheckAnswer.CANNOT_TELL


def test_zero_and_infinite_quantities_are_off_and_json_is_strict():
    for bad in (0.0, np.inf, np.nan):
        table = planted(0.0)
        table.loc[3, "rms"] = bad
        found = check_coordinates(table)
        assert found.answer is CheckAnswer.OFF
        assert json.loads(json.dumps(found.to_dict(), allow_nan=False))


def test_it_needs_four_sizes_and_its_columns():
    with pytest.raises(ValueError, match="needs 4 sizes or more, got 3"):
        check_coordinates(planted(0.0, sizes=(1, 2, 4)))
    with pytest.raises(ValueError, match="Did you mean"):
        check_coordinates(planted(0.0).rename(columns={"rms": "rmse"}))


def test_the_figure_shows_each_step_and_the_declared_slope():
    table = planted(-1.0)
    figure = plots.coordinates(check_coordinates(table, expected={"q": -1.0}))
    (ax,) = figure.axes
    lines = {line.get_gid(): line for line in ax.lines}
    x, y = lines["declared"].get_data()
    assert np.allclose(np.polyfit(np.log(x), np.log(y), 1)[0], -1)
    assert len(lines["step 1"].get_xdata()) == 4
    low, high = ax.get_ylim()
    assert high / low >= 10 - 1e-9


def test_a_model_that_reuses_its_arrays_is_measured_right():
    def build(size, seed):
        rng = np.random.default_rng(seed)
        h = rng.standard_normal(40 * size)
        for _ in range(2):
            yield {"h": h}
            h += rng.standard_normal(len(h))

    found = coordinate_check(build, [8, 16, 32, 64], seeds=range(6), steps=1)
    assert found.answer is CheckAnswer.AS_EXPECTED, str(found)


@pytest.mark.parametrize(
    ("build", "words", "says"),
    [
        (lambda n, s: iter([]), {}, "showed no activations"),
        (lambda n, s: iter([{}]), {}, "showed no activations"),
        (lambda n, s: iter([{"a": 1.0}, {"b": 1.0}]), {}, "'b' appears at step 1"),
        (lambda n, s: iter([{"a": 1.0} | ({"b": 1.0} if n > 9 else {})]), {},
         "'b' at step 0 is missing at some sizes"),
        (lambda n, s: iter([{"a": 1.0}]), {"expected": {"aa": 0}}, "Did you mean 'a'"),
        (lambda n, s: iter([{"a": 1.0}]), {"margin": -1}, "margin=-1"),
        (lambda n, s: iter([{"a": 1.0}]), {"steps": -3}, "steps=-3"),
        (lambda n, s: iter([{"a": 1.0}]), {"of": lambda n: 0.0}, "size=0.0"),
    ],
)  # fmt: skip
def test_what_cannot_be_checked_is_one_sentence(build, words, says):
    with pytest.raises(ValueError, match=says):
        coordinate_check(build, [8, 16, 32, 64], **words)
