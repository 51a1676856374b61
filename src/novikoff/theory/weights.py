"""Examples with weights: what a weight c > 0, which multiplies the step, does to Novikoff's theorem.

An update with the weight c, where y<w,x> <= theta, is w + c y x. Let C be the sum of the weights of all updates, and S
that of their squares. If ||w*|| = 1 and y<w*,x> >= gamma, an update adds at least c gamma to <w,w*>, and to ||w||^2

    2 c y<w,x> + c^2 ||x||^2 <= 2 theta c + R^2 c^2.

So C gamma - ||w0|| <= <w,w*> <= ||w|| <= sqrt(||w0||^2 + 2 theta C + R^2 S), where S <= c_max C. Let
A = 2 theta + R^2 S/C, at most 2 theta + c_max R^2. If C gamma > ||w0||, square:

    C^2 gamma^2 <= 2 C gamma ||w0|| + C A, so C <= (A + 2 gamma ||w0||)/gamma^2 = B.

If not, C <= ||w0||/gamma < B. What is bounded is C, and not the number of updates: heavy examples push w far, and light
ones that have to lead it back do so in many small steps. There are at most C/c_min of them.

Rounding. Let e = 2^-53. The entries of c x are rounded first, each by at most e of its size, and then those of
w' = w + c y x + f + g, where ||f|| <= e c R is the rounding of the product, ||g|| <= e ||w'|| that of the sum, and also
||w'|| <= (1 + e) ||w + c y x + f||.

Length: let T = ||w0||^2 + 2 theta C + R^2 S, for the updates up to some time. Then, after t of them,

    ||w|| <= (1 + e)^t (sqrt(T) + e R C).

For if it is so before an update, and T' is T after it, then ||w + c y x|| <= (1 + e)^t (sqrt(T') + e R C), because
(sqrt(T) + b)^2 + T' - T <= (sqrt(T') + b)^2 for b >= 0; f adds at most e R c, and g the factor 1 + e.

Direction: each update adds at least c gamma - e c R - e ||w'|| to <w,w*>. With G = (1 + eM)(1 + e)^M, after M updates,

    C gamma - ||w0|| <= e R C + ||w|| + e (||w_1|| + ... + ||w_M||) <= G sqrt(T) + e (1 + G) R C.

By Cauchy and Schwarz C^2 <= M S, so R C <= sqrt(M R^2 S) <= M sqrt(T). Since G >= 1, the right side is at most
sqrt(T) (G + e M (1 + G)) <= sqrt(T) G (1 + 2eM) <= H sqrt(T) with H = exp(4eM). As before, H^2 takes the place of 1:
if C gamma > ||w0||, then C gamma^2 <= 2 gamma ||w0|| + (H^2 - 1) ||w0||^2/C + H^2 A. Here ||w0||^2/C < gamma ||w0||,
and 1 + H^2 <= 2 H^2. So C <= H^2 B. For M <= 2^50 updates the exponent of H^2 = exp(8eM) = exp(z) is at most 1, and
exp(z) <= 1 + 2z. Hence

    C <= B (1 + 2^-49 M).

M stands here, and not C, since it counts the roundings: M <= C/c_min, and no theorem bounds it by C alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

from novikoff.theory.exact import Number, Vector, nearest, rational, sqnorm, vector
from novikoff.theory.margin_perceptron import AT_THRESHOLD, FINISHED, NOT_NEGATIVE
from novikoff.theory.perceptron import FROM_ZERO, NOVIKOFF, SEPARATED, least_allowed
from novikoff.theory.rounding import positive_margin
from novikoff.theory.theorem import Hypothesis, Run, Theorem

WEIGHTED_EXCESS = Fraction(1, 2**49)
MOST_WEIGHTED = 2**50  # updates, from where on nothing is proved of rounded weights


@dataclass(frozen=True)
class WeightedRun(Run):
    """A run on examples with weights; ``updates`` add c y x.

    Parameters
    ----------
    costs
        c of each example.
    """

    costs: Vector = field(default=())

    @classmethod
    def weighted(
        cls,
        X: Sequence[Sequence[Number]],
        y: Sequence[int],
        costs: Sequence[Number],
        witness: Sequence[Number],
        updates: Sequence[int],
        *,
        mistakes: int | None = None,
        threshold: Number = 0,
        start: Sequence[Number] = (),
        weights: Sequence[Sequence[Number]] = (),
    ) -> WeightedRun:
        """From numbers of any kind, each taken at its exact value."""
        run = Run.of(X, y, witness, updates, mistakes=mistakes, threshold=threshold, start=start, weights=weights)
        return cls(**vars(run), costs=vector(costs))

    @cached_property
    def path(self) -> list[list[Fraction]]:
        """w_0, w_1, ...: w before the first update and after each."""
        if self.weights:
            return [list(w) for w in self.weights]
        steps = [list(self.start) or [Fraction(0)] * len(self.witness)]
        for i in self.updates:
            steps.append(self.stepped(steps[-1], i))
        return steps

    def stepped(self, w: Vector, i: int) -> list[Fraction]:
        """w + c y x."""
        return [a + self.costs[i] * self.signs[i] * x for a, x in zip(w, self.rows[i], strict=True)]

    @cached_property
    def weight(self) -> Fraction:
        """C: the weights of all updates."""
        return sum((self.costs[i] for i in self.updates), Fraction(0))

    @cached_property
    def squares(self) -> Fraction:
        """S: the squares of the weights of all updates."""
        return sum((self.costs[i] ** 2 for i in self.updates), Fraction(0))


def _adds(run: WeightedRun) -> bool:
    return all(
        after == run.stepped(before, i) for before, after, i in zip(run.path, run.path[1:], run.updates, strict=False)
    )


def _rounds_twice(run: WeightedRun) -> bool:
    """Is every update what floats make of w + y (c x), with products within 2^-53 of their values?"""
    floats = [*run.path[0], *run.costs, *(x for row in run.rows for x in row)]
    return all(nearest(a) == a for a in floats) and all(
        _near(cx, p) and nearest(a + run.signs[i] * p) == b
        for before, after, i in zip(run.path, run.path[1:], run.updates, strict=False)
        for a, b, x in zip(before, after, run.rows[i], strict=True)
        for cx in [run.costs[i] * x]
        for p in [Fraction(nearest(cx))]
    )


def _near(exact: Fraction, rounded: Fraction) -> bool:
    """It is not where the product is below the normal range, and loses digits there."""
    return abs(rounded - exact) * 2**53 <= abs(exact)


POSITIVE_WEIGHTS = Hypothesis("c > 0 for every example", lambda run: min(run.costs) > 0)
WEIGHTED_ADDS = Hypothesis("every update is exactly w + c y x", _adds)


def weighted_bound(
    radius_sq: Number, gamma: Number, heaviest: Number, start_norm: Number = 0, threshold: Number = 0
) -> Fraction:
    """(c_max R^2 + 2 theta + 2 gamma ||w0||)/gamma^2, for the sum C of the weights of all updates.

    ``heaviest`` is c_max, or, when the run is over, S/C: the sum of the squares of the weights by their sum. It is a
    rational, since C is no integer. A float gamma is trusted to 2^-51 of its value, and taken at the lower end.
    """
    margin = positive_margin(gamma)
    growth = rational(heaviest) * rational(radius_sq) + 2 * rational(threshold)
    return (growth + 2 * margin * rational(start_norm)) / margin**2


def weighted_float_bound(
    radius_sq: Number,
    gamma: Number,
    heaviest: Number,
    updates: int,
    start_norm: Number = 0,
    threshold: Number = 0,
) -> Fraction | None:
    """B (1 + 2^-49 M) for M <= 2^50 updates, where B is what `perceptron-weighted` gives; None for more of them.

    ``updates`` is M, which a run counts; C/c_min is one as large.
    """
    if updates > MOST_WEIGHTED:
        return None
    return weighted_bound(radius_sq, gamma, heaviest, start_norm, threshold) * (1 + WEIGHTED_EXCESS * updates)


def _little_weight(run: WeightedRun) -> bool:
    """C^2 gamma^2 - R^2 S - 2 theta C <= 2 C gamma ||w0||, squared where the left side is positive."""
    C = run.weight
    rest = C**2 * run.margin_sq - run.radius_sq * run.squares - 2 * run.threshold * C
    return run.margin_sq > 0 and (rest <= 0 or rest**2 <= 4 * C**2 * run.margin_sq * sqnorm(run.path[0]))


def _growth(run: WeightedRun) -> Fraction:
    """c_max R^2 + 2 theta."""
    return max(run.costs) * run.radius_sq + 2 * run.threshold


def _little_rounded_weight(run: WeightedRun) -> bool:
    """C gamma^2/(1 + 2^-49 M) - c_max R^2 - 2 theta <= 2 gamma ||w0||, squared where the left side is positive."""
    rest = run.weight * run.margin_sq / (1 + WEIGHTED_EXCESS * len(run.updates)) - _growth(run)
    return run.margin_sq > 0 and (rest <= 0 or rest**2 <= 4 * run.margin_sq * sqnorm(run.path[0]))


WEIGHTED = Theorem(
    "perceptron-weighted",
    "Perceptron on examples with weights",
    "If a weight c > 0 multiplies the step, the sum C of the weights of all updates has C^2 gamma^2 <= R^2 S + "
    "2 theta C + 2 C gamma ||w0||, where S is the sum of their squares; so C <= (c_max R^2 + 2 theta + "
    "2 gamma ||w0||)/gamma^2.",
    (SEPARATED, POSITIVE_WEIGHTS, NOT_NEGATIVE, WEIGHTED_ADDS, AT_THRESHOLD),
    weighted_bound,
    _little_weight,
    "Novikoff's argument with weights; " + NOVIKOFF,
    WeightedRun,
)


def _wide(run: WeightedRun) -> bool:
    """min y<w,x>/||w|| >= theta gamma/(c_max R^2 + 2 theta), as squares."""
    worst = min(run.finals)
    return worst > 0 and worst**2 * _growth(run) ** 2 >= run.threshold**2 * run.margin_sq * sqnorm(run.path[-1])


def weighted_margin_bound(radius_sq: Number, gamma: Number, heaviest: Number, threshold: Number) -> Fraction:
    """(c_max R^2 + 2 theta)/gamma^2, for the sum C of the weights of all updates."""
    return weighted_bound(radius_sq, gamma, heaviest, 0, threshold)


WEIGHTED_MARGIN = Theorem(
    "weighted-margin",
    "Margin Perceptron on examples with weights",
    "Updating by c y x while some y<w,x> <= theta ends with C <= (c_max R^2 + 2 theta)/gamma^2 for the sum C of the "
    "weights of all updates, and a margin of at least theta gamma/(c_max R^2 + 2 theta).",
    (
        SEPARATED,
        POSITIVE_WEIGHTS,
        Hypothesis("theta > 0", lambda run: run.threshold > 0),
        FROM_ZERO,
        WEIGHTED_ADDS,
        AT_THRESHOLD,
        FINISHED,
    ),
    weighted_margin_bound,
    lambda run: run.weight * run.margin_sq <= _growth(run) and run.margin_sq > 0 and _wide(run),
    "Harvey's proof with weights",
    WeightedRun,
)


def weighted_least(radius_sq: Number, norm_sq: Number, weight: Number) -> int:
    """floor(R^2 C^2/||w||^2): whatever the best margin is, R^2/gamma^2 is no less."""
    C = rational(weight)
    return least_allowed(radius_sq, rational(norm_sq) / C**2, 1) if C else 1


def _upper_end(run: WeightedRun) -> bool:
    """C gamma <= ||w - w0||, as squares."""
    change = [a - b for a, b in zip(run.path[-1], run.path[0], strict=True)]
    return run.margin_sq * run.weight**2 <= sqnorm(change)


WEIGHTED_END = Theorem(
    "weighted-upper-end",
    "A run with weights bounds every margin from above",
    "If updates by c y x, with weights of the sum C, have changed w0 to w, no w* has a margin above ||w - w0||/C.",
    (POSITIVE_WEIGHTS, WEIGHTED_ADDS),
    weighted_least,
    _upper_end,
    "Cauchy-Schwarz: C gamma <= <w - w0,w*> <= ||w - w0||; the dual of the maximum margin",
    WeightedRun,
)

WEIGHTED_ROUNDED = Theorem(
    "weighted-rounded",
    "Examples with weights, rounded to floats",
    "If the entries of c x, and then those of w + y c x, are rounded to the nearest float64, M <= 2^50 updates have "
    "weights of the sum C <= B (1 + 2^-49 M), where B = (c_max R^2 + 2 theta + 2 gamma ||w0||)/gamma^2 is the bound "
    "without rounding.",
    (
        SEPARATED,
        POSITIVE_WEIGHTS,
        NOT_NEGATIVE,
        AT_THRESHOLD,
        Hypothesis(
            "w, x and c are float64, every update is w + y c x with product and sum to the nearest float64, and no "
            "product loses digits below the normal range",
            _rounds_twice,
        ),
    ),
    weighted_float_bound,
    _little_rounded_weight,
    "Novikoff's argument with weights and both roundings kept",
    WeightedRun,
)
