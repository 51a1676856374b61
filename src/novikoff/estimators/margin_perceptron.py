"""The Margin Perceptron as a scikit-learn estimator."""

from __future__ import annotations

from numbers import Real

from novikoff.engine.rule import Rule
from novikoff.estimators.linear import LinearClassifier
from novikoff.estimators.parameters import Auto, Interval, estimator, one_of, parameter
from novikoff.learners import margin_perceptron as rules
from novikoff.learners.perceptron import AT_ZERO


@estimator
class MarginPerceptron(LinearClassifier):
    r"""The Perceptron that also guarantees a third of the best margin.

    .. math:: w \leftarrow w + y x \quad \text{whenever} \quad y \langle w, x \rangle \le \theta

    If some separator has margin γ, it ends after at most (R² + 2θ)/γ² updates with a margin of at least
    θγ/(R² + 2θ) (`novikoff.theory.THRESHOLD`, for exact sums w + yx; `novikoff.theory.ROUNDED` bounds the
    updates where they round). θ = R² gives 3R²/γ² and γ/3; θ = 1 on unit rows is the algorithm of the lecture notes.

    Parameters
    ----------
    threshold : "auto" or float
        θ, in units of ⟨w,x⟩ before any ``scale="ball"``; "auto" is the square of the largest ‖x‖ so far.
    at_zero, order, fit_intercept, intercept_scaling, scale, max_iter
    shuffle, random_state, warm_start, hypothesis, multiclass, class_weight, byte_copy, verbose
        As in `Perceptron`. ``at_zero`` decides what counts as a mistake, not what is an update.

    Attributes
    ----------
    As in `Perceptron`: ``mistakes_`` counts wrong predictions, ``updates_`` all updates. With weights of at most c,
    ``weight_of_updates_`` ≤ (cR² + 2θ)/γ².

    Examples
    --------
    >>> from novikoff import MarginPerceptron
    >>> clf = MarginPerceptron().fit([[2, 1], [3, 0], [0, 2], [-1, 1]], [1, 1, -1, -1])
    >>> lower, upper = clf.margin_
    >>> lower >= upper / 3
    True

    References
    ----------
    N. Harvey, Machine Learning Theory, Lecture 7 (2018), section 2.
    """

    threshold: float | Auto = parameter(one_of(Auto), Interval(Real, 0, None, closed="left"), default="auto")

    _rule_kind = rules.MarginPerceptron

    def _rule(self) -> Rule:
        if self.threshold == "auto":
            return rules.MarginPerceptron(AT_ZERO[self.at_zero], auto=True)
        return rules.MarginPerceptron(AT_ZERO[self.at_zero], float(self.threshold))
