"""From floats to integers: exact combinations that vanish, and the nearest point where floats lose sight of it.

A float is an integer times a power of two, so the rows as stored are exact, and so is all that is said of them here.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

import numpy as np
from flint import fmpz_mat
from numpy.typing import NDArray

from novikoff.certificates import lifting, modular
from novikoff.certificates.lifting import Whole, whole
from novikoff.certificates.modular import Look
from novikoff.certificates.solve import Counted, length
from novikoff.engine.rows import Indices

PRIMES = lifting.PRIMES[:3]
BLOCK = 64  # rows of a product between two looks
DIGITS = 192  # bits that a weight is rounded to between two steps of the nearest point


Table = list[list[int]]


class IntegerRows(NamedTuple):
    """a_i = table * 2^exponent over the columns where some of them is not zero."""

    table: Table
    columns: Indices
    exponent: int


def integers(values: NDArray[np.float64]) -> tuple[list[int], int]:
    """The entries as integers times one power of two."""
    mantissa, exponent = np.frexp(values.ravel())
    whole = (mantissa * 2.0**53).astype(np.int64)
    power = exponent.astype(np.int64) - 53
    zeros = whole == 0
    trailing = np.frexp((whole & -whole).astype(np.float64))[1] - 1
    trailing[zeros] = 0
    whole >>= trailing
    power += trailing
    if zeros.all():
        return [0] * whole.size, 0
    least = int(power[~zeros].min())
    shift = np.where(zeros, 0, power - least)
    if int((np.frexp(np.abs(whole).astype(np.float64))[1] + shift).max()) <= 62:
        return (whole << shift).tolist(), least
    return [w << s for w, s in zip(whole.tolist(), shift.tolist(), strict=True)], least


def integer_rows(data: Counted, which: Indices) -> IntegerRows:
    """The rows `which`, signs included, as integers."""
    dense, columns = data.entries(which)
    entries, exponent = integers(dense)
    width = dense.shape[1]
    return IntegerRows([entries[k : k + width] for k in range(0, len(entries), width)], columns, exponent)


def _independent_columns(A: Whole, prime: int, look: Look) -> list[int]:
    """The first that are, modulo the prime: then they are."""
    return modular.pivots(lifting.residues(A, prime), prime, look)


def null_vector(table: Table, look: Look) -> list[int] | None:
    """Integers p, not all zero, with sum p_i row_i = 0; None if the rows are independent."""
    A = whole(table)
    for prime in PRIMES:
        rows = _independent_columns(A.T, prime, look)
        if len(rows) == len(A):  # independent modulo a prime, so independent
            return None
        extra = next(i for i in range(len(A)) if i >= len(rows) or rows[i] != i)
        p = _dependence(A, extra, _independent_columns(A[:extra], prime, look) if extra else [], look)
        if p is not None and lifting.vanishes(p, A, look):
            return p
    return None  # three primes that divide the same determinant; the nearest point will settle it


def circuit(table: Table, p: list[int], look: Look) -> list[int]:
    """From positive p with sum p_i row_i = 0 to weights >= 0 of the same kind whose rows have one dependence only.

    While another dependence q is not a multiple of p, go from p along -q until a weight is zero (Caratheodory).
    """
    kept = list(range(len(p)))
    weights = p
    while True:
        q = null_vector([table[i] for i in kept], look)
        if q is None or all(q):
            break
        # q has a zero, so it is no multiple of the weights, and not all of them can vanish at once.
        q = q if max(q) > 0 else [-x for x in q]
        step = min(Fraction(w, x) for w, x in zip(weights, q, strict=True) if x > 0)
        weights = [step.denominator * w - step.numerator * x for w, x in zip(weights, q, strict=True)]
        kept = [i for i, w in zip(kept, weights, strict=True) if w]
        weights = [w for w in weights if w]
    found = [0] * len(p)
    for i, w in zip(kept, weights, strict=True):
        found[i] = w
    return found


def _times(p: list[int], table: Table, look: Look) -> list[int]:
    """sum p_i row_i."""
    total = fmpz_mat(1, len(table[0]))
    for start in range(0, len(table), BLOCK):
        look()
        total += fmpz_mat([p[start : start + BLOCK]]) * fmpz_mat(table[start : start + BLOCK])
    return [int(x) for x in total.entries()]


def _dependence(A: Whole, extra: int, columns: list[int], look: Look) -> list[int] | None:
    """Row `extra` from the rows before it, if these are independent in the `columns`, as many as they are."""
    p = [0] * len(A)
    p[extra] = -1
    if extra:
        found = lifting.solve(A[:extra, columns].T, A[extra, columns], look)
        if found is None:
            return None
        p[:extra], p[extra] = found[0], -found[1]
    return p


def orthogonal(A: Whole, w: list[int], look: Look) -> tuple[list[int], int] | None:
    """Integers v, orthogonal to the rows of A, and q > 0: v = q w but for as many columns as rows are independent."""
    prime = PRIMES[0]
    rows = _independent_columns(A.T, prime, look)
    pivots = _independent_columns(A[rows], prime, look)
    others = np.delete(np.arange(A.shape[1]), pivots)
    given = np.array(w, dtype=object)
    if not rows:
        return w, 1
    right = -(A[rows][:, others].astype(object) @ given[others])
    found = lifting.solve(A[rows][:, pivots], right, look)
    if found is None:
        return None
    v = given * found[1]
    v[pivots] = found[0]
    return v.tolist(), found[1]


def one_signed(p: list[int]) -> list[int] | None:
    """p or -p if no two entries have opposite signs."""
    if min(p) >= 0:
        return p
    return [-x for x in p] if max(p) <= 0 else None


class Nearest(NamedTuple):
    """The nearest point over a corral: w = sum p_i a_i, exactly; w = 0 proves that there is no separator."""

    w: list[int]  # a positive multiple of it, with the constant coordinate last
    rows: Indices
    p: list[int]
    closest: int  # the row with the smallest <w,a>
    smallest: Fraction  # that product, with `w` as given
    exponent: int  # w = sum p_i a_i 2^-exponent


def nearest(data: Counted, gap: float, rows: Indices, p: list[Fraction]) -> Nearest:
    """Wolfe's method in rationals, from a corral that floats found. Finite, and deaf to rounding."""
    order = sorted(range(len(p)), key=lambda k: -p[k])
    members, weights = rows[order], [p[k] for k in order]
    start = whole(_with_ones(integer_rows(data, members).table))
    kept = _independent_columns(start.T, PRIMES[0], data.look)
    members, weights = members[kept], [weights[k] for k in kept]
    enough = 1 - Fraction(gap) * (1 - Fraction(1, 256))  # the ends are rounded to floats yet, away from each other
    while True:
        data.look()
        block = integer_rows(data, members)
        target = _affine_minimum(block.table, data.look)
        if min(target) <= 0:
            members, weights = _shortened(members, weights, target, data.look)
            continue
        weights = _rounded([Fraction(t) for t in target])
        found = _combined(data, members, block, target)
        if not any(found.w):
            return found
        level = Fraction(sum(x * x for x in found.w), sum(target)) * Fraction(2) ** block.exponent
        if found.smallest >= enough * level:
            return found
        members, weights = np.append(members, found.closest), [*weights, Fraction(0)]


def in_integers(values: list[Fraction]) -> list[int]:
    """The values over the largest, rounded to DIGITS bits."""
    return [int(x * 2**DIGITS) for x in _rounded(values)]


def _combined(data: Counted, members: Indices, block: IntegerRows, p: list[int]) -> Nearest:
    """sum p_i a_i, and the row that it is worst on."""
    w = combination(data, block, p)
    closest, smallest = smallest_product(data, w) if any(w) else (-1, Fraction(0))
    return Nearest(w, members, p, closest, smallest, block.exponent)


def combination(data: Counted, block: IntegerRows, p: list[int]) -> list[int]:
    """sum p_i a_i 2^-exponent."""
    w = [0] * data.width
    for column, x in zip(block.columns.tolist(), _times(p, block.table, data.look), strict=True):
        w[column] = x
    return w


def _with_ones(table: Table) -> Table:
    return [[1, *row] for row in table]


def _affine_minimum(table: Table, look: Look) -> list[int]:
    """Integers q, of positive sum, for which sum q_i a_i / sum q_i is nearest to 0 (weights of either sign)."""
    gram = lifting.gram(whole(_with_ones(table)), look)
    found = lifting.solve(gram, np.ones(len(table), dtype=np.int64), look)
    assert found is not None, "the rows are affinely independent"
    return found[0]


def _shortened(
    members: Indices, weights: list[Fraction], target: list[int], look: Look
) -> tuple[Indices, list[Fraction]]:
    """Go from the weights towards the target until one of them is zero; drop it."""
    total, now = sum(target), sum(weights)
    old = [weight / now for weight in weights]
    new = [Fraction(t, total) for t in target]
    step, out = Fraction(2), -1
    for i, (o, n) in enumerate(zip(old, new, strict=True)):
        look()
        if n <= 0:
            # A weight that is 0 already (the last one may be, exactly) goes first.
            step, out = min((step, out), (o / (o - n) if o else o, i))
    moved = _rounded([o + step * (n - o) for o, n in zip(old, new, strict=True)])
    kept = [i for i in range(len(moved)) if i != out]
    return members[kept], [max(moved[i], Fraction(0)) for i in kept]


def _rounded(weights: list[Fraction]) -> list[Fraction]:
    """To DIGITS bits of the largest: any positive weights will do to go on from."""
    largest = max(abs(weight) for weight in weights)
    return [Fraction(int(weight / largest * 2**DIGITS), 2**DIGITS) for weight in weights]


def smallest_product(data: Counted, w: list[int], among: Indices | None = None) -> tuple[int, Fraction]:
    """The row with the smallest <w,a>, ties to the lower one, and that product, exactly."""
    shift = max(0, max(abs(x).bit_length() for x in w) - 900)
    floats = np.array([float(x >> shift) for x in w])
    floats /= float(np.abs(floats).max()) or 1.0
    products = data.products(floats)
    # Rounding of w, of the products and of their sum: (D + 4) 2^-52 ||a|| ||w||.
    noise = (data.width + 4) * 2.0**-52 * data.norms * length(floats) * (1 + 2.0**-40)
    if among is not None:
        products, noise = products[among], noise[among]
    near = np.flatnonzero(~(products - noise > np.min(products + noise)))
    near = near if among is None else among[near]
    best, closest = None, -1
    for start in range(0, len(near), 256):
        data.look()
        block = integer_rows(data, near[start : start + 256])
        part = fmpz_mat([[w[j]] for j in block.columns.tolist()])
        for row, x in zip(near[start : start + 256].tolist(), (fmpz_mat(block.table) * part).entries(), strict=True):
            value = Fraction(int(x)) * Fraction(2) ** block.exponent
            if best is None or value < best:
                best, closest = value, row
    assert best is not None
    return closest, best
