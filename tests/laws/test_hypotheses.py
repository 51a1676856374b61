"""What a run returns: the average of its hypotheses, or the best of them, against a slow reference in rationals."""

from __future__ import annotations

import pickle
import warnings
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

import novikoff as nk
from novikoff import MarginPerceptron, PassiveAggressive, Perceptron
from novikoff.engine.rows import BadRowError, Rows
from novikoff.learners import linear
from novikoff.learners.linear import LinearLearner
from tests import problems, reference

ZERO = {"mistake": 0, "positive": 1, "negative": -1}
STORAGES = (
    np.array,
    sp.csr_array,
    lambda X: np.array(X, dtype=np.float32),
    lambda X: sp.csr_array(X, dtype=np.float32),
)
# What is kept does not depend on the rule: each of them with one storage, and each storage with one of them.
WAYS = st.sampled_from([*((None, storage) for storage in STORAGES), *((theta, np.array) for theta in (0.0, 0.5, 1.0))])


def fit(model, X, y, **more):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.set_params(shuffle=False).fit(X, y, **more)  # row by row, as the references go


def noisy(n=300, d=5, seed=0, noise=0.7):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    return X, np.where(X[:, 0] + noise * rng.standard_normal(n) > 0, 1, -1)


def mean_of(found):
    """The mean over rounds as it is kept: U is exact on these grids, U/T and the difference round once each."""
    T = len(found)
    last = found[-1].W
    means = [[sum(one.W[r][j] for one in found) / T for j in range(len(w))] for r, w in enumerate(last)]
    return [
        [float(w - Fraction(float(w - mean))) for w, mean in zip(*pair, strict=True)]
        for pair in zip(last, means, strict=True)
    ]


def errors_of(W, X, y, constant, zero):
    rows = [[Fraction(v) for v in row] + [Fraction(constant)] for row in X.tolist()]
    leads = [reference.lead(W, row, int(label))[0] for row, label in zip(rows, y, strict=True)]
    return sum(p < 0 or (p == 0 and zero != int(label)) for p, label in zip(leads, y, strict=True))


# The average --------------------------------------------------------------------------------------


@pytest.mark.compiles
@given(
    problems.grids(),
    st.sampled_from(sorted(ZERO)),
    WAYS,
    st.sampled_from([0.0, 0.5, 1.0]),
    st.integers(1, 6),
)
def test_the_average_is_the_mean_over_rounds(data, at_zero, way, constant, passes):
    X, y = data
    theta, storage = way
    options = {"at_zero": at_zero, "hypothesis": "average", "max_iter": passes, "fit_intercept": constant > 0}
    options["intercept_scaling"] = constant or 1.0
    model = Perceptron(**options) if theta is None else MarginPerceptron(threshold=theta, **options)
    found = reference.rounds(
        X.tolist(),
        y.tolist(),
        constant=constant,
        zero=ZERO[at_zero],
        theta=theta or 0,
        margin=theta is not None,
        passes=passes,
    )
    fit(model, storage(X), y)
    (expected,) = mean_of(found)
    assert model.coef_[0].tolist() == expected[:-1]
    assert model.intercept_[0] == expected[-1] * constant
    assert model.last_coef_[0].tolist() == found[-1].W[0][:-1]
    assert model.mistakes_ == sum(one.mistake for one in found)
    wrong = errors_of([list(map(Fraction, expected))], X, y, constant, ZERO[at_zero])
    assert model.stop_reason_.count("misclassify") == (wrong > 0)
    assert [model.sign_one(x) for x in X] == np.sign(model.decision_function(X)).tolist() or at_zero != "mistake"


@st.composite
def of_classes(draw):
    X, _ = draw(problems.grids())
    k = draw(st.integers(3, 5))
    return X, np.array(draw(st.lists(st.integers(0, k - 1), min_size=len(X), max_size=len(X))), dtype=np.int32), k


@pytest.mark.compiles
@given(of_classes(), st.integers(1, 5), st.sampled_from([0.0, 1.0]))
def test_the_average_and_the_best_of_many_classes(data, passes, constant):
    X, y, k = data
    found = reference.rounds(X.tolist(), y.tolist(), classes=k, constant=constant, passes=passes)
    for storage in (X, sp.csr_array(X)):
        learner = LinearLearner(
            Perceptron().fit([[1], [2]], [0, 1])._rule_in_use, X.shape[1], constant, unit=False, heads=k
        )
        learner.average()
        learner.run(Rows(storage, y, constant), "given", passes)
        assert learner.hypothesis.tolist() == mean_of(found)
        assert learner.W.tolist() == found[-1].W
        learner = LinearLearner(learner.rule, X.shape[1], constant, unit=False, heads=k)
        learner.keep_survivors(passes)
        rows = Rows(storage, y, constant)
        outcome = learner.run(rows, "given", passes)
        errors, counted = learner.choose_best(rows, len(outcome.history))[1:]
        expected, wrong = best_of(found, X, y, constant, passes, zero=-9)
        assert learner.hypothesis.tolist() == expected
        assert (errors, counted) == wrong


def best_of(found, X, y, constant, passes, zero):
    """The hypothesis that should be returned; its errors, and how many were counted."""
    tried = [found[-1].W]
    if errors_of(found[-1].W, X, y, constant, zero):
        tried += reference.survivors(found)[: max(2, min(16, passes // 10)) - 1]
    errors = [errors_of(W, X, y, constant, zero) for W in tried]
    return tried[errors.index(min(errors))], (min(errors), len(tried))


def test_online_and_by_batches_the_average_is_the_same():
    X, y = noisy()
    whole = fit(Perceptron(hypothesis="average", max_iter=1), X, y)
    for rows in (X, sp.csr_array(X)):
        batches, online, protocol = (Perceptron(hypothesis="average") for _ in range(3))
        for part in np.split(np.arange(len(X)), [3, 50, 51]):
            batches.partial_fit(rows[part], y[part], classes=[-1, 1])
        said = []
        for i, label in enumerate(y):
            said.append(online.sign_one(rows[[i]] if rows is not X else X[i]))
            online.learn_one(rows[[i]] if rows is not X else X[i], label)
        for part in np.split(np.arange(len(X)), [3, 50]):
            some = protocol.predict_learn(rows[part], y[part], classes=[-1, 1])
            assert some.tolist() == [sign or -1 for sign in said[part[0] : part[-1] + 1]]
        for model in (batches, online, protocol):
            assert model.coef_.tobytes() == whole.coef_.tobytes()
            assert model.intercept_.tobytes() == whole.intercept_.tobytes()
            again = pickle.loads(pickle.dumps(model)).learn_one(X[0], -y[0])
            assert again.coef_.tobytes() == model.learn_one(X[0], -y[0]).coef_.tobytes()


@pytest.mark.compiles
def test_the_average_of_many_classes_online():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((60, 4)), rng.integers(0, 3, 60).astype(np.int32)
    for storage in (X, sp.csr_array(X)):
        learner, other = (LinearLearner(Perceptron()._rule(), 4, 1.0, unit=False, heads=3) for _ in range(2))
        learner.average()
        other.average()
        scores = learner.rounds(Rows(storage, y, 1.0))
        for i in range(60):
            rows = Rows(storage[[i]], y[[i]], 1.0)
            assert rows.rankings(other.shown.weights).tolist() == scores[[i]].tolist()
            other.one_pass(rows)
        assert other.hypothesis.tobytes() == learner.hypothesis.tobytes()


def test_an_average_grows_with_its_columns():
    X, y = noisy(80, 6)
    names = [f"x{j}" for j in range(6)]
    whole = fit(Perceptron(hypothesis="average", max_iter=1), np.where(np.abs(X) > 0.9, X, 0.0), y)
    online = Perceptron(hypothesis="average")
    for row, label in zip(np.where(np.abs(X) > 0.9, X, 0.0).tolist(), y.tolist(), strict=True):
        online.learn_one({name: value for name, value in zip(names, row, strict=True) if value}, label)
    known = online._columns.names()
    assert sorted(known) == names
    assert known != names
    assert online.coef_[0].tolist() == [whole.coef_[0, names.index(name)] for name in known]
    for row in X.tolist():
        x = dict(zip(names, row, strict=True))
        assert online.sign_one(x) == np.sign(whole.decision_function([row]))[0]


def test_a_sum_that_overflows_is_refused_and_the_others_are_not():
    big = 2.0**1015
    X, y = [[1.0], [1.0], [-big]], [1, 1, 1]
    kept = Perceptron(hypothesis="average", fit_intercept=False).partial_fit(X, y, classes=[-1, 1])
    assert kept.coef_[0, 0] == pytest.approx(-big / 3, rel=1e-15)
    X = [[1.0]] * 1000 + [[-big]]
    model = Perceptron(hypothesis="average", fit_intercept=False)
    with pytest.raises(ValueError, match="row 1000"):
        model.partial_fit(X, [1] * 1001, classes=[-1, 1])
    Perceptron(fit_intercept=False).partial_fit(X, [1] * 1001, classes=[-1, 1])
    learner = LinearLearner(Perceptron()._rule(), 1, 0.0, unit=False)
    learner.average()
    with pytest.raises(BadRowError):
        learner.one_pass(Rows(sp.csr_array(X), np.ones(1001, dtype=np.int8), 0.0))


# The best -----------------------------------------------------------------------------------------


def test_the_best_of_those_that_survived_longest():
    seen = Counter()

    @given(
        problems.grids(rows=(4, 14)),
        st.sampled_from(sorted(ZERO)),
        WAYS,
        st.sampled_from([0.0, 1.0]),
        st.sampled_from([1, 3, 9, 30, 47]),
    )
    def check(data, at_zero, way, constant, passes):
        X, y = data
        theta, storage = way
        options = {"at_zero": at_zero, "max_iter": passes, "fit_intercept": constant > 0}
        model = Perceptron(**options) if theta is None else MarginPerceptron(threshold=theta, **options)
        found = reference.rounds(
            X.tolist(),
            y.tolist(),
            constant=constant,
            zero=ZERO[at_zero],
            theta=theta or 0,
            margin=theta is not None,
            passes=passes,
        )
        fit(model, storage(X), y)
        done = len(found) // len(X)
        (expected,), (errors, counted) = best_of(found, X, y, constant, done, ZERO[at_zero])
        assert [*model.coef_[0], model.intercept_[0]] == expected
        assert [*model.last_coef_[0], model.last_intercept_[0]] == found[-1].W[0]
        assert (f"the best of {counted} hypotheses counted" in model.summary()) is (counted > 1)
        assert (f"misclassify {errors:,} of" in model.stop_reason_) is (errors > 0)
        last = errors_of(found[-1].W, X, y, constant, ZERO[at_zero])
        assert errors <= last
        seen["better" if errors < last else "counted" if counted > 1 else "clean"] += 1
        seen["more than two"] += counted > 2

    check()
    for kind in ("better", "counted", "clean", "more than two"):
        assert seen[kind] >= 5, seen


@pytest.mark.parametrize(
    "make",
    [Perceptron, *(pytest.param(kind, marks=pytest.mark.long) for kind in (MarginPerceptron, PassiveAggressive))],
)
def test_the_same_best_for_every_storage(make):
    X, y = noisy()
    X = X.astype(np.float32).astype(np.float64)
    models = [fit(make(max_iter=40), storage(X), y) for storage in STORAGES]
    for model in models:
        assert model.coef_.tobytes() == models[0].coef_.tobytes()
        assert model.summary() == models[0].summary()
        assert model.last_coef_.tobytes() != model.coef_.tobytes()
        assert model.score(X, y) >= fit(make(max_iter=40, hypothesis="last"), X, y).score(X, y)
    # The law speaks of all three: margin, errors, and whether it separates are those of coef_.
    sides = y * models[0].decision_function(X)
    w = np.append(models[0].coef_, models[0].intercept_)
    assert models[0].margin_[0] == pytest.approx(sides.min() / np.linalg.norm(w))
    assert f"misclassify {np.sum(sides <= 0)} of 300" in models[0].stop_reason_


def test_a_clean_last_hypothesis_is_returned_as_it_is(monkeypatch):
    problem = nk.problems.separable(100, 4, margin=0.05, random_state=0)
    monkeypatch.setattr(LinearLearner, "_survivors", None)  # nobody asks for others
    model = Perceptron(max_iter=10**6).fit(problem.X, problem.y)
    assert model.coef_.tobytes() == model.last_coef_.tobytes()
    assert "hypotheses counted" not in model.summary()


def test_learning_goes_on_from_the_last_and_returns_it():
    X, y = noisy()
    best, last = fit(Perceptron(max_iter=20), X, y), fit(Perceptron(max_iter=20, hypothesis="last"), X, y)
    assert best.coef_.tobytes() != last.coef_.tobytes() == best.last_coef_.tobytes()
    assert "the best of" in best.summary()
    protocol = pickle.loads(pickle.dumps(best))
    expected = []
    for x, label in zip(X[:20], y[:20], strict=True):
        expected.append(best.sign_one(x))
        best.learn_one(x, label)
        last.learn_one(x, label)
        assert best.coef_.tobytes() == last.coef_.tobytes() == best.last_coef_.tobytes()
        assert best.stop_reason_ == "learning from a stream, which has no end"
        assert best.margin_[0] == -np.inf
        assert "the best of" not in best.summary()
    assert protocol.predict_learn(X[:20], y[:20]).tolist() == expected
    assert protocol.coef_.tobytes() == best.coef_.tobytes()


def test_a_refused_example_leaves_what_is_returned():
    X, y = noisy()
    model = fit(Perceptron(max_iter=20), X, y)
    before, said = model.coef_.tobytes(), model.summary()
    bad = [np.nan] * 5
    with pytest.raises(ValueError, match="NaN"):
        model.learn_one(bad, 1)
    with pytest.raises(ValueError, match="NaN"):
        model.partial_fit([*X[:3], bad], [1, 1, 1, 1])
    with pytest.raises(ValueError, match="NaN"):
        model.predict_learn([bad], [1])
    assert (model.coef_.tobytes(), model.summary()) == (before, said)
    unlabelled = model.predict_learn(X, [None] * 300)
    assert unlabelled.tolist() == model.predict(X).tolist()
    assert model.coef_.tobytes() == before


def test_few_are_kept_where_they_are_large(monkeypatch):
    learner = LinearLearner(Perceptron()._rule(), 99, 1.0, unit=False)
    learner.keep_survivors(1000)
    assert learner.kept.W.shape == (15, 1, 100)
    monkeypatch.setattr(linear, "ROOM", 3 * 8 * 100)
    learner.keep_survivors(1000)
    assert learner.kept.W.shape == (3, 1, 100)
    monkeypatch.setattr(linear, "ROOM", 7)
    learner.keep_survivors(1000)
    assert learner.kept.W.shape == (1, 1, 100)
    learner.keep_survivors(2)
    assert learner.kept.W.shape == (1, 1, 100)


def test_after_an_interrupt_the_last_is_returned(monkeypatch):
    X, y = noisy()
    real = Rows.examine
    calls = Counter()

    def examine(self, *arguments):
        calls["all"] += 1
        if calls["all"] == 2:
            raise KeyboardInterrupt
        return real(self, *arguments)

    monkeypatch.setattr(Rows, "examine", examine)
    model = fit(Perceptron(max_iter=20), X, y)
    assert model.interrupted_
    assert model.coef_.tobytes() == model.last_coef_.tobytes()
    assert model.margin_[0] == -np.inf


def test_of_those_that_survived_as_long_the_earlier_are_kept():
    tied = 0
    for seed in range(30):
        rng = np.random.default_rng(seed)
        X, y = rng.integers(-2, 3, (25, 2)).astype(float), rng.choice([-1, 1], 25).astype(np.int8)
        learner = LinearLearner(Perceptron()._rule(), 2, 1.0, unit=False)
        learner.keep_survivors(40)
        learner.run(Rows(X, y, 1.0), "given", 4)
        expected = reference.survivors(reference.rounds(X.tolist(), y.tolist(), constant=1.0, passes=4))
        assert [W.tolist() for W in learner._survivors(15)] == expected[:3]
        lived = learner.kept.lived.tolist()
        tied += len(expected) > 3 and lived.count(min(lived)) > 1
    assert tied >= 5
