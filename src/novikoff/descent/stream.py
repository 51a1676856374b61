"""The stochastic methods on batches that come one after another."""

from __future__ import annotations

import math

import numpy as np

from novikoff.descent import sweeps
from novikoff.descent.methods import Mean, overshooting
from novikoff.descent.run import first_step
from novikoff.descent.squares import Squares
from novikoff.engine.storage import Vector
from novikoff.learners.state import State, require

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
            loss = sweeps.sgd(F.rows, F.y, F.s, np.arange(F.n), alpha, decay, self.steps, w, tilt)
        elif self.method == "kaczmarz":
            loss = sweeps.kaczmarz(F.rows, F.y, F.sqnorms, np.flatnonzero(F.s), w)
        else:
            loss = sweeps.recursive(F.rows, F.y, F.s, 0, F.n, inverse, w, np.empty(F.width))
        if not (math.isfinite(loss) and np.isfinite(w).all() and np.isfinite(tilt).all()):
            raise overshooting(alpha, longest)
        self.w, self._mean.tilt, self._inverse, self.longest = w, tilt, inverse, longest
        self._mean.steps += F.n

    # To keep and take up again ------------------------------------------------------------------

    def write_state(self, state: State) -> None:
        state.arrays |= {"stream_w": self.w, "stream_tilt": self._mean.tilt, "stream_inverse": self._inverse}
        state.values |= {
            "stream_method": self.method,
            "stream_steps": self.steps,
            "stream_longest": float(self.longest),
        }

    @classmethod
    def from_state(cls, state: State, method: str) -> Stream:
        width = state.width + 1
        stream = object.__new__(cls)
        stream.method, stream._mean = method, Mean(0)
        stream.w = state.array("stream_w", "<f8", width)
        stream._mean.tilt = state.array("stream_tilt", "<f8", None)
        require(len(stream._mean.tilt) in (0, width), f"array 'stream_tilt' has neither 0 nor {width} entries")
        side = width if method == "newton-sgd" else 0
        stream._inverse = state.array("stream_inverse", "<f8", side, side)
        stream._mean.steps = state.integer("stream_steps")
        stream.longest = state.number("stream_longest", 0.0)
        return stream
