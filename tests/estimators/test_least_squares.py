"""LeastSquares: every method against plain numpy, its transcription, and what can go wrong."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, DataConversionWarning
from sklearn.linear_model import SGDRegressor
from sklearn.utils.estimator_checks import parametrize_with_checks

from novikoff import LeastSquares, LeastSquaresClassifier
from novikoff.descent import methods, squares
from novikoff.descent.run import METHODS, STOCHASTIC, run
from novikoff.descent.squares import Squares
from novikoff.descent.stream import RIDGE
from novikoff.engine.storage import over
from novikoff.progress import Descent

BATCH = tuple(method for method in METHODS if method not in STOCHASTIC)
EVERY = pytest.mark.parametrize("method", METHODS)
STORED = pytest.mark.parametrize("stored", [np.asarray, sp.csr_array], ids=["dense", "csr"])
INTERCEPT = pytest.mark.parametrize("intercept", [True, False])


def data(n=60, d=4, seed=0, noise=0.5):
    rng = np.random.RandomState(seed)
    X = rng.standard_normal((n, d)) * rng.uniform(0.5, 2, d)
    X[rng.random_sample((n, d)) < 0.2] = 0.0
    return X, X @ rng.standard_normal(d) + 0.7 + noise * rng.standard_normal(n)


def appended(X, intercept=True):
    return np.column_stack([X, np.full(len(X), float(intercept))])


def quietly(model, X, y, **weights):
    """Fitted, whether it is out of iterations or not."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(X, y, **weights)


def weights(model):
    return np.append(np.ravel(model.coef_), model.intercept_)


def objective(X, y, s=None, intercept=True):
    rows = over(X, float(intercept))
    return Squares(rows, np.asarray(y, dtype=float), np.ones(len(y)) if s is None else s, X.shape[1])


def least(X, y, s=None, intercept=True):
    A, root = appended(X, intercept), np.ones(len(y)) if s is None else np.sqrt(s)
    return np.linalg.lstsq(A * root[:, None], y * root, rcond=None)[0]


def accuracy(X, y, w, s=None, intercept=True):
    """||grad F(w)|| relative to that at 0."""
    A, s = appended(X, intercept), np.ones(len(y)) if s is None else s
    return np.linalg.norm(A.T @ (s * (A @ w - y))) / np.linalg.norm(A.T @ (s * y))


@parametrize_with_checks([LeastSquares(), LeastSquaresClassifier()], xfail_strict=True)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
def test_check_estimator(estimator, check):
    check(estimator)


# The objective --------------------------------------------------------------------------------------


@STORED
@INTERCEPT
@pytest.mark.parametrize("kind", [np.float64, np.float32])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n", [1, 30, 9000])
def test_gradient_and_hessian(stored, intercept, kind, weighted, n):
    X, y = data(n, 3)
    X = X.astype(kind)
    s = np.random.RandomState(1).uniform(0, 3, n) if weighted else np.ones(n)
    F = objective(stored(X), y, s, intercept)
    A = appended(X.astype(float), intercept)
    w = np.array([0.3, -1.0, 2.0, 0.5])
    g, loss = F.gradient(w)
    scale = np.abs(A.T @ (s * (A @ w - y))).max() + 1
    assert loss == pytest.approx((s * (A @ w - y) ** 2).sum(), rel=1e-12)
    assert np.allclose(g, 2 * A.T @ (s * (A @ w - y)), rtol=0, atol=1e-12 * scale)
    H = 2 * A.T @ (s[:, None] * A)
    assert np.allclose(F.hessian, H, rtol=1e-12, atol=1e-12 * n)
    assert np.allclose(F.curvature(w), H @ w, rtol=1e-11, atol=1e-11 * n)
    assert np.allclose(F.sqnorms, (A**2).sum(axis=1), rtol=1e-14)
    assert F.steepest == pytest.approx((s * (A**2).sum(axis=1)).max())
    assert F.smoothness == pytest.approx(np.linalg.eigvalsh(H)[-1], rel=1e-9)
    # A quadratic has no third derivative: central differences are right to rounding.
    for j in range(3 + intercept):
        e = np.eye(4)[j]
        (up, above), (down, below) = F.gradient(w + e), F.gradient(w - e)
        assert (above - below) / 2 == pytest.approx(g[j], rel=1e-9, abs=1e-9 * scale)
        assert np.allclose((up - down) / 2, F.hessian[j], rtol=1e-9, atol=1e-9 * n)


def test_the_largest_eigenvalue_of_a_wide_hessian():
    for seed in range(5):
        X, y = data(80, 100, seed)
        L = np.linalg.eigvalsh(2 * appended(X).T @ appended(X))[-1]
        assert L <= objective(X, y).smoothness <= 1.0201 * L


@STORED
def test_rows_in_pages_are_the_rows(stored, monkeypatch):
    X, y = data(50, 3)
    s = np.linspace(0, 2, 50)
    w = np.array([1.0, 2.0, 3.0, 4.0])
    F = objective(stored(X), y, s)
    whole = np.vstack([A for A, _ in F.dense()])
    g = F.gradient(w)[0]
    singular = quietly(LeastSquares("newton"), stored(appended(X)), y)
    monkeypatch.setattr(squares, "BUDGET", 28)  # seven rows
    monkeypatch.setattr(methods, "PAGE", 28)
    pages = list(F.dense())
    assert len(pages) == 8
    assert np.array_equal(np.vstack([A for A, _ in pages]), whole)
    assert np.allclose(whole, np.sqrt(s)[:, None] * appended(X))
    assert np.allclose(np.concatenate([b for _, b in pages]), np.sqrt(s) * y)
    assert np.allclose(F.gradient(w)[0], g, rtol=1e-13)
    A, b = F.reduced()
    assert A.shape == (5, 4)
    assert np.linalg.norm(A @ w - b) == pytest.approx(np.sqrt(F.gradient(w)[1]), rel=1e-12)
    again = quietly(LeastSquares("newton"), stored(appended(X)), y)
    assert np.allclose(weights(again), weights(singular), rtol=1e-11)


# Accuracy -------------------------------------------------------------------------------------------


@STORED
@INTERCEPT
@pytest.mark.parametrize("method", BATCH)
@pytest.mark.parametrize("tol", [1e-4, 1e-9])
def test_batch_methods_are_as_accurate_as_they_say(stored, intercept, method, tol):
    X, y = data()
    s = np.random.RandomState(2).uniform(0, 3, len(y))
    model = LeastSquares(method, fit_intercept=intercept, tol=tol).fit(stored(X), y, sample_weight=s)
    assert accuracy(X, y, weights(model), s, intercept) <= tol * (1 + 1e-6)
    assert model.trace_.accuracy[-1] == pytest.approx(accuracy(X, y, weights(model), s, intercept), rel=1e-3, abs=1e-14)
    A = appended(X, intercept)[:, : 4 + intercept]
    error = (weights(model) - least(X, y, s, intercept))[: 4 + intercept]
    mu = np.linalg.eigvalsh(A.T @ (s[:, None] * A))[0]
    assert mu * np.linalg.norm(error) <= tol * np.linalg.norm(A.T @ (s * y)) * (1 + 1e-6)
    assert model.stop_reason_.startswith(f"the gradient is at most {tol:g} of that at w = 0")
    assert intercept or model.intercept_ == 0.0


@INTERCEPT
@pytest.mark.parametrize(
    ("method", "step", "distance"),
    [
        ("sgd", 0.02, 1e-12),
        ("newton-sgd", 1.0, 1e-12),
        ("kaczmarz", "auto", 1e-12),
        ("sgd", "auto", 1e-3),  # a step that falls as 1/t is for the others
        ("newton-sgd", "auto", 1e-3),
    ],
)
def test_stochastic_methods_solve_consistent_equations(method, step, distance, intercept):
    X, _ = data()
    w = np.array([1.0, -2.0, 0.5, 3.0, 0.25 * intercept])
    y = appended(X) @ w
    model = quietly(LeastSquares(method, step=step, fit_intercept=intercept, random_state=0), X, y)
    assert np.abs(weights(model) - w).max() <= distance


@pytest.mark.parametrize(
    ("parameters", "distance"),
    [({"method": "sgd"}, 0.002), ({"method": "newton-sgd"}, 0.002), ({"method": "sgd", "average": True}, 0.2)],
)
def test_stochastic_methods_come_near_on_inconsistent_equations(parameters, distance):
    X, y = data()
    optimum = least(X, y)
    for seed in range(5):
        model = quietly(LeastSquares(random_state=seed, max_iter=200, tol=0, **parameters), X, y)
        assert np.linalg.norm(weights(model) - optimum) <= distance * np.linalg.norm(optimum)


def test_kaczmarz_ends_at_a_distance_on_inconsistent_equations():
    X, y = data()
    A, optimum = appended(X), least(X, y)
    residuals = A @ optimum - y
    # E||e||^2 <= (||A||_F^2/sigma_min^2) max r_i^2/||a_i||^2 in the end: D. Needell, BIT 50 (2010) 395-403.
    horizon = (A**2).sum() / np.linalg.eigvalsh(A.T @ A)[0] * (residuals**2 / (A**2).sum(axis=1)).max()
    models = [quietly(LeastSquares("kaczmarz", tol=0, random_state=seed), X, y) for seed in range(30)]
    ends = [((weights(model) - optimum) ** 2).sum() for model in models]
    assert 0.001 * horizon < np.mean(ends) < horizon


@STORED
@pytest.mark.parametrize("method", ["newton", "cg"])
@pytest.mark.parametrize("shape", [(2000, 5), (6, 20), (1, 3)])
def test_of_many_solutions_the_one_of_least_norm(stored, method, shape):
    rng = np.random.RandomState(0)
    Z = rng.standard_normal(shape)
    X = np.column_stack([Z, Z @ rng.standard_normal((shape[1], 7)), np.full(shape[0], 3.0)])
    y = rng.standard_normal(shape[0])
    model = LeastSquares(method, tol=1e-10).fit(stored(X), y)
    assert np.allclose(weights(model), least(X, y), rtol=1e-7, atol=1e-9)
    assert accuracy(X, y, weights(model)) < 1e-9
    bare = LeastSquares(method, tol=1e-10, fit_intercept=False).fit(stored(X), y)
    assert np.allclose(weights(bare), least(X, y, intercept=False), rtol=1e-7, atol=1e-9)


def test_more_columns_than_rows_by_the_other_methods():
    X, y = data(6, 20)
    for method, step in (("gd", "auto"), ("kaczmarz", "auto"), ("sgd", 0.015)):
        model = quietly(LeastSquares(method, step=step, tol=1e-10, random_state=0), X, y)
        assert np.allclose(weights(model), least(X, y), atol=1e-8)  # all steps are combinations of rows
    with pytest.raises(ValueError, match="singular, so method='newton-sgd' has no step: use 'newton', 'sgd' or 'cg'"):
        LeastSquares("newton-sgd").fit(X, y)


def ill_conditioned(least=1e-10, seed=0):
    """Singular values from 1 down to ``least``."""
    rng = np.random.RandomState(seed)
    U, V = np.linalg.qr(rng.standard_normal((50, 8)))[0], np.linalg.qr(rng.standard_normal((8, 8)))[0]
    return U * np.geomspace(1, least, 8) @ V.T


def test_ill_conditioned_equations():
    X = ill_conditioned()
    w = np.arange(1.0, 9.0)
    model = LeastSquares("newton", fit_intercept=False, tol=1e-12).fit(X, X @ w)
    assert np.allclose(model.coef_, w, rtol=1e-4)  # 1e10 times rounding
    assert accuracy(X, X @ w, weights(model), intercept=False) <= 1e-12
    model = LeastSquares("cg", fit_intercept=False).fit(X, X @ w)
    assert accuracy(X, X @ w, weights(model), intercept=False) <= 1e-6


@pytest.mark.parametrize("seed", range(3))
def test_conjugate_gradients_do_not_trust_their_recurrence(seed):
    # The solutions are long, so that rounding leaves more of the gradient than the recurrence says.
    y = np.random.RandomState(seed).standard_normal(50)
    claims = 0
    for smallest in (1e-6, 1e-8):
        X = ill_conditioned(smallest, seed)
        for tol in (1e-6, 1e-10, 1e-12):
            model = quietly(LeastSquares("cg", fit_intercept=False, tol=tol), X, y)
            if model.stop_reason_.startswith("the gradient is at most"):
                claims += 1
                # Solutions of length 5e7: evaluating the gradient rounds by this much.
                noise = 2.0**-52 * np.linalg.norm(weights(model)) * np.linalg.norm(X, 2)
                assert accuracy(X, y, weights(model), intercept=False) <= 2 * tol + noise
    assert claims >= 2


@pytest.mark.parametrize("method", BATCH)
def test_corners(method):
    for X, y, expected in (
        ([[2.0, 3.0]], [7.0], [1.0, 1.5, 0.5]),  # one row: 7/14 of it
        ([[0.0], [0.0]], [1.0, 3.0], [0.0, 2.0]),  # a column of zeros
        ([[5.0], [5.0]], [1.0, 3.0], [10 / 26, 2 / 26]),  # a constant column
        ([[1.0], [2.0]], [0.0, 0.0], [0.0, 0.0]),  # nothing to explain
    ):
        model = LeastSquares(method, tol=1e-12).fit(X, y)
        assert np.allclose(weights(model), expected, atol=1e-10)
    bare = LeastSquares(method, fit_intercept=False).fit([[0.0], [0.0]], [1.0, 3.0])
    assert weights(bare).tolist() == [0.0, 0.0]
    wide = LeastSquares(method, fit_intercept=False).fit(np.zeros((3, 100)), [1.0, 3.0, 2.0])
    assert not wide.coef_.any()


def test_auto():
    X, y = data()
    assert LeastSquares().fit(X, y).method_ == "newton"
    wide = sp.random_array((40, 501), density=0.1, format="csr", random_state=np.random.RandomState(0))
    model = LeastSquares().fit(wide, np.arange(40.0))
    assert model.method_ == "cg"
    assert np.allclose(weights(model), least(wide.toarray(), np.arange(40.0)), atol=1e-4)
    with pytest.raises(ValueError, match="Hessian of 3002 x 3002: use method='cg'"):
        LeastSquares("newton").fit(sp.csr_array((2, 3001)), [0.0, 1.0])
    with pytest.raises(ValueError, match="Hessian of 3002 x 3002: use method='sgd'"):
        LeastSquares("newton-sgd").fit(sp.csr_array((2, 3001)), [0.0, 1.0])


# Transcriptions of the notes ------------------------------------------------------------------------


def stochastic_gradient(A, y, s, alpha, passes, rng):
    """The iterates w_1, w_2, ... of w <- w - alpha_t 2 s_i (<w,a_i> - y_i) a_i."""
    w, order, path = np.zeros(A.shape[1]), np.arange(len(y)), []
    for _ in range(passes):
        for i in order:
            w = w - alpha(len(path)) * 2 * s[i] * (w @ A[i] - y[i]) * A[i]
            path.append(w)
        if rng is not None:
            rng.shuffle(order)
    return path


@STORED
@INTERCEPT
@pytest.mark.parametrize("shuffle", [True, False])
@pytest.mark.parametrize("step", ["auto", "1/t", 0.01])
@pytest.mark.parametrize("average", [True, False])
def test_sgd_is_the_notes(stored, intercept, shuffle, step, average):
    X, y = data(20, 3)
    s = np.random.RandomState(4).uniform(0, 2, 20)
    A = appended(X, intercept)
    R_sq = (s * (A**2).sum(axis=1)).max()
    alpha = {
        0.01: lambda t: 0.01,
        "1/t": lambda t: 1 / (2 * R_sq) / (1 + t / 20),
        "auto": lambda t: 1 / (8 * R_sq) if average else 1 / (2 * R_sq) / (1 + t / 20),
    }[step]
    path = stochastic_gradient(A, y, s, alpha, 4, np.random.RandomState(7) if shuffle else None)
    model = LeastSquares(
        "sgd", step=step, average=average, shuffle=shuffle, fit_intercept=intercept, max_iter=4, random_state=7, tol=0
    )
    quietly(model, stored(X), y, sample_weight=s)
    assert np.allclose(weights(model), np.mean(path, axis=0) if average else path[-1], rtol=1e-11)
    assert model.n_iter_ == 4


@pytest.mark.parametrize("alpha", [0.001, 0.02])
def test_sgd_is_that_of_scikit_learn_with_twice_the_step(alpha):
    X, y = data(50, 4)
    ours = quietly(LeastSquares("sgd", step=alpha, fit_intercept=False, max_iter=1), X, y)
    theirs = SGDRegressor(
        penalty=None, learning_rate="constant", eta0=2 * alpha, shuffle=False, fit_intercept=False, max_iter=1, tol=None
    ).fit(X, y)
    assert np.allclose(ours.coef_, theirs.coef_, rtol=1e-10, atol=1e-12)


@STORED
@INTERCEPT
def test_kaczmarz_is_its_transcription(stored, intercept):
    X, y = data(20, 3)
    s = np.where(np.arange(20) % 3 == 0, 0.0, np.linspace(1, 2, 20))
    A = appended(X, intercept)
    rng, reach, w = np.random.RandomState(7), np.cumsum(s * (A**2).sum(axis=1)), np.zeros(4)
    for _ in range(3):
        for u in rng.random_sample(20):
            i = next(i for i in range(20) if u * reach[-1] < reach[i])
            w -= (w @ A[i] - y[i]) / (A[i] @ A[i]) * A[i]
    model = quietly(
        LeastSquares("kaczmarz", max_iter=3, random_state=7, fit_intercept=intercept), stored(X), y, sample_weight=s
    )
    assert np.allclose(weights(model), w, rtol=1e-11)


def test_kaczmarz_never_draws_beyond_the_last_row():
    class Last:
        def random_sample(self, n):
            return np.full(n, np.nextafter(1, 0))

    for scale in np.random.RandomState(0).uniform(1e-3, 1, 50):
        F = objective(np.array([[scale], [0.1 * scale], [7.0]]), [1.0, 2.0, 3.0], np.array([1.0, 1.0, 0.0]), False)
        w = np.zeros(2)
        next(methods.randomized_kaczmarz(F, w, Last()))
        assert w[0] == pytest.approx(20 / scale)


@STORED
@INTERCEPT
@pytest.mark.parametrize("step", ["auto", 0.3])
def test_stochastic_newton_is_its_transcription(stored, intercept, step):
    X, y = data(20, 3)
    s = np.random.RandomState(4).uniform(0, 2, 20)
    A = appended(X, intercept)[:, : 3 + intercept]
    H = 2 * A.T @ (s[:, None] * A)
    leverage = max(2 * s[i] * A[i] @ np.linalg.solve(H, A[i]) for i in range(20))
    assert 0 < leverage <= 1
    rng, order, w, t = np.random.RandomState(7), np.arange(20), np.zeros(A.shape[1]), 0
    for _ in range(3):
        for i in order:
            alpha = 20 / (20 * leverage + t) if step == "auto" else step
            w -= alpha * np.linalg.solve(H, 2 * s[i] * (w @ A[i] - y[i]) * A[i])
            t += 1
        rng.shuffle(order)
    model = LeastSquares("newton-sgd", step=step, max_iter=3, random_state=7, fit_intercept=intercept)
    quietly(model, stored(X), y, sample_weight=s)
    assert np.allclose(weights(model)[: A.shape[1]], w, rtol=1e-9)


@EVERY
def test_the_same_seed_gives_the_same_bits(method):
    X, y = data(3000, 6)  # enough for several blocks of a sum
    twice = [weights(quietly(LeastSquares(method, max_iter=5, random_state=3), X, y)) for _ in range(2)]
    assert np.array_equal(*twice)
    sparse = weights(quietly(LeastSquares(method, max_iter=5, random_state=3), sp.csr_array(X), y))
    assert np.allclose(sparse, twice[0], rtol=1e-9)
    if method in STOCHASTIC:
        other = quietly(LeastSquares(method, max_iter=5, random_state=4), X, y)
        assert not np.array_equal(weights(other), twice[0])


# Streams --------------------------------------------------------------------------------------------


def streamed(model, X, y, sizes, s=None):
    start = 0
    for size in sizes:
        part = slice(start, start + size)
        model.partial_fit(X[part], y[part], sample_weight=None if s is None else s[part])
        start += size
    return model


@STORED
@pytest.mark.parametrize(
    "parameters",
    [
        {"method": "sgd", "step": 0.02},
        {"method": "sgd"},
        {"method": "sgd", "step": 0.02, "average": True},
        {"method": "kaczmarz"},
        {"method": "newton-sgd"},
    ],
)
def test_batches_are_one_stream(stored, parameters):
    X, y = data(40, 3)
    X[0] *= 9  # the longest row comes first
    s = np.random.RandomState(0).uniform(0, 1, 40)
    s[0] = 2
    whole, parts = (streamed(LeastSquares(**parameters), stored(X), y, k, s) for k in ([40], [1, 20, 4, 15]))
    assert np.array_equal(weights(whole), weights(parts))
    assert whole.t_ == parts.t_ == 40
    assert np.any(weights(whole))


def test_a_stream_of_sgd_is_the_notes():
    X, y = data(30, 3)
    A = appended(X)
    R_sq = (A**2).sum(axis=1).max()
    s = np.ones(30)
    for parameters, alpha in (
        ({}, lambda t: 1 / (2 * R_sq) / (1 + t / 1000)),
        ({"average": True}, lambda t: 1 / (8 * R_sq)),
        ({"step": 0.03}, lambda t: 0.03),
    ):
        path = stochastic_gradient(A, y, s, alpha, 1, None)
        model = LeastSquares("sgd", **parameters).partial_fit(X, y)
        assert np.allclose(weights(model), np.mean(path, axis=0) if "average" in parameters else path[-1], rtol=1e-11)


def test_a_stream_of_kaczmarz_projects_onto_each_row_of_some_weight():
    X, y = data(10, 3)
    w = np.zeros(4)
    for a, t in zip(appended(X)[1:], y[1:], strict=True):
        w -= (w @ a - t) / (a @ a) * a
    model = LeastSquares("kaczmarz").partial_fit(X, y, sample_weight=[0] + [1] * 9)
    assert np.allclose(weights(model), w, rtol=1e-11)


@STORED
def test_a_stream_of_stochastic_newton_is_least_squares_with_a_tiny_ridge(stored):
    X, y = data(40, 3)
    s = np.random.RandomState(0).uniform(0, 1, 40)
    model = streamed(LeastSquares("newton-sgd"), stored(X), y, [10, 30], s)
    A = appended(X)
    assert np.allclose(weights(model), least(X, y, s), rtol=1e-5)
    # A shorter stream than there are columns shows the ridge itself.
    few = LeastSquares("newton-sgd").partial_fit(stored(X[:2]), y[:2], sample_weight=s[:2])
    ridge = RIDGE * (s[:2] * (A[:2] ** 2).sum(axis=1)).max()
    G = A[:2].T @ (s[:2, None] * A[:2]) + ridge * np.eye(4)
    assert np.allclose(weights(few), np.linalg.solve(G, A[:2].T @ (s[:2] * y[:2])), rtol=1e-5)


def test_a_batch_that_diverges_is_left_out():
    X, y = data(60, 3)
    for average in (False, True):
        model = LeastSquares("sgd", step=20.0, average=average).partial_fit(X[:1], y[:1])
        before = weights(model)
        with pytest.warns(ConvergenceWarning, match=r"this batch is left out: alpha = 20, and from 1/R\^2 = 0\."):
            model.partial_fit(np.tile(X, (9, 1)), np.tile(y, 9))
        assert np.array_equal(weights(model), before)
        assert model.t_ == 1


def test_partial_fit_is_for_streams():
    X, y = data(10, 2)
    for method in ("auto", *BATCH):
        assert not hasattr(LeastSquares(method), "partial_fit")
        with pytest.raises(AttributeError, match="partial_fit") as caught:
            LeastSquares(method).partial_fit(X, y)
        assert str(caught.value.__cause__).startswith("partial_fit is for the methods sgd, newton-sgd, kaczmarz;")
    for method in STOCHASTIC:
        for start in (None, [-1, 1]):
            model = LeastSquaresClassifier(method).partial_fit(X, np.where(y > 0, 1, -1), classes=start)
            assert model.classes_.tolist() == [-1, 1]


# Weights, warm starts -------------------------------------------------------------------------------


@STORED
@pytest.mark.parametrize("method", BATCH)
def test_a_weight_is_a_repetition(stored, method):
    X, y = data(30, 3)
    k = np.arange(30) % 4
    weighted = LeastSquares(method, tol=1e-10).fit(stored(X), y, sample_weight=k)
    repeated = LeastSquares(method, tol=1e-10).fit(stored(np.repeat(X, k, axis=0)), np.repeat(y, k))
    assert np.allclose(weights(weighted), weights(repeated), rtol=1e-7)
    assert not np.allclose(weights(weighted), weights(LeastSquares(method).fit(X, y)), rtol=1e-2)


@EVERY
def test_warm_start(method):
    X, y = data()
    model = LeastSquares(method, warm_start=True, max_iter=2, random_state=0)
    first = weights(quietly(model, X, y))
    again = weights(quietly(model, X, y))
    optimum = least(X, y)
    if method == "gd":
        longer = weights(quietly(LeastSquares(method, max_iter=4), X, y))
        assert np.allclose(again, longer, rtol=1e-12)
        model.set_params(max_iter=1000).fit(X, y)
        assert accuracy(X, y, weights(model)) <= 1e-6  # relative to w = 0, not to the start
        assert model.fit(X, y).n_iter_ == 0
    elif method in ("newton", "cg"):
        assert np.linalg.norm(again - optimum) <= np.linalg.norm(first - optimum)
    else:
        assert not np.array_equal(first, again)
    cold = weights(quietly(clone(model).set_params(warm_start=False, max_iter=2), X, y))
    assert np.array_equal(cold, first)
    model.set_params(fit_intercept=False)
    assert quietly(model, X, y).intercept_ == 0.0
    assert quietly(model, X[:, :2], y).coef_.shape == (2,)


# Divergence -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("factor", [1.05, 1e10])
def test_gradient_descent_above_two_over_L(factor):
    X, y = data()
    limit = 2 / np.linalg.eigvalsh(2 * appended(X).T @ appended(X))[-1]
    with pytest.warns(ConvergenceWarning, match=rf"is above 2/L = {limit:.3g}, where L is the largest eigenvalue"):
        model = LeastSquares("gd", step=factor * limit).fit(X, y)
    assert model.stop_reason_.startswith("diverged: alpha = ")
    assert np.isfinite(weights(model)).all()
    below = LeastSquares("gd", step=0.97 * limit).fit(X, y)
    assert accuracy(X, y, weights(below)) <= 1e-6


@pytest.mark.parametrize("average", [False, True])
@pytest.mark.parametrize("step", [10.0, 1e300])
def test_sgd_far_above_one_over_R_squared(average, step):
    X, y = data()
    limit = 1 / (appended(X) ** 2).sum(axis=1).max()
    with pytest.warns(ConvergenceWarning, match=rf"from 1/R\^2 = {limit:.3g} on"):
        model = LeastSquares("sgd", step=step, average=average, random_state=0).fit(X, y)
    assert model.stop_reason_.startswith("diverged: ")
    assert np.isfinite(weights(model)).all()
    if model.n_iter_ == 0:
        assert not weights(model).any()  # as before the first pass


def test_newton_from_two_on():
    X, y = data()
    for step in (2.5, 1e200):
        with pytest.warns(ConvergenceWarning, match="from 2 on a step overshoots"):
            model = LeastSquares("newton", step=step).fit(X, y)
        assert model.stop_reason_.startswith("diverged: ")
        assert np.isfinite(weights(model)).all()
    with pytest.warns(ConvergenceWarning, match="used up"):
        LeastSquares("newton", step=2.0, max_iter=20).fit(X, y)  # to and fro
    for step in (0.5, 1.5):
        assert accuracy(X, y, weights(LeastSquares("newton", step=step).fit(X, y))) <= 1e-6
        singular = LeastSquares("newton", step=step).fit(appended(X), y)
        assert np.allclose(weights(singular), least(appended(X), y), rtol=1e-4)
    assert LeastSquares("newton", tol=0).fit(X, y).stop_reason_ == "the gradient is as small as rounding allows"


def test_stochastic_newton_above_two_over_the_leverage():
    X, y = data()
    A = appended(X)
    h = max(a @ np.linalg.solve(A.T @ A, a) for a in A)
    with pytest.warns(ConvergenceWarning, match=f"from 2/h = {2 / h:.3g} on, where h is the largest leverage"):
        model = LeastSquares("newton-sgd", step=1e6).fit(X, y)
    assert model.stop_reason_.startswith("diverged: ")
    assert np.isfinite(weights(model)).all()


# Bad input ------------------------------------------------------------------------------------------


@EVERY
@STORED
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_values_of_X(method, stored, value):
    X, y = data()
    good = quietly(LeastSquares(method, max_iter=3, random_state=0), X, y)
    before = weights(good)
    X[13, 2] = value
    kind = "NaN" if np.isnan(value) else "infinity"
    for call in ("fit", "partial_fit") if method in STOCHASTIC else ("fit",):
        with pytest.raises(ValueError, match=f"contains {kind}: row 13, column 2"):
            getattr(good, call)(stored(X), y)
        assert np.array_equal(weights(good), before)
    with pytest.raises(ValueError, match=r"row 13, column 2 \('c'\)"):
        LeastSquares(method).fit(pd.DataFrame(X, columns=list("abcd")), y)
    if not np.isnan(value) or method != "newton":
        with pytest.raises(ValueError, match="row 13, column 2"):
            good.predict(X)


def test_a_wide_matrix_with_a_nan(monkeypatch):
    def printed(*arguments, **options):
        raise AssertionError("LAPACK prints a complaint of its own about NaN")

    monkeypatch.setattr("scipy.sparse.linalg.eigsh", printed)
    X, y = data(200, 100)
    X[7, 77] = np.nan
    with pytest.raises(ValueError, match="row 7, column 77"):
        LeastSquares("gd").fit(X, y)


@EVERY
def test_squares_that_overflow(method):
    X, y = data()
    for A, b in ((1e200 * X, y), (X, 1e300 * y)):
        for call in ("fit", "partial_fit") if method in STOCHASTIC else ("fit",):
            with pytest.raises(ValueError, match="overflow: scale the features and the targets"):
                getattr(LeastSquares(method), call)(A, b)


@pytest.mark.parametrize("method", ["gd", "cg", "newton"])
def test_squares_that_vanish_are_not_taken_for_a_minimum(method):
    X, y = data()
    model = quietly(LeastSquares(method, fit_intercept=False, max_iter=3), 1e-200 * X, y)
    if method == "newton":
        assert np.allclose(1e-200 * model.coef_, least(X, y, intercept=False)[:-1], rtol=1e-6)
    else:
        assert model.stop_reason_ == "3 iterations are used up"


def test_targets():
    X, y = data(20, 2)
    for value, kind in ((np.nan, "NaN"), (np.inf, "infinity")):
        with pytest.raises(ValueError, match=rf"y contains {kind}: y\[4\]"):
            LeastSquares().fit(X, np.where(np.arange(20) == 4, value, y))
    with pytest.raises(ValueError, match="X has 20 rows but y has 19 values"):
        LeastSquares().fit(X, y[:-1])
    with pytest.raises(ValueError, match="y must hold numbers; it holds 'high'"):
        LeastSquares().fit(X, ["high"] * 20)
    with pytest.warns(DataConversionWarning, match="column-vector"):
        column = LeastSquares().fit(X, y[:, None])
    assert np.array_equal(column.coef_, LeastSquares().fit(X, y).coef_)
    whole = LeastSquares().fit(X, np.arange(20, dtype=np.int32))
    assert np.array_equal(whole.coef_, LeastSquares().fit(X, np.arange(20.0)).coef_)
    for s, message in (
        (np.ones(19), "shape"),
        (np.full(20, -1.0), ">= 0"),
        (np.zeros(20), "every sample_weight is zero"),
    ):
        with pytest.raises(ValueError, match=message):
            LeastSquares().fit(X, y, sample_weight=s)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"method": "sag"}, "method"),
        ({"step": 0.0, "method": "gd"}, "step"),
        ({"step": "2/t"}, "step"),
        ({"max_iter": 0}, "max_iter"),
        ({"tol": -1.0}, "tol"),
        ({"method": "gd", "step": "1/t"}, "step='1/t' is for method='sgd', not for 'gd'"),
        ({"method": "newton", "step": "1/t"}, "step='1/t' is for method='sgd', not for 'newton'"),
        ({"step": "1/t"}, "not for 'auto'"),
        ({"method": "newton-sgd", "step": "1/t"}, "falls as 1/t already"),
        ({"method": "cg", "step": 0.1}, "method='cg' chooses its steps"),
        ({"method": "kaczmarz", "step": 0.1}, "method='kaczmarz' chooses its steps"),
        ({"method": "gd", "average": True}, "average=True is for method='sgd', not for 'gd'"),
        ({"average": True}, "not for 'auto'"),
    ],
)
def test_parameters(parameters, message):
    X, y = data(10, 2)
    with pytest.raises(ValueError, match=message):
        LeastSquares(**parameters).fit(X, y)
    if parameters.get("method") in STOCHASTIC:
        with pytest.raises(ValueError, match=message):
            LeastSquares(**parameters).partial_fit(X, y)


def test_rows_of_zeros_have_no_equation_to_project_onto():
    for value in (0.0, 1e-160):
        with pytest.raises(ValueError, match="nothing to project onto"):
            LeastSquares("kaczmarz", fit_intercept=False).fit([[value], [value]], [1.0, 2.0])


# The trace, Ctrl-C, printing ------------------------------------------------------------------------


@EVERY
def test_trace(method):
    X, y = data()
    s = np.random.RandomState(0).uniform(0, 2, len(y))
    model = quietly(LeastSquares(method, max_iter=7, tol=1e-12, random_state=0), X, y, sample_weight=s)
    trace = model.trace_
    first = 0 if method in BATCH else 1
    k = len(trace.iterations)
    assert trace.iterations.tolist() == list(range(first, first + k))
    assert model.n_iter_ == trace.iterations[-1]
    if method != "cg":
        assert trace.rows.tolist() == [60 * (i + 1) for i in range(k)]
    else:
        assert (np.diff(trace.rows) >= 60).all()
    assert (np.diff(trace.seconds) >= 0).all()
    assert (trace.seconds >= 0).all()
    if method in BATCH:
        F = s @ (appended(X) @ weights(model) - y) ** 2
        if method in ("newton", "cg"):
            assert trace.loss[-1] == pytest.approx(F, rel=1e-9)
        assert trace.loss[0] == pytest.approx(s @ y**2, rel=1e-12)
        assert (np.diff(trace.loss) <= 1e-9 * F).all()
        assert trace.accuracy[0] == 1
    else:
        assert np.isnan(trace.accuracy).all()
    if method == "gd":  # out of iterations
        assert k == 8
        assert model.stop_reason_.startswith("7 iterations are used up")


def test_the_loss_of_gradient_descent_is_that_of_its_weights():
    X, y = data()
    model = LeastSquares("gd").fit(X, y)
    assert model.trace_.loss[-1] == pytest.approx(((model.predict(X) - y) ** 2).sum(), rel=1e-12)


def test_the_loss_of_a_stochastic_method_is_what_the_pass_met():
    X, y = data(20, 3)
    A, s = appended(X), np.linspace(0, 2, 20)
    path = [np.zeros(4), *stochastic_gradient(A, y, s, lambda t: 0.01, 1, None)]
    met = sum(c * (w @ a - t) ** 2 for c, w, a, t in zip(s, path, A, y, strict=False))
    model = quietly(LeastSquares("sgd", step=0.01, max_iter=1), X, y, sample_weight=s)
    assert model.trace_.loss.tolist() == pytest.approx([met])
    model = quietly(LeastSquares("newton-sgd", step=1e-12, max_iter=1), X, y, sample_weight=s)
    assert model.trace_.loss.tolist() == pytest.approx([s @ y**2])


@pytest.mark.parametrize(("method", "average"), [*((method, False) for method in METHODS), ("sgd", True)])
def test_ctrl_c_keeps_what_was_reached(method, average):
    X, y = data()

    def until(stop, watch=None):
        w = np.zeros(5)
        rng = np.random.RandomState(0)
        given = {"step": "auto", "average": average, "tol": 0.0, "shuffle": True, "rng": rng}
        return run(objective(X, y), method, w, max_iter=stop, watch=watch, **given), w

    def interrupt(number, value):
        if number == 2:
            raise KeyboardInterrupt

    outcome, w = until(50, interrupt)
    assert outcome.reason == "interrupted"
    assert not outcome.converged
    assert not outcome.diverged
    assert outcome.trace.iterations[-1] == 2
    assert np.array_equal(w, until(2)[1])
    assert w.any()


def test_ctrl_c_inside_a_pass_leaves_the_mean_of_the_steps_taken(monkeypatch):
    X, y = data(20, 3)
    kernel, calls = methods.sweeps.sgd, []

    def interrupted(*arguments):
        calls.append(kernel(*arguments))
        if len(calls) == 3:
            raise KeyboardInterrupt  # as Python does, once the compiled loop has returned
        return calls[-1]

    monkeypatch.setattr(methods, "PAGE", 28)  # seven rows of four entries
    monkeypatch.setattr(methods.sweeps, "sgd", interrupted)
    model = LeastSquares("sgd", average=True, step=0.02).fit(X, y)
    path = stochastic_gradient(appended(X), y, np.ones(20), lambda t: 0.02, 1, None)
    assert model.stop_reason_ == "interrupted"
    assert np.allclose(weights(model), np.mean(path[:20], axis=0), rtol=1e-11)
    calls.clear()
    calls.append(0.0)  # now after the second page
    model = LeastSquares("sgd", average=True, step=0.02).fit(X, y)
    assert np.allclose(weights(model), np.mean(path[:14], axis=0), rtol=1e-11)


def test_ctrl_c_in_fit(monkeypatch):
    def interrupt(self, iterations, value):
        raise KeyboardInterrupt

    monkeypatch.setattr(Descent, "__call__", interrupt)
    X, y = data()
    model = LeastSquares("sgd", verbose=1).fit(X, y)  # and no warning
    assert model.stop_reason_ == "interrupted"
    assert np.isfinite(model.predict(X)).all()


def test_verbose_prints_to_stderr(capsys):
    X, y = data()
    LeastSquares("cg", verbose=1).fit(X, y)
    out, err = capsys.readouterr()
    assert out == ""
    assert "least squares, cg: iteration 1 of at most 1,000, " in err
    LeastSquares("cg").fit(X, y)
    assert capsys.readouterr() == ("", "")


# As an estimator ------------------------------------------------------------------------------------


@EVERY
def test_pickle_and_clone(method):
    X, y = data(40, 3)
    model = quietly(LeastSquares(method, max_iter=3, random_state=0), X, y)
    twin = pickle.loads(pickle.dumps(model))
    assert np.array_equal(twin.predict(X), model.predict(X))
    assert np.array_equal(twin.trace_.loss, model.trace_.loss)
    copy = clone(model)
    assert not hasattr(copy, "coef_")
    assert np.array_equal(weights(quietly(copy, X, y)), weights(model))
    if method in STOCHASTIC:
        model.partial_fit(X[:10], y[:10])
        twin = pickle.loads(pickle.dumps(model))
        for one in (model, twin):
            one.partial_fit(X[10:], y[10:])
        assert np.array_equal(weights(model), weights(twin))
        assert model.t_ == twin.t_ == 40


def test_the_data_are_left_alone():
    X, y = data()
    S, before = sp.csr_array(X), X.copy()
    for stored in (X, S):
        for method in METHODS:
            quietly(LeastSquares(method, max_iter=2), stored, y)
    assert np.array_equal(X, before)
    assert np.array_equal(S.toarray(), before)


def test_the_classifier_is_least_squares_on_signs():
    X, y = data()
    labels = np.where(y > 0, "up", "down")
    model = LeastSquaresClassifier().fit(X, labels)
    regression = LeastSquares().fit(X, np.where(y > 0, 1.0, -1.0))
    assert model.classes_.tolist() == ["down", "up"]
    assert np.array_equal(model.coef_[0], regression.coef_)
    assert np.array_equal(model.decision_function(X), regression.predict(X))
    assert np.array_equal(model.predict(X), np.where(regression.predict(X) >= 0, "up", "down"))
    warm = LeastSquaresClassifier("gd", warm_start=True).fit(X, labels)
    assert warm.fit(X, labels).n_iter_ == 0
    with pytest.raises(ValueError, match="one class only"):
        LeastSquaresClassifier().fit(X, ["up"] * 60)


def test_an_automatic_step_is_told_with_its_reason():
    X, y = data(40, 3)
    A = appended(X)
    largest = np.linalg.eigvalsh(2 * A.T @ A)[-1]
    longest = np.max(np.sum(A * A, axis=1))
    for model, told in (
        (LeastSquares("gd"), f"; alpha = 1/L = {1 / largest:.3g}"),
        (LeastSquares("sgd"), f"; alpha = 1/(2 R^2) = {1 / (2 * longest):.3g}, falling as 1/(1 + t/n)"),
        (LeastSquares("sgd", average=True), f"; alpha = 1/(8 R^2) = {1 / (8 * longest):.3g}"),
        (LeastSquares("newton-sgd"), "; alpha = n/(n h + t), h the largest leverage"),
    ):
        assert quietly(model, X, y).stop_reason_.endswith(told)
    for model in (LeastSquares("gd", step=1e-3), LeastSquares("newton"), LeastSquares("cg")):
        assert "alpha" not in quietly(model, X, y).stop_reason_
