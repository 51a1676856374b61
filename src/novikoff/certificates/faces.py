"""The rows that every weak separator leaves at zero, and a positive combination of them that vanishes and spans them.

Rows that take part in vanishing positive combinations are those that every weak separator leaves at zero (Goldman and
Tucker 1956). All others are put strictly on their side by one weak separator at once.

Let A be rows of which some, S, cancel with positive weights, and t = - sum of all of them. If t is in their cone plus
span(S), then so is - a_i for each of them: no weak separator moves one. If it is not, what is left of t beyond the
cone is a weak separator that moves some, which leave.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from novikoff.certificates import corral as wolfe
from novikoff.certificates import dual, lifting, modular
from novikoff.certificates.lifting import whole
from novikoff.certificates.rational import integer_rows
from novikoff.certificates.solve import VANISHED, CountedRows, approach, length, spread, steps_at_a_time
from novikoff.certificates.spans import Blurred, Echelon, spanning
from novikoff.engine.compile import kernel
from novikoff.engine.rows import Indices
from novikoff.engine.storage import Vector

Matrix = NDArray[np.float64]

SMALL = 2.0**-600  # squares below it may have lost digits
LEAVES = 2.0**-30  # <u,a> / (||u|| ||a||) above which u moves the row
LEAST = 2.0**-40  # of a violation, relatively
TRIES = 4  # random weights that are tried, if weights that are found are not all positive
ROUNDS = 100  # of rows that join a working set
PAGE = 800  # of them join at a time, or more: to read all rows takes longer than to have more at hand


class Cone(NamedTuple):
    """The point of a cone, plus a space, nearest to a target."""

    members: Indices  # the rows with weight, independent modulo the space
    weights: Vector
    residual: Vector  # target - point: <residual, a> <= 0 for every row, 0 in the space

    @property
    def contains(self) -> bool:
        """Is the target, of length 1, in the cone?"""
        return length(self.residual) < VANISHED


class Face(NamedTuple):
    """The rows that no weak separator moves, what they span, and a positive combination of some that span it."""

    zero: Indices
    echelon: Echelon  # its rows are among those of the combination
    rows: Indices
    weights: list[int]


class Space:
    """The span of some rows, modulo which cones are looked at: its basis is found once."""

    def __init__(self, data: CountedRows, rows: Matrix, most: int) -> None:
        """``most``: rows that are ever asked about, at a time."""
        self.data, self.width = data, rows.shape[1]
        self._corral = wolfe.corral(self.width, min(len(rows) + most, self.width))
        self._free = 0
        pace = steps_at_a_time(self._corral)
        for first in range(0, len(rows), pace):
            data.look()
            self._free = wolfe.span(self._corral, self._free, rows, first, min(len(rows), first + pace))

    def nearest(self, A: Matrix, target: Vector, start: Indices) -> Cone:
        """The point of the cone of the rows of A, of length 1 at most; ``start`` is a first working set of them."""
        data, c, free = self.data, self._corral, self._free
        c.r[:] = 0.0
        c.r[: self.width] = target
        c.p[:] = 0.0
        c.gap[:] = 0.0
        wolfe.settle(c, free)
        which, size, B = start, free, A[start]
        violation = np.empty(len(A))
        shortest = math.inf
        page = max(PAGE, 2 * self.width)
        for _ in range(ROUNDS):
            size = approach(data, c, size, free, B, LEAST)
            now = length(c.r)
            data.spend(1)
            if now < VANISHED or now >= shortest:
                break
            shortest = now
            dual.price(A, c.r, violation)
            violation[which] = 0.0
            new = np.flatnonzero(violation > LEAST * now)
            if len(new) == 0:
                break
            if len(new) > page:
                new = new[np.argsort(-violation[new], kind="stable")[:page]]
            which, B = np.concatenate([which, new]), np.concatenate([B, A[new]])
        members = c.members[free:size]
        return Cone(which[members], c.p[free:size].copy(), c.r[: self.width].copy())


def normalised(A: Matrix) -> tuple[Matrix, NDArray[np.int64]]:
    """Each row over a power of two, so that its length is at most 1; and the powers."""
    square = np.einsum("ij,ij->i", A, A)
    if A.any() and (square[square > 0].min(initial=1.0) < SMALL or not np.isfinite(square).all()):
        exponents = np.frexp(np.abs(A).max(axis=1, initial=0.0))[1].astype(np.int64)
        B, more = normalised(np.ldexp(A, -exponents[:, None]))
        return B, exponents + more
    exponents = np.frexp(np.sqrt(square))[1].astype(np.int64)
    return A * np.ldexp(1.0, -exponents)[:, None], exponents


def peeled(A: Matrix, rows: Indices) -> Indices:
    """Without the rows that columns of one sign move, again and again."""
    above, below = np.zeros((2, A.shape[1]), dtype=np.int64)
    _count_signs(A, rows, 1, above, below)
    while True:
        one_sided = np.flatnonzero((above > 0) != (below > 0))
        if len(one_sided) == 0:
            return rows
        moved = A[np.ix_(rows, one_sided)].any(axis=1)
        _count_signs(A, rows[moved], -1, above, below)
        rows = rows[~moved]


@kernel
def _count_signs(
    A: Matrix, rows: NDArray[np.int64], times: int, above: NDArray[np.int64], below: NDArray[np.int64]
) -> None:
    """Add to the numbers of entries above 0, and below, that each column has in these rows."""
    for k in range(rows.shape[0]):
        a = A[rows[k]]
        for j in range(np.uint64(a.shape[0])):
            above[j] += times * (a[j] > 0.0)
            below[j] += times * (a[j] < 0.0)


def face(data: CountedRows, A: Matrix, rows: Indices, weights: list[int]) -> Face:
    """The rows that no weak separator moves, and their combination; A has the rows with columns of the same size.

    ``rows`` and ``weights`` are a combination that vanishes.
    """
    kept = peeled(A, np.arange(len(A)))
    unit, powers = normalised(A)
    space = Space(data, unit[rows], len(A))
    while True:
        if not np.isin(rows, kept).all():
            raise Blurred("floats took a row that cancels for one that a weak separator moves")
        unit[np.setdiff1d(np.arange(len(A)), kept, assume_unique=True)] = 0.0  # rows that left are in no cone
        target = _of_length_1(-unit.sum(axis=0))
        members = rows[:0]
        if target is not None:
            cone = space.nearest(unit, target, spread(kept, data.page))
            if not cone.contains:
                stays = (unit @ -cone.residual)[kept] <= LEAVES * length(cone.residual)
                if stays.all():
                    raise Blurred("floats see a weak separator, and no row that it moves")
                kept = peeled(A, kept[stays])
                continue
            members = cone.members
        # Each of them is minus a positive combination of the others, modulo the space. A row of the combination is a
        # combination of its other rows.
        echelon = spanning(A, np.concatenate([rows[:-1], np.setdiff1d(members, rows)]), kept, data.look)
        return Face(kept, echelon, *_spanning_combination(data, space, unit, powers, kept, echelon, rows, weights))


def _of_length_1(target: Vector) -> Vector | None:
    size = length(target)
    return target / size if size > VANISHED else None


def _spanning_combination(
    data: CountedRows,
    space: Space,
    unit: Matrix,
    powers: NDArray[np.int64],
    kept: Indices,
    echelon: Echelon,
    rows: Indices,
    weights: list[int],
) -> tuple[Indices, list[int]]:
    """A positive combination that vanishes, of these rows, those of the echelon form, and as many others."""
    independent = np.array(echelon.rows, dtype=np.int64)
    basis, first = independent[np.isin(independent, rows)], independent[~np.isin(independent, rows)]
    if len(first) == 0:
        return rows, weights
    if len(basis) == 0:  # a row of zeros
        rows, weights = rows[:0], []
    random = np.random.RandomState(0)
    for _ in range(TRIES):
        dyadic = random.randint(2**15, 2**16, len(first))
        target = _of_length_1(-(dyadic[:, None] * unit[first]).sum(axis=0))
        if target is None:
            continue
        opposite = space.nearest(unit, target, spread(kept, data.page))
        # Floats may take some more of them for independent.
        heaviest = np.argsort(-opposite.weights, kind="stable")[: len(first)]
        second = opposite.members[heaviest]
        if not opposite.contains:
            continue
        given = [int(w) << int(powers[first].max() - k) for w, k in zip(dyadic, powers[first], strict=True)]
        found = _exactly(data, basis, first, given, second)
        if found is not None:
            return _together(rows, weights, basis, first, given, second, found)
    raise Blurred("floats see rows that cancel, and integers do not")


def _exactly(
    data: CountedRows, basis: Indices, first: Indices, given: list[int], second: Indices
) -> tuple[list[int], int] | None:
    """Integers x for basis and second, the latter positive, and q > 0: sum x a + q sum given a = 0."""
    solved = np.concatenate([basis, second])
    block = integer_rows(data, np.concatenate([solved, first]))
    T = whole(block.table)
    left, right = T[: len(solved)], T[len(solved) :]
    prime = lifting.PRIMES[0]
    columns = modular.pivots(lifting.residues(left, prime), prime, data.look)
    if len(columns) < len(solved):
        return None
    b = -(np.array(given, dtype=object) @ right[:, columns].astype(object))
    found = lifting.solve(left[:, columns].T, whole([b.tolist()])[0], data.look)
    if found is None or min(found[0][len(basis) :], default=1) <= 0:
        return None
    x, q = found
    return found if lifting.vanishes([*x, *(q * g for g in given)], T, data.look) else None


def _together(
    rows: Indices,
    weights: list[int],
    basis: Indices,
    first: Indices,
    given: list[int],
    second: Indices,
    found: tuple[list[int], int],
) -> tuple[Indices, list[int]]:
    """All of it as one combination, with so much of the old one that all weights are positive."""
    x, q = found
    total = {int(i): 0 for i in np.concatenate([rows, first, second])}
    for i, weight in zip(np.concatenate([basis, second, first]), [*x, *(q * g for g in given)], strict=True):
        total[int(i)] += weight
    old = {int(i): p for i, p in zip(rows, weights, strict=True)}
    times = max((-total[i] // p + 1 for i, p in old.items() if total[i] <= 0), default=0)
    for i, p in old.items():
        total[i] += times * p
    used = sorted(i for i, p in total.items() if p)
    common = math.gcd(*(total[i] for i in used))
    return np.array(used, dtype=np.int64), [total[i] // common for i in used]
