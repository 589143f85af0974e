r"""Activations of hidden and visible units: value and Lagrangian.

The Lagrangian $L$ of an activation $\phi$ satisfies $\nabla L = \phi$. Arrays hold the
units of a sample in the last axis; softmax acts over them. In float32 all are finite at
$|z| = 10^4$, but relu(p) for p >= 9, whose value or Lagrangian exceeds $10^{38}$ there.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from scaletx._types import parse_activation


class Activation(NamedTuple):
    """An activation over the last axis.

    Attributes:
        value: `(..., K) -> (..., K)`, the activations.
        lagrangian: `(..., K) -> (...)`, whose gradient is `value`.
    """

    value: Callable[[Float[Array, "*s K"]], Float[Array, "*s K"]]
    lagrangian: Callable[[Float[Array, "*s K"]], Float[Array, "*s"]]


def activation(name: str) -> Activation:
    r"""Look up `linear`, `softmax` or `relu:P`.

    - linear: $\phi(z) = z$, $L = \sum z^2/2$.
    - relu(p): $\phi(z) = \max(z, 0)^p / m_p$ with $m_p = \sqrt{(2p-1)!!/2}$, so that
      $\mathbb{E}\,\phi(z)^2 = 1$ for $z \sim \mathcal{N}(0, 1)$;
      $L = \sum \max(z, 0)^{p+1} / ((p+1)\, m_p)$. The paper prints
      $C_p \mathrm{ReLU}^p$ with $C_p^2 = (2p-1)!!/2$; only the reciprocal gives the
      order-one post-activations that the same paragraph asks for.
    - softmax: $\phi(z)_k = e^{z_k} / \sum_j e^{z_j}$, $L = \log \sum_j e^{z_j}$.

    Args:
        name: The activation's name.

    Raises:
        ValueError: If the name is unknown.

    Example:
        >>> [float(v) for v in activation("relu:2").value(jnp.array([-1.0, 0.0]))]
        [0.0, 0.0]

    References:
        Holtzman, Krotov, Hanin, arXiv 2605.10164, section 2.2 and section 3.
    """
    kind, power = parse_activation(name)
    if kind == "linear":
        return Activation(lambda z: z, lambda z: jnp.sum(z**2, axis=-1) / 2)
    if kind == "softmax":
        return Activation(
            lambda z: jax.nn.softmax(z, axis=-1),
            lambda z: jax.nn.logsumexp(z, axis=-1),
        )
    root = relu_norm(power)
    return Activation(
        lambda z: jax.nn.relu(z) ** power / root,
        lambda z: (
            jnp.sum(jax.nn.relu(z) ** (power + 1), axis=-1) / ((power + 1) * root)
        ),
    )


def visible(name: str) -> Activation:
    r"""Look up the activation g of the visible units, by that of the hidden ones.

    The identity for the linear model, $L_x = \sum x^2/2$; else $\tanh$,
    $L_x = \sum \log \cosh x = \sum |x| + \log(1 + e^{-2|x|}) - \log 2$.

    Args:
        name: The hidden units' activation.

    Example:
        >>> float(visible("softmax").lagrangian(jnp.array([1e4, 0.0])))
        9999.306640625
    """
    if parse_activation(name).kind == "linear":
        return activation("linear")
    return Activation(jnp.tanh, lambda x: jnp.sum(log_cosh(x), axis=-1))


def log_cosh(x: Float[Array, "*s"]) -> Float[Array, "*s"]:
    r"""$\log \cosh x$, finite wherever x is."""
    size = jnp.abs(x)
    return size + jnp.log1p(jnp.exp(-2 * size)) - math.log(2)


def relu_norm(power: int) -> float:
    r"""$m_p = \sqrt{(2p-1)!!/2}$, the root mean square of $\max(z, 0)^p$.

    Example:
        >>> round(relu_norm(1) ** 2, 12), round(relu_norm(2) ** 2, 12)
        (0.5, 1.5)
    """
    return math.sqrt(math.prod(range(1, 2 * power, 2)) / 2)
