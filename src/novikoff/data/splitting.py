"""Text in blocks that end with a line, or with a record of a table; none is longer than its limit.

A parser takes many times the memory of what it parses, so the limit stands before it: what is refused has cost the
memory of a line of that length, however long it is, and however small the compressed file.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from novikoff.data.block import FormatError
from novikoff.data.options import DELIMITERS, Reading
from novikoff.data.scan import cells
from novikoff.data.sources import Source
from novikoff.words import said

BYTE_ORDER_MARK = b"\xef\xbb\xbf"  # at the beginning of a file it is no part of the text
NEAR_END = 1 << 10  # bytes in which the end of the last line is looked for first


class Refusal(NamedTuple):
    """Comes after the last block, where the text goes on with what no parser gets."""

    line: int  # counted from 0, from the end of the last block
    column: int
    message: str

    def error(self, line: int) -> FormatError:
        """The error, where so many is the number of the first line after the last block."""
        return FormatError(self.message, line + self.line, self.column)


class Cut(NamedTuple):
    """Where a text is cut, and what it has after that."""

    end: int  # of the last complete line or record
    opened: int = -1  # where a quoted cell begins that has not ended
    cell: int = 1  # its number in the record


class Splitter:
    """Cuts text behind a line; behind a record, where cells may be quoted."""

    def __init__(self, reading: Reading, delimiter: str | None = None) -> None:
        self.limit = reading.max_line
        self._delimiter = delimiter or DELIMITERS.get(reading.format or "")

    def cut(self, text: memoryview, *, complete: bool) -> Cut:
        """Where the last line of this text ends. The text is `complete` if nothing comes after it."""
        if self._delimiter is not None and (content := bytes(text)).find(b'"') >= 0:
            cut = Cut(*cells.records(cells.as_text(content), ord(self._delimiter)))
            return cut if not complete or cut.opened >= 0 else Cut(len(text))
        if complete:
            return Cut(len(text))
        end = _last(text, b"\n")
        if not end and self._delimiter is not None:
            end = _last(text[:-1], b"\r")  # the last one may be half of a line end
        return Cut(end)

    def refusal(self, rest: memoryview, cut: Cut, *, complete: bool) -> Refusal | None:
        """What is wrong with the text after a cut; None if it may yet become a line."""
        if cut.opened >= 0 and (complete or len(rest) > self.limit):
            before = bytes(rest[: cut.opened - cut.end])
            what = "the text ends" if complete else f"there are {self.limit:,} bytes of this record"
            message = f"the quoted cell that begins here has not ended when {what}; {self._cure('a quote is missing')}"
            return Refusal(line_ends(before), cut.cell, message)
        if len(rest) > self.limit:
            return Refusal(
                0, 1, f"this line has more than {self.limit:,} bytes; {self._cure('the file is not what it should be')}"
            )
        return None

    def _cure(self, otherwise: str) -> str:
        return f"{said('max_line', 2 * self.limit)} allows more, unless {otherwise}"


def text_blocks(source: Source, size: int, splitter: Splitter) -> Iterator[memoryview | Refusal]:
    """The text in blocks of about `size` bytes, or of one line; at the end perhaps a refusal.

    A buffer holds no more than a line of the limit and a byte. So whether a line is refused depends on its length
    alone, and not on where blocks begin.
    """
    size = min(size, splitter.limit)
    rest, complete = memoryview(source.read(len(BYTE_ORDER_MARK)).removeprefix(BYTE_ORDER_MARK)), False
    while not complete:
        room = max(len(rest), min(len(rest) + max(size, len(rest)), splitter.limit + 1))
        # An array of this size comes in large pages, which are ready sooner than the small ones of a bytes object.
        buffer = np.empty(room, dtype=np.uint8).data
        buffer[: len(rest)] = rest
        filled = len(rest) + source.readinto(buffer[len(rest) :])
        complete = filled < len(buffer)
        text = buffer[:filled]
        cut = splitter.cut(text, complete=complete)
        if cut.end:
            yield text[: cut.end]
        rest = memoryview(bytes(text[cut.end :]))
        if refusal := splitter.refusal(rest, cut, complete=complete):
            yield refusal
            return


def line_ends(text: bytes) -> int:
    """How many lines of a table end in this text."""
    return text.count(b"\n") + text.count(b"\r") - text.count(b"\r\n")


def _last(text: memoryview, end: bytes) -> int:
    """The place behind the last of these bytes; 0 if there is none."""
    size = NEAR_END
    while True:
        start = max(0, len(text) - size)
        found = bytes(text[start:]).rfind(end) + 1
        if found or not start:
            return start + found if found else 0
        size *= 2
