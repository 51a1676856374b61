"""A run against any comparison vector: what it may cost where nothing separates."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff.engine.rows import Rows, sqnorm
from novikoff.engine.trace import Trace
from novikoff.engine.weights import Heads, Plane, Weights
from novikoff.learners.linear import LinearLearner
from novikoff.theory.any_data import any_data_bound


def bound_against(u: Any, learner: LinearLearner, trace: Trace) -> int | None:
    """The most updates of such a run, from what u does on the rows that this one updated on, as often as it did."""
    rows = trace.data
    U = comparison(u, len(learner.W), rows)
    weights = _weights(U)
    updated_on, counts = np.unique(trace.rows, return_counts=True)
    products = [
        (rows.product_with(row, weights), count)
        for row, count in zip(updated_on.tolist(), counts.tolist(), strict=True)
    ]
    norm_sq = sum(map(sqnorm, U), Fraction(0)) / (1 if len(U) == 1 else 2)
    theta = Fraction(learner.theta)
    return any_data_bound(learner.radius_sq, norm_sq, products, theta, rounded=learner.rounded)


def comparison(u: Any, heads: int, rows: Rows) -> NDArray[np.float64]:
    """u as weights have it: a row for each head, the constant coordinate last."""
    if hasattr(u, "coef_"):
        coef, intercept = np.atleast_2d(u.coef_), np.ravel(u.intercept_)
        if np.any(intercept) and not rows.constant:
            raise ValueError("u has an intercept, and the rows of this run have no constant coordinate")
        u = np.column_stack([coef, intercept / (rows.constant or 1.0)])
    U = np.atleast_2d(np.asarray(u, dtype=np.float64))
    d = rows.width - 1
    if U.ndim != 2 or len(U) != heads or U.shape[1] not in (d, d + 1):
        expected = f"{d} weights, or {d + 1} with that of the constant coordinate last"
        raise ValueError(
            f"u has shape {np.shape(u)}, but the run has {expected}" + (f", for each of {heads} classes" * (heads > 1))
        )
    if not np.isfinite(U).all():
        raise ValueError("u has an entry that is not finite")
    if U.shape[1] == d:
        U = np.column_stack([U, np.zeros(heads)])
    return np.ascontiguousarray(U)


def _weights(U: NDArray[np.float64]) -> Weights:
    return Plane(U[0]) if len(U) == 1 else Heads(U, np.zeros(len(U)))
