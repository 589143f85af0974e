"""Gaussian data whose covariance eigenvalues fall as 1/i.

Hypothesis: anisotropy alone, without images, takes SGD's best rate with the largest
eigenvalue, which grows with N; the data-aware rate restores transfer, and Adam's plain
table transfers.

Confirms: a slope outside the margin for the plain table with SGD and for both
optimizers under the standard parameterization, inside for the others.
"""

from scaletx.study import Arm, sweep_study

STUDY = sweep_study(
    claim="On power-law data SGD needs the data-aware rate, Adam does not.",
    source="arXiv 2605.10164, figure 3; the data-aware rate is beyond the paper",
    common={"data": "power-law:1", "seeds": 5, "n": "32,64,128,256"},
    arms={
        "SGD table": Arm("drifts", {"optimizer": "sgd", "eta0": "0.002:0.256:15"}),
        "SGD data-aware": Arm(
            "transfers", {"optimizer": "sgd", "data_aware": True, "eta0": "0.0156:1:13"}
        ),
        "Adam table": Arm("transfers", {"optimizer": "adam", "eta0": "0.0078125:1:15"}),
        "SGD standard": Arm(
            "drifts",
            {"optimizer": "sgd", "parameterization": "sp", "eta0": "0.001:0.512:19"},
        ),
        "Adam standard": Arm(
            "drifts",
            {
                "optimizer": "adam",
                "parameterization": "sp",
                "centered": True,
                "eta0": "0.00048828125:0.25:19",
            },
        ),
    },
)
