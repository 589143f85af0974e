import numpy as np
import pytest

from scaletx import plots
from scaletx.analysis import fit_power_law

X = np.repeat(np.geomspace(32, 1024, 6), 3)


def fitted(**words):
    rng = np.random.default_rng(0)
    y = (0.03 + 5 * X**-0.8) * np.exp(0.01 * rng.normal(size=len(X)))
    names = {"x_name": "N", "y_name": "train_mse", "replicates": 100}
    return fit_power_law(X, y, **names | words)


def drawn(ax, gid):
    (line,) = [line for line in ax.lines if line.get_gid() == gid]
    return line


def test_line_runs_floor_and_held_out_points():
    found = fitted(holdout=2)
    ax = plots.power_law(found, title="width")
    np.testing.assert_allclose(drawn(ax, "runs").get_data(), [found.x, found.y])
    x, y = drawn(ax, "law").get_data()
    assert y[0] == pytest.approx(found.forecast(x[0]).y)
    assert x[-1] == pytest.approx(2048)
    assert drawn(ax, "floor").get_ydata()[0] == found.params["E"]
    measured = [each.measured for each in found.held_out]
    np.testing.assert_allclose(drawn(ax, "held out").get_ydata(), measured)
    (region,) = [patch for patch in ax.patches if patch.get_gid() == "forecast region"]
    assert [region.get_x(), region.get_width()] == pytest.approx(
        [found.x.max(), 2048 - found.x.max()]
    )
    band = ax.collections[-1].get_paths()[0].vertices[:, 1]
    assert band.max() >= found.forecast(32).high * 0.999
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")
    assert ax.get_xlabel() == "N" and ax.get_ylabel().startswith("training loss")


def test_the_title_says_status_exponent_and_worst_forecast():
    lines = plots.power_law(fitted(holdout=2), title="width").get_title(loc="left")
    name, said, forecast = lines.splitlines()
    assert name == "width" and said.startswith("converged: exponent 0.")
    assert forecast.startswith("worst held-out forecast off by \N{MINUS SIGN}")


def test_fits_without_law_floor_or_interval_are_drawn():
    for found in (
        fit_power_law([1, 2], [2, 1]),
        fit_power_law(X, 5 * X**-0.8, replicates=0),
        fitted(replicates=0),
    ):
        ax = plots.power_law(found)
        ax.figure.draw_without_rendering()
        assert not [line for line in ax.lines if line.get_gid() == "held out"]
