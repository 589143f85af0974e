"""Training runs: tasks, one run as a scan, many runs as one compiled program."""

from scaletx import _checks
from scaletx.training.denseam import DenseAMTask
from scaletx.training.settings import DenseAMSettings, Precision, Schedule
from scaletx.training.task import CURVE, Cost, Lane, Outcome, Task

__all__ = [
    "CURVE",
    "TASKS",
    "Cost",
    "DenseAMSettings",
    "DenseAMTask",
    "Lane",
    "Outcome",
    "Precision",
    "Schedule",
    "Task",
    "task",
]

TASKS: dict[str, Task] = {"denseam": DenseAMTask()}


def task(name: str) -> Task:
    """Look up a task by its name.

    Raises:
        ValueError: If there is none of that name.
    """
    if not isinstance(name, str) or name not in TASKS:
        raise _checks.unknown("task", name, TASKS)
    return TASKS[name]
