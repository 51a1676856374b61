"""The text format of Vowpal Wabbit: ``[label] [importance] ['tag]|namespace[:scale] feature[:value] ...``."""

from __future__ import annotations

import re
import secrets
from collections.abc import Sequence
from itertools import islice, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from novikoff.data.block import BadLine, Block, FormatError, Inexact
from novikoff.data.columns import PER_NAME, too_many_names
from novikoff.data.options import Reading
from novikoff.data.scan import text as kernels
from novikoff.data.scan.name_table import PRIME, Names, adopt, enter
from novikoff.data.scan.vw import Extras, renumber
from novikoff.data.scan.vw import vw as loop
from novikoff.data.svmlight import (
    NOTHING,
    answers,
    array_of,
    inexact,
    matrix,
    not_a_number,
    quoted,
    room_to_ask,
    rows_for,
    skip,
    trimmed,
)

_KEY = np.uint64(secrets.randbelow(int(PRIME)))
TOKEN = re.compile(rb"[^ \t\n|]*")


class Scanned(NamedTuple):
    """Lines that are read, but for the columns of names that were not known."""

    source: NDArray[np.uint8]
    rows: kernels.Parsed
    extras: Extras
    state: NDArray[np.int64]
    bad: list[BadLine]
    own: Names  # the names that were not known
    base: int  # the columns of these begin here
    inexact: Inexact | None  # numbers that float64 does not hold

    @property
    def lines(self) -> int:
        return int(self.state[kernels.LINES])


class VwParser:
    """Turns lines of Vowpal Wabbit's text format into blocks.

    A column is a name: ``namespace^feature``, or ``feature`` where the namespace has no name. Names are exact, not
    hashed. A value is 1 where none is written, times the scale of its namespace. The values of a feature that
    appears more than once in an example are added up, in that order, as Vowpal Wabbit does.

    Columns are numbered in the order of their first appearance. Several threads may `scan` blocks at once; while none
    does, `settle` turns them into blocks, in their order. `parse` does both.

    Parameters
    ----------
    columns
        The names of the first columns: other features are counted in `dropped` and left out.
    grow
        Other features get columns after these.
    max_names
        The most bytes of all names, each with `PER_NAME` more.

    Attributes
    ----------
    names : list[str]
        The columns so far. Bytes that are not UTF-8 are decoded with ``surrogateescape``.
    width : int
        How many columns there are so far.
    dropped : int
        How many features were not among the given columns.

    >>> parser = VwParser()
    >>> block = parser.parse(b"1 2.5 'first|size:10 width:2 height |colour red\\n-1 |colour blue\\n", line=1, allowed=0)
    >>> parser.names
    ['size^width', 'size^height', 'colour^red', 'colour^blue']
    >>> block.X.toarray(), block.y, block.weights, block.tags
    (array([[20., 10.,  1.,  0.], [ 0.,  0.,  0.,  1.]]), array([ 1., -1.]), array([2.5, 1. ]), ['first', ''])
    """

    def __init__(
        self, columns: Sequence[str] | None = None, *, grow: bool = False, max_names: int = Reading.max_names
    ) -> None:
        encoded = [] if columns is None else [name.encode(errors="surrogateescape") for name in columns]
        ends = np.zeros((1 << max(len(encoded), 1024).bit_length()) + 1, dtype=np.int64)
        ends[1 : len(encoded) + 1] = np.cumsum([len(name) for name in encoded])
        arena = np.zeros(max(int(ends[len(encoded)]), 1 << 14), dtype=np.uint8)
        arena[: ends[len(encoded)]] = np.frombuffer(b"".join(encoded), dtype=np.uint8)
        self.dropped = 0
        self.width = len(encoded)
        self._fixed = columns is not None and not grow
        self._max_names = max_names
        self._names: list[str] = []
        self._table = _indexed(arena, ends, self.width)
        self._idle: list[Names] = []  # empty tables for the names of blocks

    @property
    def names(self) -> list[str]:
        ends = self._table.ends[len(self._names) : self.width + 1].tolist()
        if len(ends) > 1:
            new = self._table.arena[ends[0] : ends[-1]].tobytes()
            pieces = (new[start - ends[0] : end - ends[0]] for start, end in pairwise(ends))
            self._names += map(_decoded, pieces)
        return self._names

    def parse(self, text: bytes | memoryview, line: int, allowed: int) -> Block:
        """Parse whole lines, of which the first has this number, and skip at most `allowed` malformed ones."""
        return self.settle(self.scan(text, line, allowed), line)

    def scan(self, text: bytes | memoryview, line: int, allowed: int) -> Scanned:
        """Parse these lines up to the columns of new names."""
        source = array_of(text)
        lines, room = kernels.extent(source)
        state = np.zeros(kernels.STATE, dtype=np.int64)
        base = self.width
        try:
            own = self._idle.pop()
        except IndexError:  # asked for in one step, as another thread may take the last one
            own = _empty()
        rows = rows_for(lines, room)
        extras = Extras(np.empty(lines), np.empty(lines, dtype=np.int64), np.empty(lines, dtype=np.int64))
        asked = room_to_ask(2 + source.size // 2)  # scales need no blanks before them
        given = NOTHING
        bad: list[BadLine] = []
        while code := loop(source, self._fixed, self._table, base, own, state, rows, extras, given, asked):
            if code == kernels.ASK:
                given = answers(source, asked)
            elif code in (kernels.FULL_ARENA, kernels.FULL_TABLE):
                own = _grown(own, code, int(state[kernels.NAMES]))
            else:
                given = NOTHING
                skip(bad, _fault(source, code, state, line), allowed)
        nnz = int(state[kernels.CELLS])
        rows = rows._replace(columns=trimmed(rows.columns, nnz), values=trimmed(rows.values, nnz))
        return Scanned(source, rows, extras, state, bad, own, base, _inexact(source, asked, line))

    def settle(self, scanned: Scanned, line: int) -> Block:
        """The block, of which the first line has this number, its new names being the next columns.

        Blocks are settled in the order of the text.
        """
        source, rows, extras, state, bad, own, base, lost = scanned
        n, nnz, new = (int(state[i]) for i in (kernels.ROWS, kernels.CELLS, kernels.NAMES))
        if new:
            columns = np.empty(new, dtype=np.int64)
            progress = np.zeros(kernels.STATE, dtype=np.int64)
            progress[kernels.NAMES] = self.width
            while code := adopt(self._table, progress, own, columns):
                self._table = _grown(self._table, code, int(progress[kernels.NAMES]))
            if self.width > base:  # others were settled meanwhile
                renumber(rows, n, base, columns)
            width, self.width = self.width, int(progress[kernels.NAMES])
            self._check_names(width, scanned, line)
            own.slots.fill(-1)
        self._idle.append(own)
        self.dropped += int(state[kernels.DROPPED])
        y, weights = trimmed(rows.labels, n), trimmed(extras.weights, n)
        return Block(
            matrix(rows, n, nnz, self.width),
            None if np.isnan(y).all() else y,
            None if (weights == 1.0).all() else weights,
            _tags(source, extras.tag[:n], extras.tag_end[:n]),
            scanned.lines,
            bad,
            lost,
        )

    def _check_names(self, width: int, scanned: Scanned, line: int) -> None:
        """Forget the names beyond so many, and raise, if they all take more than is allowed."""
        ends = self._table.ends
        if ends[self.width] + PER_NAME * self.width <= self._max_names:
            return
        sizes = ends[width + 1 : self.width + 1] + PER_NAME * np.arange(width + 1, self.width + 1)
        first = width + int(np.searchsorted(sizes, self._max_names, side="right"))
        name = _decoded(self._table.arena[ends[first] : ends[first + 1]].tobytes())
        self._table, self.width = _indexed(self._table.arena, ends, width), width
        raise FormatError(too_many_names(name, self._max_names), _line_with(first, scanned, line), 1)


def _inexact(source: NDArray[np.uint8], asked: NDArray[np.int64], line: int) -> Inexact | None:
    """What the loop noted: a number, or a product with a scale or a sum, whose places are less than zero."""
    place = int(asked[kernels.ROUNDED_PLACE])
    if not asked[kernels.ROUNDED] or place >= 0:
        return inexact(source, asked, line)
    if source[~place] != kernels.BAR:
        asked[kernels.ROUNDED_PLACE] = ~place + (source[~place] in b"+-")  # where the digits begin
        found = inexact(source, asked, line)
        assert found is not None
        return found._replace(value=f"{found.value} times the scale of its namespace")
    row, _, count = asked[-kernels.ENDING :].tolist()
    before = source[:~place].tobytes()
    column = len(before) - before.rfind(b"\n")
    value = "the sum of the values of a feature that is there more than once"
    return Inexact(row, line + before.count(b"\n"), str(column), value, count)


def _line_with(column: int, scanned: Scanned, line: int) -> int:
    """The number of the first line with this column or a later one, where `line` is that of the first of all."""
    columns = scanned.rows.columns[: scanned.state[kernels.CELLS]]
    row = int(np.searchsorted(scanned.rows.indptr, np.argmax(columns >= column), side="right")) - 1
    bad = {fault.line for fault in scanned.bad}
    lines = enumerate(scanned.source.tobytes().split(b"\n"), line)
    examples = (number for number, content in lines if content.strip(b" \t\r") and number not in bad)
    return next(islice(examples, row, None))


def _empty() -> Names:
    return _indexed(np.zeros(1 << 14, dtype=np.uint8), np.zeros(1025, dtype=np.int64), 0)


def _grown(table: Names, code: int, count: int) -> Names:
    """The table of so many names, with twice the room."""
    arena, ends = table.arena, table.ends
    if code == kernels.FULL_ARENA:
        return table._replace(arena=np.concatenate([arena, np.zeros_like(arena)]))
    return _indexed(arena, np.concatenate([ends, np.zeros(ends.size - 1, dtype=np.int64)]), count)


def _indexed(arena: NDArray[np.uint8], ends: NDArray[np.int64], count: int) -> Names:
    """The table of these names."""
    slots = np.full(4 * (ends.size - 1), -1, dtype=np.int64)  # pairs, of which at most half are taken
    names = Names(arena, ends, slots, _KEY)
    twice = enter(names, 0, count)
    if twice < count:
        name = _decoded(arena[ends[twice] : ends[twice + 1]].tobytes())
        raise ValueError(f"two columns have the name {name!r}")
    return names


def _decoded(name: bytes) -> str:
    return name.decode(errors="surrogateescape")


def _tags(source: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64]) -> list[str] | None:
    if not ends.any():
        return None
    return [_decoded(source[start:end].tobytes()) for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]


def _fault(source: NDArray[np.uint8], code: int, state: NDArray[np.int64], line: int) -> BadLine:
    start, place, end = (int(state[i]) for i in (kernels.START, kernels.PLACE, kernels.AT))
    content = source[start:end].tobytes().removesuffix(b"\n").removesuffix(b"\r")
    at = place - start
    token = TOKEN.match(content, at).group()  # type: ignore[union-attr]  # it matches the empty string too
    in_header = b"|" not in content[:at]
    if code == kernels.NO_BAR:
        at = len(content)
        message = "a '|' is expected before the features"
    elif code == kernels.NO_NAME:
        message = "a name is expected before ':'"
    elif code == kernels.NEGATIVE:
        message = f"{quoted(token)}: an importance is at least 0"
    elif code == kernels.TOO_MANY:
        message = f"{quoted(token)}: only a label and an importance are expected before a tag and '|'"
    elif in_header and token == b"shared":
        message = "examples of several lines ('shared') are not supported"
    elif in_header and b":" in token:
        message = f"{quoted(token)}: labels with costs or probabilities are not supported, one number is expected"
    elif code == kernels.NOT_FINITE and content[at : at + 1] == b"|":
        message = "the values of a feature add up to more than a float can hold"
    else:
        message = not_a_number(token, code)
    return BadLine(line + int(state[kernels.LINES]) - 1, at + 1, message)
