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
        seen: Columns of `scaletx.diagnostics.columns` by name, `(rows,)` each: at steps
            0, `log_every`, 2 `log_every`, ....
    """

    batch_loss: Float[Array, "steps"]
    train_mse: Float[Array, "evaluations"]
    test_mse: Float[Array, "evaluations"]
    seen: dict[str, Float[Array, "rows"]]


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
        log_every: Steps between diagnostics; divides `eval_every`.
        kinds: Diagnostics to record.

    Returns:
        The trained model and its track.
    """
    batch, N = order.shape[1], samples.targets.shape[1]

    def loss(model, g, y):
        z = model.preactivations(g)
        f = model.output(model.postactivations(z))
        return jnp.sum((f - y) ** 2) / (2 * batch), (z, f)

    def step(carry, indices, kinds=()):
        model, state = carry
        g, y = samples.features[indices], samples.targets[indices]
        (value, (z, f)), grads = jax.value_and_grad(loss, has_aux=True)(model, g, y)
        updates, after = tx.update(grads, state, model)

        def apply(grads):
            return tx.update(grads, state, model)[0]

        inside = diagnostics.Step(model, g, z, f, y, grads, updates, apply)
        moved = eqx.apply_updates(model, updates), after
        return moved, (value * (2 / N), diagnostics.columns(kinds, inside))

    def stretch(carry, indices):  # a step that is looked at, and plain ones
        carry, first = step(carry, indices[0], kinds)
        carry, (losses, _) = jax.lax.scan(step, carry, indices[1:])
        return carry, (jnp.append(first[0], losses), jax.tree.map(jnp.ravel, first[1]))

    def segment(carry, indices):
        if kinds:
            carry, (losses, seen) = in_chunks(stretch, carry, indices, log_every)
        else:
            carry, (losses, seen) = jax.lax.scan(step, carry, indices)
        train_mse = mse(carry[0], samples.features, samples.targets)
        test_mse = mse(carry[0], samples.test_features, samples.test_targets)
        return carry, Track(losses, train_mse[None], test_mse[None], seen)

    start = (model, tx.init(eqx.filter(model, eqx.is_inexact_array)))
    end, track = in_chunks(segment, start, order, eval_every or len(order))
    return end[0], track


def in_chunks(f, carry, rows: Array, size: int):
    """Scan `f` over chunks of rows, the last one what is left, and join its outputs."""
    whole = len(rows) // size * size
    chunks = rows[:whole].reshape(-1, size, *rows.shape[1:])
    carry, out = jax.lax.scan(f, carry, chunks)
    out = jax.tree.map(lambda a: a.reshape(-1, *a.shape[2:]), out)
    if whole < len(rows):
        carry, rest = f(carry, rows[whole:])
        out = jax.tree.map(lambda a, b: jnp.concatenate([a, b]), out, rest)
    return carry, out
