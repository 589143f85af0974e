"""What to set: prescribe at given sizes, and transfer to new ones."""

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


def transfer(
    p: Prescription,
    *,
    N: int | None = None,
    K: int | None = None,
    P: int | None = None,
    B: int | None = None,
    lambda_max: float | None = None,
) -> Prescription:
    """Keep the dimensionless rates, set everything else for new sizes.

    In the proportional regime sizes that are left out follow from the ratios of `p`; in
    the k-only regime they stay.

    Args:
        p: The prescription to carry over.
        N: Visible units.
        K: Hidden units.
        P: Training samples.
        B: Samples a batch.
        lambda_max: Eigenvalue at the new sizes; required if `p` is data-aware.

    Raises:
        ValueError: If a size contradicts the regime of `p` (a ratio that changes in the
            proportional regime, N, P or B in the k-only regime), or `lambda_max` is
            missing or superfluous.

    Example:
        >>> p = prescribe(N=64, K=128, P=320, B=32, optimizer="sgd", eta0=0.05)
        >>> transfer(p, N=256).eta_W / p.eta_W
        4.0
    """
    given = {"N": N, "K": K, "P": P, "B": B}
    given = {
        name: _checks.integer(name, size)
        for name, size in given.items()
        if size is not None
    }
    old = p.sizes._asdict()
    if p.regime is Regime.PROPORTIONAL:
        sizes = _in_proportion(old, given)
    else:
        changed = [n for n in given if n != "K" and given[n] != old[n] is not None]
        if changed:
            raise ValueError(
                f"transfer in the k-only regime keeps N, P and B: {changed[0]}="
                f"{given[changed[0]]} differs from {old[changed[0]]}. Change K alone, "
                "or prescribe with regime='proportional'."
            )
        sizes = {**old, **given}
    if (lambda_max is None) != (p.lambda_max is None):
        raise ValueError(
            "lambda_max belongs to the data: give it at the new sizes exactly if the "
            "prescription to transfer has one."
        )
    return replace(
        p,
        sizes=Sizes.checked(**p.sizes._replace(**sizes)._asdict()),
        lambda_max=_checks.optional("lambda_max", lambda_max, above=0),
    )


def _in_proportion(
    old: dict[str, int | None], given: dict[str, int]
) -> dict[str, int | None]:
    known = [name for name in given if old[name] is not None]
    if not known:
        raise ValueError("transfer needs a new size: give at least N.")
    anchor = known[0]
    factor = given[anchor] / (old[anchor] or 1)
    sizes: dict[str, int | None] = dict(given)
    for name, size in old.items():
        if size is None:
            continue
        would = max(1, round(size * factor))
        new = given.get(name, would)
        sizes[name] = new
        low, high = (end * factor for end in _before_rounding(name, size))
        least, most = _before_rounding(name, new)
        if most < low or high < least:
            raise ValueError(
                f"{name}={new} contradicts {anchor}={given[anchor]}: the "
                f"proportional regime keeps {name}/{anchor} = {size}/{old[anchor]}, so "
                f"{name} would be {would}. Leave {name} out, or prescribe anew."
            )
    return sizes


def _before_rounding(name: str, size: int) -> tuple[float, float]:
    """What may have been rounded to a size; B is rounded twice, after P."""
    gap = 1.0 if name == "B" else 0.5
    return 0.0 if size == 1 else size - gap, size + gap


def equivalent(p: Prescription, a: float) -> Prescription:
    r"""The same training in other units of the weights: $W \to a W$.

    $s_1 \to s_1/a$, $s_2 \to s_2/a$, $\eta_W \to a^2 \eta_W$ for SGD and
    $a\,\eta_W$ for Adam, $\epsilon_W \to \epsilon_W/a$; biases are untouched. The
    function $f$ follows the same trajectory, for any activation.

    Args:
        p: A prescription.
        a: Positive factor; the initial W has standard deviation a `p.init_W`.

    Raises:
        ValueError: If `a` is not positive.

    Example:
        The standard parameterization as practitioners write it, without multipliers:

        >>> p = prescribe(N=64, K=128, parameterization="sp", optimizer="sgd", eta0=0.5)
        >>> q = equivalent(p, 64**-0.5)
        >>> q.init_W, q.s1, q.s2, q.eta_W
        (0.125, 1.0, 1.0, 0.5)

    References:
        The abc-symmetry of Yang and Hu, "Feature Learning in Infinite-Width Neural
        Networks", arXiv 2011.14522, for a weight that is used twice.
    """
    return replace(p, init_W=p.init_W * _checks.number("a", a, above=0))
