"""A hyperplane with few mistakes: soft margins to begin with, then steps along lines, each the best of its line.

Nothing here is proof: mistakes are counted in floats while it searches, and exactly only where they are offered.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import suppress

import numpy as np

from novikoff.certificates import soft
from novikoff.certificates.solve import CountedRows, length
from novikoff.engine.rows import Indices
from novikoff.engine.storage import Vector

COSTS = 1.0, 100.0, 0.01  # of slacks, for rows of length 1
CLOSE = 1e-3  # of the two ends of a soft margin, relatively
REFITS = 8  # of one, with the rows that it has far on the wrong side left out
LITTLE = 2.0**-20  # what a row that is left out costs beside the others
ROUNDS = 12  # without a better hyperplane, after which the search ends
KICKS = 4  # rounds on a plateau between two jumps
JUMP = 0.1  # how far, beside a vector of length 1
LINES = 16  # random lines of a round, and as many through rows on the wrong side, at most
WORK = 2.0**32  # entries of the data that are read, at most

Offer = Callable[[Vector], int]  # counts the mistakes of w, exactly; remembers the best


def search(data: CountedRows, offer: Offer) -> None:
    """Offer better and better w."""
    unit = _units(data)
    best, fewest = unit, offer(unit)
    for w in _soft_margins(data):
        wrong = offer(w)
        if wrong < fewest:
            best, fewest = w, wrong
    _along_lines(data, best, fewest, unit, offer)


def _soft_margins(data: CountedRows) -> Iterator[Vector]:
    """The least squares of slacks; again and again without the rows that are far on the wrong side."""
    mean = data.signs.astype(np.float64)
    yield _weighted_sum(data, mean)
    usual = float(np.median(data.norms[data.norms > 0]))
    for cost in COSTS:
        costs = np.full(data.n, cost / usual**2)
        out = np.zeros(data.n, dtype=np.bool_)
        for _ in range(REFITS):
            best = soft.Best(data, soft.Objective(np.where(out, LITTLE * costs, costs), squared=True), CLOSE)
            # Of rows of very different lengths floats lose the optimum: what was found by then will do.
            with suppress(soft.LostInRounding), np.errstate(all="ignore"):
                soft.search(data, best)
            w = best.w
            if not (w.any() and np.isfinite(w).all()):
                break
            yield w
            before, out = out, data.products(w) < -1.0
            if np.array_equal(out, before):
                break


def _weighted_sum(data: CountedRows, weights: Vector) -> Vector:
    """sum |weight_i| a_i."""
    which = np.flatnonzero(weights)
    return data.combination(which, np.abs(weights[which]))[0]


def _along_lines(data: CountedRows, w: Vector, fewest: int, unit: Vector, offer: Offer) -> None:
    """From w go along lines, each to where fewest rows are wrong; after a while on a plateau, from elsewhere."""
    random = np.random.RandomState(0)
    best = here = w / length(w)
    z, now = data.products(here), fewest
    idle, read = 0, 0.0
    while idle < ROUNDS and fewest and read < WORK:
        before = fewest
        for v in _directions(data, z, unit, random):
            s = data.products(v)
            read += data.rows.storage.stored.size
            wrong, t = _step(z, s)
            if wrong > now:
                continue
            now, here, z = wrong, here + t * v, z + t * s
            if now < fewest:
                wrong = offer(here)
                if wrong < fewest and 0 < length(here) < math.inf:
                    fewest, best = wrong, here / length(here)
        idle = 0 if fewest < before else idle + 1
        size = length(here)
        here = here / size if 0 < size < math.inf else best
        if idle % KICKS == 0 and idle:
            noise = random.standard_normal(data.width) * unit
            here = best + JUMP * noise / length(noise)
        z = data.products(here)
        now = int(np.count_nonzero(z <= 0.0))


def _units(data: CountedRows) -> Vector:
    """One over the root of the mean square of each column, 0 for columns of zeros."""
    squares = np.zeros(data.width)
    for start in range(0, data.n, 4096):
        data.look()
        part = data.rows.part(np.arange(start, min(data.n, start + 4096)))
        squares[:-1] += (
            np.asarray(part.multiply(part).sum(axis=0)).ravel()
            if hasattr(part, "multiply")
            else (part * part).sum(axis=0)
        )
    squares[-1] = data.n * data.rows.constant**2
    with np.errstate(divide="ignore"):
        return np.where(squares > 0, np.sqrt(data.n / squares), 0.0)


def _directions(data: CountedRows, z: Vector, unit: Vector, random: np.random.RandomState) -> Iterator[Vector]:
    """Coordinates, random directions, and rows that are on the wrong side."""
    axes = np.flatnonzero(unit)
    for j in random.permutation(axes)[:LINES]:
        v = np.zeros(data.width)
        v[j] = unit[j]
        yield v
    for _ in range(LINES):
        yield random.standard_normal(data.width) * unit
    wrong: Indices = np.flatnonzero(z <= 0.0)
    for i in random.permutation(wrong)[:LINES]:
        yield data.rows.dense(np.array([i]))[0, 1:] * unit**2


def _step(z: Vector, s: Vector) -> tuple[int, float]:
    """How far to go along a line with products z + t s, so that fewest of them are 0 or less; and how many that are."""
    moving = np.flatnonzero(s)
    slope = s[moving]
    t = -z[moving] / slope
    order = np.argsort(t)
    t = t[order]
    if len(t) == 0 or not np.isfinite(t[[0, -1]]).all():
        return len(z), 0.0
    up = slope[order] > 0
    right = np.empty(len(t) + 1, dtype=np.int64)
    right[0] = len(t) - np.count_nonzero(up)  # far back, those that fall
    np.cumsum(np.where(up, 1, -1), out=right[1:])
    right[1:] += right[0]
    span = max(float(t[-1] - t[0]), 1.0)
    room = np.diff(t, prepend=t[0] - span, append=t[-1] + span)
    right[~(room > 0)] = -1
    most = right.max()
    k = int(np.argmax(np.where(right == most, room, -1.0)))
    start = t[k - 1] if k else t[0] - span
    rest = int(np.count_nonzero(z > 0.0)) - int(np.count_nonzero(z[moving] > 0.0))
    return len(z) - int(most) - rest, float(start + room[k] / 2)
