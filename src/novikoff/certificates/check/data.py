"""The data of the fast check: blocks of non-zeros for its floats, and rows in integers as the reference has them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from novikoff.certificates.claim import Head
from novikoff.certificates.reference.digest import BLOCK
from novikoff.certificates.reference.rows import Example, Row, row

ENTRIES = 2**18  # stored entries that are looked at together; no result depends on it


class Block(NamedTuple):
    """The non-zeros of the rows from ``start`` to ``stop``; those of the k-th of them are ends[k] to ends[k + 1]."""

    start: int
    stop: int
    ends: Any
    columns: Any
    values: Any  # float64


class Sums(NamedTuple):
    """Of some rows: their products with vectors, in floats, in any order of addition."""

    dot: Any  # (n, m)
    square: Any  # (n,) ||x||^2
    terms: Any  # (n,) how many products each sum has
    whole: bool  # are all their entries integers?


class Data:
    """The rows of X, an array or a CSR matrix in which no entry is stored twice; the caller's memory is left alone."""

    def __init__(self, X: Any) -> None:
        self._X = X
        self._sparse = hasattr(X, "tocsr")
        n, d = X.shape
        self.shape = n, d
        stored = X.nnz if self._sparse else n * d
        self.step = max(1, ENTRIES * n // max(1, stored))  # rows of a block

    def blocks(self) -> Iterator[Block]:
        n = self.shape[0]
        start = 0
        while start < n:
            end_of_leaf = (start // BLOCK + 1) * BLOCK  # of the digest
            stop = min(n, start + self.step, end_of_leaf)
            yield self._block(start, stop)
            start = stop

    def _block(self, start: int, stop: int) -> Block:
        if self._sparse:  # without a copy
            ends = self._X.indptr[start : stop + 1]
            at = self._X.indices[ends[0] : ends[-1]]
            flat = self._X.data[ends[0] : ends[-1]]
            return self._nonzeros(range(start, stop), ends - ends[0], at, flat)
        return self._taken(range(start, stop), self._X[start:stop])

    def _taken(self, rows: Sequence[int], part: Any) -> Block:
        """A block of these rows, of which the part of X holds a copy or a view."""
        if self._sparse:
            return self._nonzeros(rows, part.indptr, part.indices, part.data)
        return self._nonzeros(rows, np.arange(len(rows) + 1) * self.shape[1], None, part.ravel())

    @staticmethod
    def _nonzeros(rows: Sequence[int], ends: Any, at: Any, flat: Any) -> Block:
        """From stored entries, of the k-th row at ends[k] to ends[k + 1], in the columns `at`; None: in all."""
        if at is not None and np.all(flat):
            columns = at
        else:
            kept = np.flatnonzero(flat != 0)
            stored, ends = ends, np.searchsorted(kept, ends)
            flat = flat[kept]
            columns = kept - np.repeat(stored[:-1], np.diff(ends)) if at is None else at[kept]
        values = np.asarray(flat, dtype=np.float64)
        finite = np.isfinite(values)
        if not finite.all():
            k = int(np.argmin(finite))
            i = rows[int(np.searchsorted(ends, k, "right")) - 1]
            raise ValueError(f"X has {values[k]} in row {i}, column {columns[k]}: every value must be finite")
        return Block(rows[0], rows[-1] + 1, ends, columns, values)

    def examples(self) -> list[Example]:
        """All rows, as the reference takes them."""
        return [example for block in self.blocks() for example in _examples(block)]

    def products(self, rows: Any, V: Any) -> Sums:
        """Of these rows with the columns of V. Their entries are finite: whoever asks has seen the blocks."""
        if not self._sparse:
            part = self._X[rows].astype(np.float64)
            terms = np.full(len(part), part.shape[1])
            return Sums(part @ V, np.einsum("ij,ij->i", part, part), terms, bool(np.all(part == np.rint(part))))
        block = self._taken(rows, self._X[rows])
        x, full = block.values, np.flatnonzero(np.diff(block.ends))
        dot, square = np.zeros((len(rows), V.shape[1])), np.zeros(len(rows))
        dot[full] = np.add.reduceat(x[:, None] * V[block.columns], block.ends[full], axis=0)
        square[full] = np.add.reduceat(x * x, block.ends[full])
        return Sums(dot, square, np.diff(block.ends), bool(np.all(x == np.rint(x))))

    def sums(self, rows: Sequence[int], coefficients: Any) -> Any:
        """Of these rows, with each line of coefficients: c X, in floats, in any order of addition."""
        if not self._sparse:
            return coefficients @ self._X[list(rows)].astype(np.float64)
        block = self.some(rows)
        row = np.repeat(np.arange(len(rows)), np.diff(block.ends))
        d = self.shape[1]
        return np.array([np.bincount(block.columns, line[row] * block.values, d) for line in coefficients])

    def is_small_and_whole(self, rows: Sequence[int], limit: float) -> bool:
        """Are all entries of these rows integers below the limit in size?"""
        x = self.some(rows).values
        return bool(np.all(x == np.rint(x)) and np.all(np.abs(x) < limit))

    def some(self, rows: Sequence[int]) -> Block:
        """A few of them, taken together."""
        return self._taken(rows, self._X[list(rows)])


class ExactRows(dict[int, Row]):
    """The rows a_i by number, as the reference takes them; each is made once."""

    def __init__(self, data: Data, signs: Any, head: Head) -> None:
        self._data, self._signs, self._head = data, signs, head

    @property
    def constant(self) -> float:
        return self._head.constant

    def of(self, rows: Sequence[int]) -> ExactRows:
        """With these rows among them."""
        new = [i for i in rows if i not in self]
        if new:
            block = self._data.some(new)
            made = self._integer_rows(block, new) or self._rows(block, new)
            self.update(zip(new, made, strict=True))
        return self

    def _rows(self, block: Block, which: list[int]) -> list[Row]:
        examples = zip(which, _examples(block), strict=True)
        return [row(x, int(self._signs[i]), self._head) for i, x in examples]

    def _integer_rows(self, block: Block, which: list[int]) -> list[Row] | None:
        """What `row` makes of rows of integers that fit into 64 bits, all at once; None for others."""
        c, x = self._head.constant, block.values
        if not (c.is_integer() and np.all(x == np.rint(x)) and np.all(np.abs(x) < 2.0**62)):
            return None
        signs = self._signs[which].astype(np.int64)
        entries = np.repeat(signs, np.diff(block.ends)) * x.astype(np.int64)
        pairs = list(zip(block.columns.tolist(), entries.tolist(), strict=True))
        last = [[(self._head.d, s * int(c))] if c else [] for s in signs.tolist()]
        spans = zip(pairwise(block.ends.tolist()), last, strict=True)
        return [Row(pairs[start:stop] + end, 1) for (start, stop), end in spans]


def _examples(block: Block) -> list[Example]:
    pairs = list(zip(block.columns.tolist(), block.values.tolist(), strict=True))
    ends = block.ends.tolist()
    return [pairs[start:stop] for start, stop in pairwise(ends)]
