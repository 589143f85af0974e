"""Train a few steps at several sizes, and see how activations and updates grow."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import numpy as np
import pandas as pd

from scaletx import _checks
from scaletx.analysis import CoordinateCheck, check_coordinates
from scaletx.sweep.spec import SweepSpec

Build = Callable[[Any, int], Iterable[Mapping[str, Any]]]
"""`build(size, seed)`: named activations before the first step and after each step."""


def coordinate_check(
    build: Build,
    sizes: Sequence[Any],
    *,
    seeds: Sequence[int] = (0, 1, 2),
    steps: int = 4,
    expected: Mapping[str, float] | None = None,
    changes: Sequence[str] | None = None,
    margin: float = 0.2,
    of: Callable[[Any], float] = float,
) -> CoordinateCheck:
    r"""Check that named activations and their changes grow as they should.

    Works for any model in any framework: `build` trains it and shows what it has. Each
    quantity q is measured by its root mean square, and so is its change since the first
    step, `Delta q`.

    Args:
        build: `build(size, seed)` returns an iterable of dictionaries of arrays: the
            named activations on one fixed batch, before the first step and after each.
        sizes: Four sizes or more.
        seeds: Seeds at each size.
        steps: Steps to train.
        expected: Declared exponent by quantity (`"Delta q"` for changes); 0 for the
            rest.
        changes: Names whose change is measured too; all of them if None.
        margin: Largest difference from the declared exponent that passes.
        of: Turns a size into the number that exponents refer to.

    Returns:
        Measured exponents beside the declared ones. It never says that a rate
        transfers: that word needs losses.

    Raises:
        ValueError: If there are fewer than four sizes.

    Example:
        A mean of N numbers of size 1 has size N^-1/2:

        >>> def build(size, seed):
        ...     x = np.random.default_rng(seed).standard_normal((400, size))
        ...     return iter([{"mean": x.mean(axis=1)}])
        >>> found = coordinate_check(build, [8, 16, 32, 64], expected={"mean": -0.5})
        >>> str(found.answer)
        'as expected'
    """
    steps = _checks.integer("steps", steps)
    rows = [
        (of(size), seed, step, name, rms)
        for size in sizes
        for seed in seeds
        for step, name, rms in _measured(build(size, seed), steps, changes)
    ]
    if not rows:
        raise ValueError(
            "`build` showed no activations: it must yield dictionaries of named arrays."
        )
    table = pd.DataFrame(rows, columns=["size", "seed", "step", "quantity", "rms"])
    return check_coordinates(table, expected=expected, margin=margin)


def _measured(
    shown: Iterable[Mapping[str, Any]], steps: int, changes: Sequence[str] | None
) -> Iterator[tuple[int, str, float]]:
    first: dict[str, np.ndarray] = {}
    for step, activations in enumerate(islice(shown, steps + 1)):
        for name, value in activations.items():
            array = np.array(value, np.float64)  # a copy: models may reuse theirs
            yield step, name, _rms(array)
            if changes is not None and name not in changes:
                continue
            if step and name not in first:
                raise ValueError(
                    f"{name!r} appears at step {step} and not before: `build` must "
                    "name the same activations at every step."
                )
            if step:
                yield step, f"Delta {name}", _rms(array - first[name])
            else:
                first[name] = array


def _rms(array: np.ndarray) -> float:
    return float(np.sqrt(np.mean(array**2)))


def check_denseam(
    spec: SweepSpec, *, steps: int = 4, margin: float = 0.2
) -> CoordinateCheck:
    r"""Check a sweep's prescription: Z, F and their changes flat, gradients falling.

    On the first batch of each (shape, seed) it follows the pre-activations
    $Z = s_1 \tilde W G$, the outputs $F$, and the gradient of W, whose entries have
    size $s_2\,\mathrm{rms}(S)/\sqrt{B}$: 1/N in the proportional regime, 1/K in the
    k-only regime.

    Args:
        spec: Shapes, seeds and settings; the first rate of its grid is used.
        steps: Steps to train.
        margin: Largest difference from the declared exponent that passes.

    Raises:
        ValueError: If there are fewer than four shapes.
    """
    from scaletx.training.probe import denseam_probe

    axis = 1 if len({shape[0] for shape in spec.shapes}) == 1 else 0
    return coordinate_check(
        lambda shape, seed: denseam_probe(
            shape, seed, spec.settings, eta0=spec.grid[0][0], steps=steps
        ),
        spec.shapes,
        seeds=spec.seeds,
        steps=steps,
        expected={"gradient W": -1.0},
        changes=("Z", "F"),
        margin=margin,
        of=lambda shape: float(shape[axis]),
    )
