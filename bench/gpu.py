"""One large GPU: the reference sweep, and one going on to N = 4096.

Sizes grow proportionally (centered relu:1, Adam); float32 is exact, and the largest
size runs in tf32 and bfloat16 too. Prints, for each size, seconds cold and warm, the
rate that counts 10 N K B a step beside that of the bare matrix products at the same
shapes and precision, lanes at once, peak bytes of the process so far, and how far
train_mse lies from a CPU's (in tf32 and bfloat16: from float32's on the same device).
The whole run makes its data on the host, `program_s` is the compiled program alone.

    python3 bench/gpu.py [--minutes 7] [--out figures/bench-gpu.csv]

The CPU's numbers come from this process or, where jax sees no CPU, from a file that a
machine without a GPU writes: `python3 bench/gpu.py --write-reference reference.csv`.
"""

import argparse
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # not installed: runs too

import jax  # noqa: E402
import numpy as np  # noqa: E402
import pandas as pd  # noqa: E402

from scaletx._types import OptimizerName  # noqa: E402
from scaletx.parameterization import Sizes  # noqa: E402
from scaletx.training import (  # noqa: E402
    DenseAMSettings,
    DenseAMTask,
    Lane,
    Outcome,
    Precision,
)
from scaletx.training.devices import configure  # noqa: E402
from scaletx.training.program import Piece, Program  # noqa: E402

MATMUL = {
    Precision.FLOAT32: "highest",
    Precision.TF32: "tensorfloat32",
    Precision.BFLOAT16: "BF16_BF16_F32",
}
KEYS = ["N", "seed", "steps", "eta0"]


@dataclass(frozen=True, kw_only=True)
class Case:
    """Runs of one size: rates x seeds x steps."""

    N: int
    rates: int
    seeds: int
    steps: int
    precision: Precision = Precision.FLOAT32
    reference: bool = False

    @property
    def sizes(self) -> Any:
        return Sizes.proportional(self.N)

    @property
    def settings(self) -> DenseAMSettings:
        return DenseAMSettings(
            optimizer=OptimizerName.ADAM,
            activation="relu:1",
            steps=self.steps,
            precision=self.precision,
        )

    @property
    def lanes(self) -> list[Lane]:
        rates = np.geomspace(0.01, 1, self.rates)
        return [Lane((float(eta),), s) for s in range(self.seeds) for eta in rates]

    @property
    def step_flops(self) -> float:
        N, K, _, B = self.sizes
        return 10.0 * N * K * B

    @property
    def flops(self) -> float:
        return self.step_flops * self.steps * len(self.lanes)

    def __str__(self) -> str:
        return f"N = {self.N} in {self.precision}"


CASES = (
    *(Case(N=N, rates=9, seeds=2, steps=200, reference=True) for N in (32, 64, 128)),
    Case(N=256, rates=9, seeds=2, steps=200, reference=True),
    Case(N=512, rates=8, seeds=1, steps=100),
    *(Case(N=N, rates=3, seeds=1, steps=50) for N in (1024, 2048, 4096)),
)
TINY = (
    *(Case(N=N, rates=2, seeds=2, steps=5, reference=True) for N in (8, 16)),
    Case(N=24, rates=2, seeds=1, steps=4),
)


def train(case: Case) -> list[Outcome]:
    """Outcomes of all lanes of a case, in their order."""
    found: dict[int, Outcome] = {}
    for batch in DenseAMTask().run(tuple(case.sizes), case.lanes, case.settings):
        found |= dict(batch)
    return [found[i] for i in range(len(case.lanes))]


def table(case: Case, outcomes: Sequence[Outcome]) -> pd.DataFrame:
    """The train_mse of each lane, and what names it."""
    rows = [
        (case.N, lane.seed, case.steps, float(f"{lane.grid[0]:.9g}"), outcome.train_mse)
        for lane, outcome in zip(case.lanes, outcomes, strict=True)
    ]
    return pd.DataFrame(rows, columns=[*KEYS, "train_mse"])


def product_rate(case: Case, at_once: int, rounds: int) -> float:
    """FLOP/s of the five matrix products of each step and nothing else.

    Every device runs one full round of lanes, so that no lane is counted that is idle.
    """
    N, K, _, B = case.sizes
    rng = np.random.default_rng(0)
    g, W = rng.standard_normal((B, N)), rng.standard_normal((K, N))
    inputs = (np.float32(g), np.float32(W / (N * K) ** 0.5))
    devices = jax.devices()
    pieces = [Piece(inputs, np.ones((at_once, 1)))] * len(devices)

    def lane(inputs, point):
        g, W = inputs

        def step(W, _):
            z = g @ W.T
            f = z @ W
            back = f @ W.T
            return z.T @ f * 1e-9 + back.T @ g * 1e-9 + W, None

        return jax.lax.scan(step, W * point[0], length=case.steps)[0][0, 0]

    with jax.default_matmul_precision(MATMUL[case.precision]):
        program = Program(
            lambda x: x, lane, pieces[0], devices=devices, at_once=at_once
        )
    program(pieces)
    seconds = []
    for _ in range(rounds):
        start = time.perf_counter()
        program(pieces)
        seconds.append(time.perf_counter() - start)
    lanes = at_once * len(devices)
    return case.step_flops * case.steps * lanes / statistics.median(seconds)


class Reference:
    """What a CPU finds: computed here, or read from a file."""

    def __init__(self, path: str | None):
        self.read = None if path is None else pd.read_csv(path)
        try:
            self.cpu: list[Any] = jax.devices("cpu")
        except RuntimeError:
            self.cpu = []

    def of(self, case: Case) -> pd.DataFrame | None:
        if not case.reference:
            return None
        if self.read is not None:
            return self.read
        if not self.cpu:
            return None
        # The engine takes all devices of jax: here, all CPUs.
        with mock.patch.object(jax, "devices", return_value=self.cpu):
            return table(case, train(case))


def differences(mine: pd.DataFrame, other: pd.DataFrame | None) -> np.ndarray:
    """Relative differences of train_mse; infinite where only one is finite."""
    if other is None:
        return np.array([])
    both = mine.merge(other, on=KEYS, suffixes=("", "_other"))
    a, b = (both[c].to_numpy(float) for c in ("train_mse", "train_mse_other"))
    difference = np.abs(a - b) / np.abs(b)
    difference[np.isfinite(a) != np.isfinite(b)] = np.inf
    return difference[~np.isnan(difference)]


def measure(
    case: Case,
    rounds: int,
    against: str,
    other: Callable[[Case], pd.DataFrame | None],
) -> tuple[dict[str, Any], pd.DataFrame]:
    """One row of the table, and the losses behind it."""
    start = time.perf_counter()
    outcomes = train(case)
    cold = time.perf_counter() - start
    warm, program = [], []
    for _ in range(rounds):
        start = time.perf_counter()
        outcomes = train(case)
        warm.append(time.perf_counter() - start)
        program.append(sum(outcome.run_s for outcome in outcomes))
    warm_s, program_s = statistics.median(warm), statistics.median(program)
    peak = (jax.devices()[0].memory_stats() or {}).get("peak_bytes_in_use", np.nan)
    at_once = max(outcome.at_once for outcome in outcomes)
    products = product_rate(case, at_once, rounds)
    losses = table(case, outcomes)
    found = differences(losses, other(case))
    return {
        "N": case.N,
        "precision": str(case.precision),
        "lanes": len(case.lanes),
        "steps": case.steps,
        "at_once": at_once,
        "cold_s": cold,
        "warm_s": warm_s,
        "program_s": program_s,
        "GFLOPs": case.flops / warm_s / 1e9,
        "product_GFLOPs": products / 1e9,
        "share_of_product_rate": case.flops / warm_s / products,
        "program_share": case.flops / program_s / products,
        "peak_bytes": peak,
        "against": against if len(found) else "",
        "compared": len(found),
        "largest_difference": found.max() if len(found) else np.nan,
        "median_difference": float(np.median(found)) if len(found) else np.nan,
    }, losses


def estimate(case: Case, last: Case, row: dict[str, Any], spent: float) -> float:
    """Seconds that a case will take: compiling stays, the rest grows with the work."""
    fixed = min(spent, max(0.0, row["cold_s"] - row["warm_s"]))
    return fixed + (spent - fixed) * max(1.0, case.flops / last.flops)


def write_reference(cases: Sequence[Case], path: str) -> None:
    if jax.devices()[0].platform != "cpu":
        raise SystemExit("--write-reference is for a CPU: set JAX_PLATFORMS=cpu.")
    tables = [table(case, train(case)) for case in cases if case.reference]
    pd.concat(tables).to_csv(path, index=False, float_format="%.9g")


def run(
    cases: Sequence[Case], *, seconds: float, rounds: int, reference: Reference
) -> tuple[list[dict[str, Any]], list[str]]:
    """Rows of the cases that fit into the time, and the names of those left out."""
    begun = time.perf_counter()
    rows: list[dict[str, Any]] = []
    left_out: list[str] = []
    last, spent, losses = None, 0.0, None

    def fits(case: Case) -> bool:
        if last is None:
            return True
        left = seconds - (time.perf_counter() - begun)
        return estimate(case, last, rows[-1], spent) <= left

    for case in cases:
        if left_out or not fits(case):
            left_out.append(str(case))
            continue
        start = time.perf_counter()
        row, losses = measure(case, rounds, "CPU", reference.of)
        last, spent = case, time.perf_counter() - start
        rows.append(row)
        print(f"{case}: {spent:.1f} s", flush=True)
    for precision in (Precision.TF32, Precision.BFLOAT16):
        assert last is not None, "the first case always runs"
        case = replace(last, precision=precision)
        if not fits(case):
            left_out.append(str(case))
            continue
        start = time.perf_counter()
        row, _ = measure(case, rounds, "float32", lambda _: losses)
        spent = time.perf_counter() - start
        rows.append(row)
        print(f"{case}: {spent:.1f} s", flush=True)
    return rows, left_out


def main():
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--minutes", type=float, default=7)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--reference", metavar="FILE", help="losses of a CPU")
    parser.add_argument("--write-reference", metavar="FILE", help="write them; no more")
    parser.add_argument(
        "--any-device", action="store_true", help="tiny sizes, on what there is"
    )
    parser.add_argument("--out", metavar="FILE")
    options = parser.parse_args()
    begun = time.perf_counter()
    jax.config.update("jax_enable_compilation_cache", False)  # cold means cold
    configure()
    device = jax.devices()[0]
    cases = TINY if options.any_device else CASES
    if options.write_reference:
        return write_reference(cases, options.write_reference)
    if device.platform == "cpu" and not options.any_device:
        print("jax finds no GPU here, so nothing is measured; --any-device tries it.")
        return None
    print(f"{device.device_kind}, {len(jax.devices())} of them; jax {jax.__version__}")
    rows, left_out = run(
        cases,
        seconds=options.minutes * 60,
        rounds=options.rounds,
        reference=Reference(options.reference),
    )
    found = pd.DataFrame(rows)
    shown = found.to_string(index=False, float_format=lambda x: f"{x:.4g}")
    print(shown)
    if left_out:
        print(f"left out, as {options.minutes:g} minutes were too few for them:")
        print("  " + ", ".join(left_out))
    if "CPU" not in set(found["against"]):
        print("not compared with a CPU: give --reference")
    print(f"{(time.perf_counter() - begun) / 60:.1f} minutes in all")
    if options.out:
        found.to_csv(options.out, index=False, float_format="%.4g")
    return None


if __name__ == "__main__":
    main()
