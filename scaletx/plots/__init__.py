"""Draw what analysis returns. Nothing here computes, or touches a display."""

from scaletx.plots.canvas import require_format as require_format
from scaletx.plots.canvas import save as save
from scaletx.plots.collapse import collapse as collapse
from scaletx.plots.collapse import collapses as collapses
from scaletx.plots.coordinates import coordinates as coordinates
from scaletx.plots.curves import CurvePanel as CurvePanel
from scaletx.plots.curves import curves as curves
from scaletx.plots.panels import figure as figure
from scaletx.plots.power_law import power_law as power_law
from scaletx.plots.transfer import transfer as transfer
