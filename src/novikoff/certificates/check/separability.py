"""Separable by a margin, or not: in one scan of the data, and a few rows exactly."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from novikoff.certificates.check.data import Data, ExactRows
from novikoff.certificates.check.filter import BEYOND, scan
from novikoff.certificates.claim import NotSeparableClaim, SeparableClaim, require
from novikoff.certificates.reference.rows import product
from novikoff.certificates.reference.separability import bounds_every_margin, has_margin, separates, vanishes


def check_separable(claim: SeparableClaim, data: Data, signs: Any, rows: ExactRows) -> None:
    w = claim.separator
    lower, upper = map(Fraction, claim.margin)
    closest = rows.of([claim.closest])[claim.closest]
    least = product(w, closest)
    # Every other row is at least as far as the closest, and so what holds of that one holds of all.
    scan(claim.head, data, signs, rows, w, least, Fraction(claim.radius) ** 2)
    sentence = f"its separator does not separate: row {claim.closest} has y<w,x> <= 0"
    require(separates(w, [closest]), sentence)
    require(has_margin(w, lower, [closest]), "its separator has less than the lower margin")
    proved = bounds_every_margin(claim.combination, upper, rows.of(claim.combination.rows))
    require(proved, "its combination does not prove the upper margin")


def check_not_separable(claim: NotSeparableClaim, data: Data, signs: Any, rows: ExactRows) -> None:
    some = scan(claim.head, data, signs, rows, claim.weak, Fraction(0), BEYOND)
    require(claim.weak is None or some, "its weak separator has y<u,x> = 0 on every row")
    zero = vanishes(claim.combination, rows.of(claim.combination.rows))
    require(zero, "its weighted rows do not sum to zero")
