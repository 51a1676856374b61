"""ARFF, the format of Weka: the attributes are declared, and then the rows are those of a table.

A line of data is brought into the form of CSV, and what a table does with its cells is done by the parser of tables.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from novikoff.data.block import Block, FormatError
from novikoff.data.columns import MOST_COLUMNS, Column, find_dropped, number, truth
from novikoff.data.encodings import UNDECODED
from novikoff.data.options import Reading
from novikoff.data.tables import TableParser
from novikoff.words import said

MISSING = frozenset(("?", ""))

_QUOTED = re.compile(r"""'(?:[^'\\]|\\.)*+'|"(?:[^"\\]|\\.)*+\"""", re.DOTALL)
_BARE = re.compile(r"[^\s,{}%'\"]+")
_SPACES = re.compile(r"\s*")
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_PLAIN = re.compile(rb"['\"\\{%]")  # without these a line of data is one of CSV
_BLANKS = {"n": " ", "t": " ", "r": " "}  # a line end in a cell would be one of the file
_NUMBERS = ("numeric", "real", "integer")


class _Attribute(NamedTuple):
    name: str
    kind: str  # number, truth, category; or date, relational
    levels: frozenset[str] | None  # of a nominal one


class ArffParser:
    """Lines of ARFF text."""

    def __init__(self, reading: Reading) -> None:
        self._given = reading
        self._first: list[_Attribute] | None = None  # of the first file
        self._attributes: list[_Attribute] = []
        self._in_data = False
        self._table: TableParser | None = None

    @property
    def reading(self) -> Reading:
        return self._given if self._table is None else replace(self._table.reading, header=self._given.header)

    @property
    def names(self) -> list[str] | None:
        return None if self._table is None else self._table.names

    @property
    def width(self) -> int:
        return 0 if self._table is None else self._table.width

    @property
    def columns(self) -> tuple[Column, ...]:
        return () if self._table is None else self._table.columns

    def parse(self, text: bytes | memoryview, line: int, allowed: int) -> Block:
        """Parse whole lines; line 1 is the beginning of a file."""
        text = bytes(text).replace(b"\r\n", b"\n").replace(b"\r", b" ")
        count = text.count(b"\n") + (not text.endswith(b"\n"))
        if line == 1:
            self._attributes, self._in_data = [], False
        start = 0
        if not self._in_data:
            start, line = self._declarations(text, line)
        if not self._in_data:
            return Block(np.empty((0, 0)), None, None, None, count, [])
        assert self._table is not None
        data = text[start:]
        weights: dict[int, float] = {}
        if _PLAIN.search(data):
            data, weights = self._as_csv(data, line)
        block = self._table.parse(data, line, allowed)
        self._check_levels(data, line)
        if weights and block.X.shape[0]:
            for bad in block.bad:
                del weights[bad.line]
            block = block._replace(weights=np.array(list(weights.values())))
        return block._replace(lines=count)

    # The header ------------------------------------------------------------------------------------

    def _declarations(self, text: bytes, line: int) -> tuple[int, int]:
        """Read them; where the data begin: offset and line, if they do."""
        start = 0
        while start < len(text):
            end = text.find(b"\n", start) + 1 or len(text)
            content = text[start:end].decode("utf-8", "surrogateescape").strip()
            start = end
            word = content.split(None, 1)[0].lower() if content else ""
            if UNDECODED.search(content) and word == "@attribute":
                cure = (
                    f"the text is not in UTF-8; {said('encoding', 'cp1252')} reads what many programs on Windows write"
                )
                raise FormatError(cure, line, 1)
            if word == "@attribute":
                self._attributes.append(_attribute(content, line))
            elif word == "@data":
                self._begin_data(line)
                return start, line + 1
            elif word and word != "@relation" and not word.startswith("%"):
                raise FormatError(f"@attribute or @data is expected, and not {content[:60]!r}", line, 1)
            line += 1
        return start, line

    def _begin_data(self, line: int) -> None:
        attributes = self._attributes
        names = [attribute.name for attribute in attributes]
        if not attributes:
            raise FormatError("no @attribute comes before @data", line, 1)
        if len(attributes) > MOST_COLUMNS:
            raise FormatError(f"{len(attributes):,} attributes, and at most {MOST_COLUMNS:,} are read", line, 1)
        if len(set(names)) < len(names):
            twice = next(name for name, many in Counter(names).items() if many > 1)
            raise FormatError(f"two attributes are called {twice!r}: rename one of them in the file", line, 1)
        if self._first is None:
            self._first = attributes
            self._table = TableParser(replace(self._given, header=True), missing=MISSING)
            dropped = find_dropped(names, True, self._given)
            self._refuse_types(dropped, line)
            self._table.declare(names, [attribute.kind for attribute in attributes], list(map(_is_text, attributes)))
        elif attributes != self._first:
            raise FormatError("the attributes are not those of the first file", line, 1)
        self._in_data = True

    def _refuse_types(self, dropped: frozenset[int], line: int) -> None:
        """Raise for an attribute that is asked for and neither holds numbers nor text."""
        chosen = self._given.wanted
        for place, attribute in enumerate(self._attributes):
            unasked = chosen is not None and attribute.name not in chosen
            if attribute.kind in ("date", "relational") and place not in dropped and not unasked:
                raise FormatError(
                    f"the attribute {attribute.name!r} is of type {attribute.kind}: numbers, nominal values or text "
                    f"are expected; {said('drop', [attribute.name])} leaves it out",
                    line,
                    1,
                )

    # The data --------------------------------------------------------------------------------------

    def _as_csv(self, data: bytes, line: int) -> tuple[bytes, dict[int, float]]:
        """Lines of CSV for lines of ARFF, blank ones for comments; and the weights of all rows, if there are any."""
        out = io.StringIO(newline="")
        writer = csv.writer(out, lineterminator="\n")
        weights: dict[int, float] = {}
        weighed = False
        for place, content in enumerate(data.removesuffix(b"\n").split(b"\n"), line):
            row = content.decode("utf-8", "surrogateescape").strip()
            if not row or row.startswith("%"):
                out.write("\n")
                continue
            if row.startswith("{"):
                cure = "save it in svmlight format, which Weka calls LibSVM"
                raise FormatError(f"rows of sparse ARFF are not read: {cure}", place, 1)
            row, weight = _weight(row, place)
            weighed = weighed or weight is not None
            weights[place] = 1.0 if weight is None else weight
            writer.writerow(list(_cells(row, place)))
        return out.getvalue().encode("utf-8", "surrogateescape"), weights if weighed else {}

    def _check_levels(self, data: bytes, line: int) -> None:
        """Raise for a value that is none of those declared for its attribute."""
        assert self._table is not None
        for place, levels in self._table.levels.items():
            declared = self._attributes[place].levels
            strange = None if declared is None else next((level for level in levels if level not in declared), None)
            if strange is not None:
                where = self._table.line_of(data, line, place, strange)
                name = self._attributes[place].name
                raise FormatError(f"{strange!r} is none of the values of {name!r}", where, place + 1)


def _is_text(attribute: _Attribute) -> bool:
    """Whether labels of this attribute are text, and not numbers."""
    if attribute.kind == "number":
        return False
    return not attribute.levels or any(number(level) is None for level in attribute.levels)


def _attribute(content: str, line: int) -> _Attribute:
    start = _SPACES.match(content, len("@attribute"))
    assert start is not None
    found = _QUOTED.match(content, start.end()) or _BARE.match(content, start.end())
    if found is None:
        raise FormatError("@attribute NAME TYPE is expected", line, 1)
    name, declared = _unquoted(found[0]), content[found.end() :].strip()
    if declared.startswith("{"):
        levels = list(_cells(declared[1:].partition("%")[0].strip().removesuffix("}"), line))
        if levels and all(truth(level) is not None for level in levels):
            return _Attribute(name, "truth", frozenset(levels))
        return _Attribute(name, "category", frozenset(levels))
    word = re.split(r"[\s\[%]", declared.lower(), maxsplit=1)[0]
    if word in _NUMBERS:
        return _Attribute(name, "number", None)
    if word == "string":
        return _Attribute(name, "category", None)
    if word in ("date", "relational"):
        return _Attribute(name, word, None)
    raise FormatError(f"the attribute {name!r} is of no known type: {declared[:60]!r}", line, 1)


def _cells(row: str, line: int) -> Iterator[str]:
    """The values of a row, which commas separate."""
    place = number = 0
    while True:
        number += 1
        place = _after_spaces(row, place)
        if row[place : place + 1] in ("'", '"'):
            found = _QUOTED.match(row, place)
            if found is None:
                raise FormatError("the quote that begins this value has no end", line, number)
            yield _unquoted(found[0])
            place = _after_spaces(row, found.end())
            if row[place : place + 1] not in ("", ","):
                raise FormatError("a comma is expected behind the quoted value", line, number)
        else:
            end = row.find(",", place)
            end = len(row) if end < 0 else end
            yield row[place:end].strip()
            place = end
        if place == len(row):
            return
        place += 1


def _after_spaces(row: str, place: int) -> int:
    found = _SPACES.match(row, place)
    assert found is not None
    return found.end()


def _unquoted(word: str) -> str:
    if len(word) < 2 or word[0] not in "'\"" or word[-1] != word[0]:
        return word
    return _ESCAPED.sub(lambda found: _BLANKS.get(found[1], found[1]), word[1:-1]).strip()


def _weight(row: str, line: int) -> tuple[str, float | None]:
    """A row without the weight at its end, ``{2.5}``; and that."""
    start = row.rfind("{")
    before = row[:start].rstrip()
    if not row.endswith("}") or start < 0 or not before.endswith(","):
        return row, None
    text = row[start + 1 : -1].strip()
    weight = number(text)
    if weight is None or weight < 0:
        raise FormatError(f"the weight {text!r} is no number from 0 on", line, 1)
    return before.removesuffix(","), weight
