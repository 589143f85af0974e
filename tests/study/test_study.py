"""A study measures, judges and draws; its verdicts come from its small tables alone."""

from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner

from scaletx import analysis
from scaletx.cli import main
from scaletx.study import (
    Arm,
    Finding,
    Found,
    Outcome,
    Size,
    claims,
    conclude,
    find,
    run,
    sweep_study,
)

ROOT = Path(__file__).parents[2]
SMALL = {"n": "4,8,16,32", "eta0": "0.01:1:5", "seeds": 2, "steps": 20}


def study(**words):
    return sweep_study(
        claim="Small models learn.",
        source="this test",
        common=SMALL | words,
        arms={
            "the table": Arm("transfers", {}, "collapses"),
            "standard": Arm("drifts", {"parameterization": "sp"}),
        },
    )


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    folder = tmp_path_factory.mktemp("study")
    found = Found("small", study(), "Hypothesis: none.", folder / "small.py")
    result = run(found, store=folder / "store", figures=folder / "figures")
    return folder, found, result


def test_it_keeps_small_tables_and_a_figure(done):
    folder, _, result = done
    files = {path.name for path in (folder / "figures" / "small").iterdir()}
    assert files == {"the-table.csv", "the-table.curves.csv", "standard.csv",
                     "figure.png"}  # fmt: skip
    assert len(pd.read_csv(folder / "figures/small/standard.csv")) == 4 * 5 * 2
    names = [finding.name for finding in result.findings]
    assert names == ["the table", "the table: curves", "standard"]


def test_conclusions_come_from_the_tables_without_training(done, monkeypatch):
    folder, found, result = done
    monkeypatch.setattr("scaletx.sweep.run", lambda *a, **k: pytest.fail("trained"))
    again = conclude(found, folder / "figures" / "small")
    assert again.findings == result.findings and again.outcome is result.outcome


def test_findings_are_those_of_the_store(done):
    folder, _, result = done
    store = analysis.read(folder / "store/small/full/runs/the-table")
    verdict, curves = analysis.verdict(store.lanes), analysis.collapse(store)
    assert result.findings[0].found == verdict.verdict
    assert f"slope {verdict.drift.slope:+.2f}" in result.findings[0].evidence
    assert result.findings[1].found == curves.verdict
    assert f"D {curves.deviations[0].D:.3f}" in result.findings[1].evidence


def test_it_resumes(done, monkeypatch):
    folder, found, result = done
    monkeypatch.setattr(
        "scaletx.training.DenseAMTask.run", lambda *a: pytest.fail("trained again")
    )
    again = run(found, store=folder / "store", figures=folder / "figures")
    assert again.findings == result.findings


@pytest.mark.parametrize(
    ("words", "outcome"),
    [
        (["transfers", "drifts"], Outcome.CONFIRMED),
        (["transfers", "transfers"], Outcome.REFUTED),
        (["cannot tell", "drifts"], Outcome.CANNOT_TELL),
        (["cannot tell", "transfers"], Outcome.REFUTED),
    ],
)
def test_the_outcome_follows_from_the_words(words, outcome):
    expected = ["transfers", "drifts"]
    findings = [Finding("x", e, w, "") for e, w in zip(expected, words, strict=True)]
    assert study().outcome(findings) is outcome


SOURCE = '''"""Hypothesis: it runs."""
from scaletx.study import Arm, sweep_study

STUDY = sweep_study(
    claim="A claim.", source="nobody", common={common!r},
    arms={{"table": Arm("transfers", {{}})}},
)
'''


def test_the_commands_list_run_and_write_claims(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "studies").mkdir()
    (tmp_path / "studies/one.py").write_text(SOURCE.format(common=SMALL))
    (tmp_path / "studies/two.py").write_text(SOURCE.format(common=SMALL))

    def said(*words):
        result = CliRunner().invoke(main, ["study", *words], catch_exceptions=False)
        assert result.exit_code == 0, result.output
        return result.stdout

    assert said("list").split() == "one A claim. two A claim.".split()
    quick = said("run", "one", "--quick", "--progress", "none")
    assert quick.startswith("one: ") and "expected transfers" in quick
    assert not (tmp_path / "figures").exists()
    said("run", "one", "--progress", "none")
    assert said("claims").strip() == "figures/CLAIMS.md"
    text = (tmp_path / "figures/CLAIMS.md").read_text()
    assert "[A claim.](#one) | nobody | " in text and "(#two) | nobody | not" in text
    assert "## one\n\n**" in text and "## two\n\n**not run yet**" in text
    assert "| table | transfers | " in text and "Again: `scaletx study run one`" in text
    assert (tmp_path / "figures/one/figure.png").is_file()


def test_what_is_no_study_is_named(tmp_path):
    (tmp_path / "broken.py").write_text("1 / 0")
    (tmp_path / "empty.py").write_text("")
    (tmp_path / "fine.py").write_text(SOURCE.format(common=SMALL))
    with pytest.raises(ValueError, match="broken.py cannot be loaded: ZeroDivision"):
        find(["broken"], tmp_path)
    with pytest.raises(
        ValueError, match="empty.py is not a study: it defines no STUDY"
    ):
        find(["empty"], tmp_path)
    with pytest.raises(ValueError, match="Did you mean 'fine'"):
        find(["fin"], tmp_path)
    with pytest.raises(ValueError, match="there is no study in"):
        find(home=tmp_path / "nowhere")
    assert find(["fine"], tmp_path)[0].hypothesis == "Hypothesis: it runs."


def test_every_study_here_states_its_hypothesis():
    studies = find(home=ROOT / "studies")
    assert len(studies) >= 9
    for found in studies:
        assert "Hypothesis: " in found.hypothesis and "Confirms: " in found.hypothesis
        assert found.study.claim.endswith(".") and found.study.source


@pytest.mark.slow
@pytest.mark.parametrize("name", [f.name for f in find(home=ROOT / "studies")])
def test_every_study_here_runs_quickly(name, tmp_path, monkeypatch):
    monkeypatch.chdir(ROOT)
    (found,) = find([name], ROOT / "studies")
    if (
        name in ("cifar", "data-aware-batches")
        and not (ROOT / "local/cifar10").is_dir()
    ):
        pytest.skip("the images of CIFAR-10 are not in local/cifar10")
    result = run(found, store=tmp_path, size=Size.QUICK)
    assert (
        result.findings and (tmp_path / name / "quick" / name / "figure.png").is_file()
    )


@pytest.mark.slow
def test_claims_are_up_to_date_with_the_tables(tmp_path):
    """The committed CLAIMS.md says what its tables say."""
    here = ROOT / "figures" / "CLAIMS.md"
    for folder in (ROOT / "figures").iterdir():
        if folder.is_dir():
            (tmp_path / folder.name).mkdir()
            for table in folder.glob("*.csv"):
                (tmp_path / folder.name / table.name).write_bytes(table.read_bytes())
    written = claims(home=ROOT / "studies", figures=tmp_path)
    assert written.read_text() == here.read_text()
