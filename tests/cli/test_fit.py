"""`novikoff fit` where work could be lost: killed, resumed, without a place for its copy, or with a full disk."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import novikoff as nk
from novikoff.cli import app
from novikoff.store import save
from tests.data.runs import WORST, Killed, checkpoints, disk_full, hard, same, undisturbed

LEARNER = ("--learner", "margin-perceptron", "-s", "order=worst")


def run(*arguments: Any) -> Any:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def fit(*options: Any, data: str = "a.svm", passes: int = 20) -> Any:
    return run("fit", data, "-o", "m.nvk", "--cache-dir", "copies", *LEARNER, "-s", f"max_iter={passes}", *options)


def killed(*options: Any) -> None:
    def end(count: int, _: Any) -> None:
        if count == 5:
            raise Killed

    with checkpoints(end), pytest.raises(Killed):
        fit(*options)


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return hard(tmp_path / "a.svm")


def test_a_killed_run_goes_on_quietly_or_not(path):
    killed()
    found = fit("--resume", "-q")
    assert (found.exit_code, "no checkpoint" in found.stderr) == (0, False)
    assert same(nk.load("m.nvk"), undisturbed(path, WORST))


def test_without_a_checkpoint_it_begins_and_says_so(path):
    found = fit("--resume", "-q")
    assert found.exit_code == 0
    assert "novikoff: there is no checkpoint of this run, so it starts at the beginning\n" in found.stderr


def test_a_file_that_was_replaced_is_not_fitted_with_the_checkpoint_of_the_old_one(path):
    killed()
    hard(path, seed=1)
    found = fit("--resume", "-q")
    assert found.exit_code == 1
    assert found.stderr.startswith("novikoff: copies")
    assert "it is of other data: the file has changed since. Without resume (--resume) the run begins" in found.stderr
    assert not Path("m.nvk").exists()
    assert fit("--fresh", "-q").exit_code == 0
    assert same(nk.load("m.nvk"), undisturbed(path, WORST))


def test_other_parameters_are_refused_by_name(path):
    killed()
    found = fit("--resume", "-q", passes=21)
    assert found.exit_code == 1
    assert "this checkpoint is not of this run: max_iter was 20 and is 21." in found.stderr


def test_a_model_that_cannot_be_saved_costs_its_last_seconds_alone(path, monkeypatch):
    def full(*arguments: Any) -> None:
        with disk_full():
            save(*arguments)

    with checkpoints(), monkeypatch.context() as then:
        then.setattr("novikoff.store.save", full)
        found = fit("-q")
    assert found.exit_code == 1
    assert found.stderr.endswith("\nnovikoff: m.nvk: no space left on device\n")
    assert not Path("m.nvk").exists()
    found = fit("--resume", "-q")
    assert (found.exit_code, "no checkpoint" in found.stderr) == (0, False)
    assert same(nk.load("m.nvk"), undisturbed(path, WORST))
    assert len(list(Path("copies").glob("*/*"))) == 1  # the copy


def test_what_a_shell_gives_for_a_command_is_read_as_standard_input_is(path):
    """<(zcat a.svm.gz) is the name of a pipe, /dev/fd/63 or so."""
    for options in ((), ("--resume",)):
        reader, writer = os.pipe()
        os.write(writer, b"".join(line[:40].rpartition(b" ")[0] + b"\n" for line in path.read_bytes().splitlines()))
        os.close(writer)
        found = fit("-q", *options, data=f"/dev/fd/{reader}")
        os.close(reader)
        if options:
            told = f"novikoff: /dev/fd/{reader} is a pipe, which cannot be read again: save it to a file to resume\n"
            assert (found.exit_code, found.stderr) == (1, told)
        else:
            assert found.exit_code == 0, found.output
            assert nk.load("m.nvk").n_features_in_ > 0


def test_a_place_without_room_for_the_copy_is_named_with_the_option(path):
    Path("copies").write_text("a file")
    found = fit("-q")
    assert found.exit_code == 1
    assert found.stderr.startswith("novikoff: copies")
    assert "name another directory (--cache-dir," in found.stderr
    assert found.stderr.count("\n") == 1
