"""Loops over the squares s_i (<w,a_i> - y_i)^2, where a_i is a row with its constant coordinate.

Each row is read once: its residual first, then its share of the gradient while it is in the cache.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from novikoff.engine.compile import REASSOCIATED, by_type, inlined, kernel, reassociated
from novikoff.engine.dense import DenseRows
from novikoff.engine.storage import (
    Storage,
    Vector,
    between,
    cells,
    column,
    constant_term,
    dot,
    sqnorm_in_floats,
    unsigned,
    value,
)


@reassociated
def _add(rows: Storage, i: int, c: float, w: Vector) -> None:
    """w += c a_i."""
    for k in cells(rows, i):
        w[column(rows, k)] += c * value(rows, i, k)
    w[w.shape[0] - 1] += c * rows.constant


@inlined
def _residual(rows: Storage, i: int, w: Vector, y: Vector) -> float:
    return float(dot(rows, i, w, constant_term(rows, w)) - y[i])


@kernel
def gradient(rows: Storage, y: Vector, s: Vector, w: Vector, start: int, stop: int, out: Vector) -> float:
    """out += sum s_i (<w,a_i> - y_i) a_i over these rows, half the gradient. Returns sum s_i (<w,a_i> - y_i)^2."""
    total = 0.0
    for i in between(start, stop):
        r = _residual(rows, i, w, y)
        total += s[i] * r * r
        _add(rows, i, s[i] * r, out)
    return total


@kernel
def products(rows: Storage, w: Vector, start: int, stop: int, out: Vector) -> None:
    """out[i] = <w,a_i>."""
    for i in between(start, stop):
        out[i] = dot(rows, i, w, constant_term(rows, w))


@kernel
def combination(rows: Storage, c: Vector, start: int, stop: int, out: Vector) -> None:
    """out += sum c_i a_i."""
    for i in between(start, stop):
        _add(rows, i, c[i], out)


@kernel
def sqnorms(rows: Storage, start: int, stop: int, out: Vector) -> None:
    """out[i] = ||a_i||^2."""
    for i in between(start, stop):
        out[i] = sqnorm_in_floats(rows, i)


def _in_one_sweep(rows: DenseRows, i: int, c: float, w: Vector, following: int) -> float:
    # w is loaded and stored once, and the next row streams in meanwhile.
    last = w.shape[0] - 1
    x, z = rows.X[i], rows.X[following]
    s = 0.0
    for k in range(np.uint64(last)):
        w[k] += c * x[k]
        s += w[k] * z[k]
    w[last] += c * rows.constant
    return float(s + w[last] * rows.constant)


def _in_two_sweeps(rows: Storage, i: int, c: float, w: Vector, following: int) -> float:
    _add(rows, i, c, w)
    return float(dot(rows, following, w, constant_term(rows, w)))


def _add_and_look_ahead(rows: Storage, i: int, c: float, w: Vector, following: int) -> float:
    """w += c a_i; then <w, a_following>."""
    return _in_two_sweeps(rows, i, c, w, following)


by_type(
    _add_and_look_ahead,
    lambda rows, i, c, w, following: _in_one_sweep if rows.instance_class is DenseRows else _in_two_sweeps,
    **REASSOCIATED,
)


@kernel
def sgd(
    rows: Storage,
    y: Vector,
    s: Vector,
    order: NDArray[np.int64],
    step: float,
    decay: float,
    done: int,
    w: Vector,
    tilt: Vector,
) -> float:
    """w -= alpha 2 s_i (<w,a_i> - y_i) a_i for these rows in turn, alpha = step / (1 + decay t). Returns the loss met.

    t counts the steps from ``done`` on. If ``tilt`` is not empty it gathers sum (t - 1) * change, so that the mean
    of w_1, ..., w_t is w_t - tilt/t: averaging costs a sparse row no more than its entries.
    """
    total = 0.0
    if order.shape[0] == 0:
        return total
    product = dot(rows, unsigned(order[0]), w, constant_term(rows, w))
    for k in range(order.shape[0]):
        i = unsigned(order[k])
        r = product - y[i]
        total += s[i] * r * r
        c = -2.0 * s[i] * r * step / (1.0 + decay * (done + k))
        following = unsigned(order[min(k + 1, order.shape[0] - 1)])
        product = _add_and_look_ahead(rows, i, c, w, following)
        if tilt.shape[0] > 0:
            _add(rows, i, c * (done + k), tilt)
    return total


@kernel
def kaczmarz(rows: Storage, y: Vector, sqnorm: Vector, order: NDArray[np.int64], w: Vector) -> float:
    """Project w onto <w,a_i> = y_i for these rows in turn. Returns the sum of the squared residuals met."""
    total = 0.0
    for row in order:
        i = unsigned(row)
        if sqnorm[i] > 0.0:
            r = _residual(rows, i, w, y)
            total += r * r
            _add(rows, i, -r / sqnorm[i], w)
    return total


@kernel
def newton_sgd(
    rows: Storage,
    y: Vector,
    s: Vector,
    order: NDArray[np.int64],
    step: float,
    decay: float,
    done: int,
    P: NDArray[np.float64],
    w: Vector,
) -> float:
    """w -= alpha P s_i (<w,a_i> - y_i) a_i for these rows in turn, alpha as in `sgd`. Returns the loss met."""
    total = 0.0
    for k in range(order.shape[0]):
        i = order[k]
        r = _residual(rows, i, w, y)
        total += s[i] * r * r
        _add_solved(rows, i, -s[i] * r * step / (1.0 + decay * (done + k)), P, w)
    return total


@reassociated
def _add_solved(rows: Storage, i: int, c: float, P: NDArray[np.float64], out: Vector) -> None:
    """out += c P a_i, for a symmetric P."""
    d = P.shape[0]
    for k in cells(rows, i):
        x = c * value(rows, i, k)
        row = P[column(rows, k)]
        for j in range(d):
            out[j] += x * row[j]
    x = c * rows.constant
    for j in range(d):
        out[j] += x * P[d - 1, j]


@kernel
def recursive(
    rows: Storage,
    y: Vector,
    s: Vector,
    start: int,
    stop: int,
    P: NDArray[np.float64],
    w: Vector,
    work: Vector,
) -> float:
    """The least-squares solution of all rows so far, row by row (Sherman and Morrison). Returns the loss met.

    P = (ridge + sum s_i a_i a_i')^-1 becomes P - s (P a)(P a)' / (1 + s <a, P a>), written once for both triangles,
    so that it stays symmetric.
    """
    total = 0.0
    d = w.shape[0]
    for i in range(start, stop):
        r = _residual(rows, i, w, y)
        total += s[i] * r * r
        for j in range(d):
            work[j] = 0.0
        _add_solved(rows, i, 1.0, P, work)
        q = 1.0 + s[i] * dot(rows, i, work, constant_term(rows, work))
        for j in range(d):
            w[j] -= s[i] * r / q * work[j]
            x = s[i] / q * work[j]
            for k in range(j + 1):
                P[j, k] -= x * work[k]
                P[k, j] = P[j, k]
    return total
