"""What a sweep logs of its inside, from the settings to the table."""

import jax
import jax.numpy as jnp
import numpy as np
import oracles
import pytest

from scaletx import DenseAM, Sizes, analysis, sweep
from scaletx.sweep.plan import every_lane
from scaletx.training import DenseAMSettings, DenseAMTask, Lane
from scaletx.training.denseam import lane_inputs

SIZES = Sizes(N=6, K=12, P=20, B=5)
BY_PATH = {"dW", "dZ", "dF", "dF1", "dF2"}
BY_PART = {"dW1", "dW2", "dZ1", "dZ2", "dF11", "dF12", "dF21", "dF22"}
OF_BIASES = {"dZb", "dFb", "dFc"}
SPECTRUM = {
    *("spike", "bulk", "spike_centered", "bulk_centered"),
    *("feature_mean", "feature_square", "Z_rms", "F_rms"),
}
LOCALIZATION = {"K_eff", "K_over_K_eff_centered"}


def curve_of(eta0=0.1, **words):
    settings = DenseAMSettings(**{"steps": 7, "log_every": 3} | words)
    ((_, outcome),) = next(
        DenseAMTask().run(tuple(SIZES), [Lane((eta0,), 0)], settings)
    )
    return outcome, settings


@pytest.mark.parametrize(
    "words, names",
    [
        ({"optimizer": "sgd", "diagnostics": "updates"}, BY_PATH | BY_PART),
        ({"optimizer": "adam", "diagnostics": "updates"}, BY_PATH),
        (
            {"optimizer": "adam", "diagnostics": "updates", "biases": "zero"},
            BY_PATH | OF_BIASES,
        ),
        ({"diagnostics": "spectrum"}, SPECTRUM),
        (
            {"activation": "softmax", "diagnostics": "localization, spectrum"},
            SPECTRUM | LOCALIZATION,
        ),
        ({}, set()),
    ],
)
def test_columns_and_the_steps_they_are_taken_at(words, names):
    outcome, _ = curve_of(**words)
    assert outcome.curve.keys() == {
        *("step", "batch_loss", "train_mse", "test_mse"),
        *names,
    }
    assert outcome.curve["step"].tolist() == [0, 3, 6, 7]
    for name in names:
        assert np.isfinite(outcome.curve[name]).tolist() == [True, True, True, False]


def test_recording_changes_no_number():
    """A row is the same with diagnostics as without, up to the compiler's rounding."""
    plain, _ = curve_of(optimizer="sgd")
    watched, _ = curve_of(optimizer="sgd", diagnostics="updates,spectrum")
    assert watched.train_mse == pytest.approx(plain.train_mse, rel=1e-5)
    for name in ("batch_loss", "test_mse"):
        np.testing.assert_allclose(
            watched.curve[name], plain.curve[name], rtol=1e-5, equal_nan=True
        )


@pytest.mark.parametrize("activation", ["relu:1", "relu:2", "softmax"])
@pytest.mark.parametrize("optimizer", ["sgd", "adam"])
@pytest.mark.parametrize("biases", ["off", "zero"])
def test_first_row_is_the_oracles(activation, optimizer, biases):
    """All columns of step 0, from plain numpy: the model, its batch, one step."""
    kinds = "updates,spectrum" + ",localization" * (activation == "softmax")
    eta0 = 0.1
    outcome, settings = curve_of(
        eta0,
        activation=activation,
        optimizer=optimizer,
        biases=biases,
        diagnostics=kinds,
        allow_no_rule=True,
    )
    p = settings.prescription(SIZES)
    model = DenseAM(p, key=jax.random.key(np.uint32(0)))
    inputs = lane_inputs(SIZES, 0, settings)
    x, y = (np.asarray(a, float)[inputs.order[0]] for a in inputs.samples[:2])
    o = oracles.Oracle(p.s1, p.s2, activation, p.centered)
    zero = np.zeros(SIZES.K), np.zeros(SIZES.N)
    theta = np.asarray(model.W, float), *zero
    G = np.tanh(x.T)
    grads = oracles.gradients(o, theta, G, y.T)
    if biases == "off":
        grads = (grads[0], *zero)
    rates = [p.rates(eta0=eta0)[role] for role in ("W", "b", "c")]
    if optimizer == "sgd":
        rule = oracles.sgd(rates)
    else:
        rule = oracles.adam(rates, [p.eps[role] for role in ("W", "b", "c")])
    moved = rule(theta, grads)
    change = tuple(new - old for new, old in zip(moved, theta, strict=True))
    terms = oracles.update_terms(o, theta, change, G)
    wanted = {name: terms[name] for name in ("dW", "dZ", "dF1", "dF2")}
    wanted["dF"] = terms["dF1"] + terms["dF2"]
    if biases != "off":
        wanted |= {name: terms[name] for name in OF_BIASES}
    if optimizer == "sgd":
        for part, grad in enumerate(oracles.gradient_parts(o, theta, G, y.T), 1):
            for_part = oracles.update_terms(o, theta, (-rates[0] * grad, *zero), G)
            wanted |= {f"{n}{part}": for_part[n] for n in ("dW", "dZ", "dF1", "dF2")}
    wanted = {name: np.sqrt(np.mean(term**2)) for name, term in wanted.items()}
    Z, _, _ = oracles.hidden(o, theta, G)
    S = oracles.phi(activation, Z) * (SIZES.K if activation == "softmax" else 1)
    centered = oracles.centering(SIZES.K) @ S
    for name, a in (("", S), ("_centered", centered)):
        values = np.linalg.eigvalsh(a.T @ a / SIZES.K)
        wanted |= {f"spike{name}": values[-1], f"bulk{name}": values[-2]}
    A = centered.T @ centered / SIZES.K
    wanted |= {
        "feature_mean": np.trace(A) / SIZES.B,
        "feature_square": np.trace(A @ A) / SIZES.B,
        "Z_rms": np.sqrt(np.mean(Z**2)),
        "F_rms": np.sqrt(np.mean(oracles.forward(o, theta, G) ** 2)),
    }
    if activation == "softmax":
        sigma = S / SIZES.K
        k_eff = 1 / (sigma**2).sum(axis=0)
        wanted["K_eff"] = np.mean(k_eff) / SIZES.K
        wanted["K_over_K_eff_centered"] = SIZES.K * np.mean(1 / k_eff - 1 / SIZES.K)
    got = {name: outcome.curve[name][0] for name in wanted}
    assert got == pytest.approx(wanted, rel=2e-3)
    assert wanted.keys() == outcome.curve.keys() - {
        *("step", "batch_loss", "train_mse", "test_mse")
    }


def test_a_store_keeps_the_columns_and_the_keys(tmp_path):
    words = {"n": "4,6", "eta0": "0.1:0.2:2", "seeds": 1, "steps": 4, "log_every": 2}
    plain = sweep.spec(**words)
    watched = sweep.spec(**words, diagnostics="spectrum")
    keys = [[key for *_, key in every_lane(spec)] for spec in (plain, watched)]
    assert keys[0] == keys[1]  # what is recorded changes no number
    sweep.run(watched, tmp_path / "runs")
    curves = analysis.read(tmp_path / "runs").curves
    assert set(curves) >= SPECTRUM and len(curves) == 4 * 3
    assert curves.loc[curves["step"] < 4, "spike"].notna().all()
    stored = sweep.Store(tmp_path / "runs").spec({})
    assert stored.settings.diagnostics == "spectrum"


def test_evaluations_and_lanes_side_by_side_keep_the_columns():
    settings = DenseAMSettings(
        steps=11, log_every=2, eval_every=4, optimizer="sgd", diagnostics="spectrum"
    )
    lanes = [Lane((eta,), 0) for eta in (0.05, 0.1, 0.2)]
    alone, together = (
        dict(pair for call in task.run(tuple(SIZES), lanes, settings) for pair in call)
        for task in (DenseAMTask(), DenseAMTask(at_once=2))
    )
    for i in range(len(lanes)):
        assert alone[i].curve["step"].tolist() == [0, 2, 4, 6, 8, 10, 11]
        assert np.isfinite(alone[i].curve["bulk"]).tolist() == [True] * 6 + [False]
        evaluated = np.isfinite(alone[i].curve["train_mse"])
        assert evaluated.tolist() == [True, False, True, False, True, False, True]
        for name in SPECTRUM:
            np.testing.assert_allclose(
                together[i].curve[name], alone[i].curve[name], rtol=1e-4
            )


@pytest.mark.parametrize(
    "words, message",
    [
        ({"diagnostics": "spectra"}, "expected some of updates, spectrum, localiz"),
        ({"diagnostics": "localization"}, "over how many units a softmax spreads"),
        (
            {"diagnostics": "updates", "eval_every": 25},
            "Give an eval_every that is a multiple of log_every",
        ),
    ],
)
def test_words_that_cannot_be_recorded(words, message):
    with pytest.raises(ValueError, match=message):
        DenseAMSettings(**words)


def test_a_diverged_run_leaves_gaps_not_errors():
    outcome, _ = curve_of(1e20, optimizer="sgd", diagnostics="updates,spectrum")
    assert outcome.status == "diverged"
    assert np.isfinite(outcome.curve["spike"][0])
    assert np.isnan(outcome.curve["spike"][2])
    assert not jnp.isinf(outcome.curve["dW"]).any()
