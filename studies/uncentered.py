"""Models that are not centered, in the proportional regime on Gaussian data.

Hypothesis: ReLU and softmax activations have a mean over the units; without centering
it makes a spike in S^T S/K that grows with K. SGD meets it directly and its best eta0
falls; Adam rescales entry by entry, so its best eta0 should move less, but moves.

Confirms: the slopes of the uncentered models lie outside the margin.
"""

from scaletx.study import Arm, sweep_study

STUDY = sweep_study(
    claim="Without centering the table's learning rate does not transfer.",
    source="arXiv 2605.10164, figures 2, 8, 11 and 13, app. E and F",
    common={"centered": False, "seeds": 5, "n": "32,64,128,256"},
    arms={
        "relu SGD": Arm("drifts", {"optimizer": "sgd", "eta0": "0.002:0.512:17"}),
        "relu Adam": Arm("drifts", {"optimizer": "adam", "eta0": "0.00390625:1:17"}),
        "softmax Adam": Arm(
            "drifts",
            {"optimizer": "adam", "activation": "softmax", "eta0": "0.00390625:1:17"},
        ),
        "standard relu SGD": Arm(
            "drifts",
            {"optimizer": "sgd", "parameterization": "sp", "eta0": "0.002:1.024:19"},
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
    },
)
