"""Decimal numbers to the float64 nearest to them, ties to even, as Python's `float` has it.

Up to 18 digits make an integer w, and the number is w * 10^q. If w <= 2^53 and |q| <= 22, both factors are exact
and one multiplication or division rounds right (Clinger 1990). Otherwise w is multiplied by 128 bits of 10^q,
which suffice for every w < 2^64 (Lemire 2021; Mushtak and Lemire 2023). More than 18 digits lie between
w and w + 1; where these two round to different floats, the number is asked back: the loop stops before
the line, and is called again with the answers.

A number that its float64 does not stand for, by the rule of `novikoff.float64`, is noted: an integer that it is not, or
a decimal of which nothing but zero is left.
"""

from __future__ import annotations

import math

import numpy as np

from novikoff.data.scan.text import (
    CAPITAL_E,
    DONE,
    DOT,
    LETTER_E,
    LOW32,
    MINUS,
    NOT_A_NUMBER,
    NOT_FINITE,
    U0,
    U1,
    U3,
    U10,
    U32,
    U63,
    ZERO,
    Floats,
    Integers,
    Text,
    byte_at,
    digit_at,
    is_sign,
)
from novikoff.engine.compile import inlined, outlined

EXACT = 1 << 53
DIGITS = 18  # 10^18 < 2^63
LONGEST = 35  # digits of an integer that is 2^63 away from its float64 at most, and so is told from it modulo 2^64
TENS = np.array([float(10**q) for q in range(23)])  # exact
LOWEST, HIGHEST = -342, 308  # w * 10^q is 0 below and infinite above, for every w < 2^64

ALL64 = np.uint64((1 << 64) - 1)


def _power(q: int) -> int:
    """The leading 128 bits of 10^q, that is of 5^q; where 5^-q < 2^63 they are rounded up, else down."""
    five: int = 5 ** abs(q)
    bits = five.bit_length()
    if q < 0:
        return (1 << (bits + 127)) // five + (1 if bits <= 63 else 0)
    return five << (128 - bits) if bits <= 128 else five >> (bits - 128)


POWERS = np.array(
    [[power >> 64, power & int(ALL64)] for power in map(_power, range(LOWEST, HIGHEST + 1))], dtype=np.uint64
)


@inlined
def multiply(a: np.uint64, b: np.uint64) -> tuple[np.uint64, np.uint64]:
    """The high and the low half of a * b."""
    a1, a0 = a >> U32, a & LOW32
    b1, b0 = b >> U32, b & LOW32
    low = a0 * b0
    middle = a1 * b0 + (low >> U32)
    other = a0 * b1 + (middle & LOW32)
    return a1 * b1 + (middle >> U32) + (other >> U32), (other << U32) | (low & LOW32)


@outlined
def _nearest(w: int, q: int) -> float:
    """The float64 nearest to w * 10^q, for 0 <= w < 2^63."""
    if w == 0 or q < LOWEST:
        return 0.0
    if q > HIGHEST:
        return math.inf
    m = np.uint64(w)
    shift = 0
    for step in (32, 16, 8, 4, 2, 1):
        if m >> np.uint64(64 - step) == U0:
            m <<= np.uint64(step)
            shift += step  # in the end 2^63 <= m < 2^64
    high, low = multiply(m, POWERS[q - LOWEST, 0])
    if high & np.uint64(511) == np.uint64(511):  # the bits that follow could carry into those that are kept
        more, _ = multiply(m, POWERS[q - LOWEST, 1])
        if more > ALL64 - low:
            high += U1
            low = more - (ALL64 - low) - U1
        else:
            low += more
    top = int(high >> U63)
    kept = high >> np.uint64(top + 9)  # 54 bits: the 53 of the float and one to round by
    exponent = ((217706 * q) >> 16) + top - shift + 10  # the number is kept * 2^exponent, and a fraction of that
    below = -1075 - exponent
    if below > 0:  # subnormal: fewer bits
        if below >= 64:
            return 0.0
        kept >>= np.uint64(below)
        exponent += below
    elif low <= U1 and -4 <= q <= 23 and kept & U3 == U1 and kept << np.uint64(top + 9) == high:
        kept -= U1  # exactly half way, and the even one is below
    kept = (kept + (kept & U1)) >> U1
    if exponent > 970 or (exponent == 970 and kept == np.uint64(EXACT)):
        return math.inf
    return math.ldexp(float(kept), exponent + 1)


@outlined
def _round(text: Text, p: int, exponent: int) -> float:
    """The float64 nearest to the digits from p on, times 10^exponent; nan if the first 18 do not decide."""
    w = 0
    kept = 0
    q = exponent
    rest = False
    fraction = False
    while True:
        c = byte_at(text, p)
        d = c - ZERO
        if c == DOT and not fraction:
            fraction = True
        elif d < 0 or d > 9:
            break
        elif kept < DIGITS:
            w = w * 10 + d
            if w > 0:
                kept += 1
            if fraction:
                q -= 1
        else:
            rest = rest or d > 0
            if not fraction:
                q += 1
        p += 1
    if q > LONGEST - DIGITS and not fraction and exponent == 0:
        return math.nan  # it may be an integer, and its float64 another one
    low = _nearest(w, q)
    if rest and _nearest(w + 1, q) != low:
        return math.nan
    return low


@inlined
def note(place: int, asked: Integers) -> None:
    """Count a number that its float64 does not stand for, and keep the place of the first, at the end of `asked`."""
    last = asked.shape[0] - 1
    if asked[last] == 0:
        asked[last - 1] = place
    asked[last] += 1


@outlined
def _look(text: Text, first: int, stop: int, x: float, asked: Integers) -> None:
    """Note the number from `first` to `stop` if x >= 0, the float64 nearest to it, does not stand for it."""
    residue = U0  # of its digits, modulo 2^64
    whole = True
    zero = True
    for p in range(first, stop):
        c = byte_at(text, p)
        if c == LETTER_E or c == CAPITAL_E:  # noqa: SIM109  # of `c in` Numba makes a loop
            whole = False
            break
        if c == DOT:
            whole = False
        else:
            residue = residue * U10 + np.uint64(c - ZERO)
            zero = zero and c == ZERO
    if whole:
        fraction, exponent = math.frexp(x)
        shift = exponent - 53  # x is an integer: its 53 bits, times 2^shift
        kept = np.uint64(math.ldexp(fraction, 53))
        ours = U0
        if shift < 0:
            ours = kept >> np.uint64(-shift)
        elif shift < 64:
            ours = kept << np.uint64(shift)
        if ours != residue:
            note(first, asked)
    elif x == 0.0 and not zero:
        note(first, asked)


@outlined
def _recall(place: int, given: Floats, known: int, asked: Integers) -> float:
    """The answer to a number that digits did not decide. Without one, keep its place and go on with 0.

    The answer has a minus sign if it does not stand for the number.
    """
    n = asked[0]
    asked[0] = n + 1
    if n < known:
        x = float(given[n])
        if math.copysign(1.0, x) < 0.0:
            note(place, asked)
        return abs(x)
    asked[n + 1] = place
    return 0.0


@inlined
def number(text: Text, p: int, given: Floats, known: int, asked: Integers) -> tuple[int, float, int]:
    """A code, the number at p, and where it ends."""
    c = byte_at(text, p)
    if is_sign(c):
        p += 1
    first = p
    w = 0
    d = digit_at(text, p)
    while d >= 0 and d <= 9:
        w = w * 10 + d
        p += 1
        d = digit_at(text, p)
    digits = p - first
    q = 0
    if d == DOT - ZERO:
        p += 1
        point = p
        d = digit_at(text, p)
        while d >= 0 and d <= 9:
            w = w * 10 + d
            p += 1
            d = digit_at(text, p)
        q = point - p
        digits -= q
    if digits == 0:
        return NOT_A_NUMBER, 0.0, p
    exponent = 0
    if d == LETTER_E - ZERO or d == CAPITAL_E - ZERO:
        p += 1
        sign = byte_at(text, p)
        if is_sign(sign):
            p += 1
        start = p
        d = digit_at(text, p)
        while d >= 0 and d <= 9:
            if exponent < 1 << 56:  # far more than a text has digits to make up for
                exponent = exponent * 10 + d
            p += 1
            d = digit_at(text, p)
        if p == start:
            return NOT_A_NUMBER, 0.0, p
        if sign == MINUS:
            exponent = -exponent
        q += exponent
    if digits <= DIGITS and w <= EXACT and q <= 22 and q >= -22:
        x = float(w) / float(TENS[np.uint64(-q)]) if q < 0 else float(w) * float(TENS[np.uint64(q)])
    else:
        x = _round(text, first, exponent)
        if x != x:
            x = _recall(first, given, known, asked)
        elif x < math.inf:
            _look(text, first, p, x, asked)
        if x == math.inf:
            return NOT_FINITE, 0.0, p
    return DONE, -x if c == MINUS else x, p


@outlined
def rare_number(text: Text, p: int, given: Floats, known: int, asked: Integers) -> tuple[int, float, int]:
    return number(text, p, given, known, asked)
