"""The fast check: floats call the rows on which rounding cannot matter, `reference` decides the others.

It reads the rows a block at a time, once, for the digest, the products with the vector of the claim and the norms. A
float sum of k products errs by at most k u / (1 - k u) ||w|| ||x|| + k 2^-1075, with u = 2^-53 (Higham 2002, section
3.1): a row that is further from its limit than that is clear.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from fractions import Fraction
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from novikoff.certificates import reference
from novikoff.certificates.claim import SEPARABLE, Claim, Label, require
from novikoff.certificates.verified import Verified, rounded_up, verified

ENTRIES = 2**18  # stored entries that are looked at together; no result depends on it
SOON = 2**15  # so few are sooner hashed than handed to a thread; no result depends on it
BEYOND = Fraction(2**3000)  # no ||a_i||^2 is as large


def check(claim: Claim, data: Data, signs: Any, against: tuple[Label, ...]) -> Verified:
    """What the claim proves of the data: signs are +1 for its positive label and -1 for the others, `against`."""
    ours = [*data.shape]
    require([claim.n, claim.d] == ours, f"this proof is about data of shape {[claim.n, claim.d]}; yours is {ours}")
    rows = ExactRows(data, signs, claim)
    if claim.kind == SEPARABLE:
        _check_separable(claim, data, signs, rows)
    else:
        _check_not_separable(claim, data, signs, rows)
    return verified(claim, against, reference.signs_balance(claim.combination, signs.tolist()))


def _check_separable(claim: Claim, data: Data, signs: Any, rows: ExactRows) -> None:
    assert claim.separator is not None
    assert claim.margin is not None
    assert claim.radius is not None
    assert claim.closest is not None
    w = claim.separator
    lower, upper = map(Fraction, claim.margin)
    closest = rows.of([claim.closest])[claim.closest]
    least = reference.product(w, closest)
    # Every other row is at least as far as the closest, and so what holds of that one holds of all.
    _scan(claim, data, signs, rows, w, least, Fraction(claim.radius) ** 2)
    sentence = f"its separator does not separate: row {claim.closest} has y<w,x> <= 0"
    require(reference.separates(w, [closest]), sentence)
    require(reference.has_margin(w, lower, [closest]), "its separator has less than the lower margin")
    proved = reference.bounds_every_margin(claim.combination, upper, rows.of(claim.combination.rows))
    require(proved, "its combination does not prove the upper margin")


def _check_not_separable(claim: Claim, data: Data, signs: Any, rows: ExactRows) -> None:
    some = _scan(claim, data, signs, rows, claim.weak, Fraction(0), BEYOND)
    require(claim.weak is None or some, "its weak separator has y<u,x> = 0 on every row")
    vanishes = reference.vanishes(claim.combination, rows.of(claim.combination.rows))
    require(vanishes, "its weighted rows do not sum to zero")


def _scan(
    claim: Claim,
    data: Data,
    signs: Any,
    rows: ExactRows,
    w: Sequence[int] | None,
    least: Fraction,
    most: Fraction,
) -> bool:
    """The digest is that of the claim; given w, all <w,a_i> >= least and ||a_i||^2 <= most. Is some <w,a_i> > 0?"""
    digest = Digest(claim.version, data, signs)
    floats = None if w is None else Filter(w, least, most, claim.constant)
    unclear: list[int] = []
    some = False
    with ThreadPoolExecutor(2) as pool:  # hashing runs beside the products
        for block in data.blocks():
            digest.update(block, pool)
            if floats:
                doubtful, above = floats.call(block, signs[block.start : block.stop])
                unclear += (block.start + np.flatnonzero(doubtful)).tolist()
                some = some or above
        found = digest.hexdigest()
    same = claim.digest == found or claim.digest == _digest(3 - claim.version, data, signs)  # the other version's
    require(same, f"this proof is about data with digest {claim.digest:.12}...; yours is {found:.12}...")
    for start in range(0, len(unclear), data.step):
        part = unclear[start : start + data.step]
        some = _decide(rows.of(part), part, w, least, most) or some
        if start + data.step < len(unclear):  # many rows are unclear: only those of one part are held at a time
            rows.clear()
    return some


def _decide(rows: ExactRows, unclear: list[int], w: Sequence[int] | None, least: Fraction, most: Fraction) -> bool:
    """The rows that floats could not call, by the arithmetic of the reference. Is some <w,a_i> > 0?"""
    assert w is not None
    some = False
    for i in unclear:
        product = reference.product(w, rows[i])
        limit = "that of the closest" if least else "0"
        require(product >= least, f"row {i} has y<w,x> < {limit}")
        require(reference.square(rows[i]) <= most, f"its radius is too small: row {i} is longer")
        some = some or product > 0
    return some


# The data ------------------------------------------------------------------------------------------


class Block(NamedTuple):
    """The non-zeros of the rows from ``start`` to ``stop``; those of the k-th of them are ends[k] to ends[k + 1]."""

    start: int
    stop: int
    ends: Any
    columns: Any
    values: Any  # float64


class Data:
    """The rows of X, an array or a CSR matrix in which no entry is stored twice; the caller's memory is left alone."""

    def __init__(self, X: Any) -> None:
        self._X = X
        self._sparse = hasattr(X, "tocsr")
        n, d = X.shape
        self.shape = n, d
        stored = X.nnz if self._sparse else n * d
        self.step = max(1, ENTRIES * n // max(1, stored))  # rows of a block

    def blocks(self) -> Iterator[Block]:
        n = self.shape[0]
        start = 0
        while start < n:
            end_of_leaf = (start // reference.BLOCK + 1) * reference.BLOCK  # of the digest
            stop = min(n, start + self.step, end_of_leaf)
            yield self._block(start, stop)
            start = stop

    def _block(self, start: int, stop: int) -> Block:
        if self._sparse:  # without a copy
            ends = self._X.indptr[start : stop + 1]
            at = self._X.indices[ends[0] : ends[-1]]
            flat = self._X.data[ends[0] : ends[-1]]
            return self._nonzeros(range(start, stop), ends - ends[0], at, flat)
        return self._taken(range(start, stop), self._X[start:stop])

    def _taken(self, rows: Sequence[int], part: Any) -> Block:
        """A block of these rows, of which the part of X holds a copy or a view."""
        if self._sparse:
            return self._nonzeros(rows, part.indptr, part.indices, part.data)
        return self._nonzeros(rows, np.arange(len(rows) + 1) * self.shape[1], None, part.ravel())

    @staticmethod
    def _nonzeros(rows: Sequence[int], ends: Any, at: Any, flat: Any) -> Block:
        """From stored entries, of the k-th row at ends[k] to ends[k + 1], in the columns `at`; None: in all."""
        if at is not None and np.all(flat):
            columns = at
        else:
            kept = np.flatnonzero(flat != 0)
            stored, ends = ends, np.searchsorted(kept, ends)
            flat = flat[kept]
            columns = kept - np.repeat(stored[:-1], np.diff(ends)) if at is None else at[kept]
        values = np.asarray(flat, dtype=np.float64)
        finite = np.isfinite(values)
        if not finite.all():
            k = int(np.argmin(finite))
            i = rows[int(np.searchsorted(ends, k, "right")) - 1]
            raise ValueError(f"X has {values[k]} in row {i}, column {columns[k]}: every value must be finite")
        return Block(rows[0], rows[-1] + 1, ends, columns, values)

    def examples(self) -> list[reference.Example]:
        """All rows, as the reference takes them."""
        return [example for block in self.blocks() for example in _examples(block)]

    def some(self, rows: Sequence[int]) -> Block:
        """A few of them, taken together."""
        return self._taken(rows, self._X[list(rows)])


class ExactRows(dict[int, reference.Row]):
    """The rows a_i by number, as the reference takes them; each is made once."""

    def __init__(self, data: Data, signs: Any, claim: Claim) -> None:
        self._data, self._signs, self._claim = data, signs, claim

    def of(self, rows: Sequence[int]) -> ExactRows:
        """With these rows among them."""
        new = [i for i in rows if i not in self]
        if new:
            block = self._data.some(new)
            made = self._integer_rows(block, new) or self._rows(block, new)
            self.update(zip(new, made, strict=True))
        return self

    def _rows(self, block: Block, which: list[int]) -> list[reference.Row]:
        examples = zip(which, _examples(block), strict=True)
        return [reference.row(x, int(self._signs[i]), self._claim) for i, x in examples]

    def _integer_rows(self, block: Block, which: list[int]) -> list[reference.Row] | None:
        """What `reference.row` makes of rows of integers that fit into 64 bits, all at once; None for others."""
        c, x = self._claim.constant, block.values
        if not (c.is_integer() and np.all(x == np.rint(x)) and np.all(np.abs(x) < 2.0**62)):
            return None
        signs = self._signs[which].astype(np.int64)
        entries = np.repeat(signs, np.diff(block.ends)) * x.astype(np.int64)
        pairs = list(zip(block.columns.tolist(), entries.tolist(), strict=True))
        last = [[(self._claim.d, s * int(c))] if c else [] for s in signs.tolist()]
        spans = zip(pairwise(block.ends.tolist()), last, strict=True)
        return [reference.Row(pairs[start:stop] + end, 1) for (start, stop), end in spans]


def _examples(block: Block) -> list[reference.Example]:
    pairs = list(zip(block.columns.tolist(), block.values.tolist(), strict=True))
    ends = block.ends.tolist()
    return [pairs[start:stop] for start, stop in pairwise(ends)]


# Floats --------------------------------------------------------------------------------------------


class Filter:
    """Floats that call the rows on which rounding cannot matter: <w,a> >= least and ||a||^2 <= most."""

    def __init__(self, w: Sequence[int], least: Fraction, most: Fraction, constant: float) -> None:
        scale = 1 << max(0, max(map(abs, w), default=0).bit_length() - 64)
        v = np.array([x / scale for x in w] if scale > 1 else w, dtype=np.float64)  # rounded
        self._v = v if constant else np.append(v, 0.0)
        self._norm = float(np.sqrt(np.einsum("i,i", v, v)))
        self._bottom = rounded_up(least / scale)
        self._top = -rounded_up(-most)
        self._constant = constant

    @np.errstate(all="ignore")
    def call(self, block: Block, signs: Any) -> tuple[Any, bool]:
        """Which rows of a block are in doubt; and is <w,a> > 0 on one of them, for certain?"""
        x, c = block.values, self._constant
        k = np.diff(block.ends)
        full = np.flatnonzero(k)
        dot, square = np.zeros((2, len(k)))
        dot[full] = np.add.reduceat(x * self._v[block.columns], block.ends[full])
        square[full] = np.add.reduceat(x * x, block.ends[full])
        dot = signs * (dot + c * self._v[-1])
        square = square + c * c
        size = self._norm * np.sqrt(square + 2.0**-1000)
        # k + 1 products are added: twice Higham's bound, and more for the rounding of v, of the norms and of this line.
        error = (k + 9) * 2.0**-52 * size
        excess = (k + 9) * (2.0**-52 * square + 2.0**-1072)  # a square that underflows errs by 2^-1075
        near = size.min() < 2**52 or any(square + excess > self._top)
        if near and c.is_integer() and np.all(x == np.rint(x)):  # integers add up exactly below 2^53
            error[size < 2**52] = 0.0
            excess[square < 2**52] = 0.0
        clear = (dot - error >= self._bottom) & (square + excess <= self._top)
        return ~clear, bool(np.any((dot > 0) & (dot >= error)))


# The digest ----------------------------------------------------------------------------------------


def _digest(version: int, data: Data, signs: Any) -> str:
    found = Digest(version, data, signs)
    with ThreadPoolExecutor(2) as pool:
        for block in data.blocks():
            found.update(block, pool)
        return found.hexdigest()


class Digest:
    """`reference.digest`, made of blocks as they come: counts, columns and values are three streams of bytes."""

    def __init__(self, version: int, data: Data, signs: Any) -> None:
        self._version = version
        self._shape = data.shape
        self._signs = signs.astype("<i1")
        self._streams = [hashlib.sha256() for _ in range(3)]
        self._leaves: list[bytes] = []  # of version 2
        self._busy: list[Future[None]] = []

    def update(self, block: Block, pool: ThreadPoolExecutor) -> None:
        counts = np.diff(block.ends).astype("<i8" if self._version == 1 else "<u4")
        columns = block.columns.astype("<u4", copy=False)
        values = block.values.astype("<f8", copy=False)
        self._wait()
        if block.start and block.start % reference.BLOCK == 0:
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
            signs = reference.sha256(self._signs.tobytes())
            return reference.sha256(head, *(stream.digest() for stream in self._streams), signs).hex()
        if self._shape[0]:
            self._end_of_leaf()
        head = b"novikoff data 2" + struct.pack("<qqq", *self._shape, reference.BLOCK)
        starts = range(0, self._shape[0], reference.BLOCK)
        signs_of_blocks = [reference.sha256(self._signs[start : start + reference.BLOCK].tobytes()) for start in starts]
        return reference.sha256(reference.sha256(head, *self._leaves), *signs_of_blocks).hex()

    def _end_of_leaf(self) -> None:
        if self._version == 2:
            self._leaves.append(reference.sha256(*(stream.digest() for stream in self._streams)))
            self._streams = [hashlib.sha256() for _ in range(3)]

    def _wait(self) -> None:
        for job in self._busy:
            job.result()
        self._busy = []
