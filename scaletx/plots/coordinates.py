"""How quantities grow with size: one panel a quantity, one line a step."""

import math
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from scaletx.analysis import CoordinateCheck
from scaletx.plots.canvas import shades

ACROSS = 3


def coordinates(check: CoordinateCheck, *, size: str = "size") -> Figure:
    """Draw a coordinate check: root mean square against size on log axes.

    A line joins the means over seeds of one step, each seed a dot. The dotted line has
    the declared exponent and passes through the last step's largest size; the title
    gives the measured one there, and the answer.

    Args:
        check: What `scaletx.sweep.coordinate_check` returned.
        size: What the sizes are.

    Returns:
        A figure with a panel for each quantity.
    """
    last = {each.quantity: each for each in check.exponents}
    rows = math.ceil(len(last) / ACROSS)
    figure = Figure(figsize=(3.3 * ACROSS, 2.7 * rows), dpi=160, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(rows, ACROSS, squeeze=False).ravel()
    steps = sorted(check.table["step"].unique())
    colors = shades(len(steps))
    for ax, (quantity, exponent) in zip(axes, last.items(), strict=False):
        table = check.table.query("quantity == @quantity and rms > 0")
        for step, color in zip(steps, colors, strict=True):
            part = table.query("step == @step")
            ax.plot(part["size"], part["rms"], ".", color=color, markersize=3)
            means = sorted(
                (at, rows["rms"].mean()) for at, rows in part.groupby("size")
            )
            x, y = np.array(means, float).reshape(-1, 2).T
            ax.plot(x, y, color=color, label=f"{step}", gid=f"step {step}")
            if step == exponent.step and len(x):
                declared = y[-1] * (x / x[-1]) ** exponent.expected
                ax.plot(x, declared, ":", color="black", gid="declared")
        ax.set_xscale("log", base=2)
        ax.set_yscale("log")
        _widen(ax)
        measured = "none" if exponent.slope is None else f"{exponent.slope:+.2f}"
        ax.set_title(
            f"{quantity}: {measured}, declared {exponent.expected:+g}\n"
            f"{exponent.answer}",
            fontsize="medium",
            loc="left",
        )
        ax.set_xlabel(size)
        ax.spines[["top", "right"]].set_visible(False)
        if ax.get_subplotspec().is_first_col():
            ax.set_ylabel("root mean square")
    for ax in axes[len(last) :]:
        ax.remove()
    handles, labels = axes[0].get_legend_handles_labels()
    outside: Any = "outside right"
    figure.legend(handles, labels, title="steps", loc=outside, frameon=False)
    return figure


def _widen(ax: Axes) -> None:
    """Show at least a decade, so that what is flat looks flat."""
    low, high = ax.get_ylim()
    half = max(1.0, math.log10(high / low)) / 2
    middle = math.sqrt(low * high)
    ax.set_ylim(middle / 10**half, middle * 10**half)
