"""The scikit-learn contract, and what users combine estimators with."""

from __future__ import annotations

import pickle
import warnings

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.datasets import load_iris, make_blobs
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import estimator_checks
from sklearn.utils.estimator_checks import parametrize_with_checks

from novikoff import MaxMarginClassifier, PassiveAggressive, Perceptron
from novikoff.estimators.linear import LinearClassifier
from novikoff.estimators.registry import BITS, BY_RULE, REGISTRY
from novikoff.problems import separable

EVERY_RULE = pytest.mark.parametrize("learner", [entry.estimator for entry in BY_RULE])


@pytest.fixture
def blobs():
    problem = separable(200, 6, margin=0.1, random_state=0)
    return problem.X, (problem.y > 0).astype(int)


@pytest.fixture
def setosa():
    iris = load_iris(as_frame=True)
    return iris.data, np.where(iris.target == 0, "setosa", "other")


ONCE = "a weight multiplies the step once: it is no repetition of the row (as scikit-learn says of its own Perceptron)"
NOT_REPEATED = {
    "check_sample_weight_equivalence_on_dense_data": ONCE,
    "check_sample_weight_equivalence_on_sparse_data": ONCE,
}


@parametrize_with_checks(
    [
        *(entry.estimator() for entry in BY_RULE),
        PassiveAggressive(variant="PA-II", tol=0.1),
        Perceptron(multiclass="one-vs-rest"),
        Perceptron(multiclass="one-vs-one"),
        MaxMarginClassifier(C=1),
    ],
    expected_failed_checks=lambda model: NOT_REPEATED if isinstance(model, LinearClassifier) else {},
    xfail_strict=True,
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
def test_check_estimator(estimator, check):
    check(estimator)


# What is refused whatever the data are made to be: a check that feeds something else on purpose.
NOT_BOOLEAN = {
    "check_positive_only_tag_during_fit": "its X has numbers between 0 and 1, and below 0",
    "check_classifiers_classes": "its labels are text",
    "check_classifiers_regression_target": "its labels are real numbers",
    "check_classifier_not_supporting_multiclass": "its labels are 0, 1 and 2",
}


@pytest.fixture
def boolean_checks(monkeypatch):
    """The data of scikit-learn's checks as bits, labelled by the first column: a concept of every Boolean class."""
    handed_out = np.empty((0, 1))

    def bits(X):
        return (np.mean(X, axis=0) < X).astype(float)

    def enforce_x(estimator, X, X_test=None, kernel=None):
        nonlocal handed_out
        handed_out = bits(X)
        return handed_out if X_test is None else (handed_out, bits(X_test))

    def enforce_y(estimator, y):
        return handed_out[:, 0].astype(int) if len(y) == len(handed_out) else (y != y[0]).astype(int)

    monkeypatch.setattr(estimator_checks, "_enforce_estimator_tags_X", enforce_x)
    monkeypatch.setattr(estimator_checks, "_enforce_estimator_tags_y", enforce_y)


@pytest.mark.parametrize("learner", [entry.estimator for entry in REGISTRY.values() if entry.labels == BITS])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
def test_check_boolean_estimator(learner, boolean_checks):
    found = estimator_checks.check_estimator(learner(), expected_failed_checks=NOT_BOOLEAN, on_skip=None)
    refused = [check for check in found if check["status"] == "xfail"]
    assert {check["check_name"] for check in refused} == NOT_BOOLEAN.keys()
    for check in refused:
        reasons = [check["exception"], check["exception"].__context__]
        assert any("0 and 1" in str(reason) or "must be 0 or 1" in str(reason) for reason in reasons)
    assert len(found) > 50
    assert sum(check["status"] == "skipped" for check in found) <= 1


@EVERY_RULE
def test_clone_grid_search_and_cross_validation(learner, blobs):
    X, y = blobs
    search = GridSearchCV(
        make_pipeline(StandardScaler(), learner()), {f"{learner.__name__.lower()}__at_zero": ["mistake", "positive"]}
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        assert search.fit(X, y).best_score_ > 0.9
        assert cross_val_score(clone(learner(max_iter=7)), X, y).mean() > 0.9


@EVERY_RULE
def test_more_classes_through_one_vs_rest(learner):
    X, y = make_blobs(150, centers=[[9, 0], [0, 9], [-9, -9]], random_state=0)
    assert learner().fit(X, y).score(X, y) == 1.0
    assert OneVsRestClassifier(learner()).fit(X, y).score(X, y) == 1.0


@EVERY_RULE
def test_frames_keep_their_names(learner, setosa):
    frame, y = setosa
    plain = learner().fit(frame.to_numpy(), y)
    for table in (frame, pl.from_pandas(frame)):
        model = learner().fit(table, y)
        assert list(model.feature_names_in_) == list(frame.columns)
        assert np.array_equal(model.coef_, plain.coef_)
        assert np.array_equal(model.predict(table), y)
    row = dict(frame.iloc[0])
    assert model.predict_one(row) == plain.predict_one(frame.to_numpy()[0])
    with pytest.raises(ValueError, match="feature 'petals' was not seen in fit"):
        model.predict_one({"petals": 3.0})
    broken = frame.copy()
    broken.iloc[7, 1] = np.nan
    with pytest.raises(ValueError, match=r"row 7, column 1 \('sepal width"):
        model.fit(broken, y)


@EVERY_RULE
def test_pickled_models_go_on_as_they_were(learner, blobs):
    X, y = blobs
    model = learner().partial_fit(X[:100], y[:100])
    twin = pickle.loads(pickle.dumps(model))
    for one in (model, twin):
        one.partial_fit(X[100:], y[100:])
    assert np.array_equal(model.coef_, twin.coef_)
    assert model.updates_ == twin.updates_


def test_a_model_mapped_into_memory_can_go_on_learning(blobs, tmp_path):
    X, y = blobs
    model = Perceptron().fit(X, y)
    joblib.dump(model, tmp_path / "model")
    mapped = joblib.load(tmp_path / "model", mmap_mode="r")
    for one in (model, mapped):
        one.learn_one(X[0], 1 - y[0]).partial_fit(X, y)
    assert np.array_equal(model.coef_, mapped.coef_)


def test_nothing_is_known_before_learning():
    model = Perceptron()
    for name in ("coef_", "intercept_", "mistakes_", "updates_", "radius_", "margin_"):
        assert not hasattr(model, name)
    with pytest.raises(NotFittedError):
        model.predict([[1.0]])
    with pytest.raises(AttributeError, match="has not learned anything yet"):
        model.bound(0.1)


def test_labels_of_any_type(blobs):
    X, y = blobs
    for low, high in ((0, 1), (-1, 1), (False, True), ("a", "b"), (2.5, 7.5), (10, 3)):
        labels = np.where(y == 1, high, low)
        model = Perceptron(max_iter=5000).fit(X, labels)
        assert set(model.predict(X)) <= {low, high}
        assert list(model.classes_) == sorted([low, high])


def test_sparse_predictions_equal_dense_ones(blobs):
    X, y = blobs
    model = Perceptron(max_iter=20)
    with pytest.warns(ConvergenceWarning):
        model.fit(X, y ^ (np.arange(len(y)) % 17 == 0))
    for kind in (sp.csr_array, sp.csr_matrix, sp.csc_array, sp.coo_array):
        assert np.array_equal(model.predict(kind(X)), model.predict(X))


def test_fit_leaves_the_data_alone_and_copies_nothing(blobs):
    X, y = blobs
    X32 = np.ascontiguousarray(X, dtype=np.float32)
    S = sp.csr_array(X)
    before = X.copy(), X32.copy(), S.data.copy()
    for data in (X, X32, S):
        data_buffer = data.data if sp.issparse(data) else data
        data_buffer.flags.writeable = False
        Perceptron(max_iter=5000).fit(data, y)
    assert np.array_equal(X, before[0])
    assert np.array_equal(X32, before[1])
    assert np.array_equal(S.data, before[2])
    frame = pd.DataFrame(X)
    assert Perceptron(max_iter=5000).fit(frame, y).mistakes_ == Perceptron(max_iter=5000).fit(X, y).mistakes_
