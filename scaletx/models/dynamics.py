"""How the units of a DenseAM move: the continuous flow and the discrete step."""

from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jaxtyping import Array, Float

from scaletx import _checks
from scaletx._types import parse_activation
from scaletx.models.denseam import DenseAM

MOST_STEPS = 100_000


class Flow(NamedTuple):
    """States along a flow.

    Attributes:
        times: `(T,)`.
        x: `(T, ..., N)`.
        h: `(T, ..., K)`, at its fixed point if it is adiabatic.
        energy: `(T, ...)`.
    """

    times: Float[Array, "T"]
    x: Float[Array, "T *s N"]
    h: Float[Array, "T *s K"]
    energy: Float[Array, "T *s"]


class Descent(NamedTuple):
    """States of the discrete step.

    Attributes:
        x: `(steps + 1, ..., N)`, the first being the given one.
        energy: `(steps + 1, ...)`, the adiabatic energy.
    """

    x: Float[Array, "T *s N"]
    energy: Float[Array, "T *s"]


def flow(
    model: DenseAM,
    x: Float[Array, "*s N"],
    h: Float[Array, "*s K"] | None = None,
    *,
    times: Float[Array, "T"],
    tau_x: float = 1.0,
    tau_h: float = 1.0,
    rtol: float = 1e-5,
    atol: float = 1e-6,
) -> Flow:
    r"""Let visible and hidden units relax.

    $$\tau_h \dot h = s_1 \tilde W g(x) + \tilde b - h, \qquad
      \tau_x \dot x = s_2 \tilde W^\top \phi(h) + c - x$$

    The energy never rises:

    $$\dot E = -\frac{\tau_h}{s_1} \dot h^\top \nabla^2 L_h \dot h
      - \frac{\tau_x}{s_2} \dot x^\top \nabla^2 L_x \dot x \le 0$$

    (The seed's time constants absorb $1/s_1$, $1/s_2$.) Integrated by diffrax, with
    Tsitouras's method of order 5 and adaptive steps.

    Args:
        model: The model.
        x: Visible units at the first time.
        h: Hidden units there; at their fixed point if None.
        times: Times to return, rising.
        tau_x: Time constant of the visible units, above 0.
        tau_h: That of the hidden units; 0 for units that follow at once.
        rtol: Relative tolerance of a step, above 0.
        atol: Absolute tolerance of a step, above 0.

    Raises:
        ValueError: If the model is linear, whose energy has no lower bound, so that the
            flow diverges; if shapes do not match; if times do not rise; or if `h` is
            given with `tau_h=0`.
        RuntimeError: If it takes more than `MOST_STEPS` steps.

    References:
        Holtzman, Krotov, Hanin, arXiv 2605.10164, section 3.
    """
    p = model.prescription
    if parse_activation(p.activation).kind == "linear":
        raise ValueError(
            "flow() of a linear model diverges: its energy has no lower bound. Use an "
            "activation such as 'relu:1', or take single steps with descend()."
        )
    times = _rising(times)
    tau_x = _checks.number("tau_x", tau_x, above=0)
    tau_h = _checks.number("tau_h", tau_h, least=0)
    rtol = _checks.number("rtol", rtol, above=0)
    atol = _checks.number("atol", atol, above=0)
    x = _visible_units(model, x)
    if tau_h == 0 and h is not None:
        raise ValueError(
            "flow() got h with tau_h=0: such hidden units are always at their fixed "
            "point. Leave h out, or give a tau_h above 0."
        )

    def rest(x):
        return model.preactivations(model.features(x))

    def move(_, state, __):
        x, h = state
        z = rest(x)
        h = z if h is None else h
        dx = (model.output(model.postactivations(h)) - x) / tau_x
        return dx, None if state[1] is None else (z - h) / tau_h

    import diffrax  # slow to import, and needed here alone

    if h is not None:
        h = _hidden_units(model, h, x)
    elif tau_h > 0:
        h = rest(x)
    solution = diffrax.diffeqsolve(
        diffrax.ODETerm(move),
        diffrax.Tsit5(),
        t0=times[0],
        t1=times[-1],
        dt0=None,
        y0=(x, h),
        saveat=diffrax.SaveAt(ts=times),
        stepsize_controller=diffrax.PIDController(rtol=rtol, atol=atol),
        max_steps=MOST_STEPS,
        throw=False,
    )
    xs, hs = eqx.error_if(
        solution.ys,
        solution.result != diffrax.RESULTS.successful,
        f"flow() did not arrive in {MOST_STEPS:,} steps. Ask for fewer times, loosen "
        "rtol and atol, or take tau_h=0 if hidden units are much faster.",
    )
    hs = rest(xs) if hs is None else hs
    return Flow(times, xs, hs, model.energy(xs, hs))


def descend(model: DenseAM, x: Float[Array, "*s N"], *, steps: int = 10) -> Descent:
    r"""Repeat the step $x \leftarrow f(x)$, which never raises the adiabatic energy.

    With hidden units at rest and convex Lagrangians, f(x) minimises an upper bound of
    the energy that touches it at x.

    Args:
        model: The model.
        x: Visible units.
        steps: How many.

    Raises:
        ValueError: If `x` does not hold the model's units, or `steps` is below 1.

    Example:
        >>> from scaletx.parameterization import prescribe
        >>> model = DenseAM(prescribe(N=8, K=16), key=jax.random.key(0))
        >>> found = descend(model, jnp.ones(8), steps=5)
        >>> bool(jnp.all(jnp.diff(found.energy) <= 1e-5))
        True
    """
    steps = _checks.integer("steps", steps)

    def step(x, _):
        new = model(x)
        return new, new

    x = _visible_units(model, x)
    _, states = jax.lax.scan(step, x, length=steps)
    states = jnp.concatenate([x[None], states])
    return Descent(states, model.adiabatic_energy(states))


def _visible_units(model: DenseAM, x: Array) -> Array:
    N = model.W.shape[1]
    if np.shape(x)[-1:] != (N,):
        raise ValueError(
            f"x of shape {np.shape(x)}: expected (..., {N}), the model's visible units."
        )
    return jnp.asarray(x, jnp.result_type(x, model.W))


def _hidden_units(model: DenseAM, h: Array, x: Array) -> Array:
    wanted = (*x.shape[:-1], len(model.W))
    if np.shape(h) != wanted:
        raise ValueError(
            f"h of shape {np.shape(h)}: expected {wanted}, the model's hidden units "
            "for each row of x."
        )
    return jnp.asarray(h, x.dtype)


def _rising(times: Float[Array, "T"]) -> Float[Array, "T"]:
    """Look at values where there are any: not at traced times."""
    shape = np.shape(times)
    rise = len(shape) == 1 and shape[0] >= 2
    if rise and not isinstance(times, Tracer):
        values = np.asarray(times)
        rise = bool(np.isfinite(values).all() and (np.diff(values) > 0).all())
    if not rise:
        raise ValueError(
            f"times of shape {shape}: expected two or more times that rise."
        )
    return jnp.asarray(times, float)
