"""`scaletx collapse` and its picture: do training curves lie on each other?"""

from collections.abc import Callable
from typing import Any

import click

from scaletx.cli.judging import columns, default, each_group, show, store, title
from scaletx.cli.plot import plot

EXITS = {"fails": 1, "cannot tell": 3, "collapses": 0}


def options(function: Callable) -> Callable:
    """Add the options of both commands."""
    text = "Column of the curves: a diagnostic, say. [batch_loss]"
    option = click.option("--curve", metavar="COLUMN", help=text)
    return columns(margin=0.05, of="Margin of D.")(option(function))


@click.command()
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
@options
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option(
    "--exit-code", is_flag=True, help="Exit 0 if all collapse, 1 if one fails, else 3."
)
def collapse(
    paths: tuple[str, ...], as_json: bool, exit_code: bool, **given: Any
) -> None:
    """Judge whether training curves of all sizes lie on each other.

    All are taken at the smallest size's best learning rate, the one that a user would
    carry over. PATH is the folder of a sweep.

    Example: scaletx collapse runs/width
    """
    show(
        _judge(paths, **given),
        several=len(paths) > 1,
        as_json=as_json,
        exits=EXITS if exit_code else None,
    )


@plot.command(name="collapse")
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
@options
@click.option("--out", metavar="FILE.(png|svg|pdf)", help="[DIR/collapse.png]")
def plot_collapse(paths: tuple[str, ...], out: str | None, **given: Any) -> None:
    """Draw training curves of all sizes at one rate; a row of panels a PATH or group.

    Example: scaletx plot collapse runs/width --out collapse.svg
    """
    from scaletx import plots

    judged = _judge(paths, **given)
    figure = plots.collapses(
        [c for _, _, c in judged],
        titles=[title(path, group) for path, group, _ in judged],
    )
    click.echo(plots.save(figure, out or default(paths, "collapse.png")))


def _judge(paths: tuple[str, ...], **given: Any) -> list[tuple[str, Any, Any]]:
    """Judge each path, and each group within it: (path, group, collapse)."""
    from scaletx import analysis

    return each_group(paths, store, analysis.collapse, analysis.collapses, **given)
