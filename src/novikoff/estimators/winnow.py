"""Winnow (`novikoff.theory.WINNOW1`, `novikoff.theory.WINNOW2`)."""

from __future__ import annotations

from collections.abc import Hashable
from fractions import Fraction
from numbers import Integral, Real
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from novikoff import inputs
from novikoff.estimators.boolean import BooleanClassifier, Core, boolean_rows
from novikoff.estimators.export import Plane
from novikoff.estimators.parameters import NONE, Interval, Options, estimator, parameter
from novikoff.learners.state import State, require
from novikoff.learners.winnow import MultiplicativeWeights
from novikoff.theory.exact import round_up
from novikoff.theory.winnow import winnow1_bound, winnow2_bound


@estimator
class Winnow(BooleanClassifier):
    """Weights start at 1 and are multiplied; predicts 1 if <w,x> > threshold. Few mistakes where few variables matter.

    On a mistake the active weights, those with x_j = 1, are promoted (multiplied by alpha) if the label was 1. If it
    was 0, variant 1 sets them to 0 and variant 2 divides them by alpha.

    Parameters
    ----------
    variant : 1 or 2
        1 for disjunctions of variables, 2 for "at least r of k variables".
    k : int or None
        How many variables matter: known to the bound alone.
    r : int
        For variant 2; 1 is a disjunction.
    alpha : float or None
        Above 1. By default 2, and 1 + 1/(2r) in variant 2.
    threshold : float or None
        By default d/2 (but not below 1/alpha), and d in variant 2.

    Attributes
    ----------
    coef_ : array of shape (1, d)
        The weights.
    intercept_ : array of shape (1,)
        Minus the threshold.
    rounds_, mistakes_ : int

    Notes
    -----
    Winnow learns from any labels, and never finds that they fit no function. Weights are floats, added up in the order
    of the columns; they are exact for alpha = 2 in variant 1. None is ever above alpha * threshold. In variant 2 none
    goes below 2^-1000.

    Examples
    --------
    >>> from novikoff.estimators.winnow import Winnow
    >>> model = Winnow(k=1).fit([[1, 0, 0, 0], [0, 1, 1, 1], [1, 0, 1, 0]], [1, 0, 1])
    >>> model.mistakes_, model.bound(), model.coef_
    (3, 6, array([[4., 0., 0., 0.]]))
    """

    variant: Literal[1, 2] = parameter(Options(Integral, frozenset({1, 2})), default=1, kw_only=False)
    k: int | None = parameter(Interval(Integral, 1, None, closed="left"), NONE, default=None, kw_only=False)
    r: int = parameter(Interval(Integral, 1, None, closed="left"), default=1, kw_only=False)
    alpha: float | None = parameter(Interval(Real, 1, None, closed="neither"), NONE, default=None, kw_only=False)
    threshold: float | None = parameter(Interval(Real, 0, None, closed="neither"), NONE, default=None, kw_only=False)

    def _fresh(self, d: int) -> Core:
        if self.variant == 1 and self.r != 1:
            raise ValueError(f"r = {self.r} goes with variant=2; variant=1 learns disjunctions, r = 1")
        if self.k is not None and self.r > self.k:
            raise ValueError(f"r = {self.r} of k = {self.k} variables: r must be at most k")
        first = self.variant == 1
        alpha = float(self.alpha) if self.alpha is not None else 2.0 if first else 1.0 + 0.5 / self.r
        theta = max(d / 2, round_up(1 / Fraction(alpha))) if first else float(d)
        threshold = theta if self.threshold is None else float(self.threshold)
        return MultiplicativeWeights(d, threshold, alpha, 0.0 if first else 1.0 / alpha)

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """<w,x> - threshold."""
        inputs.check_fitted(self)
        X = inputs.matrix(self, X)
        rows = boolean_rows(X, getattr(self, "feature_names_in_", None))
        core = self._weights()
        return core.scores(rows, X.shape[0]) - core.threshold

    def bound(self) -> int | None:
        """The most mistakes that the theorem allows; None without k, before d is known, or outside the theorem.

        floor(alpha k (floor(log_alpha(theta)) + 1) + d/theta) in variant 1, which needs theta >= 1/alpha;
        floor(8d r^2/theta + 4k + 8 k r ln(theta)) in variant 2, which needs alpha = 1 + 1/(2r) and theta >= 1.
        """
        if self.k is None or not self._begun():
            return None
        core = self._weights()
        d, alpha, theta = len(core.w), core.up, core.threshold
        if self.variant == 1:
            return winnow1_bound(d, self.k, alpha, theta) if Fraction(alpha) * Fraction(theta) >= 1 else None
        return winnow2_bound(d, self.k, self.r, theta) if alpha == 1.0 + 0.5 / self.r and theta >= 1 else None

    @property
    def _state(self) -> Hashable:
        return self._core.w.tobytes() if self._begun() else None

    @property
    def coef_(self) -> NDArray[np.float64]:
        return self._weights().w[None, :].copy()

    @property
    def intercept_(self) -> NDArray[np.float64]:
        return np.array([-self._weights().threshold])

    def _weights(self) -> MultiplicativeWeights:
        if not self._begun():
            raise AttributeError("this Winnow has not learned anything yet: call fit, partial_fit or learn_one")
        core: MultiplicativeWeights = self._core
        return core

    def _core_of(self, state: State) -> MultiplicativeWeights:
        w = state.arrays.get("w")
        require(w is not None and w.shape == (state.width,), "its weights are not those of its columns")
        return MultiplicativeWeights(state.width, 1.0, 2.0, 0.0)

    def _rule_to_export(self) -> Plane:
        core = self._weights()
        return Plane(core.w.copy(), -core.threshold, second_at_zero=False)
