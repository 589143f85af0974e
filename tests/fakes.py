"""An executor that trains nothing: outcomes follow from the lane alone."""

import numpy as np

from scaletx._types import RunStatus
from scaletx.sweep import spec
from scaletx.training import Outcome


def small(**words):
    """A sweep of two shapes, three rates and two seeds."""
    return spec(**{"n": "8,16", "eta0": "0.01:1:3", "seeds": 2, "steps": 4} | words)


def outcome_of(shape, lane, diverge_above=0.5):
    eta0 = lane.grid[0]
    if eta0 > diverge_above:
        return Outcome(
            status=RunStatus.DIVERGED, first_bad_step=2, last_finite_loss=9.0
        )
    loss = shape[0] + eta0 + lane.seed / 10
    curve = {
        "step": np.array([0, 4]),
        "batch_loss": np.array([np.nan, loss]),
        "train_mse": np.array([1.0, loss]),
        "test_mse": np.array([np.nan, loss]),
    }
    return Outcome(
        status=RunStatus.OK, train_mse=loss, test_mse=loss, run_s=0.1, curve=curve
    )


class Fake:
    """Counts the lanes that it runs; stops or fails where told."""

    def __init__(self, *, fail_shape=None, stop_after=None, outcome=outcome_of):
        self.ran, self.fail_shape, self.stop_after = 0, fail_shape, stop_after
        self.outcome = outcome

    def __call__(self, spec, jobs):
        for job in jobs:
            for i, lane in enumerate(job.lanes):
                if self.ran == self.stop_after:
                    raise KeyboardInterrupt
                self.ran += 1
                if job.shape[0] == self.fail_shape:
                    yield job, i, Outcome(status=RunStatus.FAILED, message="no room")
                else:
                    yield job, i, self.outcome(job.shape, lane)
