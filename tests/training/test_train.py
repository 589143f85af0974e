"""One run in float64 against the reference loop."""

import jax
import jax.numpy as jnp
import numpy as np
import oracles
import pytest

from scaletx import DenseAM, prescribe
from scaletx.optimizers import prescribed
from scaletx.training.run import Samples, mse, train

N, K, P, B = 5, 8, 23, 4


def run(activation="relu:1", optimizer="adam", biases="normal", steps=11, every=None):
    p = prescribe(
        N=N, K=K, activation=activation, optimizer=optimizer, biases=biases, eta0=0.02
    )
    rng = np.random.default_rng(0)
    x, y, test_x, test_y = rng.normal(size=(4, P, N))
    order = np.array([rng.permutation(P)[:B] for _ in range(steps)])
    model = DenseAM(p, key=jax.random.key(0), dtype=jnp.float64)
    o = oracles.Oracle(p.s1, p.s2, activation, p.centered)
    theta = tuple(
        np.zeros(n) if a is None else np.asarray(a)
        for a, n in ((model.W, 0), (model.b, K), (model.c, N))
    )
    arrays = (model.features(x), y, model.features(test_x), test_y)
    samples = Samples(*map(jnp.asarray, arrays))
    trained, track = train(
        model, prescribed(p), samples, jnp.asarray(order), eval_every=every
    )
    rates = (p.eta_W, p.eta_b, p.eta_c)
    step = (
        oracles.sgd(rates)
        if p.eps is None
        else oracles.adam(rates, [p.eps[r] for r in "Wbc"])
    )
    G, test_G = (oracles.features(o, a.T) for a in (x, test_x))
    losses, train_mse, test_mse = [], [], []
    for done, batch in enumerate(order, start=1):
        theta, loss = oracles.train(
            o, theta, step, G, y.T, [batch], biases=biases != "off"
        )
        losses.append(loss[0])
        if done == steps or (every and done % every == 0):
            train_mse.append(oracles.mse(o, theta, G, y.T))
            test_mse.append(oracles.mse(o, theta, test_G, test_y.T))
    return trained, track, theta, (losses, train_mse, test_mse)


@pytest.mark.parametrize("optimizer", ["sgd", "adam"])
@pytest.mark.parametrize("activation", ["linear", "relu:2", "softmax"])
@pytest.mark.parametrize("biases", ["off", "normal"])
def test_a_run_is_the_reference_loop(activation, optimizer, biases):
    if (activation, optimizer) == ("softmax", "sgd"):
        return
    with jax.enable_x64():
        trained, track, theta, curves = run(activation, optimizer, biases)
        np.testing.assert_allclose(trained.W, theta[0], rtol=1e-8, atol=1e-9)
        if biases != "off":
            np.testing.assert_allclose(trained.b, theta[1], rtol=1e-8, atol=1e-9)
            np.testing.assert_allclose(trained.c, theta[2], rtol=1e-8, atol=1e-9)
        for got, wanted in zip(track[:3], curves, strict=True):
            np.testing.assert_allclose(got, wanted, rtol=1e-8)


@pytest.mark.parametrize("every", [1, 3, 11, 50])
def test_evaluations_on_the_way(every):
    with jax.enable_x64():
        _, track, _, curves = run(every=every)
        for got, wanted in zip(track[:3], curves, strict=True):
            np.testing.assert_allclose(got, wanted, rtol=1e-8)


@pytest.mark.parametrize("block", [1, 4, 7, 20, 21, 1024])
def test_blocks_do_not_change_the_evaluation(block):
    with jax.enable_x64():
        p = prescribe(N=N, K=K, biases="normal")
        model = DenseAM(p, key=jax.random.key(0), dtype=jnp.float64)
        g, y = jnp.asarray(np.random.default_rng(0).normal(size=(2, 21, N)))
        expected = float(jnp.mean((model.read(g) - y) ** 2))
        assert float(mse(model, g, y, block=block)) == pytest.approx(
            expected, rel=1e-12
        )
