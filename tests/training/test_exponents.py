"""Measured exponents of one training step against the declared ones, and faults."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import oracles
import pytest

from scaletx import DenseAM, Sizes, prescribe
from scaletx.data import data_set, denoising
from scaletx.optimizers import prescribed
from scaletx.parameterization import table
from scaletx.parameterization.table import PerRole, Power

SEEDS = range(2)
MARGIN = 0.2
QUANTITIES = ("Z", "F", "Delta Z", "Delta F", "spike")
PROPORTIONAL = [Sizes.proportional(N) for N in (32, 96, 256)]
# At K 64..512 the slope of softmax's Delta F is still -.28; it is -.04 here.
K_ONLY = [Sizes(64, K, 320, 32) for K in (256, 768, 2048)]


def rms(a):
    return float(np.sqrt(np.mean(np.square(a))))


def states(p, W, G):
    """Z, S, F in float64; the mean is removed instead of a product by a dense C."""
    center = (lambda a: a - a.mean(axis=0)) if p.centered else (lambda a: a)
    W = center(W)
    Z = p.s1 * W @ G
    S = center(oracles.phi(p.activation, Z))
    return Z, S, p.s2 * W.T @ S


def one_step(sizes, **words):
    """Sizes of Z, F, their changes in one step on a batch, and of the spike."""
    p = prescribe(**sizes._asdict(), eta0=0.05, **words)

    @jax.jit
    def step(key, x, y):
        model, tx = DenseAM(p, key=key), prescribed(p)
        grads = jax.grad(lambda m: jnp.sum((m(x) - y) ** 2) / (2 * len(x)))(model)
        return model.W, tx.update(grads, tx.init(model), model)[0].W

    seen = []
    for seed in SEEDS:
        x, y, _, _ = denoising(
            data_set("isotropic"), N=sizes.N, P=sizes.B, seed=seed, noise=0.5
        )
        W, U = (np.asarray(a, np.float64) for a in step(jax.random.key(seed), x, y))
        G = x.T if p.activation == "linear" else np.tanh(x.T)
        Z, S, F = states(p, W, G)
        new_Z, _, new_F = states(p, W + U, G)
        S = S * sizes.K if p.activation == "softmax" else S
        spike = np.linalg.eigvalsh(S.T @ S / sizes.K)[-1]
        seen.append((rms(Z), rms(F), rms(new_Z - Z), rms(new_F - F), spike))
    return np.mean(seen, axis=0)


def measured_slopes(**words):
    several = K_ONLY if words.get("regime") == "k-only" else PROPORTIONAL
    sizes = np.transpose([one_step(sizes, **words) for sizes in several])
    K = [each.K for each in several]
    return {
        name: oracles.slope(K, values)
        for name, values in zip(QUANTITIES, sizes, strict=True)
    }


def check(slopes):
    """The one judgment, for right and planted rows: declared exponents are all 0."""
    wrong = {name: s for name, s in slopes.items() if abs(s) > MARGIN}
    assert not wrong, ", ".join(f"{name}: {s:.2f}" for name, s in wrong.items())


@pytest.mark.parametrize("regime", ["proportional", "k-only"])
@pytest.mark.parametrize(
    "activation, optimizer",
    [
        ("relu:1", "sgd"),
        ("relu:1", "adam"),
        ("linear", "sgd"),
        ("linear", "adam"),
        ("softmax", "adam"),
    ],
)
def test_the_table_keeps_every_quantity_of_order_one(regime, activation, optimizer):
    words = dict(regime=regime, activation=activation, optimizer=optimizer)
    check(measured_slopes(**words))


# The words, what is changed in their row, and what the change does to the slopes.
FAULTS = {
    "eta_W without K": (
        dict(activation="relu:1", optimizer="sgd"),
        dict(rates=PerRole()),
        {"Delta Z": -1, "Delta F": -1},
    ),
    "eta_W without K, linear": (
        dict(activation="linear", optimizer="sgd"),
        dict(rates=PerRole()),
        {"Delta Z": -1, "Delta F": -1},
    ),
    "eta_W with the square of K": (
        dict(activation="relu:1", optimizer="sgd"),
        dict(rates=PerRole(W=Power(K=2))),
        {"Delta Z": 1, "Delta F": 2},
    ),
    "s2 = 1/K in the proportional regime": (
        dict(activation="relu:1", optimizer="adam"),
        dict(s2=Power(K=-1)),
        {"F": -0.5, "Delta F": -0.5},
    ),
    "no s1": (
        dict(activation="relu:1", optimizer="adam"),
        dict(s1=Power()),
        {"Z": 0.5, "F": 0.5, "Delta Z": 0.5, "Delta F": 0.5, "spike": 1},
    ),
    "Adam's rate with K": (
        dict(activation="relu:1", optimizer="adam"),
        dict(rates=PerRole(W=Power(K=1))),
        {"Delta Z": 1, "Delta F": 2},
    ),
    "Adam's rate falls as N^-1/2": (
        dict(activation="linear", optimizer="adam"),
        dict(rates=PerRole(W=Power(N=-0.5))),
        {"Delta Z": -0.5, "Delta F": -0.5},
    ),
    "softmax with s2 = 1 in the proportional regime": (
        dict(activation="softmax", optimizer="adam"),
        dict(s2=Power()),
        {"F": -0.5, "Delta F": -0.4},
    ),
    "K-only with s2 = K^-1/2": (
        dict(activation="relu:1", optimizer="adam", regime="k-only"),
        dict(s2=Power(K=-0.5)),
        {"F": 0.35, "Delta F": 0.45},
    ),
    "K-only, eta_W without K": (
        dict(activation="relu:1", optimizer="sgd", regime="k-only"),
        dict(rates=PerRole()),
        {"Delta Z": -1, "Delta F": -1},
    ),
    "a model that is not centered": (
        dict(activation="relu:1", optimizer="sgd", centered=False),
        dict(),
        {"Delta F": 0.55, "spike": 0.93},
    ),
    "the standard parameterization": (
        dict(activation="relu:1", optimizer="adam", parameterization="sp"),
        dict(),
        {"Delta Z": 0.45, "Delta F": 1, "spike": 0.93},
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_noticed(fault, monkeypatch):
    words, change, expected = FAULTS[fault]
    p = prescribe(N=8, K=8, **words)
    faulty = tuple(
        dataclasses.replace(row, **change) if row is p.row else row
        for row in table.TABLE
    )
    monkeypatch.setattr(table, "TABLE", faulty)
    slopes = measured_slopes(**words)
    with pytest.raises(AssertionError) as error:
        check(slopes)
    for name, slope in expected.items():
        assert f"{name}: " in str(error.value)
        assert slopes[name] == pytest.approx(slope, abs=MARGIN)
