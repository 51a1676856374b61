"""Is a determinant not zero modulo 2^61 - 1? By blocks, in floats that stay exact."""

from __future__ import annotations

from typing import Any

import numpy as np

from novikoff.certificates import reference

EXPONENT = 61
PRIME = np.uint64(2**EXPONENT - 1)
BLOCK = 48  # columns that are eliminated together; a product of limbs is below 2^42, and so many below 2^53
LIMB = np.uint64(21)  # bits
HALF = np.uint64(31)  # bits


def is_regular(table: Any, modulus: int) -> bool:
    """Has the square matrix, of residues, a determinant other than 0 modulo 2^modulus - 1?"""
    if modulus != EXPONENT:
        return reference.separation.is_regular(table.tolist(), 2**modulus - 1)
    A = table.astype(np.uint64)
    while len(A):
        width = min(BLOCK, len(A))
        rest = _eliminated(A, width)
        if rest is None:
            return False
        A = rest
    return True


def _eliminated(A: Any, width: int) -> Any:
    """What is left of A below and beyond its first columns; None if these are dependent.

    With the rows in the order of the pivots and A = (P, Q; R, S), that is S - R P^-1 Q. The panel (P; R) is eliminated
    column by column, which leaves the factors of R P^-1 below the diagonal.
    """
    order = np.arange(len(A))
    panel = A[:, :width].copy()
    for k in range(width):
        found = np.flatnonzero(panel[k:, k])
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
    for k in range(1, width):  # what the rows of the pivots become: those above are done
        right[k] = _less(right[k], _sum_of_products(panel[k : k + 1, :k], right[:k])[0])
    return _less(right[width:], _sum_of_products(panel[width:], right[:width]))


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
