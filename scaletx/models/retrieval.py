"""Retrieval from raw memories: a DenseAM that nobody trained."""

from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax.scipy.special import xlogy
from jaxtyping import Array, Float

from scaletx import _checks
from scaletx._types import parse_activation
from scaletx.activations import activation as lookup
from scaletx.models import _accepted as accepted
from scaletx.models._accepted import Visible

STILL = 1e-5
"""A pattern whose last step moved no entry by more, relative to its largest, is at
rest."""


class Retrieval(NamedTuple):
    r"""What was retrieved, and how.

    Attributes:
        state: `(..., N)`, the retrieved patterns.
        trajectory: `(steps + 1, ..., N)`, from the query on.
        energies: `(steps + 1, ...)`; with self-coupling they never rise.
        converged: `(...)`, whether the last step changed nothing.
        weights: `(..., K)`, how much of each memory the state recalls: the hidden
            units' activations; None unless asked for.
        K_eff: `(...)`, effective number of memories in it,
            $(\sum_k |\sigma_k|)^2 / \sum_k \sigma_k^2$, for softmax
            $1/\sum_k \sigma_k^2$; None unless asked for.
    """

    state: Float[Array, "*s N"]
    trajectory: Float[Array, "T *s N"]
    energies: Float[Array, "T *s"]
    converged: Array
    weights: Float[Array, "*s K"] | None = None
    K_eff: Float[Array, "*s"] | None = None


def retrieve(
    memories: Float[Array, "K N"],
    query: Float[Array, "*s N"],
    *,
    activation: str = "softmax",
    visible: Visible | str | None = None,
    beta: float | None = None,
    gain: float | None = None,
    centered: bool = False,
    self_coupling: bool = True,
    steps: int = 10,
    weights: bool = False,
) -> Retrieval:
    r"""Complete patterns from memories as they are: no learned map, no normalization.

    A pattern $\xi$ takes the discrete step of a DenseAM with $W$ the memories,

    $$\xi \leftarrow g\!\left(s_2 \tilde W^\top \phi(z)\right), \qquad
      z = s_1 \tilde W \xi + \tilde b,$$

    which never raises its energy

    $$E(\xi) = \frac{1}{s_2} \sum_i L_g^*(\xi_i)
      - \frac{1}{s_1} L_h(z),$$

    $L_h$ being the Lagrangian of $\phi$ and $L_g^*$ the Legendre transform of that of
    the visible units.

    | visible | g | $L_g^*$ | $s_2$ |
    |---|---|---|---|
    | identity | itself | $\xi^2/2$ | 1 |
    | tanh | tanh | $\frac12[(1+\xi)\log(1+\xi) + (1-\xi)\log(1-\xi)]$ | `gain` |
    | sign | sign, the limit of large gain; at 0 a sign stays | 0 | any |

    | activation | memory | $s_1$ | $b_k$ |
    |---|---|---|---|
    | softmax | exponential capacity | `beta` | $-\beta \|W_k\|^2/2$ |
    | relu:P | interactions of order P + 1, capacity $N^P$ | 1/N | 0 |
    | linear | the Hopfield network | 1/N | 0 |

    With 1/N, z is the overlap. The bias of softmax makes z, up to what all memories
    share, $-\beta \|\xi - W_k\|^2/2$: without it the longest memories would win, near
    or not. It changes nothing where all are of one length, as signs are; softmax with
    the identity is then attention over the memories.

    Args:
        memories: One memory a row.
        query: Where to start: patterns of the same N units.
        activation: `softmax`, `relu:P` or `linear`.
        visible: `identity`, `tanh` or `sign`; by default `identity` for softmax, else
            `sign`.
        beta: Sharpness of softmax; by default $N / \overline{\|\text{memory}\|^2}$, 1
            for patterns of signs. Small ones retrieve means over memories.
        gain: Sharpness of tanh, 4 by default; the others have none.
        centered: Remove the mean over memories, $\tilde W = C W$.
        self_coupling: Keep what a unit feeds back to itself through the memories, to
            first order $s_1 \sum_k \phi'(z_k) W_{ki}^2\, \xi_i$. It holds wrong bits in
            place: relu:P finds disturbed patterns up to $K \sim N^{(P+1)/2}$ with it,
            and up to $N^P$ without, as the rule of energy differences of Krotov and
            Hopfield does; but without it the energy may rise. Not for softmax.
        steps: Steps to take.
        weights: Return what each memory contributes, too.

    Raises:
        ValueError: If shapes do not match; if `sign` meets memories or queries that are
            not signs, or `tanh` queries beyond -1 and 1; if a value is not finite; if
            the identity is combined with an activation whose energy then has no lower
            bound; or if a setting is one that is not used.

    Example:
        A memory is found again with two of its signs flipped:

        >>> memories = jnp.sign(jax.random.normal(jax.random.key(0), (20, 64)))
        >>> query = memories[3].at[:2].multiply(-1)
        >>> found = retrieve(memories, query, activation="relu:2")
        >>> bool(jnp.all(found.state == memories[3])), bool(found.converged)
        (True, True)

    References:
        Krotov and Hopfield, "Dense Associative Memory for Pattern Recognition", 2016;
        Ramsauer et al., "Hopfield Networks is All You Need", 2021 (softmax and the
        identity); Holtzman, Krotov, Hanin, arXiv 2605.10164, section 3.
    """
    memories, query = accepted.arrays(memories, query)
    steps = _checks.integer("steps", steps)
    centered = _checks.boolean("centered", centered)
    coupled = _checks.boolean("self_coupling", self_coupling)
    kind = parse_activation(activation).kind
    if visible is None:
        visible = Visible.IDENTITY if kind == "softmax" else Visible.SIGN
    visible = _checks.word("visible", visible, Visible)
    accepted.require_bounded(kind, activation, visible)
    if kind == "softmax" and not coupled:
        raise ValueError(
            "self_coupling=False with activation='softmax': it is known for relu:P and "
            "linear. Leave it out."
        )
    s1 = accepted.sharpness(memories, kind, activation, beta)
    s2 = accepted.gain(visible, gain)
    accepted.require_values(visible, memories, query)
    b = jnp.zeros(len(memories), memories.dtype)
    if kind == "softmax":
        b = -s1 * jnp.sum(memories**2, axis=-1) / 2
    if centered:
        memories, b = memories - jnp.mean(memories, axis=0), b - jnp.mean(b)
    return _run(
        memories,
        b,
        query,
        s1,
        s2,
        name=str(activation),
        visible=visible,
        coupled=coupled,
        steps=steps,
        weights=_checks.boolean("weights", weights),
    )


@partial(jax.jit, static_argnames=("name", "visible", "coupled", "steps", "weights"))
def _run(
    memories, b, query, s1, s2, *, name, visible, coupled, steps, weights
) -> Retrieval:
    hidden = lookup(name)

    def scores(xi):
        return s1 * xi @ memories.T + b

    def step(xi, _):
        z = scores(xi)
        x = s2 * hidden.value(z) @ memories
        if not coupled:
            _, slope = jax.jvp(hidden.value, (z,), (jnp.ones_like(z),))
            x = x - s2 * s1 * (slope @ memories**2) * xi
        new = {
            Visible.IDENTITY: lambda: x,
            Visible.TANH: lambda: jnp.tanh(x),
            Visible.SIGN: lambda: jnp.where(_tied(x), xi, jnp.sign(x)),
        }[visible]()
        return new, new

    def energy(xi):
        dual = {
            Visible.IDENTITY: lambda: xi**2 / 2,
            Visible.TANH: lambda: (xlogy(1 + xi, 1 + xi) + xlogy(1 - xi, 1 - xi)) / 2,
            Visible.SIGN: lambda: 0 * xi,
        }[visible]()
        return jnp.sum(dual, axis=-1) / s2 - hidden.lagrangian(scores(xi)) / s1

    state, rest = jax.lax.scan(step, query, length=steps)
    trajectory = jnp.concatenate([query[None], rest])
    moved = jnp.max(jnp.abs(trajectory[-1] - trajectory[-2]), axis=-1)
    converged = moved <= STILL * jnp.max(jnp.abs(state), axis=-1)
    sigma = K_eff = None
    if weights:
        sigma = hidden.value(scores(state))
        K_eff = jnp.sum(jnp.abs(sigma), axis=-1) ** 2 / jnp.sum(sigma**2, axis=-1)
    energies = jax.lax.map(energy, trajectory)
    return Retrieval(state, trajectory, energies, converged, sigma, K_eff)


def _tied(x: Array) -> Array:
    """Zero up to rounding: overlaps of signs are whole numbers, and often cancel."""
    return jnp.abs(x) <= 1e-6 * jnp.max(jnp.abs(x), axis=-1, keepdims=True)
