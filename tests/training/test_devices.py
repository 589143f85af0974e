import os
import subprocess
import sys

import pytest

from scaletx.training import devices


def configured(tmp_path, *arguments, **environment):
    """Run `configure` in a fresh process and print what jax then says."""
    script = (
        "import sys, jax\n"
        "from scaletx.training.devices import configure\n"
        "try:\n"
        "    configure(*sys.argv[1:])\n"
        "except ValueError as error:\n"
        "    sys.exit(str(error))\n"
        "print(jax.default_backend(), jax.device_count(), "
        "jax.config.jax_compilation_cache_dir)"
    )
    clean = {k: v for k, v in os.environ.items() if not k.startswith("JAX_")}
    return subprocess.run(
        [sys.executable, "-c", script, *arguments],
        env={**clean, "XDG_CACHE_HOME": str(tmp_path), **environment},
        capture_output=True,
        text=True,
    )


@pytest.mark.slow
def test_as_many_cpu_devices_as_cores_and_a_cache_that_lasts(tmp_path):
    done = configured(tmp_path, "cpu")
    cores = len(os.sched_getaffinity(0))
    folder = tmp_path / "scaletx" / f"compiled-{devices.fingerprint()}"
    assert done.stdout.split() == ["cpu", str(cores), str(folder)]


@pytest.mark.slow
def test_what_the_environment_says_stays(tmp_path):
    done = configured(
        tmp_path,
        "auto",
        JAX_PLATFORMS="cpu",
        JAX_NUM_CPU_DEVICES="3",
        JAX_COMPILATION_CACHE_DIR=str(tmp_path / "mine"),
    )
    assert done.stdout.split() == ["cpu", "3", str(tmp_path / "mine")]


def test_unknown_words():
    with pytest.raises(ValueError, match="device='cpus'.*Did you mean 'cpu'"):
        devices.configure("cpus")


def test_a_device_that_is_not_there_is_an_error_that_says_what_to_do(monkeypatch):
    import jax

    def none():
        raise RuntimeError("Unable to initialize backend 'cuda'")

    monkeypatch.setattr(jax, "devices", none)
    monkeypatch.setattr(jax.config, "update", lambda name, value: None)
    with pytest.raises(ValueError, match=r"device='gpu'.*pip install scaletx\[cuda\]"):
        devices.configure("gpu")


def test_the_fingerprint_is_stable_and_short():
    assert devices.fingerprint() == devices.fingerprint()
    assert len(devices.fingerprint()) == 16
