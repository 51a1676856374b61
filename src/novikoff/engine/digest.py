"""The digest that names the data in a certificate: the same for every storage (docs/certificate.md has its definition).

Version 2 is a tree of two levels: a leaf for every 8,192 rows, so that parts of the data can be hashed apart from each
other, and a hash of the leaves. Version 1, one long hash, is computed where an old one is to be compared.
"""

from __future__ import annotations

import hashlib
import struct
from concurrent.futures import Future, ThreadPoolExecutor, wait

import numpy as np
from numpy.typing import NDArray

from novikoff.engine.storage import Storage, nonzeros

LEAF = 8192  # rows, fixed by the format
ENTRIES = 1 << 20  # stored entries that are hashed at a time; no result depends on it
SOON = 1 << 17  # so few are sooner hashed than handed to a thread; no result depends on it

Signs = NDArray[np.int8]


def matrix_digest(rows: Storage, n: int, d: int) -> bytes:
    """Of shape and entries: the part of a digest that all divisions of the labels share."""
    leaves = [_sha256(*_streams(rows, start, min(n, start + LEAF), d, "<u4")) for start in range(0, n, LEAF)]
    return _sha256(b"novikoff data 2", struct.pack("<qqq", n, d, LEAF), *leaves)


def digest(matrix: bytes, signs: Signs) -> str:
    """Of the data: `matrix_digest`, and the signs."""
    leaves = [_sha256(signs[start : start + LEAF].tobytes()) for start in range(0, len(signs), LEAF)]
    return _sha256(matrix, *leaves).hex()


def is_digest(stored: str, rows: Storage, shape: tuple[int, int], signs: Signs) -> bool:
    """Is this the digest of these data, in the version of today or in the first?"""
    n, d = shape
    return stored in (digest(matrix_digest(rows, n, d), signs), _digest_1(rows, n, d, signs))


def _digest_1(rows: Storage, n: int, d: int, signs: Signs) -> str:
    head = b"novikoff data 1" + struct.pack("<qq", n, d)
    return _sha256(head, *_streams(rows, 0, n, d, "<i8"), _sha256(signs.tobytes())).hex()


def _streams(rows: Storage, start: int, stop: int, d: int, count: str) -> list[bytes]:
    """Three hashes: of the numbers of non-zeros of these rows, of their columns, and of their values."""
    streams = [hashlib.sha256() for _ in range(3)]
    stored = rows.stored_before(start, stop)
    busy: list[Future[None]] = []
    with ThreadPoolExecutor(2) as pool:
        while start < stop:
            # As many rows as have about ENTRIES stored entries; one at least.
            taken = int(np.searchsorted(stored, stored[0] + ENTRIES))
            taken = min(max(taken, 1), stop - start)
            most = int(stored[taken] - stored[0])
            counts, columns, values = np.empty(taken, np.int64), np.empty(most, "<u4"), np.empty(most, "<f8")
            found = nonzeros(rows, start, start + taken, counts, columns, values)
            wait(busy)
            jobs = list(zip(streams, (counts.astype(count), columns[:found], values[:found]), strict=True))
            if found < SOON:
                busy = []
                for stream, part in jobs:
                    stream.update(part.data)
            else:
                busy = [pool.submit(stream.update, part.data) for stream, part in jobs]
            start, stored = start + taken, stored[taken:]
    return [stream.digest() for stream in streams]


def _sha256(*parts: bytes) -> bytes:
    return hashlib.sha256(b"".join(parts)).digest()
