"""The format of a store of runs, and the readers of stores and of other tables.

A store is a folder with one pair of files a job, named by ordinal and hash:

    DIR/parts/0007-3fa9c1.curves.parquet    written first
    DIR/parts/0007-3fa9c1.lanes.parquet     written second: its presence is the commit

Readers never move or write anything. They skip a part that they cannot read, and
name it. A lane present in several parts counts once: the last part wins.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

PARTS = "parts"
LANES_SUFFIX = ".lanes.parquet"
CURVES_SUFFIX = ".curves.parquet"

SIZE_AXES = ("N", "K", "P", "B")
GRID_AXES = ("eta0",)
RESULT_COLUMNS = (
    "status",
    "train_mse",
    "test_mse",
    "first_bad_step",
    "last_finite_loss",
    "compile_s",
    "run_s",
    "message",
    "at_once",
    "lane",
)
"""What a run measured about itself: these may differ between compared lanes. `steps`
is a setting, and must agree."""
LANE_COLUMNS = ("task", "seed", "status", "train_mse", "test_mse", "lane")
"""What every lanes part has, whatever its task."""
CURVE_COLUMNS = ("lane", "step", "batch_loss", "train_mse", "test_mse")


class Unreadable(NamedTuple):
    """A part that was skipped, and why."""

    file: str
    why: str


@dataclass(frozen=True, kw_only=True)
class Results:
    """What a store holds.

    Attributes:
        path: The store's folder.
        lanes: One row a lane.
        unreadable: The lanes parts that were skipped.
        metadata: For each part that was read: versions, device, precision.
    """

    path: Path
    lanes: pd.DataFrame = field(repr=False)
    unreadable: tuple[Unreadable, ...] = ()
    metadata: Mapping[str, Mapping[str, str]] = field(repr=False)
    _part_of: pd.Series = field(repr=False)

    @cached_property
    def _read_curves(self) -> tuple[pd.DataFrame, tuple[Unreadable, ...]]:
        frames, bad = [], []
        for part, lanes in self._part_of.groupby(self._part_of, sort=False):
            name = f"{part}{CURVES_SUFFIX}"
            got = _read_part(self.path / PARTS / name, CURVE_COLUMNS)
            if isinstance(got, str):
                bad.append(Unreadable(name, got))
            else:
                curves = got.to_pandas()
                frames.append(curves[curves["lane"].isin(lanes.index)])
        return _concat(frames, CURVE_COLUMNS), tuple(bad)

    @property
    def curves(self) -> pd.DataFrame:
        """One row a lane and step, read from disk when first asked for."""
        return self._read_curves[0]

    @property
    def unreadable_curves(self) -> tuple[Unreadable, ...]:
        """The curves parts that were skipped; their lanes still count."""
        return self._read_curves[1]


def read(path: str | Path) -> Results:
    """Read a store of runs.

    Args:
        path: The store's folder.

    Returns:
        Its lanes at once, its curves when asked for, and the parts that it skipped.

    Raises:
        ValueError: If there is no store at `path`.
    """
    root = Path(path)
    if not root.is_dir():
        state = "is a file" if root.exists() else "does not exist"
        raise ValueError(f"{root} {state}: expected the folder of a sweep's runs.")
    if not (root / PARTS).is_dir():
        raise ValueError(
            f"{root} is not a store of runs: it has no folder {PARTS!r}. "
            "Name the folder that a sweep wrote."
        )
    frames, bad, metadata, part_of = [], [], {}, {}
    for part in _parts(root / PARTS):
        name = f"{part}{LANES_SUFFIX}"
        got = _read_part(root / PARTS / name, LANE_COLUMNS)
        if isinstance(got, str):
            bad.append(Unreadable(name, got))
            continue
        frames.append(got.to_pandas())
        metadata[part] = _text(got.schema.metadata)
        part_of |= dict.fromkeys(frames[-1]["lane"], part)
    lanes = _concat(frames, LANE_COLUMNS).drop_duplicates("lane", keep="last")
    return Results(
        path=root,
        lanes=lanes.reset_index(drop=True),
        unreadable=tuple(bad),
        metadata=metadata,
        _part_of=pd.Series(part_of, dtype=object),
    )


def load(path: str | Path | Results) -> pd.DataFrame:
    """Read a table: the lanes of a store's folder, or a `.csv` or `.parquet` file.

    Raises:
        ValueError: If it does not exist, cannot be read, or has no rows.
    """
    source = path.path if isinstance(path, Results) else Path(path)
    if isinstance(path, Results) or source.is_dir():
        table = (path if isinstance(path, Results) else read(source)).lanes
    elif not source.exists():
        raise ValueError(
            f"{source} does not exist: expected the folder of a sweep's runs, or a "
            ".csv or .parquet file."
        )
    else:
        table = _read_file(source)
    if table.empty:
        raise ValueError(f"{source} has no rows: there is nothing to judge yet.")
    return table


def _read_file(source: Path) -> pd.DataFrame:
    if source.suffix not in (".csv", ".parquet"):
        raise ValueError(
            f"{source} ends in {source.suffix!r}: expected .csv or .parquet, or the "
            "folder of a sweep's runs."
        )
    try:
        if source.suffix == ".csv":
            return pd.read_csv(source)
        return pq.ParquetFile(source).read().to_pandas()
    except (OSError, ValueError, pa.ArrowException) as error:
        why = _one_line(error)
    raise ValueError(f"{source} cannot be read as {source.suffix[1:]}: {why}")


def _parts(folder: Path) -> list[str]:
    """Names of the committed parts, in the order in which they were made."""
    pattern = re.compile(rf"(\d+)-[0-9A-Za-z]+(?={re.escape(LANES_SUFFIX)}$)")
    found = [match for p in folder.iterdir() if (match := pattern.match(p.name))]
    return [m[0] for m in sorted(found, key=lambda m: (int(m[1]), m[0]))]


def _read_part(path: Path, columns: tuple[str, ...]) -> pa.Table | str:
    """Return the part's table, or why it cannot be read."""
    try:
        if not path.exists():
            return "it is missing"
        if path.stat().st_size == 0:
            return "it is empty"
        table = pq.ParquetFile(path).read()
    except (OSError, ValueError, pa.ArrowException) as error:
        return _one_line(error)
    lacking = [name for name in columns if name not in table.column_names]
    return f"it lacks the columns {', '.join(lacking)}" if lacking else table


def _concat(frames: list[pd.DataFrame], columns: tuple[str, ...]) -> pd.DataFrame:
    full = [frame for frame in frames if len(frame)]
    return pd.concat(full, ignore_index=True) if full else pd.DataFrame(columns=columns)


def _text(metadata: Mapping[bytes, bytes] | None) -> dict[str, str]:
    pairs = ((k.decode(), v.decode()) for k, v in (metadata or {}).items())
    return {k: v for k, v in pairs if k != "pandas" and not k.startswith("ARROW")}


def _one_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")
