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
    R: NDArray[np.float64]  # b_i = sum_k R[k, i] q_k, upper triangular
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


@reassociated
def _project(Q: NDArray[np.float64], size: int, x: Vector, work: Vector) -> None:
    """x -= Q Q^T x, the coefficients into work.

    Four rows of Q at a time: they stay in the nearest cache between their two readings, x is read and written once for
    all four, and nobody waits for one sum to be folded. The rows are orthonormal to rounding, so nothing is lost.
    """
    k = 0
    while k + 4 <= size:
        a, b, c, d = Q[k], Q[k + 1], Q[k + 2], Q[k + 3]
        s, t, u, v = 0.0, 0.0, 0.0, 0.0
        for j in range(np.uint64(x.shape[0])):
            s += a[j] * x[j]
            t += b[j] * x[j]
            u += c[j] * x[j]
            v += d[j] * x[j]
        for j in range(np.uint64(x.shape[0])):
            x[j] -= (s * a[j] + t * b[j]) + (u * c[j] + v * d[j])
        work[k], work[k + 1], work[k + 2], work[k + 3] = s, t, u, v
        k += 4
    while k < size:
        work[k] = inner(Q[k], x)
        _add(-work[k], Q[k], x)
        k += 1


@outlined
def _append(c: Corral, size: int, b: Vector) -> bool:
    """Extend the factor by b; False, and nothing but an unused column changed, if b is in the span."""
    x = c.fresh
    for j in range(np.uint64(b.shape[0])):
        x[j] = b[j]
    for k in range(size):
        c.R[k, size] = 0.0
    whole = before = math.sqrt(inner(x, x))
    left = before
    # Once more whenever a digit or more cancelled: then Q is orthonormal to rounding.
    for _ in range(3):
        _project(c.Q, size, x, c.work)
        for k in range(size):
            c.R[k, size] += c.work[k]
        left = math.sqrt(inner(x, x))
        if left > 0.1 * before or not left > DEPENDENT * whole:
            break
        before = left
    if not left > DEPENDENT * whole:
        return False
    c.R[size, size] = left
    q = c.Q[size]
    for j in range(np.uint64(b.shape[0])):
        q[j] = x[j] / left
    return True


@outlined
def _remove(c: Corral, size: int, at: int) -> None:
    """Take column `at` out of the factor; the direction that it leaves free becomes the last row of Q."""
    cosine, sine = c.turn[0], c.turn[1]
    for k in range(at):
        row = c.R[k]
        for j in range(np.uint64(at), np.uint64(size - 1)):
            row[j] = row[j + np.uint64(1)]
    # Without that column R has entries below its diagonal. Invariant: the rows before k are as they will be; in row k
    # and those after it an entry of column j is still at j + 1.
    for k in range(at, size - 1):
        x, y = c.R[k, k + 1], c.R[k + 1, k + 1]
        length = math.sqrt(x * x + y * y)
        cosine[k], sine[k] = x / length, y / length
        c.R[k, k] = length
        _rotate_and_move(cosine[k], sine[k], c.R[k], c.R[k + 1], k + 1, size - 1)
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
def _rotate_and_move(cosine: float, sine: float, a: Vector, b: Vector, start: int, stop: int) -> None:
    """`_rotate` for what belongs at these places and is one further on; that of a goes where it belongs."""
    for j in range(np.uint64(start), np.uint64(stop)):
        x, y = a[j + np.uint64(1)], b[j + np.uint64(1)]
        a[j] = cosine * x + sine * y
        b[j + np.uint64(1)] = cosine * y - sine * x


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
    for i in range(size - 1, -1, -1):
        known = inner(c.R[i, i + 1 : size], c.step[i + 1 : size])
        c.step[i] = (c.gap[i] - known) / c.R[i, i]


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
        if not inner(b, c.r) > least * inner(c.r, c.r) or size + 2 > c.R.shape[0] or not _append(c, size, b):
            continue
        share = inner(c.Q[size], c.r)
        if share <= 0.0:  # rounding: it is <b,r> / R[size, size]
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
        if size + 2 <= c.R.shape[0] and _append(c, size, B[j]):
            c.members[size] = j
            _add(-inner(c.Q[size], c.r), c.Q[size], c.r)
            size += 1
    return size
