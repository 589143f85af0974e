import errno
import hashlib
import os
import shutil
import subprocess

import numpy as np
import pandas as pd
import pytest
from fakes import Fake, small

from scaletx import analysis
from scaletx.sweep import Store, StoreError, run, spec
from scaletx.sweep import store as store_module


def fingerprint(folder):
    files = sorted(p for p in folder.rglob("*") if p.is_file())
    return {
        str(p.relative_to(folder)): (hashlib.sha256(p.read_bytes()).hexdigest(),
                                     p.stat().st_mtime_ns)
        for p in files
    }  # fmt: skip


def comparable(lanes):
    columns = [c for c in lanes if c not in ("compile_s", "run_s")]
    return lanes[columns].sort_values("lane").reset_index(drop=True)


def test_the_same_call_resumes(tmp_path):
    first, second = Fake(), Fake()
    lanes = run(small(), tmp_path / "s", executor=first)
    again = run(small(), tmp_path / "s", executor=second)
    assert (first.ran, second.ran) == (12, 0)
    pd.testing.assert_frame_equal(comparable(lanes), comparable(again))
    assert set(lanes["status"]) == {"ok", "diverged"}
    assert lanes["first_bad_step"].dropna().unique() == [2]


def test_axes_grow_and_subsets_return_their_own_lanes(tmp_path):
    run(small(n=8), tmp_path / "s", executor=Fake())
    more = Fake()
    lanes = run(small(eta0="0.01,0.1,1,2"), tmp_path / "s", executor=more)
    assert more.ran == 16 - 6 and len(lanes) == 16
    subset = run(small(n=16, seeds=1), tmp_path / "s", executor=Fake(stop_after=0))
    assert set(subset["N"]) == {16} and len(subset) == 3
    stored = spec(**Store(tmp_path / "s").stored_words())
    assert len(stored.shapes) == 2 and len(stored.grid[0]) == 4


def test_a_setting_that_differs_is_refused_by_name(tmp_path):
    run(small(), tmp_path / "s", executor=Fake())
    before = fingerprint(tmp_path)
    for words, name in (
        ({"noise": 0.3}, "noise=0.5.*noise=0.3"),
        ({"optimizer": "sgd"}, "optimizer=adam.*optimizer=sgd"),
        ({"centered": False}, "centered=true.*centered=false"),
        ({"kappa": 3}, "kappa=2.0.*kappa=3.0"),
        ({"steps": 9}, "steps=4.*steps=9"),
    ):
        with pytest.raises(StoreError, match=f"was made with {name}"):
            run(small(**words), tmp_path / "s", executor=Fake())
    assert fingerprint(tmp_path) == before


def test_words_left_out_keep_what_the_store_has(tmp_path):
    store = Store(tmp_path / "s")
    run(small(kappa=3, optimizer="sgd"), store.path, executor=Fake())
    same = store.spec({})
    assert same.settings.optimizer == "sgd" and same.shapes == small(kappa=3).shapes
    grown = store.spec({"n": "32"})
    assert grown.shapes == ((32, 96, 160, 16),)
    assert store.spec({"epochs": 1}).settings.steps == 10


def test_sizes_that_the_store_listed_itself_are_asked_for(tmp_path):
    store = Store(tmp_path / "s")
    run(small(k="10,20"), store.path, executor=Fake())
    with pytest.raises(StoreError, match="give k \\(or kappa\\)"):
        store.spec({"n": "32"})
    assert store.spec({"n": "32", "k": "40"}).shapes[0][:2] == (32, 40)


def test_a_foreign_folder_is_left_alone(tmp_path):
    (tmp_path / "thesis.tex").write_text("precious")
    with pytest.raises(StoreError, match="not a store"):
        run(small(), tmp_path, executor=Fake())
    assert [p.name for p in tmp_path.iterdir()] == ["thesis.tex"]
    with pytest.raises(StoreError, match="not a store"):
        Store(tmp_path / "thesis.tex").spec({})


def test_failed_lanes_stay_until_retried(tmp_path):
    lanes = run(small(), tmp_path / "s", executor=Fake(fail_shape=16))
    assert (lanes["status"] == "failed").sum() == 6
    assert set(lanes.loc[lanes["status"] == "failed", "message"]) == {"no room"}
    idle, retry = Fake(), Fake()
    run(small(), tmp_path / "s", executor=idle)
    mended = run(small(), tmp_path / "s", retry=["failed"], executor=retry)
    assert (idle.ran, retry.ran) == (0, 6)
    assert len(mended) == 12 and not (mended["status"] == "failed").any()
    diverged = Fake(outcome=lambda s, lane: Fake().outcome(s, lane, 10.0))
    healed = run(small(), tmp_path / "s", retry=["diverged"], executor=diverged)
    assert diverged.ran == 4 and set(healed["status"]) == {"ok"}


def test_rerun_replaces_the_lanes_of_this_call_only(tmp_path):
    run(small(), tmp_path / "s", executor=Fake())
    again = Fake(outcome=lambda s, lane: Fake().outcome((s[0] + 100,), lane))
    run(small(n=8), tmp_path / "s", rerun=True, executor=again)
    lanes = analysis.read(tmp_path / "s").lanes
    ok = lanes[lanes["status"] == "ok"]
    assert again.ran == 6 and len(lanes) == 12
    assert (ok.loc[ok["N"] == 8, "train_mse"] > 100).all()
    assert (ok.loc[ok["N"] == 16, "train_mse"] < 100).all()


def test_an_interrupt_keeps_what_had_ended(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        run(small(), tmp_path / "s", executor=Fake(stop_after=8))
    assert len(analysis.read(tmp_path / "s").lanes) == 8
    rest = Fake()
    lanes = run(small(), tmp_path / "s", executor=rest)
    whole = run(small(), tmp_path / "t", executor=Fake())
    assert rest.ran == 4
    pd.testing.assert_frame_equal(comparable(lanes), comparable(whole))


@pytest.mark.parametrize("kind", ["lanes", "curves"])
@pytest.mark.parametrize("damage", ["torn", "empty", "garbage"])
def test_a_torn_part_is_named_set_aside_and_run_again(tmp_path, kind, damage):
    folder = tmp_path / "s"
    whole = run(small(), folder, executor=Fake())
    victim = sorted((folder / "parts").glob(f"*.{kind}.parquet"))[0]
    content = victim.read_bytes()
    victim.write_bytes(
        {"torn": content[: len(content) // 2], "empty": b"", "garbage": b"x" * 999}[
            damage
        ]
    )
    before = fingerprint(folder)
    analysis.read(folder)
    assert fingerprint(folder) == before  # readers change nothing
    notes, rest = [], Fake()
    lanes = run(small(), folder, executor=rest, report=lambda p: notes.append(p.note))
    part = victim.name.split(".")[0]
    assert any(part in note and "cannot be read" in note for note in notes)
    assert rest.ran == 6
    assert {p.name.split(".")[0] for p in (folder / "set-aside").iterdir()} == {part}
    pd.testing.assert_frame_equal(comparable(lanes), comparable(whole))


def test_reading_writes_nothing(tmp_path):
    run(small(), tmp_path / "s", executor=Fake())
    before = fingerprint(tmp_path)
    results = analysis.read(tmp_path / "s")
    assert len(results.curves) == 2 * 8
    Store(tmp_path / "s").spec({})
    analysis.load(tmp_path / "s")
    assert fingerprint(tmp_path) == before


def test_a_full_disk_stops_cleanly(tmp_path, monkeypatch):
    folder = tmp_path / "s"
    run(small(n=8), folder, executor=Fake())
    whole = store_module.pq.write_table

    def full(table, path):
        whole(table, path)
        os.truncate(path, 100)
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(store_module.pq, "write_table", full)
    with pytest.raises(OSError, match="No space left.*What was finished is safe; free"):
        run(small(), folder, executor=Fake())
    monkeypatch.undo()
    assert not list(folder.rglob("*.writing-*"))
    assert len(analysis.read(folder).lanes) == 6
    rest = Fake()
    assert len(run(small(), folder, executor=rest)) == 12 and rest.ran == 6


def test_a_really_full_disk_stops_cleanly(tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=128k", "tmpfs", str(disk)]
    if (
        shutil.which("mount") is None
        or subprocess.run(mount, capture_output=True).returncode
    ):
        pytest.skip("a small tmpfs cannot be mounted here (needs root)")
    try:
        seeds, done = 0, 0
        with pytest.raises(OSError, match="What was finished is safe"):
            for seeds in range(1, 200):
                done = len(run(small(seeds=seeds), disk / "s", executor=Fake()))
        assert seeds > 1 and len(analysis.read(disk / "s").lanes) >= done > 0
        shutil.copytree(disk / "s", tmp_path / "s")
        lanes = run(small(seeds=seeds), tmp_path / "s", executor=Fake())
        assert len(lanes) == 6 * seeds
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def test_old_temporary_files_go_fresh_ones_stay(tmp_path):
    folder = tmp_path / "s"
    run(small(), folder, executor=Fake())
    old, fresh = folder / "parts/a.writing-1", folder / "parts/b.writing-2"
    for file in (old, fresh):
        file.write_text("half")
    os.utime(old, (0, 0))
    run(small(), folder, executor=Fake())
    assert not old.exists() and fresh.exists()


def test_a_job_that_raises_fails_its_own_lanes_only(tmp_path, monkeypatch):
    s = small()
    task = s.definition
    good = type(task).run

    def broken(self, shape, lanes, settings):
        if shape[0] == 16:
            raise MemoryError("out of memory: 1 GB")
        return good(self, shape, lanes, settings)

    monkeypatch.setattr(type(task), "run", broken)
    lanes = run(s, tmp_path / "s")
    failed = lanes[lanes["status"] == "failed"]
    assert set(failed["N"]) == {16} and len(failed) == 6
    assert set(failed["message"]) == {"MemoryError: out of memory: 1 GB"}
    assert (lanes.loc[lanes["N"] == 8, "status"] == "ok").any()


def test_sizes_that_the_regime_forbids_are_refused_and_leave_the_store_whole(tmp_path):
    words = {"regime": "k-only", "k": "16,32", "eta0": "0.1", "seeds": 1, "steps": 2}
    run(spec(n=16, **words), tmp_path / "s", executor=Fake())
    before = fingerprint(tmp_path)
    with pytest.raises(
        StoreError, match="cannot take these sizes in.*keeps N, P and B"
    ):
        run(spec(n=32, **words), tmp_path / "s", executor=Fake())
    assert fingerprint(tmp_path) == before


def test_two_sweeps_of_one_folder_keep_both_their_axes(tmp_path):
    """The second starts and ends while the first runs."""
    folder, inner = tmp_path / "s", Fake()

    class Meanwhile(Fake):
        def __call__(self, spec, jobs):
            run(small(n=32), folder, executor=inner)
            # What a slower process would do: write the axes that it read before.
            (folder / "spec.toml").write_text(small().to_toml())
            yield from super().__call__(spec, jobs)

    run(small(), folder, executor=Meanwhile())
    run(small(n=32), folder, executor=Fake(stop_after=0))
    stored = spec(**Store(folder).stored_words())
    assert {shape[0] for shape in stored.shapes} == {8, 16, 32}
    assert len(analysis.read(folder).lanes) == 18


def test_a_folder_of_images_may_move(tmp_path):
    def cifar(folder):
        (tmp_path / folder).mkdir()
        record = np.zeros(3073, np.uint8)
        names = [f"data_batch_{i}.bin" for i in range(1, 6)] + ["test_batch.bin"]
        for k, name in enumerate(names):
            images = np.random.default_rng(k).integers(0, 256, (40, 3073), np.uint8)
            images[:, 0] = record[0]
            images.tofile(tmp_path / folder / name)
        return small(n=16, p=20, b=4, data=f"cifar10:{tmp_path / folder}")

    first, second = cifar("here"), cifar("there")
    run(first, tmp_path / "s", executor=Fake())
    again = Fake()
    lanes = run(second, tmp_path / "s", executor=again)
    assert again.ran == 0 and len(lanes) == 6
    assert not lanes["data"].str.contains("here").any()
    assert "there" in Store(tmp_path / "s").stored_words()["data"]
    with pytest.raises(StoreError, match="was made with data="):
        run(small(n=16, p=20, b=4), tmp_path / "s", executor=Fake())
