"""Certificates of the fewest mistakes: true ones, and what docs/certificate.md says of them, in Fractions."""

from __future__ import annotations

import itertools
import json
import random

import novikoff as nk
from tests.certificates import oracle
from tests.certificates.oracle import No, require

FIELDS = {
    "format",
    "kind",
    "positive",
    "against",
    "constant",
    "rows",
    "columns",
    "digest",
    "separator",
    "mistakes",
    "contradictions",
    "denominator",
}


def make(rng: random.Random) -> tuple[dict, list[list[float]], list, dict]:
    """About a few rows, most of them of small integers, some the same, some zero or dependent."""
    n, d = rng.randint(2, 7), rng.randint(1, 3)
    constant = rng.random() < 0.6
    values = rng.choice([(-1, 0, 1), (-2, -1, 0, 1, 2), (0.1, 0.2, -0.3, 0.0), (1e300, -1e300, 0.0)])
    X = [[float(rng.choice(values)) for _ in range(d)] for _ in range(n)]
    if rng.random() < 0.3:
        X = [list(rng.choice(X[:3])) for _ in range(n)]
    if rng.random() < 0.2:
        X = [[rng.gauss(0, 1) for _ in range(d)] for _ in range(n)]
    y = [rng.choice([0, 1]) for _ in range(n)]
    y[0], y[-1] = 0, 1
    scale = 1e300 if max(map(abs, values)) > 1e299 else 1.0
    found = nk.fewest_mistakes(X, y, fit_intercept=constant, intercept_scaling=scale, max_seconds=None)
    record = json.loads(found.to_json())
    if d + constant <= 3 and rng.random() < 0.5:
        record["enumerated"] = True
    return record, X, y, {}


def accepts(record: dict, X: list[list[float]], y: list, **extra: object) -> bool:
    try:
        check(record, X, y)
    except No:
        return False
    return True


def check(record: dict, X: list[list[float]], y: list) -> None:
    require(type(record) is dict)
    require(record.keys() == FIELDS | ({"reading", "enumerated"} & record.keys()))
    require(record["format"] == "novikoff certificate 2")
    require(record["kind"] == "fewest mistakes")
    if "reading" in record:
        oracle._reading(record["reading"])
    a = rows(record, X, y)
    n, d = len(X), len(X[0])
    lower, upper = mistakes(record["mistakes"], n)
    w = oracle._integers(record["separator"], len(a[0]), d)
    require(sum(oracle.dot(w, row) <= 0 for row in a) <= upper)
    denominator = positive(record["denominator"], d)
    total = contradictions(record["contradictions"], a, d, denominator)
    if "enumerated" not in record:
        require(-(-total // denominator) >= lower)
        return
    require(record["enumerated"] is True)
    require(len(a[0]) <= 3)
    require(n <= 16_384)
    # No n - lower + 1 rows are all on their side of one hyperplane.
    if lower > 0:
        subsets = itertools.combinations(a, n - lower + 1)
        require(all(oracle.cancels(list(subset)) is not None for subset in subsets))


def rows(record: dict, X: list[list[float]], y: list) -> list[list]:
    """Those that the certificate is about, if it is about these data."""
    require(oracle._is_count(record["rows"]) and oracle._is_count(record["columns"]))
    require((record["rows"], record["columns"]) == (len(X), len(X[0])))
    constant = oracle._constant(record["constant"])
    positive, against = record["positive"], record["against"]
    others = against if type(against) is list else [against]
    require(all(oracle._is_label(label) for label in [positive, *others]))
    require(type(against) is not list or len(against) >= 2)
    signs = oracle._signs(y, positive, others)
    require(record["digest"] in (oracle.digest(X, signs), oracle.digest(X, signs, 1)))
    return oracle.rows_of(X, signs, constant)


def mistakes(value: object, n: int) -> list[int]:
    require(type(value) is list and len(value) == 2)
    require(all(oracle._is_count(count) for count in value))
    require(value[0] <= value[1] <= n)
    return value


def positive(value: object, d: int) -> int:
    require(type(value) in (int, str))
    number = oracle._integer(value, d)
    require(number > 0)
    return number


def contradictions(values: object, a: list[list], d: int, denominator: int) -> int:
    """The sum of their numerators."""
    require(type(values) is list)
    used = [0] * len(a)
    total = 0
    for value in values:
        require(type(value) is dict and value.keys() == {"rows", "weights", "numerator"})
        which, p = oracle._combination({"rows": value["rows"], "weights": value["weights"]}, len(a), d)
        require(len(which) <= d + 2)
        for column in range(len(a[0])):
            require(sum(q * a[i][column] for i, q in zip(which, p, strict=True)) == 0)
        numerator = positive(value["numerator"], d)
        total += numerator
        for i in which:
            used[i] += numerator
    require(max(used) <= denominator)
    return total
