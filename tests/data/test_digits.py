import warnings

import numpy as np

from scaletx.data import data_set
from scaletx.data.digits import _digits


def test_the_images_are_those_of_scikit_learn():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from sklearn.datasets import load_digits
    np.testing.assert_array_equal(_digits(), load_digits().images)


def test_the_same_images_at_every_size():
    fine, coarse = (
        data_set("digits").clean(N, 30, seed=2, test=True) for N in (64, 16)
    )
    averaged = fine.reshape(30, 4, 2, 4, 2).mean(axis=(2, 4)).reshape(30, 16)
    slope, offset = np.polyfit(averaged.ravel(), coarse.ravel(), 1)
    np.testing.assert_allclose(coarse, slope * averaged + offset, atol=1e-4)


def test_training_images_are_standardized_to_mean_zero_and_deviation_one():
    for N in (4, 16, 64):
        samples = data_set("digits").clean(N, 300, seed=2, test=False).astype(float)
        assert abs(samples.mean()) < 1e-6
        assert abs(samples.std() - 1) < 1e-6


def test_the_seed_splits_the_images():
    """A standardized image is known by its pixels up to one line: zero is the paper."""

    def images(seed, test):
        samples = data_set("digits").clean(64, 898, seed=seed, test=test).astype(float)
        low = samples.min()
        pixels = np.rint(16 * (samples - low) / (samples.max() - low)).astype(int)
        return {tuple(row) for row in pixels}

    assert len(images(0, False) & images(0, True)) == 0
    assert 400 < len(images(0, False) & images(1, True)) < 500
