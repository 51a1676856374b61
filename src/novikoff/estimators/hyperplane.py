"""A fitted hyperplane: what it predicts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from novikoff import inputs
from novikoff.engine.rows import Rows
from novikoff.estimators.bases import BaseEstimator, ClassifierMixin
from novikoff.estimators.export import Plane
from novikoff.estimators.portable import Portable
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


class LinearModel(Scored, ClassifierMixin, BaseEstimator, Portable):  # type: ignore[misc]  # scikit-learn has no type hints
    """Two classes on the two sides of the weights of a learner."""

    classes_: NDArray[Any]
    n_features_in_: int
    _learner: LinearLearner  # the weights and the counts

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """<w,x> + intercept with the exact sign; under ``scale="sphere"`` that of x/||x||."""
        inputs.check_fitted(self)
        X = inputs.matrix(self, X)
        constant, unit = self._learner.geometry
        rows = Rows(X, np.empty(0, dtype=np.int8), constant, unit=unit)
        with inputs.refusals(X, getattr(self, "feature_names_in_", None)):
            return rows.scores(self._learner.shown.w)

    def predict(self, X: Any) -> NDArray[Any]:
        """The labels. At zero as ``at_zero`` says; under "mistake", the first label."""
        return self.sides(self.decision_function(X))

    def sides(self, scores: NDArray[np.float64]) -> NDArray[Any]:
        """The labels for given scores."""
        positive = scores >= 0 if self._learner.zero > 0 else scores > 0
        return self.classes_[positive.astype(np.intp)]

    @property
    def coef_(self) -> NDArray[np.float64]:
        learner = self._fitted()
        return np.array(learner.hypothesis[:, : learner.width])

    @property
    def intercept_(self) -> NDArray[np.float64]:
        return np.asarray(self._fitted().hypothesis[:, -1] * self._learner.geometry[0])

    def __sklearn_is_fitted__(self) -> bool:
        return self._begun()

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.classifier_tags.multi_class = False
        return tags

    def _begun(self) -> bool:
        return "_learner" in self.__dict__

    def _fitted(self) -> LinearLearner:
        if not self._begun():
            raise AttributeError(
                f"this {type(self).__name__} has not learned anything yet: call fit, partial_fit or learn_one"
            )
        return self._learner

    def _rule_to_export(self) -> Plane:
        learner = self._fitted()
        constant, unit = learner.geometry
        return Plane(self.coef_[0], float(self.intercept_[0]), learner.zero > 0, constant if unit else None)
