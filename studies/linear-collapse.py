"""Linear models with SGD: losses and feature covariances at every size.

Hypothesis: with N, K, P and B in proportion, all internal statistics of a linear
DenseAM's training approach a limit, so that curves of the loss and of the moments of
the feature covariance S^T S/K collapse. A linear model has no spike, and the standard
parameterization differs from the table by factors that the proportions fix, so it
collapses too.

Confirms: every curve collapses at the table's best rate.
"""

from scaletx.study import Watch, curve_study

EXPECT = dict.fromkeys(
    ("batch_loss", "feature_mean", "feature_square", "F_rms"), "collapses"
)

STUDY = curve_study(
    claim="Losses and feature covariances of linear models collapse in the "
    "proportional regime.",
    source="arXiv 2605.10164, figure 1",
    common={
        "activation": "linear",
        "optimizer": "sgd",
        "seeds": 5,
        "n": "32,64,128,256,512",
        "diagnostics": "spectrum",
    },
    watches={
        "table": Watch({"eta0": "0.0057"}, EXPECT),
        "standard": Watch({"eta0": "0.008", "parameterization": "sp"}, EXPECT),
    },
)
