"""The four sizes of a DenseAM training run, and how they grow together."""

from typing import NamedTuple

from scaletx import _checks


class Sizes(NamedTuple):
    """Sizes of one run: N visible units, K memories, P samples, B samples a batch.

    P and B are None where nobody said them: only the exponents in N and K need no data.
    """

    N: int
    K: int
    P: int | None = None
    B: int | None = None

    @classmethod
    def checked(
        cls, *, N: int, K: int, P: int | None = None, B: int | None = None
    ) -> "Sizes":
        """Build sizes from whole numbers >= 1 with B <= P.

        Raises:
            ValueError: If a size is not a whole number >= 1, or B exceeds P.
        """
        N, K = _checks.integer("N", N), _checks.integer("K", K)
        P = None if P is None else _checks.integer("P", P)
        B = None if B is None else _checks.integer("B", B)
        if P is not None and B is not None and B > P:
            raise ValueError(
                f"B={B} exceeds P={P}: a batch is drawn without replacement from the "
                "P samples; use B <= P."
            )
        return cls(N, K, P, B)

    @classmethod
    def proportional(
        cls, N: int, *, kappa: float = 2.0, rho: float = 5.0, beta: float = 0.1
    ) -> "Sizes":
        r"""Sizes of the proportional regime.

        $K = \mathrm{round}(\kappa N)$, $P = \mathrm{round}(\rho N)$,
        $B = \max(1, \mathrm{round}(\beta P))$.

        Args:
            N: Visible units.
            kappa: $\kappa = K/N$.
            rho: $\rho = P/N$.
            beta: $\beta = B/P$, at most 1.

        Raises:
            ValueError: If a ratio is not a positive number, or beta exceeds 1.

        Example:
            >>> Sizes.proportional(64)
            Sizes(N=64, K=128, P=320, B=32)

        References:
            Holtzman, Krotov, Hanin, "Hyperparameter Transfer for Dense Associative
            Memories", arXiv 2605.10164, eq. 1.3 and the ratios of figure 6.
        """
        N = _checks.integer("N", N)
        ratios = {"kappa": kappa, "rho": rho, "beta": beta}
        for name, value in ratios.items():
            _checks.number(name, value, above=0)
        if beta > 1:
            raise ValueError(f"beta={beta!r}: B/P is at most 1; use 0 < beta <= 1.")
        P = max(1, round(rho * N))
        return cls(N, max(1, round(kappa * N)), P, max(1, round(beta * P)))

    def __str__(self) -> str:
        known = zip(self._fields, self, strict=True)
        return ", ".join(f"{name}={v}" for name, v in known if v is not None)
