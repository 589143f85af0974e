"""`scaletx verdict`: did the learning rate transfer?"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from scaletx.cli.judging import columns, each_group, show, store

EXITS = {"drifts": 1, "cannot tell": 3, "transfers": 0}


def options(function: Callable) -> Callable:
    """Add what `verdict` and `plot transfer` read."""
    return columns(margin=0.15, of="Margin of the slope.")(function)


@click.command()
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
@options
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option(
    "--exit-code",
    is_flag=True,
    help="Exit 0 if all transfer, 1 if one drifts, else 3.",
)
def verdict(
    paths: tuple[str, ...], as_json: bool, exit_code: bool, **given: Any
) -> None:
    """Judge whether the best learning rate stays put across sizes.

    PATH is the folder of a sweep, or a .csv or .parquet table of anyone's runs.

    Example: scaletx verdict table.csv --size width --lr lr --loss loss
    """
    show(
        judge(paths, **given),
        several=len(paths) > 1,
        as_json=as_json,
        exits=EXITS if exit_code else None,
    )


def judge(paths: tuple[str, ...], **given: Any) -> list[tuple[str, Any, Any]]:
    """Judge each path, and each group within it: (path, group, verdict)."""
    from scaletx import analysis

    def load(path: str) -> Any:
        return analysis.load(store(path) if Path(path).is_dir() else path)

    return each_group(paths, load, analysis.verdict, analysis.verdicts, **given)
