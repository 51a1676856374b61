"""The Passive-Aggressive learners as a scikit-learn estimator."""

from __future__ import annotations

from numbers import Real
from typing import Any

from novikoff.engine.rule import Rule
from novikoff.estimators.linear import LinearClassifier
from novikoff.estimators.parameters import NONE, Interval, estimator, one_of, parameter
from novikoff.estimators.weighing import Weighed
from novikoff.learners import passive_aggressive as rules
from novikoff.learners.passive_aggressive import NO_TOL, VARIANTS, Variant
from novikoff.learners.perceptron import AT_ZERO


@estimator
class PassiveAggressive(LinearClassifier):
    r"""Passive where y⟨w,x⟩ ≥ 1; else just as aggressive as needed.

    .. math:: w \leftarrow w + \tau y x \quad \text{whenever} \quad l = 1 - y \langle w, x \rangle > 0

    where τ = l/‖x‖² (PA), min(C, l/‖x‖²) (PA-I), or l/(‖x‖² + 1/(2C)) (PA-II). If some separator has margin γ, there
    are at most R²/γ², max(R², 1/C)/γ² or (R² + 1/(2C))/γ² mistakes (`novikoff.theory.PASSIVE`,
    `novikoff.theory.PASSIVE_1`, `novikoff.theory.PASSIVE_2`); the last two theorems also bound them where there is no
    separator. ``bound`` speaks of mistakes, not of updates, and holds for the rounded weights that are learned. Every τ
    comes from ⟨w,x⟩ and ‖x‖² correctly rounded, so every storage and every machine give the same weights. The
    constant coordinate is a part of ‖x‖².

    Parameters
    ----------
    variant : {"PA-I", "PA", "PA-II"}
        PA follows every example, right or wrong; the other two resist wrong labels.
    C : float
        How aggressive PA-I and PA-II are: the longest step of PA-I. The weight of a row multiplies it; PA takes only
        the weights 0 and 1. With other weights than 1, ``bound`` is None.
    tol : float or None
        None: a run ends after a pass without mistakes. A number: after a pass with no loss above it.
        (The loss hardly ever becomes 0: one below 2⁻⁴⁰ is left alone.)
    at_zero, order, fit_intercept, intercept_scaling, scale, max_iter
    shuffle, random_state, warm_start, hypothesis, multiclass, class_weight, byte_copy, verbose
        As in `Perceptron`. ``at_zero`` decides what counts as a mistake, not what is an update. Under
        ``order="first"`` and ``"worst"`` the run ends when no example has a loss.

    Attributes
    ----------
    As in `Perceptron`: ``mistakes_`` counts wrong predictions, ``updates_`` and ``history_`` all updates.
    The upper end of ``margin_`` is ‖w‖/Στ.

    Examples
    --------
    >>> from novikoff import PassiveAggressive
    >>> clf = PassiveAggressive(variant="PA").fit([[2, 1], [3, 0], [0, 2], [-1, 1]], ["in", "in", "out", "out"])
    >>> clf.stop_reason_
    'separated: the last of 2 passes made no mistake'
    >>> clf.mistakes_, clf.bound(1)
    (2, 10)

    References
    ----------
    K. Crammer, O. Dekel, J. Keshet, S. Shalev-Shwartz and Y. Singer, Journal of Machine Learning Research 7 (2006)
    551-585.
    """

    variant: Variant = parameter(one_of(Variant), default="PA-I")
    C: float = parameter(Interval(Real, 0, None, closed="neither"), default=1.0)
    tol: float | None = parameter(Interval(Real, 0, None, closed="left"), NONE, default=None)

    _rule_kind = rules.PassiveAggressive

    def _weighed(self, X: Any, y: Any, given: Any, known: Any = ()) -> Weighed:
        found = super()._weighed(X, y, given, known)
        if found.weights is not None and self.variant == "PA":
            raise ValueError(
                f'variant="PA" has no C that a weight could multiply, so every weight must be 0 or 1, and here is '
                f'{found.weights[found.weights != 1][0]:g}: take variant="PA-I" or "PA-II"'
            )
        return found

    def _rule(self) -> Rule:
        tol = NO_TOL if self.tol is None else float(self.tol)
        return rules.PassiveAggressive(AT_ZERO[self.at_zero], VARIANTS[self.variant], float(self.C), tol)
