"""SGD in the proportional regime, centered models on Gaussian data.

Hypothesis: with s1 = N^-1/2, s2 = K^-1/2 and eta_W = eta0 K the best eta0 does not
depend on the size, for linear and for ReLU activations, and training curves at that
rate collapse. The standard parameterization has one rate and an uncentered model; its
best rate, in our symbols eta0 N, should move where activations have a mean (ReLU), by
the spike that grows with K.

Confirms: the table's slopes lie inside the margin, the standard one's outside.
"""

from scaletx.study import Arm, sweep_study

STUDY = sweep_study(
    claim="With SGD the table's learning rate transfers and training curves collapse "
    "for linear and ReLU models; the standard parameterization's do not for ReLU.",
    source="arXiv 2605.10164, figures 1 and 2",
    common={"optimizer": "sgd", "seeds": 5, "n": "32,64,128,256"},
    arms={
        "table linear": Arm(
            "transfers",
            {"activation": "linear", "eta0": "0.002:0.512:17"},
            "collapses",
        ),
        "table relu": Arm("transfers", {"eta0": "0.002:0.512:17"}, "collapses"),
        "standard linear": Arm(
            "transfers",
            {
                "activation": "linear",
                "parameterization": "sp",
                "eta0": "0.002:1.024:19",
            },
        ),
        "standard relu": Arm(
            "drifts", {"parameterization": "sp", "eta0": "0.002:1.024:19"}, "fails"
        ),
    },
)
