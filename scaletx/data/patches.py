"""Patches of real photos at many resolutions."""

from functools import cache
from pathlib import Path

import numpy as np
from jaxtyping import Float

from scaletx.data.denoising import Samples, stream
from scaletx.data.files import bundled, digest
from scaletx.data.images import LUMA, area_averaged, standardized

SIDE = 48
TRAINING_COLUMNS = 480
PHOTOS = ("china.jpg", "flower.jpg")


class Patches:
    r"""Gray patches of the two photos bundled with scikit-learn.

    Patches of 48 x 48 pixels at random places are area-averaged to n x n, so that
    N = n^2 = 36, 64, 144, 256, 576, 2304: the first P places of a seed are the same at
    every resolution. Training patches lie in the left three quarters of each photo,
    held-out ones in the last quarter, so that they share no pixel. Both are
    standardized by the mean and standard deviation over all pixels of the training
    patches.

    The photos are 427 x 640 pixels; gray is the luma of ITU-R BT.601.
    """

    label = "patches"
    sizes = tuple(n * n for n in (6, 8, 12, 16, 24, 48))
    holds = None

    def clean(self, N: int, P: int, *, seed: int, test: bool) -> Samples:
        """Return P standardized patches of N pixels."""
        training = _patches(N, P, seed=seed, test=False)
        wanted = _patches(N, P, seed=seed, test=True) if test else training
        return standardized(wanted, training)

    def identity(self) -> str:
        """The digest of the photos' files is part of it."""
        return f"{self.label}:{digest(_files())}"


def _files() -> list[Path]:
    return [bundled("patches", "the photos", "images", name) for name in PHOTOS]


@cache
def _photos() -> Float[np.ndarray, "photo row column"]:
    from PIL import Image

    rgb = [np.asarray(Image.open(path).convert("RGB")) for path in _files()]
    return np.stack(rgb).astype(np.float32) @ LUMA


def _patches(N: int, P: int, *, seed: int, test: bool) -> Samples:
    photos = _photos()
    area = photos[..., TRAINING_COLUMNS:] if test else photos[..., :TRAINING_COLUMNS]
    windows = np.lib.stride_tricks.sliding_window_view(area, (SIDE, SIDE), axis=(1, 2))
    # A uniform number per coordinate and sample: the first places do not depend on P.
    places = stream(seed, int(test)).random((P, 3)) * windows.shape[:3]
    photo, row, column = places.astype(int).T
    return area_averaged(windows[photo, row, column], int(N**0.5)).reshape(P, N)
