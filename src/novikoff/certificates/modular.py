"""The inverse of a matrix modulo a prime, in floats that hold integers exactly."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from novikoff.engine.compile import inlined, kernel

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]


@inlined
def _residue(x: float, prime: float, reciprocal: float) -> float:
    """x less a multiple of the prime, for whole |x| < 2^52: at most prime/2 + 2 in size, and 0 for a multiple.

    The rounding of the quotient, which is below 2^52/prime, moves it by less than 2/prime.
    """
    return x - float(np.rint(x * reciprocal)) * prime


@inlined
def _subtract(factor: float, top: Vector, row: Vector, prime: float, reciprocal: float) -> None:
    for j in range(row.shape[0]):  # over vectors: of entries of a matrix the compiler makes no vector operations
        row[j] = _residue(row[j] - factor * top[j], prime, reciprocal)


@inlined
def _inverse(a: int, prime: int) -> int:
    """1/a modulo the prime, by Euclid's algorithm."""
    r0, r1, s0, s1 = prime, a % prime, 0, 1
    while r1 != 0:
        q = r0 // r1
        r0, r1 = r1, r0 - q * r1
        s0, s1 = s1, s0 - q * s1
    return s0


@kernel
def invert(A: Matrix, prime: int, swaps: NDArray[np.int64]) -> bool:
    """Put the inverse of A modulo a prime below 2^26 in its place; False if there is none.

    Entries are whole and at most prime/2 + 2 in size, before and after. By the method of Gauss and Jordan; the pivot
    is the first that there is.
    """
    n = A.shape[0]
    p = float(prime)
    reciprocal = 1.0 / p
    for k in range(n):
        found = k
        while found < n and A[found, k] == 0.0:
            found += 1
        if found == n:
            return False
        swaps[k] = found
        if found != k:
            for j in range(n):
                A[k, j], A[found, j] = A[found, j], A[k, j]
        pivot = float(_inverse(int(A[k, k]), prime))
        A[k, k] = 1.0
        for j in range(n):
            A[k, j] = _residue(A[k, j] * pivot, p, reciprocal)
        for i in range(n):
            factor = A[i, k]
            if i != k and factor != 0.0:
                A[i, k] = 0.0
                _subtract(factor, A[k], A[i], p, reciprocal)
    for k in range(n - 1, -1, -1):  # the rows were swapped, so are the columns of the inverse
        if swaps[k] != k:
            for i in range(n):
                A[i, k], A[i, swaps[k]] = A[i, swaps[k]], A[i, k]
    return True
