"""Data sets by name: a kind, and what its name says after a colon."""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from scaletx import _checks
from scaletx.data import cifar, power_law
from scaletx.data.denoising import DataSet
from scaletx.data.digits import Digits
from scaletx.data.isotropic import Isotropic
from scaletx.data.patches import Patches


class Kind(NamedTuple):
    """How a kind is written, and how to build a set from what follows the colon."""

    form: str
    build: Callable[[str], DataSet]


def _plain(build: Callable[[], DataSet]) -> Callable[[str], DataSet]:
    def from_argument(argument: str) -> DataSet:
        if argument:
            raise ValueError(f"it takes no argument {argument!r}")
        return build()

    return from_argument


def _cifar(name: str) -> Kind:
    return Kind(
        f"{name}:FOLDER for gray images, {name}:FOLDER:color for color "
        f"({name}:FOLDER:gray if the folder itself has a colon)",
        partial(cifar.from_argument, name),
    )


DATA_SETS: dict[str, Kind] = {
    "isotropic": Kind("isotropic", _plain(Isotropic)),
    "power-law": Kind(
        "power-law:ALPHA or power-law:ALPHA:projection, such as power-law:1.5",
        power_law.from_argument,
    ),
    "patches": Kind("patches", _plain(Patches)),
    "digits": Kind("digits", _plain(Digits)),
    "cifar10": _cifar("cifar10"),
    "cifar100": _cifar("cifar100"),
}


def data_set(name: str) -> DataSet:
    """Look up a data set: `isotropic`, `power-law:1.5`, `cifar10:FOLDER:color`.

    Reads no file. A set without files is found again by its label.

    Raises:
        ValueError: If the kind is unknown, or its argument wrong.

    Example:
        >>> data_set("power-law:1.50").label
        'power-law:1.5:fresh'
        >>> data_set("cifar10:/data/cifar").label
        'cifar10:gray'
    """
    kind, _, argument = str(name).partition(":")
    if kind not in DATA_SETS:
        raise _checks.unknown("data", kind, DATA_SETS)
    form, build = DATA_SETS[kind]
    try:
        return build(argument)
    except ValueError as error:
        raise ValueError(f"data={name!r}: {error}. Write {form}.") from None


def require_size(name: str, N: int, P: int | None = None) -> None:
    """Refuse sizes that a data set cannot give.

    Args:
        name: The data set.
        N: Numbers a sample.
        P: Samples in the training set, and in the test set; not checked if None.

    Raises:
        ValueError: If the data set is unknown, has no samples of N numbers or fewer
            than P of them, or lacks its files.
    """
    data = data_set(name)
    sizes = data.sizes
    if sizes is not None and N not in sizes:
        known = ", ".join(map(str, sizes))
        if isinstance(sizes, range):
            known = f"{sizes[0]} to {sizes[-1]}"
        raise ValueError(f"data={name!r} cannot give N={N}: it gives N = {known}.")
    holds = None if P is None else data.holds
    if holds is not None and P is not None and P > min(holds):
        raise ValueError(
            f"data={name!r} cannot give P={P}: it has {holds[0]:,} training and "
            f"{holds[1]:,} held-out samples, and a run takes P of each."
        )
