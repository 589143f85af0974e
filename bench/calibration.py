"""How often is a verdict right? Planted tables whose drift is known.

Run `python bench/calibration.py [TABLES]`: it judges that many tables of each kind,
prints one table and writes a finer one to `figures/calibration.csv`.

The best rate moves by a planted slope. Three basins: a parabola; a `skewed` one, slow
below its optimum and steep above, that diverges 1.5 octaves beyond; and a `cliff`, the
same but diverging 0.4 octaves beyond, so that most optima have a diverged neighbor.
Each run has noise of its own beside its seed's, which all rates share; one cell in
twenty is missing, or none. The optimum's place between grid points is drawn for each
table.
"""

import itertools
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from scaletx.analysis import Answer, verdict

SLOPES = (0.0, -0.25, -0.5, -1.0)
SIZES = (3, 4, 5)
SEEDS = (1, 2, 3, 5)
NOISES = (0.002, 0.01, 0.03)
STEPS = (0.5, 1.0)
BEYOND = 2.5
SEED_NOISE = 0.02
MISSING = (0.0, 0.05)
TABLES = 2
EDGE = {"parabola": np.inf, "skewed": 1.5, "cliff": 0.4}


class Kind(NamedTuple):
    """What a planted table is like."""

    basin: str
    step: float
    seeds: int
    noise: float
    missing: float
    sizes: int
    slope: float


def basin(octaves: np.ndarray, name: str) -> np.ndarray:
    """Relative loss at a distance from the optimum; `inf` where runs diverge."""
    if name == "parabola":
        return 1 + 0.1 * octaves**2
    rise = 0.25 * (np.exp(-0.7 * octaves) - 1 + 0.4 * (np.exp(1.75 * octaves) - 1))
    return np.where(octaves < EDGE[name], 1 + rise, np.inf)


def plant(kind: Kind, rng: np.random.Generator) -> pd.DataFrame:
    """Make a table of a kind."""
    octaves = np.arange(kind.sizes)
    best = -5 + rng.uniform(0, kind.step) + kind.slope * octaves
    low = np.floor((best.min() - BEYOND) / kind.step) * kind.step
    grid = np.arange(low, best.max() + BEYOND + kind.step, kind.step)
    shape = (kind.sizes, kind.seeds, len(grid))
    loss = basin(grid[None, None, :] - best[:, None, None], kind.basin)
    loss = loss * 0.8 ** octaves[:, None, None]
    loss = loss * np.exp(SEED_NOISE * rng.normal(size=shape[:2])[..., None])
    loss = loss * np.exp(kind.noise * rng.normal(size=shape))
    keep = rng.random(shape) >= kind.missing
    i, seed, j = np.nonzero(keep)
    return pd.DataFrame(
        {"N": 32 * 2**i, "seed": seed, "eta0": 2.0 ** grid[j], "train_mse": loss[keep]}
    )


def measure(
    tables: int, *, seeds: tuple[int, ...] = SEEDS, start: int = 0
) -> pd.DataFrame:
    """Judge planted tables of every kind; one row each."""
    rows = []
    kinds = itertools.product(EDGE, STEPS, seeds, NOISES, MISSING, SIZES, SLOPES)
    for number, words in enumerate(kinds):
        kind = Kind(*words)
        rng = np.random.default_rng([start, number])
        for _ in range(tables):
            v = verdict(plant(kind, rng))
            slope, low, high = v.drift
            row = {**kind._asdict(), "answer": v.verdict.value}
            if slope is not None and low is not None and high is not None:
                row |= {"covered": low <= kind.slope <= high, "half": (high - low) / 2}
            rows.append(row)
    return pd.DataFrame(rows)


def summarize(judged: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """Coverage, median half width and shares of answers, for each kind of table."""
    shares = {answer: judged["answer"] == answer for answer in Answer}
    rows = judged.assign(covered=judged["covered"].astype(float), **shares)
    groups = rows.groupby(by)
    return pd.DataFrame(
        {
            "tables": groups.size(),
            "coverage": groups["covered"].mean(),
            "half_width": groups["half"].median(),
            **{answer.replace(" ", "_"): groups[answer].mean() for answer in Answer},
        }
    ).round(3)


def main() -> None:
    """Print one table and write the finer one."""
    judged = measure(int(sys.argv[1]) if len(sys.argv) > 1 else TABLES)
    target = Path(__file__).parents[1] / "figures" / "calibration.csv"
    target.parent.mkdir(exist_ok=True)
    summarize(judged, ["basin", "step", "noise", "seeds", "slope"]).to_csv(target)
    print(summarize(judged, ["slope", "seeds"]).to_string())


if __name__ == "__main__":
    main()
