"""Adam in the proportional regime, on Gaussian data.

Hypothesis: with s1 = N^-1/2, s2 = K^-1/2 (softmax: K^1/2) and eta_W = eta0 the best
eta0 does not depend on the size, for centered ReLU and softmax models. Under the
standard parameterization Adam's best eta0 falls as N^-1/2 in centered models, since a
step changes the pre-activations by eta0 N^1/2; uncentered, by something between N^-.3
and N^-.9.

Confirms: the table's slopes lie inside the margin, the standard ones' outside.
"""

from scaletx.study import Arm, sweep_study

STUDY = sweep_study(
    claim="With Adam the table's learning rate transfers and training curves collapse "
    "for ReLU and softmax models; the standard parameterization's do not.",
    source="arXiv 2605.10164, figures 9, 13 and 14",
    common={"optimizer": "adam", "seeds": 5, "n": "32,64,128,256"},
    arms={
        "table relu": Arm("transfers", {"eta0": "0.0078125:1:15"}, "collapses"),
        "table softmax": Arm(
            "transfers",
            {"activation": "softmax", "eta0": "0.0078125:1:15"},
            "collapses",
        ),
        "standard softmax": Arm(
            "drifts",
            {
                "activation": "softmax",
                "parameterization": "sp",
                "eta0": "0.001953125:0.5:17",
            },
        ),
        "standard relu centered": Arm(
            "drifts",
            {"parameterization": "sp", "centered": True, "eta0": "0.001953125:0.25:15"},
            "fails",
        ),
        "standard relu": Arm(
            "drifts",
            {"parameterization": "sp", "eta0": "0.00048828125:0.25:19"},
            "fails",
        ),
    },
)
