import json
import math

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from scaletx.parameterization import (
    Prescription,
    Sizes,
    equivalent,
    prescribe,
    transfer,
)

BASE = dict(N=64, K=128, P=320, B=32)
RULED = [
    (scheme, regime, activation, optimizer)
    for scheme in ("table", "sp")
    for regime in ("proportional", "k-only")
    for activation in ("linear", "relu:2", "softmax")
    for optimizer in ("sgd", "adam")
    if (scheme, activation, optimizer) != ("table", "softmax", "sgd")
]
ruled = st.sampled_from(RULED)
rate = st.floats(1e-4, 1e2)


def of(case, **more):
    scheme, regime, activation, optimizer = case
    return prescribe(
        **{
            **BASE,
            "parameterization": scheme,
            "regime": regime,
            "activation": activation,
            "optimizer": optimizer,
            **more,
        }
    )


# Errors


def test_softmax_with_sgd_has_no_rule_and_says_why_and_what_to_do():
    for regime in ("proportional", "k-only"):
        with pytest.raises(ValueError) as error:
            prescribe(**BASE, regime=regime, activation="softmax", optimizer="sgd")
        for part in (
            "`prescribe(activation='softmax', optimizer='sgd')` has no rule",
            "Use optimizer='adam', or allow_no_rule=True",
        ):
            assert part in str(error.value)


def test_the_forced_form_of_softmax_with_sgd():
    p = prescribe(
        N=64, K=256, activation="softmax", optimizer="sgd", eta0=0.5, allow_no_rule=True
    )
    assert (p.s1, p.s2, p.eta_W, p.eps) == (1 / 8, 16.0, 128.0, None)
    assert "no rule" in p.reference


def test_allow_no_rule_changes_nothing_where_there_is_a_rule():
    for case in RULED:
        assert of(case, allow_no_rule=True) == of(case)


@pytest.mark.parametrize(
    "case", [("table", "adam"), ("sp", "sgd"), ("sp", "adam")], ids=str
)
def test_the_data_aware_rate_is_a_rule_of_sgd_table_rows_only(case):
    scheme, optimizer = case
    with pytest.raises(ValueError, match="lambda_max.*optimizer='sgd'.*leave it out"):
        prescribe(**BASE, parameterization=scheme, optimizer=optimizer, lambda_max=2.0)


def test_the_data_aware_rate_divides_the_rate_of_W_alone():
    plain = prescribe(**BASE, optimizer="sgd", eta0=0.5)
    aware = prescribe(**BASE, optimizer="sgd", eta0=0.5, lambda_max=4.0)
    assert aware.eta_W == plain.eta_W / 4
    assert (aware.eta_b, aware.eta_c) == (plain.eta_b, plain.eta_c)
    assert "lambda_max" in aware.formulas["eta_W"]
    assert "lambda_max" not in plain.formulas["eta_W"]


def test_live_inner_bias():
    k_only = dict(regime="k-only", optimizer="sgd", eta0=0.5)
    frozen = prescribe(**BASE, **k_only)
    live = prescribe(**BASE, **k_only, live_inner_bias=True)
    assert (frozen.eta_b, live.eta_b) == (0.5, 0.5 * 128)
    assert (frozen.eta_W, frozen.eta_c) == (live.eta_W, live.eta_c)
    for wrong in (
        {**k_only, "regime": "proportional"},
        {**k_only, "optimizer": "adam"},
        {**k_only, "parameterization": "sp"},
    ):
        with pytest.raises(ValueError, match="live_inner_bias=True is a rule for"):
            prescribe(**BASE, **wrong, live_inner_bias=True)


@pytest.mark.parametrize(
    "word, near",
    [
        ({"regime": "proportionl"}, "proportional"),
        ({"regime": "k_only"}, "k-only"),
        ({"optimizer": "adm"}, "adam"),
        ({"parameterization": "tabel"}, "table"),
        ({"biases": "normall"}, "normal"),
    ],
)
def test_unknown_words_name_the_nearest(word, near):
    with pytest.raises(ValueError, match=f"Did you mean '{near}'") as error:
        prescribe(**{**BASE, **word})
    assert next(iter(word)) in str(error.value)


@pytest.mark.parametrize("name", ["eta0", "eta_b0", "eta_c0", "lambda_max"])
@pytest.mark.parametrize("value", [0.0, -1.0, math.nan, math.inf, "0.1"])
def test_rates_are_positive_numbers(name, value):
    with pytest.raises(ValueError, match=f"{name}=.*> 0"):
        prescribe(**BASE, optimizer="sgd", **{name: value})


def test_negative_sizes_and_epsilons_are_refused():
    with pytest.raises(ValueError, match="N=-64"):
        prescribe(N=-64, K=128)
    with pytest.raises(ValueError, match="B=321 exceeds P=320"):
        prescribe(**{**BASE, "B": 321})
    with pytest.raises(ValueError, match="eps0=-1.*>= 0"):
        prescribe(**BASE, eps0=-1)
    assert prescribe(**BASE, eps0=0).eps == {"W": 0.0, "b": 0.0, "c": 0.0}


# Defaults


def test_defaults():
    p = prescribe(N=64, K=128)
    assert (p.eta0, p.eps0, p.centered, p.biases) == (0.05, 1e-8, True, "off")
    assert p.init_W == 1
    assert not prescribe(N=64, K=128, parameterization="sp").centered
    assert prescribe(N=64, K=128, parameterization="sp", centered=True).centered
    assert not prescribe(N=64, K=128, centered=False).centered


def test_bias_rates_follow_eta0_unless_set():
    p = prescribe(**BASE, eta0=0.3)
    assert (p.eta_b, p.eta_c) == (0.3, 0.3)
    q = prescribe(**BASE, eta0=0.3, eta_b0=0.1)
    assert (q.eta_b, q.eta_c) == (0.1, 0.3)
    # Replaced as training does it: what followed follows, what was set stays.
    assert q.rates(eta0=2.0)["b"] == 0.1
    assert q.rates(eta0=2.0)["c"] == 2.0


# Tuned


def test_tuned_rates_carry_over_by_the_row():
    at = Sizes.proportional(64)
    tuned = {"eta_W": 6.0, "eta_b": 0.5, "eta_c": 0.25}
    p = prescribe(N=256, K=512, optimizer="sgd", tuned=tuned, tuned_at=at)
    assert (p.eta_W, p.eta_b, p.eta_c) == (24.0, 0.5, 0.25)


def test_tuned_data_aware_rates_need_the_eigenvalue_at_both_sizes():
    at = Sizes(64, 128)
    here = dict(N=256, K=512, optimizer="sgd", tuned_at=at)
    p = prescribe(**here, tuned={"eta_W": 6.0, "lambda_max": 3.0}, lambda_max=12.0)
    assert p.eta_W == pytest.approx(6.0 * 4 * 3 / 12)
    for lambda_max, tuned in ((None, {"lambda_max": 3.0}), (12.0, {})):
        with pytest.raises(ValueError, match="eigenvalue at both sizes"):
            prescribe(**here, tuned={"eta_W": 6.0, **tuned}, lambda_max=lambda_max)


def test_tuned_words_and_contradictions_are_refused():
    at = Sizes(64, 128)
    with pytest.raises(ValueError, match="belong together"):
        prescribe(**BASE, tuned={"eta_W": 1.0})
    with pytest.raises(ValueError, match="belong together"):
        prescribe(**BASE, tuned_at=at)
    with pytest.raises(ValueError, match="not both"):
        prescribe(**BASE, tuned={"eta_W": 1.0}, tuned_at=at, eta0=0.1)
    with pytest.raises(ValueError, match="Did you mean 'eta_b'"):
        prescribe(**BASE, tuned={"eta_W": 1.0, "eta_bb": 1.0}, tuned_at=at)
    with pytest.raises(ValueError, match="no 'eta_W'"):
        prescribe(**BASE, tuned={"eta_b": 1.0}, tuned_at=at)
    with pytest.raises(ValueError, match=r"tuned\['eta_W'\]=-1"):
        prescribe(**BASE, tuned={"eta_W": -1.0}, tuned_at=at)


def test_tuned_at_sizes_that_the_regime_does_not_connect_are_refused():
    tuned = {"eta_W": 1.0}
    with pytest.raises(ValueError, match="contradicts"):
        prescribe(N=64, K=256, tuned=tuned, tuned_at=Sizes(32, 64))
    with pytest.raises(ValueError, match="k-only regime keeps"):
        prescribe(N=64, K=256, regime="k-only", tuned=tuned, tuned_at=Sizes(32, 64))
    # Sizes that only one side knows contradict nothing.
    prescribe(N=64, K=128, tuned=tuned, tuned_at=Sizes.proportional(32))
    prescribe(**BASE, tuned=tuned, tuned_at=Sizes(32, 64))


@given(case=ruled, eta_W=rate, eta_b=rate, eta_c=rate)
def test_prescribing_where_one_tuned_gives_the_tuned_rates(case, eta_W, eta_b, eta_c):
    tuned = {"eta_W": eta_W, "eta_b": eta_b, "eta_c": eta_c}
    p = of(case, tuned=tuned, tuned_at=Sizes(**BASE))
    assert (p.eta_W, p.eta_b, p.eta_c) == pytest.approx((eta_W, eta_b, eta_c))


# Transfer


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


# Plain data


@given(
    case=ruled,
    eta0=st.floats(1e-30, 1e30),
    eta_b0=st.none() | rate,
    biases=st.sampled_from(["off", "zero", "normal"]),
    a=st.floats(0.1, 10),
    known=st.booleans(),
)
def test_json_round_trip_is_strict_and_exact(case, eta0, eta_b0, biases, a, known):
    sizes = {} if known else {"P": None, "B": None}
    p = equivalent(of(case, eta0=eta0, eta_b0=eta_b0, biases=biases, **sizes), a)
    text = json.dumps(p.to_dict(), allow_nan=False)
    q = Prescription.from_dict(json.loads(text))
    assert q == p
    assert hash(q) == hash(p)
    assert q.to_dict() == p.to_dict()
    assert str(q) == str(p)


@pytest.mark.parametrize(
    "name", ["eta0", "eps0", "init_W", "s1", "s2", "m_W", "eta_W", "eta_b", "eta_c"]
)
def test_a_changed_number_is_noticed(name):
    data = json.loads(json.dumps(prescribe(**BASE, eta0=0.3).to_dict()))
    data[name] *= 1 + 1e-9
    with pytest.raises(
        ValueError, match="the stored prescription says.*prescribe anew"
    ):
        Prescription.from_dict(data)


@pytest.mark.parametrize(
    "change",
    [
        {"sizes": {"N": 64, "K": 129, "P": 320, "B": 32}},
        {"regime": "k-only"},
        {"optimizer": "sgd"},
        {"parameterization": "sp"},
        {"eps": {"W": 0.1, "b": 1e-8, "c": 1e-8}},
    ],
)
def test_a_changed_choice_that_changes_numbers_is_noticed(change):
    data = prescribe(**BASE).to_dict()
    with pytest.raises(ValueError, match="prescribe anew"):
        Prescription.from_dict({**data, **change})


def test_stored_data_with_a_missing_or_unknown_word():
    data = prescribe(**BASE).to_dict()
    with pytest.raises(ValueError, match="no 'eta0'.*save it again"):
        Prescription.from_dict({k: v for k, v in data.items() if k != "eta0"})
    with pytest.raises(ValueError, match="Did you mean 'adam'"):
        Prescription.from_dict({**data, "optimizer": "Adam"})


def test_prints_the_row_its_formulas_and_its_source():
    p = prescribe(**BASE, optimizer="adam", eta0=0.5, biases="zero")
    text = str(p)
    for part in (
        "N=64, K=128, P=320, B=32",
        "s1     =  0.125",
        "K^-1/2",
        "eps_W",
        "arXiv 2605.10164, Table 1, row 2",
        "eta_b",
        "eps_c",
    ):
        assert part in text
    assert "eta_b" not in str(prescribe(**BASE))
    assert p._repr_html_().startswith("<pre>")


@given(case=ruled, N=st.integers(2, 400), K=st.integers(2, 400))
def test_printed_formulas_give_the_numbers(case, N, K):
    assume(N != K)
    p = of(case, N=N, K=K, P=None, B=None, eta0=0.3, eps0=1e-6)
    words = {"eta0": 0.3, "eta_b0": 0.3, "eta_c0": 0.3, "eps0": 1e-6, "N": N, "K": K}
    numbers = {"s1": p.s1, "s2": p.s2, "eta_W": p.eta_W, "eta_b": p.eta_b}
    numbers |= {f"eps_{role}": e for role, e in (p.eps or {}).items()}
    for name, value in numbers.items():
        product = 1.0
        for factor in p.formulas[name].split():
            base, _, power = factor.partition("^")
            exponent = eval(power) if power else 1  # "-1/2"
            product *= words.get(base, 1) ** exponent
        assert product == pytest.approx(value), name


def test_a_fixed_epsilon_is_the_same_at_every_size():
    def eps(N, **words):
        return prescribe(N=N, K=2 * N, eps0=1e-2, **words).eps

    assert eps(32, fixed_eps=True) == eps(256, fixed_eps=True)
    assert eps(64, fixed_eps=True) == {"W": 1e-2, "b": 1e-2, "c": 1e-2}
    assert eps(64)["W"] == pytest.approx(1e-2 / 64)
    p = prescribe(N=64, K=128, fixed_eps=True)
    assert p.formulas["eps_W"] == "eps0"
    assert prescribe(N=64, K=128, optimizer="sgd", fixed_eps=True).eps is None
