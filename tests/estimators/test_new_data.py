"""What a fit says about new data: the counts are those of the first pass, and no hypothesis has seen a later row."""

from __future__ import annotations

import warnings
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from novikoff import MarginPerceptron, PassiveAggressive, Perceptron, load, problems, save, theory
from novikoff.engine.order import Order

RULES = (Perceptron, MarginPerceptron, PassiveAggressive)
FIRST_RULE = (Perceptron, *(pytest.param(rule, marks=pytest.mark.compiles) for rule in RULES[1:]))
SEPARABLE = problems.separable(200, 3, margin=0.1, random_state=5)
HARD = problems.separable(100, 3, margin=0.02, random_state=5)


def noisy(k=2, n=60, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.integers(-4, 5, (n, 3)).astype(float)
    y = (X @ rng.standard_normal((3, k))).argmax(axis=1)
    y[rng.random(n) < 0.2] = 0
    y[:k] = range(k)
    return X, y


def quiet(model, *data, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(*data, **options)


# The first pass ------------------------------------------------------------------------------------


@pytest.mark.parametrize("rule", FIRST_RULE)
@pytest.mark.parametrize("k", [2, pytest.param(4, marks=pytest.mark.compiles)])
@pytest.mark.parametrize("hypothesis", ["best", "average", "last"])
def test_it_counts_what_the_online_protocol_gets_wrong(rule, k, hypothesis):
    X, y = noisy(k)
    model = quiet(rule(shuffle=False, max_iter=7, hypothesis=hypothesis), X, y)
    said = model.generalization(0.9).first_pass
    online, wrong = rule().partial_fit(X[:1], y[:1], classes=range(k)), 1  # of w = 0 nothing is predicted
    X, y = X[1:], y[1:]
    for x, label in zip(X, y.tolist(), strict=True):
        wrong += online.predict_one(x) != label  # None is a mistake
        online.learn_one(x, label)
    assert (said.rows, said.mistakes) == (60, wrong)
    assert model.mistakes_ > wrong, "later passes make mistakes, too"
    assert said.mean_error == theory.first_pass_bound(wrong, 60, 0.9)
    assert said.vote_error == theory.vote_bound(wrong, 60, 0.9)
    followed = online.generalization(0.9)
    assert (followed.first_pass, followed.compression) == (said, None)
    assert any("learned from once" in hypothesis for hypothesis in followed.hypotheses)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("at_zero", ["mistake", "positive", "negative"])
def test_it_is_the_same_however_many_passes_follow(rule, at_zero):
    X, y = noisy()
    found = {quiet(rule(at_zero=at_zero, max_iter=passes), X, y).generalization().first_pass for passes in (1, 2, 30)}
    assert len(found) == 1
    X[:, :] = 0.0  # where w = 0, and at_zero decides
    mistakes = quiet(Perceptron(at_zero=at_zero, fit_intercept=False, max_iter=3), X, y).generalization().first_pass
    wrong = {"mistake": 60, "positive": int((y == 0).sum()), "negative": int((y == 1).sum())}
    assert mistakes.mistakes == wrong[at_zero]


def test_learning_on_does_not_change_what_the_first_pass_was():
    X, y = noisy()
    model = quiet(Perceptron(max_iter=3), X, y)
    before = model.generalization()
    model.partial_fit(X, 1 - y)
    for x, label in zip(X, y, strict=True):
        model.learn_one(x, label)
    assert model.generalization() == before


def test_rows_of_weight_zero_are_no_rows():
    X, y = noisy()
    there = np.arange(60) % 3 > 0
    weights = np.where(there, 2.5, 0.0)
    some = quiet(Perceptron(shuffle=False, max_iter=5), X, y, weights).generalization().first_pass
    alone = quiet(Perceptron(shuffle=False, max_iter=5), X[there], y[there], weights[there]).generalization().first_pass
    assert some == alone
    assert some.rows == 40


ALLOWED = [
    (Perceptron, {}),
    (Perceptron, {"class_weight": {1: 3.0}}),
    (Perceptron, {"scale": "sphere"}),
    (MarginPerceptron, {}),
    (PassiveAggressive, {"variant": "PA-II"}),
]


def after_all_but_the_last_row(model, k, change):
    """The weights after the first pass but for the row that comes last, which is another one in half of the cases."""
    X, y = noisy(k)
    turns = Order(60, 0).ahead(0, 0)[0]
    if change:
        X[turns[-1]], y[turns[-1]] = [40.0, 40.0, 40.0], (y[turns[-1]] + 1) % k
    trace = quiet(model, X, y).trace(X, y)
    early = (trace.turns == 0) & (trace.places < 59)
    return np.concatenate(list(trace.path()))[early.nonzero()[0][-1]]


@pytest.mark.parametrize(("rule", "options"), ALLOWED)
@pytest.mark.parametrize("k", [2, 3])
def test_hypotheses_of_a_first_pass_have_seen_no_later_row(rule, options, k):
    model = rule(max_iter=2, **options)
    parts = [after_all_but_the_last_row(model, k, change) for change in (False, True)]
    assert np.array_equal(*parts)
    assert model.generalization().first_pass


@pytest.mark.parametrize("multiclass", ["joint", "one-vs-rest"])
@pytest.mark.parametrize(
    ("then", "now"), [({"class_weight": "balanced"}, {"class_weight": None}), ({"scale": "ball"}, {"scale": "none"})]
)
def test_what_a_fit_looked_at_is_not_forgotten_with_its_parameters(then, now, multiclass):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 3))
    y = np.digitize(X[:, 0], [-0.5, 0.5])
    model = quiet(Perceptron(multiclass=multiclass, max_iter=3, **then), X, y).set_params(**now)
    for each in getattr(model, "estimators_", None) or [model]:
        with pytest.raises(ValueError, match="another fit than the parameters speak of"):
            each.generalization()
        assert "independent draws" not in each.summary()


def test_balanced_classes_have():
    model = Perceptron(max_iter=2, class_weight="balanced")
    assert not np.array_equal(*(after_all_but_the_last_row(model, 2, change) for change in (False, True)))
    with pytest.raises(ValueError, match="class_weight='balanced' counts the labels of all rows"):
        model.generalization()


# Compression ---------------------------------------------------------------------------------------

ENDING = [
    (Perceptron, {}),
    (Perceptron, {"order": "first"}),
    (Perceptron, {"order": "worst"}),
    (MarginPerceptron, {"threshold": 0.5}),
    (PassiveAggressive, {}),
]


@pytest.mark.parametrize(("rule", "options"), ENDING)
def test_a_clean_run_is_made_by_its_support(rule, options):
    X, y = HARD.X, HARD.y
    model = rule(shuffle=False, max_iter=5000, **options).fit(X, y)
    support = np.unique(model.trace(X, y).rows)
    assert len(support) < min(len(X), model.updates_)
    again = rule(shuffle=False, max_iter=5000, **options).fit(X[support], y[support])
    assert np.array_equal(again.last_coef_, model.coef_), "the others have had no say in it"
    said = model.generalization(0.8).compression
    assert (said.rows, said.support) == (len(X), len(support))
    assert said.error == theory.compression_bound(len(support), len(X), 0.8)
    model.partial_fit(X, -y)
    with pytest.raises(ValueError, match="separate") if "order" in options else nullcontext():
        assert model.generalization(0.8).compression is None


def test_a_threshold_from_all_rows_is_made_by_more():
    """The longest row is never updated on, and the threshold is its square."""
    X, y = np.array([[1.0], [-1.0], [40.0]]), np.array([1, -1, 1])
    model = MarginPerceptron(order="first", fit_intercept=False, max_iter=5000)
    fewer = model.fit(X[:2], y[:2]).coef_
    assert np.unique(model.fit(X, y).trace(X, y).rows).tolist() == [0]
    assert not np.array_equal(model.coef_, fewer)
    with pytest.raises(ValueError, match="the threshold is found from the largest norm of all rows"):
        model.generalization()


# Refusals ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"class_weight": "balanced"}, "class_weight='balanced'"),
        ({"scale": "ball"}, "scale='ball'"),
    ],
)
def test_what_looks_at_all_rows_is_refused(options, reason):
    with pytest.raises(ValueError, match=f"nothing follows for new data: {reason}"):
        Perceptron(**options).fit(SEPARABLE.X, SEPARABLE.y).generalization()


def test_a_warm_start_is_refused_and_one_from_nothing_is_not():
    model = Perceptron(warm_start=True).fit(SEPARABLE.X, SEPARABLE.y)
    assert model.generalization().first_pass
    with pytest.raises(ValueError, match="it started from weights that were learned before"):
        model.fit(SEPARABLE.X, SEPARABLE.y).generalization()


@pytest.mark.parametrize(("order", "reason"), [("first", "begins again"), ("worst", "looks at all rows")])
def test_a_search_has_no_first_pass_and_may_have_the_other_bound(order, reason):
    said = Perceptron(order=order).fit(SEPARABLE.X, SEPARABLE.y).generalization()
    assert said.first_pass is None
    assert said.compression
    assert reason in said.refused[0]
    X, y = noisy()
    with pytest.raises(ValueError, match=rf"(?s)Of the first pass .*{reason}.* Of the weights returned .*separate"):
        quiet(Perceptron(order=order, max_iter=3), X, y).generalization()


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        (Perceptron(hypothesis="average"), "every row has a part in their average"),
        (MarginPerceptron(), "largest norm of all rows"),
        (Perceptron(max_iter=1), "not known to separate"),
    ],
)
def test_why_there_is_no_compression(model, reason):
    said = quiet(model, HARD.X, HARD.y).generalization()
    assert said.compression is None
    assert reason in said.refused[0]
    assert reason in str(said)


def test_what_was_returned_in_the_place_of_the_last_is_not_compressed():
    """A survivor that separates, while the last does not: all rows have chosen it."""
    problem = problems.separable(8, 2, margin=0.1, random_state=0)
    model = MarginPerceptron(threshold=2.0, max_iter=3, fit_intercept=False)
    quiet(model, problem.X, problem.y)
    assert model.margin_[0] > 0
    assert not np.array_equal(model.coef_, model.last_coef_)
    assert "which of them was returned" in model.generalization().refused[0]


def test_nothing_learned_says_nothing():
    with pytest.raises(AttributeError, match="has not learned anything yet"):
        Perceptron().generalization()
    model = Perceptron()
    model.predict_learn([[1.0, 2.0]], [None])
    with pytest.raises(ValueError, match="nothing has been learned yet"):
        model.generalization()


@pytest.mark.parametrize("confidence", [0, 1, 95, -0.5])
def test_a_confidence_that_is_none(confidence):
    model = Perceptron().fit(SEPARABLE.X, SEPARABLE.y)
    with pytest.raises(ValueError, match="a confidence is above 0 and below 1"):
        model.generalization(confidence)


# Words and files -----------------------------------------------------------------------------------


def test_the_text_has_the_numbers_rounded_up_and_every_condition():
    model = Perceptron().fit(SEPARABLE.X, SEPARABLE.y)
    said = model.generalization()
    text = str(said)
    for bound in (said.first_pass.mean_error, said.first_pass.vote_error, said.compression.error):
        told = f"{bound + 5e-5:.4f}"
        assert f"at most {told}" in text
        assert bound <= float(told) < bound + 2e-4
    for hypothesis in said.hypotheses:
        assert f"- {hypothesis}\n" in text + "\n"
    assert f"{said.first_pass.mean_error + 5e-5:.4f}" in model.summary().splitlines()[-1]


def test_the_summary_is_silent_where_nothing_follows():
    X, y = noisy()
    line = "independent draws"
    assert line in quiet(Perceptron(), X, y).summary()
    assert line not in quiet(Perceptron(class_weight="balanced"), X, y).summary()
    assert line not in quiet(Perceptron(), X[:4], y[:4]).summary(), "a bound of 1 says nothing"
    assert line not in Perceptron().partial_fit(X, y).summary(), "who knows whether the batches were new rows"


@pytest.mark.parametrize("name", ["perceptron-frame", "perceptron-dicts"])
def test_of_a_model_file_that_does_not_say_nothing_follows(name):
    """A fit, and a stream."""
    model = load(Path(__file__).parents[1] / "store" / "version1" / f"{name}.nvk")
    with pytest.raises(ValueError, match="Of the first pass nothing follows: rows and mistakes were not counted"):
        model.generalization()
    assert "independent draws" not in model.summary()


@pytest.mark.parametrize("rule", RULES)
def test_a_model_file_keeps_it(rule, tmp_path):
    X, y = noisy()
    model = quiet(rule(max_iter=4), X, y)
    save(model, tmp_path / "model.nvk")
    found = load(tmp_path / "model.nvk")
    assert found.generalization() == model.generalization()
    assert found.summary() == model.summary()


def test_a_learner_that_runs_again_counts_the_mistakes_of_that_run():
    X, y = noisy()
    model = quiet(Perceptron(max_iter=3), X, y)
    learner, rows = model._learner, model._rows(X, np.where(y == 1, 1, -1).astype(np.int8))
    before = learner.mistakes
    learner.run(rows)
    assert learner.first_mistakes == learner.mistakes - before > 0
