"""The contract of every data set, and of denoising tasks made of it."""

import re

import numpy as np
import pytest

from scaletx.data import DATA_SETS, data_set, denoising, lambda_max, require_size

SETS = pytest.mark.parametrize("name", DATA_SETS)
N = 36


def task(name, P=400, seed=0, noise=0.5, N=N):
    return denoising(data_set(name), N=N, P=P, seed=seed, noise=noise)


@SETS
def test_shape_and_type(name):
    data = task(name, P=7)
    for array in data:
        assert array.shape == (7, N)
        assert array.dtype == np.float32
        assert np.isfinite(array).all()


@SETS
def test_the_same_seed_gives_the_same_numbers_whatever_was_drawn_before(name):
    first = task(name)
    np.random.seed(1)
    task(name, seed=8)
    task(name, P=3)
    for a, b in zip(first, task(name), strict=True):
        np.testing.assert_array_equal(a, b)


@SETS
def test_another_seed_gives_other_samples_and_other_noise(name):
    a, b = task(name), task(name, seed=1)
    for one, other in zip(a, b, strict=True):
        assert not np.allclose(one, other)
    noise_a, noise_b = a.inputs - a.targets, b.inputs - b.targets
    assert abs(np.corrcoef(noise_a.ravel(), noise_b.ravel())[0, 1]) < 0.05


@SETS
def test_held_out_samples_and_noise_are_fresh(name):
    data = task(name)
    assert not np.allclose(data.targets, data.test_targets)
    distances = np.abs(data.targets[:, None] - data.test_targets).max(axis=-1)
    assert distances.min() > 1e-3
    xi, test_xi = (data.inputs - data.targets, data.test_inputs - data.test_targets)
    assert abs(np.corrcoef(xi.ravel(), test_xi.ravel())[0, 1]) < 0.05


@SETS
@pytest.mark.parametrize("noise", [0.5, 2.0])
def test_the_noise_is_in_the_inputs_at_the_said_level(name, noise):
    data = task(name, noise=noise)
    for inputs, targets in (data[:2], data[2:]):
        xi = inputs - targets
        # 14,400 numbers: a relative error of 1/sqrt(2 n) = .6 %.
        assert xi.std() == pytest.approx(noise, rel=0.03)
        assert abs(xi.mean()) < 4 * noise / xi.size**0.5
        assert abs(np.corrcoef(xi.ravel(), targets.ravel())[0, 1]) < 0.05


@SETS
def test_without_noise_inputs_are_targets(name):
    data = task(name, noise=0)
    np.testing.assert_array_equal(data.inputs, data.targets)
    np.testing.assert_array_equal(data.test_inputs, data.test_targets)


@SETS
def test_the_noise_does_not_move_the_samples(name):
    np.testing.assert_array_equal(
        task(name, noise=0.1).targets, task(name, noise=3.0).targets
    )


@SETS
def test_samples_are_of_order_one(name):
    sizes = data_set(name).sizes or (16, 64, 256)
    for size in sizes[:4]:
        targets = task(name, N=size).targets
        assert abs(targets.mean()) < 0.1
        assert targets.std() == pytest.approx(1, abs=0.05)


@SETS
def test_identity_says_what_the_samples_are_and_not_where(name):
    identity = data_set(name).identity()
    digest = "" if name == "isotropic" else ":[0-9a-f]{16}"
    assert re.fullmatch(f"{name}{digest}", identity)


@SETS
def test_sizes_are_those_it_can_give(name):
    sizes = data_set(name).sizes
    for size in sizes or (1, 7, 36):
        require_size(name, size)
        assert task(name, P=2, N=size).inputs.shape == (2, size)
    if sizes is not None:
        known = "it gives N = 36, 64, 144, 256, 576, 2304"
        with pytest.raises(ValueError, match=f"cannot give N=100: {known}"):
            require_size(name, 100)


def test_unknown_names_name_the_nearest():
    for lookup in (data_set, lambda name: require_size(name, 36)):
        with pytest.raises(ValueError, match="data='patch'.*Did you mean 'patches'"):
            lookup("patch")


@pytest.mark.parametrize("noise", [-0.1, float("nan"), "1"])
def test_noise_is_not_negative(noise):
    with pytest.raises(ValueError, match="noise=.*>= 0"):
        task("isotropic", noise=noise)


@pytest.mark.parametrize("P", [30, 50, 200])
def test_lambda_max_is_the_largest_eigenvalue(P):
    g = np.random.default_rng(0).normal(size=(P, 50)) + 0.3
    expected = np.linalg.eigvalsh(g.T @ g / P)[-1]
    assert lambda_max(g) == pytest.approx(expected, rel=1e-12)
    assert isinstance(lambda_max(g.astype(np.float32)), float)


def test_lambda_max_of_isotropic_data_is_at_the_edge_of_marchenko_and_pastur():
    N, rho, noise = 300, 5, 0.5
    data = task("isotropic", N=N, P=rho * N, noise=noise)
    g = np.tanh(data.inputs)
    x = np.random.default_rng(0).normal(size=1_000_000) * np.sqrt(1 + noise**2)
    edge = np.mean(np.tanh(x) ** 2) * (1 + rho**-0.5) ** 2
    assert edge == pytest.approx(0.91, abs=0.01)  # as equations.md prints it
    assert lambda_max(g) == pytest.approx(edge, rel=0.03)


def test_lambda_max_of_photos_grows_with_N():
    from oracles import slope

    sizes = (36, 64, 144, 256)
    tops = [lambda_max(np.tanh(task("patches", N=n, P=5 * n).inputs)) for n in sizes]
    assert slope(sizes, tops) == pytest.approx(0.97, abs=0.1)
