"""From any sweep table to curves: one matrix of losses (seeds by rates) a size."""

from typing import NamedTuple

import numpy as np
import pandas as pd
from jaxtyping import Float

from scaletx import _checks
from scaletx._types import RunStatus
from scaletx.analysis.columns import Columns, numbers
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
        """Mean over seeds: diverged if a seed is, missing if over half of them are.

        Where a seed is missing, its offset from the others is not: it is taken out
        first, as measured on the rates that ended in every seed.
        """
        whole = self.loss[:, np.isfinite(self.loss).all(axis=0)]
        offset = whole.mean(axis=1, keepdims=True) - whole.mean() if whole.size else 0.0
        present = ~np.isnan(self.loss)
        total = np.where(present, self.loss - offset, 0.0).sum(axis=0)
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
    loss = numbers(table[columns.loss], columns.loss)
    lr = numbers(table[columns.lr], columns.lr, finite=True)
    if lr.min() <= 0:
        raise ValueError(
            f"{columns.lr}={lr.min():g}: rates are compared by their logarithm, so "
            "each must be above 0. Leave these rows out."
        )
    rows = pd.DataFrame(
        {
            "size": numbers(table[columns.size], columns.size, finite=True),
            "seed": _seeds(table, columns.seed),
            "lr": _merged(lr),
            "loss": loss,
            "status": _status(table, loss),
        }
    )
    same = np.asarray(rows.duplicated(["size", "seed", "lr"], keep=False))
    if same.any():
        refuse_repeated(pd.DataFrame(table[same]), columns)
    rows.loc[rows["status"] != RunStatus.OK, "loss"] = np.nan
    return rows.sort_values(["size", "seed", "lr"], ignore_index=True)


def _seeds(table: pd.DataFrame, name: str | None) -> np.ndarray:
    if name is None:
        return np.zeros(len(table), int)
    seeds = np.asarray(table[name])
    if np.any(pd.isna(seeds)):
        raise ValueError(f"Column {name!r} has empty cells: give every row a seed.")
    return seeds.astype(str) if seeds.dtype == object else seeds


def _merged(lr: Float[np.ndarray, " rows"]) -> list[float]:
    """Give rates that agree to `DIGITS` digits one value."""
    first: dict[str, float] = {}
    for rate in np.unique(lr).tolist():
        first.setdefault(f"{rate:.{DIGITS}g}", rate)
    return [first[f"{rate:.{DIGITS}g}"] for rate in lr]


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
    size, lr, seed, loss, status = (
        np.asarray(rows[name]) for name in ("size", "lr", "seed", "loss", "status")
    )
    value = np.where(status == RunStatus.DIVERGED, np.inf, loss)
    sizes, size_at = np.unique(size, return_inverse=True)
    rates, rate_at = np.unique(lr, return_inverse=True)
    has = np.zeros((len(sizes), len(rates)), bool)
    has[size_at, rate_at] = True
    common = 2 * has.sum(axis=0) >= len(sizes)
    arranged = []
    for i, number in enumerate(sizes.tolist()):
        mine, grid = size_at == i, common | has[i]
        seeds, seed_at = np.unique(seed[mine], return_inverse=True)
        matrix = np.full((len(seeds), len(rates)), np.nan)
        matrix[seed_at, rate_at[mine]] = value[mine]
        whole = int(number) if number == int(number) else number
        arranged.append(
            Curves(whole, tuple(seeds.tolist()), np.log2(rates[grid]), matrix[:, grid])
        )
    return arranged
