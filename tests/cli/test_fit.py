import json

import numpy as np
import pandas as pd
import pytest

from .test_commands import scaletx

X = np.repeat(np.geomspace(32, 1024, 6), 3)


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(0)
    loss = (0.03 + 5 * X**-0.8) * np.exp(0.01 * rng.normal(size=len(X)))
    frame = pd.DataFrame({"width": X, "loss": loss, "seed": np.tile(range(3), 6)})
    path = tmp_path / "t.csv"
    frame.to_csv(path, index=False)
    return path


def fit(table, *words, code=0):
    return scaletx("fit", "power-law", table, "--x", "width", *words, code=code)


def test_json_has_the_documented_keys(table):
    data = json.loads(fit(table, "--y", "loss", "--json").stdout)
    assert data["law"] == "power-law" and data["status"] == "converged"
    assert data["params"].keys() == data["intervals"].keys() == {"E", "A", "a"}
    low, high = data["intervals"]["a"]
    assert low < data["params"]["a"] < high
    assert data["n"] == 18 and data["settings"]["clusters"] == 18


def test_options_reach_the_fit(table):
    words = "--y loss --seed seed --holdout 2 --loss square --replicates 20".split()
    data = json.loads(fit(table, *words, "--json").stdout)
    assert data["settings"]["clusters"] == 3 and data["settings"]["loss"] == "square"
    assert [round(each["x"]) for each in data["held_out"]] == [512, 1024]
    assert "held out width" in fit(table, *words).stdout


def test_diverged_rows_are_named(table):
    frame = pd.read_csv(table)
    frame.loc[4, "loss"] = np.nan
    frame.to_csv(table, index=False)
    data = json.loads(fit(table, "--y", "loss", "--json").stdout)
    assert data["n"] == 17 and "loss is missing" in data["dropped"][0]


def test_the_picture_is_saved(table):
    words = ("--x", "width", "--y", "loss", "--replicates", 20)
    said = scaletx("plot", "power-law", table, *words).stdout.strip()
    assert said == str(table.parent / "power-law.png")
    assert (table.parent / "power-law.png").read_bytes().startswith(b"\x89PNG")


def test_mistakes_are_one_sentence(table):
    assert "y='los' is unknown" in fit(table, "--y", "los", code=2).stderr
    both = ("--y", "loss", "--seed", "seed", "--group", "width")
    assert "give one" in fit(table, *both, code=2).stderr
