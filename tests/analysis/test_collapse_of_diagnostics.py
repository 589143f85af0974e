import numpy as np
import pandas as pd
import pytest

from scaletx import analysis

from .planted_curves import SIZES, tables


def with_diagnostic(power=0.0):
    """Planted lanes whose curves carry a diagnostic: at steps 0, 10, ..., no last."""
    lanes, curves = tables()
    rows = []
    for lane, one in curves.groupby("lane"):
        steps = np.append(0, one["step"].to_numpy())
        value = float(lane.split("-")[0]) ** power * np.exp(-steps / 60)
        value[-1] = np.nan
        loss = np.append(np.nan, one["batch_loss"])
        columns = {"lane": lane, "step": steps, "batch_loss": loss, "spike": value}
        rows.append(pd.DataFrame(columns))
    return lanes, pd.concat(rows, ignore_index=True)


def test_a_diagnostic_is_judged_by_its_values_at_their_steps():
    lanes, curves = with_diagnostic()
    found = analysis.collapse(lanes, curves, curve="spike")
    assert found.curve == "spike" and found.verdict == "collapses"
    steps = found.epochs * 10
    for curve in found.curves:
        np.testing.assert_allclose(curve.log_mean, -steps / 60, rtol=1e-9)
    assert "D of spike against" in str(found) and found.to_dict()["curve"] == "spike"
    grown = analysis.collapse(*with_diagnostic(0.5), curve="spike")
    assert grown.verdict == "fails"
    # distances of powers: half the logarithm of the ratio of sizes
    wanted = [0.5 * np.log(256 / size) for size in SIZES[:-1]]
    got = [each.D for each in grown.deviations][:-1]
    np.testing.assert_allclose(got, wanted, rtol=1e-9)
    assert analysis.collapse(lanes, curves).verdict == "collapses"


def test_a_curve_that_is_not_there_is_named():
    lanes, curves = with_diagnostic()
    with pytest.raises(ValueError, match="columns bulk.*The curves have lane"):
        analysis.collapse(lanes, curves, curve="bulk")
    with pytest.raises(ValueError, match="no curve of spike.*not logged or lost"):
        analysis.collapse(lanes, curves.assign(spike=np.nan), curve="spike")


def test_a_curve_must_be_above_0_and_finite():
    lanes, curves = with_diagnostic()
    for value in (0.0, -1.0, np.inf):
        bad = curves.assign(spike=value)
        with pytest.raises(ValueError, match="each must be above 0, and finite"):
            analysis.collapse(lanes, bad, curve="spike")


def test_a_sparse_diagnostic_shares_the_axis_of_the_coarsest_log():
    lanes, curves = with_diagnostic()
    sparse = curves["lane"].str.startswith("32") & (curves["step"] % 30 != 0)
    curves.loc[sparse, "spike"] = np.nan
    found = analysis.collapse(lanes, curves, curve="spike")
    assert found.epochs.tolist() == [3, 6, 9]
    assert [each.D for each in found.deviations[:-1]] == pytest.approx([0, 0, 0])
