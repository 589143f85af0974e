import numpy as np
import pytest

from scaletx.training.task import outcome

NAN, INF = np.nan, np.inf


def of(batch_loss, train_mse=(0.5,), test_mse=(0.6,), initial=1.0, every=1, ends=None):
    return outcome(
        np.array(batch_loss, np.float32),
        np.array(train_mse, np.float32),
        np.array(test_mse, np.float32),
        initial_mse=initial,
        eval_steps=ends or [len(batch_loss)],
        log_every=every,
    )


def test_a_lane_that_ends_well():
    one = of([1.0, 0.75, 0.5])
    assert one.status == "ok"
    assert (one.train_mse, one.test_mse) == pytest.approx((0.5, 0.6))
    assert (one.first_bad_step, one.last_finite_loss) == (None, None)


@pytest.mark.parametrize("bad", [NAN, INF, -INF])
def test_a_loss_that_is_not_finite(bad):
    one = of([1.0, 0.75, bad, 0.5], train_mse=[0.5])
    assert one.status == "diverged"
    assert (one.first_bad_step, one.last_finite_loss) == (2, 0.75)
    assert one.train_mse == 0.5  # a fact, although the lane counts as diverged


def test_the_first_batch_may_be_bad_already():
    one = of([NAN, NAN], train_mse=[NAN], initial=NAN)
    assert one.status == "diverged"
    assert (one.first_bad_step, one.last_finite_loss) == (0, None)


@pytest.mark.parametrize("bad", [NAN, INF])
def test_parameters_that_the_last_step_broke(bad):
    one = of([1.0, 0.75], train_mse=[bad], test_mse=[bad])
    assert one.status == "diverged"
    assert (one.first_bad_step, one.last_finite_loss) == (2, 0.75)
    assert np.isnan(one.train_mse) and np.isnan(one.test_mse)


def test_ten_times_the_initial_loss():
    assert of([1.0, 9.0], train_mse=[9.99]).status == "ok"
    assert of([1.0, 9.0], train_mse=[10.0]).status == "ok"
    one = of([1.0, 9.0], train_mse=[10.01])
    assert one.status == "diverged"
    assert (one.first_bad_step, one.last_finite_loss) == (None, 9.0)
    assert one.train_mse == pytest.approx(10.01)
    # Only the end counts: an early peak that is overcome is none.
    assert of([1.0, 50.0, 0.5], train_mse=[50.0, 0.5], ends=[2, 3]).status == "ok"


def test_the_curve_averages_over_windows_that_end_where_they_say():
    one = of(
        [1.0, 2, 3, 4, 5],
        train_mse=[7.0, 8.0],
        test_mse=[9.0, 6.0],
        every=2,
        ends=[3, 5],
        initial=6.5,
    )
    curve = one.curve
    assert list(curve["step"]) == [0, 2, 3, 4, 5]
    np.testing.assert_array_equal(curve["batch_loss"], [NAN, 1.5, NAN, 3.5, 5])
    np.testing.assert_array_equal(curve["train_mse"], [6.5, NAN, 7, NAN, 8])
    np.testing.assert_array_equal(curve["test_mse"], [NAN, NAN, 9, NAN, 6])


def test_the_curve_has_nan_where_there_is_no_number():
    one = of([1.0, 3.0, INF, NAN, -INF, INF], every=2, train_mse=[INF])
    np.testing.assert_array_equal(one.curve["batch_loss"], [NAN, 2, NAN, NAN])
    np.testing.assert_array_equal(one.curve["train_mse"], [1, NAN, NAN, NAN])


def test_a_window_longer_than_the_run():
    one = of([1.0, 2.0], every=10)
    assert list(one.curve["step"]) == [0, 2]
    assert one.curve["batch_loss"][1] == 1.5
