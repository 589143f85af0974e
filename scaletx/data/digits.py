"""Handwritten digits at three resolutions."""

import gzip
from functools import cache
from pathlib import Path

import numpy as np
from jaxtyping import Float

from scaletx.data.denoising import Samples, stream
from scaletx.data.files import bundled, digest
from scaletx.data.images import area_averaged, first, standardized

COUNT = 1797
TRAINING = COUNT // 2


class Digits:
    """The handwritten digits bundled with scikit-learn, 8 x 8 pixels of 0 to 16.

    Area-averaged to n x n, so that N = n^2 = 4, 16, 64. The seed splits the 1,797
    images into 898 for training and 899 held out, and orders them: at every size, the
    first P are the same images. Both are standardized by the mean and standard
    deviation over all pixels of the P training images.

    References:
        Alpaydin, Kaynak, "Optical Recognition of Handwritten Digits", UCI Machine
        Learning Repository, 1998.
    """

    label = "digits"
    sizes = (4, 16, 64)
    holds = (TRAINING, COUNT - TRAINING)

    def clean(self, N: int, P: int, *, seed: int, test: bool) -> Samples:
        """Return P standardized images of N pixels."""
        fitted = min(P, TRAINING) if test else P  # the held-out half has one more
        training = _images(N, fitted, seed=seed, test=False)
        wanted = _images(N, P, seed=seed, test=True) if test else training
        return standardized(wanted, training)

    def identity(self) -> str:
        """The digest of the images' file is part of it."""
        return f"{self.label}:{digest([_file()])}"


def _file() -> Path:
    return bundled("digits", "the digits", "data", "digits.csv.gz")


@cache
def _digits() -> Float[np.ndarray, "1797 8 8"]:
    with gzip.open(_file(), "rt") as lines:
        rows = np.loadtxt(lines, delimiter=",", dtype=np.float32)
    return rows[:, :-1].reshape(COUNT, 8, 8)  # the last column is the class


def _images(N: int, P: int, *, seed: int, test: bool) -> Samples:
    split = stream(seed, 0).permutation(COUNT)
    rows = first(
        split[TRAINING:] if test else split[:TRAINING],
        P,
        what=f"{'held-out' if test else 'training'} images in data='digits'",
    )
    return area_averaged(_digits()[rows], int(N**0.5)).reshape(P, N)
