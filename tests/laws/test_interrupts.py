"""Ctrl-C at any line of `fit` leaves a whole model: the old one, or one that stands where the run stood."""

from __future__ import annotations

import os
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import novikoff
from novikoff import MarginPerceptron, Perceptron
from novikoff.learners import linear

HOME = str(Path(novikoff.__file__).parent) + os.sep
X = np.array([[2.0, 1.0], [0.3, -1.0], [-1.0, 0.7], [-0.2, 0.1], [1.5, -2.0], [0.4, 0.9]])
Y = np.array([1, -1, -1, 1, 1, -1])
PASSES = 7


class InterruptAt:
    """Raises KeyboardInterrupt at the k-th line of the library that is run in Python; counts the lines."""

    def __init__(self, line):
        self.line, self.lines = line, 0

    def __enter__(self):
        self.before = sys.gettrace()
        sys.settrace(self.call)
        return self

    def __exit__(self, *_):
        sys.settrace(self.before)

    def call(self, frame, event, argument):
        return self.local if frame.f_code.co_filename.startswith(HOME) else None

    def local(self, frame, event, argument):
        if event == "line":
            self.lines += 1
            if self.lines == self.line:
                raise KeyboardInterrupt
        return self.local


@pytest.fixture(autouse=True)
def one_pass_per_call(monkeypatch):
    monkeypatch.setattr(linear, "PASSES", 1)


def quietly(model):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(X, Y)


def trajectory(learner, order):
    """w by the number of updates, after each pass of a run that nothing interrupts."""
    path = {0: bytes(8 * 3)}
    for max_iter in range(1, PASSES + 1):
        model = quietly(learner(order=order, max_iter=max_iter))
        path[model.updates_] = model.last_coef_.tobytes() + model.last_intercept_.tobytes()
    return path


def state(model):
    """All that there is to know."""
    known = {name: value for name, value in vars(model).items() if name != "_learner"}
    learner = getattr(model, "_learner", None)
    w = None if learner is None else (learner.w.tobytes(), learner.state.tobytes(), learner.lower)
    return repr(sorted(known.items())), w


def interrupted(model, line):
    """Fit, with Ctrl-C at this line: how many lines were run, and whether it came out of `fit`."""
    with InterruptAt(line) as count:
        try:
            quietly(model)
        except KeyboardInterrupt:
            return count.lines, True
    return count.lines, False


def check_whole(model, path):
    """A model that stands where the run stood after one of its passes."""
    assert path[model.updates_] == model.last_coef_.tobytes() + model.last_intercept_.tobytes()
    assert model.passes_ == model.n_iter_ == len(model.history_)
    assert model.mistakes_ <= model.updates_
    if model.interrupted_:
        assert model.stop_reason_.startswith("interrupted after")
        assert model.margin_[0] == -np.inf
    assert model.classes_.tolist() == [-1, 1]
    assert model.summary()
    assert set(model.predict(X)) <= {-1, 1}
    assert model.partial_fit(X, Y).passes_ == len(model.history_) + 1


@pytest.mark.parametrize("learner", [Perceptron, MarginPerceptron])
@pytest.mark.parametrize("order", ["given", "worst"])
@pytest.mark.parametrize(
    ("share", "turned"), [(0.2, 0), *(pytest.param(1, turned, marks=pytest.mark.long) for turned in range(6))]
)
def test_an_interrupt_at_any_line_of_fit_leaves_a_whole_model(learner, order, share, turned, monkeypatch):
    monkeypatch.setitem(globals(), "X", np.roll(X, turned, axis=0))
    monkeypatch.setitem(globals(), "Y", np.roll(Y, turned))
    path = trajectory(learner, order)
    assert len(path) > 3
    lines, _ = interrupted(learner(order=order, max_iter=PASSES), None)
    at = np.unique(np.linspace(1, lines, int(share * lines)).astype(int)).tolist()
    old = kept = 0
    for turn, line in enumerate(at):
        model = learner(order=order, max_iter=PASSES)
        if turn % 2:
            model.fit([[0.0, 1.0], [1.0, 0.0]], [-1, 1])
        before = state(model)
        _, raised = interrupted(model, line)
        if state(model) == before:
            assert raised, "what does not raise has a result"
            old += 1
            continue
        kept += model.interrupted_
        check_whole(model, path)
    assert old >= len(at) / 10
    assert kept >= len(at) / 10
