"""Theorems about weighted votes over a finite class, whether or not some concept agrees with every round."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from novikoff.theory.exact import Interval, Number, logarithm, rational, settled
from novikoff.theory.halving import Game
from novikoff.theory.theorem import Hypothesis, Theorem

LITTLESTONE_WARMUTH = (
    "N. Littlestone and M. K. Warmuth, The weighted majority algorithm, Information and Computation 108 (1994) 212-261"
)

# Bounds --------------------------------------------------------------------------------------------


def penalty(beta: Number) -> Fraction:
    """beta exactly, between 0 and 1."""
    exact = rational(beta) if isinstance(beta, int | Fraction) or math.isfinite(beta) else Fraction(0)
    if not 0 < exact < 1:
        raise ValueError(f"beta is {beta}: a wrong concept's weight is multiplied by it, 0 < beta < 1")
    return exact


def _checked(size: int, best: int, beta: Number) -> Fraction:
    if size < 1 or best < 0:
        raise ValueError(f"a class has one concept at least and no fewer than 0 mistakes; |C| = {size}, m = {best}")
    return penalty(beta)


def weighted_majority_bound(size: int, best: int, beta: Number) -> int:
    """floor((ln |C| + m ln(1/beta)) / ln(2/(1+beta))): m mistakes of the best concept.

    The total weight W is |C| at first. In a round with a mistake half of it or more was wrong, so that at most
    (1+beta)/2 of it is left; no round adds to it. The best concept alone has beta^m at the end:
    beta^m <= W <= |C| ((1+beta)/2)^M.
    """
    beta = _checked(size, best, beta)
    if size == 1 and best == 0:
        return 0

    # Otherwise the quotient is no integer M. Let beta = p/q in lowest terms: |C| q^m (p+q)^M = p^m (2q)^M, and p + q
    # has no factor in common with p or q. If M > 0, then p + q >= 3 is a power of 2, at least 4, p and q are odd, and
    # the left side has at least 2M factors 2, the right side M. So M = 0, |C| q^m = p^m, and |C| = 1, m = 0.
    def quotient(digits: int) -> Interval:
        (low, high), (size_low, size_high) = logarithm(1 / beta, digits), logarithm(size, digits)
        step_low, step_high = logarithm(2 / (1 + beta), digits)
        if not step_low > 0:
            return Fraction(0), Fraction(1)  # too few digits
        return max((size_low + best * low) / step_high, Fraction(0)), (size_high + best * high) / step_low

    return settled(math.floor, quotient)


def randomized_bound(size: int, best: int, beta: Number) -> int:
    """(ln |C| + m ln(1/beta)) / (1 - beta) rounded up, since an expected number of mistakes need not be whole.

    If the probability of a mistake is p, the wrong concepts have the share p of the weight W, and W becomes
    W (1 - (1-beta) p) <= W exp(-(1-beta) p). At the end beta^m <= W <= |C| exp(-(1-beta) (p_1 + p_2 + ...)).
    """
    beta = _checked(size, best, beta)
    # ln of a rational other than 1 is irrational, so only ln 1 = 0 is settled apart.
    return 0 if size == 1 and best == 0 else settled(math.ceil, lambda digits: _expected(size, best, beta, digits))


def _expected(size: int, best: int, beta: Fraction, digits: int) -> Interval:
    (low, high), (size_low, size_high) = logarithm(1 / beta, digits), logarithm(size, digits)
    return (size_low + best * low) / (1 - beta), (size_high + best * high) / (1 - beta)


# Theorems ------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Vote(Game):
    """A game whose concepts are weighted by beta^(their mistakes).

    Parameters
    ----------
    beta
        What a wrong concept's weight is multiplied by.
    probabilities
        For each round that of predicting 1, if the learner is a randomised one.
    """

    beta: Fraction = Fraction(1, 2)
    probabilities: Sequence[Fraction] = ()

    @cached_property
    def counts(self) -> list[list[int]]:
        """Before each round and after the last: the mistakes of each concept."""
        counts = [[0] * self.size]
        for row, y in zip(self.labels, self.truth, strict=True):
            counts.append([n + (label != y) for n, label in zip(counts[-1], row, strict=True)])
        return counts

    @property
    def best(self) -> int:
        """The mistakes of the best concept."""
        return min(self.counts[-1])

    @cached_property
    def shares(self) -> list[Fraction]:
        """The share of the weight that says 1, in each round."""
        shares = []
        for row, counts in zip(self.labels, self.counts, strict=False):
            weights = [self.beta ** (n - min(counts)) for n in counts]
            shares.append(sum((w for w, label in zip(weights, row, strict=True) if label), Fraction(0)) / sum(weights))
        return shares

    @property
    def expected(self) -> Fraction:
        """The expected mistakes: the sum of the probabilities of predicting wrong."""
        return sum((p if y == 0 else 1 - p for p, y in zip(self.probabilities, self.truth, strict=True)), Fraction(0))


PENALTY = Hypothesis("0 < beta < 1", lambda vote: 0 < vote.beta < 1)
LARGER_SHARE = Hypothesis(
    "the prediction is that of the larger weight, 1 if both are equal",
    lambda vote: list(vote.predictions) == [int(2 * share >= 1) for share in vote.shares],
)
BY_SHARE = Hypothesis(
    "the probability of predicting 1 is the share of the weight that says 1",
    lambda vote: list(vote.probabilities) == vote.shares,
)

WEIGHTED_MAJORITY = Theorem(
    "weighted-majority",
    "Weighted Majority",
    "If the best concept makes m mistakes, the vote with weights beta^(mistakes) makes at most "
    "(ln |C| + m ln(1/beta)) / ln(2/(1+beta)).",
    (PENALTY, LARGER_SHARE),
    weighted_majority_bound,
    lambda vote: 0 < vote.beta < 1 and vote.mistakes <= weighted_majority_bound(vote.size, vote.best, vote.beta),
    LITTLESTONE_WARMUTH,
    about=Vote,
)

RANDOMIZED = Theorem(
    "randomized-weighted-majority",
    "Randomised Weighted Majority",
    "If the best concept makes m mistakes, predicting with a concept drawn by its weight beta^(mistakes) makes at most "
    "(ln |C| + m ln(1/beta)) / (1 - beta) mistakes on average.",
    (PENALTY, BY_SHARE),
    randomized_bound,
    lambda vote: 0 < vote.beta < 1 and vote.expected <= _expected(vote.size, vote.best, vote.beta, 64)[1],
    LITTLESTONE_WARMUTH,
    about=Vote,
)
