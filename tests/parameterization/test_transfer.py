import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from scaletx.parameterization import (
    Sizes,
    equivalent,
    prescribe,
    transfer,
)

from .cases import BASE, RULED, of, rate, ruled


def test_proportional_transfer_fills_in_and_refuses_contradictions():
    p = prescribe(**BASE, optimizer="sgd", eta0=0.1)
    q = transfer(p, N=256)
    assert q.sizes == (256, 512, 1280, 128)
    assert (q.eta0, q.eta_W) == (p.eta0, 0.1 * 512)
    assert transfer(p, N=256, K=512, P=1280, B=128) == q
    assert transfer(p, K=512) == q
    for wrong in ({"K": 500}, {"P": 1281}, {"P": 320}, {"B": 32}):
        if wrong == {"P": 1281}:
            continue  # within rounding of both ends: 320 may stand for 320.4
        with pytest.raises(ValueError, match="contradicts N=256.*Leave"):
            transfer(p, N=256, **wrong)
    with pytest.raises(ValueError, match="needs a new size"):
        transfer(p)
    with pytest.raises(ValueError, match="N=-1"):
        transfer(p, N=-1)


@given(
    ends=st.tuples(st.integers(1, 2000), st.integers(1, 2000)),
    kappa=st.floats(0.1, 10),
    rho=st.floats(0.1, 10),
    beta=st.floats(0.001, 1),
)
@example(ends=(500, 33), kappa=2.0, rho=5.0, beta=0.001)  # B would round to 0
@example(ends=(33, 500), kappa=2.0, rho=5.0, beta=0.001)
@example(ends=(149, 95), kappa=2.0, rho=1.5, beta=0.7)  # B is rounded after P
def test_rounding_at_both_ends_contradicts_nothing(ends, kappa, rho, beta):
    at, to = (Sizes.proportional(n, kappa=kappa, rho=rho, beta=beta) for n in ends)
    p = prescribe(**at._asdict())
    assert transfer(p, **to._asdict()).sizes == to
    alone = transfer(p, N=to.N).sizes
    assert alone.N == to.N


def test_k_only_transfer_changes_K_alone():
    p = prescribe(**BASE, regime="k-only", optimizer="sgd", eta0=0.1)
    q = transfer(p, K=1024)
    assert q.sizes == (64, 1024, 320, 32)
    assert q.eta_W == 0.1 * 1024
    assert transfer(p, N=64, K=1024, B=32) == q
    for wrong in ({"N": 65}, {"P": 319}, {"B": 16}):
        with pytest.raises(ValueError, match="k-only regime keeps N, P and B"):
            transfer(p, K=1024, **wrong)


def test_data_aware_transfer_needs_the_new_eigenvalue():
    aware = prescribe(**BASE, optimizer="sgd", lambda_max=2.0)
    assert transfer(aware, N=128, lambda_max=5.0).lambda_max == 5.0
    with pytest.raises(ValueError, match="lambda_max belongs to the data"):
        transfer(aware, N=128)
    with pytest.raises(ValueError, match="lambda_max belongs to the data"):
        transfer(prescribe(**BASE, optimizer="sgd"), N=128, lambda_max=5.0)


@pytest.mark.parametrize("case", RULED, ids=str)
def test_transfer_of_an_equivalent_form_is_the_equivalent_of_the_transfer(case):
    p = of(case, eta0=0.3)
    new = {"K": 512} if case[1] == "k-only" else {"N": 256}
    q, r = transfer(equivalent(p, 0.25), **new), equivalent(transfer(p, **new), 0.25)
    assert q == r
    assert (q.s1, q.s2, q.eta_W, q.eps) == (r.s1, r.s2, r.eta_W, r.eps)
    assert q.eta_W != transfer(p, **new).eta_W


@given(case=ruled, factors=st.tuples(st.integers(1, 9), st.integers(1, 9)), eta0=rate)
def test_transfer_composes(case, factors, eta0):
    p = of(case, eta0=eta0)
    name = "K" if case[1] == "k-only" else "N"
    first, second = (BASE[name] * factors[0], BASE[name] * factors[0] * factors[1])
    at_once = transfer(p, **{name: second})
    assert transfer(transfer(p, **{name: first}), **{name: second}) == at_once
    assert transfer(at_once, **{name: BASE[name]}) == p


@given(case=ruled, a=st.floats(0.01, 100), b=st.floats(0.01, 100))
def test_equivalent_forms_compose_and_keep_what_the_function_sees(case, a, b):
    p = of(case)
    q, r = equivalent(equivalent(p, a), b), equivalent(p, a * b)
    form = 2 if case[3] == "sgd" else 1
    for t in (q, r):
        assert t.s1 * t.init_W == pytest.approx(p.s1)
        assert t.s2 * t.init_W == pytest.approx(p.s2)
        assert t.eta_W == pytest.approx(p.eta_W * (a * b) ** form)
        assert (t.eta_b, t.eta_c) == (p.eta_b, p.eta_c)
        if t.eps is not None:
            assert t.eps["W"] == pytest.approx(p.eps["W"] / (a * b))
            assert (t.eps["b"], t.eps["c"]) == (p.eps["b"], p.eps["c"])


@pytest.mark.parametrize("a", [0, -1.0, math.nan])
def test_equivalent_needs_a_positive_factor(a):
    with pytest.raises(ValueError, match="a=.*> 0"):
        equivalent(prescribe(**BASE), a)
