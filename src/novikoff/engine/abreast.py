"""Passes of many heads over one reading of the rows: a head for each class, against the rest.

A row is read once, for all heads. Of a CSR row an entry is multiplied with the weights that all of them have in its
column: these lie side by side, come from memory together and are multiplied as a vector. Floats decide nearly all signs
of a row (`novikoff.engine.decide`); each that they leave open is decided exactly, and each head that is to be
updated is, as `novikoff.engine.loops.cycle` does it: so every head is what it would be alone, to the bit. Only the sums
in floats are made in another order, and decisions do not depend on that.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novikoff.engine.compile import INLINED, by_type, inlined, kernel, outlined, reassociated
from novikoff.engine.decide import UPDATE, divisor, meet, respond, slope
from novikoff.engine.heads import look as look_stacked
from novikoff.engine.keeping import Average, Survivors
from novikoff.engine.loops import SLOW, Signs, beyond, fetch_ahead, next_turn, weight_of
from novikoff.engine.plane import Plane
from novikoff.engine.rule import Rule, satisfied
from novikoff.engine.storage import Storage, Vector, cells, column, sqnorm_in_floats, unsigned, value

Matrix = NDArray[np.float64]


class Abreast(NamedTuple):
    """Heads side by side, column by column: for rows whose entries are here and there."""

    V: Matrix  # (D, h) their weights
    heads: NDArray[np.int64]  # (h,) which of the heads they are that the state and the kept are of
    base: int  # the class of head 0; the others follow
    scores: Vector  # (h,) room for <w,x> of a row
    level: Vector  # (h,) where p > level + tilt ||x|| in floats, p > theta for sure
    tilt: Vector  # (h,)

    def weights(self, c: int) -> Plane:
        return Plane(self.V[:, c])

    def look(self, rows: Storage, i: int) -> None:
        _look_abreast(rows, i, self.V, self.scores)

    def rows_of_weights(self) -> Matrix:
        """For Python: (h, D)."""
        return self.V.T


class Stacked(NamedTuple):
    """Heads below each other: for rows whose entries are all there, which are read four heads at a time."""

    W: Matrix  # (h, D)
    heads: NDArray[np.int64]  # the others as above
    base: int
    scores: Vector
    level: Vector
    tilt: Vector

    def weights(self, c: int) -> Plane:
        return Plane(self.W[c])

    def look(self, rows: Storage, i: int) -> None:
        look_stacked(rows, i, self.W, self.scores)

    def rows_of_weights(self) -> Matrix:
        return self.W


Together = Abreast | Stacked


def weights(beside: Together, c: int) -> Plane:
    """Those of the c-th of these heads."""
    return beside.weights(c)


def look(beside: Together, rows: Storage, i: int) -> None:
    """The scores of row i, before any division by its norm, in floats."""
    beside.look(rows, i)


by_type(weights, lambda beside, c: beside.instance_class.weights, **INLINED)
by_type(look, lambda beside, rows, i: beside.instance_class.look, **INLINED)


@reassociated
def _look_abreast(rows: Storage, i: int, V: Matrix, scores: Vector) -> None:
    last, h = V.shape[0] - 1, unsigned(scores.shape[0])
    for r in range(h):
        scores[r] = V[last, r] * rows.constant
    for k in cells(rows, i):
        j, x = column(rows, k), value(rows, i, k)
        for r in range(h):
            scores[r] += V[j, r] * x


# What is kept beside the weights of each (`novikoff.engine.keeping`), for all heads together.


class Averages(NamedTuple):
    tilt: Matrix  # (heads, D)

    def of(self, head: int) -> Average:
        tilt = Plane(self.tilt[head])
        return Average(tilt, tilt)  # no prediction is asked for, so no room is needed


class SurvivorsOfAll(NamedTuple):
    """Without a place for any, nothing is kept."""

    W: NDArray[np.float64]  # (heads, places, 1, D)
    lived: NDArray[np.int64]  # (heads, places)
    born: NDArray[np.int64]  # (heads, places)
    since: NDArray[np.int64]  # (heads, 1)

    def of(self, head: int) -> Survivors:
        return Survivors(self.W[head], self.lived[head], self.born[head], self.since[head])


KeptOfAll = Averages | SurvivorsOfAll


def of(kept: KeptOfAll, head: int) -> Any:
    """What is kept beside the weights of one."""
    return kept.of(head)


by_type(of, lambda kept, head: kept.instance_class.of, **INLINED)


@inlined
def _expect(rows: Storage, beside: Together, c: int, s: Any) -> None:
    """Note where the c-th head is satisfied for sure."""
    error = slope(len(weights(beside, c).w), s.norm)
    beside.level[c], beside.tilt[c] = beyond(rows, s.theta, error)


@outlined
def _meet(rows: Storage, i: int, beside: Together, rule: Rule, state: Any) -> int:
    """All heads see row i for the first time: 0, or an error code."""
    q = sqnorm_in_floats(rows, unsigned(i))
    one = state[beside.heads[0]]
    m, e = one.radius_m, one.radius_e
    for c in range(beside.heads.shape[0]):
        s = state[beside.heads[c]]
        if c > 0 and s.radius_m == m and s.radius_e == e:  # it has met what the first one had, and finds the same
            s.radius_m, s.radius_e, s.radius_sq, s.theta = one.radius_m, one.radius_e, one.radius_sq, one.theta
        else:
            code = meet(rows, i, q, weights(beside, c), rule, s)
            if code < 0:
                return code
        _expect(rows, beside, c, s)
    return 0


@kernel
def together(
    rows: Storage,
    y: Signs,
    importance: Vector,
    order: NDArray[np.int64],
    base: int,
    beside: Together,
    kept: KeptOfAll,
    rule: Rule,
    state: Any,
    budget: int,
    log: NDArray[np.int64],
    tally: NDArray[np.uint64],
) -> int:
    """A stretch of a pass of all these heads; y are classes, and ``order`` and ``base`` are as in `cycle`.

    state has the record of each head; all are at the same place of the pass. Returns 1 at the end of the pass, when the
    updates of each head are in ``log``, and its state.done says that it is satisfied; else 0, or an error code about
    row state[first].row, which is of no use for going on. In ``tally``, unless that is empty, bit number `head` of each
    row on which that head was updated is set.
    """
    n = y.shape[0]
    first = beside.heads[0]
    shuffled = order.shape[0] > 0
    t = state[first].at
    stop = min(n, base + order.shape[0]) if shuffled else n
    for c in range(beside.heads.shape[0]):
        _expect(rows, beside, c, state[beside.heads[c]])
    # Invariant: the row at position t of this pass is order[t - base], or t. Every head has had its turn with those
    # before, and no other; of each, s.rounds counts its rounds up to position s.at <= t, the place of its last update.
    while t < stop and budget > 0:
        i = order[t - base] if shuffled else t
        if shuffled:
            fetch_ahead(rows, order, t - base)
        look(beside, rows, unsigned(i))
        if math.isnan(rows.norm[i]):
            code = _meet(rows, i, beside, rule, state)
            if code < 0:
                state[first].row = i
                return code
        norm = rows.norm[i]
        for c in range(beside.heads.shape[0]):
            head = beside.heads[c]
            label = 1.0 if y[i] == beside.base + head else -1.0
            p = label * beside.scores[c]
            if p > beside.level[c] + beside.tilt[c] * norm:
                continue
            s = state[head]
            s.rounds += t - s.at
            s.at = t
            s.row = i
            slow = s.slow
            w = weights(beside, c)
            weight = weight_of(importance, i)
            verdict = respond(rows, i, label, weight, w, of(kept, head), rule, p / divisor(rows, i), s)
            if verdict < 0:
                state[first].row = i
                return verdict
            budget -= SLOW * (s.slow - slow)
            if verdict & UPDATE:
                s.found += 1
                if tally.shape[0] > 0:
                    tally[i] |= np.uint64(1) << np.uint64(head)
                _expect(rows, beside, c, s)
        t += 1
        budget -= 1
    for c in range(beside.heads.shape[0]):
        s = state[beside.heads[c]]
        s.rounds += t - s.at
        s.at = t
        if t == n:
            stood = s.theta == s.pass_theta
            s.done = stood and satisfied(rule, s.found, s.mistakes - s.pass_mistakes, s.loss)
            log[c] = s.found
            next_turn(s)
            s.pass_theta = s.theta
    return 1 if t == n else 0
