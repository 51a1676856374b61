"""The objective F(w) = sum s_i (<w,a_i> - y_i)^2: value, gradient, Hessian and its largest eigenvalue."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property, reduce
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from novikoff.descent import sweeps
from novikoff.engine.csr import CsrRows
from novikoff.engine.storage import Storage, Vector

BLOCKS = 8  # parts that a sum over the rows is made of: the same on every machine, so the same bits
CORES = os.cpu_count() or 1
BUDGET = 1 << 24  # stored entries per call of a loop, so that Ctrl-C is heard
WIDE = 3000  # coordinates above which no Hessian is made
CAUTION = 1.02  # the largest eigenvalue is estimated from below, within this factor


class Squares:
    """Rows a_i = (x_i, constant), targets y_i, weights s_i >= 0."""

    def __init__(self, rows: Storage, y: Vector, s: Vector, width: int) -> None:
        self.rows, self.y, self.s = rows, y, s
        self.n, self.width = y.shape[0], width + 1  # the constant coordinate is the last
        self.stored: int = rows.stored.size // max(1, self.n) + 1

    @cached_property
    def _pool(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(CORES)

    def gradient(self, w: Vector) -> tuple[Vector, float]:
        """The gradient 2 sum s_i (<w,a_i> - y_i) a_i, and F(w). One reading of the rows."""
        return self._sum(w, self.y)

    def curvature(self, v: Vector) -> Vector:
        """The Hessian times v, 2 sum s_i <a_i,v> a_i."""
        return self._sum(v, np.zeros(self.n))[0]

    def products(self, w: Vector) -> Vector:
        """<w,a_i> for every row."""
        out = np.empty(self.n)
        # No sums across rows, so the number of parts is free.
        self._over_rows(CORES, lambda k, start, stop: sweeps.products(self.rows, w, start, stop, out))
        return out

    def combination(self, c: Vector) -> Vector:
        """sum c_i a_i."""
        parts = np.zeros((self._parts, self.width))
        self._over_rows(self._parts, lambda k, start, stop: sweeps.combination(self.rows, c, start, stop, parts[k]))
        return np.asarray(parts.sum(axis=0))

    def _sum(self, w: Vector, y: Vector) -> tuple[Vector, float]:
        parts, losses = np.zeros((self._parts, self.width)), np.zeros(self._parts)

        def add(k: int, start: int, stop: int) -> None:
            losses[k] += sweeps.gradient(self.rows, y, self.s, w, start, stop, parts[k])

        self._over_rows(self._parts, add)
        return 2.0 * parts.sum(axis=0), math.fsum(losses.tolist())

    @property
    def _parts(self) -> int:
        """Parts of a sum of rows: each has a vector of its own, which must be worth its while."""
        return max(1, min(BLOCKS, int(self.n * self.stored // max(8 * self.width, 1 << 14))))

    def _over_rows(self, parts: int, work: Callable[[int, int, int], None]) -> None:
        """Part k of the rows, a page at a time, by all cores."""
        bounds = [self.n * k // parts for k in range(parts + 1)]
        pace = max(1, BUDGET // self.stored)

        def part(k: int) -> None:
            for start in range(bounds[k], bounds[k + 1], pace):
                work(k, start, min(bounds[k + 1], start + pace))

        if parts == 1 or self.n * self.stored < 1 << 14:
            for k in range(parts):
                part(k)
        else:
            list(self._pool.map(part, range(parts)))

    @cached_property
    def sqnorms(self) -> Vector:
        """||a_i||^2."""
        out = np.empty(self.n)
        sweeps.sqnorms(self.rows, 0, self.n, out)
        return out

    @cached_property
    def steepest(self) -> float:
        """max s_i ||a_i||^2 = R^2: the largest curvature of a single square is 2 R^2."""
        found = float(np.max(self.s * self.sqnorms))
        if not math.isfinite(found):
            raise FloatingPointError("a row is too long")
        return found

    @cached_property
    def smoothness(self) -> float:
        """L, the largest eigenvalue of the Hessian, or up to 2 % more."""
        import scipy.linalg as la  # which take their time
        from scipy.sparse.linalg import ArpackError, LinearOperator, eigsh

        trace = float(2.0 * np.sum(self.s * self.sqnorms))
        if not math.isfinite(trace):
            raise FloatingPointError("the Hessian is not finite")
        if self.width == 1:
            return float(2.0 * self.s.sum() * self.rows.constant**2)
        if self.width <= 64:
            return float(la.eigvalsh(self.hessian)[-1]) * (1 + 1e-12)
        operator = LinearOperator((self.width, self.width), matvec=self.curvature, dtype=np.float64)
        start = np.random.RandomState(0).standard_normal(self.width)
        try:
            return float(eigsh(operator, k=1, v0=start, tol=1e-2, return_eigenvectors=False)[0]) * CAUTION
        except ArpackError:
            return trace

    @cached_property
    def hessian(self) -> NDArray[np.float64]:
        """2 sum s_i a_i a_i'."""
        H = np.empty((self.width, self.width))
        rows, s, c = self.rows, self.s, self.rows.constant
        if isinstance(rows, CsrRows):
            X = rows.part(slice(None), self.width - 1)
            H[:-1, :-1] = (X.T @ X.multiply(s[:, None])).toarray()
            H[:-1, -1] = X.T @ s
        else:
            H[:-1, :-1] = 0.0
            H[:-1, -1] = 0.0
            plain = bool(np.all(s == 1.0))
            pace = max(1, BUDGET // self.width) if rows.X.dtype != np.float64 or not plain else max(1, self.n)
            for start in range(0, self.n, pace):
                A = rows.X[start : start + pace].astype(np.float64, copy=False)
                weight = s[start : start + pace]
                H[:-1, :-1] += A.T @ (A if plain else A * weight[:, None])
                H[:-1, -1] += A.T @ weight
        H[:-1, -1] *= c
        H[-1, :-1] = H[:-1, -1]
        H[-1, -1] = c * c * s.sum()
        H *= 2.0
        if not np.isfinite(H).all():
            raise FloatingPointError("the Hessian is not finite")
        return H

    def dense(self) -> Iterator[tuple[NDArray[np.float64], Vector]]:
        """sqrt(s_i) a_i and sqrt(s_i) y_i as arrays, some rows at a time."""
        rows, root = self.rows, np.sqrt(self.s)
        pace = max(1, BUDGET // self.width)
        for start in range(0, self.n, pace):
            part = slice(start, start + pace)
            A = np.empty((len(root[part]), self.width))
            block: Any = rows.part(part, self.width - 1)
            A[:, :-1] = block.toarray() if sp.issparse(block) else block
            A[:, -1] = rows.constant
            A *= root[part, None]
            yield A, root[part] * self.y[part]

    def reduced(self) -> tuple[NDArray[np.float64], Vector]:
        """A and b with the same ||A w - b|| as `dense` for all w, in as many rows as fit: triangles of their QR."""

        import scipy.linalg as la

        def together(R: NDArray[np.float64], part: NDArray[np.float64]) -> NDArray[np.float64]:
            return la.qr(np.vstack([R, part]), mode="r")[0][: self.width + 1]  # type: ignore[no-any-return]  # SciPy has no type hints

        whole = reduce(together, (np.column_stack(part) for part in self.dense()))
        return whole[:, :-1], whole[:, -1]
