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

SEEDS = range(3)
MARGIN = 0.2
PROPORTIONAL = [Sizes.proportional(N) for N in (32, 64, 128, 256)]
K_ONLY = [Sizes(64, K, 320, 32) for K in (64, 128, 256, 512)]


def rms(a):
    return float(np.sqrt(np.mean(np.square(a))))


def one_step(sizes, seed, **words):
    """Sizes of Z, F and their changes in one step on the batch, and of the spike."""
    p = prescribe(**sizes._asdict(), eta0=0.05, **words)
    data = denoising(data_set("isotropic"), N=sizes.N, P=sizes.B, seed=seed, noise=0.5)
    x, y = jnp.asarray(data.inputs), jnp.asarray(data.targets)
    model = DenseAM(p, key=jax.random.key(seed))
    tx = prescribed(p)
    grads = jax.grad(lambda m: jnp.sum((m(x) - y) ** 2) / (2 * len(x)))(model)
    updates, _ = tx.update(grads, tx.init(model), model)
    W, U = (np.asarray(m.W, np.float64) for m in (model, updates))

    o = oracles.Oracle(p.s1, p.s2, p.activation, p.centered)
    zeros = np.zeros(sizes.K), np.zeros(sizes.N)
    G = oracles.features(o, data.inputs.T.astype(np.float64))
    before, after = (W, *zeros), (W + U, *zeros)
    Z, S, _ = oracles.hidden(o, before, G)
    new_Z = oracles.hidden(o, after, G)[0]
    F, new_F = oracles.forward(o, before, G), oracles.forward(o, after, G)
    S = S * sizes.K if p.activation == "softmax" else S
    spike = np.linalg.eigvalsh(S.T @ S / sizes.K)[-1]
    return {
        "Z": rms(Z),
        "F": rms(F),
        "Delta Z": rms(new_Z - Z),
        "Delta F": rms(new_F - F),
        "spike": spike,
    }


def measured_slopes(**words):
    k_only = words.get("regime") == "k-only"
    several = K_ONLY if k_only else PROPORTIONAL
    rows = [[one_step(sizes, seed, **words) for seed in SEEDS] for sizes in several]
    along = [sizes.K for sizes in several]
    return {
        name: oracles.slope(along, [np.mean([r[name] for r in row]) for row in rows])
        for name in rows[0][0]
    }


def check(**words):
    """All declared exponents are 0; the K-only F has a limit from above."""
    slopes = measured_slopes(**words)
    print({**words}, {name: round(s, 3) for name, s in slopes.items()})
    wrong = {name: s for name, s in slopes.items() if abs(s) > MARGIN}
    if words.get("regime") == "k-only" and slopes["F"] < 0:
        wrong.pop("F", None)  # falls as K^-1/2 to its limit, which is f's mean
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
    check(regime=regime, activation=activation, optimizer=optimizer)


FAULTS = {
    "eta_W without K": (
        dict(activation="relu:1", optimizer="sgd"),
        dict(rates=PerRole()),
        "Delta F: -1",
    ),
    "eta_W without K, linear": (
        dict(activation="linear", optimizer="sgd"),
        dict(rates=PerRole()),
        "Delta F: -",
    ),
    "eta_W with the square of K": (
        dict(activation="relu:1", optimizer="sgd"),
        dict(rates=PerRole(W=Power(K=2))),
        "Delta F: ",
    ),
    "s2 = 1/K in the proportional regime": (
        dict(activation="relu:1", optimizer="adam"),
        dict(s2=Power(K=-1)),
        "F: -0.5",
    ),
    "no s1": (
        dict(activation="relu:1", optimizer="adam"),
        dict(s1=Power()),
        "Z: 0.",
    ),
    "Adam's rate with K": (
        dict(activation="relu:1", optimizer="adam"),
        dict(rates=PerRole(W=Power(K=1))),
        "Delta Z: ",
    ),
    "Adam's rate falls as N^-1/2": (
        dict(activation="linear", optimizer="adam"),
        dict(rates=PerRole(W=Power(N=-0.5))),
        "Delta Z: -0.5",
    ),
    "softmax with s2 = 1 in the proportional regime": (
        dict(activation="softmax", optimizer="adam"),
        dict(s2=Power()),
        "F: -0.",
    ),
    "K-only with s2 = K^-1/2": (
        dict(activation="relu:1", optimizer="adam", regime="k-only"),
        dict(s2=Power(K=-0.5)),
        "Delta F: 0.",
    ),
    "K-only, eta_W without K": (
        dict(activation="relu:1", optimizer="sgd", regime="k-only"),
        dict(rates=PerRole()),
        "Delta F: -",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_noticed(fault, monkeypatch):
    words, change, said = FAULTS[fault]
    p = prescribe(N=8, K=8, **words)
    faulty = tuple(
        dataclasses.replace(row, **change) if row is p.row else row
        for row in table.TABLE
    )
    monkeypatch.setattr(table, "TABLE", faulty)
    with pytest.raises(AssertionError, match=said):
        check(**words)


def test_the_spike_of_an_uncentered_model_is_noticed():
    with pytest.raises(AssertionError, match=r"Delta F: 0\.\d+, spike: 0\.9"):
        check(activation="relu:1", optimizer="sgd", centered=False)


def test_the_standard_parameterization_is_noticed():
    with pytest.raises(AssertionError, match="Delta F"):
        check(activation="relu:1", optimizer="adam", parameterization="sp")
