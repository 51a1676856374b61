"""The loops that Python calls. Each returns within a budget of rows, so that Ctrl-C is heard."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff.engine.compile import allocating, allocating_kernel, inlined, kernel, outlined, specialised
from novikoff.engine.csr import CsrRows
from novikoff.engine.decide import (
    MISTAKE,
    NOT_FINITE,
    STATE,
    UPDATE,
    divisor,
    learn,
    measure,
    meet,
    norm_bound,
    ranked,
    reach,
    respond,
    score,
    side,
    slope,
)
from novikoff.engine.dense import DenseRows
from novikoff.engine.heads import Heads
from novikoff.engine.keeping import LAST, Average, Kept, OnStream, seen
from novikoff.engine.plane import Plane
from novikoff.engine.rule import Rule, satisfied, violated
from novikoff.engine.storage import (
    Storage,
    Vector,
    add,
    between,
    constant_term,
    dot,
    fetch,
    settled,
    signed,
    sqnorm_in_floats,
    unsigned,
)
from novikoff.engine.weights import (
    Weights,
    as_sign,
    entries,
    product,
    product_and_sqnorm,
    share,
    sign_of_difference,
    sketch,
)

Signs = NDArray[np.int8]
AHEAD = np.uint64(16)  # positions between the row that is asked for and the one that is read
SLOW = 32  # an exact decision costs about as much as this many rows; no result depends on it
NOBODY = -1  # the row that a search found, when it found none
UNDECIDED = -100  # the class of a row for which two scores are the largest

# What a trace holds of an update.
TRACE = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("row", "i8"),
                ("turn", "i8"),  # the pass, or the search, from 0
                ("at", "i8"),  # how many rows had had their turn in it
                ("mistake", "i8"),  # 1: it was a wrong prediction, too
                ("step", "f8"),  # w += step y x
                ("rival", "i8"),  # of many classes, the one that went down by step x
            ],
            align=True,
        ),
    )
)


@inlined
def fetch_ahead(rows: Storage, order: NDArray[np.int64], t: int) -> None:
    """Rows in a random order are waited for, unless the memory is asked for them some rows before."""
    ahead = unsigned(t) + AHEAD
    if ahead < unsigned(order.shape[0]):
        fetch(rows, unsigned(order[ahead]))


@outlined  # by itself it is small, and compiled to a loop that is a third faster than within `cycle`
def _next_violated(
    rows: Storage,
    y: Signs,
    order: NDArray[np.int64],
    w: Weights,
    at: int,
    stop: int,
    level: float,
    tilt: float,
    error: float,
) -> tuple[int, float]:
    """The first position whose row is not surely beyond theta, or new (its norm is nan); and p of it, undivided."""
    of_constant = share(w, rows)
    shuffled = order.shape[0] > 0
    of_w = sketch(w, rows)
    # Invariant: every row from position `at` up to t has a known norm, and p > theta whatever was rounded.
    for t in between(at, stop):
        i = unsigned(order[t]) if shuffled else t
        if shuffled:
            fetch_ahead(rows, order, t)
        if settled(rows, i, float(y[i]), of_w, of_constant, level, tilt + error):
            continue
        p = product(w, rows, i, float(y[i]), of_constant)
        if not p > level + tilt * rows.norm[i]:
            return signed(t), p
    return stop, 0.0


@outlined
def _next_violated_of_new(
    rows: Storage,
    y: Signs,
    order: NDArray[np.int64],
    w: Weights,
    rule: Rule,
    at: int,
    stop: int,
    level: float,
    tilt: float,
    s: Any,
) -> tuple[int, float]:
    """The first position whose row is not surely beyond theta, or makes theta grow; and p of it, undivided.

    Rows are measured on the way. Instead of a position an error code about s.row.
    """
    shuffled = order.shape[0] > 0
    theta = s.theta
    # Invariant: every row from position `at` up to t has been measured, and p > theta whatever was rounded.
    for t in between(at, stop):
        i = unsigned(order[t]) if shuffled else t
        if shuffled:
            fetch_ahead(rows, order, t)
        p, q = product_and_sqnorm(w, rows, i, float(y[i]))
        code = meet(rows, signed(i), q, w, rule, s)
        if code < 0:
            s.row = signed(i)
            return code, p
        if not p > level + tilt * rows.norm[i] or s.theta != theta:
            return signed(t), p
    return stop, 0.0


@inlined
def beyond(rows: Storage, theta: float, error: float) -> tuple[float, float]:
    """p > theta for sure if in floats, undivided, it is above level + tilt ||x||.

    Which is theta + error ||x||, or (theta + error) ||x|| for unit rows.
    """
    return (0.0, (theta + error) * (1.0 + 2.0**-50)) if rows.unit else (theta, error)


@inlined
def _note(trace: Any, tally: NDArray[np.uint32], i: int, verdict: int, s: Any) -> None:
    """Write down an update on row i, where it is asked for."""
    if tally.shape[0] > 0:
        tally[i] += 1
    if trace.shape[0] > 0:
        entry = trace[s.traced]
        entry.row = i
        entry.turn = s.turns
        entry.at = s.at
        entry.mistake = verdict & MISTAKE
        entry.step = s.step
        entry.rival = s.rival
        s.traced += 1


@inlined
def weight_of(importance: Vector, i: int) -> float:
    """That of a row."""
    return float(importance[i]) if importance.shape[0] > 0 else 1.0


@kernel
def cycle(
    rows: Storage,
    y: Signs,
    importance: Vector,
    order: NDArray[np.int64],
    base: int,
    restart: bool,
    w: Weights,
    kept: Kept,
    rule: Rule,
    state: Any,
    budget: int,
    log: NDArray[np.int64],
    trace: Any,
    tally: NDArray[np.uint32],
) -> int:
    """Passes in the given order (row by row if empty), or (``restart``) searches for the first violated example.

    ``order`` holds the rows of a stretch of positions from ``base`` on: state.at, and n more for each further pass.
    Logs the number of updates of each pass, or the row that each search found. Returns how many
    entries it logged, or an error code; state.done says that the last pass satisfied the rule. Updates are written
    into ``trace``, and counted for each row in ``tally``, if these are not empty; it returns when the trace is full,
    and at the end of the stretch. ``importance`` is the weight of each row, or empty if all are 1.
    """
    s = state[0]
    n = y.shape[0]
    shuffled = order.shape[0] > 0
    logged = 0
    s.norm = norm_bound(w)
    s.traced = 0
    # Invariant: ||w|| <= s.norm. The row at position t of this pass is order[t - base], or t. Those before s.at have
    # had their turn in this pass, each with the w of that moment; s.found of them were updates. s.pass_theta was theta
    # when the pass began. After a search (``restart``) that ended in an update nothing is known of any row, and the
    # next one begins at 0.
    while logged < log.shape[0] and budget > 0 and (trace.shape[0] == 0 or s.traced < trace.shape[0]):
        error = slope(entries(w), s.norm)
        level, tilt = beyond(rows, s.theta, error)
        stop = min(n, s.at + budget)
        if shuffled:
            stop = min(stop, base + order.shape[0])
        t, p = s.at, 0.0
        new = s.at < stop and math.isnan(rows.norm[order[s.at - base] if shuffled else s.at])
        if new:
            t, p = _next_violated_of_new(rows, y, order, w, rule, s.at - base, stop - base, level, tilt, s)
            if t < 0:
                return t
            t += base
        elif s.at < stop:
            t, p = _next_violated(rows, y, order, w, s.at - base, stop - base, level, tilt, error)
            t += base
        budget -= t - s.at
        if not restart:
            s.rounds += t - s.at
        s.at = t
        if t < stop:
            i = order[t - base] if shuffled else t
            if math.isnan(rows.norm[i]):
                continue
            if shuffled:
                fetch_ahead(rows, order, t - base)
            slow = s.slow
            s.row = i
            verdict = respond(rows, i, float(y[i]), weight_of(importance, i), w, kept, rule, p / divisor(rows, i), s)
            if verdict < 0:
                return verdict
            budget -= 1 + SLOW * (s.slow - slow)
            if verdict & UPDATE:
                s.found += 1
                _note(trace, tally, i, verdict, s)
                if restart:
                    log[logged] = i
                    logged += 1
                    s.found = 0
                    s.at = 0
                    s.turns += 1
                    s.rounds += 1
                    continue
            s.at += 1
            if not restart:
                s.rounds += 1
        if s.at == n:
            # The threshold that stands at the end must be that of every row of the pass.
            stood = s.theta == s.pass_theta
            s.done = stood and satisfied(rule, s.found, s.mistakes - s.pass_mistakes, s.loss)
            log[logged] = NOBODY if restart else s.found
            logged += 1
            if restart:
                s.rounds += 1
            next_turn(s)
            s.pass_theta = s.theta
            base -= n if shuffled else 0
            if s.done:
                return logged
        if shuffled and s.at - base == order.shape[0]:
            return logged
    return logged


@kernel
def quiet(
    rows: Storage, y: Signs, given: NDArray[np.int64], starts: NDArray[np.int64], size: int, w: Weights, state: Any
) -> bool:
    """Is every row of these blocks measured and surely beyond theta, so that their turns may come in any order?

    ``starts`` holds their first rows; each has ``size`` rows, or ends with the data. ``given`` is empty.
    """
    error = slope(entries(w), norm_bound(w))
    level, tilt = beyond(rows, state[0].theta, error)
    for k in range(starts.shape[0]):
        stop = min(y.shape[0], starts[k] + size)
        if _next_violated(rows, y, given, w, starts[k], stop, level, tilt, error)[0] < stop:
            return False
    return True


@inlined
def next_turn(s: Any) -> None:
    """A pass, or a search, has ended."""
    s.at = 0
    s.found = 0
    s.turns += 1
    s.pass_mistakes = s.mistakes
    s.loss = 0.0


@inlined
def _closer(
    rows: Storage, y: Signs, i: int, m: float, error: float, j: int, best: float, best_error: float, w: Weights, s: Any
) -> bool:
    """Is p of row i below that of row j < i? m and best are the two in floats, with their errors."""
    if m < best - (error + best_error):
        return True
    if m > best + (error + best_error) or error + best_error == 0.0:
        return False
    s.slow += 1
    yi, yj, qi, qj = float(y[i]), float(y[j]), divisor(rows, i), divisor(rows, j)
    return sign_of_difference(w, rows, i, yi, qi, error, j, yj, qj, best_error) < 0


@inlined
def _spared(rule: Rule, s: Any) -> int:
    """The sign of the examples with p = 0 that the rule leaves alone, if it does not treat both signs alike."""
    if s.theta != 0.0 or violated(rule, 0, 1.0) == violated(rule, 0, -1.0):
        return 0
    return -1 if violated(rule, 0, 1.0) else 1


@inlined
def _only_this_violates(
    rows: Storage, y: Signs, i: int, w: Weights, m: float, error: float, spared: int, s: Any
) -> bool:
    """Two examples near p = 0: is only the later one violated there?"""
    if spared == 0 or y[i] == spared or y[s.found] != spared:
        return False
    j = s.found
    p, e = _estimate(rows, y, j, w, s)
    kept = side(rows, j, float(y[j]), w, 0.0, p, e, s)
    return kept == 0 and side(rows, i, float(y[i]), w, 0.0, m, error, s) == 0


@inlined
def _estimate(rows: Storage, y: Signs, i: int, w: Weights, s: Any) -> tuple[float, float]:
    """p of a measured row in floats, and how far off that is at most."""
    p = product(w, rows, i, float(y[i]), share(w, rows)) / divisor(rows, i)
    return p, slope(entries(w), s.norm) * reach(rows, i)


@kernel
def climb(
    rows: Storage,
    y: Signs,
    importance: Vector,
    w: Weights,
    kept: Kept,
    rule: Rule,
    state: Any,
    budget: int,
    log: NDArray[np.int64],
    trace: Any,
    tally: NDArray[np.uint32],
) -> int:
    """Searches for the violated example with the smallest p, ties to the lower row, and updates on it.

    Logs the row that each search found to be violated. The other arrays are as in `cycle`.
    """
    s = state[0]
    n = y.shape[0]
    logged = 0
    s.norm = norm_bound(w)
    s.traced = 0
    best, best_error = 0.0, 0.0
    if s.at > 0:
        best, best_error = _estimate(rows, y, s.found, w, s)
    # Invariant, if s.at > 0: of the rows before s.at, s.found has the smallest p, exactly, ties to the lower row
    # (but at zero a row that is violated goes before one that is not). In floats that is
    # `best`, off by at most `best_error`. w does not change within a search.
    while logged < log.shape[0] and budget > 0 and (trace.shape[0] == 0 or s.traced < trace.shape[0]):
        error = slope(entries(w), s.norm)
        of_constant = share(w, rows)
        spared = _spared(rule, s)
        stop = min(n, s.at + budget)
        budget -= stop - s.at
        for k in between(s.at, stop):
            i = signed(k)
            if math.isnan(rows.norm[k]):
                s.row = i
                p, q = product_and_sqnorm(w, rows, i, float(y[k]))
                code = meet(rows, i, q, w, rule, s)
                if code < 0:
                    return code
            else:
                p = product(w, rows, k, float(y[k]), of_constant)
            m = p / divisor(rows, i)
            e = error * reach(rows, i)
            if i > 0 and m > best + (e + best_error):
                continue
            if (
                i == 0
                or _only_this_violates(rows, y, i, w, m, e, spared, s)
                or _closer(rows, y, i, m, e, s.found, best, best_error, w, s)
            ):
                s.found, best, best_error = i, m, e
        s.at = stop
        if stop < n:
            continue
        s.at = 0
        s.row = s.found
        c = weight_of(importance, s.found)
        verdict = respond(rows, s.found, float(y[s.found]), c, w, kept, rule, best, s)
        if verdict < 0:
            return verdict
        s.done = not verdict & UPDATE
        if not s.done:
            _note(trace, tally, s.found, verdict, s)
        log[logged] = NOBODY if s.done else s.found
        logged += 1
        s.turns += 1
        s.rounds += 1
        if s.done:
            return logged
    return logged


@kernel
def survey(rows: Storage, width: int, state: Any, start: int, stop: int) -> int:
    """Look at rows for the first time: their norms, and the radius. Returns 0, or an error code about state.row."""
    s = state[0]
    # Invariant: the norms of the rows start .. i - 1 are known, and s.radius is the largest of those seen so far.
    for i in range(start, stop):
        if math.isnan(rows.norm[i]):
            s.row = i
            code = measure(rows, i, sqnorm_in_floats(rows, i), width, s)
            if code < 0:
                return code
    return 0


@kernel
def examine(
    rows: Storage,
    y: Signs,
    w: Weights,
    zero: int,
    state: Any,
    start: int,
    stop: int,
    missed: NDArray[np.bool_],
) -> int:
    """How many of these measured rows w misclassifies, exactly; at <w,x> = 0 the prediction is ``zero``.

    They are marked in ``missed``, if that is not empty.

    state.found: of all rows before ``stop``, that with the smallest p, ties to the lower row. Of the rows before
    ``start`` it is known already, and w must not have changed since.
    """
    s = state[0]
    s.norm = norm_bound(w)
    of_constant = share(w, rows)
    error = slope(entries(w), s.norm)
    best, best_error = 0.0, 0.0
    if start > 0:
        best, best_error = _estimate(rows, y, s.found, w, s)
    of_w = sketch(w, rows)
    wrong = 0
    # Invariant: s.found, best and best_error are as in `climb`; wrong counts the rows start .. k - 1 that are on the
    # wrong side.
    for k in between(start, stop):
        right_and_farther = max(best + best_error, 0.0)
        if k > 0 and not rows.unit and settled(rows, k, float(y[k]), of_w, of_constant, right_and_farther, 2.0 * error):
            continue
        p = product(w, rows, k, float(y[k]), of_constant)
        i = signed(k)
        m = p / divisor(rows, i)
        e = error * reach(rows, i)
        if not m > e:
            sign = side(rows, i, float(y[i]), w, 0.0, m, e, s)
            if sign < 0 or (sign == 0 and zero != as_sign(w, float(y[i]))):
                wrong += 1
                if missed.shape[0] > 0:
                    missed[i] = True
        if i > 0 and m > best + (e + best_error):
            continue
        if i == 0 or _closer(rows, y, i, m, e, s.found, best, best_error, w, s):
            s.found, best, best_error = i, m, e
    return wrong


@kernel
def products(rows: Storage, y: Signs, w: Vector, start: int, stop: int, out: Vector) -> None:
    """out[i] = y_i <w, row i> in floats."""
    of_constant = constant_term(rows, w)
    for i in between(start, stop):
        out[i] = y[i] * dot(rows, i, w, of_constant)


@kernel
def some_rows(rows: Storage, y: Signs, which: NDArray[np.int64], out: NDArray[np.float64]) -> None:
    """out[k, 1:] = y_i (x_i, constant) for i = which[k]; out is zero before."""
    for k in range(which.shape[0]):
        add(rows, which[k], float(y[which[k]]), 1.0, out[k, 1:])


@kernel
def scores(rows: Storage, w: Vector, start: int, stop: int, out: Vector) -> int:
    """out[i] = <w, row i> with the exact sign. Returns the first row that is not finite, or NOBODY."""
    norm = norm_bound(Plane(w))
    # Invariant: out[start : i] is finite, and has the signs of the exact products.
    for i in range(start, stop):
        out[i] = score(rows, i, w, norm)
        if math.isnan(out[i]):
            return i
    return NOBODY


@kernel
def rounds(
    rows: Storage,
    y: Signs,
    w: Plane,
    kept: OnStream,
    rule: Rule,
    state: Any,
    start: int,
    stop: int,
    out: Vector,
) -> int:
    """The online protocol: out[i] = <w, row i> with the exact sign, and then y[i] is learned, unless it is 0.

    Returns 0, or an error code about row state.row, before which everything was learned.
    """
    s = state[0]
    s.norm = norm_bound(w)
    # Invariant: out[i] comes from the w that has learned the rows start .. i - 1 with a label, and no others.
    for i in range(start, stop):
        of, norm = seen(kept, rows, i, w, s)
        out[i] = score(rows, i, of.w, norm)
        if y[i] != 0:
            code = learn(rows, i, float(y[i]), 1.0, w, kept, rule, s)
            if code < 0:
                return code
            s.rounds += 1
        elif math.isnan(out[i]):
            s.row = i
            return NOT_FINITE
    return 0


@kernel
def scores_of_heads(rows: Storage, w: Heads, start: int, stop: int, out: NDArray[np.float64]) -> int:
    """out[i] = the scores of all classes, right at the top. Returns the first row that is not finite, or NOBODY."""
    norm = norm_bound(w)
    # Invariant: out[start : i] is finite, and the largest of each row is the exactly largest.
    for i in range(start, stop):
        if ranked(rows, i, w, norm) < 0:
            return i
        for r in range(w.scores.shape[0]):
            out[i, r] = w.scores[r]
    return NOBODY


@kernel
def rounds_of_heads(
    rows: Storage,
    y: NDArray[np.int32],
    w: Heads,
    kept: OnStream,
    rule: Rule,
    state: Any,
    start: int,
    stop: int,
    out: NDArray[np.float64],
) -> int:
    """The online protocol as in `rounds`; a class -1 is not known."""
    s = state[0]
    s.norm = norm_bound(w)
    # Invariant: as in `rounds`.
    for i in range(start, stop):
        of, norm = seen(kept, rows, i, w, s)
        best = ranked(rows, i, of, norm)
        for r in range(of.scores.shape[0]):
            out[i, r] = of.scores[r]
        if y[i] >= 0:
            code = learn(rows, i, float(y[i]), 1.0, w, kept, rule, s)
            if code < 0:
                return code
            s.rounds += 1
        elif best < 0:
            s.row = i
            return NOT_FINITE
    return 0


@kernel
def norm_above(w: Weights) -> float:
    """An upper bound on ||w||: what `learn_one` has in its state, for a state that is made anew."""
    return norm_bound(w)


@allocating
def _dense(x: NDArray[Any], s: Any) -> DenseRows:
    return DenseRows(x.reshape(1, x.shape[0]), np.full(1, np.nan), s.constant, s.unit != 0)


@allocating
def _sparse(columns: NDArray[Any], values: NDArray[Any], s: Any) -> CsrRows:
    return CsrRows(values, columns, np.array([0, values.shape[0]]), np.full(1, np.nan), s.constant, s.unit != 0)


@allocating_kernel
def learn_dense(x: NDArray[Any], y: int, w: Weights, kept: OnStream, rule: Rule, state: Any) -> int:
    return _learn_next(_dense(x, state[0]), y, w, kept, rule, state[0])


@allocating_kernel
def learn_sparse(
    columns: NDArray[Any], values: NDArray[Any], y: int, w: Weights, kept: OnStream, rule: Rule, state: Any
) -> int:
    return _learn_next(_sparse(columns, values, state[0]), y, w, kept, rule, state[0])


@allocating
def _learn_next(rows: Storage, y: int, w: Weights, kept: OnStream, rule: Rule, s: Any) -> int:
    code = learn(rows, 0, float(y), 1.0, w, kept, rule, s)
    if code >= 0:
        s.rounds += 1
    return code


@allocating_kernel
def score_dense(x: NDArray[Any], w: Vector, state: Any) -> float:
    return score(_dense(x, state[0]), 0, w, state[0].norm)


@allocating_kernel
def score_sparse(columns: NDArray[Any], values: NDArray[Any], w: Vector, state: Any) -> float:
    return score(_sparse(columns, values, state[0]), 0, w, state[0].norm)


@allocating_kernel
def rank_dense(x: NDArray[Any], w: Heads, state: Any) -> int:
    """The class of the largest score; UNDECIDED where two are the largest; or NOT_FINITE."""
    return _top(_dense(x, state[0]), w, state[0].norm)


@allocating_kernel
def rank_sparse(columns: NDArray[Any], values: NDArray[Any], w: Heads, state: Any) -> int:
    return _top(_sparse(columns, values, state[0]), w, state[0].norm)


@allocating
def _top(rows: Storage, w: Heads, norm: float) -> int:
    room = Heads(w.W, np.empty_like(w.scores))  # others may learn or predict at the same time
    best = ranked(rows, 0, room, norm)
    if best >= 0:
        for r in range(room.scores.shape[0]):
            if r != best and room.scores[r] == room.scores[best]:
                return UNDECIDED
    return best


# The same for float64 values (and uint32 columns) in C order and nothing else, of one rule: see `specialised`.

_X, _COLUMNS, _STATE = np.zeros(1), np.zeros(1, dtype=np.uint32), np.zeros(1, dtype=STATE)
_W, _HEADS = np.zeros(2), Heads(np.zeros((3, 2)), np.zeros(3))


class ByKind(dict[Any, Callable[..., int]]):
    """The machine code for each kind of learner, made when it is first asked for; a look-up is quicker than a call.

    A kind is the type of a rule, or that and the type of what is kept beside w.
    """

    def __init__(self, kernel: Any, w: Weights, *example: Any) -> None:
        self._kernel, self._w, self._example = kernel, w, example

    def __missing__(self, kind: Any) -> Callable[..., int]:
        rule, kept = (kind[0], Average(self._w, self._w)) if isinstance(kind, tuple) else (kind, LAST)
        made: Callable[..., int] = specialised(self._kernel, *self._example, 1, self._w, kept, rule(), _STATE)
        self[kind] = made
        return made


learn_dense64 = ByKind(learn_dense, Plane(_W), _X)
learn_sparse64 = ByKind(learn_sparse, Plane(_W), _COLUMNS, _X)
learn_dense64_heads = ByKind(learn_dense, _HEADS, _X)
learn_sparse64_heads = ByKind(learn_sparse, _HEADS, _COLUMNS, _X)


@cache
def score_dense64() -> Callable[[Vector, Vector, Any], float]:
    return specialised(score_dense, _X, _W, _STATE)


@cache
def score_sparse64() -> Callable[[NDArray[np.uint32], Vector, Vector, Any], float]:
    return specialised(score_sparse, _COLUMNS, _X, _W, _STATE)


@cache
def rank_dense64() -> Callable[[Vector, Heads, Any], int]:
    return specialised(rank_dense, _X, _HEADS, _STATE)


@cache
def rank_sparse64() -> Callable[[NDArray[np.uint32], Vector, Heads, Any], int]:
    return specialised(rank_sparse, _COLUMNS, _X, _HEADS, _STATE)
