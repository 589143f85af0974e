import json

import numpy as np
import pandas as pd
import pytest

from scaletx import analysis
from scaletx.analysis.deviation import (
    Deviation,
    deviation,
    houdayer_hartmann,
    seeds_for,
)
from scaletx.analysis.epochs import CurveStatus, SizeCurve, Track, on_epochs

from .planted_curves import EPOCHS, SIZES, tables


def test_planted_distances_come_back():
    found = analysis.collapse(*tables(noise=1e-6))
    assert found.verdict is analysis.CollapseAnswer.COLLAPSES
    assert found.rate == 2.0 and found.reference == 256
    values = [each.D for each in found.deviations]
    assert values[:3] == pytest.approx([0.06, 0.03, 0.01], abs=1e-5)
    assert values[3] is None
    assert len(found.epochs) == EPOCHS
    for each in found.deviations[:3]:
        assert each.low <= each.D <= each.high


@pytest.mark.parametrize(
    ("apart", "word", "said"),
    [
        ((0.3, 0.03, 0.01, 0.0), "collapses", "within 0.0"),
        ((0.1, 0.1, 0.02, 0.0), "fails", "D at N = 64 is 0.098 [0.094, 0.103], above"),
        ((-0.1, -0.1, -0.1, 0.0), "fails", "above the margin 0.05"),
        ((0.01, 0.045, 0.04, 0.0), "cannot tell", "D rises from"),
    ],
)
def test_the_word_follows_the_rule(apart, word, said):
    found = analysis.collapse(*tables(apart, noise=0.002))
    assert found.verdict == word
    assert said in found.reasons[0]


def test_noise_that_reaches_below_the_margin_asks_for_seeds():
    found = analysis.collapse(*tables((0.09, 0.1, 0.02, 0.0), noise=0.02))
    assert found.verdict == "cannot tell"
    assert "not by its interval" in found.reasons[0]
    assert found.reasons[0].endswith("about 4 seeds (--seeds 4).")
    found = analysis.collapse(*tables((0.09, 0.08, 0.02, 0.0), noise=0.02))
    assert found.reasons[0].endswith("What would decide it: more than 12 seeds.")


def test_the_advised_seeds_count_on_a_smaller_student_t():
    # Two seeds: t of 2 freedoms is 4.30, of 6 it is 2.45; 1/sqrt(n) alone would ask
    # for 8 seeds to halve the interval.
    noisy = Deviation(64, CurveStatus.OK, 0.5, 0.3, 0.7, 2, 0.1)
    half = [0.2 * t * np.sqrt(2 / n) / 4.3027 for n, t in ((3, 2.7764), (4, 2.4469))]
    assert seeds_for(noisy, half[0] * 1.001, most=8) == 3
    assert seeds_for(noisy, half[0] * 0.999, most=8) == 4
    assert seeds_for(noisy, half[1] * 0.999, most=8) == 5
    assert seeds_for(noisy, 0.001, most=8) is None
    assert seeds_for(noisy._replace(low=None), 1.0, most=8) is None


def test_seeds_as_many_as_advised_narrow_the_interval_enough():
    rng = np.random.default_rng(0)

    def curves(seeds):
        # offsets of variance 0.05^2 to the digit
        z = rng.normal(size=(2, seeds, 1))
        z = (z - z.mean(1, keepdims=True)) / z.std(1, ddof=1, keepdims=True)
        offset = np.log1p(0.05 * z) + np.log([1.2, 1.0])[:, None, None]
        return (curve_of(n, x) for n, x in zip((1, 2), offset, strict=True))

    few = deviation(*curves(2))
    wanted = few.D - 0.05
    advised = seeds_for(few, wanted, most=20)
    low = {n: deviation(*curves(n)).low for n in (advised - 1, advised)}
    assert low[advised - 1] < 0.05 < low[advised]


def test_one_seed_cannot_tell():
    found = analysis.collapse(*tables(seeds=1))
    assert found.verdict == "cannot tell"
    assert "has one seed" in found.reasons[0]
    assert found.S is None and found.deviations[0].low is None


def test_a_size_that_diverges_fails():
    lanes, curves = tables()
    lanes.loc[lanes["lane"] == "256-1-0", "status"] = "diverged"
    found = analysis.collapse(lanes, curves)
    assert found.verdict == "fails"
    assert "N = 256 diverges at eta0 = 2" in found.reasons[0]
    assert found.reference == 128


def test_a_missing_rate_says_what_to_run():
    lanes, curves = tables()
    lanes = lanes[~((lanes["N"] == 128) & (lanes["eta0"] == 2.0))]
    found = analysis.collapse(lanes, curves)
    assert found.verdict == "cannot tell"
    assert "Run it: --n 128 --eta0 2." in found.reasons[0]


def test_too_few_sizes_and_no_rate():
    lanes, curves = tables()
    few = analysis.collapse(lanes[lanes["N"] < 100], curves)
    assert few.verdict == "cannot tell" and "needs 3 sizes" in few.reasons[0]
    lanes.loc[lanes["N"] == 32, "status"] = "diverged"
    lost = analysis.collapse(lanes, curves)
    assert lost.verdict == "cannot tell" and lost.rate is None


def test_a_rate_on_the_edge_is_told():
    lanes, curves = tables()
    lanes["train_mse"] = lanes["eta0"]
    found = analysis.collapse(lanes, curves)
    assert "lower edge" in found.reasons[-1] and "--eta0" in found.reasons[-1]


def test_json_is_strict_and_text_is_one_table():
    for table in (tables(), tables(seeds=1)):
        found = analysis.collapse(*table)
        data = json.loads(json.dumps(found.to_dict(), allow_nan=False))
        assert data["verdict"] == str(found.verdict) and len(data["deviations"]) == 4
        assert str(found).splitlines()[1].split()[:3] == ["N", "D", "interval"]
        assert found._repr_html_().startswith("<pre>")


def test_rows_become_epochs():
    fine = analysis.collapse(*tables(log_every=5, noise=0))
    coarse = analysis.collapse(*tables(log_every=10, noise=0))
    assert fine.epochs.tolist() == coarse.epochs.tolist()
    wide = analysis.collapse(*tables(log_every=20, noise=0))
    assert wide.epochs.tolist() == list(range(2, EPOCHS + 1, 2))
    track = Track(np.arange(5.0, 41, 5), np.arange(8.0))
    times, (loss,) = on_epochs([[track._replace(value=track.value + 1)]], [10])
    assert times.tolist() == [1, 2, 3, 4] and loss.tolist() == [[1.5, 3.5, 5.5, 7.5]]


def test_refusals_name_what_is_wrong():
    lanes, curves = tables()
    with pytest.raises(ValueError, match="got no curves"):
        analysis.collapse(lanes)
    with pytest.raises(ValueError, match="3 of 3 runs have no curve"):
        analysis.collapse(lanes, curves[~curves["lane"].str.startswith("64-1")])
    with pytest.raises(ValueError, match="one point of its curve, 1 epoch"):
        analysis.collapse(lanes, curves, epoch=500)
    with pytest.raises(ValueError, match="give epoch=STEPS"):
        analysis.collapse(lanes.drop(columns=["K", "P", "B"]), curves)
    with pytest.raises(ValueError, match="each must be above 0"):
        analysis.collapse(lanes, curves.assign(batch_loss=-1.0))
    with pytest.raises(ValueError, match="needs the columns batch_loss"):
        analysis.collapse(lanes, curves.drop(columns=["batch_loss"]))
    with pytest.raises(ValueError, match="differ in more"):
        analysis.collapse(lanes.assign(noise=lanes["seed"]), curves)
    with pytest.raises(ValueError, match="no rows"):
        analysis.collapse(lanes[:0], curves)


def curve_of(size, logs):
    return SizeCurve(size, CurveStatus.OK, tuple(range(len(logs))), np.exp(logs))


def literal_quality(x, y, dy):
    """Houdayer and Hartmann's S with local lines through the bracketing points."""
    total, count = 0.0, 0
    for i in range(len(y)):
        for j in range(len(x)):
            k = min(j, len(x) - 2)
            other = [q for q in range(len(y)) if q != i]
            px = np.array([x[p] for _ in other for p in (k, k + 1)])
            py = np.array([y[q, p] for q in other for p in (k, k + 1)])
            w = 1 / np.array([dy[q, p] for q in other for p in (k, k + 1)]) ** 2
            s, sx, sy = w.sum(), (w * px).sum(), (w * py).sum()
            sxx, sxy = (w * px**2).sum(), (w * px * py).sum()
            delta = s * sxx - sx**2
            at = (sxx * sy - sx * sxy + x[j] * (s * sxy - sx * sy)) / delta
            variance = (sxx - 2 * x[j] * sx + x[j] ** 2 * s) / delta
            total += (y[i, j] - at) ** 2 / (dy[i, j] ** 2 + variance)
            count += 1
    return total / count


def test_quality_equals_the_literal_formula():
    rng = np.random.default_rng(0)
    sets = [curve_of(n, 0.1 * rng.normal(size=(4, 6))) for n in SIZES]
    y = np.array([c.log_mean for c in sets])
    dy = np.array([c.error for c in sets])
    expected = literal_quality(np.arange(1.0, 7), y, dy)
    assert houdayer_hartmann(sets) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("seeds", [2, 3, 5, 10])
@pytest.mark.parametrize("true", [0.0, 0.05])
@pytest.mark.parametrize("common", [True, False])
def test_the_interval_covers_planted_distances(seeds, true, common):
    rng = np.random.default_rng(seeds)
    covered, tables_ = 0, 100
    shape = (2, seeds, 1) if common else (2, seeds, 20)
    for _ in range(tables_):
        noise = 0.02 * rng.normal(size=shape) + 0.002 * rng.normal(size=(2, seeds, 20))
        small, large = (
            curve_of(n, logs) for n, logs in zip((1, 2), noise, strict=True)
        )
        small = small._replace(value=small.value * np.exp(true))
        found = deviation(small, large)
        covered += found.low <= true <= found.high
    # 95 % at least; 88 of 100 is three standard errors below.
    assert covered >= 88


def test_a_size_without_the_rate_is_missing_and_one_that_failed_says_so():
    lanes, curves = tables()
    gone = lanes[~((lanes["N"] == 64) & (lanes["eta0"] == 2))]
    found = analysis.collapse(gone, curves)
    assert [d.status for d in found.deviations] == ["ok", "missing", "ok", "ok"]
    assert "has no run at eta0 = 2" in found.reasons[0]
    at = (lanes["N"] == 64) & (lanes["eta0"] == 2)
    lanes.loc[at, ["status", "train_mse"]] = ["failed", np.nan]
    found = analysis.collapse(lanes, curves)
    assert [d.status for d in found.deviations] == ["ok", "failed", "ok", "ok"]
    assert found.reasons[0].endswith("--retry failed.")


def two_groups():
    """Curves that collapse, and others, of another best rate, that do not."""
    found = []
    for word, apart, best in (("adam", 0.01, 1), ("sgd", 0.2, 0)):
        lanes, curves = tables((3 * apart, apart, apart / 2, 0.0))
        loss = 1 + np.abs(np.log2(lanes["eta0"]) - best)
        lanes = lanes.assign(optimizer=word, train_mse=loss, lane=word + lanes["lane"])
        found.append((lanes, curves.assign(lane=word + curves["lane"])))
    lanes, curves = zip(*found, strict=True)
    return pd.concat(lanes), pd.concat(curves, ignore_index=True)


def test_groups_are_judged_apart_each_at_its_own_rate():
    both = two_groups()
    found = analysis.collapses(*both, group="optimizer", margin=0.04)
    said = {name: (str(each.verdict), each.rate) for name, each in found.items()}
    assert said == {"adam": ("collapses", 2.0), "sgd": ("fails", 1.0)}
    assert found["adam"].margin == 0.04
    with pytest.raises(ValueError, match=r"call collapses\(table, group='optimizer'\)"):
        analysis.collapse(*both, group="optimizer")
    with pytest.raises(ValueError, match="differ in more.*adam, sgd"):
        analysis.collapse(*both)
    with pytest.raises(ValueError, match="group='optimiser' is unknown"):
        analysis.collapses(*both, group="optimiser")
    with pytest.raises(ValueError, match="no rows"):
        analysis.collapses(both[0][:0], both[1], group="optimizer")
