"""Rationals for the theorems: exact values of floats, and square roots rounded to a side."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import SupportsFloat

Number = int | Fraction | SupportsFloat
Vector = Sequence[Fraction]


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
    """A lower end for what a number stands for: a float may be half a unit above the real that it rounds."""
    if isinstance(value, int | Fraction):
        return Fraction(value)
    x = float(value)
    return Fraction(x) - Fraction(math.ulp(x)) / 2


def round_down(value: Fraction) -> float:
    """The largest float that is at most `value`."""
    x = _nearest(value)
    return math.nextafter(x, -math.inf) if x == math.inf or (x > -math.inf and Fraction(x) > value) else x


def round_up(value: Fraction) -> float:
    return -round_down(-value)


def _nearest(value: Fraction) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.copysign(math.inf, value)


def sqrt_down(value: Fraction) -> float:
    """The largest float whose square is at most `value` >= 0."""
    if value == 0:
        return 0.0
    # Scale by 4^k so that the integer square root has at least 64 bits.
    k = 66 - (value.numerator.bit_length() - value.denominator.bit_length()) // 2
    scaled = value * Fraction(4) ** k
    return round_down(Fraction(math.isqrt(scaled.numerator // scaled.denominator)) / Fraction(2) ** k)


def sqrt_up(value: Fraction) -> float:
    """The smallest float whose square is at least `value` >= 0."""
    root = sqrt_down(value)
    return root if root == math.inf or Fraction(root) ** 2 >= value else math.nextafter(root, math.inf)
