"""How far the inner bias moves the pre-activations as K grows alone, with SGD.

Hypothesis: with s2 = 1/K the gradient of b has size 1/K, so the printed rate eta_b0
freezes the inner bias at large K, while W goes on learning; eta_b = eta_b0 K keeps its
effect. Under the standard parameterization s2 does not fall with K, so neither does the
bias's step.

Confirms: Delta_b Z falls with K under the printed rate, and is flat under the other;
Delta Z by W is flat under both.
"""

from scaletx.study import Watch, curve_study

STUDY = curve_study(
    claim="With N, P and B fixed the printed rate of the inner bias freezes it as K "
    "grows; times K it does not.",
    source="arXiv 2605.10164, table 1 and app. G.1; the finding is ours",
    size="K",
    common={
        "optimizer": "sgd",
        "regime": "k-only",
        "biases": "zero",
        "seeds": 5,
        "n": 64,
        "k": "64,128,256,512,1024",
        "diagnostics": "updates",
    },
    watches={
        "printed": Watch({"eta0": "0.0625"}, {"dZb": "falls", "dZ": "flat"}),
        "times K": Watch(
            {"eta0": "0.0625", "live_inner_bias": True}, {"dZb": "flat", "dZ": "flat"}
        ),
        "standard": Watch({"eta0": "0.002", "parameterization": "sp"}, {"dZb": ""}),
    },
)
