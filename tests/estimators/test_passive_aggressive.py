"""PassiveAggressive as users meet it: when it ends, what it says then, and what it refuses."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from novikoff import PassiveAggressive
from novikoff.problems import separable

VARIANTS = pytest.mark.parametrize("variant", ["PA", "PA-I", "PA-II"])


def fitted(X, y, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return PassiveAggressive(**options).fit(X, y)


@VARIANTS
def test_a_row_of_zeros_takes_no_step_and_is_told(variant):
    X, y = np.array([[1.0, 0.0], [0.0, 0.0], [-1.0, 0.5]]), [1, 1, -1]
    for data in (X, sp.csr_array(X)):
        model = fitted(data, y, variant=variant, fit_intercept=False, max_iter=500)
        assert 1 not in model.trace(data, y).rows
        assert model.mistakes_ >= model.passes_, "at zero it is a mistake each time"
        assert model.stop_reason_.endswith("found nothing to update, but the returned weights misclassify 1 of 3 rows")
    one = PassiveAggressive(variant=variant, fit_intercept=False).learn_one([0.0], 1)
    assert (one.mistakes_, one.updates_) == (1, 0)


@pytest.mark.parametrize(("at_zero", "wrong"), [("positive", 0), ("negative", 1)])
def test_zero_predicts_what_it_is_said_to(at_zero, wrong):
    model = fitted([[1.0], [0.0], [-1.0]], [1, 1, -1], at_zero=at_zero, fit_intercept=False, shuffle=False)
    assert model.mistakes_ == 1 + (at_zero == "negative") * model.passes_ - (at_zero == "positive")
    assert ("misclassify" in model.stop_reason_) == bool(wrong)
    assert wrong or model.stop_reason_.startswith("no mistakes left by the convention at zero; this is no separator")


@pytest.mark.parametrize("size", [1e-200, 1e200])
@pytest.mark.parametrize("make", [np.array, sp.csr_array])
def test_a_norm_whose_square_is_no_float_is_refused_with_its_row(size, make):
    X, y = np.array([[1.0, 0.0], [0.0, size]]), [1, -1]
    sentence = "a step divides by the square of the norm, which at row 1 is not a float64. Scale the features"
    model = PassiveAggressive(fit_intercept=False)
    with pytest.raises(ValueError, match=sentence):
        model.fit(make(X), y)
    model = PassiveAggressive(fit_intercept=False).learn_one([1.0, 0.0], 1)
    before = model.weights(), model.mistakes_, model.updates_, model.radius_
    with pytest.raises(ValueError, match="a step divides by the square of the norm"):
        model.learn_one([0.0, size], -1)
    assert (model.weights(), model.mistakes_, model.updates_, model.radius_) == before
    assert fitted(make(X), y, fit_intercept=False, scale="sphere").mistakes_ == 2, "on the sphere it is 1"


@VARIANTS
def test_a_run_ends_after_a_pass_without_mistakes(variant):
    problem = separable(80, 4, margin=0.05, random_state=2)
    model = PassiveAggressive(variant=variant).fit(problem.X, problem.y)
    trace = model.trace(problem.X, problem.y)
    by_pass = np.bincount(trace.turns[trace.mistakes], minlength=model.passes_)
    assert by_pass[-1] == 0 < by_pass[:-1].min()
    assert by_pass.sum() == model.mistakes_


@VARIANTS
@pytest.mark.parametrize("tol", [0.0, 1e-6, 0.1])
def test_a_run_with_a_tolerance_ends_after_a_pass_without_a_larger_loss(variant, tol):
    problem = separable(30, 3, margin=0.2, random_state=1)
    model = fitted(problem.X, problem.y, variant=variant, tol=tol, max_iter=5000, shuffle=False)
    last = "found nothing to update" if model.history_[-1] == 0 else f"had no loss above {tol:g}"
    assert model.stop_reason_.endswith(f"the last of {model.passes_} passes {last}")
    before = fitted(problem.X, problem.y, variant=variant, tol=tol, max_iter=model.passes_ - 1, shuffle=False)
    largest = 0.0
    for x, y in zip(problem.X, problem.y, strict=True):
        loss = 1 - y * before.decision_function([x])[0]
        largest = max(largest, loss)
        before.learn_one(x, int(y))
    assert largest <= max(tol, 2.0**-39)
    assert np.array_equal(before.coef_, model.coef_)


def test_a_row_of_zeros_has_a_loss_that_the_tolerance_sees():
    model = fitted([[1.0], [-1.0], [0.0]], [1, -1, 1], tol=0.5, fit_intercept=False)
    assert "had no loss" not in model.stop_reason_
    assert model.stop_reason_.startswith("the last of 2 passes found nothing to update, but")


def test_what_was_right_in_its_turn_may_be_wrong_at_the_end():
    X, y = [[-3.0, -3.0], [-3.0, -1.0], [0.0, -2.0]], [1, -1, 1]
    model = PassiveAggressive(variant="PA", fit_intercept=False, shuffle=False).fit(X, y)
    assert model.coef_.tolist() == [[0.5, -0.5]]
    reason = "the last of 2 passes made no mistake, but the returned weights misclassify 1 of 3 rows"
    assert model.stop_reason_ == reason
    assert model.margin_[0] == 0, "the first row is on the hyperplane"
    assert model.score(X, y) < 1 or model.predict(X).tolist() == y


def test_separated_is_said_of_a_positive_margin_only():
    rng = np.random.default_rng(3)
    told = {True: 0, False: 0}
    for _ in range(200):
        X = rng.integers(-2, 3, (4, 2)).astype(float)
        y = np.array([1, -1, *rng.choice([-1, 1], 2)])
        model = fitted(X, y, variant="PA", fit_intercept=False, max_iter=5, at_zero="positive")
        separates = bool((y * (X @ model.coef_[0]) > 0).all())
        assert model.stop_reason_.startswith("separated") <= separates
        assert (model.margin_[0] > 0) == separates
        told[separates] += 1
    assert min(told.values()) > 20


def test_parameters_that_make_no_learner_are_refused():
    for wrong in ({"C": 0}, {"C": -1}, {"C": np.inf}, {"C": np.nan}, {"tol": -1}, {"tol": np.nan}, {"variant": "PA-3"}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            PassiveAggressive(**wrong).fit([[1.0], [-1.0]], [1, -1])
