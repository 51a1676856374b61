"""Certificates against LIBSVM, LIBLINEAR and HiGHS."""

from __future__ import annotations

import tempfile
import time
import warnings
from collections.abc import Iterator
from functools import cache, partial
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from scipy.optimize import linprog
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

import novikoff as nk
from benchmarks import datasets, mnist
from benchmarks.measure import Result, Skipped, compare, side_by_side

warnings.simplefilter("ignore", ConvergenceWarning)

MOST = 2_000_000  # iterations that LIBSVM is given where it does not end


def _seconds(call) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def _with_ones(X):
    return sp.hstack([X, np.ones((X.shape[0], 1))]).tocsr() if sp.issparse(X) else np.column_stack([X, np.ones(len(X))])


def _highs(X, y):
    """Feasibility: y <w, (x, 1)> >= 1."""
    A = _with_ones(X.astype(np.float64))
    return linprog(np.zeros(A.shape[1]), -y[:, None] * A, -np.ones(len(y)), bounds=(None, None), method="highs")


def _libsvm(X, y, max_iter=-1):
    return SVC(kernel="linear", C=1e6, max_iter=max_iter).fit(X, y)


def _margin(model, X, y) -> float:
    """Of any linear model, in the space with the constant coordinate."""
    w = np.append(model.coef_[0], model.intercept_)
    return float((y * (X @ model.coef_[0] + model.intercept_[0])).min() / np.linalg.norm(w))


def _verification(proof, X, y) -> float:
    """Seconds to check the file of the proof."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "proof.json"
        proof.save(path)
        return min(_seconds(lambda: nk.verify(path, X, y)) for _ in range(7))


def _check(job: str, ours: float, proof, X, y) -> Result:
    """Verification against the search: under half of it, or 50 ms."""
    seconds = _verification(proof, X, y)
    ratio = ours / seconds
    bar = 2.0 if seconds > 0.05 else None
    return Result(f"verify {job}", "our own search", seconds, ours, ratio, bar, remark="bar: half of it, or 50 ms")


@cache
def _three_and_eight():
    """LIBSVM's time on MNIST 3 v 8, where it does not decide. Minutes."""
    X, y = mnist.problem(3, 8)
    return _seconds(partial(_libsvm, X.astype(np.float64), y, MOST))


def certify() -> Iterator[Result | Skipped]:
    yield from _generated()
    yield from _small()
    yield from _text()
    yield from _if_there(_zero_and_one)


def certify_digits() -> Iterator[Result | Skipped]:
    """LIBSVM takes ten minutes."""
    yield from _if_there(_digits)


def _if_there(jobs):
    try:
        datasets.mnist()
    except datasets.MissingError as missing:
        yield Skipped("MNIST", str(missing))
    else:
        yield from jobs()


def _generated():
    for n, d in ((100_000, 20), (20_000, 50)):
        X, y = datasets.with_margin(n, d, 1e-3)
        job = f"certify {n} x {d}, margin 1e-3, to 1 %"
        ours = partial(nk.certify, X, y, 0.01, fit_intercept=False)
        highs = partial(linprog, np.zeros(d), -y[:, None] * X, -np.ones(n), bounds=(None, None), method="highs")
        result = compare(job, "HiGHS, feasibility", ours, highs, same=_agree, bar=10.0, rounds=3)
        yield result
        yield _check(job, result.ours, ours(), X, y)


def _agree(proof, found) -> bool:
    return isinstance(proof, nk.Separable) and found.status == 0


def _larger(X, y, proof, model) -> bool:
    return proof.margin[0] > _margin(model, X, y)


def _below(X, y, proof, model) -> bool:
    return _margin(model, X, y) <= proof.margin[1]


def _small():
    cancer = load_breast_cancer()
    problems = [("breast cancer", StandardScaler().fit_transform(cancer.data), 2 * cancer.target - 1)]
    try:
        problems.append(("sonar", *datasets.sonar()))
    except datasets.MissingError as missing:
        yield Skipped("sonar", str(missing))
    for name, X, y in problems:
        ours = partial(nk.certify, X, y, 1e-3)
        theirs = _libsvm(X, y)
        job = f"certify {name} to 0.1 %"
        remark = f"margin {_margin(theirs, X, y):.3g} against {ours().margin[0]:.4g}"
        result = compare(
            job, "LIBSVM C = 1e6", ours, partial(_libsvm, X, y), same=partial(_larger, X, y), bar=10.0, remark=remark
        )
        yield result
        yield _check(job, result.ours, ours(), X, y)


def _text():
    try:
        X, y = datasets.newsgroups()
    except datasets.MissingError as missing:
        yield Skipped("20newsgroups", str(missing))
        return
    ours = partial(nk.certify, X, y, 0.01)
    theirs = partial(LinearSVC(loss="hinge", C=1e6, random_state=0).fit, X, y)
    job = "certify 20newsgroups hockey v rest, CSR, to 1 %"
    result = compare(job, "LIBLINEAR hinge C = 1e6", ours, theirs, same=partial(_below, X, y), bar=1 / 1.5, rounds=9)
    yield result
    yield _check(job, result.ours, ours(), X, y)


def _zero_and_one():
    X, y = mnist.problem(0, 1)
    ours = partial(nk.certify, X, y, 0.01)
    job = "certify MNIST 0 v 1 to 1 %"
    result = compare(job, "HiGHS, feasibility", ours, partial(_highs, X, y), same=_agree, bar=10.0, rounds=2)
    yield result
    yield _check(job, result.ours, ours(), X, y)


def _digits():
    X, y = mnist.problem(3, 8)
    X = X.astype(np.float64)  # what LIBSVM works on
    w = np.ones(X.shape[1])
    solve, product = side_by_side(partial(nk.certify, X, y), lambda: X @ w, rounds=7)
    proof = nk.certify(X, y)
    ours = solve + _verification(proof, X, y)
    libsvm = _three_and_eight()
    job = "MNIST 3 v 8 proved not separable, verified"
    remark = f"{MOST:,} iterations, undecided"
    yield Result(job, "LIBSVM C = 1e6", ours, libsvm, libsvm / ours, 200.0, remark=remark)
    yield Result(job, "500 products X w by BLAS", ours, 500 * product, 500 * product / ours, 1.0)
    yield _check("MNIST 3 v 8", solve, proof, X, y)
    total = mnist.settle_all()[1]
    job = "all 55 MNIST problems, proofs written and verified"
    yield Result(job, "the same run of LIBSVM", total, libsvm, libsvm / total, 10.0)


GROUPS = {"certify": certify, "certify-digits": certify_digits}
