"""The Passive-Aggressive learners: where the loss l = max(0, 1 - y<w,x>) is positive, w <- w + tau y x.

    PA      tau = l/||x||^2: as far as is needed for y<w,x> = 1, and no further
    PA-I    tau = min(C, l/||x||^2)
    PA-II   tau = l/(||x||^2 + 1/(2C))

The weight of an example multiplies C.

If some separator has margin gamma, they make at most R^2/gamma^2, max(R^2, 1/C)/gamma^2 and (R^2 + 1/(2C))/gamma^2
mistakes (`novikoff.theory.PASSIVE`, `PASSIVE_1`, `PASSIVE_2`). Updates are not bounded: the loss of a right
prediction can be as small as one likes.

The constant coordinate is a part of x, and so of ||x||^2: after a step of PA, y<w,x> = 1 with the intercept included.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Literal, NamedTuple

from novikoff.engine.rule import NO_STEP, Facts
from novikoff.theory.exact import Number, root
from novikoff.theory.passive_aggressive import PA, PA_I, PA_II, most_mistakes
from novikoff.theory.rounding import positive_margin

Variant = Literal["PA", "PA-I", "PA-II"]
VARIANTS: dict[Variant, int] = {"PA": PA, "PA-I": PA_I, "PA-II": PA_II}
LEAST_LOSS = 2.0**-40  # below it rounding makes a step of its own
NO_TOL = -1.0


class PassiveAggressive(NamedTuple):
    zero: int = 0  # what is a mistake, as in `Perceptron`; it decides no update
    variant: int = PA_I
    C: float = 1.0
    tol: float = NO_TOL  # a run ends with a pass of no larger loss; NO_TOL: with a pass without mistakes

    @staticmethod
    def measures() -> bool:
        return True

    @staticmethod
    def bounds() -> str:
        return "mistakes"

    def formula(self) -> str:
        return ("R²/γ²", "max(R², 1/C)/γ²", "(R² + 1/(2C))/γ²")[self.variant]

    def threshold(self, radius_sq: float) -> float:
        return 1.0

    def violated(self, side: int, y: float) -> bool:
        """y<w,x> < 1."""
        return side < 0

    def step(self, product: float, sqnorm: float, weight: float) -> float:
        loss = 1.0 - product
        if loss < LEAST_LOSS:
            return NO_STEP
        if self.variant == PA_II:
            return loss / (sqnorm + 0.5 / (self.C * weight))
        return min(self.C * weight, loss / sqnorm) if self.variant == PA_I else loss / sqnorm

    def satisfied(self, updates: int, mistakes: int, loss: float) -> bool:
        return updates == 0 or (loss <= self.tol if self.tol >= 0.0 else mistakes == 0)

    def ending(self) -> str:
        return f"had no loss above {self.tol:g}" if self.tol >= 0 else "made no mistake"

    def fulfilled(self, separates: bool, errors: int, theta: float) -> bool:
        return errors == 0 and self.tol < 0

    def is_sound(self) -> bool:
        chosen = self.zero in (-1, 0, 1) and self.variant in VARIANTS.values() and 0 < self.C < math.inf
        return chosen and (self.tol == NO_TOL or 0 <= self.tol < math.inf)

    def longest(self, run: Facts) -> Fraction:
        """||w|| is at most the sum of the steps times R; twice that, for their rounding, and for underflow."""
        return run.steps * root(run.radius_sq)[1] * 2 + Fraction(1, 2**1000)

    def bound(self, gamma: Number, run: Facts) -> int | None:
        if run.weighed:
            return None  # the theorems are of one C for all examples
        rounded = run.updates if run.rounded else 0
        return most_mistakes(self.variant, Fraction(self.C), run.radius_sq, positive_margin(gamma), run.start, rounded)
