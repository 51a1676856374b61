"""A soft margin, in one scan of the data: the two ends by float sums with bounds on their errors.

A float sum of m products errs by at most (m + 1) u sum |products| to first order, with u = 2^-53; twice that, and more,
is allowed below. An end that is closer to its sum than the error is decided by the arithmetic of the reference.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from novikoff.certificates.check.data import Block, Data, ExactRows
from novikoff.certificates.check.filter import hashed
from novikoff.certificates.claim import Label, SoftMarginClaim, require
from novikoff.certificates.claim.soft_margin import Dyadic
from novikoff.certificates.reference import soft_margin as reference
from novikoff.certificates.reference.rows import product, square
from novikoff.certificates.verified import Verified, length_up, of_soft_margin
from novikoff.certificates.verified.soft_margin import BITS, Length

Ends = tuple[float, float]  # of an interval
UNKNOWN = -math.inf, math.inf
SMALL, LARGE = 2.0**-400, 2.0**400  # squares of numbers between them are floats with all their digits
FEW, MANY = 2.0**-500, 2.0**500  # costs and weights between them leave no product of interest outside the floats


def check_soft_margin(
    claim: SoftMarginClaim, data: Data, signs: Any, rows: ExactRows, weights: Any, against: tuple[Label, ...]
) -> Verified:
    require_weights(claim, signs, weights)
    sums = Sums(claim, signs, weights)
    for block in hashed(claim.head, data, signs):
        sums.add(block)

    of_weight = strongest(claim, weights)
    require(lies_in_box(claim, of_weight), reference.sentence_of_box(claim))
    below = bounds_from_below(claim, sums, of_weight, rows)
    require(below, "its dual does not prove the lower end of its objective")
    above = bounds_from_above(claim, sums, data, rows, weights)
    require(above, "its separator has more than the upper end of its objective")
    radius = max(lengths_up(sums, sums.longest(), rows, data.step))
    heaviest = 1.0 if weights is None else float(weights.max())
    return of_soft_margin(claim, against, lengths_up(sums, claim.rows, rows, data.step), radius, heaviest)


def require_weights(claim: SoftMarginClaim, signs: Any, weights: Any) -> None:
    """As the reference has it."""
    if claim.weighted is None or weights is None:
        reference.require_weights(claim, None if weights is None else weights.tolist(), signs.tolist())
        return
    good = len(weights) == len(signs) and bool(np.all((weights >= 0) & (weights < math.inf)))
    require(good, f"sample_weight is not a finite number >= 0 for each of {len(signs)} rows")
    digest = hashlib.sha256((weights + 0.0).astype("<f8").tobytes()).hexdigest()
    require(digest == claim.weighted, "this proof is about other weights")
    require(len({*signs[weights > 0].tolist()}) == 2, "the rows of positive weight are all on one side")


# The claims ------------------------------------------------------------------------------------------


def strongest(claim: SoftMarginClaim, weights: Any) -> dict[float, list[int]]:
    """Of the rows of each weight the largest alpha, and the sum of the squares of alpha, in units of its integers."""
    if weights is None:
        return {1.0: [max(claim.alpha.integers), sum(x * x for x in claim.alpha.integers)]}
    found: dict[float, list[int]] = {}
    for weight, x in zip(weights[list(claim.rows)].tolist(), claim.alpha.integers, strict=True):
        both = found.setdefault(weight, [0, 0])
        both[0] = max(both[0], x)
        both[1] += x * x
    return found


def lies_in_box(claim: SoftMarginClaim, of_weight: dict[float, list[int]]) -> bool:
    unit, C = reference.unit_of(claim.alpha), Fraction(claim.C)
    if claim.loss == "squared_hinge":
        return 0.0 not in of_weight
    return all(unit * most <= C * Fraction(weight) for weight, (most, _) in of_weight.items())


def bounds_from_below(claim: SoftMarginClaim, sums: Sums, of_weight: dict[float, list[int]], rows: ExactRows) -> bool:
    """lower <= sum alpha - ||v||^2 / 2 - the ridge."""
    unit, lower = reference.unit_of(claim.alpha), Fraction(claim.objective[0])
    alpha = unit * sum(claim.alpha.integers)
    least, most = sums.combined_square()
    if most < math.inf:
        ridges = [ridge * unit**2 for ridge in ridge_of(claim, of_weight)]
        scale = (unit * sums.alpha_scale) ** 2 / 2
        if lower <= alpha - scale * Fraction(most) - ridges[1]:
            return True
        if lower > alpha - scale * Fraction(least) - ridges[0]:
            return False
    costs = reference_costs(claim, sums.weights, len(sums.signs))
    return reference.bounds_from_below(lower, claim, rows.of(claim.rows), costs)


def ridge_of(claim: SoftMarginClaim, of_weight: dict[float, list[int]]) -> tuple[Fraction, Fraction]:
    """Two ends for the sum of alpha^2 / (4 C_i), each term of which is rounded to 200 bits after the point or more."""
    if claim.loss == "hinge":
        return Fraction(0), Fraction(0)
    C = 4 * Fraction(claim.C)
    terms = [Fraction(squares) / (C * Fraction(weight)) for weight, (_, squares) in of_weight.items()]
    if len(terms) == 1:
        return terms[0], terms[0]
    largest = max(terms)
    power = 200 - (largest.numerator.bit_length() - largest.denominator.bit_length())
    whole = sum(math.floor(term * Fraction(2) ** power) for term in terms)
    return whole / Fraction(2) ** power, (whole + len(terms)) / Fraction(2) ** power


def bounds_from_above(claim: SoftMarginClaim, sums: Sums, data: Data, rows: ExactRows, weights: Any) -> bool:
    """||w||^2 / 2 + the losses <= upper."""
    half, upper = reference.half_square(claim.separator), Fraction(claim.objective[1])
    if half > upper:
        return False
    least, most = sums.losses()
    if most < math.inf:
        if half + Fraction(most) <= upper:
            return True
        if half + Fraction(least) > upper:
            return False
    total = half
    n = len(sums.signs)
    costs = reference_costs(claim, weights, n)
    unit, w = reference.unit_of(claim.separator), claim.separator.integers
    power = 1 if claim.loss == "hinge" else 2
    for part in parts(range(n), data.step):
        rows.of(part)
        total += sum(costs[i] * max(Fraction(0), 1 - unit * product(w, rows[i])) ** power for i in part)
        rows.clear()  # only those of one part are held at a time
    return total <= upper


def reference_costs(claim: SoftMarginClaim, weights: Any, n: int) -> list[Fraction]:
    C = Fraction(claim.C)
    return [C] * n if weights is None else [C * Fraction(weight) for weight in weights.tolist()]


def parts(which: Sequence[int], size: int) -> Iterator[Sequence[int]]:
    for start in range(0, len(which), size):
        yield which[start : start + size]


# Floats ----------------------------------------------------------------------------------------------


def scaled(numbers: Dyadic) -> tuple[Any, int]:
    """The integers as floats, each within 2^-52 of it relatively, times a power of two; and that power."""
    shift = max(0, max(map(abs, numbers.integers), default=0).bit_length() - 64)
    unit = 1 << shift
    found = [x / unit for x in numbers.integers] if shift else list(numbers.integers)
    return np.array(found, dtype=np.float64), shift


class Sums:
    """What one scan adds up: the losses of w, and v = sum alpha a; and ||a_i||^2 of each row."""

    def __init__(self, claim: SoftMarginClaim, signs: Any, weights: Any) -> None:
        head = claim.head
        self.signs, self.weights, self._constant, self._d = signs, weights, head.constant, head.d
        self._squared = claim.loss == "squared_hinge"
        w, shift = scaled(claim.separator)
        self._w = w if head.constant else np.append(w, 0.0)
        self._norm = float(np.sqrt(np.einsum("i,i", self._w, self._w)))
        self._power = shift + claim.separator.exponent  # w = _w * 2^_power
        alpha, shift = scaled(claim.alpha)
        self.alpha_scale = 1 << shift  # alpha = _alpha * alpha_scale * unit
        self._alpha = np.zeros(head.n)
        self._alpha[list(claim.rows)] = alpha * signs[list(claim.rows)]
        with np.errstate(all="ignore"):
            self._costs = np.full(head.n, claim.C) if weights is None else claim.C * weights
        self._ordinary = within(self._costs[weights > 0] if weights is not None else self._costs) and within(alpha)
        self._v, self._sizes = np.zeros((2, head.d))
        self._last = float(np.sum(self._alpha)), float(np.sum(np.abs(self._alpha)))
        self._added = len(claim.rows)
        self._losses: tuple[list[float], list[float]] = [], []  # two ends of what each block adds
        self.square, self.excess = np.zeros((2, head.n))

    @np.errstate(all="ignore")
    def add(self, block: Block) -> None:
        chosen = slice(block.start, block.stop)
        k = np.diff(block.ends)
        full = np.flatnonzero(k)
        self._measure(block, chosen, k, full)
        self._lose(block, chosen, k, full)
        alpha = self._alpha[chosen]
        if len(block.values) and np.any(alpha):
            terms = block.values * np.repeat(alpha, k)
            self._v += np.bincount(block.columns, terms, self._d)
            self._sizes += np.bincount(block.columns, np.abs(terms), self._d)
        self._added += 1

    def _measure(self, block: Block, chosen: slice, k: Any, full: Any) -> None:
        """||a_i||^2 of these rows, and how far from it the float may be."""
        x, c = block.values, self._constant
        found = np.zeros(len(k))
        found[full] = np.add.reduceat(x * x, block.ends[full])
        found += c * c
        excess = (k + 9) * (2.0**-52 * found + 2.0**-1072)  # a square that underflows errs by 2^-1075
        if c.is_integer() and np.all(x == np.rint(x)):  # integers add up exactly below 2^53
            excess[found < 2**52] = 0.0
        self.square[chosen], self.excess[chosen] = found, excess

    def _lose(self, block: Block, chosen: slice, k: Any, full: Any) -> None:
        """Two ends for the losses of these rows."""
        dot = np.zeros(len(k))
        dot[full] = np.add.reduceat(block.values * self._w[block.columns], block.ends[full])
        dot = self.signs[chosen] * (dot + self._constant * self._w[-1])
        # k + 1 products are added: twice their bound, and more for the rounding of w, of the norms and of this line.
        error = (k + 9) * 2.0**-52 * self._norm * np.sqrt(self.square[chosen] + 2.0**-1000)
        dot, error = np.ldexp(dot, self._power), np.ldexp(error, self._power)
        slack = 1.0 - dot
        error += 2.0**-51 * np.abs(slack) + 2.0**-1000
        for sums, end in zip(self._losses, (slack - error, slack + error), strict=True):
            loss = np.maximum(0.0, end)
            sums.append(float(np.sum(self._costs[chosen] * (loss * loss if self._squared else loss))))

    def losses(self) -> Ends:
        """Two ends for sum C_i loss; infinite where floats overflowed."""
        n = len(self.signs)
        least, most = (math.fsum(end) if all(map(math.isfinite, end)) else math.inf for end in self._losses)
        if not (self._ordinary and math.isfinite(least + most)):
            return UNKNOWN
        share, tiny = (n + 16) * 2.0**-51, (n + 16) * 2.0**-500
        return max(0.0, least * (1 - share) - tiny), most * (1 + share) + tiny

    @np.errstate(all="ignore")
    def combined_square(self) -> Ends:
        """Two ends for ||sum alpha a||^2 in units of the floats of alpha; infinite where floats overflowed."""
        v = np.append(self._v, self._last[0] * self._constant)
        sizes = np.append(self._sizes, self._last[1] * self._constant)
        error = (self._added + 16) * 2.0**-52 * sizes + (self._added + 16) * 2.0**-1060
        low, high = np.maximum(0.0, np.abs(v) - error), np.abs(v) + error
        share = (len(v) + 16) * 2.0**-52
        least, most = float(np.sum(low * low)), float(np.sum(high * high))
        if not (self._ordinary and math.isfinite(most)):
            return UNKNOWN
        tiny = len(v) * 2.0**-1000
        return max(0.0, least * (1 - share) - tiny), most * (1 + share) + tiny

    @np.errstate(all="ignore")
    def longest(self) -> list[int]:
        """The rows that may be the longest."""
        shorter = self.square + self.excess < np.max(self.square - self.excess)
        return np.flatnonzero(~shorter).tolist()


def within(values: Any) -> bool:
    return bool(np.all((values > FEW) & (values < MANY)))


def lengths_up(sums: Sums, which: Sequence[int], rows: ExactRows, step: int) -> list[Length]:
    """||a_i|| of these rows as `length_up` rounds it; exactly where the float is too near to a number of 24 bits."""
    square_of, excess = sums.square[list(which)], sums.excess[list(which)]
    with np.errstate(all="ignore"):
        mantissa, power = np.frexp(np.sqrt(square_of))
        found = np.ldexp(np.ceil(np.ldexp(mantissa, BITS)), power - BITS)
        below = found - np.ldexp(1.0, power - BITS)
        clear = (found * found >= square_of + excess) & (below * below < square_of - excess)
        clear &= (square_of > SMALL) & (square_of < LARGE)
    lengths: list[Length] = found.tolist()
    unclear = np.flatnonzero(~clear).tolist()
    for part in parts(unclear, step):
        made = rows.of([which[k] for k in part])
        for k in part:
            lengths[k] = length_up(square(made[which[k]]))
    return lengths
