"""The generators' own promises; that their margins are the best ones is in tests/theorems."""

from __future__ import annotations

import numpy as np
import pytest

from novikoff.problems import doubling, orthonormal, separable, spiral


def test_the_same_seed_gives_the_same_problem():
    a, b = (separable(50, 6, margin=0.1, random_state=3) for _ in range(2))
    assert np.array_equal(a.X, b.X)
    assert not np.array_equal(a.X, separable(50, 6, margin=0.1, random_state=4).X)


def test_both_labels_are_there_and_the_witness_separates():
    for problem in (separable(9, 2, margin=0.01, random_state=0), orthonormal(4), doubling(5), spiral(3)):
        assert set(problem.y) == {-1, 1}
        assert np.all(problem.y * (problem.X @ problem.witness) > 0)
        assert len(list(problem.stream())) == len(problem.y)
        assert problem.bound == problem.radius_sq // problem.margin_sq


@pytest.mark.parametrize(
    ("n", "d", "margin", "message"),
    [(2, 3, 0.1, "n >= 3"), (5, 1, 0.1, "d >= 2"), (5, 3, 0.0, "margin"), (5, 3, 1.0, "margin < radius")],
)
def test_what_cannot_be_made(n, d, margin, message):
    with pytest.raises(ValueError, match=message):
        separable(n, d, margin=margin)


@pytest.mark.parametrize("n", [1, 101])
def test_spirals_of_some_sizes_only(n):
    with pytest.raises(ValueError, match="2 <= n <= 100"):
        spiral(n)
