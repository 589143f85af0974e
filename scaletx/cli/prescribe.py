"""`scaletx prescribe`: what to set at given sizes."""

import json

import click


@click.command()
@click.option("--n", type=int, help="Visible units N.")
@click.option("--k", type=int, help="Hidden units (memories) K.")
@click.option("--p", type=int, help="Training samples P.")
@click.option("--b", type=int, help="Samples a batch B.")
@click.option("--regime", default="proportional", show_default=True, help="Or k-only.")
@click.option("--parameterization", default="table", show_default=True, help="Or sp.")
@click.option(
    "--activation", default="relu:1", show_default=True, help="linear, relu:P, softmax."
)
@click.option("--optimizer", default="adam", show_default=True, help="Or sgd.")
@click.option("--eta0", type=float, default=0.05, show_default=True)
@click.option("--eta-b0", type=float, help="Follows eta0 unless given.")
@click.option("--eta-c0", type=float, help="Follows eta0 unless given.")
@click.option("--eps0", type=float, default=1e-8, show_default=True)
@click.option("--centered/--uncentered", default=None, help="Centered but for sp.")
@click.option("--biases", default="off", show_default=True, help="off, zero or normal.")
@click.option("--lambda-max", type=float, help="Data-aware rate of SGD: eigenvalue.")
@click.option("--fixed-eps", is_flag=True, help="Adam: eps0 at every size.")
@click.option("--live-inner-bias", is_flag=True, help="k-only, SGD: eta_b = eta_b0 K.")
@click.option("--allow-no-rule", is_flag=True, help="Softmax with SGD, forced.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--list", "listing", is_flag=True, help="Print the whole table.")
def prescribe(
    n: int | None,
    k: int | None,
    p: int | None,
    b: int | None,
    as_json: bool,
    listing: bool,
    **words,
) -> None:
    """Print what to set at given sizes: numbers, formulas, and where they come from.

    Example: scaletx prescribe --n 1024 --k 2048 --optimizer sgd --eta0 0.05
    """
    from scaletx.parameterization import prescribe as look_up
    from scaletx.parameterization.table import listing as rows

    if listing:
        click.echo(json.dumps(rows(), indent=2) if as_json else _table(rows()))
        return
    if n is None or k is None:
        raise click.UsageError("give the sizes --n and --k, or --list.")
    found = look_up(N=n, K=k, P=p, B=b, **words)
    click.echo(json.dumps(found.to_dict(), indent=2) if as_json else str(found))


def _table(rows: list[dict[str, str]]) -> str:
    from scaletx._text import aligned

    return aligned([list(rows[0]), *(list(row.values()) for row in rows)])
