"""`scaletx collapse` and its picture: do training curves lie on each other?"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from scaletx.cli.plot import plot
from scaletx.cli.verdict import title

EXIT = {"collapses": 0, "fails": 1, "cannot tell": 3}

COLUMNS = (
    ("--size", "Column of the size. [the size that varies]"),
    ("--lr", "Column of the learning rate. [eta0]"),
    ("--loss", "Column that chooses the rate. [train_mse]"),
    ("--seed", "Column of the seed. [seed]"),
)


def _options(function: Callable) -> Callable:
    for name, text in reversed(COLUMNS):
        function = click.option(name, metavar="COLUMN", help=text)(function)
    function = click.option(
        "--ignore", default="", metavar="COLUMNS", help="Columns that may vary."
    )(function)
    function = click.option(
        "--margin", type=float, default=0.05, show_default=True, help="Margin of D."
    )(function)
    return click.option(
        "--allow-mixed", is_flag=True, help="Judge runs whose settings differ."
    )(function)


@click.command()
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
@_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option(
    "--exit-code", is_flag=True, help="Exit 0 if all collapse, 1 if one fails, else 3."
)
def collapse(
    paths: tuple[str, ...], as_json: bool, exit_code: bool, **options: Any
) -> None:
    """Judge whether training curves of all sizes lie on each other.

    All are taken at the smallest size's best learning rate, the one that a user would
    carry over. PATH is the folder of a sweep.

    Example: scaletx collapse runs/width
    """
    judged = _judge(paths, **options)
    if as_json:
        data = [
            ({"path": path} if len(paths) > 1 else {}) | c.to_dict()
            for path, c in judged
        ]
        one = data[0] if len(data) == 1 else data
        click.echo(json.dumps(one, indent=2, allow_nan=False))
    else:
        several = len(judged) > 1
        told = [(f"{title(p, None)}\n" if several else "") + str(c) for p, c in judged]
        click.echo("\n\n".join(told))
    if exit_code:
        words = {str(c.verdict) for _, c in judged}
        raise SystemExit(
            EXIT[next(w for w in ("fails", "cannot tell", "collapses") if w in words)]
        )


@plot.command(name="collapse")
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
@_options
@click.option("--out", metavar="FILE.(png|svg|pdf)", help="[DIR/collapse.png]")
def plot_collapse(paths: tuple[str, ...], out: str | None, **options: Any) -> None:
    """Draw training curves of all sizes at one rate; a row of panels a PATH.

    Example: scaletx plot collapse runs/width --out collapse.svg
    """
    from scaletx import plots

    judged = _judge(paths, **options)
    figure = plots.collapses(
        [c for _, c in judged], titles=[title(path, None) for path, _ in judged]
    )
    click.echo(plots.save(figure, out or Path(paths[0]) / "collapse.png"))


def _judge(
    paths: tuple[str, ...],
    *,
    ignore: str,
    margin: float,
    allow_mixed: bool,
    **names: str | None,
) -> list[tuple[str, Any]]:
    """Judge each path: (path, collapse)."""
    from scaletx import analysis

    options: dict[str, Any] = {name: column for name, column in names.items() if column}
    options |= {"margin": margin, "allow_mixed": allow_mixed}
    options["ignore"] = tuple(c for c in ignore.split(",") if c)
    return [(path, analysis.collapse(analysis.read(path), **options)) for path in paths]
