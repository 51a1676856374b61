"""Many classes as rows of one problem: Kesler's construction, which is never written out.

A row x_i of class y and a rival r != y make a row of k blocks, x_i in block y and -x_i in block r; W separates the
classes if it has a positive product with each of these n (k - 1) rows, and that is <w_y,x_i> - <w_r,x_i>: a difference
of two of the n k scores. They are numbered row by row, and in each row by rivals.
"""

from __future__ import annotations

import math
from functools import cached_property
from threading import Event

import numpy as np
from numpy.typing import NDArray

from novikoff.certificates import dual
from novikoff.certificates.solve import Counted
from novikoff.engine.rows import Indices, Rows
from novikoff.engine.storage import Vector


class KeslerRows(Counted):
    """Those rows, of k classes. ``rows`` have the places of the classes for signs."""

    def __init__(
        self, rows: Rows, k: int, max_passes: int | None, max_seconds: float | None, halt: Event | None = None
    ) -> None:
        norms = np.repeat(math.sqrt(2.0) * rows.norms, k - 1)
        super().__init__(rows.n * (k - 1), rows.width * k, norms, max_passes, max_seconds, halt)
        self.k = k
        self.place: NDArray[np.int32] = rows.signs.view(np.int32)
        self.rows = rows.signed(np.ones(rows.n, dtype=np.int8))
        others = np.arange(k - 1)
        self.rivals = (others + (others >= self.place[:, None])).ravel()

    def examples(self, which: Indices) -> Indices:
        """The examples x_i that they are made of."""
        return which // (self.k - 1)

    def products(self, w: Vector) -> Vector:
        """<w_y - w_r, x> for every row."""
        self.spend(1)
        scores = np.stack([self.rows.products(of_class) for of_class in w.reshape(self.k, -1)], axis=1)
        own = np.take_along_axis(scores, self.place[:, None].astype(np.int64), axis=1)
        products: Vector = (own - np.take_along_axis(scores, self.rivals.reshape(-1, self.k - 1), axis=1)).ravel()
        return products

    def columns(self, which: Indices) -> NDArray[np.float64]:
        """(1, a_i), scaled into the unit ball, for these rows."""
        out = np.ones((len(which), 1 + self.width))
        rows = self.rows.dense(self.examples(which))[:, 1:] * self.factors[which][:, None]
        out[:, 1:] = self._in_blocks(which, rows)
        return out

    def _in_blocks(self, which: Indices, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """From the x_i, or some columns of them."""
        m, width = rows.shape
        out = np.zeros((m, self.k, width))
        row = np.arange(m)
        out[row, self.place[self.examples(which)]] = rows
        out[row, self.rivals[which]] = -rows
        return out.reshape(m, -1)

    @cached_property
    def _used(self) -> Indices:
        """Columns of X, and the constant, that are not zero throughout."""
        self.spend(1)
        above, below = np.zeros((2, self.rows.width), dtype=np.bool_)
        dual.column_signs(self.rows.storage, self.rows.signs, above, below)
        used = above | below
        used[-1] = self.rows.constant != 0
        return np.flatnonzero(used)

    def used_columns(self) -> Indices:
        """Those that are not zero throughout, the same in every block."""
        return (np.arange(self.k)[:, None] * self.rows.width + self._used).ravel()

    def entries(self, which: Indices) -> tuple[NDArray[np.float64], Indices]:
        """These rows in the columns where some of them is not zero, one column at least; and those columns."""
        dense = self.rows.dense(self.examples(which))[:, 1:]
        kept = np.flatnonzero(dense.any(axis=0))
        blocks = self._in_blocks(which, dense[:, kept])
        columns = (np.arange(self.k)[:, None] * self.rows.width + kept).ravel()
        some = np.flatnonzero(blocks.any(axis=0))
        if len(some) == 0:
            return np.zeros((len(which), 1)), np.array([0])
        return blocks[:, some], columns[some]

    def gram(self, which: Indices) -> NDArray[np.float64]:
        """The inner products of these rows, scaled into the unit ball: of the examples, where blocks meet."""
        examples, where = np.unique(self.examples(which), return_inverse=True)
        A = self.rows.part(examples) * self.scale
        product = A @ A.T
        plain = np.asarray(product.toarray() if hasattr(product, "toarray") else product)
        plain += (self.rows.constant * self.scale) ** 2
        y, r = self.place[self.examples(which)], self.rivals[which]
        blocks = (y[:, None] == y).astype(np.float64) + (r[:, None] == r)
        blocks -= (y[:, None] == r).astype(np.float64) + (r[:, None] == y)
        gram: NDArray[np.float64] = plain[np.ix_(where, where)] * blocks
        return gram

    def sweep(self, which: Indices, p: Vector, w: Vector, ends: Vector) -> None:
        """One step of coordinate descent on each of these rows, with w = sum p a; see `novikoff.certificates.dual`."""
        W = w.reshape(self.k, -1)
        dual.sweep_rivals(self.rows.storage, self.place, which, self.rivals, p, W, ends)

    def combined(self, which: Indices, p: Vector, high: Vector, low: Vector, noise: Vector) -> None:
        """high + low += sum p_i a_i over these rows, where noise sums the sizes of what went into low."""
        examples, rivals = self.examples(which), self.rivals[which]
        blocks = [v.reshape(self.k, -1) for v in (high, low, noise)]
        for label in range(self.k):
            for here, sign in ((self.place[examples] == label, 1.0), (rivals == label, -1.0)):
                of_label = (v[label] for v in blocks)
                dual.combine(self.rows.storage, self.rows.signs, examples[here], sign * p[here], *of_label)
