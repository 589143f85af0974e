"""Find studies, run them, and write down what they found."""

import importlib.util
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from scaletx import _checks, plots
from scaletx.study.study import Finding, Outcome, Size, Study, Tables

HOME = Path("studies")
FIGURES = Path("figures")
CLAIMS = "CLAIMS.md"


class Found(NamedTuple):
    """A study, its file's name, and its hypothesis (the file's docstring)."""

    name: str
    study: Study
    hypothesis: str
    path: Path


class Result(NamedTuple):
    """What a study found."""

    found: Found
    outcome: Outcome
    findings: list[Finding]


def find(wanted: Iterable[str | Path] = (), home: Path = HOME) -> list[Found]:
    """Find studies by name in `home`, or by path; all of `home` if none are named.

    Raises:
        ValueError: If there is no such study, or its file is not a study.
    """
    here = {path.stem: path for path in sorted(home.glob("[!_]*.py"))}
    if not wanted:
        if not here:
            raise ValueError(
                f"there is no study in {home}/: run this where the project's folder "
                "`studies` lies, or give the path of a study's file."
            )
        return [_load(path) for path in here.values()]
    paths = []
    for name in map(str, wanted):
        path = here.get(name) or Path(name)
        if not path.is_file():
            raise _checks.unknown("study", name, here)
        paths.append(path)
    return [_load(path) for path in paths]


def _load(path: Path) -> Found:
    spec = importlib.util.spec_from_file_location(f"_study_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise ValueError(f"{path} is not a study: expected a Python file.")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise ValueError(
            f"{path} cannot be loaded: {type(error).__name__}: {error}"
        ) from error
    study = getattr(module, "STUDY", None)
    if not isinstance(study, Study):
        raise ValueError(f"{path} is not a study: it defines no STUDY = Study(...).")
    return Found(path.stem, study, (module.__doc__ or "").strip(), path)


def run(
    found: Found,
    *,
    store: Path,
    figures: Path = FIGURES,
    size: Size = Size.FULL,
    report: Callable[[Any], None] = lambda progress: None,
) -> Result:
    """Measure a study, keep its small tables, draw it, and judge it.

    Args:
        found: The study.
        store: Where its runs are kept; they resume.
        figures: Where its tables and its figure go, in a folder of its name.
        size: Full, or quick; the quick tables and figure stay in the store.
        report: Called with the progress.

    Returns:
        The outcome with its findings.
    """
    folder = store / found.name / str(size)
    tables = found.study.measure(folder / "runs", size, report)
    out = (folder if size is Size.QUICK else figures) / found.name
    out.mkdir(parents=True, exist_ok=True)
    for name, table in tables.items():
        table.to_csv(out / f"{name}.csv", index=False)
    return conclude(found, out)


def read_tables(folder: Path) -> Tables:
    """Read back the tables that `run` wrote."""
    return {
        path.stem: pd.read_csv(path, dtype={"lane": str})
        for path in sorted(folder.glob("*.csv"))
    }


def conclude(found: Found, folder: Path) -> Result:
    """Judge and draw a study from its tables, without training."""
    tables = read_tables(folder)
    findings = found.study.judge(tables)
    plots.save(found.study.draw(tables), folder / "figure.png")
    return Result(found, found.study.outcome(findings), findings)


def _beside(finding: Finding) -> Finding:
    return finding if finding.expected else finding._replace(expected="(beside)")


def claims(home: Path = HOME, figures: Path = FIGURES) -> Path:
    """Judge and draw every study that has tables, and write the table of claims."""
    index = ["| claim | made in | found |", "|---|---|---|"]
    lines = []
    for found in find(home=home):
        folder, study = figures / found.name, found.study
        measured = any(folder.glob("*.csv"))
        result = conclude(found, folder) if measured else None
        word = str(result.outcome) if result else "not run yet"
        index.append(f"| [{study.claim}](#{found.name}) | {study.source} | {word} |")
        lines += [f"## {found.name}", "", f"**{word}**: {study.claim}", ""]
        if result:
            lines += [
                f"Made in: {study.source}",
                "",
                "| measured | expected | found | evidence |",
                "|---|---|---|---|",
                *(f"| {' | '.join(_beside(each))} |" for each in result.findings),
                "",
                f"![{found.name}]({found.name}/figure.png)",
                "",
                f"Again: `scaletx study run {found.name}`",
                "",
            ]
    head = [
        "# Claims, and what was found",
        "",
        "Written by `scaletx study claims` from the tables beside it; do not edit. A "
        "claim is confirmed if every line is found as expected, refuted if one is "
        "found to be the opposite; what stands beside decides nothing.",
        "",
    ]
    lines = [*head, *index, "", *lines]
    path = figures / CLAIMS
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines), encoding="utf-8")
    return path
