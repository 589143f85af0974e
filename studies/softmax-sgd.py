"""Softmax with SGD, which the table has no row for, and where its failure begins.

Hypothesis: softmax amplifies the rows of W that it selects, its two uses of W
differently, so SGD in the forced form s2 = K^1/2, eta_W = eta0 K becomes unstable as N
grows, while Adam transfers (the paper's). Our first runs saw it fail only uncentered or
with normal biases, so the arms vary what might bring the failure about: centering,
biases, five times the steps, photo patches in place of Gaussian data. If it is the
data's largest eigenvalue that takes SGD's rate on patches, as for ReLU, and no trait of
softmax, dividing by it restores transfer there.

Confirms: Adam's slope inside the margin, every SGD slope outside but the data-aware.
"""

from scaletx.study import Arm, sweep_study

SGD = {"optimizer": "sgd", "allow_no_rule": True, "eta0": "0.0009765625:0.25:17"}

STUDY = sweep_study(
    claim="For softmax models Adam transfers and SGD fails.",
    source="arXiv 2605.10164, figure 14, app. H.3",
    common={"activation": "softmax", "seeds": 5},
    arms={
        "Adam": Arm(
            "transfers",
            {"optimizer": "adam", "n": "32,64,128,256,512", "eta0": "0.0078125:0.5:13"},
        ),
        "SGD": Arm("drifts", SGD | {"n": "32,64,128,256,512"}),
        "SGD, 1000 steps": Arm("drifts", SGD | {"n": "32,64,128,256", "steps": 1000}),
        "SGD, photo patches": Arm(
            "drifts", SGD | {"n": "36,64,144,256", "data": "patches"}
        ),
        "SGD, photo patches, data-aware": Arm(
            "transfers",
            {
                "optimizer": "sgd",
                "allow_no_rule": True,
                "eta0": "0.0078125:2:17",
                "n": "36,64,144,256",
                "data": "patches",
                "data_aware": True,
            },
        ),
        "SGD, normal biases": Arm(
            "drifts", SGD | {"n": "32,64,128,256", "biases": "normal"}
        ),
        "SGD, uncentered": Arm(
            "drifts", SGD | {"n": "32,64,128,256", "centered": False}
        ),
        "SGD, standard": Arm(
            "drifts",
            {
                "optimizer": "sgd",
                "allow_no_rule": True,
                "parameterization": "sp",
                "n": "32,64,128,256",
                "eta0": "0.0078125:32:25",
            },
        ),
    },
)
