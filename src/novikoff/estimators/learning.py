"""What every estimator that learns by a rule is made of."""

from __future__ import annotations

import math
import secrets
from abc import ABC, abstractmethod
from numbers import Integral, Real
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from novikoff import inputs
from novikoff.engine.rows import Rows
from novikoff.engine.rule import Rule
from novikoff.estimators import words
from novikoff.estimators.hyperplane import LinearModel
from novikoff.estimators.parameters import (
    BOOLEAN,
    NONE,
    RANDOM,
    VERBOSE,
    Auto,
    Instance,
    Interval,
    estimator,
    one_of,
    parameter,
)
from novikoff.estimators.weighing import Weighed, weighed
from novikoff.labels import PLUS_MINUS, Labels
from novikoff.learners.committee import JOINT, Committee, Multiclass, of_two
from novikoff.learners.linear import Hypothesis, LinearLearner, NextRow
from novikoff.learners.perceptron import AtZero
from novikoff.words import setting

Scale = Literal["none", "ball", "sphere"]
Balanced = Literal["balanced"]


@estimator
class Shared:
    """The parameters that all learners by passes have."""

    at_zero: AtZero = parameter(one_of(AtZero), default="mistake")
    order: NextRow = parameter(one_of(NextRow), default="given")
    fit_intercept: bool = parameter(BOOLEAN, default=True)
    intercept_scaling: float = parameter(Interval(Real, 0, None, closed="neither"), default=1.0)
    scale: Scale = parameter(one_of(Scale), default="none")
    max_iter: int = parameter(Interval(Integral, 1, None, closed="left"), default=1000)
    shuffle: Auto | bool = parameter(one_of(Auto), BOOLEAN, default="auto")
    random_state: int | np.random.RandomState | None = parameter(RANDOM, default=0)
    warm_start: bool = parameter(BOOLEAN, default=False)
    hypothesis: Hypothesis = parameter(one_of(Hypothesis), default="best")
    multiclass: Multiclass = parameter(one_of(Multiclass), default="joint")
    class_weight: dict[Any, float] | Balanced | None = parameter(Instance(dict), one_of(Balanced), NONE, default=None)
    byte_copy: Auto | bool = parameter(one_of(Auto), BOOLEAN, default="auto")
    verbose: int = parameter(VERBOSE, default=0)


class Learning(LinearModel, Shared, ABC):
    """What learns: a rule with its parameters, a learner, labels, and how the last run ended."""

    _columns: inputs.Columns | None  # of the features of dicts
    _labels: Labels
    _learner: Any  # a LinearLearner, or a Committee of them
    _ran: dict[Any, Any]  # how the heads of a committee ran: see `novikoff.estimators.apart`
    _drawn: int | None  # the seed of their last fit, if it came from a generator
    _stopped: words.Stop  # why the last fit stopped
    _compared: tuple[int, int] | None  # the best bound of a comparison vector, after how many updates
    passes_: int
    n_iter_: int
    history_: NDArray[np.int64]

    _rule_kind: ClassVar[Any]  # the type of its rule
    _many_classes = True

    @abstractmethod
    def _rule(self) -> Rule:
        """How to learn, from the parameters."""

    def _check_parameters(self) -> None:
        self._validate_params()
        if self._shuffles() and self.order != "given":
            raise ValueError(
                f"{setting('shuffle', True)} goes with {setting('order', 'given')} alone, not with "
                f"{setting('order', self.order)}"
            )
        if not math.isfinite(self.intercept_scaling):
            raise ValueError(f"intercept_scaling must be finite, got {self.intercept_scaling!r}")

    def _shuffles(self) -> bool:
        """Does ``fit`` draw an order for each pass?"""
        return self.order == "given" if isinstance(self.shuffle, str) else bool(self.shuffle)

    def _seed(self) -> int | None:
        """Of the order of the passes of a fit; None where they go in the given one."""
        if not self._shuffles():
            return None
        if isinstance(self.random_state, np.random.RandomState):
            return int(self.random_state.randint(2**32, dtype=np.uint64))
        return secrets.randbits(64) if self.random_state is None else int(self.random_state)

    def _fresh(self, width: int, labels: Labels = PLUS_MINUS) -> LinearLearner | Committee:
        constant = float(self.intercept_scaling) if self.fit_intercept else 0.0
        self._check_zero(labels)
        unit, ball = self.scale == "sphere", self.scale == "ball"
        apart = labels.heads > 1 and self.multiclass != JOINT
        heads = 1 if apart else labels.heads
        learner = LinearLearner(self._rule(), width, constant, unit=unit, ball=ball, heads=heads)
        if self.hypothesis == "average":
            learner.average()
        return Committee(self.multiclass, labels.heads, {}, learner) if apart else learner

    def _with_heads_for(self, labels: Labels) -> LinearLearner | Committee:
        """A copy of the learner that can tell these labels apart; weights that are new are 0.

        What two classes had learned is, of heads that are learned apart, what these have learned of each other.
        """
        self._check_zero(labels)
        learner: LinearLearner | Committee = self._learner
        if isinstance(learner, Committee):
            return learner.with_classes(labels.heads)
        if labels.heads > 1 and len(learner.W) == 1 and self.multiclass != JOINT:
            return of_two(learner.copy(), self.multiclass, labels.heads)
        twin = learner.copy()
        twin.add_heads(labels.heads)
        return twin

    def _check_zero(self, labels: Labels) -> None:
        if labels.heads > 1 and self.at_zero != "mistake":
            raise ValueError(
                f"{setting('at_zero', self.at_zero)} is for two classes, and here are {len(labels.classes)}: of more "
                "none is special, and equal scores are a mistake"
            )

    def _rows(
        self, X: Any, targets: Any, learner: LinearLearner | Committee | None = None, importance: Any = None
    ) -> Rows:
        """The rows of X as the learner learns from them; by default as a new one would."""
        constant, unit = (learner or self._fresh(0)).geometry
        return Rows(X, targets, constant, unit=unit, importance=importance)

    def _weighed(self, X: Any, y: Any, given: Any, known: Any = ()) -> Weighed:
        """The rows of positive weight with their labels and weights, as this learner can weigh them."""
        return weighed(X, y, given, self.class_weight, known)

    def _adopt(self, learner: LinearLearner | Committee, labels: Labels, names: NDArray[Any] | None) -> None:
        self._learner, self._labels, self.n_features_in_ = learner, labels, learner.width
        self.classes_, self._columns = labels.classes, None
        self._compared = None
        self._ran, self._drawn = {}, None
        self.__dict__.pop("feature_names_in_", None)
        if names is not None:
            self.feature_names_in_ = names

    def _nothing_batched(self) -> None:
        self.passes_ = self.n_iter_ = 0
        self.history_ = np.empty(0, dtype=np.int64)
        self._stopped = words.Stop(words.ON_A_STREAM, 0, interrupted=False)
