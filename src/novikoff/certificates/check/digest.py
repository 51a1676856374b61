"""The digest of the data, made of blocks as they come."""

from __future__ import annotations

import hashlib
import struct
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import numpy as np

from novikoff.certificates.check.data import Block, Data
from novikoff.certificates.reference.digest import BLOCK, sha256

SOON = 2**15  # so few are sooner hashed than handed to a thread; no result depends on it


def digest_of(version: int, data: Data, signs: Any, integers: str = "<i1") -> str:
    """Of many classes the signs are the places of the labels, integers of 32 bits ("<u4")."""
    found = Digest(version, data, signs, integers)
    with ThreadPoolExecutor(2) as pool:
        for block in data.blocks():
            found.update(block, pool)
        return found.hexdigest()


class Digest:
    """That of the reference, made of blocks as they come: counts, columns and values are three streams of bytes."""

    def __init__(self, version: int, data: Data, signs: Any, integers: str = "<i1") -> None:
        self._version = version
        self._shape = data.shape
        self._signs = signs.astype(integers)
        self._streams = [hashlib.sha256() for _ in range(3)]
        self._leaves: list[bytes] = []  # of version 2
        self._busy: list[Future[None]] = []

    def update(self, block: Block, pool: ThreadPoolExecutor) -> None:
        counts = np.diff(block.ends).astype("<i8" if self._version == 1 else "<u4")
        columns = block.columns.astype("<u4", copy=False)
        values = block.values.astype("<f8", copy=False)
        self._wait()
        if block.start and block.start % BLOCK == 0:
            self._end_of_leaf()
        jobs = list(zip(self._streams, (counts, columns, values), strict=True))
        if len(values) < SOON:
            for stream, part in jobs:
                stream.update(part.tobytes())
        else:
            self._busy = [pool.submit(stream.update, part.data) for stream, part in jobs]

    def hexdigest(self) -> str:
        self._wait()
        if self._version == 1:
            head = b"novikoff data 1" + struct.pack("<qq", *self._shape)
            signs = sha256(self._signs.tobytes())
            return sha256(head, *(stream.digest() for stream in self._streams), signs).hex()
        if self._shape[0]:
            self._end_of_leaf()
        head = b"novikoff data 2" + struct.pack("<qqq", *self._shape, BLOCK)
        starts = range(0, self._shape[0], BLOCK)
        signs_of_blocks = [sha256(self._signs[start : start + BLOCK].tobytes()) for start in starts]
        return sha256(sha256(head, *self._leaves), *signs_of_blocks).hex()

    def _end_of_leaf(self) -> None:
        if self._version == 2:
            self._leaves.append(sha256(*(stream.digest() for stream in self._streams)))
            self._streams = [hashlib.sha256() for _ in range(3)]

    def _wait(self) -> None:
        for job in self._busy:
            job.result()
        self._busy = []
