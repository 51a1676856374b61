"""Novikoff's bound where w is rounded to floats: it holds, the exact form does not, and each hypothesis is needed."""

from __future__ import annotations

import math
import warnings
from collections import Counter
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from novikoff import MarginPerceptron, Perceptron, play, theory
from novikoff.problems import separable
from novikoff.theory import Run
from novikoff.theory.exact import root
from tests import problems, reference

TRIPLE = [
    ["-0x1.d37ba63d4b450p-2", "0x1.0af2fab9be932p-6", "0x1.c7747f49811efp-1"],
    ["-0x1.38d2584ef0c38p-1", "-0x1.770fe7e2d09b7p-1", "-0x1.3357ef5c7a1e1p-2"],
    ["-0x1.4b22ff4131ae1p-1", "0x1.5c6dd6768898cp-1", "-0x1.60a531e274193p-2"],
]


def best_separator(X, y):
    """w* with y<w*,x> = 1 on three rows, by Cramer's rule: the best one if they are nearly orthogonal."""
    A = [[int(sign) * Fraction(float(a)) for a in row] for row, sign in zip(X, y, strict=True)]

    def determinant(M):
        (a, b, c), (d, e, f), (g, h, i) = M
        return a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)

    return [determinant([[*r[:j], Fraction(1), *r[j + 1 :]] for r in A]) / determinant(A) for j in range(3)]


def recorded(model, X, y, witness, passes=1):
    """What the learner did, with its own w before the first update and after each."""
    names = [*range(X.shape[1]), None]

    def weights():
        held = model.weights(names)
        return [held[name] for name in names]

    path, updates = [weights()], []
    before, mistakes = (model.updates_, model.mistakes_) if hasattr(model, "classes_") else (0, 0)
    for _ in range(passes):
        for i, (x, sign) in enumerate(zip(X, y, strict=True)):
            model.learn_one(x, int(sign))
            if model.updates_ > before:
                before = model.updates_
                updates.append(i)
                path.append(weights())
    rows = [list(model._row_of(x).values()) for x in X]
    zero = {"mistake": 0, "positive": 1, "negative": -1}[model.at_zero]
    known = {"mistakes": model.mistakes_ - mistakes, "zero": zero, "threshold": model.threshold_}
    return Run.of(rows, y, [*witness, 0], updates, weights=path, **known)


def updates_rounded(run):
    """Is some step of its path not exactly w + yx?"""
    steps = zip(run.path, run.path[1:], run.updates, strict=False)
    return any(
        a + run.signs[i] * x != b
        for before, after, i in steps
        for a, b, x in zip(before, after, run.rows[i], strict=True)
    )


def test_three_rows_on_which_rounding_costs_a_mistake_more_than_the_textbook_allows():
    X, y = np.array([[float.fromhex(a) for a in row] for row in TRIPLE]), [1, 1, -1]
    witness = best_separator(X, y)
    textbook = reference.perceptron(X, y)
    model = Perceptron(fit_intercept=False)
    run = play(model, list(zip(X, y, strict=True)), witness)
    ratio = run.radius_sq / run.margin_sq
    assert 0 < 3 - ratio < Fraction(1, 2**54)
    assert theory.update_bound(run.radius_sq, run.margin_sq) == 2 == textbook.mistakes
    assert run.mistakes == model.mistakes_ == 3 == run.bound == theory.float_bound(run.radius_sq, run.margin_sq)
    assert model.rounded_
    assert model.bound(root(run.margin_sq)[0]) == 3
    assert (run.exact, run.inequalities_held, run.failures) == (False, True, ())
    assert str(run) == (
        "3 rounds, 3 mistakes; the theorem allows 3 for rounded weights; "
        "both inequalities of the proof held at every update, up to the rounding of w"
    )
    finding = theory.ROUNDED.check(recorded(Perceptron(fit_intercept=False), X, y, witness))
    assert finding.applies
    assert finding.conclusion


@pytest.mark.parametrize("count", [300, pytest.param(20_000, marks=pytest.mark.long)])
def test_nearly_orthonormal_triples(count):
    """R²/γ² is 3 but for rounding: below it the exact form says 2, and only the float form is safe."""
    rng = np.random.default_rng(3)
    below = 0
    for _ in range(count):
        X = np.linalg.qr(rng.standard_normal((3, 3)))[0]
        y = rng.choice([-1, 1], 3)
        witness = best_separator(X, y)
        model = Perceptron(fit_intercept=False)
        run = play(model, list(zip(X, y.tolist(), strict=True)), witness)
        below += run.radius_sq < 3 * run.margin_sq
        assert run.inequalities_held
        assert theory.float_bound(run.radius_sq, run.margin_sq) == 3
        assert run.bound == (theory.update_bound(run.radius_sq, run.margin_sq) if run.exact else 3)
        assert run.mistakes <= run.bound
        assert run.exact != model.rounded_
    assert below >= count / 10


@pytest.mark.parametrize("learner", [Perceptron, MarginPerceptron])
@pytest.mark.parametrize("count", [150, pytest.param(5_000, marks=pytest.mark.long)])
def test_it_holds_on_what_the_library_did(learner, count):
    """Rows whose sums round, with and without a threshold and a start, against the theorem and both inequalities."""
    rng = np.random.default_rng(11)
    rounded = from_start = exact = 0
    for _ in range(count):
        n, d, margin = int(rng.integers(3, 9)), int(rng.integers(2, 5)), float(rng.uniform(0.05, 0.5))
        problem = separable(n, d, margin=margin, random_state=int(rng.integers(10**6)))
        X = problem.X * (1.0 if rng.random() < 0.5 else 1 / 3)  # dyadic entries, or not
        model = learner(fit_intercept=False, at_zero=str(rng.choice(["mistake", "positive", "negative"])))
        if rng.random() < 0.4:
            model.learn_one(rng.standard_normal(X.shape[1]) * 2, 1)
        run = recorded(model, X, problem.y, problem.witness, passes=6)
        finding = theory.ROUNDED.check(run)
        assert finding.applies, finding.unmet
        assert finding.conclusion
        rounded += updates_rounded(run)
        from_start += any(run.start)
        steps = theory.INEQUALITIES.check(run)
        assert steps.holds
        exact += steps.applies and len(run.updates) > 0
    assert min(rounded, from_start) >= count / 10
    if learner is Perceptron:
        assert exact >= count / 10


def test_the_learner_knows_whether_its_updates_rounded():
    seen = Counter()

    @given(
        st.one_of(problems.grids(), problems.near_ties()),
        st.sampled_from(["given", "first", "worst"]),
        st.sampled_from([None, 1.0]),
        st.booleans(),
    )
    def check(data, order, threshold, sparse):
        X, y = data
        told = reference.perceptron(X, y, order=order, threshold=threshold, max_iter=4, constant=1.0, rounded=True)
        rows = np.column_stack([X, np.ones(len(X))])
        path = [np.zeros(rows.shape[1])]
        for i in told.steps:
            path.append(path[-1] + y[i] * rows[i])
        expected = updates_rounded(Run.of(rows, y, path[0], told.steps, weights=path))
        parameters = {"order": order, "shuffle": False, "max_iter": 4}
        model = Perceptron(**parameters) if threshold is None else MarginPerceptron(threshold=1, **parameters)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(sp.csr_array(X) if sparse else X, y)
        assert model.rounded_ == expected
        seen[expected] += 1

    check()
    assert min(seen[True], seen[False]) >= seen.total() / 10


@pytest.mark.parametrize("convert", [np.array, sp.csr_array])
def test_the_constant_coordinate_rounds_as_well(convert):
    model = MarginPerceptron(threshold=1, intercept_scaling=0.1)
    told = []
    for _ in range(3):
        model.partial_fit(convert([[0.0]]), [1], classes=[-1, 1])
        told.append(model.rounded_)
    assert told == [False, False, True], "0.1 + 0.1 is a float, 0.2 + 0.1 is not"


def test_exact_updates_keep_the_textbook_bound_and_rounded_ones_do_not():
    n = 2**26
    exact = Perceptron(fit_intercept=False).learn_one([float(n), 0.0], 1).learn_one([0.0, 1.0], 1)
    assert not exact.rounded_
    assert exact.bound(1) == n**2, "no float term, and no limit"
    rounded = exact.learn_one([-float(n), -1e-9], 1).learn_one([0.1, 0.1], -1)
    assert rounded.rounded_
    assert rounded.bound(1) is None, "C is 2^52"
    assert rounded.bound(2**10) == theory.float_bound(Fraction(rounded.radius_) ** 2, 2**20) == 2**32 + 2**14


def test_the_formula():
    assert theory.float_bound(3, 1) == 3
    assert theory.float_bound(2**40, 1) == 2**50 // 1023
    assert theory.float_bound(2**30, 2**-10, 2**29) == theory.float_bound(2**41, 1) == 2**50 // 511
    assert theory.float_bound(2**49 - 1, 1) == 2**50 * (2**49 - 1) // (2**49 + 1)
    assert theory.float_bound(2**49, 1) is None
    assert theory.float_bound_from_start(2**30, 2, 2**28, 2**29) == theory.float_bound(2**31 + 2**30, 4)
    assert theory.float_bound_from_start(2, 0.5) == 8, "a float margin is trusted to its last bits"
    with pytest.raises(ValueError, match="positive margin"):
        theory.float_bound(1, 0)


@pytest.mark.parametrize("bits", [1, 10, 25, 40, 48, 48.9, 48.999999])
def test_the_closed_form_covers_the_inequality_of_the_proof(bits):
    # The largest M with M <= C ((1 + uM)(1 + u)^M)^2, from below: z exp(-z) < 1/4 leaves no other branch in reach.
    with localcontext(prec=60):
        u, C = Decimal(2) ** -53, Decimal(2) ** Decimal(bits)
        M = C
        for _ in range(400):
            M = C * ((1 + u * M) * (M * (1 + u).ln()).exp()) ** 2
        assert C < M
        assert M * (1 - C / 2**50) < C
        if bits > 40:
            assert M * (1 - C / 2**51) > C, "half of the excess would not do"


@pytest.mark.parametrize("gamma", [0, 0.0, -1, -0.5, Fraction(-1, 3), math.nan, math.inf, -math.inf, np.float64(0)])
def test_a_margin_that_is_none_is_refused(gamma):
    model = Perceptron().fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(ValueError, match="positive margin that is finite; gamma = "):
        model.bound(gamma)
    model.learn_one([0.3], 0)
    with pytest.raises(ValueError, match="positive margin that is finite; gamma = "):
        theory.float_bound_from_start(1, gamma)


NEVER = Run.of([[1]], [1], [1], updates=[0] * 9, weights=[[0]] * 10)
BELOW_ZERO = Run.of([[1, 0]], [1], [Fraction(1, 10), 1], updates=[0] * 6, threshold=-5, start=[-10, 0])


@pytest.mark.parametrize(
    ("theorem", "run", "without"),
    [
        (theory.ROUNDED, Run.of([[1]], [1], [1], updates=[0] * 9), "only where"),
        (theory.ROUNDED, NEVER, "nearest float64"),
        (theory.ROUNDED, BELOW_ZERO, "theta >= 0"),
        # x = 2^-1076 is no float, and w + x rounds to 0 each time: below the normal range sums of floats are exact.
        (theory.ROUNDED, Run.of([[Fraction(1, 2**1076)]], [1], [1], [0] * 9, weights=[[0]] * 10), "x are float64"),
        (theory.INEQUALITIES, NEVER, "exactly w + y x"),
        (theory.INEQUALITIES, Run.of([[1]], [1], [1], updates=[0], weights=[[0], [5]]), "exactly w + y x"),
        (theory.INEQUALITIES, Run.of([[1]], [1], [1], updates=[0, 0]), "on every one"),
    ],
)
def test_a_hypothesis_is_needed(theorem, run, without):
    finding = theorem.check(run)
    assert [without in text for text in finding.unmet] == [True]
    assert not finding.conclusion


def test_without_a_separator_there_is_no_bound():
    finding = theory.ROUNDED.check(Run.of([[1], [1]], [1, -1], [1], updates=[0, 1] * 5))
    assert len(finding.unmet) == 2, "it does not separate, and so C is infinite"
    assert not finding.conclusion


def test_beyond_the_limit_a_run_can_go_on_for_ever():
    # 1 - 2^54 rounds to -2^54, so w never moves: (R^2 + 2 gamma ||w0||)/gamma^2 = 1 + 2^55.
    start = -(2.0**54)
    assert start + 1.0 == start
    run = Run.of([[1]], [1], [1], updates=[0] * 5, weights=[[start]] * 6)
    assert theory.ROUNDED.check(run).unmet == ("C < 2^49",)
    assert theory.float_bound_from_start(1, 1, 2**54) is None


def test_the_path_that_is_recorded_must_fit_the_updates():
    with pytest.raises(ValueError, match="2 updates were recorded, but w at 2 times"):
        Run.of([[1]], [1], [1], updates=[0, 0], weights=[[0], [1]])


# What the bounds rest on, where rows and sums are rounded -------------------------------------------


def test_the_upper_end_allows_for_the_rounding_of_w():
    """Of nearly orthonormal rows ||w||/M is the best margin but for rounding, and often below it."""
    rng = np.random.default_rng(0)
    below = 0
    for _ in range(300):
        X, y = np.linalg.qr(rng.standard_normal((3, 3)))[0], [1, 1, -1]
        model = Perceptron(fit_intercept=False).fit(X, y)
        margin_sq = 1 / sum(a * a for a in best_separator(X, y))
        assert Fraction(model.margin_[1]) ** 2 >= margin_sq
        w = [Fraction(float(a)) for a in model.coef_[0]]
        below += sum(a * a for a in w) < margin_sq * model.updates_**2
    assert below > 3


def test_rows_on_the_sphere_are_a_little_longer_than_1():
    """A row is divided by its rounded norm, entry by entry: the bound must know how long it is then."""
    X, y = np.array([[25.0, 30, 48, 36, 0, 0, 0, 0], [0, 0, 0, 0, 25, 30, 48, 36]]), [1, -1]
    model = Perceptron(scale="sphere", fit_intercept=False).fit(X, y)
    rows = [[Fraction(float(x / np.linalg.norm(row))) for x in row] for row in X]
    length_sq = sum(x * x for x in rows[0])
    assert length_sq > 1
    # w* = x_1 - x_2 has y<w*,x> = ||x||^2 on both rows: gamma^2 = ||x||^2 / 2
    assert model.updates_ == 2
    assert not model.rounded_
    assert model.bound(root(length_sq / 2)[0]) == 2


def test_the_bound_in_the_unit_ball_is_that_of_the_rows_divided_by_their_radius():
    for length in (1.0, 4.0, 0.1, 3.0):
        X, y = np.array([[length], [-length]]), [1, -1]
        ball = MarginPerceptron(scale="ball", fit_intercept=False).fit(X, y)
        assert ball.bound(1) == 3  # (R^2 + 2 theta)/gamma^2 with R = theta = 1
        fixed = MarginPerceptron(threshold=5 * length**2, scale="ball", fit_intercept=False).fit(X, y)
        assert fixed.bound(1) == 11
    first = Perceptron(scale="ball", fit_intercept=False, warm_start=True).fit([[4.0, 0.0], [-4.0, 0.0]], [1, -1])
    again = first.fit([[0.0, 4.0], [0.0, -4.0]], [1, -1])
    assert again.updates_ == 1
    assert again.bound(1) == 3  # (R^2 + 2 gamma ||w0||)/gamma^2 with R = ||w0|| = 1


def test_from_a_start_rounded_weights_have_their_own_bound():
    model = Perceptron(fit_intercept=False).learn_one([2.0**54], 1)
    run = play(model, [([1.0], -1)], witness=[-1])
    assert run.exact is False
    assert run.bound is None, "2 ||w0|| is beyond 2^49"
    model = Perceptron(fit_intercept=False).learn_one([2.0**54], 1)
    run = play(model, [([2.0], -1)], witness=[-1])
    assert run.exact
    assert run.bound == 1 + 2**54


def test_a_run_that_rounded_is_certified_by_the_bound_for_rounded_weights():
    X, y = np.array([[1.0, 1e-9], [0.3, -1.1e-9]]), [1, -1]
    model = Perceptron(fit_intercept=False).partial_fit(X, y)
    assert model.rounded_
    proof = model.certify(X, y)
    assert proof.proof.verdict == "separable"
    assert proof.bound is None
    assert "with so small a margin and rounded w the theorem promises nothing" in str(proof)
    whole = np.array([[1.0, 2.0**-30], [1.0, -(2.0**-30)]])
    exact = Perceptron(fit_intercept=False).partial_fit(whole, y)
    assert not exact.rounded_
    assert exact.certify(whole, y, gap=1e-9).bound >= 2**60


def test_the_limit_counts_radius_threshold_and_start():
    """C = (R^2 + 2 theta + 2 gamma ||w0||)/gamma^2 < 2^49, to the last unit of each."""
    limit = 2**49

    def applies(radius_sq_rest, threshold, start):
        # gamma = 1 along e_1; R^2 = 1 + rest^2
        run = Run.of([[1, radius_sq_rest]], [1], [1, 0], updates=[], threshold=threshold, start=[start, 0])
        return "C < 2^49" not in theory.ROUNDED.check(run).unmet

    wide = 2**24
    assert applies(wide, (limit - wide**2 - 1) // 2 - 1, 0)
    assert not applies(wide, (limit - wide**2 - 1) // 2 + 1, 0)
    assert applies(0, 0, limit // 2 - 1)
    assert not applies(0, 0, limit // 2)
    assert applies(0, limit // 2 - 1, 0)
    assert not applies(0, limit // 2, 0)
