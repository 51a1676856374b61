"""A binary copy of a file, which is mapped into memory: the second pass runs at the speed of the page cache.

Each source, with the options that it is read with, has a directory, its home, and in it

- ``copy-N``: a copy; the newest has the highest number. It is ``header.json`` and one raw little-endian file for each
  array, and never changes. Whoever uses it shares its lock, whoever removes it holds that alone.
- ``lock``: whoever makes a copy holds it, and makes it in ``partial``, the header last, and renames that. So
  what is in ``partial`` when nobody holds the lock was left by a process that was killed.
- ``run-…``: the journals of `novikoff.fitting`.

A copy is trusted only while the source has the size, times and inode of when it was read, and the same digest of its
bytes (a large one: of its first and last bytes), and, because nothing waits for the disk, until the next start of the
machine. Everything here is for its owner alone, whatever the umask: the source may be.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import re
import secrets
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from novikoff.data.columns import Column
from novikoff.data.dataset import Dataset, Skipped
from novikoff.data.dialect import Dialect
from novikoff.data.idx import labels_of
from novikoff.data.options import Reading
from novikoff.data.reading import stream
from novikoff.data.sources import Source, files, opened
from novikoff.disk import locks
from novikoff.disk.places import cache_directory
from novikoff.examples import distinct, item
from novikoff.float64 import Rounded, joined

VERSION = 6
SMALL = 1 << 25  # bytes of a source, all its files together, that is hashed whole
END = 1 << 16  # bytes at either end of each file of a larger one that are hashed
PART = 1 << 20  # numbers that are converted at a time
LOCK = "lock"
_COPY = re.compile(r"copy-\d+")
_OURS = re.compile(rf"{LOCK}|copy-\d+|run-[0-9a-f]+-[0-9a-f]+|private-[0-9a-f]+")  # what may be in a home and be of use

_log = logging.getLogger("novikoff")


class _Found(NamedTuple):
    place: Path
    header: dict[str, Any]


class Copy:
    """Where the copies of a source are, whether there are any or not."""

    def __init__(self, path: str | os.PathLike[str], reading: Reading, directory: Path | None = None) -> None:
        self.source = os.fspath(path)
        self.reading = reading
        text = json.dumps([os.path.abspath(self.source), asdict(reading)])
        name = hashlib.sha256(text.encode()).hexdigest()[:20]
        self.home = (directory or cache_directory() / "data") / name

    @contextmanager
    def open(
        self, watch: Callable[[int], None] | None = None, *, fresh: bool = False, keep: bool = True
    ) -> Iterator[Dataset]:
        """The examples, mapped; nobody removes their copy meanwhile. It is made where it is not there, or stale.

        Of several processes one makes it, and the others wait for that. A file system without locks is no place for
        cooperation: each has a copy of its own there, which goes with it.

        Parameters
        ----------
        watch : called with the number of rows copied so far
        fresh : make it in any case
        keep : leave it for the next time; else it is removed, unless somebody else is using it
        """
        found = None
        try:
            with ExitStack() as held:
                try:
                    found = None if fresh else self._use(held, _stamp(self.source, self.reading))
                    found = found or self._make(held, fresh, watch)
                except locks.NoLocksError:
                    found = self._make_private(held, watch)
                yield _mapped(*found)
        finally:
            with suppress(OSError):
                self._tidy()
                if found and not keep:
                    discard(found.place)
                self.home.rmdir()  # if nothing is left there

    def _copies(self) -> list[Path]:
        """The newest last."""
        with suppress(FileNotFoundError), cured(self.home):
            return sorted((self.home / name for name in os.listdir(self.home) if _COPY.fullmatch(name)), key=_number)
        return []

    def _tidy(self) -> None:
        """Take away the old copies that nobody uses, and what a process left that was killed while it made one."""
        for place in self._copies()[:-1]:
            discard(place)
        if (self.home / LOCK).exists():
            with suppress(locks.LockedError), locks.exclusive(self.home / LOCK, wait=False, remove=True):
                self._sweep()

    def _use(self, held: ExitStack, stamp: Any) -> _Found | None:
        """The newest copy, if it is whole and of the source as it is. Nobody removes it while its lock is held."""
        copies = self._copies()
        if not copies:
            return None
        with ExitStack() as lock:
            try:
                with cured(self.home):
                    lock.enter_context(locks.shared(copies[-1] / LOCK))
            except FileNotFoundError:
                return None  # somebody has removed it
            header = _header(copies[-1])
            if header is None or header["stamp"] != stamp:
                return None
            held.enter_context(lock.pop_all())
            return _Found(copies[-1], header)

    def _make(self, held: ExitStack, fresh: bool, watch: Callable[[int], None] | None) -> _Found:
        with self._alone():
            stamp = _stamp(self.source, self.reading)
            found = None if fresh else self._use(held, stamp)  # somebody made it while we waited
            if found:
                return found
            self._sweep()
            try:
                made = self._written(held, self.home / "partial", stamp, watch)
                place = self.home / f"copy-{max(map(_number, self._copies()), default=0) + 1}"
                with cured(self.home):
                    made.place.rename(place)
            except BaseException:
                shutil.rmtree(self.home / "partial", ignore_errors=True)
                raise
            return _Found(place, made.header)

    def _make_private(self, held: ExitStack, watch: Callable[[int], None] | None) -> _Found:
        """A copy that nobody else knows of."""
        place = self.home / f"private-{secrets.token_hex(8)}"
        with cured(self.home):
            make_directory(self.home)
            (self.home / LOCK).unlink(missing_ok=True)  # which was of no use
        held.callback(shutil.rmtree, place, ignore_errors=True)
        return self._written(None, place, _stamp(self.source, self.reading), watch)

    def _written(self, held: ExitStack | None, place: Path, stamp: Any, watch: Callable[[int], None] | None) -> _Found:
        """A new copy; its lock is held from the beginning, so that nobody removes it between its making and its use."""
        with cured(self.home):
            place.mkdir(0o700)
            create(place / LOCK).close()
            if held:
                held.enter_context(locks.shared(place / LOCK))
        header = _write(place, stream(self.source, None, **asdict(self.reading)), watch)
        sizes = {file.name: file.stat().st_size for file in place.iterdir() if file.name != LOCK}
        header |= {"version": VERSION, "stamp": stamp, "sizes": sizes}
        with cured(self.home), create(place / "header.json") as file:
            file.write(json.dumps(header).encode())
        return _Found(place, header)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """The right to make a copy, and to sweep."""

        def waiting(holder: str) -> None:
            _log.warning("waiting for %s, which is making a copy of %s", holder, self.source)

        with ExitStack() as lock, cured(self.home):
            while True:
                make_directory(self.home)
                with suppress(FileNotFoundError):  # whoever used the home last has just removed it
                    lock.enter_context(locks.exclusive(self.home / LOCK, waiting=waiting, remove=True))
                    break
            held = lock.pop_all()
        with held:
            yield

    def _sweep(self) -> None:
        """Take away what processes that were killed left, or other versions."""
        for path in self.home.iterdir():
            if not _OURS.fullmatch(path.name):
                if path.is_dir() and not path.is_symlink():
                    shutil.rmtree(path, ignore_errors=True)
                else:
                    path.unlink(missing_ok=True)


def _number(place: Path) -> int:
    """That of a copy."""
    return int(place.name.removeprefix("copy-"))


def discard(place: Path) -> None:
    """Remove a directory with a lock, if nobody holds that; the header first, so that half a copy is none."""
    with suppress(OSError):
        with locks.exclusive(place / LOCK, wait=False, remove=True):
            (place / "header.json").unlink(missing_ok=True)
            for file in place.iterdir():
                if file.name != LOCK:
                    file.unlink()
        place.rmdir()


def make_directory(path: Path) -> None:
    """A directory for its owner alone, and so are those above it that have to be made."""
    if path.is_dir():
        return
    if path.parent != path:
        make_directory(path.parent)
    with suppress(FileExistsError):  # somebody else was faster
        path.mkdir(0o700)


def create(path: Path) -> BinaryIO:
    """A new file for its owner alone."""
    return open(path, "xb", opener=lambda name, flags: os.open(name, flags, 0o600))


@contextmanager
def cured(home: Path) -> Iterator[None]:
    """Errors of the directory of copies come with their cure; that something is not there is told as it is."""
    try:
        yield
    except (FileNotFoundError, locks.NoLocksError, locks.LockedError):
        raise
    except OSError as error:
        raise OSError(
            f"{error.filename or home}: {(error.strerror or str(error)).lower()}. The binary copy of the data is kept "
            "here: name another directory (--cache-dir, in Python cache=, or NOVIKOFF_CACHE_DIR)"
        ) from error


def _header(place: Path) -> dict[str, Any] | None:
    """What the header of a copy says, if the copy is whole and of this version."""
    try:
        header: dict[str, Any] = json.loads((place / "header.json").read_text("utf-8"))
        sizes = {name: (place / name).stat().st_size for name in header["sizes"]}
    except (OSError, ValueError, KeyError):
        return None
    return header if header.get("version") == VERSION and sizes == header["sizes"] else None


def _mapped(place: Path, header: dict[str, Any]) -> Dataset:
    n, d = header["shape"]
    kinds = header["kinds"]

    def mapped(name: str) -> Any:
        return _map(place / name, kinds[name])

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
        filled=header["filled"],
        dialect=None if header["dialect"] is None else Dialect(*header["dialect"]),
        columns=tuple(
            Column(name, kind, levels, tuple(samples), feature)
            for name, kind, levels, samples, feature in header["columns"]
        ),
        label_given=header["label_given"],
        rounded=None if header["rounded"] is None else Rounded(**header["rounded"]),
    )


def _map(file: Path, kind: str) -> NDArray[Any]:
    """The array of a file; an empty one cannot be mapped."""
    return np.memmap(file, kind, "r").view(np.ndarray) if file.stat().st_size else np.empty(0, kind)


def _stamp(source: str, reading: Reading) -> Any:
    """What changes when the source does, or a file beside it with its labels.

    The time of the last change of the inode cannot be set back.
    """
    names = files(source)
    for name in list(names):
        source_of_name = Source(name)  # says what is wrong with the path, if anything is
        try:
            if opened(source_of_name, reading) == "idx" and (labels := labels_of(name, reading)):
                names.append(labels)
        finally:
            source_of_name.close()
    whole = sum(os.stat(name).st_size for name in names) <= SMALL
    found = []
    for name in names:
        with open(name, "rb") as file:
            status = os.fstat(file.fileno())
            content = hashlib.sha256(file.read(SMALL if whole else END))
            file.seek(max(file.tell(), status.st_size - END))
            content.update(file.read(END))
        times = [status.st_mtime_ns, status.st_ctime_ns]
        found.append([os.path.abspath(name), status.st_size, *times, status.st_ino, content.hexdigest()])
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
        with cured(self._place):
            if name not in self._files:
                self._files[name] = create(self._place / name)
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

        with cured(self._place):
            self._again(name, self.kinds[name], padded)

    def _again(self, name: str, kind: str, parts: Callable[[NDArray[Any]], Iterator[NDArray[Any]]]) -> None:
        """Write what is there again, in parts and in another type."""
        self._files[name].close()
        old = (self._place / name).rename(self._place / f"{name}.old")
        self._files[name] = create(self._place / name)
        for part in parts(_map(old, self.kinds[name])):
            self._files[name].write(np.ascontiguousarray(part, dtype=kind).reshape(-1).view(np.uint8).data)
        self.kinds[name] = kind
        old.unlink()

    def close(self) -> None:
        with cured(self._place):
            for file in self._files.values():
                file.close()


def _write(place: Path, chunks: Iterator[Dataset], watch: Callable[[int], None] | None) -> dict[str, Any]:
    """The arrays of all chunks, and what the header says of them."""
    rows = entries = width = 0
    widths: list[tuple[int, int]] = []  # of dense rows: how many in a chunk, and how wide
    codes: dict[Any, int] = {}  # of labels that are not numbers
    bad: list[Skipped] = []
    names, reading, dialect, rounded, filled = None, Reading(), None, None, 0
    table: tuple[Column, ...] = ()
    label_given = True
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
            filled += chunk.filled
            rounded = joined(rounded, chunk.rounded)
            names, reading, dialect = chunk.names, chunk.reading, chunk.dialect
            table, label_given = chunk.columns, chunk.label_given
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
        "filled": filled,
        "dialect": dialect,
        "columns": table,
        "label_given": label_given,
        "rounded": None if rounded is None else asdict(rounded),
    }
