import shutil

import pandas as pd
import pytest

from scaletx import analysis
from scaletx.analysis import tables

from .planted import mup66, planted


def write(store, part, lanes):
    """Write a part as a sweep does; each lane has two steps of curves."""
    folder = store / tables.PARTS
    folder.mkdir(parents=True, exist_ok=True)
    steps = [lanes[["lane"]].assign(step=step) for step in (0, 1)]
    losses = {"batch_loss": float(part[:4]), "train_mse": 1.0, "test_mse": 1.0}
    curves = pd.concat(steps).assign(**losses)
    curves.to_parquet(folder / f"{part}{tables.CURVES_SUFFIX}")
    lanes.to_parquet(folder / f"{part}{tables.LANES_SUFFIX}")


@pytest.fixture
def store(tmp_path):
    lanes = planted()
    write(tmp_path, "0001-aa", lanes[lanes["N"] < 128])
    write(tmp_path, "0002-bb", lanes[lanes["N"] >= 128])
    return tmp_path


def everything(store):
    return {path: path.read_bytes() for path in store.rglob("*") if path.is_file()}


def test_a_store_is_read_and_left_as_it_is(store):
    before = everything(store)
    results = analysis.read(store)
    assert len(results.lanes) == len(planted())
    assert len(results.curves) == 2 * len(planted())
    assert results.unreadable == results.unreadable_curves == ()
    assert {*results.metadata} == {"0001-aa", "0002-bb"}
    assert everything(store) == before
    assert analysis.verdict(analysis.load(store)).verdict == "transfers"


def test_the_last_part_wins_with_its_curves_and_a_lane_counts_once(store):
    again = planted().iloc[:3].assign(status="diverged")
    write(store, "0010-cc", again)
    write(store, "0009-dd", again.assign(status="failed"))
    results = analysis.read(store)
    assert len(results.lanes) == len(planted())
    assert (results.lanes["status"] == "diverged").sum() == 3
    curves = results.curves
    mine = curves[curves["lane"].isin(again["lane"])]
    assert set(mine["batch_loss"]) == {10.0}
    assert len(curves) == 2 * len(planted())


def test_unreadable_parts_are_skipped_and_named(store):
    parts = store / tables.PARTS
    good = parts / f"0001-aa{tables.LANES_SUFFIX}"
    whole = good.read_bytes()
    (parts / f"0003-cc{tables.LANES_SUFFIX}").write_bytes(whole[: len(whole) // 2])
    (parts / f"0004-dd{tables.LANES_SUFFIX}").write_bytes(b"")
    (parts / f"0005-ee{tables.LANES_SUFFIX}").write_bytes(b"not parquet at all")
    lacking = parts / f"0006-ff{tables.LANES_SUFFIX}"
    planted()[["N", "lane"]].to_parquet(lacking)
    shutil.copy(good, parts / f"0007-gg{tables.LANES_SUFFIX}.tmp")
    results = analysis.read(store)
    assert len(results.lanes) == len(planted())
    said = {bad.file[:4]: bad.why for bad in results.unreadable}
    assert {*said} == {"0003", "0004", "0005", "0006"}
    assert said["0004"] == "it is empty"
    assert said["0006"].startswith("it lacks the columns task, seed, status")


def test_lanes_count_although_their_curves_are_lost(store):
    lost = f"0001-aa{tables.CURVES_SUFFIX}"
    (store / tables.PARTS / lost).unlink()
    results = analysis.read(store)
    assert len(results.lanes) == len(planted())
    assert results.unreadable_curves == ((lost, "it is missing"),)
    assert len(results.curves) == len(planted())


def test_a_store_without_parts_yet_is_empty(tmp_path):
    (tmp_path / tables.PARTS).mkdir()
    results = analysis.read(tmp_path)
    assert len(results.lanes) == len(results.curves) == 0
    assert "status" in results.lanes
    with pytest.raises(ValueError, match="has no rows"):
        analysis.load(tmp_path)


def test_files_are_loaded(tmp_path):
    mup66().to_csv(tmp_path / "a.csv", index=False)
    mup66().to_parquet(tmp_path / "a.parquet")
    for name in ("a.csv", "a.parquet"):
        pd.testing.assert_frame_equal(analysis.load(tmp_path / name), mup66())


@pytest.mark.parametrize(
    ("name", "content", "match"),
    [
        ("a.txt", b"x", "expected .csv or .parquet"),
        ("a.csv", b"", "cannot be read as csv"),
        ("b.csv", b"width,lr,loss\n", "has no rows"),
        ("c.csv", b"a,b\n1,2\n1,2,3\n", "cannot be read as csv"),
        ("d.csv", b"\xff\xfe\x00a,b\n", "cannot be read as csv"),
        ("a.parquet", b"PAR1 but torn", "cannot be read as parquet"),
        ("b.parquet", b"", "cannot be read as parquet"),
    ],
)
def test_files_that_cannot_be_loaded_are_a_clear_error(tmp_path, name, content, match):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ValueError, match=match) as error:
        analysis.load(tmp_path / name)
    assert type(error.value) is ValueError


def test_a_path_that_is_no_store_is_a_clear_error(tmp_path):
    with pytest.raises(ValueError, match="does not exist"):
        analysis.read(tmp_path / "none")
    with pytest.raises(ValueError, match="does not exist"):
        analysis.load(tmp_path / "none")
    with pytest.raises(ValueError, match="is not a store of runs"):
        analysis.read(tmp_path)
    (tmp_path / "file").write_text("x")
    with pytest.raises(ValueError, match="is a file"):
        analysis.read(tmp_path / "file")
