"""What `verdict`, `collapse` and their pictures share: options, input and output."""

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import click

COLUMNS = {
    "size": "Column of the size. [the size that varies]",
    "lr": "Column of the learning rate. [eta0]",
    "loss": "Column of the loss. [train_mse]",
    "seed": "Column of the seed. [seed]",
    "group": "Column whose values are judged apart.",
}


def columns(*, margin: float, of: str) -> Callable[[Callable], Callable]:
    """Add the options that name columns and the margin."""

    def add(function: Callable) -> Callable:
        for name, text in reversed(COLUMNS.items()):
            function = click.option(f"--{name}", metavar="COLUMN", help=text)(function)
        for option in (
            click.option("--ignore", default="", help="Columns that may vary."),
            click.option(
                "--margin", type=float, default=margin, show_default=True, help=of
            ),
            click.option(
                "--allow-mixed", is_flag=True, help="Judge runs whose settings differ."
            ),
        ):
            function = option(function)
        return function

    return add


def words(*, ignore: str, **options: Any) -> dict[str, Any]:
    """Turn options into what the judging functions take; those not given stay out."""
    given = {name: value for name, value in options.items() if value is not None}
    return given | {"ignore": tuple(c for c in ignore.split(",") if c)}


def each_group(
    paths: Iterable[str],
    load: Callable[[str], Any],
    one: Callable,
    apart: Callable,
    *,
    group: str | None,
    **given: Any,
) -> list[tuple[str, Any, Any]]:
    """Judge each path, and each group within it: (path, group, result).

    Args:
        paths: Folders or files.
        load: Reads one.
        one: Judges what was read.
        apart: Judges each group of it, by name.
        group: Column of the group, if any.
        **given: Further options.
    """
    judged = []
    for path in paths:
        table, asked = load(path), words(**given)
        if group is None:
            judged.append((path, None, one(table, **asked)))
        else:
            found = apart(table, group=group, **asked)
            judged += [(path, value, each) for value, each in found.items()]
    return judged


def store(path: str) -> Any:
    """Read a store, and name the parts that had to be skipped."""
    from scaletx import analysis

    results = analysis.read(path)
    for part in results.unreadable:
        click.echo(f"note: parts/{part.file} is skipped: {part.why}", err=True)
    return results


def title(path: str, group: Any = None) -> str:
    """Name a judgment by its folder or file, and its group."""
    last = Path(path).absolute().name
    name = last.removesuffix(".csv").removesuffix(".parquet").replace("-", " ")
    return name if group is None else f"{name}, {group}"


def default(paths: tuple[str, ...], name: str) -> Path:
    """Where a figure goes: into the first store, or here if it came from a file."""
    first = Path(paths[0])
    return first / name if first.is_dir() else Path(name)


def show(
    judged: Iterable[tuple[str, Any, Any]],
    *,
    several: bool,
    as_json: bool,
    exits: Mapping[str, int] | None,
) -> None:
    """Print judgments (path, group, result), and exit by the worst word if asked to.

    Args:
        judged: What was judged.
        several: Whether there are several paths, to be told apart.
        as_json: Print one JSON object, or a list of several.
        exits: Exit status by word, the worst word first; None to exit 0.
    """
    judged = list(judged)
    if as_json:
        data = [
            ({"path": path} if several else {})
            | ({} if group is None else {"group": group})
            | result.to_dict()
            for path, group, result in judged
        ]
        one = data[0] if len(data) == 1 else data
        click.echo(json.dumps(one, indent=2, allow_nan=False))
    else:
        named = len(judged) > 1
        click.echo(
            "\n\n".join(
                (f"{title(path, group)}\n" if named else "") + str(result)
                for path, group, result in judged
            )
        )
    if exits is not None:
        found = {str(result.verdict) for _, _, result in judged}
        raise SystemExit(next(exits[word] for word in exits if word in found))
