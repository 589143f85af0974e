"""`scaletx sweep`: train at many sizes, rates and seeds."""

from collections.abc import Callable
from enum import StrEnum
from typing import Any

import click

from scaletx.cli.progress import PROGRESS, reporter

# Every word of a sweep; what it means when left out stands in brackets.
WORDS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("--task", {"help": "Task. [denseam]"}),
    ("--n", {"help": "Visible units N. [32,64,128,256; k-only: 64]"}),
    ("--k", {"help": "Hidden units K. [kappa N; k-only: 64,128,256,512]"}),
    ("--p", {"help": "Training samples P. [rho N]"}),
    ("--b", {"help": "Samples a batch B. [beta P]"}),
    ("--kappa", {"type": float, "help": "K / N. [2]"}),
    ("--rho", {"type": float, "help": "P / N. [5]"}),
    ("--beta", {"type": float, "help": "B / P. [0.1]"}),
    ("--eta0", {"help": "Dimensionless rates. [0.01:1:9]"}),
    ("--seeds", {"help": "How many (3: 0, 1, 2), or which (5,7). [3]"}),
    ("--epochs", {"type": int, "help": "Epochs of P // B steps. [20]"}),
    ("--steps", {"type": int, "help": "Steps, in place of epochs."}),
    ("--regime", {"help": "proportional or k-only. [proportional]"}),
    ("--parameterization", {"help": "table or sp. [table]"}),
    ("--activation", {"help": "linear, relu:P or softmax. [relu:1]"}),
    ("--optimizer", {"help": "sgd or adam. [adam]"}),
    ("--centered/--uncentered", {"default": None, "help": "[centered; sp: not]"}),
    ("--biases", {"help": "off, zero or normal. [off]"}),
    (
        "--data",
        {
            "help": "isotropic, patches, digits, power-law:ALPHA, cifar10:FOLDER or "
            "cifar100:FOLDER. [isotropic]"
        },
    ),
    ("--noise", {"type": float, "help": "Noise to remove. [0.5]"}),
    (
        "--data-aware/--data-blind",
        {"default": None, "help": "Divide SGD's rate by the data's lambda_max."},
    ),
    ("--eta-b0", {"type": float, "help": "Rate of the inner bias. [eta0]"}),
    ("--eta-c0", {"type": float, "help": "Rate of the outer bias. [eta0]"}),
    ("--eps0", {"type": float, "help": "Adam's dimensionless epsilon. [1e-8]"}),
    ("--b1", {"type": float, "help": "Adam's first decay. [0.9]"}),
    ("--b2", {"type": float, "help": "Adam's second decay. [0.999]"}),
    ("--schedule", {"help": "constant, linear or cosine. [constant]"}),
    ("--precision", {"help": "float32, tf32 or bfloat16. [float32]"}),
    (
        "--fixed-order/--shuffled",
        {"default": None, "help": "Keep one order of batches. [shuffled]"},
    ),
    ("--log-every", {"type": int, "help": "Steps a row of the curves. [10]"}),
    ("--eval-every", {"type": int, "help": "Steps between evaluations. [at the end]"}),
    (
        "--diagnostics",
        {
            "metavar": "WORDS",
            "help": "Log more: updates, spectrum, localization, joined by commas. "
            "[none]",
        },
    ),
    (
        "--fixed-eps/--scaled-eps",
        {"default": None, "help": "Adam: eps0 at every size. [scaled]"},
    ),
    (
        "--live-inner-bias/--printed-inner-bias",
        {"default": None, "help": "k-only, SGD: eta_b = eta_b0 K. [printed]"},
    ),
    (
        "--allow-no-rule/--only-rules",
        {"default": None, "help": "Softmax with SGD, forced. [only rules]"},
    ),
)


class Retry(StrEnum):
    """What can be run again."""

    FAILED = "failed"
    DIVERGED = "diverged"


def sweep_words(function: Callable) -> Callable:
    """Add an option for every word of a sweep."""
    for name, settings in reversed(WORDS):
        function = click.option(name, **settings)(function)
    return function


@click.command()
@click.argument("folder", metavar="DIR")
@sweep_words
@click.option("--spec", "file", metavar="FILE.toml", help="The same words, in a file.")
@click.option("--dry-run", is_flag=True, help="Say what would be done, and its cost.")
@click.option("--retry", default="", help="Run again: failed, diverged, or both.")
@click.option("--rerun", is_flag=True, help="Run all lanes of this command again.")
@click.option("--device", default="auto", show_default=True, help="auto, cpu or gpu.")
@click.option(
    "--progress", default="auto", show_default=True, help=", ".join(PROGRESS) + "."
)
def sweep(
    folder: str,
    file: str | None,
    dry_run: bool,
    retry: str,
    rerun: bool,
    device: str,
    progress: str,
    **words: Any,
) -> None:
    """Train a DenseAM at many sizes, rates and seeds, and keep the results in DIR.

    The same command resumes. More rates, seeds or sizes compute only the new lanes;
    words left out keep what DIR already has.

    Example: scaletx sweep runs/width --n 32,64,128,256 --optimizer sgd --eta0 0.01:1:9
    """
    from scaletx import sweep as sweeps
    from scaletx._checks import word
    from scaletx._types import RunStatus

    again = {word("retry", s.strip(), Retry) for s in retry.split(",") if s.strip()}
    given = sweeps.read_toml(file) if file else {}
    given |= {name: value for name, value in words.items() if value is not None}
    store = sweeps.Store(folder)
    spec = store.spec(given)
    if dry_run:
        from scaletx.cli.status import describe

        click.echo(describe(store, spec, again=set(RunStatus) if rerun else again))
        return
    report = reporter(progress)
    from scaletx.training.devices import configure

    configure(device)
    with report:
        lanes = sweeps.run(spec, folder, retry=again, rerun=rerun, report=report.update)
    counts = lanes["status"].value_counts()
    said = ", ".join(f"{count} {status}" for status, count in counts.items())
    click.echo(f"{folder}: {len(lanes)} lanes, {said}", err=True)
    why = lanes.loc[lanes["status"] == RunStatus.FAILED, "message"]
    if len(why):
        raise click.ClickException(
            f"{len(why)} lanes failed ({why.iloc[0]}): mend the cause and add --retry "
            "failed."
        )
