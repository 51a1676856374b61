"""One-vs-one: certificates of the library, and whether docs/certificate.md accepts them."""

from __future__ import annotations

import itertools
import json

import novikoff as nk
from tests.certificates import oracle
from tests.certificates.kinds import classes
from tests.certificates.oracle import No, dot, require


def make(rng):
    X, y = classes.problem(rng)
    found = nk.certify(X, y, multiclass="one-vs-one", **classes.options(rng))
    return json.loads(found.to_json()), X, y, {}


def accepts(record, X, y):
    try:
        _check(record, X, y)
    except No:
        return False
    return True


def _check(record, X, y):
    require(type(record) is dict and record.get("kind") == "one-vs-one")
    place, constant, D = classes.about(record, {"pairs"}, X, y)
    labels, pairs = record["labels"], record["pairs"]
    expected = list(itertools.combinations(range(len(labels)), 2))
    require(type(pairs) is list and len(pairs) == len(expected))
    for pair, (a, b) in zip(pairs, expected, strict=True):
        require(type(pair) is dict and "positive" in pair and "against" in pair)
        require(oracle._equal(pair["against"], labels[a]) and oracle._equal(pair["positive"], labels[b]))
        signs = {i: 1 if k == b else -1 for i, k in enumerate(place) if k in (a, b)}
        rows = oracle.rows_of([X[i] for i in signs], [*signs.values()], constant)
        _pair(pair, dict(zip(signs, rows, strict=True)), D, len(X), len(X[0]))


def _pair(pair, rows, D, n, d):
    names = {"positive", "against", "kind", "combination"}
    kind = pair.get("kind")
    require(kind in ("separable", "not separable"))
    own = {"separator", "margin", "radius", "closest"} if kind == "separable" else {"weak"} & pair.keys()
    require(pair.keys() == names | own)
    which, p = oracle._combination(pair["combination"], n, d)
    require(all(i in rows for i in which))
    mixture = [sum(q * rows[i][j] for i, q in zip(which, p, strict=True)) for j in range(D)]
    if kind == "separable":
        require(type(pair["closest"]) is int and pair["closest"] in rows)
        claim = pair | {"closest": list(rows).index(pair["closest"])}
        oracle._separable(claim, [*rows.values()], _vector(pair["separator"], D, d), mixture, sum(p))
        return
    require(len(which) <= d + 2)
    require(not any(mixture))
    if "weak" in pair:
        products = [dot(_vector(pair["weak"], D, d), row) for row in rows.values()]
        require(min(products) >= 0 < max(products))


def _vector(value, D, d):
    """The entries that are not zero."""
    require(type(value) is dict and value.keys() == {"columns", "weights"})
    columns = value["columns"]
    require(type(columns) is list and all(type(j) is int and 0 <= j < D for j in columns))
    require(all(i < j for i, j in itertools.pairwise(columns)))
    weights = oracle._integers(value["weights"], len(columns), d)
    require(all(weights))
    out = [0] * D
    for j, x in zip(columns, weights, strict=True):
        out[j] = x
    return out
