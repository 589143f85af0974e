from dataclasses import replace

import pandas as pd
import pytest
from fakes import small

from scaletx.sweep import lane_key, plan, spec
from scaletx.sweep.plan import every_lane
from scaletx.training import Lane


def keys(s):
    return [key for _, _, key in every_lane(s)]


def test_every_lane_has_its_own_key():
    s = small()
    assert len(set(keys(s))) == len(keys(s)) == 12


@pytest.mark.parametrize(
    "words",
    [
        {"optimizer": "sgd"},
        {"activation": "relu:2"},
        {"noise": 0.25},
        {"centered": False},
        {"parameterization": "sp"},
        {"steps": 5},
        {"biases": "zero"},
        {"biases": "zero", "eta_b0": 0.1},
        {"eps0": 1e-6},
        {"fixed_eps": True},
        {"b1": 0.8},
        {"b2": 0.99},
        {"schedule": "cosine"},
        {"fixed_order": True},
        {"precision": "bfloat16"},
        {"k": "9,18"},
        {"p": 33},
        {"b": 2},
        {"optimizer": "sgd", "data_aware": True},
    ],
)
def test_what_changes_the_numbers_changes_the_key(words):
    assert not set(keys(small())) & set(keys(small(**words)))


def test_what_does_not_change_the_numbers_does_not_change_the_key():
    same = keys(small())
    assert keys(small(log_every=3)) == keys(small(eval_every=2)) == same
    assert keys(small(allow_no_rule=True)) == same
    assert set(same) < set(keys(small(seeds=3)))
    assert keys(small(noise=0.5 + 1e-12)) == same


def test_the_data_files_are_part_of_the_key():
    s = spec(n=36, data="patches", steps=2)
    shape, lane = s.shapes[0], Lane((0.1,), 0)
    digest = s.definition.digest(s.settings)
    assert digest.startswith("patches:") and len(digest) == 24
    assert lane_key(s, shape, lane, digest) != lane_key(s, shape, lane, "other")


def test_keys_are_stable():
    """A change here orphans every store: raise SCHEMA if numbers changed, else mend."""
    s = spec(n=8, eta0=0.1, seeds=1, steps=4)
    assert keys(s)[0][:16] == "6302403b30be77f1"


def finished(s, status="ok"):
    rows = [
        dict(zip("NKPB", shape, strict=True))
        | {"lane": key, "status": status, "run_s": 0.5}
        for shape, _, key in every_lane(s)
    ]
    return pd.DataFrame(rows)


def test_finished_lanes_are_subtracted():
    everything, part = small(), small(n=8)
    p = plan(everything, finished(part))
    assert p.counts == {"ok": 6, "diverged": 0, "failed": 0, "todo": 6}
    assert {job.shape[0] for job in p.jobs} == {16}
    assert p.seconds is not None and p.compiles == 1
    assert plan(everything, finished(everything)).jobs == ()


def test_statuses_can_be_asked_for_again():
    s = small()
    table = finished(s, status="failed")
    assert plan(s, table).counts["failed"] == 12
    assert plan(s, table, again={"failed"}).counts["todo"] == 12
    assert plan(s, table, again={"diverged"}).counts["todo"] == 0


def test_jobs_hold_each_lane_once_largest_shapes_first():
    s = small(n="16,8,32", p=400, b=40)
    p = plan(s)
    assert sorted(k for job in p.jobs for k in job.keys) == sorted(keys(s))
    assert [job.shape[0] for job in p.jobs] == [32, 16, 8]
    big = replace(s, shapes=((4096, 8192, 20480, 2048),))
    jobs = plan(big, devices=2).jobs
    assert [len(job.lanes) for job in jobs] == [2, 2, 2]
    assert len({job.name for job in jobs}) == 3
