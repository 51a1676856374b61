"""Winnow: multiplicative updates, few mistakes where few variables matter.

Weights start at 1; the prediction is 1 if <w,x> > theta. A promotion (the label was 1) multiplies the active weights,
those with x_j = 1, by alpha. A demotion sets them to 0 in Winnow 1 and divides them by alpha in Winnow 2. Let there be
u promotions and v demotions, and let W be the total weight, d at first. A promotion adds (alpha - 1)<w,x>, at most
(alpha - 1) theta. What is done at <w,x> = theta plays no part in the proofs.

Winnow 1, a disjunction of k variables. A demotion takes at least theta from W, and W >= 0, so
v <= d/theta + (alpha - 1) u. A relevant variable is 0 in every negative, so its weight is never demoted; it is at most
theta before each promotion, so it has at most floor(log_alpha theta) + 1 of them. Every promotion has an active
relevant variable: u <= k (floor(log_alpha theta) + 1). The sum u + v is at most d/theta + alpha u. Littlestone's
statement has log_alpha theta without the floor.

Winnow 2, mu >= 0 with <mu,x> >= 1 on positives and <mu,x> <= 1 - delta on negatives, alpha = 1 + delta/2. A demotion
takes at least (1 - 1/alpha) theta from W > 0, so v < A + alpha u with A = alpha d / ((alpha - 1) theta). A weight is at
most theta before a promotion and at most alpha theta after it. With p_j promotions and q_j demotions of w_j, then,
p_j - q_j <= 1 + log_alpha theta. Weighted by mu_j and added up, u - (1 - delta) v <= B = (1 + log_alpha theta) sum(mu).
From alpha (1 - delta) = 1 - delta (1 + delta)/2 follows v < 2 (A + alpha B) / (delta (1 + delta)), and

    u + v < (2 - delta) v + B = 2 (4 - delta^2) / (delta^2 (1 + delta)) d/theta + (4 + delta) / (delta (1 + delta)) B.

The first factor is at most 8/delta^2. The second is at most 4/delta, as 4 + delta <= 4 (1 + delta); and since
ln(1 + delta/2) >= delta/(2 + delta), over ln(alpha) it is at most (4 + delta)(2 + delta)/((1 + delta) delta^2) <=
8/delta^2, as 8 + 6 delta + delta^2 <= 8 + 8 delta. Littlestone's statement has 5/delta and 14/delta^2 there.
For r of k variables, mu_j = 1/r on them and delta = 1/r.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from novikoff.theory.elimination import Examples
from novikoff.theory.exact import Number, logarithm, rational
from novikoff.theory.littlestone import LITTLESTONE_1988
from novikoff.theory.theorem import Hypothesis, Theorem

SHARPER = LITTLESTONE_1988 + "; with the constants that its proof gives"
DIGITS = 40


def log_up(x: Fraction, base: Fraction | None = None) -> Fraction:
    """log x, to e or to a base > 1: exact for small whole powers of the base, else a little more than it."""
    if x == 1:
        return Fraction(0)
    close = logarithm(x, DIGITS)[1]
    if base is None:
        return close
    low, high = logarithm(base, DIGITS)
    close /= low if close > 0 else high
    whole = round(close)
    return Fraction(whole) if abs(whole) <= 64 and base**whole == x else close


def winnow1_bound(d: int, k: int, alpha: Number = 2, threshold: Number | None = None) -> int:
    """floor(alpha k (floor(log_alpha theta) + 1) + d/theta), for alpha > 1 and theta >= 1/alpha.

    theta is d/2 by default. At alpha = 2 that is 2 k floor(log2 d) + 2, for d >= 2.
    """
    alpha = rational(alpha)
    theta = max(Fraction(d, 2), 1 / alpha) if threshold is None else rational(threshold)
    if not (alpha > 1 and theta * alpha >= 1):
        raise ValueError(f"the bound needs alpha > 1 and theta >= 1/alpha; alpha = {alpha}, theta = {theta}")
    return math.floor(_winnow1(d, k, alpha, theta))


def _winnow1(d: int, k: int, alpha: Fraction, theta: Fraction) -> Fraction:
    promotions = math.floor(log_up(theta, alpha)) + 1  # of one relevant variable
    return alpha * k * promotions + d / theta


def winnow2_bound(d: int, k: int, r: int = 1, threshold: Number | None = None) -> int:
    """floor(8d/(delta^2 theta) + (4/delta + 8 ln(theta)/delta^2) k/r) with delta = 1/r; theta is d by default.

    At theta = d it is 8 r^2 + 4 k + 8 k r ln d.
    """
    theta = Fraction(d) if threshold is None else rational(threshold)
    if not (r >= 1 and theta >= 1):
        raise ValueError(f"the bound needs r >= 1 and theta >= 1; r = {r}, theta = {theta}")
    return math.floor(_winnow2(d, k, r, theta))


def _winnow2(d: int, k: int, r: int, theta: Fraction) -> Fraction:
    return 8 * d * r * r / theta + (4 + 8 * log_up(theta) * r) * k


@dataclass(frozen=True)
class WinnowGame(Examples):
    """A game of Winnow.

    Parameters
    ----------
    examples
        For each round a vector of 0 and 1; x_j is active if it is not 0.
    truth, predictions
        For each round, 0 or 1.
    target
        The k variables that matter.
    alpha, threshold
        Of the learner.
    r
        The label is 1 if at least r of them are 1.
    """

    target: Sequence[int]
    alpha: Fraction
    threshold: Fraction
    r: int = 1

    @cached_property
    def k(self) -> int:
        return len(set(self.target))

    def follows(self, down: Fraction) -> bool:
        """Does every prediction agree with exact weights that are multiplied by alpha, or by ``down``, on mistakes?"""
        w = [Fraction(1)] * self.d
        for x, y, prediction in zip(self.examples, self.truth, self.predictions, strict=True):
            weight = sum((a for a, b in zip(w, x, strict=True) if b), Fraction(0))
            if (weight < self.threshold) if prediction else (weight > self.threshold):
                return False
            if prediction != y:
                factor = self.alpha if y else down
                w = [a * factor if b else a for a, b in zip(w, x, strict=True)]
        return True


OR = Hypothesis(
    "the label is 1 if and only if one of k variables is",
    lambda game: all(y == any(x[j] for j in game.target) for x, y in zip(game.examples, game.truth, strict=True)),
)
R_OF_K = Hypothesis(
    "the label is 1 if and only if at least r of k variables are, r >= 1",
    lambda game: (
        game.r >= 1
        and all(
            y == (sum(bool(x[j]) for j in set(game.target)) >= game.r)
            for x, y in zip(game.examples, game.truth, strict=True)
        )
    ),
)
RANGE_1 = Hypothesis("alpha > 1 and theta >= 1/alpha", lambda game: game.alpha > 1 and game.threshold * game.alpha >= 1)
RANGE_2 = Hypothesis(
    "alpha = 1 + 1/(2r) and theta >= 1",
    lambda game: game.alpha == 1 + Fraction(1, 2 * game.r) and game.threshold >= 1,
)
RULE_1 = Hypothesis(
    "predicts by <w,x> > theta (at theta either way); w starts at 1; mistakes take active weights to alpha w, 0",
    lambda game: game.follows(Fraction(0)),
)
RULE_2 = Hypothesis(
    "predicts by <w,x> > theta (at theta either way); w starts at 1; mistakes take active weights to alpha w, w/alpha",
    lambda game: game.follows(1 / game.alpha),
)


WINNOW1 = Theorem(
    "winnow-1",
    "Winnow 1",
    "On a disjunction of k of d variables Winnow 1 makes at most alpha k (floor(log_alpha theta) + 1) + d/theta "
    "mistakes.",
    (OR, RANGE_1, RULE_1),
    winnow1_bound,
    lambda game: game.alpha > 1 and game.mistakes <= _winnow1(game.d, game.k, game.alpha, game.threshold),
    SHARPER,
    about=WinnowGame,
)

WINNOW2 = Theorem(
    "winnow-2",
    "Winnow 2",
    "On the functions 'at least r of k variables' Winnow 2 with alpha = 1 + delta/2, delta = 1/r, makes at most "
    "8d/(delta^2 theta) + (4/delta + 8 ln(theta)/delta^2) k/r mistakes.",
    (R_OF_K, RANGE_2, RULE_2),
    winnow2_bound,
    lambda game: game.r >= 1 and game.mistakes <= _winnow2(game.d, game.k, game.r, game.threshold),
    SHARPER,
    about=WinnowGame,
)
