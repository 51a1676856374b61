"""No learner of halfspaces is better than R^2/gamma^2: the adversary against all of ours."""

from __future__ import annotations

from copy import deepcopy
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from novikoff import EllipsoidPerceptron, MarginPerceptron, Perceptron, theory
from novikoff.theory import Duel
from tests.theorems.tally import applied_often

F = Fraction
LEARNERS = {
    "Perceptron": lambda: Perceptron(fit_intercept=False),
    "Perceptron, zero is +": lambda: Perceptron(fit_intercept=False, at_zero="positive"),
    "Perceptron, zero is -": lambda: Perceptron(fit_intercept=False, at_zero="negative"),
    "MarginPerceptron": lambda: MarginPerceptron(fit_intercept=False),
    "EllipsoidPerceptron": lambda: EllipsoidPerceptron(fit_intercept=False),
}


def prediction(learner, x):
    """-1, +1, or 0 where both labels would be mistakes."""
    if isinstance(learner, EllipsoidPerceptron):
        return 2 * learner.predict_one(x) - 1
    mistaken = []
    for y in (-1, 1):
        twin = deepcopy(learner)
        before = getattr(twin, "mistakes_", 0)
        mistaken.append(twin.learn_one(x, y).mistakes_ > before)
    return 0 if all(mistaken) else -1 if mistaken[1] else 1


def duel(make, rows, tosses=None):
    """The adversary gives the label that was not predicted, or the one that a coin says."""
    learner = make()
    signs, predictions = [], []
    for t, x in enumerate(rows):
        said = prediction(learner, x)
        y = tosses[t] if tosses else -said or 1
        learner.learn_one(x, y > 0)
        predictions.append(said)
        signs.append(y)
    return learner, Duel.of(rows, signs, predictions)


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize("n", [2, 3, 9])
def test_the_adversary_forces_as_many_from_every_learner(name, n):
    learner, found = duel(LEARNERS[name], np.eye(n))
    finding = theory.LOWER.check(found)
    assert finding.applies
    assert finding.conclusion
    assert learner.mistakes_ == found.mistakes == n == theory.LOWER.bound(found.radius_sq, found.margin_sq)
    assert found.margin_sq == F(1, n)
    # and the theorem of the Perceptron allows no more on the same data
    assert theory.update_bound(found.radius_sq, found.margin_sq) == n


@pytest.mark.parametrize("name", [name for name in LEARNERS if name not in ("Perceptron", "MarginPerceptron")])
def test_against_coins_every_learner_errs_in_half_of_the_rounds(name):
    # A learner that draws its predictions is a mixture of such: some labels are as bad as the average.
    n = 4
    mistakes = [duel(LEARNERS[name], np.eye(n), tosses)[1].mistakes for tosses in product((-1, 1), repeat=n)]
    assert F(sum(mistakes), len(mistakes)) == F(n, 2)


def rotated(n, radius):
    """Orthogonal rows of length |radius|: a reflection of the axes."""
    v = [F(k % 3 - 1) or F(2) for k in range(n)]
    square = sum(a * a for a in v)
    return [[radius * ((i == j) - 2 * v[i] * v[j] / square) for j in range(n)] for i in range(n)]


def test_it_holds_against_whatever_is_predicted():
    with applied_often() as tally:

        @settings(max_examples=60)
        @given(st.data())
        def each(data):
            n = data.draw(st.integers(1, 5))
            predictions = data.draw(st.lists(st.sampled_from([-1, 0, 1]), min_size=n, max_size=n))
            rows = rotated(n, data.draw(st.sampled_from([F(1), F(3), F(1, 2)])))
            if data.draw(st.integers(0, 3)) == 0:
                rows[0] = [F(1)] * n
            signs = [-p or 1 for p in predictions]
            if data.draw(st.integers(0, 3)) == 0:
                signs[-1] = -signs[-1]
            found = Duel.of(rows, signs, predictions)
            if tally.check(theory.LOWER, found).applies:
                assert found.mistakes == n

        each()


@pytest.mark.parametrize(
    ("found", "without"),
    [
        (Duel.of([[1, 0], [1, 0]], [1, -1], [-1, 1]), "orthogonal"),  # a contradiction
        (Duel.of([[1, 0], [0, 3]], [1, 1], [-1, -1]), "one length"),  # gamma^2 = 1/82, R^2/gamma^2 is 738
        (Duel.of([[1, 0], [1, 1]], [1, -1], [-1, 1]), "orthogonal"),
        (Duel.of([[1, 0], [0, 1]], [1, 1], [-1, 1]), "did not predict"),
    ],
)
def test_a_hypothesis_is_needed(found, without):
    finding = theory.LOWER.check(found)
    assert len(finding.unmet) == 1
    assert without in finding.unmet[0]
    assert not finding.conclusion
    assert finding.holds


def test_rows_of_nothing_are_no_examples():
    assert theory.LOWER.check(Duel.of([[0]], [1], [-1])).unmet == (theory.LOWER.hypotheses[0].text,)


def test_the_bound_is_a_floor():
    assert theory.LOWER.bound(1, F(1, 7)) == 7
    assert theory.LOWER.bound(4, F(3, 2)) == 2
    for arguments in ((1, 0), (1, 2), (0, 0)):
        with pytest.raises(ValueError, match="above 0 and at most R"):
            theory.LOWER.bound(*arguments)
