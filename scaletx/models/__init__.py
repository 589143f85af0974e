"""Models, their dynamics, and retrieval."""

from scaletx.models.denseam import DenseAM
from scaletx.models.dynamics import Descent, Flow, descend, flow
from scaletx.models.retrieval import Retrieval, Visible, retrieve

__all__ = [
    "DenseAM",
    "Descent",
    "Flow",
    "Retrieval",
    "Visible",
    "descend",
    "flow",
    "retrieve",
]
