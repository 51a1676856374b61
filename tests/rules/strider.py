"""A learner that no registry has, as its author would write it: on a mistake, w <- w + 2 y x.

From 0 its weights are twice those of the Perceptron, and its mistakes are the same.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from novikoff.engine.rule import Facts, Rule
from novikoff.estimators.linear import LinearClassifier
from novikoff.estimators.parameters import estimator
from novikoff.learners.perceptron import AT_ZERO, most_updates, unit_steps
from novikoff.theory.exact import Number


class Stride(NamedTuple):
    zero: int = 0

    @staticmethod
    def measures() -> bool:
        return False

    @staticmethod
    def bounds() -> str:
        return "updates"

    def formula(self) -> str:
        return "R²/γ²"

    def threshold(self, radius_sq: float) -> float:
        return 0.0

    def violated(self, side: int, y: float) -> bool:
        return side < 0 or (side == 0 and self.zero != y)

    def step(self, product: float, sqnorm: float, weight: float) -> float:
        return 2.0 * weight

    def satisfied(self, updates: int, mistakes: int, loss: float) -> bool:
        return updates == 0

    def ending(self) -> str:
        return "found nothing to update"

    def fulfilled(self, separates: bool, errors: int, theta: float) -> bool:
        return errors == 0

    def is_sound(self) -> bool:
        return self.zero in (-1, 0, 1)

    def longest(self, run: Facts) -> Fraction:
        return 2 * unit_steps(run)

    def bound(self, gamma: Number, run: Facts) -> int | None:
        """w/2 is a Perceptron's, from w0/2."""
        return most_updates(gamma, run._replace(start=run.start / 2))


@estimator
class Strider(LinearClassifier):
    """Two steps for one.

    Parameters
    ----------
    at_zero, order, fit_intercept, intercept_scaling, scale, max_iter, shuffle, random_state, warm_start, verbose
        As in `Perceptron`.
    """

    _rule_kind = Stride

    def _rule(self) -> Rule:
        return Stride(AT_ZERO[self.at_zero])
