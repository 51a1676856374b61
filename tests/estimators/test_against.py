"""A run against any comparison vector: the bound holds on every data set, and is what the theorem says."""

from __future__ import annotations

import warnings
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from novikoff import MarginPerceptron, MaxMarginClassifier, PassiveAggressive, Perceptron, problems, theory


def quiet(model, X, y, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(X, y, **options)


def noisy(seed, k, integers=True):
    rng = np.random.default_rng(seed)
    X = rng.integers(-3, 4, (25, 3)) if integers else rng.standard_normal((25, 3))
    centres = rng.standard_normal((k, 3))
    y = (X @ centres.T).argmax(axis=1)
    y[rng.random(25) < 0.2] = 0
    y[:k] = range(k)
    return X.astype(float), y


@settings(max_examples=60)
@given(st.integers(0, 2**32 - 1), st.sampled_from([2, 3, 4]), st.sampled_from([0, 5]), st.booleans(), st.data())
def test_no_run_makes_more_updates_than_any_vector_allows(seed, k, theta, integers, data):
    X, y = noisy(seed, k, integers)
    model = MarginPerceptron(threshold=float(theta)) if theta else Perceptron()
    quiet(model.set_params(max_iter=data.draw(st.integers(1, 6))), X, y)
    heads = 1 if k == 2 else k
    u = np.random.default_rng(seed).standard_normal((heads, data.draw(st.sampled_from([3, 4]))))
    u *= data.draw(st.sampled_from([0.0, 0.1, 1.0, 30.0]))
    assert model.updates_ <= model.bound_against(u if heads > 1 else u[0], X, y)


def test_the_summary_names_the_best_bound_that_is_known():
    X, y = noisy(0, 2)
    model = quiet(Perceptron(max_iter=4), X, y)
    told = "by a vector that it was compared with"
    assert told not in model.summary()
    poor, good = (model.bound_against(u, X, y) for u in ([9.0, 9.0, -9.0], MaxMarginClassifier(C=1.0).fit(X, y)))
    assert poor > good
    assert f"at most {good:,} updates, {told}" in model.summary()
    model.bound_against([9.0, 9.0, -9.0], X, y)
    assert f"at most {good:,} updates, {told}" in model.summary(), "the best one"
    model.partial_fit(X, 1 - y)
    assert told not in model.summary(), "which has made more updates"
    model.partial_fit(X, y)
    assert told not in quiet(model, X, y).summary(), "another run"


def test_where_there_is_a_separator_the_smaller_bound_is_named():
    problem = problems.separable(40, 3, margin=0.1, random_state=0)
    model = Perceptron(fit_intercept=False).fit(problem.X, problem.y)
    own = model.bound(Fraction(model.margin_[0]))
    assert f"by this separator, at most {own:,}." in model.summary()
    worse = model.bound_against(100 * problem.witness, problem.X, problem.y)
    assert worse > own
    assert f"by this separator, at most {own:,}." in model.summary()
    best = model.bound_against(10 * problem.witness / np.linalg.norm(problem.witness), problem.X, problem.y)
    assert best < own
    assert f"by a vector that it was compared with, at most {best:,}." in model.summary()


def test_it_is_the_bound_of_the_theorem_in_rationals():
    seen = Counter()
    for seed in range(30):
        X, y = noisy(seed, 2)
        model = quiet(Perceptron(max_iter=4), X, y)
        u = np.array([0.5, -1.0, 0.25, 0.125])
        products = []
        for row, count in Counter(model.trace(X, y).rows.tolist()).items():
            x = [*map(Fraction, X[row].tolist()), Fraction(1)]
            sign = 2 * int(y[row]) - 1
            products.append((sign * sum(Fraction(a) * b for a, b in zip(u.tolist(), x, strict=True)), count))
        square = max(sum(Fraction(a) ** 2 for a in [*row, 1.0]) for row in X.tolist())
        expected = theory.any_data_bound(square, sum(Fraction(a) ** 2 for a in u.tolist()), products)
        assert model.bound_against(u, X, y) == expected
        seen[expected] += 1
    assert len(seen) > 10, seen


def test_against_a_separator_it_is_novikoffs_bound():
    X, y = np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([1, -1])
    model = Perceptron(fit_intercept=False).fit(X, y)
    assert model.bound_against([1.0, -1.0], X, y) == 2 == model.updates_  # R^2/gamma^2, with gamma^2 = 1/2


def test_a_fitted_model_is_a_comparison():
    X, y = noisy(1, 2)
    model, soft = quiet(Perceptron(max_iter=5), X, y), MaxMarginClassifier(C=1.0).fit(X, y)
    w = [*soft.coef_[0], *soft.intercept_]
    assert model.bound_against(soft, X, y) == model.bound_against(w, X, y) >= model.updates_
    many = quiet(Perceptron(max_iter=5), *noisy(2, 3))
    assert many.bound_against(many, *noisy(2, 3)) >= many.updates_


@pytest.mark.parametrize(
    ("u", "message"),
    [
        ([1.0], "u has shape"),
        (np.ones((2, 4)), "3 weights, or 4 with that of the constant"),
        ([1.0, np.nan, 0.0], "not finite"),
    ],
)
def test_what_is_no_comparison_is_refused(u, message):
    X, y = noisy(1, 2)
    with pytest.raises(ValueError, match=message):
        quiet(Perceptron(max_iter=5), X, y).bound_against(u, X, y)


def test_other_data_other_rules_and_weights_are_refused():
    X, y = noisy(1, 2)
    model = quiet(Perceptron(max_iter=5), X, y)
    with pytest.raises(ValueError, match="cannot be repeated"):
        model.bound_against(np.ones(3), X[::-1], y)
    with pytest.raises(ValueError, match="Perceptron or MarginPerceptron"):
        quiet(PassiveAggressive(max_iter=2), X, y).bound_against(np.ones(3), X, y)
    with pytest.raises(ValueError, match="without weights"):
        quiet(Perceptron(max_iter=5), X, y, sample_weight=np.arange(1.0, 26.0)).bound_against(np.ones(3), X, y)
    soft = MaxMarginClassifier(C=1.0).fit(X, y)
    with pytest.raises(ValueError, match="no constant coordinate"):
        quiet(Perceptron(max_iter=5, fit_intercept=False), X, y).bound_against(soft, X, y)
