"""The Margin Perceptron: while y<w,x> <= theta, w <- w + y x.

At most (R^2 + 2 theta)/gamma^2 updates, and a margin of at least theta gamma/(R^2 + 2 theta)
(`novikoff.theory.THRESHOLD`); theta = R^2 gives 3R^2/gamma^2 and gamma/3.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

from novikoff.engine.rule import Facts
from novikoff.learners.perceptron import most_updates, unit_steps
from novikoff.theory.exact import Number


class MarginPerceptron(NamedTuple):
    zero: int = 0  # what is a mistake, as in `Perceptron`; it decides no update
    theta: float = 0.0
    auto: bool = False  # theta = (largest ||x|| so far)^2 instead

    @staticmethod
    def measures() -> bool:
        return False

    @staticmethod
    def bounds() -> str:
        return "updates"

    def formula(self) -> str:
        return "(R² + 2θ)/γ²"

    def threshold(self, radius_sq: float) -> float:
        return radius_sq if self.auto else self.theta

    def violated(self, side: int, y: float) -> bool:
        """y<w,x> <= theta."""
        return side <= 0

    def step(self, product: float, sqnorm: float, weight: float) -> float:
        return weight

    def satisfied(self, updates: int, mistakes: int, loss: float) -> bool:
        return updates == 0

    def ending(self) -> str:
        return "found nothing to update"

    def fulfilled(self, separates: bool, errors: int, theta: float) -> bool:
        return separates and theta == 0.0

    def is_sound(self) -> bool:
        return self.zero in (-1, 0, 1) and 0 <= self.theta < math.inf

    def longest(self, run: Facts) -> Fraction:
        return unit_steps(run)

    def bound(self, gamma: Number, run: Facts) -> int | float | None:
        return most_updates(gamma, run)
