"""The search goes on where floats end: from their last guess, with twice the digits.

Nothing here is proof, as in `novikoff.certificates.solve`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from novikoff.certificates import twofold
from novikoff.certificates.solve import PATIENCE, STEP, CountedRows, Guess, length
from novikoff.engine.rows import Indices, smallest
from novikoff.engine.storage import Vector

TURN = 20  # candidates that enter between two looks at the working set
VANISHED = 2.0**-90  # a residual this small is rounding


class Closer(NamedTuple):
    """A guess with what its w and its p lack to the sums of two floats that they are."""

    guess: Guess
    w_rest: Vector
    p_rest: Vector
    vanished: bool  # as far as these digits show

    def w(self) -> list[Fraction]:
        return _exactly(self.guess.w, self.w_rest)

    def weights(self) -> list[Fraction]:
        return _exactly(self.guess.p, self.p_rest)


def _exactly(high: Vector, low: Vector) -> list[Fraction]:
    return [Fraction(a) + Fraction(b) for a, b in zip(high.tolist(), low.tolist(), strict=True)]


def guesses(data: CountedRows, gap: float, start: Guess) -> Iterator[Closer]:
    """Better and better guesses; the last one vanishes, is close enough, or is stuck."""
    used = data.used_columns()
    kept = np.append(0, 1 + used)
    which = start.rows[np.argsort(-start.p, kind="stable")]
    B = data.columns(which).take(kept, axis=1)
    c = twofold.corral(B.shape[1], min(data.n, B.shape[1]))
    least = max(gap / 16, 2.0**-40)
    size = _enter(data, c, 0, B, np.arange(len(which)), least)
    shortest, patience = math.inf, PATIENCE
    while True:
        size = _approach(data, c, size, B, least)
        now = length(c.r.high)
        patience = PATIENCE if now < shortest else patience - 1
        shortest = min(shortest, now)
        rows = which[c.members[:size]]
        p, p_rest = c.p.high[:size].copy(), c.p.low[:size].copy()
        w = twofold.pair(data.width)
        if now < VANISHED:
            yield Closer(Guess(w.high, -math.inf, rows, p), w.low, p_rest, True)
            return
        unit = 2.0 ** -(math.frexp(now)[1])  # a power of two: nothing is rounded
        w.high[used], w.low[used] = -unit * c.r.high[1:], -unit * c.r.low[1:]
        z = _products(data, w)
        lowest = float(z.min()) / length(w.high)
        z *= data.factors
        level = (1 - gap / 4) * float(np.median(z[rows]))
        z[which] = math.inf
        new = smallest(z, np.flatnonzero(z < level), data.page)
        yield Closer(Guess(w.high, lowest, rows, p), w.low, p_rest, False)
        if len(new) == 0 or patience == 0:
            return
        if len(which) > 5 * data.page:
            kept_rows = np.union1d(c.members[:size], _worst(c, B)[: len(which) // 4])
            c.members[:size] = np.searchsorted(kept_rows, c.members[:size])
            which, B = which[kept_rows], B[kept_rows]
        which, B = np.concatenate([which, new]), np.concatenate([B, data.columns(new).take(kept, axis=1)])


def _products(data: CountedRows, w: twofold.Pair) -> NDArray[np.float64]:
    """<w, a_i> for every row."""
    data.spend(1)
    out = np.empty(data.n)
    pace = max(1, data.rows.pace // 16)
    for start in range(0, data.n, pace):
        data.look()
        twofold.products(data.rows.storage, data.signs, w, start, min(data.n, start + pace), out)
    return out


def _approach(data: CountedRows, c: twofold.Corral, size: int, B: NDArray[np.float64], least: float) -> int:
    """The nearest point over the rows of B, up to the tolerance. Returns the size of its corral."""
    shortest, patience = math.inf, PATIENCE
    while True:
        now = length(c.r.high)
        violation = np.empty(len(B))
        twofold.price(B, c.r, violation)
        worst = np.argsort(-violation, kind="stable")[:TURN]
        worst = worst[violation[worst] > least * now * now]
        patience = PATIENCE if now < shortest else patience - 1
        if len(worst) == 0 or patience == 0 or now < VANISHED:
            return size
        shortest = min(shortest, now)
        size = _enter(data, c, size, B, worst, least)


def _enter(
    data: CountedRows, c: twofold.Corral, size: int, B: NDArray[np.float64], candidates: Indices, least: float
) -> int:
    pace = max(1, STEP // (4 * c.Q.high.size))
    for start in range(0, len(candidates), pace):
        data.look()
        size = twofold.enter(c, size, B, candidates[start : start + pace], least)
    twofold.settle(c, size)
    return size


def _worst(c: twofold.Corral, B: NDArray[np.float64]) -> Indices:
    violation = np.empty(len(B))
    twofold.price(B, c.r, violation)
    return np.argsort(-violation, kind="stable")
