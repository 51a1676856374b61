"""The files of NumPy: an array, or an archive of them, read without trust in what their headers say."""

from __future__ import annotations

import io
import math
import os
import zipfile
from collections.abc import Sequence
from typing import Any, BinaryIO, Literal

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from novikoff.data.sources import BLOCK, DamagedError, Source

MAGIC = b"\x93NUMPY"

_HEADERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}


def load(source: Source, wanted: Sequence[str]) -> NDArray[Any] | dict[str, NDArray[Any]]:
    """The array of a file, mapped where it can be; of an archive the arrays that are wanted, by name."""
    path = source.plain
    try:
        single = source.peek(len(MAGIC)) == MAGIC
        with open(path, "rb") if path is not None else io.BytesIO(source.read()) as file:
            if single:
                return _array(file, _size(file), path)
            with zipfile.ZipFile(file) as archive:
                return dict(_member(archive, name) for name in wanted if f"{name}.npy" in archive.namelist())
    except DamagedError:
        raise
    except Exception as error:  # NumPy and zipfile do not tell what they raise for files that are damaged
        reason = str(error).partition("\n")[0] or type(error).__name__
        raise ValueError(f"{source.name} cannot be read as a NumPy file: {reason}") from None


def _member(archive: zipfile.ZipFile, name: str) -> tuple[str, NDArray[Any]]:
    member = archive.getinfo(f"{name}.npy")
    with archive.open(member) as file:
        try:
            return name, _array(file, member.file_size)
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from None


def _array(file: Any, size: int, path: str | None = None) -> NDArray[Any]:
    """The array of a file of this many bytes; memory is asked for when it is known that they are there."""
    try:
        shape, columns_first, dtype = _HEADERS[npy.read_magic(file)](file)
    except Exception:  # by a tokenizer, a parser, and NumPy's reading of types
        raise ValueError("the header is not one of versions 1 and 2 of the format") from None
    if dtype.hasobject:
        raise ValueError("Python objects are not read; save numbers or text")
    start, count = file.tell(), math.prod(shape)
    if min(shape, default=0) < 0 or count * dtype.itemsize != size - start:
        raise ValueError(f"{dtype} of {shape} takes {count * dtype.itemsize:,} bytes, but there are {size - start:,}")
    order: Literal["C", "F"] = "F" if columns_first else "C"
    if path is not None and count:
        return np.memmap(path, dtype, "r", start, shape, order)
    content = np.empty(size - start, dtype=np.uint8)
    filled = 0
    while more := file.readinto(content.data[filled : filled + BLOCK]):
        filled += more
    if filled < len(content):
        raise ValueError(f"{len(content):,} bytes are expected, but there are {filled:,}")
    found: NDArray[Any] = content.view(dtype).reshape(shape, order=order)
    if dtype.kind == "S":
        found = np.char.decode(found, "utf-8")
    if dtype.kind == "U" and found.size:
        found = found.astype(dtype.newbyteorder("="))
        if found.reshape(-1).view(np.uint32).max() > 0x10FFFF:
            raise ValueError("the text is not Unicode")
    return found


def _size(file: BinaryIO) -> int:
    size = file.seek(0, os.SEEK_END)
    file.seek(0)
    return size
