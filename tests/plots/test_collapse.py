import numpy as np
import pytest
from analysis.planted_curves import tables

from scaletx import analysis, plots


def drawn(ax, gid):
    (line,) = [line for line in ax.lines if line.get_gid() == gid]
    return line


def test_lines_are_seed_means_and_distances():
    c = analysis.collapse(*tables())
    left, right = plots.collapse(c).axes
    for curve in c.curves:
        x, y = drawn(left, f"mean {curve.size}").get_data()
        np.testing.assert_allclose(x, c.epochs)
        np.testing.assert_allclose(y, curve.value.mean(axis=0))
        apart = drawn(right, f"distance {curve.size}").get_ydata()
        np.testing.assert_allclose(apart, curve.log_mean - c.curves[-1].log_mean)
    assert len(left.collections) == len(c.curves)
    (stripe,) = [patch for patch in right.patches if patch.get_gid() == "margin"]
    assert [stripe.get_y(), stripe.get_height()] == pytest.approx([-0.05, 0.1])
    assert (left.get_xscale(), left.get_yscale()) == ("log", "log")


def test_titles_say_the_word_and_the_distances():
    c = analysis.collapse(*tables(noise=1e-6))
    left, right = plots.collapse(c, title="ours").axes
    name, said = left.get_title(loc="left").splitlines()
    assert name == "ours" and said.startswith("collapses at base learning rate")
    assert "D = 0.060, 0.030, 0.010 (margin 0.05)" in right.get_title(loc="left")
    words = [text.get_text() for text in right.get_legend().get_texts()]
    assert words == ["32", "64", "128", "256 (reference)"]


def test_the_axes_name_the_curve():
    lanes, curves = tables()
    left, right = plots.collapse(analysis.collapse(lanes, curves)).axes
    assert left.get_ylabel() == "loss (batch loss, mean over an epoch)"
    curves = curves.rename(columns={"batch_loss": "spike"})
    figure = plots.collapses([analysis.collapse(lanes, curves, curve="spike")])
    labels = [ax.get_ylabel() for ax in figure.axes]
    assert labels == ["spike", "log spike minus that of N = 256"]


def test_sizes_without_a_curve_are_named():
    lanes, curves = tables()
    lanes.loc[lanes["N"] == 128, "status"] = "diverged"
    fig = plots.collapse(analysis.collapse(lanes, curves))
    fig.draw_without_rendering()
    words = [text.get_text() for text in fig.axes[1].get_legend().get_texts()]
    assert words[2] == "128 diverged"
    kept = lanes[(lanes["N"] != 64) | (lanes["eta0"] != 2)]
    gone = plots.collapse(analysis.collapse(kept, curves)).axes[1].get_legend()
    assert gone.get_texts()[1].get_text() == "64 missing"
    lanes["status"] = "diverged"
    lost = plots.collapse(analysis.collapse(lanes, curves))
    lost.draw_without_rendering()
    assert lost.axes[1].get_title(loc="left") == "D unknown"


def test_a_figure_has_a_row_for_each():
    c = analysis.collapse(*tables())
    fig = plots.collapses([c, c], ["a", "b"])
    titles = [ax.get_title(loc="left").splitlines()[0] for ax in fig.axes[::2]]
    assert len(fig.axes) == 4 and titles == ["a", "b"]
    with pytest.raises(ValueError, match="0 collapses and 0 titles"):
        plots.collapses([])
    with pytest.raises(ValueError, match="1 collapses and 2 titles"):
        plots.collapses([c], ["a", "b"])
