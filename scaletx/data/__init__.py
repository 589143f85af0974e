"""Data sets, each at many sizes."""

from scaletx import _checks
from scaletx.data.denoising import DataSet, Denoising, denoising, lambda_max, stream
from scaletx.data.isotropic import Isotropic
from scaletx.data.patches import Patches

__all__ = [
    "DATA_SETS",
    "DataSet",
    "Denoising",
    "data_set",
    "denoising",
    "lambda_max",
    "require_size",
    "stream",
]

DATA_SETS: dict[str, DataSet] = {"isotropic": Isotropic(), "patches": Patches()}


def data_set(name: str) -> DataSet:
    """Look up a data set.

    Raises:
        ValueError: If the name is unknown.
    """
    if name not in DATA_SETS:
        raise _checks.unknown("data", name, DATA_SETS)
    return DATA_SETS[name]


def require_size(name: str, N: int) -> None:
    """Refuse a size that a data set cannot give.

    Raises:
        ValueError: If the data set is unknown or has no samples of N numbers.
    """
    sizes = data_set(name).sizes
    if sizes is not None and N not in sizes:
        known = ", ".join(map(str, sizes))
        raise ValueError(f"data={name!r} cannot give N={N}: it gives N = {known}.")
