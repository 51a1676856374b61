"""What tells one perceptron from another: a rule.

A rule is a named tuple in a file of its own (`novikoff.learners.perceptron` is the shortest) whose methods compiled
loops ask through the functions below: Numba finds them by the type of ``rule``, as it finds a storage's, and inlines
them. They are short, of plain arithmetic, and free of loops.

The loops do the rest, exactly: they know the sign of y<w,x> and of y<w,x> - theta, whatever is rounded.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple, Protocol

from novikoff.engine.compile import INLINED, by_type
from novikoff.theory.exact import Number

NO_STEP = 0.0  # a violated example that calls for no update after all


class Facts(NamedTuple):
    """What is known of a run when its theorem is asked, in rationals that err on the safe side."""

    radius_sq: Fraction  # at least R^2
    theta: Fraction
    start: Fraction  # at least ||w0||
    updates: int
    steps: Fraction  # at most the sum of their lengths
    rounded: bool  # was some update not exactly w + step y x?
    least_weight: Fraction = Fraction(1)  # of the examples that were updated on
    most_weight: Fraction = Fraction(1)

    @property
    def weighed(self) -> bool:
        """Did some of them have a weight other than 1?"""
        return not self.least_weight == self.most_weight == 1


class Rule(Protocol):
    """How a learner learns. The sign of a prediction is shared by all rules, but for what it is at zero."""

    @staticmethod
    def measures() -> bool:
        """Does the length of a step depend on the example?"""

    @staticmethod
    def bounds() -> str:
        """What its theorem bounds: "updates", or "mistakes" alone."""

    def formula(self) -> str:
        """The bound from w = 0, as it is written: R²/γ²."""

    @property
    def zero(self) -> int:
        """The prediction at <w,x> = 0: +1, -1, or 0, which is always a mistake."""

    def threshold(self, radius_sq: float) -> float:
        """theta >= 0, for rows of norm at most R so far: where y<w,x> > theta, nothing is to be done."""

    def violated(self, side: int, y: float) -> bool:
        """Is an update due, given the sign of y<w,x> - theta?"""

    def step(self, product: float, sqnorm: float, weight: float) -> float:
        """How long the step is for an example of this weight, w <- w + step y x.

        Of a rule that measures, ``product`` is y<w,x> and ``sqnorm`` is ||x||^2, both correctly rounded, so
        that they are the same for every storage. Of others they are not to be looked at.
        """

    def satisfied(self, updates: int, mistakes: int, loss: float) -> bool:
        """Does a run end with a pass of so many updates and mistakes? ``loss`` is the largest theta - y<w,x> met."""

    # What Python asks.

    def ending(self) -> str:
        """What is true of the pass that a run ends with: "found nothing to update"."""

    def fulfilled(self, separates: bool, errors: int, theta: float) -> bool:
        """Is nothing left to do, by what w does on all rows: does it separate them, how many are misclassified?"""

    def is_sound(self) -> bool:
        """Could these parameters have been chosen? Asked of what comes from a file."""

    def _asdict(self) -> dict[str, Any]: ...

    def longest(self, run: Facts) -> Fraction:
        """At least half of ||w||, at any time of a run from 0."""

    def bound(self, gamma: Number, run: Facts) -> int | float | None:
        """The most that the theorem allows, if some separator has margin gamma; None where it promises nothing.

        Of a rule that bounds updates: of their weights in all, which is a count where each is 1.
        """


def violated(rule: Rule, side: int, y: float) -> bool:
    return rule.violated(side, y)


def step(rule: Rule, product: float, sqnorm: float, weight: float) -> float:
    return rule.step(product, sqnorm, weight)


def threshold(rule: Rule, radius_sq: float) -> float:
    return rule.threshold(radius_sq)


def satisfied(rule: Rule, updates: int, mistakes: int, loss: float) -> bool:
    return rule.satisfied(updates, mistakes, loss)


def measures(rule: Rule) -> bool:
    """A constant for the compiler."""
    return rule.measures()


by_type(violated, lambda rule, side, y: rule.instance_class.violated, **INLINED)
by_type(step, lambda rule, product, sqnorm, weight: rule.instance_class.step, **INLINED)
by_type(threshold, lambda rule, radius_sq: rule.instance_class.threshold, **INLINED)
by_type(satisfied, lambda rule, updates, mistakes, loss: rule.instance_class.satisfied, **INLINED)
by_type(
    measures, lambda rule: (lambda rule: True) if rule.instance_class.measures() else (lambda rule: False), **INLINED
)
