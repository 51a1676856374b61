"""The signs of products of rows with integer vectors, exactly.

Floats add up integers exactly, in any order, as long as no sum of their sizes reaches 2^53. What is larger is cut into
digits that keep to that: of the entries, over a power of two, and of the vectors.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from novikoff.certificates.check.data import Block
from novikoff.certificates.claim import Head, Sparse

GROUP = 256  # vectors that are multiplied together, in the columns that they have; no result depends on it
CELLS = 2**21  # of a dense block that are looked at together; no result depends on it
SHORT, LONG = 2**9, 2**12  # bits, between which a vector goes to Python's integers if most of its entries are 0
TABLE = 2**23  # cells of the digits of the vectors that are multiplied together; no result depends on it
MOST = 600  # bits from the largest entry of a block to the last of the smallest, above which rows are taken one by one


class Products:
    """<v, a> for some vectors v and every row."""

    def __init__(self, vectors: Sequence[Sparse], head: Head) -> None:
        self._count, self._constant, self._d = len(vectors), head.constant, head.d
        self._vectors = vectors
        self._columns = np.array([j for v in vectors for j in v], dtype=np.int64)
        self._owners = np.repeat(np.arange(len(vectors)), [len(v) for v in vectors])
        self._place = np.full(head.d + 1, -1)

    def signs(self, block: Block, signs: Any) -> Any:
        """-1, 0 or 1: a row of the block, a column for each vector. ``signs`` are the s of the rows."""
        found = np.zeros((block.stop - block.start, self._count), dtype=np.int8)
        occurring = np.zeros(self._d + 1, dtype=np.bool_)
        occurring[block.columns] = True
        occurring[self._d] = self._constant != 0
        met = np.unique(self._owners[occurring[self._columns]])  # the other products are 0
        for first in range(0, len(met), GROUP):
            self._multiply(block, met[first : first + GROUP], occurring, found)
        return found * signs[:, None]

    def _multiply(self, block: Block, met: Any, occurring: Any, found: Any) -> None:
        """The signs for some of the vectors, as a dense matrix of the columns that these have."""
        vectors = [{j: x for j, x in self._vectors[k].items() if occurring[j]} for k in met]
        used = np.unique([j for v in vectors for j in v])
        self._place[used] = np.arange(len(used))
        table = [[(int(self._place[j]), x) for j, x in v.items()] for v in vectors]
        step = max(1, CELLS // len(used))
        for start in range(0, len(found), step):
            stop = min(len(found), start + step)
            part = self._dense(block, start, stop, len(used))
            found[start:stop, met] = _signs(part, table)
        self._place[used] = -1

    def _dense(self, block: Block, start: int, stop: int, width: int) -> Any:
        """Some rows of the block, without their signs, in the columns that have a place."""
        part = np.zeros((stop - start, width))
        first, last = block.ends[start], block.ends[stop]
        at = self._place[block.columns[first:last]]
        rows = np.repeat(np.arange(stop - start), np.diff(block.ends[start : stop + 1]))
        kept = at >= 0
        part[rows[kept], at[kept]] = block.values[first:last][kept]
        if self._place[self._d] >= 0:
            part[:, self._place[self._d]] = self._constant
        return part


def _signs(part: Any, vectors: list[list[tuple[int, int]]]) -> Any:
    """The signs of the products of the rows of a matrix of floats with these vectors."""
    size = max(sum(abs(x) for _, x in v) for v in vectors)
    largest = float(np.abs(part).max(initial=0.0))
    whole = largest < 2.0**53 and np.array_equal(np.rint(part), part)
    if whole and size < 2**53 and int(largest) * size < 2**53:
        return np.sign(part @ _matrix(vectors, part.shape[1])).astype(np.int8)
    least = _last_bit(part)
    wide = int(np.frexp(largest)[1]) - least > MOST
    found = np.zeros((len(part), len(vectors)), dtype=np.int8)
    long = {k for k, v in enumerate(vectors) if wide or _is_long(v, part.shape[1])}
    if long:
        found[:, sorted(long)] = _one_by_one(part, [vectors[k] for k in sorted(long)])
    for some in _together({k: _bits(v) for k, v in enumerate(vectors) if k not in long}, part.shape[1]):
        found[:, some] = _by_digits(part, least, [vectors[k] for k in some])
    return found


def _bits(v: list[tuple[int, int]]) -> int:
    """Of the largest integer."""
    return max(abs(x).bit_length() for _, x in v)


def _is_long(v: list[tuple[int, int]], width: int) -> bool:
    """Are there fewer integers than matrices of digits are worth, or are these too long?"""
    bits = _bits(v)
    return bits > SHORT and bits * width > LONG * len(v)


def _together(bits: dict[int, int], width: int) -> Iterator[list[int]]:
    """The places of vectors whose digits are few enough to be held together, from short integers to long ones."""
    some: list[int] = []
    for k in sorted(bits, key=bits.__getitem__):
        if some and (len(some) + 1) * width * bits[k] // 16 > TABLE:  # a digit has 16 bits at least
            yield some
            some = []
        some.append(k)
    if some:
        yield some


def _matrix(vectors: list[list[tuple[int, int]]], width: int) -> Any:
    """The vectors as columns of floats."""
    matrix = np.zeros((width, len(vectors)))
    for k, v in enumerate(vectors):
        for j, x in v:
            matrix[j, k] = x
    return matrix


def _last_bit(part: Any) -> int:
    """The exponent of a power of two that divides all entries."""
    mantissa, exponent = np.frexp(part)
    whole = (mantissa * 2.0**53).astype(np.int64)
    trailing = np.frexp((whole & -whole).astype(np.float64))[1] - 1
    return int((exponent - 53 + trailing)[whole != 0].min(initial=1024))


def _by_digits(part: Any, least: int, vectors: list[list[tuple[int, int]]]) -> Any:
    """Digits so small that products of matrices of them are exact, and carries from one weight to the next."""
    bits = (52 - part.shape[1].bit_length()) // 2
    lefts = _digits_of_floats(part, least, bits)
    rights = _digits_of_integers(vectors, part.shape[1], bits)
    carry = np.zeros((len(part), len(vectors)), dtype=np.int64)
    some = np.zeros(carry.shape, dtype=np.bool_)
    for weight in range(len(lefts) + len(rights) - 1):
        for i in range(max(0, weight - len(rights) + 1), min(len(lefts), weight + 1)):
            carry += (lefts[i] @ rights[weight - i]).astype(np.int64)
        some |= (carry & ((1 << bits) - 1)) != 0
        carry >>= bits  # rounded down: what is left over is not below 0
    return np.where(carry < 0, -1, np.where((carry > 0) | some, 1, 0)).astype(np.int8)


def _digits_of_floats(part: Any, least: int, bits: int) -> list[Any]:
    """Matrices of whole numbers below 2^bits in size, the k-th of which counts 2^(k bits + least): they add up."""
    found = []
    rest = part
    most = int(np.frexp(np.abs(part).max(initial=0.0))[1])
    count = max(1, -(-(most - least) // bits))
    for k in range(count - 1, -1, -1):
        digits = np.trunc(np.ldexp(rest, -(k * bits + least)))
        rest = rest - np.ldexp(digits, k * bits + least)
        found.append(digits)
    return found[::-1]


def _digits_of_integers(vectors: list[list[tuple[int, int]]], width: int, bits: int) -> list[Any]:
    """The vectors as columns, in the same way."""
    longest = max(map(_bits, vectors))
    found = [np.zeros((width, len(vectors))) for _ in range(-(-longest // bits))]
    mask = (1 << bits) - 1
    for k, v in enumerate(vectors):
        for j, x in v:
            size, sign = abs(x), 1 if x > 0 else -1
            for digits in found:
                digits[j, k] = sign * (size & mask)
                size >>= bits
    return found


def _one_by_one(part: Any, vectors: list[list[tuple[int, int]]]) -> Any:
    """Entries too far apart in size, or integers too long: in Python's integers, of which the short ones come first."""
    ordered = [sorted(v, key=lambda entry: abs(entry[1])) for v in vectors]
    found = np.zeros((len(part), len(vectors)), dtype=np.int8)
    for i, row in enumerate(part.tolist()):
        ratios = [x.as_integer_ratio() for x in row]
        common = max(q for _, q in ratios)
        entries = [p * (common // q) for p, q in ratios]
        for k, v in enumerate(ordered):
            total = sum(entries[j] * x for j, x in v)
            found[i, k] = (total > 0) - (total < 0)
    return found
