"""After load everything is as it was, bit for bit, and goes on as it would have."""

from __future__ import annotations

import math
import os
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from novikoff import Halving, MarginPerceptron, Perceptron, concepts, verify
from novikoff.engine.decide import STATE
from novikoff.estimators.registry import REGISTRY
from novikoff.store import InvalidModel, describe, load, save
from novikoff.store.container import unpack
from novikoff.store.model import from_content, to_parts
from tests.problems import any_data
from tests.store.fuzz_model import parts_of
from tests.store.zoo import DERIVED, FRAME, KEPT, PASSING, TRUE, WORDS, ZOO, X, differences, made, quiet, table


def data(model: Any) -> bytes:
    return b"".join(to_parts(model))


def again(model: Any) -> Any:
    return from_content(unpack(data(model)))


def test_every_learner_is_in_the_zoo():
    assert {type(made(name)).__name__ for name in ZOO} == set(REGISTRY)


def test_two_classes_have_one_vector_in_the_file():
    """As files have had it since there were but two."""
    for name, shape in (("perceptron", 1), ("one against the rest", 2)):
        header, _ = parts_of(b"".join(to_parts(made(name))))
        assert [len(array["shape"]) for array in header["arrays"] if array["name"] == "w"] == [shape]


def test_every_field_of_the_record_is_kept_or_derived_or_passing():
    assert set(STATE.names) == KEPT | DERIVED | PASSING


@pytest.mark.parametrize("name", ZOO)
def test_nothing_is_forgotten_and_saving_changes_nothing(name, tmp_path):
    model, untouched = made(name), made(name)
    if hasattr(model, "trace_"):  # which has the seconds of the run
        untouched.trace_ = model.trace_
    save(model, tmp_path / "model.nvk")
    assert differences(model, untouched) == []
    found = load(tmp_path / "model.nvk")
    assert type(found) is type(model)
    assert differences(model, found) == []
    assert data(found) == (tmp_path / "model.nvk").read_bytes()  # the same model, the same bytes


@pytest.mark.parametrize("name", ZOO)
def test_it_predicts_and_speaks_as_the_original(name):
    model = made(name)
    found = again(model)
    if not getattr(model, "_columns", None):
        rows, _ = table(model)
        assert differences(model.predict(rows), found.predict(rows)) == []
        if hasattr(model, "decision_function"):
            assert differences(model.decision_function(rows), found.decision_function(rows)) == []
    for attribute in ("margin_", "stop_reason_", "radius_", "literals_", "terms_", "coef_", "classes_", "threshold_"):
        assert differences(getattr(model, attribute, None), getattr(found, attribute, None)) == []
    if hasattr(model, "summary"):
        assert found.summary() == model.summary()
        for one, other in zip(
            getattr(found, "estimators_", [found]), getattr(model, "estimators_", [model]), strict=True
        ):
            assert one.bound(0.125) == other.bound(0.125)
    elif hasattr(model, "rounds_"):
        assert (found.bound(), found._state) == (model.bound(), model._state)


@pytest.mark.parametrize("name", ZOO)
def test_it_goes_on_bit_for_bit(name):
    model = made(name)
    found = again(model)
    for step in (learn, *(batch(method) for method in ("partial_fit", "predict_learn", "fit"))):
        assert step(model) == step(found)  # the same errors, where there are any
        assert without_seconds(differences(model, found)) == []


def learn(model: Any) -> str:
    if not hasattr(model, "learn_one"):
        return ""
    rows, y = table(model)
    words = getattr(model, "_columns", None) is not None and not hasattr(model, "feature_names_in_")
    for x, label in [*WORDS, ({"new": 1.5, "w2": -3.0}, True)] if words else zip(np.asarray(rows), y, strict=True):
        model.learn_one(x, model.classes_[int(label)] if words and len(model.classes_) > 2 else label)
    return ""


def batch(method: str) -> Any:
    def step(model: Any) -> str:
        try:
            quiet(lambda: getattr(model, method)(*table(model)))
        except (AttributeError, ValueError) as error:
            return str(error)
        return ""

    return step


def without_seconds(found: list[str]) -> list[str]:
    return [where for where in found if where != "model.trace_.seconds"]


def test_a_warm_start_from_a_file_is_the_warm_start():
    model = made("perceptron-warm")
    found = again(model)
    for one in (model, found):
        one.fit(X[5:], TRUE[5:])
    assert differences(model, found) == []
    assert model.margin_[1] == math.inf


def test_a_generator_goes_on_where_it_was():
    generator = np.random.RandomState(3)
    generator.standard_normal(3)  # a number is left over
    model = Perceptron(shuffle=True, random_state=generator).fit(X, TRUE)
    found = again(model)
    assert found.random_state.standard_normal(5).tolist() == generator.standard_normal(5).tolist()
    assert clone(found).get_params().keys() == model.get_params().keys()


def test_run_proofs_and_certificates_survive():
    model = again(made("perceptron"))
    assert str(model.certify(X, TRUE)) == str(made("perceptron").certify(X, TRUE))
    original, best = made("max-margin"), again(made("max-margin"))
    assert best.certificate_.to_json() == original.certificate_.to_json()
    assert str(best.certificate_) == str(original.certificate_)
    assert verify(best.certificate_, X, TRUE).margin == best.margin_


def test_a_model_that_grows_keeps_growing():
    model = again(made("perceptron-dicts"))
    width = model.n_features_in_
    model.learn_one({"never seen": 100.0}, not model.predict_one({"never seen": 100.0}) > 0)
    assert model.n_features_in_ == width + 1
    assert model.weights() != made("perceptron-dicts").weights()


def test_a_frame_is_still_checked_by_its_names():
    model = again(made("perceptron-frame"))
    assert model.feature_names_in_.tolist() == FRAME.columns.tolist()
    with pytest.raises(ValueError, match="feature names"):
        model.predict(FRAME[FRAME.columns[::-1]])


@settings(max_examples=60)
@given(
    problem=any_data(),
    at_zero=st.sampled_from(["mistake", "positive", "negative"]),
    order=st.sampled_from(["given", "first", "worst"]),
    scale=st.sampled_from(["none", "ball", "sphere"]),
    fit_intercept=st.booleans(),
    intercept_scaling=st.floats(1e-3, 1e3),
    max_iter=st.integers(1, 9),
    threshold=st.sampled_from([None, "auto", 0.0, 0.25]),
    labels=st.sampled_from([(False, True), ("a", "b"), (-1, 1), (0.5, 2.0), (0, 2**40)]),
    batches=st.booleans(),
)
def test_any_run_survives(problem, threshold, labels, batches, **parameters):
    X, signs = problem
    y = np.array(labels)[(signs > 0).astype(int)]
    model = Perceptron(**parameters) if threshold is None else MarginPerceptron(threshold=threshold, **parameters)
    try:
        if batches:
            model.partial_fit(X[:1], y[:1], classes=labels).partial_fit(X, y)
        else:
            quiet(lambda: model.fit(X, y))
    except ValueError:  # rows of zeros, or too large
        return
    found = again(model)
    assert differences(model, found) == []
    try:
        model.partial_fit(-X, y)
    except ValueError:
        return
    assert differences(model, found.partial_fit(-X, y)) == []
    assert found.summary() == model.summary()


# What cannot be saved ----------------------------------------------------------------------------


def test_an_unfitted_model_is_refused_with_the_cure(tmp_path):
    for learner in (entry.estimator for entry in REGISTRY.values()):
        with pytest.raises(ValueError, match="nothing to save: call fit"):
            save(learner(), tmp_path / "model.nvk")
    assert os.listdir(tmp_path) == []


def test_only_models_can_be_saved(tmp_path):
    class Mine(Perceptron):
        pass

    for model in (Halving(concepts.monotone_conjunctions(d=3)), Mine().fit(X, TRUE), "model", None):
        with pytest.raises(TypeError, match="cannot be saved: only Perceptron"):
            save(model, tmp_path / "model.nvk")


@pytest.mark.parametrize("name", [1.5, (1, 2), True, None.__class__])
def test_names_must_be_strings_or_integers(name, tmp_path):
    model = Perceptron().learn_one({name: 1.0}, True)
    with pytest.raises(ValueError, match="neither a string nor an integer: rename it"):
        save(model, tmp_path / "model.nvk")


@pytest.mark.parametrize(
    ("change", "match"),
    [
        (lambda m: m.set_params(max_iter=-1), "max_iter"),
        (lambda m: m.set_params(order="first", shuffle=True), "order='given' alone"),
        (lambda m: m.set_params(intercept_scaling=math.nan), "intercept_scaling is nan"),
        (lambda m: m.set_params(intercept_scaling=math.inf), "intercept_scaling"),
        (lambda m: m.set_params(random_state=np.random.RandomState(np.random.PCG64(1))), "PCG64"),
        (lambda m: setattr(m, "reading_", {"a": (1,)}), "plain JSON"),
        (lambda m: setattr(m, "reading_", {"a": math.nan}), "plain JSON"),
        (lambda m: setattr(m, "reading_", [1]), "plain JSON"),
        (lambda m: setattr(m, "reading_", {"a": X}), "plain JSON"),
        (lambda m: setattr(m, "data_digest_", 7), "data of the wrong type"),
        (lambda m: setattr(m, "classes_", np.array([b"a", b"b"])), "labels of type"),
    ],
)
def test_what_could_not_be_read_is_not_written(change, match, tmp_path):
    model = made("perceptron")
    change(model)
    with pytest.raises(ValueError, match=match):
        save(model, tmp_path / "model.nvk")
    assert os.listdir(tmp_path) == []


# Descriptions ------------------------------------------------------------------------------------


def test_a_description_in_words(tmp_path):
    path = tmp_path / "model.nvk"
    save(made("perceptron-read"), path)
    model, found = made("perceptron-read"), describe(path)
    assert found.guarantee["mistakes"] == model.mistakes_ == found.guarantee["updates"]
    assert tuple(found.guarantee["margin"]) == model.margin_
    assert found.guarantee["bound"] == model.bound(model.margin_[0])
    assert found.input == model.reading_
    assert found.guarantee["data"] == model.data_digest_
    text = str(found)
    assert text.startswith("Perceptron(at_zero='mistake', ")
    assert f"{model.mistakes_} mistakes; the theorem allows at least {found.guarantee['allowed']:,} and at most" in text
    assert f"{path.stat().st_size:,} bytes, format 2, written by novikoff" in text


@pytest.mark.parametrize("name", ZOO)
def test_every_model_has_a_description(name, tmp_path):
    model = made(name)
    save(model, tmp_path / "model.nvk")
    found = describe(tmp_path / "model.nvk")
    assert found.n_features == model.n_features_in_
    assert found.learner in str(found)
    assert found.guarantee["mistakes"] == getattr(model, "mistakes_", None)


def test_a_description_does_not_speak_to_the_terminal(tmp_path):
    save(Perceptron().learn_one({"\x1b[31mred\x07": 1.0}, True), tmp_path / "model.nvk")
    assert "\x1b" not in str(describe(tmp_path / "model.nvk"))


def test_a_missing_file_is_a_missing_file(tmp_path):
    for read in (load, describe):
        with pytest.raises(FileNotFoundError):
            read(tmp_path / "model.nvk")


def test_invalid_models_are_value_errors():
    assert issubclass(InvalidModel, ValueError)
