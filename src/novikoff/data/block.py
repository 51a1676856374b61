"""What a reader hands over: some examples of a source, and the lines of it that are not examples."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from novikoff.float64 import Lost, Rounded

LONGEST_MESSAGE = 1000  # characters: a message may quote a cell, and a cell may be all of a line


def shortened(message: str) -> str:
    """A message that is read by people: of a long one the beginning, and the end with the cure."""
    half = LONGEST_MESSAGE // 2
    return message if len(message) <= LONGEST_MESSAGE else f"{message[:half]} ... {message[-half:]}"


class BadLine(NamedTuple):
    """A malformed line: where it is (from 1, columns in bytes), what is there and what was expected."""

    line: int
    column: int
    message: str


class FormatError(ValueError):
    """A file that is not in the format it should be in; the message begins with the file, the line and the column."""

    def __init__(self, message: str, line: int, column: int, path: str | None = None) -> None:
        message = shortened(message)
        place = f"line {line}, column {column}"
        super().__init__(f"{place if path is None else f'{path}, {place}'}: {message}")
        self.message = message
        self.path = path
        self.line = line
        self.column = column

    def at(self, path: str) -> FormatError:
        """This error, with the name of the file that it is about."""
        return FormatError(self.message, self.line, self.column, path)


class Inexact(NamedTuple):
    """The numbers of a block that float64 does not hold: the first, and how many there are."""

    row: int  # of the block, from 0
    at: int  # of the source, from 1: a line, or a row where there are no lines
    column: str
    value: str  # as it is written
    many: int
    unit: str = "line"
    path: str = ""
    cut: bool = False  # these rows were part of a larger block, and so many are in that

    @classmethod
    def of(cls, lost: Lost | None, row: int, before: int, column: str) -> Inexact | None:
        """What a column of a file without lines has lost; ``before`` rows of the file precede the block."""
        return None if lost is None else cls(row, before + row + 1, column, lost.value, lost.many, "row")

    def told(self) -> Rounded:
        place = f"{self.path}, {self.unit} {self.at}, column {self.column}"
        return Rounded(place, self.value, 1 if self.cut else self.many)

    def joined(self, other: Inexact | None) -> Inexact:
        """The numbers of this column and of another one of the block, taken together."""
        if other is None:
            return self
        first = min(self, other, key=lambda found: found.row)
        return first._replace(many=self.many + other.many)

    def part(self, start: int, stop: int) -> Inexact | None:
        """What some rows of the block have of it. Where the others are is not known."""
        if self.row >= stop or (self.row < start and self.many == 1):
            return None
        return self._replace(row=max(self.row - start, 0), cut=True)


class Block(NamedTuple):
    """Some examples of a source, in order."""

    X: Any  # float64, an array or a CSR array: columns sorted, none twice, stored zeros allowed, int32 indices
    y: NDArray[Any] | None  # float64, or object where labels are text; None where no example has a label
    weights: NDArray[np.float64] | None  # the importance of each example; None if all are 1
    tags: list[str] | None  # None if there are none
    lines: int  # lines read, bad and blank ones included
    bad: list[BadLine]  # lines skipped
    inexact: Inexact | None = None  # numbers that float64 does not hold
    filled: int = 0  # missing values that were filled in


class Parser(Protocol):
    """Reads a format of lines."""

    @property
    def names(self) -> list[str] | None:
        """The columns so far; None where columns are numbers."""
        ...

    @property
    def width(self) -> int:
        """How many columns there are so far."""
        ...

    def parse(self, text: bytes | memoryview, line: int, allowed: int) -> Block:
        """Parse text that ends at the end of a line, or of the file.

        `line` is the number of its first line. At most `allowed` malformed lines are skipped; one more
        raises `FormatError`, without a path.
        """
        ...
