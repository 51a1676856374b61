"""Solutions by lifting: exact, in lowest terms, and none rather than a wrong one."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from novikoff.certificates import lifting
from novikoff.certificates.modular import invert
from novikoff.certificates.rational import _solution, null_vector


def check(A, b):
    """The answer, if there is one, is exact, in lowest terms, and that of FLINT."""
    found = lifting.solve(A.astype(float), b.astype(float))
    if found is not None:
        x, q = found
        assert q > 0
        assert math.gcd(q, *x) == 1
        assert [sum(a * v for a, v in zip(row, x, strict=True)) for row in A.tolist()] == [q * v for v in b.tolist()]
        assert found == _solution([*A.T.tolist(), b.tolist()], [*range(len(b))])
    return found


@given(st.integers(1, 12), st.integers(0, 2**20), st.integers(0, 2**32 - 1))
def test_small_systems(n, largest, seed):
    rng = np.random.default_rng(seed)
    A, b = rng.integers(-largest, largest + 1, (n, n)), rng.integers(-largest, largest + 1, n)
    A[rng.random((n, n)) < 0.4] = 0  # pivots have to be looked for
    assume(np.linalg.matrix_rank(A) == n)
    assert check(A, b) is not None


@pytest.mark.parametrize(("n", "largest"), [(60, 255), (150, 9), (700, 1), (40, 2**24)])
def test_larger_systems(n, largest):
    rng = np.random.default_rng(n)
    assert check(rng.integers(-largest, largest + 1, (n, n)), rng.integers(-largest, largest + 1, n)) is not None


def test_a_solution_much_larger_or_smaller_than_the_entries():
    tall = np.array([[1000, 999], [999, 998]])  # determinant -1
    assert check(tall, np.array([2**20, -(2**20)])) is not None
    assert check(np.diag([2**20] * 9), np.eye(9, dtype=int)[0]) == ([1] + [0] * 8, 2**20)
    assert check(np.eye(3, dtype=int), np.zeros(3, dtype=int)) == ([0, 0, 0], 1)


def test_what_it_leaves_to_others():
    assert check(np.array([[1, 2], [2, 4]]), np.array([1, 2])) is None  # singular
    p = lifting.PRIMES[0]
    assert check(np.array([[p]]), np.array([1])) is None  # singular modulo the prime
    assert check(np.array([[2**40]]), np.array([1])) is None  # not exact in floats


@pytest.mark.parametrize("scale", [1, 2**31, 2**60, 10**320])
def test_entries_of_any_size(scale):
    """Where lifting does not serve, the other solver does."""
    table = [[1 * scale, 2, 0], [0, 3, 1 * scale], [2 * scale, 1, -1 * scale]]
    assert null_vector(table) == [2, -1, -1]
    assert null_vector(table[:2]) is None


def test_too_few_digits_are_no_answer(monkeypatch):
    monkeypatch.setattr(lifting, "SPARE", -100)
    rng = np.random.default_rng(0)
    assert check(rng.integers(-9, 10, (40, 40)), rng.integers(-9, 10, 40)) is None


@given(st.integers(1, 15), st.sampled_from([2, 3, 7, 101, *lifting.PRIMES]), st.integers(0, 2**32 - 1))
def test_the_inverse_modulo_a_prime(n, p, seed):
    rng = np.random.default_rng(seed)
    A = rng.integers(-(p // 2), p // 2 + 1, (n, n))
    A[rng.random((n, n)) < 0.5] = 0
    B = A.astype(float)
    rank = _rank(A.tolist(), p)
    assert invert(B, p, np.empty(n, dtype=np.int64)) == (rank == n)
    if rank == n:
        assert np.abs(B).max() <= p / 2 + 2
        whole = B.astype(np.int64).tolist()
        product = [
            [sum(a * c for a, c in zip(row, column, strict=True)) % p for column in zip(*whole, strict=True)]
            for row in A.tolist()
        ]
        assert product == np.eye(n, dtype=int).tolist()


def _rank(rows, p):
    rank = 0
    for column in range(len(rows)):
        pivot = next((i for i in range(rank, len(rows)) if rows[i][column] % p), None)
        if pivot is None:
            continue
        rows[rank], rows[pivot] = rows[pivot], rows[rank]
        scale = pow(rows[rank][column], -1, p)
        for i in range(rank + 1, len(rows)):
            factor = rows[i][column] * scale
            rows[i] = [(a - factor * b) % p for a, b in zip(rows[i], rows[rank], strict=True)]
        rank += 1
    return rank
