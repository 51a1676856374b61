"""`convert`: from any format to any other, chunk by chunk."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import os
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import reduce
from itertools import chain, pairwise
from pathlib import Path
from typing import Any, ClassVar, Unpack

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from novikoff.data.arrow import METADATA
from novikoff.data.dataset import Dataset
from novikoff.data.options import DELIMITERS, FORMATS, Options, takes_options
from novikoff.data.reading import read, stream
from novikoff.data.sources import COMPRESSIONS, named_format, pyarrow, read_once
from novikoff.disk import atomic
from novikoff.float64 import joined
from novikoff.words import said

CHUNK = 1 << 14  # rows that are converted at a time
WIDEST = 10_000  # columns that are written one by one
ONLY_READ = ("idx", "arff")
LABEL = "label"  # the name of the column of labels

_NOT_IN_VW = re.compile(r"[\s:|]|^$")


@takes_options
def convert(
    source: str | os.PathLike[str],
    target: str | os.PathLike[str],
    *,
    to: str | None = None,
    **options: Unpack[Options],
) -> int:
    """Write the examples of `source` in the format that the name of `target` tells, or `to`; how many there are.

    Numbers are written so that they are read back to the last bit; those of the source that float64 does not hold are
    rounded, with a warning. The target appears when it is complete. The
    options are those of `read`. Text, Parquet and Arrow files are written in memory that does not grow.

    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder) / "xor.csv"
    ...     _ = file.write_text("a,b,label\\n0,0,0\\n0,1,1\\n1,0,1\\n1,1,0\\n")
    ...     convert(file, file.with_suffix(".vw"))
    ...     print(file.with_suffix(".vw").read_text())
    4
    0 |
    1 | b
    1 | a
    0 | a b
    """
    name = os.fspath(target)
    format = to or named_format(name)
    if format in ONLY_READ:
        raise ValueError(f"{name}: {format} is read, and not written; {said('to', 'csv')} writes a table")
    if format not in FORMATS:
        raise ValueError(f"{name}: the format is not recognized; say to= one of {', '.join(_WRITERS)}")
    writer = _WRITERS[format]
    if writer.whole:
        chunks, shape = iter([whole := read(source, **options)]), _Shape.of(whole)
    else:
        chunks, shape = _planned(source, options, writer)
    count, rounded = 0, None
    with (
        atomic.replacing(name) as place,
        open(place, "wb", closefd=False) as raw,
        _compressed(raw, COMPRESSIONS.get(Path(name).suffix.lower())) as file,
    ):
        out = writer(file, shape, format)
        try:
            for chunk in chunks:
                out.write(shape.fitted(chunk))
                count += len(chunk)
                rounded = joined(rounded, chunk.rounded)
        finally:
            out.close()
    if rounded is not None:
        rounded.warn()
    return count


@dataclass(frozen=True)
class _Shape:
    """What a writer must know of all examples before the first is written."""

    width: int
    names: NDArray[np.object_] | None
    labels: np.dtype[Any] | None
    weights: bool
    tags: bool
    sparse: bool

    @classmethod
    def of(cls, ds: Dataset) -> _Shape:
        labels = None if ds.y is None else ds.y.dtype
        return cls(ds.X.shape[1], ds.names, labels, ds.weights is not None, ds.tags is not None, sp.issparse(ds.X))

    def joined(self, ds: Dataset) -> _Shape:
        """The shape of these examples and of those before them."""
        new = _Shape.of(ds)
        labels = new.labels if self.labels is None or new.labels is None else np.result_type(self.labels, new.labels)
        return replace(new, labels=labels, weights=self.weights or new.weights, tags=self.tags or new.tags)

    def fitted(self, ds: Dataset) -> Dataset:
        """A chunk with the columns of all."""
        X = ds.X
        if X.shape[1] < self.width:
            if sp.issparse(X):
                X = sp.csr_array((X.data, X.indices, X.indptr), shape=(X.shape[0], self.width))
            else:
                X = np.hstack([X, np.zeros((X.shape[0], self.width - X.shape[1]), dtype=X.dtype)])
        return replace(ds, X=X, names=ds.names if self.names is None else self.names)


def _planned(
    source: str | os.PathLike[str], options: Options, writer: type[_Writer]
) -> tuple[Iterator[Dataset], _Shape]:
    """The examples in chunks, and what is known of all of them: after a first reading, if the writer needs it."""
    chunks = stream(source, CHUNK, **options)
    first = next(chunks)
    shape = _Shape.of(first)
    if not writer.foresight:
        return chain([first], chunks), replace(shape, names=None)
    if not shape.sparse and first.reading.missing != "column" and not (shape.labels and shape.labels.kind == "i"):
        return chain([first], chunks), shape  # no new columns, and no whole numbers that become others
    if read_once(source):
        held = [first, *chunks]
        return iter(held), reduce(_Shape.joined, held, shape)
    return stream(source, CHUNK, **options), reduce(_Shape.joined, chunks, shape)


class _Writer(ABC):
    """Writes examples in one format to a file."""

    whole: ClassVar[bool] = False  # whether it needs all examples at once
    foresight: ClassVar[bool] = False  # whether it needs to know the shape of all before the first

    def __init__(self, file: Any, shape: _Shape, format: str) -> None:
        self.file = file
        self.shape = shape
        self.format = format

    @abstractmethod
    def write(self, ds: Dataset) -> None: ...

    def close(self) -> None:  # noqa: B027  # most formats have no end
        """Finish the file; it stays open."""

    def no_weights(self, ds: Dataset) -> None:
        if ds.weights is not None:
            raise ValueError(f"the examples have an importance, which {self.format} cannot hold: use vw, jsonl or npz")

    def narrow(self) -> None:
        if self.shape.width > WIDEST:
            raise ValueError(
                f"{self.shape.width:,} columns are too many for {self.format}, which writes all of them for every "
                "example: use parquet, arrow, npz, svmlight, vw or jsonl"
            )


class _Svmlight(_Writer):
    """Columns count from 1; their names are not written."""

    def write(self, ds: Dataset) -> None:
        self.no_weights(ds)
        X = sp.csr_array(ds.X)
        columns = (X.indices.astype(np.int64) + 1).tolist()
        cells = [f" {column}:{_text(value)}" for column, value in zip(columns, X.data.tolist(), strict=True)]
        labels = _number_labels(ds.y, self.format)
        self.file.write(
            "".join(f"{label}{cells}\n" for label, cells in zip(labels, _rows(X, cells), strict=True)).encode()
        )


class _Vw(_Writer):
    def write(self, ds: Dataset) -> None:
        X = sp.csr_array(ds.X)
        names = _column_names(ds)
        wrong = next((name for name in names if _NOT_IN_VW.search(name)), None)
        if wrong is not None:
            raise ValueError(f"the column {wrong!r} cannot be written in vw, where names have no space, ':' or '|'")
        columns, values = X.indices.tolist(), X.data.tolist()
        cells = [
            f" {names[column]}" if value == 1 else f" {names[column]}:{_text(value)}"
            for column, value in zip(columns, values, strict=True)
        ]
        heads = [""] * len(ds) if ds.y is None else [f"{label} " for label in _number_labels(ds.y, self.format)]
        if ds.weights is not None:
            if ds.y is None:
                raise ValueError("an importance in vw needs a label before it, and these examples have none")
            heads = [f"{head}{_text(weight)} " for head, weight in zip(heads, ds.weights.tolist(), strict=True)]
        if ds.tags is not None:
            heads = [f"{head}'{tag}" if tag else head for head, tag in zip(heads, ds.tags, strict=True)]
        lines = "".join(f"{head}|{cells}\n" for head, cells in zip(heads, _rows(X, cells), strict=True))
        self.file.write(lines.encode(errors="surrogateescape"))


class _Table(_Writer):
    """The labels are the last column; without names there is no first line for them."""

    foresight = True

    def __init__(self, file: Any, shape: _Shape, format: str) -> None:
        super().__init__(file, shape, format)
        self.narrow()
        self._delimiter = DELIMITERS[format]
        if shape.names is not None:
            names = [self._quoted(str(name)) for name in [*shape.names, *_label_name(shape)]]
            file.write((self._delimiter.join(names) + "\n").encode())

    def write(self, ds: Dataset) -> None:
        self.no_weights(ds)
        labels = [[]] * len(ds) if ds.y is None else [[self._quoted(str(label))] for label in ds.y.tolist()]
        step = max(1, (1 << 20) // max(1, self.shape.width))
        for start in range(0, len(ds), step):
            rows = _dense(ds.X[start : start + step]).tolist()
            lines = (
                self._delimiter.join([*map(_text, row), *label]) + "\n"
                for row, label in zip(rows, labels[start : start + step], strict=True)
            )
            self.file.write("".join(lines).encode())

    def _quoted(self, cell: str) -> str:
        """A cell as it is written: in quotes if it holds a quote, a delimiter or a line end."""
        if any(mark in cell for mark in (self._delimiter, '"', "\n", "\r")):
            return '"' + cell.replace('"', '""') + '"'
        return cell


class _JsonLines(_Writer):
    def write(self, ds: Dataset) -> None:
        heads: list[dict[str, Any]] = [{} for _ in range(len(ds))]
        for key, values in (("label", ds.y), ("weight", ds.weights), ("tag", ds.tags)):
            if values is not None:
                for head, value in zip(heads, values if isinstance(values, list) else values.tolist(), strict=True):
                    head[key] = value
        if ds.names is None and not sp.issparse(ds.X):
            bodies: Iterator[Any] = ({"x": row} for row in ds.X.tolist())
        else:
            X, names = sp.csr_array(ds.X), _column_names(ds)
            cells = list(zip((names[column] for column in X.indices.tolist()), X.data.tolist(), strict=True))
            ends = X.indptr.tolist()
            bodies = ({"features": dict(cells[a:b])} for a, b in pairwise(ends))
        lines = (json.dumps({**head, **body}) + "\n" for head, body in zip(heads, bodies, strict=True))
        self.file.write("".join(lines).encode())


class _Arrow(_Writer):
    """Dense rows as columns, sparse rows as lists (`novikoff.data.arrow`); Parquet or Arrow."""

    foresight = True

    def __init__(self, file: Any, shape: _Shape, format: str) -> None:
        super().__init__(file, shape, format)
        arrow = self._pa = pyarrow("pyarrow", f"{format} files")
        names = None if shape.names is None else [str(name) for name in shape.names]
        label = shape.labels
        types = [arrow.from_numpy_dtype(label) if label.kind in "biuf" else arrow.string()] if label is not None else []
        fields = [(LABEL, type) for type in types]
        if shape.sparse:
            notes: dict[str, Any] = {"width": shape.width, "names": names}
            fields += [("weight", arrow.float64())] * shape.weights + [("tag", arrow.string())] * shape.tags
            fields += [("indices", arrow.list_(arrow.int32())), ("values", arrow.list_(arrow.float64()))]
        else:
            self.narrow()
            notes = {"named": names is not None}
            names = names or [str(column) for column in range(shape.width)]
            fields = [(name, arrow.float64()) for name in names]
            fields += zip(_label_name(shape), types, strict=True)
        self._schema = arrow.schema(fields, metadata={METADATA: json.dumps(notes).encode()})
        if format == "parquet":
            self._out = pyarrow("pyarrow.parquet", "parquet files").ParquetWriter(
                file, self._schema, compression="zstd"
            )
        else:
            self._out = arrow.ipc.new_file(file, self._schema)

    def write(self, ds: Dataset) -> None:
        arrow = self._pa
        columns: dict[str, Any] = {} if ds.y is None else {LABEL: ds.y}
        if self.shape.sparse:
            X = ds.X
            if self.shape.weights:
                columns["weight"] = np.ones(len(ds)) if ds.weights is None else ds.weights
            if self.shape.tags:
                columns["tag"] = [""] * len(ds) if ds.tags is None else ds.tags
            offsets = arrow.array(X.indptr.astype(np.int32))
            columns["indices"] = arrow.ListArray.from_arrays(offsets, arrow.array(X.indices.astype(np.int32)))
            columns["values"] = arrow.ListArray.from_arrays(offsets, arrow.array(X.data.astype(np.float64)))
        else:
            self.no_weights(ds)
            columns |= {name: ds.X[:, j] for j, name in enumerate(_column_names(ds))}
        arrays = [self._array(columns[field.name], field.type) for field in self._schema]
        self._out.write_batch(arrow.record_batch(arrays, schema=self._schema))

    def _array(self, values: Any, type: Any) -> Any:
        if isinstance(values, np.ndarray) and values.dtype.kind in "biuf":
            return self._pa.array(values).cast(type)
        return values if isinstance(values, self._pa.Array) else self._pa.array(values, type)

    def close(self) -> None:
        self._out.close()


class _Npy(_Writer):
    whole = True

    def write(self, ds: Dataset) -> None:
        self.no_weights(ds)
        self.narrow()
        X = _dense(ds.X)
        if ds.y is not None:
            _number_labels(ds.y, self.format)
            X = np.column_stack([X, ds.y])
        np.save(self.file, X, allow_pickle=False)


class _Npz(_Writer):
    whole = True

    def write(self, ds: Dataset) -> None:
        X = ds.X
        if sp.issparse(X):
            parts = {"format": b"csr", "shape": X.shape, "data": X.data, "indices": X.indices, "indptr": X.indptr}
        else:
            parts = {"X": X}
        optional = {"y": ds.y, "names": ds.names, "weights": ds.weights, "tags": ds.tags}
        for name, values in optional.items():
            if values is not None:
                parts[name] = np.asarray(values, dtype=np.str_) if name in ("names", "tags") else values
        np.savez(_Sink(self.file), **parts)


_WRITERS: dict[str, type[_Writer]] = {
    "svmlight": _Svmlight,
    "vw": _Vw,
    "csv": _Table,
    "tsv": _Table,
    "jsonl": _JsonLines,
    "parquet": _Arrow,
    "arrow": _Arrow,
    "npy": _Npy,
    "npz": _Npz,
}


def _text(value: float) -> str:
    """The shortest text that `float` reads as this number."""
    return repr(value).removesuffix(".0")


def _rows(X: Any, cells: list[str]) -> Iterator[str]:
    ends = X.indptr.tolist()
    return ("".join(cells[a:b]) for a, b in pairwise(ends))


def _dense(X: Any) -> NDArray[Any]:
    found: NDArray[Any] = X.toarray() if sp.issparse(X) else X
    return found


def _column_names(ds: Dataset) -> list[str]:
    return [str(name) for name in (range(ds.X.shape[1]) if ds.names is None else ds.names)]


def _label_name(shape: _Shape) -> list[str]:
    """The name of the column of labels, which must not be that of another one."""
    if shape.labels is None:
        return []
    if shape.names is not None and LABEL in shape.names:
        raise ValueError(f"a column is called {LABEL!r}, which is the name of the labels: rename it")
    return [LABEL]


def _number_labels(y: NDArray[Any] | None, format: str) -> list[str]:
    if y is None:
        raise ValueError(f"the examples have no labels, which {format} needs")
    if y.dtype.kind not in "biuf":
        raise ValueError(f"the label {y[0]!s:.40} is text, but {format} holds numbers alone: use csv, jsonl or parquet")
    return [_text(float(label)) if isinstance(label, float) else str(int(label)) for label in y.tolist()]


@contextmanager
def _compressed(raw: Any, compression: str | None) -> Iterator[Any]:
    if compression is None:
        yield raw
    elif compression == "gzip":
        with gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as file:
            yield file
    elif compression == "bz2":
        with bz2.BZ2File(raw, "wb") as file:
            yield file
    elif compression == "xz":
        with lzma.LZMAFile(raw, "wb") as file:
            yield file
    else:
        pa = pyarrow("pyarrow", "zst files")
        with pa.CompressedOutputStream(pa.PythonFile(_Sink(raw), "w"), "zstd") as file:
            yield file


class _Sink(io.RawIOBase):
    """A file that its user writes to and does nothing else with: it neither seeks in it nor closes it."""

    def __init__(self, file: Any) -> None:
        self.write = file.write  # type: ignore[method-assign]  # every call goes straight there

    def writable(self) -> bool:
        return True
