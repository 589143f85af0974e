"""The dense associative memory."""

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PRNGKeyArray

from scaletx._types import Biases
from scaletx.activations import activation, visible
from scaletx.parameterization import Prescription


class DenseAM(eqx.Module):
    r"""One adiabatic step of a dense associative memory.

    $$f(x) = s_2 \tilde W^\top \phi(s_1 \tilde W g(x) + \tilde b) + c$$

    with $\tilde W = C W$, $\tilde b = C b$, $C = I_K - \frac{1}{K} 1 1^\top$ if the
    prescription is centered, else $\tilde W = W$, $\tilde b = b$; $g = \tanh$, and the
    identity for the linear model. Starts from $W_{ij} \sim \mathcal{N}(0, a^2)$, a
    being the prescription's `init_W` (1), biases off, at zero, or from
    $\mathcal{N}(0, 1)$.

    Centering is applied where it is cheapest: $C$ commutes to the pre-activations and
    to the activations, whose mean over the K units is removed.

    Args:
        prescription: Sizes, scales, activation, centering and biases.
        key: Random key of the initial parameters.
        dtype: Floating type of the parameters.

    Attributes:
        W: Memories, `(K, N)`.
        b: Inner bias `(K,)`, or None.
        c: Outer bias `(N,)`, or None.
        prescription: What the model was built under.

    References:
        Holtzman, Krotov, Hanin, arXiv 2605.10164, eqs. 1.1 and 2.1, app. A.1.
    """

    W: Float[Array, "K N"]
    b: Float[Array, "K"] | None
    c: Float[Array, "N"] | None
    prescription: Prescription = eqx.field(static=True)

    def __init__(
        self, prescription: Prescription, *, key: PRNGKeyArray, dtype=jnp.float32
    ):
        if not isinstance(prescription, Prescription):
            raise TypeError(
                "`DenseAM` is built from a Prescription, got "
                f"{type(prescription).__name__}; make one with scaletx.prescribe(...)."
            )
        N, K = prescription.sizes[:2]
        key_W, key_b, key_c = jax.random.split(key, 3)
        self.W = prescription.init_W * jax.random.normal(key_W, (K, N), dtype)
        spread = {Biases.OFF: None, Biases.ZERO: 0.0, Biases.NORMAL: 1.0}
        size = spread[prescription.biases]
        if size is None:
            self.b = self.c = None
        else:
            self.b = size * jax.random.normal(key_b, (K,), dtype)
            self.c = size * jax.random.normal(key_c, (N,), dtype)
        self.prescription = prescription.form

    def features(self, x: Float[Array, "*s N"]) -> Float[Array, "*s N"]:
        """What the weights read: g(x)."""
        return visible(self.prescription.activation).value(x)

    def preactivations(self, g: Float[Array, "*s N"]) -> Float[Array, "*s K"]:
        """What the hidden units see, z = s1 W~ g + b~."""
        z = self.prescription.s1 * (g @ self.W.T)
        if self.b is not None:
            z = z + self.b
        return _centered(z) if self.prescription.centered else z

    def postactivations(self, z: Float[Array, "*s K"]) -> Float[Array, "*s K"]:
        """What the outputs read, C phi(z), or phi(z) if not centered."""
        s = activation(self.prescription.activation).value(z)
        return _centered(s) if self.prescription.centered else s

    def output(self, s: Float[Array, "*s K"]) -> Float[Array, "*s N"]:
        """The output for given post-activations, f = s2 W^T s + c."""
        f = self.prescription.s2 * (s @ self.W)
        return f if self.c is None else f + self.c

    def read(self, g: Float[Array, "*s N"]) -> Float[Array, "*s N"]:
        """The output for given features, f = s2 W~^T phi(s1 W~ g + b~) + c."""
        return self.output(self.postactivations(self.preactivations(g)))

    def energy(
        self, x: Float[Array, "*s N"], h: Float[Array, "*s K"]
    ) -> Float[Array, "*s"]:
        r"""Energy of visible and hidden units.

        $$E(x, h) = \frac{1}{s_1} \left[(h - \tilde b)^\top \phi(h) - L_h(h)\right]
          + \frac{1}{s_2} \left[(x - c)^\top g(x) - L_x(x)\right]
          - \phi(h)^\top \tilde W g(x)$$

        with the Lagrangians of `scaletx.activations`. It never rises along
        `scaletx.models.flow`. (The seed's display drops the last term, which its own
        dE/dt contains.)

        References:
            Holtzman, Krotov, Hanin, arXiv 2605.10164, section 3 and app. E.3.
        """
        p = self.prescription
        g, hidden = self.features(x), activation(p.activation)
        sigma = hidden.value(h)
        drive = self.preactivations(g)  # s1 W~ g + b~
        # (h - b~)^T sigma / s1 - sigma^T W~ g
        inner = jnp.sum((h - drive) * sigma, axis=-1) - hidden.lagrangian(h)
        return inner / p.s1 + self._visible_energy(x, g) / p.s2

    def adiabatic_energy(self, x: Float[Array, "*s N"]) -> Float[Array, "*s"]:
        r"""Energy with the hidden units at their fixed point, h = s1 W~ g(x) + b~.

        $$E(x) = \frac{1}{s_2} \left[(x - c)^\top g(x) - L_x(x)\right]
          - \frac{1}{s_1} L_h(s_1 \tilde W g(x) + \tilde b)$$

        The step $x \leftarrow f(x)$ never raises it.
        """
        p, g = self.prescription, self.features(x)
        inner = activation(p.activation).lagrangian(self.preactivations(g))
        return self._visible_energy(x, g) / p.s2 - inner / p.s1

    def _visible_energy(self, x: Array, g: Array) -> Array:
        lagrangian = visible(self.prescription.activation).lagrangian(x)
        shifted = x if self.c is None else x - self.c
        return jnp.sum(shifted * g, axis=-1) - lagrangian

    def __call__(self, x: Float[Array, "*s N"]) -> Float[Array, "*s N"]:
        """Apply the model to inputs of shape `(..., N)`."""
        return self.read(self.features(x))


def _centered(units: Float[Array, "*s K"]) -> Float[Array, "*s K"]:
    return units - jnp.mean(units, axis=-1, keepdims=True)
