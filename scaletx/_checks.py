"""Argument checks whose messages say what was wrong, what was expected, what to do."""

import difflib
import math
import numbers
from collections.abc import Iterable
from enum import StrEnum
from typing import Any, TypeVar

import numpy as np

E = TypeVar("E", bound=StrEnum)


def unknown(name: str, value: object, known: Iterable[str]) -> ValueError:
    """Build the error for a word that is not known, naming the nearest one that is."""
    words, value = list(known), str(value)[:60]
    near = difflib.get_close_matches(str(value), words, n=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    return ValueError(
        f"{name}={value!r} is unknown: expected one of {', '.join(words)}.{hint}"
    )


def word(name: str, value: object, enum: type[E]) -> E:
    """Read a choice of an enum."""
    try:
        return enum(value)  # type: ignore[arg-type]
    except (ValueError, TypeError):
        raise unknown(name, value, [member.value for member in enum]) from None


LARGEST = 2**31 - 1


def integer(name: str, value: Any, *, least: int = 1, most: int = LARGEST) -> int:
    """Read a whole number from `least` to `most`; 4.0 counts as 4."""
    if not _finite(value) or value != int(value) or value < least:
        raise ValueError(f"{name}={value!r}: expected a whole number >= {least}.")
    if value > most:
        raise ValueError(f"{name}={value:.6g}: expected a whole number <= {most}.")
    return int(value)


def number(
    name: str, value: Any, *, above: float | None = None, least: float | None = None
) -> float:
    """Read a finite number, above or not below a bound."""
    bound = f" > {above:g}" if above is not None else ""
    bound = f" >= {least:g}" if least is not None else bound
    if (
        not _finite(value)
        or (above is not None and value <= above)
        or (least is not None and value < least)
    ):
        raise ValueError(f"{name}={value!r}: expected a finite number{bound}.")
    return float(value)


def _finite(value: Any) -> bool:
    real = isinstance(value, numbers.Real) and not isinstance(value, bool)
    try:
        return real and math.isfinite(value)
    except OverflowError:  # a whole number too large for a float
        return False


def boolean(name: str, value: Any) -> bool:
    """Read True or False, also as numpy writes them, and nothing that looks alike."""
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"{name}={value!r}: expected true or false.")
    return bool(value)


def optional(name: str, value: Any, *, above: float) -> float | None:
    """Read a finite number above a bound, or None."""
    return None if value is None else number(name, value, above=above)
