"""Winnow: multiplicative updates (`novikoff.theory.WINNOW1`, `novikoff.theory.WINNOW2`)."""

from __future__ import annotations

import math
from copy import copy
from typing import Self

import numpy as np
from numpy.typing import NDArray

from novikoff.concepts import Bits
from novikoff.engine.storage import Storage, over
from novikoff.learners.boolean_loops import Flags, winnow, winnow_scores
from novikoff.learners.state import State, require


class MultiplicativeWeights:
    """w, theta, and the two factors.

    A weight is at most theta before it is promoted, so none is above up * theta: with width * up * theta finite, no sum
    overflows. Demoted weights stop at 2^-1000 (unless they go to 0). The proof allows that: larger weights keep its
    second inequality, and the first but for d 2^-1000.
    """

    def __init__(self, width: int, threshold: float, up: float, down: float) -> None:
        if not math.isfinite(width * up * threshold):
            raise ValueError(f"alpha = {up} and threshold = {threshold} are too large: weights would overflow")
        self.w: NDArray[np.float64] = np.ones(width)
        self.threshold, self.up, self.down = threshold, up, down

    def copy(self) -> Self:
        twin = copy(self)
        twin.w = self.w.copy()
        return twin

    def predict_one(self, x: Bits) -> int:
        return int(self.scores(_one(x), 1)[0] > self.threshold)

    def learn(self, x: Bits, y: int, round: int) -> None:
        if not self.w.flags.writeable:
            self.w = self.w.copy()
        self.one_pass(_one(x), np.array([y == 1]), round)

    def one_pass(self, rows: Storage, labels: Flags, round: int) -> int:
        """Rows in their order; returns the mistakes."""
        return winnow(rows, labels, self.w, self.threshold, self.up, self.down)

    def scores(self, rows: Storage, n: int) -> NDArray[np.float64]:
        """<w,x> for each row."""
        out = np.empty(n)
        winnow_scores(rows, self.w, out)
        return out

    def predictions(self, rows: Storage, n: int) -> Flags:
        return self.scores(rows, n) > self.threshold

    def write_state(self, state: State) -> None:
        state.arrays["w"] = self.w
        state.values |= {"threshold": self.threshold, "up": self.up, "down": self.down}

    def read_state(self, state: State, rounds: int) -> None:
        """Take over the state of a learner of as many columns.

        Its threshold and factors may be any that Winnow can have: the parameters may have been others then.
        """
        w = state.array("w", "<f8", len(self.w))
        threshold, up, down = (state.number(name, 0.0) for name in ("threshold", "up", "down"))
        require(threshold > 0 and up > 1 and down in (0.0, 1.0 / up), "threshold, up and down are not those of Winnow")
        require(math.isfinite(len(w) * up * threshold), "threshold and up are so large that weights would overflow")
        most = max(1.0, up * threshold)
        require((w >= 0).all() and (w <= most).all(), "a weight is not between 0 and up * threshold")
        self.w, self.threshold, self.up, self.down = w, threshold, up, down


def _one(x: Bits) -> Storage:
    return over(x.astype(np.float64).reshape(1, -1), 0.0)
