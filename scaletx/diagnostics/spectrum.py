"""Spike and bulk: the spectrum of the hidden features of a batch."""

import jax
import jax.numpy as jnp
from jax.experimental.sparse.linalg import lobpcg_standard
from jaxtyping import Array, Float

DENSE = 64
"""Up to this size a full decomposition is cheaper than an iteration."""
BLOCK, ITERATIONS = 2, 100


def spike_and_bulk(
    s: Float[Array, "B K"],
) -> tuple[Float[Array, ""], Float[Array, ""]]:
    r"""Two largest eigenvalues of $S^\top S / K$, spike and edge of the bulk.

    Post-activations with a mean over the K units have one eigenvalue that grows with K,
    the spike; the others, the bulk, do not. The smaller of the two Gram matrices is
    decomposed, by LOBPCG if it is larger than 64.

    Args:
        s: Post-activations, a sample a row; for softmax times K, so that they are of
            order one.

    Returns:
        $\lambda_1 \ge \lambda_2$.

    Raises:
        ValueError: If there are not two samples and two units.

    Example:
        >>> [float(v) for v in spike_and_bulk(jnp.diag(jnp.array([1.0, 2.0, 3.0])))]
        [3.0, 1.3333333730697632]

    References:
        Holtzman, Krotov, Hanin, arXiv 2605.10164, app. E.1.
    """
    B, K = s.shape
    if min(B, K) < 2:
        raise ValueError(
            f"spike_and_bulk got {B} samples of {K} units: expected two or more of "
            "each, as it compares two eigenvalues."
        )
    gram = (s @ s.T if B <= K else s.T @ s) / K
    if len(gram) <= DENSE:
        values = jnp.linalg.eigvalsh(gram)
        return values[-1], values[-2]
    start = jax.random.normal(jax.random.key(0), (len(gram), BLOCK), gram.dtype)
    values, _, _ = lobpcg_standard(gram, start, m=ITERATIONS)
    return values[0], values[1]


def feature_moments(
    s: Float[Array, "B K"],
) -> tuple[Float[Array, ""], Float[Array, ""]]:
    r"""First two moments of the eigenvalues of the features' covariance.

    For $A = S^\top S / K$ of a batch, $\frac{1}{B} \mathrm{tr}\, A$, the mean square of
    a feature, and $\frac{1}{B} \mathrm{tr}\, A^2$.

    Args:
        s: Features, a sample a row.

    Example:
        >>> [float(m) for m in feature_moments(2 * jnp.eye(4))]
        [1.0, 1.0]
    """
    B, K = s.shape
    gram = s @ s.T if B <= K else s.T @ s
    return jnp.sum(s**2) / (B * K), jnp.sum(gram**2) / (B * K**2)
