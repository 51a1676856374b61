"""Cover's count, by deciding every labelling with a proof."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from novikoff import certify, theory
from novikoff.theory import Labellings
from tests.theorems.tally import applied_often, confirmed

F = Fraction


def decided(points):
    """Every labelling by `certify`: a separator, or rows that cancel. The opposite labelling has the opposite proof."""
    X, n = np.array(points, dtype=float), len(points)
    separators, cancelling = {}, {}
    for labels in product((-1, 1), repeat=n):
        opposite = tuple(-y for y in labels)
        if opposite in separators:
            separators[labels] = [-w for w in separators[opposite]]
        elif opposite in cancelling:
            cancelling[labels] = cancelling[opposite]
        else:
            # certify wants both labels: -x with the label -y is the same to separate as x with y
            proof = certify(np.vstack([X, -X]), [*labels, *opposite], fit_intercept=False)
            if proof.verdict == "separable":
                separators[labels] = [F(float(w)) for w in proof.coef]
            else:
                cancelling[labels] = [F(0)] * n
                for row, weight in zip(proof.rows, proof.weights, strict=True):
                    cancelling[labels][row % n] += F(int(weight))
    return Labellings.of(points, separators, cancelling)


@pytest.mark.parametrize(
    ("points", "count"),
    [
        ([[1], [2]], 2),
        ([[1, 0], [0, 1]], 4),
        ([[1, 0], [0, 1], [1, 1]], 6),
        ([[1, 0], [0, 1], [1, 1], [1, -2]], 8),
        ([[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]], 14),
        ([[1, t, t * t] for t in range(5)], 22),
        ([[1, 2, 3]], 2),
    ],
)
def test_the_count_of_points_in_general_position(points, count):
    found = decided(points)
    finding = theory.COVER.check(found)
    assert finding.applies
    assert finding.conclusion
    assert len(found.separators) == count == theory.COVER.bound(len(points), len(points[0]))


def test_it_holds_for_any_points():
    with applied_often() as tally:

        @settings(max_examples=12)
        @given(st.integers(2, 3), st.integers(2, 3), st.data())
        def each(d, n, data):
            whole = st.integers(-3, 3)
            points = [[data.draw(whole) for _ in range(d)] for _ in range(n)]
            tally.check(theory.COVER, decided(points))

        each()


@pytest.mark.parametrize(
    ("points", "count"),
    [
        ([[1, 0], [2, 0], [0, 1]], 4),  # two on a line through the origin
        ([[1, 0, 0], [0, 1, 0], [1, 1, 0], [0, 0, 1]], 12),  # three in a plane
        ([[0, 0]], 0),
    ],
)
def test_points_must_be_in_general_position(points, count):
    finding = theory.COVER.check(decided(points))
    assert finding.unmet == (theory.COVER.hypotheses[0].text,)
    assert len(decided(points).separators) == count
    assert not finding.conclusion
    assert finding.holds


LINE = [[1], [2]]
RIGHT = {(1, 1): [1], (-1, -1): [-1]}, {(1, -1): [2, 1], (-1, 1): [2, 1]}


@pytest.mark.parametrize(
    ("separators", "cancelling"),
    [
        ({(1, 1): [1]}, RIGHT[1]),  # one is left out
        ({**RIGHT[0], (1, -1): [1]}, {(-1, 1): [2, 1]}),  # no separator
        ({**RIGHT[0], (1, -1): [0]}, {(-1, 1): [2, 1]}),  # 0 is not above 0
        ({(1, 1): [1]}, {**RIGHT[1], (-1, -1): [1, 1]}),  # does not cancel
        ({(1, 1): [1]}, {**RIGHT[1], (-1, -1): [0, 0]}),  # of nothing
        ({(1, 1): [1]}, {**RIGHT[1], (-1, -1): [2, -1]}),  # cancels, with a negative weight
    ],
)
def test_every_labelling_must_be_decided(separators, cancelling):
    finding = theory.COVER.check(Labellings.of(LINE, separators, cancelling))
    assert finding.unmet == (theory.COVER.hypotheses[1].text,)
    assert not finding.conclusion
    assert finding.holds
    assert confirmed(theory.COVER, Labellings.of(LINE, *RIGHT))


def test_the_formula():
    for n in range(1, 12):
        for d in range(1, 12):
            count = theory.COVER.bound(n, d)
            assert (count == 2**n) == (n <= d)
            assert theory.COVER.bound(n + 1, d) == count + (theory.COVER.bound(n, d - 1) if d > 1 else 0)
        assert 2 * theory.COVER.bound(2 * n, n) == 2 ** (2 * n), "half of all labellings of 2d points"
    for n, d in ((0, 1), (1, 0)):
        with pytest.raises(ValueError, match="1 point and 1 dimension"):
            theory.COVER.bound(n, d)
