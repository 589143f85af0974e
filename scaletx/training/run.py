"""One training run as one scan."""

from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import optax
from jaxtyping import Array, Float, Int

from scaletx import diagnostics
from scaletx._types import Diagnostic
from scaletx.models import DenseAM


class Samples(NamedTuple):
    """What a run reads: features g(x) and targets, training and held out."""

    features: Float[Array, "P N"]
    targets: Float[Array, "P N"]
    test_features: Float[Array, "P N"]
    test_targets: Float[Array, "P N"]


class Track(NamedTuple):
    """What a run leaves behind, as mean squared errors per entry.

    Attributes:
        batch_loss: `(steps,)`, on each batch before its step.
        train_mse: `(evaluations,)`, over all samples; the last one after the last step.
        test_mse: The same over the held-out samples.
        seen: Columns of `scaletx.diagnostics.columns` by name, `(steps,)` each: at
            steps 0, `log_every`, 2 `log_every`, ...; NaN between them.
    """

    batch_loss: Float[Array, "steps"]
    train_mse: Float[Array, "evaluations"]
    test_mse: Float[Array, "evaluations"]
    seen: dict[str, Float[Array, "steps"]]


def mse(
    model: DenseAM,
    features: Float[Array, "P N"],
    targets: Float[Array, "P N"],
    *,
    block: int = 1024,
) -> Float[Array, ""]:
    r"""Mean squared error $\|F - Y\|_F^2 / (N P)$, read in blocks of samples."""

    def squares(pair):
        return jnp.sum((model.read(pair[0]) - pair[1]) ** 2)

    P = len(features)
    whole = P // block * block
    total = jnp.zeros(())
    if whole:
        blocks = (a[:whole].reshape(-1, block, a.shape[1]) for a in (features, targets))
        total = jnp.sum(jax.lax.map(squares, tuple(blocks)))
    if whole < P:
        total = total + squares((features[whole:], targets[whole:]))
    return total / targets.size


def train(
    model: DenseAM,
    tx: optax.GradientTransformation,
    samples: Samples,
    order: Int[Array, "steps B"],
    *,
    eval_every: int | None = None,
    log_every: int = 10,
    kinds: tuple[Diagnostic, ...] = (),
) -> tuple[DenseAM, Track]:
    r"""Minimise $L = \frac{1}{2B} \|F - Y\|_F^2$ over batches.

    A non-finite number never raises: a parameter that is not finite makes the next
    batch loss, or the last evaluation, not finite too, so the track shows where it
    began.

    Args:
        model: Initial model.
        tx: The optimizer.
        samples: Features and targets.
        order: Indices of the samples of each batch, a row a step.
        eval_every: Steps between evaluations; at the end only if None.
        log_every: Steps between diagnostics.
        kinds: Diagnostics to record.

    Returns:
        The trained model and its track.
    """
    batch, N = order.shape[1], samples.targets.shape[1]

    def loss(model, g, y):
        z = model.preactivations(g)
        f = model.output(model.postactivations(z))
        return jnp.sum((f - y) ** 2) / (2 * batch), (z, f)

    def step(carry, now):
        (model, state), (number, indices) = carry, now
        g, y = samples.features[indices], samples.targets[indices]
        (value, (z, f)), grads = jax.value_and_grad(loss, has_aux=True)(model, g, y)
        updates, after = tx.update(grads, state, model)

        def look():
            apply = lambda grads: tx.update(grads, state, model)[0]  # noqa: E731
            inside = diagnostics.Step(model, g, z, f, y, grads, updates, apply)
            return diagnostics.columns(kinds, inside)

        nothing = jax.tree.map(
            lambda s: jnp.full(s.shape, jnp.nan, s.dtype), jax.eval_shape(look)
        )
        seen = jax.lax.cond(number % log_every == 0, look, lambda: nothing)
        moved = eqx.apply_updates(model, updates), after
        return moved, (value * (2 / N), seen)

    def segment(carry, now):
        carry, (losses, seen) = jax.lax.scan(step, carry, now)
        train_mse = mse(carry[0], samples.features, samples.targets)
        test_mse = mse(carry[0], samples.test_features, samples.test_targets)
        return carry, Track(losses, train_mse, test_mse, seen)

    carry = (model, tx.init(eqx.filter(model, eqx.is_inexact_array)))
    steps = len(order)
    every = min(eval_every or steps, steps)
    whole = steps // every * every
    numbered = jnp.arange(steps), jnp.asarray(order)
    carry, track = jax.lax.scan(
        segment,
        carry,
        jax.tree.map(lambda a: a[:whole].reshape(-1, every, *a.shape[1:]), numbered),
    )
    losses, seen = jax.tree.map(jnp.ravel, (track.batch_loss, track.seen))
    track = track._replace(batch_loss=losses, seen=seen)
    if whole < steps:
        carry, rest = segment(carry, jax.tree.map(lambda a: a[whole:], numbered))
        track = jax.tree.map(lambda a, b: jnp.append(a, b), track, rest)
    return carry[0], track
