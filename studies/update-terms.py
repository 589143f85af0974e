"""Terms of SGD's updates for ReLU and ReLU^2, centered, over training.

Hypothesis: with s1 = N^-1/2, s2 = K^-1/2 and eta_W = eta0 K each term of the update, of
weights and pre-activations by gradient part, of outputs by path and part, is of order
one and has the same curve at every size. Uncentered, as in the standard
parameterization, the term Delta^(1,1) F holds S^T S and grows with the spike.

Confirms: the eight curves collapse for p = 1 and 2, and Delta^(1,1) F fails to under
the standard parameterization.
"""

from scaletx.study import Watch, curve_study

EXPECT = dict.fromkeys(
    ("dW1", "dW2", "dZ1", "dZ2", "dF11", "dF12", "dF21", "dF22"), "collapses"
)

STUDY = curve_study(
    claim="Every term of SGD's updates collapses for ReLU^p, p = 1 and 2.",
    source="arXiv 2605.10164, figure 6",
    common={
        "optimizer": "sgd",
        "seeds": 5,
        "n": "32,64,128,256,512",
        "diagnostics": "updates",
    },
    watches={
        "p = 1": Watch({"eta0": "0.0625"}, EXPECT),
        "p = 2": Watch({"eta0": "0.02", "activation": "relu:2"}, EXPECT),
        "standard, p = 1": Watch(
            {"eta0": "0.008", "parameterization": "sp"},
            {"dF11": "fails", "dF21": "fails"},
        ),
    },
)
