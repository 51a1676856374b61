"""The maximum margin: hard against its certificate, soft against LIBLINEAR; and runs tied to their theorem."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.multiclass import OneVsRestClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

import novikoff as nk
from novikoff import MarginPerceptron, MaxMarginClassifier, NotSeparableError, Perceptron
from novikoff.problems import separable


@pytest.fixture
def cancer():
    bunch = load_breast_cancer()
    return StandardScaler().fit_transform(bunch.data), bunch.target


@pytest.fixture
def setosa():
    X, y = load_iris(return_X_y=True)
    return X, np.where(y == 0, "setosa", "other")


def test_hard_margin(cancer):
    X, y = cancer
    clf = MaxMarginClassifier(gap=1e-6).fit(X, y)
    assert clf.score(X, y) == 1.0
    assert clf.margin_ == clf.certificate_.margin
    assert (clf.decision_function(X) * (2 * y - 1)).min() == pytest.approx(1.0, rel=1e-9)
    assert 1 / np.linalg.norm(np.append(clf.coef_, clf.intercept_)) == pytest.approx(clf.margin_[0], rel=1e-6)
    assert nk.verify(clf.certificate_, X, y).verdict == "separable"
    on_the_margin = (clf.decision_function(X) * (2 * y - 1))[clf.support_]
    assert on_the_margin == pytest.approx(1.0, rel=1e-5)


def test_hard_margin_against_libsvm_on_the_same_columns(setosa):
    """SVC with the constant as a column, and its own intercept held at 0 by mirrored rows."""
    X, y = setosa
    A = np.where(y == "setosa", 1.0, -1.0)[:, None] * np.column_stack([X, np.ones(len(X))])
    svc = SVC(kernel="linear", C=1e9, tol=1e-10).fit(np.concatenate([A, -A]), np.repeat([1, -1], len(A)))
    clf = MaxMarginClassifier(gap=1e-9).fit(X, y)
    ours = np.append(clf.coef_[0], clf.intercept_)
    assert ours * np.sign(ours @ svc.coef_[0]) == pytest.approx(svc.coef_[0], rel=1e-4)


def test_no_separator_is_an_error_that_carries_the_proof():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(NotSeparableError, match="finite C") as caught:
        MaxMarginClassifier().fit(X, y == 1)
    assert nk.verify(caught.value.proof, X, y == 1).verdict == "not separable"


@pytest.mark.parametrize("C", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("storage", [np.asarray, sp.csr_array, np.float32])
def test_soft_margin_equals_linear_svc(cancer, C, storage):
    X, y = cancer
    X = storage(X)
    clf = MaxMarginClassifier(C=C).fit(X, y)
    svc = LinearSVC(loss="squared_hinge", C=C, tol=1e-12, max_iter=1_000_000).fit(X, y)
    tolerance = 1e-4 if C > 1 else 1e-6  # of LIBLINEAR
    assert clf.coef_ == pytest.approx(svc.coef_, rel=tolerance, abs=tolerance * np.abs(svc.coef_).max())
    assert clf.intercept_ == pytest.approx(svc.intercept_, rel=tolerance, abs=tolerance)
    assert nk.verify(clf.certificate_, X, y).objective == clf.certificate_.objective


@pytest.mark.parametrize("C", [0.1, 10.0])
def test_wide_rows_take_the_dual(C):
    """Beyond 2,000 columns the minimum is found by coordinates: the gradient of the primal must vanish there."""
    rng = np.random.default_rng(0)
    X = sp.random_array((80, 3000), density=0.02, rng=rng, format="csr")
    y = rng.integers(0, 2, 80)
    clf = MaxMarginClassifier(C=C).fit(X, y)
    signs = 2 * y - 1
    slack = np.maximum(0, 1 - signs * clf.decision_function(X))
    gradient = clf.coef_[0] - 2 * C * (X.T @ (signs * slack))
    assert np.abs(gradient).max() <= 1e-4 * np.abs(clf.coef_).max()


def test_the_soft_margin_tends_to_the_hard_one(setosa):
    X, y = setosa
    hard = MaxMarginClassifier().fit(X, y)
    soft = MaxMarginClassifier(C=1e8).fit(X, y)
    assert soft.coef_ == pytest.approx(hard.coef_, rel=1e-5)
    assert soft.margin_[0] <= hard.margin_[1]
    assert soft.margin_[1] >= hard.margin_[0]


def test_sample_weights_are_repetitions(cancer):
    X, y = cancer
    weights = np.random.default_rng(0).integers(0, 4, len(X))
    weighted = MaxMarginClassifier(C=1.0).fit(X, y, sample_weight=weights)
    repeated = MaxMarginClassifier(C=1.0).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    assert weighted.coef_ == pytest.approx(repeated.coef_, rel=1e-7, abs=1e-9)
    hard = MaxMarginClassifier().fit(X, y, sample_weight=weights)
    assert hard.coef_ == pytest.approx(MaxMarginClassifier().fit(X[weights > 0], y[weights > 0]).coef_)
    assert set(hard.support_) <= set(np.flatnonzero(weights))


def test_frames_and_more_classes():
    iris = load_iris(as_frame=True)
    clf = MaxMarginClassifier(C=1.0).fit(iris.data, iris.target == 0)
    assert list(clf.feature_names_in_) == list(iris.data.columns)
    assert (
        OneVsRestClassifier(MaxMarginClassifier(C=10.0)).fit(iris.data, iris.target).score(iris.data, iris.target) > 0.9
    )
    with pytest.raises(ValueError, match="OneVsRestClassifier"):
        MaxMarginClassifier().fit(iris.data, iris.target)


@pytest.mark.parametrize(
    ("options", "weights", "message"),
    [
        ({"C": 0}, None, "'C' parameter"),
        ({"gap": 1.5}, None, "'gap' parameter"),
        ({}, [1, -1, 1, 1], r"sample_weight\[1\] = -1"),
        ({}, [1, 1], "one number for each"),
        ({}, [0, 0, 1, 1], "one class only"),
    ],
)
def test_bad_input(options, weights, message):
    with pytest.raises(ValueError, match=message):
        MaxMarginClassifier(**options).fit([[1.0], [2], [-1], [-2]], [1, 1, 0, 0], sample_weight=weights)


def test_too_few_passes_are_said():
    X, y = load_iris(return_X_y=True)
    with pytest.warns(ConvergenceWarning, match="has not settled"):
        MaxMarginClassifier(C=100.0, max_iter=1).fit(X, y == 1)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("columns", [2, 2500])
def test_costs_and_features_at_the_ends_of_floats_end_with_words(columns, intercept):
    """A step along which the objective does not fall, in floats, is the last one: not each of 100,000."""
    X = np.random.default_rng(0).integers(-3, 4, size=(8, columns)).astype(float)
    y = np.arange(8) % 2
    clf = MaxMarginClassifier(C=1e300, fit_intercept=intercept, max_iter=1000)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        clf.fit(X * 1e-320, y)
    assert columns > 2000 or clf.n_iter_ < 10
    if clf.certificate_:
        assert nk.verify(clf.certificate_, X * 1e-320, y).verdict == "soft margin"
    if columns <= 2000:
        with pytest.raises(ValueError, match="more than a float can hold: lower C, or scale"):
            clf.fit(X * 1e200, y)


def test_a_cost_that_hides_the_norm_of_w_is_refused():
    """With more columns than rows, ||w||^2 alone tells the directions apart that no row uses."""
    X = np.random.default_rng(0).integers(-3, 4, size=(8, 30))
    with pytest.raises(ValueError, match="lost in rounding: lower C, or scale the features"):
        MaxMarginClassifier(C=1e20).fit(X, np.arange(8) % 2)


# Runs tied to their theorem --------------------------------------------------------------------------


@pytest.mark.parametrize("learner", [Perceptron, pytest.param(MarginPerceptron, marks=pytest.mark.compiles)])
@pytest.mark.parametrize("scale", ["none", "ball", "sphere"])
@pytest.mark.parametrize("storage", [np.asarray, sp.csr_array])
def test_a_run_is_within_its_bound(learner, scale, storage):
    problem = separable(300, 6, margin=0.05, random_state=1)
    X = storage(problem.X)
    clf = learner(scale=scale, max_iter=100_000).fit(X, problem.y)
    tied = clf.certify(X, problem.y)
    assert tied.updates == clf.updates_ <= tied.bound
    assert tied.mistakes == clf.mistakes_
    assert "Verified exactly" in str(tied)


def test_the_bound_is_the_theorems(setosa):
    X, y = setosa
    clf = Perceptron().fit(X, y)
    tied = clf.certify(X, y, 1e-6)
    assert tied.bound == clf.bound(tied.proof.margin[0])
    assert tied.bound < 250  # where the run's own separator allows 326,262


def test_a_run_on_other_data_is_refused(setosa):
    X, y = setosa
    clf = Perceptron().fit(X * 100, y)
    with pytest.raises(ValueError, match="did not learn from these data"):
        clf.certify(X, y)


def test_without_a_separator_there_is_no_bound():
    X, y = load_iris(return_X_y=True)
    with pytest.warns(ConvergenceWarning):
        clf = Perceptron(max_iter=3).fit(X, y == 1)
    tied = clf.certify(X, y == 1)
    assert tied.bound is None
    assert "promises nothing" in str(tied)
    assert isinstance(tied.proof, nk.NotSeparable)
    assert math.isfinite(clf.margin_[1])


def test_a_frame_is_certified_too():
    frame = pd.DataFrame({"a": [1.0, 2, -1, -2], "b": [0.0, 1, 0, 1]})
    assert Perceptron().fit(frame, [1, 1, 0, 0]).certify(frame, [1, 1, 0, 0]).bound >= 1


@pytest.mark.parametrize("C", [0.1, 1.0, 100.0])
def test_the_support_of_a_soft_margin_is_what_is_inside_it(cancer, C):
    """w = sum p y x with p = 2 C max(0, 1 - y<w,x>): the rows with y<w,x> < 1, and no others."""
    X, y = cancer
    model = MaxMarginClassifier(C=C).fit(X, y)
    inside = np.where(y == model.classes_[1], 1, -1) * model.decision_function(X) < 1
    assert model.support_.tolist() == np.flatnonzero(inside).tolist()
    assert 0 < len(model.support_) < len(y)
