"""What retrieval accepts: matching arrays, values its energy is made for, settings.

Values are looked at where there are any: not under jit. They are looked at by numpy,
since jax would trace even what is known.
"""

from enum import StrEnum
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jaxtyping import Array

from scaletx import _checks

GAIN = 4.0
"""Default sharpness of tanh: it holds a recalled sign at tanh 4 = .999."""


class Visible(StrEnum):
    """What holds patterns: real numbers, numbers from -1 to 1, or signs."""

    IDENTITY = "identity"
    TANH = "tanh"
    SIGN = "sign"


def arrays(memories: Any, query: Any) -> tuple[Array, Array]:
    """Read memories `(K, N)` and a query `(..., N)`, as floats of one type."""
    memories, query = jnp.asarray(memories), jnp.asarray(query)
    matched = memories.ndim == 2 and query.shape[-1:] == memories.shape[1:]
    if not matched or not memories.size:
        raise ValueError(
            f"retrieve() got memories of shape {memories.shape} and a query of shape "
            f"{query.shape}: expected (K, N) and (..., N) with the same N units, and "
            "a memory or more."
        )
    kind = jnp.result_type(memories, query, jnp.float32)
    return memories.astype(kind), query.astype(kind)


def require_bounded(kind: str, name: str, visible: Visible) -> None:
    """Refuse an energy without a lower bound."""
    if visible is Visible.IDENTITY and kind != "softmax":
        raise ValueError(
            f"visible='identity' with activation={str(name)!r}: their energy has no "
            "lower bound, so patterns grow for ever. Use visible='tanh' or 'sign', or "
            "activation='softmax'."
        )


def require_values(visible: Visible, memories: Array, query: Array) -> None:
    """Refuse values that are no pattern, or none of these visible units."""
    for name, array in {"memories": memories, "query": query}.items():
        if isinstance(array, Tracer):
            continue
        values = np.asarray(array)
        if visible is Visible.SIGN and np.any(np.abs(values) != 1):
            raise ValueError(
                f"visible='sign' with {name} other than -1 and 1: it holds patterns of "
                "signs. Take jnp.sign of them, or visible='tanh' for values between, "
                "or activation='softmax' for real numbers."
            )
        if not np.isfinite(values).all():
            raise ValueError(
                f"{name} with values that are not finite: expected numbers. Drop the "
                "patterns that hold them, or fill them in."
            )
        beyond = visible is Visible.TANH and name == "query"
        if beyond and np.any(np.abs(values) > 1):
            raise ValueError(
                "visible='tanh' with a query beyond -1 and 1, where no tanh lies. "
                "Scale or clip it, or use activation='softmax' with the identity."
            )


def sharpness(memories: Array, kind: str, name: str, beta: Any) -> Any:
    """s1: beta for softmax, by default N over the mean squared length; else 1/N."""
    N = memories.shape[1]
    if kind != "softmax":
        if beta is None:
            return 1 / N
        raise ValueError(
            f"beta={beta} with activation={str(name)!r}: it sharpens softmax. Leave it "
            "out; visible='tanh' has a gain."
        )
    if beta is not None:
        return _positive("beta", beta)
    if not isinstance(memories, Tracer) and not np.any(np.asarray(memories)):
        raise ValueError(
            "memories are all zero: the default of beta, N over their mean squared "
            "length, needs one that is not. Give beta, or other memories."
        )
    return N / jnp.mean(jnp.sum(memories**2, axis=-1))


def gain(visible: Visible, value: Any) -> Any:
    """s2: the gain of tanh; 1 for the others, which have none."""
    if visible is Visible.TANH:
        return _positive("gain", GAIN if value is None else value)
    if value is None:
        return 1.0
    raise ValueError(
        f"gain={value} with visible={str(visible)!r}: it sharpens tanh. Leave it out, "
        "or use visible='tanh'."
    )


def _positive(name: str, value: Any) -> Any:
    """Read a setting above 0, which may be traced or an array without axes."""
    if isinstance(value, Tracer):
        return value
    plain = value.item() if getattr(value, "ndim", None) == 0 else value
    return _checks.number(name, plain, above=0)
