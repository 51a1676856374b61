"""The learners themselves against their theorems, on problems whose margin is known."""

from __future__ import annotations

import re
import warnings
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from novikoff import MarginPerceptron, Perceptron, play
from novikoff.problems import doubling, orthonormal, separable

AT_ZERO = st.sampled_from(["mistake", "positive", "negative"])
ORDER = st.sampled_from(["given", "first", "worst"])
PROBLEMS = st.builds(
    separable,
    st.integers(3, 60),
    st.integers(2, 8),
    margin=st.floats(0.03, 0.5),
    random_state=st.integers(0, 999),
)


@given(PROBLEMS, AT_ZERO, ORDER, st.booleans())
def test_mistakes_and_margin_bracket(problem, at_zero, order, shuffle):
    shuffle = shuffle and order == "given"
    model = Perceptron(
        at_zero=at_zero, order=order, shuffle=shuffle, random_state=0, fit_intercept=False, max_iter=10**6
    )
    model.fit(problem.X, problem.y)
    lower, upper = model.margin_
    assert model.mistakes_ == model.updates_ <= problem.bound
    assert lower <= problem.margin
    assert Fraction(upper) ** 2 >= problem.margin_sq
    assert model.bound(Fraction(upper)) <= problem.bound <= model.bound(problem.margin)
    assert lower >= 0 if at_zero != "mistake" else lower > 0
    assert model.stop_reason_.startswith("separated") == (lower > 0)
    if at_zero == "mistake":
        assert np.array_equal(model.predict(problem.X), problem.y)


@given(PROBLEMS, ORDER, st.sampled_from(["auto", 0.1, 1.0, 7.0]), st.sampled_from(["none", "ball"]))
def test_margin_perceptron_keeps_both_promises(problem, order, threshold, scale):
    model = MarginPerceptron(threshold=threshold, order=order, scale=scale, fit_intercept=False, max_iter=10**6)
    model.fit(problem.X, problem.y)
    theta, radius_sq = Fraction(model.threshold_), problem.radius_sq
    assert model.updates_ * problem.margin_sq <= radius_sq + 2 * theta
    promised = theta**2 * problem.margin_sq / (radius_sq + 2 * theta) ** 2
    lower = Fraction(model.margin_[0]) * (Fraction(problem.radius) if scale == "ball" else 1)
    assert lower**2 >= promised * (1 - Fraction(1, 2**40))
    if threshold == "auto":
        assert theta == pytest.approx(float(radius_sq))
        assert model.updates_ <= 3 * radius_sq / problem.margin_sq
        assert lower**2 >= problem.margin_sq / 9 * (1 - Fraction(1, 2**40))
    assert model.mistakes_ <= model.updates_


@given(st.integers(1, 30), AT_ZERO)
def test_orthonormal_examples_are_tight(n, at_zero):
    problem = orthonormal(n)
    run = play(Perceptron(at_zero=at_zero, fit_intercept=False), problem.stream(), problem.witness)
    guessed = {"mistake": 0, "positive": np.sum(problem.y == 1), "negative": np.sum(problem.y == -1)}[at_zero]
    assert run.bound == n
    assert run.mistakes == n - guessed
    assert run.exact
    assert run.inequalities_held


@pytest.mark.parametrize("d", range(2, 13))
def test_the_doubling_family(d):
    problem = doubling(d)
    model = Perceptron(fit_intercept=False, max_iter=10**7).fit(problem.X, problem.y)
    assert model.mistakes_ == (4**d - 1) // 3 <= problem.bound
    assert model.margin_[0] <= problem.margin


@given(
    PROBLEMS,
    AT_ZERO,
    st.sampled_from([Perceptron, MarginPerceptron]),
    st.sampled_from(["none", "sphere"]),
    st.booleans(),
)
def test_play_checks_the_proof_exactly(problem, at_zero, learner, scale, intercept):
    model = learner(at_zero=at_zero, scale=scale, fit_intercept=intercept)
    run = play(model, problem.stream(), problem.witness)
    assert run.rounds == len(problem.y)
    assert run.mistakes == model.mistakes_ == len(run.mistake_rounds) <= run.bound
    assert run.updates == model.updates_ <= run.bound
    assert run.inequalities_held
    assert len(run.norm_sq) == len(run.inner) == len(run.potential) == run.updates
    assert all(0 < p <= 1 + 1e-12 for p in run.potential)
    if scale == "none" and not intercept:
        assert (run.radius_sq, run.margin_sq) == (problem.radius_sq, problem.margin_sq)
        assert run.exact
    if run.updates:
        gamma, gain = run.margin, run.radius_sq + 2 * Fraction(model.threshold_)
        steps = np.arange(1, run.updates + 1)
        assert np.all(np.array(run.inner) >= steps * gamma * (1 - 1e-12))
        assert np.all(np.array(run.norm_sq) <= steps * float(gain) * (1 + 1e-12))
        assert run.norm_sq[-1] == pytest.approx(np.sum(model.coef_**2) + np.sum(model.intercept_**2))


def test_play_where_the_float_update_rounds():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((400, 7)) * 10.0 ** rng.integers(-3, 4, 7)
    w = rng.standard_normal(7)
    run = play(Perceptron(), zip(X, X @ w > 0, strict=True), w)
    assert run.exact is False
    assert run.inequalities_held
    assert "up to the rounding of w" in str(run)


def test_play_sees_a_proof_that_fails():
    class Cheat(Perceptron):
        """Learns the wrong label now and then."""

        def learn_one(self, x, y):
            return super().learn_one(x, -y if x[0] > 0.4 else y)

    problem = separable(60, 3, margin=0.3, random_state=3)
    run = play(Cheat(fit_intercept=False), problem.stream(), problem.witness)
    assert not run.inequalities_held


def test_play_with_a_witness_that_does_not_separate():
    run = play(Perceptron(), [([1.0], 1), ([1.0], -1)] * 3, witness=[1, 0])
    assert run.margin < 0
    assert run.bound is None
    assert run.inequalities_held is None
    assert run.mistakes == 6
    assert "does not separate" in str(run)


def test_play_with_other_learners():
    class Constant:
        def bound(self):
            return 3

        def predict_one(self, x):
            return 1

        def learn_one(self, x, y):
            pass

    run = play(Constant(), [(0, 1), (1, 0), (2, 1)])
    assert (run.rounds, run.mistakes, run.mistake_rounds, run.bound) == (3, 1, [1], 3)
    assert run.norm_sq == []
    with pytest.raises(TypeError, match="Constant does not show its weights"):
        play(Constant(), [], witness=[1])


def test_play_counts_what_the_learner_counts_with_bools_labels_and_dicts():
    stream = [({"a": 1.0, "b": -1.0}, False), ({"b": 2.0}, True), ({"a": -1.0}, True), ({"c": 1.0}, False)]
    model = Perceptron()
    run = play(model, stream, witness={"a": -1, "b": 1, "c": -1})
    assert run.mistakes == model.mistakes_
    assert run.mistake_rounds[0] == 0, "zero is a mistake before the first example"
    assert run.inequalities_held
    fitted = Perceptron().fit([[0.0], [1.0]], ["no", "yes"])
    before = fitted.mistakes_
    run = play(fitted, [([0.4], "no"), ([0.6], "yes")], witness=[2, -1])
    assert run.mistakes == fitted.mistakes_ - before
    assert run.bound is not None
    for witness in ([1, 2, 3, 4], [0]):
        with pytest.raises(ValueError, match="witness"):
            play(Perceptron(), [([1.0], 1)], witness=witness)


def test_a_contradiction_never_converges_and_the_run_says_so():
    model = Perceptron(max_iter=50)
    with pytest.warns(ConvergenceWarning, match="did not separate"):
        model.fit([[1.0, 2.0], [1.0, 2.0]], [0, 1])
    assert model.passes_ == model.n_iter_ == 50
    assert model.mistakes_ == 100
    assert model.history_.tolist() == [2] * 50
    assert "not separated" in model.stop_reason_


def test_the_warning_says_how_far_off_why_and_what_to_try():
    problem = doubling(10)
    model = Perceptron(fit_intercept=False, max_iter=20)
    with pytest.warns(ConvergenceWarning) as caught:
        model.fit(problem.X, problem.y)
    text = str(caught[0].message)
    assert len(text.splitlines()) == 2
    assert not re.search(r"\d", text.replace("C=1.0", "")), "with numbers in it, Python would show it again and again"
    for part in ("nk.certify(X, y)", "hypothesis='average'", "MaxMarginClassifier(C=1.0)", "stop_reason_", "summary()"):
        assert part in text
    assert f"misclassify {np.sum(model.predict(problem.X) != problem.y)} of 10 rows" in model.stop_reason_
    upper = model.margin_[1]
    told = model.summary().splitlines()
    assert told[-3] == f"No separator has a margin above {upper:.6g}."
    allowed, made = model.bound(Fraction(upper)), model.mistakes_
    assert told[-2] == f"So the theorem allows at least {allowed:,} mistakes, and {made:,} were made."
    assert allowed >= made
    with pytest.warns(ConvergenceWarning, match=r"in max_iter searches"):
        Perceptron(order="worst", fit_intercept=False, max_iter=5).fit(problem.X, problem.y)


def test_the_warning_is_shown_once_for_each_place():
    X, y = [[1.0, 2.0], [1.0, 2.0], [0.0, 1.0]], [0, 1, 1]
    with warnings.catch_warnings(record=True) as caught:
        warnings.resetwarnings()  # as in a program that asks for nothing
        for passes in (1, 2, 3):
            Perceptron(max_iter=passes).fit(X, y)
        Perceptron(max_iter=4).fit(X, y)
        lines = [warning.lineno for warning in caught]
        assert len(lines) == 2
        assert lines[1] == lines[0] + 1
        assert {warning.filename for warning in caught} == {__file__}
        warnings.simplefilter("always")
        for passes in (1, 2, 3):
            Perceptron(max_iter=passes).fit(X, y)
        assert len(caught) == 5, "whoever asks for all of them has them"


def test_the_warning_has_the_same_text_every_time():
    X, y = np.array([[1.0, 2.0], [1.0, 2.0], [0.0, 1.0]]), [0, 1, 1]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for n in (2, 3):
            Perceptron(max_iter=n).fit(X[:n], y[:n])
    first, second = caught
    assert str(first.message) == str(second.message)


def test_warm_starts_have_a_bound_of_their_own():
    problem = separable(50, 4, margin=0.05, random_state=5)
    model = Perceptron(fit_intercept=False, warm_start=True, max_iter=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(-problem.X, problem.y)
    start = np.linalg.norm(model.last_coef_)
    model.set_params(max_iter=10**6).fit(problem.X, problem.y)
    assert model.margin_[1] == np.inf
    assert model.margin_[0] > 0
    allowed = model.bound(problem.margin)
    assert model.mistakes_ <= allowed
    assert allowed == pytest.approx((problem.radius**2 + 2 * problem.margin * start) / problem.margin**2, abs=1)
    again = Perceptron(fit_intercept=False, warm_start=True, max_iter=10**6).fit(problem.X, problem.y)
    again.fit(problem.X, problem.y)
    assert (again.mistakes_, again.passes_) == (0, 1), "a separator needs no more mistakes"


@pytest.mark.parametrize("order", ["given", "first", "worst"])
def test_an_automatic_threshold_is_not_final_before_the_radius_is(order):
    # The long row comes last and is right by far: the short one, passed under a smaller threshold, must be seen again.
    model = MarginPerceptron(fit_intercept=False, warm_start=True, order=order, shuffle=False)
    model.fit([[30.0], [-30.0]], [1, -1])
    model.fit([[1.0], [-20.0]], [1, -1])
    assert model.threshold_ == 400.0
    if order == "given":
        assert model.history_[0] == 0, "a pass without an update, which is not the last"
    assert model.coef_[0, 0] > model.threshold_


def test_play_after_a_warm_start_without_updates_knows_that_w_is_not_zero():
    model = Perceptron(fit_intercept=False, warm_start=True)
    for _ in range(2):
        model.fit([[10.0, 0.0], [-10.0, 0.0]], [1, -1])
    assert model.updates_ == 0
    run = play(model, [([1.0, 0.0], -1)] * 20, witness=[-1, 0])
    assert run.mistakes == 11 <= run.bound == 21


def test_play_with_sparse_rows_and_witnesses_of_any_length():
    problem = doubling(4)
    rows = [(sp.csr_array(x[None]), y) for x, y in problem.stream()]
    expected = play(Perceptron(fit_intercept=False), list(problem.stream()) * 9, problem.witness)
    for order in ([0, 1, 2, 3], [2, 0, 1, 3]):
        run = play(Perceptron(fit_intercept=False), [rows[i] for i in order] * 9, problem.witness)
        assert run.inequalities_held
        assert run.bound == expected.bound
    for length in (1e-200, 3.0, 1e200):
        run = play(Perceptron(fit_intercept=False), list(problem.stream()) * 9, problem.witness * length)
        assert (run.mistakes, run.bound, run.margin) == (
            expected.mistakes,
            expected.bound,
            pytest.approx(expected.margin),
        )
        assert run.potential == pytest.approx(expected.potential)
    with pytest.raises(ValueError, match="the witness must be one, too"):
        play(Perceptron(), [({"a": 1.0}, 1)], witness=[1])


def test_play_at_the_ends_of_the_floats():
    model = Perceptron(fit_intercept=False, at_zero="positive")
    run = play(model, [([1e-170], 1), ([1e-165], 1), ([-1e-168], -1)], witness=[1.0])
    assert run.radius_sq == Fraction(1e-165) ** 2
    assert run.margin_sq == Fraction(1e-170) ** 2
    run = play(Perceptron(fit_intercept=False), [([1.3e154, 1.3e154], 1)], witness=[1, 1])
    assert run.inequalities_held
    assert run.radius_sq == 2 * Fraction(1.3e154) ** 2


def test_tight_runs_are_never_said_to_exceed_what_is_allowed():
    problem = orthonormal(10)
    for n in range(1, 10):
        with pytest.warns(ConvergenceWarning):
            stopped = Perceptron(fit_intercept=False, max_iter=n, order="worst").fit(problem.X, problem.y)
        assert f"misclassify {10 - n} of 10 " in stopped.stop_reason_
        noun, were = ("mistake", "was") if n == 1 else ("mistakes", "were")
        assert f"at least {n} {noun}, and {n} {were} made." in stopped.summary()
    stopped = Perceptron(fit_intercept=False, max_iter=1).fit(problem.X, problem.y)
    assert stopped.stop_reason_ == "separated: max_iter = 1 reached after 1 pass, with nothing to update"
    assert "at least 10 and" in stopped.summary()
    assert "at least 10 and" in Perceptron(fit_intercept=False).fit(problem.X, problem.y).summary()
