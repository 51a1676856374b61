"""One pass over a million Boolean rows: Winnow and elimination against one pass of scikit-learn's Perceptron."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.linear_model import Perceptron as SklearnPerceptron

from benchmarks.measure import Result, compare
from novikoff.estimators.boolean import Conjunction, MonotoneConjunction
from novikoff.estimators.winnow import Winnow

SKLEARN = "scikit-learn Perceptron, one pass"
N, D, RELEVANT = 1_000_000, 1000, 5


def rows(n: int, d: int, often: float, *, seed: int = 0) -> sp.csr_matrix:
    """20 to 50 ones a row among d columns; each of the first few is there with probability ``often``."""
    rng = np.random.default_rng(seed)
    # A random start and random gaps: different columns, in order, without a sort of the whole.
    count = rng.integers(20, 51, n)
    room = d - RELEVANT
    gaps = rng.integers(1, room // 50, (n, 50))
    columns = RELEVANT + np.cumsum(gaps, axis=1) - 1
    kept = np.arange(50) < count[:, None]
    table = np.hstack([np.broadcast_to(np.arange(RELEVANT), (n, RELEVANT)), columns])
    kept = np.hstack([rng.random((n, RELEVANT)) < often, kept])
    indptr = np.concatenate([[0], np.cumsum(kept.sum(axis=1))])
    indices = table[kept].astype(np.int32)
    return sp.csr_matrix((np.ones(len(indices)), indices, indptr), shape=(n, d))


def _fit(model, X, y):
    return clone(model).fit(X, y)


def boolean() -> Iterator[Result]:
    theirs = SklearnPerceptron(max_iter=1, tol=None, shuffle=False)
    jobs = [
        (Winnow(k=RELEVANT), "a disjunction of 5", 0.13),
        (Winnow(variant=2, k=RELEVANT), "a disjunction of 5", 0.13),
        (MonotoneConjunction(), "a conjunction of 5", 0.87),
        (Conjunction(), "a conjunction of 5", 0.87),
    ]
    for model, what, often in jobs:
        X = rows(N, D, often)
        active = np.asarray(X[:, :RELEVANT].sum(axis=1)).ravel()
        y = (active == RELEVANT if "conj" in what else active > 0).astype(int)
        fitted = _fit(model, X, y)
        assert fitted.mistakes_ <= fitted.bound()
        yield compare(
            f"{model!r}, {what}, {N:,} x {D} CSR float64",
            SKLEARN,
            partial(_fit, model, X, y),
            partial(_fit, theirs, X, y),
            same=None,
            bar=1.0,
            rounds=3,
            remark=f"{fitted.mistakes_} mistakes, {X.nnz / N:.0f} ones a row, {y.mean():.0%} positive",
        )


GROUPS = {"boolean": boolean}
