"""Where examples come from: a file, a pattern of files or standard input; compressed or not; in which format."""

from __future__ import annotations

import bz2
import glob
import gzip
import importlib
import io
import logging
import lzma
import os
import re
import stat
import sys
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Protocol, TypeVar

from novikoff.data import encodings
from novikoff.data.options import FORMATS, Reading
from novikoff.disk import atomic
from novikoff.words import said

_log = logging.getLogger("novikoff")

BINARY = ("parquet", "arrow", "npy", "npz", "idx")
SPREADSHEETS = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods", ".numbers")
BLOCK = 1 << 24  # bytes of text that are parsed at a time
HEAD = 1 << 16  # bytes in which the format is looked for

SUFFIXES = {
    ".svm": "svmlight",
    ".libsvm": "svmlight",
    ".svmlight": "svmlight",
    ".vw": "vw",
    ".csv": "csv",
    ".tsv": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
    ".npy": "npy",
    ".npz": "npz",
    ".idx": "idx",
    ".idx3-ubyte": "idx",
    ".arff": "arff",
}
COMPRESSIONS = {".gz": "gzip", ".bz2": "bz2", ".xz": "xz", ".zst": "zstd"}

_NUMBER = rb"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_SVMLIGHT = re.compile(rb"\s*%b(?:\s+(?:qid|cost|\d+):%b)*\s*(?:#.*)?" % (_NUMBER, _NUMBER))
_MAGIC = {
    b"PAR1": "parquet",
    b"ARROW1": "arrow",
    b"\xff\xff\xff\xff": "arrow",
    b"\x93NUMPY": "npy",
    b"PK\x03\x04": "npz",
}
LONGEST_MAGIC = max(map(len, _MAGIC))
_IDX = re.compile(rb"\0\0[\x08\x09\x0b-\x0e][^\0]", re.DOTALL)
_OLD_OFFICE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # .xls and its like
_NEW_OFFICE = re.compile(rb"PK\x03\x04.{26}(?:\[Content_Types\]\.xml|_rels/|xl/|mimetype)", re.DOTALL)
# Names or numbers between bars, and not a label with namespaces and features: no space beside a bar, and no colon.
_BARS = re.compile(rb"[A-Za-z_][^|:]*(?<! )\|(?![ |])[^:]*\Z|[-+.\d]+(?:\|[-+.\d]+){2,}\Z")
_DECLARATION = re.compile(rb'"?sep=.?"?')
_BZIP2 = re.compile(rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)")


T = TypeVar("T")


class DamagedError(ValueError):
    """Compressed data that cannot be read; the message begins with the name of the file."""


class _File(Protocol):
    def read(self, size: int = -1, /) -> bytes: ...

    def readinto(self, buffer: Any, /) -> int: ...

    def close(self) -> None: ...


class _Peekable(io.RawIOBase):
    """A stream whose first bytes can be looked at."""

    def __init__(self, file: Any, *, owned: bool = True) -> None:
        self._file: _File = file
        self._owned = owned  # whether it is closed with this one
        self._head = b""

    def peek(self, size: int) -> bytes:
        while len(self._head) < size and (more := self._file.read(size - len(self._head))):
            self._head += more
        return self._head[:size]

    def read(self, size: int | None = -1) -> bytes:
        if size is None or size < 0:
            head, self._head = self._head, b""
            return head + self._file.read()
        parts, left = [self._head[:size]], size - len(self._head)
        self._head = self._head[size:]
        while left > 0 and (more := self._file.read(min(left, BLOCK))):  # a damaged file may ask for any size
            parts.append(more)
            left -= len(more)
        return b"".join(parts)

    def readinto(self, buffer: Any) -> int:
        """Fill the buffer; less of it at the end alone."""
        into = memoryview(buffer)
        filled = min(len(self._head), len(into))
        into[:filled], self._head = self._head[:filled], self._head[filled:]
        while filled < len(into) and (more := self._file.readinto(into[filled:])):
            filled += more
        return filled

    def readable(self) -> bool:
        return True

    def close(self) -> None:
        if self._owned:
            self._file.close()
        super().close()


class Source:
    """One file, or standard input: its name, and its bytes, decompressed."""

    def __init__(self, name: str) -> None:
        self.name = "standard input" if name == "-" else name
        self._path = None if name == "-" else name
        try:
            file = sys.stdin.buffer if self._path is None else open(self._path, "rb")  # noqa: SIM115  # `close` does
        except FileNotFoundError:
            raise FileNotFoundError(f"{name}: there is no such file") from None
        except IsADirectoryError:
            raise IsADirectoryError(
                f'{name} is a directory: give a file, or a pattern such as "{name}/*.csv"'
            ) from None
        self._seekable = self._path is not None and not _is_stream(self._path)
        self._raw = raw = _Peekable(file, owned=self._path is not None)
        self._compression = _compression(raw.peek(10))
        self._file = raw if self._compression is None else _Peekable(_decompressed(raw, self._compression))
        self.encoding = encodings.UTF_8  # of the text; whoever reads it gets UTF-8

    def decode(self, encoding: str | None) -> None:
        """Read text that is written so; None: what its first bytes tell."""
        if encoding is None:
            encoding = encodings.found_in(self.peek(HEAD))
        if encoding.startswith(encodings.UTF_8):
            return
        if encodings.clearly_utf_8(self.peek(HEAD)):
            _log.warning(
                "careful: %s seems to be in UTF-8, but is read as %s, in which some letters become others: %s reads it",
                self.name,
                encoding,
                said("encoding", encodings.UTF_8),
            )
        self.encoding = encoding
        self._file = _Peekable(encodings.Recoded(self._file.read, encoding))

    def read(self, size: int = -1) -> bytes:
        """The next bytes; fewer than `size` at the end alone."""
        return self._told(lambda: self._file.read(size))

    def readinto(self, buffer: memoryview) -> int:
        """Fill the buffer with the next bytes; how many there were."""
        return self._told(lambda: self._file.readinto(buffer))

    def peek(self, size: int) -> bytes:
        """The first bytes."""
        return self._told(lambda: self._file.peek(size))

    @property
    def closed(self) -> bool:
        return self._raw.closed

    @property
    def plain(self) -> str | None:
        """The path of a file that can be mapped into memory as it is."""
        return self._path if self._compression is None and self._seekable else None

    def seekable(self) -> Any:
        """The file for readers that jump about in it; what is compressed, or comes through a pipe, is read first."""
        return self.plain or io.BytesIO(self.read())

    def close(self) -> None:
        self._raw.close()

    def _told(self, action: Callable[[], T]) -> T:
        try:
            return action()
        except EOFError:
            raise DamagedError(f"{self.name}: the compressed data end too early") from None
        except (zlib.error, lzma.LZMAError, gzip.BadGzipFile) as error:
            raise DamagedError(f"{self.name}: the compressed data are damaged ({error})") from None
        except OSError as error:
            if self._compression is None:
                raise
            early = "truncated" in str(error).lower()
            what = "end too early" if early else f"are damaged ({str(error).splitlines()[0]})"
            raise DamagedError(f"{self.name}: the compressed data {what}") from None


def sources(path: str | os.PathLike[str]) -> Iterator[Source]:
    """The files that a path, a pattern or "-" stands for, in order of their names; each is closed before the next."""
    for file in files(path):
        source = Source(file)
        try:
            yield source
        finally:
            source.close()


def files(path: str | os.PathLike[str]) -> list[str]:
    """The files that a path or a pattern stands for; "-" for itself."""
    name = os.fspath(path)
    if name == "-" or not glob.has_magic(name) or Path(name).exists():
        return [name]
    found = sorted(match for match in glob.glob(name, recursive=True) if not Path(match).is_dir())
    if not found:
        raise FileNotFoundError(f"{name}: no file matches")
    return found


def read_once(path: str | os.PathLike[str]) -> bool:
    """Whether some of the files can be read once only: standard input, a named pipe, the `<(command)` of a shell."""
    return any(name == "-" or _is_stream(name) for name in files(path))


def _is_stream(name: str) -> bool:
    try:
        mode = os.stat(name).st_mode
    except OSError:
        return False  # whoever opens it tells what is wrong
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def check_target(target: str | os.PathLike[str], *paths: str | os.PathLike[str]) -> None:
    """Raise, before any work is done, if no file can be put here, or if it is one of those that are read."""
    place = atomic.check(target)
    for path in paths:
        if any(name != "-" and place.exists() and Path(name).exists() and place.samefile(name) for name in files(path)):
            raise ValueError(f"{os.fspath(target)} is what is read here: write to another file")


def opened(source: Source, reading: Reading) -> str:
    """The format of a file: as it is asked for, by its name, else by its first bytes or its first line.

    From here on its text is UTF-8.
    """
    format = reading.format or named_format(source.name) or _magic_format(source.peek(LONGEST_MAGIC))
    if format in (None, "npz"):
        _refuse_spreadsheet(source)
    if format in BINARY:
        return format
    try:
        source.decode(reading.encoding)
    except encodings.NoMarkError as error:
        raise ValueError(f"{source.name}: {no_mark(error)}") from None
    if format is None and reading.delimiter is not None:
        return "csv"
    return format or recognized(source.name, content_format(source.peek(HEAD)))


def _refuse_spreadsheet(source: Source) -> None:
    head = source.peek(HEAD)
    if source.name.lower().endswith(SPREADSHEETS) or head.startswith(_OLD_OFFICE) or _NEW_OFFICE.match(head):
        raise ValueError(
            f"{source.name} is a spreadsheet, and those are not read: save its sheet as CSV, or in Python say "
            'pandas.read_excel(...).to_csv("table.csv", index=False)'
        )


def no_mark(error: encodings.NoMarkError) -> str:
    return f"every second byte is NUL: {error}; {said('encoding', error.encoding)} reads that"


def recognized(name: str, format: str | None) -> str:
    """The format, or an error if there is none."""
    if format is None:
        option = said("format", FORMATS[0])
        raise ValueError(f"{name}: the format is not recognized; {option} says it, or one of {', '.join(FORMATS[1:])}")
    return format


def named_format(name: str) -> str | None:
    """The format that the suffix of a name tells, one of compression left out."""
    path = Path(name)
    if path.suffix.lower() in COMPRESSIONS:
        path = path.with_suffix("")
    return SUFFIXES.get(path.suffix.lower())


def content_format(head: bytes) -> str | None:
    """The format that the first bytes of a file tell, the text of which is in UTF-8."""
    format = _magic_format(head)
    if format is not None:
        return format
    lines = (line.strip() for line in head.removeprefix(b"\xef\xbb\xbf").splitlines())
    line = next((line for line in lines if line and not line.startswith(b"#")), None)
    if line is None:
        return "svmlight" if not head.strip(b"\0 \t\r\n") or head.lstrip().startswith(b"#") else None
    if line.startswith(b"{"):
        return "jsonl"
    if line.startswith(b"%") or line.lower().startswith(b"@relation"):
        return "arff"
    if _BARS.match(line):
        return "csv"
    if b"|" in line:
        return "vw"
    if _SVMLIGHT.fullmatch(line):
        return "svmlight"
    if _DECLARATION.fullmatch(line):
        return "csv"
    return "tsv" if b"\t" in line else "csv" if b"," in line or b";" in line else None


def _magic_format(head: bytes) -> str | None:
    if _IDX.match(head):
        return "idx"
    return next((format for magic, format in _MAGIC.items() if head.startswith(magic)), None)


def pyarrow(module: str, what: str) -> Any:
    """A module of pyarrow, which is optional."""
    try:
        return importlib.import_module(module)
    except ImportError:
        raise ImportError(f"{what} need pyarrow: pip install 'novikoff[data]'") from None


def _compression(head: bytes) -> str | None:
    if head.startswith(b"\x1f\x8b"):
        return "gzip"
    if head.startswith(b"\xfd7zXZ\0"):
        return "xz"
    if head.startswith(b"\x28\xb5\x2f\xfd"):
        return "zstd"
    return "bz2" if _BZIP2.match(head) else None


def _decompressed(raw: Any, compression: str) -> Any:
    if compression == "gzip":
        return gzip.GzipFile(fileobj=raw)
    if compression == "bz2":
        return bz2.BZ2File(raw)
    if compression == "xz":
        return lzma.LZMAFile(raw)
    return pyarrow("pyarrow", "zst files").CompressedInputStream(raw, "zstd")
