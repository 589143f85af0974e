"""Progress on standard error: a bar on a terminal, plain or JSON lines elsewhere."""

import json
import sys
import time
from typing import Any

import click

from scaletx import _checks

PROGRESS = ("auto", "plain", "json", "none")
EVERY_S = 10.0


def reporter(kind: str) -> "Reporter":
    """Choose how progress is told.

    Raises:
        ValueError: If the word is unknown.
    """
    if kind not in PROGRESS:
        raise _checks.unknown("progress", kind, PROGRESS)
    if kind == "none":
        return Reporter()
    if kind == "auto" and sys.stderr.isatty():
        return _Bar()
    return _Lines(as_json=kind == "json")


class Reporter:
    """Says nothing but what must be said."""

    def __enter__(self) -> "Reporter":
        return self

    def __exit__(self, *error: object) -> None:
        """Nothing to close."""

    def update(self, progress: Any) -> None:
        """Take the state of the sweep."""
        if progress.note:
            click.echo(f"note: {progress.note}", err=True)


class _Lines(Reporter):
    """One line at the start, one at most every ten seconds, one at the end."""

    def __init__(self, *, as_json: bool):
        self._json, self._last = as_json, float("-inf")

    def update(self, progress: Any) -> None:
        now = time.monotonic()
        ended = progress.done == progress.lanes
        if not (progress.note or ended or now - self._last > EVERY_S):
            return
        self._last = now
        fields = progress._asdict()
        click.echo(json.dumps(fields) if self._json else _sentence(progress), err=True)


class _Bar(Reporter):
    """A bar with lanes, steps a second and the time left."""

    def __enter__(self) -> "_Bar":
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn

        self._bar = Progress(
            BarColumn(),
            TextColumn("{task.description}"),
            console=Console(stderr=True),
        )
        self._task = self._bar.add_task("starting", total=None)
        self._bar.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._bar.stop()

    def update(self, progress: Any) -> None:
        if progress.note:
            self._bar.console.print(f"note: {progress.note}")
        self._bar.update(
            self._task,
            total=progress.lanes,
            completed=progress.done,
            description=_sentence(progress._replace(note="")),
        )


def _sentence(progress: Any) -> str:
    words = [f"note: {progress.note}"] if progress.note else []
    words.append(f"{progress.done} of {progress.lanes} lanes")
    for name in ("diverged", "failed"):
        if getattr(progress, name):
            words.append(f"{getattr(progress, name)} {name}")
    if progress.seconds:
        words.append(f"{progress.steps / progress.seconds:,.0f} steps/s")
    if progress.left is not None and progress.done < progress.lanes:
        words.append(f"{progress.left:,.0f} s left")
    return ", ".join(words)
