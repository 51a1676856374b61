"""What becomes of each coefficient towards the supremum of the likelihood.

Rows outside Z (those that some weak separator moves) get <b,a> -> infinity there, and on the rows of Z b converges. So
with N the vectors that are orthogonal to Z,

    coefficient j stays finite             if e_j is orthogonal to N: a combination of rows of Z;
    it is left open by dependent columns   if some vector that is orthogonal to all rows has an entry there;
    it goes to + or - infinity             if +e_j or -e_j is in span(Z) plus the cone of the rows outside;
    it is not determined                   else, and then two weak separators have it with opposite signs.

All this happens modulo span(Z), in the coordinates <v,a> of the vectors v of N that are not orthogonal to all rows.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff.certificates import corral as wolfe
from novikoff.certificates import dual, lifting, modular
from novikoff.certificates.details import Diverging, Fates, Sparse
from novikoff.certificates.faces import Cone, Space, normalised
from novikoff.certificates.lifting import whole
from novikoff.certificates.rational import integers
from novikoff.certificates.solve import CountedRows, approach, length, spread
from novikoff.certificates.spans import Blurred, combine
from novikoff.engine.rows import Indices
from novikoff.engine.storage import Vector

Matrix = NDArray[np.float64]

FINENESS = (6, 12, 20, 30, 40, 50)  # bits that a weak separator is rounded to: the first that do
BLOCK = 512  # rows between two looks at the clock
INSIDE = (2.0**-6, 2.0**-14)  # how far a coefficient is moved into the cone, to see that it is inside


def coordinates(A: Matrix, directions: list[Sparse]) -> tuple[Matrix, list[int]]:
    """The directions over powers of two, in floats, so that products with rows are 1 at most; and these."""
    N = np.zeros((A.shape[1], len(directions)))
    bits = [max(map(abs, v.values())).bit_length() for v in directions]
    for k, v in enumerate(directions):
        for j, x in v.items():
            N[j, k] = x / (1 << bits[k])
    size = np.frexp(np.abs(A @ N).max(axis=0))[1]
    return np.ldexp(N, -size), [b + int(s) for b, s in zip(bits, size, strict=True)]


def independent(data: CountedRows, A: Matrix, directions: list[Sparse]) -> Indices:
    """Rows of A that span, in floats, all of them modulo what is orthogonal to the directions."""
    Y, _ = normalised(A @ coordinates(A, directions)[0])
    c = wolfe.corral(Y.shape[1], min(Y.shape))
    free = 0
    for start in range(0, len(Y), BLOCK):
        data.look()
        if free == Y.shape[1]:
            break
        free = wolfe.span(c, free, Y, start, min(len(Y), start + BLOCK))
    return c.members[:free].copy()


class Quotient:
    """The rows outside Z modulo span(Z)."""

    def __init__(
        self,
        data: CountedRows,
        outside: Indices,
        A: Matrix,
        directions: list[Sparse],
        exponents: NDArray[np.int64],
    ) -> None:
        """A has the rows outside, its columns divided by 2^exponents; directions are the vectors v for A."""
        self.data, self.outside, self.A, self.directions = data, outside, A, directions
        self.exponents = exponents.tolist()
        self.N, self.powers = coordinates(A, directions)
        self.sizes = np.abs(A)
        self.Y, self.heights = normalised(A @ self.N)
        self._nothing = Space(data, self.Y[:0], len(self.Y))

    def separator(self, open_columns: list[int]) -> tuple[Sparse, Vector]:
        """An integer vector that moves every row, with an entry in each of the columns; and its coordinates."""
        w = self._interior()
        random = np.random.RandomState(0)
        for bits in FINENESS:
            aside = random.choice([-1.0, 1.0], len(w)) * random.uniform(2.0, 4.0, len(w))
            nudged = w + np.abs(w).max() * np.ldexp(aside, -bits)
            for c in (w, nudged):
                numbers = self._rounded(c, bits)
                u = self._vector(numbers)
                if all(u.get(j) for j in open_columns) and self._moves_all(u):
                    return u, numbers / length(numbers)
        raise Blurred("a weak separator is lost in rounding")

    def _interior(self) -> Vector:
        """c with <c,y> > 0 on every row, by the point of their hull that is nearest to 0."""
        Y, data = self.Y, self.data
        which = spread(np.arange(len(Y)), data.page)
        B = np.column_stack([np.ones(len(which)), Y[which]])
        c = wolfe.corral(B.shape[1], min(len(Y), B.shape[1]))
        size = 0
        products = np.empty(len(Y))
        while True:
            size = approach(data, c, size, 0, B, 2.0**-3)
            w = -c.r[1 : 1 + Y.shape[1]]
            data.spend(1)
            dual.price(Y, w, products)
            if float(products.min()) > 0.25 * float(products[which].min()) > 0:
                return w / length(w)
            products[which] = math.inf
            new = np.argsort(products, kind="stable")[: data.page]
            new = new[products[new] < math.inf]
            if len(new) == 0:
                raise Blurred("floats cannot tell a weak separator from one that is zero")
            which = np.concatenate([which, new])
            B = np.concatenate([B, np.column_stack([np.ones(len(new)), Y[new]])])

    @staticmethod
    def _rounded(c: Vector, bits: int) -> Vector:
        """Multiples of the coordinates, to so many bits of the largest."""
        return np.asarray(np.rint(np.ldexp(c / np.abs(c).max(), bits)))

    def _vector(self, coordinates: Vector) -> Sparse:
        """With these whole coordinates, exactly, but for a common factor."""
        numbers = [int(x) for x in coordinates]
        most = max(p for x, p in zip(numbers, self.powers, strict=True) if x)
        u = combine([x << most - p if x else 0 for x, p in zip(numbers, self.powers, strict=True)], self.directions)
        common = math.gcd(*u.values())
        return {j: x // common for j, x in u.items()}

    def _moves_all(self, u: Sparse) -> bool:
        """Is every product beyond what rounding may have made of it?"""
        columns = np.array(list(u), dtype=np.int64)
        bits = max(map(abs, u.values())).bit_length()
        part, floats = self.A[:, columns], np.array([x / (1 << bits) for x in u.values()])
        noise = (len(u) + 4) * 2.0**-51 * (self.sizes[:, columns] @ np.abs(floats))
        return bool((part @ floats > noise).all())

    def opposite(self, j: int, residual: Vector, u: Sparse, inner: Vector) -> Sparse:
        """A weak separator with the other sign than u in column j, near minus the residual of that coefficient."""
        target = self.N[j] * (1 if u[j] > 0 else -1)
        v = -residual / length(residual)
        depth = float(v @ target)
        reach = float(inner @ target)
        for bits in FINENESS:
            for part in (0.5, 0.25, 2.0**-6):
                c = v + part * (-depth / reach) * inner if reach > 0 else v
                found = self._vector(self._rounded(c, bits))
                if found.get(j, 0) * u[j] < 0 and self._moves_all(found):
                    return found
        raise Blurred("a weak separator is lost in rounding")

    def cone(self, target: Vector) -> Cone:
        """The point of the cone of the rows nearest to the target, scaled to length 1."""
        start = spread(np.arange(len(self.Y)), max(64, 4 * self.Y.shape[1]))
        return self._nothing.nearest(self.Y, target / length(target), start)

    def diverging(self, j: int, sign: int) -> Diverging | Vector:
        """How e_j with this sign is in the cone of the rows; or what is left of it, where it is not."""
        target = sign * self.N[j]
        cone = self.cone(target)
        if not cone.contains:
            return cone.residual
        found = self._exactly(j, sign, cone.members, {})
        if found is None:
            raise Blurred("floats see a coefficient that goes to infinity, and integers do not")
        return found

    def inside(self, found: Diverging, basis: list[int]) -> Diverging | None:
        """The same with weight on all rows of a basis: then e_j is inside the cone. None, if floats do not see it."""
        j, sign = found.column, 1 if found.scale > 0 else -1
        if self._can_do_without(j):
            return None
        target = sign * self.N[j]
        for depth in INSIDE:
            shares = {b: int(math.frexp(depth * length(target) / length(self.Y[b]))[1]) for b in basis}
            moved = target - sum(math.ldexp(1.0, k) * self.Y[b] for b, k in shares.items())
            if not moved.any():
                continue
            cone = self.cone(moved)
            if cone.contains:
                inner = self._exactly(j, sign, cone.members, shares)
                if inner is not None:
                    return inner
        return None

    def _can_do_without(self, j: int) -> bool:
        """Does a column of one sign make a weak separator without this one?"""
        one_sided = (self.Y >= 0).all(axis=0) | (self.Y <= 0).all(axis=0)
        return bool((one_sided & (self.N[j] == 0)).any())

    def _exactly(self, j: int, sign: int, members: Indices, shares: dict[int, int]) -> Diverging | None:
        """e_j from these rows, and 2^k of the rows that have shares; None if weights are not of one sign."""
        given = {b: k - int(self.heights[b]) - self.exponents[j] for b, k in shares.items()}
        least = min(given.values(), default=0)
        scale = 1 << max(0, -least)
        given = {b: scale << k if k > 0 else scale >> -k for b, k in given.items()}
        T, exponent = self._integers(np.concatenate([members, np.array(list(given), dtype=np.int64)]))
        exponent += self.exponents[j]
        goal = [sign * scale * v.get(j, 0) for v in self.directions]
        if exponent < 0:
            goal = [x << -exponent for x in goal]
        else:
            T = T * (1 << exponent)
        goal = [
            x - sum(g * int(y) for g, y in zip(given.values(), T[len(members) :, k], strict=True))
            for k, x in enumerate(goal)
        ]
        rows = T[: len(members)]
        prime = lifting.PRIMES[0]
        columns = modular.pivots(lifting.residues(rows, prime), prime, self.data.look)
        if len(columns) < len(members):
            return None
        x: list[int] = []
        q = 1
        if columns:
            right = whole([[goal[k] for k in columns]])[0]
            found = lifting.solve(whole(rows[:, columns].tolist()).T, right, self.data.look)
            if found is None:
                return None
            x, q = found
        if min(x, default=0) < 0 or not lifting.vanishes([*x, -q], whole([*rows.tolist(), goal]), self.data.look):
            return None
        total = {int(m): w for m, w in zip(members, x, strict=True)}
        for b, g in given.items():
            total[b] = total.get(b, 0) + q * g
        weights = {int(self.outside[b]): w for b, w in sorted(total.items()) if w}
        common = math.gcd(q * scale, *weights.values())
        values = tuple(w // common for w in weights.values())
        return Diverging(j, sign * q * scale // common, tuple(weights), values)

    def _integers(self, members: Indices) -> tuple[Any, int]:
        """The coordinates of these rows as integers times a power of two."""
        entries, exponent = integers(self.A[members])
        table = np.array(entries, dtype=object).reshape(len(members), self.A.shape[1])
        found = np.zeros((len(members), len(self.directions)), dtype=object)
        for k, v in enumerate(self.directions):
            for j, x in v.items():
                found[:, k] += x * table[:, j]
        return found, exponent


def fates(quotient: Quotient, open_columns: list[int], basis: list[int]) -> Fates:
    """What becomes of the open columns, those that are neither finite nor left open by dependent columns.

    ``basis``: rows of the quotient, as many as it has dimensions, that are independent.
    """
    weak, inner = quotient.separator(open_columns)
    separators = [weak]
    diverging: list[Diverging] = []
    undetermined: dict[int, int] = {}
    for j in open_columns:
        sign = 1 if weak[j] > 0 else -1
        known = next((k for k, v in enumerate(separators) if v.get(j, 0) * sign < 0), None)
        if known is None:
            found = quotient.diverging(j, sign)
            if isinstance(found, Diverging):
                diverging.append(found)
                continue
            separators.append(quotient.opposite(j, found, weak, inner))
            known = len(separators) - 1
        undetermined[j] = known - 1
    inside = {each.column: quotient.inside(each, basis) for each in diverging}
    return Fates(
        weak,
        tuple(inside[each.column] or each for each in diverging),
        tuple(undetermined.items()),
        tuple(separators[1:]),
        tuple(j for j, found in inside.items() if found),
    )
