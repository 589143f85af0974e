import json

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from scaletx.parameterization import (
    Prescription,
    equivalent,
    prescribe,
)

from .cases import BASE, of, rate, ruled


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
