"""Integer systems, solved digit by digit in base p (Dixon 1982), in floats that stay exact.

A product of a matrix with a vector is exact whatever the order of its sums, if entries are whole and no sum can reach
2^53. So BLAS does the work that is quadratic in the size. Entries that are too large for that are cut into slices.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import reduce
from itertools import accumulate, repeat
from operator import mul
from typing import Any

import numpy as np
from flint import fmpz, fmpz_mat
from numpy.typing import NDArray

from novikoff.certificates import modular
from novikoff.certificates.dual import price
from novikoff.certificates.modular import Look

PRIMES = (2**23 - 15, 2**22 - 3, 2**21 - 9, 2**20 - 3)
SPARE = 64  # bits beyond what floats say that the solution takes
FEWEST = 256  # bits that are taken where floats say nothing
GROWTH = 1.5  # how many times more, where those were not enough
BLOCK = 64  # columns that are put together from their digits between two looks

Matrix = NDArray[np.float64]
Whole = NDArray[Any]  # of int64, or of Python's integers where these are larger


def whole(table: list[list[int]]) -> Whole:
    """The integers as an array."""
    try:
        A = np.array(table, dtype=np.int64)
    except OverflowError:
        return np.array(table, dtype=object)
    spare = max(int(A.max()), -int(A.min())) < 2**61
    return A if spare else A.astype(object)


def residues(A: Whole, prime: int) -> Matrix:
    """A modulo the prime, at most prime/2 in size."""
    rest = np.ascontiguousarray((A % prime).astype(np.float64))
    rest[rest > prime // 2] -= prime
    return rest


def slices(A: Whole, bits: int) -> list[Matrix]:
    """Matrices of whole entries of at most 2^(bits-1), the k-th of which counts 2^(k bits): they add up to A.

    (For two bits or more: digits are -2^(bits-1) or more, and below 2^(bits-1).)
    """
    found = []
    half = 1 << (bits - 1)
    while True:
        digits = ((A + half) & (2 * half - 1)) - half
        found.append(digits.astype(np.float64))
        A = (A - digits) >> bits
        if not A.any():
            return found


def gram(A: Whole, look: Look) -> Whole:
    """A A^T."""
    bits = (52 - A.shape[1].bit_length()) // 2 + 1  # a sum of products is then at most 2^52
    total: Any = 0
    parts = slices(A, bits)
    for i, left in enumerate(parts):
        for j, right in enumerate(parts):
            look()
            product = (left @ right.T).astype(np.int64)
            total = total + (product if len(parts) == 1 else product.astype(object) << (i + j) * bits)
    return np.asarray(total)


def vanishes(p: list[int], A: Whole, look: Look) -> bool:
    """Is sum p_i row_i = 0?"""
    largest = int(abs(A).max())
    octets = (52 - (len(A) * largest).bit_length()) // 8  # of a slice of p: sums of products are then below 2^52
    if octets < 1:
        total: Any = 0
        for x, row in zip(p, A, strict=True):
            look()
            total = total + x * row.astype(object)
        return not np.any(total)
    columns = np.ascontiguousarray(A.T.astype(np.float64) * np.array([-1.0 if x < 0 else 1.0 for x in p]))
    base = 2.0 ** (8 * octets)
    carry, sums = np.zeros((2, len(columns)))
    for k, digits in enumerate(_unsigned_slices(p, octets)):
        if k % BLOCK == 0:
            look()
        price(columns, digits, sums)
        carry += sums
        if np.any(np.rint(carry / base) * base != carry):
            return False
        carry /= base
    return not np.any(carry)


def _unsigned_slices(p: list[int], octets: int) -> Matrix:
    """Their sizes in base 2^(8 octets), the smallest digit first: a row for the k-th digits of all of them."""
    count = max(x.bit_length() for x in p) // (8 * octets) + 1
    stored = b"".join(abs(x).to_bytes(octets * count, "little") for x in p)
    split = np.frombuffer(stored, dtype=np.uint8).reshape(len(p), count, octets)
    return np.ascontiguousarray((split @ 256.0 ** np.arange(octets)).T)


def solve(A: Whole, b: Whole, look: Look) -> tuple[list[int], int] | None:
    """Integers x and q > 0 with A x = q b; None if A is singular.

    How many digits are taken is guessed in floats, and more are taken if they were not enough. That they are is sure:
    A x and q b agree modulo a number that is larger than their difference can be.
    """
    n = len(b)
    largest = max(int(abs(A).max()), int(abs(b).max()))
    usable = [p for p in PRIMES if n * (p / 2 + 2) ** 2 < 2**53]
    # First those that need no slices.
    usable.sort(key=lambda p: (n + 2) * largest * p >= 2**53)
    for prime in usable:
        inverse = residues(A, prime)
        if modular.invert(inverse, prime, look):
            break
    else:
        return None
    digits = _lifts(A, b, inverse, prime)
    bits = _guessed_bits(A, b, look)
    taken: list[Matrix] = []
    while True:
        while len(taken) < math.ceil(bits / math.log2(prime)):
            look()
            taken.append(next(digits))
        modulus = fmpz(prime) ** len(taken)
        x, q = fractions(_numbers(np.array(taken), prime, look), modulus, look)
        if (n * max(map(abs, x)) + q) * largest < modulus:
            return x, q
        bits *= GROWTH  # there is an end: numerators and denominator are determinants, which Hadamard bounds


def _guessed_bits(A: Whole, b: Whole, look: Look) -> float:
    """Of a product of numerator and denominator."""
    try:
        square, right = np.ascontiguousarray(A.astype(np.float64)), b.astype(np.float64)
    except OverflowError:
        return FEWEST
    denominator, solution = modular.sizes(square, right, look)
    bits = 2 * (denominator + max(0.0, solution)) + SPARE
    return max(bits, SPARE) if math.isfinite(bits) else FEWEST


def _lifts(A: Whole, b: Whole, inverse: Matrix, prime: int) -> Iterator[Matrix]:
    """The digits of the solution of A x = b, p-adically, without end."""
    n = len(b)
    largest = max(int(abs(A).max()), int(abs(b).max()))
    if (n + 2) * largest * prime < 2**53:
        square, rest = A.astype(np.float64), b.astype(np.float64)
        while True:
            digits = _residues(inverse @ _residues(rest, prime), prime)
            yield digits
            rest = (rest - square @ digits) / prime
    bits = 52 - (n * (prime // 2 + 2)).bit_length()
    parts = slices(A, bits)
    remainder = b.astype(object)
    while True:
        digits = _residues(inverse @ residues(remainder, prime), prime)
        yield digits
        for k, part in enumerate(parts):
            remainder = remainder - ((part @ digits).astype(np.int64).astype(object) << k * bits)
        remainder //= prime


def _residues(x: Matrix, prime: int) -> Matrix:
    """x modulo the prime, at most prime/2 + 2 in size."""
    return np.asarray(x - np.rint(x * (1.0 / prime)) * prime)


def _numbers(digits: Matrix, base: int, look: Look) -> list[fmpz]:
    """Each column as a number in this base, the first digit being the smallest."""
    # Two digits make one in the square of the base, which fits into 64 bits as well.
    pairs = np.zeros((len(digits) + len(digits) % 2, digits.shape[1]), dtype=np.int64)
    pairs[: len(digits)] = digits
    pairs = pairs[::2] + base * pairs[1::2]
    powers = fmpz_mat([[*accumulate(repeat(fmpz(base) ** 2, len(pairs) - 1), mul, initial=fmpz(1))]])
    found: list[fmpz] = []
    for start in range(0, digits.shape[1], BLOCK):
        look()
        found += (powers * fmpz_mat(pairs[:, start : start + BLOCK].tolist())).entries()
    return found


def fractions(numbers: list[fmpz], modulus: fmpz, look: Look) -> tuple[list[int], int]:
    """Integers x and q with x_j = q * numbers_j modulo the modulus; the smallest, if there are small ones."""
    q, half = fmpz(1), modulus // 2
    most = half.isqrt()
    for number in numbers:
        look()
        x = q * number % modulus
        if most < x < modulus - most:
            q *= _denominator(x, modulus, most)
            if q > modulus:
                break
    look()
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
