"""The rows of a proof that nothing separates: without any one of them the others can be separated."""

import math
import random
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp

import novikoff as nk
from novikoff.certificates import prove, rational
from tests.certificates import oracle


def rank(a):
    """By elimination in Fractions."""
    a = [[Fraction(x) for x in row] for row in a]
    found = 0
    for column in range(len(a[0]) if a else 0):
        pivot = next((i for i in range(found, len(a)) if a[i][column]), None)
        if pivot is None:
            continue
        a[found], a[pivot] = a[pivot], a[found]
        for i in range(found + 1, len(a)):
            if a[i][column]:
                factor = a[i][column] / a[found][column]
                a[i] = [x - factor * y for x, y in zip(a[i], a[found], strict=True)]
        found += 1
    return found


def degenerate(rng):
    """Few values, duplicates, constant, dependent and empty columns; and more columns than rows."""
    n, d = rng.randint(2, 9), rng.randint(1, 6)
    values = rng.choice([(0, 1), (-1, 0, 1), (-2, -1, 0, 1, 2), (0.1, 0.2, 0.3), (1e-9, 1.0, -1e9)])
    X = np.array([[float(rng.choice(values)) for _ in range(d)] for _ in range(n)])
    how = rng.randint(0, 4)
    if how == 1:
        X = X[[rng.randrange(min(3, n)) for _ in range(n)]]
    elif how == 2:
        X[:, -1] = 2 * X[:, 0]
    elif how == 3:
        X[:, 0] = rng.choice(values)
    y = np.array([rng.randint(0, 1) for _ in range(n)])
    y[:2] = 0, 1
    return X, y, rng.random() < 0.5


def proved(X, y, fit_intercept):
    """The rows of the proof, if nothing separates them."""
    proof = nk.certify(X, y, 0.5, fit_intercept=fit_intercept)
    if not isinstance(proof, nk.NotSeparable):
        return None
    dense = X.toarray() if sp.issparse(X) else X
    signs = [1 if label else -1 for label in y]
    return [oracle.rows_of(dense.tolist(), signs, int(fit_intercept))[i] for i in proof.rows], proof.weights


@pytest.mark.parametrize("seed", range(3))
def test_a_proof_has_one_dependence_and_all_of_its_rows(seed):
    rng = random.Random(seed)
    tally = 0
    for _ in range(500):
        X, y, constant = degenerate(rng)
        found = proved(sp.csr_array(X) if rng.random() < 0.5 else X, y, constant)
        if found is None:
            continue
        tally += 1
        rows, weights = found
        assert rank(rows) == len(rows) - 1
        assert min(weights) > 0
        assert math.gcd(*weights) == 1
        assert not any(sum(p * x for p, x in zip(weights, column, strict=True)) for column in zip(*rows, strict=True))
    assert tally > 100


def test_the_rows_can_be_separated_without_any_one_of_them():
    rng = random.Random(9)
    for _ in range(60):
        X, y, constant = degenerate(rng)
        rows, _ = proved(X, y, constant) or ([], ())
        for k in range(len(rows) if len(rows) > 1 else 0):
            assert oracle.cancels(rows[:k] + rows[k + 1 :]) is None


def test_a_combination_of_several_dependences_is_cut_down_to_one():
    rng = random.Random(1)
    for _ in range(300):
        tables = [[[rng.randint(-3, 3) for _ in range(3)] for _ in range(rng.randint(1, 3))] for _ in range(3)]
        table = [row for rows in tables for row in rows]
        p = [rng.randint(1, 5) for _ in table]
        table.append([-sum(x * row[j] for x, row in zip(p, table, strict=True)) for j in range(3)])
        p.append(1)
        found = rational.circuit(table, p, lambda: None)
        kept = [row for row, x in zip(table, found, strict=True) if x]
        assert min(found) >= 0
        assert not any(sum(x * row[j] for x, row in zip(found, table, strict=True)) for j in range(3))
        assert rank(kept) == len(kept) - 1


def test_one_dependence_is_left_as_it_is():
    assert rational.circuit([[1, 0], [0, 1], [-1, -2]], [3, 6, 3], lambda: None) == [3, 6, 3]


def test_what_twice_the_digits_found_is_cut_down_as_well(monkeypatch):
    """Where the weights of a search beyond floats cancel exactly, though its rows have more than one dependence."""
    X = np.array([[0.0, 1], [0, -1], [1, 0], [-1, 0], [1, 1], [-1, -1]])
    y = np.ones(6, dtype=int)
    y[0] = 0
    X[0] *= -1

    class Found:
        guess = type("Guess", (), {"rows": np.arange(6)})
        w = staticmethod(lambda: [Fraction(1), Fraction(0), Fraction(0)])
        weights = staticmethod(lambda: [Fraction(1)] * 6)

    division = next(prove.divisions(prove.classes(y, 6)))
    _, about, data, radius, power = prove.prepared(X, division, prove.Question(constant=0.0))
    proof = prove._Case(about, data, radius, power, prove.Question(constant=0.0))._closed(Found())
    assert len(proof.rows) == 2
    assert nk.verify(proof, X, y).verdict == "not separable"
