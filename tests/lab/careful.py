"""A learner that no registry has."""

from __future__ import annotations

from novikoff.estimators.margin_perceptron import MarginPerceptron
from novikoff.estimators.parameters import estimator, parameter


@estimator
class CarefulPerceptron(MarginPerceptron):
    """The Margin Perceptron with theta = 2."""

    threshold: float | str = parameter(default=2.0)
