"""What to set at given sizes."""

from collections.abc import Mapping
from dataclasses import replace

from scaletx import _checks
from scaletx._types import (
    Biases,
    OptimizerName,
    Parameterization,
    Regime,
    parse_activation,
)
from scaletx.parameterization.prescription import Prescription
from scaletx.parameterization.sizes import Sizes
from scaletx.parameterization.table import find_row
from scaletx.parameterization.transfer import transfer

_TABLE = Parameterization.TABLE


def prescribe(
    *,
    N: int,
    K: int,
    P: int | None = None,
    B: int | None = None,
    regime: str = "proportional",
    parameterization: str = "table",
    activation: str = "relu:1",
    optimizer: str = "adam",
    eta0: float | None = None,
    eta_b0: float | None = None,
    eta_c0: float | None = None,
    eps0: float = 1e-8,
    centered: bool | None = None,
    biases: str = "off",
    lambda_max: float | None = None,
    fixed_eps: bool = False,
    live_inner_bias: bool = False,
    allow_no_rule: bool = False,
    tuned: Mapping[str, float] | None = None,
    tuned_at: Sizes | None = None,
) -> Prescription:
    r"""Look up what to set on a DenseAM of given sizes.

    For $f(x) = s_2 \tilde W^\top \phi(s_1 \tilde W g(x) + \tilde b) + c$ with
    $W_{ij} \sim \mathcal{N}(0, 1)$, gives $s_1, s_2$, the rates
    $\eta_W = \eta_0 m_W$, $\eta_b = \eta_{b0} m_b$, $\eta_c = \eta_{c0} m_c$ and Adam's
    epsilon of each role. The dimensionless rates are what one tunes; they stay the same
    at every size. With `lambda_max`, $\eta_W = \eta_0 m_W / \lambda_{\max}$: beyond the
    paper, for data that are not isotropic.

    Args:
        N: Visible units.
        K: Hidden units (memories).
        P: Training samples, if known; B <= P.
        B: Samples a batch, if known.
        regime: `proportional` (N, K, P, B grow together) or `k-only`.
        parameterization: `table` (the paper's) or `sp`, the standard one.
        activation: `linear`, `relu:P` or `softmax`.
        optimizer: `sgd` or `adam`.
        eta0: Dimensionless rate of W; 0.05 unless `tuned` is given.
        eta_b0: Dimensionless rate of the inner bias; follows `eta0` unless set.
        eta_c0: Dimensionless rate of the outer bias; follows `eta0` unless set.
        eps0: Dimensionless epsilon of Adam.
        centered: Centered model; True unless the parameterization is `sp`.
        biases: `off`, `zero` or `normal` (where they start).
        lambda_max: Largest eigenvalue of $G_P G_P^\top / P$, the second moment of
            g of all training inputs; table rows of SGD only.
        fixed_eps: Adam with epsilon eps0 at every size instead of the row's powers:
            what practitioners do, and what breaks transfer once eps0 is not tiny.
        live_inner_bias: In the k-only regime with SGD, eta_b = eta_b0 K keeps the inner
            bias at order one; the printed eta_b0 freezes it as 1/K.
        allow_no_rule: Give softmax with SGD its forced form instead of an error.
        tuned: Rates tuned in your own code on a model of this form at sizes `tuned_at`:
            `eta_W`, optionally `eta_b`, `eta_c`, and `lambda_max` there if the rate is
            to be data-aware. Replaces the dimensionless rates.
        tuned_at: Sizes of `tuned`.

    Returns:
        The prescription, which prints as one short table.

    Raises:
        ValueError: If a size or rate is out of range, a word is unknown, no row rules
            the combination, or arguments contradict one another (`tuned_at` and the
            sizes here included, as in `transfer`).

    Example:
        A rate tuned at N = 64 and the same rate at N = 1024:

        >>> small = Sizes.proportional(64)
        >>> p = prescribe(N=1024, K=2048, optimizer="sgd", tuned={"eta_W": 8.0},
        ...               tuned_at=small)
        >>> p.eta0, p.eta_W
        (0.0625, 128.0)

    References:
        Holtzman, Krotov, Hanin, "Hyperparameter Transfer for Dense Associative
        Memories", arXiv 2605.10164, Table 1.
    """
    scheme = _checks.word("parameterization", parameterization, Parameterization)
    name = parse_activation(activation)
    base = Prescription(
        sizes=Sizes.checked(N=N, K=K, P=P, B=B),
        regime=_checks.word("regime", regime, Regime),
        parameterization=scheme,
        activation=str(name),
        optimizer=_checks.word("optimizer", optimizer, OptimizerName),
        centered=_checks.boolean(
            "centered", scheme is _TABLE if centered is None else centered
        ),
        biases=_checks.word("biases", biases, Biases),
        eta0=_checks.number("eta0", 0.05 if eta0 is None else eta0, above=0),
        eta_b0=_checks.optional("eta_b0", eta_b0, above=0),
        eta_c0=_checks.optional("eta_c0", eta_c0, above=0),
        eps0=_checks.number("eps0", eps0, least=0),
        lambda_max=_checks.optional("lambda_max", lambda_max, above=0),
        fixed_eps=_checks.boolean("fixed_eps", fixed_eps),
        live_inner_bias=_checks.boolean("live_inner_bias", live_inner_bias),
    )
    find_row(
        parameterization=scheme,
        regime=base.regime,
        activation=name,
        optimizer=base.optimizer,
        allow_no_rule=allow_no_rule,
    )
    if lambda_max is not None:
        require_data_aware_rule(base)
    if live_inner_bias and (base.regime, base.optimizer, scheme) != (
        Regime.K_ONLY,
        OptimizerName.SGD,
        Parameterization.TABLE,
    ):
        raise ValueError(
            "live_inner_bias=True is a rule for regime='k-only' with optimizer='sgd' "
            "and parameterization='table', where the printed eta_b freezes the inner "
            "bias; leave it out elsewhere."
        )
    if (tuned is None) != (tuned_at is None):
        raise ValueError(
            "`tuned` and `tuned_at` belong together: give the tuned rates and the "
            "Sizes at which you tuned them."
        )
    if tuned is None or tuned_at is None:
        return base
    if (eta0, eta_b0, eta_c0) != (None, None, None):
        raise ValueError(
            "`tuned` sets the dimensionless rates: give either it or eta0, not both."
        )
    return _from_tuned(base, tuned, tuned_at)


def require_data_aware_rule(p: Prescription) -> None:
    """Refuse the data-aware rate where it has no rule.

    Raises:
        ValueError: Unless the prescription is a table row of SGD.
    """
    if (p.optimizer, p.parameterization) != (
        OptimizerName.SGD,
        Parameterization.TABLE,
    ):
        raise ValueError(
            "the data-aware rate (lambda_max) is a rule for optimizer='sgd' with "
            f"parameterization='table', not for '{p.optimizer}' with "
            f"'{p.parameterization}': Adam's rate does not follow the data's scale; "
            "leave it out."
        )


def _from_tuned(
    base: Prescription, tuned: Mapping[str, float], tuned_at: Sizes
) -> Prescription:
    for name, value in tuned.items():
        if name not in ("eta_W", "eta_b", "eta_c", "lambda_max"):
            known = ("eta_W", "eta_b", "eta_c", "lambda_max")
            raise _checks.unknown("a key of `tuned`", name, known)
        _checks.number(f"tuned[{name!r}]", value, above=0)
    if "eta_W" not in tuned:
        raise ValueError("`tuned` has no 'eta_W': give the rate of W that you tuned.")
    if (base.lambda_max is None) != ("lambda_max" not in tuned):
        raise ValueError(
            "a data-aware rate needs the eigenvalue at both sizes: give lambda_max= "
            "here and tuned['lambda_max'] where you tuned, or neither."
        )
    there = replace(
        base,
        sizes=Sizes.checked(**tuned_at._asdict()),
        eta0=1.0,
        lambda_max=tuned.get("lambda_max"),
    )
    known = {name: n for name, n in base.sizes._asdict().items() if n is not None}
    transfer(there, **known, lambda_max=base.lambda_max)  # refuses contradicting sizes
    unit = there.rates()
    return replace(
        base,
        eta0=tuned["eta_W"] / unit["W"],
        eta_b0=tuned["eta_b"] / unit["b"] if "eta_b" in tuned else None,
        eta_c0=tuned["eta_c"] / unit["c"] if "eta_c" in tuned else None,
    )
