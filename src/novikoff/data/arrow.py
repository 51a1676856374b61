"""Parquet and Arrow files, by batches: tables of columns, or the sparse layout that `convert` writes.

In the sparse layout a row is two lists, ``indices`` and ``values``, beside its ``label`` (and ``weight`` and ``tag``,
if there are any); the metadata of the schema, under ``novikoff``, tell the width and the names of the columns.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from novikoff import float64
from novikoff.data import sources
from novikoff.data.arrays import check_finite, chosen
from novikoff.data.block import Block, Inexact
from novikoff.data.columns import (
    MISSING,
    MISSING_LABELS,
    NO_LABEL,
    Category,
    CellError,
    Column,
    Encoder,
    LabelError,
    find_dropped,
    find_label,
    in_rows,
    kinds_in_model,
    text_labels,
)
from novikoff.data.options import Reading
from novikoff.data.sources import DamagedError, Source, pyarrow
from novikoff.float64 import Lost

METADATA = b"novikoff"
ROWS = 1 << 16  # of a batch, at most


class ArrowReader:
    """Reads the batches of Parquet and Arrow files."""

    dialect: None = None

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self.names: list[str] | None = None
        self.width = 0
        self._first: Any = None  # the columns of the first file
        self._encoder: Encoder | None = None
        self._arrow = pyarrow("pyarrow", f"{reading.format} files")

    @property
    def columns(self) -> tuple[Column, ...]:
        """Those of the table, as they were read so far; none of the sparse layout."""
        if self._first is None or self._encoder is None:
            return ()
        names, label, kinds, _ = self._first
        asked = {place for place, name in enumerate(names) if name in self.reading.categorical}
        return self._encoder.columns(kinds, label=label, asked=asked)

    def blocks(self, source: Source) -> Iterator[Block]:
        row = 0  # of the file, before the batch
        try:
            with self._opened(source) as (schema, batches):
                self._begin(schema)
                for batch in batches:
                    batch.validate(full=True)  # what comes from a file may point outside its memory
                    if self._encoder is None:
                        yield self._lists(batch, row)
                    elif batch.num_rows:
                        yield self._table(batch, self._encoder, row)
                    row += batch.num_rows
        except CellError as error:
            raise error.at(source.name, row) from None
        except DamagedError:
            raise
        except (self._arrow.ArrowException, ValueError, OSError) as error:
            reason = str(error).partition("\n")[0] or type(error).__name__
            raise ValueError(f"{source.name}: {reason}") from None

    @contextmanager
    def _opened(self, source: Source) -> Iterator[tuple[Any, Iterator[Any]]]:
        if self.reading.format == "parquet":
            parquet = pyarrow("pyarrow.parquet", "parquet files")
            with parquet.ParquetFile(source.seekable()) as file:
                schema = file.schema_arrow
                rows = min(ROWS, max(1024, sources.BLOCK // (8 * max(1, len(schema)))))
                groups = range(file.num_row_groups)  # all at once, they would all be buffered
                yield schema, (batch for group in groups for batch in file.iter_batches(rows, row_groups=[group]))
        elif source.peek(6) == b"ARROW1":
            # Not mapped: what is read stays as it is, whatever becomes of the file.
            with self._arrow.OSFile(source.plain) if source.plain else self._arrow.BufferReader(source.read()) as file:
                reader = self._arrow.ipc.open_file(file)
                yield reader.schema, (reader.get_batch(i) for i in range(reader.num_record_batches))
        else:
            with self._arrow.ipc.open_stream(self._arrow.PythonFile(source, "r")) as reader:
                yield reader.schema, iter(reader)

    def _begin(self, schema: Any) -> None:
        """Settle what the columns are, or see that they are those of the first file."""
        columns, notes = schema.names, _notes(schema)
        if not columns or len(set(columns)) < len(columns):
            raise ValueError("two columns have the same name" if columns else "there are no columns")
        label, kinds = None, None
        lists = {field.name for field in schema if self._arrow.types.is_list(field.type)}
        if {"indices", "values"} <= lists:
            self._check_lists(schema)
        else:
            dropped = find_dropped(columns, True, self.reading)
            label = find_label(columns, True, self.reading, dropped)
            kinds = self._kinds(schema, label, dropped)
        found = columns, label, kinds, notes
        if self._first is not None:
            if found != self._first:
                raise ValueError("the columns are not those of the first file")
            return
        self._first = found
        self._notes = notes
        self._label = None if label is None else columns[label]
        if self.reading.label is None and label is not None:
            self.reading = replace(self.reading, label=self._label)
        self._encoder = None if kinds is None else Encoder(columns, kinds, notes.get("named", True), self.reading)

    def _kinds(self, schema: Any, label: int | None, dropped: frozenset[int]) -> list[str | None]:
        """What the columns of a table hold; None for those that are not read."""
        of_model, columns = self.reading.model_columns(schema.names), self.reading.columns
        if of_model is None:
            return [
                None
                if place == label or place in dropped or (columns is not None and field.name not in columns)
                else self._kind(field)
                for place, field in enumerate(schema)
            ]
        kinds = kinds_in_model(schema.names, of_model)
        for place, field in enumerate(schema):
            if place == label:
                kinds[place] = None
            elif kinds[place] == "number" and self._kind(field) == "category":
                raise ValueError(f"column {field.name!r} holds text; the model has it as numbers")
        return kinds

    def _check_lists(self, schema: Any) -> None:
        """Raise if the columns of the sparse layout are not of their types."""
        types = self._arrow.types
        of_number = {"indices": types.is_integer, "values": types.is_floating, "weight": types.is_floating}
        for name, expected in {**of_number, "tag": types.is_string}.items():
            if name in schema.names:
                found = schema.field(name).type
                if not expected(found.value_type if types.is_list(found) else found):
                    raise ValueError(f"column {name!r} of the sparse layout is of type {found}")

    def _kind(self, field: Any) -> str:
        types, type = self._arrow.types, field.type
        if types.is_dictionary(type):
            type = type.value_type
        if types.is_string(type) or types.is_large_string(type) or types.is_string_view(type):
            return "category"
        numbers = (types.is_integer, types.is_floating, types.is_decimal, types.is_boolean, types.is_null)
        if any(is_number(type) for is_number in numbers):
            return "category" if field.name in self.reading.categorical else "number"
        raise ValueError(f"column {field.name!r} is of type {field.type}: numbers, bools or text are expected")

    def _table(self, batch: Any, encoder: Encoder, before: int) -> Block:
        inexact: Inexact | None = None
        numbers = []
        for name in encoder.numeric:
            found, lost = self._numbers(batch.column(name), name, before)
            numbers.append(found)
            new = None if lost is None else Inexact.of(lost, lost.k, before, repr(name))
            inexact = new if inexact is None else inexact.joined(new)
        categories = [self._category(batch.column(name)) for name in encoder.categories]
        X = encoder.encode(in_rows(numbers, batch.num_rows), categories)
        self.names, self.width = encoder.names, encoder.width
        return Block(X, self._labels(batch, self._label), None, None, 0, [], inexact, encoder.filled)

    def _numbers(self, column: Any, name: str, before: int) -> tuple[NDArray[Any], Lost | None]:
        """A column as floats, NaN where a number is missing."""
        types = self._arrow.types
        if types.is_dictionary(column.type):
            column = column.dictionary_decode()
        if types.is_float32(column.type) or types.is_float64(column.type):
            return column.to_numpy(zero_copy_only=False), None
        if types.is_null(column.type):
            return np.full(len(column), np.nan), None
        found, lost = float64.floats(float64.arrow_column(column), lambda k: f"row {before + k + 1}, column {name!r}")
        return found.astype(np.float64, copy=False), lost

    def _category(self, column: Any, missing: frozenset[str] = MISSING) -> Category:
        if not self._arrow.types.is_dictionary(column.type):
            column = column.dictionary_encode()
        levels = ["" if level is None else str(level).strip() for level in column.dictionary.to_pylist()]
        used = np.unique(codes := column.indices.fill_null(len(levels)).to_numpy(zero_copy_only=False).astype(np.int64))
        place = {
            level: code
            for code, level in enumerate(
                dict.fromkeys(levels[old] for old in used if old < len(levels) and levels[old] not in missing)
            )
        }
        return Category(np.array([*(place.get(level, -1) for level in levels), -1])[codes], list(place))

    def _labels(self, batch: Any, name: str | None) -> NDArray[Any] | None:
        if name is None:
            return None
        kind = self._kind(batch.schema.field(name))
        column = batch.column(name)
        if kind == "category":
            codes, levels = self._category(column, MISSING_LABELS)
            absent = codes < 0
            try:
                y: NDArray[Any] = text_labels([*levels, ""])[codes]
            except LabelError as error:
                raise CellError(int(np.argmax(codes == error.level)), name, str(error)) from None
        else:
            if self._arrow.types.is_dictionary(column.type):
                column = column.dictionary_decode()
            absent = column.is_null(nan_is_null=True).to_numpy(zero_copy_only=False)
            y = column.to_numpy(zero_copy_only=False)
        if absent.any():
            raise CellError(int(np.argmax(absent)), name, NO_LABEL)
        return y

    def _lists(self, batch: Any, before: int) -> Block:
        """Rows of the sparse layout, over the memory of the batch where its types allow it."""
        (starts, columns), (others, data) = (_parts(batch.column(name)) for name in ("indices", "values"))
        if not np.array_equal(starts, others):
            raise ValueError("a row of the sparse layout has not as many indices as values")
        most = int(columns.max()) + 1 if len(columns) else 0
        width, names = self._notes.get("width", most), self._notes.get("names")
        if (len(columns) and columns.min() < 0) or most > width or width >= 2**31:
            raise ValueError(f"the sparse layout has {width} columns, but a row has an index outside them")
        parts = data.astype(np.float64, copy=False), columns.astype(np.int32, copy=False), starts
        X = float64.exact_matrix(sp.csr_array(parts, shape=(batch.num_rows, width)))
        check_finite(X, names, before)
        X, self.names = chosen(X, names, self.reading)
        self.width = max(self.width, X.shape[1])
        present = set(batch.schema.names)
        label = "label" if "label" in present and self.reading.label is not False else None
        weights = batch.column("weight").to_numpy(zero_copy_only=False) if "weight" in present else None
        if weights is not None and not ((weights >= 0) & (weights < np.inf)).all():
            raise ValueError("the weights are not all finite and at least 0")
        tags = batch.column("tag").fill_null("").to_pylist() if "tag" in present else None
        return Block(X, self._labels(batch, label), weights, tags, 0, [])


def _parts(lists: Any) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """Where the rows of a column of lists begin and end, and what is in them all."""
    offsets = np.asarray(lists.offsets, dtype=np.int64)
    values = lists.values.slice(offsets[0], offsets[-1] - offsets[0])
    if lists.null_count or values.null_count:
        raise ValueError("a row of the sparse layout, or an entry of it, is missing")
    return offsets - offsets[0], np.asarray(values)


def _notes(schema: Any) -> dict[str, Any]:
    """What `convert` wrote about the columns."""
    found = json.loads((schema.metadata or {}).get(METADATA, b"{}"))
    if isinstance(found, dict):
        width, names = found.get("width", 0), found.get("names")
        if names is not None:
            texts = isinstance(names, list) and all(isinstance(name, str) for name in names)
            width = width if texts and len(set(names)) == len(names) == width else None
        if isinstance(width, int) and 0 <= width < 2**31:
            return found
    raise ValueError("what the metadata say about the columns cannot be")
