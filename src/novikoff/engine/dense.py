"""Rows of a dense matrix in memory, or mapped into it: no entry is copied."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novikoff.engine.compile import inlined, prefetch
from novikoff.engine.memory import writable

LINE = 64  # bytes that come from memory at a time
MOST = 32  # lines of a row to ask for: of a longer one the processor sees by then that it is read on


@inlined
def fetch_row(X: NDArray[Any], i: int) -> None:
    """Ask the memory for row i of a matrix."""
    width, line = np.uint64(X.shape[1]), np.uint64(LINE // X.itemsize)
    for k in range(np.uint64(0), min(width, np.uint64(MOST) * line), line):
        prefetch(X, i * width + k)


class DenseRows(NamedTuple):
    X: NDArray[Any]  # (n, d) float32 or float64, C order
    norm: NDArray[np.float64]  # (n,) the norm of the stored row; nan until it is first met, inf when out of range
    constant: float  # the appended coordinate; 0 without an intercept
    unit: bool  # rows are divided by their norm

    # What compiled loops ask: see `novikoff.engine.storage`.

    def cells(self, i: int) -> range:
        # Unsigned: with a signed index the test for a negative one stays in the loop, and the compiler reads the row by
        # gathers instead of vector loads, four times slower (tests/laws/test_vectors.py looks at it).
        return range(np.uint64(self.X.shape[1]))

    def column(self, k: int) -> int:
        return k

    def value(self, i: int, k: int) -> float:
        return np.float64(self.X[i, k])

    def fetch(self, i: int) -> None:
        prefetch(self.norm, i)
        fetch_row(self.X, i)

    # What Python asks.

    @classmethod
    def over(cls, X: NDArray[Any], norm: NDArray[np.float64], constant: float, unit: bool) -> DenseRows:
        return cls(writable(X), norm, constant, unit)

    @property
    def stored(self) -> NDArray[Any]:
        """All stored entries, row by row."""
        return self.X.reshape(-1)

    def stored_before(self, start: int, stop: int) -> NDArray[np.int64]:
        """How many entries are stored before each of these rows, and before row `stop`."""
        return np.arange(start, stop + 1) * int(self.X.shape[1])

    def place(self, k: int) -> tuple[int, int]:
        """Row and column of the k-th stored entry."""
        return divmod(k, int(self.X.shape[1]))

    def some(self, which: Any, width: int) -> NDArray[Any]:
        """These rows of X, as they are stored."""
        found: NDArray[Any] = self.X[which]
        return found

    def part(self, which: Any, width: int) -> NDArray[np.float64]:
        """These rows of X as a float64 matrix, which may be the caller's own memory."""
        return np.asarray(self.X[which], dtype=np.float64)
