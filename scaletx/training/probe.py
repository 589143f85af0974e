"""Look inside a DenseAM while it takes its first steps."""

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp

from scaletx.models import DenseAM
from scaletx.optimizers import prescribed
from scaletx.parameterization import Sizes
from scaletx.training.denseam import lane_inputs
from scaletx.training.settings import DenseAMSettings


def denseam_probe(
    shape: tuple[int, ...],
    seed: int,
    settings: DenseAMSettings,
    *,
    eta0: float,
    steps: int,
) -> Iterator[dict[str, Any]]:
    """Train on a lane's own batches; yield Z, F and the gradient of W on the first.

    Args:
        shape: N, K, P, B.
        seed: The lane's seed.
        settings: The lane's settings.
        eta0: The lane's rate.
        steps: Steps to take.

    Yields:
        Named arrays, before the first step and after each step: `Z` of shape `(B, K)`,
        `F` of shape `(B, N)`, and `gradient W` of shape `(K, N)`.
    """
    sizes = Sizes(*shape)
    lane = lane_inputs(sizes, seed, replace(settings, steps=steps))
    start, look, step = _compiled(sizes, settings)
    model, state = start(lane.seed, eta0, lane.lambda_max)
    x, y = lane.samples[:2]
    first = lane.order[0]
    for indices in (*lane.order, None):
        yield look(model, x[first], y[first])
        if indices is not None:
            batch = x[indices], y[indices]
            model, state = step(model, state, eta0, lane.lambda_max, *batch)


@lru_cache(maxsize=32)
def _compiled(sizes: Sizes, settings: DenseAMSettings) -> tuple[Any, Any, Any]:
    """Compile once a shape: the start of a seed, a look, a step."""
    p = settings.prescription(sizes)

    def optimizer(eta0, lambda_max):
        top = lambda_max if settings.data_aware else None
        return prescribed(p, eta0=eta0, lambda_max=top, b1=settings.b1, b2=settings.b2)

    def gradient(model, x, y):
        def loss(model):
            return jnp.sum((model(x) - y) ** 2) / (2 * len(x))

        return jax.grad(loss)(model)

    @jax.jit
    def start(seed, eta0, lambda_max):
        model: Any = DenseAM(p, key=jax.random.key(seed))
        return model, optimizer(eta0, lambda_max).init(model)

    @jax.jit
    def look(model, x, y):
        g = model.features(x)
        return {
            "Z": model.preactivations(g),
            "F": model.read(g),
            "gradient W": gradient(model, x, y).W,
        }

    @jax.jit
    def step(model, state, eta0, lambda_max, x, y):
        updates, state = optimizer(eta0, lambda_max).update(
            gradient(model, x, y), state, model
        )
        return eqx.apply_updates(model, updates), state

    return start, look, step
