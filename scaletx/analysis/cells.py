"""From any sweep table to curves: one matrix of losses (seeds by rates) a size."""

from typing import NamedTuple

import numpy as np
import pandas as pd
from jaxtyping import Float

from scaletx import _checks
from scaletx._types import RunStatus
from scaletx.analysis.columns import Columns
from scaletx.analysis.mixed import refuse_repeated

DIGITS = 9
"""Rates that agree to so many digits are one rate, as in the keys of lanes."""


class Curves(NamedTuple):
    """The losses of one size: `inf` where a run diverged, `nan` where none is."""

    size: float
    seeds: tuple[int | float | str, ...]
    log2_lr: Float[np.ndarray, " rates"]
    loss: Float[np.ndarray, "seeds rates"]

    @property
    def mean(self) -> Float[np.ndarray, " rates"]:
        """Mean over seeds: diverged if a seed is, missing if over half of them are."""
        present = ~np.isnan(self.loss)
        total = np.where(present, self.loss, 0.0).sum(axis=0)
        count = present.sum(axis=0)
        enough = (2 * count >= len(self.seeds)) | np.isinf(total)
        return np.where(enough & (count > 0), total / np.maximum(count, 1), np.nan)

    @property
    def best(self) -> int | None:
        """Index of the rate with the least mean loss; None if no run ended."""
        mean = self.mean
        ended = np.isfinite(mean)
        return int(np.argmin(np.where(ended, mean, np.inf))) if ended.any() else None

    @property
    def noise(self) -> float:
        """Twice the standard error of the difference of two rates in one seed.

        Each seed's own offset is taken out first, as rates are compared within a seed.
        The spread is the median over rates that ended in every seed. With one seed the
        noise is unknown, and counts as zero.
        """
        whole = self.loss[:, np.isfinite(self.loss).all(axis=0)]
        if len(self.seeds) < 2 or whole.shape[1] < 2:
            return 0.0
        rest = whole - whole.mean(axis=0) - whole.mean(axis=1, keepdims=True)
        rest += whole.mean()
        spread = np.sqrt((rest**2).sum(axis=0) / (len(self.seeds) - 1))
        return float(2 * np.sqrt(2) * np.median(spread))


def clean(table: pd.DataFrame, columns: Columns) -> pd.DataFrame:
    """Reduce a table to size, seed, lr, loss and status, one row a cell.

    The status column decides where there is one; elsewhere a loss that is not finite
    is a diverged run, and an absent row a missing one.

    Raises:
        ValueError: If a value is not a number, a rate not positive, a status unknown,
            or two rows are the same cell.
    """
    loss = _numbers(table, columns.loss, finite=False)
    seeds = table[columns.seed].to_numpy() if columns.seed else np.zeros_like(loss, int)
    rows = pd.DataFrame(
        {
            "size": _numbers(table, columns.size),
            "seed": seeds,
            "lr": _numbers(table, columns.lr),
            "loss": loss,
            "status": _status(table, loss),
        }
    )
    if (rows["lr"] <= 0).any():
        bad = rows["lr"][rows["lr"] <= 0].iloc[0]
        raise ValueError(
            f"{columns.lr}={bad:g}: rates are compared by their logarithm, so each "
            "must be above 0. Leave these rows out."
        )
    if rows["seed"].isna().any():
        raise ValueError(
            f"Column {columns.seed!r} has empty cells: give every row a seed."
        )
    same_rate = rows["lr"].map(lambda rate: f"{rate:.{DIGITS}g}")
    rows["lr"] = rows.groupby(same_rate)["lr"].transform("first")
    same = rows.duplicated(["size", "seed", "lr"], keep=False).to_numpy()
    if same.any():
        refuse_repeated(table[same], columns)
    rows.loc[rows["status"] != RunStatus.OK, "loss"] = np.nan
    return rows.sort_values(["size", "seed", "lr"], ignore_index=True)


def _numbers(
    table: pd.DataFrame, name: str, *, finite: bool = True
) -> Float[np.ndarray, " rows"]:
    numbers = pd.to_numeric(table[name], errors="coerce").to_numpy(float)
    bad = (np.isnan(numbers) & table[name].notna()) | (finite & ~np.isfinite(numbers))
    if bad.any():
        raise ValueError(
            f"Column {name!r} holds {table[name][bad].iloc[0]!r}: expected "
            f"{'finite numbers' if finite else 'numbers'} only."
        )
    return numbers


def _status(table: pd.DataFrame, loss: Float[np.ndarray, " rows"]) -> list[str]:
    if "status" not in table:
        return [RunStatus.OK if ok else RunStatus.DIVERGED for ok in np.isfinite(loss)]
    said = [_checks.word("status", word, RunStatus) for word in table["status"]]
    return [_ended(word, x) for word, x in zip(said, loss, strict=True)]


def _ended(said: RunStatus, loss: float) -> RunStatus:
    """Correct a run that is said to be `ok`: without a loss it was not measured."""
    if said is not RunStatus.OK or np.isfinite(loss):
        return said
    return RunStatus.FAILED if np.isnan(loss) else RunStatus.DIVERGED


def curves(rows: pd.DataFrame) -> list[Curves]:
    """Arrange a clean table by size.

    A rate belongs to a size's grid if the size has it or at least half of the sizes
    do: a hole is seen as one, and a grid refined at one size leaves no holes elsewhere.
    """
    sizes = rows["size"].nunique()
    spread = rows.groupby("lr")["size"].nunique()
    common = set(spread.index[2 * spread >= sizes])
    value = rows["loss"].where(rows["status"] != RunStatus.DIVERGED, np.inf)
    arranged = []
    for size, part in rows.assign(loss=value).groupby("size"):
        grid = sorted(common | set(part["lr"]))
        matrix = part.pivot(index="seed", columns="lr", values="loss")
        matrix = matrix.reindex(columns=grid)
        seeds = tuple(matrix.index.tolist())
        whole = int(size) if size == int(size) else size
        arranged.append(Curves(whole, seeds, np.log2(grid), matrix.to_numpy(float)))
    return arranged
