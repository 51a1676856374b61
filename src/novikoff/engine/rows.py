"""Rows of a data matrix, dense or CSR, behind one interface.

A row is x_i with the constant coordinate appended and, if ``unit``, divided by its norm. A loop over
the cells of a row reads the same for both storages; Numba resolves `cells`, `column` and `value` by
the type of ``rows`` and inlines them, and the plain functions are the same text for Python.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba import types
from numba.extending import overload as _overload
from numpy.typing import NDArray

from novikoff.engine.compile import F, inlined, kernel, outlined, reassociated

Vector = NDArray[np.float64]


class DenseRows(NamedTuple):
    X: NDArray[Any]  # (n, d) float32 or float64, C order
    norm: Vector  # (n,) the norm of the stored row; nan until it is first met, inf when out of range
    constant: float  # the appended coordinate; 0 without an intercept
    unit: bool  # rows are divided by their norm


class CsrRows(NamedTuple):
    data: NDArray[Any]  # (nnz,) float32 or float64
    indices: NDArray[Any]  # (nnz,) uint32 or uint64: a signed index costs a wrap-around test
    indptr: NDArray[np.int64]  # (n + 1,)
    norm: Vector
    constant: float
    unit: bool


Rows = DenseRows | CsrRows


def cells(rows: Rows, i: int) -> range:
    """Where the stored entries of row i are."""
    if isinstance(rows, DenseRows):
        return range(rows.X.shape[1])
    return range(rows.indptr[i], rows.indptr[i + 1])


def column(rows: Rows, k: int) -> int:
    return k if isinstance(rows, DenseRows) else rows.indices[k]


def value(rows: Rows, i: int, k: int) -> float:
    return float(rows.X[i, k] if isinstance(rows, DenseRows) else rows.data[k])


def overload(function: Callable[..., Any]) -> Callable[[F], F]:
    """Numba's overload, for signatures with type hints."""
    return _overload(function, strict=False)  # type: ignore[no-any-return]  # numba has no type hints


def is_dense(rows: Any) -> bool:
    """Is this the type of dense rows?"""
    return isinstance(rows, types.NamedTuple) and rows.instance_class is DenseRows


@overload(cells)
def _cells(rows: Any, i: Any) -> Callable[..., Any]:
    if is_dense(rows):
        return lambda rows, i: range(rows.X.shape[1])
    return lambda rows, i: range(np.uint64(rows.indptr[i]), np.uint64(rows.indptr[i + 1]))


@overload(column)
def _column(rows: Any, k: Any) -> Callable[..., Any]:
    if is_dense(rows):
        return lambda rows, k: k
    return lambda rows, k: rows.indices[k]


@overload(value)
def _value(rows: Any, i: Any, k: Any) -> Callable[..., Any]:
    if is_dense(rows):
        return lambda rows, i, k: np.float64(rows.X[i, k])
    return lambda rows, i, k: np.float64(rows.data[k])


@reassociated
def dot(rows: Rows, i: int, w: Vector, constant_term: float) -> float:
    """<w, (x_i, constant)> before any division by the norm, in an order that the machine likes."""
    s = 0.0
    for k in cells(rows, i):
        s += w[column(rows, k)] * value(rows, i, k)
    return s + constant_term


@inlined
def constant_term(rows: Rows, w: Vector) -> float:
    """The share of the constant coordinate in every dot product."""
    return float(w[w.shape[0] - 1] * rows.constant)


@reassociated
def dot_and_sqnorm(rows: Rows, i: int, w: Vector) -> tuple[float, float]:
    """`dot` and ||(x_i, constant)||^2 in one sweep; the latter is not finite if an entry is not."""
    s = w[w.shape[0] - 1] * rows.constant
    q = rows.constant * rows.constant
    for k in cells(rows, i):
        x = value(rows, i, k)
        s += w[column(rows, k)] * x
        q += x * x
    return s, q


@inlined
def add(rows: Rows, i: int, y: float, divisor: float, w: Vector) -> None:
    """w += y * row, entry by entry: the same bits for every storage and every machine."""
    last = w.shape[0] - 1
    if divisor == 1.0:
        for k in cells(rows, i):
            w[column(rows, k)] += y * value(rows, i, k)
    else:
        for k in cells(rows, i):
            w[column(rows, k)] += y * (value(rows, i, k) / divisor)
    w[last] += y * (rows.constant / divisor)


@outlined
def sum_rounds(rows: Rows, i: int, y: float, divisor: float, w: Vector) -> bool:
    """Is some entry of w + y * row no float? A loop without stores, whose bits may be combined in any order."""
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
def row_is_finite(rows: Rows, i: int) -> bool:
    for k in cells(rows, i):  # noqa: SIM110  # Numba compiles no generators inside all()
        if not math.isfinite(value(rows, i, k)):
            return False
    return True


@outlined
def sum_is_finite(rows: Rows, i: int, y: float, divisor: float, w: Vector) -> bool:
    """Would every entry of w + y * row be finite?"""
    last = w.shape[0] - 1
    for k in cells(rows, i):
        if not math.isfinite(w[column(rows, k)] + y * (value(rows, i, k) / divisor)):
            return False
    return math.isfinite(w[last] + y * (rows.constant / divisor))


@kernel
def nonzeros(
    rows: Rows,
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
            x = value(rows, i, k)
            if x != 0.0:
                columns[found] = column(rows, k)
                values[found] = x
                found += 1
        counts[i - start] = found - before
    return found
