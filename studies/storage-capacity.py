"""How many random patterns a memory stores against its size.

Patterns are random signs, retrieved by sign updates (scaletx.retrieve). Convention: a
query is a pattern with one sign in ten flipped; it is retrieved if ten steps bring it
to an overlap of .95 or more with the pattern; the capacity K_max is where half of the
queries are retrieved, between two rungs of a ladder (K in steps of the root of two) by
interpolation in log K.
Growing K appends patterns, so the rungs of a seed share them.

Hypothesis: relu(p) memories have interactions of order p + 1, and at a fixed share of
wrong bits a capacity proportional to N^p (Krotov and Hopfield 2016; demanding that
every bit is right costs a factor log N). Softmax memories hold exponentially many, up
to 2^(N/2) for exact recovery (Demircigil et al. 2017).

Our first run, with seeds 0 to 4, found N^1.00, N^1.51, N^2.01 at large sizes: (p + 1)/2
in place of p. Reason: a unit feeds back to itself through all memories, by
K p E[z^(p-1)]/N ~ K N^-(p+1)/2 (overlaps z are of size N^-1/2), which holds a flipped
bit as soon as K ~ N^((p+1)/2). Krotov and Hopfield's update compares the energies of
both signs of a bit, and so has no such term. Then without self-coupling the capacity
must be N^p, and with it N^((p+1)/2). These are tested on new patterns, seeds 5 to 9.

Sizes of softmax are tens, so that a tenth of the signs is a whole number: at N = 10,
12, .. 22 rounding it made capacity a sawtooth, and hid the law behind it.

The exponent is that of the larger half of the sizes (the law is that of N much larger
than log K); the smaller half's stands beside. Confirms: an exponent whose interval lies
within 15 % of the expected one; for softmax a line of log K_max against N that fits
better than one against log N.
"""

import math
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pandas as pd
from scipy import stats

from scaletx import retrieve
from scaletx.plots.canvas import BESIDE, blank, shades
from scaletx.study import Finding, Size, Study, Tables

FLIPPED, OVERLAP, STEPS = 0.1, 0.95, 10
QUERIES = 100
MARGIN = 0.15
SIZES = {
    "relu:1": (64, 128, 256, 512, 1024, 2048),
    "relu:2": (32, 48, 64, 128, 256, 512),
    "relu:3": (16, 32, 48, 64, 96, 128, 192),
    "relu:1 uncoupled": (64, 128, 256, 512, 1024, 2048),
    "relu:2 uncoupled": (32, 48, 64, 96, 128, 192, 256, 384),
    "relu:3 uncoupled": (16, 24, 32, 48, 64, 96),
    "softmax": (10, 20, 30),
}
QUICK = {"relu:1": (16, 24, 32, 48), "softmax": (6, 8, 10)}
SEEDS = (5, 6, 7, 8, 9)
MOST = 2**19
"""Patterns that are tried at most."""
BLOCK = 2**15


def retrieved(memories: np.ndarray, key: jax.Array, rule: str) -> float:
    """The share of queries that are retrieved."""
    activation, _, uncoupled = rule.partition(" ")
    K, N = memories.shape
    count = min(QUERIES, K)
    chosen = np.linspace(0, K - 1, count).astype(int)
    flips = jax.random.uniform(key, (count, N))
    order = np.argsort(np.asarray(flips), axis=1) < round(FLIPPED * N)
    query = memories[chosen] * np.where(order, -1, 1)
    found = retrieve(
        memories,
        query,
        activation=activation,
        visible="sign",
        self_coupling=not uncoupled,
        steps=STEPS,
    )
    overlap = np.mean(np.asarray(found.state) * memories[chosen], axis=1)
    return float(np.mean(overlap >= OVERLAP))


def capacity(activation: str, N: int, seed: int) -> float:
    """K at which half of the queries are retrieved; NaN if none up to `MOST`.

    Doubles K until less than half are, then looks halfway, on a log scale.
    """
    key = jax.random.key(seed)
    share: dict[int, float] = {}

    def at(rung: int) -> float:
        memories = patterns(N, round(2 ** (rung / 2)), seed)
        share[rung] = retrieved(memories, jax.random.fold_in(key, rung), activation)
        return share[rung]

    rung = 4
    while at(rung) >= 0.5:
        rung += 2
        if 2 ** (rung / 2) > MOST:
            return math.nan
    at(rung - 1)
    low = max((r for r in share if share[r] >= 0.5), default=None)
    if low is None:
        return math.nan
    part = (share[low] - 0.5) / (share[low] - share[low + 1])
    return float(2 ** ((low + part) / 2))


def patterns(N: int, K: int, seed: int) -> np.ndarray:
    """The first K random patterns of a seed."""
    rng = np.random.default_rng([seed, N])
    blocks = [
        rng.integers(0, 2, size=(BLOCK, N), dtype=np.int8)
        for _ in range(-(-K // BLOCK))
    ]
    return np.concatenate(blocks)[:K].astype(np.float32) * 2 - 1


def measure(folder: Path, size: Size, report: Any) -> Tables:
    """Find the capacity of each activation, N and seed."""
    quick = size is Size.QUICK
    rows = [
        (activation, N, seed, capacity(activation, N, seed))
        for activation, sizes in (QUICK if quick else SIZES).items()
        for N in sizes
        for seed in SEEDS[: 2 if quick else None]
    ]
    columns = ["activation", "N", "seed", "K_max"]
    return {"capacity": pd.DataFrame(rows, columns=columns).round(2)}


def line(x: np.ndarray, y: np.ndarray) -> tuple[float, float, float, float, float]:
    """Slope, its 95 % interval, intercept, and the standard error of the residuals."""
    fit = stats.linregress(x, y)
    half = float(stats.t.ppf(0.975, len(x) - 2)) * fit.stderr
    rest = y - fit.intercept - fit.slope * x
    error = float(np.sqrt(np.sum(rest**2) / (len(x) - 2)))
    return fit.slope, fit.slope - half, fit.slope + half, fit.intercept, error


def judge(tables: Tables) -> list[Finding]:
    """Compare exponents with p, and the line in N with the one in log N."""
    findings = []
    for activation, table in tables["capacity"].dropna().groupby("activation"):
        N, K = table["N"].to_numpy(float), table["K_max"].to_numpy(float)
        reach = f"N {N.min():g}..{N.max():g}, {table['seed'].nunique()} seeds"
        _, _, _, _, error = line(np.log(N), np.log(K))
        if activation == "softmax":
            rate, least, most, _, straight = line(N, np.log2(K))
            straight *= math.log(2)
            word = "exponential" if straight < error else "a power"
            said = (
                f"2^({rate:.3f} [{least:.3f}, {most:.3f}] N), residual {straight:.3f}; "
                f"a power of N leaves {error:.3f} ({reach})"
            )
            findings.append(Finding("softmax", "exponential", word, said))
            continue
        p, coupled = int(str(activation)[5]), "uncoupled" not in str(activation)
        wanted = (p + 1) / 2 if coupled else p
        small = N < np.median(np.unique(N))
        slope, low, high, _, _ = line(np.log(N[~small]), np.log(K[~small]))
        before = line(np.log(N[small]), np.log(K[small]))[0]
        said = f"N^{slope:.2f} [{low:.2f}, {high:.2f}] at N {N[~small].min():g} and "
        said += f"more, N^{before:.2f} below ({reach})"
        word = "cannot tell"
        if (1 - MARGIN) * wanted <= low and high <= (1 + MARGIN) * wanted:
            word = f"N^{wanted:g}"
        elif low > (1 + MARGIN) * wanted or high < (1 - MARGIN) * wanted:
            word = "off"
        findings.append(Finding(str(activation), f"N^{wanted:g}", word, said))
    return findings


def draw(tables: Tables) -> Any:
    """Draw K_max against N: powers on log axes, softmax on a log axis."""
    figure, (left, right) = blank(2)
    table = tables["capacity"].dropna()
    names = [a for a in dict.fromkeys(table["activation"]) if a != "softmax"]
    colors = shades(3)
    for name in names:
        color = colors[int(name[5]) - 1]
        one = table[table["activation"] == name]
        N, K = one["N"].to_numpy(float), one["K_max"].to_numpy(float)
        large = N >= np.median(np.unique(N))
        slope, _, _, start, _ = line(np.log(N[large]), np.log(K[large]))
        ends = np.array([N[large].min(), N.max()])
        coupled, p = "uncoupled" not in name, int(name[5])
        label = f"{name}: $N^{{{slope:.2f}}}$ ({(p + 1) / 2 if coupled else p:g})"
        marker, style = ("o", "-") if coupled else ("s", "--")
        left.plot(N, K, marker, color=color, markersize=4, fillstyle="none")
        left.plot(ends, np.exp(start) * ends**slope, style, color=color, label=label)
    left.set_xscale("log", base=2)
    left.set_xlabel("visible units N")
    left.set_title("relu(p): powers of N", loc="left", fontsize="medium")
    one = table[table["activation"] == "softmax"]
    N, K = one["N"].to_numpy(float), one["K_max"].to_numpy(float)
    rate, _, _, start, _ = line(N, np.log2(K))
    ends = np.array([N.min(), N.max()])
    right.plot(N, K, "o", color="black", markersize=4, fillstyle="none")
    label = f"$2^{{{rate:.2f} N}}$"
    right.plot(ends, 2 ** (start + rate * ends), color="black", label=label)
    right.set_xlabel("visible units N")
    right.set_title("softmax: exponential in N", loc="left", fontsize="medium")
    left.legend(title="fitted (expected)", fontsize="small", **BESIDE)
    right.legend(frameon=False, fontsize="small")
    for ax in (left, right):
        ax.set_yscale("log", base=2)
        ax.set_ylabel("patterns retrieved, $K_{max}$")
        ax.spines[["top", "right"]].set_visible(False)
    return figure


STUDY = Study(
    claim="Capacity grows as N^p for relu(p) memories without self-coupling, as "
    "N^((p+1)/2) with it, and exponentially for softmax.",
    source="Krotov and Hopfield 2016; Demircigil et al. 2017; cited by arXiv "
    "2605.10164, section 1",
    measure=measure,
    judge=judge,
    draw=draw,
    opposite=dict.fromkeys(("N^1", "N^1.5", "N^2", "N^3"), "off")
    | {"exponential": "a power"},
)
