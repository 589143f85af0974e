"""What things cost on a CPU, each as a ratio measured side by side in one run.

A step against N, K, B, the number of lanes, and N with K and B growing along (slopes
beside theory); the start of each command; evaluation and logging; the compile cache.
Rounds are interleaved and medians quoted: machines are noisy.

    python bench/costs.py [--rounds 5] [--out figures/bench-costs.csv]
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import jax

from scaletx.training.devices import configure

jax.config.update("jax_enable_compilation_cache", False)  # cold means cold
configure("cpu")

import numpy as np  # noqa: E402
import pandas as pd  # noqa: E402

from scaletx import Sizes, analysis  # noqa: E402
from scaletx._types import OptimizerName  # noqa: E402
from scaletx.sweep import spec  # noqa: E402
from scaletx.sweep.store import Store  # noqa: E402
from scaletx.training import DenseAMSettings, DenseAMTask, Lane  # noqa: E402

THEORY = {"N": 1, "K": 1, "B": 1, "lanes": 1, "N (K = 2 N, B = N)": 3}


@dataclass(frozen=True, kw_only=True)
class Extent:
    """How much is measured.

    Attributes:
        base: N, K, B, lanes; products take most of a step there.
        factors: N, K, B and lanes are multiplied by these, one at a time.
        growing: N where K and B grow along.
        steps: Of the runs that time a step.
        sizes: N at which evaluation and logging are timed.
        long: Steps of those runs.
        cache: Sizes and steps of the sweep that meets a cold and a warm cache.
        pairs: Times that it does.
    """

    base: tuple[int, int, int, int] = (256, 512, 256, 2)
    factors: tuple[float, ...] = (0.5, 1, 2, 4)
    growing: tuple[int, ...] = (128, 256, 384, 512)
    steps: int = 12
    sizes: tuple[int, ...] = (128, 256)
    long: int = 200
    cache: tuple[str, str] = ("32,64", "50")
    pairs: int = 3


QUICK = Extent(
    base=(16, 32, 16, 2),
    factors=(0.5, 1),
    growing=(8, 16),
    steps=4,
    sizes=(8,),
    long=20,
    cache=("8", "5"),
    pairs=1,
)


class Row(NamedTuple):
    """One number of the long table."""

    what: str
    at: str
    value: float


def rounds_of(
    ways: Mapping[Any, Callable[[], float]], rounds: int
) -> dict[Any, list[float]]:
    """Seconds of each way, round by round, after one that does not count."""
    seconds: dict[Any, list[float]] = {key: [] for key in ways}
    for number in range(rounds + 1):
        for key, way in ways.items():
            spent = way()
            if number:
                seconds[key].append(spent)
    return seconds


def train(
    sizes: Any, lanes: int, settings: DenseAMSettings, *, whole: bool = True
) -> float:
    """Seconds of a run: the whole of it, or the compiled program alone."""
    rates = np.geomspace(0.01, 0.1, lanes)
    todo = [Lane((float(eta),), 0) for eta in rates]
    start, inside = time.perf_counter(), 0.0
    for batch in DenseAMTask().run(tuple(sizes), todo, settings):
        inside += sum(outcome.run_s for _, outcome in batch)
    return time.perf_counter() - start if whole else inside


def of_a_step(extent: Extent, rounds: int) -> list[Row]:
    """Time of a step against each size, with the slope on log-log scales.

    P = B, so that the evaluations, a tenth, grow as the steps do.
    """
    base = dict(zip(("N", "K", "B", "lanes"), extent.base, strict=True))
    points: dict[tuple[str, int], dict[str, int]] = {}
    for axis, value in base.items():
        values = [round(value * f) for f in extent.factors]
        if axis == "lanes":  # fewer than cores would leave cores idle
            values = [round(v / extent.factors[0]) for v in values]
        for v in values:
            points[axis, v] = {**base, axis: v}
    *_, growing = THEORY
    for N in extent.growing:
        points[growing, N] = {**base, "N": N, "K": 2 * N, "B": N}
    settings = DenseAMSettings(steps=extent.steps)

    def way(p):
        sizes = Sizes(N=p["N"], K=p["K"], P=p["B"], B=p["B"])
        return lambda: train(sizes, p["lanes"], settings, whole=False)

    seconds = rounds_of({key: way(p) for key, p in points.items()}, rounds)
    rows = []
    for axis, theory in THEORY.items():
        values = [v for a, v in points if a == axis]
        times = np.array([seconds[axis, v] for v in values])
        for v, of_one in zip(values, times, strict=True):
            ratio = float(np.median(of_one / times[0]))
            rows.append(Row(f"step time / the first, against {axis}", str(v), ratio))
        slopes = np.polyfit(np.log(values), np.log(times), 1)[0]
        rows += [
            Row("slope", axis, float(np.median(slopes))),
            Row("slope, least of the rounds", axis, float(slopes.min())),
            Row("slope, most of the rounds", axis, float(slopes.max())),
            Row("slope, theory", axis, theory),
        ]
    return rows


def process(*arguments: str, **environment: str) -> float:
    """Seconds of a whole Python process."""
    kept = {k: v for k, v in os.environ.items() if k != "JAX_COMPILATION_CACHE_DIR"}
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        env=kept | environment,
    )
    seconds = time.perf_counter() - start
    if done.returncode:
        raise SystemExit(f"{' '.join(arguments)} failed: {done.stderr}")
    return seconds


def planted_table(path: Path) -> None:
    """A table of runs whose optimum stays put."""
    rates, rows = np.geomspace(0.01, 1, 9), []
    for N in (32, 64, 128, 256):
        for seed in range(3):
            loss = 0.1 + 0.02 * np.log10(rates / 0.1) ** 2 + 1e-4 * seed
            columns = {"N": N, "eta0": rates, "seed": seed, "train_mse": loss}
            rows.append(pd.DataFrame(columns))
    pd.concat(rows).to_csv(path, index=False)


def of_starting(folder: Path, rounds: int) -> list[Row]:
    """Whole processes, in units of an empty one."""
    table, store = folder / "table.csv", folder / "store"
    planted_table(table)
    Store(store).adopt(spec(n="8,16", eta0="0.01:1:3", seeds=1))
    commands = {
        "--help": ("--help",),
        "prescribe": ("prescribe", "--n", "1024", "--k", "2048"),
        "status of an empty store": ("status", str(store)),
        "verdict of a CSV": ("verdict", str(table)),
        "check --help": ("check", "--help"),
    }
    ways: dict[str, Callable[[], float]] = {"empty": lambda: process("-c", "pass")}
    for name, words in commands.items():
        ways[name] = lambda words=words: process("-m", "scaletx", *words)
    seconds = rounds_of(ways, rounds)
    rows = []
    for name in commands:
        for how, summary in (("minimum", min), ("median", statistics.median)):
            ratio = summary(seconds[name]) / summary(seconds["empty"])
            rows.append(Row(f"start / python -c pass, {how}", name, ratio))
    return rows


WATCHING: dict[str, dict[str, Any]] = {
    "plain": {},
    "eval_every 10": {"eval_every": 10, "log_every": 50},
    "log_every 1": {"log_every": 1},
    "updates every 10": {"diagnostics": "updates", "log_every": 10},
    "spectrum every 10": {"diagnostics": "spectrum", "log_every": 10},
    "both every 10": {"diagnostics": "updates,spectrum", "log_every": 10},
}


def of_watching(extent: Extent, rounds: int) -> list[Row]:
    """Evaluation, logging and diagnostics against a run that logs every 50 steps."""
    rows = []
    for optimizer in OptimizerName:
        plain = DenseAMSettings(steps=extent.long, log_every=50, optimizer=optimizer)
        ways = {}
        for N in extent.sizes:
            for name, words in WATCHING.items():
                sizes, settings = Sizes.proportional(N), replace(plain, **words)
                ways[name, N] = lambda sizes=sizes, s=settings: train(
                    sizes, 2, s, whole=False
                )
        seconds = rounds_of(ways, rounds)
        for name in list(WATCHING)[1:]:
            for N in extent.sizes:
                pairs = zip(seconds[name, N], seconds["plain", N], strict=True)
                ratio = statistics.median(a / b for a, b in pairs)
                rows.append(Row(f"{optimizer}, {name} / plain", f"N = {N}", ratio))
    return rows


def of_compiling(extent: Extent, folder: Path) -> list[Row]:
    """The same sweep in fresh processes, before and after the cache is filled."""
    n, steps = extent.cache
    whole, compiling = [], []
    for pair in range(extent.pairs):
        spent, compiled = [], []
        for name in ("cold", "warm"):
            store = folder / f"{name}-{pair}"
            words = ("--n", n, "--steps", steps, "--eta0", "0.1", "--seeds", "1")
            words = (*words, "--device", "cpu", "--progress", "none")
            home = str(folder / f"cache-{pair}")
            command = ("-m", "scaletx", "sweep", str(store), *words)
            spent.append(process(*command, XDG_CACHE_HOME=home))
            lanes = analysis.read(store).lanes
            compiled.append(sum(lanes["compile_s"]))  # one lane a size
        whole.append(spent[0] / spent[1])
        compiling.append(compiled[0] / compiled[1])
    return [
        Row("cold / warm cache", "whole process", statistics.median(whole)),
        Row("cold / warm cache", "compiling", statistics.median(compiling)),
    ]


def show(rows: pd.DataFrame) -> None:
    """Print one line for each thing: slopes by what they are of, else by what it is."""
    slopes = rows["what"].str.startswith("slope")
    for what, of_one in rows[~slopes].groupby("what", sort=False):
        numbers = zip(of_one["at"], of_one["value"], strict=True)
        print(f"{what}:", "  ".join(f"{at}: {v:.3g}" for at, v in numbers))
    if slopes.any():
        wide = rows[slopes].pivot_table("value", "at", "what", sort=False)
        print(wide.round(3).rename_axis(None).rename_axis(None, axis=1).to_string())
    sys.stdout.flush()


def main():
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="tiny sizes, one round")
    parser.add_argument("--out", metavar="FILE")
    options = parser.parse_args()
    extent, rounds = Extent(), options.rounds
    if options.quick:
        extent, rounds = QUICK, 1
    begun = time.perf_counter()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for part in (
            lambda: of_a_step(extent, rounds),
            lambda: of_starting(Path(folder), rounds),
            lambda: of_watching(extent, rounds),
            lambda: of_compiling(extent, Path(folder)),
        ):
            found = pd.DataFrame(part())
            rows.append(found)
            show(found)
            print()
    print(f"{time.perf_counter() - begun:.0f} s in all")
    if options.out:
        table = pd.concat(rows)
        table.to_csv(options.out, index=False, float_format="%.4g")


if __name__ == "__main__":
    main()
