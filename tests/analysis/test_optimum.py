import numpy as np
import pandas as pd
import pytest

from scaletx.analysis.optimum import OptimumStatus, minima

GRID = np.arange(-6.0, 1.0)


def one(loss, grid=GRID, **words):
    (found,) = minima(grid, np.array(loss, float), **words)
    return found


@pytest.mark.parametrize("vertex", [-4.49, -4.0, -3.2, -2.0])
def test_a_parabola_gives_its_vertex_on_any_grid(vertex):
    for grid in (GRID, np.array([-6.0, -5.5, -4.7, -4.0, -3.1, -2.9, -1.0, 0.5])):
        found = one((grid - vertex) ** 2, grid)
        assert found.log2_lr == pytest.approx(vertex)
        assert found.status is OptimumStatus.BRACKETED


def test_the_interval_is_half_a_step_on_each_side():
    grid = np.array([-4.0, -3.0, -2.5])
    found = one([2, 1, 2], grid)
    assert found.low == pytest.approx(found.log2_lr - 0.5)
    assert found.high == pytest.approx(found.log2_lr + 0.25)


@pytest.mark.parametrize("missing", [np.nan, np.inf])
@pytest.mark.parametrize("side", [2, 4])
def test_a_neighbor_that_diverged_or_is_missing_makes_it_coarse(side, missing):
    loss = (GRID - GRID[3]) ** 2
    loss[side] = missing
    found = one(loss)
    assert found.status is OptimumStatus.COARSE
    assert found.log2_lr == GRID[3]
    step = 1 if np.isinf(missing) else 2
    reach = (found.log2_lr - found.low, found.high - found.log2_lr)
    assert reach == ((step / 2, 0.5) if side == 2 else (0.5, step / 2))


def test_the_last_rate_before_divergence_is_bracketed_by_it():
    found = one([6, 5, 4, 3, 2, np.inf, np.inf])
    assert found.status is OptimumStatus.COARSE
    assert found.log2_lr == GRID[4]


@pytest.mark.parametrize(
    ("loss", "status"),
    [
        ([6, 5, 4, 3, 2, 1, 0], OptimumStatus.NOT_BRACKETED_HIGH),
        ([0, 1, 2, 3, 4, 5, 6], OptimumStatus.NOT_BRACKETED_LOW),
        ([6, 5, 4, 3, 2, 1, np.nan], OptimumStatus.NOT_BRACKETED_HIGH),
        ([np.nan, 1, 2, 3, 4, 5, np.inf], OptimumStatus.NOT_BRACKETED_LOW),
    ],
)
def test_an_edge_is_never_an_optimum(loss, status):
    found = one(loss)
    assert found.status is status
    assert (found.low is None) == (status is OptimumStatus.NOT_BRACKETED_LOW)
    assert (found.high is None) == (status is OptimumStatus.NOT_BRACKETED_HIGH)


def test_a_second_minimum_counts_within_its_noise_and_beyond_two_steps():
    loss = [3, 1.0, 2, 2.5, 2, 1.1, 3]
    assert one(loss, noise=0.05).log2_lr == pytest.approx(-5 - 1 / 6 + 0.5 / 3, abs=0.2)
    first, second = minima(GRID, np.array(loss), noise=0.2)
    assert first.status is second.status is OptimumStatus.MULTIMODAL
    assert (first.loss, second.loss) == (1.0, 1.1)
    near = [3, 2, 1.0, 2, 1.1, 2, 3]
    assert one(near, noise=0.2).status is OptimumStatus.BRACKETED


def test_divergence_never_wins():
    assert one([np.inf] * 6 + [5]).log2_lr == 0.0
    assert one([np.inf] * 7).status is OptimumStatus.NO_DATA
    assert one([np.nan] * 7).log2_lr is None


def test_a_flat_bottom_stays_at_its_grid_point():
    assert one([2, 1, 1, 1, 2], np.arange(5.0)).log2_lr == pytest.approx(1.5)
    assert one([1, 1, 1], np.arange(3.0)).status is OptimumStatus.NOT_BRACKETED_LOW


def test_a_missing_cell_does_not_shift_the_mean():
    """Seeds differ by offsets larger than the basin is deep; one run is missing."""
    from scaletx import analysis

    rows = [
        {
            "N": n,
            "lr": 2.0**u,
            "seed": seed,
            "loss": 1 + seed / 10 + (u + 3.1) ** 2 / 99,
        }
        for n in (32, 64, 128, 256)
        for seed in range(3)
        for u in range(-7, 0)
    ]
    whole = pd.DataFrame(rows)
    hole = whole[~((whole["N"] == 32) & (whole["seed"] == 2) & (whole["lr"] == 0.25))]
    means = [
        [o.log2_lr for o in analysis.verdict(table).optima if o.seed is None]
        for table in (whole, hole)
    ]
    np.testing.assert_allclose(means[0], -3.1, atol=1e-9)
    np.testing.assert_allclose(means[1], -3.1, atol=1e-9)
