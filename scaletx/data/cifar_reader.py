"""Reading the official binary files of CIFAR-10 and CIFAR-100."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from jaxtyping import Int, UInt8

from scaletx.data.cifar_layout import PIXELS, SIDE, CifarFile, Layout, find, layout_of


class LabeledImages(NamedTuple):
    """Images, red, green and blue planes, and the class of each."""

    images: UInt8[np.ndarray, "images 3 32 32"]
    labels: Int[np.ndarray, " images"]


def read(
    layout: Layout,
    files: Sequence[CifarFile],
    rows: Int[np.ndarray, " rows"] | None = None,
) -> tuple[UInt8[np.ndarray, "rows 3 32 32"], UInt8[np.ndarray, "rows labels"]]:
    """Read images and label bytes; of the files in a row, the given rows or all.

    Raises:
        ValueError: If a label is not one of the classes.
    """
    total = sum(file.count for file in files)
    rows = np.arange(total) if rows is None else rows
    images = np.empty((len(rows), PIXELS), np.uint8)
    labels = np.empty((len(rows), len(layout.classes)), np.uint8)
    start = 0
    for path, count in files:
        wanted = np.flatnonzero((rows >= start) & (rows < start + count))
        records = np.memmap(path, np.uint8, "r", shape=(count, layout.record))
        places = rows[wanted] - start
        found = records[places, : labels.shape[1]]
        wrong = np.argwhere(found >= layout.classes)
        if len(wrong):
            row, byte = wrong[0]
            raise ValueError(
                f"`{path}` is damaged or no binary file of {layout.title}: label byte "
                f"{byte} of image {places[row]} is {found[row, byte]}, expected 0 to "
                f"{layout.classes[byte] - 1}. Unpack {layout.archive} again."
            )
        labels[wanted] = found
        images[wanted] = records[places, labels.shape[1] :]
        start += count
    return images.reshape(-1, 3, SIDE, SIDE), labels


def read_cifar(
    folder: str | Path,
    name: str = "cifar10",
    *,
    test: bool = False,
    coarse: bool = False,
) -> LabeledImages:
    """Read all images of CIFAR-10 or CIFAR-100 and their labels, in the files' order.

    Reads the official binary version and never a pickle. Fewer records than the
    official ones are fine, as long as they are whole and the training files of
    CIFAR-10 hold equally many.

    Args:
        folder: The folder with the files, or the one above it.
        name: `cifar10` or `cifar100`.
        test: Read the held-out images instead of those for training.
        coarse: Give the 20 superclasses of CIFAR-100 instead of its 100 classes.

    Returns:
        Images `(images, 3, 32, 32)` of bytes, and labels `(images,)` of int32.

    Raises:
        ValueError: If a file is missing, torn or has a label that is no class, or if
            CIFAR-10 is asked for superclasses.

    References:
        Krizhevsky, "Learning Multiple Layers of Features from Tiny Images", 2009.
    """
    layout = layout_of(name)
    if coarse and len(layout.classes) == 1:
        raise ValueError("coarse=True: CIFAR-10 has no superclasses; use 'cifar100'.")
    files = find(layout, folder)
    images, labels = read(layout, files.held_out if test else files.training)
    return LabeledImages(images, labels[:, 0 if coarse else -1].astype(np.int32))
