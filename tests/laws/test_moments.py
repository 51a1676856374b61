"""Means and deviations of columns: those of the standard library, whatever stores the rows and in whatever order."""

from __future__ import annotations

import statistics
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
import scipy.sparse as sp

from novikoff.engine import moments, rows
from novikoff.engine.moments import nearest_root
from novikoff.engine.rows import BadRowError


def columns(n: int = 60) -> np.ndarray:
    """Of all sizes, far from zero with a small deviation, of one value, of bits, and at both ends of the floats."""
    rng = np.random.default_rng(1)
    found = rng.standard_normal((n, 8)) * [1.0, 1e200, 1e-200, 1e-3, 1.0, 1.0, 1.0, 1.0]
    found[:, 3] += 1e6
    found[:, 4] = 0.1
    found[:, 5] = rng.integers(0, 2, n)
    found[:, 6] = np.where(rng.random(n) < 0.3, 1.7e308, -1.7e308)
    found[:, 7] = 5e-324 * rng.integers(0, 9, n)
    return found


def same(ours: moments.Moments, theirs: moments.Moments) -> bool:
    return all(a.tobytes() == b.tobytes() for a, b in zip(ours, theirs, strict=True))


def test_they_are_those_of_the_standard_library() -> None:
    X = columns()
    found = moments.moments(X)
    assert found.means.tolist() == [statistics.mean(column) for column in X.T.tolist()]
    assert found.deviations.tolist() == [statistics.pstdev(column) for column in X.T.tolist()]
    assert found.constant.tolist() == [False] * 4 + [True] + [False] * 3


@pytest.mark.parametrize(
    "stored",
    [
        sp.csr_array,
        lambda X: X[::-1].copy(),
        lambda X: np.vstack([X[31:], X[:31]]),
        lambda X: sp.csr_matrix(X)[::-1],
    ],
)
def test_no_storage_and_no_order_changes_a_bit(stored: Any) -> None:
    X = np.where(np.random.default_rng(2).random((60, 8)) < 0.4, columns(), 0.0)
    expected = moments.moments(X)
    assert same(moments.moments(stored(X)), expected)
    with patch.object(moments, "COLUMNS", 3), patch.object(rows, "BUDGET", 1), patch.object(moments, "CARRY_EVERY", 7):
        assert same(moments.moments(stored(X)), expected)


def test_float32_is_what_it_holds() -> None:
    X = columns()[:, [0, 3, 4, 5]].astype(np.float32)
    assert same(moments.moments(X), moments.moments(X.astype(np.float64)))


def test_one_row_and_no_deviation() -> None:
    found = moments.moments(np.array([[3.0, 0.0, -0.1]]))
    assert found.means.tolist() == [3.0, 0.0, -0.1]
    assert found.deviations.tolist() == [0.0] * 3
    assert found.constant.all()


def test_a_deviation_below_all_floats_is_no_constant() -> None:
    found = moments.moments(np.array([[0.0]] * 99 + [[5e-324]]))
    assert found.deviations.tolist() == [0.0]
    assert not found.constant.any()


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("storage", [np.asarray, sp.csr_array])
def test_the_first_row_that_is_not_finite_is_named(value: float, storage: Any) -> None:
    X = columns()
    X[[7, 9], 2] = value
    with patch.object(rows, "BUDGET", 1), pytest.raises(BadRowError) as error:
        moments.moments(storage(X))
    assert error.value.row == 7


def test_roots_are_the_nearest() -> None:
    rng = np.random.default_rng(3)
    tiny = 0
    for _ in range(500):
        square = int(rng.integers(1, 2**62)) << int(rng.integers(0, 900))
        divisor = int(rng.integers(1, 2**62)) << int(rng.integers(0, 1500))
        found = nearest_root(square, divisor)
        below, above = np.nextafter(found, 0), np.nextafter(found, np.inf)
        tiny += found < 2.2e-308
        # (below + found)/2 <= root <= (found + above)/2, in integers.
        for other, sign in ((below, -1), (above, 1)):
            p, q = other.as_integer_ratio()
            r, s = found.as_integer_ratio()
            middle_sq, unit_sq = (p * s + r * q) ** 2, (2 * q * s) ** 2
            assert sign * (middle_sq * divisor**2 - square * unit_sq) >= 0
    assert tiny > 20, "some are subnormal, or 0"
