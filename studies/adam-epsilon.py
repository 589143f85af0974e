"""Adam's epsilon, fixed and prescribed, in the proportional regime on Gaussian data.

Hypothesis: gradient entries of W have size 1/N, so an epsilon that is the same at every
size turns Adam into SGD with momentum as N grows, and the best eta0 with it. Epsilon
scaled as 1/N, equal at N = 32, keeps the best eta0. The standard parameterization, with
the same epsilon at every size as it has by default, moves whatever its epsilon.

Confirms: a slope outside the margin for the fixed epsilon and the standard
parameterization, inside for the scaled one.
"""

from scaletx.study import Arm, sweep_study

STUDY = sweep_study(
    claim="A fixed epsilon of 0.01 breaks Adam's transfer; scaled by 1/N it does not.",
    source="dimensional analysis of the gradients, beyond the paper",
    common={"optimizer": "adam", "seeds": 5, "n": "32,64,128,256"},
    arms={
        "fixed": Arm(
            "drifts", {"fixed_eps": True, "eps0": 0.01, "eta0": "0.03125:4:15"}
        ),
        "scaled": Arm("transfers", {"eps0": 0.32, "eta0": "0.03125:4:15"}),
        "standard": Arm(
            "drifts",
            {"parameterization": "sp", "eps0": 0.01, "eta0": "0.00048828125:0.5:21"},
        ),
    },
)
