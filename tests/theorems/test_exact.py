"""Rounding of rationals."""

import math
from fractions import Fraction

import pytest

import novikoff as nk
from novikoff.theory.exact import round_down, round_up


def test_zero_has_no_sign():
    assert math.copysign(1, round_up(Fraction(0))) == math.copysign(1, round_down(Fraction(0))) == 1


@pytest.mark.filterwarnings("ignore")
def test_no_summary_speaks_of_a_margin_of_minus_zero():
    clf = nk.Perceptron(fit_intercept=False, max_iter=1).fit([[1.0], [1.0]], [0, 1])
    assert clf.coef_.tolist() == [[0.0]]
    assert math.copysign(1, clf.margin_[1]) == 1
    assert clf.summary().endswith("No separator has a margin above 0.")
