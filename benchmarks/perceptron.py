"""The Perceptron against scikit-learn, river and the memory bus."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
from numba import njit
from river.linear_model import Perceptron as RiverPerceptron
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Perceptron as SklearnPerceptron

from benchmarks import datasets
from benchmarks.measure import Result, Skipped, compare, side_by_side
from novikoff import Perceptron
from novikoff.engine.keeping import NOBODY
from novikoff.engine.loops import cycle
from novikoff.engine.order import GIVEN
from novikoff.engine.rows import Rows
from novikoff.learners import perceptron as rules
from novikoff.learners.linear import NO_TALLY, NO_TRACE, LinearLearner

warnings.simplefilter("ignore", ConvergenceWarning)

SKLEARN = "scikit-learn Perceptron"
PASSES = 10


def _fit_both(job, X, y, passes, bar, rounds=7, remark=""):
    """`passes` passes in the given order on both sides; the same weights, so the same mistakes."""
    ours = partial(_fit, Perceptron(fit_intercept=False, shuffle=False, hypothesis="last", max_iter=passes), X, y)
    theirs = partial(_fit, SklearnPerceptron(fit_intercept=False, shuffle=False, tol=None, max_iter=passes), X, y)
    same = lambda a, b: np.array_equal(a.coef_, b.coef_)  # noqa: E731
    return compare(job, SKLEARN, ours, theirs, same=same, bar=bar, rounds=rounds, remark=remark)


def _fit(model, X, y):
    return clone(model).fit(X, y)


@njit(fastmath={"reassoc", "contract", "nsz"})
def _bare(X, w):
    """As little as a pass can do: every dot product, once. Nothing of the engine is in it."""
    positive = 0
    for i in range(np.uint64(X.shape[0])):
        s = 0.0
        for j in range(np.uint64(X.shape[1])):
            s += w[j] * X[i, j]
        positive += s > 0
    return positive


@njit(fastmath={"reassoc", "contract", "nsz"})
def _textbook(X, y, w, passes):
    """The Perceptron in plain floats, as one would write it: no norms, no exact signs, no counts."""
    for _ in range(passes):
        for i in range(np.uint64(X.shape[0])):
            s = 0.0
            for j in range(np.uint64(X.shape[1])):
                s += w[j] * X[i, j]
            if y[i] * s <= 0.0:
                for j in range(np.uint64(X.shape[1])):
                    w[j] += y[i] * X[i, j]


def _ceilings(X):
    """Seconds of one pass of bare dot products, by a compiled loop and by BLAS."""
    w = np.ones(X.shape[1])
    single = w.astype(X.dtype)
    _bare(X, w)
    return side_by_side(lambda: _bare(X, w), lambda: X @ single, rounds=9)


def _against_textbook(job, X, y, bar):
    """The whole fit, with validation and the margin at the end, against the bare loop with the same updates."""
    signs = y.astype(np.float64)

    def textbook():
        w = np.zeros(X.shape[1])
        _textbook(X, signs, w, PASSES)
        return w

    ours = partial(_fit, Perceptron(fit_intercept=False, shuffle=False, hypothesis="last", max_iter=PASSES), X, y)
    same = lambda a, w: np.array_equal(a.coef_[0], w)  # noqa: E731
    return compare(job, "a textbook loop in plain floats", ours, textbook, same=same, bar=bar, rounds=5)


def _noisy():
    for n, d, dtype in ((200_000, 100, np.float64), (200_000, 100, np.float32), (100_000, 1000, np.float32)):
        yield f"{n} x {d} {dtype.__name__}, noisy", *datasets.noisy_plane(n, d, dtype)
    pixels, digits = datasets.mnist()
    yield "MNIST 60000 x 784 float32, even v odd", pixels.astype(np.float32), np.where(digits % 2 == 0, 1, -1)


def dense() -> Iterator[Result | Skipped]:
    try:
        for name, X, y in _noisy():
            result = _fit_both(f"{PASSES} passes, {name}", X, y, PASSES, 3.5, rounds=5)
            compiled, blas = (result.theirs / (PASSES * each) for each in _ceilings(X))
            remark = f"bare dot products {compiled:.2f}×, by BLAS {blas:.2f}×"
            # No single thread passes over the same memory faster than its bare dot products.
            yield replace(result, remark=remark, bar=3.5 if compiled >= 4 else 2.0)
            yield _against_textbook(f"{PASSES} passes, {name}", X, y, 0.8)
    except datasets.MissingError as missing:
        yield Skipped("MNIST 60000 x 784, even v odd", str(missing))


def converge() -> Iterator[Result | Skipped]:
    """Until a pass finds nothing to update; quiet passes go through the byte copy."""
    try:
        pixels, digits = datasets.mnist()
        for a, b, dtype, bar in ((4, 6, np.float64, 12.0), (4, 6, np.float32, 8.0), (0, 1, np.float32, 5.0)):
            chosen = (digits == a) | (digits == b)
            X, y = pixels[chosen].astype(dtype), np.where(digits[chosen] == a, 1, -1)
            yield _to_convergence(f"MNIST {a} v {b}, {len(X)} x 784 {dtype.__name__}", X, y, bar)
    except datasets.MissingError as missing:
        yield Skipped("MNIST 4 v 6 and 0 v 1, to convergence", str(missing))
    X, y = datasets.apart(100_000, 500)
    yield _to_convergence("100000 x 500 float64, separated", X, y, 3.5)


def _to_convergence(name, X, y, bar):
    fitted = Perceptron(fit_intercept=False, shuffle=False, max_iter=100_000).fit(X, y)
    assert fitted.stop_reason_.startswith("separated")
    return _fit_both(f"{name}, to convergence", X, y, fitted.passes_, bar, rounds=3, remark=f"{fitted.passes_} passes")


def quiet() -> Iterator[Result | Skipped]:
    """A pass that finds nothing to update, over the rows and over the bytes, against bare dot products."""
    for dtype, bar in ((np.float64, 4.0), (np.float32, 2.5)):
        X, y = datasets.apart(100_000, 500)
        X = X.astype(dtype)
        learner, rows = _converged(X, y)
        for storage, what, least in ((rows.storage, "the rows", 0.7), (rows.beside, "one byte an entry", bar)):
            mine, bare = side_by_side(
                partial(_passes, learner, rows, storage), partial(_bare, X, learner.w[:-1].copy()), rounds=9
            )
            mine /= AGAIN
            job = f"a quiet pass over {what}, {len(X)} x 500 {dtype.__name__}"
            remark = f"{X.nbytes / bare / 1e9:.0f} GB/s"
            yield Result(job, "bare dot products over the rows", mine, bare, bare / mine, least, remark=remark)


AGAIN = 5  # passes that are timed together


def _converged(X, y):
    """A learner that makes no mistake any more, and its rows with their byte copy."""
    rows = Rows(X, y.astype(np.int8), 0.0)
    learner = LinearLearner(rules.Perceptron(), X.shape[1], 0.0, unit=False)
    assert learner.run(rows, "given", 10_000, byte_copy=True).finished
    return learner, rows


def _passes(learner, rows, storage):
    """Passes over what is stored there, by the loop that every fit runs."""
    log = np.empty(AGAIN, dtype=np.int64)
    for _ in range(AGAIN):
        learner.begin()
        logged = 0
        while not logged:
            logged = cycle(
                storage,
                rows.signs,
                rows.importance,
                *GIVEN,
                False,
                learner.weights,
                NOBODY,
                learner.rule,
                learner.state,
                rows.n,
                log,
                NO_TRACE,
                NO_TALLY,
            )
        assert log[0] == 0


def mapped() -> Iterator[Result]:
    """What a further pass over a mapped file reads, by the count of rows that it reads in full."""
    X, y = datasets.apart(20_000, 500)
    with tempfile.TemporaryDirectory() as folder:
        np.save(Path(folder, "X.npy"), X)
        rows = Rows(np.load(Path(folder, "X.npy"), mmap_mode="r"), y.astype(np.int8), 0.0)
        learner = LinearLearner(rules.Perceptron(), X.shape[1], 0.0, unit=False)
        passes = len(learner.run(rows, "given", 10_000, byte_copy=True).history) - 1
        copy = rows.beside
        assert isinstance(copy.q, np.memmap)
        read = (copy.nbytes + int(copy.read[0]) * X[0].nbytes / passes) / 1e6
    whole = X.nbytes / 1e6
    job = "bytes that a further pass reads of a mapped file, 20000 x 500 float64"
    yield Result(job, "the file", read, whole, whole / read, 6.0, "MB", f"mean of {passes} passes")


def sparse() -> Iterator[Result | Skipped]:
    try:
        X, y = datasets.newsgroups()
    except datasets.MissingError as missing:
        yield Skipped("20newsgroups hockey v rest, CSR", str(missing))
        return
    for dtype in (np.float64, np.float32):
        data = X.astype(dtype)
        passes = Perceptron(fit_intercept=False, shuffle=False).fit(data, y).passes_
        job = f"20newsgroups {X.shape[0]} x {X.shape[1]} CSR {dtype.__name__} to convergence"
        yield _fit_both(job, data, y, passes, 1.5, rounds=9, remark=f"{passes} passes")


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

        def agree(a, b):
            return np.mean([(p or 0) > 0 for p in a] == np.array([(q or 0) > 0 for q in b])) > 0.999

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
        fresh("novikoff", "shuffle=False, max_iter=10"),
        fresh("sklearn.linear_model", "shuffle=False, tol=None, max_iter=10"),
        same=None,
        bar=0.5,
    )


GROUPS = {
    "dense": dense,
    "converge": converge,
    "quiet": quiet,
    "mapped": mapped,
    "sparse": sparse,
    "online": online,
    "one_row": one_row,
    "start_up": start_up,
}
