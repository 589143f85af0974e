"""The settings of a DenseAM run that all lanes of a sweep share."""

from dataclasses import dataclass
from enum import StrEnum

from scaletx import _checks
from scaletx._types import (
    Biases,
    Diagnostic,
    OptimizerName,
    Parameterization,
    Regime,
    parse_activation,
    parse_diagnostics,
)
from scaletx.data import data_set
from scaletx.parameterization import (
    Prescription,
    Sizes,
    prescribe,
    require_data_aware_rule,
)


class Schedule(StrEnum):
    """Factor of the rates over the run: constant, or down to zero at its end."""

    CONSTANT = "constant"
    LINEAR = "linear"
    COSINE = "cosine"


class Precision(StrEnum):
    """Arithmetic of matrix products: exact float32, or what a GPU does faster."""

    FLOAT32 = "float32"
    TF32 = "tf32"
    BFLOAT16 = "bfloat16"


@dataclass(frozen=True, kw_only=True)
class DenseAMSettings:
    """Settings of the `denseam` task; every one has a default.

    Attributes:
        regime: Which sizes grow together.
        parameterization: The paper's table, or the standard parameterization.
        activation: `linear`, `relu:P` or `softmax`.
        optimizer: `sgd` or `adam`.
        centered: None: True unless the parameterization is `sp`.
        biases: Off, from zero, or from N(0, 1).
        data: Word of the data set, such as `power-law:1.5` or `cifar10:FOLDER`.
        noise: Standard deviation of the noise to remove.
        data_aware: Divide the rate of W by the largest eigenvalue of the data (SGD).
        eta_b0: Dimensionless rate of the inner bias; None follows eta0.
        eta_c0: Dimensionless rate of the outer bias; None follows eta0.
        eps0: Dimensionless epsilon of Adam.
        b1: Adam's decay of the first moment.
        b2: Adam's decay of the second moment.
        schedule: Factor of all rates over the run.
        steps: Steps of a run.
        fixed_order: Keep one order of the batches instead of a fresh one each epoch.
        log_every: Steps over which the batch loss is averaged, and between diagnostics.
        eval_every: Steps between evaluations; None: at the end only.
        diagnostics: What is recorded of the inside: some of `updates`, `spectrum`,
            `localization`, joined by commas; see `scaletx.diagnostics.columns`.
        precision: Arithmetic of matrix products.
        fixed_eps: Epsilon eps0 at every size (Adam).
        live_inner_bias: eta_b = eta_b0 K (k-only regime, SGD).
        allow_no_rule: Run softmax with SGD in its forced form.
    """

    regime: Regime = Regime.PROPORTIONAL
    parameterization: Parameterization = Parameterization.TABLE
    activation: str = "relu:1"
    optimizer: OptimizerName = OptimizerName.ADAM
    centered: bool | None = None
    biases: Biases = Biases.OFF
    data: str = "isotropic"
    noise: float = 0.5
    data_aware: bool = False
    eta_b0: float | None = None
    eta_c0: float | None = None
    eps0: float = 1e-8
    b1: float = 0.9
    b2: float = 0.999
    schedule: Schedule = Schedule.CONSTANT
    steps: int = 200
    fixed_order: bool = False
    log_every: int = 10
    eval_every: int | None = None
    diagnostics: str = ""
    precision: Precision = Precision.FLOAT32
    fixed_eps: bool = False
    live_inner_bias: bool = False
    allow_no_rule: bool = False

    def __post_init__(self):
        def put(name: str, value: object) -> None:
            object.__setattr__(self, name, value)

        for name, enum in (
            ("regime", Regime),
            ("parameterization", Parameterization),
            ("optimizer", OptimizerName),
            ("biases", Biases),
            ("schedule", Schedule),
            ("precision", Precision),
        ):
            put(name, _checks.word(name, getattr(self, name), enum))
        put("activation", str(parse_activation(self.activation)))
        table = self.parameterization is Parameterization.TABLE
        put("centered", table if self.centered is None else self.centered)
        for name in (
            "centered",
            "data_aware",
            "fixed_order",
            "fixed_eps",
            "live_inner_bias",
            "allow_no_rule",
        ):
            put(name, _checks.boolean(name, getattr(self, name)))
        data_set(self.data)
        put("noise", _checks.number("noise", self.noise, least=0))
        put("eps0", _checks.number("eps0", self.eps0, least=0))
        for name in ("eta_b0", "eta_c0"):
            put(name, _checks.optional(name, getattr(self, name), above=0))
        for name in ("b1", "b2"):
            value = _checks.number(name, getattr(self, name), least=0)
            if value >= 1:
                raise ValueError(f"{name}={value!r}: expected a decay in [0, 1).")
            put(name, value)
        for name in ("steps", "log_every"):
            put(name, _checks.integer(name, getattr(self, name)))
        if self.eval_every is not None:
            put("eval_every", _checks.integer("eval_every", self.eval_every))
        kinds = parse_diagnostics(self.diagnostics)
        put("diagnostics", ",".join(kinds))
        if Diagnostic.LOCALIZATION in kinds and self.activation != "softmax":
            raise ValueError(
                f"diagnostics='localization' with activation={self.activation!r}: it "
                "says over how many units a softmax spreads. Leave it out, or use "
                "activation='softmax'."
            )
        if kinds and (self.eval_every or 0) % self.log_every:
            raise ValueError(
                f"diagnostics with eval_every={self.eval_every} and log_every="
                f"{self.log_every}: expected evaluations every so many rows of the "
                "log. Give an eval_every that is a multiple of log_every."
            )
        p = self.prescription(Sizes(2, 2))
        if self.data_aware:
            require_data_aware_rule(p)

    def prescription(self, sizes: Sizes) -> Prescription:
        """What to set at given sizes, for eta0 = 1.

        Raises:
            ValueError: If no row rules the settings.
        """
        return prescribe(
            **sizes._asdict(),
            regime=self.regime,
            parameterization=self.parameterization,
            activation=self.activation,
            optimizer=self.optimizer,
            eta0=1.0,
            eta_b0=self.eta_b0,
            eta_c0=self.eta_c0,
            eps0=self.eps0,
            centered=self.centered,
            biases=self.biases,
            fixed_eps=self.fixed_eps,
            live_inner_bias=self.live_inner_bias,
            allow_no_rule=self.allow_no_rule,
        )
