"""Training curves for tests: planted distances between sizes."""

import numpy as np
import pandas as pd

SIZES = (32, 64, 128, 256)
EPOCHS = 12


def tables(
    apart=(0.06, 0.03, 0.01, 0.0), *, seeds=3, noise=0.004, log_every=10, rates=3
):
    """Lanes and curves: a decay times exp(apart), with an offset for each seed."""
    rng = np.random.default_rng(0)
    lanes, curves = [], []
    steps = np.arange(log_every, 10 * EPOCHS + 1, log_every)
    for size, shift in zip(SIZES, apart, strict=True):
        for rate in range(rates):
            for seed in range(seeds):
                lane = f"{size}-{rate}-{seed}"
                loss = np.exp(-steps / 100 + shift + noise * rng.normal())
                lanes.append(
                    {
                        "N": size,
                        "K": 2 * size,
                        "P": 5 * size,
                        "B": size // 2,
                        "eta0": 2.0**rate,
                        "seed": seed,
                        "status": "ok",
                        "train_mse": 1 + abs(rate - 1) + seed / 100,
                        "lane": lane,
                    }
                )
                curves.append(
                    pd.DataFrame({"lane": lane, "step": steps, "batch_loss": loss})
                )
    return pd.DataFrame(lanes), pd.concat(curves, ignore_index=True)
