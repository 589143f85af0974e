"""From a table of runs to the points of a law: the runs at the best rate of each x."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from jaxtyping import Float

from scaletx import _checks
from scaletx._types import RunStatus
from scaletx.analysis.cells import DIGITS, clean, curves
from scaletx.analysis.columns import Columns, is_store, numbers
from scaletx.analysis.mixed import refuse_mixed
from scaletx.analysis.power_law import PowerLawFit, fit_power_law
from scaletx.analysis.tables import GRID_AXES


class Points(NamedTuple):
    """Rows that a law can be fitted to.

    Attributes:
        x: Sizes.
        y: Losses.
        groups: Cluster of each row; None: each row is one.
        names: What to call each row.
        dropped: Rows left out, and why.
    """

    x: Float[np.ndarray, " n"]
    y: Float[np.ndarray, " n"]
    groups: np.ndarray | None
    names: tuple[str, ...]
    dropped: tuple[str, ...]


def points(
    table: pd.DataFrame,
    *,
    x: str,
    y: str,
    group: str | None = None,
    lr: str | None = None,
) -> Points:
    """Choose the rows of a table that a law is fitted to.

    Where there is a rate, the best one of each x counts, by the mean over seeds: every
    seed at that rate. (The best rate of each seed would pick the luckiest.) Runs that
    diverged or failed, and rows without a y, are left out by name.

    Args:
        table: One row a run.
        x: Column of the size.
        y: Column of the loss.
        group: Column of the cluster.
        lr: Column of the rate; a store's own is found.

    Raises:
        ValueError: If a column is unknown or holds text, no run ended, or further
            settings of a store vary.
    """
    for role, name in (("x", x), ("y", y), ("group", group), ("lr", lr)):
        if name is not None and name not in table:
            raise _checks.unknown(role, name, map(str, table.columns))
    seed = "seed" if "seed" in table else None
    if lr is None and is_store(table):
        lr = GRID_AXES[0]
    if is_store(table):
        columns = Columns(x, lr or GRID_AXES[0], y, seed)
        refuse_mixed(table, columns, (group,) if group else ())
    kept = table
    if lr is not None:
        kept = _at_best(table, Columns(x, lr, y, seed))
    status = list(kept["status"]) if "status" in kept else [RunStatus.OK] * len(kept)
    at, loss = numbers(kept[x], x), numbers(kept[y], y)
    told = [name for name in (x, seed, group) if name is not None]
    told = list(dict.fromkeys(told))
    names = [
        ", ".join(f"{name} = {value}" for name, value in zip(told, row, strict=True))
        for row in kept[told].itertuples(index=False)
    ]
    why = [_why(word, value, y) for word, value in zip(status, loss, strict=True)]
    ok = np.array([not reason for reason in why], dtype=bool)
    dropped = [f"{n} ({r})" for n, r in zip(names, why, strict=True) if r]
    lost = sorted(set(numbers(table[x], x)) - set(at))
    dropped += [f"{x} = {value:g} (no rate at which all seeds ended)" for value in lost]
    if not ok.any():
        raise ValueError(
            f"No run with a {y} ended: there is nothing to fit. Check the status "
            "column, or run them again (--retry failed)."
        )
    return Points(
        x=at[ok],
        y=loss[ok],
        groups=np.asarray(kept[group])[ok] if group else None,
        names=tuple(name for name, good in zip(names, ok, strict=True) if good),
        dropped=tuple(dropped),
    )


def fit_table(
    table: pd.DataFrame,
    *,
    x: str,
    y: str,
    group: str | None = None,
    lr: str | None = None,
    **words: object,
) -> PowerLawFit:
    """Fit the power law with offset to a table of runs.

    Args:
        table: One row a run, as `load` returns it.
        x: Column of the size.
        y: Column of the loss.
        group: Column of the cluster for intervals; None: each run is one.
        lr: Column of the rate; the best one of each x counts.
        **words: What `fit_power_law` takes.

    Returns:
        The fit, with the rows that were left out.

    Raises:
        ValueError: As `points` and `fit_power_law` do.
    """
    chosen = points(table, x=x, y=y, group=group, lr=lr)
    return fit_power_law(
        chosen.x,
        chosen.y,
        groups=chosen.groups,
        names=chosen.names,
        dropped=chosen.dropped,
        x_name=x,
        y_name=y,
        **words,  # type: ignore[arg-type]
    )


def _at_best(table: pd.DataFrame, columns: Columns) -> pd.DataFrame:
    """Keep the rows at the best rate of each x."""
    best = {
        grid.size: f"{2.0 ** grid.log2_lr[grid.best]:.{DIGITS}g}"
        for grid in curves(clean(table, columns))
        if grid.best is not None
    }
    lr, size = columns.lr, columns.size
    rates = [f"{rate:.{DIGITS}g}" for rate in numbers(table[lr], lr)]
    sizes = numbers(table[size], size)
    pairs: Sequence[tuple[float, str]] = list(zip(sizes, rates, strict=True))
    return pd.DataFrame(table[[best.get(size) == rate for size, rate in pairs]])


def _why(status: str, loss: float, y: str) -> str:
    """Say why a row cannot be fitted; empty if it can."""
    if status != RunStatus.OK:
        return str(status)
    return "" if np.isfinite(loss) else f"{y} is {'missing' if loss != loss else loss}"
