"""The checker against the mathematics: certificates built by hand, and every claim recomputed here in rationals."""

from __future__ import annotations

import ast
import copy
import itertools
import json
import math
import os
import re
import sys
import threading
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import assume, given
from hypothesis import strategies as st

import novikoff
from novikoff import Perceptron, certify
from novikoff.certificates.check import data as check_data
from novikoff.certificates.check import digest as check_digest
from novikoff.certificates.claim import LARGEST_FLOAT, InvalidCertificate, read_claim
from novikoff.certificates.reference import digest as reference_digest
from novikoff.certificates.reference import rows as reference_rows
from novikoff.certificates.verified import Verified, rounded_up
from novikoff.engine.digest import digest as engine_digest
from novikoff.engine.digest import is_digest, matrix_digest
from novikoff.engine.storage import over
from novikoff.float64 import exact_matrix
from tests.certificates import mutate, oracle
from tests.certificates.oracle import dot

INF = math.inf


def verify(certificate, X, y=None):
    """By the fast check and by the reference, which agree."""
    try:
        found = novikoff.verify(certificate, X, y)
    except InvalidCertificate:
        with pytest.raises(InvalidCertificate):
            novikoff.verify(certificate, X, y, reference=True)
        raise
    try:
        slowly = novikoff.verify(certificate, X, y, reference=True)
    except InvalidCertificate as error:
        pytest.fail(f"the reference refuses what the fast check accepts: {error}")
    assert slowly == found
    return found


def digest(X, signs, version=2):
    """As the fast check computes it."""
    return check_digest.digest_of(version, check_data.Data(exact_matrix(X)), np.asarray(signs))


# ---------------------------------------------------------------- what is true, in rationals and plain loops


def listed(X):
    return np.asarray(X, dtype=np.float64).tolist()


def signs_of(y, positive):
    return [1 if isinstance(v, str) == isinstance(positive, str) and v == positive else -1 for v in y]


def rows_of(X, y, positive, constant):
    """The rows a_i, with a last coordinate in any case."""
    return [
        [s * Fraction(float(v)) for v in (*x, constant)]
        for s, x in zip(signs_of(y, positive), np.asarray(X).tolist(), strict=True)
    ]


def combination(p, rows):
    return [dot(p, column) for column in zip(*rows, strict=True)]


def plain_digest(X, signs, format=2):
    return oracle.digest(listed(X), signs, format)


def root(value, up):
    """The float next to the square root of a rational > 0, on the wanted side of it."""
    shift = 2 * (200 + value.denominator.bit_length())
    x = Fraction(math.isqrt(value.numerator * 2**shift // value.denominator), 2 ** (shift // 2))
    x = float(x)
    while Fraction(x) ** 2 < value:
        x = math.nextafter(x, INF)
    while Fraction(x) ** 2 > value:
        x = math.nextafter(x, 0.0)
    return x if not up or Fraction(x) ** 2 == value else math.nextafter(x, INF)


def holds(proof, X, y):
    """Does the format allow it, and are all claims true?"""
    oracle.check(proof, listed(X), np.asarray(y).tolist())


def true(proof, X, y):
    return oracle.accepts(proof, listed(X), np.asarray(y).tolist())


# ---------------------------------------------------------------- certificates built by hand


def turned(X):
    """Two labels for rows that all were +1: the last is turned round, which leaves a = y x as it was."""
    X = np.array(X, dtype=float)
    X[-1] = -X[-1]
    return X, [1] * (len(X) - 1) + [-1]


def head(X, y, kind, positive=1, constant=0.0, against=None):
    others = [label for k, label in enumerate(y) if label != positive and label not in list(y)[:k]]
    others = [label.item() if isinstance(label, np.generic) else label for label in others]
    return {
        "format": "novikoff certificate 2",
        "kind": kind,
        "positive": positive,
        "against": against if against is not None else others[0] if len(others) == 1 else others,
        "constant": float(constant).hex() if constant else "through the origin",
        "rows": len(X),
        "columns": np.asarray(X).shape[1],
        "digest": plain_digest(X, signs_of(y, positive)),
    }


def written(integers):
    return [x if abs(x) < 2**53 else hex(x) for x in integers]


def separable(X, y, w, support=None, positive=1, constant=0.0):
    """The tightest claims that w and the weights of some rows prove. w has a last entry, for the constant, always."""
    a = rows_of(X, y, positive, constant)
    dots = [dot(w, row) for row in a]
    rows = sorted(support or [dots.index(min(dots))])
    p = [support[i] for i in rows] if support else [1]
    v = combination(p, [a[i] for i in rows])
    return {
        **head(X, y, "separable", positive, constant),
        "separator": written(w if constant else w[:-1]),
        "combination": {"rows": rows, "weights": written(p)},
        "margin": [root(min(dots) ** 2 / dot(w, w), up=False), root(dot(v, v) / Fraction(sum(p)) ** 2, up=True)],
        "radius": root(max(dot(row, row) for row in a), up=True),
        "closest": dots.index(min(dots)),
    }


def inseparable(X, y, weights, weak=None, positive=1, constant=0.0):
    rows = sorted(weights)
    proof = head(X, y, "not separable", positive, constant)
    proof["combination"] = {"rows": rows, "weights": written(weights[i] for i in rows)}
    return proof if weak is None else proof | {"weak": written(weak if constant else weak[:-1])}


def in_format_1(proof, X, y):
    """The same claims about these data as they were written before."""
    return mutate.in_format_1(proof, plain_digest(X, signs_of(y, proof["positive"]), 1))


XOR = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), [-1, 1, 1, -1]
XOR_PROOF = inseparable(*XOR, {0: 1, 1: 1, 2: 1, 3: 1}, constant=1.0)
WEAK = turned([[1.0, 0.0], [-1.0, 0.0], [0.0, 3.0], [5.0, 2.0]])
WEAK_PROOF = inseparable(*WEAK, {0: 2, 1: 2}, weak=[0, 1, 0])
BOX = np.array([[2.0, 1.0], [3.0, -1.0], [-2.0, -1.0], [-1.0, -4.0], [1.0, 2.0]]), [1, 1, -1, -1, 1]
BOX_PROOF = separable(*BOX, [5, 2, 0], {0: 3, 1: 1, 2: 1})
FLAT = turned([[3.0, 4.0], [6.0, 8.0]])  # margin and norm are 5, exactly; the radius is 10
FLAT_PROOF = separable(*FLAT, [3, 4, 0])
SHIFTED = np.array([[1.0], [2.0], [3.0], [4.0]]), ["low", "low", "high", "top"]  # separable, but not through the origin
SHIFTED_PROOF = separable(*SHIFTED, [-2, 5], {1: 2, 2: 1}, positive="low", constant=1.0)
ORIGIN_PROOF = inseparable(*SHIFTED, {0: 2, 1: 1, 3: 1}, positive="low")
VALID = [(XOR_PROOF, XOR), (WEAK_PROOF, WEAK), (BOX_PROOF, BOX), (FLAT_PROOF, FLAT)]
VALID += [(SHIFTED_PROOF, SHIFTED), (ORIGIN_PROOF, SHIFTED)]
VALID += [(in_format_1(proof, *data), data) for proof, data in VALID]


def changed(proof, *path_and_value):
    """A copy with one entry replaced."""
    *path, last, value = path_and_value
    proof = copy.deepcopy(proof)
    inner = proof
    for key in path:
        inner = inner[key]
    inner[last] = value
    return proof


def refused(certificate, X, y, match=None):
    with pytest.raises(InvalidCertificate, match=match) as caught:
        verify(certificate, X, y)
    return str(caught.value)


# ---------------------------------------------------------------- what is true is accepted


@pytest.mark.parametrize(("proof", "data"), VALID)
def test_valid_certificates_are_accepted_in_every_form(proof, data, tmp_path):
    class Solver:
        def to_json(self):
            return json.dumps(proof)

    holds(proof, *data)
    path = tmp_path / "certificate.json"
    path.write_text(json.dumps(proof, indent=1))
    before = copy.deepcopy(proof)
    verified = verify(proof, *data)
    assert verified == verify(path, *data) == verify(str(path), *data) == verify(Solver(), *data)
    assert proof == before
    assert isinstance(verified, Verified)
    assert verified.verdict == proof.get("kind", proof.get("verdict"))
    assert str(verified) == verified.implies


DECIMALS = "The numbers are float64; decimals in text stand for the nearest float64."


def test_what_a_proof_of_not_separable_says():
    xor, weak, origin = verify(XOR_PROOF, *XOR), verify(WEAK_PROOF, *WEAK), verify(ORIGIN_PROOF, *SHIFTED)
    assert xor.implies == (
        "1 against -1, with the constant coordinate 1.0: every w has y<w,x> <= 0 on some row, since 4 rows with "
        f"positive weights sum to exactly zero. {DECIMALS}"
    )
    assert weak.implies == (
        "1 against -1, through the origin: every w has y<w,x> <= 0 on some row, since 2 rows with positive weights sum "
        "to exactly zero. Some u has y<u,x> >= 0 on every row, and > 0 on some. A hyperplane beside the origin, with a "
        f"constant coordinate, may still separate them. {DECIMALS}"
    )
    assert origin.implies.startswith("'low' against 'high' and 'top', through the origin: ")
    assert (xor.rows, weak.rows, origin.rows) == ((0, 1, 2, 3), (0, 1), (0, 1, 3))
    assert (xor.positive, xor.against, xor.constant) == (1, (-1,), 1.0)
    assert (origin.positive, origin.against, origin.constant) == ("low", ("high", "top"), None)
    assert (xor.weakly_separable, weak.weakly_separable) == (False, True)
    assert xor.margin is xor.radius is xor.mistake_bound is None


def test_rows_that_cancel_with_any_constant_are_said_to():
    X, y = np.array([[1.0, 2.0], [1.0, 2.0], [5.0, 0.0]]), ["a", "b", "b"]
    proof = inseparable(X, y, {0: 1, 1: 1}, positive="b")
    assert "No hyperplane beside the origin separates them either." in verify(proof, X, y).implies
    verify(inseparable(X, y, {0: 1, 1: 1}, positive="b", constant=3.0), X, y)


def test_what_a_proof_of_separable_says():
    verified = verify(FLAT_PROOF, *FLAT)
    assert verified.implies == (
        "1 against -1, through the origin: a separator exists with margin at least 5.0; no separator has a margin "
        "above 5.0. Perceptron(fit_intercept=False), from w = 0, makes at most 4 mistakes on these rows, in any order. "
        f"{DECIMALS}"
    )
    assert (verified.margin, verified.radius, verified.mistake_bound) == ((5.0, 5.0), 10.0, 4.0)
    assert (verified.rows, verified.weakly_separable) == ((0,), False)
    shifted = verify(SHIFTED_PROOF, *SHIFTED)
    assert shifted.implies.startswith("'low' against 'high' and 'top', with the constant coordinate 1.0: a separator")
    assert "Perceptron(intercept_scaling=1.0), from w = 0, makes at most" in shifted.implies
    assert (shifted.positive, shifted.against, shifted.constant) == ("low", ("high", "top"), 1.0)


@pytest.mark.parametrize("constant", [1.0, 0.25, 0.0])
def test_the_promise_on_mistakes_is_kept_by_the_learner_that_it_names(constant):
    """With the constant 0 on x = 1, -1 one mistake is allowed; Perceptron() makes two, and is not named."""
    X, y = np.array([[1.0], [-1.0]]), [1, -1]
    proof = separable(X, y, [1, 0], {0: 1, 1: 1}, constant=constant)
    said = verify(proof, X, y).implies
    learner, most = re.search(r"(Perceptron\(.*?\)), from w = 0, makes at most (\d+) mistakes", said).groups()
    clf = eval(learner, {"Perceptron": Perceptron})
    assert clf.fit(X, y).mistakes_ <= int(most)
    assert clf.fit_intercept == (constant > 0)
    assert not constant or clf.intercept_scaling == constant


def test_the_promise_holds_for_weights_that_are_rounded():
    """R^2 / margin^2 = 3 - 3e-17, but w is rounded after each update, and three mistakes are made."""
    rows = (
        "-0x1.d37ba63d4b450p-2 0x1.0af2fab9be932p-6 0x1.c7747f49811efp-1",
        "-0x1.38d2584ef0c38p-1 -0x1.770fe7e2d09b7p-1 -0x1.3357ef5c7a1e1p-2",
        "-0x1.4b22ff4131ae1p-1 0x1.5c6dd6768898cp-1 -0x1.60a531e274193p-2",
    )
    X, y = np.array([[float.fromhex(x) for x in row.split()] for row in rows]), [1, 1, -1]
    verified = verify(certify(X, y, 1e-12, fit_intercept=False), X, y)
    most = int(re.search(r"at most (\d+) mistakes", verified.implies).group(1))
    assert Perceptron(fit_intercept=False, shuffle=False).fit(X, y).mistakes_ == 3 <= most
    for lower in (1e-3, 1e-6, 1e-7, 2e-8):  # B = 1e2 / lower^2, where it is not far from 2^49
        said = verify(changed(FLAT_PROOF, "margin", [lower, 5.0]), *FLAT).implies
        exact = Fraction(10) ** 2 / Fraction(lower) ** 2
        if exact < 2**49:
            assert f" makes at most {math.floor(exact / (1 - exact / 2**50))} mistakes" in said
        else:
            assert "would make" in said
            assert "if w were not rounded" in said


def test_many_labels_and_long_ones_are_shortened():
    X = np.arange(9.0)[:, None]
    y = ["a" * 500, *"bcdefghi"]
    proof = separable(X, y, [-2, 1], positive=y[0], constant=1.0)
    verified = verify(proof, X, y)
    assert verified.implies.startswith("'" + "a" * 56 + "... against 'b', 'c', 'd' and 5 other labels, with")
    assert verified.against == tuple("bcdefghi")


@pytest.mark.parametrize("n", [2, 3, 7, 30])
def test_orthonormal_rows_have_margin_one_over_root_n(n):
    X, y = turned(np.eye(n))
    proof = separable(X, y, [1] * n + [0], dict.fromkeys(range(n), 1))
    verified = verify(proof, X, y)
    lower, upper = verified.margin
    assert Fraction(lower) ** 2 <= Fraction(1, n) <= Fraction(upper) ** 2
    assert upper in (lower, math.nextafter(lower, INF))
    assert verified.radius == 1.0


@pytest.mark.parametrize(("lower", "radius"), [(5.0, 10.0), (3.0, 10.0), (1e-300, 10.0), (4.999, 10.5), (5.0, 1e200)])
def test_the_mistake_bound_is_rounded_up(lower, radius):
    proof = changed(changed(FLAT_PROOF, "margin", [lower, 5.0]), "radius", radius)
    bound, exact = verify(proof, *FLAT).mistake_bound, (Fraction(radius) / Fraction(lower)) ** 2
    assert bound >= exact
    assert bound in (INF, exact) or math.nextafter(bound, 0.0) < exact


def test_all_forms_of_the_data_agree():
    X, y = BOX
    doubled = sp.coo_matrix((np.repeat(X.ravel() / 2, 2), (np.repeat(range(5), 4), [0, 0, 1, 1] * 5)), shape=X.shape)
    twice = sp.csr_matrix((doubled.data, doubled.col[::-1].copy(), np.arange(0, 21, 4)), shape=X.shape)
    twice.data = np.repeat(X[:, ::-1].ravel() / 2, 2)
    assert not twice.has_canonical_format
    kept = twice.data.copy(), twice.indices.copy(), twice.indptr.copy()
    forms = [X, np.asfortranarray(X), X.astype(np.float32), X.astype(np.float16), X.astype(int), X.astype(np.int8)]
    forms += [X.astype(str), X.astype(object), X.astype(np.longdouble)]
    forms += [X.tolist(), pd.DataFrame(X), X.astype(">f8"), np.repeat(X, 2, axis=0)[::2], np.pad(X, 1)[1:-1, 1:-1]]
    forms += [sp.csr_matrix(X), sp.csr_array(X), sp.csc_matrix(X), sp.coo_array(X), doubled, twice]
    for form in forms:
        assert digest(form, y) == BOX_PROOF["digest"]
        assert verify(BOX_PROOF, form, y) == verify(BOX_PROOF, X, y)
    for before, after in zip(kept, (twice.data, twice.indices, twice.indptr), strict=True):
        np.testing.assert_array_equal(before, after)


def test_zeros_are_not_stored_values():
    X = np.array([[0.0, -0.0, 2.0], [0.0, 0.0, 0.0], [1.0, 0.0, -3.0]])
    stored = sp.csr_matrix((np.array([-0.0, 2.0, 1.0, 0.0, -3.0]), [1, 2, 0, 1, 2], [0, 2, 2, 5]), shape=(3, 3))
    assert digest(X, [1, -1, 1]) == digest(stored, [1, -1, 1]) == plain_digest(X, [1, -1, 1])
    proof = inseparable(X, [1, -1, 1], {1: 1})
    assert verify(proof, X, [1, -1, 1]) == verify(proof, stored, [1, -1, 1])
    proof = separable(X, [1, 1, -1], [0, 0, 1, 1], constant=0.5)
    assert verify(proof, X, [1, 1, -1]) == verify(proof, stored, [1, 1, -1])


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("shape", [(2, 1), (3, 0), (1000, 3), (2, 200_000), (8192, 1), (16_390, 2)])
def test_the_digest_is_as_the_format_says(shape, version):
    rng = np.random.default_rng(3)
    X = rng.integers(-1, 2, shape) * rng.random(shape)
    signs = rng.choice([-1, 1], shape[0])
    signs[:2] = 1, -1
    expected = plain_digest(X, signs.tolist(), version)
    assert digest(X, signs, version) == digest(sp.csr_matrix(X), signs, version) == expected
    assert digest(X, signs, version) != digest(X, -signs, version)
    examples = [[(j, x) for j, x in enumerate(row) if x] for row in X.tolist()]
    assert reference_digest.digest_of(version, examples, shape[1], signs.tolist()) == expected
    rows = over(X, 0.0)
    assert is_digest(expected, rows, shape, signs.astype(np.int8))
    assert version == 1 or engine_digest(matrix_digest(rows, *shape), signs.astype(np.int8)) == expected


@pytest.mark.parametrize("block", [1, 7, 2**17])
def test_blocks_of_rows_do_not_matter(block, monkeypatch):
    rng = np.random.default_rng(4)
    X = rng.integers(-2, 3, (50, 4)) / 4.0
    y = np.where(X @ [3, 1, -2, 5] + 1 >= 0, 1, -1)
    X += 0.001 * y[:, None] * [3, 1, -2, 5]
    proof = separable(X, y, [3, 1, -2, 5, 1], {3: 1, 8: 2, 40: 1}, constant=1.0)
    monkeypatch.setattr(check_data, "ENTRIES", block)
    for form in (X, sp.csr_matrix(X)):
        assert verify(proof, form, y).rows == (3, 8, 40)
    assert digest(X, y) == plain_digest(X, y.tolist())


def test_without_columns_only_the_constant_is_left():
    X = np.zeros((3, 0))
    assert verify(inseparable(X, [1, 0, 1], {0: 1, 1: 1}, constant=2.0), X, [1, 0, 1]).rows == (0, 1)
    assert verify(inseparable(X, [1, 0, 1], {1: 1}), X, [1, 0, 1]).rows == (1,)
    nothing = {"separator": [], "margin": [1.0, 1.0], "radius": 1.0, "closest": 0}
    refused(inseparable(X, [1, 0, 1], {1: 1}) | {"kind": "separable"} | nothing, X, [1, 0, 1], "does not separate")


# ---------------------------------------------------------------- labels


@pytest.mark.parametrize(
    ("positive", "against", "y"),
    [
        (1, [0, 2], [1, 0, 1.0, 2]),
        (1.0, [2, 0], np.array([1, 0, 1, 2])),
        (True, 0, [True, False, 1, False]),
        (True, False, np.array([True, False, True, False])),
        (1, 0.0, np.array([True, False, True, False])),
        (1, [0, 2], np.array([1, 0, 1, 2], dtype=np.uint8)),
        (-1, [0, 2], np.array([-1, 0, -1, 2], dtype=np.float32)),
        (-1, [0, 2], np.array([-1, 0, -1, 2], dtype=">f4")),
        ("1", 1, ["1", 1, "1", 1.0]),
        (1, "1", [1, "1", 1, "1"]),
        ("ja", ["nein", "nee"], np.array(["ja", "nein", "ja", "nee"])),
        ("ja", ["nein", "nee"], np.array([["ja"], ["nein"], ["ja"], ["nee"]])),
        ("ja", ["nein", 0.5], [np.str_("ja"), "nein", "ja", np.float32(0.5)]),
        ("ja", "nein", pd.Series(["ja", "nein", "ja", "nein"])),
        ("ja", "nein", pd.Series(["ja", "nein", "ja", "nein"], dtype="category")),
        ("ja", "nein", pd.Series(["ja", "nein", "ja", "nein"], dtype="string")),
        ("ja", "nein", pd.DataFrame({"y": ["ja", "nein", "ja", "nein"]})),
        ("ja", "nein", np.array(["ja", "nein", "ja", "nein"], dtype=np.dtypes.StringDType())),
        (10**20, [1, 2], [10**20, 1, 10**20, 2]),
        (1e300, -1e300, [1e300, -1e300, 1e300, -1e300]),
        (2**1024 - 1, 1 - 2**1024, [2**1024 - 1, 1 - 2**1024, 2**1024 - 1, 1 - 2**1024]),
        (2**53 + 1, 2**53, np.array([1, 0, 1, 0]) + 2**53),
        (2**53 + 1, 2.0**53, np.array([1, 0, 1, 0]) + 2**53),
        (2.0**53, 2**53 + 1, np.array([0, 1, 0, 1], dtype=np.uint64) + 2**53),
        (2**53 + 1, 2.0**53, [2**53 + 1, np.float64(2.0**53), np.int64(2**53 + 1), 2**53]),
        (2.0**24, 0, np.array([2**24, 0, 2**24, 0], dtype=np.float32)),
        (0.0, [1, -1], [-0.0, 1, 0, -1]),
    ],
)
def test_labels_are_compared_as_what_they_are(positive, against, y):
    X = np.array([[1.0], [-1.0], [2.0], [-2.0]])
    proof = separable(X, [1, 0, 1, 0], [1, 0]) | {"positive": positive, "against": against}
    verified = verify(proof, X, y)
    assert verified.positive == positive
    assert verified.against == (tuple(against) if isinstance(against, list) else (against,))
    old = verify(mutate.in_format_1(proof, plain_digest(X, [1, -1, 1, -1], 1)), X, y)
    assert set(old.against) == set(verified.against)


PLAIN = ["1", 1, 1.0, True, 0, 300, 0.5, 2**53, 2**53 + 1, 2.0**53, "a\0", "a"]
Y_FORMS = {"list": list, "object": lambda y: np.array(y, dtype=object)}
DTYPES = ["?", "i1", "i8", "u8", "f2", "f4", "f8", "U5"]


@pytest.mark.filterwarnings("ignore:overflow encountered in cast")
@pytest.mark.parametrize("form", [*Y_FORMS, *DTYPES])
def test_two_labels_are_those_of_the_data_or_it_is_refused(form):
    """Whatever two labels a certificate names: accepted if and only if they are the two that occur, exactly."""
    X = np.array([[1.0], [-1.0]])
    proof = separable(X, [1, 0], [1, 0])
    accepted = 0
    for y in itertools.combinations(PLAIN, 2):
        try:
            data = Y_FORMS[form](list(y)) if form in Y_FORMS else np.array(y, dtype=form)
        except (ValueError, OverflowError):
            continue
        held = data if isinstance(data, list) else np.asarray(data).ravel().tolist()
        for positive, against in [(label, y[1]) for label in PLAIN] + [(y[0], label) for label in PLAIN]:
            claim = proof | {"positive": positive, "against": against}
            if oracle.accepts(claim, [[1.0], [-1.0]], held):
                verify(claim, X, data)
                accepted += 1
            else:
                with pytest.raises(ValueError, match=r"label|digest"):
                    verify(claim, X, data)
    assert accepted >= 2


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize(
    ("positive", "y"),
    [
        ("nobody", ["a", "b", "b", "a"]),
        (7, ["a", "b", "b", "a"]),
        (2.5, ["a", "b", "b", "a"]),
        ("A", ["a", "b", "b", "a"]),
        ("nobody", np.array(["a", "b", "b", "a"])),
        (9007199254740992.0, np.array([2**53 + 1, 2**53, 2**53, 2**53 + 1])),
        (9007199254740992.0, np.array([2**53 + 1, 2**53, 2**53, 2**53 + 1], dtype=np.uint64)),
        (1, [1, 1, 1, 1]),
        (1, [0, 0, 0, 0]),
    ],
)
def test_xor_is_not_separable_whatever_is_called_positive(positive, y, version):
    """With one sign for all rows w = (0, ..., 0, 1) has them all on one side."""
    X = XOR[0]
    for sign in (1, -1):
        proof = {
            **head(X, [1, 0, 0, 0], "separable", constant=1.0),
            "digest": plain_digest(X, [sign] * 4),
            "positive": positive,
            "against": "a",
            "separator": [0, 0, sign],
            "combination": {"rows": [0], "weights": [1]},
            "margin": [1.0, 2.0],
            "radius": 2.0,
            "closest": 0,
        }
        for against in ("a", "b", ["a", "b"], 2**53, 2**53 + 1, [2**53, 2**53 + 1], 0, 1):
            claim = proof | {"against": against}
            old = mutate.in_format_1(claim, plain_digest(X, [sign] * 4, 1))
            refused(claim if version == 2 else old, X, y, "label|digest|names")


@pytest.mark.parametrize(
    ("against", "sentence"),
    [
        ("versicolor", "y\\[2\\] = 'virginica', a label that it does not name"),
        (["versicolor", "virginica", "extra"], "'extra' does not occur"),
        (["versicolor", "virginica", "setosa"], "twice"),
        (["versicolor", "virginica", "virginica"], "twice"),
        (["versicolor"], "two of them"),
        ([], "two of them"),
        (None, "other labels"),
        ([["versicolor"], "virginica"], "other labels"),
        ("setosa", "twice"),
        (math.nan, "other labels"),
        ([math.inf, "versicolor"], "other labels"),
        (2**1024, "other labels"),
    ],
)
def test_all_the_other_labels_are_named(against, sentence):
    X, y = np.array([[1.0], [2.0], [3.0]]), ["setosa", "versicolor", "virginica"]
    proof = separable(X, y, [-2, 3], positive="setosa", constant=1.0)
    assert verify(proof, X, y).against == ("versicolor", "virginica")
    claim = proof | {"against": against}
    assert not oracle.accepts(claim, X.tolist(), y)
    refused(claim, X, y, sentence)


@pytest.mark.parametrize(
    "y",
    [
        np.array(["2020-01-01", "2021-01-01"], dtype="M8[ns]"),
        np.array([1, 2], dtype="m8[D]"),
        np.array([b"a", b"b"]),
        np.array([1, 2], dtype=np.longdouble),
        np.array([1, 2j]),
        pd.Series(pd.to_datetime(["2020-01-01", "2021-01-01"])),
        [np.datetime64(1, "ns"), np.datetime64(2, "ns")],
        [None, 1],
        [pd.NA, 1],
        [(1,), (2,)],
        [[1], [2]],
        [Fraction(1), Fraction(2)],
        np.array([["a", "b"], ["c", "d"]]),
    ],
    ids=lambda y: str(getattr(y, "dtype", y))[:30],
)
def test_labels_that_no_certificate_can_name(y):
    """Neither of them takes them, and both before any work."""
    X = np.array([[1.0], [2.0]])
    proof = separable(X, [1, 2], [-2, 3], constant=1.0)
    for claim in (proof, in_format_1(proof, X, [1, 2])):
        rejected("certificate|y is of shape", claim, X, y)
    with pytest.raises(ValueError, match=r"certificate cannot name|1d array|Complex"):
        certify(X, y)


@pytest.mark.parametrize("y", [[math.nan, 1.0], [1.0, math.inf], np.array([math.nan, 2]), [10**400, 1]])
def test_labels_that_are_no_numbers(y):
    X = np.array([[1.0], [2.0]])
    with pytest.raises(ValueError, match="certificate cannot name"):
        certify(X, y)
    for claim in (proof := separable(X, [1, 2], [-2, 3], constant=1.0), in_format_1(proof, X, [1, 2])):
        refused(claim, X, y, "label")


@pytest.mark.parametrize(
    "y",
    [
        [1e300, -1e300],
        [2**53, 2**53 + 1],
        [2.0**53, 2**53 + 1],
        [np.int64(2**53 + 1), np.float64(2.0**53)],
        np.array([2**63, 2**63 + 1], dtype=np.uint64),
        [10**20, 1],
        ["a\0", "a"],
        ["\ud800", ""],
        [True, 2],
        np.array([0.1, 0.2], dtype=np.float16),
        np.array([0.1, 0.3], dtype=np.float32),
        pd.Series([True, False], dtype="boolean"),
        pd.Series([1, 2], dtype="Int64"),
        pd.Series(["b", "a"], dtype="category"),
        np.array(["ab", "a"], dtype=object),
        np.array(["ab", "a"], dtype=np.dtypes.StringDType()),
        np.array(["ab", "a"]),
    ],
    ids=lambda y: f"{getattr(y, 'dtype', '')} {list(y)}"[:40],
)
def test_what_certify_issues_verify_accepts_for_all_labels(y):
    X = np.array([[1.0], [2.0]])
    for fit_intercept in (True, False):
        proof = certify(X, y, fit_intercept=fit_intercept)
        verified = verify(json.loads(proof.to_json()), X, y)
        plain = [label.item() if isinstance(label, np.generic) else label for label in np.asarray(y, dtype=object)]
        assert oracle.accepts(proof.to_json(), X.tolist(), plain)
        assert (verified.positive, verified.against) == (proof.about.positive, proof.about.against)
        assert sorted([verified.positive, *verified.against]) == sorted(y)


# ---------------------------------------------------------------- what is false is refused, and tightly so


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        (("separator", 0, 0), "does not separate|smaller|closest"),
        (("separator", [-5, -2]), "does not separate|closest"),
        (("separator", [0, 0]), "does not separate"),
        (("separator", [5, 2, 0]), "2 integers"),
        (("separator", [5]), "2 integers"),
        (("closest", 1), "closest"),
        (("closest", 5), "not in X"),
        (("closest", -1), "not in X"),
        (("closest", True), "not in X"),
        (("closest", 0.0), "not in X"),
        (("radius", 4.0), "radius"),
        (("radius", -5.0), "radius"),
        (("radius", 0), "radius"),
        (("radius", "5"), "radius"),
        (("radius", None), "radius"),
        (("radius", True), "radius"),
        (("radius", 2**53 + 1), "radius"),
        (("radius", 2**1024), "radius"),
        (("margin", 0, 2.3), "margin"),
        (("margin", 1, 1.0), "margin"),
        (("margin", 0, -1.0), "margin"),
        (("margin", 0, 0.0), "margin"),
        (("margin", 0, True), "margin"),
        (("margin", [2.0, 1.0]), "margin"),
        (("margin", []), "margin"),
        (("margin", [1.0]), "margin"),
        (("margin", [1.0, 2.0, 9.0]), "margin"),
        (("margin", "12"), "margin"),
        (("margin", {"1": 1}), "margin"),
        (("margin", 7), "margin"),
        (("combination", "rows", [0, 1, 3]), "upper"),
        (("combination", "weights", 2, 0), "not positive"),
        (("combination", "weights", 2, -1), "not positive"),
        (("combination", "weights", 2, 1.0), "integers"),
        (("combination", "weights", [1, 1]), "3 integers"),
        (("combination", "rows", [0, 2, 1]), "increasing"),
        (("combination", "rows", [0, 1, 1]), "increasing"),
        (("combination", "rows", [0, 1, 5]), "not in X"),
        (("combination", "rows", [0, 1, -1]), "not in X"),
        (("combination", "rows", [0, 1, True]), "not in X"),
        (("combination", "rows", "012"), "not in X"),
        (("combination", {"rows": [], "weights": []}), "combination are not 1 to 5"),
        (("combination", {"rows": [0]}), "combination"),
        (("combination", {"rows": [0], "weights": [1], "more": 1}), "combination"),
        (("combination", [[0], [1]]), "combination"),
        (("constant", "0x1.0000000000000p+0"), "3 integers"),
        (("constant", "0x0.0p+0"), "constant"),
        (("constant", "-0x1.0000000000000p+0"), "constant"),
        (("constant", "0x1.0000000000000p+1024"), "constant"),
        (("constant", "0x1.0p+99999"), "constant"),
        (("constant", "inf"), "constant"),
        (("constant", "nan"), "constant"),
        (("constant", "1.0"), "constant"),
        (("constant", "Through the origin"), "constant"),
        (("constant", " 0x1.0000000000000p+0"), "constant"),
        (("constant", 0.0), "constant"),
        (("constant", 1.0), "constant"),
        (("constant", None), "constant"),
        (("positive", -1), "twice"),
        (("positive", None), "label"),
        (("positive", [1, 1, -1, -1, 1]), "label"),
        (("positive", 3), "does not occur"),
        (("against", 3), "does not occur"),
        (("against", [-1, 3]), "does not occur"),
        (("kind", "not separable"), "fields"),
        (("kind", "Separable"), "kind"),
        (("kind", ["separable"]), "kind"),
        (("kind", None), "kind"),
        (("format", "novikoff certificate 1"), "fields"),
        (("format", "novikoff certificate 3"), "format"),
        (("digest", "0" * 64), "about data with digest 000000000000...; yours is"),
        (("digest", None), "digest"),
        (("digest", BOX_PROOF["digest"].upper()), "digest"),
        (("rows", 2), "not in X"),
        (("rows", 6), "shape"),
        (("rows", 5.0), "rows and columns"),
        (("rows", True), "rows and columns"),
        (("rows", -5), "rows and columns"),
        (("rows", 2**63), "rows and columns"),
        (("rows", [0, 1, 2]), "rows and columns"),
        (("columns", 3), "integers"),
        (("columns", "2"), "rows and columns"),
        (("columns", None), "rows and columns"),
        (("weak", [0, 0]), "fields"),
    ],
)
def test_a_false_claim_about_separable_data_is_refused(path, sentence):
    proof = changed(BOX_PROOF, *path)
    assert not true(proof, *BOX)
    for form in (np.asarray, sp.csr_matrix):
        refused(proof, form(BOX[0]), BOX[1], sentence)


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        (("combination", "weights", [2, 1]), "sum to zero"),
        (("combination", "weights", [0, 0]), "not positive"),
        (("combination", "weights", [-2, -2]), "not positive"),
        (("combination", "weights", [2]), "2 integers"),
        (("combination", "weights", "22"), "2 integers"),
        (("combination", "rows", [0, 2]), "sum to zero"),
        (("combination", "rows", []), "combination are not 1 to 4"),
        (("combination", "rows", [1, 0]), "increasing"),
        (("combination", "rows", [0, 4]), "not in X"),
        (("weak", [0, -1]), "weak separator|row 2"),
        (("weak", [1, 0]), "row 1"),
        (("weak", [0, 0]), "= 0 on every row"),
        (("weak", [0, 1, 0]), "2 integers"),
        (("weak", []), "2 integers"),
        (("weak", None), "2 integers"),
        (("constant", "0x1.0000000000000p+0"), "3 integers"),
        (("kind", "separable"), "fields"),
        (("closest", 0), "fields"),
        (("margin", [0.0, 0.0]), "fields"),
    ],
)
def test_a_false_claim_about_inseparable_data_is_refused(path, sentence):
    proof = changed(WEAK_PROOF, *path)
    assert not true(proof, *WEAK)
    for form in (np.asarray, sp.csr_matrix):
        refused(proof, form(WEAK[0]), WEAK[1], sentence)


@pytest.mark.parametrize(("proof", "data"), VALID)
def test_every_field_is_needed(proof, data):
    for key in proof:
        if key != "weak":
            refused({k: v for k, v in proof.items() if k != key}, *data)
            text = json.dumps(proof)[:-1] + f", {json.dumps(key)}: {json.dumps(proof[key])}}}"
            refused(type("Text", (), {"to_json": lambda self, text=text: text})(), *data, "twice")
    refused(proof | {"comment": "trust me"}, *data, "fields")


def test_either_format_may_state_either_digest():
    signs = signs_of(BOX[1], 1)
    for proof in (BOX_PROOF, in_format_1(BOX_PROOF, *BOX)):
        for version in (1, 2):
            assert verify(proof | {"digest": plain_digest(BOX[0], signs, version)}, *BOX) == verify(BOX_PROOF, *BOX)


def test_format_1_is_read_as_strictly():
    for proof, data in VALID[: len(VALID) // 2]:
        old, new = verify(in_format_1(proof, *data), *data), verify(proof, *data)
        assert old == new
    old = in_format_1(BOX_PROOF, *BOX)
    for path, sentence in [
        (("weights", [5, 2]), "integers|constant"),
        (("weights", [5, 2, 1]), "constant that is zero"),
        (("weights", [5, 2, False]), "constant that is zero"),
        (("weights", [5, 2, "0x1"]), "constant that is zero"),
        (("weights", []), "constant that is zero"),
        (("constant", "through the origin"), "constant"),
        (("constant", "0x0.0p+00"), "constant"),
        (("shape", [5.0, 2]), "rows and columns"),
        (("shape", "52"), "shape"),
        (("shape", [5]), "shape"),
        (("shape", [2, 5]), "."),
        (("positive", 3), "does not occur"),
        (("positive", "1"), "does not occur"),
        (("positive", -1), "digest"),
        (("verdict", "Separable"), "fields"),
        (("against", -1), "fields"),
        (("kind", "separable"), "fields"),
    ]:
        claim = changed(old, *path)
        assert not true(claim, *BOX)
        refused(claim, *BOX, sentence)
    verify(changed(old, "weights", [5, 2, "-0x00"]), *BOX)
    refused(changed(in_format_1(WEAK_PROOF, *WEAK), "weak", [0, 1, 1]), *WEAK, "constant that is zero")


def test_too_many_rows_for_a_proof():
    X, y = np.zeros((9, 1)), [1, -1] * 4 + [1]
    assert verify(inseparable(X, y, dict.fromkeys(range(3), 1)), X, y).rows == (0, 1, 2)
    refused(inseparable(X, y, dict.fromkeys(range(4), 1)), X, y, "combination are not 1 to 3")


@pytest.mark.parametrize(
    ("proof", "data"),
    [
        (FLAT_PROOF, FLAT),
        (BOX_PROOF, BOX),
        (separable(*FLAT, [3, 5, 0], {0: 7, 1: 1}), FLAT),
        (separable(*turned(np.eye(3)), [1, 1, 1, 0], {0: 1, 1: 1, 2: 1}), turned(np.eye(3))),
        (separable(*turned(np.eye(3) / 3), [2, 3, 4, 1], {0: 1, 2: 5}, constant=0.1), turned(np.eye(3) / 3)),
        (SHIFTED_PROOF, SHIFTED),
    ],
)
def test_the_ends_are_tight(proof, data):
    """One float further, and the claim is false."""
    lower, upper = proof["margin"]
    verify(proof, *data)
    refused(changed(proof, "margin", [math.nextafter(lower, INF), 9.0]), *data, "lower")
    refused(changed(proof, "margin", [1e-9, math.nextafter(upper, 0.0)]), *data, "upper")
    refused(changed(proof, "radius", math.nextafter(proof["radius"], 0.0)), *data, "radius")
    for path in (("margin", 0, lower / 2), ("margin", 1, upper * 2), ("radius", proof["radius"] * 2)):
        verify(changed(proof, *path), *data)


def test_other_data_are_named():
    X, y = BOX
    for other in (X + 2.0**-40, X[[1, 0, 2, 3, 4]], -X):
        sentence = refused(BOX_PROOF, other, y)
        own = digest(other, y)
        assert sentence == (
            f"this proof is about data with digest {BOX_PROOF['digest'][:12]}...; yours is {own[:12]}..."
        )
    assert "[5, 2]" in refused(BOX_PROOF, X[:4], y[:4])
    assert "[4, 2]" in refused(BOX_PROOF, X[:4], y[:4])
    refused(BOX_PROOF, X.T[:, :2], [1, -1], "shape")
    refused(BOX_PROOF, X[:0], [], "label")


@st.composite
def problems(draw):
    """Small data of many scales, and a valid certificate about them."""
    n, d = draw(st.integers(2, 6)), draw(st.integers(1, 4))
    small = st.integers(-3, 3)
    constant = draw(st.sampled_from([0.0, 1.0, 0.75, 2.0**-1074, 2.0**600]))
    cells = [[draw(small) for _ in range(d)] for _ in range(n)]
    scales = draw(st.sampled_from([[0], [0, 1, -1], [0, 53, -53], [500, -500, 0], [-1072, -1000], [900], [-541, 30]]))
    X = np.array([[math.ldexp(v, draw(st.sampled_from(scales))) for v in row] for row in cells])
    if draw(st.booleans()):  # last bits that floats lose when they add
        X = X * (1 + draw(st.sampled_from([0.0, 2.0**-52, 0.1])) * np.arange(1, d + 1))
    y = [1] * n
    a = rows_of(X, y, 1, constant)
    if draw(st.booleans()):
        bits = draw(st.sampled_from([2, 53, 60, 130, 2200]))
        w = [draw(st.integers(-(2**bits), 2**bits)) for _ in range(d)] + [draw(small) if constant else 0]
        signs = [1 if dot(w, row) > 0 else -1 for row in a]
        if constant == 0 and len(set(signs)) == 1:
            X[0], signs[0] = -X[0], -signs[0]
        a = rows_of(X, y, 1, constant)
        y = signs
        if all(dot(w, row) != 0 for row in a) and len(set(y)) == 2:
            chosen = draw(st.sets(st.integers(0, n - 1), min_size=1))
            proof = separable(X, y, w, {i: draw(st.integers(1, 2**60)) for i in chosen}, constant=constant)
            assume(proof["margin"][0] > 0)  # a float
            return X, y, proof
    # The last row is minus the first: they contradict each other.
    X, y = np.vstack([X, X[:1]]), [*y, -y[0]]
    n = len(X) - 1
    a = rows_of(X, y, 1, constant)
    p = draw(st.integers(1, 2**70))
    u = [draw(small) for _ in range(d + 1)]
    dots = [dot(u, row) for row in a]
    weak = u if min(dots) >= 0 and max(dots) > 0 else None
    return X, y, inseparable(X, y, {0: p, n: p}, weak, constant=constant)


@given(problems())
def test_whatever_is_true_is_accepted(problem):
    X, y, proof = problem
    holds(proof, X, y)
    holds(in_format_1(proof, X, y), X, y)
    assert verify(proof, X, y) == verify(in_format_1(proof, X, y), X, y)
    verified = verify(proof, X, y)
    assert verified == verify(proof, sp.csr_matrix(X), y) == verify(json.loads(json.dumps(proof)), X, y)
    assert digest(X, y) == proof["digest"]


# ---------------------------------------------------------------- files that are not certificates


@pytest.mark.parametrize(
    "text",
    [
        "",
        "null",
        "[]",
        "7",
        '"novikoff certificate 2"',
        "{}",
        "{" * 100_000,
        "[" * 100_000,
        '{"a":' * 100_000,
        "\ufeff{}",
        "{'format': 1}",
        '{"format": "novikoff certificate 1"}',
        '{"format": "novikoff certificate 2"}',
        '{"format": "novikoff certificate 2"} {}',
        json.dumps([[k, v] for k, v in BOX_PROOF.items()]),
        json.dumps(BOX_PROOF)[:-1] + ', "radius": 5.0}',
        json.dumps(BOX_PROOF).replace('"weights": [3', '"weights": [3, 1, 1], "weights": [3'),
        json.dumps(BOX_PROOF).replace(f'"radius": {BOX_PROOF["radius"]}', '"radius": NaN'),
        json.dumps(BOX_PROOF).replace(f'"radius": {BOX_PROOF["radius"]}', '"radius": Infinity'),
        json.dumps(BOX_PROOF).replace(f'"radius": {BOX_PROOF["radius"]}', '"radius": 1e999'),
        json.dumps(BOX_PROOF).replace(f'"radius": {BOX_PROOF["radius"]}', '"radius": 1' + 400 * "0"),
        json.dumps(BOX_PROOF).replace('"positive": 1', '"positive": NaN'),
        json.dumps(BOX_PROOF).replace('"positive": 1', '"positive": -Infinity'),
        json.dumps(BOX_PROOF).replace('"against": -1', '"against": 1' + 400 * "0"),
        json.dumps(BOX_PROOF).replace('"rows": 5', '"rows": 1' + 4000 * "0"),
        json.dumps(BOX_PROOF).replace('"closest": ', '"closest": 1' + 4000 * "0"),
        json.dumps(BOX_PROOF).replace('"closest": ', '"closest": 1' + 100_000 * "0"),
        json.dumps(BOX_PROOF).replace('"separator": [5', '"separator": [1' + 20 * "0"),
        json.dumps(BOX_PROOF).replace('"separator": [5', '"separator": [9007199254740992'),
        json.dumps(BOX_PROOF).replace('"separator": [5', '"separator": [5.0'),
        json.dumps(BOX_PROOF).replace('"separator": [5', '"separator": [5, 2], "extra": [5'),
    ],
    ids=lambda text: text[:30],
)
def test_malformed_files(text, tmp_path):
    path = tmp_path / "certificate.json"
    assert text != json.dumps(BOX_PROOF)
    path.write_text(text, encoding="utf-8")
    refused(path, *BOX)


def test_truncated_and_damaged_files(tmp_path):
    path = tmp_path / "certificate.json"
    text = json.dumps(BOX_PROOF).encode()
    for length in range(0, len(text), 7):
        path.write_bytes(text[:length])
        refused(path, *BOX)
    path.write_bytes(text[:-1] + b', "\xff": 1}')
    refused(path, *BOX, "not a certificate")
    path.write_bytes(text.decode().encode("utf-16"))
    refused(path, *BOX, "not a certificate")


def test_a_huge_file_is_not_read(tmp_path):
    path = tmp_path / "certificate.json"
    with path.open("wb") as file:
        file.truncate(2**28 + 1)  # a hole: nothing is on the disk
    refused(path, *BOX, "too large")


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="there is no such device here")
def test_what_does_not_say_its_size_is_not_read_without_end(monkeypatch):
    monkeypatch.setattr("novikoff.certificates.claim.LARGEST_FILE", 1 << 20)
    refused("/dev/zero", *BOX, "too large: 1,048,576 bytes are allowed")


def test_a_pipe_is_read(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_text, args=(json.dumps(BOX_PROOF),))
    writer.start()
    assert novikoff.verify(path, *BOX).verdict == BOX_PROOF["kind"]
    writer.join()


def test_what_is_no_certificate_at_all(tmp_path):
    with pytest.raises(FileNotFoundError):
        verify(tmp_path / "nothing", *BOX)
    cycle = {}
    cycle["format"] = cycle
    for thing in (3.5, None, cycle, {"format": {1, 2}}, {1: 2}, {"format": 10**5000}):
        refused(thing, *BOX)


@pytest.mark.parametrize("depth", [10, 300, 900, 940, 960, 970, 975, 980, 985, 990, 995, 1000, 3000])
def test_deep_nesting(depth, tmp_path):
    path = tmp_path / "certificate.json"
    for key in BOX_PROOF:
        text = json.dumps({**BOX_PROOF, key: "DEEP"}).replace('"DEEP"', "[" * depth + "]" * depth)
        path.write_text(text)
        refused(path, *BOX)


@pytest.mark.parametrize(
    "text",
    ["0x_1", "0x1_0", " 0x1", "0x1 ", "0xg", "0x", "x1", "0X1", "1", "0xA", "+0x1", "--0x1", "0x1\n", "0x１", ""],
)
def test_malformed_hexadecimal(text):
    refused(changed(BOX_PROOF, "separator", [text, "0x2"]), *BOX, "integers")
    refused(changed(BOX_PROOF, "combination", "weights", 0, text), *BOX, "integers")


def test_hexadecimal_integers():
    verify(changed(BOX_PROOF, "separator", ["0x5", "0x02"]), *BOX)
    refused(changed(BOX_PROOF, "separator", ["-0x5", "0x2"]), *BOX, "does not separate|closest")
    verify(changed(BOX_PROOF, "separator", [hex(5 << 3000), hex(2 << 3000)]), *BOX)
    longest = "0x" + "5" * 4400, "0x" + "2" * 4400  # 1100 (d + 2) digits
    verify(changed(BOX_PROOF, "separator", [*longest]), *BOX)
    for longer in ([longest[0] + "5", longest[1]], [longest[0], "0x02" + longest[1][3:] + "2"]):
        refused(changed(BOX_PROOF, "separator", longer), *BOX, "integers")


# ---------------------------------------------------------------- where floats give up


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
def test_a_near_tie_that_only_exact_arithmetic_decides(form):
    """0.1 + 0.2 > 0.3 by 2^-55, as floats stand; and 0.3 rounded up is more."""
    for last, tie in ((0.3, 1), (math.nextafter(0.3, 1.0), -1)):
        X, y = np.array([[0.1, 0.2, last], [1.0, 1.0, 1.0], [-1.0, -1.0, -1.0]]), [tie, 1, -1]
        assert dot([1, 1, -1, 0], rows_of(X, [1, 1, 1], 1, 0.0)[0]) == tie * Fraction(1, 2**55)
        verified = verify(separable(X, y, [1, 1, -1, 0]), form(X), y)
        assert verified.margin[0] == pytest.approx(2.0**-55 / math.sqrt(3))
        other = [-tie, 1, -1]
        wrong = separable(X, y, [1, 1, -1, 0]) | head(X, other, "separable")
        refused(wrong, form(X), other, "does not separate")


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize("scale", [1.0, 2.0**-400, 2.0**-520, 2.0**-560, 2.0**-900, 2.0**500, 2.0**900])
def test_a_row_that_floats_put_on_the_wrong_side_of_the_closest(scale, form):
    """In floats, 0.1 + 0.2 - 0.3 = 2^-54; it is 2^-55, and so less than 1.5 2^-55."""
    for order in itertools.permutations([0.1, 0.2, -0.3]):
        X, y = turned(np.array([[1.5 * 2.0**-55, 0.0, 0.0], order, [1.0, 1.0, 1.0]]) * scale)
        proof = separable(X, y, [1, 1, 1, 0]) | {"radius": 1e308}
        assert proof["closest"] == 1
        verify(proof, form(X), y)
        refused(changed(proof, "closest", 0), form(X), y, "row 1 has y<w,x> < that of the closest")


def test_one_row_on_the_wrong_side():
    X, y = BOX
    for row in set(range(5)) - {BOX_PROOF["closest"]}:
        other = [-label if i == row else label for i, label in enumerate(y)]
        for form in (X, X + 0.0625, sp.csr_matrix(X)):
            dense = form.toarray() if sp.issparse(form) else form
            proof = separable(dense, y, [5, 2, 0]) | {"digest": plain_digest(dense, other)}
            verify(separable(dense, y, [5, 2, 0]), form, y)
            refused(proof, form, other, f"row {row} has")


def test_an_empty_row_has_the_constant_only():
    X, y = np.array([[1.0], [0.0], [-5.0], [0.0]]), [1, 1, -1, 1]
    for value in (X, X * 1.1):
        proof = separable(value[[0, 2]], [1, -1], [2, -1], constant=1.0) | head(value, y, "separable", constant=1.0)
        for form in (value, sp.csr_matrix(value)):
            refused(proof, form, y, "row 1 has")


def test_the_last_bit_is_kept_between_blocks(monkeypatch):
    """1 < 1 + 2^-60, on the scale of a row that does not see 2^-60."""
    X, y = turned([[1.0, 2.0**-60], [1.0, 0.0]])
    proof = separable(X, y, [1, 1, 0])
    monkeypatch.setattr(check_data, "ENTRIES", 1)
    verify(proof, X, y)
    refused(changed(proof, "closest", 0), X, y, "row 1 has")


def test_the_closest_of_rows_that_floats_cannot_tell_apart():
    X = np.array([[0.1, 0.2, -0.3, 1.0], [0.1, 0.2, -math.nextafter(0.3, 1.0), 1.0], [0.1, 0.2, -0.3, 1.0]])
    w = [1, 1, 1, 1, 0]
    X, y = turned(X)
    proof = separable(X, y, w)
    assert proof["closest"] == 1
    verify(proof, X, y)
    for row in (0, 2):
        refused(changed(proof, "closest", row), X, y, "closest")
    equal = separable(X[[0, 2]], y[1:], w)
    for row in (0, 1):
        verify(changed(equal, "closest", row), X[[0, 2]], y[1:])


@pytest.mark.parametrize("bits", [54, 64, 65, 200, 1000, 1500, 2090])
def test_weights_beyond_floats(bits):
    """w = (2^bits + 1, -2^bits): on (1, 1) it is 1, and no float sees that."""
    if bits <= 1000:  # else the margin is not a float
        X, y = turned([[1.0, 1.0], [3.0, 2.0]])
        proof = separable(X, y, [2**bits + 1, -(2**bits), 0])
        verify(proof, X, y)
        refused(proof | {"separator": [hex(2**bits - 1), hex(-(2**bits))]}, X, y, "does not separate")
        refused(proof | {"separator": [hex(2**bits), hex(-(2**bits))]}, X, y, "does not separate")
    X, y = turned([[1.0, 1.0], [-1.0, -1.0], [0.0, -1.0]])
    verify(inseparable(X, y, {0: 1, 1: 1}, [2**bits, -(2**bits), 0]), X, y)
    refused(inseparable(X, y, {0: 1, 1: 1}, [2**bits + 1, -(2**bits), 0]), X, y, "row 1")


@pytest.mark.parametrize(
    "exponents", [(500, -500), (1023, -1074), (-1074, -1074), (1000, 1000), (-600, -600), (0, 511)]
)
def test_extreme_exponents(exponents):
    up, down = (2.0**e for e in exponents)
    X, y = turned([[up, -down], [down, down], [up / 2, 0.0]])
    proof = {
        **head(X, y, "separable"),
        "separator": [hex(2**2000), 1],
        "combination": {"rows": [0, 1, 2], "weights": [1, 1, 1]},
        "margin": [2.0**-1074, 1.7e308],
        "radius": 1.79e308,
        "closest": 1 if down < up / 2 else 2 if up / 2 < down else 0,
    }
    if true(proof, X, y):
        assert verify(proof, X, y) == verify(proof, sp.csr_matrix(X), y)
        for row in {0, 1, 2} - {proof["closest"]}:
            changing = changed(proof, "closest", row)
            assert true(changing, X, y) or refused(changing, X, y, "closest")
    else:
        refused(proof, X, y)


def test_a_sum_over_the_whole_range_of_floats():
    """2^1000 + 2^2000 (-2^-1000) = 0."""
    X, y = turned([[2.0**1000], [-(2.0**-1000)]])
    verify(inseparable(X, y, {0: 1, 1: 2**2000}), X, y)
    refused(inseparable(X, y, {0: 1, 1: 2**2000 + 1}), X, y, "sum to zero")
    refused(inseparable(X, y, {0: 1, 1: 2**2000}, constant=2.0**-1074), X, y, "sum to zero")
    X, y = turned([[5e-324, 0.1], [-5e-324, -0.1]])
    verify(inseparable(X, y, {0: 1, 1: 1}), X, y)
    X[1, 0] = 0.0
    refused(inseparable(X, y, {0: 1, 1: 1}), X, y, "sum to zero")


def test_squares_that_overflow_or_underflow():
    for scale in (2.0**600, 2.0**-600, 2.0**-1060):
        X, y = turned(np.array([[3.0, 4.0], [6.0, 8.0]]) * scale)
        proof = separable(X, y, [3, 4, 0])
        assert proof["margin"] == [5 * scale, 5 * scale]
        assert proof["radius"] == 10 * scale
        verify(proof, X, y)
        refused(changed(proof, "radius", math.nextafter(10 * scale, 0.0)), X, y, "radius")
        refused(changed(proof, "margin", [math.nextafter(5 * scale, INF), 10 * scale]), X, y, "lower")


@pytest.mark.parametrize(
    ("long", "constant", "radius"),
    [
        ([2.0**-540, 0.0], 0.0, 2.0**-541),  # the square underflows
        ([2.0**25, 0.0], 0.3, 2.0**25),  # the constant is lost when squares are added
        ([2.0**27, 1.0], 0.0, 2.0**27),  # so is the 1
        ([2.0**26, 0.1], 0.0, 2.0**26),
        ([2.0**600, 1.0], 0.0, 2.0**600),  # the square overflows
        ([1.5 * 2.0**1023, 1.0], 0.0, 1.5 * 2.0**1023),
    ],
)
def test_a_row_just_longer_than_the_radius(long, constant, radius):
    X, y = turned([[long[0] / 2, 0.0], long])
    proof = separable(X, y, [1, 0, 0], constant=constant)
    assert proof["closest"] == 0
    assert radius < proof["radius"]
    for form in (X, sp.csr_matrix(X)):
        verify(proof, form, y)
        refused(changed(proof, "radius", radius), form, y, "row 1 is longer")


def test_a_radius_below_the_root_of_an_integer():
    for n in range(2, 70):
        X = np.zeros((2, 70))
        X[0, 0] = X[1, :n] = 1.0
        X, y = turned(X)
        proof = separable(X, y, [1] * 70 + [0])
        verify(proof, X, y)
        refused(changed(proof, "radius", math.nextafter(proof["radius"], 0.0)), X, y, "row 1 is longer")


def test_a_radius_below_the_norm():
    rng = np.random.default_rng(5)
    for _ in range(60):
        X, y = turned(rng.random((2, 30)) + np.array([[0.0], [1.0]]))
        proof = separable(X, y, [1] * 30 + [0])
        verify(proof, X, y)
        refused(changed(proof, "radius", math.nextafter(proof["radius"], 0.0)), X, y, "row 1 is longer")


def test_weak_separators_that_floats_misjudge():
    tiny = 2.0**-55  # 0.1 + 0.2 - 0.3, exactly; twice that in floats
    for order in itertools.permutations([0.1, 0.2, -0.3, -tiny]):
        X, y = turned([order, [-v for v in order]])
        refused(inseparable(X, y, {0: 1, 1: 1}, [1, 1, 1, 1, 0]), X, y, "= 0 on every row")
    X, y = turned([[1.0, -1.0, 0.0], [-1.0, 1.0, 0.0], [0.1, 0.2, -0.3]])
    assert verify(inseparable(X, y, {0: 1, 1: 1}, [1, 1, 1, 0]), X, y).weakly_separable
    X[2, 2] = math.nextafter(0.3, 1.0)
    refused(inseparable(X, y, {0: 1, 1: 1}, [1, 1, 1, 0]), X, y, "row 2 has y<w,x> < 0")


@pytest.mark.parametrize("scale", [1.0, 0.1, 2.0**-30])
def test_many_rows_tie(scale):
    """The corners of a cube: all rows are as long as each other, and many are closest."""
    d = 7
    X = (2.0 * ((np.arange(2**d)[:, None] >> np.arange(d)) & 1) - 1) * scale
    y = np.where(X.sum(axis=1) > 0, 1, -1)
    for w in ([1] * d + [0], [2**52 + 1] * d + [0], [2**52 + 1, *[2**52] * (d - 1), 0]):
        proof = separable(X, y, w, {3: 1, 5: 2, 127: 1})
        for form in (X, sp.csr_matrix(X)):
            verify(proof, form, y)
            refused(changed(proof, "radius", math.nextafter(proof["radius"], 0.0)), form, y, "radius")
        a = rows_of(X, y, 1, 0.0)
        dots = [dot(w, row) for row in a]
        for row in range(0, 2**d, 9):
            changing = changed(proof, "closest", row)
            if dots[row] == min(dots):
                verify(changing, X, y)
            else:
                refused(changing, X, y, "closest")


@given(st.integers(0, 2**32 - 1), st.integers(1, 40), st.sampled_from([0, 20, 300, 1000]))
def test_the_filter_agrees_with_rationals(seed, d, spread):
    """Every row is made orthogonal to w but for rounding; its true side decides."""
    rng = np.random.default_rng(seed)
    w = [int(v) for v in rng.integers(-(2**52), 2**52, d)] + [1]
    X = np.ldexp(rng.standard_normal((12, d)), rng.integers(-spread, spread + 1, (12, d)))
    floats = np.array(w[:-1], dtype=float)
    for x in X:
        with np.errstate(all="ignore"):
            x[0] = -(x[1:] @ floats[1:]) / floats[0]
    X[~np.isfinite(X)] = 1.0
    y = [1 if dot(w, row) > 0 else -1 for row in rows_of(X, [1] * 12, 1, 1.0)]
    if min(dot(w, row) for row in rows_of(X, y, 1, 1.0)) <= 0 or len(set(y)) == 1:
        return
    try:
        proof = separable(X, y, w, {0: 1, 7: 3}, constant=1.0)
    except OverflowError:
        return
    assert verify(proof, X, y) == verify(proof, sp.csr_matrix(X), y)
    row = proof["closest"]
    y[row] = -y[row]
    if len(set(y)) == 2:
        refused(proof | head(X, y, "separable", constant=1.0), X, y, "does not separate")


# ---------------------------------------------------------------- data that are not fit to be looked at


def rejected(match, certificate, X, y):
    with pytest.raises(ValueError, match=match) as caught:
        verify(certificate, X, y)
    assert not isinstance(caught.value, InvalidCertificate)


@pytest.mark.parametrize("value", [math.nan, INF, -INF])
@pytest.mark.parametrize(("row", "column"), [(0, 0), (2, 1), (4, 0)])
@pytest.mark.parametrize("proof", [BOX_PROOF, inseparable(*BOX, {0: 1})])
def test_what_is_not_finite_is_named(value, row, column, proof):
    X = BOX[0].copy()
    X[row, column] = value
    for form in (X, X.astype(np.float32), sp.csr_matrix(X)):
        rejected(f"row {row}, column {column}", proof, form, BOX[1])
        with pytest.raises(ValueError, match=f"row {row}, column {column}"):
            digest(form, BOX[1])


@pytest.mark.parametrize(
    ("X", "y"),
    [
        (BOX[0], BOX[1][:4]),
        (BOX[0], [*BOX[1], 1]),
        (BOX[0], np.array(BOX[1])[None]),
        (BOX[0][0], BOX[1]),
        (BOX[0][None], BOX[1]),
        (7.0, BOX[1]),
        (BOX[0].astype(complex), BOX[1]),
        (np.full(BOX[0].shape, "one"), BOX[1]),
        (np.full(BOX[0].shape, {}, dtype=object), BOX[1]),
        (BOX[0].astype(np.longdouble) / 3, BOX[1]),
        (BOX[0].astype(np.int64) * 2**54 + 1, BOX[1]),
        (np.full((5, 2), -(2**53) - 1), BOX[1]),
        (np.full((5, 2), 2**64 - 1, dtype=np.uint64), BOX[1]),
        (sp.csr_matrix(np.full((5, 2), 2**53 + 1)), BOX[1]),
    ],
)
def test_data_that_are_no_matrix_of_numbers(X, y):
    rejected(None, BOX_PROOF, X, y)


def test_the_callers_data_are_left_alone():
    X, y = BOX
    frozen = X.copy()
    frozen.flags.writeable = False
    verify(BOX_PROOF, frozen, y)
    matrix = sp.csr_matrix(X)
    for array in (matrix.data, matrix.indices, matrix.indptr):
        array.flags.writeable = False
    verify(BOX_PROOF, matrix, y)
    np.testing.assert_array_equal(matrix.toarray(), X)


def test_the_constant_is_part_of_the_norm():
    X, y = np.array([[3.0], [-3.0]]), [1, -1]
    proof = separable(X, y, [1, 0], constant=4.0)
    assert proof["radius"] == 5.0
    verify(proof, X, y)
    for radius in (3.0, 4.0, math.nextafter(5.0, 0.0)):
        refused(proof | {"radius": radius}, X, y, "radius is too small")


@pytest.mark.parametrize(
    ("x", "above"),
    [
        (Fraction(LARGEST_FLOAT), sys.float_info.max),
        (Fraction(LARGEST_FLOAT) + 1, INF),
        (-Fraction(LARGEST_FLOAT), -sys.float_info.max),
        (-Fraction(LARGEST_FLOAT) - 1, -INF),
        (Fraction(1, 10), 0.1),
        (Fraction(1, 3), math.nextafter(1 / 3, 1)),
        (Fraction(2, 3), math.nextafter(2 / 3, 1)),
        (Fraction(-1, 3), -1 / 3),
        (Fraction(1, 2**1080), 5e-324),
        (Fraction(0), 0.0),
    ],
)
def test_rounding_up(x, above):
    assert rounded_up(x) == above


# ---------------------------------------------------------------- the checker itself


STANDARD, FAST = ("claim", "verified", "reference"), ("check", "verify")
ROOM = Path(novikoff.certificates.__file__).parent
FILES = [ROOM / "verify.py", *(path for name in (*STANDARD, "check") for path in sorted((ROOM / name).glob("*.py")))]


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_it_is_legible_and_stands_alone(path):
    """Short lines, short functions, one statement a line; the standard library, and for speed NumPy."""
    name = path.parent.name if path.parent != ROOM else path.stem
    source = path.read_text()
    assert max(map(len, source.splitlines())) <= 120
    nodes = list(ast.walk(ast.parse(source)))
    lines = [node.lineno for node in nodes if isinstance(node, ast.stmt)]
    assert len(lines) == len(set(lines))
    names = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.FunctionDef):
            assert node.end_lineno - node.lineno < 40, node.name
    ours = {name for name in names if name.startswith("novikoff.")}
    allowed = tuple(f"novikoff.certificates.{name}" for name in (*STANDARD, *(FAST if name in FAST else ())))
    allowed += ("novikoff.float64",) if name in FAST else ()
    checkers = {f"novikoff.certificates.{name}" for name in ("check", "reference")}
    assert all(name.startswith(allowed) or name in checkers for name in ours), ours
    outside = {name.split(".")[0] for name in names - ours} - ({"numpy"} if name in FAST else set())
    assert outside <= sys.stdlib_module_names


@pytest.mark.parametrize("constant", [0.0, 1.0, 3.0, 0.5])
@pytest.mark.parametrize("storage", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("size", [1.0, 0.25, 2.0**51, 2.0**61, 2.0**70])
def test_rows_that_are_made_at_once_are_those_of_the_reference(storage, size, constant):
    rng = np.random.default_rng(3)
    X = rng.integers(-3, 4, (9, 5)) * size
    X[2] = 0.0
    y = np.array([1, 0, 1, 1, 0, 0, 1, 0, 1])
    signs = np.where(y == 1, 1, -1).astype("<i1")
    claim = SimpleNamespace(d=5, constant=constant)
    data = check_data.Data(storage(X))
    rows = check_data.ExactRows(data, signs, claim).of([7, 2, 0, 4])
    for i in (7, 2, 0, 4):
        example = [(j, float(value)) for j, value in enumerate(X[i]) if value]
        assert rows[i] == reference_rows.row(example, int(signs[i]), claim)


def test_a_claim_that_has_been_read_is_verified_as_its_file_is():
    X, y = np.array([[1.0], [2.0], [-1.0]]), np.array([1, 1, 0])
    proof = certify(X, y)
    claim = read_claim(proof)
    assert read_claim(claim) is claim
    assert novikoff.verify(claim, X, y) == novikoff.verify(proof, X, y)


def test_how_a_file_was_read_goes_into_the_certificate_and_no_further():
    X, y = np.array([[1.0], [2.0], [-1.0]]), np.array([1, 1, 0])
    proof = certify(X, y)
    assert "reading" not in json.loads(proof.to_json())
    recorded = {"settings": {"label": "y"}, "skipped": 0, "filled": 0}
    told = replace(proof, about=replace(proof.about, reading=recorded))
    assert json.loads(told.to_json())["reading"] == recorded
    assert novikoff.verify(told, X, y).margin == novikoff.verify(proof, X, y).margin
