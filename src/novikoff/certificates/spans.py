"""What rows span, exactly: a minor that is not zero, and the integer vectors that are orthogonal to all of them.

A float is an integer over a power of two, and two has an inverse modulo an odd prime: so floats of any size have
residues, and a minor that is not zero modulo the prime is not zero.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from flint import fmpz, fmpz_mod_ctx, fmpz_mod_mat, nmod_mat
from numpy.typing import NDArray

from novikoff.certificates import lifting
from novikoff.certificates.claim.separation import MODULI, MOST_MODULO_LARGER
from novikoff.certificates.details import Sparse
from novikoff.certificates.lifting import whole
from novikoff.certificates.modular import Look
from novikoff.certificates.rational import integers
from novikoff.engine.rows import Indices

Matrix = NDArray[np.float64]

SMALLER, LARGER = MODULI
BLOCK = 4096  # rows of a product between two looks at the clock
LONGEST = 2**15  # entries of a kernel whose integers are not small
EXACT = 2.0**53  # integers below it are floats, and so are sums of them


class Echelon:
    """The row space of a matrix of floats, by elimination modulo a prime from the last column to the first."""

    def __init__(self, A: Matrix, look: Look) -> None:
        used = np.flatnonzero(A.any(axis=0))
        for modulus in (SMALLER, LARGER):
            self.modulus = modulus
            residues = _residues(A[:, used[::-1]], modulus)
            reduced, rank = _reduce(residues, modulus)
            if modulus == LARGER and rank > MOST_MODULO_LARGER:
                raise Unclear("2^61 - 1 does not tell the rank, and 2^89 - 1 may tell ranks up to 512 only")
            look()
            pivots = _pivots(reduced, rank)
            self.rows = list(range(len(A)))
            if rank < len(A):
                self.rows = _pivots(*_reduce(residues.T, modulus))
                look()
            self.pivots = used[::-1][pivots][::-1]
            self.free = np.setdiff1d(np.arange(A.shape[1]), self.pivots)
            self.kernel = self._kernel(A, used, reduced, pivots, look)
            if None not in self.kernel:
                return
        raise Unclear("the rank of the rows is not the same modulo 2^61 - 1 and 2^89 - 1")

    def _kernel(self, A: Matrix, used: Indices, reduced: Any, pivots: list[int], look: Look) -> list[Sparse | None]:
        """A vector for each free column: of those that are 0 throughout the unit vector."""
        place = {int(j): k for k, j in enumerate(used)}
        found: list[Sparse | None] = []
        modular: list[Sparse] = []
        for f in self.free.tolist():
            modular.append({f: 1})
            if f in place:
                back = len(used) - 1 - place[f]
                entries = [(p, int(reduced[i, back])) for i, p in enumerate(pivots) if p < back]
                modular[-1] |= {int(used[len(used) - 1 - p]): -x for p, x in reversed(entries) if x}
            found.append(_by_small_fractions(modular[-1], self.modulus, look))
        known = [v for v in found if v is not None]
        if len(known) == len(found) and not nonzero_products(A, known, look).any():
            return found
        if sum(map(len, modular)) > LONGEST:
            raise Unclear("there are too many relations between too many columns")
        return [self._sure(A, v, residues, look) for v, residues in zip(found, modular, strict=True)]

    def vectors(self) -> list[Sparse]:
        return [v for v in self.kernel if v is not None]

    def _sure(self, A: Matrix, v: Sparse | None, residues: Sparse, look: Look) -> Sparse | None:
        """The vector if it is orthogonal to all rows of A, or one by Dixon's method, or None: there is none.

        ``residues``: a vector modulo the prime that is; its columns are those that the vector is made of.
        """
        if v is not None and not nonzero_products(A, [v], look).any():
            return v
        f, *others = residues
        B = A[np.ix_(self.rows, [f, *others])]
        rows = _pivots(*_reduce(_residues(B[:, 1:], self.modulus).T, self.modulus))
        table, _ = integers(B[rows])
        T = whole([table[k : k + len(residues)] for k in range(0, len(table), len(residues))])
        found = lifting.solve(T[:, 1:], -T[:, 0], look)
        if found is None:
            return None
        v = primitive({f: found[1], **{j: x for j, x in zip(others, found[0], strict=True) if x}})
        return None if nonzero_products(A, [v], look).any() else v


class Unclear(Exception):  # noqa: N818  # not an error: what was asked stays open
    """Floats did not find it, or what they found is not so in integers."""


class Blurred(Unclear):
    """It is the floats that are too coarse, for these columns as they are."""


def _residues(A: Matrix, modulus: int) -> NDArray[Any]:
    """The floats modulo 2^modulus - 1: as a multiplication by 2 turns the bits of a residue round."""
    mantissa, exponent = np.frexp(A)
    m = (mantissa * 2.0**53).astype(np.int64)
    turn = (exponent.astype(np.int64) - 53) % modulus
    prime = (1 << modulus) - 1
    if modulus != SMALLER:
        large = m.astype(object) * (np.array([1 << k for k in range(modulus)], dtype=object)[turn])
        return np.asarray(large % prime)
    size = np.abs(m).astype(np.uint64)
    high, low = size >> (np.uint64(61) - turn.astype(np.uint64)), size << turn.astype(np.uint64)
    rotated = ((low & np.uint64(prime)) | high).astype(np.int64)
    return np.where(m < 0, (prime - rotated) % prime, rotated % prime)


def _reduce(residues: NDArray[Any], modulus: int) -> tuple[Any, int]:
    """The reduced echelon form modulo the prime, and the rank."""
    prime, shape, entries = (1 << modulus) - 1, residues.shape, residues.ravel().tolist()
    if 0 in shape:
        return None, 0
    matrix = (
        nmod_mat(*shape, entries, prime) if modulus == SMALLER else fmpz_mod_mat(*shape, entries, fmpz_mod_ctx(prime))
    )
    reduced, rank = matrix.rref()
    return reduced, int(rank)


def _pivots(reduced: Any, rank: int) -> list[int]:
    found: list[int] = []
    j = 0
    for i in range(rank):
        while int(reduced[i, j]) == 0:
            j += 1
        found.append(j)
        j += 1
    return found


def _by_small_fractions(residues: Sparse, modulus: int, look: Look) -> Sparse | None:
    """The vector of integers that is a multiple of these residues, by the smallest fractions that they can be."""
    look()
    prime = (1 << modulus) - 1
    f, *others = residues
    if not others:
        return {f: 1}
    found, q = lifting.fractions([fmpz(residues[j] % prime) for j in others], fmpz(prime), look)
    if q == 0:
        return None
    return primitive({f: q, **{j: x for j, x in zip(others, found, strict=True) if x}})


def primitive(v: Sparse) -> Sparse:
    """Without a common factor, the first entry positive."""
    common = math.gcd(*v.values())
    first = min(v)
    common = common if v[first] > 0 else -common
    return {j: v[j] // common for j in sorted(v)}


def unscaled(v: Sparse, exponents: NDArray[np.int64]) -> Sparse:
    """The vector for columns that were divided by these powers of two, without a common factor."""
    most = max(int(exponents[j]) for j in v)
    found = {j: v[j] << most - int(exponents[j]) for j in sorted(v)}
    common = math.gcd(*found.values())
    return {j: x // common for j, x in found.items()}


def combine(weights: list[int], vectors: list[Sparse]) -> Sparse:
    """The sum of multiples of the vectors."""
    total: Sparse = {}
    for c, v in zip(weights, vectors, strict=True):
        for j, x in v.items() if c else ():
            total[j] = total.get(j, 0) + c * x
    return {j: total[j] for j in sorted(total) if total[j]}


def dense(vectors: list[Sparse], width: int) -> NDArray[Any]:
    """As columns of a matrix of Python's integers."""
    table = np.zeros((width, len(vectors)), dtype=object)
    for k, v in enumerate(vectors):
        for j, x in v.items():
            table[j, k] = x
    return table


def nonzero_products(A: Matrix, vectors: list[Sparse], look: Look, among: Indices | None = None) -> NDArray[np.bool_]:
    """Which rows of A, or of those `among` them, are not orthogonal to all of the vectors, exactly."""
    rows = np.arange(len(A)) if among is None else among
    found = np.zeros(len(rows), dtype=np.bool_)
    vectors = [v for v in vectors if len(v) > 1 or A[:, min(v)].any()]
    if not vectors:
        return found
    used = np.array(sorted({j for v in vectors for j in v}), dtype=np.int64)
    place = {int(j): k for k, j in enumerate(used)}
    N = dense([{place[j]: x for j, x in v.items()} for v in vectors], len(used))
    size = max(sum(map(abs, v.values())) for v in vectors)
    for start in range(0, len(rows), BLOCK):
        look()
        part = A[np.ix_(rows[start : start + BLOCK], used)]
        scale = _unit(part) if size < EXACT else None
        if scale is not None and float(np.abs(part).max(initial=0.0) / scale) * size < EXACT:
            found[start : start + BLOCK] = (part @ N.astype(np.float64)).any(axis=1)
        else:
            found[start : start + BLOCK] = _any_exactly(part, N)
    return found


def _unit(part: Matrix) -> float | None:
    """A power of two that all entries are multiples of, not too far below the largest; or None."""
    largest = float(np.abs(part).max(initial=0.0))
    if largest == 0.0:
        return 1.0
    for bits in (8, 16, 24, 40):
        unit = math.ldexp(1.0, math.frexp(largest)[1] - bits)
        if unit and np.array_equal(np.rint(part / unit) * unit, part):
            return unit
    return None


def _any_exactly(part: Matrix, N: NDArray[Any]) -> NDArray[np.bool_]:
    """Row by row, in Python's integers: the entries of a row over a power of two of its own."""
    found = np.zeros(len(part), dtype=np.bool_)
    bits = [max(abs(x) for x in v).bit_length() for v in N.T.tolist()]
    rounded = np.array([[x / (1 << b) for x, b in zip(row, bits, strict=True)] for row in N.tolist()])
    clear = np.abs(part @ rounded) > (part.shape[1] + 4) * 2.0**-51 * (np.abs(part) @ np.abs(rounded))
    found[clear.any(axis=1)] = True
    for i in np.flatnonzero(~found).tolist():
        kept = np.flatnonzero(part[i])
        row = np.array(integers(part[i, kept])[0], dtype=object)
        found[i] = bool((row @ N[kept] != 0).any()) if len(kept) else False
    return found


def spanning(A: Matrix, start: Indices, among: Indices, look: Look) -> Echelon:
    """The span of the rows `among`, found from `start`: others join that its kernel is not orthogonal to."""
    which = start
    while True:
        echelon = Echelon(A[which], look)
        outside = among[nonzero_products(A, echelon.vectors(), look, among)]
        echelon.rows = which[echelon.rows].tolist()
        if len(outside) == 0:
            return echelon
        more = outside[np.unique(np.linspace(0, len(outside) - 1, 2 * len(echelon.free) + 8).astype(np.int64))]
        which = np.concatenate([np.array(echelon.rows, dtype=np.int64), more])
