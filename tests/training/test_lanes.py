"""The `denseam` task: lanes of one shape as one compiled program."""

import json
import os
import subprocess
import sys

import jax
import numpy as np
import oracles
import pytest

from scaletx import DenseAM, Sizes
from scaletx.data import data_set, denoising, lambda_max
from scaletx.training import DenseAMSettings, DenseAMTask, Lane, program
from scaletx.training import denseam as module
from scaletx.training.denseam import batch_order

SHAPE = (6, 10, 26, 4)
RATES = (0.01, 0.03, 0.1, 0.3)


def run(lanes, settings=None, *, shape=SHAPE, at_once=None, **words):
    settings = settings or DenseAMSettings(**{"steps": 8, "log_every": 1, **words})
    found = {}
    for done in DenseAMTask(at_once).run(shape, lanes, settings):
        for i, one in done:
            assert i not in found
            found[i] = one
    assert sorted(found) == list(range(len(lanes)))
    return [found[i] for i in range(len(lanes))]


def grid(rates=RATES, seeds=(0,)):
    return [Lane((rate,), seed) for seed in seeds for rate in rates]


def same(a, b, rtol=0.0):
    """Everything measured, bit by bit, or up to rounding."""
    assert (a.status, a.first_bad_step) == (b.status, b.first_bad_step)
    pairs = [(a.train_mse, b.train_mse), (a.test_mse, b.test_mse)]
    pairs += [(a.curve[name], b.curve[name]) for name in a.curve]
    for one, other in pairs:
        if rtol:
            np.testing.assert_allclose(one, other, rtol=rtol)
        else:
            np.testing.assert_array_equal(one, other)


def reference(lane, settings, shape=SHAPE):
    """A lane's curves, by the plain loop."""
    sizes = Sizes(*shape)
    p = settings.prescription(sizes)
    data = denoising(
        data_set(settings.data),
        N=sizes.N,
        P=sizes.P,
        seed=lane.seed,
        noise=settings.noise,
    )
    model = DenseAM(p, key=jax.random.key(lane.seed))
    theta = tuple(
        np.zeros(n) if a is None else np.asarray(a, np.float64)
        for a, n in ((model.W, 0), (model.b, sizes.K), (model.c, sizes.N))
    )
    o = oracles.Oracle(p.s1, p.s2, p.activation, p.centered)
    x, y, test_x, test_y = (np.asarray(a, np.float64).T for a in data)
    G, test_G = oracles.features(o, x), oracles.features(o, test_x)
    (eta0,) = lane.grid
    top = np.linalg.eigvalsh(G @ G.T / sizes.P)[-1] if settings.data_aware else 1.0
    eta_b0 = eta0 if settings.eta_b0 is None else settings.eta_b0
    rates = eta0 * p.m_W / top, eta_b0 * p.m_b, eta0 * p.m_c
    if p.eps is None:
        step = oracles.sgd(rates)
    else:
        eps = [p.eps[role] for role in "Wbc"]
        step = oracles.adam(rates, eps, settings.b1, settings.b2)
    t = np.arange(settings.steps) / settings.steps
    factors = {
        "constant": 0 * t + 1,
        "linear": 1 - t,
        "cosine": (1 + np.cos(np.pi * t)) / 2,
    }[settings.schedule]
    order = batch_order(
        P=sizes.P,
        B=sizes.B,
        steps=settings.steps,
        seed=lane.seed,
        fixed=settings.fixed_order,
    )
    first = oracles.mse(o, theta, G, y)
    theta, losses = oracles.train(
        o, theta, step, G, y, order, factors=factors, biases=p.biases != "off"
    )
    return (
        first,
        losses,
        oracles.mse(o, theta, G, y),
        oracles.mse(o, theta, test_G, test_y),
    )


@pytest.mark.parametrize(
    "words",
    [
        dict(optimizer="sgd"),
        dict(optimizer="adam", biases="normal", eta_b0=0.02),
        dict(optimizer="adam", activation="softmax", schedule="cosine"),
        dict(optimizer="sgd", schedule="linear", data_aware=True, fixed_order=True),
        dict(optimizer="sgd", regime="k-only", biases="zero", live_inner_bias=True),
        dict(optimizer="adam", parameterization="sp", b1=0.8, b2=0.95),
        dict(optimizer="sgd", activation="linear", data_aware=True),
    ],
    ids=str,
)
def test_a_lane_is_the_reference_loop(words):
    settings = DenseAMSettings(**{"steps": 12, "log_every": 1, "eps0": 1e-3, **words})
    lanes = [Lane((0.02,), 0), Lane((0.05,), 3)]
    for lane, one in zip(lanes, run(lanes, settings), strict=True):
        initial, losses, final, final_test = reference(lane, settings)
        assert one.status == "ok"
        assert one.curve["train_mse"][0] == pytest.approx(initial, rel=1e-5)
        np.testing.assert_allclose(one.curve["batch_loss"][1:], losses, rtol=2e-4)
        assert one.train_mse == pytest.approx(final, rel=2e-4)
        assert one.test_mse == pytest.approx(final_test, rel=2e-4)


def test_photo_patches_train_too():
    settings = DenseAMSettings(
        data="patches", optimizer="sgd", data_aware=True, steps=6, log_every=1
    )
    shape = (36, 40, 60, 6)
    (one,) = run([Lane((0.1,), 1)], settings, shape=shape)
    _, losses, final, _ = reference(Lane((0.1,), 1), settings, shape)
    np.testing.assert_allclose(one.curve["batch_loss"][1:], losses, rtol=5e-4)
    assert one.train_mse == pytest.approx(final, rel=5e-4)


def test_the_data_aware_rate_is_the_plain_one_over_lambda_max():
    data = denoising(data_set("isotropic"), N=6, P=26, seed=0, noise=0.5)
    top = lambda_max(np.tanh(data.inputs))
    (aware,) = run([Lane((0.1,), 0)], optimizer="sgd", data_aware=True)
    (plain,) = run([Lane((0.1 / top,), 0)], optimizer="sgd")
    same(aware, plain, rtol=1e-5)


# Independence


def test_adding_lanes_changes_nothing():
    some = run(grid(RATES[1:2], seeds=(1,)))
    many = run(grid(seeds=(0, 1, 2)))
    same(some[0], many[len(RATES) + 1])


@pytest.mark.parametrize("at_once", [1, 4])
def test_a_diverged_lane_never_changes_its_neighbors(at_once):
    words = dict(optimizer="sgd", steps=30, at_once=at_once)
    mild = run(grid((0.01, 0.02, 0.03)), **words)
    wild = run(grid((0.01, 1e6, 0.03)), **words)
    assert wild[1].status == "diverged" and mild[1].status == "ok"
    for i in (0, 2):
        same(mild[i], wild[i])


def test_a_diverged_lane_says_when_and_from_where():
    _, wild = run(grid((0.01, 1e6)), optimizer="sgd", steps=30)
    losses = wild.curve["batch_loss"][1:]
    first = wild.first_bad_step
    assert 0 < first < 30
    assert np.isfinite(losses[:first]).all() and not np.isfinite(losses[first:]).any()
    assert wild.last_finite_loss == losses[first - 1] > 1
    assert np.isnan(wild.train_mse) and np.isnan(wild.test_mse)


def test_a_finite_loss_above_ten_times_the_first_is_diverged():
    (one,) = run(grid((30.0,)), activation="linear", optimizer="adam")
    assert one.status == "diverged"
    assert one.first_bad_step is None
    assert one.train_mse > 10 * one.curve["train_mse"][0]
    assert one.last_finite_loss == one.curve["batch_loss"][-1]


def test_lanes_side_by_side_differ_by_rounding_only():
    lanes = grid((*RATES, 0.2), seeds=(0, 1))
    alone = run(lanes, biases="normal", at_once=1)
    together = run(lanes, biases="normal", at_once=4)
    for a, b in zip(alone, together, strict=True):
        assert (a.at_once, b.at_once) == (1, 4)
        same(a, b, rtol=2e-4)


@pytest.mark.slow
def test_the_number_of_devices_changes_results_by_rounding_only():
    script = """
import json, jax
from scaletx.training import DenseAMSettings, DenseAMTask, Lane
lanes = [Lane((r,), s) for s in (0, 1, 2) for r in (0.01, 0.03, 0.1, 0.3)]
settings = DenseAMSettings(steps=8)
found = {}
for done in DenseAMTask().run((6, 10, 26, 4), lanes, settings):
    found.update({i: (one.train_mse, one.test_mse, one.status) for i, one in done})
print(json.dumps([jax.device_count(), [found[i] for i in range(len(lanes))]]))
"""
    answers = {}
    for n in (1, 2, 3):
        done = subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, "JAX_NUM_CPU_DEVICES": str(n), "JAX_PLATFORMS": "cpu"},
            capture_output=True,
            text=True,
            check=True,
        )
        devices, answers[n] = json.loads(done.stdout)
        assert devices == n
    here = run(grid(seeds=(0, 1, 2)), log_every=10)
    for n, rows in answers.items():
        for (train_mse, test_mse, status), one in zip(rows, here, strict=True):
            assert status == one.status, n
            assert train_mse == pytest.approx(one.train_mse, rel=1e-4)
            assert test_mse == pytest.approx(one.test_mse, rel=1e-4)


# Compilation


def test_one_compilation_for_all_rates_seeds_and_numbers_of_lanes(compiles):
    module._program.cache_clear()
    settings = DenseAMSettings(steps=7)
    first = run(grid((0.01,)), settings)
    assert len(compiles) == 1
    assert first[0].compile_s > 0
    second = run(grid((0.02, 0.5, 1e6), seeds=(5, 6)), settings)
    third = run(grid(np.geomspace(0.01, 1, 70)), settings)
    assert len(compiles) == 1
    assert {one.compile_s for one in (*second, *third)} == {0.0}
    run(grid((0.01,)), settings, shape=(6, 10, 26, 5))
    assert len(compiles) == 2


def test_seeds_make_other_lanes():
    a, b = run(grid((0.1,), seeds=(0, 1)))
    assert a.curve["train_mse"][0] != b.curve["train_mse"][0]
    assert a.train_mse != b.train_mse


# What is recorded is not what is computed


def test_recording_does_not_change_the_run():
    (plain,) = run(grid((0.1,)), log_every=8)
    (often,) = run(grid((0.1,)), log_every=3, eval_every=3)
    assert list(often.curve["step"]) == [0, 3, 6, 8]
    assert list(plain.curve["step"]) == [0, 8]
    assert often.train_mse == pytest.approx(plain.train_mse, rel=1e-5)
    assert np.isfinite(often.curve["train_mse"]).all()
    assert np.isfinite(often.curve["test_mse"][1:]).all()
    (each,) = run(grid((0.1,)), log_every=1)
    losses = each.curve["batch_loss"][1:]
    means = [losses[:3].mean(), losses[3:6].mean(), losses[6:].mean()]
    np.testing.assert_allclose(often.curve["batch_loss"][1:], means, rtol=1e-5)
    np.testing.assert_allclose(plain.curve["batch_loss"][1], losses.mean(), rtol=1e-5)


# Memory


class Small(program.Program):
    """A device with room for two lanes."""

    room = 2
    message = "RESOURCE_EXHAUSTED: Out of memory allocating 8 bytes."
    tried: list[int] = []

    def __call__(self, pieces):
        self.tried.append(self.at_once)
        if self.at_once > self.room:
            raise jax.errors.JaxRuntimeError(self.message)
        return super().__call__(pieces)


@pytest.fixture
def small(monkeypatch):
    module._program.cache_clear()
    monkeypatch.setattr(program, "Program", Small)
    monkeypatch.setattr(Small, "tried", [])
    yield Small
    module._program.cache_clear()


@pytest.mark.slow
def test_out_of_memory_halves_the_lanes_at_once(small):
    two_calls = tuple(range(2 * len(jax.devices())))
    lanes = grid((*RATES, 0.2), seeds=two_calls)
    found = run(lanes, at_once=4)
    # Halved once, and not again for the calls that follow.
    assert len(small.tried) > 2
    assert small.tried[:2] == [4, 2]
    assert set(small.tried[1:]) == {2}
    assert {one.at_once for one in found} == {2}
    module._program.cache_clear()
    for a, b in zip(found, run(lanes, at_once=2), strict=True):
        same(a, b)


def test_out_of_memory_with_one_lane_is_an_error(small, monkeypatch):
    monkeypatch.setattr(small, "room", 0)
    with pytest.raises(jax.errors.JaxRuntimeError, match="RESOURCE_EXHAUSTED"):
        run(grid(), at_once=2)
    assert small.tried == [2, 1]


def test_other_errors_are_not_taken_for_a_lack_of_memory(small, monkeypatch):
    monkeypatch.setattr(small, "message", "INTERNAL: something else")
    with pytest.raises(jax.errors.JaxRuntimeError, match="INTERNAL"):
        run(grid(), at_once=4)
    assert small.tried == [4]


def test_more_lanes_than_a_call_holds_come_in_several_calls():
    rates = np.geomspace(0.01, 0.1, program.CAPACITY + 3)
    settings = DenseAMSettings(steps=2)
    calls = list(DenseAMTask().run(SHAPE, grid(rates), settings))
    devices = len(jax.devices())
    assert len(calls) == -(-len(rates) // (program.CAPACITY * devices))
    done = [i for call in calls for i, _ in call]
    assert sorted(done) == list(range(len(rates)))


class Device:
    """What `lanes_at_once` asks a device."""

    def __init__(self, platform, memory=None):
        self.platform, self.memory = platform, memory

    def memory_stats(self):
        return self.memory and {"bytes_limit": self.memory}


def test_lanes_at_once_by_device():
    def lanes(device, N=32):
        sizes = Sizes.proportional(N)
        cost = DenseAMTask().cost(sizes, DenseAMSettings())
        return module.lanes_at_once(device, sizes, cost), cost

    assert lanes(Device("cpu"))[0] == 1
    assert lanes(Device("gpu", 80e9))[0] == 16
    assert lanes(Device("gpu"))[0] == 16
    _, cost = lanes(Device("gpu"))
    assert lanes(Device("gpu", 5.5 * cost.bytes / 0.8))[0] == 4
    assert lanes(Device("gpu", cost.bytes / 2))[0] == 1
    assert lanes(Device("gpu", 80e9), N=4096)[0] == 1
