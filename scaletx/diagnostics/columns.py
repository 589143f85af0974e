"""The numbers that a sweep logs of a step, as columns of its curves."""

from collections.abc import Callable, Collection
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from scaletx._types import Diagnostic, OptimizerName, parse_activation
from scaletx.activations import activation
from scaletx.diagnostics.localization import centered_effective_units, effective_units
from scaletx.diagnostics.spectrum import feature_moments, spike_and_bulk
from scaletx.diagnostics.updates import update_terms
from scaletx.models import DenseAM

SAMPLES = 32
"""Samples of the batch over which the terms of Z and F are averaged, at most: as good
an estimate, as samples are alike, at a fraction of the cost."""


class Step(NamedTuple):
    """A step of training, seen from inside.

    Attributes:
        model: The model before the step.
        g: Features of the batch.
        z: Their pre-activations.
        f: Outputs.
        y: Targets.
        grads: The gradient.
        updates: What the optimizer makes of it.
        apply: The optimizer at this step, as a function of a gradient.
    """

    model: DenseAM
    g: Float[Array, "B N"]
    z: Float[Array, "B K"]
    f: Float[Array, "B N"]
    y: Float[Array, "B N"]
    grads: DenseAM
    updates: Any
    apply: Callable[[DenseAM], Any]


def columns(kinds: Collection[Diagnostic], step: Step) -> dict[str, Array]:
    r"""Summarize a step in scalars, by name.

    - `updates`: root mean square per entry of the terms of `update_terms`, for the
      first 32 samples of the batch: `dW`, `dZ`, `dF`, by path `dF1` (read-out) and
      `dF2` (through the pre-activations), and of biases `dZb`, `dFb`, `dFc`. For SGD
      also by gradient part: `dW1`, `dW2`, `dZ1`, `dZ2`, and `dF12`, say, is path 1 of
      part 2, the paper's $\Delta^{(1,2)} F$.
    - `spectrum`: `spike` and `bulk` of the post-activations as they are,
      `spike_centered` and `bulk_centered` of their deviations from the mean over units,
      `feature_mean` and `feature_square` of what the outputs read (`feature_moments`),
      and root mean squares `Z_rms` and `F_rms`. Softmax counts K times.
    - `localization`: `K_eff` over K, and `K_over_K_eff_centered`, $K \|C\sigma\|^2$,
      means over the batch.

    Args:
        kinds: What is asked for.
        step: The step.

    Returns:
        The columns, float32 scalars.
    """
    seen: dict[str, Array] = {}
    if Diagnostic.UPDATES in kinds:
        seen |= {name: _rms(term) for name, term in _updates(step).items()}
    if Diagnostic.SPECTRUM in kinds:
        seen |= _spectrum(step)
    if Diagnostic.LOCALIZATION in kinds:
        sigma = activation(step.model.prescription.activation).value(step.z)
        K = sigma.shape[-1]
        seen["K_eff"] = jnp.mean(effective_units(sigma)) / K
        seen["K_over_K_eff_centered"] = K * jnp.mean(centered_effective_units(sigma))
    return seen


def _updates(step: Step) -> dict[str, Array]:
    model, p = step.model, step.model.prescription

    def terms_of(change: DenseAM) -> dict[str, Array]:
        return update_terms(model, change, step.g[:SAMPLES], step.z[:SAMPLES])

    terms = terms_of(step.updates)
    if p.optimizer is OptimizerName.SGD:
        s = model.postactivations(step.z)
        readout = p.s2 / len(s) * s.T @ (step.f - step.y)
        u = step.apply(eqx.tree_at(lambda m: m.W, step.grads, readout)).W
        first = terms_of(eqx.tree_at(lambda m: m.W, step.updates, u))
        for name in ("dW", "dZ", "dF1", "dF2"):
            terms[f"{name}1"] = first[name]
            terms[f"{name}2"] = terms[name] - first[name]  # terms are linear
    return {**terms, "dF": terms["dF1"] + terms["dF2"]}


def _spectrum(step: Step) -> dict[str, Array]:
    p = step.model.prescription
    name = parse_activation(p.activation)
    s = activation(p.activation).value(step.z)
    if name.kind == "softmax":
        s = s * s.shape[-1]
    apart = s - jnp.mean(s, axis=-1, keepdims=True)
    spikes, bulks = jax.vmap(spike_and_bulk)(jnp.stack([s, apart]))
    mean, square = feature_moments(apart if p.centered else s)
    return {
        "spike": spikes[0],
        "bulk": bulks[0],
        "spike_centered": spikes[1],
        "bulk_centered": bulks[1],
        "feature_mean": mean,
        "feature_square": square,
        "Z_rms": _rms(step.z),
        "F_rms": _rms(step.f),
    }


def _rms(a: Array) -> Array:
    return jnp.sqrt(jnp.mean(a**2))
