"""What certificates of many classes have in common, in the words of docs/certificate.md; and data for them."""

from __future__ import annotations

import hashlib
import struct

from tests.certificates import oracle
from tests.certificates.oracle import require

HEAD = {"format", "kind", "labels", "constant", "rows", "columns", "digest"}
LABELS = [["a", "b", "c"], [0, 1, 2], [True, False, 2], [0.5, 2**53 + 1, 2.0**53], [3, 1, 2, 0]]


def problem(rng):
    """Small X and y of three or four labels: integers, floats, duplicates, zeros, dependent columns."""
    if rng.random() < 0.2:
        return cycle(rng)
    labels = rng.choice(LABELS)
    n, d = rng.randint(len(labels), 9), rng.randint(1, 4)
    kind = rng.random()
    if kind < 0.5:
        X = [[float(rng.randint(-3, 3)) for _ in range(d)] for _ in range(n)]
    elif kind < 0.8:
        X = [[rng.gauss(0, 1) for _ in range(d)] for _ in range(n)]
    else:
        scale = 2.0 ** rng.choice([-400, -30, 30, 400])
        X = [[scale * rng.randint(-2, 2) / 3 for _ in range(d)] for _ in range(n)]
    y = [*labels, *(rng.choice(labels) for _ in range(n - len(labels)))]
    rng.shuffle(y)
    if rng.random() < 0.5:  # one column tells the labels apart
        for x, label in zip(X, y, strict=True):
            x[0] = float(labels.index(label)) * 2 - 1
    if d > 1 and rng.random() < 0.5:
        for x, label in zip(X, y, strict=True):
            x[1] = float(labels.index(label) ** 2)
    if rng.random() < 0.3:
        i, j = rng.randrange(n), rng.randrange(n)
        X[i] = [*X[j]]
    return X, y


def cycle(rng):
    """Three segments in space that do not meet, so that every two have a plane between them; all at once have no W.

    a - b = b' - c = c' - a' = u: then a and b with each other as rivals, b' and c, and c' and a' cancel.
    """
    u, *starts = ([float(rng.randint(-9, 9)) for _ in range(3)] for _ in range(4))
    X, y = [], []
    for start, (here, there) in zip(starts, ((1, 0), (2, 1), (0, 2)), strict=True):
        X += [start, [p + q for p, q in zip(start, u, strict=True)]]
        y += [here, there]
    return X, y


def options(rng):
    return rng.choice([{}, {"fit_intercept": False}, {"intercept_scaling": 0.1}, {"gap": 0.5}])


def places(labels, y):
    """The place of each row's label; all labels occur, and no row has another."""
    require(type(labels) is list and len(labels) >= 3)
    require(all(oracle._is_label(label) for label in labels))
    for k, label in enumerate(labels):
        require(not any(oracle._equal(label, other) for other in labels[:k]))
        require(any(oracle._equal(label, other) for other in y))
    found = []
    for label in y:
        here = [k for k, known in enumerate(labels) if oracle._equal(label, known)]
        require(len(here) == 1)
        found.append(here[0])
    return found


def digest(X, place):
    """As of two classes, with the places of the labels in 32 bits for the signs."""
    blocks = range(0, len(X), 8192)
    leaves = b"".join(oracle._sha256(oracle._parts(X[b : b + 8192], "<I")) for b in blocks)
    head = struct.pack("<qqq", len(X), len(X[0]) if X else 0, 8192)
    matrix = oracle._sha256(b"novikoff data 2" + head + leaves)
    of_labels = b"".join(oracle._sha256(b"".join(struct.pack("<I", k) for k in place[b : b + 8192])) for b in blocks)
    return hashlib.sha256(matrix + of_labels).hexdigest()


def about(record, own, X, y):
    """The head, which all have: the places of the labels, the constant, and D."""
    require(type(record) is dict)
    require(record.get("format") == "novikoff certificate 2")
    require(record.keys() == HEAD | own | ({"reading"} & record.keys()))
    if "reading" in record:
        oracle._reading(record["reading"])
    n, d = len(X), len(X[0]) if X else 0
    require(oracle._is_count(record["rows"]) and oracle._is_count(record["columns"]))
    require((record["rows"], record["columns"]) == (n, d))
    constant = oracle._constant(record["constant"])
    place = places(record["labels"], y)
    require(record["digest"] == digest(X, place))
    return place, constant, d + 1 if constant else d
