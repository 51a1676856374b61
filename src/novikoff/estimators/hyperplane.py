"""A fitted hyperplane: what it predicts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from novikoff import inputs
from novikoff.engine.rows import Rows
from novikoff.estimators.bases import BaseEstimator, ClassifierMixin
from novikoff.estimators.export import Plane, Planes
from novikoff.estimators.portable import Portable
from novikoff.estimators.shown import Shown
from novikoff.learners.committee import PAIRS, Committee
from novikoff.learners.linear import LinearLearner

if TYPE_CHECKING:
    from sklearn.utils import Tags


class Scored:
    """Puts scikit-learn's score within reach of `novikoff.data.Dataset`."""

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """The share of correct predictions; for a regression, the coefficient of determination.

        Parameters
        ----------
        X, y, sample_weight : as in `fit`
        """
        mixin: Any = super()
        return float(mixin.score(X, inputs.labels(X, y), inputs.given_weights(X, sample_weight)))


class LinearModel(Scored, Shown, ClassifierMixin, BaseEstimator, Portable):
    """What the weights of a learner predict: two classes on two sides, or of more that of the largest score."""

    classes_: NDArray[Any]
    n_features_in_: int
    _learner: LinearLearner | Committee  # the weights and the counts
    _many_classes = False  # can it learn more than two?

    # What a subclass has.
    fit_intercept: bool
    intercept_scaling: float
    n_iter_: int
    margin_: tuple[float, float]
    if TYPE_CHECKING:

        def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self: ...

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """<w,x> + intercept with the exact sign; under ``scale="sphere"`` that of x/||x||.

        Of k > 2 classes a column for each; the largest score of a row is that of the class whose exact score is the
        largest, and several are equal there if and only if they are so exactly.
        """
        inputs.check_fitted(self)
        X = inputs.matrix(self, X)
        constant, unit = self._learner.geometry
        rows = Rows(X, np.empty(0, dtype=np.int8), constant, unit=unit)
        with inputs.refusals(X, getattr(self, "feature_names_in_", None)):
            return self._learner.scores(rows)

    def predict(self, X: Any) -> NDArray[Any]:
        """The labels. At zero as ``at_zero`` says; under "mistake", or where scores tie, the first label."""
        return self._sides(self.decision_function(X))

    def _sides(self, scores: NDArray[np.float64]) -> NDArray[Any]:
        """The labels for given scores."""
        return self.classes_[self._places(scores)]

    def _places(self, scores: NDArray[np.float64]) -> NDArray[np.intp]:
        """The places of these labels among the classes."""
        if scores.ndim == 2:
            return np.asarray(scores.argmax(axis=1))
        positive = scores >= 0 if self._learner.zero > 0 else scores > 0
        return np.minimum(positive.astype(np.intp), len(self.classes_) - 1)

    @property
    def coef_(self) -> NDArray[np.float64]:
        learner = self._learned()
        return np.array(learner.hypothesis[:, : learner.width])

    @property
    def intercept_(self) -> NDArray[np.float64]:
        return np.asarray(self._learned().hypothesis[:, -1] * self._learner.geometry[0])

    def __sklearn_is_fitted__(self) -> bool:
        return self._begun()

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.classifier_tags.multi_class = self._many_classes
        return tags

    def _begun(self) -> bool:
        return "_learner" in self.__dict__

    def _has_learned(self) -> bool:
        return self._begun()

    def _learned(self) -> LinearLearner | Committee:
        if not self._begun():
            raise AttributeError(
                f"this {type(self).__name__} has not learned anything yet: call fit, partial_fit or learn_one"
            )
        return self._learner

    def _fitted(self) -> LinearLearner:
        """The learner, for what is true of a single run alone."""
        learner = self._learned()
        if isinstance(learner, Committee):
            raise AttributeError(
                f"this {type(self).__name__} is {len(learner.members)} runs, {learner.kind}, and this is known of a "
                "single one: ask each of estimators_"
            )
        return learner

    def _rule_to_export(self) -> Plane | Planes:
        learner = self._learned()
        constant, unit = learner.geometry
        on_sphere = constant if unit else None
        if isinstance(learner, Committee) and learner.kind == PAIRS:
            raise ValueError(
                "pairs of classes vote, for which there is no graph of plain operators here: export each of estimators_"
            )
        if len(learner.W) > 1:
            return Planes(self.coef_, self.intercept_, on_sphere)
        return Plane(self.coef_[0], float(self.intercept_[0]), learner.zero > 0, on_sphere)
