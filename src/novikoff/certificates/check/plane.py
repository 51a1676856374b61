"""All hyperplanes of at most three coordinates: in floats, whose order of angles is corrected where it is not sure.

As in `novikoff.certificates.reference.fewest_mistakes`, a row has a plane of vectors w that are orthogonal to it, and
there the other rows are vectors b or -b, with b in a half-plane and of angle phi. While w turns, it is right on as many
of those with phi > tau and of the negative ones with phi < tau; -w on all the others.

The floats order the keys -x / (|x| + y) of b = (x, y), which increase with phi. Keys that are too close to be told
apart make up a cluster. Between clusters the counts are exact; within one they are bounded by its members on either
side, and only if that bound is too high its members are put in order in integers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cmp_to_key
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from novikoff.certificates.reference.fewest_mistakes import Triple, across, dot, triple
from novikoff.certificates.reference.rows import Row

NEAR = 2.0**-48  # keys further apart than this are in the order of their angles, if b is exact but for 2^-52
NEAR_PRODUCTS = 2.0**-40  # the same where b is a difference of products,
LOST = 2.0**-44  # that are not larger than this share of its rounding errors allows
NEAREST = 2.0**-95  # the same of tangents within a cluster, with more digits,
LEAST = 2.0**-400  # where no digit of a product underflows
SMALL = 2.0**21  # of points of whole numbers below it, different keys are 2^-46 apart, and equal ones are equal
TINY = 2.0**10  # the same of other rows

Pair = tuple[int, int]


class Better(NamedTuple):
    """A w that is right on so many rows: it is w + a / large or, if not ``forward``, w - a / large."""

    right: int
    w: Triple  # orthogonal to a, and to no other row but its multiples
    a: Triple
    forward: bool


class Turn(NamedTuple):
    """The rows around one of them, in floats."""

    order: Any  # those that are no multiples of it, by their keys
    starts: Any  # where clusters begin, and the end of the last
    above: Any  # of the first k in that order, those with b
    below: Any  # and those with -b
    multiples: int  # on the better side
    doubtful: int  # rows of which nothing is known
    others: Any  # these, and the multiples


class Plane:
    """The rows but those of zeros, as floats and as integers."""

    def __init__(self, rows: Sequence[Row]) -> None:
        rows = [a for a in rows if a.entries]
        self._triples, self._kept = _flattened([triple(a) for a in rows])
        self._flat = sum(self._kept) < 3  # then y = 0 throughout, or x: there is one angle only
        exact = [[z / a.denominator for z in v] for a, v in zip(rows, self._triples, strict=True)]
        values = np.array(exact, dtype=np.float64).reshape(-1, 3)
        if sum(self._kept) == 1:
            values = np.sign(values)
        height = np.abs(values[:, 2])
        # With a constant coordinate, the rows are points, and b is a difference of two of them, exact but for 2^-53.
        self._points = len(values) > 0 and bool(height[0] > 0) and bool(np.all(height == height[0]))
        values[:, 2] /= height if self._points else 1.0
        coordinates = values[:, :2] if self._points else values
        most = float(np.abs(coordinates).max(initial=0.0))
        whole = bool(np.all(coordinates == np.rint(coordinates)))
        self._whole = whole and most < (SMALL if self._points else TINY)
        self._values = values
        self._usable = self._whole or _scaled(coordinates)

    def better(self, known: int, look: Callable[[], None] = lambda: None) -> Better | None:
        """A w that is right on more rows than that; None if there is none."""
        everything = range(len(self._triples))
        for i in range(len(self._triples)):
            if i % 64 == 0:
                look()
            found = self._beside(i, known) if self._usable else self._in_integers(i, known, everything)
            if found:
                return found
        return None

    def _beside(self, i: int, known: int) -> Better | None:
        """The same of those that are nearly orthogonal to one row."""
        turn = self._turn(i)
        clear, within = self._most(turn)
        if max(clear, int(within.max(initial=0))) <= known:
            return None
        if self._points and not (self._whole or self._flat):
            turn = self._closer(i, turn)
            clear, within = self._most(turn)
            clusters = np.flatnonzero(within > known).tolist()
            if clear <= known and not any(self._most_within(i, turn, k) > known for k in clusters):
                return None
        # In this order little is left to sort.
        return self._in_integers(i, known, [*turn.order.tolist(), *turn.others.tolist()])

    def _most(self, turn: Turn) -> tuple[int, Any]:
        """Rows that a w can be right on, at most: between clusters; and within each."""
        others = len(turn.order)
        starts, ends = turn.starts[:-1], turn.starts[1:]
        right = turn.above[-1] - turn.above + turn.below  # before the k-th of them
        sure = turn.multiples + turn.doubtful
        clear = int(np.maximum(right, others - right)[turn.starts].max()) + sure
        if self._whole or self._flat:
            return clear, np.zeros(0, dtype=np.int64)
        above, below = turn.above[ends] - turn.above[starts], turn.below[ends] - turn.below[starts]
        return clear, np.maximum(right[starts] + below, others - right[starts] + above) + sure

    def _most_within(self, i: int, turn: Turn, cluster: int) -> int:
        """The same within one of the clusters, exactly."""
        start, stop = turn.starts[cluster : cluster + 2].tolist()
        others = len(turn.order)
        right = int(turn.above[-1] - turn.above[start] + turn.below[start])
        members = self._turning(i, turn.order[start:stop].tolist())[0]
        members.sort(key=cmp_to_key(_in_order))
        most = max(right, others - right)
        for (before, above), (after, _) in pairwise(members):
            right += -1 if above else 1
            if _cross(before, after) > 0:
                most = max(most, right, others - right)
        return most + turn.multiples

    def _closer(self, i: int, turn: Turn) -> Turn:
        """The turn with its clusters ordered by the tangents of the angles from their first member, with more digits.

        A coordinate of b is a difference, and so the sum of two floats; a product of floats is the sum of two as well.
        What is left out of cross and inner product is below 2^-98 of them.
        """
        order = turn.order
        (x, x_rest), (y, y_rest) = (_difference(*self._pair(i, j, order)) for j in (0, 1))
        if not np.all(np.abs(x) + np.abs(y) > LEAST):
            return turn
        first = np.repeat(turn.starts[:-1], np.diff(turn.starts))
        u, u_rest, v, v_rest = x[first], x_rest[first], y[first], y_rest[first]
        (one, one_rest), (other, other_rest) = _product(u, y), _product(v, x)
        cross, rest = _difference(one, other)
        rest = rest + ((one_rest - other_rest) + ((u * y_rest + u_rest * y) - (v * x_rest + v_rest * x)))
        tangent = (cross + rest) / (u * x + v * y)
        cluster = np.cumsum(np.isin(np.arange(len(order)), turn.starts[:-1]))
        again = np.lexsort((tangent, cluster))
        tangent, cluster = tangent[again], cluster[again]
        apart = (np.diff(tangent) > NEAREST) | (np.diff(cluster) > 0)
        above = np.diff(turn.above)[again]
        counts = np.zeros((2, len(order) + 1), dtype=np.int64)
        np.cumsum(above, out=counts[0, 1:])
        counts[1] = np.arange(len(order) + 1) - counts[0]
        starts = np.concatenate([[0], np.flatnonzero(apart) + 1, [len(order)]])
        return turn._replace(order=order[again], starts=starts, above=counts[0], below=counts[1])

    def _pair(self, i: int, j: int, order: Any) -> tuple[Any, Any]:
        """Of the difference of two points: coordinate j of both, with the sign that takes b into its half-plane."""
        values = self._values
        b = (values[order, :2] - values[i, :2] * (values[order, 2:] * values[i, 2])) * values[i, 2]
        turned = np.where((b[:, 1] > 0) | ((b[:, 1] == 0) & (b[:, 0] > 0)), values[i, 2], -values[i, 2])
        return values[order, j] * turned, values[i, j] * values[order, 2] * values[i, 2] * turned

    def _turn(self, i: int) -> Turn:
        x, y, known = self._around(i)
        multiple = (x == 0.0) & (y == 0.0) & known
        above = (y > 0.0) | ((y == 0.0) & (x > 0.0))
        which = np.flatnonzero(known & ~multiple)
        x, y, above = x[which], y[which], above[which]
        keys = np.where(above, -x, x) / (np.abs(x) + np.abs(y))
        order = np.argsort(keys)
        near = NEAR if self._points or self._whole else NEAR_PRODUCTS
        starts = np.flatnonzero(np.diff(keys[order]) > near) + 1
        same = int(np.count_nonzero(self._values[multiple] @ self._values[i] > 0.0))
        counts = np.zeros((2, len(which) + 1), dtype=np.int64)
        np.cumsum(above[order], out=counts[0, 1:])
        counts[1] = np.arange(len(which) + 1) - counts[0]
        return Turn(
            which[order],
            np.concatenate([[0], starts, [len(which)]] if len(which) else [[0], [0]]).astype(np.int64),
            counts[0],
            counts[1],
            max(same, int(np.count_nonzero(multiple)) - same),
            int(np.count_nonzero(~known)),
            np.flatnonzero(~known | multiple),
        )

    def _around(self, i: int) -> tuple[Any, Any, Any]:
        """b or -b of all rows, in floats; and whether they are known well enough."""
        values = self._values
        if self._points:
            x, y = ((values[:, :2] - values[i, :2] * (values[:, 2:] * values[i, 2])) * values[i, 2]).T
            return x, y, np.ones(len(values), dtype=bool)
        e, f = (np.array(v, dtype=np.float64) for v in across(tuple(values[i].tolist())))
        x, y = values @ e, values @ f
        if self._whole:
            return x, y, np.ones(len(values), dtype=bool)
        lost = 2.0**-51 * (np.abs(values) @ (np.abs(e) + np.abs(f))) + 2.0**-1000
        size = np.abs(x) + np.abs(y)
        return x, y, (lost <= LOST * size) & ((lost < np.abs(y)) | self._flat)

    def _turning(self, i: int, which: Sequence[int]) -> tuple[list[tuple[Pair, bool]], list[bool]]:
        """b of these rows, and whether it is not -b that they have; and of multiples, whether they are positive."""
        a = self._triples[i]
        e, f = across(a)
        turning, multiples = [], []
        for k in which:
            v = self._triples[k]
            x, y = dot(e, v), dot(f, v)
            if x == y == 0:
                multiples.append(dot(a, v) > 0)
            elif y > 0 or (y == 0 and x > 0):
                turning.append(((x, y), True))
            else:
                turning.append(((-x, -y), False))
        return turning, multiples

    def _in_integers(self, i: int, known: int, which: Sequence[int]) -> Better | None:
        """The same as `_beside`, by the arithmetic of the reference."""
        a = self._triples[i]
        e, f = across(a)
        turning, multiples = self._turning(i, which)
        forward = 2 * sum(multiples) >= len(multiples)
        more = max(sum(multiples), len(multiples) - sum(multiples))
        found = _half_turn(turning, known - more)
        if found is None:
            return None
        right, (x, y) = found
        first, second, third = ((x * u + y * v) * kept for u, v, kept in zip(e, f, self._kept, strict=True))
        return Better(right + more, (first, second, third), a, forward)


def _flattened(triples: list[Triple]) -> tuple[list[Triple], list[bool]]:
    """The triples with 0 in place of coordinates that depend on the others; and which coordinates are kept."""
    first = next(iter(triples), (0, 0, 0))
    normal = next((n for v in triples if any(n := _normal(first, v))), None)
    if normal is None:
        kept = [False] * 3
        kept[next((j for j in (2, 1, 0) if first[j]), 0)] = True
    elif any(dot(normal, v) for v in triples):
        return triples, [True] * 3
    else:
        dropped = next(j for j in range(3) if normal[j])
        kept = [j != dropped for j in range(3)]
    x, y, z = kept
    return [(v[0] * x, v[1] * y, v[2] * z) for v in triples], kept


def _normal(u: Triple, v: Triple) -> Triple:
    """u x v."""
    return u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]


def _scaled(values: Any) -> bool:
    """Divide by a power of two, so that the largest is near 1; False if that rounds."""
    power = int(np.frexp(np.abs(values).max(initial=0.0))[1])
    before = values.copy()
    np.ldexp(values, -power, out=values)
    return np.array_equal(np.ldexp(values, power), before)


def _difference(a: Any, b: Any) -> tuple[Any, Any]:
    """a - b as the nearest float, and what that is short of it (Knuth)."""
    s = a - b
    other = s - a
    return s, (a - (s - other)) - (b + other)


def _product(a: Any, b: Any) -> tuple[Any, Any]:
    """a b as the nearest float, and what that is short of it (Dekker)."""
    p = a * b
    (a_high, a_low), (b_high, b_low) = _halves(a), _halves(b)
    return p, ((a_high * b_high - p) + a_high * b_low + a_low * b_high) + a_low * b_low


def _halves(a: Any) -> tuple[Any, Any]:
    """Two floats of half as many digits (Veltkamp)."""
    c = (2.0**27 + 1) * a
    high = c - (c - a)
    return high, a - high


def _half_turn(turning: list[tuple[Pair, bool]], known: int) -> tuple[int, Pair] | None:
    """A vector with positive products with more of these b (True), and -b (False), than known; and with how many."""
    turning.sort(key=cmp_to_key(_in_order))
    if not turning:
        return (0, (1, 0)) if known < 0 else None
    others = len(turning)
    last = turning[-1][0]
    right = sum(above for _, above in turning)
    gaps: list[tuple[Pair, bool | None]] = [((-last[0], -last[1]), None), *turning]
    for k, ((before, above), (after, _)) in enumerate(pairwise(gaps)):
        right += 0 if above is None else -1 if above else 1
        most = max(right, others - right)
        if most > known and (k == 0 or _cross(before, after) > 0):
            x, y = _between(before, after)
            return most, (-y, x) if right == most else (y, -x)
    return None


def _in_order(one: tuple[Pair, bool], other: tuple[Pair, bool]) -> int:
    """Below 0 where the angle of the first is smaller."""
    return _cross(other[0], one[0])


def _between(b: Pair, c: Pair) -> Pair:
    """A direction strictly between those of two vectors, the second of which is less than half a turn after the first.

    Where they are opposite, it is in the middle.
    """
    if _cross(b, c) == 0:
        return c[1], -c[0]
    long, short = abs(b[0]) + abs(b[1]), abs(c[0]) + abs(c[1])
    return b[0] * short + c[0] * long, b[1] * short + c[1] * long


def _cross(b: Pair, c: Pair) -> int:
    return b[0] * c[1] - b[1] * c[0]
