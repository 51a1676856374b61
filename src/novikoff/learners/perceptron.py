r"""The Perceptron: on a mistake, w <- w + y x.

If some separator has margin gamma and ||x|| <= R, it makes at most R^2/gamma^2 mistakes, in any order and on any
sequence (`novikoff.theory.RADIUS`): each adds at most R^2 to ||w||^2, since y<w,x> <= 0, and at least gamma to <w,w*>.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Literal, NamedTuple

from novikoff.engine.rule import Facts
from novikoff.theory.exact import Number, root, round_up
from novikoff.theory.perceptron import bound_from_start
from novikoff.theory.rounding import float_bound_from_start
from novikoff.theory.weights import weighted_float_bound

AtZero = Literal["mistake", "positive", "negative"]
AT_ZERO: dict[AtZero, int] = {"mistake": 0, "positive": 1, "negative": -1}


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
    """(R^2 + 2 theta + 2 gamma ||w0||)/gamma^2, with what rounding adds to it."""
    if run.weighed:
        return most_weight(gamma, run)
    most = float_bound_from_start if run.rounded else bound_from_start
    return most(run.radius_sq, gamma, run.start, run.theta)


def most_weight(gamma: Number, run: Facts) -> float | None:
    """With weights the sum C of those of the updates is bounded, and c R^2 for the largest, c, takes the place of R^2.

    `novikoff.theory.WEIGHTED_ROUNDED` says C <= exp(z) B with z = 2^-50 M, for exact sums C and products c x that do
    not underflow. Here C is added up in floats, which is at most 1 + z/8 times as much; and since c ||x|| is 2^-900 or
    more (a shorter step is refused), an underflow is below 2^-90 of the rounding that is allowed for. For M <= 2^49
    both are in 1 + 2z >= exp(z) (1 + z/7), which is what the theorem promises.
    """
    rounded = run.updates if run.rounded else 0
    if rounded > 2**49:
        return None
    most = weighted_float_bound(run.radius_sq, gamma, run.most_weight, rounded, run.start, run.theta)
    return None if most is None else round_up(most)
