"""`Examples` in the place of X and y; the online protocol over a batch; a run that is taken up again."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.typing import NDArray

import novikoff as nk
from novikoff.engine.rows import BUDGET
from novikoff.inputs import Examples
from novikoff.learners.linear import LinearLearner
from novikoff.problems import separable

NAMES = np.array(["a", "b", "c"], dtype=object)


def random_problem(n: int, d: int, seed: int, margin: float = 0.05) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    problem = separable(n, d, margin=margin, random_state=seed)
    return problem.X.copy(), problem.y


def examples(seed: int = 0, weights: Any = None) -> Examples:
    X, y = random_problem(40, 3, seed)
    return Examples(X, y, NAMES, weights)


class TestExamples:
    @pytest.mark.parametrize(
        "model",
        [nk.Perceptron(), nk.MarginPerceptron(), nk.MaxMarginClassifier(C=1.0), nk.LeastSquaresClassifier()],
        ids=lambda model: type(model).__name__,
    )
    def test_take_the_place_of_X_and_y(self, model: Any) -> None:
        both, ours = examples(), type(model)(**model.get_params())
        model.fit(both.X, both.y)
        ours.fit(both)
        assert np.array_equal(ours.coef_, model.coef_)
        assert ours.feature_names_in_.tolist() == ["a", "b", "c"]
        assert np.array_equal(ours.predict(both), model.predict(both.X))
        assert ours.score(both) == model.score(both.X, both.y)

    def test_other_names_are_refused(self) -> None:
        clf = nk.Perceptron().fit(examples())
        with pytest.raises(ValueError, match=r"not those of the model: read them with features="):
            clf.predict(Examples(examples().X, None, NAMES[::-1].copy()))
        assert len(clf.predict(Examples(examples().X, None))) == 40  # without names, by position

    def test_labels_must_be_there_once(self) -> None:
        both = examples()
        with pytest.raises(ValueError, match="X comes with its labels: do not pass y as well"):
            nk.Perceptron().fit(both, both.y)
        with pytest.raises(ValueError, match="these examples have no labels"):
            nk.Perceptron().fit(Examples(both.X, None))

    def test_weights_are_used_or_refused(self) -> None:
        weights = np.arange(40, dtype=float)
        both = examples(weights=weights)
        with pytest.raises(ValueError, match=r"carry weights, of which a stream knows nothing"):
            nk.Perceptron().predict_learn(both)
        assert np.array_equal(nk.Perceptron().fit(both).coef_, nk.Perceptron().fit(both.X, both.y, weights).coef_)
        ours = nk.MaxMarginClassifier(C=1.0).fit(both)
        assert np.array_equal(ours.coef_, nk.MaxMarginClassifier(C=1.0).fit(both.X, both.y, weights).coef_)

    def test_certify_and_verify(self) -> None:
        both = examples()
        proof = nk.certify(both)
        assert proof.about.digest == nk.certify(both.X, both.y).about.digest
        assert nk.verify(proof, (both.X, both.y)) == nk.verify(proof, both.X, both.y)


class TestPredictLearn:
    @pytest.mark.parametrize("at_zero", ["mistake", "positive", "negative"])
    @pytest.mark.parametrize("sparse", [False, True])
    def test_equals_a_loop_of_predict_one_and_learn_one(self, at_zero: str, sparse: bool) -> None:
        X, y = random_problem(200, 5, 3)
        slow, fast = nk.Perceptron(at_zero=at_zero), nk.Perceptron(at_zero=at_zero)
        said = []
        for x, label in zip(X, y, strict=True):
            said.append(slow.predict_one(x))
            slow.learn_one(x, label)
        heard = fast.predict_learn(sp.csr_array(X) if sparse else X, y, classes=[-1, 1])
        assert [-1 if label is None else label for label in said] == heard.tolist()
        assert np.array_equal(fast.coef_, slow.coef_)
        assert (fast.mistakes_, fast.updates_) == (slow.mistakes_, slow.updates_)

    def test_unknown_labels_are_only_predicted(self) -> None:
        X, y = random_problem(100, 4, 1)
        some = np.where(np.arange(100) % 3 == 0, np.nan, y.astype(float))
        with_gaps, without = nk.Perceptron(), nk.Perceptron()
        with_gaps.predict_learn(X, some, classes=[-1, 1])
        without.predict_learn(X[~np.isnan(some)], y[~np.isnan(some)], classes=[-1, 1])
        assert np.array_equal(with_gaps.coef_, without.coef_)

    def test_new_names_are_new_columns(self) -> None:
        X, y = random_problem(60, 3, 2)
        X[:30, 2] = 0.0
        clf, whole = nk.Perceptron(), nk.Perceptron()
        clf.predict_learn(Examples(X[:30, :2], y[:30], NAMES[:2]), classes=[-1, 1])
        clf.predict_learn(Examples(X[30:], y[30:], NAMES))
        whole.predict_learn(Examples(X, y, NAMES), classes=[-1, 1])
        assert np.array_equal(clf.coef_, whole.coef_)
        assert clf.feature_names_in_.tolist() == ["a", "b", "c"]
        with pytest.raises(ValueError, match="nor do they extend them"):
            clf.predict_learn(Examples(X, y, NAMES[::-1].copy()))
        with pytest.raises(ValueError, match="X has 2 features, but the model has 3"):
            clf.predict_learn(X[:, :2], y)

    def test_columns_without_names_are_not_added_to_those_with(self) -> None:
        clf = nk.Perceptron().learn_one({"a": 1.0}, 1)
        with pytest.raises(ValueError, match="X has 3 features, but the model has 1"):
            clf.predict_learn(sp.csr_array(np.eye(3)), [1, -1, 1])

    def test_what_came_before_a_refused_row_is_learned(self) -> None:
        X, y = random_problem(20, 3, 5)
        clf, before = nk.Perceptron(), nk.Perceptron().partial_fit(X[:7], y[:7], classes=[-1, 1])
        X[7, 1] = np.inf
        with pytest.raises(ValueError, match="row 7, column 1"):
            clf.predict_learn(X, y, classes=[-1, 1])
        assert np.array_equal(clf.coef_, before.coef_)

    @pytest.mark.parametrize("kind", [list, np.array, pd.Series])
    def test_what_came_before_a_strange_label_is_learned(self, kind: Any) -> None:
        X, y = random_problem(20, 3, 5)
        some = [None, *y[1:7].tolist(), 3, *y[8:].tolist()]
        clf, before = nk.Perceptron(), nk.Perceptron()
        before.predict_learn(X[:7], some[:7], classes=[-1, 1])
        with pytest.raises(ValueError, match=r"y\[7\] = 3(\.0)? is neither of the two labels -1 and 1"):
            clf.predict_learn(X, kind(some), classes=[-1, 1])
        assert np.array_equal(clf.coef_, before.coef_)
        assert clf.mistakes_ == before.mistakes_ > 0


class Notebook:
    """A journal in memory that stops the run after some entries."""

    def __init__(self, stop_after: int) -> None:
        self.left, self.page = stop_after, None

    def recall(self, learner: LinearLearner) -> tuple[NDArray[np.int64], Any] | None:
        if self.page is None:
            return None
        twin, history, generator = self.page
        learner.__dict__.update(twin.copy().__dict__)
        return history, generator

    def keep(self, learner: LinearLearner, history: list[NDArray[np.int64]], generator: Any) -> None:
        joined = np.concatenate(history) if history else np.empty(0, dtype=np.int64)
        self.page = learner.copy(), joined, generator
        self.left -= 1
        if self.left == 0:
            raise MemoryError("the machine died")


@pytest.mark.parametrize("order", ["given", "first", "worst", "shuffled"])
@pytest.mark.parametrize("model", [nk.Perceptron, pytest.param(nk.MarginPerceptron, marks=pytest.mark.compiles)])
def test_a_run_taken_up_again_gives_the_same_bits(model: Any, order: str, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = random_problem(100, 6, 11, margin=0.05)
    # The loops return to Python many times in every pass, so that most journals end in the middle of one.
    monkeypatch.setattr("novikoff.engine.rows.BUDGET", BUDGET >> 18)
    options = {"shuffle": True, "random_state": 3} if order == "shuffled" else {"order": order}
    whole = model(max_iter=10**6, **options).fit(X, y)
    for stop_after in (1, 5, 13):
        notebook = Notebook(stop_after)
        ours = model(max_iter=10**6, **options)
        for _ in range(10_000):
            try:
                ours._fit_journalled(X, y, notebook)
                break
            except MemoryError:
                notebook.left = stop_after
        assert np.array_equal(ours.coef_, whole.coef_)
        assert np.array_equal(ours.history_, whole.history_)
        assert (ours.mistakes_, ours.updates_, ours.margin_) == (whole.mistakes_, whole.updates_, whole.margin_)
        assert ours.stop_reason_ == whole.stop_reason_


@pytest.mark.parametrize("storage", [np.asarray, sp.csr_array])
def test_a_loop_that_returns_after_every_row_goes_on_where_it_was(
    storage: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = random_problem(40, 5, 3, margin=0.05)
    whole = nk.Perceptron()
    expected = whole.predict_learn(storage(X), y)
    scores = whole.decision_function(storage(X))
    monkeypatch.setattr("novikoff.engine.rows.BUDGET", 1)
    ours = nk.Perceptron()
    assert np.array_equal(ours.predict_learn(storage(X), y), expected)
    assert np.array_equal(ours.coef_, whole.coef_)
    assert np.array_equal(ours.decision_function(storage(X)), scores)


@pytest.mark.parametrize("row", [[2.0**-600, 0.0], [2.0**-600, 2.0**-610]])
def test_a_product_below_the_floats_keeps_its_sign(row: list[float]) -> None:
    X = np.array([row, [-x for x in row]])
    model = nk.Perceptron(fit_intercept=False).fit(X, [1, -1])
    for storage in (np.asarray, sp.csr_array):
        assert model.decision_function(storage(X)).tolist() == [5e-324, -5e-324]


def test_of_a_run_that_was_interrupted_no_margin_is_claimed(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*arguments: Any) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr("novikoff.learners.linear.cycle", interrupted)
    model = nk.Perceptron().fit([[1.0], [-1.0]], [1, -1])
    assert model.interrupted_
    assert model.margin_ == (-np.inf, np.inf)
