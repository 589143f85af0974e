"""Over how many units softmax spreads while it trains with Adam.

Hypothesis: the table's rates keep updates of order one as long as K_eff, the number of
units that softmax spreads over, stays of order K. With Adam, centered, it does, so
K_eff/K and K ||C sigma||^2 have the same curves at every size, as have the updates.

Confirms: K_eff/K is flat, and the updates of pre-activations and outputs collapse. The
standard parameterization is shown beside.
"""

from scaletx.study import Watch, curve_study

STUDY = curve_study(
    claim="With Adam softmax stays spread over a fixed part of its units, and updates "
    "keep their size.",
    source="arXiv 2605.10164, figure 15 (bottom), app. H.4",
    common={
        "optimizer": "adam",
        "activation": "softmax",
        "seeds": 5,
        "n": "32,64,128,256,512",
        "diagnostics": "updates,localization",
    },
    watches={
        "table": Watch(
            {"eta0": "0.125"},
            {
                "K_eff": "flat",
                "K_over_K_eff_centered": "flat",
                "dZ": "collapses",
                "dF1": "collapses",
                "dF2": "collapses",
            },
        ),
        "standard": Watch(
            {"eta0": "0.03125", "parameterization": "sp"},
            {"K_eff": "", "dZ": "", "dF1": ""},
        ),
    },
)
