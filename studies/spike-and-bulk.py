"""The two largest eigenvalues of S^T S/K while a ReLU model trains with SGD.

Hypothesis: activations with a mean give S^T S/K one eigenvalue, the spike, that grows
as the size, and a bulk that does not. Centered, S~^T S~/K has no spike: both of its
largest eigenvalues stay. All run at one small rate, so that uncentered models of all
sizes survive.

Confirms: the spike grows, the bulk is flat, and both are flat where centered.
"""

from scaletx.study import Watch, curve_study

STUDY = curve_study(
    claim="Without centering the spike of S^T S/K grows with the size and the bulk "
    "does not; centered, both stay.",
    source="arXiv 2605.10164, figure 7, app. E",
    common={
        "optimizer": "sgd",
        "eta0": "0.004",
        "seeds": 5,
        "n": "32,64,128,256,512",
        "diagnostics": "spectrum",
    },
    watches={
        "uncentered": Watch({"centered": False}, {"spike": "grows", "bulk": "flat"}),
        "centered": Watch({}, {"spike_centered": "flat", "bulk_centered": "flat"}),
        "standard": Watch(
            {"parameterization": "sp"}, {"spike": "grows", "bulk": "flat"}
        ),
    },
)
