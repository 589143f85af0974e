import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgb

from scaletx import analysis, plots

SIZES = (32, 64, 128, 256)


def table(slope=0.0, *, seeds=2, grid=range(-8, -1), wall=None, scale=1.0):
    rng = np.random.default_rng(0)
    rows = []
    for i, size in enumerate(SIZES):
        for seed in range(seeds):
            for u in grid:
                loss = scale ** abs(u + 4) * (1 + 0.1 * (u + 4.2 - slope * i) ** 2)
                loss = loss / (i + 1) * (1 + 0.001 * rng.normal())
                loss = np.nan if wall is not None and u >= wall - i else loss
                rows.append({"width": size, "lr": 2.0**u, "seed": seed, "loss": loss})
    return pd.DataFrame(rows)


def drawn(ax, gid):
    (line,) = [line for line in ax.lines if line.get_gid() == gid]
    return line


def test_lines_are_seed_means_and_bands_their_range():
    rows = table()
    ax = plots.transfer(analysis.verdict(rows))
    for size in SIZES:
        mine = rows[rows["width"] == size].groupby("lr")["loss"]
        x, y = drawn(ax, f"mean {size}").get_data()
        np.testing.assert_allclose(x, mine.mean().index)
        np.testing.assert_allclose(y, mine.mean())
    assert len(ax.collections) == len(SIZES)
    low = ax.collections[0].get_paths()[0].vertices[:, 1].min()
    assert low == pytest.approx(rows[rows["width"] == 32]["loss"].min())


def test_optima_are_marked_with_their_intervals():
    v = analysis.verdict(table(-0.5))
    ax = plots.transfer(v)
    means = [each for each in v.optima if each.seed is None]
    for each in means:
        mark, reach = (
            drawn(ax, f"{what} {each.size}") for what in ("optimum", "interval")
        )
        assert np.log2(mark.get_xdata()) == pytest.approx(each.log2_lr)
        assert mark.get_ydata() == pytest.approx(each.loss)
        assert np.log2(reach.get_xdata()) == pytest.approx([each.low, each.high])
    path = np.log2(drawn(ax, "path").get_xdata())
    assert path == pytest.approx([each.log2_lr for each in means])


def test_an_open_interval_is_hollow_and_points_outward():
    ax = plots.transfer(analysis.verdict(table(grid=range(-8, -4))))
    mark = drawn(ax, "optimum 64")
    assert mark.get_marker() == ">"
    assert mark.get_markerfacecolor() == "white"
    assert len(drawn(ax, "path").get_xdata()) == 0


def test_diverged_runs_are_crosses_at_the_top_edge_and_counted():
    rows = table(wall=-2)
    ax = plots.transfer(analysis.verdict(rows))
    heights = []
    for i, size in enumerate(SIZES):
        crosses = drawn(ax, f"diverged {size}")
        assert crosses.get_marker() == "x"
        np.testing.assert_allclose(np.log2(crosses.get_xdata()), np.arange(-2 - i, -1))
        heights.append(crosses.get_ydata()[0])
    assert min(heights) == 1
    assert len(set(heights)) == len(SIZES)
    words = [text.get_text() for text in ax.get_legend().get_texts()]
    assert words == ["32", "64", "128", "256", f"{rows['loss'].isna().sum()} diverged"]


def test_the_title_says_the_verdict_and_the_slope():
    v = analysis.verdict(table(-0.5))
    ax = plots.transfer(v, title="Adam, standard")
    name, said = ax.get_title(loc="left").splitlines()
    assert name == "Adam, standard"
    assert said.startswith("drifts: slope \N{MINUS SIGN}0.50 [\N{MINUS SIGN}0.5")
    assert ax.get_xlabel() == "learning rate"
    edge = plots.transfer(analysis.verdict(table(grid=range(-8, -4))))
    assert edge.get_title(loc="left") == "cannot tell: slope unknown"


def test_axes_are_logarithmic_where_they_should_be():
    ax = plots.transfer(analysis.verdict(table()))
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "linear")
    wide = plots.transfer(analysis.verdict(table(scale=3.0)))
    assert wide.get_yscale() == "log"


def test_colors_fall_apart_in_grey():
    ax = plots.transfer(analysis.verdict(table()))
    colors = [to_rgb(drawn(ax, f"mean {size}").get_color()) for size in SIZES]
    grey = np.array(colors) @ [0.299, 0.587, 0.114]
    assert (np.diff(grey) > 0.1).all()


def test_tables_without_an_optimum_are_drawn_too():
    rows = table()
    for bad in (rows.assign(loss=np.nan), rows.iloc[:1], rows.assign(loss=-1.0)):
        ax = plots.transfer(analysis.verdict(bad))
        ax.figure.draw_without_rendering()


def test_a_figure_has_one_panel_a_verdict():
    both = [analysis.verdict(table(slope)) for slope in (0.0, -0.5)]
    fig = plots.figure(both, ["ours", "standard"])
    titles = [ax.get_title(loc="left").splitlines() for ax in fig.axes]
    assert [title[0] for title in titles] == ["ours", "standard"]
    assert [title[1].split(":")[0] for title in titles] == ["transfers", "drifts"]
    assert len(plots.figure(both).axes) == 2
    with pytest.raises(ValueError, match="got 1 titles for 2 verdicts"):
        plots.figure(both, ["ours"])
    with pytest.raises(ValueError, match="no verdicts"):
        plots.figure([])


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_figures_are_saved(tmp_path, ending):
    fig = plots.figure([analysis.verdict(table())])
    target = plots.save(fig, tmp_path / f"figure.{ending}")
    assert target.stat().st_size > 1000


def test_another_format_is_refused(tmp_path):
    fig = plots.figure([analysis.verdict(table())])
    with pytest.raises(ValueError, match=r"ends in '\.bmp': expected \.png, \.svg"):
        plots.save(fig, tmp_path / "figure.bmp")


def test_neither_pyplot_nor_jax_is_needed(tmp_path):
    code = f"""
import sys
for name in ("jax", "optax", "equinox", "matplotlib.pyplot"):
    sys.modules[name] = None
import pandas as pd
from scaletx import analysis, plots
rows = analysis.load({str(tmp_path / "rows.csv")!r})
plots.save(plots.figure([analysis.verdict(rows)]), {str(tmp_path / "figure.png")!r})
"""
    table().to_csv(tmp_path / "rows.csv", index=False)
    subprocess.run([sys.executable, "-c", code], check=True)
    assert (tmp_path / "figure.png").exists()
