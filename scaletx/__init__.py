"""Scaling laws and hyperparameter transfer of associative memories."""

import importlib
from typing import TYPE_CHECKING, Any

from scaletx._version import __version__ as __version__

if TYPE_CHECKING:
    from scaletx import analysis as analysis
    from scaletx import data as data
    from scaletx import diagnostics as diagnostics
    from scaletx import models as models
    from scaletx import optimizers as optimizers
    from scaletx import plots as plots
    from scaletx import study as study
    from scaletx import sweep as sweep
    from scaletx import training as training
    from scaletx.models import DenseAM as DenseAM
    from scaletx.models import descend as descend
    from scaletx.models import flow as flow
    from scaletx.models import retrieve as retrieve
    from scaletx.parameterization import Prescription as Prescription
    from scaletx.parameterization import Sizes as Sizes
    from scaletx.parameterization import equivalent as equivalent
    from scaletx.parameterization import prescribe as prescribe
    from scaletx.parameterization import transfer as transfer

# A name loads its package when first used: numbers and tables never wait for jax.
_HOME = {
    # What to set
    "Prescription": "parameterization",
    "Sizes": "parameterization",
    "equivalent": "parameterization",
    "prescribe": "parameterization",
    "transfer": "parameterization",
    # Models
    "DenseAM": "models",
    "descend": "models",
    "flow": "models",
    "retrieve": "models",
}
_PACKAGES = (
    "analysis",
    "data",
    "diagnostics",
    "models",
    "optimizers",
    "plots",
    "study",
    "sweep",
    "training",
)

__all__ = [*_HOME, *_PACKAGES, "__version__"]  # pyright: ignore


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(importlib.import_module(f"scaletx.{_HOME[name]}"), name)
    if name in _PACKAGES:
        return importlib.import_module(f"scaletx.{name}")
    raise AttributeError(f"module 'scaletx' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
