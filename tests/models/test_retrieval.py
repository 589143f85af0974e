"""Retrieval against plain numpy, its energy, and what it refuses."""

import jax
import jax.numpy as jnp
import numpy as np
import oracles
import pytest

from scaletx import retrieve

N, K, STEPS = 13, 7, 4
SETTINGS = [
    ("softmax", "identity"),
    *((a, "tanh") for a in ("softmax", "linear", "relu:1", "relu:2")),
    *((a, "sign") for a in ("softmax", "linear", "relu:1", "relu:2")),
]
CASES = pytest.mark.parametrize("activation, visible", SETTINGS)
CENTERED = pytest.mark.parametrize("centered", [False, True])


def patterns(visible):
    rng = np.random.default_rng(3)
    memories, query = rng.normal(size=(K, N)), rng.normal(size=(4, N))
    if visible == "sign":
        return np.sign(memories), np.sign(query)
    return (memories, query) if visible == "identity" else (memories, np.tanh(query))


def plain(memories, xi, activation, visible, centered, gain=4.0):
    """The iteration and its energy, one query, from the tables of the docstring."""
    soft = activation == "softmax"
    s1 = N / np.mean([m @ m for m in memories]) if soft else 1 / N
    b = -s1 * np.array([m @ m for m in memories]) / 2 if soft else np.zeros(K)
    C = oracles.centering(K) if centered else np.eye(K)
    W, b = C @ memories, C @ b
    s2 = gain if visible == "tanh" else 1.0
    states, energies = [xi], []
    for _ in range(STEPS):
        x = s2 * W.T @ oracles.phi(activation, (s1 * W @ states[-1] + b)[:, None])[:, 0]
        g = {"identity": x, "tanh": np.tanh(x), "sign": np.sign(x)}[visible]
        tied = np.abs(x) <= 1e-6 * np.abs(x).max()
        states.append(np.where(tied, states[-1], g) if visible == "sign" else g)
    for s in states:
        z = s1 * W @ s + b
        if soft:
            L = np.log(np.exp(z).sum())
        elif activation == "linear":
            L = (z**2).sum() / 2
        else:
            p = int(activation[-1])
            root = oracles.double_factorial_norm(p)
            L = (np.maximum(z, 0) ** (p + 1)).sum() / (p + 1) / root
        dual = 0.0
        if visible == "identity":
            dual = (s**2).sum() / 2
        elif visible == "tanh":
            dual = sum(a * np.log(a) for a in (*(1 + s), *(1 - s)) if a > 0) / 2
        energies.append(dual / s2 - L / s1)
    return states, energies, oracles.phi(activation, z[:, None])[:, 0]


@CASES
@CENTERED
def test_retrieval_is_the_plain_iteration(activation, visible, centered):
    memories, query = patterns(visible)
    with jax.enable_x64():
        found = retrieve(
            memories,
            query,
            activation=activation,
            visible=visible,
            centered=centered,
            steps=STEPS,
            weights=True,
        )
        for i, xi in enumerate(query):
            states, energies, sigma = plain(memories, xi, activation, visible, centered)
            got = found.trajectory[:, i]
            np.testing.assert_allclose(got, states, rtol=1e-9, atol=1e-12)
            np.testing.assert_allclose(
                found.energies[:, i], energies, rtol=1e-8, atol=1e-12
            )
            np.testing.assert_allclose(found.weights[i], sigma, rtol=1e-8, atol=1e-12)
            k_eff = np.abs(sigma).sum() ** 2 / (sigma**2).sum()
            assert float(found.K_eff[i]) == pytest.approx(k_eff, rel=1e-8)
        np.testing.assert_array_equal(found.state, found.trajectory[-1])


@CASES
@CENTERED
def test_energy_never_rises(activation, visible, centered):
    memories, query = patterns(visible)
    with jax.enable_x64():
        found = retrieve(
            memories,
            query,
            activation=activation,
            visible=visible,
            centered=centered,
            steps=15,
        )
        scale = jnp.max(jnp.abs(found.energies))
        assert float(jnp.max(jnp.diff(found.energies, axis=0))) <= 1e-12 * scale
        assert float(found.energies[0].max() - found.energies[-1].min()) > 0


def test_energy_is_finite_at_the_corners():
    memories = jnp.sign(jax.random.normal(jax.random.key(0), (5, 8)))
    found = retrieve(memories, memories, activation="relu:1", visible="tanh")
    assert bool(jnp.isfinite(found.energies).all())


@pytest.mark.parametrize("activation", ["softmax", "relu:3"])
def test_a_noisy_memory_is_found(activation):
    rng = np.random.default_rng(0)
    memories = np.sign(rng.normal(size=(200, 100)))
    flips = np.where(rng.random((200, 100)) < 0.1, -1, 1)
    found = retrieve(memories, memories * flips, activation=activation, visible="sign")
    assert float(jnp.mean(found.state == memories)) > 0.999
    assert bool(found.converged.all())


def test_converged_tells_which_queries_still_move():
    rng = np.random.default_rng(0)
    memories = np.sign(rng.normal(size=(5, 64)))
    query = np.stack([memories[0], memories[1] * np.where(np.arange(64) < 3, -1, 1)])
    for steps, wanted in ((1, [True, False]), (2, [True, True])):
        found = retrieve(memories, query, activation="relu:2", steps=steps)
        assert found.converged.tolist() == wanted


def test_real_memories_are_found_whatever_their_scale():
    rng = np.random.default_rng(0)
    memories = rng.normal(size=(50, 64))
    query = memories + 0.3 * rng.normal(size=memories.shape)
    with jax.enable_x64():
        for scale in (1e-3, 1.0, 1e3):
            found = retrieve(scale * memories, scale * query, weights=True)
            np.testing.assert_allclose(found.state, scale * memories, rtol=1e-3,
                                       atol=1e-3 * scale)  # fmt: skip
            np.testing.assert_allclose(found.K_eff, 1, rtol=1e-3)
            assert jnp.argmax(found.weights, axis=-1).tolist() == list(range(50))


def test_the_nearest_memory_is_found_not_the_longest():
    memories = np.diag([1.0, 5.0, 10.0]) + 0.5
    query = memories[0] + 0.1
    found = retrieve(memories, query, beta=20.0, weights=True)
    np.testing.assert_allclose(found.state, memories[0], rtol=1e-4)
    assert int(jnp.argmax(found.weights)) == 0


@pytest.mark.parametrize("activation", ["linear", "relu:1", "relu:2"])
def test_without_self_coupling_a_unit_does_not_hear_itself(activation):
    """To first order: the step at a unit does not change when its own sign does."""
    memories, query = patterns("sign")
    z = query[0] @ memories.T / N
    with jax.enable_x64():
        found = retrieve(
            memories,
            query[0],
            activation=activation,
            visible="tanh",
            gain=1e-3,
            self_coupling=False,
            steps=1,
        )
    x = np.arctanh(np.asarray(found.state)) / 1e-3
    plain_x = memories.T @ oracles.phi(activation, z[:, None])[:, 0]
    for i in range(N):
        slope = oracles.jacobian_product(activation, z[:, None], np.ones((K, 1)))
        own = query[0][i] * np.sum(slope[:, 0] * memories[:, i] ** 2) / N
        assert x[i] == pytest.approx(plain_x[i] - own, rel=1e-4, abs=1e-6)


def test_without_self_coupling_more_disturbed_patterns_are_found():
    rng = np.random.default_rng(0)
    memories = np.sign(rng.normal(size=(30_000, 128)))
    flips = np.where(rng.random((50, 128)) < 0.1, -1, 1)
    query = memories[:50] * flips

    def share(**words):
        found = retrieve(memories, query, activation="relu:3", **words)
        return float(jnp.mean(jnp.mean(found.state == memories[:50], axis=1) > 0.975))

    assert share() < 0.5 < share(self_coupling=False)


def test_it_runs_under_jit_and_vmap():
    memories, query = patterns("sign")
    alone = retrieve(memories, query, activation="relu:2").state
    jitted = jax.jit(lambda m, q: retrieve(m, q, activation="relu:2").state)
    np.testing.assert_array_equal(jitted(memories, query), alone)
    pointed = jax.jit(lambda b: retrieve(memories, query, beta=b).state)
    np.testing.assert_allclose(
        pointed(2.0), retrieve(memories, query, beta=2.0).state, rtol=1e-5, atol=1e-6
    )
    mapped = jax.vmap(lambda q: retrieve(memories, q, activation="relu:2").state)
    np.testing.assert_array_equal(mapped(query), alone)


@pytest.mark.parametrize(
    "words, message",
    [
        ({"activation": "relu:2", "visible": "identity"}, "no lower bound"),
        ({"activation": "linear"}, "patterns of signs. Take jnp.sign"),
        ({"activation": "relu:1", "visible": "tanh", "beta": 2.0}, "sharpens softmax"),
        ({"visible": "step"}, "expected one of identity, tanh, sign"),
        ({"visible": "tanh", "gain": 0}, "gain"),
        ({"gain": 4.0}, "gain=4.0 with visible='identity': it sharpens tanh"),
        ({"visible": "tanh", "query": np.full(N, 1.5)}, "beyond -1 and 1"),
        ({"beta": 0}, "beta=0: expected a finite number > 0"),
        ({"beta": jnp.float32(-1)}, "beta=-1.0: expected a finite number > 0"),
        ({"memories": np.zeros((K, N))}, "all zero.*Give beta"),
        ({"memories": np.full((K, N), np.nan)}, "memories with values that are not"),
        ({"query": np.full(N, np.inf)}, "query with values that are not finite"),
        ({"memories": np.ones((0, N))}, "a memory or more"),
        ({"centered": "no"}, "centered='no': expected true or false"),
        ({"steps": 0}, "steps"),
        ({"self_coupling": False}, "known for relu:P and linear"),
        ({"query": np.ones(N + 1)}, r"expected \(K, N\) and \(..., N\)"),
        ({"memories": np.ones(N)}, r"expected \(K, N\) and \(..., N\)"),
    ],
)
def test_what_is_refused(words, message):
    memories, query = patterns("identity")
    arrays = (words.pop("memories", memories), words.pop("query", query))
    with pytest.raises(ValueError, match=message):
        retrieve(*arrays, **words)
