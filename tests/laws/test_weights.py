"""Weights of examples: c multiplies the step, 0 is no example, and the sum of those of the updates is bounded."""

from __future__ import annotations

import math
import pickle
import re
import warnings
from collections import Counter
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

import novikoff as nk
from novikoff import MarginPerceptron, PassiveAggressive, Perceptron
from novikoff.engine.rows import Rows
from novikoff.learners.linear import LinearLearner
from novikoff.problems import separable
from tests import problems, reference

# A threshold and a storage: neither depends on the other, and each pair is compiled.
WAYS = st.sampled_from(
    [
        (None, np.array),
        (None, sp.csr_array),
        (None, lambda X: np.array(X, dtype=np.float32)),
        (None, lambda X: sp.csr_array(X, dtype=np.float32)),
        (0.0, np.array),
        (1.0, sp.csr_array),
    ]
)
WHOLE = st.lists(st.sampled_from([0.25, 0.5, 1.0, 1.0, 2.0, 3.0]), min_size=30, max_size=30)
LEARNERS = [Perceptron, MarginPerceptron, PassiveAggressive]
# What is kept for an average does not depend on the rule.
RETURNED = st.sampled_from(
    [*((learner, hypothesis) for learner in LEARNERS for hypothesis in ("best", "last")), (Perceptron, "average")]
)


def fit(model, X, y, *weights):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.set_params(shuffle=False).fit(X, y, *weights)  # row by row, as the references go


def bits(model):
    return (
        model.coef_.tobytes(),
        model.last_coef_.tobytes(),
        model.intercept_.tobytes(),
        model.mistakes_,
        model.updates_,
        model.weight_of_updates_,
        model.margin_,
        model.summary(),
    )


def test_a_weight_is_not_a_repetition():
    """Five times (1, 0) and (-3/5, 4/5), so R^2/gamma^2 = 5: with weights 50 and 1 there are 32 updates."""
    X, y = [[5.0, 0.0], [-3.0, 4.0]], [1, 1]
    plain = Perceptron(fit_intercept=False)._fresh(2)
    weighed = Perceptron(fit_intercept=False)._fresh(2)
    signs = np.array(y, dtype=np.int8)
    plain.run(Rows(np.array(X), signs, 0.0), "given", 1000)
    weighed.run(Rows(np.array(X), signs, 0.0, importance=np.array([50.0, 1.0])), "given", 1000)
    assert plain.updates <= 5
    assert weighed.updates == 32
    assert weighed.weight == 81.0  # no more than c R^2/gamma^2 = 50 * 5
    repeated = Perceptron(fit_intercept=False)._fresh(2)
    rows = np.array([X[0]] * 50 + [X[1]])
    repeated.run(Rows(rows, np.ones(51, dtype=np.int8), 0.0), "given", 1000)
    assert repeated.updates <= 5


@given(
    problems.grids(),
    WHOLE,
    WAYS,
    st.sampled_from([0.0, 1.0]),
    st.integers(1, 8),
)
def test_the_reference_in_rationals_agrees(data, weights, way, constant, passes):
    X, y = data
    theta, storage = way
    c = weights[: len(X)]
    options = {"max_iter": passes, "fit_intercept": constant > 0, "hypothesis": "last"}
    model = Perceptron(**options) if theta is None else MarginPerceptron(threshold=theta, **options)
    found = reference.rounds(
        X.tolist(),
        y.tolist(),
        constant=constant,
        theta=theta or 0,
        margin=theta is not None,
        passes=passes,
        weights=c,
    )
    fit(model, storage(X), y, c)
    assert [*model.coef_[0], model.intercept_[0]] == found[-1].W[0]
    assert (model.mistakes_, model.updates_) == (sum(r.mistake for r in found), sum(r.updated for r in found))
    assert model.weight_of_updates_ == sum(c[t % len(X)] for t, r in enumerate(found) if r.updated)
    trace = model.trace(X, y, c)
    assert trace.steps.tolist() == [c[i] for i in trace.rows]


@given(problems.grids(), WHOLE, st.integers(3, 5), st.integers(0, 99))
def test_many_classes(data, weights, k, seed):
    X, _ = data
    y = np.random.default_rng(seed).integers(0, k, len(X)).astype(np.int32)
    c = np.array(weights[: len(X)])
    found = reference.rounds(X.tolist(), y.tolist(), classes=k, constant=1.0, passes=5, weights=c)
    for storage in (X, sp.csr_array(X)):
        learner = LinearLearner(Perceptron()._rule(), X.shape[1], 1.0, unit=False, heads=k)
        learner.run(Rows(storage, y, 1.0, importance=c), "given", 5)
        assert learner.W.tolist() == found[-1].W
        assert learner.weight == sum(c[t % len(X)] for t, one in enumerate(found) if one.updated)


@given(
    problems.grids(),
    WHOLE,
    st.sampled_from([("PA-I", 1), ("PA-II", 2)]),
    st.sampled_from([0.25, 1.0]),
    st.sampled_from([np.array, sp.csr_array]),
)
def test_of_passive_aggressive_learners_it_multiplies_c(data, weights, variant, C, storage):
    X, y = data
    name, number = variant
    model = fit(PassiveAggressive(variant=name, C=C, max_iter=1, hypothesis="last"), storage(X), y, weights[: len(X)])
    w: list[Fraction] = []
    for x, label, c in zip(X.tolist(), y.tolist(), weights, strict=False):
        w = reference.passive_aggressive(
            [x], [label], variant=number, C=C * c, constant=1.0, max_iter=1, start=w, rounded=True
        ).w
    assert [*model.coef_[0], model.intercept_[0]] == w


@given(problems.any_data(), RETURNED, st.data())
def test_a_weight_of_zero_is_no_example_and_one_is_none(data, returned, draw):
    X, y = data
    learner, hypothesis = returned
    c = np.array(draw.draw(st.lists(st.sampled_from([0.0, 1.0, 0.5, 3.0]), min_size=len(X), max_size=len(X))))
    kept = np.flatnonzero(c)
    if len(set(y[kept])) < 2:
        c[:] = 1.0
        kept = np.arange(len(X))

    def made(*data):
        model = learner(max_iter=12, hypothesis=hypothesis)
        try:
            return bits(fit(model, *data))
        except ValueError as error:
            return re.sub(r"row \d+", "row", str(error))

    expected = made(X[kept], y[kept], c[kept])
    assert made(X, y, c) == expected
    assert made(sp.csr_array(X), y, c.tolist()) == expected
    assert made(X, y, np.ones(len(X))) == made(X, y)


@given(problems.any_data(), RETURNED.filter(lambda returned: returned[1] != "best"), st.integers(0, 99))
def test_any_split_into_batches(data, returned, seed):
    X, y = data
    learner, hypothesis = returned
    rng = np.random.default_rng(seed)
    c = rng.choice([0.1, 1.0, 2.5], len(X))
    options = {"hypothesis": hypothesis}
    try:
        whole = fit(learner(max_iter=1, **options), X, y, c)
    except ValueError:
        return
    batches = learner(**options)
    for part in np.array_split(np.arange(len(X)), rng.integers(1, len(X) + 1)):
        batches.partial_fit(X[part], y[part], classes=[-1, 1], sample_weight=c[part])
    assert batches.coef_.tobytes() == whole.coef_.tobytes()
    assert (batches.weight_of_updates_, batches.updates_) == (whole.weight_of_updates_, whole.updates_)


# The bound ----------------------------------------------------------------------------------------


def test_the_weights_of_the_updates_are_bounded():
    """C <= (c R^2 + 2 theta)/gamma^2, and no margin is above ||w||/C: on whole numbers, where nothing rounds."""
    seen = Counter()

    @given(st.integers(0, 2**32 - 1), st.sampled_from([None, 1.0, 20.0]))
    def check(seed, theta):
        rng = np.random.default_rng(seed)
        u = rng.integers(-3, 4, 3)
        X = rng.integers(-4, 5, (12, 3))
        y = np.sign(X @ u)
        X, y = X[y != 0].astype(float), y[y != 0]
        if len(set(y)) < 2:
            return
        c = rng.choice([0.25, 1.0, 2.0, 7.0], len(X))
        options = {"fit_intercept": False, "max_iter": 10**5}
        model = Perceptron(**options) if theta is None else MarginPerceptron(threshold=theta, **options)
        fit(model, X, y, c)
        gamma_sq = Fraction(int(min(y * (X @ u))) ** 2, int(u @ u))
        C = Fraction(model.weight_of_updates_)
        most = Fraction(max(c[i] for i in model.trace(X, y, c).rows))
        radius_sq = max(Fraction(int(x @ x)) for x in X)
        assert C * gamma_sq <= most * radius_sq + 2 * Fraction(theta or 0)
        assert not model.rounded_
        below = Fraction(math.isqrt(int(gamma_sq * 2**80))) / 2**40
        allowed = model.bound(below)
        exact = most * model._learner.radius_sq + 2 * Fraction(theta or 0)
        if model._learner.weighed:
            assert isinstance(allowed, float)
            assert exact / below**2 <= Fraction(allowed) <= exact / below**2 * (1 + Fraction(1, 2**50))
            seen["weighed"] += 1
        assert Fraction(allowed) >= C
        assert Fraction(model.margin_[1]) ** 2 >= gamma_sq
        seen["M above R^2/gamma^2"] += model.updates_ * gamma_sq > radius_sq
        seen["all"] += 1

    check()
    assert seen["weighed"] >= seen["all"] / 2, seen


def test_where_products_round_the_bound_is_that_for_rounded_weights():
    problem = separable(60, 4, margin=0.05, random_state=1)
    c = np.random.default_rng(0).random(60)
    model = fit(Perceptron(fit_intercept=False, max_iter=10**5), problem.X, problem.y, c)
    assert model.rounded_
    heaviest = Fraction(max(c[model.trace(problem.X, problem.y, c).rows]))
    exact = heaviest * model._learner.radius_sq / problem.margin**2
    allowed = Fraction(model.bound(problem.margin))
    assert model.weight_of_updates_ <= exact < allowed <= exact * (1 + Fraction(model.updates_ + 1, 2**49))
    assert model.margin_[1] >= problem.margin
    assert "The updates weigh" in model.summary()
    assert model.certify(problem.X, problem.y).bound is None
    aggressive = fit(PassiveAggressive(max_iter=100), problem.X, problem.y, c)
    assert aggressive.bound(problem.margin) is None


@pytest.mark.parametrize(
    ("rule", "x"),
    [
        (Perceptron, 2.0**-300),
        (Perceptron, 2.0**-600),
        (Perceptron, 5e-324),
        (MarginPerceptron, 2.0**-600),
        (partial(PassiveAggressive, variant="PA-I"), 2.0**-300),
    ],
)
@pytest.mark.parametrize("sparse", [False, True])
def test_a_step_that_may_underflow_is_refused_and_changes_nothing(rule, sparse, x):
    least = 2.0**-900 / x
    X, y = np.array([[1.0], [-x]]), np.array([1, -1])
    form = sp.csr_array(X) if sparse else X
    model = rule(fit_intercept=False).partial_fit(-form[:1], y[:1], classes=[-1, 1], sample_weight=[0.5])
    before = model.coef_.copy()
    with pytest.raises(ValueError, match="row 0 weighs so little"):
        model.partial_fit(form[1:], y[1:], sample_weight=[least * 0.9])
    assert model.coef_.tobytes() == before.tobytes()
    model.partial_fit(form[1:], y[1:], sample_weight=[least * 1.1])
    assert model.updates_ == 2


@pytest.mark.parametrize(("c", "x"), [(0.1, 0.3), (3.0, 1 / 3), (0.1 * 2.0**-290, 2.0**-600 / 3)])
def test_a_product_that_rounds_is_found(c, x):
    model = Perceptron(fit_intercept=False).partial_fit([[x]], [1], classes=[-1, 1], sample_weight=[c])
    assert model.rounded_
    assert model.coef_[0, 0] == c * x
    exact = Perceptron(fit_intercept=False).partial_fit([[0.5]], [1], classes=[-1, 1], sample_weight=[0.75])
    assert not exact.rounded_


# The best -----------------------------------------------------------------------------------------


def test_the_best_has_the_least_weight_of_errors():
    rng = np.random.default_rng(3)
    X = rng.standard_normal((200, 3))
    y = np.where(X[:, 0] + rng.standard_normal(200) > 0, 1, -1)
    differ = 0
    for seed in range(6):
        c = np.random.default_rng(seed).choice([0.5, 1.0, 8.0], 200)
        model = fit(Perceptron(max_iter=60), X, y, c)
        found = reference.rounds(X.tolist(), y.tolist(), constant=1.0, passes=1)
        assert len(found) == 200
        learner = Perceptron()._fresh(3)
        learner.keep_survivors(60)
        rows = Rows(X, y.astype(np.int8), 1.0, importance=c)
        learner.run(rows, "given", 60)
        tried = [learner.W.copy(), *learner._survivors(5)]
        wrong = [y * (X @ W[0, :-1] + W[0, -1]) <= 0 for W in tried]
        lost = [c[each].sum() for each in wrong]
        assert model.coef_.tobytes() == tried[lost.index(min(lost))][:, :-1].tobytes()
        assert f"misclassify {wrong[lost.index(min(lost))].sum()} of 200 rows" in model.stop_reason_
        counts = [each.sum() for each in wrong]
        differ += counts.index(min(counts)) != lost.index(min(lost))
    assert differ >= 1


# class_weight, and what else there is ---------------------------------------------------------------


def noisy(n=120):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, 4))
    return X, np.where(X[:, 0] + 0.5 * rng.standard_normal(n) > 0.5, "yes", "no")


def test_class_weights_multiply():
    X, y = noisy()
    c = np.random.default_rng(1).choice([0.0, 1.0, 2.0], 120)
    ours = fit(Perceptron(max_iter=20, class_weight={"yes": 3}), X, y, c)
    assert bits(ours) == bits(fit(Perceptron(max_iter=20), X, y, np.where(y == "yes", 3 * c, c)))
    n = np.count_nonzero(c)
    each = {label: n / (2 * np.count_nonzero(c[y == label])) for label in ("yes", "no")}
    balanced = fit(Perceptron(max_iter=20, class_weight="balanced"), X, y, c)
    by_hand = fit(Perceptron(max_iter=20, class_weight=each), X, y, c)
    said = by_hand.summary().splitlines()
    assert balanced.summary().splitlines() == said[:-1], "of new data it says nothing: it has counted all labels"
    assert "independent draws" in said[-1]
    assert [part for part in bits(balanced) if part != balanced.summary()] == [
        part for part in bits(by_hand) if part != by_hand.summary()
    ]
    parts = Perceptron(class_weight={"no": 0.5}, hypothesis="last")
    whole = fit(Perceptron(class_weight={"no": 0.5}, max_iter=1, hypothesis="last"), X, y)
    for part in np.array_split(np.arange(120), 5):
        parts.partial_fit(X[part], y[part], classes=["no", "yes"])
    assert parts.coef_.tobytes() == whole.coef_.tobytes()


@pytest.mark.parametrize("classes", [None, ["no", "yes"]])
def test_a_batch_without_some_label_of_class_weight(classes):
    X, y = noisy()
    each, order = {"no": 0.5, "yes": 3.0}, np.argsort(y, kind="stable")  # the first batches are all "no"
    parts = Perceptron(class_weight=each, hypothesis="last")
    for part in np.array_split(order, 5):
        parts.partial_fit(X[part], y[part], classes=classes)
    whole = fit(Perceptron(class_weight=each, max_iter=1, hypothesis="last", shuffle=False), X[order], y[order])
    assert parts.coef_.tobytes() == whole.coef_.tobytes()
    assert parts.weight_of_updates_ == whole.weight_of_updates_


def test_what_cannot_be_a_weight():
    X, y = noisy(20)

    def refused(match, weights=None, model=None):
        model = model or Perceptron()
        for call in (model.fit, model.partial_fit):
            with pytest.raises(ValueError, match=match):
                call(X, y, sample_weight=weights)
            assert not hasattr(model, "coef_")

    refused(r"sample_weight\[3\] = -1.0", [1, 1, 1, -1] + [1] * 16)
    refused(r"sample_weight\[0\] = nan", [math.nan] * 20)
    refused(r"sample_weight\[0\] = inf", [math.inf] * 20)
    refused(r"shape \(3,\), but X has 20 rows", [1, 2, 3])
    refused("sample_weight must hold a number for each row: .*'heavy'", ["heavy"] * 20)
    refused("sample_weight must hold a number for each row: .*complex", [1j] * 20)
    refused("every sample_weight is zero", [0.0] * 20)
    maybe = Perceptron(class_weight={"maybe": 2})
    with pytest.raises(ValueError, match="'maybe', which is no label of y"):
        maybe.fit(X, y)
    with pytest.raises(ValueError, match="'maybe', which is no label of y"):
        maybe.partial_fit(X, y, classes=["no", "yes"])
    assert not hasattr(maybe, "coef_")
    refused(r"class_weight\['no'\] = -1", model=Perceptron(class_weight={"no": -1}))
    refused("every row has the weight 0", model=Perceptron(class_weight={"no": 0, "yes": 0.0}))
    refused(r"sample_weight\[\d+\] times the weight of its class", [1e300] * 20, Perceptron(class_weight={"no": 1e300}))
    refused('variant="PA-I" or "PA-II"', [1, 0.5] * 10, PassiveAggressive(variant="PA"))
    with pytest.raises(ValueError, match="partial_fit sees one"):
        Perceptron(class_weight="balanced").partial_fit(X, y)
    with pytest.raises(ValueError, match="one class only"):
        Perceptron().fit(X, y, (y == "yes").astype(float))
    with pytest.raises(ValueError, match="class_weight"):
        Perceptron(class_weight="heavy").fit(X, y)
    zeros = fit(PassiveAggressive(variant="PA", max_iter=3), X, y, [1, 1, 0, 1] * 5)
    assert zeros.weight_of_updates_ == zeros.updates_


def test_errors_name_the_row_that_was_given():
    X, y = noisy(20)
    X[7, 2] = np.nan
    for call in (Perceptron().fit, Perceptron().partial_fit):
        with pytest.raises(ValueError, match="row 7"):
            call(X, y, sample_weight=[0, 0, 0, 2] + [1] * 16)
    fit(Perceptron(max_iter=5), X, y, [1] * 7 + [0] + [1] * 12)
    X = np.full((4, 1), 1e200)
    with pytest.raises(ValueError, match="row 2"):
        Perceptron(fit_intercept=False).partial_fit(X, [1, 1, -1, 1], classes=[-1, 1], sample_weight=[1, 1, 1e200, 1])


def test_it_is_kept_in_files(tmp_path):
    X, y = noisy()
    c = np.random.default_rng(1).random(120)
    model = fit(Perceptron(max_iter=20, class_weight={"yes": 3.0, "no": 1}), X, y, c)
    nk.save(model, tmp_path / "model.nvk")
    again = nk.load(tmp_path / "model.nvk")
    assert bits(again) == bits(model) == bits(pickle.loads(pickle.dumps(model)))
    assert again.get_params() == model.get_params()
    assert bits(again.partial_fit(X, y, sample_weight=c)) == bits(model.partial_fit(X, y, sample_weight=c))


@pytest.mark.parametrize("weights", [[0.5, 1.0], [1.0, 0.5], [0.5, 0.5], [1.0, 1.0]])
def test_a_run_is_weighed_if_any_update_was_whichever_came_last(weights):
    clf = Perceptron(fit_intercept=False, shuffle=False).fit([[1.0, 0.0], [0.0, 1.0]], [1, -1], sample_weight=weights)
    assert (clf.updates_, clf.weight_of_updates_) == (2, sum(weights))
    assert clf._learner.weighed is (weights != [1.0, 1.0])
