"""The commands, as a user would type them."""

from __future__ import annotations

from pathlib import Path

from typer.testing import CliRunner

from novikoff.cli import app
from novikoff.theory import THEOREMS

PAGE = Path(__file__).parents[2] / "docs" / "theorems" / "index.md"


def run(*words):
    result = CliRunner().invoke(app, words)
    return result.exit_code, result.output


def test_help_is_a_tour():
    code, text = run("--help")
    assert code == 0
    for command in ("demo", "theorems"):
        assert command in text


def test_an_unknown_command_is_wrong_usage():
    code, text = run("separate")
    assert code == 2
    assert "No such command" in text


def test_theorems_prints_every_one():
    code, text = run("theorems")
    assert code == 0
    for theorem in THEOREMS:
        assert theorem.id in text
        assert theorem.statement in text
        assert theorem.citation in text
        assert all(hypothesis.text in text for hypothesis in theorem.hypotheses)


def test_the_page_of_theorems_is_up_to_date():
    _, text = run("theorems", "--markdown")
    assert PAGE.read_text().endswith(text), "run: novikoff theorems --markdown"


def test_demo_tells_what_was_found():
    code, text = run("demo", "--quiet")
    assert code == 0
    assert "separated: the last of 4 passes" in text  # iris
    assert "The theorem allows" in text
    assert "It can: 0 errors on 569 tumours" in text
