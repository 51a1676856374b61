"""Soft margins: certificates to be mutated, and what docs/certificate.md says of them, in Fractions."""

from __future__ import annotations

import hashlib
import itertools
import json
import re
import struct
from fractions import Fraction

from novikoff import certify
from novikoff.certificates import SoftMargin
from tests.certificates import oracle
from tests.certificates.oracle import No, require

FIELDS = {"format", "kind", "positive", "against", "constant", "rows", "columns", "digest"}
OWN = {"loss", "C", "separator", "dual", "objective"}
LABELS = [[0, 1], ["a", "b"], [True, False], [0.5, 2]]


def make(rng):
    """A true certificate about small data, in which rows are repeated, zero or dependent now and then."""
    n, d = rng.randint(2, 7), rng.randint(1, 3)
    digits = rng.choice([0, 1, 3])
    X = [[float(round(rng.gauss(0, 2), digits)) for _ in range(d)] for _ in range(n)]
    for _ in range(rng.randint(0, 2)):
        X[rng.randrange(n)] = list(rng.choice([X[0], [0.0] * d]))
    labels = rng.choice(LABELS)
    y = [*labels, *(rng.choice(labels) for _ in range(n - 2))]
    rng.shuffle(y)
    extra = {}
    if rng.random() < 0.4:
        weights = [rng.choice([1.0, 2.0, 0.1, 0.0]) for _ in y]
        for label in labels:
            weights[y.index(label)] = 0.5
        extra["sample_weight"] = weights
    C = rng.choice([1.0, 0.3, 10.0])
    loss = rng.choice(["hinge", "squared_hinge"])
    proof = certify(X, y, C=C, loss=loss, fit_intercept=rng.random() < 0.7, **extra)
    assert isinstance(proof, SoftMargin), str(proof)
    return json.loads(proof.to_json()), X, y, extra


def accepts(record, X, y, sample_weight=None):
    try:
        check(record, X, y, sample_weight)
    except No:
        return False
    return True


def check(record, X, y, weights):
    n, d = len(X), len(X[0]) if X else 0
    require(type(record) is dict and record.get("format") == "novikoff certificate 2")
    require(record.get("kind") == "soft margin")
    require(record.keys() == FIELDS | OWN | ({"reading", "weighted"} & record.keys()))
    if "reading" in record:
        oracle._reading(record["reading"])
    positive, against = record["positive"], record["against"]
    others = against if type(against) is list else [against]
    require(all(oracle._is_label(label) for label in [positive, *others]))
    require(type(against) is not list or len(against) >= 2)
    require(oracle._is_count(record["rows"]) and oracle._is_count(record["columns"]))
    require((record["rows"], record["columns"]) == (n, d))
    constant = oracle._constant(record["constant"])
    signs = oracle._signs(y, positive, others)
    require(record["digest"] in (oracle.digest(X, signs), oracle.digest(X, signs, 1)))
    squared = record["loss"] == "squared_hinge"
    require(record["loss"] in ("hinge", "squared_hinge"))
    require(record["C"] != "through the origin")
    C = oracle._constant(record["C"])
    costs = [C * weight for weight in _weights(record, signs, weights)]
    a = oracle.rows_of(X, signs, constant)
    D = d + 1 if constant else d
    w = _dyadic(record["separator"], {"exponent", "integers"}, D, d)
    dual = record["dual"]
    require(type(dual) is dict and type(dual.get("rows")) is list and dual["rows"])
    rows = dual["rows"]
    require(all(type(i) is int and 0 <= i < n for i in rows))
    require(all(i < j for i, j in itertools.pairwise(rows)))
    alpha = _dyadic(dual, {"rows", "exponent", "integers"}, len(rows), d)
    require(min(alpha) > 0)
    ends = record["objective"]
    require(type(ends) is list and len(ends) == 2)
    lower, upper = map(oracle._float, ends)
    require(0 <= lower <= upper)
    for i, x in zip(rows, alpha, strict=True):
        require(costs[i] > 0 if squared else x <= costs[i])
    v = [sum((x * a[i][j] for i, x in zip(rows, alpha, strict=True)), Fraction(0)) for j in range(D)]
    value = sum(alpha) - oracle.dot(v, v) / 2
    if squared:
        value -= sum(x**2 / (4 * costs[i]) for i, x in zip(rows, alpha, strict=True))
    require(lower <= value)
    slacks = [max(Fraction(0), 1 - oracle.dot(w, row)) for row in a]
    losses = (cost * (slack**2 if squared else slack) for cost, slack in zip(costs, slacks, strict=True))
    require(oracle.dot(w, w) / 2 + sum(losses) <= upper)


def _weights(record, signs, weights):
    if "weighted" not in record:
        require(weights is None)
        return [Fraction(1)] * len(signs)
    require(type(record["weighted"]) is str and re.fullmatch("[0-9a-f]{64}", record["weighted"]))
    require(weights is not None and len(weights) == len(signs))
    weights = [float(weight) for weight in weights]
    require(all(0 <= weight < float("inf") for weight in weights))
    content = b"".join(struct.pack("<d", abs(weight)) for weight in weights)
    require(hashlib.sha256(content).hexdigest() == record["weighted"])
    require({s for s, weight in zip(signs, weights, strict=True) if weight} == {-1, 1})
    return [Fraction(weight) for weight in weights]


def _dyadic(value, fields, count, d):
    require(type(value) is dict and value.keys() == fields)
    exponent = value["exponent"]
    require(type(exponent) is int and -4096 <= exponent <= 4096)
    return [Fraction(x) * Fraction(2) ** exponent for x in oracle._integers(value["integers"], count, d)]
