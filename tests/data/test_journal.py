"""Checkpoints: a killed run is taken up to the same bits, nobody else's is, and none of them ever costs the model."""

from __future__ import annotations

import errno
import os
import random
import resource
import shutil
import stat
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

import novikoff as nk
from novikoff import data
from novikoff.disk import locks
from novikoff.engine import order, rows
from novikoff.fitting import journal
from novikoff.fitting.journal import DiskJournal
from tests.data.runs import (
    AVERAGE,
    NOISY,
    SHUFFLED,
    WORST,
    checkpoints,
    disk_full,
    doomed_fit,
    essence,
    hard,
    killed,
    learner,
    same,
    started,
    undisturbed,
)

pytestmark = pytest.mark.filterwarnings("ignore:.*did not separate")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "copies"


@pytest.fixture
def recalled(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """For each fit, whether it took up a checkpoint."""
    found: list[bool] = []
    real = DiskJournal.recall

    def recall(self: DiskJournal, learner: Any) -> Any:
        kept = real(self, learner)
        found.append(kept is not None)
        return kept

    monkeypatch.setattr(DiskJournal, "recall", recall)
    return found


def left(place: Path) -> list[str]:
    """What is there, but for the copy of the data."""
    return sorted(file.name for file in place.glob("*/*") if not file.name.startswith("copy-"))


# Taking up ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("model", [WORST, SHUFFLED, AVERAGE, NOISY])
def test_a_killed_run_is_taken_up_to_the_same_bits_and_leaves_nothing(model, tmp_path, place, recalled):
    path = hard(tmp_path / "a.svm", noisy=model == NOISY)
    killed(learner(model), path, place, at=5)
    killed(learner(model), path, place, at=9, resume=True)
    ours = nk.fit_file(learner(model), path, cache=place, resume=True)
    assert recalled == [False, True, True]
    assert same(ours, undisturbed(path, model))
    assert left(place) == []


@pytest.mark.parametrize("kills", [2, pytest.param(20, marks=pytest.mark.long)])
@pytest.mark.parametrize("model", [WORST, SHUFFLED])
def test_killed_at_any_operation_on_its_files_it_ends_in_the_same_bits(model, kills, tmp_path, place):
    """A signal that cannot be caught, at some file that is opened, made, renamed, removed or locked."""
    path = hard(tmp_path / "a.svm")
    process, pipe = started(doomed_fit, model, path, tmp_path / "first", 0)
    expected, operations = pipe.recv()
    process.join()
    assert expected == essence(undisturbed(path, model))
    assert operations > 100
    # Some forty operations make the copy, and as many take a run up; one kill comes late in a run.
    draw = random.Random(model)
    fatal = [draw.randrange(1, 60) for _ in range(kills)]
    fatal[kills // 2] = operations // 2
    deaths = 0
    for operation in [*fatal, 0]:
        process, pipe = started(doomed_fit, model, path, place, operation)
        process.join()
        deaths += process.exitcode == -9
    assert deaths > kills // 2
    assert pipe.recv()[0] == expected
    assert left(place) == []


def test_whether_it_is_shown_does_not_matter(tmp_path, place, recalled):
    path = hard(tmp_path / "a.svm")
    killed(nk.Perceptron(verbose=1, max_iter=20), path, place)
    nk.fit_file(nk.Perceptron(verbose=0, max_iter=20), path, cache=place, resume=True)
    assert recalled == [False, True]


def test_a_generator_is_known_by_its_state(tmp_path, place, recalled):
    path = hard(tmp_path / "a.svm")

    def shuffled(seed: int) -> Any:
        return nk.Perceptron(shuffle=True, random_state=np.random.RandomState(seed), max_iter=20)

    killed(shuffled(3), path, place)
    with pytest.raises(ValueError, match=r"random_state was a RandomState in state [0-9a-f]+ and is a RandomState in"):
        nk.fit_file(shuffled(4), path, cache=place, resume=True)
    ours = nk.fit_file(shuffled(3), path, cache=place, resume=True)
    assert recalled == [False, True]
    theirs = shuffled(3).fit(data.read(path))
    assert essence(ours.set_params(random_state=3)) == essence(theirs.set_params(random_state=3))


def test_a_seed_of_the_system_is_kept(tmp_path, place, recalled):
    path = hard(tmp_path / "a.svm")
    drawn = "Perceptron(random_state=None, max_iter=20)"
    with patch("secrets.randbits", lambda count: 2**63 + 5):
        killed(learner(drawn), path, place)
        theirs = undisturbed(path, drawn)
    assert same(nk.fit_file(learner(drawn), path, cache=place, resume=True), theirs)
    assert recalled == [False, True]


@pytest.mark.parametrize("at", [1, 2, 3, 4, 30])
def test_a_run_is_taken_up_in_the_middle_of_a_group(at, tmp_path, place, monkeypatch):
    """200 rows in 9 groups of at most 24, of which a loop takes 16 at a time."""
    monkeypatch.setattr(order, "BLOCK", 4)
    monkeypatch.setattr(order, "MOST", 6)
    path = hard(tmp_path / "a.svm")
    killed(learner(SHUFFLED), path, place, at=at)
    ours = nk.fit_file(learner(SHUFFLED), path, cache=place, resume=True)
    assert same(ours, undisturbed(path, SHUFFLED))


def test_a_run_that_goes_on_in_another_process_is_not_taken_from_it(tmp_path, place):
    path = hard(tmp_path / "a.svm")
    refused = []

    def second(count: int, _: Any) -> None:
        if count == 5:
            with pytest.raises(ValueError, match=f"process {os.getpid()} is at this very run: wait for it"):
                nk.fit_file(learner(WORST), path, cache=place, resume=True)
            refused.append(True)

    ours = learner(WORST)
    with checkpoints(second):
        nk.fit_file(ours, path, cache=place)
    assert refused
    assert same(ours, undisturbed(path, WORST))


def test_without_a_checkpoint_it_begins_and_says_so(tmp_path, place, caplog):
    path = hard(tmp_path / "a.svm")
    ours = nk.fit_file(learner(WORST), path, cache=place, resume=True)
    assert "there is no checkpoint of this run" in caplog.text
    assert same(ours, undisturbed(path, WORST))


# Strangers ---------------------------------------------------------------------------------------


def other_data(path: Path, place: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    killed(learner(WORST), path, place)
    hard(path, seed=1)
    return "it is of other data: the file has changed since"


def other_parameters(path: Path, place: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    killed(nk.MarginPerceptron(order="worst", max_iter=21), path, place)
    return "max_iter was 21 and is 20"


def other_learner(path: Path, place: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    killed(nk.Perceptron(order="worst", max_iter=20), path, place)
    return "it is of Perceptron, and this is MarginPerceptron"


def other_version(path: Path, place: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    with monkeypatch.context() as then:
        then.setattr(journal, "PRODUCER", "novikoff 0.0.1")
        killed(learner(WORST), path, place)
    return r"it was written by novikoff 0\.0\.1 \(journal 5\), and this is novikoff .*"


def other_journal(path: Path, place: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    with monkeypatch.context() as then:
        then.setattr(journal, "VERSION", 1)
        killed(learner(WORST), path, place)
    return r"it was written by .* \(journal 1\), and this is .* \(journal 5\)"


def other_weights(path: Path, place: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    before = nk.MarginPerceptron(order="worst", max_iter=20).fit([[1.0] * 8, [-1.0] * 8], [1, -1])
    # The parameter is not warm_start=True at the second start, where there is nothing to start from.
    monkeypatch.setattr(nk.MarginPerceptron, "warm_start", True, raising=False)
    monkeypatch.setattr(journal, "_parameters", lambda model: {})
    killed(before.set_params(warm_start=True), path, place)
    return r"it began with other weights \(warm_start\)"


def damaged(path: Path, place: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    killed(learner(WORST), path, place)
    (file,) = place.glob("*/run-*/journal.nvk")
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)
    return "it is damaged"


@pytest.mark.parametrize(
    "stranger",
    [other_data, other_parameters, other_learner, other_version, other_journal, other_weights, damaged],
    ids=lambda stranger: stranger.__name__,
)
def test_the_checkpoint_of_another_run_is_refused_and_stays(
    stranger: Callable[..., str], tmp_path: Path, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = hard(tmp_path / "a.svm")
    difference = stranger(path, place, monkeypatch)
    before = sorted(place.glob("*/run-*/*"))
    with pytest.raises(ValueError, match=rf"journal\.nvk: this checkpoint is not of this run: {difference}\. Without"):
        nk.fit_file(learner(WORST), path, cache=place, resume=True)
    assert sorted(place.glob("*/run-*/*")) == before != []
    monkeypatch.undo()
    assert same(nk.fit_file(learner(WORST), path, cache=place, fresh=True), undisturbed(path, WORST))
    assert left(place) == []


def test_a_run_that_begins_again_drops_its_own_checkpoint_alone(tmp_path, place):
    path = hard(tmp_path / "a.svm")
    for model in (WORST, SHUFFLED):
        killed(learner(model), path, place)
    nk.fit_file(learner(WORST), path, cache=place)
    (other,) = place.glob("*/run-*")
    nk.fit_file(learner(SHUFFLED), path, cache=place, resume=True)
    assert not other.exists()


def test_resume_and_fresh_exclude_each_other(tmp_path, place):
    with pytest.raises(ValueError, match="ask for one of the two"):
        nk.fit_file(nk.Perceptron(), hard(tmp_path / "a.svm"), cache=place, resume=True, fresh=True)
    assert not place.exists()


# Failures ----------------------------------------------------------------------------------------


@contextmanager
def too_large() -> Iterator[None]:
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


@contextmanager
def read_only() -> Iterator[None]:
    real = os.open

    def refuse(path: Any, flags: int, *mode: Any, **more: Any) -> int:
        if flags & os.O_CREAT:
            raise OSError(errno.EROFS, os.strerror(errno.EROFS), path)
        return real(path, flags, *mode, **more)

    with patch.object(os, "open", refuse):
        yield


@pytest.mark.parametrize(
    ("fail", "reason"),
    [(disk_full, "No space left on device"), (too_large, "File too large"), (read_only, "Read-only file system")],
    ids=["disk full", "file too large", "read-only"],
)
@pytest.mark.parametrize("first", [True, False], ids=["at first", "later"])
def test_a_checkpoint_that_cannot_be_written_warns_once_and_is_tried_again(
    fail: Callable[[], AbstractContextManager[None]],
    reason: str,
    first: bool,
    tmp_path: Path,
    place: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = hard(tmp_path / "a.svm")
    failing = range(1, 5) if first else range(3, 7)
    real = DiskJournal.keep
    there = []

    def keep(self: DiskJournal, *state: Any) -> None:
        self.data.result()
        with fail() if len(there) + 1 in failing else nullcontext():
            real(self, *state)
        there.append(len(list(place.glob("*/run-*/journal.nvk"))))
        assert not list(place.rglob("*.partial"))

    ours = learner(WORST)
    monkeypatch.setattr(journal, "SECONDS", 0.0)
    monkeypatch.setattr(rows, "BUDGET", rows.BUDGET >> 17)
    monkeypatch.setattr(DiskJournal, "keep", keep)
    monkeypatch.setattr(os, "fsync", lambda file: None)
    with pytest.warns(UserWarning, match="checkpoint") as told:
        nk.fit_file(ours, path, cache=place)
    (warning,) = [str(warning.message) for warning in told if "checkpoint" in str(warning.message)]
    assert str(place) in warning
    assert f"no checkpoint can be written here ({reason})" in warning
    assert "The fit goes on, and tries again every" in warning
    assert len(there) > max(failing)
    assert there == ([0] * 4 if first else [1] * 6) + [1] * (len(there) - (4 if first else 6))
    assert same(ours, undisturbed(path, WORST))
    assert left(place) == []


@pytest.mark.filterwarnings("ignore:.*no checkpoint can be written here")
def test_a_directory_that_somebody_removes_is_made_again(tmp_path, place):
    path = hard(tmp_path / "a.svm")
    seen = []

    def remove(count: int, _: Any) -> None:
        seen.append(bool(list(place.glob("*/run-*/journal.nvk"))))
        if count in (2, 3, 7):
            shutil.rmtree(place)

    ours = learner(WORST)
    with checkpoints(remove):
        nk.fit_file(ours, path, cache=place)
    assert len(seen) > 8
    assert all(seen)
    assert same(ours, undisturbed(path, WORST))


def test_no_locks_no_loss(tmp_path, place, monkeypatch, recalled):
    """Each process then has a copy of its own; checkpoints are as good as ever."""

    def refuse(*_: Any) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(locks.fcntl, "flock", refuse)
    path = hard(tmp_path / "a.svm")
    killed(learner(WORST), path, place)
    assert [file.name.partition("-")[0] for file in place.glob("*/*")] == ["run"]
    ours = nk.fit_file(learner(WORST), path, cache=place, resume=True)
    assert recalled == [False, True]
    assert same(ours, undisturbed(path, WORST))
    assert not list(place.iterdir())


def test_what_is_kept_is_private_whatever_the_umask(tmp_path):
    path = hard(tmp_path / "a.svm")
    modes = set()

    def look(*_: Any) -> None:
        for file in (tmp_path / "deep").rglob("*"):
            modes.add((file.name.partition("-")[0], stat.S_IMODE(file.stat().st_mode)))

    before = os.umask(0)
    try:
        with checkpoints(look):
            nk.fit_file(learner(SHUFFLED), path, cache=tmp_path / "deep" / "copies")
    finally:
        os.umask(before)
    home = {name for name, mode in modes if len(name) == 20}
    files = ("lock", "header.json", "values", "columns", "starts", "labels", "journal.nvk")
    assert modes == {(name, 0o600) for name in files} | {(name, 0o700) for name in ("copies", "copy", "run", *home)}
