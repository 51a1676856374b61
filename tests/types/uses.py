"""Uses of the library, right and wrong, for a type checker: nothing here runs.

A wrong line has a comment ``error: CODE``, the code by which mypy tells it. All other lines are right.
"""

from __future__ import annotations

from typing import Any, assert_type

import numpy as np
from numpy.typing import NDArray

import novikoff as nk
from novikoff.certificates import RunProof, Verdict
from novikoff.estimators.registry import Model

X: NDArray[np.float64] = np.eye(2)
WORDS = ["spam", "ham"]
SPAM: NDArray[np.bool_] = np.array([True, False])


def names() -> None:
    nk.Perceptrn()  # error: attr-defined
    nk.display.MarginDisply()  # error: attr-defined
    nk.display.MarginDisplay.from_estimator(nk.Perceptron(), X, WORDS, kind="histogram")
    nk.display.MarginDisplay.from_estimator(nk.Perceptron(), X, WORDS, kind="bars")  # error: arg-type


def parameters() -> None:
    nk.Perceptron(at_zero="positive", order="worst", hypothesis="average", multiclass="one-vs-rest", scale="ball")
    nk.Perceptron(shuffle="auto", class_weight="balanced", byte_copy=False)
    nk.Perceptron(at_zero="plus")  # error: arg-type
    nk.Perceptron(order="worse")  # error: arg-type
    nk.Perceptron(hypothesis="mean")  # error: arg-type
    nk.Perceptron(multiclass="ovr")  # error: arg-type
    nk.Perceptron(scale="unit")  # error: arg-type
    nk.Perceptron(shuffle="yes")  # error: arg-type
    nk.Perceptron(class_weight="equal")  # error: arg-type
    nk.Perceptron(byte_copy="always")  # error: arg-type
    nk.Perceptron(eta0=0.1)  # error: call-arg
    nk.MarginPerceptron(threshold="auto")
    nk.MarginPerceptron(threshold="large")  # error: arg-type
    nk.PassiveAggressive(variant="PA-II", C=0.1)
    nk.PassiveAggressive(variant="PA-3")  # error: arg-type
    nk.LeastSquares("newton-sgd", step="auto")
    nk.LeastSquares("adam")  # error: arg-type
    nk.LeastSquares("sgd", step="1/n")  # error: arg-type
    nk.Winnow(2, k=3)
    nk.Winnow(3)  # error: arg-type


def certificates() -> None:
    assert_type(nk.certify(X, SPAM), Verdict)
    assert_type(nk.certify(X, [True, False]), Verdict)
    assert_type(nk.certify(X, WORDS), Verdict | nk.Verdicts)
    assert_type(nk.certify(X, SPAM, multiclass="joint"), Verdict)
    assert_type(nk.certify(X, WORDS, multiclass="one-vs-rest"), Verdict | nk.Verdicts)
    nk.certify(X, WORDS, multiclass="one-v-one")  # error: call-overload
    assert_type(nk.certify(X, SPAM).margin, tuple[float, float])
    print(nk.certify(X, SPAM).coef)  # error: union-attr
    print(nk.certify(X, WORDS).margin)  # error: union-attr
    nk.certify(X, SPAM, max_second=1.0)  # error: call-overload

    match nk.certify(X, WORDS):
        case nk.Separable() as proof:
            print(proof.coef, proof.most_mistakes, proof.to_json())
        case nk.NotSeparable() as proof:
            print(proof.rows, proof.weights)
            print(proof.coef)  # error: attr-defined
        case nk.Undecided() as proof:
            print(proof.why)
        case nk.Verdicts() as verdicts:
            assert_type(verdicts["spam"], Verdict | nk.SoftMargin)
            verdicts["spam"] = nk.certify(X, SPAM)  # error: index

    assert_type(nk.Perceptron().certify(X, WORDS), RunProof)
    assert_type(nk.verify("proof.json", X, WORDS), nk.Verified)


def models() -> None:
    assert_type(nk.Perceptron().fit(X, WORDS), nk.Perceptron)
    assert_type(nk.Perceptron().learn_one({"free": 1}, "spam"), nk.Perceptron)
    print(nk.Perceptron().mistakes_, nk.Perceptron().set_params(max_iter=9).margin_)
    print(nk.Perceptron().mistaks_)  # error: attr-defined
    nk.Perceptron().fit_journalled(X, WORDS, None)  # error: attr-defined
    assert_type(nk.fit_file(nk.Winnow(), "bits.svm"), nk.Winnow)
    assert_type(nk.fit_file(nk.Perceptron(), "mail.svm", missing="zero").predict(X), NDArray[Any])
    nk.fit_file(nk.Perceptron(), "mail.svm", missing="nothing")  # error: arg-type
    assert_type(nk.load("model.nvk"), Model)
    print(nk.load("model.nvk").predict(X), nk.load("model.nvk").get_params())
    nk.load("model.nvk").to_onnx("model.onnx")
    nk.load("model.nvk").predict()  # error: call-arg
    nk.save(nk.Perceptron())  # error: call-arg

    model = nk.load("model.nvk")
    if isinstance(model, nk.MaxMarginClassifier):
        assert_type(model.certificate_, nk.Separable | nk.SoftMargin | None)
