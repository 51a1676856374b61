"""The bytes of a model file: 24 that say how long it is, a header in JSON, arrays, and the SHA-256 of all that."""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
import stat
import struct
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

# No text, no pickle, no zip; a transfer that changes line ends or drops the eighth bit changes it.
MAGIC = b"\x89NVK\r\n\x1a\n"
VERSION = 2  # that is written
OLDEST = 1  # that is read
PREFIX = struct.Struct("<8sIIQ")  # magic, version, length of the header, length of the file
DIGEST = 32
ALIGNMENT = 64
LONGEST_HEADER = 2**26
# Objects and lists that a long header may have, by its bytes. The shortest that a model has many of is an integer,
# {"int":"0x20000000000000"} with a comma; a header of empty ones takes thirty times its size in memory.
BYTES_A_BRACKET = 27
MORE_KEYS = 1000  # that all objects may have, beside one each: those of which there are many have one
DTYPES = ("<f8", "<i8", "<u4", "|u1")
MOST_DIMENSIONS = 2


class InvalidModel(ValueError):  # noqa: N818  # it reads better without Error
    """Not a model file, or a damaged one, or one that holds what no model has."""


class Content(NamedTuple):
    header: dict[str, Any]
    arrays: dict[str, NDArray[Any]]  # views of the file's bytes
    size: int
    digest: str
    version: int = VERSION


def pack(header: dict[str, Any], arrays: Mapping[str, NDArray[Any]]) -> list[bytes | memoryview]:
    """The file, in parts; an error if it could not be read again. The header gets its list of arrays."""
    plain = {name: _little(array) for name, array in arrays.items()}
    # Offsets count from the first byte after the header and its padding, and so do not depend on its length.
    layout, at = [], 0
    for name, array in plain.items():
        layout.append({"name": name, "dtype": array.dtype.str, "shape": list(array.shape), "offset": at})
        at = _aligned(at + array.nbytes)
    text = json.dumps({**header, "arrays": layout}, allow_nan=False, separators=(",", ":")).encode("ascii")
    if len(text) > LONGEST_HEADER:
        raise ValueError(
            f"the header would have {len(text):,} bytes, and {LONGEST_HEADER:,} are allowed: a certificate of so many "
            "columns is too long for a model file"
        )
    _check_size(text)
    start = _aligned(PREFIX.size + len(text))
    end = start + sum(_aligned(array.nbytes) for array in plain.values())
    parts: list[bytes | memoryview] = [PREFIX.pack(MAGIC, VERSION, len(text), end + DIGEST), text]
    parts.append(bytes(start - PREFIX.size - len(text)))
    for array in plain.values():
        parts += [array.reshape(-1).view(np.uint8).data, bytes(_aligned(array.nbytes) - array.nbytes)]
    sha = hashlib.sha256()
    for part in parts:
        sha.update(part)
    return [*parts, sha.digest()]


def read(path: str | os.PathLike[str]) -> Content:
    """The content of a file, its structure checked; `InvalidModel` names the path."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):  # before it is opened: a pipe would wait for somebody to write
            raise InvalidModel("this is a directory, or something else that is not a file")
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            _check_prefix(file.read(PREFIX.size), size)
            file.seek(0)
            return unpack(file.read(size))
    except InvalidModel as error:
        raise InvalidModel(f"{os.fspath(path)}: {error}") from None


def unpack(data: bytes) -> Content:
    """What the bytes of a file hold."""
    version, length = _check_prefix(data[: PREFIX.size], len(data))
    body, digest = memoryview(data)[:-DIGEST], data[-DIGEST:]
    if hashlib.sha256(body).digest() != digest:
        raise InvalidModel("the file is damaged: its SHA-256 is another")
    header = _parse(data[PREFIX.size : PREFIX.size + length])
    start = _aligned(PREFIX.size + length)
    _check_zeros(body[PREFIX.size + length : start])
    return Content(header, _arrays(header.pop("arrays", None), body[start:]), len(data), digest.hex(), version)


def _check_prefix(begin: bytes, size: int) -> tuple[int, int]:
    """The version, and the length of the header."""
    if size == 0:
        raise InvalidModel("the file is empty")
    if not begin.startswith(MAGIC[: len(begin)]):
        if begin.startswith(b"\x80"):
            raise InvalidModel("this looks like a pickle, which is not opened: reading it could run anything")
        raise InvalidModel("this is not a model file: it does not begin as one")
    if len(begin) < PREFIX.size:
        raise InvalidModel(f"the file is cut off after {size} bytes")
    _, version, length, stated = PREFIX.unpack(begin)
    if version > VERSION:
        raise InvalidModel(f"made by a newer novikoff: version {version}, this one reads {VERSION}")
    if version < OLDEST:
        raise InvalidModel(f"there is no version {version} of the format: this novikoff reads {OLDEST} to {VERSION}")
    if size < stated:
        raise InvalidModel(f"the file is cut off: it has {size:,} bytes and says {stated:,}")
    if size > stated:
        raise InvalidModel(f"the file goes on after its end: it has {size:,} bytes and says {stated:,}")
    if length > LONGEST_HEADER or _aligned(PREFIX.size + length) + DIGEST > size:
        raise InvalidModel(f"a header of {length:,} bytes does not fit into this file")
    return int(version), int(length)


# The header --------------------------------------------------------------------------------------


_TO_A_BRACKET = re.compile(rb'(?:[^"\[{]++|"(?:[^"\\]++|\\.)*+")*+[\[{]', re.DOTALL)
_TO_A_BRACE_OR_COLON = re.compile(rb'(?:[^"{:]++|"(?:[^"\\]++|\\.)*+")*+([{:])', re.DOTALL)


def _one_after_the_other(pattern: re.Pattern[bytes], text: bytes) -> Iterator[re.Match[bytes]]:
    """Matches that begin where the last one ended. (`finditer` would search on from every byte after the last one.)"""
    found = pattern.match(text)
    while found:
        yield found
        found = pattern.match(text, found.end())


def _check_size(text: bytes) -> None:
    """Refuse a header of so many objects, lists and keys that to parse it would cost more than any model does.

    What is within names does not count, but takes time to tell apart.
    """
    most = 1000 + len(text) // BYTES_A_BRACKET
    if text.count(b"{") + text.count(b"[") > most:
        for count, _ in enumerate(_one_after_the_other(_TO_A_BRACKET, text), start=1):
            if count > most:
                raise InvalidModel(f"its header has more than {most:,} objects and lists, which no model has")
    if text.count(b":") > MORE_KEYS:
        more = 0
        for found in _one_after_the_other(_TO_A_BRACE_OR_COLON, text):
            more += 1 if found[1] == b":" else -1
            if more > MORE_KEYS:
                raise InvalidModel(f"its objects have more than {MORE_KEYS:,} keys beside one each, as no model's have")


def _parse(text: bytes) -> dict[str, Any]:
    _check_size(text)
    try:
        header = json.loads(
            text.decode("utf-8"), object_pairs_hook=_no_twins, parse_constant=_no_constant, parse_float=_finite
        )
    except RecursionError:
        raise InvalidModel("its header is nested too deeply") from None
    except InvalidModel:
        raise
    except ValueError as error:
        raise InvalidModel(f"its header is not JSON: {error}") from None
    if type(header) is not dict:
        raise InvalidModel("its header is not a JSON object")
    return header


def _no_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise InvalidModel("its header has the same key twice")
    return found


def _no_constant(name: str) -> NoReturn:
    raise InvalidModel(f"its header has {name}, which is not JSON")


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise InvalidModel("its header has a number that is not a float64")
    return number


# Arrays ------------------------------------------------------------------------------------------


def _arrays(layout: Any, body: memoryview) -> dict[str, NDArray[Any]]:
    """Views of the arrays, which fill the body in the order of the list, with no room but for alignment."""
    if type(layout) is not list:
        raise InvalidModel("its header has no list of arrays")
    found: dict[str, NDArray[Any]] = {}
    at = 0
    for entry in layout:
        if type(entry) is not dict or entry.keys() != {"name", "dtype", "shape", "offset"}:
            raise InvalidModel("an array is not stated by name, dtype, shape and offset")
        name, dtype, shape, offset = (entry[key] for key in ("name", "dtype", "shape", "offset"))
        if type(name) is not str or name in found:
            raise InvalidModel("an array has no name of its own")
        if type(dtype) is not str or dtype not in DTYPES:
            raise InvalidModel(f"array {name[:40]!r} is not of a known type: {', '.join(DTYPES)}")
        lengths = type(shape) is list and all(type(n) is int and 0 <= n <= len(body) for n in shape)
        if not lengths or not 1 <= len(shape) <= MOST_DIMENSIONS:
            raise InvalidModel(f"the shape of array {name[:40]!r} does not fit into the file")
        count = math.prod(shape)
        size = count * np.dtype(dtype).itemsize
        if type(offset) is not int or offset != at or at + size > len(body):
            raise InvalidModel(f"array {name[:40]!r} is not where it should be, or does not fit into the file")
        found[name] = np.frombuffer(body, dtype, count, at).reshape(shape) if count else np.empty(shape, dtype)
        _check_zeros(body[at + size : _aligned(at + size)])
        at = _aligned(at + size)
    if at != len(body):
        raise InvalidModel("there is something after the last array")
    return found


def _little(array: NDArray[Any]) -> NDArray[Any]:
    return np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))


def _aligned(size: int) -> int:
    return -(-size // ALIGNMENT) * ALIGNMENT


def _check_zeros(padding: memoryview) -> None:
    if any(padding):
        raise InvalidModel("there is something between the arrays")
