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
