import jax
import jax.numpy as jnp
import numpy as np
import oracles
import pytest

from scaletx import DenseAM, equivalent, prescribe
from scaletx.optimizers import prescribed

ACTIVATIONS = ["linear", "relu:1", "relu:2", "relu:3", "softmax"]
N, K, B = 5, 7, 4


def setting(activation, centered, biases, **more):
    """A model in float64, the oracle's view of it, its parameters, and a batch."""
    p = prescribe(
        N=N, K=K, activation=activation, centered=centered, biases=biases, **more
    )
    model = DenseAM(p, key=jax.random.key(3), dtype=jnp.float64)
    rng = np.random.default_rng(7)
    if biases == "zero":  # so that a term which vanishes at zero would be seen
        model = jax.tree.map(
            lambda a: a + 0.3 * rng.normal(size=a.shape) if a.ndim == 1 else a, model
        )
    x, y = rng.normal(size=(2, B, N))
    o = oracles.Oracle(p.s1, p.s2, activation, centered)
    return model, o, numbers(model), x, y


def numbers(model):
    b = np.zeros(K) if model.b is None else np.asarray(model.b)
    c = np.zeros(N) if model.c is None else np.asarray(model.c)
    return np.asarray(model.W), b, c


CASES = pytest.mark.parametrize(
    "activation, centered, biases",
    [
        (activation, centered, biases)
        for activation in ACTIVATIONS
        for centered in (True, False)
        for biases in ("off", "zero", "normal")
    ],
)


@CASES
def test_forward_and_gradients_are_the_closed_forms(activation, centered, biases):
    with jax.enable_x64():
        model, o, theta, x, y = setting(activation, centered, biases)
        G = oracles.features(o, x.T)
        F = oracles.forward(o, theta, G)
        np.testing.assert_allclose(model.features(x), G.T, rtol=1e-14)
        np.testing.assert_allclose(model(x), F.T, rtol=1e-12, atol=1e-13)
        np.testing.assert_allclose(model(x[0]), F[:, 0], rtol=1e-12, atol=1e-13)

        def loss(m):
            return jnp.sum((m(x) - y) ** 2) / (2 * B)

        grads = jax.grad(loss)(model)
        expected = oracles.gradients(o, theta, G, y.T)
        for name, wanted in zip("Wbc", expected, strict=True):
            got = getattr(grads, name)
            if got is None:
                assert biases == "off" and name in "bc"
            else:
                np.testing.assert_allclose(got, wanted, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_the_oracle_agrees_with_finite_differences(activation):
    """The reference is itself checked, without jax."""
    with jax.enable_x64():
        _, o, theta, x, y = setting(activation, True, "normal")
    G = oracles.features(o, x.T)
    grads = oracles.gradients(o, theta, G, y.T)
    rng = np.random.default_rng(1)
    direction = [rng.normal(size=t.shape) for t in theta]

    def loss(h):
        moved = [t + h * d for t, d in zip(theta, direction, strict=True)]
        return oracles.mse(o, moved, G, y.T) * N / 2

    slope = sum(np.sum(g * d) for g, d in zip(grads, direction, strict=True))
    assert (loss(1e-6) - loss(-1e-6)) / 2e-6 == pytest.approx(slope, rel=1e-6)


def test_initial_parameters():
    key = jax.random.key(0)
    p = prescribe(N=200, K=300, biases="normal")
    model = DenseAM(p, key=key)
    for array, size in ((model.W, 60000), (model.b, 300), (model.c, 200)):
        assert array.dtype == jnp.float32
        assert abs(float(array.mean())) < 4 / size**0.5
        assert abs(float(array.std()) - 1) < 4 / (2 * size) ** 0.5
    zero = DenseAM(prescribe(N=200, K=300, biases="zero"), key=key)
    assert not zero.b.any() and not zero.c.any()
    off = DenseAM(prescribe(N=200, K=300), key=key)
    assert off.b is None and off.c is None
    # The same weights whatever the biases, the rates or the samples.
    for other in (zero, off, DenseAM(prescribe(N=200, K=300, P=9, eta0=9), key=key)):
        np.testing.assert_array_equal(other.W, model.W)
    half = DenseAM(equivalent(p, 0.5), key=key)
    np.testing.assert_array_equal(half.W, 0.5 * model.W)
    np.testing.assert_array_equal(half.b, model.b)


def test_the_mean_of_phi_is_removed_from_the_output():
    """The C inside W~^T: adding a row to all of W changes nothing when centered."""
    with jax.enable_x64():
        for activation in ACTIVATIONS:
            model, *_, x, _ = setting(activation, True, "normal")
            shifted = jax.tree.map(
                lambda a: a + jnp.arange(1.0, N + 1) if a.ndim == 2 else a, model
            )
            np.testing.assert_allclose(shifted(x), model(x), rtol=1e-10, atol=1e-12)


def test_anything_but_a_prescription_is_refused():
    with pytest.raises(TypeError, match="got dict; make one with scaletx.prescribe"):
        DenseAM({"N": 3}, key=jax.random.key(0))


@pytest.mark.parametrize("biases", ["off", "normal"])
@pytest.mark.parametrize("optimizer", ["sgd", "adam"])
@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_equivalent_forms_follow_one_trajectory(activation, optimizer, biases):
    """W -> a W with a = 1/4, which is exact in binary: all digits must agree."""
    p = prescribe(
        N=N,
        K=K,
        activation=activation,
        optimizer=optimizer,
        biases=biases,
        eta0=0.02,
        eps0=1e-2,  # large, so that a wrong rule for epsilon is seen
        allow_no_rule=True,
    )
    x, y = np.random.default_rng(7).normal(size=(2, B, N))

    def trajectory(p):
        tx = prescribed(p)

        @jax.jit
        def step(model, state):
            loss = lambda m: jnp.sum((m(x) - y) ** 2) / (2 * B)  # noqa: E731
            updates, state = tx.update(jax.grad(loss)(model), state, model)
            return jax.tree.map(jnp.add, model, updates), state

        model = DenseAM(p, key=jax.random.key(3), dtype=jnp.float64)
        state, outputs = tx.init(model), [model(x)]
        for _ in range(20):
            model, state = step(model, state)
            outputs.append(model(x))
        return np.array(outputs), model

    with jax.enable_x64():
        (f, model), (g, other) = trajectory(p), trajectory(equivalent(p, 0.25))
        assert np.abs(f[-1] - f[0]).max() > 1e-2
        np.testing.assert_allclose(g, f, rtol=1e-11, atol=1e-11)
        np.testing.assert_allclose(other.W, 0.25 * model.W, rtol=1e-11, atol=1e-11)
