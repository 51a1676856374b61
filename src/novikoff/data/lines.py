"""Examples that arrive line by line: whatever is there is parsed at once."""

from __future__ import annotations

import bisect
import json
import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff.data import encodings
from novikoff.data.block import Block, FormatError
from novikoff.data.dataset import Dataset, Skipped
from novikoff.data.dialect import MOST, enough, sniffed
from novikoff.data.options import DELIMITERS, Reading
from novikoff.data.positive import OneAgainstAll
from novikoff.data.reading import line_parser, located, placed
from novikoff.data.sources import Source, content_format, files, named_format, no_mark, recognized
from novikoff.data.splitting import BYTE_ORDER_MARK, Splitter
from novikoff.data.tables import TableParser
from novikoff.float64 import Rounded

More = Callable[
    [int], bytes | None
]  # at most so many bytes: none at the end of the file, None if nobody wants any more
MoreWanted = Callable[[int | None], bool]


class Lines:
    """The lines of a file, or of standard input as they come.

    ``lines`` counts those read so far, in all files, up to the last one of the examples handed over: blank ones and bad
    ones, too, but not the one with the names of a table's columns.
    """

    def __init__(self, path: str, reading: Reading) -> None:
        self._path, self._given = path, reading
        self._parser: Any = None
        self._columns: NDArray[np.object_] | None = None
        self._splitter = Splitter(reading)
        self._line, self._allowed = 1, reading.skip_bad
        self._told = False
        self._told_apart = None if reading.positive is None else OneAgainstAll(reading.positive)
        self._sniffed = False  # whether it is known how this file is written
        self._text, self._text_line, self._text_allowed = b"", 1, 0  # what the last examples were parsed from
        self._blank = b""  # lines before the first one of a file that is not: a parser takes them together, as line 1
        self._headers = 0  # lines with the names of columns before `_line`, in this file
        self._earlier = 0  # lines of earlier files

    @property
    def name(self) -> str:
        return "standard input" if self._path == "-" else self._path

    @property
    def lines(self) -> int:
        return self._earlier + self._line - 1 - self._headers

    @property
    def reading(self) -> dict[str, Any]:
        """How they are read, what was detected filled in; which columns there are, a model knows itself."""
        used = replace(getattr(self._parser, "reading", self._given), online=False, columns=None, features=None)
        found: dict[str, Any] = json.loads(json.dumps(asdict(used)))
        return found

    def arriving(self, room: int, more_wanted: MoreWanted) -> Iterator[Dataset]:
        """The examples of the lines that are there, at most about `room` bytes at a time.

        `more_wanted` is called before each read, and waits until the file (its descriptor) has something to read; if
        it returns False, that is the end. Where there is nothing to wait for it gets None.
        """
        for path in files(self._path):
            if path == "-":
                yield from self._chunks(self.name, _from_input(more_wanted), room)
            elif os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path):
                with _opened_pipe(path) as pipe:
                    yield from self._chunks(path, _from_pipe(pipe, more_wanted), room)
            else:
                yield from self._chunks_of_file(path, room, more_wanted)
            self._earlier, self._line, self._headers, self._blank = self.lines, 1, 0, b""

    def lines_before(self, example: int) -> int:
        """How many lines there are before the one of an example, given by its place among those handed over last."""
        all_lines = self._split(self._text)

        def examples_of(count: int) -> int:
            try:
                text = b"".join(all_lines[:count])
                return int(self._parser.parse(text, self._text_line, self._text_allowed).X.shape[0])
            except FormatError:  # cut within quotes
                return 0

        first = bisect.bisect_right(range(len(all_lines)), example, key=lambda line: examples_of(line + 1))
        return self.lines - len(all_lines) + first

    def _chunks_of_file(self, path: str, room: int, more_wanted: MoreWanted) -> Iterator[Dataset]:
        source = Source(path)
        try:
            yield from self._chunks(source.name, lambda size: source.read(size) if more_wanted(None) else None, room)
        finally:
            source.close()

    def _chunks(self, name: str, more: More, room: int) -> Iterator[Dataset]:
        rest, begins, complete = b"", True, False
        self._sniffed = False
        text = _Text(name, more, self._given.encoding)
        more = text.more
        while not complete:
            # With no more than a line of the limit and a byte, a line is refused for its length alone.
            arrived = more(min(room, self._splitter.limit + 1 - len(rest)))
            if arrived is None:
                return
            complete = not arrived
            rest += arrived
            if begins and (complete or not BYTE_ORDER_MARK.startswith(rest)):  # a part of one waits for the others
                rest, begins = rest.removeprefix(BYTE_ORDER_MARK), False
            if self._parser is None:
                self._begin(name, rest if complete else rest[: rest.rfind(b"\n") + 1])
            if not self._sniffed and isinstance(self._parser, TableParser):
                if not (complete or len(rest) > min(MOST, self._splitter.limit) or enough(rest, self._parser.reading)):
                    continue
                self._sniff(rest, text.encoding, complete=complete)
            cut = self._splitter.cut(memoryview(rest), complete=complete)
            whole = self._whole(rest, cut.end) if complete else cut.end
            if whole:
                yield from self._parsed(name, rest[:whole])
            if whole < cut.end and rest[whole : cut.end].strip():
                yield self._cut_off(name, rest[whole : cut.end])
            rest = rest[cut.end :]
            if refusal := self._splitter.refusal(memoryview(rest), cut, complete=complete):
                raise refusal.error(self._line).at(name)

    def _whole(self, text: bytes, end: int) -> int:
        """Where the last line that has a newline ends, of a text that nothing comes after."""
        newlines = (b"\n", b"\r") if self._given.format in DELIMITERS else (b"\n",)
        return end if text[:end].endswith(newlines) else self._splitter.cut(memoryview(text), complete=False).end

    def _begin(self, name: str, text: bytes) -> None:
        """The format is known, or the first line that is not blank tells it."""
        format = self._given.format or named_format(name)
        if format is None:
            if not text.strip():
                return
            format = "csv" if self._given.delimiter is not None else recognized(name, content_format(text))
        self._given = replace(self._given, format=format)
        self._parser = line_parser(self._given)
        self._splitter = Splitter(self._given)

    def _sniff(self, text: bytes, encoding: str, *, complete: bool) -> None:
        """Find out how a table is written, from what is there of it."""
        dialect = sniffed(text[:MOST], self._parser.reading, encoding, complete=complete and len(text) <= MOST)
        self._parser.begin(dialect)
        self._splitter = Splitter(self._given, dialect.delimiter)
        self._sniffed = True

    def _cut_off(self, name: str, rest: bytes) -> Dataset:
        """A last line without a newline: its writer may have been killed within it, and half a number is a number."""
        message = (
            "the last line does not end with a newline, so it may be cut off, and is not learned; "
            "if it is whole, add the newline"
        )
        place = self._line, len(rest) + 1
        if not self._allowed:
            raise FormatError(message, *place, name)
        self._allowed -= 1
        return Dataset(np.empty((0, 0)), None, bad=(Skipped(name, *place, message),))

    def _parsed(self, name: str, text: bytes) -> Iterator[Dataset]:
        if self._line == 1 and not text.strip():
            self._blank += text
            return
        text, self._blank = self._blank + text, b""
        if self._parser is None:
            self._begin(name, text)
        try:
            with placed(name):
                block: Block = located(self._parser.parse(text, self._line, self._allowed), name)
        except FormatError as error:
            good = b"".join(self._split(text)[: error.line - self._line])
            if 0 < len(good) < len(text):  # they count, however much has arrived after them
                yield from self._parsed(name, good)
            raise
        self._text, self._text_line, self._text_allowed = text, self._line, self._allowed
        if self._line == 1 and isinstance(self._parser, TableParser):
            self._headers = bool(self._parser.reading.header) + self._parser.dialect.declared
        self._line += block.lines
        self._allowed -= len(block.bad)
        if block.X.shape[0] or block.bad:
            yield Dataset(
                block.X,
                block.y if self._told_apart is None else self._told_apart(block.y),
                self._names(),
                block.weights,
                block.tags,
                bad=tuple(Skipped(name, *line) for line in block.bad),
                filled=block.filled,
                rounded=self._first_told(block),
            )

    def _first_told(self, block: Block) -> Rounded | None:
        """What float64 does not hold, the first time: of a stream it is told once."""
        if self._told or block.inexact is None:
            return None
        self._told = True
        return block.inexact.told()

    def _names(self) -> NDArray[np.object_] | None:
        """The names of the columns; the same array as long as there is no new one."""
        names = self._parser.names
        if names is None:
            return None
        if self._columns is None or len(self._columns) != len(names):  # none is ever renamed
            self._columns = np.array(names, dtype=object)
        return self._columns

    def _split(self, text: bytes) -> list[bytes]:
        """The lines, as the parser counts them."""
        ends = rb"[^\r\n]*(?:\r\n|\r|\n)" if self._given.format in DELIMITERS else rb"[^\n]*\n"
        return re.findall(ends, text)


class _Text:
    """Bytes that arrive, as UTF-8; in which encoding they are, a mark at their beginning may tell."""

    def __init__(self, name: str, more: More, encoding: str | None) -> None:
        self._name = name
        self._more = more
        self._given = encoding
        self.encoding: str = ""  # once it is known
        self._recoded: encodings.Recoded | None = None

    def more(self, size: int) -> bytes | None:
        if self._recoded is not None:
            return self._recoded.some(size)
        return self._more(size) if self.encoding else self._first(size)

    def _first(self, size: int) -> bytes | None:
        head = b""
        while len(head) < size and encodings.may_begin_mark(head):  # a part of one waits for the others
            part = self._more(size - len(head))
            if part is None:
                return None
            if not part:
                break
            head += part
        try:
            self.encoding = self._given or encodings.found_in(head)
        except encodings.NoMarkError as error:
            raise ValueError(f"{self._name}: {no_mark(error)}") from None
        if self.encoding.startswith(encodings.UTF_8):
            return head
        parts = iter([head])
        self._recoded = encodings.Recoded(lambda size: next(parts, None) or self._more(size), self.encoding)
        return self._recoded.some(size)


def _from_input(more_wanted: MoreWanted) -> More:
    """What is there on standard input."""
    pipe: Any = sys.stdin.buffer
    try:
        file = pipe.fileno()
    except OSError:  # it is no file
        file = None
    return lambda size: pipe.read1(size) if more_wanted(file) else None


@contextmanager
def _opened_pipe(path: str) -> Iterator[int]:
    """A named pipe or a device, to be read as standard input is; without waiting for somebody to write to it."""
    file = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        yield file
    finally:
        os.close(file)


def _from_pipe(file: int, more_wanted: MoreWanted) -> More:
    def more(size: int) -> bytes | None:
        while more_wanted(file):
            with suppress(BlockingIOError):  # somebody else has read it
                return os.read(file, size)
        return None

    return more
