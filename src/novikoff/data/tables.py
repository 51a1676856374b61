"""CSV and TSV text: pyarrow parses a block at once; what it refuses goes through the csv module, cell by cell.

The second way locates and skips bad lines, and is the only one without pyarrow. Both give the same rows.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novikoff.data import dialect as dialects
from novikoff.data.block import BadLine, Block, FormatError, Inexact
from novikoff.data.columns import (
    LABELS_ALONE,
    MISSING,
    MOST_COLUMNS,
    NO_FEATURES,
    NO_LABEL,
    TOO_WIDE,
    Category,
    CellError,
    Column,
    Encoder,
    LabelError,
    Labels,
    find_dropped,
    find_label,
    finite_sum,
    in_rows,
    kinds_in_model,
    names_size,
    no_number,
    no_such_column,
    no_value,
    number,
    place_of,
    too_many_names,
    truth,
)
from novikoff.data.dialect import Dialect
from novikoff.data.encodings import UNDECODED, UTF_8, not_in_utf_8
from novikoff.data.options import Reading
from novikoff.data.sources import pyarrow
from novikoff.data.splitting import BYTE_ORDER_MARK, line_ends
from novikoff.data.svmlight import skip
from novikoff.float64 import EXACT, may_vanish, nearest_to_text, shown
from novikoff.words import said

# Bytes of a table before pyarrow, which takes its time to import, is asked. A process that is over soon raises it.
PATIENCE = 0
WIDE = 1 << 13  # columns: for more, pyarrow takes 10 KB each, and time that grows with their square

_LINE = re.compile(rb"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")

_Table = tuple[NDArray[Any], list[Category], Category | None]  # numbers, categories, labels


class _RefusedError(Exception):
    """A block that pyarrow cannot read as it should be."""


class _Record(NamedTuple):
    line: int  # where it begins
    cells: list[str]  # without the spaces around them
    end: int  # the offset of the next one


class TableParser:
    """Lines of cells; the first of a file may hold the names of the columns."""

    def __init__(self, reading: Reading, missing: frozenset[str] = MISSING) -> None:
        self.reading = reading
        self._missing, self._missing_labels = missing, missing - LABELS_ALONE
        self._declared: list[str] | None = None  # what the columns hold, where the file says it
        self._label_is_text: bool | None = None
        self.levels: dict[int, Sequence[str]] = {}  # of the columns of text that were parsed last
        self.dialect = dialects.plain(reading)  # of the file that is read
        self._begun = False  # whether the first record of the file was seen
        self._said = False  # whether the line before it was read that says what separates the cells
        self._columns: list[str] | None = None  # of the file, the label included
        self._kinds: list[str | None] = []
        self._encoder: Encoder | None = None
        self._label: int | None = None
        self._dropped: frozenset[int] = frozenset()
        self._row_names = False  # whether one of those is the index of the rows
        self.header_overruled = False  # whether the option has the first line otherwise than its cells look
        self._arrow: Any = None
        self._csv: Any = None
        self._may_ask_arrow, self._patience = True, PATIENCE

    @property
    def names(self) -> list[str] | None:
        return None if self._encoder is None else self._encoder.names

    @property
    def width(self) -> int:
        return 0 if self._encoder is None else self._encoder.width

    @property
    def columns(self) -> tuple[Column, ...]:
        """Those of the table, as they were read so far."""
        if self._encoder is None or self._columns is None:
            return ()
        asked = () if self.reading.features is not None else self._asked(self._columns)
        return self._encoder.columns(self._kinds, label=self._label, index=self._row_names, asked=asked)

    def begin(self, dialect: Dialect) -> None:
        """The next file is written so."""
        self.dialect = dialect
        if self._encoder is not None:
            self._labels.decimal = dialect.decimal

    def parse(self, text: bytes | memoryview, line: int, allowed: int) -> Block:
        """Parse whole lines; line 1 is the beginning of a file."""
        text = bytes(text)
        self._patience -= len(text)
        if self._may_ask_arrow and self._patience < 0:
            self._ask_arrow()
        lines = line_ends(text) + (not text.endswith((b"\n", b"\r")))
        if line == 1:
            self._begun, self._said = self._declared is not None, False
        if not self._begun:
            start, line = self._begin(text, line)
            text = text[start:]
        if self._encoder is None and not self._fix_columns(text, line):
            return Block(np.empty((0, 0)), None, None, None, lines, [])
        bad: list[BadLine] = []
        self.levels = {}
        try:
            table = self._at_once(text)
            X, y = self._rows(*table)
            inexact = self._inexact(text, line, table[0])
        except (_RefusedError, CellError):
            places: list[int] = []
            table, inexact = self._by_cell(text, line, allowed, bad, places)
            try:
                X, y = self._rows(*table)
            except CellError as error:
                assert self._columns is not None
                column = self._columns.index(error.name) + 1
                raise FormatError(error.message, places[error.row], column) from None
        assert self._encoder is not None
        return Block(X, y, None, None, lines, bad, inexact, self._encoder.filled)

    def _ask_arrow(self) -> None:
        """Let pyarrow parse the blocks from now on, if it is installed."""
        self._may_ask_arrow = False
        with suppress(ImportError):
            self._arrow, self._csv = pyarrow("pyarrow", "tables"), pyarrow("pyarrow.csv", "tables")

    def _begin(self, text: bytes, line: int) -> tuple[int, int]:
        """Read the names of the columns, if they are there; where the examples begin: offset and line."""
        start = 0
        records = self._records(text, line)
        first = next(records, None)
        if first is not None and self.dialect.declared and not self._said:
            self._said = True
            start = first.end
            first = next(records, None)
        if first is None:
            return len(text), line
        self._begun = True
        cells = first.cells
        if len(cells) > MOST_COLUMNS:
            raise FormatError(TOO_WIDE.format(count=len(cells)), first.line, MOST_COLUMNS + 1)
        if len(cells) > WIDE:
            self._arrow, self._may_ask_arrow = None, False
        distinct = len(set(cells)) == len(cells) and all(self._number(cell) is None for cell in cells)
        looks_like_names = distinct or "label" in cells or self.dialect.header
        header = looks_like_names if self.reading.header is None else self.reading.header
        self.dialect = self.dialect._replace(header=header, row_names=header and self.dialect.row_names)
        columns = cells if header else [str(place) for place in range(len(cells))]
        if UNDECODED.search("".join(columns)):
            place = next(place for place, name in enumerate(columns, 1) if UNDECODED.search(name))
            raise FormatError(self._not_decoded(), first.line, place)
        if len(set(columns)) < len(columns):
            name = next(name for name, count in Counter(columns).items() if count > 1)
            twice = [place for place, each in enumerate(columns, 1) if each == name][1]
            called = f"are called {name!r}" if name else "have no name"
            message = f"two columns {called} (the other is column {columns.index(name) + 1}): name them in the file"
            raise FormatError(message, first.line, twice)
        if header and names_size(columns) > self.reading.max_names:
            raise FormatError(too_many_names(columns[-1], self.reading.max_names), first.line, len(columns))
        if self._columns is None:
            self._row_names = self.dialect.row_names
            self._settle(columns, header=header)
            self.header_overruled = header != looks_like_names
        elif columns != self._columns:
            raise FormatError("the columns are not those of the first file", first.line, 1)
        self.dialect = self.dialect._replace(row_names=self._row_names)
        start = first.end if header else start
        return start, line + line_ends(text[:start])

    def _settle(self, columns: list[str], *, header: bool) -> None:
        """The columns of the first file, and which of them are no features."""
        self._columns = columns
        self._dropped = find_dropped(columns, header, self.reading)
        if self._row_names:
            self._dropped |= {0}
        self._label = find_label(columns, header, self.reading, self._dropped)
        label = self.reading.label
        if self._label is not None and label is None:
            label = columns[self._label] if header else self._label
        self.reading = replace(self.reading, header=header, label=label)

    def declare(self, columns: list[str], kinds: list[str], are_text: list[bool]) -> None:
        """The columns have these names, and hold numbers, truth or categories; as labels they are text or numbers."""
        self._declared, self._begun = kinds, True
        self._settle(columns, header=True)
        if self._label is not None:
            self._label_is_text = are_text[self._label]

    def line_of(self, text: bytes, line: int, place: int, cell: str) -> int:
        """The line of the first record that has this cell at its place."""
        records = self._records(text, line)
        return next(record.line for record in records if record.cells[place : place + 1] == [cell])

    def _number(self, cell: str) -> float | None:
        return number(cell, self.dialect.decimal)

    def _no_number(self, cell: str) -> str:
        """What is wrong with a cell that should be a number; and what may be meant."""
        if self.dialect.decimal == "," and dialects.GROUPED_BY_POINTS.fullmatch(cell):
            return f"{cell!r} is not a number: remove the points between the thousands"
        if self.dialect.decimal == "." and number(cell, ",") is not None:
            return f"{cell!r} is not a number; {said('decimal', ',')} reads a comma as the sign of decimals"
        return f"{cell!r} is not a number"

    def _not_decoded(self) -> str:
        encoding = self.dialect.encoding
        if encoding != UTF_8:
            return f"the text is not in {encoding}"
        return not_in_utf_8()

    def _fix_columns(self, text: bytes, line: int) -> bool:
        """Decide from the first block what the columns are; False if it has no examples."""
        columns = self._columns
        if columns is None or not text.strip(b"\r\n"):
            return False
        of_model = self.reading.model_columns(columns)
        chosen = self._chosen(columns, of_model)
        if of_model is None and not any(chosen):
            self._refuse_no_features()
        if self._declared is None:
            self._look(text, line, chosen, of_model)
        else:
            self._take(self._declared, chosen)
        self._kinds = chosen
        kinds = ["number" if kind == "truth" else kind for kind in chosen]
        named = bool(self.reading.header)
        self._encoder = Encoder(columns, kinds, named, self.reading)
        asked = self._label is not None and self._label in self._asked(columns)
        self._labels = Labels(
            text=True if asked else self._label_is_text,
            name=columns[self._label] if named and self._label is not None else self._label or 0,
        )
        self._labels.decimal = self.dialect.decimal
        return True

    def _look(self, text: bytes, line: int, chosen: list[str | None], of_model: Sequence[str] | None) -> None:
        """See which of the columns that may hold numbers do."""
        wanted = [place for place, kind in enumerate(chosen) if kind == "number"]
        mixed = []
        for place, counts in zip(wanted, self._counted(text, wanted), strict=True):
            others = sum(count for cell, count in counts.items() if self._number(cell) is None)
            if others and all(truth(cell) is not None for cell in counts):
                chosen[place] = "truth"
            elif others and of_model is None and others == counts.total():
                chosen[place] = "category"
            elif others > self.reading.skip_bad:
                mixed.append(place)
        if mixed and of_model is None:
            self._refuse(text, line, mixed)

    def _take(self, declared: list[str], chosen: list[str | None]) -> None:
        """The columns hold what the file says, unless it was asked otherwise."""
        assert self._columns is not None
        for place, kind in enumerate(declared):
            if chosen[place] == "number" and kind == "category" and self.reading.features is not None:
                raise ValueError(f"column {self._columns[place]!r} holds text; the model has it as numbers")
            if chosen[place] == "number":
                chosen[place] = kind

    def _chosen(self, columns: list[str], of_model: Sequence[str] | None) -> list[str | None]:
        """What the columns hold as far as it was asked for; None for those that are no features."""
        chosen: list[str | None]
        if of_model is not None:
            chosen = kinds_in_model(columns, of_model)
        else:
            asked = self._asked(columns)
            chosen = ["category" if place in asked else "number" for place in range(len(columns))]
            if self.reading.columns is not None:
                chosen = [
                    kind if name in self.reading.columns else None for name, kind in zip(columns, chosen, strict=True)
                ]
        for place in self._dropped:
            chosen[place] = None
        if self._label is not None:
            chosen[self._label] = None
        return chosen

    def _refuse_no_features(self) -> None:
        assert self._columns is not None
        assert self._label is not None
        if self._dropped or len(self._columns) > 1:
            raise ValueError(NO_FEATURES)
        name = self._columns[self._label] if self.reading.header else ""
        called = f", {name!r}," if name else ""
        other = next((each for each in f"{dialects.SEPARATORS} " if each in name), ";")
        raise ValueError(
            f"there is one column{called} and it holds the labels: features are expected beside it. The cells are read "
            f"as separated by {dialects.told(self.dialect.delimiter)}; {said('delimiter', other)} is another way, and "
            "lines above the table have to go"
        )

    def _asked(self, columns: Sequence[str]) -> set[int]:
        """The places of the columns that are to be categories."""
        asked = set()
        named = bool(self.reading.header)
        for column in self.reading.categorical:
            place = place_of(column, columns, named=named)
            if place is not None:
                asked.add(place)
            elif self.reading.model_columns(columns) is None:
                raise ValueError(f"{said('categorical', [column])}: {no_such_column(column, columns, named=named)}")
        return asked

    def _refuse(self, text: bytes, line: int, mixed: list[int]) -> None:
        """Raise for the first cell that is no number in columns of numbers."""
        assert self._columns is not None
        names = [self._columns[place] if self.reading.header else place for place in mixed]
        for record in self._records(text, line):
            for place in mixed:
                cell = record.cells[place] if place < len(record.cells) else ""
                if cell not in self._missing and self._number(cell) is None:
                    raise FormatError(
                        f"{self._no_number(cell)}, but others in this column are; "
                        f"{said('categorical', names)} takes such columns as categories",
                        record.line,
                        place + 1,
                    )

    def _counted(self, text: bytes, places: list[int]) -> Iterator[Counter[str]]:
        """The different cells of each column that are not missing; none at all for a column of numbers alone."""
        assert self._columns is not None
        if self._arrow is not None:
            compute = pyarrow("pyarrow.compute", "tables")
            text_type = self._arrow.string()
            try:
                table = self._read(text, dict.fromkeys(places, text_type))
            except _RefusedError:
                pass
            else:
                missing = self._arrow.array(sorted(self._missing))
                for place in places:
                    cells = compute.utf8_trim_whitespace(table.column(str(place)))
                    cells = cells.filter(compute.invert(compute.is_in(cells, missing)))
                    if self._all_numbers(cells):
                        yield Counter()
                        continue
                    counts = compute.value_counts(cells)
                    yield Counter(dict(zip(counts.field(0).to_pylist(), counts.field(1).to_pylist(), strict=True)))
                return
        counters: list[Counter[str]] = [Counter() for _ in places]
        for record in self._records(text, 1):
            if len(record.cells) == len(self._columns):
                for place, counter in zip(places, counters, strict=True):
                    if record.cells[place] not in self._missing:
                        counter[record.cells[place]] += 1
        yield from counters

    def _all_numbers(self, cells: Any) -> bool:
        """Whether pyarrow takes all cells for finite numbers."""
        compute = pyarrow("pyarrow.compute", "tables")
        if self.dialect.decimal == ",":
            if compute.any(compute.match_substring(cells, ".")).as_py():
                return False
            cells = compute.replace_substring(cells, ",", ".")
        try:
            return compute.all(compute.is_finite(cells.cast(self._arrow.float64()))).as_py() is not False
        except self._arrow.ArrowInvalid:
            return False

    def _read(self, text: bytes, types: dict[int, Any]) -> Any:
        """The columns with a type, as pyarrow reads them."""
        assert self._columns is not None
        arrow, reader = self._arrow, self._csv
        if text.startswith(BYTE_ORDER_MARK):  # of a block it is text, which pyarrow would take for the mark of a file
            text = b"\n" + text
        try:
            return reader.read_csv(
                arrow.BufferReader(text),
                read_options=reader.ReadOptions(column_names=[str(place) for place in range(len(self._columns))]),
                parse_options=reader.ParseOptions(delimiter=self.dialect.delimiter, newlines_in_values=b'"' in text),
                convert_options=reader.ConvertOptions(
                    include_columns=[str(place) for place in types],
                    column_types={str(place): type for place, type in types.items()},
                    null_values=sorted(self._missing),
                    decimal_point=self.dialect.decimal,
                ),
            )
        except arrow.ArrowInvalid as error:
            raise _RefusedError from error

    def _at_once(self, text: bytes) -> _Table:
        """The numbers, categories and labels of a block, by pyarrow."""
        if self._arrow is None or not text.strip(b"\r\n"):
            raise _RefusedError
        assert self._encoder is not None
        coded = self._arrow.dictionary(self._arrow.int32(), self._arrow.string())
        places = [*self._places(self._encoder.numeric), *self._places(self._encoder.categories)]
        places += [] if self._label is None else [self._label]
        types = {place: self._arrow.float64() if self._kinds[place] == "number" else coded for place in places}
        if not types:
            raise _RefusedError
        table = self._read(text, types)
        numbers, nulls = [], 0
        for place in self._places(self._encoder.numeric):
            column = table.column(str(place))
            if self._kinds[place] == "truth":
                codes, levels = _coded(column, self._missing)
                values = [truth(level) for level in levels]
                if None in values:
                    raise _RefusedError
                numbers.append(np.array([*values, np.nan], dtype=np.float64)[codes])
                nulls += int((codes < 0).sum())
            else:
                nulls += column.null_count
                numbers.append(column.to_numpy())
        found = in_rows(numbers, table.num_rows)
        if not finite_sum(found) and np.isnan(found).sum() != nulls:
            raise _RefusedError  # a NaN in other words than those for missing cells
        categories = [
            _coded(table.column(str(place)), self._missing) for place in self._places(self._encoder.categories)
        ]
        labels = None if self._label is None else _coded(table.column(str(self._label)), self._missing_labels)
        return found, categories, labels

    def _inexact(self, text: bytes, line: int, numbers: NDArray[Any]) -> Inexact | None:
        """The numbers of a block, as pyarrow has read them, that float64 does not hold."""
        assert self._encoder is not None
        suspects = _suspects(numbers, text)
        if suspects is None:
            return None
        rows: list[int] = []
        found: list[tuple[int, int, str]] = []  # row, place, cell
        for column, place in enumerate(self._places(self._encoder.numeric)):
            here = np.flatnonzero(suspects[:, column])
            if len(here) and self._kinds[place] == "number":
                cells = self._read(text, {place: self._arrow.string()}).column(0).take(here).to_pylist()
                lost = [
                    (row, place, cell)
                    for row, cell in zip(here.tolist(), cells, strict=True)
                    if not nearest_to_text(self._pointed(cell))[1]
                ]
                rows += (row for row, _, _ in lost)
                found += lost[:1]
        if not found:
            return None
        row, place, cell = min(found)
        record = next(islice(self._records(text, line), row, None))
        return Inexact(row, record.line, self._place_name(place), shown(cell.strip()), len(rows))

    def _pointed(self, cell: str) -> str:
        """A number, with the point that Python writes."""
        return cell.replace(self.dialect.decimal, ".")

    def _place_name(self, place: int) -> str:
        assert self._columns is not None
        return f"{place + 1} ({self._columns[place]!r})" if self.reading.header else str(place + 1)

    def _by_cell(
        self, text: bytes, line: int, allowed: int, bad: list[BadLine], places: list[int]
    ) -> tuple[_Table, Inexact | None]:
        """The cells of a block, one by one with the csv module; and the numbers that float64 does not hold.

        It is slow, and knows where each row is: the first lines of the rows are added to ``places``. Bad lines are
        added to ``bad`` as far as they are allowed, and raise an error beyond that.
        """
        assert self._encoder is not None
        assert self._columns is not None
        numeric, categories = self._places(self._encoder.numeric), self._places(self._encoder.categories)
        numbers: list[list[float]] = []
        texts: list[list[str]] = [[] for _ in categories]
        labels: list[str] = []
        inexact: Inexact | None = None
        for record in self._records(text, line):
            fault = self._fault(record.cells)
            if fault is not None:
                skip(bad, BadLine(record.line, *fault), allowed)
                continue
            places.append(record.line)
            numbers.append([self._value(record.cells[place], place) for place in numeric])
            for place, value in zip(numeric, numbers[-1], strict=True):
                cell = record.cells[place]
                if (
                    (value == 0 or abs(value) >= EXACT)
                    and self._kinds[place] == "number"
                    and not nearest_to_text(self._pointed(cell))[1]
                ):
                    here = Inexact(len(numbers) - 1, record.line, self._place_name(place), shown(cell), 1)
                    inexact = here if inexact is None else inexact.joined(here)
            for place, column in zip(categories, texts, strict=True):
                column.append(record.cells[place])
            if self._label is not None:
                labels.append(record.cells[self._label])
        found = np.array(numbers, dtype=np.float64).reshape(len(numbers), len(numeric))
        coded = [_category(column, self._missing) for column in texts]
        return (found, coded, None if self._label is None else _category(labels, self._missing_labels)), inexact

    def _rows(self, numbers: NDArray[Any], categories: list[Category], labels: Category | None) -> tuple[Any, Any]:
        assert self._encoder is not None
        for place, category in zip(self._places(self._encoder.categories), categories, strict=True):
            self.levels[place] = category.levels
        if labels is None:
            return self._encoder.encode(numbers, categories), None
        assert self._label is not None
        self.levels[self._label] = labels.levels
        values = self._label_values(labels)
        if values is None or (labels.codes < 0).any():
            raise _RefusedError
        X = self._encoder.encode(numbers, categories)
        self._labels.fix_levels(
            labels.levels, values
        )  # when nothing is refused any more: a row that is skipped decides nothing
        return X, values[labels.codes]

    def _label_values(self, labels: Category) -> NDArray[Any] | None:
        assert self._columns is not None
        assert self._label is not None
        try:
            return self._labels.values(labels.levels)
        except LabelError as error:
            row = int(np.argmax(labels.codes == error.level))
            raise CellError(row, self._columns[self._label], str(error)) from None

    def _value(self, cell: str, place: int) -> float:
        found = truth(cell) if self._kinds[place] == "truth" else self._number(cell)
        return np.nan if found is None else found

    def _fault(self, cells: list[str]) -> tuple[int, str] | None:
        """What is wrong with a line: the cell, from 1, and the message."""
        assert self._encoder is not None
        assert self._columns is not None
        if len(cells) != len(self._columns):
            return min(len(cells), len(self._columns)) + 1, f"{len(cells)} cells, but {len(self._columns)} are expected"
        for place, cell in enumerate(cells):
            kind, name = self._kinds[place], self._columns[place]
            if UNDECODED.search(cell) and (kind is not None or place == self._label):
                return place + 1, self._not_decoded()
            if place == self._label:
                if cell in self._missing_labels:
                    return place + 1, NO_LABEL
                if not self._labels.accepts(cell):
                    return place + 1, f"the label {cell!r} is not a number, as those before; " + no_number(name)
            elif kind is not None and cell in self._missing:
                if self.reading.missing == "error":
                    return place + 1, no_value() + (f" (column {name!r})" if self.reading.header else "")
            elif kind == "truth" and truth(cell) is None:
                return place + 1, f"{cell!r}: true or false is expected in column {name!r}; " + no_number(name)
            elif kind == "number" and self._number(cell) is None:
                return place + 1, f"{self._no_number(cell)}; " + no_number(name)
        return None

    def _places(self, names: list[str]) -> list[int]:
        assert self._columns is not None
        where = {name: place for place, name in enumerate(self._columns)}
        return [where[name] for name in names]

    def _records(self, text: bytes, line: int) -> Iterator[_Record]:
        """The lines that are not blank, in cells."""
        end = 0

        def lines() -> Iterator[str]:
            nonlocal end
            for match in _LINE.finditer(text):
                end = match.end()
                yield match.group().decode("utf-8", "surrogateescape")

        if len(text) > csv.field_size_limit():  # one for the whole process, and too small for what is allowed here
            csv.field_size_limit(len(text))
        reader = csv.reader(lines(), delimiter=self.dialect.delimiter)
        while True:
            begin = line + reader.line_num
            try:
                cells = next(reader, None)
            except csv.Error as error:
                raise FormatError(str(error), begin, 1) from None
            if cells is None:
                return
            if cells:
                yield _Record(begin, [cell.strip() for cell in cells], end)


def _suspects(numbers: NDArray[Any], text: bytes) -> NDArray[np.bool_] | None:
    """Which numbers of a text may have another value there: large ones, and zeros where others may have become zero."""
    if not numbers.size:
        return None
    with np.errstate(invalid="ignore"):
        suspects = None if numbers.min() > -EXACT and numbers.max() < EXACT else np.abs(numbers) >= EXACT
    zeros: NDArray[np.bool_] = numbers == 0
    if not zeros.any() or not may_vanish(text):
        return suspects
    return zeros if suspects is None else suspects | zeros


def _coded(column: Any, missing: frozenset[str]) -> Category:
    """A column that pyarrow has put into codes; spaces around the levels do not count."""
    column = column.unify_dictionaries().combine_chunks()
    levels = [level.strip() for level in column.dictionary.to_pylist()]
    place = {level: code for code, level in enumerate(dict.fromkeys(level for level in levels if level not in missing))}
    codes = np.array([place.get(level, -1) for level in levels] + [-1], dtype=np.int64)
    return Category(codes[column.indices.fill_null(len(levels)).to_numpy()], list(place))


def _category(cells: list[str], missing: frozenset[str]) -> Category:
    place: dict[str, int] = {}
    codes = [-1 if cell in missing else place.setdefault(cell, len(place)) for cell in cells]
    return Category(np.array(codes, dtype=np.int64), list(place))
