"""`learn`: what is answered is learned, and what is learned is saved, however it ends."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import novikoff as nk
from novikoff import data
from novikoff.cli import stream as command
from novikoff.cli.stopping import SIGNALS
from novikoff.data.sources import Source
from novikoff.disk import atomic
from novikoff.store import describe
from tests.cli.test_files import example_file, run

LINES = 40


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def weights_after(lines: list[str]) -> list[float]:
    """Those of a model that has seen these lines, by another way."""
    Path("replayed.vw").write_text("".join(lines))
    clf, ds = nk.Perceptron(), data.read("replayed.vw")
    for i, label in enumerate(ds.y.tolist()):
        clf.learn_one(ds.X[[i]], int(label))
    return clf.coef_.ravel().tolist()


def check_kept(text: str, answered: int) -> None:
    """The file holds the model after exactly so many lines, and says so."""
    model = nk.load("m.nvk")
    assert model.stream_ == {"lines": answered, "answered": answered, "learned": answered}
    assert model.coef_.ravel().tolist() == weights_after(text.splitlines(keepends=True)[:answered])


# Signals -----------------------------------------------------------------------------------------


class Steps:
    """Calls `strike` at each step of a stream: before and after each block is learned, answered, saved and read."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, strike: Callable[[int], None]) -> None:
        self.count = 0
        self._strike = strike
        monkeypatch.setattr(command, "rounds", self._around(command.rounds))
        monkeypatch.setattr(command, "save", self._around(command.save))
        monkeypatch.setattr(command, "lines", self._around(command.lines))
        monkeypatch.setattr(os, "fsync", self._around(os.fsync))
        monkeypatch.setattr(os, "replace", self._around(os.replace))
        monkeypatch.setattr(Source, "read", self._around(Source.read))

    def _around(self, function: Any) -> Any:
        def stepping(*arguments: Any, **keywords: Any) -> Any:
            self._step()
            found = function(*arguments, **keywords)
            self._step()
            return found

        return stepping

    def _step(self) -> None:
        self.count += 1
        self._strike(self.count)


@pytest.fixture
def survivor() -> Iterator[None]:
    """A signal that nobody notes fails the test, instead of ending all of them."""

    def fail(number: int, frame: Any) -> None:
        raise AssertionError(f"{signal.Signals(number).name} was not noted")

    before = {number: signal.signal(number, fail) for number in SIGNALS}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize(
    ("number", "burst"),
    [
        pytest.param(signal.SIGINT, False, id="SIGINT, once"),
        pytest.param(signal.SIGTERM, True, id="SIGTERM, at every step from then on"),
        pytest.param(signal.SIGHUP, False, id="SIGHUP, once", marks=pytest.mark.long),
    ],
)
@pytest.mark.usefixtures("survivor")
def test_a_signal_at_any_step_leaves_answered_learned_and_saved_the_same(
    number: int, burst: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = example_file(Path("train.vw"), LINES).read_text()
    monkeypatch.setattr(command, "ROOM", 200)  # some six lines
    stops, place = set(), 0
    while True:
        place += 1
        Path("m.nvk").unlink(missing_ok=True)

        def strike(step: int, place: int = place) -> None:
            if step == place or (burst and step > place):
                os.kill(os.getpid(), number)

        with monkeypatch.context() as patched:
            steps = Steps(patched, strike)
            found = run("learn", "m.nvk", "train.vw", "--every", "0" if place % 2 else "1000")
        if steps.count < place:  # it was over before
            assert found.exit_code == 0
            break
        answered = found.stdout.count("\n")
        if answered:
            check_kept(text, answered)
        else:
            assert not Path("m.nvk").exists()
        assert not list(Path().glob(".*"))
        assert found.exit_code == 130, (place, found.stderr)
        assert f"stopped by {signal.Signals(number).name} after line {answered}\n" in found.stderr
        stops.add(answered)
    assert place > 60
    assert len(stops) > 4


CHILDREN: list[subprocess.Popen[bytes]] = []


@pytest.fixture(autouse=True)
def no_child_outlives_its_test() -> Iterator[None]:
    yield
    while CHILDREN:
        with CHILDREN.pop() as left:  # which closes its pipes, and waits
            left.kill()


def started(line: list[str], **options: Any) -> subprocess.Popen[bytes]:
    pipe = subprocess.PIPE
    CHILDREN.append(subprocess.Popen(line, stdin=pipe, stdout=pipe, stderr=pipe, bufsize=0, **options))
    return CHILDREN[-1]


def child(*arguments: str, **options: Any) -> subprocess.Popen[bytes]:
    return started([sys.executable, "-m", "novikoff.cli", "learn", *arguments], **options)


def ask(learner: subprocess.Popen[bytes], line: bytes) -> bytes:
    """The answer to a line; a test that hangs here has found a fault."""
    assert learner.stdin is not None
    assert learner.stdout is not None
    learner.stdin.write(line)
    return learner.stdout.readline()


def test_a_process_that_waits_for_input_hears_them() -> None:
    learner = child("m.nvk", "--every", "1000")
    assert [ask(learner, line) for line in (b"1 |a x\n", b"-1 |a x\n", b"1 |a y\n")] == [b"-1\n", b"1\n", b"-1\n"]
    for number in SIGNALS * 20:
        learner.send_signal(number)
    _, errors = learner.communicate()
    assert learner.returncode == 0
    assert b"after line 3\n" in errors
    assert nk.load("m.nvk").stream_ == {"lines": 3, "answered": 3, "learned": 3}
    assert sorted(os.listdir()) == ["m.nvk"]


def test_what_is_ignored_from_the_beginning_stays_ignored() -> None:
    """As under nohup."""
    learner = child("m.nvk", preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    assert ask(learner, b"1 |a x\n") == b"-1\n"
    learner.send_signal(signal.SIGHUP)
    assert ask(learner, b"1 |a x\n") == b"1\n"
    _, errors = learner.communicate()
    assert b"stopped" not in errors


def test_a_named_pipe_is_waited_for_as_standard_input_is() -> None:
    os.mkfifo("events")
    learner = child("m.nvk", "events", "--format", "vw")
    with open("events", "wb", buffering=0) as events:
        events.write(b"1 |a x\n")
        assert learner.stdout is not None
        assert learner.stdout.readline() == b"-1\n"
        learner.send_signal(signal.SIGTERM)
        learner.communicate()
    assert nk.load("m.nvk").stream_["lines"] == 1


# The pipe that answers go into ---------------------------------------------------------------------


def test_a_reader_that_goes_away_loses_nothing_that_was_learned() -> None:
    learner = child("m.nvk", "--every", "1000")
    assert ask(learner, b"1 |a x\n") == b"-1\n"
    assert learner.stdout is not None
    assert learner.stdin is not None
    assert learner.stderr is not None
    learner.stdout.close()
    learner.stdin.write(b"-1 |a x\n")
    assert learner.stderr.read() == b"novikoff: nobody reads standard output any more: stopped after line 2\n"
    assert learner.wait() == 1
    learner.stdin.close()
    learner.stderr.close()
    assert nk.load("m.nvk").stream_["lines"] == 2
    assert nk.load("m.nvk").mistakes_ == 2


# One writer ------------------------------------------------------------------------------------------


def test_a_second_writer_is_refused_by_any_name_readers_are_not_and_a_kill_frees_the_model() -> None:
    example_file(Path("train.vw"))
    Path("link.nvk").symlink_to("m.nvk")
    first = child("link.nvk", "--every", "1000")
    assert ask(first, b"1 |a x\n") == b"-1\n"
    assert ask(first, b"|a x\n") == b"1\n"  # by now the first line is saved, as it is for a new model
    for again in (
        ("learn", "m.nvk", "train.vw"),
        ("learn", "link.nvk", "train.vw"),
        ("fit", "train.vw", "-o", "m.nvk"),
    ):
        found = run(*again)
        assert (found.exit_code, found.stdout) == (1, "")
        assert f"process {first.pid} is writing this model since 2" in found.stderr
    assert run("predict", "m.nvk", "-", text="|a x\n").stdout == "1\n"
    first.kill()
    first.communicate()
    assert nk.load("m.nvk").stream_ == {"lines": 1, "answered": 1, "learned": 1}
    assert run("learn", "m.nvk", "train.vw", "-q").exit_code == 0
    assert nk.load("m.nvk").stream_["lines"] == 61
    assert not list(Path().glob(".*"))


# Saving ----------------------------------------------------------------------------------------------


FULL = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_save_that_fails_ends_nothing_and_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    text = example_file(Path("train.vw"), LINES).read_text()
    monkeypatch.setattr(command, "ROOM", 100)
    real, tries = atomic.write, []

    def full(target: Any, parts: Any) -> None:
        tries.append(1)
        if len(tries) <= 3:
            raise FULL
        real(target, parts)

    monkeypatch.setattr(atomic, "write", full)
    found = run("learn", "m.nvk", "train.vw", "--every", "0")
    assert found.exit_code == 0
    assert found.stdout.count("\n") == LINES
    check_kept(text, LINES)
    warnings = [line for line in found.stderr.splitlines() if "cannot be saved" in line]
    assert len(warnings) == 2  # of three failures the first and the second
    assert warnings[0].startswith("novikoff: m.nvk cannot be saved ([Errno 28] No space left on device); ")
    assert warnings[0].endswith(" answered lines are not saved yet, and it will be tried again")
    assert "saved again in m.nvk" in found.stderr


@pytest.mark.parametrize("error", [FULL, PermissionError(errno.EACCES, "Permission denied"), ValueError("too long")])
def test_what_could_not_be_saved_at_the_end_is_an_error_with_path_and_count(
    error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    example_file(Path("train.vw"), LINES)

    def fails(target: Any, parts: Any) -> None:
        raise error

    monkeypatch.setattr(atomic, "write", fails)
    found = run("learn", "m.nvk", "train.vw", "--every", "1000")
    assert found.exit_code == 1
    assert found.stdout.count("\n") == LINES
    last = found.stderr.splitlines()[-1]
    assert last.startswith("novikoff: m.nvk cannot be saved (")
    assert last.endswith("; 40 answered lines are NOT saved")


def test_a_real_limit_on_the_size_of_files() -> None:
    script = """
        from novikoff.cli import app
        app(["learn", "m.nvk", "--every", "0"])
    """
    setting = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (4000, 4000))\n"
    line = [sys.executable, "-c", setting + textwrap.dedent(script)]
    learner = started(line)
    assert ask(learner, b"1 |a x\n") == b"-1\n"
    assert ask(learner, b"-1 |a " + b" ".join(b"w%d" % i for i in range(500)) + b"\n") in (b"-1\n", b"1\n")
    assert ask(learner, b"1 |a x\n") in (b"-1\n", b"1\n")  # it goes on
    _, errors = learner.communicate()
    assert learner.returncode == 1
    assert b"m.nvk cannot be saved (" in errors
    assert b"(m.nvk: file too large); 2 answered lines are NOT saved\n" in errors
    assert nk.load("m.nvk").stream_["lines"] == 1  # the last one saved is whole
    assert sorted(os.listdir()) == ["m.nvk"]


def test_a_directory_that_goes_away_for_a_while_ends_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    text = example_file(Path("train.vw"), LINES).read_text()
    Path("models").mkdir()
    monkeypatch.setattr(command, "ROOM", 100)
    answers, blocks = command.lines, []

    def meanwhile(*arguments: Any, **keywords: Any) -> bytes:
        blocks.append(1)
        if len(blocks) == 3:
            os.rename("models", "elsewhere")
        if len(blocks) == 6:
            os.rename("elsewhere", "models")
        return answers(*arguments, **keywords)

    monkeypatch.setattr(command, "lines", meanwhile)
    found = run("learn", "models/m.nvk", "train.vw", "--every", "0")
    assert found.exit_code == 0
    assert "models/m.nvk cannot be saved (models/m.nvk: there is no directory" in found.stderr
    os.rename("models/m.nvk", "m.nvk")
    check_kept(text, LINES)


def test_names_of_any_length_in_all_can_be_saved() -> None:
    name = "x" * 40_000
    text = "".join(f"1 |a {name}{i}\n" for i in range(1800))  # more than 2^26 bytes
    found = run("learn", "m.nvk", "-r", "max_names=100_000_000", text=text)
    assert found.exit_code == 0, found.stderr
    assert len(nk.load("m.nvk").feature_names_in_) == 1800


SIGNS = ("--classes=-1,1",)


# Where it stands ---------------------------------------------------------------------------------------


def test_the_file_knows_its_place_in_the_stream_and_a_stream_is_taken_up_there() -> None:
    text = example_file(Path("train.vw"), LINES).read_text().splitlines(keepends=True)
    assert run("learn", "m.nvk", text="".join(text[:17])).exit_code == 0
    assert describe("m.nvk").stream == {"lines": 17, "answered": 17, "learned": 17}
    assert "From streams: 17 lines read, 17 examples answered, 17 of them learned." in run("inspect", "m.nvk").stdout
    found = run("learn", "m.nvk", text="".join(text[17:]))
    assert found.stderr.startswith("novikoff: m.nvk goes on after line 17\n")
    check_kept("".join(text), LINES)


@pytest.mark.parametrize("room", [1 << 20, 1, 13])
@pytest.mark.parametrize(
    ("text", "options", "stream"),
    [
        ("1 |a x\n\noops\n|a x\n", ("--skip-bad", "1"), (4, 2, 1)),
        ("1 |a x\n\n|a x\n\n0 |a y\n1 |a y\n", SIGNS, (4, 2, 1)),
        ("1 |a x\n\n|a x\n\noops\n1 |a y\n", (), (4, 2, 1)),
        ("a,label\n1,1\n\n2,-1\n", (), (3, 2, 2)),
        ("\n\na,label\n1,1\n2,-1\n", (), (4, 2, 2)),
        ("a,label\n1,1\n\n2,-1\n3,7\n", SIGNS, (3, 2, 2)),
        ("1 1:1\n# a comment\n-1 1:2\n5 1:3\n", SIGNS, (3, 2, 2)),
        ('{"y": 1, "a": 1}\n\n{"y": 0, "a": 1}\n{"y": 7, "a": 0}\n', ("--learner", "winnow"), (3, 2, 2)),
    ],
)
def test_the_place_is_that_of_the_last_line_answered(
    text: str, options: tuple[str, ...], stream: tuple[int, ...], room: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "ROOM", room)
    run("learn", "m.nvk", *options, text=text)
    found = nk.load("m.nvk").stream_
    assert (found["answered"], found["learned"]) == stream[1:]
    assert found["lines"] == stream[0]


def test_the_digest_of_a_fit_does_not_outlive_it() -> None:
    example_file(Path("train.vw"))
    run("fit", "train.vw", "-o", "m.nvk", "-q", "--cache-dir", "copies")
    assert describe("m.nvk").guarantee["data"] is not None
    assert describe("m.nvk").stream is None
    run("learn", "m.nvk", text="1 |w more\n")
    assert describe("m.nvk").guarantee["data"] is None
    assert describe("m.nvk").stream == {"lines": 1, "answered": 1, "learned": 1}


# Lines ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("room", [1 << 20, 1, 5])
@pytest.mark.parametrize("text", ["1 |a x:2\n-1 |a x:1", "1 |a x:2\n-1 |a"])
def test_a_last_line_without_a_newline_may_be_cut_off(text: str, room: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "ROOM", room)
    found = run("learn", "m.nvk", text=text)
    assert (found.exit_code, found.stdout) == (1, "-1\n")
    assert "standard input, line 2, column" in found.stderr
    assert "does not end with a newline, so it may be cut off, and is not learned" in found.stderr
    assert nk.load("m.nvk").stream_ == {"lines": 1, "answered": 1, "learned": 1}
    skipped = run("learn", "m.nvk", "--skip-bad", "1", text=text)
    assert skipped.exit_code == 0
    assert "skipped standard input, line 2, column" in skipped.stderr
    whole = run("learn", "m.nvk", text=text + "\n")
    assert (whole.exit_code, whole.stdout.count("\n")) == (0, 2)


def test_a_table_may_end_its_lines_otherwise() -> None:
    found = run("learn", "m.nvk", "--format", "csv", text="a,label\r1,1\r2,-1\r")
    assert (found.exit_code, found.stdout.count("\n")) == (0, 2)


def test_mistakes_are_counted_on_examples_that_have_a_label() -> None:
    assert "2 mistakes on 2 labelled examples, and 1 example without a label; saved in m.nvk" in (
        run("learn", "m.nvk", text="1 |a x\n-1 |a y\n|a x\n").stderr
    )
    assert "0 mistakes on 1 labelled example; saved in" in run("learn", "m.nvk", text="1 |a x\n").stderr


def test_columns_of_lines_that_were_refused_are_not_learned(monkeypatch: pytest.MonkeyPatch) -> None:
    for room in (1 << 20, 1):
        monkeypatch.setattr(command, "ROOM", room)
        run("learn", "m.nvk", *SIGNS, text="1 |a x\n7 |a y\n1 |a z\n")
        assert nk.load("m.nvk").feature_names_in_.tolist() == ["a^x"]
        assert np.array_equal(nk.load("m.nvk").coef_, [[1.0]])
        Path("m.nvk").unlink()


@pytest.mark.parametrize(
    ("format", "text", "labels"),
    [
        ("svmlight", "0 1:1\n1 2:1\n0 1:1\n7 3:1\n7 3:1\n", [0, 1, 7]),
        ("vw", "0 |f x\n1 |f y\n0 |f x\n7 |f z\n7 |f z\n", [0, 1, 7]),
        ("csv", "w,x,label\n1,0,0\n0,1,1\n1,0,0\n-1,-1,7\n-1,-1,7\n", [0, 1, 7]),
        ("csv", "w,x,label\n1,0,cat\n0,1,dog\n1,0,cat\n-1,-1,eel\n-1,-1,eel\n", ["cat", "dog", "eel"]),
        ("jsonl", '{"x": 1, "label": 0}\n{"y": 1, "label": 1}\n{}\n{"z": 1, "label": 7}\n{"z": 1}\n', [0, 1, 7]),
        ("jsonl", '{"x": 1, "label": "cat"}\n{"y": 1, "label": "dog"}\n{}\n{"z": 1, "label": "eel"}\n{"z": 1}\n', None),
    ],
)
def test_labels_are_taken_as_they_come_and_a_third_makes_a_third_class(
    folder: Path, format: str, text: str, labels: list[Any] | None
) -> None:
    labels = labels or ["cat", "dog", "eel"]
    found = run("learn", "m.nvk", "-q", "--format", format, text=text.encode())
    assert found.exit_code == 0
    assert describe("m.nvk").classes == labels
    assert found.stdout.splitlines()[-1] == str(labels[-1]), "the last example is predicted after its label was met"
    found = run("learn", "n.nvk", "-q", "--format", format, "--classes", f"{labels[0]},{labels[1]}", text=text.encode())
    assert found.exit_code == 1
    assert "example 4: the label" in found.stderr
    assert describe("n.nvk").classes == labels[:2]
