"""Each theorem of the notes: it holds, it is tight, its hypotheses are needed. All in rationals."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from novikoff import theory
from novikoff.data import doubling, orthonormal, separable
from novikoff.theory import THEOREMS, Run
from tests import problems, reference

ZERO = {"mistake": 0, "positive": 1, "negative": -1}
LINEAR = [theorem for theorem in THEOREMS if theorem.about is Run]
NAMES = [theorem.id for theorem in LINEAR]


def record(X, y, witness, *, zero=0, order="given", threshold=None, max_iter=50):
    """A run of the reference learner, for the theorems."""
    result = reference.perceptron(X, y, zero=zero, order=order, threshold=threshold, max_iter=max_iter)
    radius_sq = max(sum(Fraction(float(v)) ** 2 for v in row) for row in X)
    theta = 0 if threshold is None else radius_sq if threshold == "auto" else threshold
    rows = [[*row, 0] for row in X]
    return Run.of(rows, y, [*witness, 0], result.steps, mistakes=result.mistakes, zero=zero, threshold=theta)


@pytest.mark.parametrize("theorem", LINEAR, ids=NAMES)
@given(
    data=st.one_of(problems.grids(columns=(1, 3)), problems.near_ties(rows=(2, 5))),
    w=st.lists(st.integers(-4, 4), min_size=6, max_size=6),
    zero=st.sampled_from([-1, 0, 1]),
    order=st.sampled_from(["given", "first", "worst"]),
    threshold=st.sampled_from([None, None, "auto", 1]),
)
def test_it_holds_on_whatever_happens(theorem, data, w, zero, order, threshold):
    X, y = data
    witness = w[: X.shape[1]]
    if not any(witness):
        witness[0] = 1
    labels = np.sign(X @ witness).astype(int)
    y = np.where(labels == 0, y, labels)  # mostly separable by the witness
    assert theorem.check(record(X, y, witness, zero=zero, order=order, threshold=threshold, max_iter=8)).holds


def orthonormal_run(n, zero, order="given", threshold=None):
    problem = orthonormal(n)
    return record(problem.X, problem.y, problem.witness, zero=zero, order=order, threshold=threshold)


@pytest.mark.parametrize(
    ("theorem", "zero"),
    [
        (theory.BATCH, 0),
        (theory.ONLINE, 0),
        (theory.BALL, 0),
        (theory.INEQUALITIES, 0),
        (theory.START, 0),
        (theory.UPPER_END, 0),
    ],
)
@pytest.mark.parametrize("order", ["given", "first", "worst"])
def test_orthonormal_examples_meet_the_bound(theorem, zero, order):
    for n in (1, 2, 3, 7, 49, 50):
        run = orthonormal_run(n, zero, order)
        finding = theorem.check(run)
        assert finding.applies
        assert finding.holds
        assert run.mistakes == n == theory.update_bound(run.radius_sq, run.margin_sq)
        assert run.margin_sq * n**2 == sum(a * a for a in run.path[-1])  # the upper end is gamma itself


@pytest.mark.parametrize(("theorem", "zero"), [(theory.RADIUS, 1), (theory.STREAM, -1)])
def test_a_convention_at_zero_saves_the_examples_that_it_guesses(theorem, zero):
    # Only the label that zero does not predict costs a mistake: all n of them of that label meet the bound.
    for n in (1, 2, 49):
        rows, y = np.eye(n), np.full(n, -zero)
        run = record(rows, y, y, zero=zero)
        assert theorem.check(run).applies
        assert run.mistakes == n == theory.update_bound(run.radius_sq, run.margin_sq)


def test_a_small_threshold_meets_its_bound_on_orthonormal_examples():
    theta = Fraction(1, 2**20)
    for n in (1, 2, 49):
        run = orthonormal_run(n, 0, threshold=theta)
        finding = theory.THRESHOLD.check(run)
        assert finding.applies
        assert finding.holds
        assert len(run.updates) == n == theory.update_bound(run.radius_sq, run.margin_sq, theta)


def test_one_unit_example_at_theta_one():
    # w = x has <w,x> = 1 <= 1, so a second update follows; 3/gamma^2 = 3 allows it, and the margin is gamma itself.
    run = record(np.eye(1), [1], [1], threshold=1)
    assert len(run.updates) == 2
    assert theory.UNIT.check(run).applies
    assert theory.UNIT.check(run).holds


@pytest.mark.parametrize("d", range(1, 9))
def test_a_tiny_margin_doubles_the_mistakes(d):
    problem = doubling(d)
    run = record(problem.X, problem.y, problem.witness, max_iter=10**6)
    run = Run.of(problem.X, problem.y, problem.witness, run.updates)
    finding = theory.TINY_MARGIN.check(run)
    assert finding.applies
    assert finding.holds
    assert 2 ** (d - 1) <= run.mistakes <= problem.bound
    assert run.radius_sq == problem.radius_sq
    assert run.margin_sq == problem.margin_sq


# Hypotheses are needed: without one, the conclusion fails on some run. ------------------------------

CONTRADICTION = Run.of([[1], [1]], [1, -1], [1], updates=[0, 1] * 5)
LONG_ROWS = Run.of([[3, 1], [-3, 1]], [1, 1], [0, 1], updates=[0, 1])
HEAD_START = Run.of([[1]], [1], [1], updates=[0] * 6, start=[-5])


@pytest.mark.parametrize(
    ("theorem", "run", "without"),
    [
        (theory.BATCH, CONTRADICTION, "separates"),
        (theory.BATCH, LONG_ROWS, "||x|| = 1"),
        (theory.BATCH, HEAD_START, "starts at 0"),
        (theory.ONLINE, CONTRADICTION, "separates"),
        (theory.ONLINE, LONG_ROWS, "||x|| <= 1"),
        (theory.ONLINE, HEAD_START, "starts at 0"),
        (theory.RADIUS, CONTRADICTION, "separates"),
        (theory.RADIUS, HEAD_START, "starts at 0"),
        (theory.STREAM, CONTRADICTION, "separates"),
        (theory.STREAM, LONG_ROWS, "||x|| = 1"),
        (theory.BALL, CONTRADICTION, "separates"),
        (theory.BALL, LONG_ROWS, "||x|| <= 1"),
        (theory.START, CONTRADICTION, "separates"),
        (theory.INEQUALITIES, Run.of([[1]], [1], [1], updates=[0, 0]), "on every one"),
        (theory.RADIUS, Run.of([[1]], [1], [1], updates=[0, 0, 0], zero=-1), "on every one"),
        (theory.THRESHOLD, Run.of([[1]], [1], [1], updates=[0] * 9, threshold=1), "only where"),
        (theory.UNIT, Run.of([[1], [1]], [1, -1], [1], updates=[0, 1] * 9, threshold=1), "separates"),
        (theory.UNIT, Run.of([[1]], [1], [1], updates=[0], threshold=1, start=[-5]), "starts at 0"),
        (theory.THRESHOLD, Run.of([[1], [1]], [1, -1], [1], updates=[0, 1] * 9, threshold=1), "separates"),
        (theory.TINY_MARGIN, Run.of([[1, 0], [-1, 1]], [1, 1], [1, 2], updates=[0]), "finished"),
    ],
)
def test_a_hypothesis_is_needed(theorem, run, without):
    finding = theorem.check(run)
    assert any(without in text for text in finding.unmet)
    assert not finding.conclusion
    assert finding.holds, "a theorem says nothing when a hypothesis fails"


def test_bounds_are_floors_of_rationals():
    # In floats floor((R/gamma)^2) with gamma = 1/sqrt(n) is one too small for many n.
    n = range(1, 2000)
    wrong = [k for k in n if int((1 / (1 / k**0.5)) ** 2) != k]
    assert len(wrong) > 300
    assert all(theory.update_bound(1, Fraction(1, k)) == k for k in n)
    assert all(theory.bound_from_start(1, 1 / k**0.5, 0) == k for k in n), "a float is right to a few last bits"
    with pytest.raises(ValueError, match="positive margin"):
        theory.update_bound(1, 0)


@given(
    st.integers(3, 40),
    st.integers(2, 6),
    st.floats(0.01, 0.9),
    st.sampled_from([0.25, 1.0, 3.0, 100.0]),
    st.integers(0, 99),
)
def test_generated_margins_are_the_best_ones(n, d, share, radius, seed):
    problem = separable(n, d, margin=share * radius, radius=radius, random_state=seed)
    run = Run.of(problem.X, problem.y, problem.witness, updates=[0, 2])
    assert run.margin_sq == problem.margin_sq
    assert run.radius_sq == problem.radius_sq <= Fraction(radius) ** 2
    assert problem.margin == pytest.approx(share * radius, abs=2**-19 * radius)
    # Examples 0 and 2 average to gamma w*: no separator has a margin above gamma.
    half = [(a + b) / 2 for a, b in zip(run.rows[0], run.rows[2], strict=True)]
    assert run.signs[0] == run.signs[2]
    assert sum(a * a for a in half) == problem.margin_sq
