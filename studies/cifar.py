"""CIFAR-10 images, gray, at three resolutions.

Hypothesis: as on photo patches, the largest eigenvalue of the inputs' second moment
grows with N and takes SGD's best rate with it; dividing the rate by it restores
transfer, and Adam's plain table transfers. The images are read from local/cifar10, in
the official binary layout; scaletx.data.fetch("cifar10", "local/cifar10") downloads
them. The stored tables come from a JPEG copy of them, whose pixels differ slightly.

Confirms: slopes outside the margin for the plain table with SGD and for both optimizers
under the standard parameterization, inside for the other two.
"""

from scaletx.study import Arm, sweep_study

STUDY = sweep_study(
    claim="On CIFAR-10 SGD needs the data-aware rate, Adam does not.",
    source="arXiv 2605.10164, figures 3 and 4; the data-aware rate is beyond it; "
    "measured on a JPEG copy of the images",
    common={"data": "cifar10:local/cifar10", "seeds": 5, "n": "16,64,256"},
    arms={
        "SGD table": Arm("drifts", {"optimizer": "sgd", "eta0": "0.001:0.256:17"}),
        "SGD data-aware": Arm(
            "transfers", {"optimizer": "sgd", "data_aware": True, "eta0": "0.0156:1:13"}
        ),
        "Adam table": Arm(
            "transfers", {"optimizer": "adam", "eta0": "0.00390625:0.5:15"}
        ),
        "SGD standard": Arm(
            "drifts",
            {"optimizer": "sgd", "parameterization": "sp", "eta0": "0.0005:0.256:19"},
        ),
        "Adam standard": Arm(
            "drifts",
            {
                "optimizer": "adam",
                "parameterization": "sp",
                "centered": True,
                "eta0": "0.0005:0.128:17",
            },
        ),
    },
)
