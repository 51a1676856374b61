"""Complete, quasi-complete or overlap: against HiGHS on detectseparation's program, and against the plain verdict."""

from __future__ import annotations

import bz2
import io
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from scipy.optimize import linprog
from sklearn.datasets import load_svmlight_file

import novikoff as nk
from benchmarks import datasets, mnist
from benchmarks.measure import Result, Skipped, compare, side_by_side

DOUBT = 1e-6  # below it a float of HiGHS is 0


def generated(seed: int, n: int = 10_000, d: int = 50):
    """A logistic model; in every other problem a rare indicator comes with one label only."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    y = X @ rng.standard_normal(d) / np.sqrt(d) + rng.logistic(size=n) > 0
    if seed % 2:
        X[:, 0] = (rng.random(n) < 0.01) & y
    return X, y


def highs(X, y):
    """The program of detectseparation (Konis 2007): maximise sum z'b with 0 <= z_i'b and -1 <= b <= 1, z = y (1, x)."""
    signs = np.where(y, 1.0, -1.0)
    A = sp.hstack([X, np.ones((X.shape[0], 1))]).tocsr() if sp.issparse(X) else np.column_stack([X, np.ones(len(X))])
    Z = sp.diags(signs) @ A if sp.issparse(A) else signs[:, None] * A
    total = np.asarray(Z.sum(axis=0)).ravel()
    found = linprog(-total, -Z, np.zeros(X.shape[0]), bounds=(-1, 1), method="highs")
    if -found.fun < DOUBT:
        return "overlap"
    return "complete" if (Z @ found.x).min() > DOUBT else "quasi-complete"


def three_way(X, y) -> str | None:
    return nk.certify(X, y, separation=True).separation


def _file(name: str, features: int):
    raw = Path(datasets._path(name)).read_bytes()
    X, y = load_svmlight_file(io.BytesIO(bz2.decompress(raw) if name.endswith("bz2") else raw), n_features=features)
    return X, y > 0


def _names():
    """The problems, each made when it is asked for."""
    yield "MNIST 3 v 8", lambda: _with_bools(*mnist.problem(3, 8))
    yield "a9a", lambda: _file("a9a", 123)
    yield "ijcnn1", lambda: _file("ijcnn1.trn.bz2", 22)
    yield "overlapping 10000 x 50", lambda: generated(0)
    yield "overlapping 10000 x 300", lambda: generated(0, d=300)


def _with_bools(X, y):
    return X, y > 0


def separation() -> Iterator[Result | Skipped]:
    problems = [generated(seed) for seed in range(20)]
    yield compare(
        "three-way verdict with proof, 20 logistic problems 10000 x 50",
        "HiGHS, detectseparation's program",
        lambda: [three_way(X, y) for X, y in problems],
        lambda: [highs(X, y) for X, y in problems],
        same=lambda ours, theirs: ours == theirs,
        bar=5.0,
        rounds=1,
    )
    try:
        X, y = _file("a9a", 123)
    except datasets.MissingError as missing:
        yield Skipped("a9a", str(missing))
    else:
        yield compare(
            "three-way verdict with proof, a9a",
            "HiGHS, detectseparation's program",
            partial(three_way, X, y),
            partial(highs, X, y),
            same=lambda ours, theirs: ours == theirs,
            bar=5.0,
            rounds=2,
        )
    yield from _against_the_plain_verdict()


def _against_the_plain_verdict() -> Iterator[Result | Skipped]:
    for name, make in _names():
        try:
            X, y = make()
        except datasets.MissingError as missing:
            yield Skipped(name, str(missing))
            continue
        ours, plain = side_by_side(partial(nk.certify, X, y, separation=True), partial(nk.certify, X, y), rounds=5)
        proof = nk.certify(X, y, separation=True)
        yield Result(
            f"three-way verdict, {name}",
            "the plain verdict",
            ours,
            plain,
            plain / ours,
            1 / 3,
            remark=str(proof.separation),
        )
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "proof.json"
            proof.save(path)
            seconds, _ = side_by_side(partial(nk.verify, path, X, y), lambda: None, rounds=5)
        bar = 2.0 if seconds > 0.05 else None
        remark = "bar: half of it, or 50 ms"
        yield Result(f"verify {name}, three ways", "our own search", seconds, ours, ours / seconds, bar, remark=remark)


GROUPS = {"separation": separation}
