"""The ellipsoid perceptron: its ellipsoids hold the separators and shrink, checked in rationals; so its bound holds."""

from __future__ import annotations

import math
import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from novikoff import NotRealizable
from novikoff.game import play
from novikoff.learners.ellipsoid import EllipsoidPerceptron
from novikoff.problems import doubling, separable
from novikoff.theory import TINY_MARGIN
from novikoff.theory import ellipsoid as theory
from novikoff.theory.exact import vector


def cycled(learner, X, y, passes=10_000):
    """Until a pass is free of mistakes. The examples of the mistakes, and the ellipsoids from first to last."""
    updates, ellipsoids = [], [(np.zeros(X.shape[1]), np.eye(X.shape[1]))]
    for _ in range(passes):
        before = learner.mistakes_
        for i, (x, label) in enumerate(zip(X, y, strict=True)):
            wrong = learner.mistakes_
            learner.learn_one(x, label)
            if learner.mistakes_ > wrong:
                updates.append(i)
                ellipsoids.append((learner._c, learner._B))
        if learner.mistakes_ == before:
            return updates, ellipsoids
    raise AssertionError("no clean pass")


def record(learner, X, y, witness):
    updates, ellipsoids = cycled(learner, X, y)
    signs = [1 if label else -1 for label in y]
    return theory.Shrinking.along(X, signs, witness, updates, ellipsoids, mistakes=learner.mistakes_)


def thin(D, gamma, n=12, seed=0):
    """Rows of the unit ball on both sides of e_1 with margin gamma, two of them opposite each other, and labels."""
    rng = np.random.default_rng(seed)
    A = rng.standard_normal((n, D))
    A[:, 0] = 0
    A *= 0.99 / np.linalg.norm(A, axis=1)[:, None]
    A[1] = -A[0]
    A[:, 0] = gamma
    y = rng.integers(0, 2, n)
    return A * (2 * y - 1)[:, None], y


# The theorem ----------------------------------------------------------------------------------------


@settings(max_examples=15)
@given(st.integers(2, 4), st.sampled_from([0.3, 0.05, 1e-3]), st.integers(0, 999))
def test_it_holds_on_float_runs(d, gamma, seed):
    problem = separable(12, d, margin=gamma, random_state=seed)
    learner = EllipsoidPerceptron(fit_intercept=False, gamma=problem.margin)
    run = record(learner, problem.X, (problem.y > 0).astype(int), problem.witness)
    finding = theory.ELLIPSOID.check(run)
    assert finding.unmet == ()
    assert finding.holds
    assert run.mistakes <= learner.bound() == theory.ellipsoid_bound(d, problem.margin)


@pytest.mark.parametrize("gamma", [2.0**-20, 2.0**-30])
@pytest.mark.parametrize("D", [2, 3])
def test_it_holds_on_float_runs_with_a_tiny_margin(D, gamma):
    # The plain update of P = BB' loses its smallest eigenvalues here: 2^-60 beside 1.
    X, y = thin(D, gamma)
    run = record(EllipsoidPerceptron(fit_intercept=False), X, y, np.eye(D)[0])
    assert run.margin_sq == Fraction(gamma) ** 2
    finding = theory.ELLIPSOID.check(run)
    assert finding.unmet == ()
    assert finding.conclusion
    assert run.mistakes > 3 * D, "otherwise the run shows little"


@pytest.mark.parametrize("D", [2, 5, 8])
@pytest.mark.parametrize("gamma", [1e-3, 1e-6, 1e-9])
def test_the_separator_never_leaves(D, gamma):
    X, y = thin(D, gamma, n=30, seed=D)
    learner = EllipsoidPerceptron(fit_intercept=False, gamma=gamma)
    updates, ellipsoids = cycled(learner, X, y)
    assert len(updates) == learner.mistakes_ <= learner.bound()
    near = np.eye(D)[0] / (1 + gamma)  # the centre of the ball of separators
    for c, B in ellipsoids:
        inverse = np.linalg.inv(B)
        # With the ball in the ellipsoid there is room for its radius in every direction, also away from c.
        assert np.linalg.norm(inverse @ (near - c)) <= 1
        assert np.linalg.norm(inverse @ (near - c)) + gamma / (1 + gamma) / np.linalg.norm(B, 2) <= 1 + 1e-9


HALF = Fraction(1, 2)
UNIT = ([0, 0], [[1, 0], [0, 1]])
HALVED = [([0, 0], [[HALF**k, 0], [0, HALF**k]]) for k in range(10)]


@pytest.mark.parametrize(
    ("run", "without", "alone"),
    [
        (theory.Shrinking.along([[1]], [1], [1], [0] * 9, [([0], [[1]])] * 10), "2 coordinates", False),
        (theory.Shrinking.along([[1, 0]], [-1], [1, 0], [0] * 9, [UNIT] * 10), "separates", False),
        (theory.Shrinking.along([[2, 0], [0, 1]], [1, 1], [1, 1], [0] * 12, [UNIT] * 13), "||x|| <= 1", False),
        (
            theory.Shrinking.along([[1, 0]], [1], [1, 0], [0] * 9, [([0, 0], [[9, 0], [0, 9]]), *[UNIT] * 9]),
            "the unit ball",
            False,
        ),
        (theory.Shrinking.along([[1, 0]], [1], [1, 0], [], [UNIT], mistakes=9), "every mistake", True),
        (theory.Shrinking.along([[1, 0]], [1], [1, 0], [0] * 9, [UNIT]), "every mistake", True),
        (theory.Shrinking.along([[1, 0]], [1], [1, 0], [0] * 9, HALVED), "holds all points", True),
        (theory.Shrinking.along([[1, 0]], [1], [1, 0], [0] * 9, [UNIT] * 10), "of the volume", True),
    ],
)
def test_a_hypothesis_is_needed(run, without, alone):
    finding = theory.ELLIPSOID.check(run)
    assert any(without in text for text in finding.unmet)
    assert not alone or len(finding.unmet) == 1
    assert not finding.conclusion
    assert finding.holds


def test_hypotheses_are_checked_exactly():
    c, B = cut([0, 0], [[1, 0], [0, 1]], [1, 0])
    first = theory.Shrinking.along([[1, 0]], [1], [1, 0], [0], [UNIT, (c, B)])
    assert theory.ELLIPSOID.check(first).unmet == ()
    # exp(-1/6) of the volume is allowed: a square root more in each axis is at its end
    axis = math.sqrt(math.exp(-1 / 6) / abs(np.linalg.det(B)))
    for factor, applies in ((axis - 1e-12, True), (axis + 1e-12, False)):
        run = theory.Shrinking.along([[1, 0]], [1], [1, 0], [0], [UNIT, (c, factor * B)])
        assert theory.ELLIPSOID.check(run).applies == applies
    moved = theory.Shrinking.along([[1, 0]], [1], [1, 0], [], [([2.0**-60, 0], np.eye(2))])
    assert theory.ELLIPSOID.check(moved).unmet == ("the first ellipsoid is the unit ball",)


def test_forms_and_systems_in_rationals():
    for n in (1, 2, 4):
        rng = np.random.default_rng(n)
        for rank in range(n + 1):
            V = rng.integers(-3, 4, (rank, n)) * 1.0
            form = V.T @ V
            assert theory.nonnegative([vector(row) for row in form])
            form[-1, -1] -= 1000
            assert not theory.nonnegative([vector(row) for row in form])
    assert not theory.nonnegative([vector([0, 1]), vector([1, 5])])
    A = [vector([0, 2, 1]), vector([1, 0, 0]), vector([3, 1, 1])]
    determinant, (x, y, z) = theory.solved(A, [vector([4]), vector([1]), vector([6])])
    assert determinant == -1
    assert [*x, *y, *z] == [1, 1, 2]
    assert theory.volume(A) == 1
    assert theory.volume([vector([1, 2]), vector([2, 4])]) == 0


# One cut --------------------------------------------------------------------------------------------


def cut(c, B, a):
    return EllipsoidPerceptron()._cut(np.array(c, dtype=float), np.array(B, dtype=float), np.array(a, dtype=float))


def plain(c, P, a):
    """The deep cut as it is written down for P = BB', without the widening."""
    D, s = len(a), math.sqrt(a @ P @ a)
    alpha = -(a @ c) / s
    tau, sigma = (1 + D * alpha) / (D + 1), 2 * (1 + D * alpha) / ((D + 1) * (1 + alpha))
    delta = D**2 * (1 - alpha**2) / (D**2 - 1)
    Pa = P @ a
    return c + tau * Pa / s, delta * (P - sigma * np.outer(Pa, Pa) / s**2)


def some_cut(rng, D):
    """An ellipsoid in general position, and a cut of a random depth in [0, 1)."""
    B, a, c = rng.standard_normal((D, D)), rng.standard_normal(D), rng.standard_normal(D)
    depth = rng.choice([0.0, rng.random(), 0.99])
    return c - a * (c @ a + depth * np.linalg.norm(B.T @ a)) / (a @ a), B, a


@pytest.mark.parametrize("D", [2, 3, 7])
def test_the_factored_cut_is_the_plain_one(D):
    rng = np.random.default_rng(D)
    for _ in range(30):
        c, B, a = some_cut(rng, D)
        c1, B1 = cut(c, B, a)
        c2, P2 = plain(c, B @ B.T, a)
        wider = 1 + 1 / (32 * D**3)
        assert c1 == pytest.approx(c2, abs=1e-10)
        assert (B1 @ B1.T).tolist() == [pytest.approx(row, abs=1e-10) for row in wider**2 * P2]


@pytest.mark.parametrize("D", [2, 3, 5])
def test_a_cut_holds_the_rest_and_shrinks(D):
    rng = np.random.default_rng(D)
    limit = math.exp(-1 / (2 * (D + 1)))
    for _ in range(10):
        c, B, a = some_cut(rng, D)
        c1, B1 = cut(c, B, a)
        before = vector(c), [vector(row) for row in B]
        after = vector(c1), [vector(row) for row in B1]
        assert theory.volume(after[1]) <= Fraction(limit) * theory.volume(before[1])
        assert theory.holds_the_rest(before, after, vector(a))
        # An ellipsoid smaller by a thousandth, or one moved by a hundredth of its axes, does not hold it.
        smaller = [vector(row) for row in B1 / (1 + 1 / (32 * D**3)) * 0.999]
        assert not theory.holds_the_rest(before, (after[0], smaller), vector(a))
        moved = c1 + B1 @ np.full(D, 0.05)
        assert not theory.holds_the_rest(before, (vector(moved), after[1]), vector(a))


def test_the_volume_of_a_cut_has_room_for_the_widening():
    for D in range(2, 300):
        # of the deep cut with alpha = 0, the largest, squared: rational
        squared = Fraction(D, D + 1) ** 2 * Fraction(D * D, D * D - 1) ** (D - 1)
        squared *= (1 + Fraction(1, 32 * D**3)) ** (2 * D)
        assert theory.logarithm(squared, 30)[1] <= Fraction(-1, D + 1)


# Bounds ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("d", [14, 17, 20])
def test_tiny_margins_do_not_double_the_mistakes(d):
    problem = doubling(d)  # on which the Perceptron makes exactly (4^d - 1)/3 mistakes
    learner = EllipsoidPerceptron(fit_intercept=False, gamma=problem.margin / math.sqrt(d))
    X = problem.X / math.sqrt(d)
    y = (problem.y > 0).astype(int)
    cycled(learner, X, y)
    assert learner.mistakes_ <= learner.bound()
    assert [learner.predict_one(x) for x in X] == y.tolist()
    assert learner.mistakes_ < TINY_MARGIN.bound(d) / 10**4
    if d == 20:
        assert learner.bound() < TINY_MARGIN.bound(d) / 10**7


def test_the_bound_is_a_floor():
    assert theory.ellipsoid_bound(2, 1) == math.floor(12 * math.log(2)) == 8
    assert theory.ellipsoid_bound(3, Fraction(1, 10**9)) == math.floor(24 * math.log(1 + 1e9))
    # beyond the floats
    assert theory.ellipsoid_bound(2, Fraction(1, 10**1000)) == math.floor(12 * 1000 * math.log(10))
    for d, gamma in ((1, 0.5), (2, 0), (2, -1), (2, 1.1), (2, math.nan), (2, math.inf)):
        with pytest.raises(ValueError, match=r"coordinates|gamma"):
            theory.ellipsoid_bound(d, gamma)


def test_an_intercept_is_a_constant_coordinate():
    rng = np.random.default_rng(3)
    X = rng.uniform(-0.7, 0.7, (60, 2))
    y = (X @ [1, 2] >= 0.4).astype(int)
    rows = np.column_stack([X, np.ones(60)]) / math.sqrt(2)
    witness = np.array([1, 2, -0.4])
    gamma = np.abs(rows @ witness).min() / np.linalg.norm(witness)
    learner, other = EllipsoidPerceptron(gamma=gamma), EllipsoidPerceptron(fit_intercept=False, gamma=gamma)
    for _ in range(200):
        for x, row, label in zip(X, rows, y, strict=True):
            assert learner.predict_one(x) == other.predict_one(row)
            learner.learn_one(x, label)
            other.learn_one(row, label)
    assert learner._state == other._state
    assert 3 < learner.mistakes_ <= learner.bound()
    assert ((X @ learner.coef_ + learner.intercept_ >= 0) == y).all()
    assert learner.coef_ == pytest.approx(other.coef_[:2] / math.sqrt(2))
    assert other.intercept_ == 0


def test_the_centre_predicts_1_at_zero():
    learner = EllipsoidPerceptron(fit_intercept=False)
    assert learner.predict_one([0.3, 0.4]) == 1
    learner.learn_one([0.3, 0.4], 1)
    assert (learner.rounds_, learner.mistakes_) == (1, 0)
    learner.learn_one([0.4, -0.3], 0)
    assert (learner.rounds_, learner.mistakes_) == (2, 1)
    assert learner.coef_ == pytest.approx([-0.8 / 3, 0.6 / 3])  # tau = 1/(D+1) along -x


def test_play_takes_its_bound():
    run = play(EllipsoidPerceptron(gamma=0.1), [([1.0], 0), ([-1.0], 1)])
    assert (run.mistakes, run.bound) == (1, theory.ellipsoid_bound(2, 0.1))


# What cannot be learned ----------------------------------------------------------------------------


@pytest.mark.parametrize(("gamma", "most"), [(None, 200), (0.1, 10)])
def test_contradictions_are_found(gamma, most):
    learner = EllipsoidPerceptron(gamma=gamma)
    seen = []

    def stream():
        for y in [1, 0] * 300:
            seen.append((learner._state, learner.rounds_, learner.mistakes_))
            yield [0.5, 0.5], y

    with pytest.raises(NotRealizable, match="halfspace") as error:
        play(learner, stream())
    assert seen[-1] == (learner._state, learner.rounds_, learner.mistakes_)
    assert error.value.round == learner.rounds_ <= most


def test_a_margin_that_no_halfspace_has():
    X, y = thin(2, 1e-3)
    cycled(EllipsoidPerceptron(fit_intercept=False, gamma=1e-3), X, y)
    with pytest.raises(NotRealizable, match=r"a margin of 0\.1 "):
        cycled(EllipsoidPerceptron(fit_intercept=False, gamma=0.1), X, y)


def test_zero_is_on_the_side_of_1():
    learner = EllipsoidPerceptron(fit_intercept=False)
    learner.learn_one([0.0, 0.0], 1)
    with pytest.raises(NotRealizable, match="the row is 0"):
        learner.learn_one([0.0, 0.0], 0)


@pytest.mark.parametrize("scale", [1e-300, 1e-160, 5e-324])
def test_the_length_of_a_row_does_not_matter(scale):
    learner = EllipsoidPerceptron(fit_intercept=False)
    learner.learn_one([0.0, scale], 0)
    assert learner.coef_ == pytest.approx([0, -1 / 3])


@pytest.mark.parametrize(
    ("x", "y", "message"),
    [
        ([0.1, 0.1], 2, "labels here are 0 and 1"),
        ([0.1, 0.1], -1, "labels here are 0 and 1"),
        ([0.1], 1, "1 entries"),
        ([0.1, 0.1, 0.1], 1, "3 entries"),
        ([[0.1, 0.1]], 1, "shape"),
        ([math.nan, 0.1], 1, r"x\[0\] is nan"),
        ([0.1, math.inf], 1, r"x\[1\] is inf"),
        ([0.8, 0.8], 1, r"norm 1\.13137"),
        ([1e200, 1e200], 1, r"norm 1\.41421e\+200"),
        ([1.0, 1e-6], 1, "norm 1"),
        (["a", "b"], 1, "numbers"),
    ],
)
def test_bad_input_changes_nothing(x, y, message):
    learner = EllipsoidPerceptron(gamma=0.01).learn_one([0.3, -0.2], 0)
    before = learner._state, learner.rounds_, learner.mistakes_
    assert learner.mistakes_ == 1
    with pytest.raises(ValueError, match=message):
        learner.learn_one(x, y)
    assert (learner._state, learner.rounds_, learner.mistakes_) == before
    if y in (0, 1):
        with pytest.raises(ValueError, match=message):
            learner.predict_one(x)


def test_rows_of_norm_one_are_in_the_ball():
    rng = np.random.default_rng(0)
    learner = EllipsoidPerceptron(fit_intercept=False)
    for x in rng.standard_normal((200, 30)):
        learner.predict_one(x / np.linalg.norm(x))


def test_what_it_needs():
    for x in ([], [0.5]):
        learner = EllipsoidPerceptron(fit_intercept=False)
        with pytest.raises(ValueError, match="2 coordinates"):
            learner.learn_one(x, 1)
        assert learner.rounds_ == 0
        assert learner.bound() is None
    assert EllipsoidPerceptron().learn_one([0.5], 1).bound() is None
    for gamma in (0, -1, 1.5, math.nan):
        with pytest.raises(ValueError, match="gamma"):
            EllipsoidPerceptron(gamma=gamma)


def test_copies_go_their_own_way():
    learner = EllipsoidPerceptron().learn_one([0.5, 0.1], 0)
    copy, again = learner.copy(), pickle.loads(pickle.dumps(learner))
    copy.learn_one([0.2, 0.9], 1)
    assert learner._state == again._state != copy._state
    assert (learner.mistakes_, copy.mistakes_) == (1, 2)


def test_where_floats_end_is_said_with_the_margin_that_they_can_tell():
    learner = EllipsoidPerceptron(fit_intercept=False)

    def contradict():
        for _ in range(400):
            learner.learn_one([0.6, 0.8], 1)
            learner.learn_one([0.6, 0.8], 0)

    with pytest.raises(NotRealizable, match="no halfspace with a margin above 2e-12 agrees"):
        contradict()
