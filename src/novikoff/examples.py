"""Rows with their labels, over the caller's memory: what `inputs` needs no scikit-learn for, which takes its time."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from novikoff.engine.rows import CsrRows, DenseRows, Rows
from novikoff.float64 import Rounded

FLOATS = FLOAT64, FLOAT32 = np.dtype(np.float64), np.dtype(np.float32)


@dataclass(frozen=True, eq=False)
class Examples:
    """Rows with their labels; accepted in the place of X and y."""

    X: Any  # a float array, or a CSR matrix
    y: NDArray[Any] | None  # None where the source has no labels
    names: NDArray[np.object_] | None = None  # of the columns, where they have names
    weights: NDArray[np.float64] | None = None  # the importance of each example, where the source states it
    rounded: Rounded | None = field(default=None, kw_only=True)  # the numbers of the source that float64 does not hold


def as_rows(X: Any, constant: float, unit: bool, *, norms: bool = True) -> Rows:
    """Rows over the caller's memory, with room for their norms. A CSR matrix stores no entry twice."""
    norm = np.full(X.shape[0] if norms else 0, np.nan)
    if not sp.issparse(X):
        return DenseRows(_unlocked(X), norm, constant, unit)
    # As unsigned, a negative index is a large one.
    if X.nnz and not _unsigned(X.indices).max() < X.shape[1]:
        raise ValueError(f"X is a damaged sparse matrix: it has {X.shape[1]} columns, but stores entries outside them")
    return _csr(X, norm, constant, unit)


def _csr(X: Any, norm: NDArray[np.float64], constant: float, unit: bool) -> CsrRows:
    indptr = X.indptr.astype(np.int64, copy=False)
    return CsrRows(_unlocked(X.data), _unlocked(_unsigned(X.indices)), _unlocked(indptr), norm, constant, unit)


def _unsigned(indices: NDArray[Any]) -> NDArray[Any]:
    return indices.view(np.uint32 if indices.itemsize == 4 else np.uint64)


class _Unlocked:
    def __init__(self, array: NDArray[Any]) -> None:
        interface = array.__array_interface__
        self.__array_interface__ = {**interface, "data": (interface["data"][0], False)}
        self.owner = array


def _unlocked(array: NDArray[Any]) -> NDArray[Any]:
    """A view that Numba takes for writable: a read-only one (a memory map, say) would compile every loop again."""
    return array if array.flags.writeable else np.asarray(_Unlocked(array))


def distinct(labels: Any) -> NDArray[Any]:
    """The different labels, in order."""
    try:
        return np.unique(np.asarray(labels))
    except TypeError as error:
        raise ValueError(f"labels of different types cannot be put in order: {error}") from None


def item(label: Any) -> Any:
    """A plain Python value for a NumPy scalar."""
    return label.item() if isinstance(label, np.generic) else label
