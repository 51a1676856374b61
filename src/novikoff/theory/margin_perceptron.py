"""The Margin Perceptron's theorems: few updates, and a margin in return."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise

from novikoff.theory.exact import Number, rational, sqnorm
from novikoff.theory.perceptron import ADDS, FROM_ZERO, SEPARATED, UNIT_ROWS, at_most, update_bound
from novikoff.theory.theorem import Hypothesis, Run, Theorem

FINISHED = Hypothesis(
    "the run is finished: y<w,x> > theta for every example", lambda run: min(run.finals) > run.threshold
)
AT_THRESHOLD = Hypothesis(
    "w changes only where y<w,x> <= theta", lambda run: all(p <= run.threshold for p in run.products)
)

NOT_NEGATIVE = Hypothesis("theta >= 0", lambda run: run.threshold >= 0)


def _margin_at_least(run: Run, theta: Fraction, radius_sq: Fraction) -> bool:
    """min y<w,x> / ||w|| >= theta gamma / (R^2 + 2 theta), as squares."""
    worst = min(run.finals)
    return worst > 0 and worst**2 * (radius_sq + 2 * theta) ** 2 >= theta**2 * run.margin_sq * sqnorm(run.path[-1])


def _unit(run: Run) -> bool:
    return at_most(len(run.updates), Fraction(3), run.margin_sq) and _margin_at_least(run, Fraction(1), Fraction(1))


def _any(run: Run) -> bool:
    gain = run.radius_sq + 2 * run.threshold
    return at_most(len(run.updates), gain, run.margin_sq) and _margin_at_least(run, run.threshold, run.radius_sq)


UNIT = Theorem(
    "margin-perceptron",
    "Margin Perceptron on unit rows",
    "Updating while some y<w,x> <= 1 ends after at most 3/gamma^2 updates with a margin of at least gamma/3.",
    (
        SEPARATED,
        UNIT_ROWS,
        FROM_ZERO,
        ADDS,
        Hypothesis("theta = 1", lambda run: run.threshold == 1),
        AT_THRESHOLD,
        FINISHED,
    ),
    lambda margin_sq: update_bound(1, margin_sq, 1),
    _unit,
    "N. Harvey, Machine Learning Theory, Lecture 7 (2018), Theorem 2.1",
)

THRESHOLD = Theorem(
    "margin-perceptron-threshold",
    "Margin Perceptron with any threshold",
    "Updating while some y<w,x> <= theta ends after at most (R^2 + 2 theta)/gamma^2 updates with a margin of at "
    "least theta gamma/(R^2 + 2 theta); theta = R^2 gives 3R^2/gamma^2 and gamma/3.",
    (SEPARATED, FROM_ZERO, ADDS, Hypothesis("theta > 0", lambda run: run.threshold > 0), AT_THRESHOLD, FINISHED),
    update_bound,
    _any,
    "Harvey's proof with ||x|| <= R and theta in place of 1",
)


def length_bound(updates: int, radius_sq: Number = 1, threshold: Number = 1) -> int:
    """floor(t (R^2 + 2 theta)): ||w||^2 after t updates from 0; with R = theta = 1 it is 3t.

    ||w + y x||^2 = ||w||^2 + 2 y<w,x> + ||x||^2, where y<w,x> <= theta and ||x|| <= R.
    """
    return math.floor(updates * (rational(radius_sq) + 2 * rational(threshold)))


def _short_steps(run: Run) -> bool:
    """Every step adds at most R^2 + 2 theta to ||w||^2."""
    lengths = [sqnorm(w) for w in run.path]
    return all(after - before <= run.radius_sq + 2 * run.threshold for before, after in pairwise(lengths))


GROWTH = Theorem(
    "margin-perceptron-step",
    "One update of the Margin Perceptron",
    "Every update with y<w,x> <= theta adds at most R^2 + 2 theta to ||w||^2: at most 3 if the rows are of length 1 "
    "and theta = 1.",
    (ADDS, AT_THRESHOLD),
    length_bound,
    _short_steps,
    "N. Harvey, Machine Learning Theory, Lecture 7 (2018), Claim 2.2",
)
