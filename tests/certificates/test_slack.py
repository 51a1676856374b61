"""Rows on which every rounding goes the same way: floats err by many units, and their filter must have room for that.

u = 2^-53. NumPy adds the first entry to the pairwise sum of the rest: one after the other up to seven, in eight lanes
of sixteen from 128 on. In each lane one product is 1 and each of the others is about u, half a unit in the last place
of the sum: a little more, and all additions round up; a little less, and all of them are lost.
"""

import math
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp

from novikoff import Perceptron
from novikoff.certificates.claim import InvalidCertificate
from novikoff.certificates.verify import verify
from tests.certificates import oracle
from tests.certificates.oracle import dot

U = 2.0**-53
BIG = 2**27


def lanes(k):
    """Where the ones are among k entries: in front of every lane."""
    if k <= 8:
        return np.arange(k) == 1
    assert (k - 1) % 128 == 0
    return (np.arange(k) >= 1) & ((np.arange(k) - 1) % 128 < 8)


def certificate(X, y, w, closest, radius):
    """All that is true of w and X, but for what is given."""
    signs = [int(label) for label in y]
    a = oracle.rows_of(X.tolist(), signs, 0)
    least = dot(w, a[closest])
    lower = math.sqrt(float(least**2 / dot(w, w))) * (1 - 2.0**-40)
    return {
        "format": "novikoff certificate 2",
        "kind": "separable",
        "positive": 1,
        "against": -1,
        "constant": "through the origin",
        "rows": len(X),
        "columns": X.shape[1],
        "digest": oracle.digest(X.tolist(), signs),
        "separator": w,
        "combination": {"rows": [0], "weights": [1]},
        "margin": [lower, 1e300],
        "radius": radius,
        "closest": closest,
    }


def held_against(proof, X, y, sentence):
    """It is false, and refused for dense and sparse rows."""
    assert not oracle.accepts(proof, X.tolist(), y)
    for form in (X, sp.csr_matrix(X)):
        with pytest.raises(InvalidCertificate, match=sentence):
            verify(proof, form, y)


@pytest.mark.parametrize("k", [4, 8, 129, 1025, 8193])
def test_products_that_all_round_up(k):
    """In floats the row is beyond the closest one by up to 15 u of its length; in truth it is before it."""
    ones = lanes(k)
    w = [BIG if one else 1 for one in ones]
    row = np.where(ones, 1 / BIG, U * (1 + 2.0**-20))
    true, count = dot(w, [Fraction(x) for x in row.tolist()]), int(ones.sum())
    floats = np.add.reduceat(row * np.array(w, dtype=float), [0])[0]
    error = float((Fraction(floats) - true) / count) / U  # ||w|| ||x|| is `count`, nearly
    assert error > {4: 2.5, 8: 6.5}.get(k, 14.5)
    closest = np.zeros(k)
    place = int(np.argmax(ones))
    closest[place] = math.nextafter(float(true), math.inf) / BIG
    X, y = np.array([closest, row, -2 * row]), [1, 1, -1]
    products = [dot(w, a) for a in oracle.rows_of(X.tolist(), y, 0)]
    assert products[1] < products[0] < products[2]
    held_against(certificate(X, y, w, 0, 1e300), X, y, "row 1 has y<w,x> < that of the closest")
    verify(certificate(X, y, w, 1, 1e300), X, y)


@pytest.mark.parametrize("k", [4, 8, 129, 1025, 8193])
def test_squares_that_are_all_lost(k):
    """In floats the row is as long as its ones; in truth it is longer than the radius."""
    ones = lanes(k)
    small = math.sqrt(U) * (1 - 2.0**-20)
    row = np.where(ones, 1.0, small)
    true, count = dot(*[[Fraction(x) for x in row.tolist()]] * 2), int(ones.sum())
    floats = np.add.reduceat(row * row, [0])[0]
    assert float((true - Fraction(floats)) / count) / U > {4: 2.5, 8: 6.5}.get(k, 13)
    radius = math.sqrt(float(true))
    while Fraction(radius) ** 2 >= true:
        radius = math.nextafter(radius, 0.0)
    w = [1 if one else 0 for one in ones]
    X, y = np.array([row / 2, row, -row / 2]), [1, 1, -1]
    held_against(certificate(X, y, w, 0, radius), X, y, "row 1 is longer")
    verify(certificate(X, y, w, 0, math.nextafter(radius, math.inf)), X, y)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize("places", [1, 4, 64])
@pytest.mark.parametrize("k", [10, 100, 4000])
def test_the_sign_of_a_product_whose_sum_loses_every_small_term(k, places, form):
    """1 + u + ... + u - (1 + c): in whatever order floats are added, some of the u are lost, or all of them."""
    small = U * (1 - 2.0**-20)
    w = np.concatenate([np.ones(places), np.full(k, math.sqrt(small)), np.ones(places)])
    head = np.concatenate([np.ones(places), np.full(k, math.sqrt(small))])
    floats = [Fraction(v) for v in w.tolist()]
    ahead = sum(a * Fraction(b) for a, b in zip(floats, head.tolist(), strict=False))
    clf = Perceptron(fit_intercept=False).partial_fit(form(w[None]), [1], classes=[-1, 1])
    assert np.array_equal(clf.coef_[0], w)
    rows, signs = [], []
    for units in (-k, -1, -0.25, 0.25, 0.5, 1, 2, 4, k / 64, k / 8, k / 2):  # how far from zero the sum is to be
        last = float(ahead - (places - 1) - Fraction(units) * Fraction(U))
        row = np.concatenate([head, -np.ones(places - 1), [-last]])
        rows.append(row)
        exact = sum(a * Fraction(b) for a, b in zip(floats, row.tolist(), strict=True))
        signs.append(1 if exact > 0 else -1)
        assert exact != 0
    assert {*signs} == {1, -1}
    for sign in (1, -1):
        found = clf.predict(form(np.array(rows) * sign)).tolist()
        assert found == [sign * s for s in signs]
