"""Cross-validation: the counts are those that scikit-learn finds with the same folds."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.model_selection import StratifiedKFold, cross_val_predict

from novikoff import LeastSquaresClassifier, Perceptron
from novikoff.estimators.folds import cross_validated
from novikoff.inputs import Examples


def noisy(k, n=90, seed=3):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 4))
    y = (X @ rng.standard_normal((4, k))).argmax(axis=1)
    y[rng.random(n) < 0.2] = 0
    return X, np.array(["a", "b", "c"])[y]


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("folds", [2, 5])
@pytest.mark.parametrize("storage", [np.asarray, pytest.param(sp.csr_array, marks=pytest.mark.compiles)])
def test_it_is_what_scikit_learn_predicts(k, folds, storage):
    X, y = noisy(k)
    model = Perceptron(max_iter=10)
    found = cross_validated(model, storage(X), y, folds=folds)
    splits = StratifiedKFold(folds, shuffle=True, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wrong = cross_val_predict(Perceptron(max_iter=10), X, y, cv=splits) != y
    parts = [held_out for _, held_out in splits.split(X, y)]
    assert found.rows == tuple(map(len, parts))
    assert found.mistakes == tuple(int(wrong[part].sum()) for part in parts)
    assert found.rate == wrong.mean()
    assert not hasattr(model, "classes_"), "the model is left alone"
    assert f"{wrong.sum()} mistakes on 90 examples" in str(found)
    assert "an estimate, and no bound" in str(found)


def test_rows_of_weight_zero_are_no_rows_and_the_others_weigh():
    X, y = noisy(2)
    y_bad = np.where(np.arange(90) % 3 == 0, np.where(y == "a", "b", "a"), y)
    weights = np.where(np.arange(90) % 3 == 0, 0.0, 1.0 + np.arange(90))
    there = weights > 0
    found = cross_validated(Perceptron(max_iter=10), X, y_bad, folds=3, sample_weight=weights)
    kept = cross_validated(Perceptron(max_iter=10), X[there], y[there], folds=3, sample_weight=weights[there])
    assert found == kept
    assert sum(found.rows) == 60
    examples = Examples(X, y_bad, None, weights)
    assert cross_validated(Perceptron(max_iter=10), examples, folds=3) == found
    assert cross_validated(Perceptron(max_iter=10), X[there], y[there], folds=3) != found


def test_learners_without_weights():
    X, y = noisy(2)
    assert sum(cross_validated(LeastSquaresClassifier(), X, y, folds=3).rows) == 90


def test_more_folds_than_rows_of_a_label():
    X, y = noisy(2, n=8)
    with pytest.raises(ValueError, match="7 folds of rows of which no label has more than 5: each"):
        cross_validated(Perceptron(), X, y, folds=7)
