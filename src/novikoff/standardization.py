"""Columns made alike: of each its mean is subtracted, and it is divided by its standard deviation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class Standardization:
    """By which numbers columns are standardised: each entry x is learned from as (x - mean) / scale, in float64.

    Where fewer than one in eight numbers of sparse rows are other than 0, all means are 0, so that zeros stay zeros.
    Columns that came later, on a stream, are taken as they are.

    Attributes
    ----------
    means : array of shape (d,)
        Of the columns; all 0 for rows that stay sparse.
    scales : array of shape (d,)
        The standard deviations of the columns (of the n rows, divided by n); 1 for a column of one value only.
    """

    means: Vector
    scales: Vector

    def __post_init__(self) -> None:
        for array in (self.means, self.scales):
            array.flags.writeable = False

    @property
    def centred(self) -> bool:
        """Is any mean subtracted? If not, zeros stay zeros, and sparse rows sparse."""
        return bool(self.means.any())

    def __eq__(self, other: object) -> bool:
        """Does it do the same to all rows?"""
        return (
            isinstance(other, Standardization)
            and np.array_equal(self.means, other.means)
            and np.array_equal(self.scales, other.scales)
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return Standardization, (self.means, self.scales)  # so that those of a copy cannot be written to, either

    __hash__ = None  # type: ignore[assignment]  # arrays have none

    def __repr__(self) -> str:
        return f"<Standardization of {len(self.means):,} columns: {self}>"

    def __str__(self) -> str:
        if self.centred:
            return "each minus its mean, divided by its standard deviation (by 1 where that is 0)"
        return "each divided by its standard deviation (by 1 where that is 0), and zeros stay zeros"

    def of_width(self, d: int) -> tuple[Vector, Vector]:
        """Means and scales of the first d columns."""
        known = len(self.means)
        if d == known:
            return self.means, self.scales
        beyond = max(0, d - known)
        return np.append(self.means[:d], np.zeros(beyond)), np.append(self.scales[:d], np.ones(beyond))

    def rows(self, X: Any) -> Any:
        """A float array or a CSR matrix standardised, as float64; CSR rows whose zeros do not stay zeros as an array.

        A sum or quotient that is beyond float64 is infinite.
        """
        sparse = hasattr(X, "indptr")
        if sparse and not self.centred:
            _, scales = self.of_width(X.shape[1])
            with np.errstate(over="ignore"):
                return type(X)((X.data / scales[X.indices], X.indices, X.indptr), shape=X.shape)
        dense = X.toarray() if sparse else X
        if self.centred and X.shape[1] < len(self.means):  # what a row does not have is 0
            dense = np.pad(dense, ((0, 0), (0, len(self.means) - X.shape[1])))
        means, scales = self.of_width(dense.shape[1])
        with np.errstate(over="ignore", invalid="ignore"):
            found = np.subtract(dense, means, dtype=np.float64)
            return np.divide(found, scales, out=found)
