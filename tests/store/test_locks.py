"""Locks between processes: one alone or several together, and nothing left to clear up after a crash."""

from __future__ import annotations

import errno
import multiprocessing
import os
import signal
import stat
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from novikoff.disk import locks

pytestmark = pytest.mark.skipif(locks.fcntl is None, reason="no flock here")

SPAWN = multiprocessing.get_context("spawn")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.lock"


def _hold(path: Path, ours: Any) -> None:
    with locks.exclusive(path):
        ours.send(os.getpid())
        ours.recv()


@pytest.fixture
def another(path: Path) -> Iterator[tuple[int, Callable[[], None]]]:
    """Another process that holds the lock: its id, and how to let it go."""
    here, there = SPAWN.Pipe()
    process = SPAWN.Process(target=_hold, args=(path, there))
    process.start()

    def end() -> None:
        if process.is_alive():
            here.send(None)
        process.join()

    yield here.recv(), end
    end()


def test_a_second_holder_is_refused_and_told_who_is_the_first(path, another):
    pid, end = another
    with (
        pytest.raises(locks.LockedError, match=rf"a\.lock: process {pid} holds this lock"),
        locks.exclusive(path, wait=False),
    ):
        pass
    with pytest.raises(locks.LockedError), locks.shared(path, wait=False):
        pass
    end()
    with locks.exclusive(path, wait=False):
        assert locks.holder(path) == f"process {os.getpid()}"
    assert locks.holder(path) == "another process"  # nobody has signed


def test_the_holder_of_another_machine_is_named_with_it(path):
    path.write_text("17 elsewhere\n")
    assert locks.holder(path) == "process 17 on elsewhere"


def test_whoever_waits_is_told_once_and_then_has_it(path, another):
    pid, end = another
    told = []

    def waiting(holder: str) -> None:
        told.append(holder)
        threading.Thread(target=end).start()

    with locks.exclusive(path, waiting=waiting):
        assert told == [f"process {pid}"]


def test_a_holder_that_is_killed_frees_it(path, another):
    pid, end = another
    os.kill(pid, signal.SIGKILL)
    end()
    assert path.exists()
    with locks.exclusive(path, wait=False):
        pass


def test_several_share_it_and_nobody_then_holds_it_alone(path):
    path.touch()
    with locks.shared(path), locks.shared(path, wait=False), pytest.raises(locks.LockedError):  # noqa: SIM117
        with locks.exclusive(path, wait=False):
            pass
    with locks.exclusive(path, wait=False), pytest.raises(locks.LockedError), locks.shared(path, wait=False):
        pass


def test_a_share_needs_the_file_and_no_right_to_write(path):
    with pytest.raises(FileNotFoundError), locks.shared(path):
        pass
    path.touch(0o400)
    with locks.shared(path):
        pass


def test_a_lock_that_was_removed_is_not_held_by_whoever_waited_for_it(path):
    """The waiter has the old file open: it must end up with the new one, or two would hold the lock."""
    begun, removed, entered = threading.Event(), threading.Event(), []

    def wait() -> None:
        with locks.exclusive(path, waiting=lambda _: begun.set()):
            entered.append(os.stat(path).st_ino)
            with pytest.raises(locks.LockedError), locks.exclusive(path, wait=False):
                pass
        removed.set()

    waiter = threading.Thread(target=wait)
    with locks.exclusive(path, remove=True):
        waiter.start()
        begun.wait()
    waiter.join()
    assert removed.is_set()
    assert entered == [path.stat().st_ino]


def test_what_came_into_its_place_is_not_removed(path):
    with locks.exclusive(path, remove=True):
        path.unlink()
        path.write_text("another's")
    assert path.read_text() == "another's"


def test_the_file_is_private_and_never_behind_a_link(path, tmp_path):
    before = os.umask(0)
    try:
        with locks.exclusive(path):
            assert stat.S_IMODE(path.stat().st_mode) == 0o600
    finally:
        os.umask(before)
    precious = tmp_path / "precious"
    precious.write_text("kept")
    (tmp_path / "link.lock").symlink_to(precious)
    with pytest.raises(OSError, match="symbolic links"), locks.exclusive(tmp_path / "link.lock"):
        pass
    assert precious.read_text() == "kept"


@pytest.mark.parametrize("code", [errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS])
def test_a_file_system_without_locks_is_told_apart(code, path, monkeypatch):
    def refuse(*_: Any) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(locks.fcntl, "flock", refuse)
    before = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0
    with pytest.raises(locks.NoLocksError), locks.exclusive(path):
        pass
    assert (len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0) == before
