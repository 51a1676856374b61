"""Mean and standard deviation of every column, each the float64 nearest to its exact value.

They are what `statistics.mean` and `statistics.pstdev` of the standard library return. The sums of the entries, and of
their squares, are exact (`novikoff.engine.sums`), and the rest is done in integers: so neither the storage nor the
order of the rows, nor how many are read at a time, can change a bit.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novikoff.engine.compile import kernel
from novikoff.engine.decide import NOT_FINITE
from novikoff.engine.loops import NOBODY
from novikoff.engine.rows import BadRowError, Rows
from novikoff.engine.storage import Storage, Vector, cells, column, row_is_finite, signed, value
from novikoff.engine.sums import CARRY_EVERY, DIGITS, MASK, POINT, add_product

COLUMNS = 1 << 14  # of which sums are kept at a time, 36 MB; no result depends on it
BITS = 109  # of a quotient whose root has 54 or more: one more than a float64

Accumulators = NDArray[np.int64]  # (columns, DIGITS)


class Moments(NamedTuple):
    """Of each column."""

    means: Vector
    deviations: Vector  # 0 where it is too small for float64, too
    constant: NDArray[np.bool_]  # has it one value only?


def moments(X: Any) -> Moments:
    """Of a float array, or of a CSR matrix without duplicates; `BadRowError` for a row that is not finite."""
    rows = Rows(X, np.empty(0, dtype=np.int8), 0.0)
    n, d = X.shape
    found = Moments(np.empty(d), np.empty(d), np.empty(d, dtype=np.bool_))
    for first in range(0, d, COLUMNS):
        sums = np.zeros((min(COLUMNS, d - first), DIGITS), dtype=np.int64)
        squares = np.zeros_like(sums)
        _add_rows(rows, first, sums, squares)
        for j, (total, square) in enumerate(zip(sums, squares, strict=True), start=first):
            s, v = _integer(total), _integer(square)
            # sum x = s 2^-POINT and sum x^2 = v 2^-POINT, so the variance is spread / (n 2^POINT)^2.
            spread = (n * v << POINT) - s * s
            found.means[j] = s / (n << POINT)
            found.deviations[j] = nearest_root(spread, n << POINT)
            found.constant[j] = spread == 0
    return found


def _add_rows(rows: Rows, first: int, sums: Accumulators, squares: Accumulators) -> None:
    """Add up all rows, of the columns from the first on."""
    carried, pace = 0, min(rows.pace, CARRY_EVERY)
    for start in range(0, rows.n, pace):
        stop = min(rows.n, start + pace)
        if stop - carried > CARRY_EVERY:
            _carry(sums)
            _carry(squares)
            carried = start
        bad = add_columns(rows.storage, first, start, stop, sums, squares)
        if bad != NOBODY:
            raise BadRowError(NOT_FINITE, bad)
    _carry(sums)
    _carry(squares)


@kernel
def add_columns(rows: Storage, first: int, start: int, stop: int, sums: Accumulators, squares: Accumulators) -> int:
    """Add the entries of these rows and their squares to the accumulators of their columns.

    Returns the first row that is not finite, or NOBODY.
    """
    for i in range(start, stop):
        if not row_is_finite(rows, i):
            return i
        for k in cells(rows, i):
            j = signed(column(rows, k)) - first
            x = value(rows, i, k)
            if x != 0.0 and 0 <= j < sums.shape[0]:
                add_product(sums[j], x, 1.0)
                add_product(squares[j], x, x)
    return NOBODY


def _carry(totals: Accumulators) -> None:
    """All digits but the last into [0, 2^32)."""
    for digit in range(DIGITS - 1):
        totals[:, digit + 1] += totals[:, digit] >> 32
        totals[:, digit] &= MASK


def _integer(total: NDArray[np.int64]) -> int:
    """A carried accumulator as a multiple of 2^-POINT."""
    below = int.from_bytes(total[:-1].astype("<u4").tobytes(), "little")
    return (int(total[-1]) << 32 * (DIGITS - 1)) + below


def nearest_root(square: int, divisor: int) -> float:
    """The float64 nearest to sqrt(square) / divisor.

    >>> nearest_root(2, 1) == 2**0.5, nearest_root(9, 2), nearest_root(0, 5)
    (True, 1.5, 0.0)
    """
    shift = (square.bit_length() - 2 * divisor.bit_length() - BITS) // 2
    if shift >= 0:
        return float(_root_to_odd(square, divisor**2 << 2 * shift) << shift)
    return _root_to_odd(square << -2 * shift, divisor**2) / (1 << -shift)


def _root_to_odd(n: int, m: int) -> int:
    """sqrt(n/m), of 54 bits or more, rounded down; and made odd if it was rounded, which then rounds as the root."""
    root = math.isqrt(n // m)
    return root | (root * root * m != n)
