"""Where finished runs are kept: a folder that nothing can leave half-written.

A job writes its curves part, then its lanes part, each to a temporary file that is
synced and renamed; the lanes part is the commit. Nothing is locked: a process killed at
any moment loses at most the parts in progress.
"""

import contextlib
import errno
import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from scaletx.analysis import Results, read
from scaletx.analysis.tables import CURVES_SUFFIX, LANES_SUFFIX, PARTS
from scaletx.data import data_set
from scaletx.sweep.spec import (
    LENGTH_WORDS,
    MADE_BY,
    SIZE_WORDS,
    SweepSpec,
    read_toml,
    spec,
)

SPEC = "spec.toml"
SET_ASIDE = "set-aside"
STALE_S = 24 * 3600


class StoreError(ValueError):
    """A store that cannot be used as asked: the message says why and what to do."""


class Store:
    """The folder of a sweep.

    Args:
        path: The folder; made on the first write.
    """

    def __init__(self, path: str | Path):
        self.path = Path(path)

    def stored_words(self) -> dict[str, Any]:
        """The words that the folder keeps; empty if it keeps none yet.

        Raises:
            StoreError: If the folder holds something that is not a store.
        """
        file = self.path / SPEC
        if file.is_file():
            return read_toml(file)
        if self.path.exists() and (not self.path.is_dir() or any(self.path.iterdir())):
            raise StoreError(
                f"`{self.path}` exists and is not a store (it has no {SPEC}): name "
                "another folder."
            )
        return {}

    def adopt(self, asked: SweepSpec) -> SweepSpec:
        """Keep a spec in the folder; axes grow, settings must agree.

        Returns:
            The spec that the folder now keeps: its own axes and the asked ones.

        Raises:
            StoreError: If a setting differs from the stored one, naming it.
        """
        words = self.stored_words()
        if not words:
            self._write(SPEC, lambda file: file.write_text(asked.to_toml()))
            return asked
        stored = spec(**words)
        self.require_same(asked, stored)
        grown = SweepSpec(
            task=stored.task,
            shapes=tuple(sorted({*stored.shapes, *asked.shapes})),
            grid=tuple(
                tuple(sorted({*old, *new}))
                for old, new in zip(stored.grid, asked.grid, strict=True)
            ),
            seeds=tuple(sorted({*stored.seeds, *asked.seeds})),
            settings=asked.settings,
            ratios=tuple(r for r in stored.ratios if r in asked.ratios),
        )
        try:
            spec(**grown.words())
        except ValueError as error:
            raise StoreError(
                f"`{self.path}` cannot take these sizes in: {error}"
            ) from error
        if grown != stored:
            self._write(SPEC, lambda file: file.write_text(grown.to_toml()))
        return grown

    def require_same(self, asked: SweepSpec, stored: SweepSpec) -> None:
        """Refuse settings that differ from the stored ones, by name."""
        pairs = [("task", asked.task, stored.task)]
        ratios = dict(stored.ratios)
        pairs += [(k, v, ratios[k]) for k, v in asked.ratios if k in ratios]
        ours, theirs = vars(asked.settings), vars(stored.settings)
        pairs += [(name, value, theirs.get(name)) for name, value in ours.items()]
        for name, mine, kept in pairs:
            same = mine == kept
            if name == "data" and not same:  # a folder may have moved
                same = _label(mine) == _label(kept)
            if not same:
                raise StoreError(
                    f"`{self.path}` was made with {name}={_word(kept)}; this command "
                    f"says {name}={_word(mine)}. Finished runs are never overwritten: "
                    f"name another folder, or keep {name}={_word(kept)}."
                )

    def results(self) -> Results | None:
        """What the folder holds; None if nothing has been written yet."""
        return read(self.path) if (self.path / PARTS).is_dir() else None

    def commit(
        self,
        name: str,
        lanes: pd.DataFrame,
        curves: pd.DataFrame,
        metadata: Mapping[str, str],
    ) -> None:
        """Write one job's part: its curves, then its lanes.

        Raises:
            OSError: If the disk is full or cannot be written.
        """
        folder = self.path / PARTS
        folder.mkdir(parents=True, exist_ok=True)
        taken = [p.name.split("-")[0] for p in folder.glob("*-*.parquet")]
        ordinal = max((int(t) for t in taken if t.isdigit()), default=0) + 1
        for suffix, table in ((CURVES_SUFFIX, curves), (LANES_SUFFIX, lanes)):
            arrow = pa.Table.from_pandas(table, preserve_index=False)
            arrow = arrow.replace_schema_metadata(dict(metadata))
            self._write(
                f"{PARTS}/{ordinal:06d}-{name}{suffix}",
                lambda file, arrow=arrow: pq.write_table(arrow, file),
                size=arrow.nbytes,
            )

    def unreadable(self) -> dict[str, str]:
        """Parts of which the lanes or the curves cannot be read, and why."""
        results = self.results()
        if results is None:
            return {}
        bad = {u.file.removesuffix(LANES_SUFFIX): u.why for u in results.unreadable}
        for file in (self.path / PARTS).glob(f"*{LANES_SUFFIX}"):
            part = file.name.removesuffix(LANES_SUFFIX)
            why = _torn(file.with_name(f"{part}{CURVES_SUFFIX}"))
            if why:
                bad.setdefault(part, f"its curves: {why}")
        return bad

    def set_aside_unreadable(self) -> list[str]:
        """Move parts that cannot be read out of the way, so that they are run again.

        Returns:
            A sentence for each part that was moved.
        """
        bad = self.unreadable()
        for part in bad:
            (self.path / SET_ASIDE).mkdir(exist_ok=True)
            for file in (self.path / PARTS).glob(f"{part}.*"):
                with contextlib.suppress(FileNotFoundError):  # another sweep moved it
                    os.replace(file, self.path / SET_ASIDE / file.name)
        return [
            f"{PARTS}/{part} cannot be read ({why}): set aside in {SET_ASIDE}/, its "
            "lanes run again"
            for part, why in bad.items()
        ]

    def spec(self, words: Mapping[str, Any]) -> SweepSpec:
        """Build a sweep from words, those left out taken from the stored spec.

        Raises:
            ValueError: If the words cannot be run.
            StoreError: If the folder is no store, or lists sizes that the words leave
                open.
        """
        stored = self.stored_words()
        kept = dict(stored)
        if words.keys() & set(LENGTH_WORDS):
            kept.pop("steps", None)
        if words.keys() & set(SIZE_WORDS):
            for name, ratio in MADE_BY.items():
                if stored and not {name, ratio} & words.keys() and ratio not in stored:
                    raise StoreError(
                        f"`{self.path}` has its own list of {name}: give {name} (or "
                        f"{ratio}) beside the other sizes."
                    )
            named = {MADE_BY[name] for name in MADE_BY.keys() & words.keys()}
            kept = {k: v for k, v in kept.items() if k not in {*MADE_BY, *named}}
        return spec(**{**kept, **words})

    def tidy(self) -> None:
        """Remove temporary files that a killed process left a day ago or earlier."""
        for file in self.path.glob("**/*.writing-*"):
            with contextlib.suppress(FileNotFoundError):  # another sweep renamed it
                if time.time() - file.stat().st_mtime > STALE_S:
                    file.unlink()

    def _write(
        self, name: str, write: Callable[[Path], Any], *, size: int = 4096
    ) -> None:
        """Write a file whole or not at all."""
        target = self.path / name
        temporary = target.with_name(f"{target.name}.writing-{os.getpid()}")
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            write(temporary)
            with open(temporary, "rb+") as file:
                os.fsync(file.fileno())
            os.replace(temporary, target)
            folder = os.open(target.parent, os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)
        except OSError as error:
            temporary.unlink(missing_ok=True)
            full = error.errno in (errno.ENOSPC, errno.EDQUOT)
            advice = (
                f"free at least {max(size, 4096) // 1024 + 1} kB for this part alone"
                if full
                else "make the folder writable"
            )
            raise OSError(
                error.errno,
                f"cannot write {name} in `{self.path}`: {error.strerror or error}. "
                f"What was finished is safe; {advice} and run the same command again.",
            ) from error


def _label(data: Any) -> str:
    return data_set(str(data)).label


def _torn(path: Path) -> str:
    """Why a Parquet file has no readable footer; empty if it has one."""
    try:
        pq.read_schema(path)
    except (OSError, pa.ArrowException) as error:
        return str(error).splitlines()[0].rstrip(".")
    return ""


def _word(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
