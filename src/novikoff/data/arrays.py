"""Arrays of NumPy and SciPy: ``.npy`` with the labels in a column, ``.npz`` with X, y and names by name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from novikoff import float64
from novikoff.data import npy, sources
from novikoff.data.block import Block, Inexact
from novikoff.data.columns import NO_LABEL, CellError, Column, Encoder, find_dropped, find_label, no_feature
from novikoff.data.options import Reading
from novikoff.data.sources import Source
from novikoff.examples import FLOATS

NUMBERS = "fiub"  # kinds of types
PARTS = ("data", "indices", "indptr", "shape")  # of a CSR matrix, as scipy.sparse.save_npz names them
MEMBERS = ("X", "format", *PARTS, "y", "names", "weights", "tags")  # of an archive


class ArrayReader:
    """Reads npy files by blocks of rows, and npz files at once."""

    dialect: None = None
    columns: tuple[Column, ...] = ()

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self.names: list[str] | None = None
        self.width = 0
        self._first: tuple[int, list[str] | None] | None = None

    def blocks(self, source: Source) -> Iterator[Block]:
        found = npy.load(source, MEMBERS)
        try:
            if isinstance(found, np.ndarray):
                yield from self._table(found)
            else:
                yield self._archive(found)
        except CellError as error:
            if isinstance(found, np.ndarray):  # whose columns have no names
                place = f"row {error.row + 1}, column {int(error.name) + 1}"
                raise ValueError(f"{source.name}, {place}: {error.message}") from None
            raise error.at(source.name, 0) from None
        except ValueError as error:
            raise ValueError(f"{source.name}: {error}") from None

    def _table(self, table: NDArray[Any]) -> Iterator[Block]:
        """An array of rows, the labels among its columns."""
        if table.ndim != 2 or table.dtype.kind not in NUMBERS or not table.shape[1]:
            raise ValueError(f"an array of numbers in two dimensions is expected, not {table.dtype} of {table.shape}")
        if not len(table):
            return
        names = [str(column) for column in range(table.shape[1])]
        dropped = find_dropped(names, False, self.reading)
        label = find_label(names, False, self.reading, dropped)
        if self.reading.label is None and label is not None:
            self.reading = replace(self.reading, label=label)
        left_out = {label} | dropped
        kinds = [None if column in left_out else "number" for column in range(table.shape[1])]
        encoder = Encoder(names, kinds, False, self.reading)
        self._same(encoder.width, None)
        columns = [int(name) + 1 for name in encoder.numeric]  # as a message counts them
        step = max(1, sources.BLOCK // max(1, table.strides[0]))
        for start in range(0, len(table), step):
            rows = table[start : start + step]
            y = None if label is None else np.array(rows[:, label])
            try:
                _check_labels(y, names[label or 0])
                features = np.delete(rows, [place for place in left_out if place is not None], axis=1)
                numbers, inexact = _floats(features, columns, start)
                X = encoder.encode(numbers, [])
            except CellError as error:
                raise CellError(start + error.row, error.name, error.message) from None
            self.names, self.width = encoder.names, encoder.width
            self.columns = encoder.columns(kinds, label=label)
            yield Block(X, y, None, None, 0, [], inexact, encoder.filled)

    def _archive(self, found: dict[str, NDArray[Any]]) -> Block:
        """An archive with X (or the parts of a CSR matrix) and perhaps y, names, weights and tags."""
        if "X" in found:
            X = np.ascontiguousarray(found["X"])
            if X.ndim != 2 or not X.shape[1]:
                raise ValueError(f"X is an array of shape {X.shape}; rows and columns are expected")
            X, inexact = _floats(X, range(1, X.shape[1] + 1), 0)
        elif set(PARTS) <= found.keys() and found.get("format", "csr") == "csr":
            X, inexact = _csr(*(found[part] for part in PARTS))
        else:
            raise ValueError("the archive holds neither X nor a CSR matrix (data, indices, indptr, shape)")
        check_finite(X, None)
        for name, size in (("names", X.shape[1]), ("y", X.shape[0]), ("weights", X.shape[0]), ("tags", X.shape[0])):
            part = found.get(name)
            if part is None:
                continue
            if part.ndim != 1 or part.dtype.kind not in (NUMBERS if name == "weights" else NUMBERS + "U"):
                raise ValueError(f"{name} is not a list of entries, but an array of {part.shape}, {part.dtype}")
            if len(part) != size:
                raise ValueError(f"{name} holds {len(part)} entries, but X is {X.shape[0]} by {X.shape[1]}")
        names, tags = ([str(text) for text in found[key]] if key in found else None for key in ("names", "tags"))
        if names is not None and len(set(names)) < len(names):
            raise ValueError("two columns have the same name")
        weights = found["weights"].astype(np.float64) if "weights" in found else None
        if weights is not None and not ((weights >= 0) & (weights < np.inf)).all():
            raise ValueError("the weights are not all finite and at least 0")
        X, names = chosen(X, names, self.reading)
        self._same(X.shape[1], names)
        self.names, self.width = names, X.shape[1]
        y = found.get("y") if self.reading.label is not False else None
        _check_labels(y, "y")
        return Block(X, y, weights, tags, 0, [], inexact)

    def _same(self, width: int, names: list[str] | None) -> None:
        if self._first is None:
            self._first = width, names
        if self._first != (width, names):
            raise ValueError("the columns are not those of the first file")


def chosen(X: Any, names: list[str] | None, reading: Reading) -> tuple[Any, list[str] | None]:
    """The columns of a model, in its order; those that a sparse matrix lacks are empty."""
    wanted = reading.wanted
    if wanted is not None and names is not None:
        index = {name: column for column, name in enumerate(wanted)}
        if not sp.issparse(X):
            lacking = next((name for name in wanted if name not in names), None)
            if lacking is not None:
                raise ValueError(no_feature(lacking, names, of_model=reading.features is not None))
            place = {name: column for column, name in enumerate(names)}
            return np.ascontiguousarray(X[:, [place[name] for name in wanted]]), list(wanted)
        targets = np.array([index.get(name, -1) for name in names], dtype=np.int32)
        return relabelled(X, targets[X.indices], len(index)), list(wanted)
    width = reading.width or (len(wanted) if wanted else None)
    if width is None or width == X.shape[1]:
        return X, names
    if not sp.issparse(X):
        raise ValueError(f"{X.shape[1]} columns, but {width} are expected")
    return relabelled(X, np.where(X.indices < width, X.indices, -1), width), None if names is None else names[:width]


def relabelled(X: Any, columns: NDArray[np.int32], width: int) -> Any:
    """X with its entries in other columns; -1 drops one."""
    keep = columns >= 0
    counts = np.concatenate([[0], np.cumsum(keep)])
    moved = sp.csr_array((X.data[keep], columns[keep], counts[X.indptr]), shape=(X.shape[0], width))
    moved.sort_indices()
    return moved


def check_finite(X: Any, names: Sequence[str] | None, before: int = 0) -> None:
    """Raise for the first number that is missing or infinite; so many rows of the file are before these."""
    finite = np.isfinite(X.data if sp.issparse(X) else X)
    if finite.all():
        return
    cell = int(np.argmin(finite))
    if sp.issparse(X):
        row, column, value = int(np.searchsorted(X.indptr, cell, side="right")) - 1, X.indices[cell], X.data[cell]
    else:
        row, column = divmod(cell, X.shape[1])
        value = X[row, column]
    where = column + 1 if names is None else repr(names[column])
    what = "the value is missing" if np.isnan(value) else f"{value} is not finite"
    raise ValueError(f"row {before + row + 1}, column {where}: {what}; every number must be finite here")


def _check_labels(y: NDArray[Any] | None, name: str) -> None:
    absent = np.isnan(y) if y is not None and y.dtype.kind == "f" else np.zeros(1, dtype=bool)
    if absent.any():
        raise CellError(int(np.argmax(absent)), name, NO_LABEL)


def _csr(
    data: NDArray[Any], indices: NDArray[Any], indptr: NDArray[Any], shape: NDArray[Any]
) -> tuple[Any, Inexact | None]:
    """The matrix of these parts, which are looked at first: SciPy would follow them out of its memory."""
    for part, kinds in ((data, NUMBERS), (indices, "iu"), (indptr, "iu"), (shape, "iu")):
        if part.ndim != 1 or part.dtype.kind not in kinds:
            raise ValueError("a part of the CSR matrix is not of its type")
    ends = indptr.astype(np.int64)
    n, d = shape.tolist() if len(shape) == 2 else (-1, -1)
    if not 0 <= d < 2**31 or len(ends) != n + 1:
        raise ValueError(f"a CSR matrix of shape {shape.tolist()} with {len(ends)} ends of rows cannot be")
    if ends[0] != 0 or (np.diff(ends) < 0).any() or not ends[-1] <= min(len(indices), len(data)):
        raise ValueError("the rows of the CSR matrix are not where its indptr says")
    columns = indices[: ends[-1]]
    if columns.size and not 0 <= columns.min() <= columns.max() < d:
        raise ValueError(f"the CSR matrix has {d} columns, but stores entries outside them")

    def row(k: int) -> int:
        return int(np.searchsorted(ends, k, side="right")) - 1

    values, lost = float64.floats(data[: ends[-1]], lambda k: f"row {row(k) + 1}, column {columns[k] + 1}")
    inexact = None if lost is None else Inexact.of(lost, row(lost.k), 0, str(columns[lost.k] + 1))
    X = sp.csr_array((_native(values), columns.astype(np.int32), ends), shape=(n, d))
    return float64.exact_matrix(X), inexact


def _floats(array: NDArray[Any], names: Sequence[Any], before: int) -> tuple[NDArray[Any], Inexact | None]:
    """The numbers as float32 or float64, and those that it does not hold; so many rows are before them."""
    if array.dtype.kind not in NUMBERS:
        raise ValueError(f"numbers are expected, not {array.dtype}")

    def place(k: int) -> str:
        return f"row {before + k // len(names) + 1}, column {names[k % len(names)]}"

    found, lost = float64.floats(array, place)
    if lost is None:
        return _native(found), None
    row, column = divmod(lost.k, len(names))
    return _native(found), Inexact.of(lost, row, before, str(names[column]))


def _native(array: NDArray[Any]) -> NDArray[Any]:
    kind = array.dtype.newbyteorder("=") if array.dtype in FLOATS else np.float64
    return array.astype(kind, copy=False)
