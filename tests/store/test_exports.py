"""scikit-learn's estimators and ONNX graphs predict as our models do."""

from __future__ import annotations

import json
import os
import sys
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.linear_model import LinearRegression, Perceptron, RidgeClassifier
from sklearn.pipeline import Pipeline
from sklearn.svm import LinearSVC

import novikoff as nk
from tests.store.zoo import ZOO, bits, made, rows

MODELS = [name for name in ZOO if name not in ("perceptron-huge", "perceptron-tiny")]  # where floats cannot follow


def examples(model: Any, n: int = 300) -> Any:
    d, names = model.n_features_in_, getattr(model, "feature_names_in_", None)
    X = bits(5, n, d) if hasattr(model, "rounds_") else rows(5, n, d)[0]
    return X if names is None else pd.DataFrame(X, columns=names)


def scores(model: Any, X: Any) -> Any:
    return model.predict(X) if not hasattr(model, "classes_") else model.decision_function(X)


@pytest.mark.parametrize("name", MODELS)
def test_scikit_learn_predicts_the_same(name):
    model = made(name)
    twin, X = model.to_sklearn(), examples(model)
    if not hasattr(model, "classes_"):
        np.testing.assert_allclose(twin.predict(X), model.predict(X), rtol=1e-12, atol=1e-12)
    else:
        found = twin.predict(X)
        assert found.dtype == model.predict(X).dtype
        assert found.tolist() == model.predict(X).tolist()
        assert twin.score(X, found) == 1.0
        assert np.array_equal(twin.classes_, model.classes_)
    if not isinstance(twin, Pipeline):
        assert twin.n_features_in_ == model.n_features_in_
    assert type(clone(twin)) is type(twin)


@pytest.mark.parametrize("name", [name for name in MODELS if not name.startswith("one against one")])
def test_onnx_predicts_the_same(name, tmp_path):
    model = made(name)
    proto = model.to_onnx(tmp_path / "model.onnx")
    onnx.checker.check_model(onnx.load(tmp_path / "model.onnx"), full_check=True)
    assert (tmp_path / "model.onnx").read_bytes() == proto.SerializeToString(deterministic=True)
    X = examples(model)
    session = onnxruntime.InferenceSession(tmp_path / "model.onnx", providers=["CPUExecutionProvider"])
    found = dict(zip([out.name for out in session.get_outputs()], session.run(None, {"X": np.asarray(X)}), strict=True))
    k = len(getattr(model, "classes_", ()))
    assert found["score"].shape == ((len(X), k) if k > 2 else (len(X),))
    if hasattr(model, "classes_"):
        assert found["label"].tolist() == model.predict(X).tolist()
    if hasattr(model, "decision_function") or not hasattr(model, "classes_"):
        np.testing.assert_allclose(found["score"], scores(model, X), rtol=1e-9, atol=1e-12)
    notes = {prop.key: prop.value for prop in proto.metadata_props}
    assert notes["learner"] == type(model).__name__
    assert json.loads(notes["guarantee"])["mistakes"] == getattr(model, "mistakes_", None)


def test_the_votes_of_pairs_have_no_graph():
    with pytest.raises(ValueError, match="pairs of classes vote"):
        made("one against one").to_onnx()


@pytest.mark.parametrize("load", [load_iris, load_breast_cancer])
@pytest.mark.parametrize("learner", [nk.Perceptron(max_iter=50), nk.Perceptron(scale="sphere", max_iter=50)])
def test_parity_on_real_data(load, learner, tmp_path):
    X, y = load(return_X_y=True)
    with pytest.warns(match="did not separate"):
        model = clone(learner).fit(X, y == 1)
    assert np.array_equal(model.to_sklearn().predict(X), model.predict(X))
    model.to_onnx(tmp_path / "m.onnx")
    label = onnxruntime.InferenceSession(tmp_path / "m.onnx").run(["label"], {"X": X.astype(np.float64)})[0]
    assert np.array_equal(label, model.predict(X))


def test_the_twins_are_what_the_docstrings_say():
    kinds = {"perceptron": Perceptron, "margin": Perceptron, "max-margin": LinearSVC, "squares": LinearRegression}
    kinds |= {"squares-classes": RidgeClassifier, "winnow": Perceptron, "conjunction": Perceptron, "kdnf": Pipeline}
    for name, kind in kinds.items():
        assert type(made(name).to_sklearn()) is kind
    assert made("max-margin").to_sklearn().C == 1e6
    assert made("max-margin-soft").to_sklearn().C == 0.7
    assert made("squares-classes").to_sklearn().alpha == 0.0


@pytest.mark.parametrize(("at_zero", "ours"), [("mistake", False), ("negative", False), ("positive", True)])
def test_at_zero_onnx_follows_and_scikit_learn_says_the_first(at_zero, ours, tmp_path):
    model = nk.Perceptron(at_zero=at_zero, fit_intercept=False).fit([[1.0, 0.0], [-1.0, 0.0]], [True, False])
    zero = np.array([[0.0, 5.0]])
    assert model.predict(zero).tolist() == [ours]
    assert model.to_sklearn().predict(zero).tolist() == [False]
    model.to_onnx(tmp_path / "m.onnx")
    assert onnxruntime.InferenceSession(tmp_path / "m.onnx").run(["label"], {"X": zero})[0].tolist() == [ours]


def test_a_row_of_zeros_on_the_sphere_has_score_zero(tmp_path):
    model = nk.Perceptron(scale="sphere", fit_intercept=False).fit([[1.0, 0.0], [-1.0, 0.5]], [True, False])
    model.to_onnx(tmp_path / "m.onnx")
    assert onnxruntime.InferenceSession(tmp_path / "m.onnx").run(["score"], {"X": np.zeros((1, 2))})[0].tolist() == [
        0.0
    ]


@pytest.mark.parametrize("d", [1, 2, 3, 4])
@pytest.mark.parametrize("k", [1, 2, 3])
def test_kdnf_on_the_whole_cube(d, k, tmp_path):
    cube = np.array([[i >> j & 1 for j in range(d)] for i in range(2**d)], dtype=np.float64)
    for truth in range(0, 2 ** (2**d), max(1, 2 ** (2**d) // 60)):
        y = np.array([truth >> i & 1 for i in range(2**d)])
        model = nk.KDNF(k=k)
        try:
            model.fit(cube, y)
        except nk.NotRealizable:
            continue
        assert model.to_sklearn().predict(cube).tolist() == y.tolist()
        session = onnxruntime.InferenceSession(model.to_onnx().SerializeToString())
        assert session.run(["label"], {"X": cube})[0].tolist() == y.tolist()


def test_without_onnx_there_is_a_cure(monkeypatch):
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(ImportError, match=r"pip install 'novikoff\[onnx\]'"):
        made("perceptron").to_onnx()


def test_labels_without_a_type_in_onnx_are_refused():
    labels = np.array([1, 2.5], dtype=object)
    model = nk.Perceptron().partial_fit([[1.0], [-1.0]], labels, classes=labels)
    with pytest.raises(ValueError, match="ONNX has no type for the labels"):
        model.to_onnx()


@pytest.mark.parametrize("name", ["Perceptron", "MaxMarginClassifier", "LeastSquares", "Winnow", "Conjunction", "KDNF"])
def test_an_unfitted_model_has_no_twin(name, tmp_path):
    model = getattr(nk, name)()
    for export in (model.to_sklearn, lambda: model.to_onnx(tmp_path / "m.onnx")):
        with pytest.raises((ValueError, AttributeError), match=r"not learned anything yet|not fitted yet"):
            export()
    assert os.listdir(tmp_path) == []
