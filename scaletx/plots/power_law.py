"""A power law with offset: the runs, the fit with its interval, the floor."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from scaletx.analysis import PowerLawFit
from scaletx.plots.canvas import blank
from scaletx.plots.transfer import NAMES

POINTS = 120
BEYOND = 2.0
"""The line goes on beyond the last point by this factor."""
FIT, FLOOR, HELD = "#21567f", "0.35", "#d1495b"
FEW_DECADES = 20.0
"""An axis that spans less than this factor has labels at 2 and 5 as well."""


def power_law(found: PowerLawFit, ax: Axes | None = None, *, title: str = "") -> Axes:
    """Draw the runs, the fitted law with its 95 % interval, and its floor E.

    Small dots are runs; a large dot with a bar is the geometric mean at an x with the
    range of its runs. The shaded region is forecast: beyond the data that were fitted.
    Held-out points in it are hollow.

    Args:
        found: What `scaletx.analysis.fit_power_law` returned.
        ax: Where to draw; a new figure if None.
        title: A line above the numbers.

    Returns:
        The axes.
    """
    ax = blank()[1][0] if ax is None else ax
    last, end = float(found.x.max()), _end(found)
    ax.axvspan(last, end, color="0.94", zorder=0, gid="forecast region")
    ax.text(
        last,
        1.0,
        " forecast",
        color=FLOOR,
        fontsize="small",
        va="top",
        transform=ax.get_xaxis_transform(),
    )
    ax.plot(found.x, found.y, ".", color=FIT, alpha=0.4, markersize=4, gid="runs")
    sizes = np.unique(found.x)
    logs = [np.log(found.y[found.x == x]) for x in sizes]
    middle = np.exp([each.mean() for each in logs])
    low, high = (np.exp([f(each) for each in logs]) for f in (np.min, np.max))
    ax.vlines(sizes, low, high, color=FIT, linewidth=1.5, gid="ranges")
    ax.plot(sizes, middle, "o", color=FIT, markersize=6, label="runs", gid="means")
    if None not in found.params.values():
        _law(ax, found, end)
    if found.held_out:
        ax.plot(
            [each.forecast.x for each in found.held_out],
            [each.measured for each in found.held_out],
            "o",
            color=HELD,
            markerfacecolor="white",
            markersize=7,
            zorder=5,
            label="held out",
            gid="held out",
        )
    _axes(ax, found, end)
    lines = [title, headline(found)] if title else [headline(found)]
    ax.set_title("\n".join(lines), loc="left", fontsize="medium")
    ax.legend(frameon=False, loc="upper right", bbox_to_anchor=(1.0, 0.95))
    return ax


def headline(found: PowerLawFit) -> str:
    """Say the status and the exponent with its interval, and the worst forecast."""
    exponent = found.params["a"]
    if exponent is None:
        return f"{found.status}: no law"
    low, high = found.intervals["a"]
    spread = "" if low is None or high is None else f" [{low:.3g}, {high:.3g}]"
    said = f"{found.status}: exponent {exponent:.3g}{spread}".replace("_", " ")
    errors = [each.error for each in found.held_out if each.error is not None]
    if errors:
        worst = max(errors, key=abs)
        sign = "+" if worst > 0 else "\N{MINUS SIGN}"
        said += f"\nworst held-out forecast off by {sign}{abs(worst):.1%}"
    return said


def _end(found: PowerLawFit) -> float:
    tested = [each.forecast.x for each in found.held_out]
    return BEYOND * max(float(found.x.max()), *tested, 0.0)


def _law(ax: Axes, found: PowerLawFit, end: float) -> None:
    line = [found.forecast(x) for x in np.geomspace(found.x.min(), end, POINTS)]
    x, y = [f.x for f in line], [f.y for f in line if f.y is not None]
    ax.plot(x, y, color=FIT, linewidth=1.5, label=r"$E + A\,x^{-a}$", gid="law")
    band = [(f.low, f.high) for f in line if f.low is not None and f.high is not None]
    if len(band) == len(line):
        low, high = np.transpose(band)
        ax.fill_between(x, low, high, color=FIT, alpha=0.2, linewidth=0)
    floor = found.params["E"]
    if floor:
        ax.axhline(
            floor, color=FLOOR, ls="--", lw=1, label=f"E = {floor:.3g}", gid="floor"
        )


def _axes(ax: Axes, found: PowerLawFit, end: float) -> None:
    ax.set_xscale("log")
    ax.set_yscale("log")
    low, high = ax.get_ylim()
    for axis, span in ((ax.xaxis, end / found.x.min()), (ax.yaxis, high / low)):
        subs = (1, 2, 5) if span < FEW_DECADES**2 else (1,)
        axis.set_major_locator(LogLocator(subs=subs))
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axis.set_minor_formatter(NullFormatter())
    ax.set_xlim(found.x.min() / 1.2, end)
    ax.set_xlabel(found.x_name)
    ax.set_ylabel(NAMES.get(found.y_name, found.y_name))
    ax.spines[["top", "right"]].set_visible(False)
