"""Command-line options that advice names: grids, sizes."""

import math
from collections.abc import Iterable, Sequence

import numpy as np
from jaxtyping import Float

from scaletx.analysis.tables import GRID_AXES, SIZE_AXES

OCTAVES_BEYOND = 2
"""How far beyond an optimum on its edge a grid is to reach."""


def listed(values: Iterable[object], comma: str = ", ") -> str:
    """Write values one after the other, numbers with four digits.

    Example:
        >>> listed([64, 0.123456, "a"])
        '64, 0.1235, a'
    """
    return comma.join(f"{v:.4g}" if isinstance(v, float) else str(v) for v in values)


def option(column: str) -> str:
    """Name a column as the sweep's option, or as itself if it is none.

    Example:
        >>> option("N"), option("width")
        ('--n', 'width =')
    """
    ours = column in (*SIZE_AXES, *GRID_AXES)
    return f"--{column.lower()}" if ours else f"{column} ="


def grid(
    lr: str,
    log2_lr: Float[np.ndarray, " rates"],
    *,
    below: bool = False,
    above: bool = False,
    finer: int = 1,
) -> str:
    """Write a log-spaced grid that extends or refines another and keeps its rates.

    Digits suffice for the old rates to come out the same, so that their runs count.

    Example:
        >>> grid("eta0", np.array([-3.0, -2.0, -1.0, 0.0]), above=True)
        '--eta0 0.125:4:6'
    """
    step = float(np.median(np.diff(log2_lr))) if len(log2_lr) > 1 else 1.0
    steps = round((log2_lr[-1] - log2_lr[0]) / step)
    more = math.ceil(OCTAVES_BEYOND / step - 1e-9)
    low = 2.0 ** (log2_lr[0] - more * step * below)
    high = 2.0 ** (log2_lr[-1] + more * step * above)
    count = (steps + more * (below + above)) * finer + 1
    return f"{option(lr)} {low:.12g}:{high:.12g}:{count}"


def larger(size: str, sizes: Sequence[float], least: int) -> str:
    """Write sizes that go on as these do, one more and at least so many.

    Example:
        >>> larger("N", [64, 128], 3)
        '--n 64,128,256'
    """
    ratio = sizes[-1] / sizes[-2] if len(sizes) > 1 else 2
    longer = list(sizes)
    while len(longer) < max(least, len(sizes) + 1):
        longer.append(round(longer[-1] * ratio) if ratio > 1 else longer[-1] * 2)
    return f"{option(size)} {listed(longer, ',')}"
