"""What is done, what is to do, and what it will cost."""

import hashlib
import json
from collections.abc import Collection, Iterator
from dataclasses import asdict, dataclass, field, fields
from typing import Any, NamedTuple

import pandas as pd

from scaletx._types import RunStatus
from scaletx.sweep.spec import SweepSpec
from scaletx.training import Lane

SCHEMA = 1
JOB_FLOPS = 2e12
"""Work of a job: about a minute of two CPU cores, the most that a crash loses."""


class Job(NamedTuple):
    """Some lanes of one shape.

    Attributes:
        shape: Sizes, in the order of the task's size axes.
        lanes: Grid point and seed of each lane.
        keys: Their keys.
    """

    shape: tuple[int, ...]
    lanes: tuple[Lane, ...]
    keys: tuple[str, ...]

    @property
    def name(self) -> str:
        """A short name that depends on the lanes alone."""
        return hashlib.sha256("".join(self.keys).encode()).hexdigest()[:12]


@dataclass(frozen=True, kw_only=True)
class Plan:
    """The state of a sweep.

    Attributes:
        jobs: What is to do, largest shapes first.
        lanes: All lanes of the sweep.
        counts: Lanes by status, and `todo`.
        flops: Work to do.
        bytes: Memory that the largest lane to do needs.
        seconds: Estimate from finished lanes of the same store; None without any.
    """

    jobs: tuple[Job, ...] = field(repr=False)
    lanes: int
    counts: dict[str, int]
    flops: float
    bytes: float
    seconds: float | None

    @property
    def compiles(self) -> int:
        """Programs to compile: one a shape."""
        return len({job.shape for job in self.jobs})


def lane_key(spec: SweepSpec, shape: tuple[int, ...], lane: Lane, digest: str) -> str:
    """SHA-256 of all that can change a lane's numbers, and of nothing else.

    Numbers count to nine significant digits; hosts, times and paths do not count, nor
    settings at their defaults: a setting that is added later orphans no store, and a
    default that changes needs a new SCHEMA.
    """
    task = spec.definition
    defaults = {f.name: _rounded(f.default) for f in fields(spec.settings)}
    settings = _rounded(asdict(spec.settings)).items()
    content = {
        "schema": SCHEMA,
        "task": task.name,
        "shape": dict(zip(task.size_axes, shape, strict=True)),
        "grid": dict(zip(task.grid_axes, lane.grid, strict=True)),
        "seed": lane.seed,
        "settings": {
            k: v for k, v in settings if k not in task.silent and v != defaults[k]
        },
        "dtype": "float32",
        "data": digest,
    }
    text = json.dumps(_rounded(content), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _rounded(v) for key, v in value.items()}
    return f"{value:.9g}" if isinstance(value, float) else value


def every_lane(spec: SweepSpec) -> Iterator[tuple[tuple[int, ...], Lane, str]]:
    """Shape, lane and key of each lane of a sweep."""
    digest = spec.definition.digest(spec.settings)
    for shape in spec.shapes:
        for seed in spec.seeds:
            for point in _product(spec.grid):
                lane = Lane(point, seed)
                yield shape, lane, lane_key(spec, shape, lane, digest)


def _product(grid: tuple[tuple[float, ...], ...]) -> Iterator[tuple[float, ...]]:
    if not grid:
        yield ()
        return
    for first in grid[0]:
        for rest in _product(grid[1:]):
            yield (first, *rest)


def plan(
    spec: SweepSpec,
    finished: pd.DataFrame | None = None,
    *,
    again: Collection[RunStatus] = (),
    devices: int = 1,
) -> Plan:
    """Subtract what is finished from a sweep and cut the rest into jobs.

    Args:
        spec: The sweep.
        finished: Lanes table of its store.
        again: Statuses that do not count as finished.
        devices: Lanes that run at the same time: a job has at least as many.
    """
    known = {} if finished is None else dict(
        zip(finished["lane"], finished["status"], strict=True)
    )  # fmt: skip
    counts = dict.fromkeys([*map(str, RunStatus), "todo"], 0)
    todo: dict[tuple[int, ...], list[tuple[Lane, str]]] = {}
    for shape, lane, key in every_lane(spec):
        status = known.get(key)
        if status is None or status in again:
            todo.setdefault(shape, []).append((lane, key))
            counts["todo"] += 1
        else:
            counts[status] += 1
    costs = {s: spec.definition.cost(s, spec.settings) for s in spec.shapes}
    jobs = []
    for shape in sorted(todo, key=lambda s: -costs[s].flops):
        size = max(devices, int(JOB_FLOPS / costs[shape].flops))
        for i in range(0, len(todo[shape]), size):
            lanes, keys = zip(*todo[shape][i : i + size], strict=True)
            jobs.append(Job(shape, lanes, keys))
    flops = sum(costs[job.shape].flops * len(job.lanes) for job in jobs)
    rate = _rate(finished, spec, costs)
    return Plan(
        jobs=tuple(jobs),
        lanes=sum(counts.values()),
        counts=counts,
        flops=flops,
        bytes=max((costs[job.shape].bytes for job in jobs), default=0.0),
        seconds=None if rate is None else flops / rate,
    )


def _rate(finished: pd.DataFrame | None, spec: SweepSpec, costs: Any) -> float | None:
    """FLOP/s that the finished lanes reached."""
    if finished is None or finished.empty:
        return None
    columns = [finished[axis] for axis in spec.definition.size_axes]
    shapes = zip(*columns, finished["run_s"], strict=True)
    spent = [(costs[tuple(s)].flops, t) for *s, t in shapes if tuple(s) in costs]
    seconds = sum(t for _, t in spent)
    return sum(work for work, _ in spent) / seconds if seconds else None
