"""The digest that names the data in a certificate."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterable, Sequence

from novikoff.certificates.reference.rows import Example

BLOCK = 8192  # rows


def digest_of(
    version: int, examples: Sequence[Example], columns: int, signs: Sequence[int], integers: str = "<b"
) -> str:
    """What names the data in a certificate: version 2, or the older one, which either format may state.

    Of many classes the signs are the places of the labels, integers of 32 bits ("<I"), and there is no older one.
    """
    if version == 1:
        return digest_1(examples, columns, signs)
    n = len(examples)
    leaves = []
    sign_leaves = []
    for start in range(0, n, BLOCK):
        parts = packed(examples[start : start + BLOCK], "<I")
        leaves.append(sha256(*map(sha256, parts)))
        sign_leaves.append(sha256(bytes_of(integers, signs[start : start + BLOCK])))
    data = sha256(b"novikoff data 2", struct.pack("<qqq", n, columns, BLOCK), *leaves)
    return sha256(data, *sign_leaves).hex()


def digest_1(examples: Sequence[Example], columns: int, signs: Sequence[int]) -> str:
    head = b"novikoff data 1" + struct.pack("<qq", len(examples), columns)
    parts = [*packed(examples, "<q"), bytes_of("<b", signs)]
    return sha256(head, *map(sha256, parts)).hex()


def packed(examples: Sequence[Example], count: str) -> tuple[bytes, bytes, bytes]:
    """The number of non-zeros of each row; their columns, row by row; and their values."""
    counts = bytes_of(count, map(len, examples))
    places = bytes_of("<I", (j for x in examples for j, _ in x))
    values = bytes_of("<d", (value for x in examples for _, value in x))
    return counts, places, values


def bytes_of(format: str, numbers: Iterable[float]) -> bytes:
    return b"".join(struct.pack(format, number) for number in numbers)


def sha256(*parts: bytes) -> bytes:
    return hashlib.sha256(b"".join(parts)).digest()
