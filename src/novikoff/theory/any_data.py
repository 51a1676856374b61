"""The Perceptron on any data, separable or not: how many updates more than any vector u has losses.

Let w start at 0 and change by y x in M updates, each where y<w,x> <= theta, with theta >= 0. Let R be the largest norm
of the rows of these updates, A = R^2 + 2 theta, u any vector, and l = max(0, 1 - y<u,x>) its loss on the row of an
update. An update adds y<u,x> >= 1 - l to <w,u>, and at most A to ||w||^2. With L the sum of the losses,

    M - L <= <w,u> <= ||u|| ||w|| <= ||u|| sqrt(M A).

This is the regret form. Solved for M it says M <= L + q/2 + sqrt(q L + q^2/4) with q = ||u||^2 A. By Cauchy and Schwarz
L <= sqrt(M) D, where D^2 is the sum of the squares of the losses. Divided by sqrt(M), this is the other form:

    sqrt(M) <= ||u|| sqrt(A) + D.

With u = v/gamma for a v of length 1 it reads gamma sqrt(M) <= R + sqrt(sum max(0, gamma - y<v,x>)^2) if theta = 0. For
a u without losses both are Novikoff's theorem.

The length of u. Losses that are added up over the updates of the run are never more than sqrt(M) D, and the regret form
is the better one. But a short u does not say much: u = 0 has L = M. No length does better than that: for s u in place
of u, L(s) + s ||u|| sqrt(M A) is a convex function of s with the derivative ||u|| sqrt(M A) - <w,u> >= 0 at s = 0. So
against the updates themselves u is to have the length that it has, and what it says is how far the run is behind it.

Losses may also be added up over more than the updates: over every row as often as the run meets it, say, which is
known before the run. Then either form can be the better one for a given u, and there is a best length:
`best_length_bound` finds it. There the regret form is the better one again. For let sqrt(M) > ||u|| sqrt(A) + D, so
that the other form excludes M, and D > 0. With a = D/(2 sqrt(M)) < 1/2, the vector u/(1 - a) has losses of
max(0, l - a)/(1 - a), where max(0, l - a) <= l^2/(4a). For their sum L, therefore,

    (1 - a) L + ||u|| sqrt(M A) <= D^2/(4a) + ||u|| sqrt(M A) < D sqrt(M)/2 + M - D sqrt(M) = (1 - a) M,

and the regret form with u/(1 - a) excludes M as well.

Rounding. Let every entry of w + y x be rounded to the nearest float64. By `perceptron-rounded`, with e = 2^-53 and
G = (1 + eM)(1 + e)^M, the rounding takes at most e (||w_1|| + ... + ||w_M||) ||u|| off <w,u>, and all together
M - L <= G ||u|| sqrt(M A): A becomes A G^2. For M < 2^49 the exponent z of G^2 <= exp(4eM) = exp(z) is below 1/4, where
exp(z) <= 1 + 2z. So A becomes A (1 + 2^-50 M), in both forms.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from fractions import Fraction

from novikoff.theory.exact import Number, rational, sqnorm
from novikoff.theory.margin_perceptron import AT_THRESHOLD, NOT_NEGATIVE
from novikoff.theory.perceptron import ADDS, FROM_ZERO
from novikoff.theory.rounding import EXCESS, LIMIT, NEAREST_FLOATS
from novikoff.theory.theorem import Run, Theorem

Products = Iterable[tuple[Number, int]]


def _losses(products: Products) -> list[tuple[Fraction, int]]:
    """max(0, 1 - y<u,x>), and how often."""
    return [(max(Fraction(0), 1 - rational(product)), int(count)) for product, count in products]


def _square(radius_sq: Number, norm_sq: Number, threshold: Number) -> Fraction:
    """q = ||u||^2 (R^2 + 2 theta)."""
    return rational(norm_sq) * (rational(radius_sq) + 2 * rational(threshold))


def floor_of_root(a: Fraction, b: Fraction, c: Fraction) -> int:
    """The largest integer x with a x^2 - 2 b x + c <= 0, where a > 0 and b^2 >= a c: floor((b + sqrt(b^2 - a c))/a)."""
    middle, square = b / a, (b / a) ** 2 - c / a
    scale = middle.denominator * square.denominator
    whole = (middle * scale).numerator
    return (whole + math.isqrt((square * scale**2).numerator)) // scale


def _most_by_regret(q: Fraction, loss: Fraction, excess: Fraction) -> int | None:
    """The largest M with M - L <= sqrt(q M (1 + excess M)); None if all M have it."""
    a = 1 - q * excess
    return floor_of_root(a, loss + q / 2, loss**2) if a > 0 else None


def _most_by_deviations(q: Fraction, squares: Fraction, excess: Fraction) -> int | None:
    """The largest M with sqrt(M) <= sqrt(q (1 + excess M)) + D; None if all M have it.

    a M - q - D^2 <= 2 D sqrt(q (1 + excess M)) with a = 1 - q excess, squared.
    """
    a = 1 - q * excess
    b = a * (q + squares) + 2 * squares * q * excess
    return floor_of_root(a**2, b, (q - squares) ** 2) if a > 0 else None


def _promised(most: int | None, rounded: bool) -> int | None:
    return None if most is None or (rounded and most >= LIMIT) else most


def _smaller(one: int | None, other: int | None) -> int | None:
    return min((most for most in (one, other) if most is not None), default=None)


def regret_bound(
    radius_sq: Number, norm_sq: Number, products: Products, threshold: Number = 0, *, rounded: bool = False
) -> int | None:
    """floor(L + q/2 + sqrt(q L + q^2/4)): the largest M with M - L <= sqrt(q M), where q = ||u||^2 (R^2 + 2 theta).

    ``products`` are pairs of y<u,x> and a count: the rows of the updates, and how often the run updated on each; or
    more rows, and larger counts. L is the sum of the losses max(0, 1 - y<u,x>), as often as they count. (What is not
    known exactly may be rounded: products down, squares and counts up.)

    For ``rounded`` weights it is the largest M with M - L <= sqrt(q M (1 + 2^-50 M)), or None where that is 2^49 or
    more.
    """
    loss = sum((count * loss for loss, count in _losses(products)), Fraction(0))
    excess = EXCESS if rounded else Fraction(0)
    return _promised(_most_by_regret(_square(radius_sq, norm_sq, threshold), loss, excess), rounded)


def deviation_bound(
    radius_sq: Number, norm_sq: Number, products: Products, threshold: Number = 0, *, rounded: bool = False
) -> int | None:
    """floor((sqrt(q) + D)^2), where q = ||u||^2 (R^2 + 2 theta) and D^2 is the sum of max(0, 1 - y<u,x>)^2.

    ``products`` are pairs of y<u,x> and a count: the rows of the updates, and how often the run updated on each; or
    more rows, and larger counts. Only over more than the updates it can be smaller than `perceptron-regret` gives.

    For ``rounded`` weights it is the largest M with sqrt(M) <= sqrt(q (1 + 2^-50 M)) + D, or None where that is 2^49
    or more.
    """
    squares = sum((count * loss**2 for loss, count in _losses(products)), Fraction(0))
    excess = EXCESS if rounded else Fraction(0)
    return _promised(_most_by_deviations(_square(radius_sq, norm_sq, threshold), squares, excess), rounded)


def any_data_bound(
    radius_sq: Number, norm_sq: Number, products: Products, threshold: Number = 0, *, rounded: bool = False
) -> int | None:
    """The better of `regret_bound` and `deviation_bound`, for u as long as it is."""
    pairs = list(products)
    return _smaller(
        regret_bound(radius_sq, norm_sq, pairs, threshold, rounded=rounded),
        deviation_bound(radius_sq, norm_sq, pairs, threshold, rounded=rounded),
    )


def best_length_bound(
    radius_sq: Number, norm_sq: Number, products: Products, threshold: Number = 0, *, rounded: bool = False
) -> int | None:
    """The smallest that `regret_bound` is for any s u in place of u, for counts that no run exceeds.

    `deviation_bound` is no smaller for any s. The counts are to be known before the run: every row as often as the run
    will meet it, say. (Of the updates that were made the best length is 0, and the bound their number.)

    M is excluded by s u if L(s) + s sqrt(q M) < M. The left side is a convex function of s, and linear between those
    at which some loss becomes 0. So one of these, or s = 0, excludes M if any s does, and the search is exact.
    """
    q, excess = _square(radius_sq, norm_sq, threshold), EXCESS if rounded else Fraction(0)
    pairs = [(rational(product), int(count)) for product, count in products]
    best: int | None = None
    for s, loss in _losses_by_length(pairs):
        best = _smaller(best, _most_by_regret(q * s**2, loss, excess))
    return _promised(best, rounded)


def _losses_by_length(pairs: list[tuple[Fraction, int]]) -> Iterator[tuple[Fraction, Fraction]]:
    """Each s at which some loss of s u becomes 0, and s = 0, with the sum of the losses.

    Where the losses above 0 are those of k updates, with the sum a of y<u,x>, it is k - s a.
    """
    k = sum(count for _, count in pairs)
    a = sum((count * product for product, count in pairs), Fraction(0))
    yield Fraction(0), Fraction(k)
    for product, count in sorted(pairs, reverse=True):
        if product > 0:
            k, a = k - count, a - count * product
            yield 1 / product, k - a / product


# The theorems --------------------------------------------------------------------------------------


def _radius_of_updates_sq(run: Run) -> Fraction:
    return max((sqnorm(run.rows[i]) for i in run.updates), default=Fraction(0))


def _losses_of_updates(run: Run) -> list[Fraction]:
    """l = max(0, 1 - y<u,x>) of every update."""
    return [max(Fraction(0), 1 - run.margins[i]) for i in run.updates]


def _q(run: Run) -> Fraction:
    return _square(_radius_of_updates_sq(run), sqnorm(run.witness), run.threshold)


def _little_regret(run: Run, excess: Fraction = Fraction(0)) -> bool:
    """M - L <= sqrt(q M (1 + excess M)), squared where the left side is positive."""
    count = len(run.updates)
    spare = count - sum(_losses_of_updates(run), Fraction(0))
    return spare <= 0 or spare**2 <= _q(run) * count * (1 + excess * count)


def _few_by_deviations(run: Run) -> bool:
    """M - q - D^2 <= 2 sqrt(q) D, squared where the left side is positive."""
    squares = sum((loss**2 for loss in _losses_of_updates(run)), Fraction(0))
    spare = len(run.updates) - _q(run) - squares
    return spare <= 0 or spare**2 <= 4 * _q(run) * squares


REGRET = Theorem(
    "perceptron-regret",
    "Perceptron on any data, against any u",
    "For any u there are at most L + q/2 + sqrt(q L + q^2/4) updates, where q = ||u||^2 (R^2 + 2 theta), and L is the "
    "sum of the losses max(0, 1 - y<u,x>) over the updates.",
    (NOT_NEGATIVE, FROM_ZERO, ADDS, AT_THRESHOLD),
    regret_bound,
    _little_regret,
    "C. Gentile, The robustness of the p-norm algorithms, Machine Learning 53 (2003) 265-299; M. Mohri and "
    "A. Rostamizadeh, Perceptron mistake bounds, arXiv:1305.0208 (2013)",
)

DEVIATIONS = Theorem(
    "perceptron-deviations",
    "Perceptron on any data, by squared deviations",
    "For any u there are at most (||u|| sqrt(R^2 + 2 theta) + D)^2 updates, where D^2 is the sum of "
    "max(0, 1 - y<u,x>)^2 over the updates.",
    (NOT_NEGATIVE, FROM_ZERO, ADDS, AT_THRESHOLD),
    deviation_bound,
    _few_by_deviations,
    "Y. Freund and R. E. Schapire, Large margin classification using the perceptron algorithm, Machine Learning 37 "
    "(1999) 277-296, Theorem 2; with the sum over the updates alone, C. Gentile (2003)",
)


def rounded_regret_bound(radius_sq: Number, norm_sq: Number, products: Products, threshold: Number = 0) -> int | None:
    """The largest M with M - L <= sqrt(q M (1 + 2^-50 M)), or None where that is 2^49 or more.

    It is `regret_bound(..., rounded=True)`.
    """
    return regret_bound(radius_sq, norm_sq, products, threshold, rounded=True)


REGRET_ROUNDED = Theorem(
    "perceptron-regret-rounded",
    "Perceptron on any data, weights rounded to floats",
    "If every entry of w + y x is rounded to the nearest float64, M < 2^49 updates have, for any u, "
    "M - L <= sqrt(q M (1 + 2^-50 M)), where q = ||u||^2 (R^2 + 2 theta), and L is the sum of the losses "
    "max(0, 1 - y<u,x>) over the updates.",
    (NOT_NEGATIVE, FROM_ZERO, AT_THRESHOLD, NEAREST_FLOATS),
    rounded_regret_bound,
    lambda run: _little_regret(run, EXCESS),
    "The regret form, with the rounding kept as in `perceptron-rounded`",
)
