"""Are determinants not zero modulo 2^61 - 1? By blocks, in floats that stay exact."""

from __future__ import annotations

from typing import Any

import numpy as np

from novikoff.certificates import reference

EXPONENT = 61
PRIME = np.uint64(2**EXPONENT - 1)
BLOCK = 48  # columns that are eliminated together; a product of limbs is below 2^42, and so many below 2^53
LIMB = np.uint64(21)  # bits
HALF = np.uint64(31)  # bits


def regular(table: Any, inner: int, modulus: int) -> tuple[bool, bool]:
    """Has the first block of the square matrix, of residues, and has all of it, a determinant other than 0?

    Modulo 2^modulus - 1; ``inner`` is the size of the block. If its determinant is 0, the other is not looked at.
    """
    if modulus != EXPONENT:
        entries = table.tolist()
        first = [row[:inner] for row in entries[:inner]]
        prime = 2**modulus - 1
        return reference.separation.is_regular(first, prime), reference.separation.is_regular(entries, prime)
    A = table.astype(np.uint64)
    for inner_is_regular, left in ((False, inner), (True, len(A) - inner)):
        while left:
            width = min(BLOCK, left)
            A = _eliminated(A, width, left)
            if A is None:
                return inner_is_regular, False
            left -= width
    return True, True


def _eliminated(A: Any, width: int, among: int) -> Any:
    """What is left of A below and beyond its first columns; None if these are dependent in so many rows, ``among``.

    With the rows in the order of the pivots and A = (P, Q; R, S), that is S - R P^-1 Q. The panel (P; R) is eliminated
    column by column, which leaves below the diagonal the factors L and, of R, those that take U = L^-1 P to it.
    """
    order = np.arange(len(A))
    panel = A[:, :width].copy()
    for k in range(width):
        found = np.flatnonzero(panel[k:among, k])
        if len(found) == 0:
            return None
        pivot = k + int(found[0])
        if pivot != k:
            panel[[k, pivot]] = panel[[pivot, k]]
            order[[k, pivot]] = order[[pivot, k]]
        inverse = np.uint64(pow(int(panel[k, k]), -1, int(PRIME)))
        factors = product(panel[k + 1 :, k], inverse)
        panel[k + 1 :, k] = factors
        panel[k + 1 :, k + 1 :] = _less(panel[k + 1 :, k + 1 :], product(factors[:, None], panel[k, k + 1 :]))
    right = A[order, width:]
    top = _sum_of_products(_inverse(panel[:width]), right[:width])
    return _less(right[width:], _sum_of_products(panel[width:], top))


def _inverse(L: Any) -> Any:
    """Of 1 - X, with what is below the diagonal of L as -X: (1 + X)(1 + X^2)(1 + X^4)..., since powers of X end."""
    power = _less(np.zeros_like(L), np.tril(L, -1))
    found = np.eye(len(L), dtype=np.uint64) + power
    while power.any():
        power = _sum_of_products(power, power)
        found = _residue(found + _sum_of_products(found, power))
    return found


def product(a: Any, b: Any) -> Any:
    """a b modulo the prime, of residues: with a = a1 2^31 + a0, and 2^61 = 1."""
    mask = np.uint64(2**31 - 1)
    a1, a0, b1, b0 = a >> HALF, a & mask, b >> HALF, b & mask
    middle = a1 * b0 + a0 * b1  # below 2^62
    low = (middle & np.uint64(2**30 - 1)) << HALF
    return _residue((a1 * b1 << np.uint64(1)) + (middle >> np.uint64(30)) + low + a0 * b0)


def _residue(x: Any) -> Any:
    """Of numbers below 2^64."""
    x = (x & PRIME) + (x >> np.uint64(EXPONENT))
    return np.where(x >= PRIME, x - PRIME, x)


def _less(a: Any, b: Any) -> Any:
    """a - b, of residues."""
    return np.where(a >= b, a - b, a + (PRIME - b))


def _sum_of_products(left: Any, right: Any) -> Any:
    """The matrix product: limbs of 21 bits as floats, whose sums of at most BLOCK products are exact."""
    lefts, rights = _limbs(left), _limbs(right)
    total = np.zeros((left.shape[0], right.shape[1]), dtype=np.uint64)
    for weight in range(4, -1, -1):
        pairs = [(i, weight - i) for i in range(3) if 0 <= weight - i < 3]
        # Three products below 2^48 each; the total so far counts 2^21 times as much.
        part = sum(lefts[i] @ rights[j] for i, j in pairs).astype(np.uint64)
        total = _residue(_shifted(total) + part)
    return total


def _limbs(A: Any) -> list[Any]:
    mask = np.uint64(2**21 - 1)
    return [((A >> np.uint64(k) * LIMB) & mask).astype(np.float64) for k in range(3)]


def _shifted(x: Any) -> Any:
    """x 2^21 modulo the prime, of residues, below 2^61: the bits turn round."""
    return ((x << LIMB) & PRIME) | (x >> (np.uint64(EXPONENT) - LIMB))
