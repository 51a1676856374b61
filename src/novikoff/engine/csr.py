"""Rows of a CSR matrix in memory, or mapped into it. No entry is stored twice."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from novikoff.engine.compile import prefetch
from novikoff.engine.dense import LINE, MOST
from novikoff.engine.memory import writable

MOST_COLUMNS = 2**31  # as many as SciPy's indices of 32 bits can name; a vector of them takes 16 GiB


class CsrRows(NamedTuple):
    data: NDArray[Any]  # (nnz,) float32 or float64
    indices: NDArray[np.uint32]  # (nnz,) a signed index costs a wrap-around test
    indptr: NDArray[np.int64]  # (n + 1,)
    norm: NDArray[np.float64]  # as in `DenseRows`, like the two below
    constant: float
    unit: bool

    # What compiled loops ask: see `novikoff.engine.storage`.

    def cells(self, i: int) -> range:
        return range(np.uint64(self.indptr[i]), np.uint64(self.indptr[i + 1]))

    def column(self, k: int) -> int:
        return self.indices[k]  # type: ignore[no-any-return]  # an integer of NumPy

    def value(self, i: int, k: int) -> float:
        return np.float64(self.data[k])

    def fetch(self, i: int) -> None:
        prefetch(self.norm, i)
        start, stop = np.uint64(self.indptr[i]), np.uint64(self.indptr[i + np.uint64(1)])
        line = np.uint64(LINE // self.data.itemsize)
        stop = min(stop, start + np.uint64(MOST) * line)
        for k in range(start, stop, line):
            prefetch(self.data, k)
            prefetch(self.indices, k)

    # What Python asks.

    @classmethod
    def over(cls, X: Any, norm: NDArray[np.float64], constant: float, unit: bool) -> CsrRows:
        unsigned = X.indices.view(np.uint32 if X.indices.itemsize == 4 else np.uint64)
        # As unsigned, a negative index is a large one.
        if X.nnz and not unsigned.max() < X.shape[1]:
            raise ValueError(
                f"X is a damaged sparse matrix: it has {X.shape[1]} columns, but stores entries outside them"
            )
        if X.shape[1] > MOST_COLUMNS:
            raise ValueError(
                f"X has {X.shape[1]:,} columns, and {MOST_COLUMNS:,} are the most that a CSR matrix may have"
            )
        # Of 64 bits they are copied: every pass then reads a third less, and no loop is compiled for both.
        columns, indptr = unsigned.astype(np.uint32, copy=False), X.indptr.astype(np.int64, copy=False)
        return cls(writable(X.data), writable(columns), writable(indptr), norm, constant, unit)

    @property
    def stored(self) -> NDArray[Any]:
        """All stored entries, row by row."""
        return self.data

    def stored_before(self, start: int, stop: int) -> NDArray[np.int64]:
        """How many entries are stored before each of these rows, and before row `stop`."""
        return self.indptr[start : stop + 1]

    def place(self, k: int) -> tuple[int, int]:
        """Row and column of the k-th stored entry."""
        return int(np.searchsorted(self.indptr, k, side="right")) - 1, int(self.indices[k])

    def some(self, which: Any, width: int) -> sp.csr_array:
        """These rows of X, of so many columns, as they are stored."""
        return sp.csr_array((self.data, self.indices.view(np.int32), self.indptr), shape=(len(self.indptr) - 1, width))[
            which
        ]

    def part(self, which: Any, width: int) -> sp.csr_array:
        """These rows of X as a float64 matrix of so many columns."""
        return self.some(which, width).astype(np.float64)
