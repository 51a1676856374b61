"""The stochastic methods on batches that come one after another."""

from __future__ import annotations

import math

import numpy as np

from novikoff.descent.methods import Mean, overshooting
from novikoff.descent.run import first_step
from novikoff.descent.squares import Squares
from novikoff.kernels import squares
from novikoff.kernels.rows import Vector

MEMORY = 1000  # steps after which the automatic step has halved: the length of a stream is not known
RIDGE = 1e-8  # of the largest ||a||^2 of the first batch: what stochastic Newton starts from


class Stream:
    """w, and what a method remembers of the rows so far."""

    def __init__(self, F: Squares, method: str, average: bool) -> None:
        self.method = method
        self.w = np.zeros(F.width)
        self.longest = F.steepest
        self._mean = Mean(F.width if average else 0)
        self._inverse = np.eye(F.width) / (RIDGE * (F.steepest or 1.0)) if method == "newton-sgd" else np.empty((0, 0))

    @property
    def steps(self) -> int:
        return self._mean.steps

    @property
    def mean(self) -> Vector:
        """The mean of the iterates if averaged, else the last."""
        return self._mean.of(self.w)

    def learn(self, F: Squares, step: str | float) -> None:
        """One pass over these rows in the given order. Nothing is changed if it diverges."""
        w, tilt, inverse = self.w.copy(), self._mean.tilt.copy(), self._inverse.copy()
        longest = max(self.longest, F.steepest)
        alpha = 0.0
        if self.method == "sgd":
            alpha, decay = first_step(longest, MEMORY, step, average=tilt.size > 0)
            loss = squares.sgd(F.rows, F.y, F.s, np.arange(F.n), alpha, decay, self.steps, w, tilt)
        elif self.method == "kaczmarz":
            loss = squares.kaczmarz(F.rows, F.y, F.sqnorms, np.flatnonzero(F.s), w)
        else:
            loss = squares.recursive(F.rows, F.y, F.s, 0, F.n, inverse, w, np.empty(F.width))
        if not (math.isfinite(loss) and np.isfinite(w).all() and np.isfinite(tilt).all()):
            raise overshooting(alpha, longest)
        self.w, self._mean.tilt, self._inverse, self.longest = w, tilt, inverse, longest
        self._mean.steps += F.n
