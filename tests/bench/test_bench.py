"""The benchmarks run and write what they say; what they time is not judged."""

import subprocess
import sys
from pathlib import Path

import jax
import numpy as np
import pandas as pd
import pytest

ROOT = Path(__file__).parents[2]


def bench(script, *words):
    done = subprocess.run(
        [sys.executable, str(ROOT / "bench" / script), *map(str, words)],
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_gpu_runs_tiny_on_any_device(tmp_path):
    out = tmp_path / "gpu.csv"
    text = bench("gpu.py", "--any-device", "--rounds", 1, "--out", out)
    assert "left out" not in text
    table = pd.read_csv(out)
    assert list(table["N"]) == [8, 16, 24, 24, 24]
    assert list(table["precision"]) == ["float32"] * 3 + ["tf32", "bfloat16"]
    assert list(table["against"].fillna("")) == ["CPU"] * 2 + [""] + ["float32"] * 2
    assert list(table["compared"]) == [4, 4, 0, 2, 2]
    assert (table["largest_difference"].dropna() < 0.1).all()
    positive = ["at_once", "cold_s", "warm_s", "program_s", "GFLOPs", "product_GFLOPs"]
    positive += ["share_of_product_rate", "program_share"]
    assert (table[positive].to_numpy() > 0).all()
    assert "peak_bytes" in table

    # No time: the first size alone.
    text = bench("gpu.py", "--any-device", "--rounds", 1, "--minutes", 0, "--out", out)
    assert "left out" in text and "N = 24 in float32, N = 8 in tf32" in text
    assert list(pd.read_csv(out)["N"]) == [8]


@pytest.mark.slow
def test_gpu_reads_the_reference_that_a_cpu_wrote(tmp_path, monkeypatch):
    out, reference = tmp_path / "gpu.csv", tmp_path / "reference.csv"
    monkeypatch.setenv("JAX_PLATFORMS", "cpu")
    bench("gpu.py", "--any-device", "--write-reference", reference)
    losses = pd.read_csv(reference)
    assert list(losses) == ["N", "seed", "steps", "eta0", "train_mse"]
    assert list(losses["N"]) == [8] * 4 + [16] * 4

    losses["train_mse"] *= [1, 1, 1, 2, 1, 1, 1, np.nan]
    losses.to_csv(reference, index=False)
    words = ("--any-device", "--rounds", 1, "--reference", reference, "--out", out)
    bench("gpu.py", *words)
    table = pd.read_csv(out)
    assert table["largest_difference"][0] == pytest.approx(0.5, rel=1e-3)
    assert np.isinf(table["largest_difference"][1])
    assert list(table["compared"][:2]) == [4, 4]


def test_gpu_says_in_one_sentence_that_there_is_none():
    if jax.devices()[0].platform != "cpu":
        pytest.skip("there is a GPU")
    text = bench("gpu.py")
    assert text.count("\n") == 1 and "no GPU" in text


@pytest.mark.slow
def test_costs_has_a_row_for_everything(tmp_path):
    out = tmp_path / "costs.csv"
    text = bench("costs.py", "--quick", "--out", out)
    table = pd.read_csv(out)
    assert list(table) == ["what", "at", "value"]
    assert not table.duplicated(["what", "at"]).any()
    assert np.isfinite(table["value"]).all()
    by_what = table.groupby("what")["at"].apply(set)
    axes = {"N", "K", "B", "lanes", "N (K = 2 N, B = N)"}
    theory = table[table["what"] == "slope, theory"].set_index("at")["value"]
    assert theory.to_dict() == dict.fromkeys(axes, 1) | {"N (K = 2 N, B = N)": 3}
    assert by_what["slope"] == axes
    for axis in axes:
        assert len(by_what[f"step time / the first, against {axis}"]) == 2
    commands = {"--help", "prescribe", "verdict of a CSV", "check --help"}
    for how in ("minimum", "median"):
        started = by_what[f"start / python -c pass, {how}"]
        assert started == commands | {"status of an empty store"}
    looks = ("eval_every 10", "log_every 1", "updates every 10", "spectrum every 10")
    for what in (*looks, "both every 10"):
        for optimizer in ("sgd", "adam"):
            assert by_what[f"{optimizer}, {what} / plain"] == {"N = 8"}
    assert by_what["cold / warm cache"] == {"whole process", "compiling"}
    assert "s in all" in text
