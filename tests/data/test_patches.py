import numpy as np
import pytest

from scaletx.data import data_set, patches

PATCHES = data_set("patches")


def standardized(a):
    return (a - a.mean()) / a.std()


@pytest.mark.parametrize("test", [False, True])
@pytest.mark.parametrize("coarse, fine", [(6, 12), (8, 24), (12, 48), (24, 48)])
def test_patches_are_the_same_at_every_resolution(coarse, fine, test):
    small, large = (PATCHES.clean(n * n, 40, seed=3, test=test) for n in (coarse, fine))
    step = fine // coarse
    averaged = large.reshape(40, coarse, step, coarse, step).mean(axis=(2, 4))
    # Each resolution has a mean and deviation of its own: the same up to a line.
    np.testing.assert_allclose(
        standardized(small), standardized(averaged.reshape(40, -1)), atol=1e-4
    )


@pytest.mark.parametrize("test", [False, True])
def test_the_first_places_do_not_depend_on_how_many_follow(test):
    few, many = (PATCHES.clean(64, P, seed=3, test=test) for P in (20, 50))
    slope, offset = np.polyfit(few.ravel(), many[:20].ravel(), 1)
    np.testing.assert_allclose(many[:20], slope * few + offset, atol=1e-4)


def test_training_and_held_out_patches_share_no_column(monkeypatch):
    """Photos whose gray value is the column: each patch then shows where it lies."""
    columns = np.broadcast_to(np.arange(640, dtype=np.float32), (2, 427, 640))
    monkeypatch.setattr(patches, "_photos", lambda: columns)
    left = patches._patches(2304, 4000, seed=0, test=False)
    right = patches._patches(2304, 4000, seed=0, test=True)
    assert (left.min(), left.max()) == (0, 479)
    assert (right.min(), right.max()) == (480, 639)


def test_places_cover_photos_and_rows(monkeypatch):
    photo, row = np.meshgrid(np.arange(2), np.arange(427), indexing="ij")
    value = np.broadcast_to((1000 * photo + row)[..., None], (2, 427, 640))
    monkeypatch.setattr(patches, "_photos", lambda: value.astype(np.float32))
    seen = patches._patches(2304, 4000, seed=0, test=False)
    assert (seen.min(), seen.max()) == (0, 1426)
    assert np.mean(seen >= 1000) == pytest.approx(0.5, abs=0.05)


def test_standardized_by_the_training_patches_alone():
    train = PATCHES.clean(64, 200, seed=0, test=False)
    test = PATCHES.clean(64, 200, seed=0, test=True)
    assert (train.mean(), train.std()) == pytest.approx((0, 1), abs=1e-3)
    raw = [patches._patches(64, 200, seed=0, test=t) for t in (False, True)]
    expected = (raw[1] - raw[0].mean()) / raw[0].std()
    np.testing.assert_allclose(test, expected, atol=1e-4)


def test_gray_is_the_luma_of_the_photos():
    photos = patches._photos()
    assert photos.shape == (2, 427, 640)
    assert photos.min() >= 0 and photos.max() <= 255.01
    from PIL import Image

    with Image.open(patches._files()[0]) as image:
        red, green, blue = image.getpixel((5, 9))
    gray = 0.299 * red + 0.587 * green + 0.114 * blue
    assert photos[0, 9, 5] == pytest.approx(gray, rel=1e-5)


def test_without_scikit_learn_the_error_says_what_to_do(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    for name, what in (("patches", "photos"), ("digits", "digits")):
        with pytest.raises(ValueError, match=f"{what} .*install scikit-learn, or use"):
            data_set(name).identity()
