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
LINE = 8  # floats that come from memory together
ABREAST = 4  # candidates that are projected together


class Next(NamedTuple):
    """The candidates that enter next, ABREAST of them at most."""

    place: NDArray[np.int64]  # among the candidates
    violation: Vector
    fresh: NDArray[np.float64]  # what of them is orthogonal to Q, and
    shares: NDArray[np.float64]  # the coefficients of the rest
    length: Vector  # ||b||
    before: Vector  # ||fresh|| before it was last projected


class Corral(NamedTuple):
    """Room for a corral; the first ``state.size`` entries are in use. Rows are filled up with zeros to whole lines."""

    Q: NDArray[np.float64]  # orthonormal rows q_k
    R: NDArray[np.float64]  # b_i = sum_k R[k, i] q_k, upper triangular
    members: NDArray[np.int64]  # which candidates the b_i are
    p: Vector
    step: Vector  # from p to the minimum over the corral
    gap: Vector  # Q^T (e_0 - B p): what is left to move; 0 at that minimum
    turn: NDArray[np.float64]  # rotations: cosines and sines
    r: Vector  # the residual
    next: Next


def corral(width: int, size: int) -> Corral:
    """An empty one for columns of `width` entries, at most `size` of them."""
    r = lines(1, width)[0]
    r[0] = 1.0
    size += 2
    return Corral(
        lines(size, width),
        lines(size, size),
        np.zeros(size, dtype=np.int64),
        np.zeros(size),
        lines(1, size)[0],
        np.zeros(size),
        np.zeros((2, size)),
        r,
        Next(
            np.zeros(ABREAST, dtype=np.int64),
            np.zeros(ABREAST),
            lines(ABREAST, width),
            np.zeros((ABREAST, size)),
            np.zeros(ABREAST),
            np.zeros(ABREAST),
        ),
    )


def lines(rows: int, width: int) -> NDArray[np.float64]:
    """Zeros, `width` of them a row and a few more: a row begins with a line of memory, and ends with one.

    A vector load that straddles two lines takes as long as two, and all loads of a row would.
    """
    width = -(-width // LINE) * LINE
    room = np.zeros(rows * width + LINE)
    start = -room.ctypes.data // room.itemsize % LINE
    return room[start : start + rows * width].reshape(rows, width)


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
def _project(Q: NDArray[np.float64], size: int, X: NDArray[np.float64], shares: NDArray[np.float64]) -> None:
    """X -= X Q^T Q, and the coefficients are added to the shares.

    Four rows of Q at a time: they stay in the nearest cache for all rows of X, and for the second of their two
    readings; x is read and written once for all four, and nobody waits for one sum to be folded. The rows are
    orthonormal to rounding, so nothing is lost.
    """
    k = 0
    while k + 4 <= size:
        a, b, c, d = Q[k], Q[k + 1], Q[k + 2], Q[k + 3]
        for i in range(X.shape[0]):
            x, share = X[i], shares[i]
            s, t, u, v = 0.0, 0.0, 0.0, 0.0
            for j in range(np.uint64(x.shape[0])):
                s += a[j] * x[j]
                t += b[j] * x[j]
                u += c[j] * x[j]
                v += d[j] * x[j]
            for j in range(np.uint64(x.shape[0])):
                x[j] -= (s * a[j] + t * b[j]) + (u * c[j] + v * d[j])
            share[k] += s
            share[k + 1] += t
            share[k + 2] += u
            share[k + 3] += v
        k += 4
    while k < size:
        for i in range(X.shape[0]):
            s = inner(Q[k], X[i])
            _add(-s, Q[k], X[i])
            shares[i, k] += s
        k += 1


@outlined
def _bring(c: Corral, size: int, i: int, b: Vector) -> None:
    """Let b be one of the next."""
    x, share = c.next.fresh[i], c.next.shares[i]
    for j in range(np.uint64(b.shape[0])):
        x[j] = b[j]
    for k in range(np.uint64(size)):
        share[k] = 0.0
    c.next.length[i] = c.next.before[i] = math.sqrt(inner(x, x))


@outlined
def _project_next(c: Corral, size: int, count: int) -> None:
    """Project so many of the next; and once more, if a digit or more of one cancelled: then Q stays orthonormal."""
    X, shares = c.next.fresh[:count], c.next.shares[:count]
    _project(c.Q, size, X, shares)
    again = False
    for i in range(count):
        again |= _has_cancelled(c, i)
    if again:
        for i in range(count):
            c.next.before[i] = math.sqrt(inner(X[i], X[i]))
        _project(c.Q, size, X, shares)


@inlined
def _has_cancelled(c: Corral, i: int) -> bool:
    """Has one of the next lost a digit since it was last projected, though it is not in the span?"""
    left = math.sqrt(inner(c.next.fresh[i], c.next.fresh[i]))
    return bool(left <= 0.1 * c.next.before[i] and left > DEPENDENT * c.next.length[i])


@outlined
def _append(c: Corral, size: int, i: int) -> bool:
    """Extend the factor by one of the next; False, and nothing but an unused column changed, if it is in the span."""
    x, share = c.next.fresh[i], c.next.shares[i]
    if _has_cancelled(c, i):
        _project(c.Q, size, c.next.fresh[i : i + 1], c.next.shares[i : i + 1])
    left = math.sqrt(inner(x, x))
    if not left > DEPENDENT * c.next.length[i]:
        return False
    for k in range(size):
        c.R[k, size] = share[k]
    c.R[size, size] = left
    q = c.Q[size]
    for j in range(np.uint64(x.shape[0])):
        q[j] = x[j] / left
    return True


@outlined
def _remove(c: Corral, size: int, at: int, start: int, stop: int) -> None:
    """Take column `at` out of the factor; the direction that it leaves free becomes the last row of Q.

    In a range of the next, which have been projected, it is free as well.
    """
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
    for i in range(start, stop):
        share = c.next.shares[i]
        for k in range(at, size - 1):
            _rotate(cosine[k], sine[k], share[k : k + 1], share[k + 1 : k + 2])
        _add(share[size - 1], c.Q[size - 1], c.next.fresh[i])
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


@reassociated
def _solve(c: Corral, size: int) -> None:
    """R step = gap. Solved for the step and not for its end, a weight of 1e-17 beside others of 1 keeps its digits."""
    R, step, gap = c.R, c.step, c.gap
    last = size - size % 4
    for i in range(size - 1, last - 1, -1):
        step[i] = (gap[i] - inner(R[i, i + 1 : size], step[i + 1 : size])) / R[i, i]
    # Four rows at a time, as in `_project`.
    for i in range(last - 4, -1, -4):
        x, y, z, u = R[i], R[i + 1], R[i + 2], R[i + 3]
        e, f, g, h = gap[i], gap[i + 1], gap[i + 2], gap[i + 3]
        for j in range(np.uint64(i + 4), np.uint64(size)):
            e -= x[j] * step[j]
            f -= y[j] * step[j]
            g -= z[j] * step[j]
            h -= u[j] * step[j]
        h /= u[i + 3]
        g = (g - z[i + 3] * h) / z[i + 2]
        f = (f - y[i + 3] * h - y[i + 2] * g) / y[i + 1]
        e = (e - x[i + 3] * h - x[i + 2] * g - x[i + 1] * f) / x[i]
        step[i], step[i + 1], step[i + 2], step[i + 3] = e, f, g, h


@inlined
def _descend(c: Corral, size: int, free: int, start: int, stop: int) -> int:
    """Move p to the minimum over its corral, dropping columns that would become negative. Returns the size.

    A range of the next has been projected, and follows.
    """
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
                _remove(c, size, i, start, stop)
                size -= 1
                _add(c.gap[size], c.Q[size], c.r)


@inlined
def _choose(c: Corral, B: NDArray[np.float64], candidates: NDArray[np.int64], level: float) -> int:
    """The worst candidates above the level become the next, the worst first. Returns how many they are."""
    place, violation = c.next.place, c.next.violation
    count = 0
    for k in range(candidates.shape[0]):
        if candidates[k] < 0:
            continue
        now = inner(B[candidates[k]], c.r)
        if not now > level or (count == ABREAST and not now > violation[ABREAST - 1]):
            continue
        count = min(ABREAST, count + 1)
        at = count - 1
        while at > 0 and now > violation[at - 1]:
            place[at], violation[at] = place[at - 1], violation[at - 1]
            at -= 1
        place[at], violation[at] = k, now
    return count


@kernel
def enter(
    c: Corral, size: int, free: int, B: NDArray[np.float64], candidates: NDArray[np.int64], least: float, turns: int
) -> int:
    """In so many turns, let the candidates enter that violate <b,r> <= least ||r||^2 most. Returns the size.

    A turn is for ABREAST of them; who has had a turn is -1 among the candidates. Members below ``free`` may have
    weights of either sign. `settle` is to follow.
    """
    for _ in range(turns):
        count = _choose(c, B, candidates, least * inner(c.r, c.r))
        if count == 0:
            break
        for i in range(count):
            _bring(c, size, i, B[candidates[c.next.place[i]]])
        _project_next(c, size, count)
        for i in range(count):
            j = candidates[c.next.place[i]]
            candidates[c.next.place[i]] = -1
            # Since they were chosen, others have entered.
            if not inner(B[j], c.r) > least * inner(c.r, c.r) or size + 2 > c.R.shape[0] or not _append(c, size, i):
                continue
            q = c.Q[size]
            share = inner(q, c.r)
            if share <= 0.0:  # rounding: it is <b,r> / R[size, size]
                continue
            _add(-share, q, c.r)
            for k in range(i + 1, count):
                s = inner(q, c.next.fresh[k])
                _add(-s, q, c.next.fresh[k])
                c.next.shares[k, size] = s
            c.members[size], c.p[size], c.gap[size] = j, 0.0, share
            size = _descend(c, size + 1, free, i + 1, count)
    return size


@kernel
def settle(c: Corral, size: int) -> None:
    """Make the residual orthogonal to the corral again."""
    r = c.r.reshape(1, c.r.shape[0])
    for _ in range(2):
        _project(c.Q, size, r, c.next.shares)


@kernel
def span(c: Corral, size: int, B: NDArray[np.float64], start: int, stop: int) -> int:
    """Make those rows of B in a range members, of weights of either sign, that are independent. Returns the size."""
    for j in range(start, stop):
        if size + 2 > c.R.shape[0]:
            break
        _bring(c, size, 0, B[j])
        _project_next(c, size, 1)
        if _append(c, size, 0):
            c.members[size] = j
            _add(-inner(c.Q[size], c.r), c.Q[size], c.r)
            size += 1
    return size
