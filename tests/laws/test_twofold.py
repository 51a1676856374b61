"""The nearest point with twice the digits: what is true of it is true, in rationals, to some 2^-90."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from novikoff.certificates import twofold
from novikoff.engine.dense import DenseRows

SMALL = Fraction(1, 2**90)


def exact(pair):
    """The values of a pair of arrays, as rationals."""
    total = [Fraction(high) + Fraction(low) for high, low in zip(pair.high.ravel(), pair.low.ravel(), strict=True)]
    return np.array(total, dtype=object).reshape(pair.high.shape)


def rationals(A):
    return np.array([Fraction(x) for x in A.ravel()], dtype=object).reshape(A.shape)


def problem(n, d, seed, shift):
    rng = np.random.default_rng(seed)
    A = rng.standard_normal((n, d))
    A[:, 0] += shift
    return np.column_stack([np.ones(n), A])


def settled(B, turn):
    """The corral of the nearest point over the rows of B, and how often a column has left it."""
    c = twofold.corral(B.shape[1], min(B.shape))
    size = left = 0
    share = np.empty(len(B))
    for _ in range(200):
        twofold.price(B, c.r, share)
        worst = np.argsort(-share)[:turn]
        worst = worst[share[worst] > 2.0**-80 * (c.r.high @ c.r.high)]
        if len(worst) == 0 or c.r.high @ c.r.high < 2.0**-160:
            return c, size, left
        for each in worst:
            before = size
            size = twofold.enter(c, size, B, np.array([each]), 2.0**-80)
            left += max(0, before + 1 - size)
        twofold.settle(c, size)
    raise AssertionError("the nearest point was not found")


@pytest.mark.parametrize("shift", [0.0, 1.0, 4.0])
@pytest.mark.parametrize(("n", "d"), [(3, 6), (14, 3), (24, 6)])
def test_what_is_true_of_the_nearest_point(n, d, shift):
    B = problem(n, d, 7 * n + d, shift)
    c, size, _ = settled(B, 5)
    A, r, p = rationals(B), exact(c.r), exact(c.p)[:size]
    members = c.members[:size]
    Q = exact(c.Q)[:size]
    L = exact(c.L)[:size, :size]
    L[np.triu_indices(size, 1)] = Fraction(0)
    target = np.array([Fraction(1)] + [Fraction(0)] * d, dtype=object)
    assert size > 0
    assert len(set(members)) == size
    assert min(p) >= 0
    assert abs(Q @ Q.T - np.identity(size, dtype=int)).max() < SMALL
    assert abs(L @ Q - A[members]).max() < SMALL * 8
    assert abs(target - p @ A[members] - r).max() < SMALL * 8
    assert abs(A[members] @ r).max() < SMALL * 8
    assert max(A @ r) < Fraction(1, 2**75)


def test_columns_leave():
    assert sum(settled(problem(24, 6, seed, 1.0), 5)[2] for seed in range(3)) > 0


def test_a_column_of_the_span_does_not_enter():
    B = problem(3, 6, 1, 1.0)
    c, size, _ = settled(B, 3)
    before = exact(c.Q)[:size].copy()
    again = np.array([B[0] + B[1]])
    assert twofold.enter(c, size, again, np.array([0]), -1e300) == size
    assert (exact(c.Q)[:size] == before).all()


@pytest.mark.parametrize("constant", [0.0, 2.0])
def test_products_have_twice_the_digits(constant):
    rng = np.random.default_rng(3)
    X = rng.standard_normal((6, 5))
    w = twofold.Pair(rng.standard_normal(6), 2.0**-54 * rng.standard_normal(6))
    # The floats alone cancel: what is left is in the second halves.
    w.high[-1] = 0.0
    w.high[:5] -= X[0] * (w.high[:5] @ X[0]) / (X[0] @ X[0])
    y = np.array([1, -1, 1, -1, 1, -1], dtype=np.int8)
    norms = np.sqrt((X**2).sum(axis=1) + constant**2)
    out = np.full(6, np.nan)
    twofold.products(DenseRows(X, norms, constant, False), y, w, 1, 6, out)
    twofold.products(DenseRows(X, norms, constant, False), y, w, 0, 1, out)
    rows = np.column_stack([rationals(X), [Fraction(constant)] * 6]) * y[:, None]
    true = rows @ exact(w)
    for found, value in zip(out, true, strict=True):
        assert abs(Fraction(found) - value) <= abs(value) / 2**50 + Fraction(1, 2**98)
    assert abs(true[0]) < Fraction(1, 2**40)
