"""The point of a convex hull nearest to the origin (Wolfe 1976), as non-negative least squares.

The columns are b_i = (1, a_i). Minimise ||sum p_i b_i - e_0|| over p >= 0 (Lawson and Hanson 1974): the residual
r is orthogonal to the b_i with p_i > 0, and <b_j,r> <= 0 for all j at the minimum. Then w = -r_a has
<a_j,w> >= r_0 > 0, or r = 0 and sum p_i a_i = 0. The b_i with p_i > 0 are linearly independent, so the a_i are
affinely independent: Wolfe's corral.

The factor B = Q R is kept of the columns themselves, by Gram-Schmidt with repetition and by rotations: a Gram
matrix would square the condition, and with it a margin of 1e-9 would drown.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from novikoff.engine.compile import inlined, kernel, outlined, reassociated
from novikoff.engine.storage import Vector

DEPENDENT = 2.0**-44  # a column whose new part is smaller than this, relatively, is in the span of the others


class Corral(NamedTuple):
    """Room for a corral; the first ``state.size`` entries are in use."""

    Q: NDArray[np.float64]  # orthonormal rows q_k
    L: NDArray[np.float64]  # b_i = sum_k L[i, k] q_k, lower triangular
    members: NDArray[np.int64]  # which candidates the b_i are
    p: Vector
    step: Vector  # from p to the minimum over the corral
    gap: Vector  # Q^T (e_0 - B p): what is left to move; 0 at that minimum
    work: Vector
    turn: NDArray[np.float64]  # rotations: cosines and sines
    r: Vector  # the residual
    fresh: Vector  # the new part of an entering column


def corral(width: int, size: int) -> Corral:
    """An empty one for columns of `width` entries, at most `size` of them."""
    r = np.zeros(width)
    r[0] = 1.0
    size += 2
    return Corral(
        np.zeros((size, width)),
        np.zeros((size, size)),
        np.zeros(size, dtype=np.int64),
        np.zeros(size),
        np.zeros(size),
        np.zeros(size),
        np.zeros(size),
        np.zeros((2, size)),
        r,
        np.zeros(width),
    )


@reassociated
def inner(a: Vector, b: Vector) -> float:
    s = 0.0
    for j in range(np.uint64(a.shape[0])):
        s += a[j] * b[j]
    return s


@reassociated
def _add(c: float, a: Vector, b: Vector) -> None:
    for j in range(np.uint64(a.shape[0])):
        b[j] += c * a[j]


@inlined
def _project(Q: NDArray[np.float64], size: int, x: Vector, work: Vector) -> None:
    """x -= Q Q^T x, the coefficients into work; each row of Q is read once."""
    for k in range(size):
        work[k] = inner(Q[k], x)
        _add(-work[k], Q[k], x)


@outlined
def _append(c: Corral, size: int, b: Vector) -> bool:
    """Extend the factor by b; False, and nothing changed, if b is in the span."""
    x, row = c.fresh, c.L[size]
    for j in range(np.uint64(b.shape[0])):
        x[j] = b[j]
    for k in range(size):
        row[k] = 0.0
    whole = before = math.sqrt(inner(x, x))
    left = before
    # Once more whenever a digit or more cancelled: then Q is orthonormal to rounding.
    for _ in range(3):
        _project(c.Q, size, x, c.work)
        for k in range(size):
            row[k] += c.work[k]
        left = math.sqrt(inner(x, x))
        if left > 0.1 * before or not left > DEPENDENT * whole:
            break
        before = left
    if not left > DEPENDENT * whole:
        return False
    row[size] = left
    q = c.Q[size]
    for j in range(np.uint64(b.shape[0])):
        q[j] = x[j] / left
    return True


@outlined
def _remove(c: Corral, size: int, at: int) -> None:
    """Take column `at` out of the factor; the direction that it leaves free becomes the last row of Q."""
    cosine, sine = c.turn[0], c.turn[1]
    for i in range(at, size - 1):
        row = c.L[i]
        for k in range(i + 2):
            row[k] = c.L[i + 1, k]
        x = row[at]
        for k in range(at, i):
            y = row[k + 1]
            row[k] = cosine[k] * x + sine[k] * y
            x = cosine[k] * y - sine[k] * x
        row[i] = math.sqrt(x * x + row[i + 1] * row[i + 1])
        cosine[i], sine[i] = x / row[i], row[i + 1] / row[i]
    for k in range(at, size - 2, 2):
        _rotate_twice(cosine[k : k + 2], sine[k : k + 2], c.Q[k], c.Q[k + 1], c.Q[k + 2])
    if (size - 1 - at) % 2:
        _rotate(cosine[size - 2], sine[size - 2], c.Q[size - 2], c.Q[size - 1])
    for k in range(at, size - 1):
        _rotate(cosine[k], sine[k], c.gap[k : k + 1], c.gap[k + 1 : k + 2])
    for i in range(at, size - 1):
        c.members[i] = c.members[i + 1]
        c.p[i] = c.p[i + 1]


@reassociated
def _rotate(cosine: float, sine: float, a: Vector, b: Vector) -> None:
    for j in range(np.uint64(a.shape[0])):
        x, y = a[j], b[j]
        a[j] = cosine * x + sine * y
        b[j] = cosine * y - sine * x


@reassociated
def _rotate_twice(cosine: Vector, sine: Vector, a: Vector, b: Vector, d: Vector) -> None:
    """(a, b) and then (b, d), with one reading of b."""
    c0, s0, c1, s1 = cosine[0], sine[0], cosine[1], sine[1]
    for j in range(np.uint64(a.shape[0])):
        x, y, z = a[j], b[j], d[j]
        a[j] = c0 * x + s0 * y
        y = c0 * y - s0 * x
        b[j] = c1 * y + s1 * z
        d[j] = c1 * z - s1 * y


@inlined
def _solve(c: Corral, size: int) -> None:
    """R step = gap. Solved for the step and not for its end, a weight of 1e-17 beside others of 1 keeps its digits."""
    for k in range(size):
        c.work[k] = c.gap[k]
    for i in range(size - 1, -1, -1):
        c.step[i] = c.work[i] / c.L[i, i]
        _add(-c.step[i], c.L[i, :i], c.work[:i])


@inlined
def _descend(c: Corral, size: int, free: int) -> int:
    """Move p to the minimum over its corral, dropping columns that would become negative. Returns the size."""
    while True:
        _solve(c, size)
        length, first = 1.0, -1
        for i in range(free, size):
            if c.p[i] + c.step[i] <= 0.0 and c.step[i] < 0.0 and -c.p[i] / c.step[i] < length:
                length, first = -c.p[i] / c.step[i], i
        for i in range(size):
            c.p[i] += length * c.step[i]
            c.gap[i] *= 1.0 - length
        if first < 0:
            return size
        c.p[first] = 0.0
        for i in range(size - 1, free - 1, -1):
            if c.p[i] <= 0.0 and c.step[i] < 0.0:
                _remove(c, size, i)
                size -= 1
                _add(c.gap[size], c.Q[size], c.r)


@kernel
def enter(c: Corral, size: int, free: int, B: NDArray[np.float64], candidates: NDArray[np.int64], least: float) -> int:
    """Let those candidates enter in turn that still violate <b,r> <= least ||r||^2. Returns the size of the corral.

    Members below ``free`` may have weights of either sign. `settle` is to follow.
    """
    for j in candidates:
        b = B[j]
        if not inner(b, c.r) > least * inner(c.r, c.r) or size + 2 > c.L.shape[0] or not _append(c, size, b):
            continue
        share = inner(c.Q[size], c.r)
        if share <= 0.0:  # rounding: it is <b,r> / L[size, size]
            continue
        _add(-share, c.Q[size], c.r)
        c.members[size], c.p[size], c.gap[size] = j, 0.0, share
        size = _descend(c, size + 1, free)
    return size


@kernel
def settle(c: Corral, size: int) -> None:
    """Make the residual orthogonal to the corral again."""
    _project(c.Q, size, c.r, c.work)
    _project(c.Q, size, c.r, c.work)


@kernel
def span(c: Corral, size: int, B: NDArray[np.float64], start: int, stop: int) -> int:
    """Make those rows of B in a range members, of weights of either sign, that are independent. Returns the size."""
    for j in range(start, stop):
        if size + 2 <= c.L.shape[0] and _append(c, size, B[j]):
            c.members[size] = j
            _add(-inner(c.Q[size], c.r), c.Q[size], c.r)
            size += 1
    return size
