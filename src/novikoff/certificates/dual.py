"""Dual coordinate descent (Hsieh et al. 2008), for the hard margin and soft ones.

Minimise ||sum p_i a_i||^2 / 2 - sum p_i over p >= 0, one coordinate at a time, with w = sum p_i a_i kept; and the
passes that go with it, where a_i = y_i (x_i, constant).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from novikoff.certificates.corral import inner
from novikoff.engine.compile import inlined, kernel, product_error
from novikoff.engine.loops import Signs
from novikoff.engine.storage import (
    Storage,
    Vector,
    add,
    between,
    cells,
    column,
    constant_term,
    dot,
    two_sum,
    unsigned,
    value,
)


@kernel
def combine(
    rows: Storage, y: Signs, which: NDArray[np.int64], p: Vector, high: Vector, low: Vector, noise: Vector
) -> None:
    """high + low += sum p_k a_k over the rows `which`, where noise sums the sizes of what went into low."""
    last = high.shape[0] - 1
    for k in range(which.shape[0]):
        i = which[k]
        c = p[k] * y[i]
        for cell in cells(rows, i):
            j = column(rows, cell)
            high[j], low[j], noise[j] = fold(high[j], low[j], noise[j], c, value(rows, i, cell))
        high[last], low[last], noise[last] = fold(high[last], low[last], noise[last], c, rows.constant)


@inlined
def fold(high: float, low: float, noise: float, a: float, b: float) -> tuple[float, float, float]:
    """(high + low) += a b, where noise sums the sizes of the rounding errors that went into low."""
    p = a * b
    if abs(p) < 2.0**-960 and a != 0.0 and b != 0.0:
        noise = math.inf  # the error of this product may not be a float
    lost = product_error(a, b, p)
    s, sum_error = two_sum(high, p)
    return s, low + (lost + sum_error), noise + (abs(lost) + abs(sum_error))


@kernel
def price(B: NDArray[np.float64], r: Vector, out: Vector) -> None:
    """out = B r: not by BLAS, whose answer depends on the number of threads."""
    for i in range(B.shape[0]):
        out[i] = inner(B[i], r)


@kernel
def sweep(
    rows: Storage,
    y: Signs,
    which: NDArray[np.int64],
    p: Vector,
    w: Vector,
    ridge: Vector,
    most: Vector,
    ends: Vector,
) -> None:
    """One step on each of the rows `which`. ends gets the smallest and the largest projected gradient met.

    ridge: what is added to the diagonal of the Gram matrix; most: the upper bounds of p. For the hard margin they are
    0 and infinity.
    """
    ends[0], ends[1] = 0.0, 0.0
    for i in which:
        gradient = y[i] * dot(rows, i, w, constant_term(rows, w)) - 1.0 + ridge[i] * p[i]
        if (p[i] == 0.0 and gradient >= 0.0) or (p[i] == most[i] and gradient <= 0.0):
            continue
        ends[0], ends[1] = min(ends[0], gradient), max(ends[1], gradient)
        old = p[i]
        p[i] = min(most[i], max(0.0, old - gradient / (rows.norm[i] * rows.norm[i] + ridge[i])))
        if p[i] != old:
            add(rows, i, (p[i] - old) * y[i], 1.0, w)


@kernel
def sweep_rivals(
    rows: Storage,
    y: NDArray[np.int32],
    which: NDArray[np.int64],
    rivals: NDArray[np.int64],
    p: Vector,
    W: NDArray[np.float64],
    ends: Vector,
) -> None:
    """`sweep` for many classes, over rows that are x_i at the place of y_i, -x_i at that of a rival, and 0 elsewhere.

    Row v is of the example v // (k - 1), and rivals[v] is its rival.
    """
    ends[0], ends[1] = 0.0, 0.0
    others = W.shape[0] - 1
    for v in which:
        i = v // others
        up, down = W[y[i]], W[rivals[v]]
        gradient = dot(rows, i, up, constant_term(rows, up)) - dot(rows, i, down, constant_term(rows, down)) - 1.0
        if p[v] == 0.0 and gradient >= 0.0:
            continue
        ends[0], ends[1] = min(ends[0], gradient), max(ends[1], gradient)
        old = p[v]
        p[v] = max(0.0, old - gradient / (2.0 * rows.norm[i] * rows.norm[i]))
        if p[v] != old:
            add(rows, i, p[v] - old, 1.0, up)
            add(rows, i, old - p[v], 1.0, down)


@kernel
def column_signs(rows: Storage, y: Signs, above: NDArray[np.bool_], below: NDArray[np.bool_]) -> None:
    """Which columns have y x > 0, and which y x < 0, on some row."""
    for i in range(y.shape[0]):
        positive, negative = (above, below) if y[i] > 0 else (below, above)
        for k in cells(rows, i):
            x, j = value(rows, i, k), column(rows, k)
            # Without a branch, so that a dense row is a vector operation.
            positive[j] |= x > 0.0
            negative[j] |= x < 0.0


@kernel
def total(rows: Storage, y: Signs, p: Vector, out: Vector, start: int, stop: int) -> None:
    """out += sum p_i a_i over the rows from start to stop, in floats."""
    for i in between(start, stop):
        if p[i] != 0.0:
            add(rows, i, p[i] * y[i], 1.0, out)


@kernel
def squares(rows: Storage, which: NDArray[np.int64], weights: Vector, out: NDArray[np.float64]) -> None:
    """out += sum of weight a a' over the rows `which`, on and below the diagonal."""
    last = out.shape[0] - 1
    for k in between(0, which.shape[0]):
        i = unsigned(which[k])
        for cell in cells(rows, i):
            here, scaled = column(rows, cell), weights[k] * value(rows, i, cell)
            for other in cells(rows, i):
                there = column(rows, other)
                if there <= here:
                    out[here, there] += scaled * value(rows, i, other)
            out[last, here] += scaled * rows.constant
        out[last, last] += weights[k] * rows.constant * rows.constant
