"""Gaussian data whose covariance has a power-law spectrum."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import scipy.linalg
from jaxtyping import Float

from scaletx import _checks
from scaletx.data.denoising import Samples, stream

AMBIENT = 4096
"""Dimension of the family that `projection` projects; fixed, as numbers rest on it."""

ROWS = 1024
BASIS = 5


@dataclass(frozen=True, kw_only=True)
class PowerLaw:
    r"""Samples whose covariance has eigenvalues proportional to $i^{-\alpha}$.

    In D dimensions, with a basis of orthonormal columns $Q \in R^{D \times N}$ that is
    random (Haar) and depends on the seed,

    $$y_\mu = c\, Q^\top \Lambda^{1/2} z_\mu, \quad z_\mu \sim \mathcal{N}(0, I_D),
    \quad \lambda_i = D\, i^{-\alpha} \big/ \sum_{j \le D} j^{-\alpha}.$$

    How sizes are related is the option:

    - `fresh`: D = N. Every size has its own N eigenvalues, exactly the power law, and
      shares nothing with another size.
    - `projection`: D = 4096 at every N <= 4096. A seed has the same samples
      $\Lambda^{1/2} z_\mu$ at every size, and Q at a size is the first N columns of Q
      at any larger one, so that the numbers at N are the first N of those at a larger
      size, up to the factor c. The spectrum is a power law only for $i \ll N$: what is
      projected away leaves a floor, and for $\alpha \le 1$ a top eigenvalue
      proportional to N.

    $c^2 = N / \mathrm{tr}(Q^\top \Lambda Q)$ makes the mean eigenvalue exactly 1 (c = 1
    if D = N). The basis spreads the variance over all N numbers; for $\alpha$ above 1 a
    few directions hold most of it. $\alpha = 0$ is isotropic in distribution. Training
    and held-out samples share the basis; the first P samples do not depend on P.

    Costs $O(D N^2)$ for the basis and $O(P D N)$ for the samples.

    Attributes:
        alpha: Exponent $\alpha \ge 0$.
        projection: Project one ambient family instead of drawing each size afresh.
    """

    alpha: float
    projection: bool = False
    holds = None

    def __post_init__(self):
        _checks.number("alpha", self.alpha, least=0)

    @property
    def label(self) -> str:
        """Exponent to nine digits, and how sizes are related."""
        relation = "projection" if self.projection else "fresh"
        return f"power-law:{self.alpha + 0.0:.9g}:{relation}"

    @property
    def sizes(self) -> range | None:
        """All, or those that the ambient family can be projected to."""
        return range(1, AMBIENT + 1) if self.projection else None

    def identity(self) -> str:
        """Nothing is read from files."""
        return self.label

    def clean(self, N: int, P: int, *, seed: int, test: bool) -> Samples:
        """Return P samples of N numbers.

        Raises:
            ValueError: If N exceeds the dimension of the family that is projected.
        """
        if self.sizes is not None and N not in self.sizes:
            raise ValueError(f"N={N}: data={self.label!r} has {AMBIENT} dimensions.")
        ambient = AMBIENT if self.projection else N
        spectrum = self.eigenvalues(ambient)
        mixing = np.sqrt(spectrum)[:, None] * _basis(ambient, N, seed)
        mixing *= np.sqrt(N / np.sum(mixing**2, dtype=np.float64))
        mixing = mixing.astype(np.float32)
        rng = stream(seed, int(test))
        samples = np.empty((P, N), np.float32)
        for start in range(0, P, ROWS):  # the ambient samples never exist all at once
            rows = samples[start : start + ROWS]
            z = rng.standard_normal((len(rows), ambient), np.float32)
            np.matmul(z, mixing, out=rows)
        return samples

    def eigenvalues(self, dimension: int) -> Float[np.ndarray, " dimension"]:
        r"""Return $\lambda_i \propto i^{-\alpha}$ of mean 1, largest first.

        Example:
            >>> PowerLaw(alpha=1).eigenvalues(2)
            array([1.33333333, 0.66666667])
        """
        powers = np.arange(1, dimension + 1, dtype=np.float64) ** -float(self.alpha)
        return powers / powers.mean()


def from_argument(argument: str) -> PowerLaw:
    """Read `ALPHA`, `ALPHA:fresh` or `ALPHA:projection`.

    Raises:
        ValueError: If it is none of these.
    """
    exponent, colon, relation = argument.partition(":")
    try:
        alpha = _checks.number("ALPHA", float(exponent), least=0)
    except ValueError:
        raise ValueError(f"ALPHA={exponent!r} is no number >= 0") from None
    if colon and relation not in ("fresh", "projection"):
        raise ValueError(f"{relation!r} is neither fresh nor projection")
    return PowerLaw(alpha=alpha, projection=relation == "projection")


@lru_cache(maxsize=2)  # training and held-out samples use the same one
def _basis(ambient: int, N: int, seed: int) -> Float[np.ndarray, "ambient N"]:
    """The first N columns of a random rotation; they do not depend on N."""
    gaussian = stream(seed, BASIS).standard_normal((N, ambient), np.float32).T
    factors = scipy.linalg.qr(gaussian, mode="economic", check_finite=False)
    q, r = map(np.asarray, factors)
    return q * np.sign(np.diagonal(r))  # without the signs it is not uniform
