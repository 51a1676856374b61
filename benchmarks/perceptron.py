"""The Perceptron against scikit-learn, river and the memory bus."""

from __future__ import annotations

import subprocess
import sys
import warnings
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import numpy as np
from numba import njit
from river.linear_model import Perceptron as RiverPerceptron
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Perceptron as SklearnPerceptron

from benchmarks import datasets
from benchmarks.measure import Result, Skipped, compare, side_by_side
from novikoff import Perceptron

warnings.simplefilter("ignore", ConvergenceWarning)

SKLEARN = "scikit-learn Perceptron"
PASSES = 10


def _fit_both(job, X, y, passes, bar, rounds=7, remark=""):
    """`passes` passes in the given order on both sides; the same weights, so the same mistakes."""
    ours = partial(_fit, Perceptron(fit_intercept=False, max_iter=passes), X, y)
    theirs = partial(_fit, SklearnPerceptron(fit_intercept=False, shuffle=False, tol=None, max_iter=passes), X, y)
    same = lambda a, b: np.array_equal(a.coef_, b.coef_)  # noqa: E731
    return compare(job, SKLEARN, ours, theirs, same=same, bar=bar, rounds=rounds, remark=remark)


def _fit(model, X, y):
    return clone(model).fit(X, y)


def _with_ceiling(result, X):
    """The same, with the ratio of a loop that did nothing but the dot products of the passes."""
    w = np.ones(X.shape[1])
    _bare(X, w)
    bare = side_by_side(lambda: _bare(X, w), lambda: None, rounds=9)[0]
    return replace(result, remark=f"bare dot products: {result.theirs / (PASSES * bare):.2f}×")


def dense() -> Iterator[Result | Skipped]:
    found = []
    for n, d, dtype in ((200_000, 100, np.float64), (200_000, 100, np.float32), (100_000, 1000, np.float32)):
        X, y = datasets.noisy_plane(n, d, dtype)
        result = _fit_both(f"{PASSES} passes, {n} x {d} {dtype.__name__}", X, y, PASSES, 3.5, rounds=5)
        found.append(_with_ceiling(result, X))
        yield found[-1]
    try:
        pixels, digits = datasets.mnist()
    except datasets.MissingError as missing:
        yield Skipped("MNIST 60000 x 784, even v odd", str(missing))
    else:
        X, y = pixels.astype(np.float32), np.where(digits % 2 == 0, 1, -1)
        job = f"{PASSES} passes, MNIST 60000 x 784 float32, even v odd"
        found.append(_with_ceiling(_fit_both(job, X, y, PASSES, 3.5, rounds=5), X))
        yield found[-1]
    mean = float(np.exp(np.mean([np.log(result.ratio) for result in found])))
    ours, theirs = (float(np.prod([getattr(r, s) for r in found]) ** (1 / len(found))) for s in ("ours", "theirs"))
    yield Result(f"geometric mean of these {len(found)}", SKLEARN, ours, theirs, mean, 5.0)


def sparse() -> Iterator[Result | Skipped]:
    try:
        X, y = datasets.newsgroups()
    except datasets.MissingError as missing:
        yield Skipped("20newsgroups hockey v rest, CSR", str(missing))
        return
    for dtype in (np.float64, np.float32):
        data = X.astype(dtype)
        passes = Perceptron(fit_intercept=False).fit(data, y).passes_
        job = f"20newsgroups {X.shape[0]} x {X.shape[1]} CSR {dtype.__name__} to convergence"
        yield _fit_both(job, data, y, passes, 1.3, rounds=9, remark=f"{passes} passes")


def online() -> Iterator[Result]:
    rng = np.random.default_rng(0)
    n = 5000
    for d, dense_bar in ((20, 4.0), (100, 10.0)):
        X = rng.standard_normal((n, d))
        y = X @ rng.standard_normal(d) > 0
        signs, truths = [1 if t else -1 for t in y], [bool(t) for t in y]
        dicts = [{f"x{j}": float(v) for j, v in enumerate(x)} for x in X]

        def play(model, xs, ys):
            answers = []
            for x, truth in zip(xs, ys, strict=True):
                answers.append(model.predict_one(x))
                model.learn_one(x, truth)
            return answers

        river = lambda dicts=dicts, truths=truths: play(RiverPerceptron(), dicts, truths)  # noqa: E731
        agree = lambda a, b: np.mean([(p > 0) == q for p, q in zip(a, b, strict=True)]) > 0.999  # noqa: E731
        yield compare(
            f"predict_one + learn_one, vector, d = {d}",
            "river Perceptron on dicts",
            lambda X=X, signs=signs: play(Perceptron(), X, signs),
            river,
            same=agree,
            bar=dense_bar,
            per=n,
        )
        yield compare(
            f"predict_one + learn_one, dict, d = {d}",
            "river Perceptron",
            lambda dicts=dicts, truths=truths: play(Perceptron(), dicts, truths),
            river,
            same=agree,
            bar=1.0,
            per=n,
        )


def one_row() -> Iterator[Result]:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((500, 20))
    y = np.where(X[:, 0] > 0, 1, -1)

    def stream(model):
        for i in range(len(X)):
            model.partial_fit(X[i : i + 1], y[i : i + 1], classes=[-1, 1])
        return model

    yield compare(
        "partial_fit of one row, d = 20",
        SKLEARN,
        lambda: stream(Perceptron(fit_intercept=False)),
        lambda: stream(SklearnPerceptron(fit_intercept=False, shuffle=False)),
        same=lambda a, b: np.array_equal(a.coef_, b.coef_),
        bar=10.0,
        per=len(X),
    )


@njit(fastmath={"reassoc", "contract", "nsz"})
def _dot(x, w):
    s = 0.0
    for j in range(x.shape[0]):
        s += w[j] * x[j]
    return s


@njit
def _bare(X, w):
    """As little as a pass can do: every dot product, once."""
    positive = 0
    for i in range(X.shape[0]):
        positive += _dot(X[i], w) > 0
    return positive


def roofline() -> Iterator[Result]:
    for n, d, dtype in ((200_000, 100, np.float64), (200_000, 100, np.float32), (100_000, 1000, np.float32)):
        X, y = datasets.noisy_plane(n, d, dtype)
        clean = np.abs(X @ np.ones(d, dtype)) > 1
        X, y = np.ascontiguousarray(X[clean]), np.where(X[clean].sum(axis=1) > 0, 1, -1)
        model = Perceptron(fit_intercept=False, max_iter=10_000).fit(X, y)
        w = model.coef_[0].copy()
        again = Perceptron(fit_intercept=False, warm_start=True).fit(X, y)
        _bare(X, w)
        a, b = side_by_side(partial(_passes, again, X, y, 1), partial(_passes, again, X, y, 11), rounds=7)
        pass_time, bare = (b - a) / 10, side_by_side(lambda X=X, w=w: _bare(X, w), lambda: None, rounds=9)[0]
        yield Result(
            f"a pass without mistakes, {len(X)} x {d} {dtype.__name__}",
            "bare compiled dot products",
            pass_time,
            bare,
            bare / pass_time,
            0.7,
            remark=f"{X.nbytes / bare / 1e9:.0f} GB/s bare",
        )


def _passes(model, X, y, passes):
    """`passes` passes of a learner that makes no mistake any more."""
    from novikoff.engine.rows import Rows

    rows = Rows(X, model._labels.signs(y, len(y)), 0.0)
    for _ in range(passes):
        model._learner.one_pass(rows)


START = """
import numpy as np
from {module} import Perceptron
rng = np.random.default_rng(0)
X = rng.standard_normal((1000, 20))
Perceptron({options}).fit(X, X[:, 0] > 0)
"""


def start_up() -> Iterator[Result]:
    def fresh(module, options):
        code = START.format(module=module, options=options)
        return lambda: subprocess.run([sys.executable, "-W", "ignore", "-c", code], check=True)

    yield compare(
        "first fit in a fresh process, import included, warm cache",
        SKLEARN,
        fresh("novikoff", "max_iter=10"),
        fresh("sklearn.linear_model", "shuffle=False, tol=None, max_iter=10"),
        same=None,
        bar=0.5,
    )


GROUPS = {
    "dense": dense,
    "sparse": sparse,
    "online": online,
    "one_row": one_row,
    "roofline": roofline,
    "start_up": start_up,
}
