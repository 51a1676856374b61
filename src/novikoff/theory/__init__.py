"""The theorems as objects: statement, hypotheses, bound, and a check in exact rationals.

>>> from novikoff import theory
>>> theory.RADIUS.bound(radius_sq=1, margin_sq=theory.rational(1) / 49)
49
>>> run = theory.Run.of([[1, 0], [0, 1]], [1, -1], witness=[1, -1], updates=[0, 1], zero=-1)
>>> theory.STREAM.check(run).holds
True
"""

from novikoff.theory.exact import rational
from novikoff.theory.halving import HALVING, Game, halving_bound
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
from novikoff.theory.theorem import Finding, Hypothesis, Run, Theorem

THEOREMS = (BATCH, ONLINE, RADIUS, STREAM, BALL, INEQUALITIES, START, UPPER_END, TINY_MARGIN, UNIT, THRESHOLD, HALVING)

__all__ = [
    "BALL",
    "BATCH",
    "HALVING",
    "INEQUALITIES",
    "ONLINE",
    "RADIUS",
    "START",
    "STREAM",
    "THEOREMS",
    "THRESHOLD",
    "TINY_MARGIN",
    "UNIT",
    "UPPER_END",
    "Finding",
    "Game",
    "Hypothesis",
    "Run",
    "Theorem",
    "bound_from_start",
    "halving_bound",
    "rational",
    "update_bound",
]
