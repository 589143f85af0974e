import jax
import jax.numpy as jnp
import numpy as np
import pytest
from oracles import double_factorial_norm
from scipy import integrate, special, stats

from scaletx._types import LARGEST_POWER
from scaletx.activations import activation, log_cosh, relu_norm, visible

NAMES = ["linear", "relu:1", "relu:2", "relu:3", "softmax"]


@pytest.mark.parametrize("p", range(1, 6))
def test_relu_has_unit_second_moment_on_standard_normal_input(p):
    second, _ = integrate.quad(
        lambda z: z ** (2 * p) * stats.norm.pdf(z), 0, np.inf, epsabs=1e-12
    )
    assert relu_norm(p) ** 2 == pytest.approx(second, rel=1e-9)
    # The value itself, not only the constant: Gauss-Hermite is exact for p >= 1 on z^2p
    # and half of it lies at z > 0.
    z, w = special.roots_hermitenorm(40)
    with jax.enable_x64():
        value = np.asarray(activation(f"relu:{p}").value(jnp.asarray(z)))
    assert np.sum(w * value**2) / w.sum() == pytest.approx(1, rel=1e-9)


@pytest.mark.parametrize("name", NAMES)
def test_value_is_the_gradient_of_the_lagrangian(name):
    with jax.enable_x64():
        z = jnp.asarray(np.random.default_rng(0).normal(size=7))
        phi = activation(name)
        slope = jax.grad(phi.lagrangian)(z)
        np.testing.assert_allclose(slope, phi.value(z), rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("name", NAMES)
def test_visible_value_is_the_gradient_of_its_lagrangian(name):
    with jax.enable_x64():
        x = jnp.asarray([-3.0, -0.2, 0.0, 0.2, 3.0])
        g = visible(name)
        np.testing.assert_allclose(jax.grad(g.lagrangian)(x), g.value(x), atol=1e-15)
        linear = name == "linear"
        np.testing.assert_allclose(g.value(x), x if linear else np.tanh(x), rtol=1e-14)
        wanted = x**2 / 2 if linear else np.log(np.cosh(x))
        assert float(g.lagrangian(x)) == pytest.approx(float(wanted.sum()), rel=1e-12)


@pytest.mark.parametrize("x", [-1e4, 1e4])
def test_log_cosh_and_its_slope_are_finite_where_cosh_overflows(x):
    x = jnp.float32(x)
    assert not jnp.isfinite(jnp.cosh(x))
    assert float(log_cosh(x)) == pytest.approx(1e4 - np.log(2), rel=1e-7)
    assert float(jax.grad(log_cosh)(x)) == np.sign(x)


def test_lagrangians_at_ten_thousand_overflow_from_power_nine_on():
    z = jnp.full(3, 1e4, jnp.float32)
    finite = [
        p for p in range(1, 12) if jnp.isfinite(activation(f"relu:{p}").lagrangian(z))
    ]
    assert finite == list(range(1, 9))


def test_relu_values_by_hand():
    with jax.enable_x64():
        z = jnp.array([-2.0, 0.0, 0.5, 2.0])
        for p in (1, 2, 3):
            expected = np.array([0, 0, 0.5**p, 2.0**p]) / double_factorial_norm(p)
            np.testing.assert_allclose(
                activation(f"relu:{p}").value(z), expected, rtol=1e-14
            )
        np.testing.assert_array_equal(
            activation("relu").value(z), activation("relu:1").value(z)
        )


def test_powers_whose_norm_overflows_are_refused_and_no_others():
    largest = float(np.finfo(np.float32).max)
    assert relu_norm(LARGEST_POWER) < largest < relu_norm(LARGEST_POWER + 1)
    value = activation(f"relu:{LARGEST_POWER}").value(jnp.array([3.0]))
    assert 0 < value[0] < np.inf
    for power in (LARGEST_POWER + 1, 200):
        with pytest.raises(ValueError, match="a power P from 1 to 49"):
            activation(f"relu:{power}")


def test_softmax_acts_over_the_last_axis_and_survives_large_numbers():
    z = np.array([[0.0, 1.0, 2.0], [1e4, 1e4, 1e4]], np.float32)
    value = np.asarray(activation("softmax").value(jnp.asarray(z)))
    np.testing.assert_allclose(value, special.softmax(z, axis=-1), rtol=1e-6)
    assert np.isfinite(activation("softmax").lagrangian(jnp.asarray(z))).all()


@pytest.mark.parametrize("name", NAMES)
def test_softmax_alone_does_not_see_a_shift_of_all_units(name):
    z = jnp.array([0.3, -0.7, 1.1])
    phi = activation(name)
    same = np.allclose(phi.value(z), phi.value(z + 0.5), atol=1e-6)
    assert same == (name == "softmax")


@pytest.mark.parametrize("name", ["gelu", "relu:0", "relu:-1", "relu:1.5", "relu:", ""])
def test_unknown_names_say_what_is_known(name):
    with pytest.raises(ValueError, match="'linear', 'softmax', or 'relu:P'"):
        activation(name)
