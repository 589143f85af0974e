"""Isotropic Gaussian data."""

import numpy as np

from scaletx.data.denoising import Samples, stream


class Isotropic:
    r"""Samples $y \sim \mathcal{N}(0, I_N)$: nothing to generalize, at any N.

    References:
        Holtzman, Krotov, Hanin, arXiv 2605.10164, section 2.1.
    """

    label = "isotropic"
    sizes = None
    holds = None

    def clean(self, N: int, P: int, *, seed: int, test: bool) -> Samples:
        """Return P independent standard normal samples."""
        return stream(seed, int(test)).standard_normal((P, N), np.float32)

    def identity(self) -> str:
        """Nothing is read from files."""
        return self.label
