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
from novikoff.certificates.spans import Echelon, Unclear, spanning
from novikoff.engine.rows import Indices
from novikoff.engine.storage import Vector

Matrix = NDArray[np.float64]

LEAVES = 2.0**-30  # <u,a> / (||u|| ||a||) above which u moves the row
LEAST = 2.0**-40  # of a violation, relatively
TRIES = 4  # random weights that are tried, if weights that are found are not all positive
ROUNDS = 100  # of rows that join a working set


class Cone(NamedTuple):
    """The point of a cone, plus a space, nearest to a target."""

    space: Indices  # a basis of it, among its rows
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


def nearest_in_cone(data: CountedRows, A: Matrix, space: Matrix, target: Vector, start: Indices) -> Cone:
    """The rows of A have length 1 at most; ``start`` is a first working set of them."""
    which = start
    width = A.shape[1]
    c = wolfe.corral(width, min(len(space) + len(A), width))
    c.r[:] = 0.0
    c.r[:width] = target
    free = 0
    pace = steps_at_a_time(c)
    for first in range(0, len(space), pace):
        data.look()
        free = wolfe.span(c, free, space, first, min(len(space), first + pace))
    basis = c.members[:free].copy()
    size, B = free, A[which]
    violation = np.empty(len(A))
    shortest = math.inf
    for _ in range(ROUNDS):
        size = approach(data, c, size, free, B, LEAST)
        now = length(c.r)
        data.spend(1)
        dual.price(A, c.r, violation)
        violation[which] = 0.0
        page = max(64, width // 2)
        new = np.argsort(-violation, kind="stable")[:page]
        new = new[violation[new] > LEAST * now]
        if len(new) == 0 or now < VANISHED or now >= shortest:
            break
        shortest = now
        which, B = np.concatenate([which, new]), np.concatenate([B, A[new]])
    members = c.members[free:size]
    return Cone(basis, which[members], c.p[free:size].copy(), c.r[:width].copy())


def normalised(A: Matrix) -> tuple[Matrix, NDArray[np.int64]]:
    """Each row over a power of two, so that its length is at most 1; and the powers."""
    with np.errstate(under="ignore"):
        exponents = np.frexp(np.abs(A).max(axis=1, initial=0.0))[1].astype(np.int64)
        B = np.ldexp(A, -exponents[:, None])
        more = np.frexp(np.sqrt(np.einsum("ij,ij->i", B, B)))[1].astype(np.int64)
        return np.ldexp(B, -more[:, None]), exponents + more


def peeled(A: Matrix, rows: Indices) -> Indices:
    """Without the rows that columns of one sign move, again and again."""
    while True:
        part = A[rows]
        one_sided = (part >= 0).all(axis=0) | (part <= 0).all(axis=0)
        moved = part[:, one_sided].any(axis=1) if one_sided.any() else np.zeros(len(rows), dtype=np.bool_)
        if not moved.any():
            return rows
        rows = rows[~moved]


def face(data: CountedRows, A: Matrix, rows: Indices, weights: list[int]) -> Face:
    """The rows that no weak separator moves, and their combination; A has the rows with columns of the same size.

    ``rows`` and ``weights`` are a combination that vanishes.
    """
    kept = peeled(A, np.arange(len(A)))
    unit, powers = normalised(A)
    space = unit[rows]
    while True:
        if not np.isin(rows, kept).all():
            raise Unclear("floats took a row that cancels for one that a weak separator moves")
        part = unit[kept]
        target = _of_length_1(-part.sum(axis=0))
        members = rows[:0]
        if target is not None:
            cone = nearest_in_cone(data, part, space, target, spread(np.arange(len(part)), data.page))
            if not cone.contains:
                stays = part @ -cone.residual <= LEAVES * length(cone.residual)
                if stays.all():
                    raise Unclear("floats see a weak separator, and no row that it moves")
                kept = peeled(A, kept[stays])
                continue
            members = kept[cone.members]
        # Each of them is minus a positive combination of the others, modulo the space.
        start = np.searchsorted(kept, np.concatenate([rows, np.setdiff1d(members, rows)]))
        echelon = spanning(A[kept], start, data.look)
        echelon.rows = kept[echelon.rows].tolist()
        return Face(kept, echelon, *_spanning_combination(data, unit, powers, kept, echelon, rows, weights))


def _of_length_1(target: Vector) -> Vector | None:
    size = length(target)
    return target / size if size > VANISHED else None


def _spanning_combination(
    data: CountedRows,
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
    space, part = unit[rows], unit[kept]
    random = np.random.RandomState(0)
    for _ in range(TRIES):
        dyadic = random.randint(2**15, 2**16, len(first))
        target = _of_length_1(-(dyadic[:, None] * unit[first]).sum(axis=0))
        if target is None:
            continue
        opposite = nearest_in_cone(data, part, space, target, spread(np.arange(len(part)), data.page))
        # Floats may take some more of them for independent.
        heaviest = np.argsort(-opposite.weights, kind="stable")[: len(first)]
        second = kept[opposite.members[heaviest]]
        if not opposite.contains:
            continue
        given = [int(w) << int(powers[first].max() - k) for w, k in zip(dyadic, powers[first], strict=True)]
        found = _exactly(data, basis, first, given, second)
        if found is not None:
            return _together(rows, weights, basis, first, given, second, found)
    raise Unclear("floats see rows that cancel, and integers do not")


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
