"""Least squares: one pass of SGD, and the way to an accuracy of 1e-6."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import numpy as np
from scipy.sparse.linalg import lsmr, lsqr
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.linear_model import LinearRegression, Ridge, SGDRegressor

from benchmarks import datasets
from benchmarks.measure import Result, Skipped, compare, side_by_side
from novikoff import LeastSquares

TOLERANCE = 1e-6


def _one_pass(X, y, alpha):
    """The same pass on both sides: scikit-learn's eta0 multiplies half the gradient."""

    def ours():
        return LeastSquares("sgd", step=alpha, shuffle=False, fit_intercept=False, max_iter=1).fit(X, y).coef_

    def theirs():
        peer = SGDRegressor(
            penalty=None,
            learning_rate="constant",
            eta0=2 * alpha,
            shuffle=False,
            fit_intercept=False,
            max_iter=1,
            tol=None,
        )
        return peer.fit(X, y).coef_

    return ours, theirs


def sgd() -> Iterator[Result | Skipped]:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200_000, 100))
    y = X @ rng.standard_normal(100) + rng.standard_normal(200_000)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        ours, theirs = _one_pass(X, y, 1e-4)
        close = lambda a, b: np.allclose(a, b, rtol=1e-9, atol=1e-12)  # noqa: E731
        yield compare("SGD, one pass, 200000 x 100", "SGDRegressor, eta0 = 2 alpha", ours, theirs, same=close, bar=4.0)
        try:
            X, y = datasets.newsgroups()
        except datasets.MissingError as missing:
            yield Skipped("SGD, one pass, 20newsgroups CSR", str(missing))
            return
        longest = float(X.multiply(X).sum(axis=1).max())
        ours, theirs = _one_pass(X, np.asarray(y, dtype=np.float64), 0.25 / longest)
        yield compare("SGD, one pass, 20newsgroups CSR", "SGDRegressor", ours, theirs, same=close, bar=1.3, rounds=15)


def _accuracy(X, y, w, b) -> float:
    """||grad F(w)|| / ||grad F(0)||."""

    def gradient(residual):
        return np.append(X.T @ residual, residual.sum())

    return float(np.linalg.norm(gradient(X @ w + b - y)) / np.linalg.norm(gradient(y)))


def solve() -> Iterator[Result | Skipped]:
    rng = np.random.default_rng(0)
    n, d = 500_000, 50
    X = rng.standard_normal((n, d)) @ (np.eye(d) + 0.3 * rng.standard_normal((d, d)))
    y = X @ rng.standard_normal(d) + 1.0 + rng.standard_normal(n)
    with_constant = np.c_[X, np.ones(n)]

    def ours():
        model = LeastSquares(tol=TOLERANCE).fit(X, y)
        return model.coef_, model.intercept_

    def fit(model):
        return lambda: (lambda m: (m.coef_, m.intercept_))(model.fit(X, y))

    def lstsq():
        w = np.linalg.lstsq(with_constant, y, rcond=None)[0]
        return w[:-1], w[-1]

    peers = {
        "numpy lstsq": lstsq,
        "LinearRegression": fit(LinearRegression()),
        "Ridge(1e-12)": fit(Ridge(1e-12)),
        "Ridge(1e-12, cholesky)": fit(Ridge(1e-12, solver="cholesky")),
    }
    for name, theirs in peers.items():
        assert _accuracy(X, y, *theirs()) <= TOLERANCE
        assert _accuracy(X, y, *ours()) <= TOLERANCE
        mine, other = side_by_side(ours, theirs, rounds=5)
        bar = 5.0 if name == "LinearRegression" else 1.0
        yield Result(f"to 1e-6, {n} x {d}", name, mine, other, other / mine, bar)


def sparse() -> Iterator[Result | Skipped]:
    """To (F(w) - F*) / (F(0) - F*) <= 1e-6, each side with the fewest iterations that reach it."""
    job = "F to 1e-6, 20newsgroups tf-idf CSR, no intercept"
    try:
        X, y = datasets.newsgroups()
    except datasets.MissingError as missing:
        yield Skipped(job, str(missing))
        return
    X, y = TfidfTransformer().fit_transform(X), np.asarray(y, dtype=np.float64)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        losses = LeastSquares(tol=1e-9, fit_intercept=False, max_iter=3000).fit(X, y).trace_.loss
        goal = losses[-1] + TOLERANCE * (y @ y - losses[-1])
        enough = int(np.argmax(losses <= goal))

        def loss(w):
            return float(np.sum((X @ w - y) ** 2))

        def ours():
            return LeastSquares(tol=0.0, fit_intercept=False, max_iter=enough).fit(X, y).coef_

        assert loss(ours()) <= goal * (1 + 1e-9)
        for name, solver, limit in (("scipy lsqr", lsqr, "iter_lim"), ("scipy lsmr", lsmr, "maxiter")):

            def theirs(steps, solver=solver, limit=limit):
                return solver(X, y, atol=0, btol=0, conlim=0, **{limit: steps})[0]

            low, high = 1, enough
            while loss(theirs(high)) > goal:
                low, high = high, high + max(1, high // 4)
            while high - low > 1 + high // 100:
                middle = (low + high) // 2
                low, high = (low, middle) if loss(theirs(middle)) <= goal else (middle, high)
            mine, other = side_by_side(ours, lambda steps=high, peer=theirs: peer(steps), rounds=5)
            yield Result(job, name, mine, other, other / mine, 1.0, remark=f"{enough} and {high} iterations")


GROUPS = {"sgd": sgd, "solve": solve, "solve-sparse": sparse}
