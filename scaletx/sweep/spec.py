"""What a sweep is to run: a task, its shapes, its grid, seeds and settings."""

import json
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from scaletx import _checks
from scaletx._types import Regime
from scaletx.parameterization import Sizes
from scaletx.sweep import axes
from scaletx.training import Task, task

MADE_BY = {"k": "kappa", "p": "rho", "b": "beta"}
RATIOS = {"kappa": 2.0, "rho": 5.0, "beta": 0.1}
SIZE_WORDS = ("n", "k", "p", "b", *RATIOS)
LENGTH_WORDS = ("steps", "epochs")
AXIS_WORDS = ("eta0", "seeds", *SIZE_WORDS)
DEFAULT_N = {Regime.PROPORTIONAL: "32,64,128,256", Regime.K_ONLY: "64"}
DEFAULT_K = "64,128,256,512"
DEFAULT_ETA0 = "0.01:1:9"
DEFAULT_SEEDS = 3
DEFAULT_EPOCHS = 20


@dataclass(frozen=True, kw_only=True)
class SweepSpec:
    """The lanes of a sweep: shapes x grid x seeds, all under the same settings.

    Attributes:
        task: Name of the task.
        shapes: Sizes of each shape, in the order of the task's size axes.
        grid: Values of each grid axis, in the order of the task's grid axes.
        seeds: Seeds of initial parameters, data and order.
        settings: What all lanes share.
        ratios: kappa, rho, beta as far as they made the shapes.
    """

    task: str
    shapes: tuple[tuple[int, ...], ...]
    grid: tuple[tuple[float, ...], ...]
    seeds: tuple[int, ...]
    settings: Any
    ratios: tuple[tuple[str, float], ...] = ()

    @property
    def definition(self) -> Task:
        """The task itself."""
        return task(self.task)

    def words(self) -> dict[str, Any]:
        """The words that `spec` reads back into this."""
        names = (name.lower() for name in self.definition.size_axes)
        sizes = zip(*self.shapes, strict=True)
        return {
            "task": self.task,
            **{name: list(size) for name, size in zip(names, sizes, strict=True)},
            **dict(self.ratios),
            **{
                axis: list(values)
                for axis, values in zip(
                    self.definition.grid_axes, self.grid, strict=True
                )
            },
            "seeds": list(self.seeds),
            **{k: v for k, v in asdict(self.settings).items() if v is not None},
        }

    def to_toml(self) -> str:
        """Write the words as TOML: scalars and lists, which JSON writes alike."""
        lines = (f"{name} = {json.dumps(v)}" for name, v in self.words().items())
        return "\n".join(lines) + "\n"


def spec(**words: Any) -> SweepSpec:
    """Build a sweep from the words of `scaletx sweep`, with `_` for `-`.

    Sizes are zipped; a single value is repeated. K, P and B that are left out follow
    from `kappa`, `rho` and `beta`. `epochs` of P // B steps set the steps, which must
    be the same at every size.

    Args:
        **words: `task`, `n`, `k`, `p`, `b`, `kappa`, `rho`, `beta`, `eta0`, `seeds`,
            `epochs` or `steps`, and the task's settings. Lists, or text such as
            `"32,64"` and `"0.01:1:9"`.

    Raises:
        ValueError: If a word is unknown, or a value cannot be run.

    Example:
        >>> s = spec(n="32,64", eta0="0.01:1:3", seeds=2, optimizer="sgd")
        >>> s.shapes, s.grid, s.seeds, s.settings.steps
        (((32, 64, 160, 16), (64, 128, 320, 32)), ((0.01, 0.1, 1.0),), (0, 1), 200)
    """
    words = {name: value for name, value in words.items() if value is not None}
    definition = task(words.pop("task", "denseam"))
    names = {field.name for field in fields(definition.settings)}
    known = {*names, *AXIS_WORDS, *LENGTH_WORDS}
    for name in words:
        if name not in known:
            raise _checks.unknown("a word of the sweep", name, sorted(known))
    settings = {name: words[name] for name in names & words.keys()}
    regime = _checks.word("regime", settings.get("regime", Regime.PROPORTIONAL), Regime)
    shapes, ratios = _shapes(words, regime)
    settings["steps"] = _steps(words, shapes)
    built = definition.settings(**settings)
    for shape in shapes:
        definition.check(shape, built)
    eta0 = axes.values("eta0", words.get("eta0", DEFAULT_ETA0))
    if eta0[0] <= 0:
        raise ValueError(f"eta0={eta0[0]:g}: expected rates > 0.")
    return SweepSpec(
        task=definition.name,
        shapes=shapes,
        grid=(eta0,),
        seeds=axes.seeds(words.get("seeds", DEFAULT_SEEDS)),
        settings=built,
        ratios=ratios,
    )


def read_toml(path: str | Path) -> dict[str, Any]:
    """Read the words of a sweep from a TOML file.

    Raises:
        ValueError: If the file cannot be read or is not TOML.
    """
    try:
        words = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise ValueError(
            f"cannot read the spec {str(path)!r}: {error.strerror or error}."
        ) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(
            f"the spec {str(path)!r} is not TOML: {error}. Expected lines such as "
            'optimizer = "sgd".'
        ) from None
    return {name.replace("-", "_"): value for name, value in words.items()}


def _shapes(
    words: Mapping[str, Any], regime: Regime
) -> tuple[tuple[tuple[int, ...], ...], tuple[tuple[str, float], ...]]:
    given = {name: axes.sizes(name, words[name]) for name in "nkpb" if name in words}
    given.setdefault("n", axes.sizes("n", DEFAULT_N[regime]))
    if regime is Regime.K_ONLY and not {"k", "kappa"} & words.keys():
        given["k"] = axes.sizes("k", DEFAULT_K)
    count = max(map(len, given.values()))
    for name, sizes in given.items():
        if len(sizes) not in (1, count):
            raise ValueError(
                f"{name} has {len(sizes)} sizes where another list has {count}: lists "
                "of sizes are zipped, so give one value or as many as the others."
            )
        given[name] = sizes * (count // len(sizes))
    ratios = {
        ratio: _checks.number(ratio, words.get(ratio, RATIOS[ratio]), above=0)
        for name, ratio in MADE_BY.items()
        if name not in given or ratio in words
    }
    shapes = []
    for i, n in enumerate(given["n"]):
        size = {"n": n}
        for name, base in (("k", "n"), ("p", "n"), ("b", "p")):
            ratio = ratios.get(MADE_BY[name])
            made = None
            if ratio is not None:
                exact = _checks.number(name, ratio * size[base])
                made = _checks.integer(name, max(1, round(exact)))
            size[name] = given[name][i] if name in given else made or 0
            if made is not None and made != size[name]:
                raise ValueError(
                    f"{name}={size[name]} contradicts {MADE_BY[name]}={ratio:g} at "
                    f"n={n}: give one of them."
                )
        N, K, P, B = size.values()
        shapes.append(tuple(Sizes.checked(N=N, K=K, P=P, B=B)))
    if regime is Regime.K_ONLY and len({(N, P, B) for N, _, P, B in shapes}) > 1:
        raise ValueError(
            "regime='k-only' keeps N, P and B fixed: give one n and a list of k, such "
            "as --n 64 --k 64,128,256."
        )
    return tuple(dict.fromkeys(shapes)), tuple(ratios.items())


def _steps(words: Mapping[str, Any], shapes: tuple[tuple[int, ...], ...]) -> int:
    if "steps" in words and "epochs" in words:
        raise ValueError("`steps` and `epochs` say the same thing: give one of them.")
    if "steps" in words:
        return _checks.integer("steps", words["steps"])
    epochs = _checks.integer("epochs", words.get("epochs", DEFAULT_EPOCHS))
    steps = {P // B * epochs for _, _, P, B in shapes}
    if len(steps) > 1:
        raise ValueError(
            f"epochs={epochs} would be {', '.join(map(str, sorted(steps)))} steps at "
            "different sizes, as P // B differs: give steps instead, the same for all."
        )
    return steps.pop()
