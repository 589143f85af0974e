"""How many hidden units a softmax spreads over."""

import jax.numpy as jnp
from jaxtyping import Array, Float


def effective_units(sigma: Float[Array, "*s K"]) -> Float[Array, "*s"]:
    r"""Effective number of units, $K_{\mathrm{eff}} = 1 / \sum_k \sigma_k^2$.

    K if the softmax is uniform, 1 if one unit has it all. At initialization, with
    pre-activations of root mean square s, $K_{\mathrm{eff}}/K \to e^{-s^2}$.

    Args:
        sigma: Softmax over the last axis, which sums to one.

    Example:
        >>> float(effective_units(jnp.array([0.5, 0.5, 0.0, 0.0])))
        2.0

    References:
        Holtzman, Krotov, Hanin, arXiv 2605.10164, app. H.4.
    """
    return 1 / jnp.sum(sigma**2, axis=-1)


def centered_effective_units(sigma: Float[Array, "*s K"]) -> Float[Array, "*s"]:
    r"""Reciprocal of the centered effective number, $1/\tilde K_{\mathrm{eff}}$.

    $$\frac{1}{\tilde K_{\mathrm{eff}}} = \|C \sigma\|^2
      = \frac{1}{K_{\mathrm{eff}}} - \frac{1}{K}$$

    The reciprocal, since it is 0 where the softmax is uniform.

    Args:
        sigma: Softmax over the last axis, centered or not.

    Example:
        >>> float(centered_effective_units(jnp.array([0.5, 0.5, 0.0, 0.0])))
        0.25

    References:
        Holtzman, Krotov, Hanin, arXiv 2605.10164, app. H.4.
    """
    return jnp.sum((sigma - jnp.mean(sigma, axis=-1, keepdims=True)) ** 2, axis=-1)
