"""The contract of every data set, and of denoising tasks made of it."""

import re

import numpy as np
import pytest
from oracles import slope

from scaletx.data import DATA_SETS, data_set, denoising, lambda_max, require_size

# A size at which each set is tried, with 400 samples.
WORDS = {
    "isotropic": 36,
    "patches": 36,
    "power-law:1": 36,
    "power-law:0.5:projection": 36,
    "digits": 64,
    "cifar10:FOLDER": 64,
    "cifar10:FOLDER:color": 48,
    "cifar100:FOLDER": 64,
    "cifar100:FOLDER:color": 12,
}
SETS = pytest.mark.parametrize("name", WORDS, indirect=True)
N = 36


@pytest.fixture
def name(request, cifar_parent):
    return request.param.replace("FOLDER", str(cifar_parent))


def size_of(name):
    return next(
        (N for word, N in WORDS.items() if data_set(word).label == data_set(name).label)
    )


def task(name, P=400, seed=0, noise=0.5, N=None):
    N = N or size_of(name)
    return denoising(data_set(name), N=N, P=P, seed=seed, noise=noise)


def test_every_kind_is_tried():
    assert {word.split(":")[0] for word in WORDS} == set(DATA_SETS)


@SETS
def test_shape_and_type(name):
    data = task(name, P=7)
    for array in data:
        assert array.shape == (7, size_of(name))
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
    sizes = data_set(name).sizes
    some = sizes[:4] if isinstance(sizes, tuple) else (16, 64)
    for size in some:
        targets = task(name, N=size).targets
        assert abs(targets.mean()) < 0.1
        assert targets.std() == pytest.approx(1, abs=0.05)


@SETS
def test_the_first_samples_do_not_depend_on_how_many_follow(name):
    """Up to the line of the standardization, where there is one."""
    size = size_of(name)
    few, many = (data_set(name).clean(size, P, seed=3, test=True) for P in (20, 50))
    # Color is standardized channel by channel.
    channels = 3 if name.endswith("color") else 1
    for a, b in zip(
        np.split(few, channels, axis=1),
        np.split(many[:20], channels, axis=1),
        strict=True,
    ):
        factor, offset = np.polyfit(a.ravel(), b.ravel(), 1)
        assert factor == pytest.approx(1, abs=0.4)
        np.testing.assert_allclose(b, factor * a + offset, atol=1e-4)


@SETS
def test_identity_says_what_the_samples_are_and_not_where(name, cifar_parent):
    data = data_set(name)
    files = name.split(":")[0] not in ("isotropic", "power-law")
    digest = ":[0-9a-f]{16}" if files else ""
    assert re.fullmatch(f"{re.escape(data.label)}{digest}", data.identity())
    assert data.label.split(":")[0] == name.split(":")[0]
    assert str(cifar_parent) not in data.identity()
    assert data.identity() == data_set(name).identity()


@SETS
def test_sets_without_a_folder_are_found_by_their_label(name):
    data = data_set(name)
    if "cifar" not in name:
        assert data_set(data.label).label == data.label
        a, b = (
            data_set(n).clean(size_of(name), 3, seed=0, test=True)
            for n in (name, data.label)
        )
        np.testing.assert_array_equal(a, b)


@SETS
def test_sizes_are_those_it_can_give(name):
    sizes = data_set(name).sizes
    for size in sizes if isinstance(sizes, tuple) else (1, 7, 36):
        require_size(name, size, 2)
        assert task(name, P=2, N=size).inputs.shape == (2, size)
    if isinstance(sizes, tuple):
        known = f"it gives N = {', '.join(map(str, sizes))}"
        with pytest.raises(ValueError, match=f"cannot give N=100: {known}"):
            require_size(name, 100)


@SETS
def test_more_samples_than_there_are_are_refused(name):
    size, holds = size_of(name), data_set(name).holds
    if holds is None:
        require_size(name, size, 10**9)
        return
    require_size(name, size, min(holds))
    said = f"{holds[0]:,} training and {holds[1]:,} held-out samples"
    with pytest.raises(ValueError, match=f"P={min(holds) + 1}: it has {said}"):
        require_size(name, size, min(holds) + 1)
    for test, what in ((False, "training"), (True, "held-out")):
        everything = data_set(name).clean(size, holds[test], seed=0, test=test)
        assert everything.shape == (holds[test], size)
        with pytest.raises(ValueError, match=f"there are {holds[test]} {what} images"):
            data_set(name).clean(size, holds[test] + 1, seed=0, test=test)


@SETS
def test_no_sample_comes_twice_or_in_both_sets(name):
    holds = data_set(name).holds
    if holds is not None:
        size = data_set(name).sizes[-1]
        everything = np.vstack(
            [data_set(name).clean(size, holds[t], seed=1, test=t) for t in (0, 1)]
        )
        assert len(np.unique(everything, axis=0)) == sum(holds)


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
    sizes = (36, 64, 144, 256)
    tops = [lambda_max(np.tanh(task("patches", N=n, P=5 * n).inputs)) for n in sizes]
    assert slope(sizes, tops) == pytest.approx(0.97, abs=0.1)
