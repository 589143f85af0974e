"""Curves of several sizes over training, a panel a quantity."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from scaletx.plots.canvas import shades

ACROSS = 4
LEAST_DECADES = 1.0
"""A panel shows at least so much of its axis: what is flat must look flat."""


class CurvePanel(NamedTuple):
    """What one panel shows.

    Attributes:
        title: Above it.
        label: Of its vertical axis.
        table: Columns step, size, seed, value.
    """

    title: str
    label: str
    table: pd.DataFrame


def curves(panels: Sequence[CurvePanel], *, size: str = "N") -> Figure:
    """Draw curves of all sizes, the mean over seeds and their range, a panel each.

    Args:
        panels: What to draw, row by row.
        size: What the sizes are.

    Returns:
        The figure.

    Raises:
        ValueError: If there is no panel.
    """
    if not panels:
        raise ValueError("curves() got no panels: it needs one or more to draw.")
    across = min(ACROSS, len(panels))
    rows = math.ceil(len(panels) / across)
    figure = Figure(
        figsize=(2.8 * across + 0.8, 2.5 * rows), dpi=160, layout="constrained"
    )
    FigureCanvasAgg(figure)
    axes = figure.subplots(rows, across, squeeze=False, sharex=True).ravel()
    sizes = sorted({at for panel in panels for at in panel.table["size"]})
    colors = dict(zip(sizes, shades(len(sizes)), strict=True))
    for ax, panel in zip(axes, panels, strict=False):
        for at, one in panel.table.groupby("size"):
            wide = one.pivot(index="step", columns="seed", values="value")
            x, mean = wide.index.to_numpy(float), wide.mean(axis=1).to_numpy()
            ax.plot(x, mean, color=colors[at], lw=1.4, label=f"{at}", gid=f"{at}")
            low, high = wide.min(axis=1).to_numpy(), wide.max(axis=1).to_numpy()
            ax.fill_between(x, low, high, color=colors[at], alpha=0.2, linewidth=0)
        ax.set_title(panel.title, loc="left", fontsize="small")
        ax.set_ylabel(panel.label, fontsize="small")
        _scale(ax)
    for ax in axes[len(panels) :]:
        ax.remove()
    for ax in axes[max(0, len(panels) - across) : len(panels)]:
        ax.set_xlabel("steps", fontsize="small")
        ax.tick_params(labelbottom=True)
    lines = {line.get_label(): line for ax in axes[: len(panels)] for line in ax.lines}
    names = [f"{at}" for at in sizes]
    figure.legend(
        [lines[name] for name in names],
        names,
        title=size,
        loc="outside right upper",
        frameon=False,
    )
    return figure


def _scale(ax: Axes) -> None:
    ax.set_yscale("log")
    low, high = ax.get_ylim()
    short = LEAST_DECADES - math.log10(high / low)
    if short > 0:
        ax.set_ylim(low * 10 ** (-short / 2), high * 10 ** (short / 2))
    ax.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5), numticks=8))
    ax.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{y:g}"))
    ax.yaxis.set_minor_formatter(NullFormatter())
    ax.tick_params(labelsize="small")
    ax.spines[["top", "right"]].set_visible(False)
