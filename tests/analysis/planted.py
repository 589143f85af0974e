"""Tables for tests: planted drifts, and one that is public."""

import numpy as np
import pandas as pd

NAN = float("nan")
# Loss by width and log2 lr; one run diverged (nan), one was not made (None).
# Source: the table in microsoft/mup issue 66.
MUP66 = {
    -8: (4.1291, 3.7287, 3.4713, NAN),
    -9: (4.1184, 3.7086, 3.4041, None),
    -10: (4.1627, 3.7074, 3.3809, 3.1226),
    -11: (4.2398, 3.7363, 3.3776, 3.1009),
    -12: (4.3393, 3.8111, 3.4135, 3.1074),
}
GRID = np.arange(-9.0, -1.0)
WIDTHS = (96, 192, 384, 768)


def mup66() -> pd.DataFrame:
    rows = [
        {"width": width, "lr": 2.0**octave, "loss": loss}
        for octave, losses in MUP66.items()
        for width, loss in zip(WIDTHS, losses, strict=True)
        if loss is not None
    ]
    return pd.DataFrame(rows)


def planted(
    slope=0.0,
    *,
    sizes=(32, 64, 128, 256),
    seeds=3,
    noise=0.002,
    grid=GRID,
    best=-4.3,
    rng=None,
):
    """A store's table: a parabola in log2 rate whose vertex moves by a slope."""
    rng = rng or np.random.default_rng(0)
    rows = []
    for n in sizes:
        vertex = best + slope * np.log2(n / sizes[0])
        for seed in range(seeds):
            for u in grid:
                loss = (1 + 0.1 * (u - vertex) ** 2) * np.exp(noise * rng.normal())
                rows.append(
                    {
                        "task": "denseam",
                        "N": n,
                        "K": 2 * n,
                        "P": 5 * n,
                        "B": n // 2,
                        "eta0": 2.0**u,
                        "seed": seed,
                        "status": "ok",
                        "train_mse": loss / np.log2(n),
                        "test_mse": loss,
                        "steps": 200,
                        "activation": "relu:1",
                        "run_s": rng.random(),
                        "lane": f"{n}-{seed}-{u}",
                    }
                )
    return pd.DataFrame(rows)
