"""The fewest mistakes: how close the two ends come, how long that takes, and verification."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator

import numpy as np

import novikoff as nk
from benchmarks.measure import Result

PROBLEMS, ROWS, COLUMNS = 20, 2000, 10
FLIPPED = 0.05
CLOSE = 0.7  # of the upper end, at least
PLANE_SECONDS = 10.0


def _flipped(columns: int, seed: int):
    """Labels of a hyperplane, some of them flipped."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((ROWS, columns))
    truth = X @ rng.standard_normal(columns) + 0.3 > 0
    return X, np.where(truth ^ (rng.random(ROWS) < FLIPPED), 1, -1)


def _timed(call):
    start = time.process_time()
    found = call()
    return found, time.process_time() - start


def _verification(found, X, y) -> float:
    record = json.loads(found.to_json())
    return min(_timed(lambda: nk.verify(record, X, y))[1] for _ in range(3))


def bracketed() -> Iterator[Result]:
    """Generated problems: the ends, and the time of search and check."""
    nk.fewest_mistakes(*_flipped(3, 0), max_seconds=None)  # compiled, if it was not
    ratios, searches, checks, exact = [], [], [], 0
    for seed in range(PROBLEMS):
        X, y = _flipped(COLUMNS, seed)
        found, seconds = _timed(lambda X=X, y=y: nk.fewest_mistakes(X, y, max_seconds=None))
        searches.append(seconds)
        checks.append(_verification(found, X, y))
        lower, upper = found.bracket
        ratios.append(lower / upper)
        exact += found.exact
    job = f"fewest mistakes, {PROBLEMS} problems of {ROWS:,} × {COLUMNS}, {FLIPPED:.0%} of the labels flipped"
    worst = min(ratios)
    remark = f"lower / upper; on average {np.mean(ratios):.2f}, exact in {exact}; the bar is {CLOSE}"
    yield Result(f"{job}: the ends", "the upper end", worst, 1.0, worst / CLOSE, 1.0, "of it", remark)
    search, check = float(np.median(searches)), max(checks)
    remark = "median of the searches, longest of the checks; the bar is a half"
    yield Result(f"{job}: verification", "its search", check, search, search / check, 2.0, "s", remark)


def plane() -> Iterator[Result]:
    """Points of a plane, exactly."""
    for name, X, y in _planes():
        found, seconds = _timed(lambda X=X, y=y: nk.fewest_mistakes(X, y, max_seconds=None))
        assert found.exact
        how = "all lines" if found.enumerated else "contradictions alone"
        job = f"fewest mistakes, {ROWS:,} points of a plane, {name}"
        remark = f"{found.bracket[0]:,} mistakes, by {how}"
        yield Result(job, "10 s", seconds, PLANE_SECONDS, PLANE_SECONDS / seconds, 1.0, "s", remark)
        check = _verification(found, X, y)
        yield Result(f"{job}: verification", "its search", check, seconds, seconds / check, None, "s", remark)


def _planes():
    rng = np.random.default_rng(0)
    X, y = _flipped(2, 0)
    noise = np.where(rng.random(ROWS) < 0.5, 1, -1)
    yield "5 % of the labels flipped", X, y
    yield "labels of noise", X, noise
    yield "on a grid of 30 × 30, labels of noise", rng.integers(0, 30, (ROWS, 2)).astype(float), noise
    yield "in tenths, labels of noise", rng.integers(0, 30, (ROWS, 2)) / 10, noise
    yield "on a line, labels of noise", np.column_stack([X[:, 0], 2 * X[:, 0]]), noise


GROUPS = {"mistakes": bracketed, "mistakes-plane": plane}
