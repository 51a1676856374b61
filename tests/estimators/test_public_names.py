"""What a user calls is public, and nothing else: a new name of a learner is a decision, made here."""

from __future__ import annotations

import warnings
from inspect import signature
from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator

import novikoff as nk
from novikoff.estimators.registry import REGISTRY

SKLEARN = "fit predict score classes_ n_features_in_ standardization_"
LINEAR = f"{SKLEARN} coef_ intercept_ decision_function to_onnx to_sklearn"
ONLINE = "bound copy learn_one mistakes_ predict_one rounds_"
BITS = f"{SKLEARN} {ONLINE} partial_fit to_onnx to_sklearn"
BY_RULE = (
    f"{LINEAR} partial_fit learn_one predict_one predict_learn sign_one weights "
    "bound bound_against certify generalization summary trace set_callbacks "
    "mistakes_ updates_ weight_of_updates_ passes_ n_iter_ history_ radius_ margin_ threshold_ rounded_ "
    "stop_reason_ interrupted_ last_coef_ last_intercept_ estimators_"
)
SQUARES = (
    "fit partial_fit predict score n_features_in_ standardization_ coef_ intercept_ n_iter_ method_ trace_ "
    "stop_reason_ interrupted_"
)

ESTIMATORS = {
    "Perceptron": BY_RULE,
    "MarginPerceptron": BY_RULE,
    "PassiveAggressive": BY_RULE,
    "MaxMarginClassifier": f"{LINEAR} certificate_ margin_ n_iter_ support_",
    "LeastSquares": f"{SQUARES} to_onnx to_sklearn",
    "LeastSquaresClassifier": f"{SQUARES} classes_ decision_function to_onnx to_sklearn",
    "Winnow": f"{BITS} coef_ intercept_ decision_function",
    "MonotoneConjunction": f"{BITS} literals_",
    "Conjunction": f"{BITS} literals_",
    "MonotoneDisjunction": f"{BITS} literals_",
    "Disjunction": f"{BITS} literals_",
    "KDNF": f"{BITS} terms_",
}
CONCEPTS = nk.concepts.monotone_conjunctions(d=2)
PLAIN = {
    "Halving": (lambda: nk.Halving(CONCEPTS), "version_space_"),
    "StandardOptimal": (lambda: nk.StandardOptimal(CONCEPTS), "version_space_"),
    "WeightedMajority": (lambda: nk.WeightedMajority(CONCEPTS), "best_ best_mistakes_"),
    "RandomizedWeightedMajority": (
        lambda: nk.RandomizedWeightedMajority(CONCEPTS),
        "best_ best_mistakes_ expected_mistakes_",
    ),
    "EllipsoidPerceptron": (lambda: nk.EllipsoidPerceptron(0.1), "coef_ intercept_"),
}


def public(model: Any) -> set[str]:
    """The public names of a learner, but for its parameters; those that have to wait for something are among them."""
    names = {*dir(type(model)), *vars(model)} - signature(type(model)).parameters.keys()
    return {name for name in names if not name.startswith("_")}


@pytest.mark.parametrize("name", REGISTRY)
def test_what_an_estimator_shows_is_what_a_user_calls(name: str) -> None:
    model = REGISTRY[name].estimator()
    with warnings.catch_warnings(action="ignore"):
        model.fit(np.eye(2), np.array([0, 1] if "Dis" not in name else [1, 1]))
    routed = {found for found in public(model) if found.startswith("set_") and found.endswith("_request")}
    assert public(model) - routed - set(dir(BaseEstimator)) == set(ESTIMATORS[name].split())


@pytest.mark.parametrize("name", PLAIN)
def test_what_a_plain_learner_shows_is_what_a_user_calls(name: str) -> None:
    made, own = PLAIN[name]
    model = made()
    model.learn_one([0, 1], 1)
    assert public(model) == set(f"{ONLINE} {own}".split())
