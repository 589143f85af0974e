import dataclasses

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
import oracles
import pytest

from scaletx import DenseAM, equivalent, prescribe, transfer
from scaletx.optimizers import prescribed

N, K, P, B = 6, 9, 20, 5
CASES = pytest.mark.parametrize(
    "optimizer, regime, live",
    [
        ("sgd", "proportional", False),
        ("adam", "proportional", False),
        ("sgd", "k-only", True),
        ("adam", "k-only", False),
    ],
)


def prescription(optimizer="adam", regime="proportional", **more):
    """Rates and epsilons that differ between the roles, so that a swap is seen."""
    rates = {"eta0": 0.02, "eta_b0": 0.01, "eta_c0": 0.03, "eps0": 1e-2}
    sizes = {"N": N, "K": K, "biases": "normal"}
    return prescribe(**{**sizes, **rates, **more}, regime=regime, optimizer=optimizer)


def data():
    return np.random.default_rng(5).normal(size=(2, P, N))


def batches(steps):
    rng = np.random.default_rng(6)
    return np.array([rng.permutation(P)[:B] for _ in range(steps)])


def stepper(tx):
    x, y = jnp.asarray(data())

    @jax.jit
    def step(model, state, batch):
        def loss(m):
            return jnp.sum((m(x[batch]) - y[batch]) ** 2) / (2 * B)

        updates, state = tx.update(jax.grad(loss)(model), state, model)
        return eqx.apply_updates(model, updates), state

    return step


def run(p, tx, steps=12):
    model = DenseAM(p, key=jax.random.key(1), dtype=jnp.float64)
    state, step = tx.init(model), stepper(tx)
    for batch in batches(steps):
        model, state = step(model, state, batch)
    return model


def oracle_rule(p, b1=0.9, b2=0.999):
    rates = (p.eta_W, p.eta_b, p.eta_c)
    if p.eps is None:
        return oracles.sgd(rates)
    return oracles.adam(rates, (p.eps["W"], p.eps["b"], p.eps["c"]), b1, b2)


def oracle_run(p, rule, steps=12, factors=None):
    model = DenseAM(p, key=jax.random.key(1), dtype=jnp.float64)
    x, y = data()
    o = oracles.Oracle(p.s1, p.s2, p.activation, p.centered)
    theta = tuple(np.asarray(a) for a in (model.W, model.b, model.c))
    theta, _ = oracles.train(
        o, theta, rule, oracles.features(o, x.T), y.T, batches(steps), factors=factors
    )
    return theta


def same(model, theta, rtol=1e-10):
    for name, wanted in zip("Wbc", theta, strict=True):
        np.testing.assert_allclose(getattr(model, name), wanted, rtol=rtol, atol=1e-11)


@CASES
def test_follows_the_reference_loop(optimizer, regime, live):
    p = prescription(optimizer, regime, live_inner_bias=live)
    with jax.enable_x64():
        same(run(p, prescribed(p)), oracle_run(p, oracle_rule(p)))


def test_the_decays_of_adam_are_passed_on():
    p = prescription()
    with jax.enable_x64():
        model = run(p, prescribed(p, b1=0.5, b2=0.7))
        same(model, oracle_run(p, oracle_rule(p, 0.5, 0.7)))
        with pytest.raises(AssertionError):
            same(model, oracle_run(p, oracle_rule(p)))


@CASES
def test_a_schedule_multiplies_all_roles_alike(optimizer, regime, live):
    p = prescription(optimizer, regime, live_inner_bias=live)
    factors = [1.0, 0.5, 0.25, 2.0, 0.0, 1.0]
    table = jnp.array(factors)
    with jax.enable_x64():
        model = run(p, prescribed(p, schedule=lambda t: table[t]), steps=6)
        same(model, oracle_run(p, oracle_rule(p), steps=6, factors=factors))


def test_ratios_between_roles_stay_over_all_steps():
    p = prescription("sgd")
    tx = prescribed(p, schedule=optax.cosine_decay_schedule(1.0, 10))
    model = DenseAM(p, key=jax.random.key(1))
    ones = jax.tree.map(jnp.ones_like, model)
    state, seen = tx.init(model), []
    for _ in range(8):
        updates, state = tx.update(ones, state, model)
        seen.append([-float(getattr(updates, r).ravel()[0]) for r in "Wbc"])
    seen = np.array(seen)
    assert np.ptp(seen[:, 0]) > 0.1 * seen[0, 0]
    ratios = [p.eta_W / p.eta_c, p.eta_b / p.eta_c]
    np.testing.assert_allclose(seen[:, :2] / seen[:, 2:], [ratios] * 8, rtol=1e-5)


@pytest.mark.parametrize("optimizer", ["sgd", "adam"])
def test_save_and_restore_in_mid_schedule_equals_the_uninterrupted_run(
    optimizer, tmp_path
):
    p = prescription(optimizer)
    order = batches(10)

    def build():
        tx = prescribed(p, schedule=optax.linear_schedule(1.0, 0.0, 10))
        model = DenseAM(p, key=jax.random.key(1))
        return model, tx.init(model), stepper(tx)

    model, state, step = build()
    for i, batch in enumerate(order):
        model, state = step(model, state, batch)
        if i == 4:
            eqx.tree_serialise_leaves(tmp_path / "saved.eqx", (model, state))
    fresh, fresh_state, step = build()
    again = eqx.tree_deserialise_leaves(tmp_path / "saved.eqx", (fresh, fresh_state))
    for batch in order[5:]:
        again = step(*again, batch)
    for a, b in zip(
        jax.tree.leaves((model, state)), jax.tree.leaves(again), strict=True
    ):
        np.testing.assert_array_equal(a, b)


def test_the_data_aware_rate():
    p = prescription("sgd")
    aware = prescription("sgd", lambda_max=4.0)
    with jax.enable_x64():
        same(run(aware, prescribed(aware)), oracle_run(aware, oracle_rule(aware)))
        model = run(aware, prescribed(aware))
        for tx in (
            prescribed(p, lambda_max=4.0),
            prescribed(aware, lambda_max=jnp.array(4.0)),
        ):
            same(run(p, tx), (model.W, model.b, model.c))


def test_init_refuses_a_model_built_under_another_prescription():
    p = prescription()
    key = jax.random.key(0)
    for name, other in {
        "optimizer=sgd, but p says optimizer=adam": prescription("sgd"),
        "regime=k-only": prescription(regime="k-only"),
        "N=12": transfer(p, N=12),
        "init_W=0.25": equivalent(p, 0.25),
        "activation=linear": prescription(activation="linear"),
        "centered=False": prescription(centered=False),
        "biases=off": prescription(biases="off"),
        "parameterization=sp": prescription(parameterization="sp", centered=True),
    }.items():
        with pytest.raises(ValueError, match=f"built under .*{name}"):
            prescribed(p).init(DenseAM(other, key=key))


def test_only_the_rates_and_the_samples_may_differ():
    model = DenseAM(prescription("sgd"), key=jax.random.key(0))
    prescribed(prescription("sgd", eta0=7.0, P=20, B=5, lambda_max=3.0)).init(model)


def test_init_refuses_foreign_trees():
    p = prescription()
    for tree in ({"W": jnp.ones((K, N))}, jnp.ones(3), [jnp.ones(3)], None):
        with pytest.raises(ValueError, match="carries no prescription: expected"):
            prescribed(p).init(tree)


def test_every_parameter_has_exactly_one_rule():
    """A model with a parameter that no rule names is an error, not a frozen weight."""

    class Larger(eqx.Module):
        inner: jax.Array
        prescription: object = eqx.field(static=True)

    p = prescription()
    with pytest.raises(ValueError, match="inner"):
        prescribed(p).init(Larger(jnp.ones(3), p.form))


def test_one_compilation_serves_all_rates_under_jit_and_vmap(compiles):
    p = prescription(biases="zero", eta_b0=None, eta_c0=None)
    x, y = data()
    model = DenseAM(p, key=jax.random.key(1))
    traces = []

    @jax.jit
    @jax.vmap
    def after_a_step(eta0):
        traces.append(eta0)
        tx = prescribed(p, eta0=eta0)
        grads = jax.grad(lambda m: jnp.sum((m(x) - y) ** 2) / (2 * P))(model)
        updates, _ = tx.update(grads, tx.init(model), model)
        return updates

    rates = jnp.array([0.1, 0.2, 0.4])
    first = after_a_step(rates)
    before = len(compiles)
    second = after_a_step(rates * 3)
    jax.block_until_ready(second)
    assert len(traces) == 1
    # The product by 3 is the only new program, if any.
    assert len(compiles) <= before + 1
    for role in "Wbc":
        a, b = (np.asarray(getattr(u, role)) for u in (first, second))
        np.testing.assert_allclose(
            a[1:],
            a[:1] * np.array([2.0, 4]).reshape(-1, *[1] * (a.ndim - 1)),
            rtol=1e-5,
            atol=1e-7,
        )
        np.testing.assert_allclose(b, 3 * a, rtol=1e-5, atol=1e-7)
        # Each lane is what the plain call gives for that rate.
        q = dataclasses.replace(p, eta0=0.2)
        tx = prescribed(q)
        grads = jax.grad(lambda m: jnp.sum((m(x) - y) ** 2) / (2 * P))(model)
        plain, _ = tx.update(grads, tx.init(model), model)
        np.testing.assert_allclose(a[1], getattr(plain, role), rtol=1e-5, atol=1e-7)
