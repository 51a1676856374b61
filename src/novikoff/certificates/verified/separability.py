"""What follows from a separator, or from rows that cancel."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from novikoff.certificates.claim import Head, Label, NotSeparableClaim, SeparableClaim
from novikoff.certificates.verified.words import DECIMALS, Verified, cancel, division, recorded, rounded_up


def of_separability(
    claim: SeparableClaim | NotSeparableClaim, against: tuple[Label, ...], signs_balance: bool
) -> Verified:
    """The consequences of a claim that holds.

    ``against`` are the labels of the data beside the positive one. ``signs_balance`` says whether sum p s = 0 over the
    rows of the combination, which matters through the origin only.
    """
    head, positive = claim.head, claim.sides.positive
    if isinstance(claim, SeparableClaim):
        words = _separable(claim)
        found: dict[str, Any] = {
            "margin": claim.margin,
            "radius": claim.radius,
            "mistake_bound": rounded_up(mistakes(claim.radius, claim.margin[0])),
            "separation": "complete",
        }
    else:
        words = _not_separable(claim, signs_balance)
        found = {"weakly_separable": claim.weak is not None}
    return Verified(
        verdict=claim.kind,
        positive=positive,
        against=against,
        constant=head.constant or None,
        rows=tuple(claim.combination.rows),
        implies=f"{division(positive, against, head)}: {words} {DECIMALS}{recorded(claim.reading)}",
        reading=claim.reading,
        **found,
    )


def mistakes(radius: float, lower: float) -> Fraction:
    """Novikoff's bound, R^2 / gamma^2."""
    return (Fraction(radius) / Fraction(lower)) ** 2


def _separable(claim: SeparableClaim) -> str:
    lower, upper = claim.margin
    return (
        f"a separator exists with margin at least {lower}; no separator has a margin above {upper}. "
        f"{promise(mistakes(claim.radius, claim.margin[0]), claim.head.constant)}"
    )


def _not_separable(claim: NotSeparableClaim, signs_balance: bool) -> str:
    words = f"every w has y<w,x> <= 0 on some row, since {cancel(len(claim.combination.rows))}."
    if claim.weak is not None:
        words += " Some u has y<u,x> >= 0 on every row, and > 0 on some."
    return words + beside_the_origin(claim.head, signs_balance)


def beside_the_origin(head: Head, signs_balance: bool) -> str:
    """What rows that cancel say of hyperplanes that do not go through the origin, where these do."""
    if head.constant:
        return ""
    # With any constant c the same rows sum to (0, c sum p s), which is 0 as well if sum p s is.
    if signs_balance:
        return " No hyperplane beside the origin separates them either."
    return " A hyperplane beside the origin, with a constant coordinate, may still separate them."


def promise(bound: Fraction, constant: float) -> str:
    """At most how many mistakes, and whose."""
    learner = f"Perceptron(intercept_scaling={constant!r})" if constant else "Perceptron(fit_intercept=False)"
    # A Perceptron whose w is rounded to float64 after every update makes at most B / (1 - 2^-50 B) mistakes.
    if bound < 2**49:
        count = math.floor(bound / (1 - bound / 2**50))
        return f"{learner}, from w = 0, makes at most {count} mistakes on these rows, in any order."
    most_of_exact = rounded_up(bound)
    most = f"{most_of_exact}" if math.isfinite(most_of_exact) else f"10^{len(str(math.ceil(bound)))}"
    return f"{learner}, from w = 0, would make at most {most} mistakes on these rows if w were not rounded."
