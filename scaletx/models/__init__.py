"""Models."""

from scaletx.models.denseam import DenseAM

__all__ = ["DenseAM"]
