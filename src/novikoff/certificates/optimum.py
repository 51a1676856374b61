"""The soft margin with its optimum proved: from what floats find to two ends that hold."""

from __future__ import annotations

import hashlib
import math
from contextlib import nullcontext
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novikoff.certificates import soft
from novikoff.certificates.certificate import FLOATS_END, About, Undecided
from novikoff.certificates.divisions import Division
from novikoff.certificates.prove import INTERRUPTED, Question, surveyed
from novikoff.certificates.soft_margin import SoftMargin
from novikoff.certificates.solve import CountedRows, OutOfBudget, length
from novikoff.certificates.verified import length_up, rounded_up
from novikoff.certificates.verified.soft_margin import BITS
from novikoff.engine.rows import Indices, Rows
from novikoff.engine.storage import Vector
from novikoff.progress import Optimum
from novikoff.theory.exact import round_down, round_up

LOSSES = "hinge", "squared_hinge"
LEAST_COST, MOST_COST = 2.0**-900, 2.0**1000
LONGEST = 2.0**500  # of a row: the squares of longer ones are no floats
SLACK = 2.0**-30  # what the two ends are moved apart, relatively, so that float sums are enough to check them
SHARE = 0.75  # of the gap, for the search: rounding and the slack take the rest
ALPHA_BITS, W_BITS = 46, 52  # of the largest alpha and the largest entry of w
BLOCK = 1024  # rows at a time
NOISE = 2.0**-44  # relatively, more than the rounding of a norm


class Cost(NamedTuple):
    """C_i = C weight_i, and the loss that it multiplies."""

    C: float
    loss: str
    weights: NDArray[np.float64] | None  # None: all are 1

    def digest(self) -> str | None:
        if self.weights is None:
            return None
        return hashlib.sha256((self.weights + 0.0).astype("<f8").tobytes()).hexdigest()


class Optimal(NamedTuple):
    """What was found: w, and the weights of the rows, in floats; and the proof."""

    w: Vector
    data: CountedRows  # the rows of positive weight
    support: Indices  # those of them with alpha > 0
    alpha: Vector
    rows: Indices  # the same, counted among all rows
    proof: SoftMargin | Undecided


def minimise(
    X: Any,
    division: Division,
    cost: Cost,
    question: Question,
    names: Any = None,
    hashed: bytes | None = None,
    *,
    to_the_end: bool = False,
) -> tuple[bytes, Optimal]:
    """The optimum for one division of the rows; and the digest of X, for the next one.

    ``to_the_end``: the search goes on to the minimum as floats have it, even if the gap is closed.
    """
    hashed, about, rows = surveyed(X, division, question, names, hashed)
    if not rows.radius < LONGEST:
        raise ValueError("C times the squares of the features is more than a float can hold: lower C, or scale them")
    return hashed, _Case(about, rows, cost, question, to_the_end).optimal()


class _Primal(NamedTuple):
    """w, as floats and as integers * 2^exponent; and P(w) or a little more."""

    w: Vector
    integers: NDArray[np.int64]
    exponent: int
    upper: float


class _Case:
    """One division of the rows, on its way to an optimum."""

    def __init__(self, about: About, rows: Rows, cost: Cost, question: Question, to_the_end: bool) -> None:
        self.about, self.cost, self.question, self.to_the_end = about, cost, question, to_the_end
        self.all_rows, self.kept = rows, np.arange(rows.n)
        weights = np.ones(rows.n) if cost.weights is None else cost.weights
        if not weights.all():
            self.kept = np.flatnonzero(weights)
            rows = rows.only(self.kept, rows.signs[self.kept])
            if len(np.unique(rows.signs)) < 2:
                raise ValueError("the rows of positive sample_weight hold one class only: a separator needs two")
        self.weights = weights[self.kept]
        with np.errstate(all="ignore"):
            self.costs = cost.C * self.weights
        if not np.all((self.costs >= LEAST_COST) & (self.costs <= MOST_COST)):
            raise ValueError(
                f"C{' times a sample_weight' if cost.weights is not None else ''} is below 1e-270 or above 1e300: "
                f"take another C{', or scale the weights' if cost.weights is not None else ''}"
            )
        self.data = CountedRows(rows, question.max_passes, question.max_seconds)
        # Where the square of a norm is far outside the floats, the norm is given as infinite.
        self.norms = np.minimum(self.data.norms, rows.radius * (1 + NOISE))

    @np.errstate(all="ignore")
    def optimal(self) -> Optimal:
        gap = self.question.gap
        squared = self.cost.loss == "squared_hinge"
        why = FLOATS_END
        with Optimum("certify", gap) if self.question.verbose else nullcontext() as watch:
            best = soft.Best(self.data, soft.Objective(self.costs, squared), SHARE * gap, watch)
            try:
                soft.search(self.data, best, to_the_end=self.to_the_end and squared)
            except OutOfBudget as out:
                why = str(out)
            except KeyboardInterrupt:
                why = INTERRUPTED
        return self._proved(best, why)

    def _proved(self, best: soft.Best, why: str) -> Optimal:
        primal = self._primal(best.w)
        # Where C is large, what rounding may lose of a product costs much: a w that is a little longer has no loss.
        margin = float(np.min(self.data.rows.products(primal.w) - self._noise(primal.w)))
        if 0.0 < margin < 1.0:
            primal = min(primal, self._primal(best.w / margin * (1 + 2.0**-48)), key=lambda found: found.upper)
        if not primal.upper <= float(np.sum(self.costs)):
            primal = min(primal, self._primal(np.zeros(self.data.width)), key=lambda found: found.upper)
        alpha, alpha_exponent = _integers(np.minimum(best.p, self._most()), ALPHA_BITS)
        used = np.flatnonzero(alpha)
        alpha = alpha[used]
        dual = np.ldexp(alpha.astype(np.float64), alpha_exponent)
        upper = primal.upper
        lower = self._lower(used, alpha, alpha_exponent, dual)
        closed = (
            len(used)
            and upper < math.inf
            and Fraction(upper) - Fraction(lower) <= Fraction(self.question.gap) * Fraction(upper)
        )
        found = primal.w, self.data, used, dual, self.kept[used]
        if not closed or why == INTERRUPTED:
            ends = (-math.inf, math.inf)
            return Optimal(*found, Undecided(self.about, self.data.passes, ends, why, (lower, upper)))
        longest = self.all_rows.norms
        tied = np.flatnonzero(longest >= longest.max() * (1 - 2 * NOISE))
        proof = SoftMargin(
            self.about,
            self.data.passes,
            self.cost.C,
            self.cost.loss,
            (lower, upper),
            tuple(primal.integers.tolist()),
            primal.exponent,
            self.kept[used],
            tuple(alpha.tolist()),
            alpha_exponent,
            tuple(_lengths(self.data.rows, used)),
            max(_lengths(self.all_rows, tied)),
            self.cost.digest(),
            float(self.weights.max()) if self.cost.weights is not None else 1.0,
        )
        return Optimal(*found, proof)

    def _most(self) -> Vector:
        """At most C_i, whichever way the float was rounded."""
        if self.cost.loss == "squared_hinge":
            return np.full(self.data.n, math.inf)
        return self.costs if self.cost.weights is None else self.costs * (1 - 2.0**-50)

    @property
    def _slack(self) -> Fraction:
        return min(Fraction(SLACK), Fraction(self.question.gap) / 16)

    def _noise(self, w: Vector) -> Vector:
        """How far products with w may be from what floats say: they are sums of D, and norms are rounded as well."""
        return (self.data.width + 8) * 2.0**-52 * self.norms * length(w) * (1 + NOISE) ** 2 + 2.0**-1000

    def _primal(self, w: Vector) -> _Primal:
        """w in integers, and P(w) or a little more."""
        integers, exponent = _integers(w, W_BITS)
        floats = np.ldexp(integers.astype(np.float64), exponent)
        half = Fraction(4) ** exponent * sum(x * x for x in integers.tolist()) / 2
        slack = np.maximum(0.0, 1.0 - self.data.rows.products(floats) + self._noise(floats)) * (1 + 2.0**-50)
        losses = self.costs * (slack * slack if self.cost.loss == "squared_hinge" else slack)
        # Products that underflow err by 2^-1075, and so does a square before its cost multiplies it.
        total = math.fsum(losses.tolist()) + self.data.n * (1.0 + float(self.costs.max())) * 2.0**-1060
        upper = math.inf
        if math.isfinite(total):
            upper = round_up((half + Fraction(total) * (1 + Fraction(2) ** -46)) * (1 + self._slack))
        return _Primal(floats, integers, exponent, upper)

    def _lower(self, used: Indices, alpha: NDArray[np.int64], exponent: int, dual: Vector) -> float:
        """D(alpha) or a little less; at least 0, which is D(0)."""
        if not len(used):
            return 0.0
        total = Fraction(2) ** exponent * sum(alpha.tolist())
        longest = float(np.sum(dual * self.norms[used])) * (1 + 2.0**-30) + 2.0**-500  # the triangle inequality
        combined = min(longest, self.data.combination(used, dual)[1])  # which may be no number
        ridge = 0.0
        if self.cost.loss == "squared_hinge":
            ridge = math.fsum((dual * (dual / (4.0 * self.costs[used]))).tolist()) * (1 + 2.0**-46)
            ridge += len(used) * 2.0**-1060 * max(1.0, float(dual.max()))
        if not math.isfinite(combined + ridge):
            return 0.0
        found = total - Fraction(combined) ** 2 / 2 - Fraction(ridge)
        return max(0.0, round_down(found * (1 - self._slack)))


def _integers(values: Vector, bits: int) -> tuple[NDArray[np.int64], int]:
    """The values over a power of two, cut to integers of at most so many bits; and its exponent."""
    exponent = max(math.frexp(float(np.max(np.abs(values), initial=0.0)))[1] - bits, -1074)
    return np.trunc(np.ldexp(values, -exponent)).astype(np.int64), exponent


def _lengths(rows: Rows, which: Indices) -> list[float]:
    """||a_i|| of these rows as the checker rounds it up."""
    norms = rows.norms[which]
    found = _up(norms * (1 + NOISE))
    unclear = np.flatnonzero((found != _up(norms * (1 - NOISE))) | (norms < 2.0**-200) | (norms > 2.0**200))
    lengths: list[float] = found.tolist()
    for start in range(0, len(unclear), BLOCK):
        part = unclear[start : start + BLOCK]
        A = rows.dense(which[part])[:, 1:]
        squares = np.einsum("ij,ij->i", A, A)
        exact = np.all(np.rint(A) == A, axis=1) & (squares < 2.0**52)  # sums of integers are not rounded
        for k, row, square, whole in zip(part.tolist(), A, squares.tolist(), exact.tolist(), strict=True):
            exactly = Fraction(square) if whole else sum((Fraction(x) ** 2 for x in row.tolist() if x), Fraction(0))
            lengths[k] = rounded_up(Fraction(length_up(exactly)))
    return lengths


def _up(values: Vector) -> Vector:
    """Rounded up to the bits of `length_up`."""
    mantissa, power = np.frexp(values)
    return np.asarray(np.ldexp(np.ceil(np.ldexp(mantissa, BITS)), power - BITS))
