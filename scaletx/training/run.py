"""One training run as one scan."""

from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import optax
from jaxtyping import Array, Float, Int

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
    """

    batch_loss: Float[Array, "steps"]
    train_mse: Float[Array, "evaluations"]
    test_mse: Float[Array, "evaluations"]


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

    Returns:
        The trained model and its track.
    """
    batch, N = order.shape[1], samples.targets.shape[1]

    def loss(model, g, y):
        return jnp.sum((model.read(g) - y) ** 2) / (2 * batch)

    def step(carry, indices):
        model, state = carry
        g, y = samples.features[indices], samples.targets[indices]
        value, grads = jax.value_and_grad(loss)(model, g, y)
        updates, state = tx.update(grads, state, model)
        return (eqx.apply_updates(model, updates), state), value * (2 / N)

    def segment(carry, indices):
        carry, losses = jax.lax.scan(step, carry, indices)
        train_mse = mse(carry[0], samples.features, samples.targets)
        test_mse = mse(carry[0], samples.test_features, samples.test_targets)
        return carry, Track(losses, train_mse, test_mse)

    carry = (model, tx.init(eqx.filter(model, eqx.is_inexact_array)))
    steps = len(order)
    every = min(eval_every or steps, steps)
    whole = steps // every * every
    carry, track = jax.lax.scan(segment, carry, order[:whole].reshape(-1, every, batch))
    track = track._replace(batch_loss=track.batch_loss.reshape(-1))
    if whole < steps:
        carry, rest = segment(carry, order[whole:])
        ends = jax.tree.map(lambda a, b: jnp.append(a, b), track, rest)
        track = Track(*ends)
    return carry[0], track
