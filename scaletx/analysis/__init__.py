"""Read tables of runs, and judge whether hyperparameters transferred."""

# Stores and tables
from scaletx.analysis.tables import Results as Results
from scaletx.analysis.tables import load as load
from scaletx.analysis.tables import read as read

# Verdicts
from scaletx.analysis.judgment import Answer as Answer  # isort: skip
from scaletx.analysis.judgment import Margins as Margins
from scaletx.analysis.verdict import Verdict as Verdict
from scaletx.analysis.verdict import verdict as verdict
from scaletx.analysis.verdict import verdicts as verdicts

# Their parts
from scaletx.analysis.drift import Drift as Drift  # isort: skip
from scaletx.analysis.optima import Optimum as Optimum
from scaletx.analysis.optimum import OptimumStatus as OptimumStatus
from scaletx.analysis.regret import Regret as Regret

# Collapse of training curves
from scaletx.analysis.collapse import Collapse as Collapse  # isort: skip
from scaletx.analysis.collapse import collapse as collapse
from scaletx.analysis.collapse import collapses as collapses
from scaletx.analysis.collapsed import CollapseAnswer as CollapseAnswer
from scaletx.analysis.deviation import Deviation as Deviation
from scaletx.analysis.trend import Trend as Trend
from scaletx.analysis.trend import TrendAnswer as TrendAnswer
from scaletx.analysis.trend import trend as trend

# Coordinate check
from scaletx.analysis.coordinates import CheckAnswer as CheckAnswer  # isort: skip
from scaletx.analysis.coordinates import CoordinateCheck as CoordinateCheck
from scaletx.analysis.coordinates import check_coordinates as check_coordinates

# Scaling laws
from scaletx.analysis.fitting import FitStatus as FitStatus  # isort: skip
from scaletx.analysis.forecast import Forecast as Forecast
from scaletx.analysis.forecast import HeldOut as HeldOut
from scaletx.analysis.points import fit_table as fit_table
from scaletx.analysis.power_law import PowerLawFit as PowerLawFit
from scaletx.analysis.power_law import fit_power_law as fit_power_law
