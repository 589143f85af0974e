"""The reference sweep, four ways side by side in one process.

N 32, 64, 128, 256; 9 rates x 2 seeds x 200 steps; centered relu:1, Adam. Prints seconds
of each way scaled to the whole sweep, ratios, and the share of the matrix-product rate
that the engine reaches. Rounds are interleaved and medians quoted: machines are noisy.

    python bench/sweep.py [--rounds 5] [--out figures/bench-sweep.csv]

PyTorch is skipped where it is absent, and runs on one thread or on all, whichever is
faster at a size. The loops run 2 of the 18 runs of a size in each round and are scaled
up; the engine and the products run all of them.
"""

import argparse
import statistics
import time
from dataclasses import replace
from typing import Any

import jax

from scaletx.training.devices import configure

jax.config.update("jax_enable_compilation_cache", False)  # cold means cold
configure()

import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
import optax  # noqa: E402
import pandas as pd  # noqa: E402

from scaletx import DenseAM, Sizes, optimizers  # noqa: E402
from scaletx._types import OptimizerName  # noqa: E402
from scaletx.data import data_set, denoising  # noqa: E402
from scaletx.training import DenseAMSettings, DenseAMTask, Lane  # noqa: E402
from scaletx.training.denseam import batch_order  # noqa: E402
from scaletx.training.program import Piece, Program  # noqa: E402

RATES, SEEDS, SIZES = np.geomspace(0.01, 1, 9), (0, 1), (32, 64, 128, 256)
SETTINGS = DenseAMSettings(optimizer=OptimizerName.ADAM, activation="relu:1", steps=200)
# What takes the rest: a run of one step is evaluation, data and the call; SGD for Adam
# leaves out the passes over the moments.
PARTS: dict[str, Any] = {
    "one step": {"steps": 1},
    "sgd": {"optimizer": OptimizerName.SGD},
}
RUNS, SAMPLED = len(RATES) * len(SEEDS), 2


def timed(function) -> float:
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


class Engine:
    """This toolkit: all lanes of a size."""

    def __init__(self, sizes: Any, settings: DenseAMSettings = SETTINGS):
        self.sizes, self.settings = sizes, settings
        self.lanes = [Lane((eta,), seed) for seed in SEEDS for eta in RATES]

    def __call__(self):
        for _ in DenseAMTask().run(tuple(self.sizes), self.lanes, self.settings):
            pass


def data(sizes: Any):
    task = denoising(data_set("isotropic"), N=sizes.N, P=sizes.P, seed=0, noise=0.5)
    order = batch_order(P=sizes.P, B=sizes.B, steps=SETTINGS.steps, seed=0)
    return np.tanh(task.inputs), task.targets, order


class JaxLoop:
    """What one writes first: a compiled step, called from a Python loop."""

    def __init__(self, sizes: Any):
        p = SETTINGS.prescription(sizes)
        self.model: Any = DenseAM(p, key=jax.random.key(0))
        self.x, self.y, self.order = map(jnp.asarray, data(sizes))

        def loss(model, g, y):
            return jnp.sum((model.read(g) - y) ** 2) / (2 * len(y))

        @jax.jit
        def step(model, state, eta, g, y):
            value, grads = jax.value_and_grad(loss)(model, g, y)
            updates, state = optimizers.prescribed(p, eta0=eta).update(
                grads, state, model
            )
            return optax.apply_updates(model, updates), state, value

        self.step, self.init = step, optimizers.prescribed(p).init
        self(steps=1, runs=1)

    def __call__(self, steps=SETTINGS.steps, runs=SAMPLED):
        for eta in RATES[:runs]:
            model, state = self.model, self.init(self.model)
            for indices in self.order[:steps]:
                g, y = self.x[indices], self.y[indices]
                model, state, _ = self.step(model, state, eta, g, y)
            jax.block_until_ready(model)


class TorchLoop:
    """The same in PyTorch, on all cores."""

    def __init__(self, sizes: Any):
        import torch  # pyright: ignore[reportMissingImports]

        self.torch, self.sizes = torch, sizes
        x, y, order = data(sizes)
        self.x, self.y = torch.from_numpy(x), torch.from_numpy(y)
        self.order = torch.from_numpy(order.astype(np.int64))
        self.threads = min((1, len(jax.devices())), key=self.trial)

    def trial(self, threads: int) -> float:
        self.threads = threads
        self(steps=5, runs=1)
        return timed(lambda: self(steps=50, runs=1))

    def __call__(self, steps=SETTINGS.steps, runs=SAMPLED):
        torch, (N, K, _, B) = self.torch, self.sizes
        torch.set_num_threads(self.threads)
        for eta in RATES[:runs]:
            W = torch.randn(K, N, requires_grad=True)
            adam = torch.optim.Adam([W], lr=eta, eps=1e-8 / N)
            for indices in self.order[:steps]:
                g, y = self.x[indices], self.y[indices]
                centered = W - W.mean(0)
                s = torch.relu(g @ centered.T / N**0.5) * 2**0.5
                loss = ((s @ centered / K**0.5 - y) ** 2).sum() / (2 * B)
                adam.zero_grad()
                loss.backward()
                adam.step()


class Products:
    """The five matrix products of each step and nothing else, shared out alike."""

    def __init__(self, sizes: Any):
        N, K, _, B = sizes
        rng = np.random.default_rng(0)
        g, W = rng.standard_normal((B, N)), rng.standard_normal((K, N))
        inputs = (np.float32(g), np.float32(W / (N * K) ** 0.5))
        self.pieces = [Piece(inputs, np.ones((RUNS // 2, 1)))] * len(jax.devices())
        if len(jax.devices()) == 1:
            self.pieces = [Piece(inputs, np.ones((RUNS, 1)))]

        def lane(inputs, point):
            g, W = inputs

            def step(W, _):
                z = g @ W.T
                f = z @ W
                back = f @ W.T
                return z.T @ f * 1e-9 + back.T @ g * 1e-9 + W, None

            return jax.lax.scan(step, W * point[0], length=SETTINGS.steps)[0][0, 0]

        self.program = Program(lambda x: x, lane, self.pieces[0], devices=jax.devices())

    def __call__(self):
        self.program(self.pieces)


def main():
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--out")
    options = parser.parse_args()
    ways = {"engine": Engine, "products": Products, "jax loop": JaxLoop}
    try:
        import torch  # noqa: F401  # pyright: ignore[reportMissingImports]

        ways["torch loop"] = TorchLoop
    except ImportError:
        print("PyTorch is absent: its loop is skipped")
    rows = []
    for N in SIZES:
        sizes: Any = Sizes.proportional(N)
        cold = timed(Engine(sizes))
        runners = {name: way(sizes) for name, way in ways.items()}
        for name, change in PARTS.items():
            runners[name] = Engine(sizes, replace(SETTINGS, **change))
            runners[name]()
        seconds = {name: [] for name in runners}
        for _ in range(options.rounds):
            for name, runner in runners.items():
                scale = RUNS / SAMPLED if "loop" in name else 1
                seconds[name].append(timed(runner) * scale)
        flops = 10 * N * sizes.K * sizes.B * SETTINGS.steps * RUNS

        def ratio(name, seconds=seconds):
            pairs = zip(seconds.get(name, ()), seconds["engine"], strict=False)
            found = [a / b for a, b in pairs]
            return statistics.median(found) if found else float("nan")

        row = {"N": N, "cold_s": cold}
        row |= {f"{name}_s": statistics.median(s) for name, s in seconds.items()}
        row |= {
            "engine_GFLOPs": flops / row["engine_s"] / 1e9,
            "product_GFLOPs": flops / row["products_s"] / 1e9,
            "share_of_product_rate": ratio("products"),
            "evaluation_share": ratio("one step"),
            "adam_share": 1 - ratio("sgd"),
            "jax loop / engine": ratio("jax loop"),
            "torch loop / engine": ratio("torch loop"),
        }
        rows.append(row)
    table = pd.DataFrame(rows)
    total = table.sum()
    print(table.round(3).to_string(index=False))
    for name in ("jax loop", "torch loop"):
        if f"{name}_s" in table:
            share = total[f"{name}_s"] / total["engine_s"]
            print(f"whole sweep: {name} takes {share:.1f} times as long as the engine")
    last = rows[-1]
    print(
        f"at N = {last['N']} the products take {last['share_of_product_rate']:.0%} of "
        f"the engine's time, Adam's passes beyond SGD's {last['adam_share']:.0%}, "
        f"evaluation, data and the call {last['evaluation_share']:.0%}"
    )
    print(f"cold / warm: {total['cold_s'] / total['engine_s']:.2f}")
    if options.out:
        table.to_csv(options.out, index=False, float_format="%.4g")


if __name__ == "__main__":
    main()
