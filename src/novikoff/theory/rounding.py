"""Novikoff's bound for weights that are floats: what the rounding of w can cost.

Let u = 2^-53, and let w' = w + yx + e be w after an update, where e is the rounding of the sum to the nearest
float64, entry by entry. Then |e| <= u |w'| and |e| <= u |w + yx| in each entry (sums below the normal range are
exact), so ||e|| <= u ||w'|| and ||w'|| <= (1 + u) ||w + yx||.

Length: ||w + yx||^2 = ||w||^2 + 2y<w,x> + ||x||^2 <= ||w||^2 + A with A = R^2 + 2 theta >= 0, since decisions are
exact and y<w,x> <= theta, where theta >= 0. So ||w_t||^2 <= (1 + u)^(2t) (||w_0||^2 + tA) after t updates.

Direction: each update adds y<w*,x> + <e,w*> >= gamma - u ||w'|| to <w,w*>, where ||w*|| = 1. After M updates, with
G = (1 + uM) (1 + u)^M,

    M gamma - ||w_0|| <= <w_M,w*> + u (||w_1|| + ... + ||w_M||) <= G sqrt(||w_0||^2 + MA).

Together: let C = (A + 2 gamma ||w_0||)/gamma^2: the bound without rounding. If M gamma <= ||w_0||, then M <= C. If
not, square, divide by M, and use ||w_0||^2/M < gamma ||w_0|| and 1 + G^2 <= 2 G^2:

    M gamma^2 <= 2 gamma ||w_0|| + (G^2 - 1) ||w_0||^2/M + G^2 A <= G^2 (A + 2 gamma ||w_0||), so M <= G^2 C.

From w_0 = 0 this is M gamma^2 <= A G^2.

The closed form: G^2 <= exp(z) with z = 4uM, so z <= 4uC exp(z). If C < 2^49 = 1/(16u), then z exp(-z) < 1/4, which no z
from 0.36 to 2.15 satisfies. It holds after each of the updates, and z comes from 0 in steps of 4u: so z < 0.36, where
exp(z) <= 1 + 2z. Then M <= C (1 + 8uM) = C (1 + 2^-50 M), which is M <= C/(1 - 2^-50 C).

For C up to a million the rounding adds less than a thousandth of an update, and matters only if C is nearly an
integer; for C below 33 million it adds less than one.
"""

from __future__ import annotations

import math
from fractions import Fraction

from novikoff.theory.exact import Number, at_least, nearest, rational, sqnorm
from novikoff.theory.margin_perceptron import AT_THRESHOLD, NOT_NEGATIVE
from novikoff.theory.perceptron import SEPARATED
from novikoff.theory.theorem import Hypothesis, Run, Theorem

EXCESS = Fraction(1, 2**50)
LIMIT = 2**49  # from here on the theorem promises nothing


def float_bound(radius_sq: Number, margin_sq: Number, threshold: Number = 0) -> int | None:
    """floor(C / (1 - 2^-50 C)) for C = (R^2 + 2 theta) / gamma^2 < 2^49, from w = 0; None for larger C."""
    if not rational(margin_sq) > 0:
        raise ValueError(f"the bound needs a positive margin; gamma^2 = {margin_sq}")
    return _with_rounding((rational(radius_sq) + 2 * rational(threshold)) / rational(margin_sq))


def float_bound_from_start(
    radius_sq: Number, gamma: Number, start_norm: Number = 0, threshold: Number = 0
) -> int | None:
    """floor(C / (1 - 2^-50 C)) for C = (R^2 + 2 theta + 2 gamma ||w0||) / gamma^2 < 2^49; None for larger C.

    A float gamma is trusted to 2^-51 of its value, and taken at the lower end.
    """
    margin = positive_margin(gamma)
    growth = rational(radius_sq) + 2 * rational(threshold) + 2 * margin * rational(start_norm)
    return _with_rounding(growth / margin**2)


def _with_rounding(allowed: Fraction) -> int | None:
    return math.floor(allowed / (1 - EXCESS * allowed)) if allowed < LIMIT else None


def positive_margin(gamma: Number) -> Fraction:
    """The lower end of a margin that a theorem can speak of."""
    try:
        margin = at_least(gamma)
    except (ValueError, OverflowError):  # nan and the infinities have no exact value
        margin = Fraction(0)
    if not margin > 0:
        raise ValueError(f"the bound needs a positive margin that is finite; gamma = {gamma}")
    return margin


def _nearest_floats(run: Run) -> bool:
    steps = zip(run.path, run.path[1:], run.updates, strict=False)
    floats = [*run.path[0], *(x for i in run.updates for x in run.rows[i])]
    return all(nearest(a) == a for a in floats) and all(
        nearest(a + run.signs[i] * x) == b
        for before, after, i in steps
        for a, b, x in zip(before, after, run.rows[i], strict=True)
    )


NEAREST_FLOATS = Hypothesis("w and x are float64, and every update is w + y x to the nearest float64", _nearest_floats)


def _below_limit(run: Run) -> bool:
    """R^2 + 2 theta + 2 gamma ||w0|| < 2^49 gamma^2, squared for the two roots."""
    rest = LIMIT * run.margin_sq - run.radius_sq - 2 * run.threshold
    return rest > 0 and 4 * run.margin_sq * sqnorm(run.path[0]) < rest**2


def _few_updates(run: Run) -> bool:
    """M <= C (1 + 2^-50 M): M gamma^2/(1 + 2^-50 M) - R^2 - 2 theta <= 2 gamma ||w0||, squared for the roots."""
    count = len(run.updates)
    rest = count * run.margin_sq / (1 + EXCESS * count) - run.radius_sq - 2 * run.threshold
    return run.margin_sq > 0 and (rest <= 0 or rest**2 <= 4 * run.margin_sq * sqnorm(run.path[0]))


ROUNDED = Theorem(
    "perceptron-rounded",
    "Perceptron, weights rounded to floats",
    "If every entry of w + y x is rounded to the nearest float64, there are at most C/(1 - 2^-50 C) updates, where "
    "C = (R^2 + 2 theta + 2 gamma ||w0||)/gamma^2 < 2^49 is the bound without rounding.",
    (
        SEPARATED,
        NOT_NEGATIVE,
        AT_THRESHOLD,
        NEAREST_FLOATS,
        Hypothesis("C < 2^49", _below_limit),
    ),
    float_bound_from_start,
    _few_updates,
    "Novikoff's argument with the rounding kept; for the rounding, N. J. Higham, Accuracy and Stability of Numerical "
    "Algorithms (2002), section 2.2",
)
