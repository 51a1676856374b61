"""Many classes: the runs are those of the textbook in rationals, whatever stores the rows and however they are fed."""

from __future__ import annotations

import warnings
from fractions import Fraction
from functools import partial
from itertools import product

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from novikoff import MarginPerceptron, PassiveAggressive, Perceptron, play
from novikoff.theory.exact import root
from tests import reference
from tests.laws.test_exactness import bits, fit, unsorted_csr

PA = {"PA": 0, "PA-I": 1, "PA-II": 2}


def textbook(rows, y, k, *, theta=0, variant=None, C=Fraction(1), order="given", passes=4):
    """W, the mistakes, the updates (row, rival, step), and the rows or counts of each pass, in rationals.

    A variant of Passive-Aggressive takes its steps from correctly rounded products and norms, none where the loss is
    below 2^-40, and its weights are floats after every product and sum.
    """
    W = [[Fraction(0)] * len(rows[0]) for _ in range(k)]
    mistakes, updates, history = 0, [], []

    def look(i):
        scores = [sum((a * b for a, b in zip(w, rows[i], strict=True)), Fraction(0)) for w in W]
        rival = max((r for r in range(k) if r != y[i]), key=lambda r: (scores[r], -r))
        return (scores[y[i]] - scores[rival]) / 2, rival

    def due(i):
        p = look(i)[0]
        return p < 1 if variant is not None else p <= theta

    for _ in range(passes):
        found, met = 0, mistakes
        turns = range(len(rows))
        if order != "given":
            bad = [i for i in turns if due(i)]
            turns = [] if not bad else [bad[0] if order == "first" else min(bad, key=lambda i: (look(i)[0], i))]
        for i in turns:
            p, rival = look(i)
            mistakes += p <= 0
            if not due(i):
                continue
            square, step, number = sum(x * x for x in rows[i]), Fraction(1), Fraction
            if variant is not None:
                loss, number = 1.0 - float(p), float
                if not square or loss < 2.0**-40:
                    continue
                step = reference.aggressive_step(variant, float(C), loss, float(square))
            for place, sign in ((y[i], 1), (rival, -1)):
                terms = [Fraction(number(sign * Fraction(step) * x)) for x in rows[i]]
                W[place] = [Fraction(number(a + b)) for a, b in zip(W[place], terms, strict=True)]
            updates.append((i, rival, step))
            found += 1
        history.append(found if order == "given" else turns[0] if found else -1)
        if not found or (variant is not None and order == "given" and mistakes == met):
            break
    return W, mistakes, updates, history


SMALL = st.integers(-2, 2)


@st.composite
def problems(draw, entries=SMALL):
    """Rows of small integers, on which scores tie and updates do not round; all of the classes occur."""
    k, d = draw(st.integers(3, 6)), draw(st.integers(1, 4))
    n = draw(st.integers(k, 14))
    X = np.array(draw(st.lists(st.lists(entries, min_size=d, max_size=d), min_size=n, max_size=n)), dtype=float)
    y = np.array([*range(k), *draw(st.lists(st.integers(0, k - 1), min_size=n - k, max_size=n - k))])
    return X.reshape(n, d), y[np.array(draw(st.permutations(range(n))))], k


def rationals(X, constant):
    return [[*(Fraction(float(v)) for v in row), Fraction(constant)] for row in X]


def learned(model):
    W = np.c_[model.coef_, model.intercept_]
    return [[Fraction(a) for a in row] for row in W.tolist()]


@given(problems(), st.sampled_from(["given", "first", "worst"]), st.sampled_from([0, 1, 3]), st.booleans())
@settings(max_examples=80)
def test_perceptrons_are_the_textbook_to_the_letter(problem, order, theta, intercept):
    X, y, k = problem
    model = MarginPerceptron(threshold=float(theta)) if theta else Perceptron()
    model.set_params(order=order, max_iter=4, fit_intercept=intercept, shuffle=False, hypothesis="last")
    fit(model, X, y)
    W, mistakes, updates, history = textbook(rationals(X, int(intercept)), y, k, theta=theta, order=order)
    assert not model.rounded_
    assert learned(model) == W
    assert (model.mistakes_, model.updates_) == (mistakes, len(updates))
    assert model.history_.tolist() == history


@given(problems(), st.sampled_from(list(PA)), st.sampled_from([Fraction(1, 4), Fraction(2)]))
@settings(max_examples=60)
def test_passive_aggressive_is_the_textbook_with_its_rounding(problem, variant, C):
    X, y, k = problem
    model = fit(PassiveAggressive(variant=variant, C=float(C), max_iter=3, shuffle=False, hypothesis="last"), X, y)
    W, mistakes, updates, history = textbook(rationals(X, 1), y, k, variant=PA[variant], C=C, passes=3)
    assert learned(model) == W
    assert (model.mistakes_, model.updates_) == (mistakes, len(updates))
    assert model.history_.tolist() == history
    assert model.trace(X, y).steps.tolist() == [float(step) for _, _, step in updates]


@given(problems(), st.sampled_from([0, 2]))
@settings(max_examples=40)
def test_the_trace_leads_to_the_weights(problem, theta):
    X, y, k = problem
    model = MarginPerceptron(threshold=float(theta)) if theta else Perceptron()
    model.set_params(max_iter=4, shuffle=False, hypothesis="last")
    fit(model, X, y)
    _, _, updates, _ = textbook(rationals(X, 1), y, k, theta=theta)
    trace = model.trace(X, y)
    assert list(zip(trace.rows.tolist(), trace.rivals.tolist(), strict=True)) == [(i, r) for i, r, _ in updates]
    ends = [W for block in trace.path() for W in block]
    assert len(ends) == len(updates)
    if ends:
        assert np.array_equal(ends[-1], np.c_[model.coef_, model.intercept_])


RULES = [Perceptron, MarginPerceptron, partial(PassiveAggressive, C=0.3)]


@pytest.mark.parametrize(
    "ways",
    [
        pytest.param([(RULES[0], "worst")], id="steps of 1", marks=pytest.mark.compiles),
        pytest.param([(RULES[2], "given")], id="measured steps", marks=pytest.mark.compiles),
        pytest.param(list(product(RULES, ["given", "worst"])), id="each rule and order", marks=pytest.mark.long),
    ],
)
@given(problems(entries=st.sampled_from([0.0, 1.0, -1.0, 0.1, 1e-3, 3e7, -2.5])), st.data())
@settings(max_examples=60)
def test_storage_splits_and_turns_change_no_bit(ways, problem, data):
    X, y, k = problem
    X = X.astype(np.float32).astype(np.float64)
    make, order = data.draw(st.sampled_from(ways))
    scale = data.draw(st.sampled_from(["none", "sphere"]))
    make = partial(make, max_iter=3, shuffle=False, hypothesis="last", scale=scale, order=order)
    expected = bits(fit(make(), X, y))
    rng = np.random.default_rng(0)
    for form in (X.astype(np.float32), np.asfortranarray(X), sp.csr_array(X), unsorted_csr(X, rng)):
        assert bits(fit(make(), form, y)) == expected
    one = make()
    whole, parts = make(), make()
    cut = data.draw(st.integers(1, len(X) - 1))
    for model, spans in ((whole, [slice(None)]), (parts, [slice(cut), slice(cut, None)])):
        for part in spans:
            model.partial_fit(X[part], y[part], classes=range(k))
    one.partial_fit(X[:1], y[:1], classes=range(k))
    for x, label in zip(X[1:], y[1:], strict=True):
        one.learn_one(x, int(label))
    assert whole.coef_.tobytes() == parts.coef_.tobytes() == one.coef_.tobytes()
    assert whole.mistakes_ == parts.mistakes_ == one.mistakes_
    assert whole.updates_ == parts.updates_ == one.updates_


@given(problems(entries=st.sampled_from([0.0, 1.0, -1.0, 0.1, 1e-3, 3e7, 1e-200, 1e200])), st.booleans())
@settings(max_examples=60)
def test_predictions_are_those_of_exact_scores(problem, sparse):
    X, y, k = problem
    model = fit(Perceptron(max_iter=3, shuffle=False, hypothesis="last"), X, y)
    W = learned(model)
    form = sp.csr_array(X) if sparse else X
    scores = model.decision_function(form)
    said = model.predict(form)
    for i, row in enumerate(rationals(X, 1)):
        exact = [sum((a * b for a, b in zip(w, row, strict=True)), Fraction(0)) for w in W]
        best = [r for r in range(k) if exact[r] == max(exact)]
        assert said[i] == best[0]
        assert np.flatnonzero(scores[i] == scores[i].max()).tolist() == best
        assert model.predict_one(X[i]) == (best[0] if len(best) == 1 else None)


@given(problems())
@settings(max_examples=60)
def test_margin_errors_and_upper_end_are_what_they_say(problem):
    X, y, _ = problem
    model = fit(MarginPerceptron(max_iter=30, shuffle=False, hypothesis="last"), X, y)
    W, rows = learned(model), rationals(X, 1)
    square = sum(a * a for w in W for a in w)
    leads = []
    for row, label in zip(rows, y, strict=True):
        scores = [sum((a * b for a, b in zip(w, row, strict=True)), Fraction(0)) for w in W]
        leads.append(scores[label] - max(s for r, s in enumerate(scores) if r != label))
    lower, upper = model.margin_
    if square:
        exact = min(leads) ** 2 / (2 * square)
        assert Fraction(lower) ** 2 <= exact if min(leads) >= 0 else Fraction(lower) ** 2 >= exact
        assert abs(lower) == pytest.approx(float(root(exact)[0]))
        assert np.sign(lower) == np.sign(float(min(leads)))
        assert upper == pytest.approx(float(root(square / 2)[0]) / model.updates_)
    assert model.stop_reason_.startswith("separated") == (min(leads) > 0 and model.history_[-1] == 0)
    if min(leads) > 0:
        assert model.updates_ <= model.bound(Fraction(lower))


def test_two_classes_are_one_vector_and_their_two_heads_are_the_same_run():
    rng = np.random.default_rng(3)
    X = rng.integers(-3, 4, (40, 3)).astype(float)
    y = np.where(X @ [1, -2, 1] + 0.5 > 0, 1, 0)
    model = Perceptron(shuffle=False, hypothesis="last").fit(X, y)
    W, mistakes, updates, _ = textbook(rationals(X, 1), y, 2, passes=1000)
    assert model.coef_.shape == (1, 3)
    assert [[-a for a in learned(model)[0]], learned(model)[0]] == W
    assert (model.mistakes_, model.updates_) == (mistakes, len(updates))


# On a stream --------------------------------------------------------------------------------------


@given(problems(), st.booleans())
@settings(max_examples=60)
def test_a_batch_in_rounds_is_a_loop_of_predictions_and_lessons(problem, sparse):
    X, y, _ = problem
    labels = np.array(["ant", "bee", "cat", "dog", "elk", "fox"])[y]
    batch, single = Perceptron(), Perceptron()
    places = batch._online_answers(sp.csr_array(X) if sparse else X, None, labels)
    for i, (x, label) in enumerate(zip(X, labels, strict=True)):
        said = single.predict_one(x)
        single.learn_one(x, str(label))
        new = i == np.flatnonzero(labels == label)[0]
        assert (said is None or new) == bool(places.undecided[i])
        if not places.undecided[i]:
            assert said == batch.classes_[places.places[i]]
    assert batch.classes_.tolist() == single.classes_.tolist() == list(dict.fromkeys(labels.tolist()))
    assert batch.coef_.tobytes() == single.coef_.tobytes()
    assert (batch.mistakes_, batch.updates_) == (single.mistakes_, single.updates_)


@given(problems())
@settings(max_examples=60)
def test_labels_that_are_first_met_cost_no_more_than_one_mistake_each(problem):
    """Updates obey the bound; and so do the mistakes, but for the first example of each label."""
    X, y, _ = problem
    model = Perceptron()
    wrong = 0
    for x, label in zip(X, y, strict=True):
        wrong += model.predict_one(x) != label
        model.learn_one(x, int(label))
    assert wrong == model.mistakes_
    assert model.mistakes_ <= model.updates_ + len(set(y.tolist()))


@pytest.mark.parametrize(
    ("stream", "classes"),
    [
        ([1, -1, 1], [-1, 1]),
        ([1, 1], [-1, 1]),
        ([1, 0], [0, 1]),
        ([0, 1], [0, 1]),
        ([-1, 0, 1], [-1, 0, 1]),
        ([1, 2, 3], [2, 1, 3]),
        ([True, False], [False, True]),
        ([np.True_], [False, True]),
        (["spam", "ham", "eggs"], ["spam", "ham", "eggs"]),
        ([2.5, 7], [2.5, 7.0]),
    ],
)
def test_classes_come_as_they_are_met(stream, classes):
    model = Perceptron()
    assert model.predict_one([1.0, 0.0]) is None
    for i, label in enumerate(stream):
        model.learn_one([float(i), 1.0], label)
    assert model.classes_.tolist() == classes
    model.learn_one([0.0, 0.0], stream[0])
    assert model.predict_one([9.0, 1.0]) in [*classes, None]


def test_what_was_learned_of_two_classes_is_kept_when_a_third_comes():
    model = Perceptron().learn_one([1.0, 2.0], "a").learn_one([1.0, -1.0], "b")
    w = model.coef_[0]
    model.learn_one([0.0, 0.0], "c")
    assert np.array_equal(model.coef_, [-w, w, 0 * w])
    assert model.predict_one([1.0, 5.0]) == "a"


@pytest.mark.parametrize(
    ("known", "label", "message"),
    [
        (["a", "b"], 3, "label 3 is not known: y must be 'a' or 'b'"),
        (["a", "b"], None, "label None is not known"),
        ([1, 2, 3], "a", "label 'a' is not known: y must be 2 or 1 or 3"),
        ([1, 2, 3], True, "label True is not known"),
        ([1, 2, 3], float("nan"), "label nan is not known"),
        ([1, 2, 3], [1], r"label \[1\] is not known"),
    ],
)
def test_labels_of_another_kind_are_refused_and_change_nothing(known, label, message):
    model = Perceptron()
    for i, each in enumerate(known):
        model.learn_one([float(i), 1.0], each)
    before = model.coef_.tobytes(), model.mistakes_, model.classes_.tolist()
    with pytest.raises(ValueError, match=message):
        model.learn_one([1.0, 1.0], label)
    assert before == (model.coef_.tobytes(), model.mistakes_, model.classes_.tolist())


def test_an_example_that_is_refused_brings_no_class():
    model = Perceptron().learn_one([1.0, 1.0], "a").learn_one([0.0, 1.0], "b")
    with pytest.raises(ValueError, match="finite"):
        model.learn_one([np.nan, 1.0], "c")
    assert model.classes_.tolist() == ["a", "b"]
    assert model.coef_.shape == (1, 2)
    with pytest.raises(ValueError, match="finite"):
        model.predict_learn([[1.0, 1.0], [np.inf, 1.0]], ["a", "c"])
    assert model.classes_.tolist() == ["a", "b"]


def test_declared_classes_are_all_that_there_are():
    model = Perceptron().partial_fit([[1.0], [2.0]], ["a", "b"], classes=["a", "b", "c"])
    assert model.coef_.shape == (3, 1)
    with pytest.raises(ValueError, match="'d' is none of the labels 'a', 'b', 'c'"):
        model.partial_fit([[1.0]], ["d"])
    with pytest.raises(ValueError, match="label 'd' is not known"):
        model.learn_one([1.0], "d")


def test_batches_bring_new_classes_with_weights_of_zero():
    model = Perceptron().partial_fit([[1.0], [2.0]], [0, 1])
    assert model.coef_.shape == (1, 1)
    model.partial_fit([[1.0], [2.0]], [5, 3])
    assert model.classes_.tolist() == [0, 1, 3, 5]
    assert model.coef_.shape == (4, 1)


def test_conventions_at_zero_are_for_two_classes():
    with pytest.raises(ValueError, match="at_zero='positive' is for two classes, and here are 3"):
        Perceptron(at_zero="positive").fit([[1.0], [2.0], [3.0]], [0, 1, 2])
    model = Perceptron(at_zero="negative").learn_one([1.0], 0).learn_one([2.0], 1)
    with pytest.raises(ValueError, match="at_zero='negative' is for two classes"):
        model.learn_one([3.0], 2)
    assert model.classes_.tolist() == [0, 1]


def test_signs_are_for_two_classes():
    model = Perceptron().learn_one([1.0], 1)
    assert model.sign_one([1.0]) == 1
    assert model.sign_one([0.0]) in (-1, 0, 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = Perceptron().fit([[1.0], [2.0], [3.0]], [0, 1, 2])
    with pytest.raises(ValueError, match="there are 3 classes: sign_one is for two, and predict_one returns"):
        model.sign_one([1.0])
    with pytest.raises(ValueError, match=r"there are 3 classes: weights\(\) is for two, and coef_ has a row"):
        model.weights()
    with pytest.raises(ValueError, match="there are 3 classes: signs, and the game of play, are for two"):
        play(Perceptron(), [([1.0], 0), ([2.0], 2), ([3.0], 4)])
