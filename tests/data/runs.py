"""Fits of files for the tests: in this process, and in others that stop or die where they are told to."""

from __future__ import annotations

import errno
import multiprocessing
import os
import signal
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import novikoff as nk
from novikoff import data, problems
from novikoff.engine import rows
from novikoff.fitting import journal
from novikoff.store import model as store

# Processes that begin as copies of one in which the kernels are ready: cheap, and free of pytest's threads.
PROCESSES = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload(["tests.data.ready"])

SHUFFLED = "Perceptron(shuffle=True, random_state=3, max_iter=20)"
AVERAGE = "Perceptron(hypothesis='average', max_iter=20)"
NOISY = "Perceptron(max_iter=30)"  # the best of several hypotheses
WORST = "MarginPerceptron(order='worst', max_iter=20)"


def svmlight(path: Path, n: int = 400, d: int = 12, margin: float = 0.05, seed: int = 0) -> Path:
    problem = problems.separable(n, d, margin=margin, random_state=seed)
    lines = (
        f"{label:+d} " + " ".join(f"{j + 1}:{value!r}" for j, value in enumerate(row) if value)
        for row, label in zip(problem.X.tolist(), problem.y.tolist(), strict=True)
    )
    path.write_text("\n".join(lines) + "\n")
    return path


def same(ours: Any, theirs: Any) -> bool:
    """Equal but for what says where the data came from, and how many seconds it took."""
    if hasattr(ours, "trace_"):
        ours.trace_ = theirs.trace_
    return essence(ours) == essence(theirs)


def hard(path: Path, seed: int = 0, *, noisy: bool = False) -> Path:
    """Examples on which the learners above take all their passes; ``noisy``: some have a wrong label."""
    svmlight(path, n=200, d=8, margin=0.01, seed=seed)
    if noisy:
        lines = path.read_text().splitlines()
        turned = {"+": "-", "-": "+"}
        lines = [turned[line[0]] + line[1:] if i % 7 == 3 else line for i, line in enumerate(lines)]
        path.write_text("\n".join(lines) + "\n")
    return path


def undisturbed(path: Path, model: str) -> Any:
    with warnings.catch_warnings(action="ignore"):
        return learner(model).fit(data.read(path))


def learner(model: str) -> Any:
    return eval(f"nk.{model}")


class Killed(BaseException):
    """In the place of a signal, within one process."""


@contextmanager
def checkpoints(after: Callable[[int, journal.DiskJournal], None] = lambda count, journal: None) -> Iterator[None]:
    """A checkpoint at every opportunity, of which there are many; then `after` is called with how many there were."""
    real, count = journal.DiskJournal.keep, 0

    def keep(self: journal.DiskJournal, *state: Any) -> None:
        nonlocal count
        self.data.result()
        real(self, *state)
        count += 1
        after(count, self)

    with (
        patch.object(journal, "SECONDS", 0.0),
        patch.object(rows, "BUDGET", rows.BUDGET >> 17),
        patch.object(os, "fsync", lambda file: None),  # a killed process loses nothing that it has written
        patch.object(journal.DiskJournal, "keep", keep),
        warnings.catch_warnings(action="ignore"),
    ):
        yield


def killed(model: Any, path: Path, place: Path, at: int = 5, **options: Any) -> None:
    """A fit that ends after so many checkpoints, as if its process had been killed."""

    def end(count: int, _: Any) -> None:
        if count == at:
            raise Killed

    try:
        with checkpoints(end):
            nk.fit_file(model, path, cache=place, **options)
    except Killed:
        return
    raise AssertionError(f"there were fewer than {at} checkpoints")


@contextmanager
def disk_full() -> Iterator[None]:
    real = os.write

    def write(file: int, content: Any) -> int:
        real(file, bytes(content)[:7])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with patch.object(os, "write", write):
        yield


# In other processes ------------------------------------------------------------------------------


def pausing_fit(model: str, path: Path, place: Path, at: int, pipe: Any) -> None:
    """Tell when there are so many checkpoints, wait for an answer, go on, and hand the bits over."""

    def pause(count: int, _: Any) -> None:
        if count == at:
            pipe.send("paused")
            pipe.recv()

    clf = learner(model)
    with checkpoints(pause):
        nk.fit_file(clf, path, cache=place)
    pipe.send(essence(clf))


def pausing_copy(model: str, path: Path, place: Path, pipe: Any) -> None:
    """The same within the making of the copy."""

    def pause(_: int) -> None:
        pipe.send("paused")
        pipe.recv()

    clf = learner(model)
    with warnings.catch_warnings(action="ignore"):
        nk.fit_file(clf, path, cache=place, watch=pause)
    pipe.send(essence(clf))


def rounds(path: Path, places: list[Path], barrier: Any, who: int, results: Any) -> None:
    """A fit for each place, all processes at once; what came out, or went wrong."""
    for turn, place in enumerate(places):
        options = {"keep_cache": turn % 3 != 1 or who < 2, "fresh": turn % 3 == 2 and who == 0}
        barrier.wait()
        try:
            with warnings.catch_warnings(action="ignore"):
                outcome = essence(nk.fit_file(nk.Perceptron(max_iter=2), path, cache=place, **options))
        except BaseException as error:
            outcome = repr(error)
        results.send(outcome)


def doomed_fit(model: str, path: Path, place: Path, fatal: int, pipe: Any) -> None:
    """A fit that is killed at an operation on its files: the one of this number, from 1 on; 0: none, count them."""
    count = 0

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        nonlocal count
        touches = event.startswith(("open", "os.", "fcntl.flock", "shutil."))
        if touches and (event == "fcntl.flock" or str(place) in str(arguments[0])):
            count += 1
            if count == fatal:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(hook)
    clf = learner(model)
    with checkpoints():
        nk.fit_file(clf, path, cache=place, resume=True)
    pipe.send((essence(clf), count))


def essence(model: Any) -> bytes:
    """The bits of a model, but for what says where the data came from."""
    for name in ("reading_", "data_digest_", "skipped_"):
        model.__dict__.pop(name, None)
    return b"".join(store.to_parts(model))


def started(target: Callable[..., None], *arguments: Any) -> tuple[Any, Any]:
    """A process, and the end of a pipe to it. It does not outlive a test that fails."""
    here, there = PROCESSES.Pipe()
    process = PROCESSES.Process(target=target, args=(*arguments, there), daemon=True)
    process.start()
    there.close()
    return process, here
