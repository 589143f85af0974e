import pytest
from hypothesis import given
from hypothesis import strategies as st

from scaletx.parameterization import Sizes


@given(
    N=st.integers(1, 5000),
    kappa=st.floats(0.01, 10),
    rho=st.floats(0.01, 10),
    beta=st.floats(0.001, 1),
)
def test_proportional_sizes_are_the_rounded_ones(N, kappa, rho, beta):
    sizes = Sizes.proportional(N, kappa=kappa, rho=rho, beta=beta)
    assert sizes.K == max(1, round(kappa * N))
    assert sizes.P == max(1, round(rho * N))
    assert sizes.B == max(1, round(beta * sizes.P))
    assert Sizes.checked(**sizes._asdict()) == sizes


def test_ratios_of_the_paper_are_rounded_and_not_cut():
    # beta P = 2.9: int() would give 2.
    assert Sizes.proportional(29, rho=1.0, beta=0.1) == (29, 58, 29, 3)
    assert Sizes.proportional(64) == (64, 128, 320, 32)


@pytest.mark.parametrize("name", ["N", "K", "P", "B"])
@pytest.mark.parametrize("value", [0, -3, 1.5, float("nan"), float("inf"), "8", True])
def test_sizes_are_whole_numbers(name, value):
    with pytest.raises(ValueError, match=rf"{name}=.*expected a whole number >= 1"):
        Sizes.checked(**{"N": 8, "K": 16, "P": 32, "B": 4, name: value})


def test_a_batch_is_not_larger_than_the_data():
    with pytest.raises(ValueError, match="B=5 exceeds P=4.*use B <= P"):
        Sizes.checked(N=2, K=2, P=4, B=5)
    assert Sizes.checked(N=2, K=2, P=4, B=4).B == 4


@pytest.mark.parametrize("name", ["kappa", "rho", "beta"])
@pytest.mark.parametrize("value", [0, -1.0, float("nan")])
def test_ratios_are_positive(name, value):
    with pytest.raises(ValueError, match=f"{name}=.*> 0"):
        Sizes.proportional(8, **{name: value})


def test_beta_is_at_most_one():
    with pytest.raises(ValueError, match="beta=1.5"):
        Sizes.proportional(8, beta=1.5)


def test_prints_what_is_known():
    assert str(Sizes(4, 8)) == "N=4, K=8"
    assert str(Sizes(4, 8, 20, 2)) == "N=4, K=8, P=20, B=2"
