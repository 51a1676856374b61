"""Rationals for the theorems: exact values of floats, square roots rounded to a side, intervals around logarithms."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from decimal import ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction
from itertools import count
from typing import SupportsFloat

Number = int | Fraction | SupportsFloat
Vector = Sequence[Fraction]
Interval = tuple[Fraction, Fraction]


def rational(value: Number) -> Fraction:
    """The exact value: a float is an integer times a power of two."""
    return Fraction(value) if isinstance(value, int | Fraction) else Fraction(float(value))


def vector(values: Iterable[Number]) -> list[Fraction]:
    return [rational(value) for value in values]


def inner(u: Vector, v: Vector) -> Fraction:
    return sum((a * b for a, b in zip(u, v, strict=True)), Fraction(0))


def sqnorm(v: Vector) -> Fraction:
    return inner(v, v)


def at_least(value: Number) -> Fraction:
    """A lower end for what a number stands for: a float such as 1/sqrt(n) is right to a few last bits only."""
    if isinstance(value, int | Fraction):
        return Fraction(value)
    return Fraction(float(value)) * (1 - Fraction(1, 2**51))


def round_down(value: Fraction) -> float:
    """The largest float that is at most `value`."""
    x = nearest(value)
    return math.nextafter(x, -math.inf) if x == math.inf or (x > -math.inf and Fraction(x) > value) else x


def round_up(value: Fraction) -> float:
    return 0.0 - round_down(-value)  # not -0.0


def nearest(value: Fraction) -> float:
    """The float nearest to `value`, infinite when it is beyond them."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def root(value: Fraction) -> tuple[Fraction, Fraction]:
    """Rationals on both sides of the square root of `value` >= 0, about 2^-64 apart relative to it."""
    if value == 0:
        return Fraction(0), Fraction(0)
    # Scale by 4^k so that the integer square root has at least 64 bits.
    k = 66 - (value.numerator.bit_length() - value.denominator.bit_length()) // 2
    scaled = value * Fraction(4) ** k
    whole = math.isqrt(scaled.numerator // scaled.denominator)
    return Fraction(whole) / Fraction(2) ** k, Fraction(whole + 1) / Fraction(2) ** k


def sqrt_down(value: Fraction) -> float:
    """The largest float whose square is at most `value` >= 0."""
    return round_down(root(value)[0])


def sqrt_up(value: Fraction) -> float:
    """The smallest float whose square is at least `value` >= 0."""
    below = sqrt_down(value)
    return below if Fraction(below) ** 2 == value else math.nextafter(below, math.inf)


def logarithm(value: int | Fraction, digits: int) -> Interval:
    """Rationals on both sides of ln(value), for value > 0: closer with more decimal digits."""
    value = Fraction(value)
    # decimal takes all digits of its operand and rounds correctly: within one unit of the last digit.
    context = Context(prec=digits, rounding=ROUND_HALF_EVEN)
    above, below = (Fraction(context.ln(Decimal(part))) for part in (value.numerator, value.denominator))
    slack = (abs(above) + abs(below)) / Fraction(10) ** (digits - 1)
    return above - below - slack, above - below + slack


def settled(rounded: Callable[[Fraction], int], interval: Callable[[int], Interval]) -> int:
    """The floor or ceiling of a number that is no integer, from intervals around it that shrink with more digits."""
    for k in count(5):
        low, high = interval(2**k)
        if rounded(low) == rounded(high):
            return rounded(low)
    raise AssertionError
