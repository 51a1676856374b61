"""A line that is too long, in every command that reads one."""

from __future__ import annotations

from pathlib import Path

import pytest

import novikoff as nk
from tests.cli.test_files import example_file, fitted, folder, run

assert folder  # a fixture

REFUSED = "novikoff: {}, line 61, column 1: this line has more than 1,000 bytes; -r max_line=2000 allows more"


@pytest.mark.parametrize(
    "command",
    [
        ("fit", "long.vw", "-o", "m.nvk", "-q", "--cache-dir", "copies"),
        ("predict", "model.nvk", "long.vw"),
        ("eval", "model.nvk", "long.vw"),
        ("explain", "model.nvk", "long.vw", "--row", "60"),
        ("learn", "m.nvk", "long.vw", "-q"),
        ("convert", "long.vw", "m.nvk.jsonl"),
        ("certify", "long.vw", "-q"),
    ],
)
def test_the_limit_holds_in_every_command_and_can_be_raised(folder: Path, command: tuple[str, ...]) -> None:
    fitted(folder)
    text = example_file(folder / "train.vw").read_text()
    (folder / "long.vw").write_text(text + "1 |w spam:2" + " word1" * 200 + "\n-1 |w ham:2\n")
    found = run(*command, "-r", "max_line=1000")
    assert found.exit_code == 1
    assert found.stderr.splitlines()[-1].startswith(REFUSED.format("long.vw"))
    assert run(*command, "-r", "max_line=2000").exit_code == 0


def test_learn_answers_and_keeps_all_before_a_line_that_is_too_long(folder: Path) -> None:
    text = example_file(folder / "train.vw").read_text()
    found = run("learn", "m.nvk", "-", "--format", "vw", "-q", "-r", "max_line=1000", text=text + "1 |w " + "x" * 5000)
    assert found.exit_code == 1
    assert found.stderr.splitlines()[-1].startswith(REFUSED.format("standard input"))
    assert len(found.stdout.splitlines()) == 60
    assert "w^ham" in nk.load("m.nvk").feature_names_in_
