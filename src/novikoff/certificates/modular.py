"""Elimination modulo a prime, in floats that hold integers exactly; and in plain floats, for a guess at the answer.

A long elimination is cut into pieces, so that whoever asked for it can be heard in between.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from novikoff.engine.compile import inlined, kernel

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]
Look = Callable[[], None]  # called every tenth of a second or so; what it raises ends the work

PIECE = 2.0**26  # entries that change between two looks: some 20 ms
BLOCK = 64  # columns that are eliminated together


@inlined
def _residue(x: float, prime: float, reciprocal: float) -> float:
    """x less a multiple of the prime, for whole |x| < 2^52: at most prime/2 + 2 in size, and 0 for a multiple.

    The rounding of the quotient, which is below 2^52/prime, moves it by less than 2/prime.
    """
    return x - float(np.rint(x * reciprocal)) * prime


@inlined
def _subtract(factor: float, top: Vector, row: Vector, prime: float, reciprocal: float) -> None:
    for j in range(
        np.uint64(row.shape[0])
    ):  # over vectors: of entries of a matrix the compiler makes no vector operations
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


@inlined
def _swap(a: Vector, b: Vector) -> None:
    for j in range(np.uint64(a.shape[0])):
        a[j], b[j] = b[j], a[j]


def invert(A: Matrix, prime: int, look: Look) -> bool:
    """Put the inverse of A modulo a prime below 2^26 in its place; False if there is none.

    Entries are whole and at most prime/2 + 2 in size, before and after. By the method of Gauss and Jordan, for a block
    of columns at a time: with D the block on the diagonal, S the others of its rows and T those of its columns,

        D, S, T, rest  become  D^-1, D^-1 S, -T D^-1, rest - T D^-1 S.

    The pivot is the first that there is. Not by BLAS: its threads would wait for each other longer than this takes.
    """
    n = len(A)
    swaps = np.empty(n, dtype=np.int64)
    block = min(BLOCK, int(2.0**51 / (prime / 2 + 2) ** 2))
    for start in range(0, n, block):
        look()
        stop = min(n, start + block)
        if not _bring_up(A, A[:, start:stop].copy(), prime, swaps, start):
            return False
        top = _inverted(A[start:stop, start:stop], prime)
        rows = np.zeros((stop - start, n))
        _subtract_product(rows, -top, A[start:stop], prime)
        rows[:, start:stop] = top
        left = A[:, start:stop].copy()
        left[start:stop] = 0.0
        A[:, start:stop] = 0.0
        _subtract_product(A, left, rows, prime)
        A[start:stop] = rows
    _swap_columns(A, swaps)
    return True


def _inverted(block: Matrix, prime: int) -> Matrix:
    """The inverse of a small matrix that has one."""
    A = np.ascontiguousarray(block)
    swaps = np.empty(len(A), dtype=np.int64)
    _invert(A, prime, swaps)
    _swap_columns(A, swaps)
    return A


def _swap_columns(A: Matrix, swaps: NDArray[np.int64]) -> None:
    """The rows were swapped before the inversion, so now are the columns of the inverse."""
    for k in range(len(A) - 1, -1, -1):
        if swaps[k] != k:
            A[:, [k, swaps[k]]] = A[:, [swaps[k], k]]


@kernel
def _bring_up(A: Matrix, panel: Matrix, prime: int, swaps: NDArray[np.int64], start: int) -> bool:
    """Swap rows of A from `start` on, so that the block of these columns on the diagonal has an inverse.

    ``panel`` is a copy of the columns, which is eliminated to see which rows those are.
    """
    n = A.shape[0]
    p = float(prime)
    reciprocal = 1.0 / p
    for c in range(panel.shape[1]):
        k = start + c
        found = k
        while found < n and panel[found, c] == 0.0:
            found += 1
        if found == n:
            return False
        swaps[k] = found
        if found != k:
            _swap(A[k], A[found])
            _swap(panel[k], panel[found])
        inverse = float(_inverse(int(panel[k, c]), prime))
        for i in range(k + 1, n):
            if panel[i, c] != 0.0:
                factor = _residue(panel[i, c] * inverse, p, reciprocal)
                _subtract(factor, panel[k, c:], panel[i, c:], p, reciprocal)
    return True


@kernel
def _subtract_product(A: Matrix, left: Matrix, right: Matrix, prime: int) -> None:
    """A -= left right, modulo the prime; so many terms that sums stay below 2^52 and do not round."""
    p = float(prime)
    reciprocal = 1.0 / p
    terms = right.shape[0]
    for i in range(A.shape[0]):
        row = A[i]
        k = 0
        while k < terms:
            _subtract_four(left[i], right, k, row)
            k += 4
        for j in range(np.uint64(row.shape[0])):
            row[j] = _residue(row[j], p, reciprocal)


@inlined
def _subtract_four(factors: Vector, right: Matrix, k: int, row: Vector) -> None:
    """Four terms with one reading of the row; those that are not there have the factor 0."""
    last = right.shape[0] - 1
    k1, k2, k3 = min(k + 1, last), min(k + 2, last), min(k + 3, last)
    a, b, c, d = right[k], right[k1], right[k2], right[k3]
    s = factors[k]
    t = factors[k1] if k1 == k + 1 else 0.0
    u = factors[k2] if k2 == k + 2 else 0.0
    v = factors[k3] if k3 == k + 3 else 0.0
    for j in range(np.uint64(row.shape[0])):
        row[j] -= (s * a[j] + t * b[j]) + (u * c[j] + v * d[j])


@kernel
def _invert(A: Matrix, prime: int, swaps: NDArray[np.int64]) -> None:
    """The method of Gauss and Jordan, a column at a time, for a matrix that has an inverse."""
    n = A.shape[0]
    p = float(prime)
    reciprocal = 1.0 / p
    for k in range(n):
        found = k
        while A[found, k] == 0.0:
            found += 1
        swaps[k] = found
        if found != k:
            _swap(A[k], A[found])
        pivot = float(_inverse(int(A[k, k]), prime))
        A[k, k] = 1.0
        for j in range(n):
            A[k, j] = _residue(A[k, j] * pivot, p, reciprocal)
        for i in range(n):
            factor = A[i, k]
            if i != k and factor != 0.0:
                A[i, k] = 0.0
                _subtract(factor, A[k], A[i], p, reciprocal)


def pivots(A: Matrix, prime: int, look: Look) -> list[int]:
    """The first columns that are independent modulo a prime below 2^26. Overwrites A, whose entries are as above."""
    n, width = A.shape
    found = np.empty(min(n, width), dtype=np.int64)
    rank = 0
    pace = max(1, int(PIECE / (n * width + 1)))
    for start in range(0, width, pace):
        look()
        rank = int(_echelon(A, prime, found, rank, start, min(width, start + pace)))
    return [int(column) for column in found[:rank]]


@kernel
def _echelon(A: Matrix, prime: int, found: NDArray[np.int64], rank: int, start: int, stop: int) -> int:
    """Eliminate in this range of columns; the pivots so far are `rank`. Returns how many they are now."""
    n = A.shape[0]
    p = float(prime)
    reciprocal = 1.0 / p
    for k in range(start, stop):
        pivot = rank
        while pivot < n and A[pivot, k] == 0.0:
            pivot += 1
        if pivot == n:
            continue
        if pivot != rank:
            _swap(A[rank], A[pivot])
        inverse = float(_inverse(int(A[rank, k]), prime))
        for i in range(rank + 1, n):
            if A[i, k] != 0.0:
                factor = _residue(A[i, k] * inverse, p, reciprocal)
                _subtract(factor, A[rank, k:], A[i, k:], p, reciprocal)
        found[rank] = k
        rank += 1
    return rank


def sizes(A: Matrix, b: Vector, look: Look) -> tuple[float, float]:
    """log2 |det A| and log2 of the largest entry of A^-1 b, roughly: in floats, by Gauss. Overwrites both.

    By our own loop: BLAS would wake threads that take longer to meet than this takes.
    """
    n = len(b)
    pace = max(1, int(PIECE / (n * n + 1)))
    for start in range(0, n, pace):
        look()
        _reduce(A, b, start, min(n, start + pace))
    x = _substitute(A, b)
    with np.errstate(all="ignore"):
        return float(np.log2(np.abs(np.diag(A))).sum()), float(np.log2(np.abs(x).max()))


@kernel
def _reduce(A: Matrix, b: Vector, start: int, stop: int) -> None:
    """The steps of the elimination in this range; the pivot is the largest that there is."""
    n = b.shape[0]
    for k in range(start, stop):
        found = k
        for i in range(k + 1, n):
            if abs(A[i, k]) > abs(A[found, k]):
                found = i
        if found != k:
            _swap(A[k], A[found])
            b[k], b[found] = b[found], b[k]
        if A[k, k] == 0.0:
            continue
        for i in range(k + 1, n):
            if A[i, k] != 0.0:
                factor = A[i, k] / A[k, k]
                _less(factor, A[k, k:], A[i, k:])
                b[i] -= factor * b[k]


@inlined
def _less(factor: float, top: Vector, row: Vector) -> None:
    for j in range(np.uint64(row.shape[0])):
        row[j] -= factor * top[j]


@kernel
def _substitute(A: Matrix, b: Vector) -> Vector:
    """The solution of a triangular system, in the place of b."""
    for i in range(b.shape[0] - 1, -1, -1):
        total = b[i]
        for j in range(i + 1, b.shape[0]):
            total -= A[i, j] * b[j]
        b[i] = total / A[i, i]
    return b
