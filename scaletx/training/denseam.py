"""The `denseam` task: a DenseAM that learns to remove noise."""

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from scaletx import _checks
from scaletx._types import OptimizerName, parse_diagnostics
from scaletx.data import data_set, denoising, lambda_max, require_size, stream
from scaletx.parameterization import Sizes
from scaletx.training.settings import DenseAMSettings, Precision, Schedule
from scaletx.training.task import Cost, Lane, Outcome, outcome

CALL_FLOPS = {"cpu": 5e11, "gpu": 5e13}
"""Work of a device in one call, a few seconds: how often progress is told."""

BUSY_FLOPS = 2e10
"""Work of a step that keeps a large GPU busy; smaller lanes run side by side."""


class DenseAMTask:
    """Train lanes of one shape (N, K, P, B), each at its own eta0 and seed.

    Args:
        at_once: Lanes side by side on a device; chosen by the device if None.
    """

    name = "denseam"
    size_axes = ("N", "K", "P", "B")
    grid_axes = ("eta0",)
    settings = DenseAMSettings
    silent = frozenset(
        {"log_every", "eval_every", "diagnostics", "allow_no_rule", "data"}
    )

    def __init__(self, at_once: int | None = None):
        self.at_once = None if at_once is None else _checks.integer("at_once", at_once)

    def check(self, shape: tuple[int, ...], settings: DenseAMSettings) -> None:
        """Raise ValueError if sizes are no sizes or the data cannot give them."""
        sizes = Sizes.checked(**dict(zip(self.size_axes, shape, strict=True)))
        require_size(settings.data, sizes.N, sizes.P)

    def cost(self, shape: tuple[int, ...], settings: DenseAMSettings) -> Cost:
        """Count 10 N K B a step and 4 N K P an evaluation of one set of samples."""
        N, K, P, B = shape
        steps, every = settings.steps, settings.eval_every or settings.steps
        evaluations = 1 + 2 * -(-steps // every)
        copies = 5 if settings.optimizer is OptimizerName.ADAM else 3
        floats = copies * N * K + 8 * N * P + 6 * B * (N + K) + 3 * K * min(P, 1024)
        flops = 10.0 * N * K * B * steps + 4.0 * N * K * P * evaluations
        return Cost(flops, 4.0 * floats + 4 * B * steps)

    def digest(self, settings: DenseAMSettings) -> str:
        """Identify the data: their kind, their options, the content of their files."""
        return data_set(settings.data).identity()

    def run(
        self, shape: tuple[int, ...], lanes: Sequence[Lane], settings: DenseAMSettings
    ) -> Iterator[list[tuple[int, Outcome]]]:
        """Run lanes, the lanes of a seed together, and yield them call by call."""
        import jax

        from scaletx.training.program import CAPACITY, Piece, share_out

        sizes, cost = Sizes(*shape), self.cost(shape, settings)
        quiet = settings
        if not settings.diagnostics:  # losses are averaged here: no new program
            quiet = replace(settings, log_every=1)
        seeds = sorted({lane.seed for lane in lanes})
        groups = [[i for i, ln in enumerate(lanes) if ln.seed == s] for s in seeds]
        devices = tuple(jax.devices())
        work = CALL_FLOPS["cpu" if devices[0].platform == "cpu" else "gpu"]
        most = int(max(1, min(CAPACITY, work / cost.flops)))
        at_once = self.at_once or lanes_at_once(devices[0], sizes, cost)
        inputs = lru_cache(len(devices))(
            lambda seed: lane_inputs(sizes, seed, settings)
        )
        compile_s = 0.0
        for call in share_out([len(g) for g in groups], len(devices), most):
            members = [groups[group][first:end] for group, first, end in call]
            pieces = [
                Piece(inputs(seeds[group]), np.array([lanes[i].grid for i in who]))
                for (group, _, _), who in zip(call, members, strict=True)
            ]
            while True:
                try:
                    program, seconds = _timed_program(sizes, quiet, devices, at_once)
                    compile_s += seconds
                    start = time.perf_counter()
                    outputs = program(pieces)
                    break
                except jax.errors.JaxRuntimeError as error:
                    if "RESOURCE_EXHAUSTED" not in str(error) or at_once == 1:
                        raise
                    at_once //= 2
            run_s = (time.perf_counter() - start) / sum(map(len, members))
            done = []
            for who, (track, initial) in zip(members, outputs, strict=True):
                for row, i in enumerate(who):
                    one = outcome(
                        track.batch_loss[row],
                        track.train_mse[row],
                        track.test_mse[row],
                        {name: values[row] for name, values in track.seen.items()},
                        initial_mse=float(initial[row]),
                        eval_steps=eval_steps(settings),
                        log_every=settings.log_every,
                    )
                    spent = {"compile_s": compile_s, "run_s": run_s, "at_once": at_once}
                    done.append((i, one._replace(**spent)))
            yield done


def lanes_at_once(device: Any, sizes: Sizes, cost: Cost) -> int:
    """Lanes to run side by side: one on a CPU; on a GPU what its memory holds.

    A GPU takes the largest power of two up to 16 that fits into 80 % of its memory, but
    no more than keep it busy.
    """
    if device.platform == "cpu":
        return 1
    N, K, _, B = sizes
    memory = (device.memory_stats() or {}).get("bytes_limit", 8e9)
    room = min(16, 0.8 * memory / cost.bytes, BUSY_FLOPS / (10 * N * K * (B or 1)))
    return 2 ** max(0, math.floor(math.log2(max(room, 1))))


def eval_steps(settings: DenseAMSettings) -> list[int]:
    """Steps done at each evaluation: every `eval_every`, and at the end."""
    every = min(settings.eval_every or settings.steps, settings.steps)
    steps = list(range(every, settings.steps + 1, every))
    return steps if steps[-1] == settings.steps else [*steps, settings.steps]


def batch_order(
    *, P: int, B: int, steps: int, seed: int, fixed: bool = False
) -> np.ndarray:
    """Indices of each batch, `(steps, B)`: without replacement, P // B steps an epoch.

    Each epoch draws a fresh permutation of the samples (`fixed` keeps the first) and
    drops what does not fill a batch. The first steps do not depend on how many follow.
    """
    each = P // B
    epochs = -(-steps // each)
    rng = stream(seed, 4)
    draws = [rng.permutation(P)[: each * B] for _ in range(1 if fixed else epochs)]
    order = np.concatenate(draws * epochs if fixed else draws).reshape(-1, B)
    return order[:steps].astype(np.int32)


class Inputs(NamedTuple):
    """Seed, samples (inputs and targets, training and held out), order, lambda_max."""

    seed: Any
    samples: Any
    order: Any
    lambda_max: Any


def lane_inputs(sizes: Sizes, seed: int, settings: DenseAMSettings) -> Inputs:
    """Everything of a lane that its seed and its sizes decide."""
    N, _, P, B = sizes
    assert P is not None and B is not None
    task = denoising(data_set(settings.data), N=N, P=P, seed=seed, noise=settings.noise)
    order = batch_order(
        P=P, B=B, steps=settings.steps, seed=seed, fixed=settings.fixed_order
    )
    top = 1.0
    if settings.data_aware:
        linear = settings.activation == "linear"
        top = lambda_max(task.inputs if linear else np.tanh(task.inputs))
    return Inputs(np.uint32(seed), tuple(task), order, np.float32(top))


def _timed_program(*args: Any) -> tuple[Any, float]:
    """The program, and the seconds that compiling it took just now."""
    before = _program.cache_info().misses
    program = _program(*args)
    return program, program.compile_s * (_program.cache_info().misses - before)


@lru_cache(maxsize=64)
def _program(
    sizes: Sizes, settings: DenseAMSettings, devices: tuple[Any, ...], at_once: int
) -> Any:
    import jax
    import optax

    from scaletx.models import DenseAM
    from scaletx.optimizers import prescribed
    from scaletx.training.program import Piece, Program
    from scaletx.training.run import Samples, mse, train

    p = settings.prescription(sizes)
    schedule = {
        Schedule.CONSTANT: None,
        Schedule.LINEAR: optax.linear_schedule(1.0, 0.0, settings.steps),
        Schedule.COSINE: optax.cosine_decay_schedule(1.0, settings.steps),
    }[settings.schedule]

    def prepare(inputs: Inputs):
        model = DenseAM(p, key=jax.random.key(inputs.seed))
        x, y, test_x, test_y = inputs.samples
        samples = Samples(model.features(x), y, model.features(test_x), test_y)
        return inputs, model, samples, mse(model, samples.features, y)

    def lane(shared, point):
        inputs, model, samples, initial_mse = shared
        tx = prescribed(
            p,
            schedule=schedule,
            eta0=point[0],
            lambda_max=inputs.lambda_max if settings.data_aware else None,
            b1=settings.b1,
            b2=settings.b2,
        )
        _, track = train(
            model,
            tx,
            samples,
            inputs.order,
            eval_every=settings.eval_every,
            log_every=settings.log_every,
            kinds=parse_diagnostics(settings.diagnostics),
        )
        return track, initial_mse

    matmul = {
        Precision.FLOAT32: "highest",
        Precision.TF32: "tensorfloat32",
        Precision.BFLOAT16: "BF16_BF16_F32",
    }[settings.precision]
    example = Piece(lane_inputs(sizes, 0, settings), np.ones((1, 1)))
    with jax.default_matmul_precision(matmul):
        return Program(prepare, lane, example, devices=devices, at_once=at_once)
