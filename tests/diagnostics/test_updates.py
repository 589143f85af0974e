"""Update terms: closed forms, and what they leave out when the step is halved."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import oracles
import pytest

from scaletx import DenseAM, prescribe
from scaletx.diagnostics import gradient_parts, update_terms

N, K, B = 5, 8, 6
ACTIVATIONS = ["linear", "relu:1", "relu:2", "relu:3", "softmax"]


def setting(activation, *, centered=True, biases="normal"):
    """A model in float64, the oracle's view of it, and features and targets."""
    p = prescribe(N=N, K=K, activation=activation, centered=centered, biases=biases)
    model = DenseAM(p, key=jax.random.key(3), dtype=jnp.float64)
    rng = np.random.default_rng(7)
    x, y = rng.normal(size=(2, B, N))
    o = oracles.Oracle(p.s1, p.s2, activation, centered)
    return model, o, numbers(model), np.asarray(model.features(x)), y


def numbers(model):
    b = np.zeros(K) if model.b is None else np.asarray(model.b)
    c = np.zeros(N) if model.c is None else np.asarray(model.c)
    return np.asarray(model.W), b, c


def change_of(model, size=1.0):
    rng = np.random.default_rng(11)
    return jax.tree.map(lambda a: size * rng.normal(size=a.shape), model)


CASES = pytest.mark.parametrize(
    "activation, centered",
    [(name, centered) for name in ACTIVATIONS for centered in (True, False)],
)


@CASES
def test_gradient_parts_are_the_closed_forms_and_add_up(activation, centered):
    with jax.enable_x64():
        model, o, theta, g, y = setting(activation, centered=centered)
        parts = gradient_parts(model, g, y)

        def loss(m):
            return jnp.sum((m.read(g) - y) ** 2) / (2 * B)

        whole = jax.grad(loss)(model).W
        for got, wanted in zip(
            parts, oracles.gradient_parts(o, theta, g.T, y.T), strict=True
        ):
            np.testing.assert_allclose(got, wanted, rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(
            parts.readout + parts.hidden, whole, rtol=1e-10, atol=1e-12
        )


@CASES
@pytest.mark.parametrize("biases", ["off", "normal"])
def test_terms_are_the_closed_forms(activation, centered, biases):
    with jax.enable_x64():
        model, o, theta, g, _ = setting(activation, centered=centered, biases=biases)
        change = change_of(model)
        terms = update_terms(model, change, g)
        known = update_terms(model, change, g, model.preactivations(g))
        wanted = oracles.update_terms(o, theta, numbers(change), g.T)
        of_biases = {"dZb", "dFb", "dFc"}
        assert terms.keys() == wanted.keys() - (of_biases if biases == "off" else set())
        for name, term in terms.items():
            got = term if name == "dW" else jnp.broadcast_to(term, wanted[name].T.shape)
            right = wanted[name] if name == "dW" else wanted[name].T
            np.testing.assert_allclose(got, right, rtol=1e-10, atol=1e-12)
            np.testing.assert_array_equal(term, known[name])


def error_of(model, g, change, drop=()):
    """What the terms leave out of the change of F."""
    terms = update_terms(model, change, g)
    told = sum(terms[name] for name in ("dF1", "dF2", "dFb", "dFc") if name not in drop)
    new = eqx.apply_updates(model, change).read(g)
    return float(jnp.linalg.norm(new - model.read(g) - told))


@CASES
def test_halving_the_step_quarters_what_the_terms_leave_out(activation, centered):
    with jax.enable_x64():
        model, *_, g, _ = setting(activation, centered=centered)
        z = model.preactivations(g)
        size = 1e-3
        if activation == "relu:1":  # no pre-activation may change its sign
            size = 1e-2 * float(jnp.abs(z).min())
        change = change_of(model, size)
        half = jax.tree.map(lambda a: a / 2, change)
        ratio = error_of(model, g, change) / error_of(model, g, half)
        assert ratio == pytest.approx(4, rel=0.02)


@pytest.mark.parametrize("term", ["dF1", "dF2", "dFb", "dFc"])
def test_a_missing_term_is_noticed(term):
    """Without a term the error falls by half, not by four."""
    with jax.enable_x64():
        model, *_, g, _ = setting("relu:2")
        change = change_of(model, 1e-3)
        half = jax.tree.map(lambda a: a / 2, change)
        ratio = error_of(model, g, change, {term}) / error_of(model, g, half, {term})
        assert ratio == pytest.approx(2, rel=0.1)


def test_sgd_terms_of_the_linear_model_in_closed_form():
    """With R = F the terms are products of A_W and A_G; (1,1) equals (2,1)."""
    with jax.enable_x64():
        model, o, (W, _, _), g, _ = setting("linear", centered=False, biases="off")
        G, eta = g.T, 0.3
        parts = gradient_parts(model, g, np.zeros((B, N)))
        A_W, A_G = W.T @ W / K, G @ G.T / B
        factor = -eta * o.s1**3 * o.s2**3 * K**2
        wanted = {
            ("dF1", 0): A_W @ A_G @ A_W @ G,
            ("dF1", 1): A_G @ A_W @ A_W @ G,
            ("dF2", 0): A_W @ A_G @ A_W @ G,
            ("dF2", 1): A_W @ A_W @ A_G @ G,
        }
        for (name, part), product in wanted.items():
            change = eqx.tree_at(lambda m: m.W, model, -eta * parts[part])
            got = update_terms(model, change, g)[name]
            np.testing.assert_allclose(got, (factor * product).T, rtol=1e-10)


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_sgd_terms_against_residuals(activation):
    """(1,1): -eta s2^2/B R S^T C S; linear Delta Z: -eta s1^2 s2/B W (GR^T+RG^T) G."""
    with jax.enable_x64():
        model, o, theta, g, y = setting(activation, biases="off")
        eta, G = 0.3, g.T
        parts = gradient_parts(model, g, y)
        R = oracles.forward(o, theta, G) - y.T
        Z, _, Wc = oracles.hidden(o, theta, G)
        S = oracles.phi(activation, Z)
        change = eqx.tree_at(lambda m: m.W, model, -eta * parts.readout)
        wanted = -eta * o.s2**2 / B * R @ S.T @ oracles.centering(K) @ S
        got = update_terms(model, change, g)["dF1"]
        np.testing.assert_allclose(got, wanted.T, rtol=1e-10, atol=1e-13)
        if activation == "linear":
            whole = eqx.tree_at(lambda m: m.W, model, -eta * sum(parts))
            dZ = -eta * o.s1**2 * o.s2 / B * Wc @ (G @ R.T + R @ G.T) @ G
            got = update_terms(model, whole, g)["dZ"]
            np.testing.assert_allclose(got, dZ.T, rtol=1e-10, atol=1e-13)
