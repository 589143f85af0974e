"""`scaletx study`: the claims, and their evidence."""

from pathlib import Path

import click

from scaletx.cli.progress import reporter


@click.group()
def study() -> None:
    """Test the claims: list, run, and write down what was found."""


@study.command("list")
@click.argument("names", nargs=-1)
def list_(names: tuple[str, ...]) -> None:
    """List studies of ./studies: their claims."""
    from scaletx._text import aligned
    from scaletx.study import find

    click.echo(aligned((f.name, f.study.claim) for f in find(names)))


@study.command()
@click.argument("names", nargs=-1, required=True)
@click.option("--quick", is_flag=True, help="Seconds: shows that it runs.")
@click.option("--store", default="runs/studies", show_default=True, metavar="DIR")
@click.option("--figures", default="figures", show_default=True, metavar="DIR")
@click.option("--device", default="auto", show_default=True, help="auto, cpu or gpu.")
@click.option("--progress", default="auto", show_default=True)
def run(
    names: tuple[str, ...],
    quick: bool,
    store: str,
    figures: str,
    device: str,
    progress: str,
) -> None:
    """Measure, judge and draw studies by name or path; the same command resumes.

    Example: scaletx study run proportional-sgd --quick
    """
    from scaletx.study import Size, find
    from scaletx.study import run as run_study
    from scaletx.training.devices import configure

    found = find(names)
    configure(device)
    for one in found:
        with reporter(progress) as report:
            result = run_study(
                one,
                store=Path(store),
                figures=Path(figures),
                size=Size.QUICK if quick else Size.FULL,
                report=report.update,
            )
        click.echo(f"{one.name}: {result.outcome}: {one.study.claim}")
        for finding in result.findings:
            said = (
                f"  {finding.name}: expected {finding.expected}, found {finding.found}"
            )
            click.echo(f"{said}: {finding.evidence}")


@study.command()
@click.option("--figures", default="figures", show_default=True, metavar="DIR")
def claims(figures: str) -> None:
    """Judge and draw every study from its tables, and write CLAIMS.md."""
    from scaletx.study import claims as write

    click.echo(write(figures=Path(figures)))
