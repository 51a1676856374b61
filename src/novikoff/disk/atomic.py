"""Files that are there whole or not at all."""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

PARTIAL = ".novikoff-*.partial"  # what a process that was killed may leave

Part = bytes | bytearray | memoryview


def write(path: str | os.PathLike[str], parts: Iterable[Part], mode: int = 0o666) -> None:
    """Put the parts in the place of a file; an error names it."""
    try:
        with replacing(path, mode) as file:
            for part in parts:
                rest = memoryview(part).cast("B")
                while rest:
                    rest = rest[os.write(file, rest) :]
    except OSError as error:
        if error.errno is not None and error.filename is None:  # os.write, which fails on a full disk, knows none
            error.filename = os.fspath(path)
        raise


def check(path: str | os.PathLike[str]) -> Path:
    """Where a file of this name would be; raises if it is clear that none can be put there."""
    target = Path(os.path.realpath(path))
    try:
        if not stat.S_ISREG(target.stat().st_mode):
            raise ValueError(f"{os.fspath(path)}: there is something here that is not a file, and it is not replaced")
    except FileNotFoundError:
        if not target.parent.is_dir():
            raise FileNotFoundError(f"{os.fspath(path)}: there is no directory {target.parent}") from None
    return target


@contextmanager
def replacing(path: str | os.PathLike[str], mode: int = 0o666) -> Iterator[int]:
    """The descriptor of a file that takes the place of another in one step: whoever reads it sees the old or the new.

    It is in the same directory under another name, is synchronised with the disk, renamed, and taken away on
    an error. A symbolic link stays: what it points to is replaced. The mode is that of a new file,
    which the umask takes from.
    """
    target = check(path)
    partial = target.with_name(PARTIAL.replace("*", secrets.token_hex(8)))
    file = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), mode)
    try:
        try:
            yield file
            os.fsync(file)
        finally:
            os.close(file)
        os.replace(partial, target)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise
    if hasattr(os, "O_DIRECTORY"):  # elsewhere a directory cannot be opened
        directory = os.open(target.parent, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(directory)
        finally:
            os.close(directory)
