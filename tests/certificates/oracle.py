"""What docs/certificate.md says, in Fractions and plain loops; and a simplex method, which needs no certificate.

Nothing here is taken from the library, nor from NumPy's arithmetic.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import math
import re
import struct
from fractions import Fraction

HEAD = {"format", "kind", "positive", "against", "constant", "rows", "columns", "digest", "combination"}
HEAD_1 = {"format", "verdict", "positive", "constant", "shape", "digest", "weights"}


class No(Exception):  # noqa: N818
    """The certificate is not one, or says what is not true."""


def require(condition):
    if not condition:
        raise No


# ---------------------------------------------------------------- the certificate


def accepts(certificate, X, y):
    """Is every sentence of the format true of this text (or object) and these data, lists of lists and a list?"""
    try:
        check(certificate, X, y)
    except No:
        return False
    return True


def check(certificate, X, y):
    record = json.loads(certificate, object_pairs_hook=_once) if isinstance(certificate, str) else certificate
    require(type(record) is dict)
    n, d = len(X), len(X[0]) if X else 0
    format = 1 if record.get("format") == "novikoff certificate 1" else 2
    claim = _first(record, y) if format == 1 else _second(record)
    separable = claim["kind"] == "separable"
    require(_is_count(claim["rows"]) and _is_count(claim["columns"]))
    require((claim["rows"], claim["columns"]) == (n, d))
    constant = _constant(claim["constant"])
    signs = _signs(y, claim["positive"], claim["against"])
    require(claim["digest"] in (digest(X, signs), digest(X, signs, 1)))
    a = rows_of(X, signs, constant)
    D = d + 1 if constant else d
    rows, p = _combination(claim["combination"], n, d)
    mixture = [sum(q * a[i][j] for i, q in zip(rows, p, strict=True) if a[i][j]) for j in range(D)]
    if separable:
        _separable(claim, a, _integers(claim["separator"], D, d), mixture, sum(p))
        return
    require(len(rows) <= d + 2)
    require(not any(mixture))
    if "weak" in claim:
        u = _integers(claim["weak"], D, d)
        products = [dot(u, row) for row in a]
        require(min(products) >= 0 < max(products))


def _second(record):
    require(record.get("format") == "novikoff certificate 2")
    kind = record.get("kind")
    require(kind in ("separable", "not separable"))
    own = {"separator", "margin", "radius", "closest"} if kind == "separable" else {"weak"} & record.keys()
    require(record.keys() == HEAD | own | ({"reading"} & record.keys()))
    if "reading" in record:
        _reading(record["reading"])
    positive, against = record["positive"], record["against"]
    others = against if type(against) is list else [against]
    require(all(_is_label(label) for label in [positive, *others]))
    require(type(against) is not list or len(against) >= 2)
    return record | {"against": others}


def _reading(reading):
    require(type(reading) is dict)
    require(sorted({*reading, "columns"}) == ["columns", "filled", "settings", "skipped"])
    settings, skipped, filled = reading["settings"], reading["skipped"], reading["filled"]
    require(type(settings) is dict and (settings or "columns" in reading))
    if "columns" in reading:
        require(type(reading["columns"]) is list and 1 <= len(reading["columns"]) <= 10_000)
        for column in reading["columns"]:
            _column(column)
    for name, value in settings.items():
        if name == "format":
            require(
                type(value) is str
                and value in ["svmlight", "vw", "csv", "tsv", "jsonl", "parquet", "arrow", "npy", "npz", "idx", "arff"]
            )
        elif name == "label":
            require(_is_column(value))
        elif name == "positive":
            require(_is_label(value) and (type(value) is not str or len(value) <= 1000))
        elif name == "weight":
            require(type(value) is str and len(value) <= 1000)
        elif name in ("zero_based", "header"):
            require(value is True or value is False)
        elif name == "missing":
            require(value in ("zero", "column"))
        elif name == "delimiter":
            require(type(value) is str and len(value) == 1)
        elif name == "decimal":
            require(value in [".", ","])
        elif name == "encoding":
            require(type(value) is str and 1 <= len(value) <= 40)
        elif name in ("categorical", "drop", "columns"):
            require(type(value) is list and 1 <= len(value) <= 10_000)
            require(all(_is_column(column) for column in value))
            if name == "columns":
                require(all(type(column) is str for column in value) and len({*value}) == len(value))
        elif name == "width":
            require(type(value) is int and 1 <= value <= 2**31 - 1)
        else:
            require(name == "skip_bad" and type(value) is int and 1 <= value <= 2**20)
    require(_is_count(skipped) and _is_count(filled))
    require(skipped <= settings["skip_bad"] if "skip_bad" in settings else skipped == 0)
    require(filled == 0 or "missing" in settings)


def _column(column):
    require(type(column) is dict and "name" in column and _is_column(column["name"]))
    kinds = ["number", "truth", "text", "label", "weight", "index", "left out"]
    require("kind" in column and column["kind"] in kinds)
    others = column.keys() - {"name", "kind"}
    if column["kind"] == "text":
        require("levels" in others and _is_count(column["levels"]))
        others -= {"levels"}
    require(others <= {"doubt"})
    if others:
        require(column["doubt"] in ["ids", "dates", "levels", "numbers as text"])


def _is_column(value):
    return len(value) <= 1000 if type(value) is str else type(value) is int and -(2**31) <= value <= 2**31 - 1


def _first(record, y):
    verdict = record.get("verdict")
    require(verdict in ("separable", "not separable"))
    separable = verdict == "separable"
    own = {"support", "margin", "radius", "closest"} if separable else {"rows"} | ({"weak"} & record.keys())
    require(record.keys() == HEAD_1 | own)
    require(_is_label(record["positive"]))
    shape = record["shape"]
    require(type(shape) is list and len(shape) == 2)
    claim = {"kind": verdict, "positive": record["positive"], "digest": record["digest"]}
    claim["rows"], claim["columns"] = shape
    others = []
    for label in y:
        if not any(_equal(label, known) for known in [record["positive"], *others]):
            others.append(label)
    require(others and all(_is_label(label) for label in others))
    claim["against"] = others
    origin = record["constant"] == "0x0.0p+0"
    require(record["constant"] != "through the origin")
    claim["constant"] = "through the origin" if origin else record["constant"]
    claim["combination"] = record["support"] if separable else {"rows": record["rows"], "weights": record["weights"]}
    for new, old in {"separator": "weights" if separable else "", "weak": "" if separable else "weak"}.items():
        if old in record:
            vector = record[old]
            require(type(vector) is list and vector)
            if origin:
                require(_integers(vector[-1:], 1, 0) == [0])
                vector = vector[:-1]
            claim[new] = vector
    return claim | {name: record[name] for name in own & {"margin", "radius", "closest"}}


def _separable(claim, a, w, mixture, total):
    margin, radius, closest = claim["margin"], claim["radius"], claim["closest"]
    require(type(margin) is list and len(margin) == 2)
    lower, upper, radius = (_float(x) for x in (*margin, radius))
    require(0 < lower <= upper)
    require(radius > 0)
    products = [dot(w, row) for row in a]
    require(type(closest) is int and 0 <= closest < len(a))
    require(products[closest] == min(products) > 0)
    require(min(products) ** 2 >= lower**2 * dot(w, w))
    require(dot(mixture, mixture) <= upper**2 * total**2)
    require(max(dot(row, row) for row in a) <= radius**2)


def _combination(combination, n, d):
    require(type(combination) is dict and combination.keys() == {"rows", "weights"})
    rows = combination["rows"]
    require(type(rows) is list and rows)
    require(all(type(i) is int and 0 <= i < n for i in rows))
    require(all(i < j for i, j in itertools.pairwise(rows)))
    p = _integers(combination["weights"], len(rows), d)
    require(min(p) > 0)
    return rows, p


def _constant(text):
    if text == "through the origin":
        return 0
    require(type(text) is str and re.fullmatch(r"0x[01]\.[0-9a-f]+p[+-][0-9]{1,4}", text))
    try:
        value = float.fromhex(text)
    except OverflowError:
        raise No from None
    require(0 < value < math.inf and value.hex() == text)
    return Fraction(value)


def _integers(values, count, d):
    require(type(values) is list and len(values) == count)
    return [_integer(value, d) for value in values]


def _integer(value, d):
    if type(value) is int:
        require(-(2**53) < value < 2**53)
        return value
    require(type(value) is str and re.fullmatch("-?0x[0-9a-f]+", value))
    require(len(value.removeprefix("-")) - 2 <= 1100 * (d + 2))
    return int(value, 16)


def _float(value):
    require(type(value) in (int, float) and abs(value) <= 2**1024 - 2**971)
    require(Fraction(float(value)) == Fraction(value))
    return Fraction(value)


def _once(items):
    require(len(dict(items)) == len(items))
    return dict(items)


def _is_count(value):
    return type(value) is int and 0 <= value < 2**63


# ---------------------------------------------------------------- labels, rows, digest


def _is_label(label):
    if type(label) in (int, float):
        return abs(label) < 2**1024
    return type(label) in (str, bool)


def _equal(one, other):
    """Exactly: as rationals, or as text."""
    if isinstance(one, str) or isinstance(other, str):
        return isinstance(one, str) and isinstance(other, str) and one == other
    return _is_label(one) and _is_label(other) and Fraction(one) == Fraction(other)


def _signs(y, positive, against):
    labels = [positive, *against]
    for k, label in enumerate(labels):
        require(not any(_equal(label, other) for other in labels[:k]))
        require(any(_equal(label, other) for other in y))
    signs = []
    for label in y:
        require(any(_equal(label, other) for other in labels))
        signs.append(1 if _equal(label, positive) else -1)
    return signs


ZERO = Fraction(0)


def rows_of(X, signs, constant):
    """The rows a_i; a constant of 0 is not there."""
    last = [Fraction(constant)] if constant else []
    return [[s * Fraction(v) if v else ZERO for v in [*x, *last]] for s, x in zip(signs, X, strict=True)]


def dot(u, v):
    return sum((a * b for a, b in zip(u, v, strict=True) if a and b), ZERO)


def digest(X, signs, format=2):
    head = struct.pack("<qq", len(X), len(X[0]) if X else 0)
    if format == 1:
        return _sha256(b"novikoff data 1" + head + _parts(X, "<q") + _sha256(_signs_as_bytes(signs))).hex()
    blocks = range(0, len(X), 8192)
    leaves = b"".join(_sha256(_parts(X[b : b + 8192], "<I")) for b in blocks)
    matrix = _sha256(b"novikoff data 2" + head + struct.pack("<q", 8192) + leaves)
    return _sha256(matrix + b"".join(_sha256(_signs_as_bytes(signs[b : b + 8192])) for b in blocks)).hex()


def _parts(X, count):
    counts = b"".join(struct.pack(count, sum(v != 0 for v in x)) for x in X)
    columns = b"".join(struct.pack("<I", j) for x in X for j, v in enumerate(x) if v != 0)
    values = b"".join(struct.pack("<d", v) for x in X for v in x if v != 0)
    return b"".join(map(_sha256, (counts, columns, values)))


def _signs_as_bytes(signs):
    return b"".join(struct.pack("<b", s) for s in signs)


def _sha256(data):
    return hashlib.sha256(data).digest()


# ---------------------------------------------------------------- the verdict, by the simplex method


def cancels(a):
    """Weights p >= 0, sum 1, with sum p a = 0; or None, if some w has <w,a> > 0 for all (Gordan 1873).

    Phase one of the simplex method in Fractions, with Bland's rule, so it ends: minimise the sum of artificial
    variables in  sum p a = 0, sum p = 1.
    """
    n, D = len(a), len(a[0])
    table = [[Fraction(a[i][j]) for i in range(n)] + [Fraction(0)] for j in range(D)]
    table.append([Fraction(1)] * (n + 1))
    basis = [None] * (D + 1)  # artificial variables, which never come back
    cost = [sum(column) for column in zip(*table, strict=True)]
    while True:
        enter = next((k for k in range(n) if cost[k] > 0), None)
        if enter is None:
            break
        ratios = [
            (row[-1] / row[enter], -1 if basis[r] is None else basis[r], r)
            for r, row in enumerate(table)
            if row[enter] > 0
        ]
        leave = min(ratios)[2]
        pivot = [v / table[leave][enter] for v in table[leave]]
        table[leave], basis[leave] = pivot, enter
        for r, row in enumerate(table):
            if r != leave and row[enter]:
                table[r] = [v - row[enter] * q for v, q in zip(row, pivot, strict=True)]
        cost = [v - cost[enter] * q for v, q in zip(cost, pivot, strict=True)]
    if cost[-1] != 0:
        return None
    p = [Fraction(0)] * n
    for r, k in enumerate(basis):
        if k is not None:
            p[k] = table[r][-1]
    assert min(p) >= 0
    assert sum(p) == 1
    assert not any(dot(p, column) for column in zip(*a, strict=True))
    return p
