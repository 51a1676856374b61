"""Integer systems with small entries: solved digit by digit in base p (Dixon 1982), in floats that stay exact.

A product of a matrix with a vector is exact whatever the order of its sums, if entries are whole and no sum can reach
2^53. So BLAS does the work that is quadratic in the size.
"""

from __future__ import annotations

import math
from functools import reduce
from itertools import accumulate, repeat
from operator import mul

import numpy as np
from flint import fmpz, fmpz_mat
from numpy.typing import NDArray

from novikoff.certificates.modular import invert

PRIMES = (2**23 - 15, 2**22 - 3, 2**21 - 9, 2**20 - 3)
SPARE = 64  # bits beyond what floats say that the solution takes,
MOST = 2**20  # which are no more than this

Matrix = NDArray[np.float64]


def solve(A: Matrix, b: Matrix) -> tuple[list[int], int] | None:
    """Integers x and q > 0 with A x = q b, for whole entries; None where these are too large, or A is nearly singular.

    How many digits are taken is guessed in floats. That they were enough is sure: A x and q b agree modulo a number
    that is larger than their difference can be.
    """
    n = len(b)
    largest = int(max(np.abs(A).max(), np.abs(b).max()))
    prime = next((p for p in PRIMES if n * (p / 2 + 2) ** 2 < 2**53 and (n + 2) * largest * p < 2**53), None)
    if prime is None:
        return None
    inverse = _residues(A, prime)
    if not invert(inverse, prime, np.empty(n, dtype=np.int64)):
        return None
    try:
        denominator, numerators = np.linalg.slogdet(A)[1] / math.log(2), np.abs(np.linalg.solve(A, b)).max()
    except np.linalg.LinAlgError:
        return None
    bits = 2 * (denominator + np.log2(max(1.0, numerators)))
    if not 0 <= bits < MOST:
        return None
    count = math.ceil((bits + SPARE) / math.log2(prime))
    digits = np.empty((count, n))
    for k in range(count):
        digits[k] = _residues(inverse @ _residues(b, prime), prime)
        b = (b - A @ digits[k]) / prime
    modulus = fmpz(prime) ** count
    x, q = _fractions(_numbers(digits, prime), modulus)
    return (x, q) if (n * max(map(abs, x)) + q) * largest < modulus else None


def _residues(x: Matrix, prime: int) -> Matrix:
    """x modulo the prime, at most prime/2 + 2 in size."""
    return np.asarray(x - np.rint(x * (1.0 / prime)) * prime)


def _numbers(digits: Matrix, base: int) -> list[fmpz]:
    """Each column as a number in this base, the first digit being the smallest."""
    powers = accumulate(repeat(fmpz(base), len(digits) - 1), mul, initial=fmpz(1))
    return list((fmpz_mat([[*powers]]) * fmpz_mat(digits.astype(np.int64).tolist())).entries())


def _fractions(numbers: list[fmpz], modulus: fmpz) -> tuple[list[int], int]:
    """Integers x and q with x_j = q * numbers_j modulo the modulus; the smallest, if there are small ones."""
    q, half = fmpz(1), modulus // 2
    most = half.isqrt()
    for number in numbers:
        x = q * number % modulus
        if most < x < modulus - most:
            q *= _denominator(x, modulus, most)
            if q > modulus:
                break
    found = [(q * number + half) % modulus - half for number in numbers]
    common = reduce(fmpz.gcd, found, q)
    return [int(x // common) for x in found], int(q // common)


def _denominator(number: fmpz, modulus: fmpz, most: fmpz) -> fmpz:
    """The denominator of the fraction of small numerator that the number is, by Euclid's algorithm."""
    r0, r1, s0, s1 = modulus, number, fmpz(0), fmpz(1)
    while r1 > most:
        k = r0 // r1
        r0, r1, s0, s1 = r1, r0 - k * r1, s1, s0 - k * s1
    return abs(s1)
