"""The loops that Python calls. Each returns within a budget of rows, so that Ctrl-C is heard."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff.engine import sums
from novikoff.engine.compile import allocating, allocating_kernel, inlined, kernel, specialised
from novikoff.engine.decide import (
    NOT_FINITE,
    STATE,
    UPDATE,
    divisor,
    learn,
    measure,
    norm_bound,
    reach,
    score,
    settle,
    side,
    slope,
)
from novikoff.engine.rows import CsrRows, DenseRows, Rows, Vector, constant_term, dot, dot_and_sqnorm

Signs = NDArray[np.int8]
SLOW = 32  # an exact decision costs about as much as this many rows; no result depends on it
NOBODY = -1  # the row that a search found, when it found none


@inlined
def _next_violated(
    rows: Rows, y: Signs, order: NDArray[np.int64], w: Vector, at: int, stop: int, level: float, tilt: float
) -> tuple[int, float]:
    """The first position whose row is not surely beyond theta, or new (its norm is nan); and its dot product."""
    share = constant_term(rows, w)
    shuffled = order.shape[0] > 0
    # Invariant: every row from position `at` up to t has a known norm, and y<w,x> > theta whatever was rounded.
    for t in range(at, stop):
        i = order[t] if shuffled else t
        s = dot(rows, i, w, share)
        if not y[i] * s > level + tilt * rows.norm[i]:
            return t, s
    return stop, 0.0


@kernel
def cycle(
    rows: Rows,
    y: Signs,
    order: NDArray[np.int64],
    restart: bool,
    w: Vector,
    state: Any,
    budget: int,
    log: NDArray[np.int64],
) -> int:
    """Passes in the given order (row by row if empty), or (``restart``) searches for the first violated example.

    Logs the number of updates of each pass, or the row that each search found. Returns how many
    entries it logged, or an error code; state.done says that the last pass was clean.
    """
    s = state[0]
    n = y.shape[0]
    logged = 0
    s.norm = norm_bound(w)
    # Invariant: ||w|| <= s.norm. The rows before position s.at have had their turn in this pass, each with the w of
    # that moment; s.found of them were updates. s.pass_theta was theta when the pass began. After a search
    # (``restart``) that ended in an update nothing is known of any row, and the next one begins at 0.
    while logged < log.shape[0] and budget > 0:
        # y<w,x> > theta for sure: y s > theta + error ||x||, or (theta + error) ||x|| for unit rows
        error = slope(w, s.norm)
        if rows.unit:
            level, tilt = 0.0, (s.theta + error) * (1.0 + 2.0**-50)
        else:
            level, tilt = s.theta, error
        stop = min(n, s.at + budget)
        t, product = _next_violated(rows, y, order, w, s.at, stop, level, tilt)
        budget -= t - s.at
        s.at = t
        if t < stop:
            i = order[t] if order.shape[0] > 0 else t
            slow = s.slow
            if math.isnan(rows.norm[i]):
                verdict = learn(rows, i, float(y[i]), w, s)
            else:
                s.row = i
                verdict = settle(rows, i, float(y[i]), w, y[i] * product / divisor(rows, i), s)
            if verdict < 0:
                return verdict
            s.at += 1
            budget -= 1 + SLOW * (s.slow - slow)
            if verdict & UPDATE:
                s.found += 1
                if restart:
                    log[logged] = i
                    logged += 1
                    s.found = 0
                    s.at = 0
                    continue
        if s.at == n:
            # A pass is clean if no row violated the threshold that stands at its end.
            s.done = s.found == 0 and s.theta == s.pass_theta
            log[logged] = NOBODY if restart else s.found
            logged += 1
            s.at = 0
            s.found = 0
            s.pass_theta = s.theta
            if s.done:
                return logged
    return logged


@inlined
def _only_this_violates(rows: Rows, y: Signs, i: int, w: Vector, m: float, error: float, s: Any) -> bool:
    """Two examples near y<w,x> = 0: is only the later one a mistake there, by the convention at zero?"""
    if s.margin or s.zero == 0 or y[i] == s.zero or y[s.found] != s.zero:
        return False
    j = s.found
    product = y[j] * dot(rows, j, w, constant_term(rows, w)) / divisor(rows, j)
    kept = side(rows, j, float(y[j]), w, 0.0, product, slope(w, s.norm) * reach(rows, j), s)
    return kept == 0 and side(rows, i, float(y[i]), w, 0.0, m, error, s) == 0


@kernel
def climb(rows: Rows, y: Signs, updating: bool, w: Vector, state: Any, budget: int, log: NDArray[np.int64]) -> int:
    """Searches for the violated example with the smallest y<w,x>, ties to the lower row; updates on it if asked.

    Logs the row that each search found to be violated (without ``updating``, the smallest one).
    """
    s = state[0]
    n = y.shape[0]
    logged = 0
    s.norm = norm_bound(w)
    best, best_error = 0.0, 0.0
    if s.at > 0:
        best = y[s.found] * dot(rows, s.found, w, constant_term(rows, w)) / divisor(rows, s.found)
        best_error = slope(w, s.norm) * reach(rows, s.found)
    # Invariant, if s.at > 0: of the rows before s.at, s.found has the smallest y<w,x>, exactly, ties to the lower row
    # (but at zero a row that the convention calls a mistake goes before one that it does not). In floats that is
    # `best`, off by at most `best_error`. w does not change within a search.
    while logged < log.shape[0] and budget > 0:
        error = slope(w, s.norm)
        share = constant_term(rows, w)
        stop = min(n, s.at + budget)
        budget -= stop - s.at
        for i in range(s.at, stop):
            if math.isnan(rows.norm[i]):
                s.row = i
                product, q = dot_and_sqnorm(rows, i, w)
                code = measure(rows, i, q, w, s)
                if code < 0:
                    return code
            else:
                product = dot(rows, i, w, share)
            m = y[i] * product / divisor(rows, i)
            e = error * reach(rows, i)
            if i > 0:
                if m > best + (e + best_error):
                    continue
                if not m < best - (e + best_error) and not _only_this_violates(rows, y, i, w, m, e, s):
                    if e + best_error == 0.0:
                        continue
                    s.slow += 1
                    j = s.found
                    if (
                        sums.sign_of_difference(
                            rows, i, float(y[i]), divisor(rows, i), j, float(y[j]), divisor(rows, j), w
                        )
                        >= 0
                    ):
                        continue
            s.found, best, best_error = i, m, e
        s.at = stop
        if stop < n:
            continue
        s.at = 0
        if not updating:
            log[logged] = s.found
            return logged + 1
        s.row = s.found
        verdict = settle(rows, s.found, float(y[s.found]), w, best, s)
        if verdict < 0:
            return verdict
        s.done = not verdict & UPDATE
        log[logged] = NOBODY if s.done else s.found
        logged += 1
        if s.done:
            return logged
    return logged


@kernel
def scores(rows: Rows, w: Vector, start: int, stop: int, out: Vector) -> int:
    """out[i] = <w, row i> with the exact sign. Returns the first row that is not finite, or NOBODY."""
    norm = norm_bound(w)
    # Invariant: out[start : i] is finite, and has the signs of the exact products.
    for i in range(start, stop):
        out[i] = score(rows, i, w, norm)
        if math.isnan(out[i]):
            return i
    return NOBODY


@kernel
def rounds(rows: Rows, y: Signs, w: Vector, state: Any, start: int, stop: int, out: Vector) -> int:
    """The online protocol: out[i] = <w, row i> with the exact sign, and then y[i] is learned, unless it is 0.

    Returns 0, or an error code about row state.row, before which everything was learned.
    """
    s = state[0]
    s.norm = norm_bound(w)
    # Invariant: out[i] comes from the w that has learned the rows start .. i - 1 with a label, and no others.
    for i in range(start, stop):
        out[i] = score(rows, i, w, s.norm)
        if y[i] != 0:
            code = learn(rows, i, float(y[i]), w, s)
            if code < 0:
                return code
        elif math.isnan(out[i]):
            s.row = i
            return NOT_FINITE
    return 0


@kernel
def norm_above(w: Vector) -> float:
    """An upper bound on ||w||: what `learn_one` has in its state, for a state that is made anew."""
    return norm_bound(w)


@allocating
def _dense(x: NDArray[Any], s: Any) -> DenseRows:
    return DenseRows(x.reshape(1, x.shape[0]), np.full(1, np.nan), s.constant, s.unit != 0)


@allocating
def _sparse(columns: NDArray[Any], values: NDArray[Any], s: Any) -> CsrRows:
    return CsrRows(values, columns, np.array([0, values.shape[0]]), np.full(1, np.nan), s.constant, s.unit != 0)


@allocating_kernel
def learn_dense(x: NDArray[Any], y: int, w: Vector, state: Any) -> int:
    return learn(_dense(x, state[0]), 0, float(y), w, state[0])


@allocating_kernel
def learn_sparse(columns: NDArray[Any], values: NDArray[Any], y: int, w: Vector, state: Any) -> int:
    return learn(_sparse(columns, values, state[0]), 0, float(y), w, state[0])


@allocating_kernel
def score_dense(x: NDArray[Any], w: Vector, state: Any) -> float:
    return score(_dense(x, state[0]), 0, w, state[0].norm)


@allocating_kernel
def score_sparse(columns: NDArray[Any], values: NDArray[Any], w: Vector, state: Any) -> float:
    return score(_sparse(columns, values, state[0]), 0, w, state[0].norm)


# The same for float64 values (and uint32 columns) in C order and nothing else: see `specialised`.


@cache
def learn_dense64() -> Callable[[Vector, int, Vector, Any], int]:
    return specialised(learn_dense, np.zeros(1), 1, np.zeros(2), np.zeros(1, dtype=STATE))


@cache
def score_dense64() -> Callable[[Vector, Vector, Any], float]:
    return specialised(score_dense, np.zeros(1), np.zeros(2), np.zeros(1, dtype=STATE))


@cache
def learn_sparse64() -> Callable[[NDArray[np.uint32], Vector, int, Vector, Any], int]:
    return specialised(
        learn_sparse, np.zeros(1, dtype=np.uint32), np.zeros(1), 1, np.zeros(2), np.zeros(1, dtype=STATE)
    )


@cache
def score_sparse64() -> Callable[[NDArray[np.uint32], Vector, Vector, Any], float]:
    return specialised(score_sparse, np.zeros(1, dtype=np.uint32), np.zeros(1), np.zeros(2), np.zeros(1, dtype=STATE))
