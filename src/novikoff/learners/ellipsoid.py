"""Halving for halfspaces: an ellipsoid holds those that agree, its centre predicts (`novikoff.theory.ELLIPSOID`)."""

from __future__ import annotations

import math
from collections.abc import Hashable
from fractions import Fraction
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from novikoff.learners.online import NotRealizable, OnlineLearner
from novikoff.theory.ellipsoid import ball_radius, ellipsoid_bound
from novikoff.theory.exact import Number, at_least

Vector = NDArray[np.float64]

ROUNDING = 2.0**-50  # of a norm, for each coordinate
FINEST = 2.0**-40  # the thinnest ellipsoid that floats can cut, for each coordinate


class EllipsoidPerceptron(OnlineLearner):
    """Predicts with the centre of an ellipsoid that holds every halfspace which agrees with the examples so far.

    It makes at most 2 D (D+1) ln((1+gamma)/gamma) mistakes on rows of D coordinates, where the Perceptron may make
    1/gamma^2: it is for tiny margins in few dimensions. A mistake takes O(D^2) steps.

    Parameters
    ----------
    fit_intercept : bool
        Learn from (x, 1)/sqrt(2) instead of x: a constant coordinate more.
    gamma : float or Fraction, optional
        A margin that some halfspace has on the rows as learned from. It is needed for ``bound``, and with it the
        learner notices sooner that no halfspace has it.

    Attributes
    ----------
    coef_ : array of length d
    intercept_ : float
        1 is predicted where <coef_,x> + intercept_ >= 0.

    Notes
    -----
    Examples x have norm 1 at most, labels are 0 and 1. `NotRealizable` is raised when no halfspace of margin gamma
    agrees with the examples; without gamma, when none does whose margin is above rounding, about D 2^-40. The proof of
    the bound covers rounding as long as gamma is well above D^4 2^-48; `novikoff.theory.ELLIPSOID` checks a given run.

    Examples
    --------
    >>> from novikoff import play
    >>> from novikoff.learners.ellipsoid import EllipsoidPerceptron
    >>> a, b = (1e-6, 0.9), (1e-6, -0.9)
    >>> learner = EllipsoidPerceptron(fit_intercept=False, gamma=1e-6)
    >>> run = play(learner, [(a, 0), (b, 0)] * 100)
    >>> run.mistakes, run.bound  # the Perceptron may need 1/gamma^2
    (13, 165)
    """

    def __init__(self, fit_intercept: bool = True, gamma: Number | None = None) -> None:
        self.fit_intercept, self.gamma = fit_intercept, gamma
        self._radius = 0.0 if gamma is None else float(ball_radius(gamma))  # of a ball among the separators
        self._width: int | None = None
        self._c: Vector = np.zeros(0)
        self._B: Vector = np.zeros((0, 0))

    def bound(self) -> int | None:
        """The most mistakes that the theorem allows; None as long as gamma or D is not known."""
        if self.gamma is None or self._width is None:
            return None
        # Rows that are too long by rounding, divided by their norm, have this margin.
        longest = 1 + 2 * Fraction(ROUNDING) * (self._width + 2)
        return ellipsoid_bound(len(self._c), at_least(self.gamma) / longest)

    @property
    def _state(self) -> Hashable:
        return self._c.tobytes(), self._B.tobytes()

    @property
    def coef_(self) -> Vector:
        return self._c[:-1] / math.sqrt(2) if self.fit_intercept else self._c.copy()

    @property
    def intercept_(self) -> float:
        return float(self._c[-1]) / math.sqrt(2) if self.fit_intercept and self._width is not None else 0.0

    def predict_one(self, x: Any) -> int:
        row = self._row(x)
        return int(self._width is None or self._c @ row >= 0)

    def _row(self, x: Any) -> Vector:
        """x as learned from."""
        if hasattr(x, "toarray"):
            x = x.toarray().ravel()
        x = np.asarray(x)
        if x.dtype.kind not in "biuf":
            raise ValueError("x must hold numbers")
        if x.ndim != 1:
            raise ValueError(f"x must be one vector; its shape is {x.shape}")
        d = len(x)
        if self._width is not None and d != self._width:
            raise ValueError(f"x has {d} entries; the examples before it have {self._width}")
        if d + self.fit_intercept < 2:
            more = "set fit_intercept=True, or " if d == 1 else ""
            raise ValueError(f"x has {d} entries; an ellipsoid needs 2 coordinates at least: {more}give more features")
        row = x.astype(np.float64)
        norm = math.hypot(*row.tolist())
        if not math.isfinite(norm) and not np.isfinite(row).all():
            i = int(np.flatnonzero(~np.isfinite(row))[0])
            raise ValueError(f"x[{i}] is {row[i]}: every entry must be finite")
        if norm > 1 + ROUNDING * (d + 2):
            raise ValueError(f"x has norm {norm:.6g}: it must be at most 1; divide all examples by the largest norm")
        return np.append(row, 1.0) / math.sqrt(2) if self.fit_intercept else row

    def _update(self, x: Any, y: int) -> None:
        row = self._row(x)
        if self._width is None:
            c, B = np.zeros(len(row)), np.eye(len(row))
        else:
            c, B = self._c, self._B
        if (c @ row >= 0) != y:
            c, B = self._cut(c, B, row if y else -row)
        self._width, self._c, self._B = len(row) - self.fit_intercept, c, B

    def _cut(self, c: Vector, B: Vector, a: Vector) -> tuple[Vector, Vector]:
        """The smallest ellipsoid around {c + B u : ||u|| <= 1} where <a,w> >= 0, and a little wider.

        In the coordinates u it is a cap of the unit ball, u1 >= alpha, with u1 along B'a. Around it, with centre tau
        on that axis, is the ellipsoid with half-axes D(1-alpha)/(D+1) along it and D sqrt((1-alpha^2)/(D^2-1)) across.
        B itself is updated, not BB': that is positive definite whatever is rounded, and its condition is the square
        of that of B.

        Volume: for alpha = 0 the factor is D/(D+1) (D^2/(D^2-1))^((D-1)/2), and less for alpha > 0. Since
        log(1+t) <= t, it is at most exp(-log(1 + 1/D) + (D-1)/(2 (D^2-1))), and log(1 + 1/D) >= 1/(D+1):
        at most exp(-1/(2(D+1))).
        """
        D = len(a)
        length = math.hypot(*a.tolist())
        if length == 0:
            self._give_up("the row is 0, which every halfspace through 0 labels 1")
        a = a / length  # only its direction matters
        g = B.T @ a
        s = float(np.linalg.norm(g))
        alpha = max(0.0, -float(c @ a) / s) if s else 1.0
        # What is left is s (1 - alpha) thick along a, and a ball in it needs twice its radius: once is for rounding.
        radius = max(self._radius, FINEST * D)
        if s * (1 - alpha) < radius:
            known = f"a margin of {self.gamma}" if radius == self._radius else f"a margin above {radius:.1g}"
            self._give_up(f"no halfspace with {known} agrees with the examples so far")
        u = g / s
        Bu = B @ u
        along = D * (1 - alpha) / (D + 1)
        across = D * math.sqrt((1 - alpha) * (1 + alpha) / (D * D - 1))
        # Rounding moves the ellipsoid by about D 2^-53 ||B||/gamma in its own coordinates: this is made up for where
        # gamma is well above D^4 2^-48. The volume grows by exp(1/(32 D^2)) at most, and there is room for that above:
        # log(1 + 1/D) >= 2/(2D+1) >= 1/(D+1) + 1/(4 D^2).
        wider = 1 + 1 / (32 * D**3)
        tau = (1 + D * alpha) / (D + 1)
        return c + tau * Bu, wider * (across * B + (along - across) * np.outer(Bu, u))

    def _give_up(self, reason: str) -> NoReturn:
        raise NotRealizable(f"round {self.rounds_}: {reason}", self.rounds_)
