"""The command line: parse, call one function, print."""

import click

from scaletx import __version__
from scaletx.cli.check import check
from scaletx.cli.collapse import collapse
from scaletx.cli.demo import demo
from scaletx.cli.fit import fit
from scaletx.cli.plot import plot
from scaletx.cli.prescribe import prescribe
from scaletx.cli.status import status
from scaletx.cli.study import study
from scaletx.cli.sweep import sweep
from scaletx.cli.verdict import verdict

COMMANDS = (
    prescribe,
    check,
    sweep,
    status,
    verdict,
    collapse,
    fit,
    plot,
    study,
    demo,
)


class _Group(click.Group):
    """Turn errors of the library into one sentence: 2 for bad input, 1 for the rest."""

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except ValueError as error:
            raise click.UsageError(" ".join(str(error).split())) from error
        except BrokenPipeError:  # the reader of our output has seen enough
            raise SystemExit(0) from None
        except OSError as error:
            said = str(error) if error.filename else error.strerror or str(error)
            raise click.ClickException(said) from error

    def resolve_command(self, ctx: click.Context, args: list[str]):
        from scaletx import _checks

        if args and args[0] not in self.commands:
            raise click.UsageError(
                str(_checks.unknown("command", args[0], self.commands))
            )
        return super().resolve_command(ctx, args)


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__)
def main() -> None:
    """Scaling laws and hyperparameter transfer of associative memories.

    Tune a small model, carry its rates over to the big one, and see whether it worked:

    \b
      scaletx prescribe --n 1024 --k 2048    what to set at a size
      scaletx sweep runs/width               train at many sizes and rates
      scaletx verdict runs/width             did the learning rate transfer?
      scaletx plot transfer runs/width       the picture
    """  # noqa: D301


for command in COMMANDS:
    main.add_command(command)
