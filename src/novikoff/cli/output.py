"""Standard output, to the last byte."""

from __future__ import annotations

import io
import select
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO


def write_all(stream: BinaryIO | io.RawIOBase, content: bytes | memoryview) -> None:
    """Write every byte, and hand them on.

    A stream without a buffer (PYTHONUNBUFFERED=1) may take a part of them and say how many; one that does not wait
    (O_NONBLOCK) may take none, or have room for none in its buffer.
    """
    rest = memoryview(content).cast("B")
    while rest:
        try:
            taken = stream.write(rest)
        except BlockingIOError as full:
            taken = full.characters_written
        if not taken:
            _wait_for_room(stream)
        rest = rest[taken or 0 :]
    while True:
        try:
            stream.flush()
        except BlockingIOError:
            _wait_for_room(stream)
        else:
            return


def _wait_for_room(stream: BinaryIO | io.RawIOBase) -> None:
    select.select([], [stream.fileno()], [])


class _Whole(io.RawIOBase):
    """A raw stream that takes all it is given."""

    def __init__(self, raw: io.RawIOBase) -> None:
        self._raw = raw

    def writable(self) -> bool:
        return True

    def write(self, content: Any, /) -> int:
        write_all(self._raw, content)
        return memoryview(content).nbytes

    def fileno(self) -> int:
        return self._raw.fileno()

    def isatty(self) -> bool:
        return self._raw.isatty()


@contextmanager
def whole_output() -> Iterator[None]:
    """What is printed meanwhile is written whole: `print` does not look how much a stream without a buffer took."""
    given = sys.stdout
    raw = getattr(given, "buffer", None)
    if not isinstance(raw, io.RawIOBase):
        yield
        return
    sys.stdout = io.TextIOWrapper(_Whole(raw), given.encoding, given.errors, write_through=True)
    try:
        yield
    finally:
        sys.stdout = given
