"""The theorems about linear learners: they hold, they are tight, their hypotheses are needed. All in rationals."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from novikoff import MarginPerceptron, Perceptron, theory
from novikoff.problems import doubling, orthonormal, separable, spiral
from novikoff.theory import THEOREMS, Run
from novikoff.theory.exact import inner, sqnorm, vector
from tests import reference
from tests.theorems.exactly import learn, picks, separated
from tests.theorems.tally import applied_often, confirmed

LINEAR = [theorem for theorem in THEOREMS if theorem.about is Run]
F = Fraction


def record(X, y, witness, *, zero=0, order="given", threshold=None, max_iter=50):
    """A run of the reference learner, for the theorems."""
    result = reference.perceptron(X, y, zero=zero, order=order, threshold=threshold, max_iter=max_iter)
    radius_sq = max(sum(Fraction(float(v)) ** 2 for v in row) for row in X)
    theta = 0 if threshold is None else radius_sq if threshold == "auto" else threshold
    return Run.of(X, y, witness, result.steps, mistakes=result.mistakes, zero=zero, threshold=theta)


# They hold -----------------------------------------------------------------------------------------

# What suits each theorem: the lengths of the rows, what zero predicts, the threshold, and whether w starts elsewhere.
SUITED = {
    "perceptron-batch": ("sphere", 0, None, False),
    "perceptron-online": ("ball", 0, None, False),
    "perceptron-radius": ("any", 1, None, False),
    "perceptron-stream": ("sphere", -1, None, False),
    "perceptron-ball": ("ball", 0, None, False),
    "perceptron-inequalities": ("any", 0, None, False),
    "perceptron-start": ("any", 0, None, True),
    "perceptron-lift": ("any", 0, None, False),
    "margin-upper-end": ("any", 0, None, True),
    "margin-perceptron": ("sphere", 0, F(1), False),
    "margin-perceptron-threshold": ("any", 0, F(3, 2), False),
    "margin-perceptron-step": ("any", 0, F(3, 2), True),
}


@st.composite
def runs(draw, theorem):
    """Runs in any order, most of them such that the hypotheses hold."""
    kind, zero, threshold, moved = SUITED[theorem.id]
    if draw(st.integers(0, 3)) == 0:  # whatever happens
        kind = draw(st.sampled_from(["sphere", "ball", "any"]))
        zero = draw(st.sampled_from([-1, 0, 1]))
        threshold = draw(st.sampled_from([None, F(1), F(1, 3)]))
        moved = draw(st.booleans())
    constant = draw(st.sampled_from([F(1), F(-1, 2), F(2)])) if theorem is theory.LIFT else None
    rows, signs, witness = draw(separated(kind, constant=constant))
    start = [F(draw(st.integers(-3, 3))) for _ in witness] if moved else ()
    return learn(rows, signs, witness, draw(picks), zero=zero, threshold=threshold, start=start)


@pytest.mark.parametrize("theorem", [t for t in LINEAR if t.id in SUITED], ids=lambda t: t.id)
def test_it_holds_in_any_order_and_its_hypotheses_do_often(theorem):
    with applied_often() as tally:

        @settings(max_examples=40)
        @given(runs(theorem))
        def each(run):
            tally.check(theorem, run)

        each()


def test_every_theorem_about_a_run_is_among_them():
    any_data = {"perceptron-regret", "perceptron-deviations", "perceptron-regret-rounded"}  # in test_any_data.py
    elsewhere = {"tiny-margin", "perceptron-rounded"} | any_data  # below, and in test_rounding.py
    assert {theorem.id for theorem in LINEAR} == SUITED.keys() | elsewhere


def test_every_run_on_the_doubling_family_ends_at_the_powers_of_two():
    with applied_often() as tally:

        @settings(max_examples=40)
        @given(st.integers(1, 4), picks, st.sampled_from([-1, 0, 1]), st.randoms(use_true_random=False))
        def each(d, chosen, zero, shuffled):
            problem = doubling(d)
            numbers = list(range(d))
            shuffled.shuffle(numbers)
            rows = [vector(problem.X[i]) for i in numbers]
            signs = problem.y[numbers].tolist()
            run = learn(rows, signs, vector(problem.witness), chosen, zero=zero)
            finding = tally.check(theory.TINY_MARGIN, run)
            if zero == 0:
                assert finding.applies
                assert run.mistakes == (4**d - 1) // 3

        each()


# They are tight ------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", ["given", "first", "worst"])
def test_orthonormal_examples_meet_the_bound(order):
    for n in (1, 2, 7, 16):
        problem = orthonormal(n)
        run = record(problem.X, problem.y, problem.witness, order=order)
        for theorem in (theory.BATCH, theory.ONLINE, theory.BALL, theory.INEQUALITIES, theory.START, theory.UPPER_END):
            finding = theorem.check(run)
            assert finding.applies
            assert finding.conclusion
        assert run.mistakes == n == theory.update_bound(run.radius_sq, run.margin_sq)
        assert run.margin_sq * n**2 == sqnorm(run.path[-1])  # the upper end is gamma itself
        assert theory.UPPER_END.bound(run.radius_sq, sqnorm(run.path[-1]), n) == n


@pytest.mark.parametrize(("theorem", "zero"), [(theory.RADIUS, 1), (theory.STREAM, -1)])
def test_a_convention_at_zero_saves_the_examples_that_it_guesses(theorem, zero):
    # Only the label that zero does not predict costs a mistake: all n of them of that label meet the bound.
    for n in (1, 2, 20):
        rows, y = np.eye(n), np.full(n, -zero)
        run = record(rows, y, y, zero=zero)
        finding = theorem.check(run)
        assert finding.applies
        assert finding.conclusion
        assert run.mistakes == n == theory.update_bound(run.radius_sq, run.margin_sq)


def test_a_small_threshold_meets_its_bound_on_orthonormal_examples():
    theta = Fraction(1, 2**20)
    for n in (1, 2, 20):
        problem = orthonormal(n)
        run = record(problem.X, problem.y, problem.witness, threshold=theta)
        finding = theory.THRESHOLD.check(run)
        assert finding.applies
        assert finding.conclusion
        assert len(run.updates) == n == theory.update_bound(run.radius_sq, run.margin_sq, theta)


def test_one_unit_example_at_theta_one_grows_by_three():
    # w = x has <w,x> = 1 <= 1, so a second update follows, which adds 2 + 1 to ||w||^2.
    run = record(np.eye(1), [1], [1], threshold=1)
    assert [sqnorm(w) for w in run.path] == [0, 1, 4]
    for theorem in (theory.UNIT, theory.GROWTH):
        assert confirmed(theorem, run)
        assert theorem.check(run).conclusion
    assert theory.GROWTH.bound(2) == 6
    assert theory.GROWTH.bound(2, radius_sq=4, threshold=F(1, 3)) == 9


def rational_spiral():
    """The rows of `problems.spiral` for n = 5, but of length exactly 1: gamma = 2s/(1 + s^2) is a little above 1/5."""
    s = F(49, 485)
    gamma, across = 2 * s / (1 + s * s), (1 - s * s) / (1 + s * s)
    rows = []
    w = np.zeros(2)
    while (rest := float(1 - len(rows) * gamma**2) - 1e-6) >= -float(across) * math.hypot(*w):
        length = float(across) * math.hypot(*w)
        angle = math.atan2(w[1], w[0]) + (math.acos(min(rest / length, 1.0)) if length else 0.0)
        t = F(round(math.tan(angle / 2) * 2**24), 2**24)
        u = [(1 - t * t) / (1 + t * t), 2 * t / (1 + t * t)]
        rows.append([gamma, across * u[0], across * u[1]])
        w += [float(v) for v in rows[-1][1:]]
    return rows


def test_three_over_gamma_squared_and_a_third_of_gamma_are_met_at_once():
    rows = rational_spiral()
    run = Run.of(rows, [1] * len(rows), [1, 0, 0], range(len(rows)), mistakes=1, threshold=1)
    finding = theory.UNIT.check(run)
    assert finding.applies
    assert finding.conclusion
    assert len(run.updates) * run.margin_sq > F(292, 100)
    assert min(run.finals) ** 2 < F(35, 100) ** 2 * run.margin_sq * sqnorm(run.path[-1])


@pytest.mark.parametrize("n", [2, 3, 10, 40])
def test_the_margin_perceptron_on_a_spiral(n):
    problem = spiral(n)
    model = MarginPerceptron(fit_intercept=False, shuffle=False).fit(problem.X, problem.y)
    run = Run.of(problem.X, problem.y, problem.witness, range(len(problem.y)), threshold=model.threshold_)
    finding = theory.THRESHOLD.check(run)
    assert finding.applies
    assert finding.conclusion
    assert run.path[-1] == vector(model.coef_[0])
    assert (run.radius_sq, run.margin_sq) == (problem.radius_sq, problem.margin_sq == 1)
    assert n**2 - F(1, 2**20) < problem.radius_sq <= n**2
    assert model.updates_ == 3 * n**2 - 2
    assert 3 * n**2 - 1 <= model.bound(1) <= 3 * n**2
    assert 1 / 3 < model.margin_[0] < 1 / 3 + 0.3 / n**2
    # e_1 is in the convex hull of the rows: they go round it
    signed = problem.X * problem.y[:, None]
    angles = np.sort(np.arctan2(signed[:, 2], signed[:, 1]))
    assert np.diff([*angles, angles[0] + 2 * math.pi]).max() < math.pi


def against_the_start(gamma, c):
    """From w0, almost -c w*, every example has y<w,x> = 0 but for rounding when it comes, in three dimensions."""
    across = math.sqrt(1 - gamma**2)
    start = np.array([-c, gamma * c / across, 0.0])
    w, rows = start, []
    while abs(rest := -gamma * w[0] - 1e-9) <= across * (length := math.hypot(*w[1:])):
        forward = w[1:] / length
        cosine = rest / (across * length)
        u = cosine * forward + math.sqrt(1 - cosine**2) * np.array([-forward[1], forward[0]])
        rows.append([gamma, *(across * u).tolist()])
        w = w + rows[-1]
    return start, rows


def test_the_bound_from_a_start_is_nearly_met():
    start, rows = against_the_start(gamma=0.125, c=10.0)
    run = Run.of(rows, [1] * len(rows), [1, 0, 0], range(len(rows)), start=start)
    finding = theory.START.check(run)
    assert finding.applies
    assert finding.conclusion
    allowed = theory.START.bound(run.radius_sq, F(1, 8), np.linalg.norm(start))
    assert allowed - 3 <= run.mistakes <= allowed
    assert allowed > 3 * theory.update_bound(run.radius_sq, F(1, 64))


def test_a_constant_coordinate_costs_what_its_formula_says():
    # x = +-1, c = 1, w* = 1 and b = 0: (1 + 1)(1 + 0)/1 = 2, and both rows (1, 1), (-1, 1) are mistakes.
    run = learn([vector([1, 1]), vector([-1, 1])], [1, -1], vector([1, 0]), [0])
    finding = theory.LIFT.check(run)
    assert finding.applies
    assert finding.conclusion
    assert run.mistakes == 2 == theory.LIFT.bound(radius_sq=1, bias_sq=0, margin_sq=1)
    # The formula is R^2/gamma^2 of the rows with the constant, for every bias and constant.
    for c, b in ((F(1), F(2)), (F(3), F(-1, 2)), (F(1, 2), F(1, 3))):
        rows = [vector([x, c]) for x in (2 - b, -2 - b, 5 - b)]
        lifted = Run.of(rows, [1, -1, 1], [7, 7 * b / c], updates=[])
        assert theory.LIFT.bound(max(row[0] ** 2 for row in rows), b**2, 4, c) == theory.update_bound(
            lifted.radius_sq, lifted.margin_sq
        )
    for arguments in ((1, 0, 0), (1, 0, 1, 0)):
        with pytest.raises(ValueError, match="a positive distance and a constant"):
            theory.LIFT.bound(*arguments)


# Where the conclusion ends -------------------------------------------------------------------------

UNITS = [[1, 0], [0, 1]], [1, 1], [1, 1]  # R = 1, gamma^2 = 1/2: two mistakes
LONG = [[3, 0], [0, 3]], [1, 1], [1, 1]  # the same with R = 3


@pytest.mark.parametrize(
    ("theorem", "data", "options", "allowed"),
    [
        (theory.BATCH, UNITS, {}, 2),
        (theory.ONLINE, UNITS, {}, 2),
        (theory.STREAM, UNITS, {"zero": -1}, 2),
        (theory.BALL, UNITS, {}, 2),
        (theory.RADIUS, LONG, {"zero": 1}, 2),
        (theory.START, LONG, {"start": [-4, -3]}, 6),  # 2 + 2 * 5/(3/sqrt(2)) = 6.7
        (theory.START, ([[1]], [1], [1]), {"start": [-5]}, 11),
        (theory.LIFT, ([[3, 4], [-3, 4]], [1, -1], [1, F(1, 4)]), {}, 6),  # 25 (1 + 1/16)/4
    ],
)
def test_one_mistake_more_is_too_many(theorem, data, options, allowed):
    for mistakes, fits in ((allowed, True), (allowed + 1, False)):
        run = Run.of(*data, updates=[0] * mistakes, **options)
        assert theorem.check(run).conclusion == fits


@pytest.mark.parametrize(
    ("theorem", "theta", "length", "allowed", "edge"),
    [
        # rows l(3/5, +-4/5), gamma = 3l/5; w = (1, t) has the margin l(3 - 4t)/(5 sqrt(1 + t^2))
        (theory.UNIT, 1, 1, 8, (24 - math.sqrt(96)) / 30),
        (theory.THRESHOLD, 1, 1, 8, (24 - math.sqrt(96)) / 30),
        (theory.THRESHOLD, 1, 2, 4, (96 - math.sqrt(396)) / 126),  # a sixth of gamma, (4 + 2)/(36/25) updates
    ],
)
def test_the_two_promises_of_the_margin_perceptron_end_where_they_say(theorem, theta, length, allowed, edge):
    rows = [[F(3 * length, 5), F(4 * length, 5)], [F(3 * length, 5), F(-4 * length, 5)]]
    for t, fits in ((F(edge) - F(1, 10**9), True), (F(edge) + F(1, 10**9), False)):
        still = Run.of(rows, [1, 1], [1, 0], [], threshold=theta, start=[1, t])
        assert theorem.check(still).conclusion == fits
    for count, fits in ((allowed, True), (allowed + 1, False)):
        # both rows in turn, from far along e_1, so that the margin is wide
        moved = Run.of(rows, [1, 1], [1, 0], [k % 2 for k in range(count)], threshold=theta, start=[100, 0])
        assert theorem.check(moved).conclusion == fits
    lying = Run.of(rows, [1, 1], [1, 0], [], threshold=theta, start=[-1, 0])
    assert not theorem.check(lying).conclusion, "a negative margin, squared, is no margin"


def test_the_upper_end_is_met_by_examples_that_pull_together_and_by_no_others():
    assert theory.UPPER_END.check(Run.of([[2]], [1], [1], [0] * 5)).conclusion
    # a record whose sum is too short for the margin of its witness is no run: the start must be taken off
    run = Run.of([[1, 0], [0, 1]], [1, 1], [1, 1], [0, 1], start=[50, 0])
    assert sqnorm([F(51), F(1)]) * run.margin_sq > 1
    assert theory.UPPER_END.check(run).conclusion
    back = Run.of([[1]], [1], [1], [0] * 3, start=[-3])  # w is 0 at the end, and the sum of the updates is 3
    assert theory.UPPER_END.check(back).conclusion


def test_doubling_ends_where_it_says():
    count = theory.TINY_MARGIN.bound(2)
    path = [[0, 0]] * count + [[1, 2]]
    family = [[1, 0], [-1, 1]], [1, 1], [1, 2], [0] * count
    assert theory.TINY_MARGIN.check(Run.of(*family, weights=path)).conclusion
    assert not theory.TINY_MARGIN.check(Run.of(*family, weights=[*path[:-1], [2, 3]])).conclusion
    assert not theory.TINY_MARGIN.check(Run.of(*family[:3], [0] * 4, weights=path[1:])).conclusion


def test_the_inequalities_bound_how_far_mistakes_lead():
    assert theory.INEQUALITIES.bound(6, F(7, 2)) == 21
    assert theory.INEQUALITIES.bound(1, F(7, 2)) == 3
    head_start = Run.of([[1]], [1], [1], updates=[0] * 6, start=[-5])
    assert theory.INEQUALITIES.check(head_start).conclusion


# Hypotheses are needed: without one, the conclusion fails on some run. ------------------------------

CONTRADICTION = Run.of([[1], [1]], [1, -1], [1], updates=[0, 1] * 5)
LONG_ROWS = Run.of([[3, 1], [-3, 1]], [1, 1], [0, 1], updates=[0, 1])
HEAD_START = Run.of([[1]], [1], [1], updates=[0] * 6, start=[-5])
ZIGZAG = learn([vector([7, 1]), vector([-6, 1])], [1, 1], vector([0, 1]), [0], threshold=F(1))
FAMILY = [[1, 0], [-1, 1]], [1, 1], [1, 2]


@pytest.mark.parametrize(
    ("theorem", "run", "without"),
    [
        (theory.BATCH, CONTRADICTION, "separates"),
        (theory.BATCH, LONG_ROWS, "||x|| = 1"),
        (theory.BATCH, HEAD_START, "starts at 0"),
        (theory.BATCH, Run.of([[1]], [1], [1], updates=[0, 0]), "on every one"),
        (theory.ONLINE, CONTRADICTION, "separates"),
        (theory.ONLINE, LONG_ROWS, "||x|| <= 1"),
        (theory.ONLINE, HEAD_START, "starts at 0"),
        (theory.ONLINE, Run.of([[1]], [1], [1], updates=[], mistakes=2), "on every one"),
        (theory.RADIUS, Run.of([[1], [1]], [1, -1], [1], updates=[1, 0] * 5, zero=1), "separates"),
        (theory.RADIUS, Run.of([[1]], [1], [1], updates=[0] * 5, start=[-5], zero=1), "starts at 0"),
        (theory.RADIUS, Run.of([[1]], [1], [1], updates=[0, 0, 0], zero=1), "on every one"),
        (theory.STREAM, Run.of([[1], [1]], [1, -1], [1], updates=[0, 1] * 5, zero=-1), "separates"),
        (theory.STREAM, Run.of([[3, 1], [-3, 1]], [1, 1], [0, 1], updates=[0, 1], zero=-1), "||x|| = 1"),
        (theory.STREAM, Run.of([[1]], [1], [1], updates=[0] * 6, start=[-5], zero=-1), "starts at 0"),
        (theory.STREAM, Run.of([[1]], [1], [1], updates=[0, 0], zero=-1), "on every one"),
        (theory.BALL, CONTRADICTION, "separates"),
        (theory.BALL, LONG_ROWS, "||x|| <= 1"),
        (theory.BALL, HEAD_START, "starts at 0"),
        (theory.BALL, Run.of([[1]], [1], [1], updates=[0, 0]), "on every one"),
        (theory.START, CONTRADICTION, "separates"),
        (theory.START, Run.of([[1]], [1], [1], updates=[0] * 12, start=[-5]), "on every one"),
        (theory.INEQUALITIES, Run.of([[1]], [1], [1], updates=[0, 0]), "on every one"),
        (theory.LIFT, Run.of([[0, 1], [5, 2]], [1, 1], [1, 1], updates=[1] * 60), "the last coordinate"),
        (theory.LIFT, Run.of([[1, 1], [2, 1]], [1, 1], [0, 1], updates=[0]), "w* is not 0"),
        (theory.LIFT, Run.of([[1, 1], [1, 1]], [1, -1], [1, 0], updates=[0, 1] * 5), "separates"),
        (theory.LIFT, Run.of([[1, 1]], [1], [1, 1], updates=[0] * 5, start=[-4, -4]), "starts at 0"),
        (theory.LIFT, Run.of([[1, 1]], [1], [1, 1], updates=[0] * 3), "on every one"),
        (theory.THRESHOLD, Run.of([[1]], [1], [1], updates=[0] * 9, threshold=1), "only where"),
        (theory.THRESHOLD, Run.of([[1], [1]], [1, -1], [1], updates=[0, 1] * 9, threshold=1), "separates"),
        (theory.THRESHOLD, Run.of([[1]], [1], [1], updates=[0] * 7, threshold=1, start=[-5]), "starts at 0"),
        (theory.THRESHOLD, Run.of([[1]], [1], [1], updates=[], threshold=1), "finished"),
        (theory.THRESHOLD, Run.of([[1], [2]], [1, 1], [1], updates=[0] * 5, threshold=-1, start=[0]), "theta > 0"),
        (theory.UNIT, Run.of([[1], [1]], [1, -1], [1], updates=[0, 1] * 9, threshold=1), "separates"),
        (theory.UNIT, Run.of([[1]], [1], [1], updates=[0] * 7, threshold=1, start=[-5]), "starts at 0"),
        (theory.UNIT, ZIGZAG, "||x|| = 1"),
        (theory.UNIT, Run.of([[1]], [1], [1], updates=[0] * 6, threshold=5), "theta = 1"),
        (theory.UNIT, Run.of([[1]], [1], [1], updates=[0] * 4, threshold=1), "only where"),
        (theory.UNIT, Run.of([[1]], [1], [1], updates=[], threshold=1), "finished"),
        (theory.GROWTH, Run.of([[1]], [1], [1], updates=[0] * 3, threshold=1), "only where"),
        (theory.GROWTH, Run.of([[1]], [1], [1], updates=[0], threshold=1, start=[F(101, 100)]), "only where"),
        (theory.TINY_MARGIN, Run.of(*FAMILY, updates=[0]), "finished"),
        (theory.TINY_MARGIN, Run.of(*FAMILY, updates=[], start=[1, 2]), "starts at 0"),
        (theory.TINY_MARGIN, Run.of(*FAMILY, updates=[0, 1, 1, 0, 0, 1, 1, 1]), "only where"),
        (theory.TINY_MARGIN, Run.of([[1, 0], [0, 1]], [1, 1], [1, 2], updates=[0, 1]), "the examples are"),
    ],
)
def test_a_hypothesis_is_needed(theorem, run, without):
    finding = theorem.check(run)
    assert any(without in text for text in finding.unmet)
    assert not finding.conclusion
    assert finding.holds, "a theorem says nothing when a hypothesis fails"


@pytest.mark.parametrize(
    ("theorem", "run"),
    [
        # a learner whose own w does not move, or moves as it likes
        (theory.BATCH, Run.of([[1]], [1], [1], updates=[0, 0], weights=[[0]] * 3)),
        (theory.ONLINE, Run.of([[1]], [1], [1], updates=[0, 0], weights=[[0]] * 3)),
        (theory.BALL, Run.of([[1]], [1], [1], updates=[0, 0], weights=[[0]] * 3)),
        (theory.RADIUS, Run.of([[1]], [-1], [-1], updates=[0, 0], zero=1, weights=[[0]] * 3)),
        (theory.STREAM, Run.of([[1]], [1], [1], updates=[0, 0], zero=-1, weights=[[0]] * 3)),
        (theory.START, Run.of([[1]], [1], [1], updates=[0, 0], weights=[[0]] * 3)),
        (theory.LIFT, Run.of([[1, 1]], [1], [1, 1], updates=[0, 0], weights=[[0, 0]] * 3)),
        (theory.UPPER_END, Run.of([[1]], [1], [1], updates=[0, 0], weights=[[0]] * 3)),
        (theory.UPPER_END, Run.of([[1]], [1], [1], updates=[0] * 4, weights=[[0]] * 4 + [[3]])),
        (theory.INEQUALITIES, Run.of([[1]], [1], [1], updates=[0], weights=[[0], [5]])),
        (theory.TINY_MARGIN, Run.of(*FAMILY, updates=[0] * 6, weights=[[0, 0]] * 6 + [[1, 2]])),
        (theory.TINY_MARGIN, Run.of(*FAMILY, updates=[0], weights=[[0, 0], [1, 2]])),
        (theory.UNIT, Run.of([[1]], [1], [1], updates=[0] * 4, threshold=1, weights=[[0]] * 4 + [[2]])),
        (theory.THRESHOLD, Run.of([[1]], [1], [1], updates=[0] * 4, threshold=1, weights=[[0]] * 4 + [[2]])),
        (theory.GROWTH, Run.of([[1]], [1], [1], updates=[0], threshold=1, weights=[[0], [5]])),
    ],
)
def test_the_update_is_needed(theorem, run):
    finding = theorem.check(run)
    assert finding.unmet == ("every update is exactly w + y x",)
    assert not finding.conclusion


@pytest.mark.parametrize(
    ("theorem", "run", "without"),
    [
        # the sources' conventions: the bound holds without them, and each is still noticed
        (theory.BATCH, Run.of([[1]], [1], [1], updates=[0], zero=-1), "counts as a mistake"),
        (theory.ONLINE, Run.of([[1]], [1], [1], updates=[0], zero=-1), "counts as a mistake"),
        (theory.BALL, Run.of([[1]], [1], [1], updates=[0], zero=-1), "counts as a mistake"),
        (theory.RADIUS, Run.of([[1]], [1], [1], updates=[0], zero=0), "predicts +"),
        (theory.STREAM, Run.of([[1]], [1], [1], updates=[0], zero=0), "predicts -"),
        # one of several: each is decided by itself
        (theory.BATCH, Run.of([[F(1, 2)]], [1], [1], updates=[0]), "||x|| = 1"),
        (theory.STREAM, Run.of([[F(1, 2)]], [1], [1], updates=[0], zero=-1), "||x|| = 1"),
        (theory.ONLINE, Run.of([[2]], [1], [1], updates=[0]), "||x|| <= 1"),
        (theory.BALL, Run.of([[2]], [1], [1], updates=[0]), "||x|| <= 1"),
        (theory.RADIUS, Run.of([[1]], [1], [1], updates=[0], zero=1), "on every one"),  # <w,x> = 0 predicts +
        (theory.STREAM, Run.of([[1]], [-1], [-1], updates=[0], zero=-1), "on every one"),
        (theory.BATCH, Run.of([[1]], [1], [0], updates=[0]), "separates"),
        (theory.INEQUALITIES, Run.of([[1]], [1], [1], updates=[0], mistakes=2), "on every one"),
        (theory.START, Run.of([[1]], [1], [1], updates=[0], mistakes=2), "on every one"),
        (theory.LIFT, Run.of([[1, 0]], [1], [1, 0], updates=[0]), "the last coordinate"),
        (theory.UNIT, Run.of([[1]], [1], [1], updates=[0], threshold=1), "finished"),  # y<w,x> = 1 is not above 1
        (theory.THRESHOLD, Run.of([[1]], [1], [1], updates=[0, 0], threshold=0), "only where"),
        (theory.TINY_MARGIN, Run.of(*FAMILY, updates=[0, 1, 0, 1]), "finished"),
        (theory.TINY_MARGIN, Run.of(*FAMILY, updates=[0, 1, 1, 0, 0]), "only where"),
    ],
)
def test_a_hypothesis_that_fails_is_named(theorem, run, without):
    assert any(without in text for text in theorem.check(run).unmet)


def test_a_hypothesis_that_holds_at_its_edge_is_met():
    assert confirmed(theory.UNIT, Run.of([[1]], [1], [1], updates=[0, 0], threshold=1))
    assert confirmed(theory.GROWTH, Run.of([[1]], [1], [1], updates=[0, 0], threshold=1))
    assert confirmed(theory.ONLINE, Run.of([[1]], [1], [1], updates=[0]))
    assert confirmed(theory.TINY_MARGIN, Run.of(*FAMILY, updates=[0, 1, 0, 1, 0]))
    assert confirmed(theory.TINY_MARGIN, Run.of([*FAMILY[0], [-1, 1]], [1] * 3, [1, 2], [0, 1, 0, 2, 0]))


# Bounds --------------------------------------------------------------------------------------------


def test_bounds_are_floors_of_rationals():
    # In floats floor((R/gamma)^2) with gamma = 1/sqrt(n) is one too small for many n.
    n = range(1, 2000)
    wrong = [k for k in n if int((1 / (1 / k**0.5)) ** 2) != k]
    assert len(wrong) > 300
    assert all(theory.update_bound(1, Fraction(1, k)) == k for k in n)
    assert all(theory.bound_from_start(1, 1 / k**0.5, 0) == k for k in n), "a float is right to a few last bits"
    assert theory.update_bound(9, 2, F(1, 2)) == 5
    assert theory.bound_from_start(9, 2, 5, F(1, 2)) == 7  # (9 + 1 + 20)/4
    assert theory.UNIT.bound(F(1, 4)) == 12
    for bound in (theory.update_bound, theory.bound_from_start):
        for margin in (0, -1):
            with pytest.raises(ValueError, match="positive margin"):
                bound(1, margin, 1)


def test_the_upper_end_of_a_run_that_says_nothing():
    assert theory.UPPER_END.bound(4, 0, 0) == 1, "no margin exceeds R"
    assert theory.UPPER_END.bound(1, 2, 2) == 2
    assert theory.UPPER_END.bound(F(1, 2), 2, 5) == 6
    with pytest.raises(ValueError, match="no separator exists"):
        theory.UPPER_END.bound(1, 0, 2)


def test_the_doubling_family_in_numbers():
    assert [theory.TINY_MARGIN.bound(d) for d in (1, 2, 3, 4)] == [1, 5, 21, 85]
    assert theory.TINY_MARGIN.bound(20) == 366_503_875_925
    with pytest.raises(ValueError, match="1 example"):
        theory.TINY_MARGIN.bound(0)
    for d in range(1, 20):
        problem = doubling(d)
        assert problem.bound == d * theory.TINY_MARGIN.bound(d)
        exact = Run.of(problem.X, problem.y, problem.witness, updates=[])
        assert (exact.radius_sq, exact.margin_sq) == (problem.radius_sq, problem.margin_sq)


# What the library did ------------------------------------------------------------------------------


def followed(model, stream):
    """The rows of the updates and w after each, from the learner itself, one example at a time."""
    rows, weights = [], []
    for t, (x, y) in enumerate(stream):
        before = getattr(model, "updates_", 0)
        model.learn_one(x, y)
        if model.updates_ > before:
            rows.append(t)
            weights.append(vector(model.coef_[0]))
    return rows, weights


@pytest.mark.parametrize("threshold", [0.25, 1.0, 9.0])
@pytest.mark.parametrize("seed", range(3))
def test_no_update_of_the_margin_perceptron_is_longer_than_claimed(threshold, seed):
    problem = separable(40, 3, margin=0.2, radius=1.0, random_state=seed)
    stream = list(problem.stream()) * 3
    model = MarginPerceptron(threshold=threshold, fit_intercept=False)
    updates, weights = followed(model, stream)
    X, y = zip(*stream, strict=True)
    run = Run.of(X, y, problem.witness, updates, mistakes=model.mistakes_, threshold=threshold)
    assert run.path[1:] == weights, "entries of 20 bits: no rounding"
    finding = theory.GROWTH.check(run)
    assert finding.applies
    assert finding.conclusion
    lengths = [F(0), *(sqnorm(w) for w in weights)]
    assert all(after - before <= 1 + 2 * F(threshold) for before, after in pairwise(lengths))
    assert lengths[-1] <= theory.GROWTH.bound(len(updates), run.radius_sq, threshold) + 1


@pytest.mark.parametrize("d", range(1, 10))
@pytest.mark.parametrize("order", ["given", "first", "worst", "shuffled"])
def test_the_library_on_the_doubling_family(d, order):
    problem = doubling(d)
    rows, y = (problem.X, problem.y) if d > 1 else (np.array([[1.0], [-1.0]]), np.array([1, -1]))
    how = {"shuffle": True, "random_state": d} if order == "shuffled" else {"order": order}
    model = Perceptron(fit_intercept=False, max_iter=10**6, **how).fit(rows, y)
    assert model.mistakes_ == model.updates_ == theory.TINY_MARGIN.bound(d)
    assert model.coef_[0].tolist() == [2**k for k in range(d)]


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


def test_the_two_inequalities_say_which_of_them_fails():
    # An update that is no mistake makes w too long; the other inequality still holds.
    run = Run.of([[1, 0], [0, 1]], [1, 1], [1, 1], updates=[0, 0])
    assert not theory.INEQUALITIES.check(run).conclusion
    gains = [inner(after, run.witness) - inner(before, run.witness) for before, after in pairwise(run.path)]
    assert gains == [1, 1]


def test_a_hyperplane_may_ignore_a_coordinate():
    run = Run.of([[1, 5, 1], [-1, 3, 1]], [1, -1], [1, 0, 0], updates=[0])
    assert theory.LIFT.check(run).applies


def test_a_record_without_a_threshold_is_the_perceptrons():
    run = Run.of([[1]], [1], [1], updates=[0])
    plain = Run(run.rows, run.signs, run.witness, run.updates, run.mistakes)
    assert plain.threshold == run.threshold == 0
    assert plain.zero == run.zero == 0
