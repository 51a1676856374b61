"""Complete, quasi-complete or overlap (Albert and Anderson 1984): what to ask after "not separable"."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from novikoff.certificates.details import Detail, Diverging, Fates, Span
from novikoff.certificates.faces import face
from novikoff.certificates.fates import Quotient, fates, independent
from novikoff.certificates.solve import WIDE, CountedRows
from novikoff.certificates.spans import Echelon, Unclear, spanning, unscaled
from novikoff.engine.rows import Indices

Matrix = NDArray[np.float64]

USUAL = 64  # the size of an exponent by which no entry but a tiny one leaves the floats
LARGEST = 2**28  # entries of the rows, as a dense matrix


class Found(NamedTuple):
    """What is proved of rows that no hyperplane separates."""

    rows: Indices  # of a combination that vanishes, and that spans the rows that no weak separator moves
    weights: list[int]
    detail: Detail
    accepted: bool  # the weak separator moves all rows of sign -1


def separation(data: CountedRows, rows: Indices, weights: list[int], power: int) -> Found:
    """Overlap or not, from a combination that vanishes; `Unclear` where floats cannot tell.

    The rows of the data are those of the problem times 2^power.
    """
    used = data.used_columns()
    if len(used) > WIDE or len(used) * data.n > LARGEST:
        raise Unclear(f"{data.n:,} rows of {len(used):,} columns are too many to ask it of")
    problem = _Problem(data, used, power)
    return problem.at_once(rows, weights) or problem.search(rows, weights)


class _Problem:
    def __init__(self, data: CountedRows, used: Indices, power: int) -> None:
        self.data, self.used, self.power = data, used, power
        self.width = data.width if data.rows.constant else data.width - 1  # D
        self.unused = np.setdiff1d(np.arange(self.width), used)

    def at_once(self, rows: Indices, weights: list[int]) -> Found | None:
        """The rows of the combination span everything: as on ordinary data without a separator."""
        if len(rows) <= len(self.used):
            return None
        A = self.data.rows.dense(rows)[:, 1:][:, self.used]
        exponents = np.frexp(np.abs(A).max(axis=0))[1].astype(np.int64)
        echelon = Echelon(np.ldexp(A, -exponents), self.data.look)
        if len(echelon.free):
            return None
        span = self._span(echelon, rows, exponents)
        return Found(rows, weights, Detail(self.width, span, span, 0, None), False)

    def search(self, rows: Indices, weights: list[int]) -> Found:
        data = self.data
        A = data.rows.dense(np.arange(data.n)).take(1 + self.used, axis=1)
        data.spend(1)
        exponents = np.frexp(np.maximum(A.max(axis=0), -A.min(axis=0)))[1].astype(np.int64)
        A = _divided(A, exponents)
        zero, echelon, spanning_rows, spanning_weights = face(data, A, rows, weights)
        span = self._span(echelon, np.arange(data.n), exponents)
        if len(zero) == data.n:
            return Found(spanning_rows, spanning_weights, Detail(self.width, span, span, 0, None), False)
        outside = np.setdiff1d(np.arange(data.n), zero)
        more = outside[independent(data, A[outside], echelon.vectors())]
        start = np.concatenate([np.array(echelon.rows, dtype=np.int64), more])
        # The rows of Z are in the span of those that are in `start` already.
        everything = spanning(A, start, outside, data.look)
        all_rows = self._span(everything, np.arange(data.n), exponents)
        found = self._fates(A, exponents, echelon, everything, outside)
        detail = Detail(self.width, span, all_rows, len(outside), found)
        accepted = bool((data.signs[zero] > 0).all())
        return Found(spanning_rows, spanning_weights, detail, accepted)

    def _span(self, echelon: Echelon, rows: Indices, exponents: NDArray[np.int64]) -> Span:
        """In the coordinates of the data."""
        vectors = {int(j): {int(j): 1} for j in self.unused}
        for v in echelon.vectors():
            exact = unscaled(v, exponents)
            vectors[int(self.used[min(v)])] = {int(self.used[j]): x for j, x in exact.items()}
        return Span(
            tuple(sorted(int(rows[i]) for i in echelon.rows)),
            tuple(int(self.used[j]) for j in echelon.pivots),
            echelon.modulus,
            tuple(vectors[j] for j in sorted(vectors)),
        )

    def _fates(
        self, A: Matrix, exponents: NDArray[np.int64], zero: Echelon, everything: Echelon, outside: Indices
    ) -> Fates:
        dependent = {j for v in everything.vectors() for j in v}
        moved = {j for v in zero.vectors() for j in v} - dependent
        directions = [v for f, v in zip(zero.free, zero.vectors(), strict=True) if f not in everything.free]
        quotient = Quotient(self.data, outside, A[outside], directions, exponents)
        places = {int(i): k for k, i in enumerate(outside)}
        basis = [places[i] for i in everything.rows if i in places]
        return self._in_coordinates_of_the_data(fates(quotient, sorted(moved), basis), exponents)

    def _in_coordinates_of_the_data(self, found: Fates, exponents: NDArray[np.int64]) -> Fates:
        names = self.used.tolist()
        weak, *others = ({names[j]: x for j, x in unscaled(v, exponents).items()} for v in (found.weak, *found.others))
        return Fates(
            weak,
            tuple(self._of_the_data(each) for each in found.diverges),
            tuple((names[j], k) for j, k in found.undetermined),
            tuple(others),
            tuple(names[j] for j in found.needed),
        )

    def _of_the_data(self, found: Diverging) -> Diverging:
        scale, weights = found.scale << max(0, self.power), [w << max(0, -self.power) for w in found.weights]
        common = math.gcd(scale, *weights)
        values = tuple(w // common for w in weights)
        return Diverging(int(self.used[found.column]), scale // common, found.rows, values)


def _divided(A: Matrix, exponents: NDArray[np.int64]) -> Matrix:
    """Each column over its power of two, exactly."""
    if np.abs(exponents).max(initial=0) < USUAL:
        A *= np.ldexp(1.0, -exponents)
        return A
    B = np.ldexp(A, -exponents)
    if not np.array_equal(np.ldexp(B, exponents), A):
        raise Unclear("the entries of a column are too far apart in size")
    return B
