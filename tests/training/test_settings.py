import dataclasses
import math

import pytest

from scaletx import Sizes, prescribe
from scaletx.training import TASKS, DenseAMSettings, DenseAMTask, task


def test_words_are_read_once_and_equal_settings_are_equal():
    a = DenseAMSettings(regime="k-only", activation="relu", optimizer="sgd", noise=1)
    b = DenseAMSettings(
        regime="k-only", activation="relu:1", optimizer="sgd", noise=1.0, centered=True
    )
    assert a == b and hash(a) == hash(b)
    assert not DenseAMSettings(parameterization="sp").centered
    for value in dataclasses.replace(a, steps=7.0), dataclasses.replace(a, steps=7):
        assert type(value.steps) is int


@pytest.mark.parametrize(
    "wrong, said",
    [
        ({"regime": "proportionl"}, "Did you mean 'proportional'"),
        ({"optimizer": "adm"}, "Did you mean 'adam'"),
        ({"schedule": "cosin"}, "Did you mean 'cosine'"),
        ({"precision": "float16"}, "expected one of float32, tf32, bfloat16"),
        ({"biases": "on"}, "expected one of off, zero, normal"),
        ({"parameterization": "mup"}, "expected one of table, sp"),
        ({"data": "patch"}, "Did you mean 'patches'"),
        ({"activation": "gelu"}, "'relu:P'"),
        ({"noise": -1}, "noise=-1.*>= 0"),
        ({"eps0": -1}, "eps0=-1.*>= 0"),
        ({"eta_b0": 0}, "eta_b0=0.*> 0"),
        ({"eta_c0": math.nan}, "eta_c0=nan.*> 0"),
        ({"b1": 1.0}, r"b1=1.0: expected a decay in \[0, 1\)"),
        ({"b2": -0.1}, "b2=-0.1.*>= 0"),
        ({"steps": 0}, "steps=0.*>= 1"),
        ({"log_every": 0.5}, "log_every=0.5.*whole"),
        ({"eval_every": -1}, "eval_every=-1.*>= 1"),
        ({"data_aware": True}, "lambda_max.*optimizer='sgd'"),
        ({"activation": "softmax", "optimizer": "sgd"}, "has no rule"),
        ({"live_inner_bias": True}, "live_inner_bias=True is a rule for"),
    ],
    ids=str,
)
def test_wrong_settings_are_refused_when_made(wrong, said):
    with pytest.raises(ValueError, match=said):
        DenseAMSettings(**wrong)


def test_the_prescription_of_settings():
    settings = DenseAMSettings(
        optimizer="sgd",
        regime="k-only",
        biases="zero",
        eta_b0=0.3,
        live_inner_bias=True,
    )
    sizes = Sizes(8, 16, 40, 4)
    assert settings.prescription(sizes) == prescribe(
        **sizes._asdict(),
        optimizer="sgd",
        regime="k-only",
        biases="zero",
        eta_b0=0.3,
        live_inner_bias=True,
        eta0=1.0,
    )
    forced = DenseAMSettings(activation="softmax", optimizer="sgd", allow_no_rule=True)
    assert forced.prescription(sizes).s2 == 4


def test_tasks_are_found_by_name():
    assert task("denseam") is TASKS["denseam"]
    with pytest.raises(ValueError, match="Did you mean 'denseam'"):
        task("denseams")


def test_a_task_checks_shapes_before_it_runs():
    one = DenseAMTask()
    one.check((36, 16, 40, 4), DenseAMSettings(data="patches"))
    with pytest.raises(ValueError, match="cannot give N=37"):
        one.check((37, 16, 40, 4), DenseAMSettings(data="patches"))
    with pytest.raises(ValueError, match="B=41 exceeds P=40"):
        one.check((36, 16, 40, 41), DenseAMSettings())
    with pytest.raises(ValueError, match="at_once=0"):
        DenseAMTask(at_once=0)


def test_cost_counts_the_matrix_products():
    """A step reads W twice forward and back, in five products of 2 N K B each."""
    N, K, P, B, steps = 10, 20, 50, 5, 40
    one = DenseAMTask()
    once = one.cost((N, K, P, B), DenseAMSettings(steps=steps)).flops
    assert once == 5 * 2 * N * K * B * steps + 3 * 2 * 2 * N * K * P
    often = one.cost((N, K, P, B), DenseAMSettings(steps=steps, eval_every=15)).flops
    assert often - once == 2 * 2 * 2 * 2 * N * K * P
    more = one.cost((N, K, P, B), DenseAMSettings(optimizer="sgd", steps=steps))
    assert more.bytes < one.cost((N, K, P, B), DenseAMSettings(steps=steps)).bytes


def test_digest_names_the_files_of_the_data():
    one = DenseAMTask()
    assert one.digest(DenseAMSettings()) == "isotropic"
    assert one.digest(DenseAMSettings(data="patches")).startswith("patches:")
