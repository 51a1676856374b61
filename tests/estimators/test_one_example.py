"""The ways to hand over one example: every kind of sparse row, and rows that have names."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import novikoff as nk

FORMATS = ["bsr", "coo", "csc", "csr", "dia", "dok", "lil"]
FRAME = pd.DataFrame({"a": [1.0, 0.0, 2.0], "b": [0.0, 5.0, 1.0]})
LABELS = [1, -1, 1]


@pytest.mark.parametrize("kind", [sp.csr_array, sp.csr_matrix])
@pytest.mark.parametrize("format", FORMATS)
def test_sparse_rows_of_every_format(format: str, kind: Any) -> None:
    clf, twin = nk.Perceptron(), nk.Perceptron()
    for row, label in zip(FRAME.to_numpy(), LABELS, strict=True):
        x = kind(row[None]).asformat(format)
        assert clf.predict_one(x) == twin.predict_one(row)
        clf.learn_one(x, label)
        twin.learn_one(row, label)
        assert clf._row_of(x) == {name: value for name, value in twin._row_of(row).items() if value}
    assert np.array_equal(clf.coef_, twin.coef_)
    assert clf.mistakes_ == twin.mistakes_


def test_a_dok_row_in_a_model_of_dicts() -> None:
    clf = nk.Perceptron().learn_one({"a": 1.0, "b": -2.0}, 1)
    row = sp.dok_array(np.array([[0.0, 5.0]]))
    assert clf.predict_one(row) == clf.predict_one(sp.csr_array(row)) == clf.predict_one({"b": 5.0})


def test_a_dok_row_that_is_not_finite_is_refused_with_its_column() -> None:
    clf = nk.Perceptron().learn_one([1.0, 2.0], 1)
    with pytest.raises(ValueError, match="contains NaN: the example, column 1"):
        clf.learn_one(sp.dok_array(np.array([[0.0, np.nan]])), 1)


@pytest.mark.parametrize("model", [nk.Perceptron(), nk.MarginPerceptron()])
def test_namedtuples_go_by_name(model: Any) -> None:
    clf = model.fit(FRAME, LABELS)
    for row, turned in zip(FRAME.itertuples(index=False), FRAME[["b", "a"]].itertuples(index=False), strict=True):
        assert clf.predict_one(turned) == clf.predict_one(row) == clf.predict_one(list(row))
        assert clf._row_of(turned) == clf._row_of(row)
    x = next(FRAME[["b", "a"]].itertuples(index=False))
    other = nk.Perceptron().fit(FRAME, LABELS).learn_one(x, -1)
    assert np.array_equal(other.coef_, nk.Perceptron().fit(FRAME, LABELS).learn_one(list(FRAME.iloc[0]), -1).coef_)


def test_namedtuples_of_other_names_are_refused() -> None:
    clf = nk.Perceptron().fit(FRAME, LABELS)
    with pytest.raises(ValueError, match=r"x has 'Index', which is no column of the model: .*tuple\(x\)"):
        clf.predict_one(next(FRAME.itertuples()))
    with pytest.raises(ValueError, match="x lacks 'b', a column of the model"):
        clf.predict_one(namedtuple("Row", ["a"])(1.0))


def test_namedtuples_are_vectors_where_columns_have_no_names() -> None:
    clf = nk.Perceptron().fit(FRAME.to_numpy(), LABELS)
    x = next(FRAME[["b", "a"]].itertuples(index=False))
    assert clf.predict_one(x) == clf.predict_one(list(x))


def test_namedtuples_begin_a_model_of_names() -> None:
    clf = nk.Perceptron()
    for row, label in zip(FRAME.itertuples(index=False), LABELS, strict=True):
        clf.learn_one(row, label)
    assert set(clf.weights()) <= {"a", "b", None}
    assert clf.predict_one({"b": 1.0, "a": 2.0}) == clf.predict_one(next(FRAME[2:][["b", "a"]].itertuples(index=False)))


def test_conjunctions_take_them_as_well() -> None:
    bits = pd.DataFrame({"a": [1, 0, 1], "b": [0, 1, 1]})
    clf = nk.MonotoneConjunction().fit(bits, [1, 0, 1])
    assert [clf.predict_one(x) for x in bits[["b", "a"]].itertuples(index=False)] == clf.predict(bits).tolist()


@pytest.mark.parametrize("multiclass", ["joint", "one-vs-rest", "one-vs-one"])
def test_an_example_that_is_no_number_has_no_label(multiclass):
    X, y = np.array([[2.0, 0.0], [0.0, 2.0], [-2.0, -2.0]]), ["a", "b", "c"]
    clf = nk.Perceptron(multiclass=multiclass).fit(X, y)
    assert [clf.predict_one(x) for x in X] == y
    for bad, shown in ((np.nan, "NaN"), (np.inf, "infinity")):
        for x in (np.array([1.0, bad]), [1.0, bad], sp.csr_array([[1.0, bad]])):
            with pytest.raises(ValueError, match=f"Input X contains {shown}: .*column 1"):
                clf.predict_one(x)


def test_a_row_of_zeros_through_the_origin_scores_zero_for_every_class():
    clf = nk.Perceptron(fit_intercept=False).fit(np.array([[2.0, 0.0], [0.0, 2.0], [-2.0, -2.0]]), ["a", "b", "c"])
    for zeros in (np.zeros((1, 2)), sp.csr_array((1, 2))):
        assert clf.decision_function(zeros).tolist() == [[0.0, 0.0, 0.0]]
        assert clf.predict_one(zeros[[0]] if sp.issparse(zeros) else zeros[0]) is None
