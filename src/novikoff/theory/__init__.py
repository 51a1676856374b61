"""The theorems as objects: statement, hypotheses, bound, and a check in exact rationals.

A check takes a record of what happened: ``theorem.about`` is its type.

>>> from novikoff import theory
>>> theory.RADIUS.bound(radius_sq=1, margin_sq=theory.rational(1) / 49)
49
>>> run = theory.Run.of([[1, 0], [0, 1]], [1, -1], witness=[1, -1], updates=[0, 1], zero=-1)
>>> theory.STREAM.check(run).holds
True
"""

from novikoff.theory.any_data import (
    DEVIATIONS,
    REGRET,
    REGRET_ROUNDED,
    any_data_bound,
    best_length_bound,
    deviation_bound,
    regret_bound,
)
from novikoff.theory.cover import COVER, Labellings
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
    DAMPED_NEWTON,
    GRADIENT_DESCENT,
    KACZMARZ,
    NEWTON,
    Averaging,
    Damped,
    Descent,
    Projections,
    Quadratic,
)
from novikoff.theory.littlestone import LITTLESTONE, LITTLESTONE_LOWER, Forced
from novikoff.theory.lower import LOWER, Duel
from novikoff.theory.margin_perceptron import GROWTH, THRESHOLD, UNIT
from novikoff.theory.passive_aggressive import PASSIVE, PASSIVE_1, PASSIVE_2, AggressiveRun
from novikoff.theory.perceptron import (
    BALL,
    BATCH,
    INEQUALITIES,
    LIFT,
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
from novikoff.theory.worst_first import WORST_FIRST, WORST_MARGIN, WorstFirst

THEOREMS = (
    BATCH,
    ONLINE,
    RADIUS,
    STREAM,
    BALL,
    INEQUALITIES,
    START,
    LIFT,
    ROUNDED,
    UPPER_END,
    TINY_MARGIN,
    LOWER,
    COVER,
    UNIT,
    THRESHOLD,
    GROWTH,
    WORST_FIRST,
    WORST_MARGIN,
    PASSIVE,
    PASSIVE_1,
    PASSIVE_2,
    REGRET,
    DEVIATIONS,
    REGRET_ROUNDED,
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
    DAMPED_NEWTON,
    KACZMARZ,
    BACH_MOULINES,
)

__all__ = [
    "BACH_MOULINES",
    "BALL",
    "BATCH",
    "CONJUNCTION",
    "COVER",
    "DAMPED_NEWTON",
    "DEVIATIONS",
    "DISJUNCTION",
    "ELLIPSOID",
    "GRADIENT_DESCENT",
    "GROWTH",
    "HALVING",
    "INEQUALITIES",
    "KACZMARZ",
    "KDNF",
    "LIFT",
    "LITTLESTONE",
    "LITTLESTONE_LOWER",
    "LOWER",
    "MONOTONE_CONJUNCTION",
    "MONOTONE_DISJUNCTION",
    "NEWTON",
    "ONLINE",
    "PASSIVE",
    "PASSIVE_1",
    "PASSIVE_2",
    "RADIUS",
    "RANDOMIZED",
    "REGRET",
    "REGRET_ROUNDED",
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
    "WORST_FIRST",
    "WORST_MARGIN",
    "AggressiveRun",
    "Averaging",
    "BooleanGame",
    "Damped",
    "Descent",
    "Duel",
    "Finding",
    "Forced",
    "Game",
    "Hypothesis",
    "Labellings",
    "Projections",
    "Quadratic",
    "Run",
    "Shrinking",
    "Theorem",
    "Vote",
    "WinnowGame",
    "WorstFirst",
    "any_data_bound",
    "best_length_bound",
    "bound_from_start",
    "deviation_bound",
    "ellipsoid_bound",
    "float_bound",
    "float_bound_from_start",
    "halving_bound",
    "rational",
    "regret_bound",
    "update_bound",
]
