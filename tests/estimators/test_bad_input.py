"""Every error names the place and the cure, and leaves the model as it was."""

from __future__ import annotations

import copy

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from novikoff import MarginPerceptron, Perceptron, certify
from novikoff.problems import separable

PROBLEM = separable(20, 3, margin=0.1, random_state=1)
X, Y = PROBLEM.X, PROBLEM.y


def state(model):
    """All that a user can see of a model."""
    if not hasattr(model, "coef_"):
        return {}
    names = (
        "coef_",
        "intercept_",
        "classes_",
        "history_",
        "mistakes_",
        "updates_",
        "passes_",
        "radius_",
        "margin_",
        "n_features_in_",
        "threshold_",
    )
    return {name: copy.deepcopy(getattr(model, name)) for name in names} | {"weights": model.weights()}


def same(a, b):
    return a.keys() == b.keys() and all(
        np.array_equal(a[name], b[name]) if name != "weights" else a[name] == b[name] for name in a
    )


def with_value(value, row=7, column=2):
    broken = X.copy()
    broken[row, column] = value
    return broken


@pytest.fixture(params=["new", "fitted", "streamed"])
def model(request):
    if request.param == "new":
        return Perceptron()
    if request.param == "fitted":
        return Perceptron().fit(X, Y)
    streamed = Perceptron()
    for x, y in PROBLEM.stream():
        streamed.learn_one(x, y)
    return streamed


BATCHES = [
    (with_value(np.nan), Y, "contains NaN: row 7, column 2"),
    (with_value(np.inf), Y, "contains infinity: row 7, column 2"),
    (sp.csr_array(with_value(-np.inf)), Y, "contains -infinity: row 7, column 2"),
    (with_value(np.nan, row=19).astype(np.float32), Y, "contains NaN: row 19, column 2"),
    (X[:0], Y[:0], "0 sample"),
    (X, Y[:-1], "X has 20 rows but y has 19 labels"),
    (X, np.where(Y > 0, 1.0, np.nan), "y.1. = nan"),
    (X[0], Y, "1D array|one example|Reshape"),
    (np.array([["a", "b", "c"]] * 20), Y, "could not convert|numbers|dtype"),
]


@pytest.mark.parametrize(("data", "labels", "message"), BATCHES)
@pytest.mark.parametrize("method", ["fit", "partial_fit"])
@pytest.mark.parametrize("order", ["given", "first", "worst"])
def test_batches(model, data, labels, message, method, order):
    model.set_params(order=order, max_iter=1)
    before = state(model)
    with pytest.raises(ValueError, match=message):
        getattr(model, method)(data, labels)
    assert same(state(model), before)


@pytest.mark.parametrize("order", ["given", "first", "worst"])
def test_a_row_that_the_loop_never_reaches_is_validated_too(order):
    with pytest.raises(ValueError, match="row 19, column 0"):
        Perceptron(order=order, max_iter=1).fit(with_value(np.nan, 19, 0), Y)


def test_a_failed_refit_on_other_columns_leaves_the_columns_alone():
    import pandas as pd

    model = Perceptron().fit(pd.DataFrame(X, columns=["a", "b", "c"]), Y)
    before = state(model) | {"names": list(model.feature_names_in_)}
    with pytest.raises(ValueError, match="row 3, column 1"):
        model.fit(np.where(np.arange(40).reshape(20, 2) == 7, np.nan, 1.0), Y)
    assert same(state(model) | {"names": list(model.feature_names_in_)}, before)
    fresh = Perceptron()
    with pytest.raises(ValueError, match="NaN"):
        fresh.fit(with_value(np.nan), Y)
    assert not hasattr(fresh, "n_features_in_")
    assert model.fit(np.column_stack([X @ PROBLEM.witness, Y]), Y).n_features_in_ == 2
    assert not hasattr(model, "feature_names_in_")


def test_parameters_changed_after_learning_wait_for_the_next_fit():
    model = Perceptron().fit(X, Y)
    before, scores = state(model), model.decision_function(X)
    model.set_params(fit_intercept=False, scale="ball", at_zero="positive")
    assert same(state(model), before)
    assert np.array_equal(model.decision_function(X), scores)


def test_one_class_only():
    with pytest.raises(ValueError, match="one class only, 1"):
        Perceptron().fit(X, np.ones(20, dtype=int))
    assert Perceptron().partial_fit(X, np.full(20, 5)).predict(X).tolist() == [5] * 20


def test_labels_outside_the_two():
    model = Perceptron().partial_fit(X, Y, classes=[-1, 1])
    before = state(model)
    with pytest.raises(ValueError, match=r"y\[3\] = 7 is neither of the two labels -1 and 1"):
        model.partial_fit(X, np.where(np.arange(20) == 3, 7, Y))
    assert same(state(model), before)
    with pytest.raises(ValueError, match=r"y\[\d+\] = -1 is none of the labels 0, 1, 2"):
        Perceptron().partial_fit(X, Y, classes=[0, 1, 2])


EXAMPLES = [
    ([1.0, 2.0], 1, "x has 2 features, but the model has 3"),
    (np.array([1.0, np.nan, 2.0]), 1, "contains NaN: the example, column 1"),
    ([1.0, 2.0, np.inf], 1, "contains infinity: the example, column 2"),
    (sp.csr_array(np.array([[0.0, np.nan, 0.0]])), 1, "contains NaN: the example, column 1"),
    (sp.csr_array((1, 4)), 1, "x has 4 features, but the model has 3"),
    (X[0], "yes", "label 'yes' is not known"),
    (X[0], None, "label None is not known"),
    (X[0], [1], r"label \[1\] is not known"),
    ({"a": 1.0}, 1, "no names"),
    (X[:2], 1, "one example"),
    (sp.csr_array(X[:2]), 1, "one example"),
    (["a", "b", "c"], 1, "must hold real numbers"),
    ([1j, 1.0, 1.0], 1, "complex"),
    ([10**400, 1, 1], 1, "x, column 0: .* is too large for float64"),
]


@pytest.mark.parametrize(("x", "y", "message"), EXAMPLES)
def test_examples(x, y, message):
    model = Perceptron().fit(X, Y)
    before = state(model)
    with pytest.raises(ValueError, match=message):
        model.learn_one(x, y)
    assert same(state(model), before)
    if not message.startswith("label"):
        with pytest.raises(ValueError, match=message):
            model.predict_one(x)


def test_a_failed_first_example_leaves_a_new_model():
    for x in ([1.0, np.nan], {"a": np.nan}, {"a": "high"}, [[1.0], [2.0]]):
        model = Perceptron()
        with pytest.raises(ValueError, match=r"NaN|nan|number|one example"):
            model.learn_one(x, 1)
        assert not hasattr(model, "coef_")
        assert model.learn_one([1.0], True).coef_.shape == (1, 1)


def test_dicts():
    model = Perceptron().learn_one({"a": 1.0, "b": 2.0}, -1)
    before = state(model)
    for x, message in (
        ({"a": 1.0, "c": np.inf}, "feature 'c' is inf"),
        ({"d": None}, "feature 'd' is None"),
        ({"a": "x"}, "feature 'a' is 'x'"),
        ({"a": 10**400}, "too large"),
        ({None: 1.0}, "None cannot be the name"),
    ):
        for call in (lambda x=x: model.learn_one(x, 1), lambda x=x: model.predict_one(x)):
            with pytest.raises(ValueError, match=message):
                call()
        assert same(state(model), before)


def test_weights_that_overflow():
    huge = 1.7e308
    with pytest.raises(ValueError, match="weights overflow at row 1"):
        Perceptron(fit_intercept=False, shuffle=False).fit([[huge, huge], [-huge / 2, huge]], [1, -1])
    model = Perceptron(fit_intercept=False).learn_one([huge, huge], 1)
    before = state(model)
    with pytest.raises(ValueError, match="weights overflow at the example"):
        model.learn_one([huge / 2, -huge], 1)
    assert same(state(model), before)
    named = Perceptron(fit_intercept=False).learn_one({"a": huge, "b": huge}, 1)
    before = state(named)
    with pytest.raises(ValueError, match="weights overflow"):
        named.learn_one({"a": huge / 2, "b": -huge, "new": 1.0}, 1)
    assert same(state(named), before)
    assert named.learn_one({"new": 1.0}, 1).n_features_in_ == 3


def test_a_threshold_beyond_the_floats():
    with pytest.raises(ValueError, match="Scale the features"):
        MarginPerceptron().fit([[1e200], [-1e200]], [1, -1])
    with pytest.raises(ValueError, match="Scale the features"):
        MarginPerceptron(fit_intercept=False).fit([[1e-200], [-1e-200]], [1, -1])


def test_rows_that_cannot_be_put_on_the_sphere():
    for value in (5e-324, 1.7e308):
        model = Perceptron(scale="sphere", fit_intercept=False, shuffle=False)
        with pytest.raises(ValueError, match="the norm, which at row 0 is not a float64"):
            model.fit([[value, value], [-value, -value]], [1, -1])
    model = Perceptron(scale="sphere", fit_intercept=False).fit([[1.0, 0.0], [-1.0, 0.0]], [1, -1])
    assert model.predict([[1.7e308, 1.7e308], [-5e-324, 5e-324], [0.0, 0.0]]).tolist() == [1, -1, -1]
    with pytest.raises(ValueError, match="all zeros"):
        model._row_of([0.0, 0.0])


def test_rows_of_zeros_in_the_ball():
    model = Perceptron(scale="ball", fit_intercept=False, max_iter=3)
    with pytest.warns(ConvergenceWarning):
        model.fit([[0.0, 0.0], [0.0, 0.0]], [0, 1])
    assert model.margin_[0] == -np.inf
    assert model.bound(1) == 0


def test_labels_that_cannot_be_ordered_or_do_not_match():
    with pytest.raises(ValueError, match="different types"):
        Perceptron().fit([[1.0], [2.0]], np.array(["a", 1], dtype=object))
    with pytest.raises(ValueError, match=r"y\[1\] is None, a label that is missing"):
        Perceptron().fit([[1.0], [2.0]], np.array(["a", None], dtype=object))
    model = Perceptron().partial_fit(X, Y, classes=[1, -1])
    assert model.partial_fit(X, Y, classes=[1, -1]).passes_ == 2
    with pytest.raises(ValueError, match="not the labels of the first call"):
        model.partial_fit(X, Y, classes=[7, 8])


def test_damaged_sparse_input():
    for bad in (10**8, -1):
        broken = sp.csr_matrix((np.ones(4), np.array([0, 1, 2, 0], dtype=np.int32), [0, 2, 4]), shape=(2, 3))
        broken.indices[3] = bad
        with pytest.raises(ValueError, match=r"damaged|negative|outside"):
            Perceptron().fit(broken, [0, 1])
    twice = sp.csr_array((np.array([1.0, 2.0, 3.0]), np.array([2, 0, 2]), [0, 3]), shape=(1, 3))
    assert Perceptron(fit_intercept=False).learn_one(twice, 1).coef_.tolist() == [[2.0, 0.0, 4.0]]
    assert twice.data.tolist() == [1.0, 2.0, 3.0], "the caller's row is left alone"


def test_what_users_hold_is_theirs():
    model = Perceptron(fit_intercept=False).learn_one([1.0, 0.0], 1)
    before = model.coef_
    before[:] = 7.0
    assert model.learn_one([0.0, 1.0], -1).coef_.tolist() == [[1.0, -1.0]]


def test_the_reason_goes_on_when_learning_does():
    model = Perceptron().fit(X, Y)
    assert model.stop_reason_.startswith("separated")
    model.learn_one(X[0], -Y[0])
    assert "stream" in model.stop_reason_
    assert "inf" not in Perceptron(warm_start=True).fit(X, Y).fit(X, Y).summary()


def test_a_zero_row_has_no_place_on_the_sphere():
    with pytest.raises(ValueError, match="row 1 is all zeros"):
        Perceptron(scale="sphere", fit_intercept=False).fit([[1.0], [0.0]], [1, -1])
    assert Perceptron(scale="sphere").fit([[1.0], [0.0]], [1, -1]).radius_ == 1.0


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"at_zero": "plus"}, "at_zero"),
        ({"order": "random"}, "order"),
        ({"scale": "unit"}, "scale"),
        ({"max_iter": 0}, "max_iter"),
        ({"intercept_scaling": 0}, "intercept_scaling"),
        ({"intercept_scaling": np.inf}, "intercept_scaling"),
        ({"shuffle": True, "order": "first"}, "shuffle=True goes with order='given' alone"),
        ({"shuffle": True, "order": "worst"}, "shuffle=True goes with order='given' alone"),
    ],
)
def test_parameters(parameters, message):
    for call in (
        lambda m: m.fit(X, Y),
        lambda m: m.partial_fit(X, Y),
        lambda m: m.learn_one(X[0], 1),
        lambda m: m.predict_one(X[0]),
    ):
        with pytest.raises(ValueError, match=message):
            call(Perceptron(**parameters))


def test_thresholds():
    for threshold in (-1.0, "high", np.nan):
        with pytest.raises(ValueError, match="threshold"):
            MarginPerceptron(threshold=threshold).fit(X, Y)
    with pytest.raises(ValueError, match="positive margin"):
        Perceptron().fit(X, Y).bound(0.0)


@pytest.mark.parametrize("order", ["given", "first", "worst"])
def test_weights_that_overflow_in_any_order(order):
    X = np.array([[1.7e308, -1.7e308], [1.7e308, 1.7e308], [-1.0, 0.0]])
    with pytest.raises(ValueError, match="weights overflow at row 1"):
        Perceptron(order=order, fit_intercept=False, shuffle=False).fit(X, [1, 1, -1])


@pytest.mark.parametrize("ask", [certify, Perceptron().fit], ids=["certify", "fit"])
def test_what_a_notebook_tries_first(ask):
    frame = pd.DataFrame({"age": [20, 30, 40], "plan": ["pro", None, "team"], "left": [True, False, True]})
    with pytest.raises(ValueError, match=r"column 'plan' of X holds text \('pro'\), .* pandas.get_dummies or sklearn"):
        ask(frame[["age", "plan"]], frame["left"])
    with pytest.raises(ValueError, match=r"y is the text 'left', .* pass the column, frame\['left'\]"):
        ask(frame[["age"]], "left")
    with pytest.raises(ValueError, match=r"X is text, .* pass what novikoff.data.read\(path\) returns"):
        ask("customers.csv")
