"""Figures that no display and no global list of figures knows of."""

from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

FORMATS = (".png", ".svg", ".pdf")
PANEL = (4.5, 3.6)
"""Width and height of a panel, in inches; two of them fill a page of 900 pixels."""


def blank(panels: int = 1) -> tuple[Figure, list[Axes]]:
    """Return a figure with panels side by side."""
    made = Figure(figsize=(PANEL[0] * panels, PANEL[1]), dpi=200, layout="constrained")
    FigureCanvasAgg(made)
    return made, list(made.subplots(1, panels, squeeze=False)[0])


def save(fig: Figure, path: str | Path) -> Path:
    """Write a figure as `.png`, `.svg` or `.pdf`.

    Returns:
        The path.

    Raises:
        ValueError: If the path ends in something else.
    """
    target = Path(path)
    if target.suffix not in FORMATS:
        raise ValueError(
            f"{target} ends in {target.suffix!r}: expected {', '.join(FORMATS)}."
        )
    fig.savefig(target)
    return target
