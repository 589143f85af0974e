"""Patches of real photos at four resolutions.

Hypothesis: the table is derived for isotropic data. On photos the largest eigenvalue of
the inputs' second moment grows with N and takes SGD's best rate with it; dividing the
rate by that eigenvalue restores transfer. Adam's step does not follow the data's scale,
so the plain table transfers; under the standard parameterization its best rate falls.

Confirms: slopes outside the margin for the plain table with SGD and for both optimizers
under the standard parameterization, inside for the other two.
"""

from scaletx.study import Arm, sweep_study

STUDY = sweep_study(
    claim="On photo patches SGD needs the data-aware rate, Adam does not.",
    source="arXiv 2605.10164, figures 3 and 4; the data-aware rate is beyond the paper",
    common={"data": "patches", "seeds": 5, "n": "36,64,144,256"},
    arms={
        "SGD table": Arm("drifts", {"optimizer": "sgd", "eta0": "0.001:0.064:13"}),
        "SGD data-aware": Arm(
            "transfers",
            {"optimizer": "sgd", "data_aware": True, "eta0": "0.0156:1:13"},
        ),
        "Adam table": Arm(
            "transfers", {"optimizer": "adam", "eta0": "0.00390625:0.5:15"}
        ),
        "SGD standard": Arm(
            "drifts",
            {"optimizer": "sgd", "parameterization": "sp", "eta0": "0.0005:0.128:17"},
        ),
        "Adam standard": Arm(
            "drifts",
            {
                "optimizer": "adam",
                "parameterization": "sp",
                "centered": True,
                "eta0": "0.0005:0.064:15",
            },
        ),
    },
)
