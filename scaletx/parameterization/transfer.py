"""Keep the dimensionless rates, at new sizes or in other units of the weights."""

from dataclasses import replace

from scaletx import _checks
from scaletx._types import Regime
from scaletx.parameterization.prescription import Prescription
from scaletx.parameterization.sizes import Sizes


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
        >>> from scaletx.parameterization import prescribe
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

        >>> from scaletx.parameterization import prescribe
        >>> p = prescribe(N=64, K=128, parameterization="sp", optimizer="sgd", eta0=0.5)
        >>> q = equivalent(p, 64**-0.5)
        >>> q.init_W, q.s1, q.s2, q.eta_W
        (0.125, 1.0, 1.0, 0.5)

    References:
        The abc-symmetry of Yang and Hu, "Feature Learning in Infinite-Width Neural
        Networks", arXiv 2011.14522, for a weight that is used twice.
    """
    return replace(p, init_W=p.init_W * _checks.number("a", a, above=0))
