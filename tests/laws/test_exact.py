"""The arithmetic under the decisions, against rationals."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from novikoff import Perceptron
from novikoff.certificates.dual import fold
from novikoff.engine import sums
from novikoff.engine.compile import allocating_kernel
from novikoff.engine.dense import DenseRows
from novikoff.engine.storage import over
from novikoff.theory.exact import round_down, round_up, sqrt_down, sqrt_up

FLOATS = st.floats(allow_nan=False, allow_infinity=False)
TAME = st.floats(-(2.0**300), 2.0**300, allow_nan=False).filter(lambda v: v == 0 or abs(v) > 2.0**-300)


@st.composite
def cancelling(draw, numbers):
    """Two vectors whose products cancel, but for a few last places and a small rest."""
    a, b = (draw(st.lists(numbers, min_size=3, max_size=3)) for _ in range(2))
    shrunk = draw(st.lists(st.booleans(), min_size=3, max_size=3))
    moved = [math.nextafter(v, 0.0) if less else v for v, less in zip(b, shrunk, strict=True)]
    rest = draw(st.lists(numbers, max_size=2))
    small = [v * 2.0 ** -draw(st.integers(0, 200)) for v in rest]
    return a + a + rest, b + [-v for v in moved] + small


def row(x, constant=0.0):
    return DenseRows(np.array([x], dtype=np.float64), np.full(1, np.nan), constant, False)


def sign(value):
    return (value > 0) - (value < 0)


def inner(x, w):
    return sum((Fraction(a) * Fraction(b) for a, b in zip(x, w, strict=True)), Fraction(0))


@pytest.mark.parametrize("numbers", [TAME, FLOATS], ids=["tame", "any"])
@given(data=st.data())
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_signs(numbers, data):
    x, w = data.draw(cancelling(numbers))
    theta = abs(data.draw(numbers))
    weights = np.array([*w, 0.0])
    assert sums.sign_of_dot(row(x), 0, 1.0, 1.0, weights, 0.0) == sign(inner(x, w))
    assert sums.sign_of_dot(row(x), 0, -1.0, 1.0, weights, theta) == sign(-inner(x, w) - Fraction(theta))
    assert sums.to_fraction(sums.exact_dot(row(x), 0, 1.0, 1.0, weights)) == inner(x, w)
    both = DenseRows(np.array([x, x[::-1]]), np.full(2, np.nan), 0.0, False)
    difference = inner(x, w) - inner(x[::-1], w)
    assert sums.sign_of_difference(both, 0, 1.0, 1.0, 1, 1.0, 1.0, weights) == sign(difference)


@given(st.lists(FLOATS, min_size=1, max_size=6), FLOATS)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_norms_are_correctly_rounded(x, constant):
    truth = sum((Fraction(v) ** 2 for v in [*x, constant]), Fraction(0))
    m, e = sums.sqnorm(row(x, constant), 0)
    assert m == float(truth / Fraction(2) ** e)
    assert m == 0 or 0.5 <= m < 1


@pytest.mark.parametrize(
    ("x", "square"),
    [
        ([1.0, 2**-27, 2**-27], 1.0),  # 1 + 2^-53 is half way: to even
        ([1.0, 2**-27, 2**-27, 2**-60], 1.0 + 2**-52),
        ([1.0, 2**-27, 2**-27, 2**-27], 1.0 + 2**-52),
        ([1.0 - 2**-53, 2**-27, 2**-27], 1.0 - 2**-53),  # 1 - 2^-53 + 2^-106, just above a float below 1
        ([1.0 - 2**-53, 2**-27, 2**-27, 2**-27], 1.0),  # 1 - 2^-54 + 2^-106: past the midpoint below 1
        ([3.0, 4.0], 25.0),
    ],
)
def test_norms_at_the_midpoints(x, square):
    m, e = sums.sqnorm(row(x), 0)
    assert math.ldexp(m, e) == square == float(sum(Fraction(v) ** 2 for v in x))


def exactly(m, e):
    return Fraction(m) * Fraction(2) ** e


def nearest(value):
    """Of 53 bits, ties to even, whatever its exponent: a Fraction becomes the nearest float."""
    if value == 0:
        return Fraction(0)
    e = abs(value).numerator.bit_length() - value.denominator.bit_length()
    return Fraction(float(value / Fraction(2) ** e)) * Fraction(2) ** e


@pytest.mark.parametrize("numbers", [TAME, FLOATS], ids=["tame", "any"])
@given(data=st.data())
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_products_are_correctly_rounded_in_every_storage(numbers, data):
    x, w = data.draw(cancelling(numbers))
    shuffled = data.draw(st.permutations(range(len(x))))
    weights = np.array([*w, 0.0])
    sparse = sp.csr_array(([x[j] for j in shuffled], shuffled, [0, len(x)]), shape=(1, len(x)))
    for storage in (row(x), over(sparse, 0.0, False)):
        assert exactly(*sums.rounded_dot(storage, 0, 1.0, weights)) == nearest(inner(x, w))


ULP = 2.0**-52
MIDPOINTS = [  # sums that floats lose at, with what they are
    ([1.0, ULP / 2], 1.0),  # half way: to even
    ([1.0 + ULP, ULP / 2], 1.0 + 2 * ULP),
    ([1.0, ULP / 2, 2.0**-200], 1.0 + ULP),  # just beyond
    ([1.0 + ULP, ULP / 2, -(2.0**-200)], 1.0 + ULP),  # just before
    ([1.0, -ULP / 4], 1.0),  # below a power of two floats are twice as dense
    ([1.0, -ULP / 4, -(2.0**-200)], 1.0 - ULP / 2),
    ([1.0, -ULP / 4, 2.0**-200], 1.0),
    ([1.0, *[ULP / 4] * 1000], 1.0 + 250 * ULP),  # lost one by one
    ([2.0**60, 1.0, -(2.0**60), ULP / 2], 1.0),  # what is lost on the way comes back
    ([2.0**60, 1.0, -(2.0**60), ULP / 2, 2.0**-150], 1.0 + ULP),
    ([2.0**60, -(2.0**60)], 0.0),
    ([2.0**60, 2.0**-150, -(2.0**60)], 2.0**-150),
]
COMPILED = allocating_kernel(sums.rounded_dot)


@pytest.mark.parametrize("place", [0, 700, -700, 900, -900])
@pytest.mark.parametrize(("terms", "total"), MIDPOINTS)
def test_products_at_the_midpoints(terms, total, place):
    for order in (1, -1):
        w = np.array([*terms[::order], 0.0])
        x = np.full(len(terms), 2.0 ** (place // 2))
        w *= 2.0 ** (place - place // 2)
        if place < 0 and np.count_nonzero(w) < np.count_nonzero(terms):
            continue
        for storage in (row(x), over(sp.csr_array(x[None]), 0.0, False)):
            for function in (sums.rounded_dot, COMPILED):
                assert exactly(*function(storage, 0, 1.0, w)) == Fraction(total) * Fraction(2) ** place
                assert exactly(*function(storage, 0, -1.0, w)) == -Fraction(total) * Fraction(2) ** place


def test_partial_sums_that_overflow_on_the_way_to_a_finite_dot_product():
    # Three products of 2^1023 outweigh two, but a float sum may have met infinity before.
    model = Perceptron(fit_intercept=False).learn_one([2.0**625] * 5, 1)
    for pattern in ([1, 1, -1, -1, -1], [-1, -1, -1, 1, 1], [1, -1, 1, -1, -1]):
        x = np.array(pattern) * 2.0**398
        assert model.predict_one(x) == -1
        assert model.predict_one(-x) == 1
        assert model.decision_function([x])[0] == -(2.0**1023)


@given(st.fractions(min_value=0))
def test_roots_and_roundings_stay_on_their_side(value):
    down, up = sqrt_down(value), sqrt_up(value)
    assert Fraction(down) ** 2 <= value <= Fraction(up) ** 2
    assert up in (down, math.nextafter(down, math.inf))
    assert Fraction(round_down(value)) <= value <= Fraction(round_up(value))
    assert round_up(-value) == -round_down(value)


def test_what_a_product_loses_is_part_of_its_noise():
    """The noise is at least what went into the low part; 0 if nothing did, and infinite where floats are not enough."""
    ones = np.array([1.0, 0.0])
    for high, x in ((1.0, 2.0**-60), (-1.0, 2.0**-60), (2.0**60, 1.5), (1.0, 1.0)):
        total, low, noise = sums.fold_dot(high, 0.0, 0.0, row([x]), 0, 1.0, 1.0, ones)
        assert Fraction(total) + Fraction(low) == Fraction(high) + Fraction(x)
        assert abs(low) <= noise < math.inf
        assert (noise == 0.0) == (low == 0.0)
    tiny = np.array([2.0**-600, 0.0])
    assert sums.fold_dot(0.0, 0.0, 0.0, row([2.0**-600]), 0, 1.0, 1.0, tiny)[2] == math.inf, "the product is no float"
    assert sums.fold_dot(0.0, 0.0, 0.0, row([0.0]), 0, 1.0, 1.0, tiny)[2] == 0.0
    assert fold(1.0, 0.0, 0.0, 2.0**-60, 1.0) == (1.0, 2.0**-60, 2.0**-60)
    assert fold(0.0, 0.0, 0.0, 1.0 + 2.0**-30, 1.0 + 2.0**-30)[1:] == (2.0**-60, 2.0**-60)
    assert fold(0.0, 0.0, 0.0, 2.0**-600, 2.0**-600)[2] == math.inf


def test_squares_that_are_lost_one_by_one_count_together():
    """1 + 1000 * 2^-54: a float sum stays at 1, and what it loses is a quarter of a thousand last places."""
    m, e = sums.sqnorm(row([1.0, *[2.0**-27] * 1000]), 0)
    assert math.ldexp(m, e) == 1 + 1000 * 2.0**-54
    m, e = sums.sqnorm(row([*[2.0**-27] * 1000, 1.0]), 0)
    assert math.ldexp(m, e) == 1 + 1000 * 2.0**-54
