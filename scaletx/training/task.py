"""What a sweep knows about a task."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from scaletx._types import RunStatus

CURVE = ("batch_loss", "train_mse", "test_mse")
"""Columns of a curve besides the step."""


class Cost(NamedTuple):
    """What one lane costs.

    Attributes:
        flops: Floating-point operations of its matrix products.
        bytes: Memory it needs at once, its data included.
    """

    flops: float
    bytes: float


class Lane(NamedTuple):
    """One point of the grid and one seed, at a shape that its job names."""

    grid: tuple[float, ...]
    seed: int


class Outcome(NamedTuple):
    """How a lane ended: columns of the lanes table, and its curve.

    Attributes:
        status: ok, diverged or failed.
        train_mse: Over all samples after the last step; NaN if not finite.
        test_mse: Over as many held-out samples.
        first_bad_step: First step whose batch loss was not finite; None if none was.
        last_finite_loss: Batch loss before it; None unless the lane diverged.
        message: Why it failed, else empty.
        compile_s: Seconds of compiling that this lane's job caused.
        run_s: Seconds of running: the call's, divided among its lanes.
        at_once: Lanes that ran side by side on a device.
        curve: Columns step, those of `CURVE` and diagnostics; NaN where there is no
            number.
    """

    status: RunStatus
    train_mse: float = np.nan
    test_mse: float = np.nan
    first_bad_step: int | None = None
    last_finite_loss: float | None = None
    message: str = ""
    compile_s: float = 0.0
    run_s: float = 0.0
    at_once: int = 1
    curve: Mapping[str, np.ndarray] | None = None


class Task(Protocol):
    """A kind of training run that can be swept."""

    @property
    def name(self) -> str:
        """The word for it."""
        ...

    @property
    def size_axes(self) -> tuple[str, ...]:
        """Names of the sizes that make up a shape."""
        ...

    @property
    def grid_axes(self) -> tuple[str, ...]:
        """Names of what varies at one shape."""
        ...

    @property
    def settings(self) -> type[Any]:
        """The frozen dataclass of what all lanes share."""
        ...

    @property
    def silent(self) -> frozenset[str]:
        """Settings that say what is recorded, not what is computed."""
        ...

    def check(self, shape: tuple[int, ...], settings: Any) -> None:
        """Raise ValueError if the task cannot run at a shape."""
        ...

    def cost(self, shape: tuple[int, ...], settings: Any) -> Cost:
        """What one lane costs."""
        ...

    def digest(self, settings: Any) -> str:
        """Identify the data it reads: what they are, never where they lie."""
        ...

    def run(
        self, shape: tuple[int, ...], lanes: Sequence[Lane], settings: Any
    ) -> Iterator[list[tuple[int, Outcome]]]:
        """Run lanes; yield (index, outcome) pairs as they end, in any order."""
        ...


def outcome(
    batch_loss: np.ndarray,
    train_mse: np.ndarray,
    test_mse: np.ndarray,
    seen: Mapping[str, np.ndarray] | None = None,
    *,
    initial_mse: float,
    eval_steps: Sequence[int],
    log_every: int,
) -> Outcome:
    """Read a lane's outcome off its track.

    A lane diverged if a batch loss or its final train_mse is not finite, or if the
    final train_mse exceeds ten times the initial one.

    Args:
        batch_loss: `(steps,)`.
        train_mse: `(evaluations,)`.
        test_mse: `(evaluations,)`.
        seen: Further columns, a value at 0, `log_every`, 2 `log_every`, ... steps done.
        initial_mse: train_mse before the first step.
        eval_steps: Steps done at each evaluation.
        log_every: Steps over which the curve averages the batch loss.
    """
    steps = len(batch_loss)
    bad = np.flatnonzero(~np.isfinite(batch_loss))
    first_bad = int(bad[0]) if len(bad) else None
    final = float(train_mse[-1])
    if first_bad is None and not np.isfinite(final):
        first_bad = steps
    diverged = first_bad is not None or final > 10 * initial_mse
    before = batch_loss[:first_bad]
    edges = np.arange(0, steps, log_every)
    with np.errstate(invalid="ignore", over="ignore"):
        means = np.add.reduceat(batch_loss.astype(np.float64), edges)
    means /= np.diff(np.append(edges, steps))
    evaluated = np.array([0, *eval_steps])
    step = np.union1d(evaluated, np.append(edges[1:], steps))
    columns = {name: np.full(len(step), np.nan) for name in CURVE}
    columns["batch_loss"][np.searchsorted(step, np.append(edges[1:], steps))] = means
    columns["train_mse"][np.searchsorted(step, evaluated)] = [initial_mse, *train_mse]
    columns["test_mse"][np.searchsorted(step, evaluated[1:])] = test_mse
    for name, values in (seen or {}).items():
        columns[name] = np.full(len(step), np.nan)
        columns[name][np.searchsorted(step, edges)] = values
    for column in columns.values():
        column[~np.isfinite(column)] = np.nan
    return Outcome(
        status=RunStatus.DIVERGED if diverged else RunStatus.OK,
        train_mse=final if np.isfinite(final) else np.nan,
        test_mse=float(test_mse[-1]) if np.isfinite(test_mse[-1]) else np.nan,
        first_bad_step=first_bad,
        last_finite_loss=float(before[-1]) if diverged and len(before) else None,
        curve={"step": step, **columns},
    )
