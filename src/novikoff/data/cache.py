"""A binary copy of a file, which is mapped into memory: the second pass runs at the speed of the page cache.

A copy is a directory: ``header.json`` and one raw little-endian file for each array. It is written beside its
place, the header last, and renamed. It is trusted only while the source has the size, times and inode of
when it was read, and its first and last bytes the same digest, and, because nothing waits for the disk, until the next
start of the machine.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from novikoff.data.dataset import Dataset, Skipped
from novikoff.data.options import Reading
from novikoff.data.reading import stream
from novikoff.data.sources import Source, files
from novikoff.examples import distinct, item
from novikoff.float64 import Rounded, joined
from novikoff.kernels.compile import cache_directory

with suppress(ImportError):  # Windows, where a directory cannot be opened either
    import fcntl

VERSION = 3
END = 1 << 16  # bytes at either end of a source that are hashed
PART = 1 << 20  # numbers that are converted at a time
GRACE = 60.0  # seconds in which a new directory need not be held yet


class Copy:
    """Where the copy of a source is, whether it exists or not."""

    def __init__(self, path: str | os.PathLike[str], reading: Reading, directory: Path | None = None) -> None:
        self.source = os.fspath(path)
        self.reading = reading
        text = json.dumps([os.path.abspath(self.source), asdict(reading)])
        name = hashlib.sha256(text.encode()).hexdigest()[:20]
        self.place = (directory or cache_directory() / "data") / name

    def open(self, watch: Callable[[int], None] | None = None) -> Dataset:
        """The examples, mapped; the copy is made, or made anew, where it is not there or stale.

        `watch` is called with the number of rows copied so far.
        """
        stamp = _stamp(self.source)
        header = self._header()
        if header is None or header["stamp"] != stamp:
            self._make(stamp, watch)
            header = self._header()
            assert header is not None
        return self._mapped(header)

    def remove(self) -> None:
        shutil.rmtree(self.place, ignore_errors=True)

    def _header(self) -> dict[str, Any] | None:
        try:
            header: dict[str, Any] = json.loads((self.place / "header.json").read_text("utf-8"))
            sizes = {name: (self.place / name).stat().st_size for name in header["sizes"]}
        except (OSError, ValueError, KeyError):
            return None
        return header if header.get("version") == VERSION and sizes == header["sizes"] else None

    def _make(self, stamp: Any, watch: Callable[[int], None] | None) -> None:
        _sweep(self.place.parent)
        partial = self.place.with_name(f"{self.place.name}.{secrets.token_hex(6)}.partial")
        partial.mkdir(parents=True)
        stack = ExitStack()
        try:
            with suppress(OSError):  # a file system without locks
                stack.enter_context(_held(partial))
            header = _write(partial, stream(self.source, None, **asdict(self.reading)), watch)
            sizes = {file.name: file.stat().st_size for file in partial.iterdir()}
            header |= {"version": VERSION, "stamp": stamp, "sizes": sizes}
            (partial / "header.json").write_text(json.dumps(header), encoding="utf-8")
            old = self.place.with_name(f"{partial.name}.old")
            if self.place.exists():
                self.place.rename(old)
            partial.rename(self.place)
            shutil.rmtree(old, ignore_errors=True)
        finally:
            stack.close()
            shutil.rmtree(partial, ignore_errors=True)

    def _mapped(self, header: dict[str, Any]) -> Dataset:
        n, d = header["shape"]
        kinds = header["kinds"]

        def mapped(name: str) -> Any:
            return _map(self.place / name, kinds[name])

        X: Any
        if "columns" in kinds:
            X = sp.csr_array((n, d))
            X.data, X.indices, X.indptr = mapped("values"), mapped("columns"), mapped("starts")
            X.has_sorted_indices = X.has_canonical_format = True
        else:
            X = mapped("values").reshape(n, d)
        y = mapped("labels") if "labels" in kinds else None
        if y is not None and header["classes"] is not None:
            y = np.array(header["classes"])[y]
        names = header["names"]
        return Dataset(
            X,
            y,
            None if names is None else np.array(names, dtype=object),
            mapped("weights") if "weights" in kinds else None,
            reading=Reading(**header["reading"]),
            bad=tuple(Skipped(*line) for line in header["bad"]),
            rounded=None if header["rounded"] is None else Rounded(**header["rounded"]),
        )


def _sweep(folder: Path) -> None:
    """Take away what killed processes left, and nobody holds."""
    for place in folder.glob("*.partial*"):
        with suppress(OSError):
            if place.stat().st_mtime < time.time() - GRACE:
                with _held(place):
                    shutil.rmtree(place, ignore_errors=True)


@contextmanager
def _held(directory: Path) -> Iterator[None]:
    """The directory is ours while the process lives; an OSError if it is another's, or cannot be held."""
    file = os.open(directory, os.O_RDONLY)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(file)


def _map(file: Path, kind: str) -> NDArray[Any]:
    """The array of a file; an empty one cannot be mapped."""
    return np.memmap(file, kind, "r").view(np.ndarray) if file.stat().st_size else np.empty(0, kind)


def _stamp(source: str) -> Any:
    """What changes when the source does. The time of the last change of the inode cannot be set back."""
    found = []
    for name in files(source):
        Source(name).close()  # says what is wrong with the path, if anything is
        with open(name, "rb") as file:
            status = os.fstat(file.fileno())
            ends = hashlib.sha256(file.read(END))
            file.seek(max(0, status.st_size - END))
            ends.update(file.read(END))
        found.append([name, status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino, ends.hexdigest()])
    return [found, _boot()]


def _boot() -> str:
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return ""


class _Arrays:
    """Files that arrays are appended to; a type that does not hold what comes gives way to one that does."""

    def __init__(self, place: Path) -> None:
        self._place = place
        self._files: dict[str, BinaryIO] = {}
        self.kinds: dict[str, str] = {}

    def append(self, name: str, array: NDArray[Any], kind: str) -> None:
        if name not in self._files:
            self._files[name] = (self._place / name).open("wb")
            self.kinds[name] = kind
        if (common := np.result_type(self.kinds[name], kind).str) != self.kinds[name]:
            self._again(name, common, lambda found: (found[i : i + PART] for i in range(0, len(found), PART)))
        content = np.ascontiguousarray(array, dtype=self.kinds[name])
        self._files[name].write(content.reshape(-1).view(np.uint8).data)

    def pad(self, name: str, parts: list[tuple[int, int]], width: int) -> None:
        """Rows of several widths, so many of each one after the other, become rows of one width."""

        def padded(found: NDArray[Any]) -> Iterator[NDArray[Any]]:
            start = 0
            for rows, before in parts:
                part = found[start : start + rows * before].reshape(rows, before)
                yield np.pad(part, ((0, 0), (0, width - before)))
                start += rows * before

        self._again(name, self.kinds[name], padded)

    def _again(self, name: str, kind: str, parts: Callable[[NDArray[Any]], Iterator[NDArray[Any]]]) -> None:
        """Write what is there again, in parts and in another type."""
        self._files[name].close()
        old = (self._place / name).rename(self._place / f"{name}.old")
        self._files[name] = (self._place / name).open("wb")
        for part in parts(_map(old, self.kinds[name])):
            self._files[name].write(np.ascontiguousarray(part, dtype=kind).reshape(-1).view(np.uint8).data)
        self.kinds[name] = kind
        old.unlink()

    def close(self) -> None:
        for file in self._files.values():
            file.close()


def _write(place: Path, chunks: Iterator[Dataset], watch: Callable[[int], None] | None) -> dict[str, Any]:
    """The arrays of all chunks, and what the header says of them."""
    rows = entries = width = 0
    widths: list[tuple[int, int]] = []  # of dense rows: how many in a chunk, and how wide
    codes: dict[Any, int] = {}  # of labels that are not numbers
    bad: list[Skipped] = []
    names, reading, rounded = None, Reading(), None
    with closing(_Arrays(place)) as out:
        for chunk in chunks:
            X, y = chunk.X, chunk.y
            if sp.issparse(X):
                out.append("values", X.data, "<f8")
                out.append("columns", X.indices, "<i4")
                out.append("starts", X.indptr[bool(rows) :] + np.int64(entries), "<i8")
                entries += X.nnz
            else:
                out.append("values", X, X.dtype.str)
                widths.append(X.shape)
            if y is not None and y.dtype.kind in "OU":
                for label in distinct(y):
                    codes.setdefault(item(label), len(codes))
                y = np.array([codes[label] for label in y.tolist()], dtype=np.int32)
            if y is not None:
                out.append("labels", y, y.dtype.str)
            if chunk.weights is not None and "weights" not in out.kinds:
                out.append("weights", np.ones(rows), "<f8")
            if "weights" in out.kinds:
                out.append("weights", np.ones(len(chunk)) if chunk.weights is None else chunk.weights, "<f8")
            rows, width = rows + len(chunk), X.shape[1]
            bad += chunk.bad
            rounded = joined(rounded, chunk.rounded)
            names, reading = chunk.names, chunk.reading
            del chunk, X, y  # before the next one is read
            if watch:
                watch(rows)
        if any(before != width for _, before in widths):
            out.pad("values", widths, width)
    return {
        "shape": [rows, width],
        "kinds": out.kinds,
        "classes": list(codes) or None,
        "names": None if names is None else names.tolist(),
        "reading": asdict(reading),
        "bad": bad,
        "rounded": None if rounded is None else asdict(rounded),
    }
