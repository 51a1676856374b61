"""The same weights as scikit-learn where both mean the same thing."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Perceptron as SklearnPerceptron

from novikoff import PassiveAggressive, Perceptron

rng = np.random.default_rng(0)
X = np.round(rng.standard_normal((300, 8)) * 16) / 16  # on a grid, so that its sums do not round either
Y = np.where(X[:, 0] + rng.standard_normal(300) / 4 > 0, "b", "a")


@pytest.mark.parametrize("passes", [1, 2, 7])
@pytest.mark.parametrize("make", [np.asarray, np.float32, sp.csr_array])
def test_without_an_intercept(passes, make):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        ours = Perceptron(fit_intercept=False, shuffle=False, max_iter=passes).fit(make(X), Y)
        theirs = SklearnPerceptron(fit_intercept=False, shuffle=False, tol=None, max_iter=passes).fit(make(X), Y)
    assert np.array_equal(ours.coef_, theirs.coef_)
    assert np.array_equal(ours.predict(X), theirs.predict(make(X)))


def test_with_an_intercept_on_dense_rows():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        ours = Perceptron(shuffle=False, max_iter=5).fit(X, Y)
        theirs = SklearnPerceptron(shuffle=False, tol=None, max_iter=5).fit(X, Y)
    assert np.array_equal(ours.coef_, theirs.coef_)
    assert np.array_equal(ours.intercept_, theirs.intercept_)


@pytest.mark.filterwarnings("ignore::FutureWarning")  # it is on its way out of scikit-learn
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("C", [0.01, 0.3, 1.0, 100.0])
@pytest.mark.parametrize(("variant", "loss"), [("PA-I", "hinge"), ("PA-II", "squared_hinge")])
def test_passive_aggressive_but_for_rounding(variant, loss, C):
    peers = pytest.importorskip("sklearn.linear_model")
    if not hasattr(peers, "PassiveAggressiveClassifier"):
        pytest.skip("this scikit-learn has no PassiveAggressiveClassifier")
    options = {"C": C, "fit_intercept": False, "shuffle": False, "max_iter": 1}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        ours = PassiveAggressive(variant=variant, **options).fit(X, Y)
        theirs = peers.PassiveAggressiveClassifier(loss=loss, tol=None, **options).fit(X, Y)
    assert ours.last_coef_ == pytest.approx(theirs.coef_, rel=1e-9, abs=1e-12)
