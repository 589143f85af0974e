"""`kill -9` in mid-sweep, again and again, then the same command."""

import os
import signal
import subprocess
import sys
import time

import pandas as pd
import pytest

from scaletx import analysis

# Jobs of few lanes each, so that there is much to interrupt.
SWEEP = """
import importlib, sys
importlib.import_module("scaletx.sweep.plan").JOB_FLOPS = 1.0
from scaletx.cli import main
main(["sweep", sys.argv[1], "--n", "8,16", "--eta0", "0.01:1:6", "--seeds", "3",
      "--steps", "2000", "--progress", "none"])
"""


def start(folder):
    return subprocess.Popen(
        [sys.executable, "-c", SWEEP, str(folder)], stderr=subprocess.PIPE
    )


def finish(folder):
    process = start(folder)
    _, stderr = process.communicate(timeout=300)
    assert process.returncode == 0, stderr.decode()
    lanes = analysis.read(folder).lanes.drop(columns=["compile_s", "run_s"])
    return lanes.sort_values("lane").reset_index(drop=True)


@pytest.mark.slow
def test_killed_sweeps_lose_nothing_that_was_finished(tmp_path):
    folder = tmp_path / "killed"
    kills = 0
    for more in (1, 2, 3):
        wanted = len(list(folder.glob("parts/*.lanes.parquet"))) + more
        process = start(folder)
        deadline = time.monotonic() + 120
        while process.poll() is None and time.monotonic() < deadline:
            if len(list(folder.glob("parts/*.lanes.parquet"))) >= wanted:
                os.kill(process.pid, signal.SIGKILL)
                kills += 1
                break
            time.sleep(0.001)
        process.communicate()
        seen = analysis.read(folder)
        assert seen.unreadable == () and len(seen.lanes) >= wanted
    assert kills == 3
    before = len(analysis.read(folder).lanes)
    lanes = finish(folder)
    assert len(lanes) == 36 > before
    parts = [pd.read_parquet(p) for p in folder.glob("parts/*.lanes.parquet")]
    assert sum(map(len, parts)) == 36  # no finished lane ran twice
    pd.testing.assert_frame_equal(lanes, finish(tmp_path / "undisturbed"))
