"""All classes at once: certificates of the library, and whether docs/certificate.md accepts them."""

from __future__ import annotations

import itertools
import json
from fractions import Fraction

import novikoff as nk
from tests.certificates import oracle
from tests.certificates.kinds import classes
from tests.certificates.oracle import No, dot, require


def make(rng):
    X, y = classes.problem(rng)
    found = nk.certify(X, y, multiclass="joint", **classes.options(rng))
    return json.loads(found.to_json()), X, y, {}


def accepts(record, X, y):
    try:
        _check(record, X, y)
    except No:
        return False
    return True


def kesler(X, place, k, constant):
    """The rows of Kesler's construction, by example and rival."""
    rows = oracle.rows_of(X, [1] * len(X), constant)
    D = len(rows[0])
    zero = [Fraction(0)] * D
    found = {}
    for i, row in enumerate(rows):
        for r in range(k):
            if r != place[i]:
                blocks = [zero] * k
                blocks[place[i]], blocks[r] = row, [-x for x in row]
                found[i, r] = [x for block in blocks for x in block]
    return found


def _check(record, X, y):
    require(type(record) is dict)
    kind = record.get("kind")
    require(kind in ("joint separable", "joint not separable"))
    own = {"separator", "margin", "radius", "closest"} if kind == "joint separable" else set()
    place, constant, D = classes.about(record, {"combination"} | own, X, y)
    n, d, k = len(X), len(X[0]), len(record["labels"])
    rows = kesler(X, place, k, constant)
    which, p = _combination(record["combination"], rows, k, d)
    mixture = [sum(q * rows[v][j] for v, q in zip(which, p, strict=True)) for j in range(k * D)]
    if kind == "joint not separable":
        require(len(which) <= (k - 1) * (d + 1) + 1)
        require(not any(mixture))
        return
    W = record["separator"]
    require(type(W) is list and len(W) == k)
    w = [x for of_label in W for x in _integers(of_label, D, k, d)]
    _separable(record, rows, w, mixture, sum(p), oracle.rows_of(X, [1] * n, constant))


def _combination(combination, rows, k, d):
    require(type(combination) is dict and combination.keys() == {"rows", "rivals", "weights"})
    require(type(combination["rows"]) is list and type(combination["rivals"]) is list)
    require(len(combination["rows"]) == len(combination["rivals"]) > 0)
    which = [*zip(combination["rows"], combination["rivals"], strict=True)]
    require(all(type(i) is int and type(r) is int and (i, r) in rows for i, r in which))
    require(all(v < u for v, u in itertools.pairwise(which)))
    p = _integers(combination["weights"], len(which), k, d)
    require(min(p) > 0)
    return which, p


def _integers(values, count, k, d):
    """Of 1100 (k (d + 2) + 2) digits at most."""
    return oracle._integers(values, count, k * (d + 2))


def _separable(record, rows, w, mixture, total, examples):
    margin, closest = record["margin"], record["closest"]
    require(type(margin) is list and len(margin) == 2)
    lower, upper, radius = (oracle._float(x) for x in (*margin, record["radius"]))
    require(0 < lower <= upper)
    require(radius > 0)
    require(type(closest) is list and len(closest) == 2)
    require(all(type(x) is int for x in closest) and tuple(closest) in rows)
    products = {v: dot(w, row) for v, row in rows.items()}
    least = min(products.values())
    require(products[tuple(closest)] == least > 0)
    require(least**2 >= 2 * lower**2 * dot(w, w))
    require(dot(mixture, mixture) <= 2 * upper**2 * total**2)
    require(max(dot(row, row) for row in examples) <= radius**2)
