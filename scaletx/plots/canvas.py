"""Figures that no display and no global list of figures knows of."""

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

FORMATS = (".png", ".svg", ".pdf")
BESIDE: Any = {
    "loc": "upper left",
    "bbox_to_anchor": (1.0, 1.0),
    "borderaxespad": 0,
    "frameon": False,
    "handlelength": 1.2,
    "alignment": "left",
}
"""A legend to the right of its axes."""
ACROSS = 2
PANEL = (4.5, 3.6)
"""Width and height of a panel, in inches; two of them fill a page of 900 pixels."""


LIGHTEST = 0.85
"""Where the colour map ends, so that the last line is seen on white."""


def shades(count: int) -> np.ndarray:
    """Return colors from dark to light, one a size."""
    return colormaps["viridis"](np.linspace(0, LIGHTEST, count))


def blank(panels: int = 1) -> tuple[Figure, list[Axes]]:
    """Return a figure with panels, at most two side by side."""
    columns, rows = min(panels, ACROSS), -(-panels // ACROSS)
    size = (PANEL[0] * columns, PANEL[1] * rows)
    made = Figure(figsize=size, dpi=160, layout="constrained")
    FigureCanvasAgg(made)
    axes = list(made.subplots(rows, columns, squeeze=False).ravel())
    for extra in axes[panels:]:
        extra.remove()
    return made, axes[:panels]


def save(fig: Figure, path: str | Path) -> Path:
    """Write a figure as `.png`, `.svg` or `.pdf`.

    Returns:
        The path.

    Raises:
        ValueError: If the path ends in something else.
    """
    target = require_format(path)
    fig.savefig(target)
    return target


def require_format(path: str | Path) -> Path:
    """Refuse a file that `save` could not write.

    Raises:
        ValueError: If the path ends in something else than `.png`, `.svg` or `.pdf`.
    """
    target = Path(path)
    if target.suffix not in FORMATS:
        raise ValueError(
            f"{target} ends in {target.suffix!r}: expected {', '.join(FORMATS)}."
        )
    return target
