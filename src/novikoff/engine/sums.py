"""Dot products without rounding: what decides when floats are too close to call.

First in floats, a sum in two parts. Let sigma be eight times the sum of the sizes of all products. Each product p is
cut (Rump, Ogita and Oishi, SIAM Journal on Scientific Computing 31, 2008): q = (p + sigma) - sigma is p without its
last places, a multiple of one power of two for all, so that the q add up without rounding, in any order, over vectors.
What is cut off, and what the product lost when it was rounded, are floats, too, and are added up beside them. If they
are all zero, as on small integers, the sum is exact; if the result exceeds the rounding of their own sum, its sign is
proved.

Then in integers. Every float64 is an integer times a power of two, so a sum of products of two floats is an integer
multiple of 2^-2148. The accumulator holds that integer in digits of 32 bits, each in an int64 so
that carries can wait (Kulisch's long accumulator). Nothing overflows, nothing underflows, and the
order of the terms does not matter.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from novikoff.engine.compile import allocating, allocating_kernel, fused, inlined, outlined, reassociated
from novikoff.engine.storage import Storage, Vector, cells, column, sqnorm_in_floats, two_sum, value

Accumulator = NDArray[np.int64]

DIGITS = 136  # 32 * 136 = 4352 bits: from 2^-2176 to beyond 2^2048 times any number of terms
POINT = 2176  # the binary point, in bits from the bottom
MASK = 0xFFFFFFFF
CARRY_EVERY = 1 << 24  # terms: a digit grows by less than 2^36 a term, and must stay below 2^63


@outlined
def _add_integer(total: Accumulator, v: int, at: int, sign: int) -> None:
    """total += sign * v * 2^(at - POINT) for 0 <= v < 2^55."""
    digit, shift = at >> 5, at & 31
    low = (v & MASK) << shift
    high = (v >> 32) << shift
    total[digit] += sign * (low & MASK)
    total[digit + 1] += sign * ((low >> 32) + (high & MASK))
    total[digit + 2] += sign * (high >> 32)


@outlined
def add_product(total: Accumulator, a: float, b: float) -> None:
    """total += a * b."""
    if a == 0.0 or b == 0.0:
        return
    sign = 1 if (a < 0.0) == (b < 0.0) else -1
    fa, ea = math.frexp(abs(a))
    fb, eb = math.frexp(abs(b))
    ma, mb = int(fa * 9007199254740992.0), int(fb * 9007199254740992.0)  # 2^53
    at = ea + eb - 106 + POINT
    a1, a0 = ma >> 27, ma & 0x7FFFFFF
    b1, b0 = mb >> 27, mb & 0x7FFFFFF
    _add_integer(total, a0 * b0, at, sign)
    _add_integer(total, a1 * b0 + a0 * b1, at + 27, sign)
    _add_integer(total, a1 * b1, at + 54, sign)


@outlined
def _carry(total: Accumulator) -> None:
    """All digits but the last into [0, 2^32)."""
    for digit in range(DIGITS - 1):
        total[digit + 1] += total[digit] >> 32
        total[digit] &= MASK


@outlined
def add_dot(total: Accumulator, rows: Storage, i: int, y: float, divisor: float, w: Vector) -> None:
    """total += y * <w, row>."""
    for k in cells(rows, i):
        add_product(total, w[column(rows, k)], y * (value(rows, i, k) / divisor))
        if k % CARRY_EVERY == 0:
            _carry(total)
    add_product(total, w[w.shape[0] - 1], y * (rows.constant / divisor))


@outlined
def sign_of(total: Accumulator) -> int:
    _carry(total)
    if total[DIGITS - 1] < 0:
        return -1
    for digit in range(DIGITS):
        if total[digit] != 0:
            return 1
    return 0


@outlined
def rounded(total: Accumulator) -> tuple[float, int]:
    """m, e with 1/2 <= |m| < 1 and m * 2^e the total rounded to nearest, ties to even; (0, 0) for zero."""
    sign = sign_of(total)
    if sign == 0:
        return 0.0, 0
    if sign < 0:
        for digit in range(DIGITS):
            total[digit] = -total[digit]
        _carry(total)
    top = DIGITS - 1
    while total[top] == 0:
        top -= 1
    t2 = total[top]
    t1 = total[top - 1] if top >= 1 else 0
    t0 = total[top - 2] if top >= 2 else 0
    length = 0  # of t2, in bits
    while (t2 >> length) != 0:
        length += 1
    # The 53 leading bits and one more: from t2 all, from t1 what is left, from t0 the rest.
    extra = 22 - length
    if extra > 0:
        kept = (((t2 << 32) | t1) << extra) | (t0 >> (32 - extra))
        rest = t0 & ((1 << (32 - extra)) - 1)
    else:
        kept = (t2 << (32 + extra)) | (t1 >> -extra)
        rest = (t1 & ((1 << -extra) - 1)) | t0
    for digit in range(top - 2):
        rest |= total[digit]
    if (kept & 1) == 1 and (rest != 0 or (kept & 2) == 2):
        kept += 1
    m = sign * (float(kept >> 1) / 9007199254740992.0)
    e = 32 * top + length - POINT
    return (m / 2.0, e + 1) if abs(m) == 1.0 else (m, e)


# In two parts --------------------------------------------------------------------------------------

LARGEST = 2.0**1000  # sums of sizes up to here stay in range
SMALLEST, UNDERFLOW = 2.0**-960, 2.0**-900  # a product may lose what is no float if it is smaller; all that they lose


@inlined
def _cut(a: float, b: float, sigma: float) -> tuple[float, float]:
    """a b = high + low, but for the rounding of low.

    Let sigma be from 2^m up to 2^(m+1), and |a b| <= sigma/8. Floats next to sigma + a b are multiples of 2^(m-53), and
    those next to sigma of 2^(m-52). So high is a multiple of 2^(m-53), and differs from a b by 2^(m-51) at most, even
    where `fused` rounds twice.
    """
    high = fused(a, b, sigma) - sigma
    return high, fused(a, b, -high)


@inlined
def _entry(rows: Storage, i: int, k: int, divisor: float) -> float:
    """A stored entry of the row as it is learned from."""
    return value(rows, i, k) if divisor == 1.0 else value(rows, i, k) / divisor


@reassociated
def _size_of_dot(rows: Storage, i: int, divisor: float, w: Vector) -> float:
    """The sum of |w_j x_j|."""
    size = abs(w[w.shape[0] - 1] * (rows.constant / divisor))
    for k in cells(rows, i):
        size += abs(w[column(rows, k)] * _entry(rows, i, k, divisor))
    return float(size)


@reassociated
def _parts_of_dot(rows: Storage, i: int, divisor: float, w: Vector, sigma: float) -> tuple[float, float, float]:
    """<w, row> = high + low, where noise sums the sizes of what goes into low, and sigma is 8 times `_size_of_dot`.

    The sum of the high parts is at most sigma/8 and a little more, so below 2^(m-1), and a multiple of 2^(m-53): it
    does not round, nor does any part of it. (See `_cut`; that takes no more than 2^48 terms.)
    """
    high, low = _cut(w[w.shape[0] - 1], rows.constant / divisor, sigma)
    noise = abs(low)
    for k in cells(rows, i):
        most, rest = _cut(w[column(rows, k)], _entry(rows, i, k, divisor), sigma)
        high += most
        low += rest
        noise += abs(rest)
    return high, low, noise


@outlined
def _products_are_floats(rows: Storage, i: int, divisor: float, w: Vector) -> bool:
    """Is every w_j x_j zero or so large that what it loses is a float, too?"""
    small = _is_small(w[w.shape[0] - 1], rows.constant / divisor)
    for k in cells(rows, i):
        small |= _is_small(w[column(rows, k)], _entry(rows, i, k, divisor))
    return not small


@inlined
def _is_small(a: float, b: float) -> bool:
    return abs(a * b) < SMALLEST and a != 0.0 and b != 0.0


@reassociated
def _parts_of_square(rows: Storage, i: int, sigma: float) -> tuple[float, float, float]:
    """||(x_i, constant)||^2, as `_parts_of_dot`."""
    high, low = _cut(rows.constant, rows.constant, sigma)
    noise = abs(low)
    for k in cells(rows, i):
        x = value(rows, i, k)
        most, rest = _cut(x, x, sigma)
        high += most
        low += rest
        noise += abs(rest)
    return high, low, noise


@inlined
def fold_dot(
    high: float, low: float, noise: float, rows: Storage, i: int, y: float, divisor: float, w: Vector
) -> tuple[float, float, float]:
    """(high + low) += y <w, row> for y of 1 or -1, where noise sums the sizes of what went into low.

    The noise is 0 only if nothing went into it, and infinite where floats are not enough.
    """
    size = _size_of_dot(rows, i, divisor, w)
    if not size <= LARGEST:
        return high, low, math.inf
    most, rest, lost = _parts_of_dot(rows, i, divisor, w, 8.0 * size)
    total, error = two_sum(high, y * most)
    lost += abs(error)
    if lost > 0.0:
        lost += UNDERFLOW
    elif not _products_are_floats(rows, i, divisor, w):
        lost = math.inf
    return total, low + (y * rest + error), noise + lost


@inlined
def sign_is_sure(high: float, low: float, noise: float, terms: int) -> bool:
    """Does high + low have the sign of the sum? Adding up low rounded by at most 2 terms 2^-53 noise."""
    return noise == 0.0 or abs(high + low) > (terms + 4) * 2.0**-51 * noise


@inlined
def rounds_to_sum(high: float, low: float, noise: float, terms: int) -> bool:
    """Is the float high + low the sum, correctly rounded? What products below `SMALLEST` lose does not matter here.

    Rounding is monotonic: so it is if both ends of where the sum may be are rounded to it (Ziv 1991).
    """
    total = high + low
    if not 2.0**-800 <= abs(total) <= 2.0**800:
        return False
    rest = (high - total) + low
    error = (terms + 4) * 2.0**-51 * noise + 2.0**-50 * abs(rest)
    return total + (rest - error) == total and total + (rest + error) == total


@outlined
def sign_of_dot(rows: Storage, i: int, y: float, divisor: float, w: Vector, theta: float) -> int:
    """The sign of y * <w, row> - theta."""
    high, low, noise = fold_dot(-theta, 0.0, 0.0, rows, i, y, divisor, w)
    if sign_is_sure(high, low, noise, w.shape[0]):
        return 1 if high + low > 0.0 else -1 if high + low < 0.0 else 0
    return _long_sign_of_dot(rows, i, y, divisor, w, theta)


@outlined
def sign_of_difference(rows: Storage, i: int, yi: float, qi: float, j: int, yj: float, qj: float, w: Vector) -> int:
    """The sign of yi * <w, row i> - yj * <w, row j>."""
    high, low, noise = fold_dot(0.0, 0.0, 0.0, rows, i, yi, qi, w)
    high, low, noise = fold_dot(high, low, noise, rows, j, -yj, qj, w)
    if sign_is_sure(high, low, noise, 2 * w.shape[0]):
        return 1 if high + low > 0.0 else -1 if high + low < 0.0 else 0
    return _long_sign_of_difference(rows, i, yi, qi, j, yj, qj, w)


@outlined
def sqnorm(rows: Storage, i: int) -> tuple[float, int]:
    """||(x_i, constant)||^2 = m * 2^e, correctly rounded: the same for every storage and order."""
    size = sqnorm_in_floats(rows, i)
    if size <= LARGEST:
        high, low, noise = _parts_of_square(rows, i, 8.0 * size)
        if rounds_to_sum(high, low, noise, len(cells(rows, i)) + 1):
            return math.frexp(high + low)
    return _long_sqnorm(rows, i)


@outlined
def rounded_dot(rows: Storage, i: int, divisor: float, w: Vector) -> tuple[float, int]:
    """<w, row> = m * 2^e, correctly rounded: the same for every storage and order."""
    high, low, noise = fold_dot(0.0, 0.0, 0.0, rows, i, 1.0, divisor, w)
    if rounds_to_sum(high, low, noise, w.shape[0]):
        return math.frexp(high + low)
    return _long_rounded_dot(rows, i, divisor, w)


# What a step asks at every update: floats, from one reading of the row. `size` is at least the sum of the sizes of all
# products, or infinite. Each product is cut within 2^-51 sigma, so the noise is known without being added up.


@inlined
def power(m: float, e: int) -> float:
    """m 2^e, infinite when it overflows."""
    return math.ldexp(m, e) if e <= 1024 else m * math.inf if m != 0.0 else 0.0


@inlined
def _noise_at_most(size: float, terms: int) -> float:
    return float(terms) * 2.0**-51 * (8.0 * size)


@outlined
def nearest_square(rows: Storage, i: int, size: float) -> float:
    """||(x_i, constant)||^2, correctly rounded."""
    if size <= LARGEST:
        terms = len(cells(rows, i)) + 1
        high, low, _ = _parts_of_square(rows, i, 8.0 * size)
        if rounds_to_sum(high, low, _noise_at_most(size, terms), terms):
            return high + low
    return power(*sqnorm(rows, i))


@outlined
def nearest_dot(rows: Storage, i: int, divisor: float, w: Vector, size: float) -> float:
    """<w, row>, correctly rounded."""
    if size <= LARGEST:
        terms = w.shape[0]
        high, low, _ = _parts_of_dot(rows, i, divisor, w, 8.0 * size)
        if rounds_to_sum(high, low, _noise_at_most(size, terms), terms):
            return high + low
    return power(*rounded_dot(rows, i, divisor, w))


@allocating
def _long_sign_of_dot(rows: Storage, i: int, y: float, divisor: float, w: Vector, theta: float) -> int:
    total = np.zeros(DIGITS, dtype=np.int64)
    add_dot(total, rows, i, y, divisor, w)
    add_product(total, theta, -1.0)
    return sign_of(total)


@allocating
def _long_sign_of_difference(
    rows: Storage, i: int, yi: float, qi: float, j: int, yj: float, qj: float, w: Vector
) -> int:
    total = np.zeros(DIGITS, dtype=np.int64)
    add_dot(total, rows, i, yi, qi, w)
    add_dot(total, rows, j, -yj, qj, w)
    return sign_of(total)


@allocating
def _long_rounded_dot(rows: Storage, i: int, divisor: float, w: Vector) -> tuple[float, int]:
    total = np.zeros(DIGITS, dtype=np.int64)
    add_dot(total, rows, i, 1.0, divisor, w)
    return rounded(total)


@allocating
def _long_sqnorm(rows: Storage, i: int) -> tuple[float, int]:
    total = np.zeros(DIGITS, dtype=np.int64)
    for k in cells(rows, i):
        add_product(total, value(rows, i, k), value(rows, i, k))
        if k % CARRY_EVERY == 0:
            _carry(total)
    add_product(total, rows.constant, rows.constant)
    return rounded(total)


@allocating_kernel
def exact_dot(rows: Storage, i: int, y: float, divisor: float, w: Vector) -> Accumulator:
    """y * <w, row>, for `to_fraction`."""
    total = np.zeros(DIGITS, dtype=np.int64)
    add_dot(total, rows, i, y, divisor, w)
    _carry(total)
    return total


@allocating_kernel
def exact_sqnorm(w: Vector) -> Accumulator:
    """||w||^2, for `to_fraction`."""
    total = np.zeros(DIGITS, dtype=np.int64)
    for j in range(w.shape[0]):
        add_product(total, w[j], w[j])
        if j % CARRY_EVERY == 0:
            _carry(total)
    _carry(total)
    return total


def to_fraction(total: Accumulator) -> Fraction:
    """The value of a carried accumulator."""
    integer = sum(int(digit) << (32 * place) for place, digit in enumerate(total))
    return Fraction(integer, 1 << POINT)
