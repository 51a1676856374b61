"""Separable by a margin, or not: each claim under its own name, as one formula.

    separable       <w, a_i> > 0                            for every i     `separates`
                    <w, a_i>^2 >= lower^2 ||w||^2           for every i     `has_margin`
                    ||a_i||^2 <= radius^2                   for every i     `lies_within`
                    <w, a_closest> <= <w, a_i>              for every i     `is_closest`
                    ||sum p a||^2 <= upper^2 (sum p)^2                      `bounds_every_margin`

    not separable   sum p a = 0                                             `vanishes`
                    <u, a_i> >= 0 for every i, > 0 for some                 `separates_weakly`

Why the last two lines of each are enough: for any w of length 1 some row has <w, a_i> <= sum p <w, a> / sum p, a mean,
which is at most ||sum p a|| / sum p, and 0 where the sum vanishes.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from novikoff.certificates.claim import Combination, NotSeparableClaim, SeparableClaim, require
from novikoff.certificates.reference.rows import Row, Rows, Vector, combined, product, square


def check_separable(claim: SeparableClaim, rows: Sequence[Row]) -> None:
    w = claim.separator
    lower, upper = map(Fraction, claim.margin)
    radius = Fraction(claim.radius)
    require(separates(w, rows), "its separator does not separate: some row has y<w,x> <= 0")
    require(has_margin(w, lower, rows), "its separator has less than the lower margin")
    require(lies_within(radius, rows), "its radius is too small: a row is longer")
    require(is_closest(claim.closest, w, rows), "its closest row is not the closest: another has a smaller y<w,x>")
    require(bounds_every_margin(claim.combination, upper, rows), "its combination does not prove the upper margin")


def check_not_separable(claim: NotSeparableClaim, rows: Sequence[Row]) -> None:
    require(vanishes(claim.combination, rows), "its weighted rows do not sum to zero")
    if claim.weak is not None:
        require(separates_weakly(claim.weak, rows), "its weak separator has y<u,x> < 0 on some row, or 0 on every row")


def separates(w: Vector, rows: Sequence[Row]) -> bool:
    return all(product(w, a) > 0 for a in rows)


def has_margin(w: Vector, lower: Fraction, rows: Sequence[Row]) -> bool:
    """Where every <w, a_i> is positive, this is <w, a_i> >= lower ||w||, squared."""
    length_sq = sum(x * x for x in w)
    return all(product(w, a) ** 2 >= lower**2 * length_sq for a in rows)


def lies_within(radius: Fraction, rows: Sequence[Row]) -> bool:
    return all(square(a) <= radius**2 for a in rows)


def is_closest(closest: int, w: Vector, rows: Sequence[Row]) -> bool:
    least = product(w, rows[closest])
    return all(least <= product(w, a) for a in rows)


def bounds_every_margin(combination: Combination, upper: Fraction, rows: Rows) -> bool:
    total = combined(combination, rows)
    return sum(v * v for v in total) <= upper**2 * sum(combination.weights) ** 2


def vanishes(combination: Combination, rows: Rows) -> bool:
    return not any(combined(combination, rows))


def separates_weakly(u: Vector, rows: Sequence[Row]) -> bool:
    products = [product(u, a) for a in rows]
    return min(products) >= 0 and max(products) > 0


def signs_balance(combination: Combination, signs: Sequence[int]) -> bool:
    """Is sum p s = 0? Then the rows of the combination would also sum to zero in a constant coordinate."""
    return sum(p * signs[i] for i, p in zip(combination.rows, combination.weights, strict=True)) == 0
