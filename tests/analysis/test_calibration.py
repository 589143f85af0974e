import importlib.util
from pathlib import Path

import numpy as np
import pytest

BENCH = Path(__file__).parents[2] / "bench" / "calibration.py"
NOMINAL = 0.95
WRONG = 0.05


@pytest.fixture(scope="module")
def judged():
    spec = importlib.util.spec_from_file_location("calibration", BENCH)
    assert spec is not None and spec.loader is not None
    calibration = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(calibration)
    return calibration.measure(1, start=1)


@pytest.mark.slow
def test_intervals_cover_the_planted_slope(judged):
    known = judged.dropna(subset="covered")
    # One seed cannot show noise beyond the grid: its noisiest tables are reported, not
    # promised.
    promised = known[(known["seeds"] > 1) | (known["noise"] < 0.03)]
    for kind in ("seeds", "basin", "step", "noise", "missing", "sizes", "slope"):
        for value, rows in promised.groupby(kind):
            share = rows["covered"].astype(float).mean()
            error = np.sqrt(NOMINAL * (1 - NOMINAL) / len(rows))
            assert share > NOMINAL - 3 * error, (kind, value, share)


@pytest.mark.slow
def test_wrong_verdicts_are_rare(judged):
    for (seeds, basin), rows in judged.groupby(["seeds", "basin"]):
        flat = rows["slope"] == 0
        drifts = (rows["answer"][flat] == "drifts").mean()
        transfers = (rows["answer"][~flat] == "transfers").mean()
        assert max(drifts, transfers) <= WRONG, (seeds, basin, drifts, transfers)


@pytest.mark.slow
def test_verdicts_are_given_where_the_data_suffice(judged):
    enough = judged[
        (judged["seeds"] >= 3)
        & (judged["sizes"] >= 4)
        & (judged["step"] == 0.5)
        & (judged["noise"] <= 0.01)
        & (judged["basin"] != "cliff")
    ]
    for slope, answer in {0.0: "transfers", -0.5: "drifts", -1.0: "drifts"}.items():
        mine = enough["answer"][enough["slope"] == slope]
        assert (mine == answer).mean() >= 0.7, slope
