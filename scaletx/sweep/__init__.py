"""Sweeps: what to run, what is done, and the store that keeps it."""

from scaletx.sweep.coordinate_check import check_denseam, coordinate_check
from scaletx.sweep.plan import Job, Plan, lane_key, plan
from scaletx.sweep.run import Progress, inline, run
from scaletx.sweep.spec import SweepSpec, read_toml, spec
from scaletx.sweep.store import Store, StoreError

__all__ = [
    "Job",
    "Plan",
    "Progress",
    "Store",
    "StoreError",
    "SweepSpec",
    "check_denseam",
    "coordinate_check",
    "inline",
    "lane_key",
    "plan",
    "read_toml",
    "run",
    "spec",
]
