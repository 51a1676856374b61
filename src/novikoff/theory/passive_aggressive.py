"""The theorems of the Passive-Aggressive learners (Crammer et al. 2006), and what rounding adds to them.

On an example with loss l = max(0, 1 - y<w,x>) > 0 they take the step w <- w + tau y x, where

    PA      tau = l/||x||^2, so that y<w,x> = 1 afterwards
    PA-I    tau = min(C, l/||x||^2)
    PA-II   tau = l/(||x||^2 + 1/(2C))

For any u, with l(u) its loss on the same example, ||w - u||^2 changes by

    -2 tau (y<u,x> - y<w,x>) + tau^2 ||x||^2 <= -tau (2l - tau ||x||^2 - 2 l(u)),

and it is ||u||^2 at the beginning and never negative. Added up over the updates this gives the three theorems: of
a mistake the loss is at least 1; PA-I has tau l(u) <= C l(u); and PA-II has 2 tau l(u) <= tau^2/(2C) + 2C l(u)^2.

Rounding. Let y<u,x> >= 1 throughout, ||u|| = 1/gamma, v = 2^-53, V = ||u|| + ||w0||, and D = ||w - u||. The learner
takes y<w,x> and ||x||^2 correctly rounded (on the unit sphere, 1 for ||x||^2, which is off by 2^-50 at most), takes no
step where the loss so found is below 2^-40, and rounds step, products and sums. So tau ||x||^2 = l + e with
|e| <= v (1 + 14 l), and since l >= 2^-41, e^2 <= 2^-23 l^2. Without the rounding of w, PA changes D^2 by
(e^2 - l^2)/||x||^2 <= -(1 - 2^-23) l^2/||x||^2; PA-II by the same over ||x||^2 + 1/(2C); PA-I, where tau = C, by at
most -C (l - |e|). None of them is positive. The rounding of w moves it by at most v (||w'|| + 1.01 ||tau x||) where w'
is the new w. As long as D <= 1.01 V this is less than 2^-50 V, because ||w'|| <= D' + ||u|| and ||tau x|| <= 2D; and
it adds at most 2^-48 V^2 to D^2. (Products that underflow add nothing that matters while R <= 2^400, since
||u|| >= 1/R.) So D <= 1.01 V indeed for up to 2^42 updates, and after M of them the sums of the theorems are at
most K V^2 (1 + 2^-48 M)(1 + 2^-22), where K is R^2, max(R^2, 1/C) or R^2 + 1/(2C).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from novikoff.theory.exact import Number, Vector, inner, rational, sqnorm, vector
from novikoff.theory.theorem import Hypothesis, Theorem

PA, PA_I, PA_II = 0, 1, 2

MOST_ROUNDED = 2**42  # updates, from where on nothing is proved of rounded weights
LONGEST_SQ = Fraction(2) ** 800  # and R^2

CRAMMER = (
    "K. Crammer, O. Dekel, J. Keshet, S. Shalev-Shwartz and Y. Singer, Online passive-aggressive algorithms, "
    "Journal of Machine Learning Research 7 (2006) 551-585"
)


@dataclass(frozen=True)
class AggressiveRun:
    """A run of a Passive-Aggressive learner in exact rationals.

    Parameters
    ----------
    rows, signs
        The examples as learned from, y in {-1, +1}.
    comparator
        u. Its length matters: it is to have y<u,x> >= 1.
    updates, steps
        The examples on which the learner updated, in that order, and tau of each.
    mistakes
        How many of its predictions were wrong.
    variant, C
        0 for PA, 1 for PA-I, 2 for PA-II; C > 0, which PA does not have.
    start
        w before the first update; 0 if it is empty.
    """

    rows: Sequence[Vector]
    signs: Sequence[int]
    comparator: Vector
    updates: Sequence[int]
    steps: Sequence[Fraction]
    mistakes: int
    variant: int = PA
    C: Fraction = Fraction(1)
    start: Vector = ()

    @classmethod
    def of(
        cls,
        X: Sequence[Sequence[Number]],
        y: Sequence[int],
        comparator: Sequence[Number],
        updates: Sequence[int],
        steps: Sequence[Number],
        *,
        mistakes: int = 0,
        variant: int = PA,
        C: Number = 1,
        start: Sequence[Number] = (),
    ) -> AggressiveRun:
        """From numbers of any kind, each taken at its exact value."""
        return cls(
            [vector(row) for row in X],
            [int(sign) for sign in y],
            vector(comparator),
            [int(i) for i in updates],
            [rational(step) for step in steps],
            mistakes,
            variant,
            rational(C),
            vector(start),
        )

    @cached_property
    def radius_sq(self) -> Fraction:
        return max(sqnorm(row) for row in self.rows)

    @cached_property
    def products(self) -> list[Fraction]:
        """y<w,x> of every update, before it."""
        w = list(self.start) or [Fraction(0)] * len(self.comparator)
        found = []
        for i, step in zip(self.updates, self.steps, strict=True):
            found.append(self.signs[i] * inner(w, self.rows[i]))
            w = [a + step * self.signs[i] * x for a, x in zip(w, self.rows[i], strict=True)]
        return found

    @cached_property
    def losses(self) -> list[Fraction]:
        """max(0, 1 - y<w,x>) of every update, before it."""
        return [max(Fraction(0), 1 - product) for product in self.products]

    @cached_property
    def comparator_losses(self) -> list[Fraction]:
        """max(0, 1 - y<u,x>) of every update."""
        products = (self.signs[i] * inner(self.comparator, self.rows[i]) for i in self.updates)
        return [max(Fraction(0), 1 - product) for product in products]

    def due(self, loss: Fraction, row: Vector) -> Fraction:
        """The step of the rule."""
        square = sqnorm(row)
        if self.variant != PA and self.C == 0:
            return Fraction(0)
        if self.variant == PA_II:
            return loss / (square + 1 / (2 * self.C))
        if square == 0:
            return Fraction(0)
        return loss / square if self.variant == PA else min(self.C, loss / square)


def constant(variant: int, radius_sq: Fraction, C: Fraction) -> Fraction:
    """K: R^2, max(R^2, 1/C) or R^2 + 1/(2C)."""
    if variant == PA:
        return radius_sq
    return max(radius_sq, 1 / C) if variant == PA_I else radius_sq + 1 / (2 * C)


def passive_bound(radius_sq: Number, margin_sq: Number) -> int:
    """floor(R^2/gamma^2): with u = w*/gamma, mistakes are examples of loss 1 or more."""
    return _floor(constant(PA, rational(radius_sq), Fraction(1)), margin_sq)


def passive_bound_1(radius_sq: Number, margin_sq: Number, C: Number) -> int:
    """floor(max(R^2, 1/C)/gamma^2), where a separator of margin gamma exists."""
    return _floor(constant(PA_I, rational(radius_sq), rational(C)), margin_sq)


def passive_bound_2(radius_sq: Number, margin_sq: Number, C: Number) -> int:
    """floor((R^2 + 1/(2C))/gamma^2), where a separator of margin gamma exists."""
    return _floor(constant(PA_II, rational(radius_sq), rational(C)), margin_sq)


def _floor(K: Fraction, margin_sq: Number) -> int:
    if not rational(margin_sq) > 0:
        raise ValueError(f"the bound needs a positive margin; gamma^2 = {margin_sq}")
    return math.floor(K / rational(margin_sq))


def most_mistakes(
    variant: int, C: Fraction, radius_sq: Fraction, gamma: Fraction, start: Fraction, rounded: int
) -> int | None:
    """floor(K (1/gamma + ||w0||)^2), with what the rounding of so many updates adds; None where nothing is proved."""
    distance = 1 / gamma + start
    allowed = constant(variant, radius_sq, C) * distance**2
    if not rounded:
        return math.floor(allowed)
    if rounded > MOST_ROUNDED or radius_sq > LONGEST_SQ:
        return None
    return math.floor(allowed * (1 + Fraction(rounded, 2**48)) * (1 + Fraction(1, 2**22)))


def _steps_are_due(run: AggressiveRun) -> bool:
    return all(
        loss > 0 and step == run.due(loss, run.rows[i])
        for i, step, loss in zip(run.updates, run.steps, run.losses, strict=True)
    )


def _is(variant: int, text: str) -> Hypothesis:
    return Hypothesis(
        f"w changes only where y<w,x> < 1, by tau y x with tau = {text}",
        lambda run: run.variant == variant and _steps_are_due(run),
    )


FROM_ZERO = Hypothesis("w starts at 0", lambda run: not any(run.start))
EVERY_MISTAKE = Hypothesis(
    "w changes on every mistake", lambda run: run.mistakes <= sum(product <= 0 for product in run.products)
)
MARGIN_ONE = Hypothesis(
    "y<u,x> >= 1 for every example",
    lambda run: all(y * inner(run.comparator, row) >= 1 for row, y in zip(run.rows, run.signs, strict=True)),
)
POSITIVE_C = Hypothesis("C > 0", lambda run: run.C > 0)


def _many(run: AggressiveRun) -> Fraction:
    """The squares of the losses, or the mistakes: whichever is more."""
    return max(sum((loss**2 for loss in run.losses), Fraction(0)), Fraction(run.mistakes))


def _passive(run: AggressiveRun) -> bool:
    return _many(run) <= run.radius_sq * sqnorm(run.comparator)


def _passive_1(run: AggressiveRun) -> bool:
    if run.C == 0:
        return True  # 1/C is beyond all numbers
    paid = sqnorm(run.comparator) + 2 * run.C * sum(run.comparator_losses, Fraction(0))
    return run.mistakes <= constant(PA_I, run.radius_sq, run.C) * paid


def _passive_2(run: AggressiveRun) -> bool:
    if run.C == 0:
        return True
    paid = sqnorm(run.comparator) + 2 * run.C * sum((loss**2 for loss in run.comparator_losses), Fraction(0))
    return _many(run) <= constant(PA_II, run.radius_sq, run.C) * paid


PASSIVE = Theorem(
    "passive-aggressive",
    "Passive-Aggressive",
    "If y<u,x> >= 1 for every example, the squares of the losses 1 - y<w,x> of the updates add up to at most "
    "R^2 ||u||^2, and so there are at most R^2 ||u||^2 mistakes: with u = w*/gamma, R^2/gamma^2.",
    (MARGIN_ONE, FROM_ZERO, _is(PA, "(1 - y<w,x>)/||x||^2"), EVERY_MISTAKE),
    passive_bound,
    _passive,
    CRAMMER + ", Theorem 2",
    AggressiveRun,
)

PASSIVE_1 = Theorem(
    "passive-aggressive-1",
    "Passive-Aggressive I, whatever the labels",
    "For any u there are at most max(R^2, 1/C) (||u||^2 + 2C sum l(u)) mistakes, where l(u) = max(0, 1 - y<u,x>) is "
    "added up over the updates.",
    (POSITIVE_C, FROM_ZERO, _is(PA_I, "min(C, (1 - y<w,x>)/||x||^2)"), EVERY_MISTAKE),
    passive_bound_1,
    _passive_1,
    CRAMMER + ", Theorem 4",
    AggressiveRun,
)

PASSIVE_2 = Theorem(
    "passive-aggressive-2",
    "Passive-Aggressive II, whatever the labels",
    "For any u the squares of the losses 1 - y<w,x> of the updates, and so the mistakes, add up to at most "
    "(R^2 + 1/(2C)) (||u||^2 + 2C sum l(u)^2), where l(u) = max(0, 1 - y<u,x>) is taken over the updates.",
    (POSITIVE_C, FROM_ZERO, _is(PA_II, "(1 - y<w,x>)/(||x||^2 + 1/(2C))"), EVERY_MISTAKE),
    passive_bound_2,
    _passive_2,
    CRAMMER + ", Theorem 5",
    AggressiveRun,
)
