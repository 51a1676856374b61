"""Any number of threads may ask one model; one at a time may teach it, and a second one is told."""

from __future__ import annotations

import itertools
import sys
import threading

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from novikoff import LeastSquares, MarginPerceptron, MaxMarginClassifier, Perceptron, Winnow, concepts
from novikoff.estimators.boolean import KDNF, Conjunction
from novikoff.learners.weighted_majority import WeightedMajority
from novikoff.problems import separable


@pytest.fixture(autouse=True)
def restless():
    """Threads take turns as often as the interpreter lets them."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def at_once(*jobs):
    """Run each job in a thread of its own, all at once; whatever one raises is raised here."""
    failed = []
    barrier = threading.Barrier(len(jobs))

    def run(job):
        barrier.wait()
        try:
            job()
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=run, args=(job,)) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failed:
        raise failed[0]


def at_every_line(setup):
    """Let one thread come between two lines of another, wherever that is possible.

    `setup()` gives three functions, anew each time: what is interrupted, what comes between, and what holds after.
    """
    for place in itertools.count():
        interrupted, between, holds = setup()
        lines = 0

        def trace(frame, event, argument, place=place, between=between):
            nonlocal lines
            if "novikoff" not in frame.f_code.co_filename:
                return None
            if event == "line":
                if lines == place:
                    at_once(between)
                lines += 1
            return trace

        before = sys.gettrace()
        sys.settrace(trace)
        try:
            interrupted()
        finally:
            sys.settrace(before)
        if lines <= place:  # it ended before its turn came
            assert place > 5
            return
        holds()


# Asking ----------------------------------------------------------------------------------------------


def asked_by_many(questions, ask, rounds):
    """Each thread asks its own question again and again: the answers are those of one thread."""
    alone = [ask(question) for question in questions]

    def job(question, answer):
        for _ in range(rounds):
            assert np.array_equal(ask(question), answer)

    at_once(*(lambda pair=pair: job(*pair) for pair in zip(questions, alone, strict=True)))


def test_single_examples_of_all_kinds_may_be_judged_in_many_threads():
    model = Perceptron(fit_intercept=False)
    for number in range(40):
        model.learn_one({f"f{number}": 1.0 + number}, -1 if number % 3 else 1)
    dicts = [{f"f{number}": 1.0 for number in range(start, start + 5 + start % 2)} for start in range(6)]
    asked_by_many(dicts, model.predict_one, 2_000)
    vectors = [np.eye(40)[number] for number in range(4)]
    asked_by_many(vectors + [vector.tolist() for vector in vectors], model.predict_one, 300)
    asked_by_many([sp.csr_array(vector[None, :]) for vector in vectors], model.predict_one, 50)


@pytest.mark.parametrize(
    "between", [{"c": 1.0}, {"c": 2.0, "a": 3.0, "b": 4.0}, {"unknown": 1.0}, [0.0, 1.0, 0.0]], ids=str
)
def test_a_question_between_two_lines_of_another_changes_no_answer(between):
    def setup():
        model = Perceptron(fit_intercept=False)
        model.learn_one({"a": 1.0}, 1).learn_one({"b": 1.0}, 1).learn_one({"c": 1.0}, -1)
        model.predict_one({"a": 1.0, "b": 1.0})  # so that it knows the places of the next one
        said = []

        def holds():
            assert said == [1]

        return lambda: said.append(model.predict_one({"a": 3.0, "b": -1.0})), lambda: model.predict_one(between), holds

    at_every_line(setup)


def test_a_model_of_a_frame_may_be_asked_by_dicts_in_many_threads():
    X = pd.DataFrame(np.eye(4), columns=["a", "b", "c", "d"])
    model = Perceptron(fit_intercept=False).fit(X, [0, 1, 1, 0])
    asked_by_many([{"a": 1.0}, {"b": 1.0, "c": 1.0}, {"c": 1.0}, {"d": 1.0, "a": -3.0}], model.predict_one, 1_000)


@pytest.mark.parametrize("learner", [Perceptron, MarginPerceptron, MaxMarginClassifier, LeastSquares], ids=str)
def test_batches_may_be_judged_in_many_threads(learner):
    problem = separable(400, 6, margin=0.2, random_state=0)
    model = learner().fit(problem.X, problem.y)
    batches = [problem.X[:400], problem.X[:7], sp.csr_array(problem.X[50:300]), problem.X[100:].astype(np.float32)]
    asked_by_many(batches, model.predict, 50)


@pytest.mark.parametrize("learner", [Winnow, Conjunction, KDNF])
def test_boolean_learners_may_be_asked_in_many_threads(learner):
    X = np.array([[1, 1, 0, 1], [1, 0, 1, 1], [1, 1, 1, 0], [0, 1, 1, 1]])
    model = learner().fit(X, X[:, 0])
    asked_by_many(list(X), model.predict_one, 200)
    asked_by_many([X[:n] for n in range(1, 5)], model.predict, 50)


def test_a_vote_may_be_asked_in_many_threads():
    model = WeightedMajority(concepts.thresholds(50))
    for x, y in ((10, 0), (40, 1), (20, 1), (30, 0)):
        model.learn_one(x, y)
    asked_by_many([5, 15, 25, 35, 45], model.predict_one, 300)


# Teaching --------------------------------------------------------------------------------------------


def in_the_middle_of(method, meanwhile, patch, monkeypatch):
    """Call a method in a thread; when it comes to what is patched, it waits until `meanwhile` is done here."""
    inside, go_on = threading.Event(), threading.Event()
    owner, name = patch
    original = getattr(owner, name)

    def waiting(*args, **kwargs):
        inside.set()
        go_on.wait()
        return original(*args, **kwargs)

    with monkeypatch.context() as patched:
        patched.setattr(owner, name, waiting)
        thread = threading.Thread(target=method)
        thread.start()
        inside.wait()
    try:
        meanwhile()
    finally:
        go_on.set()
        thread.join()


X, Y = np.array([[1.0, 2.0], [2.0, -1.0], [-1.0, 1.0]]), np.array([1, -1, -1])
NAMED = pd.DataFrame(X, columns=["a", "b"])


def every_way_to_teach(model):
    frame = hasattr(model, "feature_names_in_")
    data = NAMED if frame else X
    yield lambda: model.fit(data, Y)
    yield lambda: model.partial_fit(data, Y)
    yield lambda: model.predict_learn(data, Y)
    yield lambda: model.learn_one(X[0], 1)
    yield lambda: model.learn_one(X[0].tolist(), 1)
    yield lambda: model.learn_one(sp.csr_array(X[:1]), 1)
    if frame:
        yield lambda: model.learn_one({"a": 1.0, "b": 2.0}, 1)


@pytest.mark.parametrize("data", [X, NAMED], ids=["array", "frame"])
@pytest.mark.parametrize("way", ["fit", "partial_fit", "predict_learn"])
def test_who_learns_beside_another_thread_is_told_and_changes_nothing(way, data, monkeypatch):
    from novikoff.learners.linear import LinearLearner

    model, other = Perceptron().partial_fit(data, Y), Perceptron().partial_fit(data, Y)
    inner = {"fit": "run", "partial_fit": "one_pass", "predict_learn": "rounds"}[way]

    def meanwhile():
        for teach in every_way_to_teach(model):
            with pytest.raises(RuntimeError, match=r"another thread is learning with this Perceptron"):
                teach()
        assert set(model.predict(data)) <= {-1, 1}  # asking is another matter
        Perceptron().fit(X, Y)  # and so is another model

    in_the_middle_of(lambda: getattr(model, way)(data, Y), meanwhile, (LinearLearner, inner), monkeypatch)
    getattr(other, way)(data, Y)
    assert model.coef_.tobytes() == other.coef_.tobytes()
    assert (model.mistakes_, model.updates_, model.passes_) == (other.mistakes_, other.updates_, other.passes_)
    for teach in every_way_to_teach(model):
        teach()  # everything is free again


def test_an_error_gives_the_model_free():
    model = Perceptron().fit(X, Y)
    with pytest.raises(ValueError, match="NaN"):
        model.partial_fit([[np.nan, 1.0]], [1])
    at_once(lambda: model.partial_fit(X, Y))


@pytest.mark.parametrize(
    ("model", "x", "y"),
    [
        (Winnow(), [[0, 1], [1, 0]], [0, 1]),
        (LeastSquares(method="sgd", step=0.1), [[0.0, 1.0], [1.0, 0.0]], [0.0, 1.0]),
        (MaxMarginClassifier(), [[0.0, 1.0], [1.0, 0.0]], [0, 1]),
    ],
    ids=lambda value: type(value).__name__ if hasattr(value, "fit") else "",
)
def test_the_other_learners_are_taught_by_one_thread_at_a_time(model, x, y, monkeypatch):
    import novikoff.inputs

    def meanwhile():
        with pytest.raises(RuntimeError, match=f"another thread is learning with this {type(model).__name__}"):
            model.fit(x, y)
        if hasattr(model, "partial_fit"):
            with pytest.raises(RuntimeError, match="another thread"):
                model.partial_fit(x, y)
        if hasattr(model, "learn_one"):
            with pytest.raises(RuntimeError, match="another thread"):
                model.learn_one(x[0], y[0])

    in_the_middle_of(lambda: model.fit(x, y), meanwhile, (novikoff.inputs, "labels"), monkeypatch)
    assert np.array_equal(model.predict(x) > 0.5, np.array(y) > 0.5) or isinstance(model, LeastSquares)


def insist(step, *arguments):
    """Until the other threads let it."""
    while True:
        try:
            return step(*arguments)
        except RuntimeError as error:
            assert "another thread is learning" in str(error)  # noqa: PT017  # any other is a failure


def test_threads_that_insist_grow_one_model_and_nothing_is_lost():
    # Every example has features of its own: it is a mistake, once, and its weights do not depend on the order.
    model = Perceptron(fit_intercept=False)
    names = [[f"{thread}.{number}" for number in range(60)] for thread in range(4)]

    def job(mine):
        for name in mine:
            insist(model.learn_one, {name: 1.0, name + "'": 2.0}, 1)

    at_once(*(lambda mine=mine: job(mine) for mine in names))
    features = [name for mine in names for name in mine]
    assert model.mistakes_ == 240
    assert model.n_features_in_ == 480
    assert model.weights() == dict.fromkeys(features, 1.0) | {name + "'": 2.0 for name in features}


@pytest.mark.parametrize("begun", [False, True])
@pytest.mark.parametrize("first", [{"a": 1.0, "b": 2.0}, {"known": 1.0}], ids=str)
@pytest.mark.parametrize("second", [{"c": 4.0}, {"b": 8.0, "d": 16.0}, {"known": 2.0}], ids=str)
def test_an_example_between_two_lines_of_another_is_learned_or_refused(first, second, begun):
    # Under a threshold that is never reached each example is added to w, and the order of a sum does not matter.
    def setup():
        model = MarginPerceptron(fit_intercept=False, threshold=1e9)
        if begun:
            model.learn_one({"known": 1.0}, 1)
        learned = [{"known": 1.0}] if begun else []

        def interrupted():
            model.learn_one(first, 1)
            learned.append(first)

        def between():
            try:
                model.learn_one(second, 1)
                learned.append(second)
            except RuntimeError as error:
                assert "another thread is learning" in str(error)  # noqa: PT017  # any other is a failure

        def holds():
            names = {name for x in learned for name in x}
            assert model.weights() == {name: sum(x.get(name, 0.0) for x in learned) for name in names}
            assert model.updates_ == len(learned)
            assert model.n_features_in_ == len(names)

        return interrupted, between, holds

    at_every_line(setup)


def test_a_name_never_leads_to_a_weight_that_is_not_there():
    def setup():
        model = Perceptron(fit_intercept=False).learn_one({"first": 1.0}, 1)

        def between():
            assert len(model._columns) < len(model._learner.w)  # the last weight is the constant's
            assert model.predict_one({f"f{number}": 1.0 for number in range(50)}) in (None, 1)

        return lambda: model.learn_one({f"f{number}": 1.0 for number in range(50)}, 1), between, lambda: None

    at_every_line(setup)


def test_a_model_that_grows_may_be_asked_meanwhile():
    # A weight is there before the name that leads to it.
    model = Perceptron(fit_intercept=False).learn_one({"first": 1.0}, 1)
    names = [f"f{number}" for number in range(2_000)]

    def grow():
        for name in names:
            model.learn_one({name: 1.0}, 1)

    def ask():
        for name in names:
            assert model.predict_one({name: 1.0, "first": 1.0}) == 1

    at_once(grow, ask, ask)


def test_threads_that_insist_are_all_counted():
    model = WeightedMajority(concepts.thresholds(20))

    def job():
        for number in range(50):
            insist(model.learn_one, number % 20, 1)

    at_once(job, job, job, job)
    assert model.rounds_ == 200
    assert model.best_mistakes_ == 0
