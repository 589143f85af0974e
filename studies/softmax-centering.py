"""Centered and uncentered softmax models with Adam, in the proportional regime.

Hypothesis: a softmax over K units has the mean 1/K, and its deviations from it are of
the same order, so without centering a part of the output and of Adam's steps does not
scale as the rest. Centered, eta0 transfers and curves collapse; uncentered they do not.

Confirms: the centered slope inside the margin with curves that collapse, the others
outside with curves that do not.
"""

from scaletx.study import Arm, sweep_study

STUDY = sweep_study(
    claim="Softmax models with Adam need centering for their rate to transfer and "
    "their curves to collapse.",
    source="arXiv 2605.10164, figure 13, app. H.2",
    common={
        "optimizer": "adam",
        "activation": "softmax",
        "seeds": 5,
        "n": "32,64,128,256,512",
    },
    arms={
        "centered": Arm("transfers", {"eta0": "0.0078125:0.5:13"}, "collapses"),
        "uncentered": Arm(
            "drifts", {"centered": False, "eta0": "0.00390625:0.5:15"}, "fails"
        ),
        "standard": Arm(
            "drifts",
            {"parameterization": "sp", "eta0": "0.001953125:0.25:15"},
            "fails",
        ),
    },
)
