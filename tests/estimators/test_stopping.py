"""Why a fit stopped: what is said of the returned weights is true of them, on every row, by exact arithmetic."""

from __future__ import annotations

import re
import warnings
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from novikoff import LeastSquares, MarginPerceptron, Perceptron, certify, fit_file, load, save
from novikoff.engine import loops
from novikoff.lab.experiment import Experiment
from novikoff.lab.run import run as lab_run
from novikoff.learners import linear
from novikoff.store import describe
from tests import problems

NO_SEPARATOR = "no mistakes left by the convention at zero; this is no separator"
CANCEL = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, -1.0]])  # rows 0 and 1 have one label: no w is positive on both


def quietly(model, X, y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(X, y)


@pytest.mark.parametrize(("at_zero", "sign"), [("positive", 1), ("negative", -1)])
@pytest.mark.parametrize("order", ["given", "first", "worst"])
def test_a_run_that_ends_by_the_convention_at_zero_is_not_called_a_separator(at_zero, sign, order):
    y = [sign, sign, -sign]
    model = Perceptron(at_zero=at_zero, order=order, fit_intercept=False).fit(CANCEL, y)
    assert certify(CANCEL, y, fit_intercept=False).verdict == "not separable"
    assert model.stop_reason_.startswith(NO_SEPARATOR + ": the last of ")
    assert NO_SEPARATOR in model.summary()
    assert "separated" not in model.summary()
    assert model.margin_[0] == 0.0
    assert model.predict(CANCEL).tolist() == y


def test_what_is_said_of_one_mistake_and_one_pass(tmp_path):
    model = quietly(Perceptron(fit_intercept=False, max_iter=1, shuffle=False), [[1.0], [-2.0]], [1, -1])
    save(model, tmp_path / "model.nvk")
    about = str(describe(tmp_path / "model.nvk"))
    assert "\n1 mistake, rows of norm" in model.summary()
    assert "\n  1 mistake;" in about
    assert f"\n  S{model.stop_reason_[1:]}.\n" in about, "a sentence begins with a capital letter"
    left = quietly(Perceptron(fit_intercept=False, max_iter=1), CANCEL, [1, 1, -1])
    save(left, tmp_path / "model.nvk")
    assert "\n  max_iter = 1 reached after 1 pass: " in str(describe(tmp_path / "model.nvk")), "but not with the name"


def test_a_margin_too_small_for_a_float_is_a_margin():
    # w = (1, 5e-324): the second row has <w,x> = 2^-2148, over ||w|| = 1, which no float but 0 is below.
    model = Perceptron(fit_intercept=False, shuffle=False).fit([[1.0, 5e-324], [0.0, -5e-324]], [1, -1])
    assert model.coef_.tolist() == [[1.0, 5e-324]]
    assert model.margin_[0] == 0.0
    assert model.stop_reason_.startswith("separated: ")


def test_what_is_said_of_the_returned_weights_is_true():
    seen = Counter()
    tiny = problems.grids(rows=(2, 5), columns=(1, 2), magnitude=1)
    data = st.one_of(tiny, problems.grids(rows=(2, 8), columns=(1, 3)), problems.near_ties(rows=(2, 6)))
    modes = st.sampled_from(["mistake", "positive", "negative"])

    learners = st.sampled_from([Perceptron, Perceptron, MarginPerceptron])
    orders = st.sampled_from(["given", "first", "worst"])

    @given(data, modes, orders, st.sampled_from([1, 2, 3, 30]), learners, st.booleans())
    def check(data, at_zero, order, max_iter, learner, intercept):
        X, y = data
        margin = learner is MarginPerceptron
        model = learner(at_zero=at_zero, order=order, max_iter=max_iter, fit_intercept=intercept)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", ConvergenceWarning)
            model.fit(X, y)
        w = [Fraction(a) for a in (*model.coef_[0].tolist(), *model.intercept_.tolist())]
        sides = [
            int(sign) * sum(a * Fraction(b) for a, b in zip(w, [*row.tolist(), float(intercept)], strict=True))
            for row, sign in zip(X, y, strict=True)
        ]
        zero = {"mistake": 0, "positive": 1, "negative": -1}[at_zero]
        errors = sum(s < 0 or (s == 0 and zero != sign) for s, sign in zip(sides, y.tolist(), strict=True))
        due = sum(s <= Fraction(model.threshold_) for s in sides) if margin else errors
        reason = model.stop_reason_
        text = f"{reason} {caught[0].message if caught else ''}"
        assert bool(caught) is (due > 0)
        assert reason.startswith("separated") is (min(sides) > 0 and due == 0)
        assert reason.startswith(NO_SEPARATOR) is (min(sides) <= 0 and due == 0)
        told = {int(count) for count in re.findall(r"misclassify ([\d,]+) of", text)}
        assert told == ({errors} if errors else set())
        assert ("did not separate" in text) is (due > 0 and min(sides) <= 0)
        assert ("separate the rows, but not all by more than the threshold" in text) is (due > 0 and min(sides) > 0)
        assert model.summary().splitlines()[0] == f"{learner.__name__}: {reason}."
        kind = "clean" if not due else "errs" if errors else "too close"
        seen[kind if kind != "clean" or min(sides) > 0 else "at zero"] += 1

    check()
    assert min(seen["clean"], seen["errs"]) >= seen.total() / 10, seen
    assert seen["at zero"] >= 1, seen
    assert seen["too close"] >= 1, seen


def test_sorted_rows_do_not_hide_the_errors():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 200)
    X = rng.standard_normal((400, 2)) + y[:, None]
    model = Perceptron(shuffle=False, max_iter=20)
    with pytest.warns(ConvergenceWarning) as caught:
        model.fit(X, y)
    errors = int(np.sum(model.predict(X) != y))
    assert errors > model.history_[-1], "the last pass made fewer mistakes than its weights leave"
    said = f"the returned weights misclassify {errors:,} of 400 rows"
    assert "did not separate" in str(caught[0].message)
    assert said in model.stop_reason_
    assert said in model.summary()


def test_a_fit_from_a_file_and_a_loaded_model_say_the_same(tmp_path):
    file, target = tmp_path / "data.csv", tmp_path / "model.nvk"
    file.write_text("y,a\n0,1\n1,2\n0,3\n1,4\n0,9\n")
    with pytest.warns(ConvergenceWarning, match="did not separate"):
        model = fit_file(Perceptron(max_iter=5), file, cache=tmp_path / "cache")
    assert re.search(r"the returned weights misclassify \d of 5 rows", model.stop_reason_)
    save(model, target)
    found = load(target)
    assert (found.stop_reason_, found.interrupted_) == (model.stop_reason_, False)


def interrupted_at(monkeypatch, call):
    """The given call of a loop is where Ctrl-C comes."""
    calls = Counter()

    def after(loop):
        def wrapped(*arguments):
            calls["all"] += 1
            if calls["all"] == call:
                raise KeyboardInterrupt
            return loop(*arguments)

        return wrapped

    monkeypatch.setattr(linear, "cycle", after(linear.cycle))
    monkeypatch.setattr(loops, "examine", after(loops.examine))


@pytest.mark.parametrize("call", [1, 2])
def test_an_interrupt_while_the_result_is_looked_at_keeps_the_model(monkeypatch, call):
    # A pass that is not enough; then its weights are examined: one call each.
    X, y = [[1.0], [2.0], [3.0]], [0, 1, 0]
    interrupted_at(monkeypatch, call)
    model = Perceptron(max_iter=1).fit(X, y)
    assert model.interrupted_
    assert model.stop_reason_ == ("interrupted after 0 passes" if call == 1 else "interrupted after 1 pass")
    assert model.margin_[0] == -np.inf
    assert model.updates_ == (0 if call == 1 else model.history_.sum())


def test_a_flag_says_that_a_run_was_interrupted(monkeypatch, tmp_path):
    file, target = tmp_path / "data.csv", tmp_path / "model.nvk"
    file.write_text("y,a\n0,1\n1,2\n0,3\n")
    interrupted_at(monkeypatch, 2)
    model = fit_file(Perceptron(max_iter=10**9), file, cache=tmp_path / "cache")
    assert model.interrupted_
    save(model, target)
    assert load(target).interrupted_
    monkeypatch.undo()
    assert quietly(Perceptron(max_iter=2), [[1.0], [2.0]], [0, 1]).interrupted_ is False
    assert LeastSquares("newton").fit([[1.0], [2.0]], [0.0, 1.0]).interrupted_ is False


@pytest.mark.parametrize("order", ["given", "first"])
def test_the_lab_does_not_call_it_a_separator_either(order):
    points = Experiment(CANCEL.tolist(), [1, 1, -1], at_zero="positive", intercept=False, order=order)
    shown = lab_run(points)
    assert (shown.finished, shown.verdict) == (True, "not separable")
    assert shown.summary.startswith("No mistakes left by the convention at zero; this is no separator: 1 mistake in 2 ")
    separable = lab_run(Experiment([[1.0, 0.0], [0.0, -1.0]], [1, -1], at_zero="positive", intercept=False))
    assert separable.summary.startswith("No mistakes left"), "w = (0, 1) leaves the first point at zero"
    assert separable.verdict == "separable"
    assert lab_run(Experiment([[1.0, 0.0], [0.0, -1.0]], [1, -1], intercept=False)).summary.startswith(
        "Separated after"
    )
