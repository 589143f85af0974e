"""How biases start, with SGD in the proportional regime on Gaussian data.

Hypothesis: inner biases from N(0, 1), the paper's initialization, make units differ by
an amount that a whole batch shares, which brings the spike back although the model is
centered: SGD's best eta0 falls with size. Biases off or from zero keep it. The standard
parameterization is not centered, so its best rate falls with biases from zero already.

Confirms: a slope outside the margin for normal biases and for the standard
parameterization, inside for the others.
"""

from scaletx.study import Arm, sweep_study

STUDY = sweep_study(
    claim="Biases that start from N(0, 1) break SGD's transfer; off or from zero they "
    "do not.",
    source="arXiv 2605.10164, section 4.2 (the initialization); the finding is ours",
    common={"optimizer": "sgd", "seeds": 5, "n": "32,64,128,256"},
    arms={
        "biases off": Arm("transfers", {"eta0": "0.002:0.512:17"}),
        "biases zero": Arm("transfers", {"biases": "zero", "eta0": "0.002:0.512:17"}),
        "biases normal": Arm("drifts", {"biases": "normal", "eta0": "0.0005:0.256:19"}),
        "standard biases zero": Arm(
            "drifts",
            {"parameterization": "sp", "biases": "zero", "eta0": "0.002:1.024:19"},
        ),
    },
)
