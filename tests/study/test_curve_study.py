"""A curve study: columns at one rate, judged and drawn from small tables."""

import pandas as pd
import pytest

from scaletx import analysis
from scaletx.study import Finding, Found, Outcome, Watch, conclude, curve_study, run

COMMON = {
    "optimizer": "sgd",
    "n": "4,8,16,32",
    "seeds": 2,
    "steps": 20,
    "eta0": "0.05",
    "diagnostics": "spectrum",
}
STUDY = curve_study(
    claim="The spike grows.",
    source="this test",
    common=COMMON,
    watches={
        "bare, p = 1": Watch(
            {"centered": False}, {"spike": "grows", "batch_loss": "collapses"}
        ),
        "lost": Watch({"eta0": "1000"}, {"bulk": "flat"}),
        "beside": Watch({}, {"spike_centered": ""}),
    },
)


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    folder = tmp_path_factory.mktemp("curves")
    found = Found("inside", STUDY, "Hypothesis: none.", folder / "inside.py")
    return folder, found, run(found, store=folder / "runs", figures=folder / "figures")


def test_tables_hold_what_is_judged_and_no_more(done):
    folder, _, _ = done
    home = folder / "figures" / "inside"
    assert {path.name for path in home.iterdir()} == {
        *(f"{name}{end}.csv" for name in ("bare-p-1", "lost", "beside")
          for end in ("", ".curves")),
        "figure.png",
    }  # fmt: skip
    curves = pd.read_csv(home / "bare-p-1.curves.csv")
    assert list(curves) == ["lane", "step", "spike", "batch_loss"]
    assert len(curves) == 4 * 2 * 3 and curves["spike"].notna().sum() == 4 * 2 * 2


def test_findings_are_those_of_the_store(done):
    folder, _, result = done
    store = analysis.read(folder / "runs/inside/full/runs/bare-p-1")
    power = analysis.trend(store.lanes, store.curves, curve="spike")
    apart = analysis.collapse(store, curve="batch_loss")
    spike, loss, lost, beside = result.findings
    assert (spike.name, spike.expected) == ("bare, p = 1: spike", "grows")
    assert spike.found == power.answer and f"N^{power.slope:+.2f}" in spike.evidence
    assert loss.found == apart.verdict
    assert lost.found == "cannot tell" and "8 runs diverged" in lost.evidence
    assert beside.expected == "" and beside.found in ("flat", "grows", "cannot tell")


def test_it_concludes_without_training(done, monkeypatch):
    folder, found, result = done
    monkeypatch.setattr("scaletx.sweep.run", lambda *a, **k: pytest.fail("trained"))
    again = conclude(found, folder / "figures" / "inside")
    assert again.findings == result.findings


def test_what_stands_beside_decides_nothing():
    grown, beside = (Finding("x", word, "grows", "") for word in ("grows", ""))
    fallen = Finding("x", "", "falls", "")
    assert STUDY.outcome([grown, beside, fallen]) is Outcome.CONFIRMED
    flat = Finding("x", "grows", "flat", "")
    assert STUDY.outcome([grown, flat]) is Outcome.REFUTED
