"""Files that data sets read: what identifies their content, and bundled ones."""

import hashlib
import importlib.util
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

Stamp = tuple[str, int, int]


def digest(paths: Iterable[Path]) -> str:
    """Identify the content of files, whatever they are called and wherever they lie.

    The first 16 hex digits of the SHA-256 of all content, in the order given. A
    process reads a file once, and again only if its size or time of change differs.

    Raises:
        OSError: If a file cannot be read.
    """
    return _digest(tuple(_stamp(path) for path in paths))


def _stamp(path: Path) -> Stamp:
    found = path.stat()
    return str(path.absolute()), found.st_size, found.st_mtime_ns


@lru_cache(maxsize=64)
def _digest(stamps: tuple[Stamp, ...]) -> str:
    sha = hashlib.sha256()
    for path, _, _ in stamps:
        with open(path, "rb") as file:
            while block := file.read(1 << 20):
                sha.update(block)
    return sha.hexdigest()[:16]


def bundled(data: str, what: str, *parts: str) -> Path:
    """Locate a file of scikit-learn's data sets without importing scikit-learn.

    Args:
        data: Name of the data set that needs it.
        what: What the file holds, for the message.
        *parts: Path below `sklearn/datasets`.

    Raises:
        ValueError: If scikit-learn is not installed.
    """
    spec = importlib.util.find_spec("sklearn")  # found, not imported: status is quick
    if spec is None or spec.origin is None:
        raise ValueError(
            f"data={data!r} needs {what} of scikit-learn, which is not installed: "
            "install scikit-learn, or use data='isotropic'."
        )
    return Path(spec.origin).parent.joinpath("datasets", *parts)
