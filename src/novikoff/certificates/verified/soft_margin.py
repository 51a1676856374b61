"""What follows from a soft margin: its optimum, rows that every short w leaves within the margin, and mistakes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from typing import NamedTuple

from novikoff.certificates.claim import Head, Label, SoftMarginClaim
from novikoff.certificates.verified.words import DECIMALS, Verified, division, recorded, rounded_up

BITS = 24  # of a length that is rounded up: its square is a float64
LIMIT = 2**49  # of mistakes, for a Perceptron whose w is rounded
EXCESS = Fraction(1, 2**50)  # what rounding adds to R^2, times the mistakes

Length = float | Fraction


class Alphas(NamedTuple):
    """alpha = integers * 2^exponent, of rows with at most these lengths, and an upper bound on ||sum alpha a||."""

    exponent: int
    integers: Sequence[int]
    lengths: Sequence[Length]
    combined: Length

    def least_wrong(self, bound: float) -> int:
        """At least so many rows have <w, a> < 1, for every w of length at most ``bound``.

        Let S be the rows with <w, a_i> < 1. By Cauchy and Schwarz those of S have <w, a_i> >= -B ||a_i||, and so

            sum alpha - sum over S of alpha_i (1 + B ||a_i||) <= sum alpha_i <w, a_i> = <w, v> <= B ||v||,

        with v = sum alpha a. The rows of S, and so all the more the |S| rows where alpha_i (1 + B ||a_i||) is largest,
        add up to at least sum alpha - B ||v||: so |S| is at least the smallest k such that the k largest do. Lengths
        that are rounded up make k smaller.
        """
        if not 0 <= bound < math.inf:
            raise ValueError(f"bound must be a finite number >= 0, the largest length of w, got {bound!r}")
        b = Fraction(bound)
        ratios = [length.as_integer_ratio() for length in self.lengths]
        common = max(q for _, q in ratios)  # powers of two divide the largest of them
        one = b.denominator * common  # what 1 is in the sums below
        most = sorted(
            (m * (one + b.numerator * p * (common // q)) for m, (p, q) in zip(self.integers, ratios, strict=True)),
            reverse=True,
        )
        unit = Fraction(2) ** self.exponent
        needed = (unit * sum(self.integers) - b * Fraction(self.combined)) / unit * one
        return 0 if needed <= 0 else 1 + sum(total < needed for total in accumulate(most))


@dataclass(frozen=True, repr=False)
class VerifiedSoftMargin(Verified):
    """What the certificate of a soft margin proves."""

    objective: tuple[float, float] = (0.0, math.inf)  # the optimum of the objective is between them
    length: float = math.inf  # ||w||, rounded up
    wrong: int | None = None  # at least so many rows have y<u,x> < 1, for every u that is no longer than w
    first_pass: int | None = None  # a Perceptron with this constant makes at most so many mistakes in its first pass
    alphas: Alphas | None = None

    def least_wrong(self, bound: float | None = None) -> int:
        """For every u of length at most ``bound`` (by default that of w) at least so many rows have y<u,x> < 1."""
        assert self.alphas is not None
        return self.alphas.least_wrong(self.length if bound is None else bound)


def of_soft_margin(
    claim: SoftMarginClaim,
    against: tuple[Label, ...],
    lengths: Sequence[Length],
    radius: Length,
    heaviest: float,
) -> VerifiedSoftMargin:
    """The consequences of a claim that holds.

    ``lengths`` are those of the rows of the dual and ``radius`` that of the longest row, each as `length_up` rounds it;
    ``heaviest`` is the largest weight of a row.
    """
    head, positive = claim.head, claim.sides.positive
    alphas = Alphas(claim.alpha.exponent, claim.alpha.integers, lengths, combined_length(claim, heaviest))
    square = square_of(claim)
    length = root_up(square)
    wrong = alphas.least_wrong(length) if length < math.inf else None
    first = first_pass(claim, square, Fraction(radius) ** 2)
    return VerifiedSoftMargin(
        verdict=claim.kind,
        positive=positive,
        against=against,
        constant=head.constant or None,
        rows=tuple(claim.rows),
        implies=(
            f"{division(positive, against, head)}: {_optimum(claim)}{_wrong(length, wrong)}{_first_pass(head, first)}"
            f" {DECIMALS}{recorded(claim.reading)}"
        ),
        reading=claim.reading,
        objective=claim.objective,
        length=length,
        wrong=wrong,
        first_pass=first,
        alphas=alphas,
    )


# The numbers -----------------------------------------------------------------------------------------


def square_of(claim: SoftMarginClaim) -> Fraction:
    """||w||^2."""
    return Fraction(4) ** claim.separator.exponent * sum(x * x for x in claim.separator.integers)


def combined_length(claim: SoftMarginClaim, heaviest: float) -> Length:
    """An upper bound on ||sum alpha a||: lower <= sum alpha - ||sum alpha a||^2 / 2 - sum alpha_i^2 / (4 C_i)."""
    unit = Fraction(2) ** claim.alpha.exponent
    left = unit * sum(claim.alpha.integers) - Fraction(claim.objective[0])
    if claim.loss == "squared_hinge":
        left -= unit**2 * sum(x * x for x in claim.alpha.integers) / (4 * Fraction(claim.C) * Fraction(heaviest))
    return length_up(2 * left)


def length_up(square: Fraction) -> Length:
    """The smallest number of 24 bits whose square is at least this one; as a float, if there is one."""
    if square == 0:
        return 0.0
    power = BITS - (square.numerator.bit_length() - square.denominator.bit_length()) // 2
    while True:
        n = _ceil_root(square * Fraction(4) ** power)
        if n > 2**BITS:
            power -= 1
        elif n <= 2 ** (BITS - 1):
            power += 1
        else:
            break
    found = Fraction(n) / Fraction(2) ** power
    near = rounded_up(found)
    return near if math.isfinite(near) and near == found else found


def root_up(square: Fraction) -> float:
    """The smallest float64 whose square is at least this one, or the one above it; infinite beyond them."""
    if square == 0:
        return 0.0
    power = 64 - (square.numerator.bit_length() - square.denominator.bit_length()) // 2
    return rounded_up(_ceil_root(square * Fraction(4) ** power) / Fraction(2) ** power)


def _ceil_root(x: Fraction) -> int:
    """The smallest integer whose square is at least x >= 0."""
    whole = math.isqrt(math.floor(x))
    return whole if whole**2 >= x else whole + 1


def first_pass(claim: SoftMarginClaim, square: Fraction, radius_sq: Fraction) -> int | None:
    """The most mistakes of a Perceptron from w = 0, rounded or not, on rows each of which it meets once.

    ||w||^2 / 2 + C sum loss <= upper bounds the losses that this w leaves, where no row has a weight. With M mistakes,
    L the sum of the hinge losses, D^2 the sum of their squares, and q = ||w||^2 R^2,

        M - L <= sqrt(q M (1 + M / 2^50)),    and    sqrt(M) <= sqrt(q (1 + M / 2^50)) + D.

    None if that bounds nothing, or nothing below 2^49.
    """
    if claim.weighted is not None:
        return None
    lost = (Fraction(claim.objective[1]) - square / 2) / Fraction(claim.C)
    q = square * radius_sq
    a = 1 - q * EXCESS
    if a <= 0:
        return None
    if claim.loss == "hinge":
        found = _floor_of_root(a, lost + q / 2, lost**2)
    else:
        found = _floor_of_root(a**2, a * (q + lost) + 2 * lost * q * EXCESS, (q - lost) ** 2)
    return found if found < LIMIT else None


def _floor_of_root(a: Fraction, b: Fraction, c: Fraction) -> int:
    """The largest integer x with a x^2 - 2 b x + c <= 0, where a > 0 and b^2 >= a c: floor((b + sqrt(b^2 - a c))/a)."""
    middle, square = b / a, (b / a) ** 2 - c / a
    scale = middle.denominator * square.denominator
    return ((middle * scale).numerator + math.isqrt((square * scale**2).numerator)) // scale


# In words --------------------------------------------------------------------------------------------


def _optimum(claim: SoftMarginClaim) -> str:
    lower, upper = claim.objective
    loss = "max(0, 1 - y<w,x>)" + ("^2" if claim.loss == "squared_hinge" else "")
    weight = "" if claim.weighted is None else " weight"
    return f"no w has ||w||^2/2 + {claim.C!r} sum{weight} {loss} below {lower}, and the separator has at most {upper}."


def _wrong(length: float, least: int | None) -> str:
    if not least:
        return ""
    rows = f"{least} rows have" if least > 1 else "1 row has"
    return f" For every w no longer than {length} at least {rows} y<w,x> < 1: wrong, or within the margin."


def _first_pass(head: Head, most: int | None) -> str:
    if most is None or most >= head.n:
        return ""
    c = head.constant
    learner = f"Perceptron(intercept_scaling={c!r})" if c else "Perceptron(fit_intercept=False)"
    return f" {learner}, from w = 0, makes at most {most} mistakes in its first pass over these rows, in any order."
