"""Only K grows, with N, P and B fixed, on Gaussian data.

Hypothesis: with s2 = 1/K (softmax: N^1/2) and eta_W = eta0 K for SGD, eta0 for Adam,
the best eta0 does not depend on K, for linear, ReLU, ReLU^2 and softmax models. Under
the standard parameterization outputs and their updates grow with K, so the best eta0
moves.

Confirms: the table's slopes of log2 best eta0 by log2 K lie inside the margin, the
standard one's outside.
"""

from scaletx.study import Arm, sweep_study

STUDY = sweep_study(
    claim="With N, P and B fixed the table's learning rate transfers across K; "
    "the standard parameterization's does not.",
    source="arXiv 2605.10164, figure 16",
    common={"regime": "k-only", "seeds": 5, "n": 64, "k": "64,128,256,512,1024"},
    size="K",
    arms={
        "linear SGD": Arm(
            "transfers",
            {"optimizer": "sgd", "activation": "linear", "eta0": "0.03125:4:15"},
        ),
        "linear Adam": Arm(
            "transfers",
            {"optimizer": "adam", "activation": "linear", "eta0": "0.0078125:1:15"},
        ),
        "relu SGD": Arm("transfers", {"optimizer": "sgd", "eta0": "0.0625:8:15"}),
        "relu Adam": Arm("transfers", {"optimizer": "adam", "eta0": "0.015625:2:15"}),
        "relu:2 SGD": Arm(
            "transfers",
            {"optimizer": "sgd", "activation": "relu:2", "eta0": "0.015625:4:17"},
        ),
        "relu:2 Adam": Arm(
            "transfers",
            {"optimizer": "adam", "activation": "relu:2", "eta0": "0.0078125:1:15"},
        ),
        "softmax Adam": Arm(
            "transfers",
            {"optimizer": "adam", "activation": "softmax", "eta0": "0.0078125:1:15"},
        ),
        "standard linear SGD": Arm(
            "drifts",
            {
                "optimizer": "sgd",
                "activation": "linear",
                "parameterization": "sp",
                "eta0": "0.00048828125:1:23",
            },
        ),
        "standard relu SGD": Arm(
            "drifts",
            {
                "optimizer": "sgd",
                "parameterization": "sp",
                "eta0": "0.00048828125:1:23",
            },
        ),
        "standard softmax Adam": Arm(
            "drifts",
            {
                "optimizer": "adam",
                "activation": "softmax",
                "parameterization": "sp",
                "eta0": "0.001953125:0.5:17",
            },
        ),
        "standard relu Adam": Arm(
            "drifts",
            {
                "optimizer": "adam",
                "parameterization": "sp",
                "eta0": "0.00048828125:0.25:19",
            },
        ),
    },
)
