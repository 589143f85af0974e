"""Optimizers, as optax transformations."""

from scaletx.optimizers.prescribed import prescribed

__all__ = ["prescribed"]
