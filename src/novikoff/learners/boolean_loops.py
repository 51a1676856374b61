"""One pass over Boolean rows: elimination of literals, and Winnow.

A conjunction of literals is two bits for each variable j: does it hold x_j (side 0), does it hold the negation of x_j
(side 1)? With v_j the first bit less the second, the number of its literals that are false in x is
(how many x_j it holds) - <v,x>: one sum over the ones of x. All these sums are of integers, hence exact.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff.engine.compile import inlined, kernel
from novikoff.engine.storage import Storage, Vector, cells, column, dot, value

Flags = NDArray[np.bool_]
Rounds = NDArray[np.int64]

NEVER = 2**62  # a round that does not come
MARK = 2.0**26  # added for a literal that some negative needs; above all counts, and 2^26 of them are still exact
BLOCK = 4096  # rows at a time; no result depends on it
SMALLEST = 2.0**-1000  # no weight of Winnow 2 goes below


@kernel
def first_not_boolean(values: NDArray[Any]) -> int:
    """Where the first entry is that is neither 0 nor 1; -1 if there is none."""
    for start in range(0, values.shape[0], BLOCK):
        stop = min(start + BLOCK, values.shape[0])
        wrong = False
        for k in range(np.uint64(start), np.uint64(stop)):
            wrong |= (values[k] != 0.0) & (values[k] != 1.0)
        if wrong:
            for k in range(start, stop):
                if values[k] != 0.0 and values[k] != 1.0:
                    return k
    return -1


@inlined
def _mark(rows: Storage, i: int, ones: NDArray[np.uint8]) -> None:
    """The row as a vector of 0 and 1. The literal of x_j that is false in it is the one on side ones[j]."""
    ones[:] = 0
    for k in cells(rows, i):
        if value(rows, i, k) != 0.0:
            ones[column(rows, k)] = 1


@kernel
def accepts(rows: Storage, v: Vector, total: float, out: Flags) -> None:
    """Is the conjunction 1 on each row?"""
    for i in range(out.shape[0]):
        out[i] = dot(rows, i, v, 0.0) == total


@inlined
def _last_removal(ones: NDArray[np.uint8], alive: Flags, removed: Rounds, least: int) -> tuple[int, int]:
    """The last round, from ``least`` on, that removed a literal which is false in the marked row.

    And the number of the last such literal that is left: j for x_j, m + j for its negation; -1 if there is none.
    """
    last, literal = least, -1
    for j in range(np.uint64(ones.shape[0])):
        # Both sides are read, and arithmetic chooses: a place to read that depends on the row would make it a gather.
        negated = np.int64(ones[j])
        left = alive[0, j] + negated * (np.int64(alive[1, j]) - alive[0, j])
        if left:
            literal = np.int64(j) + negated * ones.shape[0]
        else:
            last = max(last, removed[0, j] + negated * (removed[1, j] - removed[0, j]))
    return last, literal


@kernel
def sweep(
    rows: Storage,
    positive: Flags,
    first: int,
    v: Vector,
    total: float,
    alive: Flags,  # (2, m)
    needed: Flags,  # (2, m)
    removed: Rounds,  # (2, m)
    ones: NDArray[np.uint8],
    since: Rounds,  # (2m,) for each literal: from which round on some negative has no other false literal left
    who: Rounds,  # (2m,) the row of that negative
    left: Rounds,
) -> tuple[int, int]:
    """Drop the literals that a positive falsifies, and note the round; ``first`` is that of row 0.

    Of the negatives, note for each literal the first that needs it, with no other false one left; in ``left``, those
    that have several false literals and need none of them. v and total come with MARK added for needed literals.
    Returns the mistakes, and how many are left: -1 if no conjunction is, which may also show later, in `settle`.
    Where there is one, no negative is predicted 1.
    """
    m = ones.shape[0]
    mistakes = found = 0
    for i in range(positive.shape[0]):
        false = total - dot(rows, i, v, 0.0)
        if positive[i]:
            if false == 0.0:
                continue
            mistakes += 1
            _mark(rows, i, ones)
            for j in range(m):
                side = ones[j]
                if alive[side, j]:
                    alive[side, j] = False
                    removed[side, j] = first + i
                    if needed[side, j]:
                        found = -1
                    if side == 0:
                        v[j] -= 1.0
                        total -= 1.0
                    else:
                        v[j] += 1.0
            if found < 0:
                break
        elif false >= MARK:
            continue
        elif false > 1.0:
            left[found] = i
            found += 1
        elif false == 0.0:
            found = -1
            break
        else:
            _mark(rows, i, ones)
            begin, literal = _last_removal(ones, alive, removed, first + i)
            since[literal], who[literal] = begin, i
            needed[literal // m, literal % m] = True
            if literal < m:
                v[literal] += MARK
                total += MARK
            else:
                v[literal - m] -= MARK
    return mistakes, found


@kernel
def first_failure(
    rows: Storage,
    positive: Flags,
    first: int,
    v: Vector,
    total: float,
    alive: Flags,
    removed: Rounds,
    ones: NDArray[np.uint8],
) -> int:
    """The first round after which some negative of these rows has no false literal left; NEVER if there is none."""
    found = NEVER
    for i in range(positive.shape[0]):
        if first + i >= found:
            break
        if not positive[i] and dot(rows, i, v, 0.0) == total:
            _mark(rows, i, ones)
            found = min(found, _last_removal(ones, alive, removed, first + i)[0])
    return found


@kernel
def settle(
    rows: Storage,
    first: int,
    v: Vector,
    total: float,
    number: Vector,  # as v, with the number of the literal for 1
    numbers: float,
    alive: Flags,
    removed: Rounds,
    ones: NDArray[np.uint8],
    since: Rounds,
    who: Rounds,
    left: Rounds,
) -> int:
    """The negatives that `sweep` left, now that all drops are known. Returns how many are left; -1 as there."""
    found = 0
    for place in range(left.shape[0]):
        i = left[place]
        false = total - dot(rows, i, v, 0.0)
        if false == 0.0:
            return -1
        if false == 1.0 or false == MARK + 1.0:
            literal = np.int64(numbers - dot(rows, i, number, 0.0))
            if first + i < since[literal]:
                _mark(rows, i, ones)
                begin = _last_removal(ones, alive, removed, first + i)[0]
                if begin < since[literal]:
                    since[literal], who[literal] = begin, i
            if false == 1.0:
                if literal < v.shape[0]:
                    v[literal] += MARK
                    total += MARK
                else:
                    v[literal - v.shape[0]] -= MARK
        elif false < MARK:
            left[found] = i
            found += 1
    kept = 0
    for place in range(found):
        if total - dot(rows, left[place], v, 0.0) < MARK:
            left[kept] = left[place]
            kept += 1
    return kept


@inlined
def _weight(rows: Storage, i: int, w: Vector) -> float:
    """<w,x>, added up in the order of the columns: the same for both storages."""
    s = 0.0
    for k in cells(rows, i):
        s += w[column(rows, k)] * value(rows, i, k)
    return s


@kernel
def winnow_scores(rows: Storage, w: Vector, out: Vector) -> None:
    for i in range(out.shape[0]):
        out[i] = _weight(rows, i, w)


@kernel
def winnow(rows: Storage, positive: Flags, w: Vector, threshold: float, up: float, down: float) -> int:
    """On mistakes, multiply the active weights by ``up`` or by ``down``, which may be 0. Returns the mistakes."""
    mistakes = 0
    for i in range(positive.shape[0]):
        if (_weight(rows, i, w) > threshold) != positive[i]:
            mistakes += 1
            for k in cells(rows, i):
                if value(rows, i, k) != 0.0:
                    j = column(rows, k)
                    if positive[i]:
                        w[j] *= up
                    else:
                        w[j] = w[j] * down if w[j] * down > SMALLEST or down == 0.0 else SMALLEST
    return mistakes
