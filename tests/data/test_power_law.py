import numpy as np
import pytest
from oracles import slope

from scaletx.data import data_set
from scaletx.data.power_law import PowerLaw, _basis


def covariance(samples):
    """Of a law whose mean is zero."""
    return samples.T.astype(float) @ samples / len(samples)


@pytest.mark.parametrize("alpha", [0, 0.5, 1, 2.5])
@pytest.mark.parametrize("projection", [False, True])
def test_eigenvalues_follow_the_law_with_mean_one(alpha, projection):
    values = PowerLaw(alpha=alpha, projection=projection).eigenvalues(100)
    assert values.mean() == pytest.approx(1)
    assert slope(np.arange(1, 101), values) == pytest.approx(-alpha)


@pytest.mark.parametrize("alpha", [0.5, 1.0, 1.5])
def test_the_measured_spectrum_is_the_power_law(alpha):
    N, P = 40, 40_000
    samples = data_set(f"power-law:{alpha}").clean(N, P, seed=1, test=False)
    law = np.arange(1, N + 1.0) ** -alpha
    law *= N / law.sum()
    found = np.linalg.eigvalsh(covariance(samples))[::-1]
    # An eigenvalue fluctuates by sqrt(2/P) = .7 %; neighbors repel by sqrt(N/P) = 3 %.
    np.testing.assert_allclose(found, law, rtol=0.07)
    assert found.mean() == pytest.approx(1, abs=0.02)
    assert slope(np.arange(1, N + 1), found) == pytest.approx(-alpha, abs=0.02)


def test_held_out_samples_have_the_same_covariance_and_other_seeds_another():
    def of(seed, test):
        samples = data_set("power-law:1").clean(30, 20_000, seed=seed, test=test)
        return covariance(samples)

    assert np.abs(of(0, True) - of(0, False)).max() < 0.1
    assert np.abs(of(0, True) - of(1, True)).max() > 0.5


@pytest.mark.parametrize("relation", ["fresh", "projection"])
def test_exponent_zero_is_isotropic(relation):
    samples = data_set(f"power-law:0:{relation}").clean(20, 20_000, seed=2, test=False)
    # Entries of the covariance fluctuate by sqrt(1/P) = .7 %.
    np.testing.assert_allclose(covariance(samples), np.eye(20), atol=0.04)
    kurtosis = np.mean(samples.astype(float) ** 4)
    assert kurtosis == pytest.approx(3, abs=0.05)


@pytest.mark.parametrize("alpha", [0.5, 1.5])
@pytest.mark.parametrize("test", [False, True])
def test_a_projection_is_the_start_of_a_larger_one(alpha, test):
    data = data_set(f"power-law:{alpha}:projection")
    small, large = (data.clean(N, 1100, seed=3, test=test) for N in (16, 64))
    factor, offset = np.polyfit(large[:, :16].ravel(), small.ravel(), 1)
    np.testing.assert_allclose(small, factor * large[:, :16], atol=1e-4)
    assert abs(offset) < 1e-5


def test_fresh_sizes_share_nothing():
    small, large = (
        data_set("power-law:1").clean(N, 2000, seed=3, test=False) for N in (16, 64)
    )
    assert np.abs(small.T @ large / 2000).max() < 0.75


def test_a_projection_is_one_of_the_law_in_the_ambient_dimension():
    """Against the covariance computed from the definition."""
    data = PowerLaw(alpha=1.5, projection=True)
    q = _basis(4096, 24, 5).astype(float)
    law = data.eigenvalues(4096)
    expected = q.T @ (law[:, None] * q)
    expected *= 24 / np.trace(expected)
    samples = data.clean(24, 20_000, seed=5, test=False)
    np.testing.assert_allclose(
        covariance(samples), expected, atol=0.03 * np.linalg.eigvalsh(expected)[-1]
    )


@pytest.mark.parametrize("ambient, N", [(24, 24), (300, 24)])
def test_the_basis_is_orthonormal_nested_and_uniform(ambient, N):
    basis = _basis(ambient, N, 0)
    np.testing.assert_allclose(basis.T @ basis, np.eye(N), atol=1e-5)
    np.testing.assert_allclose(_basis(ambient, 7, 0), basis[:, :7], atol=1e-5)
    # LAPACK alone would give the diagonal one sign.
    corner = [_basis(4, 4, seed)[0, 0] for seed in range(400)]
    assert abs(np.mean(corner)) < 0.1
    assert np.mean(np.square(corner)) == pytest.approx(1 / 4, abs=0.03)


@pytest.mark.parametrize("alpha", [-1, float("nan"), float("inf"), "1"])
def test_the_exponent_is_not_negative(alpha):
    with pytest.raises(ValueError, match="alpha=.*>= 0"):
        PowerLaw(alpha=alpha)
