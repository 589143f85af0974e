"""Refuse to compare runs that differ in more than size, rate and seed."""

from collections.abc import Iterable
from typing import NoReturn

import pandas as pd

from scaletx import _checks
from scaletx.analysis.columns import Columns, is_store
from scaletx.analysis.options import listed
from scaletx.analysis.tables import RESULT_COLUMNS, SIZE_AXES

MOST = 6
"""How many values of a column an error lists."""


def refuse_mixed(
    table: pd.DataFrame, columns: Columns, ignore: Iterable[str] = ()
) -> None:
    """Refuse a table in which a further column varies.

    In a store's table the other size axes may vary too, but each size has one value of
    them.

    Raises:
        ValueError: If a column varies, naming it and its values.
    """
    free = {*columns, *ignore, *RESULT_COLUMNS}
    for name in ignore:
        if name not in table:
            raise _checks.unknown("ignore", name, map(str, table.columns))
    axes = [axis for axis in SIZE_AXES if is_store(table) and axis not in free]
    found = {}
    for name in table.columns:
        if name in axes:
            for size, part in table.groupby(columns.size):
                if len(values := _values(part, name)) > 1:
                    found[name] = f"{listed(values)} at {columns.size} = {size}"
        elif name not in free and len(values := _values(table, name)) > 1:
            found[name] = listed([*values[:MOST], *["..."][: len(values) - MOST]])
    if found:
        differing = "; ".join(f"{name}: {text}" for name, text in found.items())
        raise ValueError(
            f"These runs differ in more than {columns.size}, {columns.lr} and seed "
            f"({differing}), so a difference in loss could come from there. Name the "
            "column as group, leave it out with ignore, or allow mixed settings."
        )


def refuse_repeated(rows: pd.DataFrame, columns: Columns) -> NoReturn:
    """Say which cell is there twice, and in which columns its rows differ.

    Raises:
        ValueError: Always.
    """
    named = [name for name in columns if name and name != columns.loss]
    _, cell = next(iter(rows.groupby(named, sort=False)))
    where = ", ".join(f"{name} = {_values(cell, name)[0]}" for name in named)
    further = [name for name in cell if name not in {*columns, *RESULT_COLUMNS}]
    differing = [name for name in further if len(_values(cell, name)) > 1]
    advice = (
        f"They differ in {', '.join(differing)}: name that column as seed or group."
        if differing
        else "Keep one of them, or name the column that tells them apart."
    )
    raise ValueError(f"{len(cell)} rows have the same cell ({where}). {advice}")


def _values(table: pd.DataFrame, name: str) -> list[str]:
    """Return a column's values as text, each once."""
    return list(dict.fromkeys(map(str, table[name])))
