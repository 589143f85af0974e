"""Energy: its formula, its minimum over hidden units, and what never raises it."""

import math

import jax
import jax.numpy as jnp
import numpy as np
import oracles
import pytest

from scaletx import DenseAM, descend, flow, prescribe
from scaletx.models import dynamics

N, K, B = 6, 9, 5
ACTIVATIONS = ["linear", "relu:1", "relu:2", "softmax"]
BOUNDED = ACTIVATIONS[1:]
CASES = pytest.mark.parametrize("centered", [True, False])


def setting(activation, centered, biases="normal", dtype=jnp.float64):
    p = prescribe(N=N, K=K, activation=activation, centered=centered, biases=biases)
    model = DenseAM(p, key=jax.random.key(2), dtype=dtype)
    rng = np.random.default_rng(5)
    return model, rng.normal(size=(B, N)), rng.normal(size=(B, K))


def lagrangian(activation, z):
    """L_h of one sample, in plain Python."""
    if activation == "linear":
        return sum(v * v / 2 for v in z)
    if activation == "softmax":
        return math.log(sum(math.exp(v) for v in z))
    p = int(activation.partition(":")[2])
    m = oracles.double_factorial_norm(p)
    return sum(max(v, 0) ** (p + 1) / ((p + 1) * m) for v in z)


def energy(model, x, h):
    """E of one sample from equations 1.5, without jax."""
    p = model.prescription
    W, b, c = (np.asarray(a) for a in (model.W, model.b, model.c))
    C = oracles.centering(K) if p.centered else np.eye(K)
    linear = p.activation == "linear"
    g = x if linear else np.tanh(x)
    L_x = sum(v * v / 2 if linear else math.log(math.cosh(v)) for v in x)
    sigma = oracles.phi(p.activation, h[:, None])[:, 0]
    hidden = (h - C @ b) @ sigma - lagrangian(p.activation, h)
    visible = (x - c) @ g - L_x
    return hidden / p.s1 + visible / p.s2 - sigma @ (C @ W) @ g


@CASES
@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_energy_is_the_formula(activation, centered):
    with jax.enable_x64():
        model, x, h = setting(activation, centered)
        wanted = [energy(model, x[i], h[i]) for i in range(B)]
        np.testing.assert_allclose(model.energy(x, h), wanted, rtol=1e-12)
        assert float(model.energy(x[0], h[0])) == pytest.approx(wanted[0], rel=1e-12)


@CASES
@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_adiabatic_energy_is_that_of_hidden_units_at_rest(activation, centered):
    with jax.enable_x64():
        model, x, h = setting(activation, centered)
        rest = model.preactivations(model.features(x))
        np.testing.assert_allclose(
            model.adiabatic_energy(x), model.energy(x, rest), rtol=1e-12
        )
        slope = jax.grad(lambda h: jnp.sum(model.energy(x, h)))(rest)
        np.testing.assert_allclose(slope, 0, atol=1e-12)
        if activation == "softmax":  # other energies are flat where units are off
            assert bool(jnp.all(model.energy(x, h) > model.adiabatic_energy(x)))


@CASES
@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_the_slope_of_the_adiabatic_energy_is_the_step_not_taken(activation, centered):
    """grad E_ad = Hess L_x (x - f(x)) / s2."""
    with jax.enable_x64():
        model, x, _ = setting(activation, centered)
        slope = jax.grad(lambda x: jnp.sum(model.adiabatic_energy(x)))(jnp.asarray(x))
        curved = 1 if activation == "linear" else 1 - np.tanh(x) ** 2
        wanted = curved * (x - model(x)) / model.prescription.s2
        np.testing.assert_allclose(slope, wanted, rtol=1e-9, atol=1e-12)


@CASES
@pytest.mark.parametrize("biases", ["off", "normal"])
@pytest.mark.parametrize("activation", BOUNDED)
@pytest.mark.parametrize("tau_h", [0.0, 0.7])
def test_energy_never_rises_along_the_flow(activation, centered, biases, tau_h):
    with jax.enable_x64():
        model, x, h = setting(activation, centered, biases)
        times = jnp.linspace(0.0, 6.0, 40)
        found = flow(
            model,
            x,
            h if tau_h else None,
            times=times,
            tau_x=1.3,
            tau_h=tau_h,
            rtol=1e-9,
            atol=1e-9,
        )
        assert found.x.shape == (40, B, N) and found.h.shape == (40, B, K)
        assert float(jnp.max(jnp.diff(found.energy, axis=0))) < 1e-7
        assert bool(jnp.all(found.energy[0] > found.energy[-1]))


@CASES
@pytest.mark.parametrize("activation", BOUNDED)
def test_dissipation_is_the_formula(activation, centered):
    """dE/dt = -(tau_h/s1) hdot Hess L_h hdot - (tau_x/s2) xdot Hess L_x xdot."""
    with jax.enable_x64():
        model, x, h = setting(activation, centered)
        p, x, h = model.prescription, x[0], h[0]
        tau_x, tau_h, d = 1.3, 0.7, 1e-5
        found = flow(
            model,
            x,
            h,
            times=jnp.array([0.0, d, 2 * d]),
            tau_x=tau_x,
            tau_h=tau_h,
            rtol=1e-12,
            atol=1e-14,
        )
        rate = (found.energy[2] - found.energy[0]) / (2 * d)
        g = np.tanh(found.x[1])
        xdot = (model.output(model.postactivations(found.h[1])) - found.x[1]) / tau_x
        hdot = (model.preactivations(g) - found.h[1]) / tau_h
        column = np.asarray(found.h[1])[:, None]
        curved = oracles.jacobian_product(
            activation, column, np.asarray(hdot)[:, None]
        )[:, 0]
        wanted = -tau_h / p.s1 * hdot @ curved - tau_x / p.s2 * xdot @ (
            (1 - g**2) * xdot
        )
        assert float(rate) == pytest.approx(float(wanted), rel=1e-5)


@CASES
@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("size", [0.3, 3.0])
def test_a_step_never_raises_the_adiabatic_energy(activation, centered, size):
    with jax.enable_x64():
        model, x, _ = setting(activation, centered)
        found = descend(model, size * x, steps=8)
        rises = jnp.diff(found.energy, axis=0)
        assert bool(jnp.all(rises <= 1e-9 * jnp.abs(found.energy[1:])))
        np.testing.assert_allclose(found.x[1], model(size * x), rtol=1e-12)


def test_the_step_in_the_wrong_direction_is_noticed():
    """Planted: the energy rises away from f(x)."""
    with jax.enable_x64():
        model, x, _ = setting("relu:1", True)
        away = 2 * x - model(x)
        assert bool(jnp.all(model.adiabatic_energy(away) > model.adiabatic_energy(x)))


@pytest.mark.parametrize("activation", [*ACTIVATIONS, "relu:5", "relu:8"])
def test_energies_are_finite_at_ten_thousand_in_float32(activation):
    model, x, h = setting(activation, True, "off", jnp.float32)
    for sign in (1e4, -1e4):
        big_x, big_h = jnp.full((N,), sign), jnp.full((K,), sign)
        e = model.energy(big_x.astype(jnp.float32), big_h.astype(jnp.float32))
        assert e.dtype == jnp.float32 and bool(jnp.isfinite(e))
        assert bool(jnp.isfinite(model.adiabatic_energy(big_x)))


def test_flow_ends_where_the_step_does():
    with jax.enable_x64():
        model, x, _ = setting("softmax", True)
        end = flow(model, x, times=jnp.array([0.0, 60.0]), rtol=1e-10, atol=1e-10)
        fixed = descend(model, x, steps=300).x[-1]
        np.testing.assert_allclose(end.x[-1], fixed, atol=1e-6)


@pytest.mark.parametrize(
    "words, message",
    [
        ({"times": [1.0, 0.0]}, "two or more times that rise"),
        ({"times": [0.0]}, "two or more times that rise"),
        ({"times": [0.0, math.nan]}, "two or more times that rise"),
        ({"times": [0.0, math.inf]}, "two or more times that rise"),
        ({"times": 1.0}, "two or more times that rise"),
        ({"rtol": -1}, "rtol"),
        ({"atol": 0}, "atol"),
        ({"x": np.ones(N + 1)}, r"expected \(..., 6\), the model's visible units"),
        ({"h": np.ones(K)}, r"h of shape \(9,\): expected \(5, 9\)"),
        ({"tau_x": 0}, "tau_x"),
        ({"tau_h": -1}, "tau_h"),
        ({"tau_h": 0, "h": np.ones((B, K))}, "always at their fixed point"),
    ],
)
def test_flow_refuses(words, message):
    model, x, _ = setting("relu:1", True, "off", jnp.float32)
    with pytest.raises(ValueError, match=message):
        flow(model, **{"x": x, "times": [0.0, 1.0]} | words)


def test_flow_says_so_if_it_does_not_arrive(monkeypatch):
    monkeypatch.setattr(dynamics, "MOST_STEPS", 3)
    model, x, _ = setting("relu:1", True, "off", jnp.float32)
    with pytest.raises(RuntimeError, match="did not arrive in 3 steps. Ask for fewer"):
        flow(model, x, times=[0.0, 50.0])


def test_flow_runs_under_jit_with_its_times_traced():
    model, x, _ = setting("relu:1", True, "off", jnp.float32)
    times = jnp.array([0.0, 1.0])
    alone = flow(model, x, times=times).x
    jitted = jax.jit(lambda x, times: flow(model, x, times=times).x)
    np.testing.assert_allclose(jitted(x, times), alone, rtol=1e-4, atol=1e-5)


def test_whole_numbers_are_patterns_too():
    model, _, _ = setting("relu:1", True, "off", jnp.float32)
    whole = np.array([1, -1, 1, 1, 0, 2])
    found, wanted = (descend(model, x, steps=2) for x in (whole, whole.astype(float)))
    np.testing.assert_array_equal(found.x, wanted.x)
    times = [0.0, 1.0]
    moved, same = (flow(model, x, times=times) for x in (whole, whole.astype(float)))
    np.testing.assert_array_equal(moved.x, same.x)


def test_descend_refuses_patterns_of_another_size():
    model, _, _ = setting("relu:1", True, "off", jnp.float32)
    with pytest.raises(ValueError, match="the model's visible units"):
        descend(model, np.ones(N + 1))


def test_flow_of_a_linear_model_is_refused():
    model, x, _ = setting("linear", True, "off", jnp.float32)
    with pytest.raises(ValueError, match="no lower bound. Use an activation"):
        flow(model, x, times=[0.0, 1.0])
