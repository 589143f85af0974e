import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from scaletx import analysis
from scaletx.analysis import Answer, OptimumStatus

from .planted import NAN, mup66, planted

FIXTURES = Path(__file__).parents[3] / "shared" / "fixtures"


def fixture(name):
    path = FIXTURES / name
    if not path.exists():
        pytest.skip(f"the public table {name} is not beside this checkout")
    return analysis.load(path)


def means(v):
    return {each.size: each for each in v.optima if each.seed is None}


def costs(v):
    return {(row.start, row.end): row for row in v.regret}


def check_mup66(v):
    vertices = [each.log2_lr for each in means(v).values()]
    assert vertices == pytest.approx([-8.695, -9.540, -10.584, -11.270], abs=1e-3)
    assert v.drift.slope == pytest.approx(-0.877, abs=1e-3)
    found = costs(v)
    assert found[96, 384].regret == pytest.approx(0.0265, abs=1e-9)
    assert found[192, 768].regret == pytest.approx(0.0217, abs=1e-9)
    assert found[192, 384].regret == pytest.approx(0.0033, abs=1e-9)
    assert found[96, 768].regret is None
    assert found[96, 768].status == "failed"
    assert v.verdict is Answer.DRIFTS


def test_mup66():
    v = analysis.verdict(mup66())
    check_mup66(v)
    counts = v.table["status"].value_counts()
    assert counts.to_dict() == {"ok": 18, "diverged": 1}


def test_mup66_argmin_drifts_less():
    best = mup66().dropna().sort_values("loss").drop_duplicates("width")
    slope = np.polyfit(np.log2(best["width"]), np.log2(best["lr"]), 1)[0]
    assert slope == pytest.approx(-0.7)


def test_mup66_from_its_file():
    check_mup66(analysis.verdict(fixture("mup66.csv")))


def test_nanochat644_is_bracketed_nowhere():
    v = analysis.verdict(fixture("nanochat644.csv"), size="weight_decay")
    assert {each.status for each in v.optima} == {OptimumStatus.NOT_BRACKETED_HIGH}
    assert v.verdict is Answer.CANNOT_TELL
    assert "upper edge of the grid (lr = 0.05). Extend it: lr = 0.003:" in v.reasons[0]
    assert 0 in means(v)
    assert "weight_decay = 0 has no logarithm: not in the drift" in v.reasons[1]


@pytest.mark.parametrize("seeds", [2, 3, 5])
def test_planted_slopes_are_found(seeds):
    flat = analysis.verdict(planted(0.0, seeds=seeds))
    assert flat.verdict is Answer.TRANSFERS, str(flat)
    for slope in (-0.5, -1.0, 0.5):
        grid = np.arange(-11.0, 0.0)
        v = analysis.verdict(planted(slope, seeds=seeds, grid=grid))
        assert v.verdict is Answer.DRIFTS, str(v)
        assert v.drift.slope == pytest.approx(slope, abs=0.05)
        assert (v.loss, v.size, v.lr) == ("train_mse", "N", "eta0")


def test_one_seed_on_a_coarse_grid_cannot_tell_and_on_a_fine_one_can():
    coarse = analysis.verdict(planted(seeds=1))
    assert coarse.verdict is Answer.CANNOT_TELL
    assert "--seeds 3" in coarse.reasons[0]
    assert "--eta0 0.001953125:0.25:15" in coarse.reasons[0]
    fine = planted(seeds=1, noise=0.0002, grid=np.arange(-7.0, -2.0, 0.25))
    assert analysis.verdict(fine).verdict is Answer.TRANSFERS


def test_margins_are_printed_and_never_grow_with_noise():
    v = analysis.verdict(planted(noise=0.05))
    assert v.margins == (0.15, 0.02)
    assert "margins: slope 0.15, regret 0.02" in str(v)
    assert v.verdict is Answer.CANNOT_TELL
    assert "reaches across the margin" in v.reasons[0]


def test_two_sizes_cannot_tell():
    v = analysis.verdict(planted(sizes=(32, 64)))
    assert v.verdict is Answer.CANNOT_TELL
    assert v.drift.slope is not None
    assert v.reasons == (
        "A drift needs 3 sizes; there is N = 32, 64 only. Add sizes: --n 32,64,128.",
    )


def test_an_edge_optimum_is_named_and_the_grid_extended():
    table = planted(sizes=(32, 64, 128))
    table = table[(table["N"] != 128) | (table["eta0"] <= 2.0**-5)]
    v = analysis.verdict(table)
    assert v.verdict is Answer.CANNOT_TELL
    assert means(v)[128].status is OptimumStatus.NOT_BRACKETED_HIGH
    assert v.reasons == (
        "The optimum at N = 128 lies on the upper edge of the grid (eta0 = 0.03125). "
        "Extend it: --eta0 0.001953125:1:10.",
    )


def test_one_size_off_the_grid_is_allowed_two_are_not():
    table = planted()
    one = table[(table["N"] != 256) | (table["eta0"] < 2.0**-5)]
    assert analysis.verdict(one).verdict is Answer.CANNOT_TELL  # regret is unknown
    drifting = planted(-1.0, grid=np.arange(-7.0, -1.0))
    v = analysis.verdict(drifting)
    assert means(v)[256].status is OptimumStatus.NOT_BRACKETED_LOW
    assert v.verdict is Answer.DRIFTS
    assert "N = 256 lies on the lower edge" in v.reasons[1]
    two = planted(-1.0, grid=np.arange(-6.0, -1.0))
    assert analysis.verdict(two).verdict is Answer.CANNOT_TELL


def test_a_seed_on_the_edge_takes_its_size_out():
    table = planted(sizes=(32, 64, 128))
    edge = (table["N"] == 64) & (table["seed"] == 1) & (table["eta0"] > 2.0**-5)
    v = analysis.verdict(table[~edge])
    assert v.verdict is Answer.CANNOT_TELL
    assert v.reasons[0].startswith("The optimum at N = 64, seed 1, lies on the upper")


def test_optima_right_below_divergence_are_coarse_and_still_drift():
    table = planted(-1.0, grid=np.arange(-11.0, 0.0))
    wall = table["eta0"] > 2.0**-3.9 * 32 / table["N"]
    table.loc[wall, "status"] = "diverged"
    v = analysis.verdict(table)
    assert {each.status for each in v.optima} == {OptimumStatus.COARSE}
    assert v.verdict is Answer.DRIFTS
    assert v.drift.high - v.drift.low > 0.4


def test_a_rate_that_diverges_at_a_larger_size_does_not_transfer():
    table = planted(grid=np.arange(-7.0, -2.0, 0.5))
    best = 2.0**-4.5
    hit = (table["N"] == 256) & (table["eta0"] == best) & (table["seed"] == 0)
    table.loc[hit, ["status", "train_mse"]] = ["diverged", NAN]
    v = analysis.verdict(table)
    assert costs(v)[32, 256].status == "diverged"
    assert costs(v)[32, 256].regret is None
    assert v.verdict is Answer.CANNOT_TELL
    assert "diverges" in " ".join(v.reasons)


def test_regret_over_its_margin_withholds_the_word():
    table = planted(grid=np.arange(-7.0, -2.0, 0.5))
    v = analysis.verdict(table, regret_margin=0.0)
    worst = max(costs(v)[32, n].relative for n in (64, 128, 256))
    assert v.verdict is (Answer.TRANSFERS if worst == 0 else Answer.CANNOT_TELL)
    moved = table["N"] == 256
    table.loc[moved & (table["eta0"] == 2.0**-4.5), "train_mse"] *= 1.04
    spoiled = analysis.verdict(table)
    assert spoiled.verdict is Answer.CANNOT_TELL
    assert "whether that is more than the grid's rounding: --eta0" in spoiled.reasons[0]


def test_a_missing_cell_is_not_a_bad_one():
    table = planted(seeds=1)
    hole = (table["N"] == 64) & (table["eta0"] == 2.0**-5)
    for gone in (table[~hole], table.assign(status=np.where(hole, "failed", "ok"))):
        v = analysis.verdict(gone)
        assert means(v)[64].status is OptimumStatus.COARSE
        assert means(v)[64].log2_lr == -4.0
        assert costs(v)[64, 128].status == "ok"


def test_a_refined_size_leaves_no_holes_elsewhere():
    extra = planted(sizes=(32,), grid=np.array([-4.5, -3.5]))
    v = analysis.verdict(pd.concat([planted(), extra]))
    assert {each.status for each in v.optima} == {OptimumStatus.BRACKETED}


def test_two_basins_within_seed_noise_are_both_listed():
    table = planted(noise=0.05, seeds=4)
    second = (table["N"] == 256) & (table["eta0"] == 2.0**-8)
    table.loc[second, "train_mse"] = 1 / 8
    v = analysis.verdict(table)
    both = [o for o in v.optima if o.seed is None and o.size == 256]
    assert [o.status for o in both] == [OptimumStatus.MULTIMODAL] * 2
    assert any("several minima" in reason for reason in v.reasons)


def test_the_share_of_the_gain_is_null_within_noise():
    assert costs(analysis.verdict(mup66()))[96, 384].share == pytest.approx(
        0.0265 / (4.1184 - 3.3776)
    )
    flat = planted(noise=0.02)
    flat["train_mse"] *= np.log2(flat["N"])
    assert all(row.share is None for row in analysis.verdict(flat).regret)


def test_a_size_without_any_loss_says_what_to_do():
    table = planted()
    big = table["N"] == 256
    said = {}
    for status in ("diverged", "failed"):
        lost = table.assign(status=np.where(big, status, "ok"))
        v = analysis.verdict(lost)
        assert v.verdict is not Answer.DRIFTS
        assert means(v)[256].status is OptimumStatus.NO_DATA
        assert costs(v)[32, 256].status == status
        said[status] = v.reasons[-1]
    assert said["diverged"].startswith("Every rate diverged at N = 256. Lower them: --")
    assert said["failed"] == "No run ended at N = 256. Run them again: --retry failed."


def test_optima_that_go_down_and_up_again_do_not_transfer():
    grid = np.arange(-9.0, 0.0)
    places = {32: -4.3, 64: -5.3, 128: -5.3, 256: -4.3}
    parts = [planted(sizes=(n,), grid=grid, best=u) for n, u in places.items()]
    v = analysis.verdict(pd.concat(parts))
    assert v.drift.slope == pytest.approx(0, abs=0.02)
    assert v.verdict is Answer.CANNOT_TELL


def test_groups_are_judged_apart():
    drifting = planted(-1.0, grid=np.arange(-10.0, -1.0)).assign(activation="linear")
    table = pd.concat([planted(), drifting])
    found = analysis.verdicts(table, group="activation")
    assert [v.verdict for v in found.values()] == ["transfers", "drifts"]
    assert list(found) == ["relu:1", "linear"]
    with pytest.raises(ValueError, match="call verdicts"):
        analysis.verdict(table, group="activation")


def test_the_k_only_regime_is_judged_by_k():
    table = planted()
    table["K"] = table["N"]
    v = analysis.verdict(table.assign(N=64, P=320, B=32))
    assert v.size == "K"
    assert v.verdict is Answer.TRANSFERS


def test_json_is_strict_and_has_the_words():
    for table in (mup66(), planted(), planted(sizes=(32,), grid=np.arange(2.0))):
        said = analysis.verdict(table).to_dict()
        json.dumps(said, allow_nan=False)
        words = "verdict loss size lr drift optima regret margins reasons"
        assert {*said} == {*words.split()}
        assert {*said["drift"]} == {"slope", "low", "high"}
        for row in said["optima"]:
            assert {*row} == {*"size seed log2_lr low high status loss".split()}
        for row in said["regret"]:
            assert {*row} == {*"from to status regret relative share".split()}


def test_it_prints_as_one_short_table():
    v = analysis.verdict(mup66())
    lines = str(v).splitlines()
    assert lines[0].startswith("drifts: slope -0.877 [-1.1")
    assert len(lines) == 1 + 1 + 4 + len(v.reasons)
    assert v._repr_html_().startswith("<pre>drifts")
