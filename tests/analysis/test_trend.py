"""Powers of the size of what happens inside: planted ones are found."""

import numpy as np
import pandas as pd
import pytest

from scaletx import analysis

SIZES = (32, 64, 128, 256)


def planted(power, *, sizes=SIZES, seeds=4, noise=0.02):
    """Curves size^power exp(-t), with an offset for each seed, NaN in a last row."""
    rng = np.random.default_rng(0)
    lanes, curves = [], []
    steps = np.arange(0, 41, 10)
    for size in sizes:
        for seed in range(seeds):
            lane = f"{size}-{seed}"
            value = size**power * np.exp(-steps / 50 + noise * rng.normal())
            value[-1] = np.nan
            lanes.append({"N": size, "seed": seed, "lane": lane})
            curves.append(pd.DataFrame({"lane": lane, "step": steps, "spike": value}))
    return pd.DataFrame(lanes), pd.concat(curves, ignore_index=True)


@pytest.mark.parametrize(
    "power, answer",
    [(1, "grows"), (0.3, "grows"), (0, "flat"), (0.05, "flat"), (-0.5, "falls")],
)
def test_planted_powers(power, answer):
    found = analysis.trend(*planted(power), curve="spike")
    assert found.answer == answer
    assert found.slope == pytest.approx(power, abs=0.03)


def test_noise_and_a_power_at_the_margin_leave_it_open():
    for power, spread in ((0.15, 0.1), (0.0, 1.0)):
        lanes, curves = planted(power, noise=0)
        sign = {lane: 1 if lane[-1] in "02" else -1 for lane in lanes["lane"]}
        curves["spike"] *= np.exp(spread * curves["lane"].map(sign))
        found = analysis.trend(lanes, curves, curve="spike")
        assert found.answer == "cannot tell"
        assert found.slope == pytest.approx(power) and found.low < 0.15 < found.high


def test_the_interval_covers_the_planted_power():
    """19 of 20 intervals, and so at least 85 of 100."""
    inside = 0
    rng = np.random.default_rng(1)
    for _ in range(100):
        lanes, curves = planted(0.2, noise=0)
        shift = np.exp(0.1 * rng.normal(size=len(lanes)))
        of_lane = dict(zip(lanes["lane"], shift, strict=True))
        curves["spike"] *= curves["lane"].map(of_lane)
        found = analysis.trend(lanes, curves, curve="spike")
        inside += found.low <= 0.2 <= found.high
    assert 85 <= inside <= 100


def test_two_sizes_are_not_enough():
    found = analysis.trend(*planted(1, sizes=(32, 64)), curve="spike")
    assert found.answer == "cannot tell" and found.slope is None


def test_what_is_refused():
    lanes, curves = planted(1)
    with pytest.raises(ValueError, match="no column 'bulk': there are lane, step"):
        analysis.trend(lanes, curves, curve="bulk")
    with pytest.raises(ValueError, match="no column 'K'"):
        analysis.trend(lanes, curves, curve="spike", size="K")
    with pytest.raises(ValueError, match="margin"):
        analysis.trend(lanes, curves, curve="spike", margin=0)
    curves.loc[3, "spike"] = 0.0
    with pytest.raises(ValueError, match="spike is 0 at N = 32"):
        analysis.trend(lanes, curves, curve="spike")
