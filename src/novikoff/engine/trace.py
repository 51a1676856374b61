"""The trace of a run: the rows that it updated on, in order, as the loops write it down while they go."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff.engine.loops import TRACE
from novikoff.engine.rows import Rows

BLOCK = 1 << 10  # updates whose weights are in memory at a time
PAGE = 1 << 12  # updates that a loop notes before it returns to Python; no result depends on it


class Trace:
    """Every update of a run: its row, the pass (or search) and the place in it, whether it was a mistake, its step.

    Parameters
    ----------
    data : the rows of the run

    Attributes
    ----------
    rows, turns, places : arrays of int
        The row of each update; the pass or search, from 0; how many rows had had their turn in that pass.
    mistakes : array of bool
    steps : array of float
        w <- w + step y x; 1 for the perceptrons.
    rivals : array of int
        Of many classes, the one that went down as the true one went up; -1 of two.
    """

    def __init__(self, data: Rows) -> None:
        self.data = data
        self._parts: list[NDArray[Any]] = [np.empty(0, dtype=TRACE)]
        self.page = np.empty(PAGE, dtype=TRACE)  # what a loop writes into

    def turn_page(self, written: int) -> None:
        """Keep what a loop has written."""
        if written:
            self._parts.append(self.page[:written].copy())

    def _all(self, name: str) -> NDArray[Any]:
        self._parts = [np.concatenate(self._parts)]
        return np.array(self._parts[0][name])

    def __len__(self) -> int:
        return sum(map(len, self._parts))

    @property
    def rows(self) -> NDArray[np.int64]:
        return self._all("row")

    @property
    def turns(self) -> NDArray[np.int64]:
        return self._all("turn")

    @property
    def places(self) -> NDArray[np.int64]:
        return self._all("at")

    @property
    def mistakes(self) -> NDArray[np.bool_]:
        return self._all("mistake").astype(np.bool_)

    @property
    def steps(self) -> NDArray[np.float64]:
        return self._all("step")

    @property
    def rivals(self) -> NDArray[np.int64]:
        return self._all("rival")

    def path(self) -> Iterator[NDArray[np.float64]]:
        """w after each update of a run from 0, the constant coordinate last, some updates at a time.

        The sums are made as the learner makes them, one update after the other, and round as its own do. Of many
        classes it is W, a matrix for each update.
        """
        return self._path_of_heads() if self.data.signs.dtype == np.int32 else self._path()

    def _path_of_heads(self) -> Iterator[NDArray[np.float64]]:
        rows, steps, rivals = self.rows, self.steps, self.rivals
        W = np.zeros((int(self.data.signs.max()) + 1, self.data.width))
        for start in range(0, len(rows), BLOCK):
            part = slice(start, start + BLOCK)
            changes = steps[part, None] * self.data.learned(rows[part])
            block = np.empty((len(changes), *W.shape))
            for at, (true, rival) in enumerate(zip(self.data.signs[rows[part]], rivals[part], strict=True)):
                W[true] += changes[at]
                W[rival] -= changes[at]
                block[at] = W
            yield block

    def _path(self) -> Iterator[NDArray[np.float64]]:
        rows, steps = self.rows, self.steps
        w = np.zeros((1, self.data.width))
        for start in range(0, len(rows), BLOCK):
            part = slice(start, start + BLOCK)
            changes = steps[part, None] * self.data.learned(rows[part])
            block = np.cumsum(np.concatenate([w, changes]), axis=0)[1:]
            w = block[-1:]
            yield block
