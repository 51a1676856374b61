"""The same weights as scikit-learn where both mean the same thing."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Perceptron as SklearnPerceptron

from novikoff import Perceptron

rng = np.random.default_rng(0)
X = np.round(rng.standard_normal((300, 8)) * 16) / 16  # on a grid, so that its sums do not round either
Y = np.where(X[:, 0] + rng.standard_normal(300) / 4 > 0, "b", "a")


@pytest.mark.parametrize("passes", [1, 2, 7])
@pytest.mark.parametrize("make", [np.asarray, np.float32, sp.csr_array])
def test_without_an_intercept(passes, make):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        ours = Perceptron(fit_intercept=False, max_iter=passes).fit(make(X), Y)
        theirs = SklearnPerceptron(fit_intercept=False, shuffle=False, tol=None, max_iter=passes).fit(make(X), Y)
    assert np.array_equal(ours.coef_, theirs.coef_)
    assert np.array_equal(ours.predict(X), theirs.predict(make(X)))


def test_with_an_intercept_on_dense_rows():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        ours = Perceptron(max_iter=5).fit(X, Y)
        theirs = SklearnPerceptron(shuffle=False, tol=None, max_iter=5).fit(X, Y)
    assert np.array_equal(ours.coef_, theirs.coef_)
    assert np.array_equal(ours.intercept_, theirs.intercept_)
