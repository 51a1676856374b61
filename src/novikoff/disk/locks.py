"""Locks between processes: a file that one holds alone, or several share.

A lock is the kernel's (flock), so it ends with whoever holds it, killed or not, and the file itself means nothing: one
that is left behind by a crash is free. The file may be removed by whoever holds it alone; those who waited for
it then notice that they hold a file that is not there any more, and begin again.
"""

from __future__ import annotations

import errno
import os
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

# What flock says on a file system that has no locks.
_UNSUPPORTED = {errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EINVAL, errno.EBADF}


class LockedError(OSError):
    """Another process holds the lock; ``holder`` says who, in words."""

    def __init__(self, path: str | os.PathLike[str], holder: str) -> None:
        super().__init__(f"{os.fspath(path)}: {holder} holds this lock")
        self.holder = holder


class NoLocksError(OSError):
    """The file system, or the operating system, has no locks."""


@contextmanager
def exclusive(
    path: str | os.PathLike[str],
    *,
    wait: bool = True,
    waiting: Callable[[str], object] | None = None,
    remove: bool = False,
    mode: int = 0o600,
) -> Iterator[None]:
    """Hold a lock alone. Its file is made if it is not there, and says who holds it.

    Parameters
    ----------
    path : of the lock's file; its directory must be there
    wait : until it is free, else `LockedError`
    waiting : called with who holds it, once, before the wait
    remove : take the file away at the end
    mode : of a new file; others who may lock it have to be allowed to write it
    """
    file = _locked(path, os.O_RDWR | os.O_CREAT, mode, False, wait, waiting)
    try:
        _sign(file)
        yield
    finally:
        with suppress(OSError):  # what was done under the lock counts, not how tidily it ends
            os.ftruncate(file, 0)
            if remove and _still_there(path, file):
                os.unlink(path)
        _release(file)


@contextmanager
def shared(
    path: str | os.PathLike[str], *, wait: bool = True, waiting: Callable[[str], object] | None = None
) -> Iterator[None]:
    """Hold a lock with others who share it. Its file must be there, and need not be writable."""
    file = _locked(path, os.O_RDONLY, 0, True, wait, waiting)
    try:
        yield
    finally:
        _release(file)


def holder(path: str | os.PathLike[str]) -> str:
    """Who holds a lock alone, in words: "process 123", with the machine if it is another one."""
    try:
        with open(path, encoding="utf-8") as file:
            pid, host = file.read(400).split()
    except (OSError, ValueError):
        return "another process"
    return f"process {pid}" if host == _host() else f"process {pid} on {host}"


def _locked(
    path: str | os.PathLike[str],
    flags: int,
    mode: int,
    share: bool,
    wait: bool,
    waiting: Callable[[str], object] | None,
) -> int:
    """The descriptor of the file, locked, while it has this name."""
    if fcntl is None:
        raise NoLocksError(errno.ENOLCK, "this system has no flock", os.fspath(path))
    kind = fcntl.LOCK_SH if share else fcntl.LOCK_EX
    while True:
        file = os.open(path, flags | os.O_NOFOLLOW, mode)  # it is written to, and a link may lead to any file
        try:
            try:
                fcntl.flock(file, kind | fcntl.LOCK_NB)
            except BlockingIOError:
                if not wait:
                    raise LockedError(path, holder(path)) from None
                if waiting:
                    waiting(holder(path))
                    waiting = None
                fcntl.flock(file, kind)
            if _still_there(path, file):
                return file
        except LockedError:
            os.close(file)
            raise
        except OSError as error:
            os.close(file)
            if error.errno in _UNSUPPORTED:
                raise NoLocksError(error.errno, error.strerror, os.fspath(path)) from None
            raise
        except BaseException:  # Ctrl-C while it waits
            os.close(file)
            raise
        os.close(file)


def _still_there(path: str | os.PathLike[str], file: int) -> bool:
    """Whether the file that was locked is the one of this name: its last holder may have removed it."""
    try:
        now = os.stat(path, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return os.path.samestat(now, os.fstat(file))


def _sign(file: int) -> None:
    """Write down who holds it. A disk that is full makes no lock worse."""
    with suppress(OSError):
        os.ftruncate(file, 0)
        os.pwrite(file, f"{os.getpid()} {_host()}\n".encode(), 0)


def _release(file: int) -> None:
    """Unlock, for a forked child may have the same descriptor; then close."""
    try:
        fcntl.flock(file, fcntl.LOCK_UN)
    finally:
        os.close(file)


def _host() -> str:
    return socket.gethostname() or "localhost"
