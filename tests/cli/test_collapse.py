import json

import numpy as np
import pytest
from analysis.planted_curves import tables

from scaletx.cli.collapse import EXITS
from scaletx.sweep import Store

from .test_commands import scaletx


@pytest.fixture
def store(tmp_path):
    lanes, curves = tables()
    folder = tmp_path / "runs"
    lanes = lanes.assign(task="denseam", test_mse=np.nan)
    Store(folder).commit("a", lanes, curves.assign(train_mse=0.0, test_mse=0.0), {})
    return folder


def test_json_text_and_exit_code_agree(store):
    data = json.loads(scaletx("collapse", store, "--json").stdout)
    assert {"verdict", "rate", "reference", "deviations", "S", "reasons"} <= data.keys()
    assert [each["size"] for each in data["deviations"]] == [32, 64, 128, 256]
    assert data["reference"] == 256 and data["deviations"][-1]["D"] is None
    text = scaletx("collapse", store).stdout
    assert text.startswith(f"{data['verdict']}: D of batch_loss against N = 256")
    scaletx("collapse", store, "--exit-code", code=EXITS[data["verdict"]])
    both = json.loads(scaletx("collapse", store, store, "--json").stdout)
    assert [each["path"] for each in both] == [str(store)] * 2


def test_the_margin_is_an_option(store):
    wide = json.loads(scaletx("collapse", store, "--json", "--margin", 50).stdout)
    assert wide["margin"] == 50 and wide["verdict"] != "fails"
    scaletx("collapse", store, "--margin", 0, code=2)


def test_the_picture_lies_in_the_folder(store, tmp_path):
    said = scaletx("plot", "collapse", store).stdout.strip()
    assert said == str(store / "collapse.png") and (store / "collapse.png").exists()
    svg = tmp_path / "both.svg"
    scaletx("plot", "collapse", store, store, "--out", svg)
    assert svg.read_text().lstrip().startswith("<?xml")


def test_a_table_without_curves_is_refused(tmp_path):
    table = tmp_path / "t.csv"
    table.write_text("N,eta0,loss\n1,1,1\n")
    assert "expected the folder of a sweep" in scaletx("collapse", table, code=2).stderr


def test_a_diagnostic_and_groups_are_options(tmp_path):
    lanes, curves = tables((0.6, 0.4, 0.2, 0.0))
    other = "b" + lanes["lane"]
    lanes = lanes.assign(task="denseam", test_mse=np.nan, noise=1.0, lane=other)
    curves = curves.assign(train_mse=0.0, test_mse=0.0, lane="b" + curves["lane"])
    curves["spike"] = curves["step"] * 1.0
    both = tmp_path / "both"
    Store(both).commit("a", lanes, curves, {})
    said = json.loads(scaletx("collapse", both, "--curve", "spike", "--json").stdout)
    assert said["curve"] == "spike" and said["verdict"] == "collapses"
    assert [each["D"] for each in said["deviations"]] == [0, 0, 0, None]
    known = scaletx("collapse", both, "--curve", "bulk", code=2).stderr
    assert "needs the columns bulk" in known

    lanes, curves = tables()
    lanes = lanes.assign(task="denseam", test_mse=np.nan, noise=0.5)
    Store(both).commit("b", lanes, curves.assign(train_mse=0.0, test_mse=0.0), {})
    asked = ("--group", "noise", "--margin", 0.1)
    data = json.loads(scaletx("collapse", both, *asked, "--json").stdout)
    found = {each["group"]: each["verdict"] for each in data}
    assert found == {1.0: "fails", 0.5: "collapses"}
    assert "both, 0.5" in scaletx("collapse", both, *asked).stdout
    svg = tmp_path / "both.svg"
    scaletx("plot", "collapse", both, *asked, "--out", svg)
    assert svg.exists()
