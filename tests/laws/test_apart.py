"""Heads that are learned apart: each is its separate fit to the bit; together they predict as scikit-learn has it."""

from __future__ import annotations

import pickle
import warnings
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from sklearn.utils.multiclass import _ovr_decision_function

from novikoff import MarginPerceptron, PassiveAggressive, Perceptron
from novikoff.engine import rows as engine_rows
from novikoff.engine.loops import norm_above
from novikoff.learners import committee, linear
from novikoff.learners.committee import divisions, signs_of, votes
from tests.laws.test_interrupts import InterruptAt

REST, PAIRS = "one-vs-rest", "one-vs-one"
KINDS = pytest.mark.parametrize("kind", [REST, PAIRS])
WRAPPERS = {REST: OneVsRestClassifier, PAIRS: OneVsOneClassifier}
COMPILES = pytest.mark.compiles
NAMES = np.array(["ant", "bee", "cat", "dog"])
FOUND = ("coef_", "intercept_", "last_coef_", "last_intercept_", "history_")
SAID = ("mistakes_", "updates_", "weight_of_updates_", "passes_", "n_iter_", "radius_", "margin_", "stop_reason_")
SAID += ("rounded_", "threshold_", "interrupted_")


def noisy(n=90, d=5, k=4, seed=0):
    """Rows with ties and zeros in them, which no head can separate, and rows of which one head can."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, k, n)
    X = rng.integers(-2, 3, (n, d)) * rng.integers(0, 2, (n, d)) / 4
    X[np.arange(n), y % d] += 1.5
    X[y == 0, 0] += 2
    y = np.where((y > 0) & (rng.random(n) < 0.2), rng.integers(1, k, n), y)
    return X.astype(np.float64), NAMES[y]


def quietly(model, *data, **more):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(*data, **more)


def problems(kind, y):
    """The rows and the labels that each head learns from."""
    if kind == REST:
        return [(np.arange(len(y)), y == label) for label in np.unique(y)]
    pairs = [np.flatnonzero((y == a) | (y == b)) for a, b in combinations(np.unique(y), 2)]
    return [(rows, y[rows]) for rows in pairs]


def separate(model, X, y, weights=None):
    """The same heads as fits of their own."""
    single = model.get_params() | {"multiclass": "joint", "class_weight": None}
    return [
        quietly(type(model)(**single), X[rows], labels, **({} if weights is None else {"sample_weight": weights[rows]}))
        for rows, labels in problems(model.multiclass, y)
    ]


def assert_same(head, alone):
    for name in FOUND:
        assert getattr(head, name).tobytes() == getattr(alone, name).tobytes(), name
    for name in SAID:
        assert getattr(head, name) == getattr(alone, name), name
    for name in ("run_rows", "first_mistakes", "support"):  # what `generalization` asks for
        assert getattr(head._learner, name) == getattr(alone._learner, name), name
    assert head.classes_.tolist() == alone.classes_.tolist()
    assert head.summary() == alone.summary()


# Every rule, way of storing, hypothesis, order and way of weighing, in pairs.
CASES = [
    (Perceptron(), np.array, None),
    (Perceptron(shuffle=False, hypothesis="average"), sp.csr_array, None),
    (Perceptron(hypothesis="last", fit_intercept=False, random_state=7), sp.csr_array, "rows"),
    (Perceptron(order="first", max_iter=9), np.array, None),
    (Perceptron(scale="sphere", max_iter=25), sp.csr_array, None),
    pytest.param(MarginPerceptron(), sp.csr_array, None, marks=COMPILES),
    pytest.param(MarginPerceptron(hypothesis="average"), np.array, "rows", marks=COMPILES),
    (MarginPerceptron(shuffle=False, hypothesis="last", threshold=0.5), np.array, "classes"),
    (MarginPerceptron(scale="sphere", threshold=0.5), np.array, None),
    (MarginPerceptron(order="worst", scale="ball"), np.array, None),
    pytest.param(PassiveAggressive(), np.array, "classes", marks=COMPILES),
    pytest.param(PassiveAggressive(shuffle=False, variant="PA-II", C=0.3), sp.csr_array, "rows", marks=COMPILES),
    (PassiveAggressive(hypothesis="average", tol=0.5), np.array, None),
    (PassiveAggressive(hypothesis="last", variant="PA"), sp.csr_array, None),
]


@KINDS
@pytest.mark.parametrize(("model", "store", "weighed"), CASES)
def test_each_head_is_its_separate_fit_to_the_bit(model, store, weighed, kind):
    X, y = noisy()
    weights = np.random.default_rng(1).integers(0, 4, len(y)) / 2 if weighed == "rows" else None
    model = type(model)(**model.get_params()).set_params(multiclass=kind)
    if model.max_iter == 1000:
        model.set_params(max_iter=6)
    if weighed == "classes":
        model.set_params(class_weight={"bee": 3.0, "dog": 0.25})
    quietly(model, store(X), y, **({} if weights is None else {"sample_weight": weights}))
    if weighed == "classes":
        weights = np.select([y == "bee", y == "dog"], [3.0, 0.25], 1.0)
    alone = separate(model, store(X), y, weights)
    assert len(model.estimators_) == len(alone) == (4 if kind == REST else 6)
    for head, other in zip(model.estimators_, alone, strict=True):
        assert_same(head, other)
    assert np.array_equal(model.coef_, np.concatenate([other.coef_ for other in alone]))
    for name in ("mistakes_", "updates_", "weight_of_updates_"):
        assert getattr(model, name) == sum(getattr(other, name) for other in alone)
    assert model.passes_ == model.n_iter_ == max(other.passes_ for other in alone)
    assert model.radius_ == max(other.radius_ for other in alone)
    assert model.threshold_ == max(other.threshold_ for other in alone)
    assert model.rounded_ == any(other.rounded_ for other in alone)
    found = np.zeros((len(alone), model.passes_), dtype=int)
    for row, other in zip(found, alone, strict=True):
        row[: other.passes_] = other.history_ if model.order == "given" else other.history_ >= 0
    assert model.history_.tolist() == found.sum(axis=0).tolist()


@pytest.mark.parametrize("store", [np.array, sp.csr_array])
def test_how_many_go_together_and_where_passes_are_cut_changes_no_bit(store, monkeypatch):
    X, y = noisy(seed=3)
    model = Perceptron(multiclass=REST, max_iter=40)  # of which some heads end before others
    alone = separate(model, store(X), y)
    assert len({other.passes_ for other in alone}) > 1
    for heads, room, budget in ((64, 1 << 28, 1 << 25), (3, 1 << 28, 200), (64, 1, 1)):
        monkeypatch.setattr(committee, "TOGETHER", heads)
        monkeypatch.setattr(committee, "ROOM", room)
        monkeypatch.setattr(engine_rows, "BUDGET", budget)
        for head, other in zip(quietly(model, store(X), y).estimators_, alone, strict=True):
            assert_same(head, other)


def test_a_pass_of_several_groups_is_that_of_its_separate_fits():
    """Of more than 65,536 rows a shuffled pass is drawn group by group."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 70_000)
    X = sp.csr_array(np.c_[rng.integers(-2, 3, 70_000), y]).astype(np.float64)
    model = quietly(Perceptron(multiclass=REST, max_iter=2), X, NAMES[y])
    for head, other in zip(model.estimators_, separate(model, X, NAMES[y]), strict=True):
        assert_same(head, other)


@KINDS
@pytest.mark.parametrize("share", [60, pytest.param(1000, marks=pytest.mark.long)])
def test_an_interrupt_at_any_line_leaves_heads_that_stand_where_their_runs_stood(kind, share, monkeypatch):
    monkeypatch.setattr(linear, "PASSES", 1)
    X, y = noisy(n=24, k=3)
    options, paths = {"multiclass": kind, "hypothesis": "last"}, [{} for _ in range(3)]
    for passes in range(5):
        heads = separate(Perceptron(max_iter=max(1, passes), **options), X, y)
        for path, head in zip(paths, heads, strict=True):
            path[head.updates_ if passes else 0] = head.coef_.tobytes() if passes else bytes(8 * 5)
    with InterruptAt(None) as count:
        quietly(Perceptron(max_iter=4, **options), X, y)
    stopped = 0
    for line in np.unique(np.linspace(1, count.lines, share).astype(int)).tolist():
        model = Perceptron(max_iter=4, **options)
        with InterruptAt(line):
            try:
                quietly(model, X, y)
            except KeyboardInterrupt:
                if not hasattr(model, "coef_"):
                    continue
        stopped += model.interrupted_
        assert model.interrupted_ == model.stop_reason_.startswith("interrupted after")
        for path, head in zip(paths, model.estimators_, strict=True):
            assert path[head.updates_] == head.coef_.tobytes()
        assert set(model.predict(X)) <= set(NAMES)
    assert stopped > 5


@KINDS
def test_a_warm_start_of_each_is_that_of_its_separate_fit(kind):
    X, y = noisy()
    model = Perceptron(multiclass=kind, warm_start=True, max_iter=3)
    alone = [Perceptron(warm_start=True, max_iter=3) for _ in problems(kind, y)]
    for part in (slice(None), slice(None, None, -1)):
        quietly(model, X[part], y[part])
        for one, (rows, labels) in zip(alone, problems(kind, y[part]), strict=True):
            quietly(one, X[part][rows], labels)
    for head, one in zip(model.estimators_, alone, strict=True):
        assert head.margin_[1] == np.inf
        assert_same(head, one)


@KINDS
def test_a_warm_start_from_something_else_is_none(kind):
    X, y = noisy()
    other = REST if kind == PAIRS else PAIRS
    expected = quietly(Perceptron(multiclass=kind, max_iter=2), X, y)
    for before, data in (
        (kind, (X[:, :3], y)),  # fewer columns
        (kind, (X, np.where(y == "dog", "cat", y))),  # fewer classes
        (kind, (X, np.where(np.arange(len(y)) == 0, "elk", y))),  # more
        (other, (X, y)),
        ("joint", (X, y)),
        ("joint", (X, y == "ant")),
    ):
        model = quietly(Perceptron(multiclass=before, warm_start=True, max_iter=2), *data)
        quietly(model.set_params(multiclass=kind), X, y)
        for head, one in zip(model.estimators_, expected.estimators_, strict=True):
            assert_same(head, one)
    joint = quietly(Perceptron(multiclass=kind, warm_start=True, max_iter=2), X, y).set_params(multiclass="joint")
    assert quietly(joint, X, y).coef_.tobytes() == quietly(Perceptron(max_iter=2), X, y).coef_.tobytes()


@KINDS
@pytest.mark.parametrize("rule", [Perceptron, MarginPerceptron, PassiveAggressive])
def test_they_predict_as_the_wrappers_of_scikit_learn(rule, kind):
    rng = np.random.default_rng(5)
    y = rng.integers(0, 4, 150)
    X = rng.standard_normal((150, 4)) + 1.5 * np.eye(4)[y]
    model = quietly(rule(multiclass=kind, max_iter=5), X, NAMES[y])
    wrapped = quietly(WRAPPERS[kind](rule(max_iter=5)), X, NAMES[y])
    Z = rng.standard_normal((400, 4)) * 3
    assert np.array_equal(model.predict(Z), wrapped.predict(Z))
    assert np.allclose(model.decision_function(Z), wrapped.decision_function(Z), rtol=1e-12, atol=1e-12)
    assert model.score(X, NAMES[y]) == wrapped.score(X, NAMES[y])
    assert np.array_equal(
        model.decision_function(sp.csr_array(Z)).argmax(axis=1), model._places(model.decision_function(Z))
    )
    assert [model.predict_one(z) for z in Z[:50]] == model.predict(Z[:50]).tolist()
    assert np.array_equal(model.to_sklearn().predict(Z), model.predict(Z))


@given(st.integers(0, 2**32 - 1), st.booleans())
@settings(max_examples=40)
def test_the_class_of_the_largest_score_is_found_exactly(seed, average):
    """Small integers, of which many scores tie, and numbers far apart, whose sums round."""
    rng = np.random.default_rng(seed)
    X = rng.choice([0.0, 1.0, -1.0, 0.1, 1e-3, 3e7], (12, 3))
    y = np.array([0, 1, 2, *rng.integers(0, 3, 9)])
    model = quietly(Perceptron(multiclass=REST, max_iter=2, hypothesis="average" if average else "last"), X, y)
    W = [[Fraction(w) for w in row] for row in np.c_[model.coef_, model.intercept_].tolist()]
    scores = model.decision_function(X)
    for i, x in enumerate(X.tolist()):
        exact = [sum(w * Fraction(v) for w, v in zip(row, [*x, 1], strict=True)) for row in W]
        best = [r for r in range(3) if exact[r] == max(exact)]
        assert np.flatnonzero(scores[i] == scores[i].max()).tolist() == best
        assert model.predict(X[[i]])[0] == best[0]
        assert model.predict_one(X[i]) == (best[0] if len(best) == 1 else None)


def test_votes_are_those_of_scikit_learn_and_outweigh_any_score():
    rng = np.random.default_rng(0)
    scores = rng.standard_normal((200, 10)) * rng.choice([1e-3, 1, 1e3], (200, 1))
    scores[:40] = np.round(scores[:40])
    signs = signs_of(divisions(PAIRS, 5), 5)
    expected = _ovr_decision_function((scores > 0).astype(int), scores, 5)
    assert np.allclose(votes(scores, signs), expected, rtol=1e-15, atol=1e-15)
    huge = np.sign(scores) * np.finfo(float).max
    found = votes(huge, signs)
    assert np.isfinite(found).all()
    won = votes(np.sign(scores) * 1e-300, signs)
    assert np.array_equal(np.round(found), np.round(won))


def test_two_classes_are_as_they_were():
    X, y = noisy()
    y = np.where(y == "ant", "ant", "bee")
    for kind in (REST, PAIRS):
        model, plain = quietly(Perceptron(multiclass=kind, max_iter=9), X, y), quietly(Perceptron(max_iter=9), X, y)
        assert_same(model, plain)
        assert model.decision_function(X).tobytes() == plain.decision_function(X).tobytes()
        with pytest.raises(AttributeError, match="this Perceptron is one learner"):
            model.estimators_  # noqa: B018


# On a stream ----------------------------------------------------------------------------------------


@KINDS
@pytest.mark.parametrize(
    "rule", [Perceptron, *(pytest.param(rule, marks=COMPILES) for rule in (MarginPerceptron, PassiveAggressive))]
)
@pytest.mark.parametrize("hypothesis", ["last", "average"])
def test_a_stream_is_a_pass_and_batches_of_it(rule, hypothesis, kind):
    X, y = noisy()
    options = {"multiclass": kind, "hypothesis": hypothesis, "shuffle": False, "max_iter": 1}
    whole = quietly(rule(**options), X, y)
    batches, single = rule(**options), rule(**options)
    for part in np.split(np.arange(len(y)), [5, 6, 40]):
        batches.partial_fit(sp.csr_array(X[part]), y[part], classes=NAMES)
    single.partial_fit(X[:1], y[:1], classes=NAMES)
    for x, label in zip(X[1:], y[1:], strict=True):
        single.learn_one(x, label)
    for model in (batches, single):
        assert model.coef_.tobytes() == whole.coef_.tobytes()
        assert (model.mistakes_, model.updates_) == (whole.mistakes_, whole.updates_)
        assert model.stop_reason_ == "learning from a stream, which has no end"
        assert [head.mistakes_ for head in model.estimators_] == [head.mistakes_ for head in whole.estimators_]


@KINDS
@pytest.mark.parametrize("hypothesis", ["last", "average"])
def test_rounds_of_a_batch_are_a_loop_of_predictions_and_lessons(hypothesis, kind):
    """From the first label on, through the second and the third, which makes heads of what was one."""
    X, y = noisy()
    loop, dicts = (Perceptron(multiclass=kind, hypothesis=hypothesis) for _ in range(2))
    said = []
    for x, label in zip(X, y, strict=True):
        said.append(loop.predict_one(x))
        loop.learn_one(x, label)
        named = {f"x{j}": v for j, v in enumerate(x) if v}
        dicts.predict_one(named)
        dicts.learn_one(named, label)
    for rows in (X, sp.csr_array(X)):
        batch = Perceptron(multiclass=kind, hypothesis=hypothesis)
        found = batch._online_answers(rows, None, y)
        met = set()
        for i, label in enumerate(y):
            new = label not in met
            met.add(label)
            assert found.undecided[i] == (said[i] is None or new)
            assert new or said[i] is None or batch.classes_[found.places[i]] == said[i]
        assert batch.coef_.tobytes() == loop.coef_.tobytes()
        assert (batch.mistakes_, batch.updates_) == (loop.mistakes_, loop.updates_)
    assert batch.classes_.tolist() == loop.classes_.tolist() == dicts.classes_.tolist()
    order = [dicts._columns.place(f"x{j}") for j in range(X.shape[1])]
    assert np.array_equal(dicts.coef_[:, order], loop.coef_)


@KINDS
def test_what_returned_another_hypothesis_goes_on_from_its_last(kind):
    X, y = noisy(seed=4)
    model = quietly(Perceptron(multiclass=kind, max_iter=12), X, y)
    alone = separate(model, X, y)
    assert any(other._learner.chosen is not None for other in alone)
    for x, label in zip(X[:20], y[:20], strict=True):
        model.learn_one(x, label)
        for other in alone:
            if kind == REST or label in other.classes_:
                other.learn_one(x, label == NAMES[alone.index(other)] if kind == REST else label)
        for head, other in zip(model.estimators_, alone, strict=True):
            assert head.coef_.tobytes() == other.coef_.tobytes()
            assert head.stop_reason_ == other.stop_reason_


@pytest.mark.parametrize("rule", [Perceptron, MarginPerceptron])
def test_what_two_classes_had_learned_is_what_each_had_learned_of_the_other(rule):
    """And a head that comes later has met shorter rows, so its threshold is another one."""
    X, y = noisy()
    two = np.flatnonzero(np.isin(y, ["ant", "bee"]))
    rest, pairs = rule(multiclass=REST), rule(multiclass=PAIRS)
    for model in (rest, pairs):
        model.partial_fit(X[two], y[two])
    alone = [rule().partial_fit(X[two], y[two] == label) for label in ("ant", "bee")]
    assert rest.coef_.tobytes() == pairs.coef_.tobytes() == alone[1].coef_.tobytes()
    alone.append(rule())
    for model in (rest, pairs):
        model.learn_one(np.zeros(5), "cat")
    assert rest.classes_.tolist() == ["ant", "bee", "cat"]
    for label, other in zip(("ant", "bee", "cat"), alone, strict=True):
        other.learn_one(np.zeros(5), label == "cat")
    assert alone[2].radius_ < alone[0].radius_
    three = np.flatnonzero(y != "dog")
    for learn in (lambda: None, lambda: rest.partial_fit(X[three], y[three])):
        learn()
        for head, label, other in zip(rest.estimators_, rest.classes_, alone, strict=True):
            assert head.coef_.tobytes() == other.coef_.tobytes()
            assert (head.mistakes_, head.updates_, head.radius_) == (other.mistakes_, other.updates_, other.radius_)
            other.partial_fit(X[three], y[three] == label)
    assert pairs.estimators_[0].coef_.tobytes() == rule().partial_fit(X[two], y[two]).coef_.tobytes()
    assert [head.updates_ for head in pairs.estimators_[1:]] == [1, 1]


@KINDS
def test_an_example_that_one_head_refuses_changes_none(kind):
    model = Perceptron(multiclass=kind, fit_intercept=False)
    model.partial_fit([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], ["a", "b", "c"])
    last = model._learner.members[-1]
    last.W[:] = [[1.7e308, 1.7e308, 0.0]]
    last.state[0].norm = norm_above(last.weights)
    x = [1e308, -1.2e308]  # w of the last would be 2.7e308
    before = model.coef_.tobytes(), model.mistakes_, model.updates_, model.radius_
    for step in (
        lambda: model.learn_one(x, "c"),
        lambda: model.predict_learn([x], ["c"]),
        lambda: model.partial_fit([x], ["c"]),
        lambda: model.learn_one([np.nan, 1.0], "a"),
    ):
        with pytest.raises(ValueError, match=r"row 0|the example|finite|float64"):
            step()
        assert before == (model.coef_.tobytes(), model.mistakes_, model.updates_, model.radius_)
    copy = pickle.loads(pickle.dumps(model))
    assert copy.coef_.tobytes() == before[0]


# What is said, and what is refused ------------------------------------------------------------------


@KINDS
def test_the_whole_says_a_line_of_each_head_and_warns_once(kind):
    X, y = noisy()
    with pytest.warns(ConvergenceWarning, match="did not separate all of its classes") as caught:
        model = Perceptron(multiclass=kind, max_iter=3).fit(X, y)
    assert len(caught) == 1
    lines = model.summary().splitlines()
    assert lines[0].startswith(f"Perceptron, {kind}: not separated: ")
    assert lines[2].startswith("'ant' against the rest: " if kind == REST else "'bee' against 'ant': ")
    assert len(lines) == 2 + len(model.estimators_)
    assert not hasattr(model, "margin_")
    for asked in (
        lambda: model.bound(0.1),
        lambda: model.certify(X, y),
        lambda: model.trace(X, y),
        lambda: model.bound_against(model, X, y),
        lambda: model.generalization(),
    ):
        with pytest.raises(AttributeError, match="ask each of estimators_"):
            asked()
    with pytest.raises(ValueError, match="sign_one is for two"):
        model.sign_one(X[0])
    with pytest.raises(ValueError, match="at_zero='negative' is for two classes"):
        Perceptron(multiclass=kind, at_zero="negative").fit(X, y)
    with pytest.raises(ValueError, match="'multiclass' parameter"):
        Perceptron(multiclass="all").fit(X, y)


@KINDS
def test_heads_can_be_traced_and_certified_and_are_copies(kind):
    X, y = noisy()
    model = quietly(Perceptron(multiclass=kind, max_iter=5, random_state=np.random.RandomState(3)), X, y)
    first = model.estimators_[0]
    rows, labels = problems(kind, y)[0]
    assert len(first.trace(X[rows], labels)) == first.updates_
    before = model.coef_.tobytes()
    first.partial_fit(-X[rows], labels)
    assert model.coef_.tobytes() == before


@KINDS
def test_weights_that_were_found_from_all_rows_are_known_of_each_head(kind):
    """A head is no independent run then, whatever its own labels are."""
    X, y = noisy()
    model = quietly(Perceptron(multiclass=kind, max_iter=5, class_weight="balanced"), X, y)
    counts = dict(zip(*np.unique(y, return_counts=True), strict=True))
    weights = np.array([len(y) / 4 / counts[label] for label in y])
    for head, alone in zip(model.estimators_, separate(model, X, y, weights), strict=True):
        assert head.coef_.tobytes() == alone.coef_.tobytes()
        with pytest.raises(ValueError, match="class_weight='balanced' counts the labels of all rows"):
            head.generalization()


@KINDS
def test_a_row_that_is_refused_is_told_by_its_place_among_all(kind):
    X, y = noisy()
    X[60, 2] = np.inf
    with pytest.raises(ValueError, match=r"row 60, column 2"):
        Perceptron(multiclass=kind).fit(X, y)
    X[60] = 0.0
    with pytest.raises(ValueError, match=r"row 60"):
        Perceptron(multiclass=kind, fit_intercept=False, scale="sphere").fit(X, y)
