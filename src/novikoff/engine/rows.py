"""The rows of a problem, a_i = y_i (x_i, c): what can be asked of them, whatever stores them.

A storage is a named tuple that compiled loops read from (`novikoff.engine.storage`); this is the noun around it.
"""

from __future__ import annotations

from copy import copy
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff.engine import decide, digest, loops, sums
from novikoff.engine.compile import is_small_work
from novikoff.engine.decide import NOT_FINITE, STATE
from novikoff.engine.loops import NOBODY, Signs
from novikoff.engine.storage import Storage, Vector, over
from novikoff.engine.weights import Heads, Plane, Weights

Indices = NDArray[np.int64]

BUDGET = 1 << 25  # stored entries per call of a loop, some 20 ms: Ctrl-C is heard; no result depends on it
SHORT = 1 << 13  # the same for the interpreter
NOTHING = np.empty(0)

NO_MARKS = np.empty(0, dtype=np.bool_)


class BadRowError(Exception):
    """A row that cannot be learned from: one of the codes of `novikoff.engine.decide`, and where.

    `scores` are those of the rows before it, in the online protocol.
    """

    def __init__(self, code: int, row: int, scores: NDArray[np.float64] = NOTHING) -> None:
        self.code, self.row, self.scores = code, row, scores


class Rows:
    """x_1, x_2, ... with the constant coordinate, each divided by its norm if ``unit``, and with its sign.

    Parameters
    ----------
    X : a C-contiguous float array or a CSR matrix, which is borrowed
    signs : y in {-1, +1}; 0 where a label is not known. Of many classes the place of each, in 32 bits; -1 if not known
    constant : c, the appended coordinate; 0 for none
    unit : divide every row, with its constant, by its norm
    importance : the weight of each row, above 0; None if all are 1
    """

    def __init__(
        self, X: Any, signs: Signs, constant: float, *, unit: bool = False, importance: Vector | None = None
    ) -> None:
        self.storage: Storage = over(X, constant, unit)
        self.beside: Any = None  # the storage with a copy of one byte an entry, once a run has made it
        self.signs = signs
        self.importance = np.empty(0) if importance is None else importance  # as loops get it
        self.n, self.width = int(X.shape[0]), int(X.shape[1]) + 1
        self._state: Any = np.zeros(1, dtype=STATE)
        self._radius_known = False
        self.reader: object = None  # whoever has noted the norms
        self._interpreted = is_small_work(int(self.storage.stored.size))  # at first, perhaps

    @property
    def constant(self) -> float:
        return self.storage.constant

    @property
    def unit(self) -> bool:
        return self.storage.unit

    @property
    def pace(self) -> int:
        """How many rows a loop may take in one call."""
        budget = SHORT if self._interpreted else BUDGET
        return max(1, budget // (int(self.storage.stored.size) // max(1, self.n) + 8))

    @property
    def norms(self) -> Vector:
        """||x_i||, constant included, before any division; inf where the square is far outside the floats."""
        self.survey()
        return self.storage.norm

    @property
    def radius(self) -> float:
        """R, the largest norm of a row as it is learned from."""
        seen = self.survey()
        return float(decide.root(float(seen.radius_m), int(seen.radius_e)))

    @property
    def radius_sq(self) -> Fraction:
        """An upper bound on R^2, within its last bits."""
        return radius_sq(self.survey(), self.storage.unit)

    def survey(self) -> Any:
        """Look at every row once: are its entries finite, what is its norm?

        Returns the record of the loops, with the radius in it; `BadRowError` for the first row that will not do.
        """
        if not self._radius_known or np.isnan(self.storage.norm).any():
            self.reader = None
            self.open(self)
            self._state[0] = np.zeros(1, dtype=STATE)[0]
            for start in range(0, self.n, self.pace):
                stop = min(self.n, start + self.pace)
                code = loops.survey(self.storage, self.width, self._state, start, stop)
                if code < 0:
                    raise BadRowError(code, int(self._state[0].row))
            self._radius_known = True
        return self._state[0]

    def open(self, reader: object) -> None:
        """For a learner, which meets every row for the first time, to find its own radius; or goes on with them."""
        if self.reader is not reader:
            self.storage.norm.fill(np.nan)
            self.reader = reader

    # Products with a vector --------------------------------------------------------------------------

    def products(self, w: Vector) -> Vector:
        """<w,a_i> for every row, in floats."""
        out = np.empty(self.n)
        for start in range(0, self.n, self.pace):
            loops.products(self.storage, self.signs, w, start, min(self.n, start + self.pace), out)
        return out

    def scores(self, w: Vector) -> Vector:
        """<w,x_i> for every row, with the exact sign."""
        out = np.empty(self.n)
        for start in range(0, self.n, self.pace):
            row = loops.scores(self.storage, w, start, min(self.n, start + self.pace), out)
            if row != NOBODY:
                raise BadRowError(NOT_FINITE, row)
        return out

    def rankings(self, weights: Heads) -> NDArray[np.float64]:
        """The scores of all classes for every row; the largest is that of the exactly largest."""
        out = np.empty((self.n, len(weights.W)))
        room = Heads(weights.W, np.empty(len(weights.W)))  # others may predict at the same time
        for start in range(0, self.n, self.pace):
            row = loops.scores_of_heads(self.storage, room, start, min(self.n, start + self.pace), out)
            if row != NOBODY:
                raise BadRowError(NOT_FINITE, row)
        return out

    def hardest(self, w: Vector) -> int:
        """The row with the smallest <w,a_i>, exactly, ties to the lower row."""
        return self.examine(Plane(w), 0)[0]

    def examine(self, w: Weights, zero: int, missed: NDArray[np.bool_] = NO_MARKS) -> tuple[int, int]:
        """The row of the smallest p; and how many w misclassifies, exactly, if <w,x> = 0 is predicted as ``zero``.

        ``missed``, if it is not empty, marks those.
        """
        storage = self._measured()
        wrong = 0
        for start in range(0, self.n, self.pace):
            stop = min(self.n, start + self.pace)
            wrong += loops.examine(storage, self.signs, w, zero, self._state, start, stop, missed)
        return int(self._state[0].found), wrong

    def _measured(self) -> Any:
        """The storage to read from, with all norms known."""
        if np.isnan(self.storage.norm).any():
            self.survey()
        return self.beside or self.storage

    def product(self, i: int, w: Vector) -> Fraction:
        """<w,a_i>, exactly."""
        divisor = decide.divisor(self.storage, i)
        return sums.to_fraction(sums.exact_dot(self.storage, i, float(self.signs[i]), divisor, w))

    def product_with(self, i: int, weights: Weights) -> Fraction:
        """p of row i, exactly: <w,a_i>, or half of what its class is ahead of its rival."""
        if isinstance(weights, Plane):
            return self.product(i, weights.w)
        divisor = decide.divisor(self.storage, i)
        scores = [sums.to_fraction(sums.exact_dot(self.storage, i, 1.0, divisor, w)) for w in weights.W]
        true = scores.pop(int(self.signs[i]))
        return (true - max(scores)) / 2

    # Some of the rows --------------------------------------------------------------------------------

    def dense(self, which: Indices) -> NDArray[np.float64]:
        """(0, a_i) for these rows of a problem without ``unit``, exactly; the zero leaves room for a coordinate.

        Of many classes it is (0, x_i).
        """
        out = np.zeros((len(which), 1 + self.width))
        signs = self.signs if self.signs.dtype == np.int8 else np.ones(self.n, dtype=np.int8)
        loops.some_rows(self.storage, signs, which, out)
        return out

    def learned(self, which: Indices) -> NDArray[np.float64]:
        """a_i for these rows, as they are learned from: the constant last, and divided by the norm if ``unit``."""
        rows = self.dense(which)[:, 1:]
        if not self.unit:
            return rows
        norms = self.norms[which]
        for k in np.flatnonzero(np.isinf(norms)):
            norms[k] = decide.divisor(self.storage, int(which[k]))
        return rows / norms[:, None]

    def signed(self, signs: Signs) -> Rows:
        """The same rows with other signs, over the same memory, norms included."""
        twin = copy(self)
        twin.signs, twin.reader = signs, None
        twin._state, twin._radius_known = np.zeros(1, dtype=STATE), False
        return twin

    def only(self, which: Indices, signs: Signs) -> Rows:
        """A copy of these rows, with signs for them; not met yet."""
        X = self.storage.some(which, self.width - 1)
        importance = self.importance[which] if len(self.importance) else None
        return Rows(X, signs, self.constant, unit=self.unit, importance=importance)

    def take_norms(self, norms: Vector) -> None:
        """Norms that others have found for these very rows: then only the longest are looked at, for the radius."""
        near = 1.0 - 4.0 * decide.slack(self.width)  # norms are rounded, so the longest is one of these
        longest = norms.max(where=np.isfinite(norms), initial=0.0)  # inf may stand for a very short one, too
        self.storage.norm[:] = np.where(norms >= near * longest, np.nan, norms)
        self._state[0] = np.zeros(1, dtype=STATE)[0]
        loops.survey(self.storage, self.width, self._state, 0, self.n)
        self._radius_known = True

    def part(self, which: Any) -> Any:
        """These rows of X, without constant or sign, as a float64 array or CSR matrix."""
        return self.storage.part(which, self.width - 1)

    # Names -------------------------------------------------------------------------------------------

    def matrix_digest(self) -> bytes:
        """Of X alone: what all divisions of the labels share."""
        return digest.matrix_digest(self.storage, self.n, self.width - 1)

    def digest(self, matrix: bytes | None = None) -> str:
        """The name of X and the signs in a certificate; ``matrix`` is `matrix_digest`, where it is known."""
        return digest.digest(matrix or self.matrix_digest(), self.signs)

    def has_digest(self, stored: str) -> bool:
        """Is this the name of these data, in the version of today or in the first?"""
        return digest.is_digest(stored, self.storage, (self.n, self.width - 1), self.signs)


def radius_sq(state: Any, unit: bool) -> Fraction:
    """An upper bound on R^2 for the radius that a record of the loops holds."""
    # A unit row is divided by its rounded norm, entry by entry: ||x||^2 <= (1 + 2^-53)^2 (1 + 2^-52)^2.
    above = Fraction(1, 2**50) if unit else Fraction(1, 2**53)
    return rounded_radius_sq(state) * (1 + above)


def rounded_radius_sq(state: Any) -> Fraction:
    return Fraction(float(state.radius_m)) * Fraction(2) ** int(state.radius_e)


def sqnorm(w: Vector) -> Fraction:
    """||w||^2, exactly."""
    return sums.to_fraction(sums.exact_sqnorm(w))


def smallest(z: Vector, which: Indices, page: int) -> Indices:
    """Of these rows, a page of those with the smallest z, ties to the lower row; in the order of the data."""
    if len(which) <= page:
        return which
    values = z[which]
    level = np.partition(values, page - 1)[page - 1]
    below, ties = which[values < level], which[values == level]
    return np.sort(np.concatenate([below, ties[: page - len(below)]]))
