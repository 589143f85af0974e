"""Where the official binary files of CIFAR-10 and CIFAR-100 lie, and what is there."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from scaletx import _checks

SIDE = 32
PIXELS = 3 * SIDE * SIDE
SOURCE = "https://www.cs.toronto.edu/~kriz/cifar.html"


@dataclass(frozen=True, kw_only=True)
class Layout:
    """How one of the two sets lies on disk.

    A file is a row of records: one byte for each label, then 3072 bytes of pixels, the
    red, the green and the blue plane, each row by row.

    Attributes:
        title: Its name in prose.
        folder: Folder in the archive.
        training: Files of training images; all hold equally many.
        held_out: Files of held-out images.
        classes: Number of classes of each label byte.
        archive: Name of the archive.
        md5: Checksum of the archive.
    """

    title: str
    folder: str
    training: tuple[str, ...]
    held_out: tuple[str, ...]
    classes: tuple[int, ...]
    archive: str
    md5: str

    @property
    def record(self) -> int:
        """Bytes of a record."""
        return len(self.classes) + PIXELS


LAYOUTS = {
    "cifar10": Layout(
        title="CIFAR-10",
        folder="cifar-10-batches-bin",
        training=tuple(f"data_batch_{i}.bin" for i in range(1, 6)),
        held_out=("test_batch.bin",),
        classes=(10,),
        archive="cifar-10-binary.tar.gz",
        md5="c32a1d4ab5d03f1284b67883e8d87530",
    ),
    "cifar100": Layout(
        title="CIFAR-100",
        folder="cifar-100-binary",
        training=("train.bin",),
        held_out=("test.bin",),
        classes=(20, 100),
        archive="cifar-100-binary.tar.gz",
        md5="03b5dce01913d631647c71ecec9e9cb8",
    ),
}


class CifarFile(NamedTuple):
    """A file, and how many images it holds."""

    path: Path
    count: int


class CifarFiles(NamedTuple):
    """The files of a set, found and measured but not read."""

    training: tuple[CifarFile, ...]
    held_out: tuple[CifarFile, ...]

    @property
    def root(self) -> Path:
        """The folder that they lie in."""
        return self.training[0].path.parent


def layout_of(name: str) -> Layout:
    """Look up a layout.

    Raises:
        ValueError: If there is none of this name.
    """
    if name not in LAYOUTS:
        raise _checks.unknown("name", name, LAYOUTS)
    return LAYOUTS[name]


def find(layout: Layout, folder: str | Path) -> CifarFiles:
    """Find and measure the files of a set in a folder or one level below; read nothing.

    Raises:
        ValueError: If one is missing or has a size that no such file has.
    """
    given = Path(os.path.expanduser(folder))
    names = layout.training + layout.held_out
    here: set[str] = set()
    for root in (given, given / layout.folder):
        here = {name for name in names if (root / name).is_file()}
        if here:
            break
    else:
        raise ValueError(
            f"`{given}` holds no binary files of {layout.title} such as {names[0]}: "
            f"unpack {layout.archive} (the binary version, from {SOURCE}) into it, or "
            "call scaletx.data.fetch."
        )
    if len(here) < len(names):
        lacking = ", ".join(name for name in names if name not in here)
        raise ValueError(
            f"`{root}` lacks {lacking} of {layout.title}: expected {', '.join(names)}. "
            f"Unpack {layout.archive} again."
        )
    training = tuple(_measured(layout, root / name) for name in layout.training)
    held_out = tuple(_measured(layout, root / name) for name in layout.held_out)
    most = max(file.count for file in training)
    for path, count in training:
        if count < most:
            raise ValueError(
                f"`{path}` is truncated: it has {count:,} images, expected {most:,} as "
                f"in the other training files. Unpack {layout.archive} again."
            )
    return CifarFiles(training, held_out)


def _measured(layout: Layout, path: Path) -> CifarFile:
    size = path.stat().st_size
    count, rest = divmod(size, layout.record)
    if rest or not count:
        raise ValueError(
            f"`{path}` is torn or no binary file of {layout.title}: it has {size:,} "
            f"bytes, expected a whole number of records of {layout.record:,}. Unpack "
            f"{layout.archive} again."
        )
    return CifarFile(path, count)
