"""Measured exponents of every row against equations.md section 1.1, as literal data."""

import itertools

import numpy as np
import pytest
from oracles import slope

from scaletx.parameterization import TABLE, prescribe

PROPORTIONAL, K_ONLY = "proportional", "k-only"
# (parameterization, regime, activation, optimizer): exponents (of N, of K), and the
# value at N = K = 1 is one in every row.
EXPECTED = {
    ("table", PROPORTIONAL, "elementwise", "sgd"): {
        "s1": (-0.5, 0),
        "s2": (0, -0.5),
        "eta_W": (0, 1),
    },
    ("table", PROPORTIONAL, "elementwise", "adam"): {
        "s1": (-0.5, 0),
        "s2": (0, -0.5),
        "eps_W": (-1, 0),
    },
    ("table", PROPORTIONAL, "softmax", "adam"): {
        "s1": (-0.5, 0),
        "s2": (0, 0.5),
        "eps_W": (-1, 0),
    },
    ("table", K_ONLY, "elementwise", "sgd"): {
        "s1": (-0.5, 0),
        "s2": (0, -1),
        "eta_W": (0, 1),
    },
    ("table", K_ONLY, "elementwise", "adam"): {
        "s1": (-0.5, 0),
        "s2": (0, -1),
        "eps_W": (0, -1),
        "eps_b": (0, -1),
    },
    ("table", K_ONLY, "softmax", "adam"): {
        "s1": (-0.5, 0),
        "s2": (0.5, 0),
        "eps_W": (0, -1),
        "eps_b": (0, -1),
    },
    **{
        ("sp", regime, kind, "sgd"): {
            "s1": (-0.5, 0),
            "s2": (-0.5, 0),
            "eta_W": (1, 0),
        }
        for regime in (PROPORTIONAL, K_ONLY)
        for kind in ("elementwise", "softmax")
    },
    **{
        ("sp", regime, kind, "adam"): {
            "s1": (-0.5, 0),
            "s2": (-0.5, 0),
            "eta_W": (0.5, 0),
            "eps_W": (-0.5, 0),
        }
        for regime in (PROPORTIONAL, K_ONLY)
        for kind in ("elementwise", "softmax")
    },
}
CASES = [
    (scheme, regime, activation, optimizer, expected)
    for (scheme, regime, kind, optimizer), expected in EXPECTED.items()
    for activation in (
        ("linear", "relu:1", "relu:3") if kind == "elementwise" else ("softmax",)
    )
]


def numbers(N, K, scheme, regime, activation, optimizer):
    p = prescribe(
        N=N,
        K=K,
        parameterization=scheme,
        regime=regime,
        activation=activation,
        optimizer=optimizer,
        eta0=0.3,
        eta_b0=0.2,
        eta_c0=0.7,
        eps0=1e-6,
    )
    assert (p.m_W * 0.3, p.m_b * 0.2, p.m_c * 0.7) == (p.eta_W, p.eta_b, p.eta_c)
    eps = {f"eps_{role}": e / 1e-6 for role, e in (p.eps or {}).items()}
    rates = {"eta_W": p.eta_W / 0.3, "eta_b": p.eta_b / 0.2, "eta_c": p.eta_c / 0.7}
    return {"s1": p.s1, "s2": p.s2, **rates, **eps}


@pytest.mark.parametrize("scheme, regime, activation, optimizer, expected", CASES)
def test_measured_exponents(scheme, regime, activation, optimizer, expected):
    case = (scheme, regime, activation, optimizer)
    sizes = [16, 64, 100, 1024]
    along_N = [numbers(N, 48, *case) for N in sizes]
    along_K = [numbers(48, K, *case) for K in sizes]
    names = {"s1", "s2", "eta_W", "eta_b", "eta_c"}
    names |= {"eps_W", "eps_b", "eps_c"} if optimizer == "adam" else set()
    assert set(along_N[0]) == names
    for name in names:
        measured = tuple(
            slope(sizes, [row[name] for row in rows]) for rows in (along_N, along_K)
        )
        assert measured == pytest.approx(expected.get(name, (0, 0)), abs=1e-9), name
        assert numbers(1, 1, *case)[name] == pytest.approx(1), name


def test_every_row_is_measured_and_no_other_exists():
    kinds = {"elementwise": {"linear", "relu"}, "softmax": {"softmax"}}
    measured = {
        (scheme, regime, kind, optimizer)
        for scheme, regime, group, optimizer in EXPECTED
        for kind in kinds[group]
    }
    ruled = [
        (row.parameterization, row.regime, kind, row.optimizer)
        for row in TABLE
        for kind in row.activations
    ]
    assert len(ruled) == len(set(ruled))
    assert set(ruled) == measured
    everything = itertools.product(
        ("table", "sp"), (PROPORTIONAL, K_ONLY), ("linear", "softmax"), ("sgd", "adam")
    )
    without = {case for case in everything if not any(case == rule for rule in ruled)}
    assert without == {
        ("table", regime, "softmax", "sgd") for regime in (PROPORTIONAL, K_ONLY)
    }


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row.reference[:20])
def test_every_row_names_its_source(row):
    source = "arXiv 2605.10164" if row.parameterization == "table" else "baseline"
    assert source in row.reference


def test_sp_is_what_a_practitioner_writes():
    """W ~ N(0, 1/N), f = W^T phi(W g), one rate: the same in other units."""
    from scaletx.parameterization import equivalent

    for optimizer in ("sgd", "adam"):
        p = prescribe(
            N=64, K=100, parameterization="sp", optimizer=optimizer, eta0=0.3, eps0=1e-6
        )
        q = equivalent(p, 64**-0.5)
        assert not q.centered
        assert q.init_W == pytest.approx(64**-0.5)
        assert (q.s1, q.s2) == pytest.approx((1, 1))
        assert (q.eta_W, q.eta_b, q.eta_c) == pytest.approx((0.3, 0.3, 0.3))
        if optimizer == "adam":
            assert q.eps == pytest.approx({"W": 1e-6, "b": 1e-6, "c": 1e-6})


def test_epsilon_follows_the_size_of_gradient_entries():
    """eps_W / (s2 rms(S)) keeps its value: rms(S) = 1, and 1/K for softmax."""
    for regime, fixed_N in ((PROPORTIONAL, None), (K_ONLY, 64)):
        for activation in ("relu:1", "softmax"):
            ratios = []
            for K in (64, 256, 1024):
                N = fixed_N or K // 2
                p = prescribe(N=N, K=K, regime=regime, activation=activation)
                rms = 1 / K if activation == "softmax" else 1.0
                size = p.s2 * rms
                if regime == PROPORTIONAL:
                    size /= np.sqrt(N)  # sqrt(B) grows as sqrt(N) there
                ratios.append(p.eps["W"] / size)
            assert ratios == pytest.approx([ratios[0]] * 3, rel=1e-9)
