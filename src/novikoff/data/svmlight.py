"""The svmlight (libsvm) format: ``label [qid:n] [cost:c] column:value ... [# comment]``, one example a line."""

from __future__ import annotations

import re
from threading import Lock
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from novikoff.data.block import BadLine, Block, FormatError, Inexact, shortened
from novikoff.data.scan import text as kernels
from novikoff.data.scan.svmlight import svmlight as loop
from novikoff.float64 import nearest_to_text, shown
from novikoff.words import said

S = TypeVar("S", bound=np.generic)
NOTHING = np.empty(0)
NUMBER = re.compile(rb"[0-9]*\.?[0-9]*(?:[eE][+-]?[0-9]+)?")
TOKEN = re.compile(rb"[^ \t\n\r\v\f#]*")
WORDS = (b"nan", b"inf", b"infinity")


class SvmlightParser:
    """Turns lines of the svmlight format into blocks.

    Columns may come in any order, but none twice in a line. Labels are floats. Query numbers are read over; the cost
    factor of SVM-light is the importance of the example.

    Parameters
    ----------
    zero_based
        Whether the first column is written 0 or 1. With ``None`` the columns of a block are numbered *as
        written*, and `smallest` tells what to do after the last block: if it is at least 1, subtract 1
        from the indices of all blocks, and from `width`.
    width
        The number of columns, if it is known: those beyond are counted in `dropped` and left out.
        It needs `zero_based`.

    Attributes
    ----------
    width : int
        One more than the largest column of all blocks so far, or the given width. A block itself is as wide
        as its own largest column, or as the given width.
    smallest : int | None
        The smallest column as written, of all blocks so far, where `zero_based` is ``None``.
    dropped : int
        How many cells were beyond the given width.

    Blocks may be parsed in several threads at once and in any order: `parse` reads nothing of the parser but
    its parameters, and what it updates, under a lock, are a minimum, a maximum and a sum. The loop
    itself holds no lock.

    >>> parser = SvmlightParser()
    >>> block = parser.parse(b"+1 3:0.5 7:2 # the first\\n-1 1:1e-3\\n", line=1, allowed=0)
    >>> block.y, block.X.toarray()[1], parser.smallest, parser.width
    (array([ 1., -1.]), array([0.   , 0.001, 0.   , 0.   , 0.   , 0.   , 0.   , 0.   ]), 1, 8)
    """

    names: None = None

    def __init__(self, zero_based: bool | None = None, width: int | None = None) -> None:
        if width is not None and zero_based is None:
            raise ValueError("a width says nothing without zero_based: give both, or neither")
        self.width = width or 0
        self.smallest: int | None = None
        self.dropped = 0
        self._zero_based = zero_based
        self._fixed = width
        self._lock = Lock()

    def parse(self, text: bytes | memoryview, line: int, allowed: int) -> Block:
        """Parse whole lines, of which the first has this number, and skip at most `allowed` malformed ones."""
        source = array_of(text)
        lines, room = kernels.extent(source)
        state = np.zeros(kernels.STATE, dtype=np.int64)
        rows = rows_for(lines, room)
        asked = room_to_ask(room + 2)
        given = NOTHING
        bad: list[BadLine] = []
        base = 1 if self._zero_based is False else 0
        while code := loop(source, base, -1 if self._fixed is None else self._fixed, state, rows, given, asked):
            given = answers(source, asked) if code == kernels.ASK else NOTHING
            if code != kernels.ASK:
                skip(bad, _fault(source, code, state, line), allowed)
        n, nnz = int(state[kernels.ROWS]), int(state[kernels.CELLS])
        columns = rows.columns[:nnz]
        largest = int(columns.max(initial=-1))
        width = largest + 1 if self._fixed is None else self._fixed
        with self._lock:
            self.dropped += int(state[kernels.DROPPED])
            self.width = max(self.width, width)
            if self._zero_based is None and nnz:
                smallest = int(columns.min())
                self.smallest = smallest if self.smallest is None else min(self.smallest, smallest)
        X, y, lines = matrix(rows, n, nnz, width), trimmed(rows.labels, n), int(state[kernels.LINES])
        weights = trimmed(rows.weights, n)
        known = None if (weights == 1.0).all() else weights
        return Block(X, y, known, None, lines, bad, inexact(source, asked, line))


def array_of(text: bytes | memoryview) -> NDArray[np.uint8]:
    """The bytes, with a newline at the end; without a copy where there is one already."""
    if len(text) and text[-1] != kernels.NEWLINE:
        text = bytes(text) + b"\n"
    source = np.frombuffer(text, dtype=np.uint8)
    source.flags.writeable = False
    return source


def rows_for(lines: int, cells: int) -> kernels.Parsed:
    """Room for so many lines and cells."""
    return kernels.Parsed(
        labels=np.empty(lines),
        weights=np.empty(lines),
        indptr=np.zeros(lines + 1, dtype=np.int64),
        columns=np.empty(cells, dtype=np.int32),
        values=np.empty(cells),
        keys=np.empty(cells, dtype=np.int64),
        spare=np.empty(cells, dtype=np.int64),
        copy=np.empty(cells),
    )


def matrix(rows: kernels.Parsed, n: int, nnz: int, width: int) -> csr_array:
    """What was read, as a CSR array."""
    # Columns are of 32 bits, and SciPy would widen them to the type of indptr.
    indptr = rows.indptr[: n + 1].astype(np.int32 if nnz < 2**31 else np.int64)
    X = csr_array((trimmed(rows.values, nnz), trimmed(rows.columns, nnz), indptr), shape=(n, width))
    X.has_canonical_format = True
    return X


def trimmed(array: NDArray[S], n: int) -> NDArray[S]:
    """The first n entries; a copy of them if most of the array is waste."""
    return array[:n] if 2 * n > array.size else array[:n].copy()


def answers(source: NDArray[np.uint8], asked: NDArray[np.int64]) -> NDArray[np.float64]:
    """The numbers that the loop asked for, with a minus sign if float64 does not hold them."""
    found = (_number_at(source, place) for place in asked[1 : asked[0] + 1].tolist())
    return np.array([x if kept else -x for x, kept in map(nearest_to_text, found)])


def _number_at(source: NDArray[np.uint8], place: int) -> str:
    number = NUMBER.match(source.data, place)
    assert number is not None  # the loop saw one there
    return number.group().decode()


def room_to_ask(numbers: int) -> NDArray[np.int64]:
    """What a loop asks by, and notes rounded numbers in."""
    asked = np.empty(numbers + kernels.ENDING, dtype=np.int64)
    asked[kernels.ROUNDED] = 0
    return asked


def inexact(source: NDArray[np.uint8], asked: NDArray[np.int64], line: int) -> Inexact | None:
    """What a loop noted in a text whose first line has this number."""
    row, place, count = asked[-kernels.ENDING :].tolist()
    if not count:
        return None
    before = source[:place].tobytes()
    number = _number_at(source, place)
    if before.endswith((b"-", b"+")):
        before, number = before[:-1], before[-1:].decode() + number
    column = len(before) - before.rfind(b"\n")
    return Inexact(row, line + before.count(b"\n"), str(column), shown(number), count)


def skip(bad: list[BadLine], fault: BadLine, allowed: int) -> None:
    """Note a bad line, or raise if there have been too many."""
    if len(bad) >= allowed:
        raise FormatError(fault.message, fault.line, fault.column)
    bad.append(fault._replace(message=shortened(fault.message)))


def quoted(token: bytes) -> str:
    """A piece of the text for a message."""
    shown = token.decode(errors="backslashreplace")
    return repr(shown if len(shown) <= 40 else shown[:37] + "...")


def not_a_number(token: bytes, code: int) -> str:
    if code == kernels.NOT_FINITE or token.lstrip(b"+-").lower() in WORDS:
        return f"{quoted(token)}: a finite number is expected"
    return f"{quoted(token)} is not a number" if token else "a number is expected"


def _fault(source: NDArray[np.uint8], code: int, state: NDArray[np.int64], line: int) -> BadLine:
    start, place, end = (int(state[i]) for i in (kernels.START, kernels.PLACE, kernels.AT))
    content = source[start:end].tobytes()
    at = place - start
    token = TOKEN.match(content, at).group()  # type: ignore[union-attr]  # it matches the empty string too
    column, colon, _ = token.partition(b":")
    if code == kernels.TWICE:
        at, column = _second(content[:at])
        message = f"column {column.decode()} appears twice"
    elif code == kernels.BELOW_ONE:
        message = f"column 0, but the first column is 1: pass {said('zero_based', True)}"
    elif code == kernels.TOO_LARGE:
        message = (
            f"column {quoted(column)[1:-1]} would need {8 * float(column) / 1e9:.3g} GB of weights; "
            "give the features names (the VW format) or renumber them"
        )
    elif code == kernels.NEGATIVE:
        message = f"the importance {quoted(token)[1:-1]} is negative"
    elif code == kernels.NOT_A_COLUMN:
        message = (
            f"{quoted(column)} is not a column number"
            if colon
            else f"{quoted(token)} has no value: column:value is expected"
        )
    elif at == len(content) - len(content.lstrip()) and b"," in token:
        message = f"{quoted(token)} are several labels; one number is expected"
    else:
        message = not_a_number(token, code)
    return BadLine(line + int(state[kernels.LINES]) - 1, at + 1, message)


def _second(content: bytes) -> tuple[int, bytes]:
    """Where in a line the first column stands that has been there before, and its number."""
    seen: set[bytes] = set()
    for cell in re.finditer(rb"([0-9]+):[^ \t\r\v\f]*", content):
        number = cell[1].lstrip(b"0") or b"0"
        if number in seen:
            return cell.start(), number
        seen.add(number)
    raise AssertionError("the loop found a column twice")
