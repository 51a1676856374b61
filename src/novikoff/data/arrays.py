"""Arrays of NumPy and SciPy: ``.npy`` with the labels in a column, ``.npz`` with X, y and names by name."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from novikoff.data import sources
from novikoff.data.block import Block
from novikoff.data.columns import CellError, Encoder, find_label
from novikoff.data.options import Reading
from novikoff.data.sources import DamagedError, Source
from novikoff.examples import FLOATS

PARTS = ("data", "indices", "indptr", "shape")  # of a CSR matrix, as scipy.sparse.save_npz names them


class ArrayReader:
    """Reads npy files by blocks of rows, and npz files at once."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self.names: list[str] | None = None
        self.width = 0
        self._first: tuple[int, list[str] | None] | None = None

    def blocks(self, source: Source) -> Iterator[Block]:
        try:
            with _loaded(source) as found:
                if isinstance(found, np.ndarray):
                    yield from self._table(found)
                else:
                    yield self._archive(found)
        except CellError as error:
            raise error.at(source.name, 0) from None
        except DamagedError:
            raise
        except (zipfile.BadZipFile, EOFError, KeyError) as error:
            raise ValueError(f"{source.name} is not a NumPy file: {error}") from None
        except ValueError as error:
            raise ValueError(f"{source.name}: {error}") from None

    def _table(self, table: NDArray[Any]) -> Iterator[Block]:
        """An array of rows, the labels among its columns."""
        if table.ndim != 2 or table.dtype.kind not in "fiub":
            raise ValueError(f"an array of numbers in two dimensions is expected, not {table.dtype} of {table.shape}")
        names = [str(column) for column in range(table.shape[1])]
        label = find_label(names, False, self.reading)
        if self.reading.label is None and label is not None:
            self.reading = replace(self.reading, label=label)
        kinds = ["number" if column != label else None for column in range(table.shape[1])]
        encoder = Encoder(names, kinds, False, self.reading)
        self._same(encoder.width, None)
        step = max(1, sources.BLOCK // max(1, table.strides[0]))
        for start in range(0, len(table), step):
            rows = table[start : start + step]
            y = None if label is None else np.array(rows[:, label])
            try:
                X = encoder.encode(_floats(np.delete(rows, [] if label is None else label, axis=1)), [])
            except CellError as error:
                raise CellError(start + error.row, error.name, error.message) from None
            self.names, self.width = encoder.names, encoder.width
            yield Block(X, y, None, None, 0, [])

    def _archive(self, found: Any) -> Block:
        """An archive with X (or the parts of a CSR matrix) and perhaps y, names, weights and tags."""
        if "X" in found:
            X = _floats(np.ascontiguousarray(found["X"]))
        elif "indptr" in found and found.get("format", np.array(b"csr")) == b"csr":
            data, indices, indptr, shape = (found[part] for part in PARTS)
            X = sp.csr_array((_floats(data), indices, indptr), shape=tuple(shape.tolist()))
            X.check_format(full_check=True)
            X.sum_duplicates()
        else:
            raise ValueError("the archive holds neither X nor a CSR matrix (data, indices, indptr, shape)")
        if X.ndim != 2:
            raise ValueError(f"X has {X.ndim} dimensions; two are expected")
        from novikoff.inputs import check_rows  # which waits for scikit-learn

        check_rows(X)
        n = X.shape[0]
        names = [str(name) for name in found["names"]] if "names" in found else None
        y = found["y"] if "y" in found and self.reading.label is not False else None
        weights = found["weights"].astype(np.float64) if "weights" in found else None
        tags = [str(tag) for tag in found["tags"]] if "tags" in found else None
        for name, part, size in (("names", names, X.shape[1]), ("y", y, n), ("weights", weights, n), ("tags", tags, n)):
            if part is not None and len(part) != size:
                raise ValueError(f"{name} holds {len(part)} entries, but X is {X.shape[0]} by {X.shape[1]}")
        X, names = chosen(X, names, self.reading)
        self._same(X.shape[1], names)
        self.names, self.width = names, X.shape[1]
        return Block(X, y, weights, tags, 0, [])

    def _same(self, width: int, names: list[str] | None) -> None:
        if self._first is None:
            self._first = width, names
        if self._first != (width, names):
            raise ValueError("the columns are not those of the first file")


def chosen(X: Any, names: list[str] | None, reading: Reading) -> tuple[Any, list[str] | None]:
    """The columns of a model, in its order; those that a sparse matrix lacks are empty."""
    if reading.columns is not None and names is not None:
        index = {name: column for column, name in enumerate(reading.columns)}
        if not sp.issparse(X):
            lacking = next((name for name in reading.columns if name not in names), None)
            if lacking is not None:
                raise ValueError(f"there is no column {lacking!r}, which the model needs")
            place = {name: column for column, name in enumerate(names)}
            return np.ascontiguousarray(X[:, [place[name] for name in reading.columns]]), list(reading.columns)
        targets = np.array([index.get(name, -1) for name in names], dtype=np.int32)
        return _relabelled(X, targets, len(index)), list(reading.columns)
    width = reading.width or (len(reading.columns) if reading.columns else None)
    if width is None or width == X.shape[1]:
        return X, names
    if not sp.issparse(X):
        raise ValueError(f"{X.shape[1]} columns, but {width} are expected")
    targets = np.arange(X.shape[1], dtype=np.int32)
    targets[width:] = -1
    return _relabelled(X, targets, width), None if names is None else names[:width]


def _relabelled(X: Any, targets: NDArray[np.int32], width: int) -> Any:
    """X with column j moved to targets[j]; -1 drops it."""
    columns = targets[X.indices]
    keep = columns >= 0
    counts = np.concatenate([[0], np.cumsum(keep)])
    moved = sp.csr_array((X.data[keep], columns[keep], counts[X.indptr]), shape=(X.shape[0], width))
    moved.sort_indices()
    return moved


def _floats(array: NDArray[Any]) -> NDArray[Any]:
    """The numbers as float32 or float64, none of them rounded."""
    if array.dtype in FLOATS:
        return array.astype(array.dtype.newbyteorder("="), copy=False)
    if array.dtype.kind not in "fiub":
        raise ValueError(f"numbers are expected, not {array.dtype}")
    floats = array.astype(np.float64)
    if array.dtype.kind in "iu" and array.size and max(int(array.max()), -int(array.min())) > 2**53:
        raise ValueError("X holds integers beyond 2^53, which float64 does not hold exactly")
    return floats


@contextmanager
def _loaded(source: Source) -> Iterator[Any]:
    """The array, or the archive, of a file; no pickles."""
    path = source.plain
    if path is not None and source.peek(6) == b"\x93NUMPY":
        yield np.load(path, mmap_mode="r", allow_pickle=False)
        return
    with open(path, "rb") if path is not None else io.BytesIO(source.read()) as file:
        yield np.load(file, allow_pickle=False)
