"""Processes on one file: one makes the copy, nobody takes away what another uses, and no crash is in the way."""

from __future__ import annotations

import errno
import gzip
import logging
import mmap
import os
import threading
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

import novikoff as nk
from novikoff import data
from novikoff.data import cache
from novikoff.data.options import Reading
from tests.data.runs import (
    PROCESSES,
    SHUFFLED,
    WORST,
    essence,
    hard,
    killed,
    learner,
    pausing_copy,
    pausing_fit,
    rounds,
    same,
    started,
    svmlight,
    undisturbed,
)

pytestmark = pytest.mark.filterwarnings("ignore:.*did not separate")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "copies"


# Several processes -------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [9, pytest.param(200, marks=pytest.mark.long)])
def test_four_processes_that_start_together_on_a_cold_file(count, tmp_path, place):
    """By turns: all leave the copy; two of them remove it; one makes it again in any case."""
    path = hard(tmp_path / "a.svm")
    expected = essence(undisturbed(path, "Perceptron(max_iter=2)"))
    places = [place / str(turn) for turn in range(count)]
    barrier = PROCESSES.Barrier(4)
    workers = [started(rounds, path, places, barrier, who) for who in range(4)]
    for turn in range(count):
        assert [pipe.recv() for _, pipe in workers] == [expected] * 4, f"round {turn}"
    for process, _ in workers:
        process.join()
        assert process.exitcode == 0
    # The number of a copy tells how many were made before it.
    assert {file.name for turn in range(0, count, 3) for file in places[turn].glob("*/*")} == {"copy-1"}
    for turn in range(count):
        assert len(list(places[turn].glob("*/*"))) <= 1
        assert not list(places[turn].rglob("*partial*"))


def another_learner(path: Path, place: Path) -> None:
    nk.fit_file(learner(SHUFFLED), path, cache=place)


def the_same_run(path: Path, place: Path) -> None:
    nk.fit_file(learner(WORST), path, cache=place)


def without_leaving_the_copy(path: Path, place: Path) -> None:
    nk.fit_file(learner(SHUFFLED), path, cache=place, keep_cache=False)


def afresh(path: Path, place: Path) -> None:
    nk.fit_file(learner(SHUFFLED), path, cache=place, fresh=True)


def with_an_error(path: Path, place: Path) -> None:
    with pytest.raises(ValueError, match="max_iter"):
        nk.fit_file(nk.Perceptron(max_iter=-1), path, cache=place, keep_cache=False)


def on_a_changed_file(path: Path, place: Path) -> None:
    text = path.read_bytes()
    hard(path, seed=1)
    nk.fit_file(learner(SHUFFLED), path, cache=place)
    path.write_bytes(text)


SHORT = [another_learner, the_same_run, without_leaving_the_copy, afresh, with_an_error, on_a_changed_file]


@pytest.mark.parametrize(
    ("short", "warm"),
    [*((short, False) for short in SHORT), (without_leaving_the_copy, True)],
    ids=lambda value: value.__name__ if callable(value) else "warm" if value else "cold",
)
def test_a_long_fit_beside_short_ones(short: Callable[..., None], warm: bool, tmp_path: Path, place: Path) -> None:
    """Its checkpoint stays, and can be taken up when it is killed; its copy stays, and it ends as if alone."""
    path = hard(tmp_path / "a.svm")
    if warm:
        another_learner(path, place)
    expected = undisturbed(path, WORST)
    going, pipe = started(pausing_fit, WORST, path, place, 5)
    doomed, doomed_pipe = started(pausing_fit, WORST, path, place, 7)
    assert pipe.recv() == doomed_pipe.recv() == "paused"
    before = sorted(file for file in place.rglob("*") if file.is_file())
    assert sum(file.name == "journal.nvk" for file in before) == 2
    for _ in range(3):
        short(path, place)
    assert set(before) <= set(place.rglob("*"))
    pipe.send("go on")
    assert pipe.recv() == essence(expected)
    going.join()
    doomed.kill()
    doomed.join()
    assert len(list(place.rglob("journal.nvk"))) == 1
    assert same(nk.fit_file(learner(WORST), path, cache=place, resume=True), expected)
    (home,) = place.iterdir()
    assert len(list(home.iterdir())) == 1  # the copy


def test_the_last_to_use_an_old_copy_takes_it_away(tmp_path, place):
    path = hard(tmp_path / "a.svm")
    process, pipe = started(pausing_fit, WORST, path, place, 5)
    pipe.recv()
    hard(path, seed=1)
    nk.fit_file(learner(SHUFFLED), path, cache=place)
    assert sorted(file.name for file in place.glob("*/copy-*")) == ["copy-1", "copy-2"]
    pipe.send("go on")
    pipe.recv()
    process.join()
    assert sorted(file.name for file in place.glob("*/*")) == ["copy-2"]


@pytest.mark.parametrize("fate", ["finishes", "is killed"])
def test_whoever_finds_the_copy_being_made_waits_and_says_so(fate, tmp_path, place):
    path = hard(tmp_path / "a.svm")
    maker, pipe = started(pausing_copy, WORST, path, place)
    assert pipe.recv() == "paused"
    told = []

    class Told(logging.Handler):
        """Called before the wait, which ends with what the other process does now."""

        def emit(self, record: logging.LogRecord) -> None:
            told.append(record.getMessage())
            if fate == "finishes":
                pipe.send("go on")
            else:
                maker.kill()

    handler = Told()
    logging.getLogger("novikoff").addHandler(handler)
    try:
        ours = nk.fit_file(learner(WORST), path, cache=place)
    finally:
        logging.getLogger("novikoff").removeHandler(handler)
    assert told == [f"waiting for process {maker.pid}, which is making a copy of {path}"]
    assert essence(ours) == essence(undisturbed(path, WORST))
    if fate == "finishes":
        assert pipe.recv() == essence(ours)
    maker.join()
    assert [file.name for file in place.glob("*/*")] == ["copy-1"]


# What is noticed ---------------------------------------------------------------------------------


def flip(path: Path) -> int:
    """Where the label of a line in the middle is."""
    text = path.read_bytes()
    return text.index(b"\n-1 ", len(text) // 2) + 1


def test_what_is_written_through_a_map_is_noticed(tmp_path, place, monkeypatch):
    """The kernel notes such a write only when the page goes to the disk, or not at all: the bytes tell."""
    monkeypatch.setattr(cache, "END", 100)  # the change is not at an end
    path = hard(tmp_path / "a.svm")
    at = flip(path)
    with path.open("r+b") as file, mmap.mmap(file.fileno(), 0) as written:
        written[at : at + 1] = b"-"  # the page is dirty from here on, and the times are up to date
        nk.fit_file(learner(WORST), path, cache=place)
        written[at : at + 1] = b"+"
        ours = nk.fit_file(learner(WORST), path, cache=place)
    assert same(ours, undisturbed(path, WORST))


def test_fresh_makes_the_copy_again_whatever_the_file_looks_like(tmp_path, place, monkeypatch):
    """A large file may change and look the same."""
    monkeypatch.setattr(cache, "_stamp", lambda source, reading: ["the same"])
    path = hard(tmp_path / "a.svm")
    old = undisturbed(path, WORST)
    nk.fit_file(learner(WORST), path, cache=place)
    killed(learner(WORST), path, place)
    hard(path, seed=1)
    new = undisturbed(path, WORST)
    assert same(nk.fit_file(learner(WORST), path, cache=place, resume=True), old)
    killed(learner(WORST), path, place)
    assert same(nk.fit_file(learner(WORST), path, cache=place, fresh=True), new)
    assert same(nk.fit_file(learner(WORST), path, cache=place, resume=True), new)
    assert [file.name for file in place.glob("*/*")] == ["copy-2"]


def test_the_ends_of_every_file_of_a_large_source_are_looked_at(tmp_path, place, monkeypatch):
    monkeypatch.setattr(cache, "SMALL", 1000)
    monkeypatch.setattr(cache, "END", 100)
    paths = [svmlight(tmp_path / f"{k}.svm", seed=k) for k in range(3)]
    pattern = str(tmp_path / "?.svm")
    stamps = [cache._stamp(pattern, Reading())]
    for path in paths:
        for at in (50, path.stat().st_size - 50):
            content = bytearray(path.read_bytes())
            content[at] ^= 1
            path.write_bytes(content)
            stamps.append(cache._stamp(pattern, Reading()))
    digests = [[file[-1] for file in found] for found, _ in stamps]
    changed = [sum(a != b for a, b in zip(*pair, strict=True)) for pair in pairwise(digests)]
    assert changed == [1] * 6


def test_a_relative_path_has_the_copy_of_the_absolute_one(tmp_path, place, monkeypatch):
    path = hard(tmp_path / "a.svm")
    nk.fit_file(learner(WORST), path, cache=place)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(cache, "stream", None)
    nk.fit_file(learner(WORST), "a.svm", cache=place)


# Places where no copy can be ---------------------------------------------------------------------

CURE = r"name another directory \(--cache-dir, in Python cache=, or NOVIKOFF_CACHE_DIR\)"


def test_a_directory_that_cannot_be_written_is_named_with_the_cure(tmp_path, place):
    path = hard(tmp_path / "a.svm")

    def refuse(name: Any, *_: Any, **__: Any) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(name))

    with patch.object(os, "mkdir", refuse), pytest.raises(OSError, match=rf"{place}: read-only file .*{CURE}"):
        nk.fit_file(nk.Perceptron(), path, cache=place)
    place.write_text("a file")
    with pytest.raises(OSError, match=rf"not a directory\. .*{CURE}"):
        nk.fit_file(nk.Perceptron(), path, cache=place)


def test_a_copy_that_is_there_may_be_used_where_nothing_can_be_written(tmp_path, place, monkeypatch):
    path = hard(tmp_path / "a.svm")
    nk.fit_file(learner(WORST), path, cache=place)
    real = os.open

    def refuse(name: Any, flags: int, *more: Any, **options: Any) -> int:
        if flags & (os.O_CREAT | os.O_WRONLY | os.O_RDWR) and str(place) in str(name):
            raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(name))
        return real(name, flags, *more, **options)

    monkeypatch.setattr(os, "open", refuse)
    monkeypatch.setattr(cache, "stream", None)
    assert same(nk.fit_file(learner(WORST), path, cache=place), undisturbed(path, WORST))


@pytest.mark.parametrize("name", ["values", "labels", "header.json"])
def test_a_disk_that_fills_up_leaves_nothing_and_is_named(name, tmp_path, place, monkeypatch):
    path = hard(tmp_path / "a.svm")
    real = cache.create

    class Full:
        def __init__(self, file: Path) -> None:
            self.file = real(file)

        def write(self, content: Any) -> None:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        def close(self) -> None:
            self.file.close()

        __enter__ = lambda self: self  # noqa: E731
        __exit__ = lambda self, *_: self.close()  # noqa: E731

    monkeypatch.setattr(cache, "create", lambda file: Full(file) if file.name == name else real(file))
    with pytest.raises(OSError, match=rf"{place}.*: no space left on device\. .*{CURE}"):
        nk.fit_file(nk.Perceptron(), path, cache=place)
    assert not list(place.iterdir())


# Pipes -------------------------------------------------------------------------------------------


@pytest.fixture
def pipe(tmp_path: Path) -> Any:
    """The bytes of a file, through a named pipe."""
    threads = []

    def through(content: bytes, name: str = "pipe") -> Path:
        path = tmp_path / name
        os.mkfifo(path)
        thread = threading.Thread(target=path.write_bytes, args=(content,))
        thread.start()
        threads.append(thread)
        return path

    yield through
    for thread in threads:
        thread.join()


@pytest.mark.parametrize("compress", [bytes, gzip.compress], ids=["plain", "gzip"])
def test_a_pipe_is_read_once_and_leaves_nothing(compress, tmp_path, place, pipe):
    path = hard(tmp_path / "a.svm")
    ours = nk.fit_file(learner(WORST), pipe(compress(path.read_bytes())), cache=place)
    assert same(ours, undisturbed(path, WORST))
    assert not place.exists()


def test_a_pipe_cannot_be_resumed(tmp_path, place):
    os.mkfifo(tmp_path / "pipe")  # which nobody writes: to open it would be to wait for ever
    with pytest.raises(ValueError, match="is a pipe, which cannot be read again: save it to a file to resume"):
        nk.fit_file(nk.Perceptron(), tmp_path / "pipe", cache=place, resume=True)


@pytest.mark.parametrize("target", ["a.npz", "a.parquet", "a.arrow", "a.csv", "a.npy"])
def test_every_format_comes_through_a_pipe(target, tmp_path, pipe):
    """Those whose readers jump about, and the conversions that read twice."""
    if target in ("a.parquet", "a.arrow"):
        pytest.importorskip("pyarrow")
    path = hard(tmp_path / "a.svm")
    data.convert(path, tmp_path / target)
    expected = data.read(tmp_path / target)
    through = pipe((tmp_path / target).read_bytes(), "first")
    found = data.read(through, format=target.removeprefix("a."))
    assert abs(found.X - expected.X).max() == 0
    assert found.y.tolist() == expected.y.tolist()


def test_a_pipe_is_converted_to_a_table(tmp_path, pipe):
    lines = b"1 |x a:1 b:2\n-1 |x c:3\n"
    data.convert(pipe(lines), tmp_path / "a.csv", format="vw")
    assert (tmp_path / "a.csv").read_text().splitlines()[0].count(",") == 3


def test_the_copy_of_one_reading_is_not_that_of_another(tmp_path, place):
    path = hard(tmp_path / "a.svm")
    assert cache.Copy(path, Reading(), place).home != cache.Copy(path, Reading(zero_based=True), place).home
