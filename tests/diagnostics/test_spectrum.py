import jax
import jax.numpy as jnp
import numpy as np
import pytest

from scaletx.diagnostics import (
    centered_effective_units,
    effective_units,
    feature_moments,
    spike_and_bulk,
)


def features(B, K, mean):
    return np.random.default_rng(0).normal(mean, 1, size=(B, K)).astype(np.float32)


@pytest.mark.parametrize(
    "B, K",
    [(2, 2), (7, 50), (50, 7), (65, 300), (300, 65), (64, 64), (200, 200), (512, 1024)],
)
@pytest.mark.parametrize("mean", [0.0, 1.0])
def test_the_two_largest_eigenvalues(B, K, mean):
    s = features(B, K, mean)
    wanted = np.linalg.svd(s.astype(float), compute_uv=False)[:2] ** 2 / K
    np.testing.assert_allclose(spike_and_bulk(s), wanted, rtol=2e-4)
    both = jax.jit(jax.vmap(spike_and_bulk))(jnp.stack([s, 2 * s]))
    doubled = np.stack([wanted, 4 * wanted], axis=1)
    np.testing.assert_allclose(both, doubled, rtol=2e-4)


def test_a_mean_makes_a_spike_that_grows_with_the_batch():
    """Planted: lambda_1 = B mean^2 + noise, lambda_2 stays."""
    small, large = (spike_and_bulk(features(B, 2 * B, 1.0)) for B in (100, 400))
    assert float(large[0] / small[0]) == pytest.approx(4, rel=0.05)
    assert float(large[1] / small[1]) == pytest.approx(1, rel=0.15)


def test_moments_are_those_of_the_eigenvalues():
    for B, K in ((6, 20), (20, 6)):
        s = features(B, K, 0.5)
        values = np.linalg.svd(s.astype(float), compute_uv=False) ** 2 / K
        wanted = values.sum() / B, (values**2).sum() / B
        np.testing.assert_allclose(feature_moments(s), wanted, rtol=1e-5)


def test_features_of_low_rank():
    """Directions run out before Lanczos does; two eigenvalues remain, or one."""
    s = np.zeros((100, 200), np.float32)
    s[0], s[1, :100] = 2.0, 1.0
    wanted = np.linalg.svd(s, compute_uv=False)[:2] ** 2 / 200
    np.testing.assert_allclose(spike_and_bulk(s), wanted, rtol=1e-4)
    s[1] = 0
    np.testing.assert_allclose(spike_and_bulk(s), [4, 0], atol=1e-4)
    np.testing.assert_array_equal(spike_and_bulk(0 * s), [0, 0])
    np.testing.assert_allclose(spike_and_bulk(10 * np.eye(100)), [1, 1], rtol=1e-5)


@pytest.mark.parametrize("shape", [(1, 5), (5, 1)])
def test_one_sample_or_unit_is_refused(shape):
    with pytest.raises(ValueError, match="expected two or more of each"):
        spike_and_bulk(jnp.ones(shape))


def test_effective_units_of_known_distributions():
    K = 8
    uniform, point = np.full(K, 1 / K), np.eye(K)[0]
    np.testing.assert_allclose(effective_units(np.stack([uniform, point])), [K, 1])
    centered = centered_effective_units(np.stack([uniform, point]))
    np.testing.assert_allclose(centered, [0, 1 - 1 / K], atol=1e-12)
    sigma = np.random.default_rng(0).dirichlet(np.ones(K), size=20)
    right = 1 / np.asarray(effective_units(sigma)) - 1 / K
    np.testing.assert_allclose(centered_effective_units(sigma), right, rtol=1e-4)


@pytest.mark.parametrize("s", [0.1, 0.4, 0.7])
def test_effective_units_at_initialization(s):
    """K_eff/K -> exp(-s^2) for Gaussian pre-activations of root mean square s."""
    z = s * np.random.default_rng(1).normal(size=(20, 20_000))
    sigma = jax.nn.softmax(z, axis=-1)
    ratio = np.asarray(effective_units(sigma)).mean() / z.shape[-1]
    assert ratio == pytest.approx(np.exp(-(s**2)), rel=0.01)
