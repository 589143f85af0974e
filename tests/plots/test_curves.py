"""Curves of several sizes: each line is the mean over seeds of its table."""

import numpy as np
import pandas as pd
import pytest

from scaletx import plots


def panel(title, sizes=(32, 64), seeds=3):
    rows = [
        (step, size, seed, size * (1 + step / 10) * (1 + seed / 10))
        for size in sizes
        for seed in range(seeds)
        for step in (0, 10, 20)
    ]
    table = pd.DataFrame(rows, columns=["step", "size", "seed", "value"])
    return plots.CurvePanel(title, "spike", table)


def test_lines_are_means_and_bands_ranges_over_seeds():
    figure = plots.curves([panel("a"), panel("b")])
    ax = figure.axes[0]
    assert ax.get_title(loc="left") == "a" and ax.get_ylabel() == "spike"
    lines = {line.get_gid(): line for line in ax.lines}
    assert set(lines) == {"32", "64"}
    np.testing.assert_allclose(lines["64"].get_ydata(), 64 * 1.1 * np.array([1, 2, 3]))
    band = ax.collections[0].get_paths()[0].vertices
    assert band[:, 1].min() == pytest.approx(32) and band[:, 1].max() == pytest.approx(
        32 * 3 * 1.2
    )
    assert ax.get_yscale() == "log"


def test_what_is_flat_looks_flat():
    table = panel("a", sizes=(32,), seeds=1).table.assign(value=[1.0, 1.01, 1.0])
    figure = plots.curves([plots.CurvePanel("a", "bulk", table)])
    low, high = figure.axes[0].get_ylim()
    assert high / low == pytest.approx(10, rel=1e-6)


def test_every_size_of_any_panel_is_named():
    figure = plots.curves([panel("a", (32,)), panel("b", (64, 128))], size="K")
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["32", "64", "128"]
    assert legend.get_title().get_text() == "K"
    colors = {
        line.get_gid(): line.get_color().tolist()
        for ax in figure.axes
        for line in ax.lines
    }
    assert len(set(map(tuple, colors.values()))) == 3


def test_six_panels_stand_in_two_rows():
    figure = plots.curves([panel(str(i)) for i in range(6)])
    assert len(figure.axes) == 6
    labelled = [ax.get_xlabel() == "steps" for ax in figure.axes]
    assert labelled == [False, False, True, True, True, True]


def test_nothing_is_refused():
    with pytest.raises(ValueError, match="no panels"):
        plots.curves([])
