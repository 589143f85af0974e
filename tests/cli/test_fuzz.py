"""Whatever the options say, the answer is a result or one sentence: no traceback."""

import tempfile
from pathlib import Path

from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scaletx.cli import main
from scaletx.cli.sweep import WORDS

VALUES = st.sampled_from(
    "0 1 3 -1 2.5 1e400 nan inf -inf 1e-300 , 1,2 8,16 0.1:1:3 1:0.1:3 0:1:3 a:b:c ::"
    " relu relu:3 relu:-1 softmax linear sgd adam adamw sp table k-only proportional"
    " off zero normal patches isotropic constant cosine float32 denseam {} [1] ''"
    " \N{SNOWMAN} 99999999999999999999 true".split(" ")
)
FLAGS = [name for name, options in WORDS if "default" in options]
VALUED = [name for name, options in WORDS if "default" not in options]
OPTION = st.one_of(
    st.tuples(st.sampled_from(VALUED), VALUES),
    st.sampled_from([(flag,) for both in FLAGS for flag in both.split("/")]),
)


def words(options):
    return [word for option in options for word in option]


def check(arguments):
    result = CliRunner().invoke(main, arguments)
    clean = result.exception is None or isinstance(result.exception, SystemExit)
    assert clean, (arguments, result.exception)
    assert result.exit_code in (0, 2), (arguments, result.output)
    if result.exit_code == 2:
        said = [x for x in result.stderr.splitlines() if x.startswith("Error: ")]
        assert len(said) == 1, (arguments, result.stderr)


@settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=True,
)
@given(st.lists(OPTION, max_size=5))
def test_sweep_options(options):
    with tempfile.TemporaryDirectory() as folder:
        check(["sweep", f"{folder}/a", *words(options), "--dry-run"])
        assert not (Path(folder) / "a").exists()


PRESCRIBE = "--n --k --p --b --regime --parameterization --activation --optimizer"
PRESCRIBE += " --eta0 --eta-b0 --eps0 --biases --lambda-max"


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.lists(st.tuples(st.sampled_from(PRESCRIBE.split()), VALUES), max_size=5))
def test_prescribe_options(options):
    check(["prescribe", "--n", "8", "--k", "16", *words(options)])


CELLS = st.sampled_from(["", "1", "0", "-1", "nan", "inf", "x", "0.1", "64", "1e999"])


@settings(
    max_examples=150,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
@given(
    st.lists(st.tuples(CELLS, CELLS, CELLS, CELLS), max_size=12),
    st.sampled_from(["width,lr,loss,seed", "N,eta0,train_mse,seed", "a,b,c,d", ""]),
)
def test_verdict_on_broken_tables(rows, header):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.csv"
        path.write_text("\n".join([header, *map(",".join, rows)]))
        check(["verdict", str(path), "--json"])
