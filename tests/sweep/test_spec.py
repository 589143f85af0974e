import tomllib
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scaletx.sweep import axes, read_toml, spec
from scaletx.sweep.spec import SweepSpec


def test_defaults_run_as_documented():
    s = spec()
    assert [shape[0] for shape in s.shapes] == [32, 64, 128, 256]
    assert s.shapes[0] == (32, 64, 160, 16)
    assert np.allclose(s.grid[0], np.geomspace(0.01, 1, 9), rtol=1e-8)
    assert s.seeds == (0, 1, 2)
    assert s.settings.steps == 200 and s.settings.centered is True


def test_words_round_trip_through_toml():
    s = spec(n="8,16", optimizer="sgd", eta_b0=0.1, biases="zero", data_aware=True)
    assert spec(**tomllib.loads(s.to_toml())) == s


@pytest.mark.parametrize("sep", ["-", "_"])
def test_toml_takes_the_options_words(tmp_path, sep):
    file = tmp_path / "s.toml"
    file.write_text(f'n = [8, 16]\nlog{sep}every = 2\neta0 = "0.1,0.2"\n')
    s = spec(**read_toml(file))
    assert s.settings.log_every == 2 and s.grid == ((0.1, 0.2),)


def test_sizes_zip_and_single_values_repeat():
    s = spec(n="8,16", k="10,20", p=100, b="5,10", steps=3)
    assert s.shapes == ((8, 10, 100, 5), (16, 20, 100, 10))


def test_k_only_fixes_the_rest():
    s = spec(regime="k-only", steps=3)
    assert {(N, P, B) for N, _, P, B in s.shapes} == {(64, 320, 32)}
    assert [K for _, K, _, _ in s.shapes] == [64, 128, 256, 512]
    with pytest.raises(ValueError, match="keeps N, P and B fixed"):
        spec(regime="k-only", n="32,64", k="64,128", steps=3)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"n": "-4"}, "n=-4.0: expected a whole number >= 1"),
        ({"n": "4.5"}, "whole number"),
        ({"n": ""}, "empty"),
        ({"n": "8,16", "k": "8,16,32"}, "zipped"),
        ({"n": 8, "p": 4, "b": 8}, "B=8 exceeds P=4"),
        ({"eta0": ""}, "empty grid"),
        ({"eta0": "0.1:1"}, "LOW:HIGH:COUNT"),
        ({"eta0": "1:0.1:3"}, "0 < LOW <= HIGH"),
        ({"eta0": "0.1:1:1"}, "COUNT >= 2"),
        ({"eta0": "0.1:1:2.5"}, "whole number"),
        ({"eta0": "-0.1"}, "rates > 0"),
        ({"eta0": "nan"}, "not a finite number"),
        ({"eta0": "fast"}, "not a finite number"),
        ({"eta0": {"a": 1}}, "expected numbers"),
        ({"seeds": 0}, "whole number >= 1"),
        ({"seeds": "1,x"}, "not a finite number"),
        ({"seeds": "1,-2"}, "whole number >= 0"),
        ({"seeds": f"1,{2**31}"}, "whole number <= 2147483647"),
        ({"seeds": 10**9}, "whole number <= 100000"),
        ({"eta0": "0.1:1:1000000000"}, "whole number <= 100000"),
        ({"kappa": 1e308}, "finite number"),
        ({"n": "9" * 400}, "not a finite number"),
        ({"task": [1]}, "unknown"),
        ({"steps": 3, "epochs": 2}, "give one of them"),
        ({"n": "8,16", "b": "8,20"}, "give steps instead"),
        ({"n": "8,16", "k": "8,20", "kappa": 1}, "k=20 contradicts kappa=1 at n=16"),
        ({"optimizer": "adamw"}, "Did you mean 'adam'"),
        ({"optimiser": "adam"}, "Did you mean 'optimizer'"),
        ({"data": "patch"}, "Did you mean 'patches'"),
        ({"data": "patches", "n": 50}, "N = 36, 64, 144, 256, 576, 2304"),
        ({"task": "denseman"}, "Did you mean 'denseam'"),
        ({"activation": "relu:0"}, "P from 1 to 49"),
        ({"activation": "softmax", "optimizer": "sgd"}, "has no rule"),
        ({"data_aware": True}, "data-aware"),
        ({"b1": 1.0}, "decay in"),
        ({"noise": -1}, "finite number >= 0"),
        ({"kappa": 0}, "finite number > 0"),
        ({"log_every": 0}, "whole number >= 1"),
    ],
)
def test_bad_words_get_one_sentence(words, message):
    with pytest.raises(ValueError, match=message):
        spec(**words)


def test_bad_toml_is_named(tmp_path):
    (tmp_path / "bad.toml").write_text("n = [1,")
    with pytest.raises(ValueError, match="not TOML"):
        read_toml(tmp_path / "bad.toml")
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ValueError, match="not TOML"):
        read_toml(tmp_path / "binary.toml")
    with pytest.raises(ValueError, match="cannot read the spec"):
        read_toml(tmp_path / "absent.toml")


@given(
    low=st.floats(1e-6, 1.0),
    factor=st.floats(1.001, 1e4),
    count=st.integers(2, 30),
)
def test_ranges_are_geometric_and_hold_their_ends(low, factor, count):
    grid = axes.values("eta0", f"{low!r}:{low * factor!r}:{count}")
    assert len(grid) == count
    assert np.isclose(grid[0], low, rtol=1e-8)
    assert np.isclose(grid[-1], low * factor, rtol=1e-8)
    assert np.allclose(np.diff(np.log(grid)), np.log(factor) / (count - 1), atol=1e-7)


@given(st.lists(st.floats(1e-9, 1e9), min_size=1, max_size=6))
def test_values_do_not_depend_on_how_they_are_written(numbers):
    text = ",".join(map(repr, numbers))
    assert axes.values("x", numbers) == axes.values("x", text)
    assert axes.values("x", numbers[::-1]) == axes.values("x", numbers)


def test_a_spec_is_plain_data():
    s = spec(n=8, steps=2)
    assert isinstance(s, SweepSpec) and s == replace(s) and hash(s) == hash(replace(s))
