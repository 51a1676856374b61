r"""The Perceptron: on a mistake, w <- w + y x.

If some separator has margin gamma and ||x|| <= R, it makes at most R^2/gamma^2 mistakes, in any order and on any
sequence (`novikoff.theory.RADIUS`): each adds at most R^2 to ||w||^2, since y<w,x> <= 0, and at least gamma to <w,w*>.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from novikoff.engine.rule import Facts
from novikoff.theory.exact import Number, root
from novikoff.theory.perceptron import bound_from_start
from novikoff.theory.rounding import float_bound_from_start

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

    def step(self, product: float, sqnorm: float) -> float:
        return 1.0

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

    def bound(self, gamma: Number, run: Facts) -> int | None:
        return most_updates(gamma, run)


def unit_steps(run: Facts) -> Fraction:
    """||w||^2 <= M (R^2 + 2 theta) after M updates; as much again, and more, covers the rounding."""
    return root(run.updates * (run.radius_sq + 2 * run.theta))[1]


def most_updates(gamma: Number, run: Facts) -> int | None:
    """(R^2 + 2 theta + 2 gamma ||w0||)/gamma^2, with what rounding adds to it."""
    most = float_bound_from_start if run.rounded else bound_from_start
    return most(run.radius_sq, gamma, run.start, run.theta)
