"""Loss against rate, one line a size: do the optima stand one above the other?"""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from scaletx._types import RunStatus
from scaletx.analysis import Optimum, Verdict
from scaletx.analysis.cells import Curves, curves
from scaletx.analysis.optimum import RESOLVED
from scaletx.plots.canvas import BESIDE, blank, shades

NAMES = {
    "eta0": r"base learning rate $\eta_0$",
    "lr": "learning rate",
    "train_mse": "training loss (mean square error)",
    "test_mse": "test loss (mean square error)",
}
ROW = 0.035
"""Height of a row of crosses at the top edge, one a size, as a share of the axes."""
DECADE = 10
FEW_OCTAVES = 5
"""A decimal axis with fewer has labels at 2 and 5 as well."""


def transfer(v: Verdict, ax: Axes | None = None, *, title: str = "") -> Axes:
    """Draw the loss against the rate, with the optimum of each size marked.

    A line is the mean over seeds and its band their range. A diamond is an optimum,
    with its interval; it is hollow, with an arrow, where the interval is open. A
    dotted line joins the optima: upright if the rate transfers. A cross at the top
    edge is a rate at which a run diverged.

    Args:
        v: What `scaletx.analysis.verdict` returned.
        ax: Where to draw; a new figure if None.
        title: A line above the verdict.

    Returns:
        The axes.
    """
    ax = blank()[1][0] if ax is None else ax
    sizes = curves(v.table)
    colors = shades(len(sizes))
    means = [each for each in v.optima if each.seed is None]
    _axes(ax, v, sizes)
    rows = 0
    for size, color in zip(sizes, colors, strict=True):
        _curve(ax, size, color)
        if np.isinf(size.loss).any():
            _diverged(ax, size, color, rows)
            rows += 1
        for optimum in means:
            if optimum.size == size.size and optimum.log2_lr is not None:
                _optimum(ax, optimum, color)
    path = [_place(o) for o in means if o.status in RESOLVED]
    ax.plot(
        [at for at, _ in path],
        [loss for _, loss in path],
        ":",
        color="black",
        linewidth=1,
        zorder=3,
        gid="path",
    )
    lines = [title, headline(v)] if title else [headline(v)]
    ax.set_title("\n".join(lines), loc="left", fontsize="medium", y=1 + ROW * rows)
    _legend(ax, v, sizes, colors)
    return ax


def _axes(ax: Axes, v: Verdict, sizes: list[Curves]) -> None:
    octaves = np.concatenate([size.log2_lr for size in sizes])
    binary = np.allclose(octaves, np.round(octaves))
    ax.set_xscale("log", base=2 if binary else 10)
    if np.ptp(octaves) < FEW_OCTAVES and not binary:
        ax.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        ax.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))
    ax.xaxis.set_minor_formatter(NullFormatter())
    losses = np.concatenate([size.loss[np.isfinite(size.loss)] for size in sizes])
    if losses.size and 0 < losses.min() * DECADE < losses.max():
        ax.set_yscale("log")
    ax.set_xlabel(NAMES.get(v.lr, v.lr))
    ax.set_ylabel(NAMES.get(v.loss, v.loss))
    ax.spines[["top", "right"]].set_visible(False)


def headline(v: Verdict) -> str:
    """Say the verdict and the slope with its interval, in one line."""
    slope, low, high = v.drift
    if slope is None or low is None or high is None:
        return f"{v.verdict}: slope unknown"
    return f"{v.verdict}: slope {slope:+.2f} [{low:+.2f}, {high:+.2f}]".replace(
        "-", "\N{MINUS SIGN}"
    )


def _curve(ax: Axes, size: Curves, color: np.ndarray) -> None:
    lr, mean = 2.0**size.log2_lr, size.mean
    ended = np.isfinite(mean)
    ax.plot(lr[ended], mean[ended], ".-", color=color, gid=f"mean {size.size}")
    if len(size.seeds) > 1:
        seen = np.where(np.isfinite(size.loss), size.loss, np.nan)[:, ended]
        low, high = np.nanmin(seen, axis=0), np.nanmax(seen, axis=0)
        ax.fill_between(lr[ended], low, high, color=color, alpha=0.25, linewidth=0)


def _diverged(ax: Axes, size: Curves, color: np.ndarray, row: int) -> None:
    lr = 2.0 ** size.log2_lr[np.isinf(size.loss).any(axis=0)]
    ax.plot(
        lr,
        np.full(len(lr), 1 + ROW * row),
        "x",
        color=color,
        transform=ax.get_xaxis_transform(),
        clip_on=False,
        gid=f"diverged {size.size}",
    )


def _place(optimum: Optimum) -> tuple[float, float]:
    """Return the rate and the loss of an optimum that has data."""
    assert optimum.log2_lr is not None and optimum.loss is not None
    return 2.0**optimum.log2_lr, optimum.loss


def _optimum(ax: Axes, optimum: Optimum, color: np.ndarray) -> None:
    at, loss = _place(optimum)
    low = at if optimum.low is None else 2.0**optimum.low
    high = at if optimum.high is None else 2.0**optimum.high
    marker = "<" if optimum.low is None else ">" if optimum.high is None else "D"
    gid = f"interval {optimum.size}"
    ax.plot([low, high], [loss, loss], "|-", color="black", lw=1.2, zorder=4, gid=gid)
    ax.plot(
        at,
        loss,
        marker,
        color="black",
        markerfacecolor=color if optimum.status in RESOLVED else "white",
        markersize=6,
        zorder=5,
        gid=f"optimum {optimum.size}",
    )


def _legend(ax: Axes, v: Verdict, sizes: list[Curves], colors: np.ndarray) -> None:
    handles = [
        Line2D([], [], color=color, label=f"{size.size}")
        for size, color in zip(sizes, colors, strict=True)
    ]
    count = list(v.table["status"]).count(RunStatus.DIVERGED)
    if count:
        cross = Line2D([], [], color="gray", marker="x", linestyle="")
        cross.set_label(f"{count} diverged")
        handles.append(cross)
    ax.legend(
        handles=handles,
        title=v.size,
        **BESIDE,
    )
