"""Words that several packages share: choices as enums, and the activation's name."""

import re
from enum import StrEnum
from typing import NamedTuple


class Regime(StrEnum):
    """Which sizes grow together."""

    PROPORTIONAL = "proportional"
    K_ONLY = "k-only"


class Parameterization(StrEnum):
    """Whose exponents: the paper's table, or the standard parameterization."""

    TABLE = "table"
    SP = "sp"


class OptimizerName(StrEnum):
    """The optimizers that the table has rows for."""

    SGD = "sgd"
    ADAM = "adam"


class Biases(StrEnum):
    """No biases, trained from zero, or trained from N(0, 1)."""

    OFF = "off"
    ZERO = "zero"
    NORMAL = "normal"


class RunStatus(StrEnum):
    """How a lane ended."""

    OK = "ok"
    DIVERGED = "diverged"
    FAILED = "failed"


class Diagnostic(StrEnum):
    """What a run can record of its inside."""

    UPDATES = "updates"
    SPECTRUM = "spectrum"
    LOCALIZATION = "localization"


class ActivationName(NamedTuple):
    """An activation as data: `linear`, `softmax` or `relu` with its power."""

    kind: str
    power: int = 1

    def __str__(self) -> str:
        return f"relu:{self.power}" if self.kind == "relu" else self.kind


LARGEST_POWER = 49
"""The largest p of relu(p) whose norm m_p is a float32 number."""


def parse_activation(name: str) -> ActivationName:
    """Read `linear`, `softmax`, `relu` or `relu:P` with a power P from 1 to 49.

    Raises:
        ValueError: If the name is none of these.

    Example:
        >>> str(parse_activation("relu"))
        'relu:1'
    """
    text = str(name)
    if text in ("linear", "softmax"):
        return ActivationName(text)
    match = re.fullmatch(r"relu(?::(\d{1,3}))?", text)
    power = int(match[1] or 1) if match else 0
    if not 1 <= power <= LARGEST_POWER:
        raise ValueError(
            f"activation={text!r} is unknown: expected 'linear', 'softmax', or "
            f"'relu:P' with a power P from 1 to {LARGEST_POWER}, such as 'relu:2'."
        )
    return ActivationName("relu", power)


def parse_diagnostics(words: str) -> tuple[Diagnostic, ...]:
    """Read words such as `updates,spectrum`, in any order; none if empty.

    Raises:
        ValueError: If a word is unknown.

    Example:
        >>> [str(d) for d in parse_diagnostics("spectrum, updates")]
        ['updates', 'spectrum']
    """
    known = {str(d): d for d in Diagnostic}
    asked = [word.strip() for word in str(words).split(",") if word.strip()]
    for word in asked:
        if word not in known:
            raise ValueError(
                f"diagnostics={word!r} is unknown: expected some of "
                f"{', '.join(known)}, joined by commas."
            )
    return tuple(d for word, d in known.items() if word in asked)
