"""What to set at which size; numbers only, no jax."""

from scaletx.parameterization.prescribe import prescribe, require_data_aware_rule
from scaletx.parameterization.prescription import Prescription
from scaletx.parameterization.sizes import Sizes
from scaletx.parameterization.table import TABLE
from scaletx.parameterization.transfer import equivalent, transfer

__all__ = [
    "TABLE",
    "Prescription",
    "Sizes",
    "equivalent",
    "prescribe",
    "require_data_aware_rule",
    "transfer",
]
