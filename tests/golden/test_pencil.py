"""Runs that a person can check with a pencil."""

from __future__ import annotations

import numpy as np
import pytest

from novikoff import MarginPerceptron, Perceptron

# Four points, constant coordinate 1 appended. By hand, zero counting as a mistake:
#   pass 1: (2,1,1)+ : 0 -> w = (2,1,1); (3,0,1)+ : 7; (0,2,1)- : 3 -> w = (2,-1,0); (-1,1,1)- : -3
#   pass 2: (2,1,1)+ : 3; (3,0,1)+ : 6; (0,2,1)- : -2; (-1,1,1)- : -3
X = [[2, 1], [3, 0], [0, 2], [-1, 1]]
Y = [1, 1, -1, -1]


def test_cyclic():
    model = Perceptron(shuffle=False).fit(X, Y)
    assert model.coef_.tolist() == [[2.0, -1.0]]
    assert model.intercept_.tolist() == [0.0]
    assert model.history_.tolist() == [2, 0]
    assert (model.mistakes_, model.updates_, model.passes_, model.n_iter_) == (2, 2, 2, 2)
    assert model.radius_ == pytest.approx(10**0.5)
    lower, upper = model.margin_
    assert lower == pytest.approx(2 / 5**0.5)  # min y<w,x> = 2 at (0,2,1)
    assert upper == pytest.approx(5**0.5 / 2)
    assert model.bound(1) == 10


def test_zero_predicts_plus():
    # pass 1: (2,1,1)+ : 0 is +; (3,0,1)+ : 0 is +; (0,2,1)- : 0 is + -> w = (0,-2,-1); (-1,1,1)- : -3
    # pass 2: (2,1,1)+ : -3 -> w = (2,-1,0); (3,0,1)+ : 6; (0,2,1)- : -2; (-1,1,1)- : -3; pass 3 is clean
    model = Perceptron(at_zero="positive", shuffle=False).fit(X, Y)
    assert (model.coef_.tolist(), model.history_.tolist()) == ([[2.0, -1.0]], [1, 1, 0])


def test_zero_predicts_minus():
    # pass 1 as for "mistake", since the first example is + and zero predicts -
    model = Perceptron(at_zero="negative", shuffle=False).fit(X, Y)
    assert (model.coef_.tolist(), model.history_.tolist()) == ([[2.0, -1.0]], [2, 0])


def test_first_and_worst():
    # first: row 0 -> (2,1,1); then row 2 (3 > 0) -> (2,-1,0); then none
    first = Perceptron(order="first").fit(X, Y)
    assert (first.history_.tolist(), first.passes_) == ([0, 2, -1], 3)
    # worst: all tie at 0, the lowest row 0 -> (2,1,1); y<w,x> = 6, 7, -3, 0: row 2 -> (2,-1,0); then none
    worst = Perceptron(order="worst").fit(X, Y)
    assert (worst.history_.tolist(), worst.coef_.tolist()) == ([0, 2, -1], [[2.0, -1.0]])


def test_margin_perceptron_on_unit_rows():
    # Harvey's algorithm, theta = 1, rows e1 and e2: w = (1,0), (1,1); then <w,x> = 1 <= 1 again: (2,1), (2,2).
    model = MarginPerceptron(threshold=1, fit_intercept=False, shuffle=False).fit([[1, 0], [0, -1]], [1, -1])
    assert model.coef_.tolist() == [[2.0, 2.0]]
    assert (model.updates_, model.mistakes_, model.history_.tolist()) == (4, 2, [2, 2, 0])
    assert model.margin_[0] == pytest.approx(2**-0.5)  # gamma itself
    assert model.updates_ <= 3 / 0.5


def test_automatic_threshold_grows_with_the_rows():
    # theta = 1 at row 0, 9 from row 1 on: (1,0) + (0,3) -> (1,3); pass 2: 1 <= 9 -> (2,3); 9 <= 9 -> (2,6) ...
    model = MarginPerceptron(fit_intercept=False, shuffle=False).fit([[1, 0], [0, -3]], [1, -1])
    assert model.threshold_ == 9.0
    assert model.coef_.tolist() == [[10.0, 6.0]]
    assert model.history_.tolist() == [2, 2] + [1] * 8 + [0]


def test_a_pass_in_which_the_threshold_rose_is_not_clean():
    # From w = 60 (rows 30 and -30: 0 -> 30; 900 <= 900 -> 60; then 1800). Pass 1: 60 > 1; then theta = 400 and
    # 20 * 60 = 1200 > 400: no update, but row 0 was judged by theta = 1. From pass 2 on 60, 61, ..., 400 <= 400.
    model = MarginPerceptron(fit_intercept=False, warm_start=True, shuffle=False).fit([[30], [-30]], [1, -1])
    assert model.coef_.tolist() == [[60.0]]
    model.fit([[1], [-20]], [1, -1])
    assert model.history_.tolist() == [0] + [1] * 341 + [0]
    assert model.coef_.tolist() == [[401.0]]


def test_the_sphere_divides_rows_with_their_constant():
    model = Perceptron(scale="sphere", shuffle=False).fit([[1.0], [-7.0]], [1, -1])
    # row 0 is (1,1)/sqrt 2 -> w = (s,s); row 1 is (-7,1)/sqrt 50: y<w,x> = 6s/sqrt 50 > 0
    assert np.allclose(model.coef_, [[0.5**0.5]])
    assert model.mistakes_ == 1
    assert model.radius_ == 1.0
    assert model.margin_[0] == pytest.approx(0.6)


def test_predictions_at_zero():
    for at_zero, one, label in (("mistake", 0, "a"), ("positive", 1, "b"), ("negative", -1, "a")):
        model = Perceptron(at_zero=at_zero, fit_intercept=False, shuffle=False)
        assert model.sign_one([1.0, 1.0]) == one, "before the first example, too"
        model.fit([[1.0, 0.0], [0.0, 1.0]], ["b", "a"])
        on_the_line = [1.0, 1.0] if at_zero == "mistake" else [[0.0, 5.0], [5.0, 0.0]][at_zero == "negative"]
        if model.sign_one(on_the_line) == one:
            assert model.predict([on_the_line])[0] == label
        assert model.decision_function([[0.0, 0.0]])[0] == 0.0
        assert model.predict([[0.0, 0.0]])[0] == label
        assert model.sign_one([0.0, 0.0]) == one
        assert model.predict_one([0.0, 0.0]) == (label if one else None)
