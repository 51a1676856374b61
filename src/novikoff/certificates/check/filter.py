"""Floats that say for which rows rounding cannot matter, in one scan of the data."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from typing import Any

import numpy as np

from novikoff.certificates.check.data import Block, Data, ExactRows
from novikoff.certificates.check.digest import Digest, digest_of
from novikoff.certificates.claim import Head, require
from novikoff.certificates.reference.rows import product, square
from novikoff.certificates.verified import rounded_up

BEYOND = Fraction(2**3000)  # no ||a_i||^2 is as large


def scan(
    head: Head,
    data: Data,
    signs: Any,
    rows: ExactRows,
    w: Sequence[int] | None,
    least: Fraction,
    most: Fraction,
) -> bool:
    """The digest is that of the claim; given w, all <w,a_i> >= least and ||a_i||^2 <= most. Is some <w,a_i> > 0?"""
    floats = None if w is None else Filter(w, least, most, head.constant)
    unclear: list[int] = []
    some = False

    def look(block: Block) -> None:
        nonlocal some
        if floats:
            doubtful, above = floats.call(block, signs[block.start : block.stop])
            unclear.extend((block.start + np.flatnonzero(doubtful)).tolist())
            some = some or above

    scan_blocks(head, data, signs, look)
    for start in range(0, len(unclear), data.step):
        part = unclear[start : start + data.step]
        some = _decide(rows.of(part), part, w, least, most) or some
        if start + data.step < len(unclear):  # many rows are unclear: only those of one part are held at a time
            rows.clear()
    return some


def scan_blocks(head: Head, data: Data, signs: Any, look: Callable[[Block], None]) -> None:
    """The digest is that of the claim; and every block has been looked at, while it was hashed."""
    stream = Digest(head.version, data, signs)
    with ThreadPoolExecutor(2) as pool:  # hashing runs beside the products
        for block in data.blocks():
            stream.update(block, pool)
            look(block)
        found = stream.hexdigest()
    same = head.digest == found or head.digest == digest_of(3 - head.version, data, signs)  # the other version's
    require(same, f"this proof is about data with digest {head.digest:.12}...; yours is {found:.12}...")


def _decide(rows: ExactRows, unclear: list[int], w: Sequence[int] | None, least: Fraction, most: Fraction) -> bool:
    """The rows that floats could not call, by the arithmetic of the reference. Is some <w,a_i> > 0?"""
    assert w is not None
    some = False
    for i in unclear:
        found = product(w, rows[i])
        limit = "that of the closest" if least else "0"
        require(found >= least, f"row {i} has y<w,x> < {limit}")
        require(square(rows[i]) <= most, f"its radius is too small: row {i} is longer")
        some = some or found > 0
    return some


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
        dot, length_sq = np.zeros((2, len(k)))
        dot[full] = np.add.reduceat(x * self._v[block.columns], block.ends[full])
        length_sq[full] = np.add.reduceat(x * x, block.ends[full])
        dot = signs * (dot + c * self._v[-1])
        length_sq = length_sq + c * c
        size = self._norm * np.sqrt(length_sq + 2.0**-1000)
        # k + 1 products are added: twice Higham's bound, and more for the rounding of v, of the norms and of this line.
        error = (k + 9) * 2.0**-52 * size
        excess = (k + 9) * (2.0**-52 * length_sq + 2.0**-1072)  # a square that underflows errs by 2^-1075
        near = size.min() < 2**52 or any(length_sq + excess > self._top)
        if near and c.is_integer() and np.all(x == np.rint(x)):  # integers add up exactly below 2^53
            error[size < 2**52] = 0.0
            excess[length_sq < 2**52] = 0.0
        clear = (dot - error >= self._bottom) & (length_sq + excess <= self._top)
        return ~clear, bool(np.any((dot > 0) & (dot >= error)))
