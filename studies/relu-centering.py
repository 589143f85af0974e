"""Centered and uncentered ReLU models, in the proportional regime on Gaussian data.

Hypothesis: ReLU activations have a mean over the units, which makes a spike in S^T S/K
that grows with K. SGD's step is proportional to it, so without centering training
becomes unstable at ever smaller eta0 and nothing transfers; centered, eta0 transfers
and training curves collapse. Adam rescales entry by entry, so its best eta0 should move
less without centering, but move.

Confirms: slopes of centered models inside the margin with curves that collapse, of
uncentered ones outside.
"""

from scaletx.study import Arm, sweep_study

STUDY = sweep_study(
    claim="Centering makes training of ReLU models stable and its learning rate "
    "transfer; without it the best rate drifts.",
    source="arXiv 2605.10164, figures 2, 8 and 11, app. E and F",
    common={"seeds": 5},
    arms={
        "centered SGD": Arm(
            "transfers",
            {"optimizer": "sgd", "n": "32,64,128,256,512,1024", "eta0": "0.0125:0.2:9"},
            "collapses",
        ),
        "uncentered SGD": Arm(
            "drifts",
            {
                "optimizer": "sgd",
                "centered": False,
                "n": "32,64,128,256,512,1024",
                "eta0": "0.00140625:0.18:15",
            },
            "fails",
        ),
        "standard SGD": Arm(
            "drifts",
            {
                "optimizer": "sgd",
                "parameterization": "sp",
                "n": "32,64,128,256,512",
                "eta0": "0.0028125:0.36:15",
            },
            "fails",
        ),
        "centered Adam": Arm(
            "transfers",
            {"optimizer": "adam", "n": "32,64,128,256,512", "eta0": "0.015625:0.5:11"},
            "collapses",
        ),
        "uncentered Adam": Arm(
            "drifts",
            {
                "optimizer": "adam",
                "centered": False,
                "n": "32,64,128,256,512",
                "eta0": "0.0078125:0.5:13",
            },
        ),
        "standard Adam": Arm(
            "drifts",
            {
                "optimizer": "adam",
                "parameterization": "sp",
                "n": "32,64,128,256,512",
                "eta0": "0.00048828125:0.125:17",
            },
        ),
    },
)
