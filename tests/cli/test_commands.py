import json
import os
import subprocess
import sys

import pandas as pd
import pytest
from click.testing import CliRunner
from fakes import Fake, small

from scaletx.cli import main
from scaletx.sweep import run

SMALL = "--n 4,8 --eta0 0.01:1:3 --seeds 2 --steps 4 --progress none".split()


def scaletx(*words, code=0):
    result = CliRunner().invoke(main, [str(w) for w in words])
    told = f"{result.output}\n{result.exception!r}"
    assert result.exception is None or isinstance(result.exception, SystemExit), told
    assert result.exit_code == code, told
    return result


def test_help_shows_its_lines_as_they_are():
    text = scaletx("--help").stdout
    assert "\\b" not in text and "  scaletx verdict runs/width  " in text


def test_prescribe_prints_numbers_formulas_and_source():
    text = scaletx("prescribe", "--n", 1024, "--k", 2048, "--optimizer", "sgd").stdout
    assert "eta_W  =  102.4" in text and "eta0 K" in text and "Table 1, row 1" in text


def test_prescribe_json_has_the_documented_keys():
    words = "--n 1024 --k 2048 --p 5120 --b 512 --activation softmax --json".split()
    data = json.loads(scaletx("prescribe", *words).stdout)
    assert {
        "regime", "parameterization", "activation", "optimizer", "centered", "sizes",
        "s1", "s2", "eta_W", "eta_b", "eta_c", "eps", "formulas", "reference",
    } <= data.keys()  # fmt: skip
    assert data["sizes"] == {"N": 1024, "K": 2048, "P": 5120, "B": 512}
    assert data["s2"] == pytest.approx(2048**0.5)


def test_prescribe_list_prints_every_row():
    rows = json.loads(scaletx("prescribe", "--list", "--json").stdout)
    text = scaletx("prescribe", "--list").stdout
    assert len(rows) == len(text.splitlines()) - 1 >= 10
    assert {"table", "sp"} == {row["parameterization"] for row in rows}


def test_sweep_status_verdict_plot(tmp_path):
    folder = tmp_path / "runs"
    dry = scaletx("sweep", folder, *SMALL, "--dry-run")
    assert "12 todo" in dry.stdout and "2 compiles" in dry.stdout
    assert "FLOP" in dry.stdout and not folder.exists()
    done = scaletx("sweep", folder, *SMALL)
    assert done.stdout == "" and "12 lanes" in done.stderr
    status = json.loads(scaletx("status", folder, "--json").stdout)
    assert status["todo"] == 0 and status["ok"] + status["diverged"] == 12
    assert "0 todo" in scaletx("status", folder).stdout
    more = scaletx("sweep", folder, "--eta0", "2", "--progress", "plain")
    assert "4 of 4 lanes" in more.stderr
    assert json.loads(scaletx("status", folder, "--json").stdout)["lanes"] == 16
    verdict = json.loads(scaletx("verdict", folder, "--json").stdout)
    assert verdict["loss"] == "train_mse" and verdict["verdict"] == "cannot tell"
    assert verdict["reasons"]
    picture = scaletx("plot", "transfer", folder).stdout.strip()
    assert picture == str(folder / "transfer.png")
    assert (folder / "transfer.png").read_bytes().startswith(b"\x89PNG")
    svg = tmp_path / "both.svg"
    scaletx("plot", "transfer", folder, folder, "--out", svg)
    assert svg.read_text().lstrip().startswith("<?xml")


def test_a_spec_file_says_the_same_words(tmp_path):
    scaletx("sweep", tmp_path / "a", *SMALL)
    spec = tmp_path / "a" / "spec.toml"
    dry = scaletx("sweep", tmp_path / "b", "--spec", spec, "--dry-run").stdout
    assert "12 todo" in dry
    dry = scaletx("sweep", tmp_path / "b", "--spec", spec, "--seeds", 3, "--dry-run")
    assert "18 todo" in dry.stdout
    assert "0 todo" in scaletx("sweep", tmp_path / "a", "--dry-run").stdout


@pytest.mark.parametrize("kind", ["plain", "json", "none"])
def test_progress_goes_to_standard_error(tmp_path, kind):
    words = [*SMALL[:-1], kind]
    result = scaletx("sweep", tmp_path / "a", *words)
    lines = result.stderr.splitlines()
    assert result.stdout == ""
    if kind == "json":
        states = [json.loads(line) for line in lines[:-1]]
        assert states[-1]["done"] == states[-1]["lanes"] == 12
    else:
        assert len(lines) == {"plain": 3, "none": 1}[kind]


def table(tmp_path, slope=0.0, name="t.csv"):
    """A table whose best rate moves as size**slope."""
    rows = [
        {"width": w, "lr": 2.0**u, "seed": seed, "loss": 1 + (u - best) ** 2 / 10}
        for i, w in enumerate((64, 128, 256))
        for seed in range(3)
        for best in [slope * i - 5 + 0.02 * (seed - 1)]
        for u in range(-10, 0)
    ]
    frame = pd.DataFrame(rows)
    path = tmp_path / name
    frame.to_csv(path, index=False)
    return path


def test_verdict_on_anyones_table(tmp_path):
    flat, steep = table(tmp_path), table(tmp_path, slope=-1.0, name="steep.csv")
    assert scaletx("verdict", flat).stdout.startswith("transfers")
    assert scaletx("verdict", steep).stdout.startswith("drifts")
    both = json.loads(scaletx("verdict", flat, steep, "--json").stdout)
    assert [v["verdict"] for v in both] == ["transfers", "drifts"]
    assert both[1]["path"] == str(steep)


def test_exit_code_tells_the_verdict(tmp_path):
    flat, steep = table(tmp_path), table(tmp_path, slope=-1.0, name="steep.csv")
    scaletx("verdict", flat, "--exit-code", code=0)
    scaletx("verdict", flat, steep, "--exit-code", code=1)
    frame = pd.read_csv(flat)
    frame[frame["width"] < 200].to_csv(flat, index=False)
    scaletx("verdict", flat, "--exit-code", code=3)


def test_groups_are_judged_apart(tmp_path):
    a, b = pd.read_csv(table(tmp_path)), pd.read_csv(table(tmp_path, slope=-1.0))
    both = pd.concat([a.assign(opt="adam"), b.assign(opt="sgd")])
    both.to_csv(tmp_path / "both.csv", index=False)
    data = json.loads(
        scaletx("verdict", tmp_path / "both.csv", "--group", "opt", "--json").stdout
    )
    assert {d["group"]: d["verdict"] for d in data} == {
        "adam": "transfers",
        "sgd": "drifts",
    }
    scaletx("verdict", tmp_path / "both.csv", code=2)


def test_failed_lanes_are_told_with_advice(tmp_path, monkeypatch):
    import scaletx.sweep as sweeps

    monkeypatch.setattr(
        sweeps, "run", lambda s, p, **k: run(s, p, executor=Fake(fail_shape=8))
    )
    result = scaletx("sweep", tmp_path / "a", *SMALL, code=1)
    assert "6 lanes failed (no room)" in result.stderr
    assert "--retry failed" in result.stderr


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("prescribe --n 8", "give the sizes"),
        ("prescribe --n -8 --k 4", "N=-8: expected a whole number >= 1"),
        ("prescribe --n 8 --k 4 --p 2 --b 3", "B=3 exceeds P=2"),
        ("prescribe --n 8 --k 4 --optimizer adm", "Did you mean 'adam'?"),
        ("prescribe --n 8 --k 4 --activation softmax --optimizer sgd", "no rule"),
        ("prescribe --n 8 --k 4 --lambda-max 3", "leave it out"),
        ("prescribe --n 8 --k 4 --eta0 -1", "finite number > 0"),
        ("prescribe --n 8 --k 4 --eta0 nan", "finite number > 0"),
        ("sweep {tmp}/a --n 0", "whole number >= 1"),
        ("sweep {tmp}/a --n 8,x", "not a finite number"),
        ("sweep {tmp}/a --eta0 ,", "empty grid"),
        ("sweep {tmp}/a --n 8 --p 2 --b 4", "B=4 exceeds P=2"),
        ("sweep {tmp}/a --data pathces", "Did you mean 'patches'?"),
        ("sweep {tmp}/a --data patches --n 32", "N = 36, 64, 144"),
        ("sweep {tmp}/a --optimiser sgd", "--optimizer"),
        ("sweep {tmp}/a --spec {tmp}/no.toml", "cannot read the spec"),
        ("sweep {tmp}/a --spec {tmp}/text.csv", "not TOML"),
        ("sweep {tmp}/a --retry broken", "retry='broken' is unknown"),
        ("sweep {tmp}/a --progress loud", "progress='loud' is unknown"),
        ("sweep {tmp}/a --device cpuu --n 4 --steps 2", "Did you mean 'cpu'?"),
        ("sweep {tmp} --n 8", "not a store"),
        ("status {tmp}/nowhere", "holds no sweep"),
        ("status {tmp}", "not a store"),
        ("verdict {tmp}/nowhere", "does not exist"),
        ("verdict {tmp}/text.csv", "text.csv"),
        ("verdict {tmp}/bytes.parquet", "cannot be read"),
        ("verdict {tmp}/t.csv --lr rate", "rate"),
        ("verdict {tmp}/t.csv --margin -1", "margin"),
        ("plot transfer {tmp}/t.csv --out {tmp}/a.gif", ".gif"),
        ("plot transfer {tmp}/nowhere", "does not exist"),
        ("swep a", "Did you mean 'sweep'?"),
        ("sweep {tmp}/a --kappa 1e308", "finite number"),
        ("prescribe --n " + "1" * 400 + " --k 4", "whole number"),
        ("sweep {tmp}/a --seeds 1000000000", "whole number <= 100000"),
    ],
)
def test_bad_input_gets_one_sentence_and_status_2(tmp_path, words, says):
    table(tmp_path)
    (tmp_path / "text.csv").write_text("just some words\n")
    (tmp_path / "bytes.parquet").write_bytes(b"PAR1 but not really")
    result = scaletx(*words.format(tmp=tmp_path).split(), code=2)
    assert result.stdout == ""
    assert says in result.stderr and "Traceback" not in result.stderr


def test_a_store_of_another_spec_is_refused_by_name(tmp_path):
    scaletx("sweep", tmp_path / "a", *SMALL)
    result = scaletx("sweep", tmp_path / "a", *SMALL, "--noise", 0.3, code=2)
    assert "was made with noise=0.5" in result.stderr


@pytest.mark.parametrize(
    "words", ["--help", "prescribe --n 8 --k 16", "status {tmp}/a", "--version"]
)
def test_quick_commands_load_neither_jax_nor_seaborn(tmp_path, words):
    run(small(data="isotropic"), tmp_path / "a", executor=Fake())
    code = (
        "import sys\n"
        "for name in ('jax', 'seaborn'): sys.modules[name] = None\n"
        "from scaletx.cli import main\n"
        f"main({words.format(tmp=tmp_path).split()!r})"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


def test_python_dash_m(tmp_path):
    out = subprocess.run(
        [sys.executable, "-m", "scaletx", "--version"], capture_output=True, text=True
    )
    assert out.returncode == 0 and "0.1.0" in out.stdout


def test_parts_that_cannot_be_read_are_named(tmp_path):
    folder = tmp_path / "a"
    run(small(), folder, executor=Fake())
    lanes, curves = (sorted(folder.glob(f"parts/*.{k}.*")) for k in ("lanes", "curves"))
    lanes[0].write_bytes(b"torn")
    result = scaletx("verdict", folder)
    assert lanes[0].name in result.stderr and "skipped" in result.stderr
    curves[1].write_bytes(b"torn")
    text = scaletx("status", folder).stdout
    assert all(p.name.split(".")[0] in text for p in (lanes[0], curves[1]))
    assert (
        len(json.loads(scaletx("status", folder, "--json").stdout)["unreadable"]) == 2
    )


def test_a_device_that_is_not_there_is_named(tmp_path):
    code = "from scaletx.cli import main; main()"
    words = ["sweep", str(tmp_path / "a"), "--n", "4", "--steps", "2"]
    done = subprocess.run(
        [sys.executable, "-c", code, *words, "--device", "gpu"],
        capture_output=True,
        text=True,
        env={k: v for k, v in os.environ.items() if k != "JAX_PLATFORMS"},
    )
    if done.returncode == 0:
        pytest.skip("this machine has a GPU")
    assert done.returncode == 2 and "Traceback" not in done.stderr
    assert "device='gpu': there is none here" in done.stderr
