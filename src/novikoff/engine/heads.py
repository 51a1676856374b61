"""The weights of many classes: a head for each.

The score of class r is <w_r, x>. For an example of class y the *rival* is the class r != y of the largest score, ties
to the lowest, compared exactly; and

    p = <w_y - w_r, x>/2

takes the place of y<w,x>: a mistake is p <= 0, the step is w_y += step x and w_r -= step x, and p grows by
step ||x||^2. With V = W/sqrt 2 this is the learner of two classes on the rows (x at y, -x at r)/sqrt 2, which are as
long as x. So every theorem holds with ||V||, and so does the filter of `novikoff.engine.decide`: the two scores err by
at most (D + 1) u (||w_y|| + ||w_r||) ||x||/2 <= (D + 1) u ||V|| ||x||, their difference included.
"""

from __future__ import annotations

import math
import sys
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from novikoff.engine import sums
from novikoff.engine.compile import allocating, inlined, outlined, reassociated
from novikoff.engine.plane import mean_at, norm_of_means
from novikoff.engine.storage import (
    NO_SKETCH,
    Sketch,
    Storage,
    Vector,
    add,
    cells,
    column,
    sqnorm_in_floats,
    sum_is_finite,
    sum_rounds,
    value,
)

Matrix = NDArray[np.float64]

LARGEST = sys.float_info.max
APART = 3.0  # two scores differ for sure if they do by so many errors of p; sqrt 8 is enough


class Heads(NamedTuple):
    W: Matrix  # (k, D) the constant coordinate last
    scores: Vector  # (k,) room for those of a row

    # What compiled loops ask: see `novikoff.engine.weights`.

    def entries(self) -> int:
        return len(self.W[0])

    def share(self, rows: Storage) -> float:
        return 0.0

    def sketch(self, rows: Storage) -> Sketch:
        return NO_SKETCH

    def product(self, rows: Storage, i: int, y: float, share: float) -> float:
        look(rows, i, self.W, self.scores)
        return _lead(self.scores, int(y))

    def product_and_sqnorm(self, rows: Storage, i: int, y: float) -> tuple[float, float]:
        look(rows, i, self.W, self.scores)
        return _lead(self.scores, int(y)), sqnorm_in_floats(rows, i)

    def as_sign(self, y: float) -> float:
        return 1.0  # no class is special

    def sign_beyond(self, rows: Storage, i: int, y: float, divisor: float, theta: float, error: float) -> int:
        other = _rival(rows, i, int(y), divisor, self.W, self.scores, error)
        return _sign(rows, i, divisor, self.W, int(y), other, theta)

    def sign_of_difference(
        self, rows: Storage, i: int, yi: float, qi: float, ei: float, j: int, yj: float, qj: float, ej: float
    ) -> int:
        ri = _rival(rows, i, int(yi), qi, self.W, self.scores, ei)
        rj = _rival(rows, j, int(yj), qj, self.W, self.scores, ej)
        return _sign_of_difference(rows, i, int(yi), ri, qi, j, int(yj), rj, qj, self.W)

    def rival(self, rows: Storage, i: int, y: float, divisor: float, error: float) -> int:
        return _rival(rows, i, int(y), divisor, self.W, self.scores, error)

    def nearest(self, rows: Storage, i: int, y: float, divisor: float, rival: int, size: float) -> float:
        m, e = _rounded_difference(rows, i, divisor, self.W, int(y), rival)
        return sums.power(m, e - 1)

    def step(self, rows: Storage, i: int, y: float, length: float, divisor: float, rival: int) -> None:
        add(rows, i, length, divisor, self.W[int(y)])
        add(rows, i, -length, divisor, self.W[rival])

    def step_rounds(self, rows: Storage, i: int, y: float, length: float, divisor: float, rival: int) -> bool:
        up = sum_rounds(rows, i, length, divisor, self.W[int(y)])
        return up or sum_rounds(rows, i, -length, divisor, self.W[rival])

    def step_is_finite(self, rows: Storage, i: int, y: float, length: float, divisor: float, rival: int) -> bool:
        up = sum_is_finite(rows, i, length, divisor, self.W[int(y)])
        return up and sum_is_finite(rows, i, -length, divisor, self.W[rival])

    def sqnorm(self) -> float:
        return 0.5 * _sqnorm(self.W)

    def squares(self) -> int:
        return len(self.W) + len(self.W[0])

    def size(self) -> float:
        return _largest(self.W) * math.sqrt(self.W.size)

    def copy_to(self, room: Matrix) -> None:
        for r in range(self.W.shape[0]):
            for j in range(self.W.shape[1]):
                room[r, j] = self.W[r, j]

    def means_at(self, rows: Storage, i: int, tilt: Heads, rounds: float, room: Heads) -> float:
        return _means_at(rows, i, self.W, tilt.W, rounds, room.W)


# Scores ---------------------------------------------------------------------------------------------


@reassociated
def _four(rows: Storage, i: int, W: Matrix, r: int) -> tuple[float, float, float, float]:
    """The scores of four classes: a row is read once for all of them."""
    last = W.shape[1] - 1
    a, b = W[r, last] * rows.constant, W[r + 1, last] * rows.constant
    c, d = W[r + 2, last] * rows.constant, W[r + 3, last] * rows.constant
    for k in cells(rows, i):
        j, x = column(rows, k), value(rows, i, k)
        a += W[r, j] * x
        b += W[r + 1, j] * x
        c += W[r + 2, j] * x
        d += W[r + 3, j] * x
    return a, b, c, d


@reassociated
def _one(rows: Storage, i: int, W: Matrix, r: int) -> float:
    s = W[r, W.shape[1] - 1] * rows.constant
    for k in cells(rows, i):
        s += W[r, column(rows, k)] * value(rows, i, k)
    return float(s)


@outlined
def look(rows: Storage, i: int, W: Matrix, scores: Vector) -> None:
    """The scores of row i, before any division by its norm, in floats."""
    k = W.shape[0]
    r = 0
    while r + 4 <= k:
        scores[r], scores[r + 1], scores[r + 2], scores[r + 3] = _four(rows, i, W, r)
        r += 4
    while r < k:
        scores[r] = _one(rows, i, W, r)
        r += 1


@inlined
def _lead(scores: Vector, y: int) -> float:
    """p from the scores. (They are numbers, unless ||w|| is so large that the filter is not asked.)"""
    best = -math.inf
    for r in range(scores.shape[0]):
        if r != y:
            best = max(best, scores[r])
    return 0.5 * float(scores[y]) - 0.5 * best


# Exactly --------------------------------------------------------------------------------------------


@outlined
def _compare(rows: Storage, i: int, divisor: float, W: Matrix, scores: Vector, a: int, b: int, apart: float) -> int:
    """The sign of the score of class a less that of b, where scores in floats may tell up to ``apart``."""
    gap = scores[a] - scores[b]
    if gap > apart:
        return 1
    if gap < -apart:
        return -1
    return 0 if apart == 0.0 else _sign(rows, i, divisor, W, a, b, 0.0)


@outlined
def _rival(rows: Storage, i: int, y: int, divisor: float, W: Matrix, scores: Vector, error: float) -> int:
    """The class other than y of the largest score, ties to the lowest; ``error`` is that of p."""
    look(rows, i, W, scores)
    best = -1
    # Invariant: of the classes 0 .. r - 1 without y, `best` has the largest score, exactly, ties to the lowest.
    for r in range(scores.shape[0]):
        if r != y and (best < 0 or _compare(rows, i, divisor, W, scores, r, best, APART * error * divisor) > 0):
            best = r
    return best


@outlined
def _sign(rows: Storage, i: int, divisor: float, W: Matrix, a: int, b: int, theta: float) -> int:
    """The sign of <w_a - w_b, row>/2 - theta."""
    if theta <= 2.0**400:
        high, low, noise = sums.fold_dot(-2.0 * theta, 0.0, 0.0, rows, i, 1.0, divisor, W[a])
        high, low, noise = sums.fold_dot(high, low, noise, rows, i, -1.0, divisor, W[b])
        if sums.sign_is_sure(high, low, noise, 2 * W.shape[1]):
            return 1 if high + low > 0.0 else -1 if high + low < 0.0 else 0
    return _long_sign(rows, i, divisor, W, a, b, theta)


@allocating
def _long_sign(rows: Storage, i: int, divisor: float, W: Matrix, a: int, b: int, theta: float) -> int:
    total = np.zeros(sums.DIGITS, dtype=np.int64)
    sums.add_dot(total, rows, i, 1.0, divisor, W[a])
    sums.add_dot(total, rows, i, -1.0, divisor, W[b])
    sums.add_product(total, theta, -2.0)
    return sums.sign_of(total)


@outlined
def _rounded_difference(rows: Storage, i: int, divisor: float, W: Matrix, a: int, b: int) -> tuple[float, int]:
    """<w_a - w_b, row> = m 2^e, correctly rounded."""
    high, low, noise = sums.fold_dot(0.0, 0.0, 0.0, rows, i, 1.0, divisor, W[a])
    high, low, noise = sums.fold_dot(high, low, noise, rows, i, -1.0, divisor, W[b])
    if sums.rounds_to_sum(high, low, noise, 2 * W.shape[1]):
        return math.frexp(high + low)
    return _long_rounded_difference(rows, i, divisor, W, a, b)


@allocating
def _long_rounded_difference(rows: Storage, i: int, divisor: float, W: Matrix, a: int, b: int) -> tuple[float, int]:
    total = np.zeros(sums.DIGITS, dtype=np.int64)
    sums.add_dot(total, rows, i, 1.0, divisor, W[a])
    sums.add_dot(total, rows, i, -1.0, divisor, W[b])
    return sums.rounded(total)


@outlined
def _sign_of_difference(
    rows: Storage, i: int, yi: int, ri: int, qi: float, j: int, yj: int, rj: int, qj: float, W: Matrix
) -> int:
    """The sign of p of row i less p of row j, with their rivals and divisors."""
    high, low, noise = sums.fold_dot(0.0, 0.0, 0.0, rows, i, 1.0, qi, W[yi])
    high, low, noise = sums.fold_dot(high, low, noise, rows, i, -1.0, qi, W[ri])
    high, low, noise = sums.fold_dot(high, low, noise, rows, j, -1.0, qj, W[yj])
    high, low, noise = sums.fold_dot(high, low, noise, rows, j, 1.0, qj, W[rj])
    if sums.sign_is_sure(high, low, noise, 4 * W.shape[1]):
        return 1 if high + low > 0.0 else -1 if high + low < 0.0 else 0
    return _long_sign_of_difference(rows, i, yi, ri, qi, j, yj, rj, qj, W)


@allocating
def _long_sign_of_difference(
    rows: Storage, i: int, yi: int, ri: int, qi: float, j: int, yj: int, rj: int, qj: float, W: Matrix
) -> int:
    total = np.zeros(sums.DIGITS, dtype=np.int64)
    sums.add_dot(total, rows, i, 1.0, qi, W[yi])
    sums.add_dot(total, rows, i, -1.0, qi, W[ri])
    sums.add_dot(total, rows, j, -1.0, qj, W[yj])
    sums.add_dot(total, rows, j, 1.0, qj, W[rj])
    return sums.sign_of(total)


# Predictions ----------------------------------------------------------------------------------------


@outlined
def rank(rows: Storage, i: int, divisor: float, W: Matrix, scores: Vector, error: float) -> int:
    """The scores of row i, right at the top; and the class of the largest, ties to the lowest.

    Floats tell p to ``error``. Afterwards the largest score is that of the class, or of all classes, whose exact score
    is the largest, and no other is equal to it.
    """
    look(rows, i, W, scores)
    for r in range(scores.shape[0]):
        scores[r] = scores[r] / divisor if error < math.inf else _rounded_score(rows, i, divisor, W[r])
    apart = APART * error
    best, top = 0, scores[0]
    # Invariant: of the classes 0 .. r - 1, `best` has the largest score, exactly, ties to the lowest; `top` is the
    # largest float among them.
    for r in range(1, scores.shape[0]):
        top = max(top, scores[r])
        if _compare(rows, i, divisor, W, scores, r, best, apart) > 0:
            best = r
    for r in range(scores.shape[0]):
        if r != best and _compare(rows, i, divisor, W, scores, r, best, apart) == 0:
            scores[r] = top
        elif scores[r] >= top:
            scores[r] = np.nextafter(top, -math.inf)
    scores[best] = top
    return best


@outlined
def _rounded_score(rows: Storage, i: int, divisor: float, w: Vector) -> float:
    m, e = sums.rounded_dot(rows, i, divisor, w)
    return math.ldexp(m, e) if e <= 1024 else math.copysign(LARGEST, m)


@outlined
def _means_at(rows: Storage, i: int, W: Matrix, tilt: Matrix, rounds: float, room: Matrix) -> float:
    total, some = 0.0, False
    for r in range(W.shape[0]):
        q = mean_at(rows, i, W[r], tilt[r], rounds, room[r])
        if q >= 0.0:
            total += 0.5 * q
            some = True
    return norm_of_means(total if some else -1.0, W.shape[0] + W.shape[1])


# Length ---------------------------------------------------------------------------------------------


@inlined
def _sqnorm(W: Matrix) -> float:
    """||W||^2, with no more rounding than a sum of D + k squares."""
    q = 0.0
    for r in range(W.shape[0]):
        q += _sqnorm_of_head(W, r)
    return q


@reassociated
def _sqnorm_of_head(W: Matrix, r: int) -> float:
    q = 0.0
    for j in range(np.uint64(W.shape[1])):
        q += W[r, j] * W[r, j]
    return float(q)


@outlined
def _largest(W: Matrix) -> float:
    found = 0.0
    for r in range(W.shape[0]):
        for j in range(W.shape[1]):
            found = max(found, abs(W[r, j]))
    return found
