"""No learner of halfspaces with a margin does better than R^2/gamma^2 in many dimensions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations

from novikoff.theory.exact import Number, Vector, inner, rational, sqnorm, vector
from novikoff.theory.theorem import Hypothesis, Theorem


@dataclass(frozen=True)
class Duel:
    """A learner of halfspaces against an adversary, in exact rationals.

    Parameters
    ----------
    rows
        The example of each round.
    signs
        The label of each round, -1 or +1.
    predictions
        What the learner predicted before it saw the label: -1, +1, or 0 if either label would have been a mistake.
    """

    rows: Sequence[Vector]
    signs: Sequence[int]
    predictions: Sequence[int]

    @classmethod
    def of(cls, X: Sequence[Sequence[Number]], y: Sequence[int], predictions: Sequence[int]) -> Duel:
        """From numbers of any kind, each taken at its exact value."""
        return cls([vector(row) for row in X], [int(sign) for sign in y], [int(p) for p in predictions])

    @property
    def mistakes(self) -> int:
        return sum(p != y for p, y in zip(self.predictions, self.signs, strict=True))

    @cached_property
    def radius_sq(self) -> Fraction:
        return max(sqnorm(row) for row in self.rows)

    @cached_property
    def witness(self) -> list[Fraction]:
        """sum y x."""
        columns = zip(*self.rows, strict=True)
        return [sum((y * x for x, y in zip(column, self.signs, strict=True)), Fraction(0)) for column in columns]

    @cached_property
    def margin_sq(self) -> Fraction:
        """gamma^2 of the witness; 0 if it does not separate."""
        worst = min(y * inner(self.witness, row) for row, y in zip(self.rows, self.signs, strict=True))
        return worst**2 / sqnorm(self.witness) if worst > 0 else Fraction(0)


def forced_mistakes(radius_sq: Number, margin_sq: Number) -> int:
    """n = floor(R^2/gamma^2), at least, in n dimensions or more.

    The examples are R e_1, ..., R e_n, and each gets the label that the learner did not predict. Then
    w* = (y_1 e_1 + ... + y_n e_n)/sqrt(n) has y<w*,x> = R/sqrt(n) >= gamma on all of them. Novikoff's theorem allows
    the Perceptron no more, so n is the best that any deterministic learner can promise.

    A learner that draws its predictions cannot promise less than n/2 on average: against labels drawn by the toss of a
    coin every prediction is wrong with probability 1/2, so some labels are as bad as the average. (Other examples force
    more than n/2 from it if R^2/gamma^2 is no integer.)
    """
    if not rational(radius_sq) >= rational(margin_sq) > 0:
        raise ValueError(f"a margin is above 0 and at most R; R^2 = {radius_sq}, gamma^2 = {margin_sq}")
    return math.floor(rational(radius_sq) / rational(margin_sq))


LOWER = Theorem(
    "perceptron-lower",
    "No learner of halfspaces with a margin is better",
    "In n = floor(R^2/gamma^2) dimensions or more, n mistakes can be forced from any deterministic learner, on "
    "examples of norm R that a w* of margin gamma separates.",
    (
        Hypothesis(
            "the examples are orthogonal, and all of one length R > 0",
            lambda duel: (
                all(sqnorm(row) == duel.radius_sq > 0 for row in duel.rows)
                and all(inner(u, v) == 0 for u, v in combinations(duel.rows, 2))
            ),
        ),
        Hypothesis(
            "every label is one that the learner did not predict",
            lambda duel: all(p != y for p, y in zip(duel.predictions, duel.signs, strict=True)),
        ),
    ),
    forced_mistakes,
    # the margin of sum y x is R/sqrt(n), so that R^2/gamma^2 is n
    lambda duel: (
        duel.margin_sq > 0
        and duel.mistakes == len(duel.rows)
        and duel.mistakes == forced_mistakes(duel.radius_sq, duel.margin_sq)
    ),
    "The adversary's half of Novikoff's theorem",
    about=Duel,
)
