"""What always updating on the most violated example gives: the whole margin, in the limit.

Let w* be the point nearest to the origin in the convex hull of the examples y x: w* = sum a_i y_i x_i with a_i >= 0 of
sum 1, and y<w*,x> >= ||w*||^2 for every example. If gamma = ||w*|| is positive, it is the best
margin; if it is 0, there is no separator.

The smallest y<w,x> is at most the mean with the weights a, <w,w*>. Let w_T be what T updates on the smallest one give
from 0, v = w_T - T w* how far it is from the line through w*, and x the example of the next. Then

    ||w_T + y x - (T + 1) w*||^2 = ||v + y x - w*||^2 = ||v||^2 + 2 <v,y x - w*> + ||y x - w*||^2.

The middle term is at most 0, because <w_T,y x> <= <w_T,w*> and <w*,y x> >= ||w*||^2; the last one is
||x||^2 - 2 y<w*,x> + ||w*||^2 <= R^2 - gamma^2. From 0 on, therefore,

    ||w_T - T w*||^2 <= T (R^2 - gamma^2).

So w_T/T tends to w*. If there is a separator, the margin of w_T tends to the best one, and ||w_T||/T, which no margin
exceeds, to it from above.

With a threshold theta, before the last of M updates, at T = M - 1, some y<w_T,x> <= theta. But y<w_T,x> = T y<w*,x> +
y<v,x> >= T gamma^2 - R sqrt(T (R^2 - gamma^2)), which bounds T. In the end y<w,x> > theta for every example, and
||w|| <= M gamma + sqrt(M (R^2 - gamma^2)).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

from novikoff.theory.exact import Number, Vector, inner, rational, root, sqnorm, vector
from novikoff.theory.margin_perceptron import AT_THRESHOLD, FINISHED, NOT_NEGATIVE
from novikoff.theory.perceptron import ADDS, FROM_ZERO
from novikoff.theory.theorem import Hypothesis, Run, Theorem

KRAUTH_MEZARD = (
    "W. Krauth and M. Mézard, Learning algorithms with optimal stability in neural networks, "
    "J. Phys. A 20 (1987) L745-L752"
)


@dataclass(frozen=True)
class WorstFirst(Run):
    """A run, with the weights that prove its witness to be the best.

    Parameters
    ----------
    hull
        a_i >= 0 of sum 1: w* is the sum of a_i y_i x_i.
    """

    hull: Vector = field(default=())

    @classmethod
    def along(
        cls,
        X: Sequence[Sequence[Number]],
        y: Sequence[int],
        hull: Sequence[Number],
        updates: Sequence[int],
        threshold: Number = 0,
        start: Sequence[Number] = (),
    ) -> WorstFirst:
        """From numbers of any kind, each taken at its exact value."""
        rows = [vector(row) for row in X]
        weights = vector(hull)
        columns = zip(*([sign * x for x in row] for row, sign in zip(rows, y, strict=True)), strict=True)
        witness = [inner(weights, column) for column in columns]
        run = Run.of(rows, y, witness, updates, threshold=threshold, start=start)
        return cls(**vars(run), hull=weights)

    @cached_property
    def best_sq(self) -> Fraction:
        """gamma^2 = ||w*||^2."""
        return sqnorm(self.witness)


def _hardest(run: WorstFirst) -> bool:
    """Is every update on an example with the smallest y<w,x>?"""
    signed = [[y * x for x in row] for row, y in zip(run.rows, run.signs, strict=True)]
    return all(
        inner(w, signed[i]) == min(inner(w, row) for row in signed) for w, i in zip(run.path, run.updates, strict=False)
    )


IN_THE_HULL = Hypothesis(
    "w* = sum a_i y_i x_i with a_i >= 0 of sum 1",
    lambda run: (
        min(run.hull) >= 0
        and sum(run.hull) == 1
        and all(
            inner(run.hull, [y * row[j] for row, y in zip(run.rows, run.signs, strict=True)]) == run.witness[j]
            for j in range(len(run.witness))
        )
    ),
)
NEAREST = Hypothesis("y<w*,x> >= ||w*||^2 for every example", lambda run: min(run.margins) >= run.best_sq)
HARDEST = Hypothesis("every update is on an example with the smallest y<w,x>", _hardest)


# Always the most violated example ------------------------------------------------------------------


def worst_first_bound(radius_sq: Number, margin_sq: Number, epsilon: Number) -> int:
    """The smallest T with sqrt((R^2 - gamma^2)/T) <= epsilon, 1 at least: then ||w_T||/T <= gamma + epsilon."""
    level = rational(epsilon)
    if not level > 0:
        raise ValueError(f"the bound needs epsilon > 0; it is {epsilon}")
    return max(1, math.ceil((rational(radius_sq) - rational(margin_sq)) / level**2))


def _near_the_hull(run: WorstFirst) -> bool:
    return all(
        sqnorm([a - T * b for a, b in zip(w, run.witness, strict=True)]) <= T * (run.radius_sq - run.best_sq)
        for T, w in enumerate(run.path)
    )


WORST_FIRST = Theorem(
    "worst-first",
    "Always the most violated example",
    "Let w* be the point nearest to the origin in the convex hull of the examples y x, and gamma = ||w*||. "
    "T updates from 0, each on the smallest y<w,x>, end within sqrt(T (R^2 - gamma^2)) of T w*: w/T tends to w*, and "
    "the margin of w to gamma, which is the best margin, if gamma > 0.",
    (IN_THE_HULL, NEAREST, FROM_ZERO, ADDS, HARDEST),
    worst_first_bound,
    _near_the_hull,
    KRAUTH_MEZARD,
    about=WorstFirst,
)


# With a threshold ----------------------------------------------------------------------------------


def worst_first_updates(radius_sq: Number, margin_sq: Number, threshold: Number) -> int:
    """floor(1 + s^2), where s solves gamma^2 s^2 = theta + s R sqrt(R^2 - gamma^2), up to 2^-64 of it.

    M - 1 <= s^2 is theta/gamma^2 but for terms of lower order, so that the promised margin tends to gamma.
    """
    R_sq, best_sq, theta = rational(radius_sq), rational(margin_sq), rational(threshold)
    if not (best_sq > 0 and R_sq >= best_sq and theta >= 0):
        raise ValueError(
            f"the bound needs 0 < gamma <= R and theta >= 0; gamma^2 = {margin_sq}, R^2 = {radius_sq}, "
            f"theta = {threshold}"
        )
    noise_sq = R_sq * (R_sq - best_sq)
    s = (root(noise_sq)[1] + root(noise_sq + 4 * best_sq * theta)[1]) / (2 * best_sq)
    return math.floor(1 + s**2)


def _few_updates(run: WorstFirst) -> bool:
    """(M - 1) gamma^2 - theta <= R sqrt((M - 1)(R^2 - gamma^2)), squared where the left side is positive."""
    T = max(len(run.updates) - 1, 0)
    over = T * run.best_sq - run.threshold
    return over <= 0 or over**2 <= T * run.radius_sq * (run.radius_sq - run.best_sq)


def _wide(run: WorstFirst) -> bool:
    """min y<w,x> / ||w|| >= theta / (M gamma + sqrt(M (R^2 - gamma^2))), without a root."""
    M, worst, rest_sq = len(run.updates), min(run.finals), run.radius_sq - run.best_sq
    if not worst > 0:
        return False
    over = run.threshold**2 * sqnorm(run.path[-1]) / worst**2 - M**2 * run.best_sq - M * rest_sq
    return over <= 0 or over**2 <= 4 * M**3 * run.best_sq * rest_sq


WORST_MARGIN = Theorem(
    "worst-first-margin",
    "The whole margin, by the most violated example",
    "Updating on the smallest y<w,x> while it is <= theta ends after M updates, (M - 1) gamma^2 <= theta + "
    "R sqrt((M - 1)(R^2 - gamma^2)), with a margin of at least theta/(M gamma + sqrt(M (R^2 - gamma^2))), where gamma "
    "is the best margin: all of gamma as theta grows.",
    (
        IN_THE_HULL,
        NEAREST,
        Hypothesis("gamma > 0", lambda run: run.best_sq > 0),
        NOT_NEGATIVE,
        FROM_ZERO,
        ADDS,
        HARDEST,
        AT_THRESHOLD,
        FINISHED,
    ),
    worst_first_updates,
    lambda run: _few_updates(run) and _wide(run),
    KRAUTH_MEZARD + ", with a count of the updates",
    about=WorstFirst,
)
