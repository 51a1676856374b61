"""What can be seen in a matrix at little cost: columns that say nothing, and rows that are images."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

BLOCK = 512  # rows that are compared at a time
SMALLEST = 64  # pixels of an image
SMOOTH = 0.75  # neighbours in an image differ by less than so much of what any two pixels do

Indices = NDArray[np.int64]


def constant(X: Any) -> Indices:
    """The columns that hold one value only."""
    n, d = X.shape
    if sp.issparse(X):
        stored = np.bincount(X.indices[X.data != 0], minlength=d)
        full = np.flatnonzero(stored == n)
        table = X[:, full].toarray() if len(full) else np.empty((1, 0))
        same = full[(table == table[0]).all(axis=0)]
        return np.union1d(np.flatnonzero(stored == 0), same)
    left = np.arange(d)
    for start in range(0, n, BLOCK):
        left = left[(X[start : start + BLOCK, left] == X[0, left]).all(axis=0)]
        if not len(left):
            break
    return left


def repeated(X: Any, without: Indices) -> Indices:
    """The columns that equal one before them, other than those ``without``."""
    weights = np.random.RandomState(0).standard_normal(X.shape[0])
    keys = np.asarray(X.T @ weights.astype(X.dtype), dtype=np.float64)
    # Equal columns have equal keys, up to the rounding of a sum.
    slack = 1e-4 if X.dtype == np.float32 else 1e-9
    order = np.setdiff1d(np.arange(X.shape[1]), without)
    if not len(order):
        return np.empty(0, dtype=np.int64)
    order = order[np.argsort(keys[order], kind="stable")]
    near = np.abs(np.diff(keys[order])) <= slack * np.abs(keys[order][1:])
    suspects = np.sort(order[np.append(near, False) | np.append(False, near)])
    table = X[:, suspects].tocsc() if sp.issparse(X) else X[:, suspects]
    seen: set[bytes] = set()
    found = []
    for k, j in enumerate(suspects.tolist()):
        content = _bytes(table, k)
        if content in seen:
            found.append(j)
        seen.add(content)
    return np.array(found, dtype=np.int64)


def _bytes(table: Any, k: int) -> bytes:
    """The values of a column: equal bytes for equal columns."""
    if sp.issparse(table):
        part = slice(table.indptr[k], table.indptr[k + 1])
        kept = table.data[part] != 0
        return bytes(table.indices[part][kept].tobytes() + table.data[part][kept].tobytes())
    return bytes((table[:, k] + 0.0).tobytes())  # -0 is 0


def square(rows: NDArray[np.float64]) -> tuple[int, int] | None:
    """The shape of the rows if they look like square images: pixels resemble those beside and below them."""
    side = math.isqrt(rows.shape[1])
    if side * side != rows.shape[1] or rows.shape[1] < SMALLEST:
        return None
    images = rows.reshape(-1, side, side)
    spread = 2 * float(images.var())
    across, down = (float(np.mean(np.diff(images, axis=axis) ** 2)) for axis in (2, 1))
    return (side, side) if 0 < max(across, down) < SMOOTH * spread else None
