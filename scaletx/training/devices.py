"""The devices of a process, set before jax starts."""

import contextlib
import hashlib
import os
import platform
from importlib import metadata
from pathlib import Path
from typing import Any

from scaletx import _checks

DEVICES = {"auto": None, "cpu": "cpu", "gpu": "cuda"}


def configure(device: str = "auto") -> None:
    """Choose the device, as many CPU devices as cores, and a compile cache that lasts.

    What the environment already says (JAX_PLATFORMS, JAX_NUM_CPU_DEVICES,
    JAX_COMPILATION_CACHE_DIR) stays. For command lines: call it before anything runs.

    Args:
        device: `auto`, `cpu` or `gpu`.

    Raises:
        ValueError: If the word is unknown, or there is no such device here.
    """
    import jax

    if device not in DEVICES:
        raise _checks.unknown("device", device, DEVICES)
    if DEVICES[device]:
        jax.config.update("jax_platforms", DEVICES[device])
    config: Any = jax.config  # its options are attributes that jax adds when it runs
    if "JAX_NUM_CPU_DEVICES" not in os.environ and config.jax_num_cpu_devices < 1:
        # Once jax has started it keeps the devices it has.
        with contextlib.suppress(RuntimeError):
            config.update("jax_num_cpu_devices", _cores())
    if not config.jax_compilation_cache_dir:
        home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
        folder = Path(home) / "scaletx" / f"compiled-{fingerprint()}"
        jax.config.update("jax_compilation_cache_dir", str(folder))
        jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.2)
    try:
        jax.devices()
    except Exception:  # jax raises RuntimeError or AssertionError, by the backend
        raise ValueError(
            f"device={device!r}: there is none here that jax can use; use "
            "device='cpu', or install scaletx with the extra for your GPU: "
            "pip install scaletx[cuda]."
        ) from None


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def fingerprint() -> str:
    """Identify what compiled code depends on: the processor's features and jaxlib."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        features = next((x for x in lines if x.startswith(("flags", "Features"))), "")
    except OSError:
        features = platform.processor()
    parts = (platform.machine(), features, metadata.version("jaxlib"))
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]
