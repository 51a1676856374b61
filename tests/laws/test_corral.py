"""The nearest point: optimality conditions, an orthonormal factor through every entry and exit, scipy's nnls."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import nnls

from novikoff.certificates import corral as wolfe


def settled(B, *, turn=8):
    """The corral of the nearest point over the rows of B."""
    c = wolfe.corral(B.shape[1], B.shape[1])
    size = 0
    for _ in range(1000):
        violation = B @ residual(c, B)
        worst = np.argsort(-violation)[:turn]
        worst = worst[violation[worst] > 1e-12 * (c.r @ c.r)]
        if len(worst) == 0 or c.r @ c.r < 1e-26:
            return c, size
        size = wolfe.enter(c, size, 0, B, worst, 1e-12, turn)
        wolfe.settle(c, size)
    raise AssertionError("the nearest point was not found")


def residual(c, B):
    """Without the zeros that fill up its line of memory."""
    return c.r[: B.shape[1]]


def problem(n, d, seed, shift):
    rng = np.random.default_rng(seed)
    A = rng.standard_normal((n, d))
    A[:, 0] += shift
    return np.column_stack([np.ones(n), A])


@pytest.mark.parametrize("shift", [0.0, 1.0, 4.0])
@pytest.mark.parametrize(("n", "d"), [(5, 9), (30, 4), (200, 20)])
@pytest.mark.parametrize("seed", range(3))
def test_it_is_the_minimum(n, d, seed, shift):
    B = problem(n, d, seed, shift)
    c, size = settled(B)
    p = np.zeros(n)
    p[c.members[:size]] = c.p[:size]
    target = np.zeros(d + 1)
    target[0] = 1.0
    assert (p >= 0).all()
    assert target - B.T @ p == pytest.approx(residual(c, B), abs=1e-12)
    assert np.linalg.norm(c.r) == pytest.approx(nnls(B.T, target)[1], abs=1e-12)
    assert (B @ residual(c, B)).max() <= 1e-10


@pytest.mark.parametrize("seed", range(3))
def test_the_factor_stays_orthonormal(seed):
    B = problem(300, 25, seed, 0.3)
    c, size = settled(B, turn=40)
    Q, R = c.Q[:size], np.triu(c.R[:size, :size])
    assert np.abs(Q @ Q.T - np.eye(size)).max() < 1e-13
    assert np.abs((R.T @ Q)[:, : B.shape[1]] - B[c.members[:size]]).max() < 1e-12


def test_the_factor_stays_orthonormal_where_most_of_every_row_is_common_to_all():
    """As of images: nine tenths and more of a row are in the span of others, and what errs there may grow with each."""
    rng = np.random.default_rng(0)
    A = 1.0 + 0.02 * rng.standard_normal((400, 20)) @ rng.standard_normal((20, 120))
    A += 1e-3 * rng.standard_normal(A.shape)
    B = np.column_stack([np.ones(400), A * rng.choice([-1.0, 1.0], (400, 1))])
    c, size = settled(B, turn=40)
    assert size > 100
    assert np.abs(c.Q[:size] @ c.Q[:size].T - np.eye(size)).max() < 1e-13


@pytest.mark.parametrize("width", [1, 8, 25])
def test_rows_begin_with_a_line_of_memory_and_are_filled_up_with_zeros(width):
    B = np.random.default_rng(0).standard_normal((30, width))
    c, size = settled(B)
    for rows in (c.Q, c.R, c.next.fresh, c.r[None]):
        assert rows.ctypes.data % 64 == 0
        assert rows.shape[1] * rows.itemsize % 64 == 0
    assert size > 0
    assert not c.Q[:, width:].any()
    assert not c.r[width:].any()


def test_dependent_columns_are_not_taken_twice():
    B = np.array([[1.0, 1, 0], [1, 1, 0], [1, -1, 0], [1, -1, 0], [1, 0, 0]])
    c, size = settled(B)
    assert size <= 2
    assert np.linalg.norm(c.r) < 1e-15


def test_a_span_is_orthogonal_to_the_residual():
    rng = np.random.default_rng(0)
    B = np.column_stack([np.zeros(6), rng.standard_normal((6, 9))])
    B[3] = 2 * B[0] - B[1]
    c = wolfe.corral(10, 10)
    assert wolfe.span(c, 0, B, 0, 3) == 3
    assert wolfe.span(c, 3, B, 3, 6) == 5
    size = wolfe.enter(c, 5, 5, problem(40, 9, 1, 3.0), np.arange(40), 1e-12, 10)
    wolfe.settle(c, size)
    assert np.abs(B @ residual(c, B)).max() < 1e-14
    assert (c.p[5:size] >= 0).all()
