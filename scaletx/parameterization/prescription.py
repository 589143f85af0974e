"""A prescription: what to set at given sizes, as plain data."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from html import escape
from typing import Any

from scaletx._checks import word
from scaletx._text import aligned
from scaletx._types import (
    Biases,
    OptimizerName,
    Parameterization,
    Regime,
    parse_activation,
)
from scaletx.parameterization.sizes import Sizes
from scaletx.parameterization.table import (
    LIVE_INNER_BIAS,
    PerRole,
    Power,
    Row,
    find_row,
)

ROLES = ("W", "b", "c")
WORDS = {
    "regime": Regime,
    "parameterization": Parameterization,
    "optimizer": OptimizerName,
    "biases": Biases,
}


@dataclass(frozen=True, kw_only=True)
class Prescription:
    r"""Scales, rates and epsilons of one DenseAM at one set of sizes.

    Made by `prescribe` and `transfer`, which check it. The fields are the choices and
    the dimensionless rates; the numbers follow from the row of the table that they
    select.

    Attributes:
        sizes: N, K and, where known, P and B.
        regime: Which sizes grow together.
        parameterization: The paper's table, or the standard parameterization.
        activation: `linear`, `relu:P` or `softmax`.
        optimizer: `sgd` or `adam`.
        centered: Whether weights, inner biases and activations lose their mean over
            the K units.
        biases: Off, trained from zero, or trained from N(0, 1).
        eta0: Dimensionless rate of W.
        eta_b0: Dimensionless rate of b; None follows `eta0`.
        eta_c0: Dimensionless rate of c; None follows `eta0`.
        eps0: Adam's dimensionless epsilon.
        lambda_max: Largest eigenvalue of $G_P G_P^\top / P$ for the data-aware rate.
        fixed_eps: Whether epsilon is eps0 at every size, as practitioners keep it.
        live_inner_bias: Whether eta_b = eta_b0 K in the K-only regime with SGD.
        init_W: Standard deviation of the initial W; 1 but for an `equivalent` form.
    """

    sizes: Sizes
    regime: Regime
    parameterization: Parameterization
    activation: str
    optimizer: OptimizerName
    centered: bool
    biases: Biases
    eta0: float
    eta_b0: float | None = None
    eta_c0: float | None = None
    eps0: float = 1e-8
    lambda_max: float | None = None
    fixed_eps: bool = False
    live_inner_bias: bool = False
    init_W: float = 1.0

    @cached_property
    def row(self) -> Row:
        """The row of the table that this prescription applies."""
        return find_row(
            parameterization=self.parameterization,
            regime=self.regime,
            activation=parse_activation(self.activation),
            optimizer=self.optimizer,
            allow_no_rule=True,
        )

    @property
    def s1(self) -> float:
        """Scale of the pre-activations, s1 W g(x)."""
        return self.row.s1.value(self.sizes) / self.init_W

    @property
    def s2(self) -> float:
        """Scale of the output, s2 W^T phi."""
        return self.row.s2.value(self.sizes) / self.init_W

    @property
    def m_W(self) -> float:
        """Factor of the rate of W: eta_W = eta0 m_W (/ lambda_max where given)."""
        form = 2 if self.optimizer is OptimizerName.SGD else 1
        return self.row.rates.W.value(self.sizes) * self.init_W**form

    @property
    def m_b(self) -> float:
        """Factor of the rate of the inner bias."""
        return self._power_b.value(self.sizes)

    @property
    def m_c(self) -> float:
        """Factor of the rate of the outer bias."""
        return self.row.rates.c.value(self.sizes)

    @property
    def _power_b(self) -> Power:
        return LIVE_INNER_BIAS if self.live_inner_bias else self.row.rates.b

    def rates(self, *, eta0: Any = None, lambda_max: Any = None) -> dict[str, Any]:
        """Learning rate of each role, `{"W": eta_W, "b": eta_b, "c": eta_c}`.

        Args:
            eta0: Replaces the dimensionless rate; may be traced. Bias rates that were
                not set follow it.
            lambda_max: Replaces the eigenvalue of the data-aware rate; may be traced.
        """
        eta0 = self.eta0 if eta0 is None else eta0
        lambda_max = self.lambda_max if lambda_max is None else lambda_max
        return {
            "W": eta0 * self.m_W / (1.0 if lambda_max is None else lambda_max),
            "b": (eta0 if self.eta_b0 is None else self.eta_b0) * self.m_b,
            "c": (eta0 if self.eta_c0 is None else self.eta_c0) * self.m_c,
        }

    @property
    def eta_W(self) -> float:
        """Learning rate of W."""
        return self.rates()["W"]

    @property
    def eta_b(self) -> float:
        """Learning rate of the inner bias."""
        return self.rates()["b"]

    @property
    def eta_c(self) -> float:
        """Learning rate of the outer bias."""
        return self.rates()["c"]

    @property
    def _eps_powers(self) -> PerRole | None:
        return PerRole() if self.row.eps and self.fixed_eps else self.row.eps

    @property
    def eps(self) -> dict[str, float] | None:
        """Adam's epsilon of each role; None for SGD."""
        powers = self._eps_powers
        if powers is None:
            return None
        form = {"W": self.init_W}
        return {
            role: self.eps0 * getattr(powers, role).value(self.sizes)
            / form.get(role, 1.0)
            for role in ROLES
        }  # fmt: skip

    @property
    def formulas(self) -> dict[str, str]:
        """Each number as a formula in N, K and the dimensionless rates."""
        row, a = self.row, self.init_W
        power = a**2 if self.optimizer is OptimizerName.SGD else a
        data = "" if self.lambda_max is None else " / lambda_max"

        def times(base: str, factor: Power, form: float = 1.0) -> str:
            words = [base, "" if factor == Power() else str(factor)]
            words.append("" if form == 1 else f"({form:.4g})")
            return " ".join(word for word in words if word) or "1"

        formulas = {
            "s1": times("", row.s1, 1 / a),
            "s2": times("", row.s2, 1 / a),
            "eta_W": times("eta0", row.rates.W, power) + data,
            "eta_b": times("eta_b0", self._power_b),
            "eta_c": times("eta_c0", row.rates.c),
        }
        if self._eps_powers is not None:
            formulas["eps_W"] = times("eps0", self._eps_powers.W, 1 / a)
            formulas["eps_b"] = times("eps0", self._eps_powers.b)
            formulas["eps_c"] = times("eps0", self._eps_powers.c)
        return formulas

    @property
    def reference(self) -> str:
        """Where the row comes from."""
        return self.row.reference

    @property
    def form(self) -> "Prescription":
        """The part that parameters depend on, with rates, P and B left out."""
        return replace(
            self,
            sizes=Sizes(self.sizes.N, self.sizes.K),
            eta0=1.0,
            eta_b0=None,
            eta_c0=None,
            eps0=1.0,
            lambda_max=None,
            fixed_eps=False,
            live_inner_bias=False,
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON: the fields, and the numbers that follow from them."""
        return {
            "regime": str(self.regime),
            "parameterization": str(self.parameterization),
            "activation": self.activation,
            "optimizer": str(self.optimizer),
            "centered": self.centered,
            "biases": str(self.biases),
            "sizes": self.sizes._asdict(),
            "eta0": self.eta0,
            "eta_b0": self.eta_b0,
            "eta_c0": self.eta_c0,
            "eps0": self.eps0,
            "lambda_max": self.lambda_max,
            "fixed_eps": self.fixed_eps,
            "live_inner_bias": self.live_inner_bias,
            "init_W": self.init_W,
            **self._numbers(),
            "formulas": self.formulas,
            "reference": self.reference,
        }

    def _numbers(self) -> dict[str, Any]:
        names = ("s1", "s2", "m_W", "m_b", "m_c", "eta_W", "eta_b", "eta_c", "eps")
        return {name: getattr(self, name) for name in names}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "Prescription":
        """Rebuild a prescription, and verify the numbers stored beside its fields.

        Raises:
            ValueError: If a key is missing, or a stored number is not the one that this
                version's table gives.

        Example:
            >>> from scaletx.parameterization import prescribe
            >>> p = prescribe(N=64, K=128)
            >>> Prescription.from_dict(p.to_dict()) == p
            True
        """
        try:
            fields = {name: data[name] for name in cls.__dataclass_fields__}
        except KeyError as missing:
            raise ValueError(
                f"the stored prescription has no {missing}: expected what "
                "`Prescription.to_dict` writes; save it again."
            ) from None
        words = {name: word(name, fields[name], enum) for name, enum in WORDS.items()}
        p = cls(**{**fields, **words, "sizes": Sizes.checked(**fields["sizes"])})
        for name, value in p._numbers().items():
            if name in data and data[name] != value:
                raise ValueError(
                    f"the stored prescription says {name}={data[name]!r}, but its row "
                    f"gives {value!r}: it was edited, or written under another table; "
                    "prescribe anew."
                )
        return p

    def __str__(self) -> str:
        numbers = {**self._numbers(), **{f"eps_{r}": e for r, e in self._eps_items()}}
        form = "centered" if self.centered else "uncentered"
        rows = [
            (name, "=", f"{numbers[name]:.6g}", "=", formula)
            for name, formula in self.formulas.items()
            if self.biases is not Biases.OFF or name[-2:] not in ("_b", "_c")
        ]
        return (
            f"{self.parameterization}, {self.regime}: {self.activation}, {form}, "
            f"{self.optimizer}, biases {self.biases}; {self.sizes}; "
            f"eta0={self.eta0:.6g}\n{aligned(rows)}\nsource: {self.reference}"
        )

    def _eps_items(self) -> list[tuple[str, float]]:
        return list((self.eps or {}).items())

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"
