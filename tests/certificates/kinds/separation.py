"""Certificates of overlap and of quasi-complete separation: some to change, and what docs/certificate.md says of them.

`accepts` is in Fractions and plain loops; nothing of it is taken from the library.
"""

from __future__ import annotations

import json
from fractions import Fraction

from tests.certificates import oracle
from tests.certificates.oracle import No, require

HEAD = {"format", "kind", "positive", "against", "constant", "rows", "columns", "digest"}
QUASI = {"weak", "all_rows", "diverges", "undetermined", "others"}
PLACES = {61: 2**61 - 1, 89: 2**89 - 1}


def make(rng):
    """A true certificate of one of the two, its data, and what else `verify` is to be told: nothing."""
    import novikoff as nk

    while True:
        X, y = data(rng)
        proof = nk.certify(X, y, separation=True, fit_intercept=rng.random() < 0.75)
        if proof.separation in ("overlap", "quasi-complete"):
            return json.loads(proof.to_json()), X, y, {}


def data(rng):
    """A few rows of small integers, indicators, multiples of powers of two or floats; with both labels."""
    n, d = rng.randint(2, 12), rng.randint(1, 5)
    X = [[float(rng.randint(-2, 2)) for _ in range(d)] for _ in range(n)]
    style = rng.randrange(6)
    if style == 1:
        X = [[float(v > 0) for v in x] for x in X]
    if style == 2:
        X = [[float(j == rng.randrange(d)) for j in range(d)] for _ in X]
    if style == 3:
        X = [X[rng.randrange((n + 1) // 2)] for _ in X]
    if style == 4:
        X = [[v * 2.0 ** (40 * j - 60) for j, v in enumerate(x)] for x in X]
    if style == 5:
        X = [[*x, x[0] + 2 * x[-1], 0.0, rng.gauss(0, 1)] for x in X]
    y = [rng.random() < 0.5 for _ in X]
    y[0], y[-1] = True, False
    return X, y


def accepts(record, X, y, **extra):
    """Is every sentence of the format true of this object and these data?"""
    try:
        check(record, X, y)
    except No:
        return False
    return True


def check(record, X, y):
    require(type(record) is dict and record.get("format") == "novikoff certificate 2")
    require(record.get("kind") in ("overlap", "quasi-complete"))
    quasi = record["kind"] == "quasi-complete"
    own = {"combination", "span"} | (QUASI if quasi else set())
    require(record.keys() == HEAD | own | ({"reading"} & record.keys()))
    if "reading" in record:
        oracle._reading(record["reading"])
    a, n, d, D = _rows(record, X, y)
    zero = range(n)
    if quasi:
        u = oracle._integers(record["weak"], D, d)
        products = [oracle.dot(u, row) for row in a]
        require(min(products) >= 0 < max(products))
        zero = [i for i in range(n) if products[i] == 0]
    of_zero, span_rows = _span(record["span"], a, zero, d, D)
    _vanishes(record["combination"], a, span_rows, d)
    if quasi:
        _fates(record, a, {*zero}, of_zero, d, D)


def _rows(record, X, y):
    n, d = len(X), len(X[0])
    require(oracle._is_count(record["rows"]) and oracle._is_count(record["columns"]))
    require((record["rows"], record["columns"]) == (n, d))
    constant = oracle._constant(record["constant"])
    against = record["against"]
    others = against if type(against) is list else [against]
    require(all(oracle._is_label(label) for label in [record["positive"], *others]))
    require(type(against) is not list or len(against) >= 2)
    signs = oracle._signs(y, record["positive"], others)
    require(record["digest"] in (oracle.digest(X, signs), oracle.digest(X, signs, 1)))
    return oracle.rows_of(X, signs, constant), n, d, d + 1 if constant else d


def _vanishes(combination, a, span_rows, d):
    rows, p = oracle._combination(combination, len(a), d)
    require(len(rows) <= max(1, 2 * len(span_rows)))
    require({*span_rows} <= {*rows})
    require(not any(_sum(a, rows, p)))


def _sum(a, rows, p):
    return [sum((w * a[i][j] for i, w in zip(rows, p, strict=True)), Fraction(0)) for j in range(len(a[0]))]


def _span(span, a, spanned, d, D):
    """The kernel, as dense vectors, and the rows."""
    require(type(span) is dict and span.keys() == {"rows", "columns", "modulus", "kernel"})
    rows, columns = _numbers(span["rows"], len(a)), _numbers(span["columns"], D)
    require(len(rows) == len(columns))
    require(type(span["modulus"]) is int and span["modulus"] in PLACES)
    require(span["modulus"] == 61 or len(rows) <= 512)
    require(type(span["kernel"]) is list and len(rows) + len(span["kernel"]) == D)
    kernel = [_sparse(v, d, D) for v in span["kernel"]]
    first = [next(j for j in range(D) if v[j]) for v in kernel]
    require(first == sorted({*first}))
    require(all(oracle.dot(v, a[i]) == 0 for v in kernel for i in spanned))
    require(_determinant([[a[i][j] for j in columns] for i in rows], PLACES[span["modulus"]]) != 0)
    return kernel, rows


def _determinant(matrix, prime):
    """Modulo the prime, by elimination; each row over a power of two."""
    whole = []
    for row in matrix:
        common = max([x.denominator for x in row], default=1)
        whole.append([int(x * common) % prime for x in row])
    value = 1
    for k in range(len(whole)):
        pivot = next((i for i in range(k, len(whole)) if whole[i][k]), None)
        if pivot is None:
            return 0
        whole[k], whole[pivot] = whole[pivot], whole[k]
        value = value * whole[k][k] % prime
        for i in range(k + 1, len(whole)):
            factor = whole[i][k] * pow(whole[k][k], prime - 2, prime)
            whole[i] = [(x - factor * q) % prime for x, q in zip(whole[i], whole[k], strict=True)]
    return value


def _fates(record, a, zero, kernel, d, D):
    relations, _ = _span(record["all_rows"], a, range(len(a)), d, D)
    require(type(record["others"]) is list)
    others = [_sparse(v, d, D) for v in record["others"]]
    for t in others:
        require(min(oracle.dot(t, row) for row in a) >= 0)
    require(type(record["diverges"]) is list and type(record["undetermined"]) is list)
    diverging, open_ones = [], []
    for each in record["diverges"]:
        require(type(each) is dict and each.keys() == {"column", "scale", "rows", "weights"})
        j, m = each["column"], oracle._integer(each["scale"], d)
        diverging.append(j)
        require(type(j) is int and 0 <= j < D and m != 0)
        rows, p = oracle._combination({"rows": each["rows"], "weights": each["weights"]}, len(a), d)
        require(not zero & {*rows})
        rest = [-x for x in _sum(a, rows, p)]
        rest[j] += m
        require(all(oracle.dot(v, rest) == 0 for v in kernel))
    for each in record["undetermined"]:
        require(type(each) is dict and each.keys() == {"column", "other"})
        j, k = each["column"], each["other"]
        open_ones.append(j)
        require(type(j) is int and 0 <= j < D and type(k) is int and 0 <= k < len(others))
        require(oracle._integer(record["weak"][j], d) * others[k][j] < 0)
    require(diverging == sorted({*diverging}) and open_ones == sorted({*open_ones}))
    expected = [j for j in range(D) if any(v[j] for v in kernel) and not any(v[j] for v in relations)]
    require(sorted(diverging + open_ones) == expected)


def _sparse(v, d, D):
    require(type(v) is dict and v.keys() == {"columns", "values"})
    columns = _numbers(v["columns"], D)
    require(columns)
    values = oracle._integers(v["values"], len(columns), d)
    require(all(values))
    found = [0] * D
    for j, x in zip(columns, values, strict=True):
        found[j] = x
    return found


def _numbers(values, below):
    require(type(values) is list and all(type(i) is int and 0 <= i < below for i in values))
    require(values == sorted({*values}))
    return values
