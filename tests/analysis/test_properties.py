import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scaletx import analysis

cell = st.one_of(
    st.floats(0.1, 10), st.just(float("nan")), st.just(float("inf")), st.none()
)


@st.composite
def tables(draw):
    """Any table: losses, diverged and missing cells, one to three seeds."""
    size = st.sampled_from([16, 32, 64, 128, 200])
    sizes = draw(st.lists(size, min_size=1, unique=True))
    rates = draw(st.lists(st.integers(-8, 2), min_size=1, max_size=7, unique=True))
    rows = [
        {"size": size, "lr": 2.0**u, "seed": seed, "loss": draw(cell)}
        for size in sizes
        for u in rates
        for seed in range(draw(st.integers(1, 3)))
    ]
    kept = [row for row in rows if row["loss"] is not None]
    return pd.DataFrame(kept or [rows[0] | {"loss": 1.0}])


def places(v):
    return [each.log2_lr for each in v.optima]


def same(a, b):
    """Compare lists in which None stands for what is unknown."""
    as_numbers = [[np.nan if x is None else x for x in list_] for list_ in (a, b)]
    np.testing.assert_allclose(*as_numbers, atol=1e-7)


@settings(deadline=None, max_examples=60)
@given(tables(), st.floats(0.01, 100))
def test_scaling_the_rate_shifts_the_optima_and_keeps_the_slope(table, factor):
    v = analysis.verdict(table)
    scaled = analysis.verdict(table.assign(lr=table["lr"] * factor))
    shifted = [None if u is None else u + np.log2(factor) for u in places(v)]
    same(places(scaled), shifted)
    same(scaled.drift, v.drift)


@settings(deadline=None, max_examples=60)
@given(tables(), st.sampled_from([2.0**-20, 0.5, 2.0**20]))
def test_scaling_the_loss_keeps_optima_and_verdict(table, factor):
    v = analysis.verdict(table)
    scaled = analysis.verdict(table.assign(loss=table["loss"] * factor))
    same(places(scaled), places(v))
    assert [o.status for o in scaled.optima] == [o.status for o in v.optima]
    assert scaled.verdict is v.verdict


@settings(deadline=None, max_examples=60)
@given(tables(), st.randoms(use_true_random=False))
def test_the_order_of_rows_is_irrelevant(table, random):
    order = list(range(len(table)))
    random.shuffle(order)
    assert analysis.verdict(table.iloc[order]) == analysis.verdict(table)


@settings(deadline=None, max_examples=100)
@given(tables())
def test_diverged_never_wins_and_json_is_strict(table):
    v = analysis.verdict(table)
    json.dumps(v.to_dict(), allow_nan=False)
    assert v.reasons
    assert str(v)
    ended = table[np.isfinite(table["loss"])]
    for each in v.optima:
        if each.seed is not None:
            mine = ended[(ended["size"] == each.size) & (ended["seed"] == each.seed)]
            assert (each.loss is None) == mine.empty
            if each.status not in ("multimodal", "no_data"):
                assert each.loss == mine["loss"].min()
    assert all(row.regret is None or row.regret >= 0 for row in v.regret)


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 10**6))
def test_a_planted_vertex_is_found_to_rounding_without_noise(seed):
    from .planted import planted

    rng = np.random.default_rng(seed)
    slope = rng.uniform(-0.5, 0.5)
    grid = np.cumsum(rng.uniform(0.4, 1.0, 20)) - 12
    v = analysis.verdict(planted(slope, noise=0.0, grid=grid, best=-5.0))
    assert v.drift.slope == pytest.approx(slope, abs=1e-6)
