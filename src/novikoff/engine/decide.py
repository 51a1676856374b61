"""One example: which side, is it a mistake, is it an update. Every answer is sums.

The float dot product s of D = d + 1 terms, summed in any order, satisfies
|s - <w,x>| <= D u / (1 - D u) * ||w|| ||x|| with u = 2^-53 (Higham 2002, section 3.1). The filter uses
(D + 2) 2^-52 ||w|| ||x||, twice that, which also covers the rounding of the norms, of the comparison and
of underflow, because rows and weights whose norm is outside 2^-400 .. 2^400 never trust the filter.
What the filter cannot call goes to `novikoff.engine.sums`.
"""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np

from novikoff.engine import sums
from novikoff.engine.compile import inlined, outlined
from novikoff.engine.heads import Heads, rank
from novikoff.engine.keeping import Kept, before_step
from novikoff.engine.rule import NO_STEP, Rule, measures, threshold, violated
from novikoff.engine.rule import step as step_of
from novikoff.engine.storage import Storage, Vector, dot_and_sqnorm, row_is_finite, sqnorm_in_floats
from novikoff.engine.sums import power
from novikoff.engine.weights import (
    Weights,
    as_sign,
    entries,
    nearest,
    product_and_sqnorm,
    rival,
    sign_beyond,
    size,
    sqnorm,
    squares,
    step,
    step_is_finite,
    step_rounds,
)

# The whole state of a run beside w: one record, so that Python and compiled code read the same names.
_FIELDS = np.dtype(
    [
        ("theta", "f8"),  # where y<w,x> > theta, the rule asks for nothing
        ("constant", "f8"),  # the appended coordinate; 0 without an intercept
        ("unit", "i8"),  # 1: rows are divided by their norm
        ("norm", "f8"),  # an upper bound on ||w||
        ("radius_m", "f8"),  # (largest ||x|| so far)^2 = radius_m * 2^radius_e, rows as learned from
        ("radius_e", "i8"),
        ("radius_sq", "f8"),  # the same as a float, infinite when it overflows
        ("mistakes", "i8"),
        ("updates", "i8"),
        ("step", "f8"),  # the length of the last one
        ("rival", "i8"),  # the class that it led away from
        ("steps", "f8"),  # the sum of their lengths; where it would overflow, the largest float
        ("least_weight", "f8"),  # of the examples updated on; 0 before the first
        ("most_weight", "f8"),
        ("weight", "f8"),  # all of them; where it would overflow, the largest float
        ("rounded", "i8"),  # 1: some update was not exactly w + step y x
        ("slow", "i8"),  # decisions that floats could not take
        ("at", "i8"),  # where in the pass the loop stands
        ("found", "i8"),  # updates in this pass; for a search, the row with the smallest margin so far
        ("pass_theta", "f8"),  # theta when this pass began
        ("pass_mistakes", "i8"),  # mistakes before it
        ("loss", "f8"),  # the largest theta - y<w,x> of the violated rows that this pass met, if the rule measures
        ("traced", "i8"),  # updates that this call has written down
        ("rounds", "i8"),  # rows that had their turn with a label, or searches, before this one, since w began
        ("turns", "i8"),  # passes, or searches, before this one
        ("done", "i8"),  # 1 after a pass that satisfied the rule
        ("row", "i8"),  # the row that an error code speaks of
    ],
    align=True,
)
STATE = np.dtype((np.record, _FIELDS))  # so that state[0].norm reads the same in Python

MISTAKE, UPDATE = 1, 2  # bits of a verdict
# Errors about row state.row: an entry is not finite; nothing to normalise; w would overflow;
# theta = ||x||^2 is not a normal float; ||x|| is not one, and rows are to be divided by it; ||x||^2 is not one, and
# a step is to be divided by it; the step c x is so short that its products may underflow.
NOT_FINITE, ZERO_ROW, OVERFLOW, THETA_RANGE, NORM_RANGE, STEP_RANGE, UNDERFLOW = -1, -2, -3, -4, -5, -6, -7
GREW = 1  # no error: the row is the longest so far

HUGE, TINY = 2.0**400, 2.0**-400
NORMAL, LARGEST = 2.0**-1022, sys.float_info.max
SHORTEST = 2.0**-900  # a step that is no shorter loses nothing to underflow that a bound could notice


@inlined
def slack(width: int) -> float:
    return float(width + 2) * 2.0**-52


@inlined
def slope(width: int, norm: float) -> float:
    """The filter's error per unit of ||x||, for weights of so many entries and this norm."""
    if norm == 0.0:
        return 0.0
    return slack(width) * norm if TINY <= norm <= HUGE else math.inf


@inlined
def divisor(rows: Storage, i: int) -> float:
    """What row i is divided by: its norm if ``unit``, else 1."""
    if not rows.unit:
        return 1.0
    if rows.norm[i] < math.inf:
        return float(rows.norm[i])
    m, e = sums.sqnorm(rows, i)
    return root(m, e)


@inlined
def root(m: float, e: int) -> float:
    """sqrt(m 2^e)."""
    half = e // 2
    return power(math.sqrt(m * 2.0 ** (e - 2 * half)) / 2.0, half + 1)


@inlined
def reach(rows: Storage, i: int) -> float:
    """The norm of the row as learned from, for the filter."""
    return 1.0 if rows.unit and rows.norm[i] < math.inf else float(rows.norm[i])


@inlined
def measure(rows: Storage, i: int, q: float, width: int, s: Any) -> int:
    """First sight of row i, whose float sqnorm is q: validate, note the norm, raise the radius.

    Returns 0, GREW, or an error code. ``width`` counts the constant coordinate.
    """
    if not rows.unit and q >= TINY * TINY and q * (1.0 + 2.0 * slack(width)) < min(s.radius_sq, HUGE * HUGE):
        rows.norm[i] = math.sqrt(q)
        return 0
    return _measure_exactly(rows, i, q, s)


@outlined
def _measure_exactly(rows: Storage, i: int, q: float, s: Any) -> int:
    ordinary = TINY * TINY <= q <= HUGE * HUGE
    if ordinary:
        rows.norm[i] = math.sqrt(q)
    else:
        if not math.isfinite(q) and not row_is_finite(rows, i):
            return NOT_FINITE
        rows.norm[i] = math.inf
    m, e = sums.sqnorm(rows, i)
    if m == 0.0:
        if rows.unit:
            return ZERO_ROW
        rows.norm[i] = 0.0
        return 0
    if rows.unit:
        if not NORMAL <= root(m, e) < math.inf:
            return NORM_RANGE
        if ordinary:
            rows.norm[i] = root(m, e)
        m, e = 0.5, 1
    if s.radius_m == 0.0 or e > s.radius_e or (e == s.radius_e and m > s.radius_m):
        s.radius_m = m
        s.radius_e = e
        s.radius_sq = power(m, e)
        return GREW
    return 0


@inlined
def side(rows: Storage, i: int, y: float, w: Weights, theta: float, m: float, error: float, s: Any) -> int:
    """The sign of p - theta, from m = p in floats and its error."""
    if m > theta + error:
        return 1
    if m < theta - error:
        return -1
    if error == 0.0:
        return 0
    s.slow += 1
    return sign_beyond(w, rows, i, y, divisor(rows, i), theta, error)


@inlined
def has_threshold(rule: Rule, radius_sq: float) -> bool:
    """Is theta a float? It may grow with R^2, which may be none."""
    grows = threshold(rule, 1.0) != threshold(rule, 2.0)
    return not grows or NORMAL <= radius_sq < math.inf


@inlined
def meet(rows: Storage, i: int, q: float, w: Weights, rule: Rule, s: Any) -> int:
    """`measure`, and theta for the radius that stands then. After an error radius and theta are as before."""
    radius_m, radius_e, radius_sq = s.radius_m, s.radius_e, s.radius_sq
    code = measure(rows, i, q, entries(w), s)
    if code == GREW:
        if not has_threshold(rule, s.radius_sq):
            s.radius_m, s.radius_e, s.radius_sq = radius_m, radius_e, radius_sq
            return THETA_RANGE
        s.theta = threshold(rule, s.radius_sq)
    return min(code, 0)


@inlined
def judge(rows: Storage, i: int, y: float, w: Weights, rule: Rule, m: float, error: float, s: Any) -> int:
    """MISTAKE and UPDATE bits for a measured row, given m = p in floats."""
    sign = side(rows, i, y, w, 0.0, m, error, s)
    verdict = 0
    if sign < 0 or (sign == 0 and rule.zero != as_sign(w, y)):
        verdict = MISTAKE
    if s.theta != 0.0:
        sign = side(rows, i, y, w, s.theta, m, error, s)
    if violated(rule, sign, as_sign(w, y)):
        verdict |= UPDATE
    return verdict


@inlined
def length_of_step(rows: Storage, i: int, y: float, c: float, w: Weights, rule: Rule, s: Any) -> float:
    """How far the rule goes away from s.rival; nan where ||x||^2 is not a normal float, though the rule asks for it."""
    if not measures(rule):
        return step_of(rule, 0.0, 0.0, c)
    return _measured_step(rows, i, y, c, w, rule, s)


@outlined
def _measured_step(rows: Storage, i: int, y: float, c: float, w: Weights, rule: Rule, s: Any) -> float:
    if rows.norm[i] == 0.0:
        s.loss = max(s.loss, s.theta)
        return NO_STEP
    length = reach(rows, i) * (1.0 + slack(entries(w)))
    square = 1.0
    if not rows.unit:
        square = sums.nearest_square(rows, i, length * length)
        if not NORMAL <= square < math.inf:
            return math.nan
    product = nearest(w, rows, i, y, divisor(rows, i), s.rival, s.norm * length)
    s.loss = max(s.loss, s.theta - product)
    return step_of(rule, product, square, c)


@inlined
def update(
    rows: Storage,
    i: int,
    y: float,
    c: float,
    w: Weights,
    kept: Kept,
    rule: Rule,
    m: float,
    error: float,
    s: Any,
) -> int:
    """A step, unless it would overflow; keeps the bound on ||w||. Returns 1, 0 for no step, or an error code."""
    s.rival = rival(w, rows, i, y, divisor(rows, i), error)
    length = length_of_step(rows, i, y, c, w, rule, s)
    if length == NO_STEP:
        return 0
    if math.isnan(length):
        return STEP_RANGE
    q = divisor(rows, i)
    x = length * (reach(rows, i) * (1.0 + slack(entries(w))))
    # ||w + step y x||^2 = ||w||^2 + 2 step p + step^2 ||x||^2
    grown = s.norm * s.norm + 2.0 * length * (m + error) + x * x
    if TINY * TINY <= grown <= HUGE * HUGE:
        norm = math.sqrt(grown) * (1.0 + 2.0**-50)
    else:
        if not x < math.inf:
            mantissa, exponent = sums.sqnorm(rows, i)
            x = length * (root(mantissa, exponent) / q)
        norm = (s.norm + x) * (1.0 + 2.0**-50)
        if not norm <= 2.0**1000 and not step_is_finite(w, rows, i, y, length, q, s.rival):
            return OVERFLOW
    if c != 1.0 and x < SHORTEST and rows.norm[i] > 0.0:
        return UNDERFLOW
    if not before_step(kept, rows, i, y, w, length, q, s.rival, norm, s):
        return OVERFLOW
    # The first update that rounds settles it, so tracking costs nothing where sums round all the time. A step that is
    # measured is taken to round: it may, and so may the product with x.
    if not s.rounded:
        s.rounded = measures(rule) or step_rounds(w, rows, i, y, length, q, s.rival)
    step(w, rows, i, y, length, q, s.rival)
    s.norm = norm
    s.updates += 1
    s.step = length
    s.steps = min(s.steps + length, LARGEST)
    s.least_weight = min(s.least_weight, c) if s.most_weight > 0.0 else c
    s.most_weight = max(s.most_weight, c)
    s.weight = min(s.weight + c, LARGEST)
    return 1


@inlined
def learn(rows: Storage, i: int, y: float, c: float, w: Weights, kept: Kept, rule: Rule, s: Any) -> int:
    """One round of the online protocol on a new row of weight c: its verdict, or an error code and nothing changed."""
    s.row = i
    theta, radius_m, radius_e, radius_sq = s.theta, s.radius_m, s.radius_e, s.radius_sq
    product, q = product_and_sqnorm(w, rows, i, y)
    code = meet(rows, i, q, w, rule, s)
    if code < 0:
        return code
    m = product / divisor(rows, i)
    if m > s.theta + slope(entries(w), s.norm) * reach(rows, i):
        return 0
    verdict = respond(rows, i, y, c, w, kept, rule, m, s)
    if verdict < 0:
        s.theta, s.radius_m, s.radius_e, s.radius_sq = theta, radius_m, radius_e, radius_sq
    return verdict


@inlined
def respond(rows: Storage, i: int, y: float, c: float, w: Weights, kept: Kept, rule: Rule, m: float, s: Any) -> int:
    """Judge a measured row with m = p in floats, count, and update if so judged. Returns what happened."""
    error = slope(entries(w), s.norm) * reach(rows, i)
    verdict = judge(rows, i, y, w, rule, m, error, s)
    if verdict & UPDATE:
        code = update(rows, i, y, c, w, kept, rule, m, error, s)
        if code < 0:
            return code
        if code == 0:
            verdict &= ~UPDATE
    if verdict & MISTAKE:
        s.mistakes += 1
    return verdict


@outlined
def score(rows: Storage, i: int, w: Vector, norm: float) -> float:
    """<w, row> with the exact sign, for a row that is only looked at; nan if it is not finite."""
    s, q = dot_and_sqnorm(rows, i, w)
    if TINY * TINY <= q <= HUGE * HUGE:
        length = math.sqrt(q)
        error = slope(w.shape[0], norm) * length
        if abs(s) > error or error == 0.0:
            return s / length if rows.unit else s
    elif not math.isfinite(q) and not row_is_finite(rows, i):
        return math.nan
    elif q == 0.0 and sums.sqnorm(rows, i)[0] == 0.0:
        return 0.0
    rows.norm[i] = math.inf  # the divisor is then computed exactly
    q = divisor(rows, i)
    m, e = sums.rounded_dot(rows, i, q if NORMAL <= q < math.inf else 1.0, w)
    tiny = 5e-324 if m > 0.0 else -5e-324
    return tiny if m != 0.0 and e < -1073 else power(m, e)


@outlined
def ranked(rows: Storage, i: int, w: Heads, norm: float) -> int:
    """The class of the exactly largest score, ties to the lowest, for a row that is only looked at; or NOT_FINITE.

    w.scores are then the scores of the row, right at the top (`novikoff.engine.heads.rank`).
    """
    q = sqnorm_in_floats(rows, i)
    if not math.isfinite(q) and not row_is_finite(rows, i):
        return NOT_FINITE
    if q == 0.0 and sums.sqnorm(rows, i)[0] == 0.0:
        for r in range(w.scores.shape[0]):
            w.scores[r] = 0.0
        return 0
    length, error = 1.0, math.inf
    if rows.unit:
        rows.norm[i] = math.inf  # the divisor is then computed exactly
        length = divisor(rows, i)
    if TINY * TINY <= q <= HUGE * HUGE:
        error = slope(entries(w), norm) * (1.0 if rows.unit else math.sqrt(q))
    return rank(rows, i, length if NORMAL <= length < math.inf else 1.0, w.W, w.scores, error)


@outlined
def norm_bound(w: Weights) -> float:
    """An upper bound on ||w||, tight to rounding."""
    q = sqnorm(w)
    if TINY * TINY <= q <= HUGE * HUGE:
        return math.sqrt(q) * (1.0 + slack(squares(w)))
    return size(w) * (1.0 + 2.0**-50)
