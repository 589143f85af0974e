"""Why the best rate of softmax models with Adam falls as K grows alone.

The study k-only found a slope of -.26 where the table promises none. A first guess,
that direct updates keep their size while outputs start smaller, was wrong: at eta0 =
.001 rms Delta^(1) F and F change as K^-.16 and K^-.13 alike (64 to 1024, 5 seeds).

Hypothesis: a larger K reaches a lower loss in the same 200 steps, where what Adam's
steps of constant size shake off counts for more, so the best constant rate falls; with
a rate that falls to zero over the run nothing is shaken at its end, and the best eta0
stays.

Confirms: a slope outside the margin with the constant rate, inside with the linear and
the cosine schedule.
"""

from scaletx.study import Arm, sweep_study

STUDY = sweep_study(
    claim="In the K-only regime the drift of softmax with Adam is one of constant "
    "rates: with a schedule that ends at zero the rate transfers.",
    source="arXiv 2605.10164, figure 16 and app. I.2; the reason is ours",
    size="K",
    common={
        "optimizer": "adam",
        "activation": "softmax",
        "regime": "k-only",
        "seeds": 5,
        "n": 64,
        "k": "64,128,256,512,1024",
    },
    arms={
        "constant": Arm("drifts", {"eta0": "0.0078125:1:15"}),
        "linear": Arm("transfers", {"eta0": "0.0078125:1:15", "schedule": "linear"}),
        "cosine": Arm("transfers", {"eta0": "0.0078125:1:15", "schedule": "cosine"}),
        "standard, linear": Arm(
            "drifts",
            {
                "eta0": "0.001953125:0.5:17",
                "schedule": "linear",
                "parameterization": "sp",
            },
        ),
    },
)
