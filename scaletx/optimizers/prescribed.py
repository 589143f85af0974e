"""The optax transformation that applies a prescription."""

from collections.abc import Callable
from dataclasses import fields
from typing import Any

import jax
import optax

from scaletx.parameterization import Prescription
from scaletx.parameterization.prescription import ROLES


def prescribed(
    p: Prescription,
    *,
    schedule: Callable[[Any], Any] | None = None,
    eta0: Any = None,
    lambda_max: Any = None,
    b1: float = 0.9,
    b2: float = 0.999,
) -> optax.GradientTransformation:
    r"""Train a DenseAM with the rates and epsilons of its prescription.

    For each role $\theta = W, b, c$ with its own $\eta_\theta$ and $\epsilon_\theta$:

    $$\theta \leftarrow \theta - q(t)\, \eta_\theta\, u_\theta, \qquad
      u_\theta = \partial L/\partial\theta \text{ (SGD)}, \quad
      u_\theta = \hat m / (\sqrt{\hat v} + \epsilon_\theta) \text{ (Adam)}$$

    The schedule q multiplies all rates alike, so their ratios stay.

    Args:
        p: The prescription.
        schedule: Factor of the base rates as a function of the step, 0, 1, ...;
            constant 1 if left out.
        eta0: Replaces the dimensionless rate of `p`; may be traced, so that one
            compiled program serves many rates.
        lambda_max: Replaces the eigenvalue of the data-aware rate; may be traced.
        b1: Adam's decay of the first moment.
        b2: Adam's decay of the second moment.

    Returns:
        A transformation of the parameters of a `DenseAM` built under `p` (only the base
        rates and the data's P and B may differ).

    Raises:
        ValueError: From `init`, if the parameters are not those of a DenseAM built
            under this prescription.

    Example:
        >>> from scaletx.models import DenseAM
        >>> from scaletx.parameterization import prescribe
        >>> p = prescribe(N=8, K=16, optimizer="sgd", eta0=0.5)
        >>> model = DenseAM(p, key=jax.random.key(0))
        >>> tx = prescribed(p)
        >>> step, _ = tx.update(model, tx.init(model))
        >>> bool((step.W == -p.eta_W * model.W).all())
        True
    """
    rates = p.rates(eta0=eta0, lambda_max=lambda_max)
    eps = p.eps

    def rule(role: str) -> optax.GradientTransformation:
        step = optax.scale(-rates[role])
        if eps is None:
            return step
        return optax.chain(optax.scale_by_adam(b1=b1, b2=b2, eps=eps[role]), step)

    tx = optax.partition({role: rule(role) for role in ROLES}, _roles)
    if schedule is not None:
        tx = optax.chain(tx, optax.scale_by_schedule(schedule))

    def init(params: Any) -> optax.OptState:
        built = getattr(params, "prescription", None)
        if built is None:
            raise ValueError(
                f"`prescribed(p).init` got {type(params).__name__}, which carries no "
                "prescription: expected the parameters of a scaletx.DenseAM."
            )
        if built != p.form:
            raise ValueError(
                "`prescribed(p).init` got a model built under "
                f"{_differing(built, p.form)}, but p says {_differing(p.form, built)}: "
                "build the model and the optimizer from one prescription."
            )
        return tx.init(params)

    return optax.GradientTransformation(init, tx.update)  # type: ignore[arg-type]


def _differing(p: Prescription, other: Prescription) -> str:
    pairs = ((f.name, getattr(p, f.name), getattr(other, f.name)) for f in fields(p))
    return ", ".join(f"{name}={mine}" for name, mine, theirs in pairs if mine != theirs)


def _roles(params: Any) -> Any:
    """Label each leaf with its role, the name of its field."""
    return jax.tree_util.tree_map_with_path(lambda path, _: path[-1].name, params)
