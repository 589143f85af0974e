"""Sweeps: what to run, what is done, and the store that keeps it."""

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
    "inline",
    "lane_key",
    "plan",
    "read_toml",
    "run",
    "spec",
]
