"""Examples that arrive line by line: whatever is there is parsed at once."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from typing import Any

import numpy as np

from novikoff.data.block import Block, FormatError
from novikoff.data.dataset import Dataset, Skipped
from novikoff.data.options import DELIMITERS, Reading
from novikoff.data.reading import line_parser, placed
from novikoff.data.sources import content_format, named_format, recognized, sources
from novikoff.data.splitting import BYTE_ORDER_MARK, Splitter


class Lines:
    """The lines of a file, or of standard input as they come."""

    def __init__(self, path: str, reading: Reading) -> None:
        self._path, self._given = path, reading
        self._parser: Any = None
        self._splitter = Splitter(reading)
        self._line, self._allowed = 1, reading.skip_bad

    @property
    def name(self) -> str:
        return "standard input" if self._path == "-" else self._path

    @property
    def reading(self) -> dict[str, Any]:
        """How they are read, what was detected filled in."""
        used = replace(getattr(self._parser, "reading", self._given), online=False, columns=None)  # the model has them
        found: dict[str, Any] = json.loads(json.dumps(asdict(used)))
        return found

    def arriving(self, room: int) -> Iterator[Dataset]:
        """The examples of the lines that are there, at most about `room` bytes at a time; waits when there are none."""
        if self._path == "-":
            pipe: Any = sys.stdin.buffer
            yield from self._chunks(self.name, pipe.read1, room)  # what is there, up to so many bytes
            return
        for source in sources(self._path):
            self._line = 1
            yield from self._chunks(source.name, source.read, room)

    def _chunks(self, name: str, more: Callable[[int], bytes], room: int) -> Iterator[Dataset]:
        rest, begins, complete = b"", True, False
        while not complete:
            # With no more than a line of the limit and a byte, a line is refused for its length alone.
            arrived = more(min(room, self._splitter.limit + 1 - len(rest)))
            complete = not arrived
            rest += arrived
            if begins and (complete or not BYTE_ORDER_MARK.startswith(rest)):  # a part of one waits for the others
                rest, begins = rest.removeprefix(BYTE_ORDER_MARK), False
            if self._parser is None:
                self._begin(name, rest if complete else rest[: rest.rfind(b"\n") + 1])
            cut = self._splitter.cut(memoryview(rest), complete=complete)
            if cut.end:
                yield from self._parsed(name, rest[: cut.end])
            rest = rest[cut.end :]
            if refusal := self._splitter.refusal(memoryview(rest), cut, complete=complete):
                raise refusal.error(self._line).at(name)

    def _begin(self, name: str, text: bytes) -> None:
        """The first line that is not blank tells the format."""
        if not text.strip():
            return
        format = recognized(name, self._given.format or named_format(name) or content_format(text))
        self._given = replace(self._given, format=format)
        self._parser = line_parser(self._given)
        self._splitter = Splitter(self._given)

    def _parsed(self, name: str, text: bytes) -> Iterator[Dataset]:
        if self._parser is None:  # blank lines
            self._line += text.count(b"\n")
            return
        try:
            with placed(name):
                block: Block = self._parser.parse(text, self._line, self._allowed)
        except FormatError as error:
            good = self._first_lines(text, error.line - self._line)
            if 0 < len(good) < len(text):  # they count, however much has arrived after them
                yield from self._parsed(name, good)
            raise
        self._line += block.lines
        self._allowed -= len(block.bad)
        if block.X.shape[0] or block.bad:
            names = self._parser.names
            yield Dataset(
                block.X,
                block.y,
                None if names is None else np.array(names, dtype=object),
                block.weights,
                block.tags,
                bad=tuple(Skipped(name, *line) for line in block.bad),
            )

    def _first_lines(self, text: bytes, count: int) -> bytes:
        ends = rb"[^\r\n]*(?:\r\n|\r|\n)" if self._given.format in DELIMITERS else rb"[^\n]*\n"
        return b"".join(re.findall(ends, text)[:count])
