"""Run a sweep: compute what its store lacks."""

import platform
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import asdict
from enum import StrEnum
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from scaletx._types import RunStatus
from scaletx._version import __version__
from scaletx.sweep.plan import Job, every_lane, plan
from scaletx.sweep.spec import SweepSpec
from scaletx.sweep.store import Store
from scaletx.training import CURVE, Outcome


class Progress(NamedTuple):
    """How far a sweep is.

    Attributes:
        lanes: Lanes to do in this call.
        done: Lanes done.
        diverged: Of these, diverged.
        failed: Of these, failed.
        steps: Training steps done.
        seconds: Since the start.
        left: Estimated seconds to go; None before the first lanes are done.
        note: Something to say, else empty.
    """

    lanes: int
    done: int = 0
    diverged: int = 0
    failed: int = 0
    steps: int = 0
    seconds: float = 0.0
    left: float | None = None
    note: str = ""


Executor = Callable[[SweepSpec, Sequence[Job]], Iterator[tuple[Job, int, Outcome]]]
"""Runs jobs and yields (job, index of the lane in it, outcome) as lanes end."""


def inline(spec: SweepSpec, jobs: Sequence[Job]) -> Iterator[tuple[Job, int, Outcome]]:
    """Run jobs one after another in this process, on the devices that it has.

    A job that raises fails those of its lanes that had not ended; the others go on.
    """
    for job in jobs:
        left = set(range(len(job.lanes)))
        try:
            for batch in spec.definition.run(job.shape, job.lanes, spec.settings):
                for i, outcome in batch:
                    left.discard(i)
                    yield job, i, outcome
        except Exception as error:
            message = f"{type(error).__name__}: {error}".splitlines()[0]
            for i in sorted(left):
                yield job, i, Outcome(status=RunStatus.FAILED, message=message)


def run(
    spec: SweepSpec,
    path: str | Path,
    *,
    retry: Collection[RunStatus | str] = (),
    rerun: bool = False,
    report: Callable[[Progress], None] = lambda progress: None,
    executor: Executor = inline,
) -> pd.DataFrame:
    """Compute the lanes that a store lacks, and return those of the sweep.

    The same call resumes; more sizes, rates or seeds compute the new lanes only. A lane
    that diverges is data; a job that fails leaves its lanes failed with the reason.

    Args:
        spec: What to run.
        path: The store's folder.
        retry: Statuses to run again, `failed` or `diverged`.
        rerun: Run all lanes of the sweep again.
        report: Called with the progress.
        executor: Runs the jobs.

    Returns:
        The lanes table of this sweep.

    Raises:
        StoreError: If the folder belongs to another sweep, or cannot be written.
    """
    import jax

    store = Store(path)
    store.adopt(spec)
    store.tidy()
    notes = store.set_aside_unreadable()
    results = store.results()
    again = set(RunStatus) if rerun else {RunStatus(status) for status in retry}
    devices = jax.devices()
    todo = plan(
        spec,
        None if results is None else results.lanes,
        again=again,
        devices=len(devices),
    )
    about = {
        "scaletx": __version__,
        "jax": metadata.version("jax"),
        "python": platform.python_version(),
        "device": devices[0].device_kind,
        "devices": str(len(devices)),
        "precision": str(getattr(spec.settings, "precision", "float32")),
    }
    progress = Progress(lanes=todo.counts["todo"])
    for note in notes or [""]:
        report(progress._replace(note=note))
    start, flops = time.monotonic(), 0.0
    collected: dict[Job, dict[int, Outcome]] = {}
    try:
        for job, i, outcome in executor(spec, todo.jobs):
            ended = collected.setdefault(job, {})
            ended[i] = outcome
            flops += spec.definition.cost(job.shape, spec.settings).flops
            seconds = time.monotonic() - start
            progress = progress._replace(
                done=progress.done + 1,
                diverged=progress.diverged + (outcome.status == RunStatus.DIVERGED),
                failed=progress.failed + (outcome.status == RunStatus.FAILED),
                steps=progress.steps + getattr(spec.settings, "steps", 0),
                seconds=seconds,
                left=seconds * (todo.flops - flops) / flops,
            )
            if len(ended) == len(job.lanes):
                _commit(store, spec, job, collected.pop(job), about)
            report(progress)
    except KeyboardInterrupt:
        for job, ended in collected.items():
            _commit(store, spec, job, ended, about)
        raise
    store.adopt(spec)  # again: another sweep may have written its own axes meanwhile
    results = store.results()
    assert results is not None, "a sweep has at least one lane"
    keys = [key for _, _, key in every_lane(spec)]
    return results.lanes.set_index("lane", drop=False).loc[keys].reset_index(drop=True)


def _commit(
    store: Store,
    spec: SweepSpec,
    job: Job,
    outcomes: dict[int, Outcome],
    about: dict[str, str],
) -> None:
    task = spec.definition
    words = asdict(spec.settings).items()
    fixed = {k: str(v) if isinstance(v, StrEnum) else v for k, v in words}
    fixed["data"] = task.digest(spec.settings)
    rows, curves = [], []
    for i, outcome in sorted(outcomes.items()):
        lane, result = job.lanes[i], outcome._asdict()
        curve = result.pop("curve")
        if curve is not None:
            curves.append(pd.DataFrame({"lane": job.keys[i], **curve}))
        rows.append(
            {
                "task": task.name,
                **dict(zip(task.size_axes, job.shape, strict=True)),
                **dict(zip(task.grid_axes, lane.grid, strict=True)),
                "seed": lane.seed,
                **result,
                "status": str(outcome.status),
                "lane": job.keys[i],
                **fixed,
            }
        )
    empty = pd.DataFrame(columns=["lane", "step", *CURVE])
    store.commit(
        job.name,
        pd.DataFrame(rows).astype(
            {"first_bad_step": "Int64", "last_finite_loss": "float64"}
        ),
        pd.concat(curves, ignore_index=True) if curves else empty,
        about,
    )
