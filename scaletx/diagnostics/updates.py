"""What one step changes, term by term."""

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from scaletx.models import DenseAM


class GradientParts(NamedTuple):
    """The gradient of W, by which of its two uses it comes from.

    Attributes:
        readout: `(K, N)`, from W as the read-out of the post-activations.
        hidden: `(K, N)`, from W as the input of the hidden units.
    """

    readout: Float[Array, "K N"]
    hidden: Float[Array, "K N"]


def gradient_parts(
    model: DenseAM, g: Float[Array, "B N"], y: Float[Array, "B N"]
) -> GradientParts:
    r"""Split the gradient of $L = \frac{1}{2B} \|F - Y\|_F^2$ by the two uses of W.

    With samples in columns and $R = F - Y$,

    $$\nabla^{(1)}_W L = \frac{s_2}{B} \tilde S R^\top, \qquad
      \nabla^{(2)}_W L = \frac{s_1 s_2}{B}\, C (S' * (\tilde W R))\, G^\top$$

    where $\tilde S = C S$, $S' * V$ applies the activation's Jacobian to each sample,
    and $C$ is the identity if the model is not centered.

    Args:
        model: The model.
        g: Features of a batch, `model.features(x)`.
        y: Targets.

    Returns:
        Both parts, whose sum is the gradient.

    References:
        Holtzman, Krotov, Hanin, arXiv 2605.10164, eqs. B.3 and F.1.
    """
    p, B = model.prescription, len(g)
    s, pull = jax.vjp(model.postactivations, model.preactivations(g))
    r = model.output(s) - y
    (v,) = pull(r @ model.W.T)
    hidden = centered(p.s1 * p.s2 / B * v.T @ g, model)
    return GradientParts(p.s2 / B * s.T @ r, hidden)


def update_terms(
    model: DenseAM,
    change: DenseAM,
    g: Float[Array, "B N"],
    z: Float[Array, "B K"] | None = None,
) -> dict[str, Array]:
    r"""First-order change of weights, pre-activations and outputs, by path.

    For the actual change $U = \Delta \tilde W$ of the weights, whatever the optimizer,

    $$\Delta Z = s_1 U G, \qquad \Delta^{(1)} F = s_2 U^\top S, \qquad
      \Delta^{(2)} F = s_2 \tilde W^\top (S' * \Delta Z),$$

    and for biases $\Delta_b Z = \Delta \tilde b\, 1^\top$, $\Delta_b F = s_2 \tilde
    W^\top (S' * \Delta_b Z)$, $\Delta_c F = \Delta c\, 1^\top$. Together the terms of F
    equal its change up to second order in the change. They are linear in the change: a
    part of it, such as what SGD does with one of `gradient_parts`, has terms of its
    own, which add up.

    Args:
        model: The model before the step.
        change: Updates of its parameters, as optax returns them.
        g: Features of a batch.
        z: Their pre-activations, where they are known already.

    Returns:
        `dW` (K, N), `dZ` (B, K), `dF1` and `dF2` (B, N); with biases also `dZb` (K,),
        `dFb` (B, N) and `dFc` (N,). Samples are rows.

    Example:
        The outputs of a linear model are quadratic in W: what the terms leave out is
        the second order, $s_1 s_2\, U^\top U G$.

        >>> import equinox as eqx
        >>> from scaletx.parameterization import prescribe
        >>> p = prescribe(N=4, K=8, activation="linear", optimizer="sgd", eta0=1.0)
        >>> model, change = (DenseAM(p, key=jax.random.key(i)) for i in (0, 1))
        >>> g = jnp.eye(4)
        >>> terms = update_terms(model, change, g)
        >>> new = DenseAM.read(eqx.apply_updates(model, change), g)
        >>> rest = new - model.read(g) - terms["dF1"] - terms["dF2"]
        >>> bool(jnp.allclose(rest, change.read(g), atol=1e-5))
        True

    References:
        Holtzman, Krotov, Hanin, arXiv 2605.10164, eqs. B.6, B.9, F.5; app. G.
    """
    p = model.prescription
    z = model.preactivations(g) if z is None else z
    s, push = jax.linearize(model.postactivations, z)
    u = centered(change.W, model)
    dz = p.s1 * g @ u.T
    terms = {"dW": u, "dZ": dz, "dF1": p.s2 * s @ u, "dF2": p.s2 * push(dz) @ model.W}
    if change.b is not None and change.c is not None:
        db = centered(change.b, model)
        ones = jnp.ones((len(g), 1), db.dtype)
        terms |= {"dZb": db, "dFb": p.s2 * push(ones * db) @ model.W, "dFc": change.c}
    return terms


def centered(units: Float[Array, "K *rest"], model: DenseAM) -> Array:
    """Remove the mean over the hidden units, the first axis, if the model does."""
    if not model.prescription.centered:
        return units
    return units - jnp.mean(units, axis=0)
