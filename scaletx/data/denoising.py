"""Denoising: recover clean samples from noisy ones."""

from typing import NamedTuple, Protocol

import numpy as np
import scipy.linalg
from jaxtyping import Float

from scaletx import _checks

Samples = Float[np.ndarray, "P N"]


class Denoising(NamedTuple):
    """Inputs (clean + noise) and targets (clean), for training and held out."""

    inputs: Samples
    targets: Samples
    test_inputs: Samples
    test_targets: Samples


class DataSet(Protocol):
    """A source of clean samples at many sizes."""

    @property
    def label(self) -> str:
        """Kind and options in their shortest form, without any folder."""
        ...

    @property
    def sizes(self) -> tuple[int, ...] | range | None:
        """The N it can give; None if any."""
        ...

    @property
    def holds(self) -> tuple[int, int] | None:
        """How many training and held-out samples there are; None if any number."""
        ...

    def clean(self, N: int, P: int, *, seed: int, test: bool) -> Samples:
        """Return P samples of N numbers of order one; `test` draws held-out ones."""
        ...

    def identity(self) -> str:
        """Say what the samples are: the label, and a digest of files; never a path."""
        ...


def stream(seed: int, purpose: int) -> np.random.Generator:
    """One independent random stream per purpose of a seed."""
    return np.random.default_rng([seed, purpose])


def denoising(data: DataSet, *, N: int, P: int, seed: int, noise: float) -> Denoising:
    r"""Draw a denoising task: inputs $y_\mu + \sigma \xi_\mu$, targets $y_\mu$.

    The noise $\xi \sim \mathcal{N}(0, I_N)$ is drawn once per sample and kept over
    epochs (the paper's formula, taken literally, would put it into the target). The
    test set has P fresh samples with noise of their own. Everything depends on N, P,
    seed and noise alone.

    Args:
        data: The source of clean samples.
        N: Numbers a sample.
        P: Samples, in the training set and in the test set.
        seed: Seed of samples and noise.
        noise: $\sigma \ge 0$, in units of the data's standard deviation.

    Returns:
        Four float32 arrays of shape `(P, N)`.

    References:
        Holtzman, Krotov, Hanin, arXiv 2605.10164, section 2.1.
    """
    _checks.number("noise", noise, least=0)
    arrays = []
    for test in (False, True):
        clean = data.clean(N, P, seed=seed, test=test)
        xi = stream(seed, 2 + test).standard_normal((P, N), np.float32)
        arrays += [clean + np.float32(noise) * xi, clean]
    return Denoising(*arrays)


def lambda_max(features: Samples) -> float:
    r"""Largest eigenvalue of the uncentered second moment $G G^\top / P$.

    For isotropic data it tends to $E g^2 (1 + \rho^{-1/2})^2$; on images it grows with
    N, and takes the best rate of SGD with it.

    Args:
        features: g of all noisy training inputs, `(P, N)`.

    Example:
        >>> round(lambda_max(np.eye(4) * 2.0), 12)
        1.0
    """
    g = np.asarray(features, np.float64)
    small = g @ g.T if len(g) < g.shape[1] else g.T @ g
    last = len(small) - 1
    top = scipy.linalg.eigvalsh(small, subset_by_index=[last, last])
    return float(top[0]) / len(g)
