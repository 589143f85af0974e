"""Downloading CIFAR-10 and CIFAR-100."""

import os
import shutil
import tarfile
from pathlib import Path

from scaletx.data.cifar_layout import SOURCE, Layout, find, layout_of


def fetch(name: str, folder: str | Path) -> Path:
    """Download a data set and unpack it, unless it is there already.

    The archive is checked against its official checksum. It stays in the folder, beside
    the folder of its files.

    Args:
        name: `cifar10` or `cifar100`.
        folder: Where to, such as the FOLDER of `cifar10:FOLDER`.

    Returns:
        The folder that the files lie in.

    Raises:
        ValueError: If there is no such data set, or pooch is not installed.
        ConnectionError: If the archive cannot be downloaded whole. The message says
            what to put where instead.
    """
    layout = layout_of(name)
    target = Path(os.path.expanduser(folder))
    try:
        return find(layout, target).root
    except ValueError:  # missing or torn: fetch it
        pass
    by_hand = (
        f"put {layout.archive} (the binary version, from {SOURCE}) into `{target}` and "
        "call this again, or unpack it there"
    )
    archive = target / layout.archive
    try:
        import pooch

        archive = pooch.retrieve(
            url=SOURCE.rpartition("/")[0] + "/" + layout.archive,
            known_hash=f"md5:{layout.md5}",
            fname=layout.archive,
            path=target,
        )
    except ImportError:
        raise ValueError(
            f"downloading {layout.title} needs pooch, which is not installed: install "
            f"it, or {by_hand.replace(' and call this again, or', ' and')}."
        ) from None
    except (OSError, ValueError) as error:  # no network, a full disk; a wrong checksum
        why = getattr(error, "strerror", None) or type(error).__name__
        raise ConnectionError(
            f"cannot download {layout.title} ({why}): {by_hand}."
        ) from error
    inner = target if target.name == layout.folder else target / layout.folder
    _unpack(layout, Path(archive), inner)
    return find(layout, target).root


def _unpack(layout: Layout, archive: Path, target: Path) -> None:
    """Write the files that we read, each whole or not at all."""
    target.mkdir(parents=True, exist_ok=True)
    with tarfile.open(archive) as tar:
        for name in layout.training + layout.held_out:
            member = tar.extractfile(f"{layout.folder}/{name}")
            assert member is not None, name
            part = target / f"{name}.part"
            with part.open("wb") as file:
                shutil.copyfileobj(member, file)
            part.replace(target / name)
