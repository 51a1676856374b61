"""Oracles that share nothing with the library: a simplex method for the verdict, plain loops for the checker."""

import random

import pytest

import novikoff as nk
from tests.certificates import mutate, oracle


def small_problem(rng):
    """Few rows of few small numbers: ties, zeros, duplicates, contradictions and dependent columns abound."""
    n, d = rng.randint(2, 9), rng.randint(1, 4)
    kind = rng.choice(["integers", "halves", "signs", "dependent", "mixed"])
    most = {"signs": 1, "halves": 5}.get(kind, 2)
    X = [[float(rng.randint(-most, most)) for _ in range(d)] for _ in range(n)]
    if kind == "halves":
        X = [[x / 8 for x in row] for row in X]
    elif kind == "dependent":
        X = [[*row, sum(row)] for row in X]
    elif kind == "mixed":
        X = [[x * 2.0 ** rng.choice([0, 0, 20, -20]) for x in row] for row in X]
    y = [rng.randint(0, 1) for _ in range(n)]
    y[:2] = 0, 1
    return X, y


@pytest.mark.parametrize("count", [300, pytest.param(5000, marks=pytest.mark.long)])
def test_the_verdict_is_that_of_a_rational_simplex(count):
    rng = random.Random(count)
    told = {"separable": 0, "not separable": 0}
    for _ in range(count):
        X, y = small_problem(rng)
        constant = rng.choice([0, 1])
        weights = oracle.cancels(oracle.rows_of(X, [1 if label else -1 for label in y], constant))
        proof = nk.certify(X, y, fit_intercept=bool(constant))
        assert proof.verdict == ("separable" if weights is None else "not separable"), (X, y, constant)
        assert oracle.accepts(proof.to_json(), X, y)
        assert nk.verify(proof, X, y).verdict == proof.verdict
        told[proof.verdict] += 1
    assert min(told.values()) > count / 10


@pytest.mark.parametrize("count", [4_000, pytest.param(100_000, marks=pytest.mark.long)])
def test_a_mutated_certificate_is_accepted_if_and_only_if_it_is_true(count):
    told = mutate.run(count, seed=count)
    for what in ("field", "labels", "sides", "y", "X", "reading"):
        assert min(told[what, True], told[what, False]) > count / 500, what
    assert told["sign", True] == 0
    assert told["sign", False] > count / 50
