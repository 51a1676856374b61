"""A row, whatever stores it: x_i with the constant coordinate appended and, if ``unit``, divided by its norm.

A storage is a named tuple in a file of its own (`novikoff.engine.dense`, `novikoff.engine.csr`) with three methods that
loops ask through `cells`, `column` and `value` below. A loop over the cells of a row reads the same for all of them:
Numba finds the methods by the type of ``rows`` and inlines them.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff.engine.byte_rows import ByteRows
from novikoff.engine.compile import INLINED, by_type, inlined, kernel, outlined, product_error, reassociated
from novikoff.engine.csr import CsrRows
from novikoff.engine.dense import DenseRows

Vector = NDArray[np.float64]
Storage = DenseRows | CsrRows
NO_SKETCH = (0.0, 0.0, 0.0)


def cells(rows: Storage, i: int) -> range:
    """Where the stored entries of row i are."""
    return rows.cells(i)


def column(rows: Storage, k: int) -> int:
    """The column of a stored entry."""
    return int(rows.column(k))


def value(rows: Storage, i: int, k: int) -> float:
    """A stored entry of row i."""
    return float(rows.value(i, k))


def fetch(rows: Storage | ByteRows, i: int) -> None:
    """Ask the memory for row i, which is read soon."""
    rows.fetch(i)


by_type(cells, lambda rows, i: rows.instance_class.cells)
by_type(column, lambda rows, k: rows.instance_class.column)
by_type(value, lambda rows, i, k: rows.instance_class.value)
by_type(fetch, lambda rows, i: rows.instance_class.fetch, **INLINED)

# `novikoff.engine.byte_rows` keeps something smaller beside the rows, and settles most without reading them.

Sketch = tuple[float, float, float]


def sketch(rows: Storage | ByteRows, w: Vector) -> Sketch:
    """What `settled` needs to know of w, made anew after every update."""
    return rows.sketch(w) if isinstance(rows, ByteRows) else NO_SKETCH


def settled(rows: Storage | ByteRows, i: int, y: float, of_w: Sketch, share: float, level: float, tilt: float) -> bool:
    """Is y<w,x> > level + tilt ||x|| for sure, without a look at the row itself?"""
    return isinstance(rows, ByteRows) and rows.settled(i, y, of_w, share, level, tilt)


def _no_sketch(rows: Storage, w: Vector) -> Sketch:
    return NO_SKETCH


def _never(rows: Storage, i: int, y: float, of_w: Sketch, share: float, level: float, tilt: float) -> bool:
    return False


by_type(sketch, lambda rows, w: getattr(rows.instance_class, "sketch", _no_sketch), **INLINED)
by_type(
    settled,
    lambda rows, i, y, of_w, share, level, tilt: getattr(rows.instance_class, "settled", _never),
    **INLINED,
)


# The index of a row in a hot loop is unsigned: on rows of a hundred columns a test for a negative one costs a third of
# the time. What runs rarely is handed a signed one, lest it is compiled for both.


@inlined
def between(start: int, stop: int) -> range:
    """The rows of a hot loop."""
    return range(np.uint64(start), np.uint64(stop))


@inlined
def unsigned(i: int) -> int:
    return np.uint64(i)  # type: ignore[return-value]  # to Python it is one


@inlined
def signed(i: int) -> int:
    return np.int64(i)  # type: ignore[return-value]


@reassociated
def dot(rows: Storage, i: int, w: Vector, constant_term: float) -> float:
    """<w, (x_i, constant)> before any division by the norm, in an order that the machine likes."""
    s = 0.0
    for k in cells(rows, i):
        s += w[column(rows, k)] * value(rows, i, k)
    return s + constant_term


@inlined
def constant_term(rows: Storage, w: Vector) -> float:
    """The share of the constant coordinate in every dot product."""
    return float(w[w.shape[0] - 1] * rows.constant)


@reassociated
def dot_and_sqnorm(rows: Storage, i: int, w: Vector) -> tuple[float, float]:
    """`dot` and ||(x_i, constant)||^2 in one sweep; the latter is not finite if an entry is not."""
    s = w[w.shape[0] - 1] * rows.constant
    q = rows.constant * rows.constant
    for k in cells(rows, i):
        x = value(rows, i, k)
        s += w[column(rows, k)] * x
        q += x * x
    return s, q


@reassociated
def sqnorm_in_floats(rows: Storage, i: int) -> float:
    """||(x_i, constant)||^2; not finite if an entry is not."""
    q = rows.constant * rows.constant
    for k in cells(rows, i):
        x = value(rows, i, k)
        q += x * x
    return float(q)


@inlined
def add(rows: Storage, i: int, y: float, divisor: float, w: Vector) -> None:
    """w += y * row, entry by entry: the same bits for every storage and every machine. y may hold a step's length."""
    last = w.shape[0] - 1
    if divisor == 1.0:
        for k in cells(rows, i):
            w[column(rows, k)] += y * value(rows, i, k)
    else:
        for k in cells(rows, i):
            w[column(rows, k)] += y * (value(rows, i, k) / divisor)
    w[last] += y * (rows.constant / divisor)


@outlined
def sum_rounds(rows: Storage, i: int, y: float, divisor: float, w: Vector) -> bool:
    """Is some entry of y * row, or of w and that, no float?"""
    return _sum_of_products_rounds(rows, i, y, divisor, w) or (abs(y) != 1.0 and _product_rounds(rows, i, y, divisor))


@outlined
def _product_rounds(rows: Storage, i: int, y: float, divisor: float) -> bool:
    """Is some entry of y * row no float, or so small that this cannot be told?"""
    rounds = 0
    for k in cells(rows, i):
        rounds |= _rounds(y, value(rows, i, k) / divisor)
    rounds |= _rounds(y, rows.constant / divisor)
    return rounds != 0


@inlined
def _rounds(y: float, x: float) -> bool:
    product = y * x
    return x != 0.0 and (abs(product) < 2.0**-900 or product_error(y, x, product) != 0.0)


@outlined
def _sum_of_products_rounds(rows: Storage, i: int, y: float, divisor: float, w: Vector) -> bool:
    """Is some entry of w + fl(y * row) no float? A loop without stores, whose bits may be combined in any order."""
    rounds = 0
    if divisor == 1.0:
        for k in cells(rows, i):
            rounds |= two_sum(w[column(rows, k)], y * value(rows, i, k))[1] != 0.0
    else:
        for k in cells(rows, i):
            rounds |= two_sum(w[column(rows, k)], y * (value(rows, i, k) / divisor))[1] != 0.0
    rounds |= two_sum(w[w.shape[0] - 1], y * (rows.constant / divisor))[1] != 0.0
    return rounds != 0


@inlined
def two_sum(a: float, b: float) -> tuple[float, float]:
    """fl(a + b), and what it lacks to a + b (Knuth)."""
    s = a + b
    z = s - a
    return s, (a - (s - z)) + (b - z)


@outlined
def row_is_finite(rows: Storage, i: int) -> bool:
    for k in cells(rows, i):  # noqa: SIM110  # Numba compiles no generators inside all()
        if not math.isfinite(value(rows, i, k)):
            return False
    return True


@outlined
def sum_is_finite(rows: Storage, i: int, y: float, divisor: float, w: Vector) -> bool:
    """Would every entry of w + y * row be finite?"""
    last = w.shape[0] - 1
    for k in cells(rows, i):
        if not math.isfinite(w[column(rows, k)] + y * (value(rows, i, k) / divisor)):
            return False
    return math.isfinite(w[last] + y * (rows.constant / divisor))


@kernel
def nonzeros(
    rows: Storage,
    start: int,
    stop: int,
    counts: NDArray[np.int64],
    columns: NDArray[np.uint32],
    values: Vector,
) -> int:
    """The entries of these rows that are not zero, row by row. Returns how many."""
    found = 0
    for i in range(start, stop):
        before = found
        for k in cells(rows, i):
            # Without a branch, which the processor would guess wrong: what is zero is overwritten.
            columns[found] = column(rows, k)
            values[found] = value(rows, i, k)
            found += values[found] != 0.0
        counts[i - start] = found - before
    return found


def over(X: Any, constant: float, unit: bool = False, *, norms: bool = True) -> Storage:
    """Rows over the caller's memory, a C-contiguous float array or a CSR matrix, with room for their norms."""
    norm = np.full(X.shape[0] if norms else 0, np.nan)
    storage = CsrRows if hasattr(X, "indptr") else DenseRows
    return storage.over(X, norm, constant, unit)
