"""The table of `novikoff eval --progressive`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from novikoff.examples import written
from novikoff.inputs import item


class DoublingTable:
    """Vowpal Wabbit's table, its columns named: a line whenever the number of examples has doubled."""

    HEADINGS = ("examples", "mistakes", "rate so far", "since last", "true label", "predicted", "features")

    def __init__(self, show: bool) -> None:
        self._show = show
        self._next = 1
        self.examples = self.mistakes = 0
        self._before = (0, 0)

    def add(self, X: Any, truth: NDArray[Any], said: NDArray[Any], wrong: NDArray[np.bool_]) -> None:
        done = np.cumsum(wrong)
        for i in _doublings(self.examples, len(truth), self._next):
            self._next *= 2
            # At <w,x> = 0 a linear learner may predict nothing, which is a mistake.
            answer = "none" if wrong[i] and said[i] == truth[i] else written(item(said[i]))
            self._line(self.examples + i + 1, self.mistakes + int(done[i]), X, written(item(truth[i])), answer, i)
        self.examples += len(truth)
        self.mistakes += int(done[-1])

    def end(self) -> None:
        if self._show and self._before[0] != self.examples:
            self._print(self.examples, self.mistakes, "", "", "")

    def _line(self, examples: int, mistakes: int, X: Any, truth: str, answer: str, i: int) -> None:
        if self._show:
            if examples == 1:
                print("  ".join(f"{heading:>11}" for heading in self.HEADINGS), file=sys.stderr)
            features = int(X.indptr[i + 1] - X.indptr[i]) if sp.issparse(X) else X.shape[1]
            self._print(examples, mistakes, truth, answer, f"{features:,}")

    def _print(self, examples: int, mistakes: int, *rest: str) -> None:
        seen, made = self._before
        rates = f"{mistakes / examples:.6f}", f"{(mistakes - made) / (examples - seen):.6f}"
        print("  ".join(f"{cell:>11}" for cell in (f"{examples:,}", f"{mistakes:,}", *rates, *rest)), file=sys.stderr)
        self._before = examples, mistakes


def _doublings(before: int, count: int, at: int) -> Iterator[int]:
    while at <= before + count:
        yield at - before - 1
        at *= 2
