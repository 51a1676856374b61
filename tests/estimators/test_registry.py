"""The table of estimators: it is whole, and what it says of them is so."""

import numpy as np
import pytest

import novikoff as nk
from novikoff.estimators.registry import ANY, NUMBERS, REGISTRY, TWO

BITS = np.array([[1.0, 0.0, 1.0], [0.0, 1.0, 1.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]])


def test_every_public_estimator_is_there_once():
    estimators = {name for name in nk.__all__ if hasattr(getattr(nk, name), "fit")}
    assert estimators == set(REGISTRY)
    assert all(getattr(nk, name) is entry.estimator for name, entry in REGISTRY.items())
    commands = [entry.command for entry in REGISTRY.values() if entry.command]
    assert len(commands) == len(set(commands)) == len(REGISTRY) - 1
    assert {"perceptron", "margin-perceptron", "max-margin", "least-squares", "kdnf"} <= set(commands)


@pytest.mark.parametrize("name", REGISTRY)
def test_what_it_says_is_so(name):
    entry = REGISTRY[name]
    words = np.array(["yes", "no", "yes", "no"])
    if entry.labels in (TWO, ANY):
        assert set(entry.estimator().fit(BITS, words).predict(BITS)) <= {"no", "yes"}
    else:
        expected = "y must hold numbers" if entry.labels == NUMBERS else "neither of the two labels 0 and 1"
        with pytest.raises(ValueError, match=expected):
            entry.estimator().fit(BITS, words)
        assert entry.estimator().fit(BITS, words == "yes") is not None
    if entry.online:
        assert entry.estimator().learn_one(BITS[0], 1).predict_one(BITS[0]) == 1
    if entry.grows:
        learner = entry.estimator().learn_one({"a": 1.0}, 1).learn_one({"b": 1.0}, -1)
        assert learner.n_features_in_ == 2
    elif entry.online:
        with pytest.raises((ValueError, TypeError)):
            entry.estimator().learn_one({"a": 1.0}, 1).learn_one({"b": 1.0}, -1)
    y = (words == "yes").astype(int)
    if entry.weighs:
        entry.estimator().fit(BITS, y, sample_weight=[1.0, 2.0, 1.0, 0.5])
    else:
        with pytest.raises(TypeError, match="sample_weight"):
            entry.estimator().fit(BITS, y, sample_weight=[1.0, 2.0, 1.0, 0.5])
    assert all(theorem in nk.theory.THEOREMS for theorem in entry.guarantee)
