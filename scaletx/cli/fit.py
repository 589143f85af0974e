"""`scaletx fit` and its picture: scaling laws of anyone's table."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from scaletx.cli.plot import plot


def _options(function: Callable) -> Callable:
    """Add what `fit power-law` and its picture share."""
    options = (
        click.argument("table", metavar="TABLE"),
        click.option("--x", required=True, metavar="COLUMN", help="The size."),
        click.option("--y", required=True, metavar="COLUMN", help="The loss."),
        click.option("--seed", metavar="COLUMN", help="Resample by seed."),
        click.option("--group", metavar="COLUMN", help="Resample by this. [each row]"),
        click.option(
            "--lr", metavar="COLUMN", help="Rate; the best one of each x counts."
        ),
        click.option(
            "--holdout", default=0, show_default=True, help="Largest x to forecast."
        ),
        click.option(
            "--loss", default="huber", show_default=True, help="huber or square."
        ),
        click.option(
            "--delta", default=1e-3, show_default=True, help="Bend of the Huber loss."
        ),
        click.option(
            "--replicates", default=500, show_default=True, help="For intervals."
        ),
    )
    for option in reversed(options):
        function = option(function)
    return function


@click.group()
def fit() -> None:
    """Fit a scaling law to a table of finished runs."""


@fit.command(name="power-law")
@_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def power_law(as_json: bool, **options: Any) -> None:
    """Fit y = E + A x^-a, with intervals and a check on held-out sizes.

    TABLE is the folder of a sweep, or a .csv or .parquet table, one row a run. In a
    sweep the runs at the best rate of each x count, by the mean over seeds. Runs that
    diverged are left out by name.

    Example: scaletx fit power-law runs/width --x N --y train_mse --holdout 2
    """
    found = _fit(**options)
    if as_json:
        click.echo(json.dumps(found.to_dict(), indent=2, allow_nan=False))
    else:
        click.echo(found)


@plot.command(name="power-law")
@_options
@click.option("--out", metavar="FILE.(png|svg|pdf)", help="[DIR/power-law.png]")
def plot_power_law(out: str | None, **options: Any) -> None:
    """Draw runs, the fitted power law with its interval, its floor and forecasts.

    Example: scaletx plot power-law runs/width --x N --y train_mse --holdout 2
    """
    from scaletx import plots
    from scaletx.plots.canvas import blank

    made, axes = blank()
    plots.power_law(_fit(**options), axes[0])
    first = Path(options["table"])
    folder = first if first.is_dir() else first.parent
    click.echo(plots.save(made, out or folder / "power-law.png"))


def _fit(*, table: str, seed: str | None, group: str | None, **options: Any) -> Any:
    from scaletx import analysis

    if seed and group:
        raise ValueError(
            f"--seed {seed} and --group {group} both say what to resample: give one."
        )
    return analysis.fit_table(analysis.load(table), group=seed or group, **options)
