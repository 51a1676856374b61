"""The checker against the mathematics: certificates built by hand, and every claim recomputed here in rationals."""

from __future__ import annotations

import ast
import copy
import hashlib
import importlib
import itertools
import json
import math
import re
import struct
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from novikoff.certify.verify import InvalidCertificate, Verified, verify

INF = math.inf
module = importlib.import_module("novikoff.certify.verify")


def digest(X, signs):
    """As the checker computes it."""
    return module.Data(X, signs, 1, 0.0).scan(np.zeros(0), Fraction(0), module.BEYOND, None)[0]


# ---------------------------------------------------------------- what is true, in rationals and plain loops


def signs_of(y, positive):
    return [1 if isinstance(v, str) == isinstance(positive, str) and v == positive else -1 for v in y]


def rows_of(X, y, positive, constant):
    """The rows a_i."""
    return [
        [s * Fraction(float(v)) for v in (*x, constant)]
        for s, x in zip(signs_of(y, positive), np.asarray(X).tolist(), strict=True)
    ]


def dot(u, v):
    return sum((a * b for a, b in zip(u, v, strict=True)), Fraction(0))


def combination(p, rows):
    return [dot(p, column) for column in zip(*rows, strict=True)]


def plain_digest(X, signs):
    X = np.asarray(X, dtype=np.float64).tolist()
    counts = b"".join(struct.pack("<q", sum(v != 0 for v in x)) for x in X)
    columns = b"".join(struct.pack("<I", j) for x in X for j, v in enumerate(x) if v != 0)
    values = b"".join(struct.pack("<d", v) for x in X for v in x if v != 0)
    parts = (counts, columns, values, b"".join(struct.pack("<b", s) for s in signs))
    head = b"novikoff data 1" + struct.pack("<qq", len(X), len(X[0]))
    return hashlib.sha256(head + b"".join(hashlib.sha256(part).digest() for part in parts)).hexdigest()


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


def integer(v):
    if type(v) is int and abs(v) < 2**53:
        return v
    assert type(v) is str
    assert re.fullmatch("-?0x[0-9a-f]+", v)
    return int(v, 16)


def holds(proof, X, y):
    """Does the format allow it, and are all claims true? An AssertionError or the like if not."""
    n, d = np.asarray(X).shape
    separable = proof["verdict"] == "separable"
    special = {"support", "margin", "radius", "closest"} if separable else {"rows"} | ({"weak"} & set(proof))
    assert set(proof) == {"format", "digest", "shape", "constant", "positive", "verdict", "weights"} | special
    assert separable or proof["verdict"] == "not separable"
    assert proof["format"] == "novikoff certificate 1"
    constant = float.fromhex(proof["constant"])
    assert 0 <= constant < INF
    assert constant.hex() == proof["constant"]
    assert not proof["constant"].startswith("-")  # nor is -0.0 >= 0 here
    assert json.dumps(proof["shape"]) == f"[{n}, {d}]"
    a = rows_of(X, y, proof["positive"], constant)
    assert proof["digest"] == plain_digest(X, signs_of(y, proof["positive"]))
    part = proof["support"] if separable else proof
    assert not separable or set(part) == {"rows", "weights"}
    rows, p = part["rows"], [integer(v) for v in part["weights"]]
    assert rows
    assert all(type(i) is int and 0 <= i < n for i in rows)
    assert rows == sorted(set(rows))
    assert len(p) == len(rows)
    assert min(p) > 0
    v = combination(p, [a[i] for i in rows])
    if not separable:
        assert len(rows) <= d + 2
        assert not any(v)
        if "weak" in proof:
            u = [integer(x) for x in proof["weak"]]
            dots = [dot(u, row) for row in a]
            assert min(dots) >= 0
            assert max(dots) > 0
        return
    w = [integer(x) for x in proof["weights"]]
    assert len(w) == d + 1
    assert constant > 0 or w[d] == 0
    lower, upper = proof["margin"]
    for x in (lower, upper, proof["radius"], 1):
        assert type(x) in (int, float)
        assert 0 < x < INF
    assert lower <= upper
    dots = [dot(w, row) for row in a]
    assert type(proof["closest"]) is int
    assert min(dots) == dots[proof["closest"]] > 0
    assert proof["closest"] >= 0
    assert min(dots) ** 2 >= Fraction(lower) ** 2 * dot(w, w)
    assert dot(v, v) <= (Fraction(upper) * sum(p)) ** 2
    assert max(dot(row, row) for row in a) <= Fraction(proof["radius"]) ** 2


def true(proof, X, y):
    try:
        holds(proof, X, y)
    except Exception:
        return False
    return True


# ---------------------------------------------------------------- certificates built by hand


def head(X, y, verdict, positive=1, constant=0.0):
    return {
        "format": "novikoff certificate 1",
        "digest": plain_digest(X, signs_of(y, positive)),
        "shape": list(np.asarray(X).shape),
        "constant": float(constant).hex(),
        "positive": positive,
        "verdict": verdict,
    }


def written(integers):
    return [x if abs(x) < 2**53 else hex(x) for x in integers]


def separable(X, y, w, support=None, positive=1, constant=0.0):
    """The tightest claims that w and the weights of some rows prove."""
    a = rows_of(X, y, positive, constant)
    dots = [dot(w, row) for row in a]
    rows = sorted(support or [dots.index(min(dots))])
    p = [support[i] for i in rows] if support else [1]
    v = combination(p, [a[i] for i in rows])
    return {
        **head(X, y, "separable", positive, constant),
        "weights": written(w),
        "support": {"rows": rows, "weights": written(p)},
        "margin": [root(min(dots) ** 2 / dot(w, w), up=False), root(dot(v, v) / Fraction(sum(p)) ** 2, up=True)],
        "radius": root(max(dot(row, row) for row in a), up=True),
        "closest": dots.index(min(dots)),
    }


def inseparable(X, y, weights, weak=None, positive=1, constant=0.0):
    proof = head(X, y, "not separable", positive, constant)
    proof |= {"rows": sorted(weights), "weights": written(weights[i] for i in sorted(weights))}
    return proof if weak is None else proof | {"weak": written(weak)}


XOR = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), [-1, 1, 1, -1]
XOR_PROOF = inseparable(*XOR, {0: 1, 1: 1, 2: 1, 3: 1}, constant=1.0)
WEAK = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 3.0], [5.0, 2.0]]), [1, 1, 1, 1]
WEAK_PROOF = inseparable(*WEAK, {0: 2, 1: 2}, weak=[0, 1, 0])
BOX = np.array([[2.0, 1.0], [3.0, -1.0], [-2.0, -1.0], [-1.0, -4.0], [1.0, 2.0]]), [1, 1, -1, -1, 1]
BOX_PROOF = separable(*BOX, [5, 2, 0], {0: 3, 1: 1, 2: 1})
FLAT = np.array([[3.0, 4.0], [6.0, 8.0]]), [1, 1]  # margin and norm are 5, exactly; the radius is 10
FLAT_PROOF = separable(*FLAT, [3, 4, 0])
VALID = [(XOR_PROOF, XOR), (WEAK_PROOF, WEAK), (BOX_PROOF, BOX), (FLAT_PROOF, FLAT)]


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
    assert verified.verdict == proof["verdict"]
    assert str(verified) == verified.implies


def test_what_a_proof_of_not_separable_says():
    xor, weak = verify(XOR_PROOF, *XOR), verify(WEAK_PROOF, *WEAK)
    assert xor.implies == "Every w has y<w,x> <= 0 on some row: 4 rows with positive weights sum to exactly zero."
    assert weak.implies.endswith("sum to exactly zero. Some u has y<u,x> >= 0 on every row, and > 0 on some.")
    assert (xor.rows, weak.rows) == ((0, 1, 2, 3), (0, 1))
    assert (xor.weakly_separable, weak.weakly_separable) == (False, True)
    assert xor.margin is xor.radius is xor.mistake_bound is None


def test_what_a_proof_of_separable_says():
    verified = verify(FLAT_PROOF, *FLAT)
    assert verified.implies == (
        "A separator exists with margin at least 5.0; no separator has a margin above 5.0; "
        "a perceptron makes at most 4 mistakes on these data."
    )
    assert (verified.margin, verified.radius, verified.mistake_bound) == ((5.0, 5.0), 10.0, 4.0)
    assert (verified.rows, verified.weakly_separable) == ((0,), False)


@pytest.mark.parametrize("n", [1, 2, 3, 7, 30])
def test_orthonormal_rows_have_margin_one_over_root_n(n):
    X, y = np.eye(n), [1] * n
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
    proof = separable(X, [1, 1, 1], [0, 0, 0, 1], constant=0.5)
    assert verify(proof, X, [1, 1, 1]) == verify(proof, stored, [1, 1, 1])


@pytest.mark.parametrize("shape", [(1, 1), (3, 0), (1000, 3), (2, 200_000)])
def test_the_digest_is_as_the_format_says(shape):
    rng = np.random.default_rng(3)
    X = rng.integers(-1, 2, shape) * rng.random(shape)
    signs = rng.choice([-1, 1], shape[0])
    assert digest(X, signs) == digest(sp.csr_matrix(X), signs) == plain_digest(X, signs.tolist())
    assert digest(X, signs) != digest(X, -signs)


@pytest.mark.parametrize("block", [1, 7, 2**17])
def test_blocks_of_rows_do_not_matter(block, monkeypatch):
    rng = np.random.default_rng(4)
    X = rng.integers(-2, 3, (50, 4)) / 4.0
    y = np.where(X @ [3, 1, -2, 5] + 1 >= 0, 1, -1)
    X += 0.001 * y[:, None] * [3, 1, -2, 5]
    proof = separable(X, y, [3, 1, -2, 5, 1], {3: 1, 8: 2, 40: 1}, constant=1.0)
    before = module.Data.__init__

    def narrow(self, *arguments):
        before(self, *arguments)
        self.few = max(1, block // 4)

    monkeypatch.setattr(module.Data, "__init__", narrow)
    for form in (X, sp.csr_matrix(X)):
        assert verify(proof, form, y).rows == (3, 8, 40)
    assert digest(X, y) == plain_digest(X, y.tolist())


def test_without_columns_only_the_constant_is_left():
    X = np.zeros((3, 0))
    assert verify(separable(X, [1, 1, 1], [1], constant=2.0), X, [1, 1, 1]).margin == (2.0, 2.0)
    assert verify(inseparable(X, [1, 0, 1], {0: 1, 1: 1}, constant=2.0), X, [1, 0, 1]).rows == (0, 1)


@pytest.mark.parametrize(
    ("positive", "y"),
    [
        (1, [1, 0, 1.0, 2]),
        (1.0, np.array([1, 0, 1, 2])),
        (True, [True, False, 1, False]),
        (True, np.array([True, False, True, False])),
        (1, np.array([1, 0, 1, 2], dtype=np.uint8)),
        (-1, np.array([-1, 0, -1, 2], dtype=np.float32)),
        ("1", ["1", 1, "1", 1.0]),
        (1, [1, "1", 1, "1"]),
        ("ja", np.array(["ja", "nein", "ja", "nee"])),
        ("ja", [np.str_("ja"), "nein", "ja", None]),
        ("ja", pd.Series(["ja", "nein", "ja", "nein"])),
        ("ja", pd.Series(["ja", "nein", "ja", "nein"], dtype="category")),
        (10**20, [10**20, 1, 10**20, 2]),
    ],
)
def test_labels_are_compared_as_what_they_are(positive, y):
    X = np.array([[1.0], [-1.0], [2.0], [-2.0]])
    proof = separable(X, [1, 0, 1, 0], [1, 0]) | {"positive": positive}
    assert verify(proof, X, y).verdict == "separable"


@pytest.mark.parametrize(
    "positive", ["1", 1, 1.0, True, "True", 300, -1, 0.5, 10**400, "\ud800", ""], ids=lambda label: repr(label)[:9]
)
@pytest.mark.parametrize("y", [["1", "0"], [1, 0], [1.0, 0.0], [True, False], [None, "1"]])
@pytest.mark.parametrize("form", [list, np.array, lambda y: np.array(y, dtype=object)])
def test_numbers_are_not_strings(positive, y, form):
    X = np.array([[1.0], [-1.0]])
    proof = separable(X, [1, 0], [1, 0]) | {"positive": positive}
    if signs_of(y, positive) == [1, -1]:
        verify(proof, X, form(y))
    else:
        refused(proof, X, form(y), "label" if positive == 10**400 else "digest")


# ---------------------------------------------------------------- what is false is refused, and tightly so


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        (("weights", 0, 0), "do not separate|smaller|closest"),
        (("weights", [-5, -2, 0]), "do not separate|closest"),
        (("weights", [0, 0, 0]), "do not separate"),
        (("weights", [5, 2, 1]), "constant"),
        (("weights", [5, 2]), "3 integers"),
        (("weights", [5, 2, 0, 0]), "3 integers"),
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
        (("margin", 0, 2.3), "margin"),
        (("margin", 1, 1.0), "margin"),
        (("margin", 0, -1.0), "margin"),
        (("margin", 0, 0.0), "margin"),
        (("margin", 0, True), "margin"),
        (("margin", []), "margin"),
        (("margin", [1.0]), "margin"),
        (("margin", [1.0, 2.0, 9.0]), "margin"),
        (("margin", "12"), "margin"),
        (("margin", {"1": 1}), "margin"),
        (("margin", 7), "margin"),
        (("support", "rows", [0, 1, 3]), "upper"),
        (("support", "weights", 2, 0), "not positive"),
        (("support", "weights", 2, -1), "not positive"),
        (("support", "weights", 2, 1.0), "integers"),
        (("support", "weights", [1, 1]), "3 integers"),
        (("support", "rows", [0, 2, 1]), "increasing"),
        (("support", "rows", [0, 1, 1]), "increasing"),
        (("support", "rows", [0, 1, 5]), "not in X"),
        (("support", "rows", [0, 1, -1]), "not in X"),
        (("support", "rows", [0, 1, True]), "not in X"),
        (("support", "rows", "012"), "not in X"),
        (("support", {"rows": [], "weights": []}), "rows are not 1 to 5"),
        (("support", {"rows": [0]}), "support"),
        (("support", {"rows": [0], "weights": [1], "more": 1}), "support"),
        (("support", [[0], [1]]), "support"),
        (("constant", "0x1.0000000000000p+0"), "closest|radius|margin|separate"),
        (("constant", "-0x1.0000000000000p+0"), "constant"),
        (("constant", "0x1.0000000000000p+1024"), "constant"),
        (("constant", "0x1.0p+99999"), "constant"),
        (("constant", "inf"), "constant"),
        (("constant", "nan"), "constant"),
        (("constant", "1.0"), "constant"),
        (("constant", " 0x0.0p+0"), "constant"),
        (("constant", 0.0), "constant"),
        (("positive", -1), "digest"),
        (("positive", None), "label"),
        (("positive", [1, 1, -1, -1, 1]), "label"),
        (("verdict", "not separable"), "fields"),
        (("verdict", "Separable"), "verdict"),
        (("verdict", ["separable"]), "verdict"),
        (("format", "novikoff certificate 2"), "format"),
        (("digest", "0" * 64), "about data with digest 000000000000...; yours is"),
        (("digest", None), "digest None...; yours is"),
        (("digest", BOX_PROOF["digest"].upper()), "digest"),
        (("shape", [2, 5]), "shape"),
        (("shape", [5.0, 2]), "shape"),
        (("shape", "[5, 2]"), "shape"),
        (("shape", None), "shape"),
        (("weak", [0, 0, 0]), "fields"),
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
        (("weights", [2, 1]), "sum to zero"),
        (("weights", [0, 0]), "not positive"),
        (("weights", [-2, -2]), "not positive"),
        (("weights", [2]), "2 integers"),
        (("weights", "22"), "2 integers"),
        (("rows", [0, 2]), "sum to zero"),
        (("rows", []), "rows are not 1 to 4"),
        (("rows", [1, 0]), "increasing"),
        (("rows", [0, 4]), "not in X"),
        (("weak", [0, -1, 0]), "weak separator|row 2"),
        (("weak", [1, 0, 0]), "row 1"),
        (("weak", [0, 0, 1]), "= 0 on every row"),
        (("weak", [0, 0, 0]), "= 0 on every row"),
        (("weak", [0, 1]), "3 integers"),
        (("weak", []), "3 integers"),
        (("weak", None), "3 integers"),
        (("verdict", "separable"), "fields"),
        (("closest", 0), "fields"),
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
    refused(proof | {"comment": "trust me"}, *data, "fields")


def test_too_many_rows_for_a_proof():
    X, y = np.zeros((9, 1)), [1] * 9
    assert verify(inseparable(X, y, dict.fromkeys(range(3), 1)), X, y).rows == (0, 1, 2)
    refused(inseparable(X, y, dict.fromkeys(range(4), 1)), X, y, "rows are not 1 to 3")


@pytest.mark.parametrize(
    ("proof", "data"),
    [
        (FLAT_PROOF, FLAT),
        (BOX_PROOF, BOX),
        (separable(*FLAT, [3, 5, 0], {0: 7, 1: 1}), FLAT),
        (separable(np.eye(3), [1] * 3, [1, 1, 1, 0], {0: 1, 1: 1, 2: 1}), (np.eye(3), [1] * 3)),
        (separable(np.eye(3) / 3, [1] * 3, [2, 3, 4, 1], {0: 1, 2: 5}, constant=0.1), (np.eye(3) / 3, [1] * 3)),
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
    refused(BOX_PROOF, X.T[:, :2], [1, 1], "shape")
    refused(BOX_PROOF, X[:0], [], "shape")


@st.composite
def problems(draw):
    """Small data of many scales, and a valid certificate about them."""
    n, d = draw(st.integers(1, 6)), draw(st.integers(1, 4))
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
        y = signs
        if all(dot(w, row) != 0 for row in a):
            chosen = draw(st.sets(st.integers(0, n - 1), min_size=1))
            proof = separable(X, y, w, {i: draw(st.integers(1, 2**60)) for i in chosen}, constant=constant)
            assume(proof["margin"][0] > 0)  # a float
            return X, y, proof
    # The last row is minus the first: they contradict each other.
    X, y = np.vstack([X, X[:1]]), [*y, -y[0]]
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
    verified = verify(proof, X, y)
    assert verified == verify(proof, sp.csr_matrix(X), y) == verify(json.loads(json.dumps(proof)), X, y)
    assert digest(X, y) == proof["digest"]


def leaves(value, path=()):
    """The paths to all values inside."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in inner:
        yield (*path, key)
        yield from leaves(item, (*path, key))


@st.composite
def mutations(draw, proof):
    proof = copy.deepcopy(proof)
    *path, last = draw(st.sampled_from(list(leaves(proof))))
    inner = proof
    for key in path:
        inner = inner[key]
    old = inner[last]
    options = [None, True, 0, 1, -1, 2, 1.0, "0x1", "0x3", "-0x2", [], {}, "x"]
    if isinstance(old, bool | None.__class__):
        pass
    elif isinstance(old, int):
        options += [old + 1, old - 1, -old, 2 * old, hex(old), float(old), str(old)]
    elif isinstance(old, float):
        options += [math.nextafter(old, INF), math.nextafter(old, 0.0), old / 2, old * 2, -old, old.hex(), int(old)]
    elif isinstance(old, str):
        options += [old[:-1], old + "0", old.upper(), " " + old, f"0x0{old[2:]}", "-" + old]
        options += [hex(int(old, 16) + 1)] if re.fullmatch("-?0x[0-9a-f]+", old) else []
    elif isinstance(old, list):
        options += [old[::-1], old[1:], old + old[:1], [*old, 0], old * 2]
    inner[last] = draw(st.sampled_from(options))
    return proof


@settings(max_examples=300)
@given(st.data())
def test_a_mutation_is_accepted_only_if_it_is_true(data):
    X, y, proof = data.draw(problems() | st.sampled_from([(*d, p) for p, d in VALID]))
    proof = data.draw(mutations(proof))
    if true(proof, X, y):
        verify(proof, X, y)
    else:
        refused(proof, X, y)
        refused(proof, sp.csr_matrix(X), y)


# ---------------------------------------------------------------- files that are not certificates


@pytest.mark.parametrize(
    "text",
    [
        "",
        "null",
        "[]",
        "7",
        '"novikoff certificate 1"',
        "{}",
        "{" * 100_000,
        "[" * 100_000,
        '{"a":' * 100_000,
        "\ufeff{}",
        "{'format': 1}",
        '{"format": "novikoff certificate 1"}',
        '{"format": "novikoff certificate 1"} {}',
        json.dumps([[k, v] for k, v in BOX_PROOF.items()]),
        json.dumps(BOX_PROOF)[:-1] + ', "radius": 5.0}',
        json.dumps(BOX_PROOF).replace('"weights": [3', '"weights": [3, 1, 1], "weights": [3'),
        json.dumps(BOX_PROOF).replace(f'"radius": {BOX_PROOF["radius"]}', '"radius": NaN'),
        json.dumps(BOX_PROOF).replace(f'"radius": {BOX_PROOF["radius"]}', '"radius": Infinity'),
        json.dumps(BOX_PROOF).replace(f'"radius": {BOX_PROOF["radius"]}', '"radius": 1e999'),
        json.dumps(BOX_PROOF).replace(f'"radius": {BOX_PROOF["radius"]}', '"radius": 1' + 400 * "0"),
        json.dumps(BOX_PROOF).replace('"positive": 1', '"positive": NaN'),
        json.dumps(BOX_PROOF).replace('"positive": 1', '"positive": -Infinity'),
        json.dumps(BOX_PROOF).replace('"closest": ', '"closest": 1' + 4000 * "0"),
        json.dumps(BOX_PROOF).replace('"closest": ', '"closest": 1' + 100_000 * "0"),
        json.dumps(BOX_PROOF).replace('"weights": [5', '"weights": [1' + 20 * "0"),
        json.dumps(BOX_PROOF).replace('"weights": [5', '"weights": [9007199254740992'),
        json.dumps(BOX_PROOF).replace('"weights": [5', '"weights": [5.0'),
        json.dumps(BOX_PROOF).replace('"weights": [5', '"weights": [5, 2, 0], "extra": [5'),
    ],
    ids=lambda text: text[:30],
)
def test_malformed_files(text, tmp_path):
    path = tmp_path / "certificate.json"
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
    refused(changed(BOX_PROOF, "weights", [text, "0x2", 0]), *BOX, "integers")
    refused(changed(BOX_PROOF, "support", "weights", 0, text), *BOX, "integers")


def test_hexadecimal_integers():
    verify(changed(BOX_PROOF, "weights", ["0x5", "0x2", "-0x0"]), *BOX)
    verify(changed(BOX_PROOF, "weights", [hex(5 << 3000), hex(2 << 3000), 0]), *BOX)
    # For d = 2, Cramer's rule can require 3 (2098 + log2(3) / 2) bits.
    bits = 3 * 2099
    verify(changed(BOX_PROOF, "weights", [hex(5 << bits - 4), hex(2 << bits - 4), 0]), *BOX)
    refused(changed(BOX_PROOF, "weights", [hex(5 << bits + 30), hex(2 << bits + 30), 0]), *BOX, "integers")


# ---------------------------------------------------------------- where floats give up


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
def test_a_near_tie_that_only_exact_arithmetic_decides(form):
    """0.1 + 0.2 > 0.3 by 2^-55, as floats stand; and 0.3 rounded up is more."""
    for last, tie in ((0.3, 1), (math.nextafter(0.3, 1.0), -1)):
        X = np.array([[0.1, 0.2, last], [1.0, 1.0, 1.0]])
        y = [tie, 1]
        assert dot([1, 1, -1, 0], rows_of(X, [1, 1], 1, 0.0)[0]) == tie * Fraction(1, 2**55)
        verified = verify(separable(X, y, [1, 1, -1, 0]), form(X), y)
        assert verified.margin[0] == pytest.approx(2.0**-55 / math.sqrt(3))
        wrong = separable(X, y, [1, 1, -1, 0]) | head(X, [-tie, 1], "separable")
        refused(wrong, form(X), [-tie, 1], "do not separate")


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize("scale", [1.0, 2.0**-400, 2.0**-520, 2.0**-560, 2.0**-900, 2.0**500, 2.0**900])
def test_a_row_that_floats_put_on_the_wrong_side_of_the_closest(scale, form):
    """In floats, 0.1 + 0.2 - 0.3 = 2^-54; it is 2^-55, and so less than 1.5 2^-55."""
    for order in itertools.permutations([0.1, 0.2, -0.3]):
        X, y = np.array([[1.5 * 2.0**-55, 0.0, 0.0], order, [1.0, 1.0, 1.0]]) * scale, [1, 1, 1]
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
    X, y = np.array([[1.0], [0.0], [5.0], [0.0]]), [1, 1, 1, 1]
    for value in (X, X * 1.1):
        proof = separable(value[[0, 2]], [1, 1], [2, -1], constant=1.0) | head(value, y, "separable", constant=1.0)
        for form in (value, sp.csr_matrix(value)):
            refused(proof, form, y, "row 1 has")


def test_the_last_bit_is_kept_between_blocks(monkeypatch):
    """1 < 1 + 2^-60, on the scale of a row that does not see 2^-60."""
    X, y = np.array([[1.0, 2.0**-60], [1.0, 0.0]]), [1, 1]
    proof = separable(X, y, [1, 1, 0])
    before = module.Data.__init__

    def narrow(self, *arguments):
        before(self, *arguments)
        self.few = 1

    monkeypatch.setattr(module.Data, "__init__", narrow)
    verify(proof, X, y)
    refused(changed(proof, "closest", 0), X, y, "row 1 has")


def test_the_closest_of_rows_that_floats_cannot_tell_apart():
    X = np.array([[0.1, 0.2, -0.3, 1.0], [0.1, 0.2, -math.nextafter(0.3, 1.0), 1.0], [0.1, 0.2, -0.3, 1.0]])
    y, w = [1, 1, 1], [1, 1, 1, 1, 0]
    proof = separable(X, y, w)
    assert proof["closest"] == 1
    verify(proof, X, y)
    for row in (0, 2):
        refused(changed(proof, "closest", row), X, y, "closest")
    equal = separable(X[[0, 2]], y[:2], w)
    for row in (0, 1):
        verify(changed(equal, "closest", row), X[[0, 2]], y[:2])


@pytest.mark.parametrize("bits", [54, 64, 65, 200, 1000, 1500, 2090])
def test_weights_beyond_floats(bits):
    """w = (2^bits + 1, -2^bits): on (1, 1) it is 1, and no float sees that."""
    if bits <= 1000:  # else the margin is not a float
        X, y = np.array([[1.0, 1.0], [3.0, 2.0]]), [1, 1]
        proof = separable(X, y, [2**bits + 1, -(2**bits), 0])
        verify(proof, X, y)
        refused(proof | {"weights": [hex(2**bits - 1), hex(-(2**bits)), 0]}, X, y, "do not separate")
        refused(proof | {"weights": [hex(2**bits), hex(-(2**bits)), 0]}, X, y, "do not separate")
    X = np.array([[1.0, 1.0], [-1.0, -1.0], [0.0, -1.0]])
    verify(inseparable(X, [1] * 3, {0: 1, 1: 1}, [2**bits, -(2**bits), 0]), X, [1] * 3)
    refused(inseparable(X, [1] * 3, {0: 1, 1: 1}, [2**bits + 1, -(2**bits), 0]), X, [1] * 3, "row 1")


@pytest.mark.parametrize(
    "exponents", [(500, -500), (1023, -1074), (-1074, -1074), (1000, 1000), (-600, -600), (0, 511)]
)
def test_extreme_exponents(exponents):
    up, down = (2.0**e for e in exponents)
    X, y = np.array([[up, -down], [down, down], [up / 2, 0.0]]), [1, 1, 1]
    proof = {
        **head(X, y, "separable"),
        "weights": [hex(2**2000), 1, 0],
        "support": {"rows": [0, 1, 2], "weights": [1, 1, 1]},
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
    X, y = np.array([[2.0**1000], [-(2.0**-1000)]]), [1, 1]
    verify(inseparable(X, y, {0: 1, 1: 2**2000}), X, y)
    refused(inseparable(X, y, {0: 1, 1: 2**2000 + 1}), X, y, "sum to zero")
    refused(inseparable(X, y, {0: 1, 1: 2**2000}, constant=2.0**-1074), X, y, "sum to zero")
    X = np.array([[5e-324, 0.1], [-5e-324, -0.1]])
    verify(inseparable(X, y, {0: 1, 1: 1}), X, y)
    X[1, 0] = 0.0
    refused(inseparable(X, y, {0: 1, 1: 1}), X, y, "sum to zero")


def test_squares_that_overflow_or_underflow():
    for scale in (2.0**600, 2.0**-600, 2.0**-1060):
        X, y = np.array([[3.0, 4.0], [6.0, 8.0]]) * scale, [1, 1]
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
    X, y = np.array([[long[0] / 2, 0.0], long]), [1, 1]
    proof = separable(X, y, [1, 0, 0], constant=constant)
    assert proof["closest"] == 0
    assert radius < proof["radius"]
    for form in (X, sp.csr_matrix(X)):
        verify(proof, form, y)
        refused(changed(proof, "radius", radius), form, y, "row 1 is longer")


def test_a_radius_below_the_root_of_an_integer():
    for n in range(2, 70):
        X, y = np.zeros((2, 70)), [1, 1]
        X[0, 0] = X[1, :n] = 1.0
        proof = separable(X, y, [1] * 70 + [0])
        verify(proof, X, y)
        refused(changed(proof, "radius", math.nextafter(proof["radius"], 0.0)), X, y, "row 1 is longer")


def test_a_radius_below_the_norm():
    rng = np.random.default_rng(5)
    for _ in range(60):
        X, y = rng.random((2, 30)) + np.array([[0.0], [1.0]]), [1, 1]
        proof = separable(X, y, [1] * 30 + [0])
        verify(proof, X, y)
        refused(changed(proof, "radius", math.nextafter(proof["radius"], 0.0)), X, y, "row 1 is longer")


def test_weak_separators_that_floats_misjudge():
    tiny = 2.0**-55  # 0.1 + 0.2 - 0.3, exactly; twice that in floats
    for order in itertools.permutations([0.1, 0.2, -0.3, -tiny]):
        X, y = np.array([order, [-v for v in order]]), [1, 1]
        refused(inseparable(X, y, {0: 1, 1: 1}, [1, 1, 1, 1, 0]), X, y, "= 0 on every row")
    X, y = np.array([[1.0, -1.0, 0.0], [-1.0, 1.0, 0.0], [0.1, 0.2, -0.3]]), [1, 1, 1]
    assert verify(inseparable(X, y, {0: 1, 1: 1}, [1, 1, 1, 0]), X, y).weakly_separable
    X[2, 2] = -math.nextafter(0.3, 1.0)
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
    if min(dot(w, row) for row in rows_of(X, y, 1, 1.0)) <= 0:
        return
    try:
        proof = separable(X, y, w, {0: 1, 7: 3}, constant=1.0)
    except OverflowError:
        return
    assert verify(proof, X, y) == verify(proof, sp.csr_matrix(X), y)
    row = proof["closest"]
    y[row] = -y[row]
    refused(proof | head(X, y, "separable", constant=1.0), X, y, "do not separate")


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
        (BOX[0], np.array(BOX[1])[:, None]),
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


# ---------------------------------------------------------------- the checker itself


def test_it_is_short_and_stands_alone():
    source = Path(module.__file__).read_text()
    assert len(source.splitlines()) < 200
    names = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add(node.module)
    assert "numpy" in names
    assert names - {"numpy", "novikoff.float64"} <= sys.stdlib_module_names | {"concurrent.futures"}
