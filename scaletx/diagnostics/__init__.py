"""What happens inside a DenseAM while it trains."""

from scaletx.diagnostics.columns import Step, columns
from scaletx.diagnostics.localization import (
    centered_effective_units,
    effective_units,
)
from scaletx.diagnostics.spectrum import feature_moments, spike_and_bulk
from scaletx.diagnostics.updates import GradientParts, gradient_parts, update_terms

__all__ = [
    # Update terms
    "GradientParts",
    "gradient_parts",
    "update_terms",
    # Spectrum of the features
    "feature_moments",
    "spike_and_bulk",
    # Localization of softmax
    "centered_effective_units",
    "effective_units",
    # What a sweep logs
    "Step",
    "columns",
]
