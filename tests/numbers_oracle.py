"""What float64 holds, in integers and Fractions: it shares nothing with the library."""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction

import numpy as np

KEPT, ROUNDED, TOO_LARGE = "kept", "rounded", "too large"
LARGEST = 2**1024 - 2**971
BEYOND = 2**1024 - 2**970  # from here on the nearest float64 is infinite


def holds(value: Fraction) -> bool:
    """m 2^k with |m| < 2^53 and k >= -1074, at most the largest."""
    size, scale = abs(value.numerator), value.denominator
    if size == 0:
        return True
    if scale & (scale - 1):
        return False
    k = -(scale.bit_length() - 1)
    while size % 2 == 0:
        size //= 2
        k += 1
    return size < 2**53 and k >= -1074 and abs(value) <= LARGEST


def value_of(number: object) -> tuple[Fraction, bool]:
    """The value, and whether it was written as a decimal with a fraction or an exponent."""
    if isinstance(number, str):
        exact = Fraction(number.strip())
        return exact, not re.fullmatch(r"[-+]?[0-9]+", number.strip())
    if isinstance(number, Decimal):
        exact = Fraction(number)
        return exact, exact.denominator > 1 or number.as_tuple().exponent > 0
    if isinstance(number, np.longdouble):
        return Fraction(*number.as_integer_ratio()), False
    return Fraction(number), False


def expected(number: object) -> tuple[str, float]:
    """What is to become of a number, and the nearest float64."""
    exact, decimal = value_of(number)
    if abs(exact) >= BEYOND:
        return TOO_LARGE, float("inf")
    near = exact.numerator / exact.denominator  # Python rounds the quotient of integers right
    if decimal:
        return (ROUNDED if near == 0 and exact else KEPT), near
    return (KEPT if holds(exact) else ROUNDED), near
