"""Draw what analysis returns. Nothing here computes, or touches a display."""

from scaletx.plots.canvas import save as save
from scaletx.plots.panels import figure as figure
from scaletx.plots.transfer import transfer as transfer
