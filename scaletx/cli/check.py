"""`scaletx check`: the coordinate check."""

import json
from typing import Any

import click

from scaletx.cli.sweep import WORDS

SKIPPED = ("--task", "--log-every", "--eval-every", "--epochs", "--steps")
EXIT = {"as expected": 0, "off": 1, "cannot tell": 3}


def check_words(function: Any) -> Any:
    """Add the words of a sweep that a check reads."""
    for name, settings in reversed(WORDS):
        if name not in SKIPPED:
            function = click.option(name, **settings)(function)
    return function


@click.command()
@check_words
@click.option("--steps", type=int, default=4, show_default=True)
@click.option("--margin", type=float, default=0.2, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--out", metavar="FILE.(png|svg|pdf)", help="Draw it.")
@click.option("--exit-code", is_flag=True, help="Exit 0 as expected, 1 off, else 3.")
@click.option("--device", default="auto", show_default=True, help="auto, cpu or gpu.")
def check(
    steps: int,
    margin: float,
    as_json: bool,
    out: str | None,
    exit_code: bool,
    device: str,
    **words: Any,
) -> None:
    """Check that activations, updates and gradients grow with size as declared.

    Trains a few steps at four sizes or more, at the first rate of --eta0 (0.05 if left
    out) and eight seeds. That nothing is off does not say that a rate transfers: only
    losses say that, through `verdict`.

    Example: scaletx check --optimizer sgd --n 32,64,128,256
    """
    from scaletx import plots, sweep
    from scaletx.training.devices import configure

    given = {"eta0": 0.05, "seeds": 8} | {
        k: v for k, v in words.items() if v is not None
    }
    spec = sweep.spec(**given, steps=steps)
    if out:
        plots.require_format(out)
    configure(device)
    found = sweep.check_denseam(spec, steps=steps, margin=margin)
    click.echo(
        json.dumps(found.to_dict(), indent=2, allow_nan=False)
        if as_json
        else str(found)
    )
    if out:
        size = "K" if spec.settings.regime == "k-only" else "N"
        click.echo(plots.save(plots.coordinates(found, size=size), out), err=True)
    if exit_code:
        raise SystemExit(EXIT[found.answer])
