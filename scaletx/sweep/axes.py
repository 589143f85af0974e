"""Read the axes of a sweep from words: lists, geometric ranges, counts of seeds."""

import numbers
from collections.abc import Sequence
from typing import Any

import numpy as np

from scaletx import _checks

MOST = 100_000
"""Values that a range or a count of seeds may have."""


def values(name: str, text: Any) -> tuple[float, ...]:
    """Read numbers: a number, a list, `1,2,4` or a geometric range `LOW:HIGH:COUNT`.

    Values are sorted, rounded to nine significant digits, and counted once.

    Raises:
        ValueError: If there is no number, or something else in it.

    Example:
        >>> values("eta0", "0.01:1:3,0.5")
        (0.01, 0.1, 0.5, 1.0)
    """
    found = [number for part in _parts(name, text) for number in _range(name, part)]
    if not found:
        raise ValueError(
            f"{name}={text!r} is an empty grid: give numbers, such as 0.1,0.3 or "
            "0.01:1:9."
        )
    return tuple(sorted({float(f"{number:.9g}") for number in found}))


def sizes(name: str, text: Any) -> tuple[int, ...]:
    """Read whole numbers >= 1 in the order given.

    Raises:
        ValueError: If there is none, or something else in it.
    """
    numbers_ = [n for part in _parts(name, text) for n in _range(name, part)]
    if not numbers_:
        raise ValueError(f"{name}={text!r} is empty: give sizes, such as 32,64,128.")
    return tuple(_checks.integer(name, number) for number in numbers_)


def seeds(text: Any) -> tuple[int, ...]:
    """Read seeds: a count (`3` means 0, 1, 2) or a list (`5,7`; `7,` is the seed 7).

    Raises:
        ValueError: If a seed is not a whole number from 0 to 2^31 - 1.

    Example:
        >>> seeds("3"), seeds("7,")
        ((0, 1, 2), (7,))
    """
    if isinstance(text, numbers.Real) or (isinstance(text, str) and "," not in text):
        count = _checks.integer("seeds", _number("seeds", text), most=MOST)
        return tuple(range(count))
    found = [_checks.integer("seeds", n, least=0) for n in _floats("seeds", text)]
    if not found:
        raise ValueError(f"seeds={text!r} is empty: give seeds, such as 0,1,2.")
    return tuple(sorted(set(found)))


def _parts(name: str, text: Any) -> Sequence[Any]:
    if isinstance(text, str):
        return [part for part in text.split(",") if part.strip()]
    if isinstance(text, numbers.Real):
        return [text]
    if isinstance(text, Sequence | np.ndarray):
        return list(text)
    raise ValueError(f"{name}={text!r}: expected numbers, such as 0.1,0.3.")


def _floats(name: str, text: Any) -> list[float]:
    return [_number(name, part) for part in _parts(name, text)]


def _number(name: str, part: Any) -> float:
    try:
        return _checks.number(name, float(part))
    except (TypeError, ValueError):
        raise ValueError(f"{name}: {part!r} is not a finite number.") from None


def _range(name: str, part: Any) -> list[float]:
    if not isinstance(part, str) or ":" not in part:
        return [_number(name, part)]
    try:
        low, high, count = part.split(":")
    except ValueError:
        raise ValueError(
            f"{name}: {part!r} is no range: expected LOW:HIGH:COUNT, such as 0.01:1:9."
        ) from None
    low, high = _number(name, low), _number(name, high)
    count = _checks.integer(
        f"{name} (COUNT of {part!r})", _number(name, count), most=MOST
    )
    if not 0 < low <= high or (count == 1 and low < high):
        raise ValueError(
            f"{name}: {part!r} is no geometric range: expected 0 < LOW <= HIGH, and "
            "COUNT >= 2 where they differ."
        )
    return list(np.geomspace(low, high, count))
