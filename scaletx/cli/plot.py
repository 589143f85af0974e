"""`scaletx plot`: the pictures."""

from typing import Any

import click

from scaletx.cli.judging import default, title
from scaletx.cli.verdict import judge, options


@click.group()
def plot() -> None:
    """Draw a figure from the tables of finished runs."""


@plot.command()
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
@options
@click.option(
    "--out",
    metavar="FILE.(png|svg|pdf)",
    help="[DIR/transfer.png; of a file ./transfer.png]",
)
def transfer(paths: tuple[str, ...], out: str | None, **given: Any) -> None:
    """Draw loss against learning rate at each size, optima marked; a panel a PATH.

    Example: scaletx plot transfer runs/centered runs/uncentered --out transfer.svg
    """
    from scaletx import plots

    judged = judge(paths, **given)
    figure = plots.figure(
        [v for _, _, v in judged],
        titles=[title(path, group) for path, group, _ in judged],
    )
    click.echo(plots.save(figure, out or default(paths, "transfer.png")))
