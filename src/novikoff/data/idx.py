"""IDX, the format of MNIST: a file of images, or any array, and one of their labels beside it.

A file is two NULs, a byte for the type, one for the number of dimensions, these in 32 bits each, and the numbers, all
with the most significant byte first.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff.data import sources
from novikoff.data.block import Block
from novikoff.data.columns import MOST_COLUMNS, CellError, Encoder
from novikoff.data.options import Reading
from novikoff.data.sources import Source
from novikoff.float64 import shown
from novikoff.words import said

TYPES = {0x08: ">u1", 0x09: ">i1", 0x0B: ">i2", 0x0C: ">i4", 0x0D: ">f4", 0x0E: ">f8"}
_NAMES = re.compile("images(?!.*images)")  # the last of them


class IdxReader:
    """Reads arrays by blocks of rows: all dimensions but the first are the columns of a row."""

    dialect: None = None
    columns: tuple[()] = ()  # as many as an image has points: nothing to tell

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self.names: list[str] | None = None
        self.width = 0

    def blocks(self, source: Source) -> Iterator[Block]:
        shape, dtype = _header(source)
        if len(shape) < 2:
            raise ValueError(
                f"{source.name}: an IDX file of one dimension holds labels; give the file of the images, "
                f"and this one as {said('label', os.path.basename(source.name))} if it has an uncommon name"
            )
        width = math.prod(shape[1:])
        if not 0 < width <= MOST_COLUMNS:
            raise ValueError(f"{source.name}: {shown(width)} numbers a row; from 1 to {MOST_COLUMNS:,} are read")
        if self.width not in (0, width):
            raise ValueError(f"{source.name}: the columns are not those of the first file")
        if self.reading.width not in (None, width):
            raise ValueError(f"{source.name}: {width} columns, but {said('width', self.reading.width)}")
        labels = self._labels(source.name, shape[0])
        names = [str(column) for column in range(width)]
        encoder = Encoder(names, ["number"] * width, named=False, reading=self.reading)
        step = max(1, sources.BLOCK // (8 * width))
        for start in range(0, shape[0], step):
            rows = _read(source, dtype, (min(step, shape[0] - start), width))
            numbers = rows.astype(np.float64 if dtype in (">i4", ">f8") else np.float32)  # which holds them all
            try:
                X = encoder.encode(numbers, [])
            except CellError as error:
                place = f"row {start + error.row + 1}, column {int(error.name) + 1}"
                raise ValueError(f"{source.name}, {place}: {error.message}") from None
            self.width = encoder.width
            self.names = encoder.names
            y = None if labels is None else labels[start : start + len(rows)]
            yield Block(X, y, None, None, 0, [], filled=encoder.filled)
        _check_end(source)

    def _labels(self, name: str, count: int) -> NDArray[Any] | None:
        """The labels of so many images."""
        path = labels_of(name, self.reading)
        if path is None:
            return None
        labels = Source(path)
        try:
            if sources.opened(labels, Reading()) != "idx":
                raise ValueError(f"{path}: an IDX file of labels is expected")
            shape, dtype = _header(labels)
            if len(shape) != 1:
                raise ValueError(f"{path}: an IDX file of labels has one dimension, and this one {len(shape)}")
            if shape[0] != count:
                raise ValueError(f"{path}: {shape[0]:,} labels, but {name} has {count:,} rows")
            found = _read(labels, dtype, shape)
            _check_end(labels)
        finally:
            labels.close()
        return found.astype(np.float64 if dtype in (">f4", ">f8") else np.int64)


def labels_of(name: str, reading: Reading) -> str | None:
    """The file with the labels of a file of images: the one that is named, else the one that is usually there."""
    label = reading.label
    if label is False:
        return None
    if isinstance(label, str):
        beside = Path(name).parent / label
        return label if os.path.exists(label) or not beside.exists() else str(beside)
    if label is not None:
        raise ValueError(f"{said('label', label)}: the labels of an IDX file are in a file of their own; give its name")
    directory, base = os.path.split(name)
    usual = re.sub(r"idx\d", "idx1", _NAMES.sub("labels", base))
    if usual == base or "images" not in base:
        return None
    plain = usual.removesuffix(".gz")
    found = [os.path.join(directory, each) for each in (usual, plain, f"{plain}.gz")]
    return next((each for each in found if os.path.exists(each)), None)


def _header(source: Source) -> tuple[tuple[int, ...], str]:
    """The dimensions of an array, and the type of its numbers."""
    magic = source.read(4)
    if len(magic) < 4 or magic[:2] != b"\0\0" or magic[2] not in TYPES or not magic[3]:
        raise ValueError(f"{source.name} is no IDX file: it begins with {magic!r}")
    sizes = source.read(4 * magic[3])
    if len(sizes) < 4 * magic[3]:
        raise ValueError(f"{source.name}: the IDX file ends within its header")
    return tuple(np.frombuffer(sizes, ">u4").tolist()), TYPES[magic[2]]


def _read(source: Source, dtype: str, shape: tuple[int, ...]) -> NDArray[Any]:
    """The next numbers. Memory is taken for those that come, and not for those that the header promises."""
    size = math.prod(shape) * np.dtype(dtype).itemsize
    content = source.read(size)
    if len(content) < size:
        raise ValueError(f"{source.name}: the IDX file ends before the {shape[0]:,} rows that its header promises")
    return np.frombuffer(content, dtype).reshape(shape)


def _check_end(source: Source) -> None:
    if source.read(1):
        raise ValueError(f"{source.name}: the IDX file goes on behind the rows that its header tells of")
