"""The README's code runs as printed, and its files and commands exist."""

import re
from pathlib import Path

from click.testing import CliRunner

from scaletx.cli import main

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_code_runs_as_printed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {}
    for code in re.findall(r"```python\n(.*?)```", README, re.DOTALL):
        exec(code, names)
    assert names["big"].sizes == (4096, 8192, 20480, 2048)
    assert names["ax"].get_title() or names["ax"].get_title(loc="left")
    assert len(names["lanes"]) == 3 * 17 * 3
    found = names["found"]
    assert (found.state == names["memories"][7]).all() and found.converged
    assert (found.energies[1:] <= found.energies[:-1]).all()


def test_figures_and_make_targets_exist():
    for path in re.findall(r"\]\((figures/[^)]+)\)", README):
        assert (ROOT / path).is_file(), path
    makefile = (ROOT / "Makefile").read_text()
    for target in re.findall(r"^    make (\w+)", README, re.MULTILINE):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


def test_every_command_is_known():
    commands = re.findall(r"scaletx ((?:plot )?[a-z]+)(?= )", README)
    assert {"prescribe", "sweep", "verdict", "plot transfer"} <= set(commands)
    for command in set(commands):
        result = CliRunner().invoke(main, [*command.split(), "--help"])
        assert result.exit_code == 0, command


def test_options_in_the_readme_are_real():
    for line in re.findall(r"scaletx [a-z]+ [^\n`|]*--[^\n`|]*", README):
        words = line.split()[1:]
        depth = 2 if words[0] in ("plot", "fit", "study") else 1
        help_text = CliRunner().invoke(main, [*words[:depth], "--help"]).output
        for option in re.findall(r"--[a-z0-9-]+", line):
            assert option in help_text, (line, option)
