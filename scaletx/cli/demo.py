"""`scaletx demo`: two pairs of sweeps, their verdicts and figures."""

from pathlib import Path
from typing import Any

import click

# Rates half an octave apart: on a coarser grid the best rate carried over costs more
# than the two percent that a verdict allows, through rounding to the grid alone.
PAIRS: dict[str, dict[str, dict[str, Any]]] = {
    "isotropic": {
        "centered table": {"eta0": "0.002:0.512:17"},
        "uncentered model": {"eta0": "0.002:0.512:17", "centered": False},
    },
    "patches": {
        "plain table": {"eta0": "0.001:0.064:13"},
        "data-aware rate": {"eta0": "0.0156:1:13", "data_aware": True},
    },
}
TABLE = ["N", "K", "P", "B", "eta0", "seed", "status", "train_mse", "test_mse"]
COMMON: dict[str, dict[str, Any]] = {
    "isotropic": {"n": "32,64,128,256"},
    "patches": {"n": "36,64,144,256", "data": "patches"},
}


@click.command()
@click.argument("folder", metavar="[DIR]", default="demo")
@click.option("--device", default="auto", show_default=True, help="auto, cpu or gpu.")
@click.option("--progress", default="auto", show_default=True)
def demo(folder: str, device: str, progress: str) -> None:
    """Show when a learning rate transfers: two pairs of sweeps, SGD, three seeds.

    Gaussian data: the centered table beside the uncentered model. Patches of real
    photos: the plain table beside the data-aware rate. Each verdict is printed as
    found. The same command resumes.
    """
    from scaletx import analysis, plots, sweep
    from scaletx.cli.progress import reporter
    from scaletx.training.devices import configure

    configure(device)
    for data, pair in PAIRS.items():
        verdicts = []
        for name, words in pair.items():
            path = Path(folder) / f"{data}-{name.replace(' ', '-')}"
            click.echo(f"{path} ...", err=True)
            spec = sweep.spec(optimizer="sgd", seeds=3, **COMMON[data], **words)
            with reporter(progress) as report:
                lanes = sweep.run(spec, path, report=report.update)
            lanes[TABLE].to_csv(path.with_suffix(".csv"), index=False)
            verdicts.append(analysis.verdict(lanes))
            click.echo(f"{data} data, SGD, {name}\n{verdicts[-1]}\n")
        figure = plots.figure(verdicts, titles=[f"{data} {name}" for name in pair])
        click.echo(f"figure: {plots.save(figure, Path(folder) / f'{data}.png')}\n")
