import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scaletx.training import DenseAMSettings
from scaletx.training.denseam import batch_order, eval_steps


@given(
    B=st.integers(1, 9),
    more=st.integers(0, 20),
    steps=st.integers(1, 40),
    seed=st.integers(0, 5),
    fixed=st.booleans(),
)
def test_epochs_are_permutations_cut_into_batches(B, more, steps, seed, fixed):
    P = B + more
    order = batch_order(P=P, B=B, steps=steps, seed=seed, fixed=fixed)
    assert order.shape == (steps, B)
    assert order.dtype == np.int32
    assert order.min() >= 0 and order.max() < P
    each = P // B
    for first in range(0, steps, each):
        drawn = order[first : first + each].ravel()
        assert len(set(drawn)) == len(drawn)


def test_a_fresh_order_every_epoch_unless_fixed():
    shuffled = batch_order(P=40, B=10, steps=12, seed=0)
    fixed = batch_order(P=40, B=10, steps=12, seed=0, fixed=True)
    np.testing.assert_array_equal(fixed[:4], shuffled[:4])
    np.testing.assert_array_equal(fixed[4:8], fixed[:4])
    np.testing.assert_array_equal(fixed[8:], fixed[:4])
    assert (shuffled[4:8] != shuffled[:4]).any()
    assert (shuffled[8:] != shuffled[4:8]).any()


def test_every_sample_is_used_over_the_epochs_even_if_some_drop_out_of_each():
    order = batch_order(P=13, B=4, steps=60, seed=0)
    assert set(order.ravel()) == set(range(13))


@pytest.mark.parametrize("fixed", [False, True])
def test_the_first_steps_do_not_depend_on_how_many_follow(fixed):
    long = batch_order(P=13, B=4, steps=50, seed=2, fixed=fixed)
    for steps in (1, 3, 17):
        short = batch_order(P=13, B=4, steps=steps, seed=2, fixed=fixed)
        np.testing.assert_array_equal(short, long[:steps])


def test_the_seed_decides():
    a, b = (batch_order(P=40, B=10, steps=4, seed=s) for s in (0, 1))
    assert (a != b).any()
    np.testing.assert_array_equal(a, batch_order(P=40, B=10, steps=4, seed=0))


@pytest.mark.parametrize(
    "steps, every, expected",
    [
        (10, None, [10]),
        (10, 5, [5, 10]),
        (10, 4, [4, 8, 10]),
        (10, 10, [10]),
        (10, 99, [10]),
        (1, 1, [1]),
    ],
)
def test_evaluations_happen_every_so_often_and_at_the_end(steps, every, expected):
    assert eval_steps(DenseAMSettings(steps=steps, eval_every=every)) == expected
