"""Combinations that the table rules, and a prescription of each."""

from hypothesis import strategies as st

from scaletx.parameterization import prescribe

BASE = dict(N=64, K=128, P=320, B=32)
RULED = [
    (scheme, regime, activation, optimizer)
    for scheme in ("table", "sp")
    for regime in ("proportional", "k-only")
    for activation in ("linear", "relu:2", "softmax")
    for optimizer in ("sgd", "adam")
    if (scheme, activation, optimizer) != ("table", "softmax", "sgd")
]
ruled = st.sampled_from(RULED)
rate = st.floats(1e-4, 1e2)


def of(case, **more):
    scheme, regime, activation, optimizer = case
    return prescribe(
        **{
            **BASE,
            "parameterization": scheme,
            "regime": regime,
            "activation": activation,
            "optimizer": optimizer,
            **more,
        }
    )
