"""Which column of a table is the size, the rate, the loss and the seed."""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from jaxtyping import Float

from scaletx import _checks
from scaletx.analysis.tables import GRID_AXES, SIZE_AXES

SIZE_NAMES = ("N", "size", "width", "d_model", "n_params", "params")
LR_NAMES = ("eta0", "lr", "learning_rate")
LOSS_NAMES = ("train_mse", "loss", "train_loss", "val_loss", "test_loss", "test_mse")


class Columns(NamedTuple):
    """Which column of a table plays which part; no seed column means one seed."""

    size: str
    lr: str
    loss: str
    seed: str | None


def is_store(table: pd.DataFrame) -> bool:
    """Tell whether a table has the size and grid axes of our stores."""
    return {*SIZE_AXES, *GRID_AXES} <= set(table.columns)


def find_columns(
    table: pd.DataFrame,
    *,
    size: str | None,
    lr: str | None,
    loss: str | None,
    seed: str,
) -> Columns:
    """Check the names that were given, and find those that were not.

    In a store's table the size is the first size axis that varies, the loss
    `train_mse`; elsewhere each is looked for under common names.
    """
    if size is None and is_store(table):
        varying = [name for name in SIZE_AXES if len(set(table[name])) > 1]
        size = varying[0] if varying else SIZE_AXES[0]
    if loss is None and is_store(table):
        loss = "train_mse"
    if seed not in table and seed != "seed":
        raise _checks.unknown("seed", seed, map(str, table.columns))
    return Columns(
        size=_find(table, "size", size, SIZE_NAMES),
        lr=_find(table, "lr", lr, LR_NAMES),
        loss=_find(table, "loss", loss, LOSS_NAMES),
        seed=seed if seed in table else None,
    )


def _find(
    table: pd.DataFrame, role: str, name: str | None, common: Iterable[str]
) -> str:
    if name is not None:
        if name not in table:
            raise _checks.unknown(role, name, map(str, table.columns))
        return name
    found = [word for word in common if word in table]
    if len(found) == 1:
        return found[0]
    state = f"{' and '.join(found)} could each be it" if found else "none is known"
    raise ValueError(
        f"Which column is the {role}? In {', '.join(map(str, table.columns))} {state}. "
        f"Name it: {role}='...'."
    )


def numbers(values: Any, name: str, *, finite: bool = False) -> Float[np.ndarray, "*n"]:
    """Read a column as numbers; an empty cell is NaN.

    Raises:
        ValueError: If a cell holds text, or something that is not finite where it must
            be: the first one is named.
    """
    cells = values if isinstance(values, pd.Series) else pd.Series(np.ravel(values))
    found = np.asarray(pd.to_numeric(cells, errors="coerce"), dtype=float)
    bad = np.isnan(found) & ~np.asarray(pd.isna(cells))
    bad |= finite & ~np.isfinite(found)
    if bad.any():
        first = int(np.argmax(bad))
        cell = cells.astype(object).iloc[first]
        raise ValueError(
            f"Column {name!r} holds {cell!r} in row {cells.index[first]}: "
            f"expected {'finite numbers' if finite else 'numbers'} only."
        )
    return found.reshape(np.shape(values))


def parts(table: pd.DataFrame, group: str) -> dict[Any, pd.DataFrame]:
    """Split a table by a column's values, in order of appearance.

    Raises:
        ValueError: If there is no such column.
    """
    if group not in table:
        raise _checks.unknown("group", group, map(str, table.columns))
    return dict(iter(table.groupby(group, sort=False, dropna=False)))


def refuse_groups(table: pd.DataFrame, group: str | None, judgment: str) -> None:
    """Refuse a table of several groups where a judgment is about one.

    Raises:
        ValueError: If the column has several values, or is unknown.
    """
    if group is not None and len(parts(table, group)) > 1:
        raise ValueError(
            f"Column {group!r} has several values, and a {judgment} is about one: "
            f"call {judgment}s(table, group={group!r})."
        )
