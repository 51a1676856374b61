"""The Margin Perceptron as a scikit-learn estimator."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from novikoff.estimators.linear import LinearClassifier
from novikoff.learners.linear import Rule
from novikoff.learners.margin_perceptron import margin_perceptron


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
    at_zero, order, fit_intercept, intercept_scaling, scale, max_iter, shuffle, random_state, warm_start, verbose
        As in `Perceptron`. ``at_zero`` decides what counts as a mistake, not what is an update.

    Attributes
    ----------
    As in `Perceptron`: ``mistakes_`` counts wrong predictions, ``updates_`` all updates.

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

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **LinearClassifier._parameter_constraints,
        "threshold": [StrOptions({"auto"}), Interval(Real, 0, None, closed="left")],
    }

    def __init__(
        self,
        *,
        threshold: float | str = "auto",
        at_zero: str = "mistake",
        order: str = "given",
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        scale: str = "none",
        max_iter: int = 1000,
        shuffle: bool = False,
        random_state: int | np.random.RandomState | None = None,
        warm_start: bool = False,
        verbose: int = 0,
    ) -> None:
        self.threshold = threshold
        self.at_zero = at_zero
        self.order = order
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.scale = scale
        self.max_iter = max_iter
        self.shuffle = shuffle
        self.random_state = random_state
        self.warm_start = warm_start
        self.verbose = verbose

    def _rule(self) -> Rule:
        return margin_perceptron(self.at_zero, self.threshold)
