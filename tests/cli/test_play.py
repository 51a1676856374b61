"""`novikoff play` and `novikoff rates`."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from novikoff import Halving, concepts, play
from novikoff.cli import app
from novikoff.cli.play import CLASSES, LEARNERS


def run(*arguments):
    return CliRunner().invoke(app, ["play", *arguments])


def test_the_adversary_meets_the_bound_round_by_round():
    result = run("--class", "monotone-conjunctions", "--d", "6", "--learner", "halving", "--adversary")
    lines = result.output.splitlines()
    assert result.exit_code == 0
    assert lines[0] == "Halving on 64 monotone conjunctions of 6 variables"
    assert [line.split("MISTAKE")[1].strip() for line in lines[2:8]] == [
        *(f"{2**k} concepts left" for k in range(5, 0, -1)),
        "1 concept left",
    ]
    assert lines[8] == "6 rounds, 6 mistakes; the theorem allows 6."


def test_json_has_every_round_and_play_agrees():
    result = run("--class", "intervals", "--n", "9", "--rounds", "15", "--seed", "3", "--json")
    told = json.loads(result.output)
    assert len(told["rounds"]) == 15
    assert (told["size"], told["learner"]) == (46, "Halving")
    again = play(Halving(concepts.intervals(9)), [(round["x"], round["label"]) for round in told["rounds"]])
    assert again.mistake_rounds == [k for k, round in enumerate(told["rounds"]) if round["mistake"]]
    assert (told["mistakes"], told["bound"]) == (again.mistakes, again.bound)
    assert told["rounds"][-1]["concepts_left"] >= 1


def test_the_same_seed_gives_the_same_game():
    first, second, other = (
        run("--class", "juntas", "--d", "6", "--k", "2", "--seed", seed).output for seed in ("1", "1", "2")
    )
    assert first == second != other


@pytest.mark.parametrize("learner", LEARNERS)
def test_every_learner_plays(learner):
    result = run("--class", "decision-stumps", "--d", "4", "--learner", learner, "--rounds", "5")
    assert result.exit_code in (0, 1)
    assert "5 rounds" in result.output or "no " in result.stderr


@pytest.mark.parametrize("name", CLASSES)
def test_every_class_can_be_played(name):
    parameters = {
        "thresholds": ("--n", "9"),
        "intervals": ("--n", "9"),
        "singletons": ("--n", "9"),
        "juntas": ("--d", "4", "--k", "2"),
        "linear-thresholds": ("--d", "3", "--weight", "1"),
    }
    result = run("--class", name, *parameters.get(name, ("--d", "4")))
    assert result.exit_code == 0
    assert "20 rounds" in result.output


def test_a_learner_of_another_class_says_when_nothing_is_left():
    result = run(
        "--class", "parities", "--d", "4", "--learner", "monotone-conjunction", "--rounds", "60", "--seed", "2"
    )
    assert result.exit_code == 1
    assert "conjunction" in result.stderr
    assert json.loads(
        run(
            "--class",
            "parities",
            "--d",
            "4",
            "--learner",
            "monotone-conjunction",
            "--rounds",
            "60",
            "--seed",
            "2",
            "--json",
        ).stdout
    )["not_realizable"]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("--class", "monads"), 2, "'monads' is not one of"),
        (("--class", "parities"), 2, "parities needs --d"),
        (("--class", "parities", "--d", "3", "--n", "4"), 2, "parities takes --d, not --n"),
        (("--class", "parities", "--d", "3", "--learner", "oracle"), 2, "'oracle' is not one of"),
        (("--class", "parities", "--d", "0"), 1, "d is 0: it must be an integer, at least 1"),
        (("--class", "parities", "--d", "99"), 1, "too many to enumerate"),
        (("--class", "parities", "--d", "22", "--adversary"), 1, "too many"),
        (("--class", "parities", "--d", "3", "--learner", "randomized-weighted-majority", "--adversary"), 1, "draws"),
    ],
)
def test_wrong_usage_is_named(arguments, code, message):
    result = run(*arguments)
    assert result.exit_code == code
    assert message in " ".join(result.stderr.replace("│", " ").split())
