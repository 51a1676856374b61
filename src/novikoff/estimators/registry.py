"""The estimators that learn from data, and what each of them can do.

The model file, the command line, the warm-up, the lab and the reference read this table: a new estimator is one line
here. `BY_RULE` has those that learn by a rule (`novikoff.engine.rule`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from inspect import signature
from typing import Any

from novikoff import theory
from novikoff.estimators.boolean import KDNF, Conjunction, Disjunction, MonotoneConjunction, MonotoneDisjunction
from novikoff.estimators.least_squares import LeastSquares, LeastSquaresClassifier
from novikoff.estimators.linear import LinearClassifier
from novikoff.estimators.margin_perceptron import MarginPerceptron
from novikoff.estimators.max_margin import MaxMarginClassifier
from novikoff.estimators.passive_aggressive import PassiveAggressive
from novikoff.estimators.perceptron import Perceptron
from novikoff.estimators.winnow import Winnow
from novikoff.theory import Theorem

ANY, TWO, BITS, NUMBERS = "two labels or more", "two labels", "0 and 1", "numbers"


@dataclass(frozen=True)
class Entry:
    """What an estimator can do."""

    estimator: type[Any]
    guarantee: tuple[Theorem, ...]  # the theorems that bound it
    labels: str = TWO  # what y holds
    grows: bool = False  # new names of features get new columns, on a stream

    @property
    def name(self) -> str:
        return self.estimator.__name__

    @property
    def title(self) -> str:
        """Its name in words: Margin Perceptron."""
        return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", self.name)

    @property
    def command(self) -> str | None:
        """Its name in the shell, where a label is a class and not a number: MaxMarginClassifier is max-margin."""
        hyphened = re.sub(r"(?<=[a-z])(?=[A-Z])", "-", self.name).lower()
        return hyphened.removesuffix("-classifier") if self.labels != NUMBERS else None

    @property
    def batches(self) -> bool:
        """partial_fit: a batch after the other."""
        return hasattr(self.estimator, "partial_fit")

    @property
    def weighs(self) -> bool:
        """sample_weight: some examples count for more than others."""
        return "sample_weight" in signature(self.estimator.fit).parameters

    @property
    def standardises(self) -> bool:
        """fit_file(standardize=True): it does not need rows of 0 and 1."""
        return self.labels != BITS

    @property
    def online(self) -> bool:
        """predict_one and learn_one."""
        return hasattr(self.estimator, "learn_one")


DESCENT = (theory.GRADIENT_DESCENT, theory.NEWTON, theory.DAMPED_NEWTON, theory.KACZMARZ, theory.BACH_MOULINES)

REGISTRY = {
    entry.name: entry
    for entry in (
        Entry(Perceptron, (theory.RADIUS, theory.START, theory.ROUNDED), ANY, grows=True),
        Entry(MarginPerceptron, (theory.THRESHOLD, theory.ROUNDED, theory.WORST_MARGIN), ANY, grows=True),
        Entry(PassiveAggressive, (theory.PASSIVE, theory.PASSIVE_1, theory.PASSIVE_2), ANY, grows=True),
        Entry(MaxMarginClassifier, ()),
        Entry(LeastSquares, DESCENT, NUMBERS),
        Entry(LeastSquaresClassifier, DESCENT),
        Entry(Winnow, (theory.WINNOW1, theory.WINNOW2), BITS),
        Entry(MonotoneConjunction, (theory.MONOTONE_CONJUNCTION,), BITS),
        Entry(Conjunction, (theory.CONJUNCTION,), BITS),
        Entry(MonotoneDisjunction, (theory.MONOTONE_DISJUNCTION,), BITS),
        Entry(Disjunction, (theory.DISJUNCTION,), BITS),
        Entry(KDNF, (theory.KDNF,), BITS),
    )
}

# Any of these, as type checkers and editors see it.
Model = (
    Perceptron
    | MarginPerceptron
    | PassiveAggressive
    | MaxMarginClassifier
    | LeastSquares
    | LeastSquaresClassifier
    | Winnow
    | MonotoneConjunction
    | Conjunction
    | MonotoneDisjunction
    | Disjunction
    | KDNF
)

BY_RULE = tuple(entry for entry in REGISTRY.values() if issubclass(entry.estimator, LinearClassifier))
