"""`scaletx plot`: the pictures."""

from pathlib import Path
from typing import Any

import click

from scaletx.cli.verdict import columns, judge, title


@click.group()
def plot() -> None:
    """Draw a figure from the tables of finished runs."""


@plot.command()
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
@columns
@click.option(
    "--out",
    metavar="FILE.(png|svg|pdf)",
    help="[DIR/transfer.png; of a file ./transfer.png]",
)
def transfer(paths: tuple[str, ...], out: str | None, **options: Any) -> None:
    """Draw loss against learning rate at each size, optima marked; a panel a PATH.

    Example: scaletx plot transfer runs/centered runs/uncentered --out transfer.svg
    """
    from scaletx import plots

    judged = judge(paths, **options)
    figure = plots.figure(
        [v for _, _, v in judged],
        titles=[title(path, group) for path, group, _ in judged],
    )
    click.echo(plots.save(figure, out or default(paths, "transfer.png")))


def default(paths: tuple[str, ...], name: str) -> Path:
    """Where a figure goes: into the first store, or here if it came from a file."""
    first = Path(paths[0])
    return first / name if first.is_dir() else Path(name)
