"""ReLU^p with p = 1 to 5, centered, with SGD and Adam in the proportional regime.

Hypothesis: the steeper the activation, the larger a few post-activations and their
gradients, so that large powers spoil transfer. SGD follows the size of the gradient and
fails first (p = 3 and more); Adam, which does not, holds longer (to p = 4).

Confirms: slopes inside the margin where transfer is expected, outside elsewhere.
"""

from scaletx.study import Arm, sweep_study

SGD = {"optimizer": "sgd", "eta0": "0.0005:0.512:21"}
ADAM = {"optimizer": "adam", "eta0": "0.00390625:1:17"}
STANDARD = {"parameterization": "sp", "activation": "relu:3"}

STUDY = sweep_study(
    claim="Large powers p of ReLU^p destabilise transfer, with Adam later than with "
    "SGD.",
    source="arXiv 2605.10164, figure 9, app. E.3 and F.2",
    common={"seeds": 5, "n": "32,64,128,256"},
    arms={
        **{
            f"SGD p={p}": Arm(
                "transfers" if p < 3 else "drifts", SGD | {"activation": f"relu:{p}"}
            )
            for p in range(1, 6)
        },
        **{
            f"Adam p={p}": Arm(
                "transfers" if p < 5 else "drifts", ADAM | {"activation": f"relu:{p}"}
            )
            for p in range(1, 6)
        },
        "standard SGD p=3": Arm(
            "drifts", {"optimizer": "sgd", "eta0": "0.0005:0.512:21"} | STANDARD
        ),
        "standard Adam p=3": Arm(
            "drifts", {"optimizer": "adam", "eta0": "0.00024414:0.25:21"} | STANDARD
        ),
    },
)
