"""The soft margin, its optimum proved, against LIBLINEAR, which finds it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
import scipy.sparse as sp
from sklearn.datasets import load_svmlight_file
from sklearn.svm import LinearSVC

import novikoff as nk
from benchmarks import datasets
from benchmarks.measure import Result, Skipped, processor_time, side_by_side

LOSSES = "squared_hinge", "hinge"
GAP = 1e-3
MOST = 1_000_000  # iterations of LIBLINEAR, more than it needs here
RAW = 500  # on raw pixels, where it would take hours


def soft() -> Iterator[Result | Skipped]:
    """A minute, most of it LIBLINEAR's."""
    for name in ("a9a", "w8a"):
        try:
            X, y = _svmlight(name)
        except datasets.MissingError as missing:
            yield Skipped(f"soft margin of {name}", str(missing))
            continue
        for loss in LOSSES:
            yield from _compared(name, X, y, loss, rounds=5)


def soft_digits() -> Iterator[Result | Skipped]:
    """MNIST, even against odd: minutes, most of them LIBLINEAR's."""
    try:
        pixels, digits = datasets.mnist()
    except datasets.MissingError as missing:
        yield Skipped("soft margin of MNIST", str(missing))
        return
    y = digits % 2 == 0
    for name, X, most in (
        ("MNIST even v odd, scaled to 1", sp.csr_array(pixels / 255.0), MOST),
        ("MNIST even v odd, pixels to 255", sp.csr_array(pixels.astype(np.float64)), RAW),
    ):
        for loss in LOSSES:
            yield from _compared(name, _with_narrow_indices(X), y, loss, rounds=1, most=most)


def _svmlight(name: str):
    X, y = load_svmlight_file(str(datasets._path(name)))
    return _with_narrow_indices(X), y > 0


def _with_narrow_indices(X):
    """LIBLINEAR takes no others."""
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return X


def _compared(name: str, X, y, loss: str, rounds: int, most: int = MOST) -> Iterator[Result]:
    ours = partial(nk.certify, X, y, GAP, C=1.0, loss=loss)
    svc = LinearSVC(C=1.0, loss=loss, dual=True, tol=1e-4, max_iter=most, random_state=0)
    theirs = partial(svc.fit, X, y)
    proof = ours()
    assert isinstance(proof, nk.SoftMargin)
    seconds = side_by_side(ours, theirs, rounds=rounds)
    found = _objective(X, y, svc, loss)
    if svc.n_iter_ < most:
        assert proof.objective[0] <= found <= proof.objective[1] * (1 + GAP)
    remark = (
        f"optimum {proof.objective[0]:.6g} to {proof.objective[1]:.6g}; theirs {found:.6g}, {svc.n_iter_:,} iterations"
    )
    job = f"soft margin of {name}, {loss}, proved to 0.1 %"
    yield Result(job, "LinearSVC", *seconds, seconds[1] / seconds[0], 0.25, remark=remark)
    verification = _seconds(partial(nk.verify, proof, X, y))
    bar = 2.0 if verification > 0.05 else None
    ratio = seconds[0] / verification
    yield Result(f"verify {job}", "our own search", verification, seconds[0], ratio, bar, remark="bar: half, or 50 ms")


def _seconds(call) -> float:
    found = []
    for _ in range(3):
        start = processor_time()
        call()
        found.append(processor_time() - start)
    return min(found)


def _objective(X, y, svc, loss: str) -> float:
    w, b = svc.coef_[0], svc.intercept_[0]
    slack = np.maximum(0.0, 1.0 - np.where(y, 1, -1) * (X @ w + b))
    return float((w @ w + b * b) / 2 + (slack if loss == "hinge" else slack * slack).sum())


GROUPS = {"soft": soft, "soft-digits": soft_digits}
