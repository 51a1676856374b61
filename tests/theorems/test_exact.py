"""Rounding of rationals."""

import math
from fractions import Fraction

import pytest

import novikoff as nk
from novikoff.theory.exact import root, round_down, round_up


def test_zero_has_no_sign():
    assert math.copysign(1, round_up(Fraction(0))) == math.copysign(1, round_down(Fraction(0))) == 1


@pytest.mark.filterwarnings("ignore")
def test_no_summary_speaks_of_a_margin_of_minus_zero():
    clf = nk.Perceptron(fit_intercept=False, max_iter=1).fit([[1.0], [1.0]], [0, 1])
    assert clf.coef_.tolist() == [[0.0]]
    assert math.copysign(1, clf.margin_[1]) == 1
    assert clf.summary().endswith("No separator has a margin above 0.")


@pytest.mark.parametrize("value", [Fraction(q) for q in ("2", "4", "1/3", "1e40", "1e-40", "0")])
def test_a_root_lies_between_its_ends_which_are_close(value):
    low, high = root(value)
    assert low**2 <= value <= high**2
    assert (high - low) * 2**65 <= high
