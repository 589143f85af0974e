r"""The table of exponents: every rule of the toolkit is a row here and nowhere else.

A row gives, as monomials $N^a K^b$, the scales $s_1, s_2$, the factors $m_W, m_b, m_c$
that multiply the dimensionless rates ($\eta_W = \eta_0 m_W$ and so on), and the factors
of Adam's epsilon. Weights start as $W_{ij} \sim \mathcal{N}(0, 1)$ in every row.
"""

from dataclasses import dataclass, replace
from typing import NamedTuple

from scaletx._types import (
    ActivationName,
    OptimizerName,
    Parameterization,
    Regime,
)
from scaletx.parameterization.sizes import Sizes


class Power(NamedTuple):
    """A monomial $N^a K^b$.

    Example:
        >>> Power(K=-0.5).value(Sizes(64, 256)), str(Power(K=-0.5))
        (0.0625, 'K^-1/2')
    """

    N: float = 0.0
    K: float = 0.0

    def value(self, sizes: Sizes) -> float:
        """Evaluate at sizes."""
        return float(sizes.N) ** self.N * float(sizes.K) ** self.K

    def __str__(self) -> str:
        words = {1.0: "", 0.5: "^1/2", -0.5: "^-1/2", -1.0: "^-1"}
        factors = [
            name + words.get(power, f"^{power:g}")
            for name, power in zip(self._fields, self, strict=True)
            if power
        ]
        return " ".join(factors) or "1"


class PerRole(NamedTuple):
    """One monomial for each of the parameters W, b, c."""

    W: Power = Power()
    b: Power = Power()
    c: Power = Power()


@dataclass(frozen=True, kw_only=True)
class Row:
    """One rule: where it holds, its exponents, and where it comes from."""

    parameterization: Parameterization
    regime: Regime
    activations: tuple[str, ...]
    optimizer: OptimizerName
    s1: Power
    s2: Power
    rates: PerRole = PerRole()
    eps: PerRole | None = None
    reference: str

    def matches(
        self,
        parameterization: Parameterization,
        regime: Regime,
        activation: ActivationName,
        optimizer: OptimizerName,
    ) -> bool:
        """Whether this row rules the given combination."""
        return (
            self.parameterization == parameterization
            and self.regime == regime
            and activation.kind in self.activations
            and self.optimizer == optimizer
        )


_ONE, _N, _K = Power(), Power(N=1), Power(K=1)
_ROOT_N, _ROOT_K = Power(N=0.5), Power(K=0.5)
_PER_ROOT_N, _PER_ROOT_K = Power(N=-0.5), Power(K=-0.5)
_PER_N, _PER_K = Power(N=-1), Power(K=-1)
_SP, _TABLE = Parameterization.SP, Parameterization.TABLE
_PROPORTIONAL, _K_ONLY = Regime.PROPORTIONAL, Regime.K_ONLY
_SGD, _ADAM = OptimizerName.SGD, OptimizerName.ADAM
_ELEMENTWISE, _SOFTMAX = ("linear", "relu"), ("softmax",)
_PAPER = "Holtzman, Krotov, Hanin, arXiv 2605.10164, Table 1"

TABLE: tuple[Row, ...] = (
    Row(
        parameterization=_TABLE,
        regime=_PROPORTIONAL,
        activations=_ELEMENTWISE,
        optimizer=_SGD,
        s1=_PER_ROOT_N,
        s2=_PER_ROOT_K,
        rates=PerRole(W=_K),
        reference=f"{_PAPER}, row 1 (eq. D.18)",
    ),
    Row(
        parameterization=_TABLE,
        regime=_PROPORTIONAL,
        activations=_ELEMENTWISE,
        optimizer=_ADAM,
        s1=_PER_ROOT_N,
        s2=_PER_ROOT_K,
        eps=PerRole(W=_PER_N),
        reference=f"{_PAPER}, row 2 (app. F.2)",
    ),
    Row(
        parameterization=_TABLE,
        regime=_PROPORTIONAL,
        activations=_SOFTMAX,
        optimizer=_ADAM,
        s1=_PER_ROOT_N,
        s2=_ROOT_K,
        eps=PerRole(W=_PER_N),
        reference=f"{_PAPER}, row 3 (app. H.4)",
    ),
    Row(
        parameterization=_TABLE,
        regime=_K_ONLY,
        activations=_ELEMENTWISE,
        optimizer=_SGD,
        s1=_PER_ROOT_N,
        s2=_PER_K,
        rates=PerRole(W=_K),
        reference=f"{_PAPER}, row 4 (app. I.1.2)",
    ),
    Row(
        parameterization=_TABLE,
        regime=_K_ONLY,
        activations=_ELEMENTWISE,
        optimizer=_ADAM,
        s1=_PER_ROOT_N,
        s2=_PER_K,
        eps=PerRole(W=_PER_K, b=_PER_K),
        reference=f"{_PAPER}, row 5 (app. I.1.3)",
    ),
    Row(
        parameterization=_TABLE,
        regime=_K_ONLY,
        activations=_SOFTMAX,
        optimizer=_ADAM,
        s1=_PER_ROOT_N,
        s2=_ROOT_N,
        eps=PerRole(W=_PER_K, b=_PER_K),
        reference=f"{_PAPER}, row 6 (app. I.2: N is fixed, so s2 = N^1/2 and the "
        "printed s2 = 1 differ by a constant)",
    ),
    *(
        Row(
            parameterization=_SP,
            regime=regime,
            activations=_ELEMENTWISE + _SOFTMAX,
            optimizer=optimizer,
            s1=_PER_ROOT_N,
            s2=_PER_ROOT_N,
            rates=rates,
            eps=eps,
            reference="standard parameterization (the baseline): W_ij ~ N(0, 1/N), no "
            "multipliers, one rate; written here for W_ij ~ N(0, 1)",
        )
        for regime in Regime
        for optimizer, rates, eps in (
            (_SGD, PerRole(W=_N), None),
            (_ADAM, PerRole(W=_ROOT_N), PerRole(W=_PER_ROOT_N)),
        )
    ),
)

NO_RULE = Row(
    parameterization=_TABLE,
    regime=_PROPORTIONAL,
    activations=_SOFTMAX,
    optimizer=_SGD,
    s1=_PER_ROOT_N,
    s2=_ROOT_K,
    rates=PerRole(W=_K),
    reference="no rule: the forced form of softmax with SGD, for studying the failure "
    "(arXiv 2605.10164, figure 14 and app. H.3)",
)

LIVE_INNER_BIAS = _K
"""Rate of the inner bias that keeps its effect at order one, k-only regime with SGD:
the printed eta_b0 lets it fall as 1/K (equation of grad_b: s2 = 1/K)."""


def find_row(
    *,
    parameterization: Parameterization,
    regime: Regime,
    activation: ActivationName,
    optimizer: OptimizerName,
    allow_no_rule: bool = False,
) -> Row:
    """Return the row that rules a combination.

    Raises:
        ValueError: If no row does (softmax with SGD under the paper's table), unless
            `allow_no_rule`, which gives the forced form.
    """
    wanted = (parameterization, regime, activation, optimizer)
    rows = [row for row in TABLE if row.matches(*wanted)]
    if rows:
        return rows[0]
    if allow_no_rule:
        return replace(NO_RULE, regime=regime)
    raise ValueError(
        f"`prescribe(activation='{activation}', optimizer='{optimizer}')` has no rule: "
        "the paper gives none, since softmax localizes and amplifies the two uses of W "
        "differently. Use optimizer='adam', or allow_no_rule=True to study the failure."
    )


def listing() -> list[dict[str, str]]:
    """Every row as formulas, for printing."""
    rows = []
    for row in (*TABLE, NO_RULE):
        numbers = {
            f"eta_{role}": _times(base, power)
            for role, base, power in zip(
                PerRole._fields, ("eta0", "eta_b0", "eta_c0"), row.rates, strict=True
            )
        }
        for role in PerRole._fields:
            power = None if row.eps is None else getattr(row.eps, role)
            numbers[f"eps_{role}"] = "" if power is None else _times("eps0", power)
        rows.append(
            {
                "parameterization": str(row.parameterization),
                "regime": str(row.regime),
                "activation": ", ".join(row.activations),
                "optimizer": str(row.optimizer),
                "s1": str(row.s1),
                "s2": str(row.s2),
                **numbers,
                "reference": row.reference,
            }
        )
    return rows


def _times(base: str, power: Power) -> str:
    return base if power == Power() else f"{base} {power}"
