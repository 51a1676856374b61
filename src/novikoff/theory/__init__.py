"""The theorems as objects: statement, hypotheses, bound, and a check in exact rationals.

A check takes a record of what happened: ``theorem.about`` is its type.

>>> from novikoff import theory
>>> theory.RADIUS.bound(radius_sq=1, margin_sq=theory.rational(1) / 49)
49
>>> run = theory.Run.of([[1, 0], [0, 1]], [1, -1], witness=[1, -1], updates=[0, 1], zero=-1)
>>> theory.STREAM.check(run).holds
True
"""

from novikoff.theory.elimination import (
    CONJUNCTION,
    DISJUNCTION,
    KDNF,
    MONOTONE_CONJUNCTION,
    MONOTONE_DISJUNCTION,
    BooleanGame,
)
from novikoff.theory.ellipsoid import ELLIPSOID, Shrinking, ellipsoid_bound
from novikoff.theory.exact import rational
from novikoff.theory.experts import RANDOMIZED, WEIGHTED_MAJORITY, Vote
from novikoff.theory.halving import HALVING, Game, halving_bound
from novikoff.theory.least_squares import (
    BACH_MOULINES,
    GRADIENT_DESCENT,
    KACZMARZ,
    NEWTON,
    Averaging,
    Descent,
    Projections,
    Quadratic,
)
from novikoff.theory.littlestone import LITTLESTONE, LITTLESTONE_LOWER
from novikoff.theory.margin_perceptron import THRESHOLD, UNIT
from novikoff.theory.perceptron import (
    BALL,
    BATCH,
    INEQUALITIES,
    ONLINE,
    RADIUS,
    START,
    STREAM,
    TINY_MARGIN,
    UPPER_END,
    bound_from_start,
    update_bound,
)
from novikoff.theory.rounding import ROUNDED, float_bound, float_bound_from_start
from novikoff.theory.theorem import Finding, Hypothesis, Run, Theorem
from novikoff.theory.winnow import WINNOW1, WINNOW2, WinnowGame

THEOREMS = (
    BATCH,
    ONLINE,
    RADIUS,
    STREAM,
    BALL,
    INEQUALITIES,
    START,
    UPPER_END,
    TINY_MARGIN,
    UNIT,
    THRESHOLD,
    ROUNDED,
    HALVING,
    LITTLESTONE,
    LITTLESTONE_LOWER,
    MONOTONE_CONJUNCTION,
    CONJUNCTION,
    MONOTONE_DISJUNCTION,
    DISJUNCTION,
    KDNF,
    WINNOW1,
    WINNOW2,
    WEIGHTED_MAJORITY,
    RANDOMIZED,
    ELLIPSOID,
    GRADIENT_DESCENT,
    NEWTON,
    KACZMARZ,
    BACH_MOULINES,
)

__all__ = [
    "BACH_MOULINES",
    "BALL",
    "BATCH",
    "CONJUNCTION",
    "DISJUNCTION",
    "ELLIPSOID",
    "GRADIENT_DESCENT",
    "HALVING",
    "INEQUALITIES",
    "KACZMARZ",
    "KDNF",
    "LITTLESTONE",
    "LITTLESTONE_LOWER",
    "MONOTONE_CONJUNCTION",
    "MONOTONE_DISJUNCTION",
    "NEWTON",
    "ONLINE",
    "RADIUS",
    "RANDOMIZED",
    "ROUNDED",
    "START",
    "STREAM",
    "THEOREMS",
    "THRESHOLD",
    "TINY_MARGIN",
    "UNIT",
    "UPPER_END",
    "WEIGHTED_MAJORITY",
    "WINNOW1",
    "WINNOW2",
    "Averaging",
    "BooleanGame",
    "Descent",
    "Finding",
    "Game",
    "Hypothesis",
    "Projections",
    "Quadratic",
    "Run",
    "Shrinking",
    "Theorem",
    "Vote",
    "WinnowGame",
    "bound_from_start",
    "ellipsoid_bound",
    "float_bound",
    "float_bound_from_start",
    "halving_bound",
    "rational",
    "update_bound",
]
