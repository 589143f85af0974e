import importlib
import subprocess
import sys

import pytest

PACKAGES = [
    "scaletx",
    "scaletx.analysis",
    "scaletx.data",
    "scaletx.models",
    "scaletx.optimizers",
    "scaletx.parameterization",
    "scaletx.plots",
    "scaletx.sweep",
    "scaletx.training",
]


def python(code):
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_numbers_and_tables_work_without_jax():
    out = python(
        "import sys\n"
        "for name in ('jax', 'jaxlib', 'optax', 'equinox', 'diffrax'):\n"
        "    sys.modules[name] = None\n"
        "import scaletx\n"
        "p = scaletx.prescribe(N=64, K=128, optimizer='sgd', eta0=0.5)\n"
        "q = scaletx.transfer(p, N=256)\n"
        "assert scaletx.Prescription.from_dict(q.to_dict()) == q\n"
        "scaletx.analysis.verdict, scaletx.plots.transfer\n"
        "print(q.eta_W)\n"
        "try:\n"
        "    scaletx.DenseAM\n"
        "except ImportError:\n"
        "    print('jax is blocked')\n"
    )
    assert out.split("\n")[:2] == ["256.0", "jax is blocked"]


def test_importing_the_package_is_light():
    heavy = "jax jaxlib optax equinox diffrax pandas matplotlib seaborn scipy sklearn"
    out = python(
        "import sys, scaletx\n"
        "scaletx.prescribe(N=64, K=128)\n"
        f"print(*[name for name in {heavy.split()!r} if name in sys.modules])"
    )
    assert out.split() == []


@pytest.mark.parametrize("name", PACKAGES)
def test_public_names_resolve(name):
    package = importlib.import_module(name)
    listed = [public for public in dir(package) if not public.startswith("_")]
    names = getattr(package, "__all__", listed)
    assert names and len(set(names)) == len(names)
    for public in names:
        assert getattr(package, public) is not None
    assert set(names) <= set(dir(package))


def test_unknown_names_are_attribute_errors():
    import scaletx

    with pytest.raises(AttributeError, match="'scaletx' has no attribute 'densam'"):
        scaletx.densam  # noqa: B018
