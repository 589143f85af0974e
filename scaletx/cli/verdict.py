"""`scaletx verdict`: did the learning rate transfer?"""

import json
from collections.abc import Callable
from typing import Any

import click

EXIT = {"transfers": 0, "drifts": 1, "cannot tell": 3}

COLUMNS = (
    ("--size", "Column of the size. [the size that varies]"),
    ("--lr", "Column of the learning rate. [eta0]"),
    ("--loss", "Column of the loss. [train_mse]"),
    ("--seed", "Column of the seed. [seed]"),
    ("--group", "Column whose values are judged apart."),
)


def columns(function: Callable) -> Callable:
    """Add the options that name columns."""
    for name, text in reversed(COLUMNS):
        function = click.option(name, metavar="COLUMN", help=text)(function)
    function = click.option(
        "--ignore", default="", metavar="COLUMNS", help="Columns that may vary."
    )(function)
    function = click.option(
        "--margin", type=float, default=0.15, show_default=True, help="Slope margin."
    )(function)
    return click.option(
        "--allow-mixed", is_flag=True, help="Judge runs whose settings differ."
    )(function)


@click.command()
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
@columns
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option(
    "--exit-code",
    is_flag=True,
    help="Exit 0 if all transfer, 1 if one drifts, else 3.",
)
def verdict(
    paths: tuple[str, ...], as_json: bool, exit_code: bool, **options: Any
) -> None:
    """Judge whether the best learning rate stays put across sizes.

    PATH is the folder of a sweep, or a .csv or .parquet table of anyone's runs.

    Example: scaletx verdict table.csv --size width --lr lr --loss loss
    """
    judged = judge(paths, **options)
    if as_json:
        data = [
            ({"path": path} if len(paths) > 1 else {})
            | ({} if group is None else {"group": group})
            | v.to_dict()
            for path, group, v in judged
        ]
        one = data[0] if len(data) == 1 else data
        click.echo(json.dumps(one, indent=2, allow_nan=False))
    else:
        several = len(judged) > 1
        click.echo(
            "\n\n".join(
                (f"{title(path, group)}\n" if several else "") + str(v)
                for path, group, v in judged
            )
        )
    if exit_code:
        words = {str(v.verdict) for _, _, v in judged}
        worst = next(w for w in ("drifts", "cannot tell", "transfers") if w in words)
        raise SystemExit(EXIT[worst])


def judge(
    paths: tuple[str, ...],
    *,
    group: str | None,
    ignore: str,
    margin: float,
    allow_mixed: bool,
    **names: str | None,
) -> list[tuple[str, Any, Any]]:
    """Judge each path, and each group within it: (path, group, verdict)."""
    from scaletx import analysis

    options: dict[str, Any] = {name: column for name, column in names.items() if column}
    options |= {"margin": margin, "allow_mixed": allow_mixed}
    options["ignore"] = tuple(c for c in ignore.split(",") if c)
    judged = []
    for path in paths:
        table = load(path)
        if group is None:
            judged.append((path, None, analysis.verdict(table, **options)))
        else:
            by_group = analysis.verdicts(table, group=group, **options)
            judged += [(path, value, v) for value, v in by_group.items()]
    return judged


def load(path: str) -> Any:
    """Read a table, and name the parts of a store that had to be skipped."""
    from pathlib import Path

    from scaletx import analysis

    if not Path(path).is_dir():
        return analysis.load(path)
    results = analysis.read(path)
    for part in results.unreadable:
        click.echo(f"note: parts/{part.file} is skipped: {part.why}", err=True)
    return analysis.load(results)


def title(path: str, group: Any) -> str:
    """Name a verdict by its folder or file, and its group."""
    from pathlib import Path

    last = Path(path).absolute().name
    name = last.removesuffix(".csv").removesuffix(".parquet").replace("-", " ")
    return name if group is None else f"{name}, {group}"
