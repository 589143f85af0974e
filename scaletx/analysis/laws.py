"""Laws of an offset and falling powers: y = E + sum_j A_j x_j^-a_j."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float

EXPONENT_REACH = (1e-3, 50.0)
"""Bounds of a power term's fall over the data: of a_j times the range of log x_j."""
LOG_TERM = 40.0
"""Bound of |log| of a power term at the data's center, in units of y's center."""


class Law(NamedTuple):
    """A law by its name and its parameters' names.

    Attributes:
        name: The word for it.
        offset: Name of the offset.
        factors: Names of the factors, one a term.
        exponents: Names of the exponents, one a term.
    """

    name: str
    offset: str
    factors: tuple[str, ...]
    exponents: tuple[str, ...]

    @property
    def parameters(self) -> tuple[str, ...]:
        """All names: the offset, the factors, the exponents."""
        return (self.offset, *self.factors, *self.exponents)

    def evaluate(
        self,
        values: Float[np.ndarray, "*batch parameters"],
        x: Float[np.ndarray, "n terms"],
    ) -> Float[np.ndarray, "*batch n"]:
        r"""Return $E + \sum_j A_j x_j^{-a_j}$."""
        terms = len(self.factors)
        factors, exponents = values[..., None, 1 : 1 + terms], values[..., 1 + terms :]
        with np.errstate(over="ignore", under="ignore"):
            powers = np.exp(np.log(factors) - exponents[..., None, :] * np.log(x))
        return values[..., :1] + powers.sum(axis=-1)


POWER_LAW = Law("power-law", "E", ("A",), ("a",))


class Robust(NamedTuple):
    """A loss of log residuals: Huber's with its bend, or the square (no bend)."""

    delta: float = np.inf

    def value(self, r: Float[np.ndarray, "*n"]) -> Float[np.ndarray, "*n"]:
        """Return r^2/2 within the bend, and the tangent beyond."""
        inside = np.minimum(np.abs(r), self.delta)
        return inside * (np.abs(r) - inside / 2)

    def slope(self, r: Float[np.ndarray, "*n"]) -> Float[np.ndarray, "*n"]:
        """Return the derivative."""
        return np.clip(r, -self.delta, self.delta)


class Scaled(NamedTuple):
    r"""Data without units: every fit sees the same numbers whatever the units were.

    $z_j = (\log x_j - c_j)/r_j$ with the mean $c_j$ and the range $r_j$ of the
    logarithms, $v = \log y - c_y$. The law becomes
    $\log \hat y - c_y = \log(e + \sum_j e^{b_j - s_j z_j})$ in the coordinates
    $\theta = (e, b, s)$: $E = e\, e^{c_y}$, $a_j = s_j / r_j$,
    $\log A_j = b_j + c_y + a_j c_j$.
    """

    z: Float[np.ndarray, "n terms"]
    v: Float[np.ndarray, " n"]
    center: Float[np.ndarray, " terms"]
    reach: Float[np.ndarray, " terms"]
    center_y: float

    @classmethod
    def of(
        cls, x: Float[np.ndarray, "n terms"], y: Float[np.ndarray, " n"]
    ) -> "Scaled":
        """Scale positive data; every column of x must vary."""
        log_x, log_y = np.log(x), np.log(y)
        center, reach = log_x.mean(axis=0), np.ptp(log_x, axis=0)
        middle = float(log_y.mean())
        return cls((log_x - center) / reach, log_y - middle, center, reach, middle)

    @property
    def bounds(self) -> Float[np.ndarray, "parameters 2"]:
        """Bounds of theta: the offset lies between 0 and the largest y."""
        terms = self.z.shape[1]
        top = float(np.exp(self.v.max()))
        return np.array(
            [(0.0, top), *[(-LOG_TERM, LOG_TERM)] * terms, *[EXPONENT_REACH] * terms]
        )

    def with_slope(
        self, theta: Float[np.ndarray, "*batch parameters"]
    ) -> tuple[Float[np.ndarray, "*batch n"], Float[np.ndarray, "*batch n parameters"]]:
        """Return log of the law minus log y, and its derivatives by theta."""
        terms = self.z.shape[1]
        b, s = theta[..., None, 1 : 1 + terms], theta[..., None, 1 + terms :]
        powers = np.exp(b - s * self.z)
        value = theta[..., :1] + powers.sum(axis=-1)
        shares = powers / value[..., None]
        slope = np.concatenate(
            [1 / value[..., None], shares, -shares * self.z], axis=-1
        )
        return np.log(value) - self.v, slope

    def values(
        self, theta: Float[np.ndarray, "*batch parameters"]
    ) -> Float[np.ndarray, "*batch parameters"]:
        """Return the law's own parameters: offset, factors, exponents."""
        terms = self.z.shape[1]
        b, s = theta[..., 1 : 1 + terms], theta[..., 1 + terms :]
        exponents = s / self.reach
        with np.errstate(over="ignore"):
            factors = np.exp(b + self.center_y + exponents * self.center)
        offset = theta[..., :1] * np.exp(self.center_y)
        return np.concatenate([offset, factors, exponents], axis=-1)
