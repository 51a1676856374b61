"""scikit-learn's callbacks follow the passes of a fit, and may end it."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import novikoff as nk
from novikoff.estimators import callbacks
from novikoff.estimators.registry import BY_RULE

pytest.importorskip("sklearn.callback", reason="scikit-learn has callbacks from 1.9 on")
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

X, KINDS = load_iris(return_X_y=True)
EASY, HARD = KINDS == 0, KINDS == 1


class Recorder:
    """Writes down what it is told; may have had enough after some passes."""

    def __init__(self, enough=None, fails=False):
        self.enough, self.fails = enough, fails
        self.told, self.scores, self.most = [], [], []

    def setup(self, estimator, context):
        self.told.append("setup")

    def teardown(self, estimator, context):
        self.told.append("teardown")

    def on_fit_task_begin(self, estimator, context):
        self.told.append(f"begin {context.task_name}")
        self.most.append(context.max_subtasks)

    def on_fit_task_end(self, estimator, context, *, X, y, fitted_estimator):
        self.told.append(f"end {context.task_name}")
        if hasattr(fitted_estimator, "score"):
            self.scores.append(fitted_estimator.score(X, y))
        if self.fails:
            raise ZeroDivisionError
        return self.enough is not None and self.told.count("end pass") >= self.enough


@pytest.mark.parametrize("learner", [entry.estimator for entry in BY_RULE])
def test_every_pass_is_a_task(learner):
    seen = Recorder()
    model = learner(max_iter=30).set_callbacks(seen).fit(X, EASY)
    plain = learner(max_iter=30).fit(X, EASY)
    assert np.array_equal(model.last_coef_, plain.last_coef_)
    assert model.stop_reason_ == plain.stop_reason_
    assert seen.told[:3] == ["setup", "begin fit", "begin pass"]
    assert seen.told[-2:] == ["end fit", "teardown"]
    for name in ("pass", "fit"):
        assert seen.told.count(f"begin {name}") == seen.told.count(f"end {name}")
    assert len(seen.scores) == model.passes_ + 1
    assert seen.scores[-1] == model.score(X, EASY)
    assert seen.most[0] == 30


def test_what_a_pass_left_is_a_fit_of_as_many_passes():
    seen = Recorder()
    nk.Perceptron(max_iter=6, hypothesis="last").set_callbacks(seen).fit(X, HARD)
    alone = [nk.Perceptron(max_iter=k, hypothesis="last").fit(X, HARD).score(X, HARD) for k in range(1, 7)]
    assert seen.scores == [*alone, alone[-1]]


def test_a_callback_may_end_a_fit():
    seen = Recorder(enough=3)
    model = nk.Perceptron(hypothesis="last").set_callbacks(seen).fit(X, HARD)
    three = nk.Perceptron(hypothesis="last", max_iter=3).fit(X, HARD)
    assert model.passes_ == seen.told.count("begin pass") == 3
    assert np.array_equal(model.coef_, three.coef_)
    assert model.stop_reason_.startswith("ended by a callback after 3 passes: not separated; ")
    assert not model.interrupted_


def test_what_a_callback_ended_needs_no_warning(recwarn):
    nk.Perceptron().set_callbacks(Recorder(enough=2)).fit(X, HARD)
    nk.Perceptron(multiclass="one-vs-rest").set_callbacks(Recorder(enough=1)).fit(X, KINDS)
    assert [str(warning.message) for warning in recwarn] == []


@pytest.mark.parametrize("followed", [False, True])
def test_a_warning_is_about_the_line_that_called_fit(followed):
    model = nk.Perceptron(max_iter=3)
    if followed:
        model.set_callbacks(Recorder())
    with pytest.warns(ConvergenceWarning) as caught:
        model.fit(X, HARD)
    assert [warning.filename for warning in caught] == [__file__]


def test_a_separator_is_one_though_a_callback_ended_the_fit():
    passes = nk.Perceptron().fit(X, EASY).passes_
    model = nk.Perceptron().set_callbacks(Recorder(enough=passes - 1)).fit(X, EASY)
    assert model.score(X, EASY) == 1
    assert model.stop_reason_.startswith(f"separated: ended by a callback after {passes - 1} pass")


@pytest.mark.parametrize("multiclass", ["joint", "one-vs-rest", "one-vs-one"])
@pytest.mark.parametrize("order", ["given", pytest.param("worst", marks=pytest.mark.compiles)])
def test_many_classes(multiclass, order):
    options = {"multiclass": multiclass, "order": order, "max_iter": 8}
    seen = Recorder()
    model = nk.Perceptron(**options).set_callbacks(seen).fit(X, KINDS)
    assert np.array_equal(model.coef_, nk.Perceptron(**options).fit(X, KINDS).coef_)
    assert seen.told.count("end fit") == 1
    assert seen.told.count("begin pass") == seen.told.count("end pass") >= model.passes_
    begun = multiclass != "joint"  # the heads might have made one pass more, which was begun, and is nobody's
    assert len(seen.scores) == seen.told.count("end pass") - begun + 1


def test_whatever_happens_they_clear_up_and_the_model_stays():
    model = nk.Perceptron().fit(X, EASY)
    before = model.coef_
    seen = Recorder(fails=True)
    with pytest.raises(ZeroDivisionError):
        model.set_callbacks(seen).fit(X, HARD)
    assert seen.told[-1] == "teardown"
    assert np.array_equal(model.coef_, before)
    model.set_callbacks().fit(X, EASY)
    assert not [name for name in vars(model) if "callback" in name]


def test_a_search_and_a_pipeline_hand_them_on():
    from sklearn.callback import ProgressBar

    seen = Recorder()
    seen.max_propagation_depth = None
    make_pipeline(StandardScaler(), nk.Perceptron(max_iter=4)).set_callbacks(seen).fit(X, HARD)
    assert seen.told.count("end pass") == 4
    search = GridSearchCV(nk.Perceptron(max_iter=4), {"order": ["given", "worst"]}, cv=2)
    search.set_callbacks(ProgressBar(max_propagation_depth=None)).fit(X, HARD)
    assert len(search.cv_results_["params"]) == 2


def test_clones_keep_them_and_files_do_not(tmp_path):
    model = nk.Perceptron().set_callbacks(Recorder()).fit(X, EASY)
    again = clone(model).fit(X, EASY)
    assert again._skl_callbacks[0].told.count("setup") == 2, "scikit-learn's clones have the same callbacks"
    assert pickle.loads(pickle.dumps(model)).coef_.shape == (1, 4)
    nk.save(model, tmp_path / "model.nvk")
    assert not hasattr(nk.load(tmp_path / "model.nvk"), "_skl_callbacks")


def test_without_scikit_learn_1_9_there_are_none(monkeypatch):
    monkeypatch.setattr(callbacks, "_exist", lambda: False)
    assert not hasattr(nk.Perceptron(), "set_callbacks")
    assert nk.Perceptron().fit(X, EASY).score(X, EASY) == 1
