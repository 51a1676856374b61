"""A soft margin: the separator and the dual, each claim under its own name, as one formula.

With C_i = C times the weight of row i, and loss(s) = max(0, s) for "hinge", max(0, s)^2 for "squared_hinge":

    P(w)     = ||w||^2 / 2 + sum C_i loss(1 - <w, a_i>)                              `primal`
    D(alpha) = sum alpha - ||sum alpha a||^2 / 2 - (sum alpha_i^2 / (4 C_i))         `dual`

    alpha_i <= C_i                              for the hinge, every i               `lies_in_box`
    C_i > 0 where alpha_i > 0                   for its square, every i              `lies_in_box`
    lower <= D(alpha)                                                                `bounds_from_below`
    P(w) <= upper                                                                    `bounds_from_above`

The last sum of D is there for the square of the hinge only.

Why D(alpha) <= P(u) for every u: C_i loss(s) >= alpha_i s for every number s, if the loss is the hinge and
0 <= alpha_i <= C_i; and C_i loss(s) >= alpha_i s - alpha_i^2 / (4 C_i) if it is the square, whose largest difference
from alpha_i s is there, at s = alpha_i / (2 C_i). So P(u) >= ||u||^2 / 2 - <u, v> + sum alpha - ..., with
v = sum alpha a; and ||u||^2 / 2 - <u, v> >= -||v||^2 / 2.
"""

from __future__ import annotations

import hashlib
import math
import struct
from collections.abc import Sequence
from fractions import Fraction

from novikoff.certificates.claim import Combination, Label, SoftMarginClaim, require
from novikoff.certificates.claim.soft_margin import Dyadic
from novikoff.certificates.reference.rows import Row, Rows, combined, product, square
from novikoff.certificates.verified import Verified, length_up, of_soft_margin


def check_soft_margin(
    claim: SoftMarginClaim,
    rows: Sequence[Row],
    signs: Sequence[int],
    weights: Sequence[float] | None,
    against: tuple[Label, ...],
) -> Verified:
    costs = costs_of(claim, weights, signs)
    lower, upper = map(Fraction, claim.objective)
    require(lies_in_box(claim, costs), sentence_of_box(claim))
    require(bounds_from_below(lower, claim, rows, costs), "its dual does not prove the lower end of its objective")
    require(bounds_from_above(upper, claim, rows, costs), "its separator has more than the upper end of its objective")
    lengths = [length_up(square(rows[i])) for i in claim.rows]
    radius = length_up(max(map(square, rows)))
    return of_soft_margin(claim, against, lengths, radius, heaviest(weights))


def lies_in_box(claim: SoftMarginClaim, costs: Sequence[Fraction]) -> bool:
    pairs = zip(claim.rows, values(claim.alpha), strict=True)
    return all(alpha <= costs[i] if claim.loss == "hinge" else costs[i] > 0 for i, alpha in pairs)


def sentence_of_box(claim: SoftMarginClaim) -> str:
    bound = "more than C_i" if claim.loss == "hinge" else "something where C_i is 0"
    return f"its dual does not lie in its box: it gives a row {bound}, C times the weight of the row"


def bounds_from_below(lower: Fraction, claim: SoftMarginClaim, rows: Rows, costs: Sequence[Fraction]) -> bool:
    return lower <= dual(claim, rows, costs)


def bounds_from_above(upper: Fraction, claim: SoftMarginClaim, rows: Sequence[Row], costs: Sequence[Fraction]) -> bool:
    return primal(claim, rows, costs) <= upper


def primal(claim: SoftMarginClaim, rows: Sequence[Row], costs: Sequence[Fraction]) -> Fraction:
    """P(w)."""
    unit = unit_of(claim.separator)
    w = claim.separator.integers
    power = 1 if claim.loss == "hinge" else 2
    slacks = (max(Fraction(0), 1 - unit * product(w, a)) for a in rows)
    lost = sum((cost * slack**power for cost, slack in zip(costs, slacks, strict=True)), Fraction(0))
    return half_square(claim.separator) + lost


def dual(claim: SoftMarginClaim, rows: Rows, costs: Sequence[Fraction]) -> Fraction:
    """D(alpha)."""
    unit = unit_of(claim.alpha)
    v = combined(Combination(claim.rows, claim.alpha.integers), rows)
    squares = sum((x * x for x in v), Fraction(0)) * unit**2
    return unit * sum(claim.alpha.integers) - squares / 2 - ridge(claim, costs)


def ridge(claim: SoftMarginClaim, costs: Sequence[Fraction]) -> Fraction:
    """sum alpha_i^2 / (4 C_i) for the square of the hinge, rows of one C_i together; 0 for the hinge."""
    if claim.loss == "hinge":
        return Fraction(0)
    squares: dict[Fraction, int] = {}
    for i, alpha in zip(claim.rows, claim.alpha.integers, strict=True):
        squares[costs[i]] = squares.get(costs[i], 0) + alpha**2
    return unit_of(claim.alpha) ** 2 * added([total / (4 * cost) for cost, total in squares.items()])


def added(terms: Sequence[Fraction]) -> Fraction:
    """Their sum, by halves: denominators that have nothing in common grow with each sum."""
    if len(terms) == 1:
        return terms[0]
    middle = len(terms) // 2
    return added(terms[:middle]) + added(terms[middle:])


# The numbers of the claim ----------------------------------------------------------------------------


def unit_of(numbers: Dyadic) -> Fraction:
    return Fraction(2) ** numbers.exponent


def values(numbers: Dyadic) -> list[Fraction]:
    unit = unit_of(numbers)
    return [unit * x for x in numbers.integers]


def half_square(w: Dyadic) -> Fraction:
    """||w||^2 / 2."""
    return unit_of(w) ** 2 * sum(x * x for x in w.integers) / 2


# The weights of the rows -----------------------------------------------------------------------------


def costs_of(claim: SoftMarginClaim, weights: Sequence[float] | None, signs: Sequence[int]) -> list[Fraction]:
    """C_i = C times the weight of row i, for weights that are those of the claim."""
    require_weights(claim, weights, signs)
    C = Fraction(claim.C)
    return [C] * len(signs) if weights is None else [C * Fraction(weight) for weight in weights]


def require_weights(claim: SoftMarginClaim, weights: Sequence[float] | None, signs: Sequence[int]) -> None:
    if claim.weighted is None:
        require(weights is None, "this proof is about rows without weights: leave sample_weight out")
        return
    require(weights is not None, "this proof is about weighted rows: give their weights as sample_weight")
    assert weights is not None
    good = len(weights) == len(signs) and all(0 <= weight < math.inf for weight in weights)
    require(good, f"sample_weight is not a finite number >= 0 for each of {len(signs)} rows")
    require(digest_of_weights(weights) == claim.weighted, "this proof is about other weights")
    left = {sign for sign, weight in zip(signs, weights, strict=True) if weight > 0}
    require(len(left) == 2, "the rows of positive weight are all on one side")


def digest_of_weights(weights: Sequence[float]) -> str:
    """The SHA-256 of the weights as little-endian float64; a zero has no sign."""
    return hashlib.sha256(b"".join(struct.pack("<d", weight + 0.0) for weight in weights)).hexdigest()


def heaviest(weights: Sequence[float] | None) -> float:
    return 1.0 if weights is None else max(weights)
