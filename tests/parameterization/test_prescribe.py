import math

import pytest
from hypothesis import given

from scaletx.parameterization import (
    Sizes,
    prescribe,
)

from .cases import BASE, RULED, of, rate, ruled

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


def test_a_fixed_epsilon_is_the_same_at_every_size():
    def eps(N, **words):
        return prescribe(N=N, K=2 * N, eps0=1e-2, **words).eps

    assert eps(32, fixed_eps=True) == eps(256, fixed_eps=True)
    assert eps(64, fixed_eps=True) == {"W": 1e-2, "b": 1e-2, "c": 1e-2}
    assert eps(64)["W"] == pytest.approx(1e-2 / 64)
    p = prescribe(N=64, K=128, fixed_eps=True)
    assert p.formulas["eps_W"] == "eps0"
    assert prescribe(N=64, K=128, optimizer="sgd", fixed_eps=True).eps is None
