"""How a table is written: what separates its cells, which sign a decimal has, and whether its first line holds names.

What the options do not say is told by the first bytes of a file, `MOST` of them at most, and for each file anew.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from novikoff.data.columns import MISSING, number
from novikoff.data.encodings import UTF_8
from novikoff.data.options import DELIMITERS, Reading

SEPARATORS = "\t;|,"  # the comma last: it is the one that stands in numbers and in text, too
INDEX_LEFT_OUT = "the first column, which has no name, is left out as the index of the rows"
MOST = 1 << 20  # bytes: a line of names may be long
NAMES = 1 << 16  # characters in which separators are looked for
LOOKED_AT = 100  # records
DECLARATION = re.compile(r'"?sep=([!-~\t ])"?')  # a line that Excel takes at the beginning of a file

_QUOTED = re.compile(r'(?:(?<=[\t;|,\r\n])|\A)"(?:[^"]++|"")*+"')
_YEAR = re.compile(r"(?:1[89]|2[01])\d\d")
_COMMA = re.compile(r"[-+]?\d*,\d+(?:[eE][-+]?\d+)?")
_POINT = re.compile(r"[-+]?\d*\.\d+(?:[eE][-+]?\d+)?")
_IN_THOUSANDS = re.compile(r"[-+]?[1-9]\d{0,2},\d{3}")  # 1,500 may be 1.5, and it may be 1500
_BY_COMMAS = re.compile(r"[-+]?[1-9]\d{0,2}(?:(?:,\d{3}){2,}(?:\.\d+)?|,\d{3}\.\d+)")
GROUPED_BY_POINTS = re.compile(r"[-+]?[1-9]\d{0,2}(?:\.\d{3})+(?:,\d+)?")


class Dialect(NamedTuple):
    """How one file is written."""

    delimiter: str
    decimal: str = "."
    declared: bool = False  # whether the first line says what separates the cells, and is no record
    header: bool = False  # whether the first record looks like names, though some of its cells are numbers, or the same
    row_names: bool = (
        False  # whether the first column has no name, and numbers or names the rows, as pandas writes them
    )
    encoding: str = UTF_8

    def oddities(self) -> list[str]:
        """What is not as in most files, in words."""
        found = []
        if self.delimiter not in ",\t":
            found.append(f"cells are separated by {told(self.delimiter)}")
        if self.decimal == ",":
            found.append("a comma is the sign of decimals")
        if self.encoding != UTF_8:
            found.append(f"the encoding is {self.encoding}")
        if self.row_names:
            found.append(INDEX_LEFT_OUT)
        return found


def plain(reading: Reading) -> Dialect:
    """That of a file of which nothing was seen."""
    return Dialect(reading.delimiter or DELIMITERS.get(reading.format or "csv", ","), reading.decimal or ".")


def told(delimiter: str) -> str:
    """A delimiter in words."""
    return {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars", " ": "spaces"}.get(delimiter, repr(delimiter))


def sniffed(head: bytes, reading: Reading, encoding: str = UTF_8, *, complete: bool) -> Dialect:
    """The dialect of a table that begins with these bytes, or holds no others; else they may end anywhere."""
    text = head.decode("utf-8", "surrogateescape").removeprefix("\ufeff").lstrip("\r\n")
    declaration = DECLARATION.fullmatch(re.match(r"[^\r\n]*", text)[0])  # type: ignore[index]  # it matches anything
    if declaration:
        text = text[declaration.end() :].lstrip("\r\n")
    delimiter = reading.delimiter
    if delimiter is None and declaration:
        delimiter = declaration[1]
    if delimiter is None:
        delimiter = "\t" if reading.format == "tsv" else _delimiter(text, reading.decimal, complete=complete)
    records = _records(text, delimiter, complete=complete)
    decimal = reading.decimal or _decimal(records, delimiter)
    first, others = (records[0], records[1:]) if records else ([], [])
    return Dialect(
        delimiter,
        decimal,
        declaration is not None,
        _years_as_names(first, others, decimal) or _repeated_names(first, others, decimal) or _numbers_as_names(first),
        _index(first, others, reading),
        encoding,
    )


def enough(text: bytes, reading: Reading) -> bool:
    """Whether lines that arrive one by one tell the dialect: the second one does, after one that may be of names."""
    lines = [line for line in text.decode("utf-8", "surrogateescape").splitlines(keepends=True) if line.strip("\r\n")]
    if lines and not lines[-1].endswith(("\n", "\r")):
        lines.pop()
    if lines and DECLARATION.fullmatch(lines[0].strip("\r\n")):
        lines.pop(0)
    if len(lines) > 1 or reading.header is False or reading.features is not None:
        return bool(lines)
    if not lines:
        return False
    cells = re.split(r"[\t;|,]", lines[0].strip("\r\n"))
    return any(number(cell.strip()) is not None and not _YEAR.fullmatch(cell.strip()) for cell in cells)


def _delimiter(text: str, decimal: str | None, *, complete: bool) -> str:
    """The separator that divides every line into as many cells as the first one, more than one.

    Of several that do so equally well it is the one whose cells are numbers more often.
    """
    bare = _QUOTED.sub("", text[:NAMES])
    first = next((line for line in re.split(r"[\r\n]+", bare) if line), "")
    candidates = [separator for separator in SEPARATORS if separator in first]
    if len(candidates) > 1 and decimal == ",":
        candidates.remove(",")
    if len(candidates) < 2:
        return candidates[0] if candidates else ","

    def fit(separator: str) -> tuple[float, float]:
        return _fit(_records(text, separator, complete=complete), decimal, separator)

    return max(candidates, key=fit)


def _fit(records: list[list[str]], decimal: str | None, separator: str) -> tuple[float, float]:
    """How well a separator divides the records: the share of them with as many cells as the first; and of numbers."""
    width = len(records[0])
    even = sum(len(record) == width for record in records)
    decimal = decimal or _decimal(records, separator)
    cells = [cell for record in records for cell in record]
    numbers = sum(number(cell, decimal) is not None for cell in cells)
    return even / len(records) if width > 1 else 0.0, numbers / len(cells)


def _decimal(records: list[list[str]], delimiter: str) -> str:
    """A comma if numbers are written with one, and none with a point; where commas separate cells it is a point.

    Of numbers such as 1,500 alone, `;` says what is meant: programs write it where the comma is taken.
    """
    if delimiter == ",":
        return "."
    clear = ambiguous = False
    for cell in (cell for record in records for cell in record):
        if GROUPED_BY_POINTS.fullmatch(cell):
            clear = clear or "," in cell
        elif _POINT.fullmatch(cell) or _BY_COMMAS.fullmatch(cell):
            return "."
        elif _COMMA.fullmatch(cell):
            ambiguous = True
            clear = clear or not _IN_THOUSANDS.fullmatch(cell)
    return "," if clear or (ambiguous and delimiter == ";") else "."


def _years_as_names(first: Sequence[str], others: Sequence[Sequence[str]], decimal: str) -> bool:
    """Whether all numbers in the first record are years, and the columns below do not hold years.

    A line of numbers alone is one of names if it counts the years.
    """
    years = [place for place, cell in enumerate(first) if _YEAR.fullmatch(cell)]
    numbers = sum(number(cell, decimal) is not None for cell in first)
    if not years or numbers > len(years) or len(set(first)) < len(first):
        return False
    if len(years) == len(first) and not _counted_up([int(year) for year in first]):
        return False
    below = [record[place] for record in others if len(record) == len(first) for place in years]
    return sum(_YEAR.fullmatch(cell) is None for cell in below) > len(below) / 2


def _counted_up(years: Sequence[int]) -> bool:
    return len(years) > 1 and list(years) == list(range(years[0], years[0] + len(years)))


def _numbers_as_names(first: Sequence[str]) -> bool:
    """Whether the first record counts the columns behind a nameless one: a frame without names, and its index."""
    return len(first) > 2 and list(first) == ["", *map(str, range(len(first) - 1))]


def _repeated_names(first: Sequence[str], others: Sequence[Sequence[str]], decimal: str) -> bool:
    """Whether the first record holds names of which some are the same: text above numbers. The parser refuses them."""
    if len(set(first)) == len(first) or any(number(cell, decimal) is not None for cell in first):
        return False
    rows = [record for record in others if len(record) == len(first)]
    columns = zip(*rows, strict=True)
    return any(
        name not in MISSING and all(number(cell, decimal) is not None for cell in column)
        for name, column in zip(first, columns, strict=False)
    )


def _index(first: Sequence[str], others: Sequence[Sequence[str]], reading: Reading) -> bool:
    """Whether the first column alone has no name, and what it holds tells the rows apart: the index of a frame.

    Whoever asks for this column, by its position or its name, gets it.
    """
    columns = (*reading.categorical, *(reading.columns or ()), *(reading.features or ()), *reading.drop)
    asked = [column for column in (reading.label, reading.weight, *columns) if column is not False]
    if len(first) < 2 or first[0] or "" in first[1:] or any(column in asked for column in ("", 0, -len(first))):
        return False
    cells = [record[0] for record in others if len(record) == len(first)]
    return bool(cells) and len(set(cells)) == len(cells) and MISSING.isdisjoint(cells)


def _records(text: str, delimiter: str, *, complete: bool) -> list[list[str]]:
    """The first records. Of text that goes on the last one may be cut off: it is left out, if there are others."""

    def lines() -> Iterator[str]:
        for match in re.finditer(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+", text):
            yield match.group()

    if len(text) > csv.field_size_limit():  # one for the whole process
        csv.field_size_limit(len(text))
    reader = csv.reader(lines(), delimiter=delimiter)
    found = [[cell.strip() for cell in cells] for cells in islice(filter(None, reader), LOOKED_AT)]
    cut_off = not complete and 1 < len(found) < LOOKED_AT and not text.endswith(("\n", "\r"))
    return found[:-1] if cut_off else found
