"""Training curves of all sizes at one rate: do they lie on each other?"""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from scaletx.analysis import Collapse
from scaletx.analysis.epochs import BATCH_LOSS, CurveStatus, SizeCurve
from scaletx.plots.canvas import BESIDE, PANEL, blank, shades
from scaletx.plots.transfer import NAMES

LEAST_VIEW = 2.0
"""The deviations' axis reaches at least to so many margins."""


def collapse(
    c: Collapse, axes: Sequence[Axes] | None = None, *, title: str = ""
) -> Figure:
    """Draw the curves of all sizes, and beside them how far each lies from the largest.

    A line is the logarithm of the mean over seeds and its band their range. On the
    right the distance from the largest size's curve; the shaded stripe is the margin
    for the median over time. A size that diverged is named in the legend.

    Args:
        c: What `scaletx.analysis.collapse` returned.
        axes: Where to draw the two panels; a new figure if None.
        title: A line above the answer.

    Returns:
        The figure.
    """
    left, right = blank(2)[1] if axes is None else axes
    colors = shades(len(c.curves))
    pairs = list(zip(c.curves, colors, strict=True))
    for curve, color in pairs:
        if curve.status is CurveStatus.OK:
            _curve(left, c.epochs, curve, color)
    _deviations(right, c, colors)
    _scales(left, right, c)
    lines = [title, headline(c)] if title else [headline(c)]
    left.set_title("\n".join(lines), loc="left", fontsize="medium")
    right.set_title(_numbers(c), loc="left", fontsize="medium")
    right.legend(
        handles=[
            Line2D([], [], color=color, label=_label(curve, c))
            for curve, color in pairs
        ],
        title=c.size,
        **BESIDE,
    )
    made = left.get_figure()
    assert isinstance(made, Figure)
    return made


def headline(c: Collapse) -> str:
    """Say the answer and the rate of all curves."""
    rate = "no rate" if c.rate is None else f"{NAMES.get(c.lr, c.lr)} = {c.rate:.3g}"
    return f"{c.verdict} at {rate}"


def _numbers(c: Collapse) -> str:
    """Say D of each size."""
    told = [f"{each.D:.3f}" for each in c.deviations if each.D is not None]
    return (
        f"median distance D = {', '.join(told)} (margin {c.margin:g})"
        if told
        else "D unknown"
    )


def _label(curve: SizeCurve, c: Collapse) -> str:
    if curve.status is not CurveStatus.OK:
        return f"{curve.size} {curve.status}"
    return f"{curve.size}" + (" (reference)" if curve.size == c.reference else "")


def _curve(ax: Axes, epochs: np.ndarray, curve: SizeCurve, color: np.ndarray) -> None:
    mean = np.exp(curve.log_mean)
    ax.plot(epochs, mean, color=color, linewidth=1.5, gid=f"mean {curve.size}")
    if len(curve.seeds) > 1:
        low, high = curve.value.min(axis=0), curve.value.max(axis=0)
        ax.fill_between(epochs, low, high, color=color, alpha=0.25, linewidth=0)


def _deviations(ax: Axes, c: Collapse, colors: np.ndarray) -> None:
    ax.axhspan(-c.margin, c.margin, color="0.9", zorder=0, gid="margin")
    reference = next((k for k in c.curves if k.size == c.reference), None)
    low, high = -LEAST_VIEW * c.margin, LEAST_VIEW * c.margin
    for curve, color in zip(c.curves, colors, strict=True):
        if reference is None or curve.status is not CurveStatus.OK:
            continue
        apart = curve.log_mean - reference.log_mean
        low, high = min(low, 1.1 * apart.min()), max(high, 1.1 * apart.max())
        ax.plot(c.epochs, apart, color=color, lw=1.5, gid=f"distance {curve.size}")
    ax.set_ylim(float(low), float(high))


def _scales(left: Axes, right: Axes, c: Collapse) -> None:
    for ax in (left, right):
        ax.set_xscale("log")
        if len(c.epochs):
            ax.set_xlim(c.epochs[0], max(c.epochs[-1], c.epochs[0] * 1.01))
        ax.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        ax.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))
        ax.xaxis.set_minor_formatter(NullFormatter())
        ax.set_xlabel("epochs")
        ax.spines[["top", "right"]].set_visible(False)
    left.set_yscale("log")
    left.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    left.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{y:g}"))
    left.yaxis.set_minor_formatter(NullFormatter())
    name, how = c.curve, ""
    if c.curve == BATCH_LOSS:
        name, how = "loss", " (batch loss, mean over an epoch)"
    left.set_ylabel(f"{name}{how}")
    right.set_ylabel(f"log {name} minus that of {c.size} = {c.reference}")


def collapses(found: Sequence[Collapse], titles: Sequence[str] = ()) -> Figure:
    """Draw several collapses, a row of two panels each.

    Args:
        found: What `scaletx.analysis.collapse` returned.
        titles: A name for each row, if any.

    Returns:
        The figure.

    Raises:
        ValueError: If there is none, or not one title for each.
    """
    if not found or (titles and len(titles) != len(found)):
        raise ValueError(
            f"collapses() got {len(found)} collapses and {len(titles)} titles: "
            "expected one or more, and a title for each or none."
        )
    made = Figure(
        figsize=(2 * PANEL[0], PANEL[1] * len(found)), dpi=200, layout="constrained"
    )
    FigureCanvasAgg(made)
    rows = made.subplots(len(found), 2, squeeze=False)
    names = titles or [""] * len(found)
    for each, axes, name in zip(found, rows, names, strict=True):
        collapse(each, list(axes), title=name)
    return made
