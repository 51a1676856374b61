r"""The Perceptron: on a mistake, w <- w + y x.

If some separator has margin gamma and ||x|| <= R, it makes at most R^2/gamma^2 mistakes, in any order and on any
sequence (`novikoff.theory.RADIUS`): each adds at most R^2 to ||w||^2, since y<w,x> <= 0, and at least gamma to <w,w*>.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from novikoff.engine.rule import Facts
from novikoff.theory.exact import Number, root, round_up
from novikoff.theory.perceptron import bound_from_start
from novikoff.theory.rounding import float_bound_from_start, positive_margin

AT_ZERO = {"mistake": 0, "positive": 1, "negative": -1}


class Perceptron(NamedTuple):
    zero: int = 0  # the prediction at <w,x> = 0: +1, -1, or 0, which is always a mistake

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
        """A mistake: y<w,x> < 0, or = 0 where zero does not predict y."""
        return side < 0 or (side == 0 and self.zero != y)

    def step(self, product: float, sqnorm: float, weight: float) -> float:
        return weight

    def satisfied(self, updates: int, mistakes: int, loss: float) -> bool:
        return updates == 0

    def ending(self) -> str:
        return "found nothing to update"

    def fulfilled(self, separates: bool, errors: int, theta: float) -> bool:
        return errors == 0

    def is_sound(self) -> bool:
        return self.zero in (-1, 0, 1)

    def longest(self, run: Facts) -> Fraction:
        return unit_steps(run)

    def bound(self, gamma: Number, run: Facts) -> int | float | None:
        return most_updates(gamma, run)


def unit_steps(run: Facts) -> Fraction:
    """||w||^2 <= M (R^2 + 2 theta) after M updates; as much again, and more, covers the rounding.

    With weights of at most c an update adds c^2 R^2 + 2 c theta at most; and products may underflow.
    """
    if not run.weighed:
        return root(run.updates * (run.radius_sq + 2 * run.theta))[1]
    c = run.most_weight
    return root(run.updates * c * (c * run.radius_sq + 2 * run.theta))[1] + Fraction(1, 2**1000)


def most_updates(gamma: Number, run: Facts) -> int | float | None:
    """(R^2 + 2 theta + 2 gamma ||w0||)/gamma^2, with what rounding adds to it.

    With weights it is the sum C of those of the updates that is bounded, and c R^2 for the largest, c, takes the place
    of R^2: w gains C gamma along the separator, and ||w||^2 no more than C (c R^2 + 2 theta).
    """
    if run.weighed:
        if run.rounded:
            return None  # what the rounding of the products adds is not proved
        margin = positive_margin(gamma)
        growth = run.most_weight * run.radius_sq + 2 * run.theta + 2 * margin * run.start
        return round_up(growth / margin**2)
    most = float_bound_from_start if run.rounded else bound_from_start
    return most(run.radius_sq, gamma, run.start, run.theta)
