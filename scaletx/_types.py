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


class ActivationName(NamedTuple):
    """An activation as data: `linear`, `softmax` or `relu` with its power."""

    kind: str
    power: int = 1

    def __str__(self) -> str:
        return f"relu:{self.power}" if self.kind == "relu" else self.kind


def parse_activation(name: str) -> ActivationName:
    """Read `linear`, `softmax`, `relu` or `relu:P` with an integer power P >= 1.

    Raises:
        ValueError: If the name is none of these.

    Example:
        >>> str(parse_activation("relu"))
        'relu:1'
    """
    text = str(name)
    if text in ("linear", "softmax"):
        return ActivationName(text)
    match = re.fullmatch(r"relu(?::([1-9]\d{0,3}))?", text)
    if match is None:
        raise ValueError(
            f"activation={text!r} is unknown: expected 'linear', 'softmax', or "
            "'relu:P' with an integer power P >= 1, such as 'relu:2'."
        )
    return ActivationName("relu", int(match[1] or 1))
