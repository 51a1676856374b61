"""Solutions by lifting: exact, in lowest terms, and none rather than a wrong one."""

import math
import random

import numpy as np
import pytest
from flint import fmpz_mat
from hypothesis import assume, given
from hypothesis import strategies as st

from novikoff.certificates import lifting, modular
from novikoff.certificates.modular import invert, pivots
from novikoff.certificates.rational import null_vector, orthogonal


def nobody():
    """Who never wants to be heard."""


def check(A, b):
    """The answer, if there is one, is exact, in lowest terms, and that of FLINT."""
    found = lifting.solve(A, b, nobody)
    if found is not None:
        x, q = found
        assert q > 0
        assert math.gcd(q, *x) == 1
        assert [sum(a * v for a, v in zip(row, x, strict=True)) for row in A.tolist()] == [q * v for v in b.tolist()]
        numerators, denominator = fmpz_mat(A.tolist()).solve(fmpz_mat([[v] for v in b.tolist()])).numer_denom()
        assert found == ([int(v) for v in numerators.entries()], int(denominator))
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


def test_a_singular_system_has_no_answer():
    assert check(np.array([[1, 2], [2, 4]]), np.array([1, 2])) is None
    assert check(np.zeros((3, 3), dtype=int), np.array([1, 2, 3])) is None


def test_a_prime_that_divides_the_determinant_is_passed_over():
    p = lifting.PRIMES[0]
    assert check(np.array([[p]]), np.array([1])) == ([1], p)
    assert check(np.array([[p * lifting.PRIMES[1]]]), np.array([1])) is not None


@pytest.mark.parametrize("bits", [25, 40, 61, 62, 75, 300, 1100])
def test_entries_that_are_cut_into_slices(bits):
    """From one float up to integers that no float holds; some entries are 0, and some as large as they can be."""
    rng = np.random.default_rng(bits)
    for n in (1, 2, 9):
        half = 2 ** (bits - 1)
        draw = [[int.from_bytes(rng.bytes(bits // 8 + 1)) % (2 * half) - half for _ in range(n)] for _ in range(n)]
        draw[0][0] = -half
        A = lifting.whole(draw)
        assert (A.dtype == object) == (bits > 61)
        for k in (2, 7, 20):
            parts = [part.astype(np.int64).astype(object) for part in lifting.slices(A, k)]
            assert (sum(part * 2 ** (k * s) for s, part in enumerate(parts)) == A).all()
        exact = [[sum(x * z for x, z in zip(row, other, strict=True)) for other in draw] for row in draw]
        assert lifting.gram(A, nobody).tolist() == exact
        if fmpz_mat(draw).det():
            assert check(A, A[:, 0] + 1) is not None
            assert check(lifting.gram(A, nobody), np.ones(n, dtype=np.int64)) is not None


@pytest.mark.parametrize("scale", [1, 2**31, 2**60, 10**320])
def test_entries_of_any_size(scale):
    """Where lifting does not serve, the other solver does."""
    table = [[1 * scale, 2, 0], [0, 3, 1 * scale], [2 * scale, 1, -1 * scale]]
    assert null_vector(table, nobody) == [2, -1, -1]
    assert null_vector(table[:2], nobody) is None


@pytest.mark.parametrize("entry", [0, 5, 255, 2**30, 2**43, 2**44, 2**60, 2**70])
@pytest.mark.parametrize("bits", [3, 64, 900])
def test_whether_a_combination_vanishes(entry, bits):
    """The last row is what the others lack to 0; with its weight or one entry a little off, nothing does."""
    rng = random.Random(bits)
    p = [rng.choice([-1, 1]) * rng.getrandbits(bits) for _ in range(7)]
    table = [[rng.randint(-entry, entry) for _ in range(3)] for _ in p]
    table.append([-sum(x * row[j] for x, row in zip(p, table, strict=True)) for j in range(3)])
    A = lifting.whole(table)
    assert lifting.vanishes([*p, 1], A, nobody)
    assert lifting.vanishes([*p, 2], A, nobody) == (not any(table[-1]))
    A[-1, -1] += 1
    assert not lifting.vanishes([*p, 1], A, nobody)


def test_long_weights_of_short_rows_vanish_to_the_last_digit():
    A = lifting.whole([[3, -5], [6, -10], [1, 2], [-1, -2]])
    p = [-2 * 3**2000, 3**2000, 7**1000, 7**1000]
    assert lifting.vanishes(p, A, nobody)
    for off in (1, 2**1700, 2**4000, -(2**4000)):
        assert not lifting.vanishes([p[0] + off, *p[1:]], A, nobody)
    assert not lifting.vanishes([2**16], lifting.whole([[2**30]]), nobody)  # what is carried over is all there is


def test_where_the_digits_are_too_few_more_are_taken(monkeypatch):
    monkeypatch.setattr(lifting, "_guessed_bits", lambda A, b, look: 1.0)
    rng = np.random.default_rng(0)
    assert check(rng.integers(-9, 10, (40, 40)), rng.integers(-9, 10, 40)) is not None


def test_a_system_that_is_singular_among_floats_alone():
    """They say nothing of its size then."""
    A = np.array([[2**60 + 1, 2**60], [2**60, 2**60 - 1]])
    assert not np.isfinite(modular.sizes(A.astype(float), np.array([1.0, 2.0]), nobody)).all()
    assert check(A, np.array([1, 2])) is not None


@pytest.mark.parametrize("n", [1, 2, 30, 200])
def test_the_sizes_of_determinant_and_solution(n):
    rng = np.random.default_rng(n)
    A, b = rng.integers(-255, 256, (n, n)).astype(float), rng.integers(-255, 256, n).astype(float)
    A[0, 0] = 0.0 if n > 1 else 3.0
    expected = np.linalg.slogdet(A)[1] / math.log(2), math.log2(np.abs(np.linalg.solve(A, b)).max())
    assert modular.sizes(A, b, nobody) == pytest.approx(expected, abs=1e-6)


@given(st.integers(1, 8), st.integers(1, 10), st.integers(0, 2**32 - 1))
def test_orthogonal_to_rows(n, width, seed):
    rng = np.random.default_rng(seed)
    A = rng.integers(-3, 4, (n, width))
    A[rng.random(n) < 0.3] = A[0]
    w = rng.integers(-1000, 1000, width).tolist()
    rank = np.linalg.matrix_rank(A)
    v, unit = orthogonal(A, w, nobody)
    assert unit > 0
    assert not (A.astype(object) @ np.array(v, dtype=object)).any()
    assert sum(x != unit * z for x, z in zip(v, w, strict=True)) <= rank


@given(st.integers(1, 12), st.integers(1, 12), st.sampled_from([2, 3, 101, *lifting.PRIMES]), st.integers(0, 2**32 - 1))
def test_the_first_independent_columns_modulo_a_prime(n, width, p, seed):
    rng = np.random.default_rng(seed)
    A = rng.integers(-(p // 2), p // 2 + 1, (n, width))
    A[:, rng.random(width) < 0.3] = 0
    A[rng.random((n, width)) < 0.3] = 0
    expected = [
        k for k in range(width) if _rank(A[:, : k + 1].T.tolist(), p) > (_rank(A[:, :k].T.tolist(), p) if k else 0)
    ]
    assert pivots(A.astype(float), p, nobody) == expected


@given(st.integers(1, 15), st.sampled_from([2, 3, 7, 101, *lifting.PRIMES]), st.integers(0, 2**32 - 1))
def test_the_inverse_modulo_a_prime(n, p, seed):
    rng = np.random.default_rng(seed)
    A = rng.integers(-(p // 2), p // 2 + 1, (n, n))
    A[rng.random((n, n)) < 0.5] = 0
    B = A.astype(float)
    rank = _rank(A.tolist(), p)
    assert invert(B, p, nobody) == (rank == n)
    if rank == n:
        assert np.abs(B).max() <= p / 2 + 2
        whole = B.astype(np.int64).tolist()
        product = [
            [sum(a * c for a, c in zip(row, column, strict=True)) % p for column in zip(*whole, strict=True)]
            for row in A.tolist()
        ]
        assert product == np.eye(n, dtype=int).tolist()


@pytest.mark.parametrize("p", [*lifting.PRIMES, 2**26 - 5])
@pytest.mark.parametrize("n", [63, 64, 65, 130])
def test_inverses_of_several_blocks(n, p):
    """The largest entries there are, so that sums that rounded would be seen; and blocks that need rows from below."""
    rng = np.random.default_rng(n)
    A = np.where(rng.random((n, n)) < 0.5, p // 2, p // 2 - rng.integers(0, 3, (n, n)))
    A[: n // 2, : n // 2] = 0
    A[0, -1] = 1
    B = A.astype(float)
    assert invert(B, p, nobody)
    assert np.abs(B).max() <= p / 2 + 2
    product = A.astype(object) @ B.astype(np.int64).astype(object) % p
    assert (product == np.eye(n, dtype=int)).all()
    A[-1] = A[0]
    assert not invert(A.astype(float), p, nobody)


def _rank(rows, p):
    rank = 0
    for column in range(len(rows[0])):
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
