"""Mutations of certificates and of their data: what the checker accepts is what the plain one of `oracle` accepts.

python -m tests.certificates.mutate --count 1000000 --seed 0
"""

from __future__ import annotations

import argparse
import copy
import json
import math
import random
import sys
import time
from collections import Counter

import numpy as np

import novikoff as nk
from novikoff.certificates.claim import InvalidCertificate
from novikoff.certificates.verify import verify
from tests.certificates import oracle

LABELS = [[0, 1], [-1, 1], ["a", "b"], ["1", 1], [True, False], [2**53, 2**53 + 1], [2.0**53, 2**53 + 1], [0.5, 2, "x"]]
STRANGERS = [
    "nobody",
    7,
    2.5,
    "A",
    1,
    1.0,
    True,
    "1",
    2.0**53,
    2**53 + 1,
    0,
    "",
    None,
    [1, 0],
    math.nan,
    1e300,
    10**400,
]
ODDS = [
    None,
    True,
    False,
    0,
    1,
    -1,
    2,
    1.0,
    0.0,
    "0x1",
    "0x3",
    "-0x2",
    [],
    {},
    "x",
    2**53,
    2**63,
    "0x0",
    1e308,
    math.inf,
]

READINGS = [
    {"settings": {"label": "kind", "format": "csv", "header": True}, "skipped": 0, "filled": 0},
    {"settings": {"label": -1, "skip_bad": 3, "missing": "zero"}, "skipped": 2, "filled": 7},
    {"settings": {"weight": "w", "categorical": ["job", 3], "columns": ["a", "b"]}, "skipped": 0, "filled": 0},
    {
        "settings": {"delimiter": ";", "decimal": ",", "encoding": "cp1252", "drop": ["id", 3]},
        "skipped": 0,
        "filled": 0,
    },
    {"settings": {"zero_based": False, "width": 5, "missing": "column"}, "skipped": 0, "filled": 0},
    {
        "settings": {"positive": "yes"},
        "skipped": 0,
        "filled": 0,
        "columns": [
            {"name": "id", "kind": "number", "doubt": "ids"},
            {"name": "job", "kind": "text", "levels": 4},
            {"name": 3, "kind": "label"},
        ],
    },
    {"settings": {}, "skipped": 0, "filled": 0, "columns": [{"name": "", "kind": "index"}]},
]
COLUMNS = [
    {"name": "a", "kind": "truth"},
    {"name": -1, "kind": "left out", "doubt": "dates"},
    {"name": "a", "kind": "weight", "doubt": None},
    {"name": "a", "kind": "text"},
    {"name": "a", "kind": "text", "levels": 2**63},
    {"name": "a", "kind": "text", "levels": 2**63 - 1, "doubt": "numbers as text"},
    {"name": "a", "kind": "text", "levels": True},
    {"name": "a", "kind": "number", "levels": 1},
    {"name": "a", "kind": "number", "path": "/etc/passwd"},
    {"name": "x" * 1001, "kind": "number"},
    {"name": True, "kind": "number"},
    {"name": "a", "kind": ["text"]},
    {"name": "a"},
    {"kind": "number"},
    ["a", "number"],
    None,
]
SETTINGS = {
    "format": ["tsv", "npz", "exe", "CSV", "/etc/passwd", True, None],
    "label": ["", "x" * 1000, "x" * 1001, 0, -(2**31), 2**31, False, 1.0, ["a"], None],
    "positive": ["yes", "", "x" * 1000, "x" * 1001, 0, 1.5, True, math.nan, math.inf, 10**400, None, ["a"]],
    "weight": ["", "x" * 1000, "x" * 1001, 0, True, ["a"], None],
    "header": [True, False, 1, 0, "true", None],
    "zero_based": [True, False, 1, 0, "false", None],
    "missing": ["zero", "column", "error", 0, None, []],
    "delimiter": [";", "\t", "", ",,", 44, None, [";"]],
    "decimal": [".", ",", ";", "", 0, [","], None],
    "encoding": ["cp1252", "", "x" * 40, "x" * 41, 8, ["utf-8"], None],
    "drop": [["a"], [1, "a", "a"], [], "a", ["x" * 1001], [True], [2**31], ["a"] * 10_001, None],
    "categorical": [["a"], [1, "a", "a"], [], "a", ["x" * 1001], [True], [[1]], [2**31], {"a": 1}, ["a"] * 10_001],
    "columns": [["a"], ["a", "a"], [], "a", [1], ["x" * 1001], [None], [*map(str, range(10_001))]],
    "width": [1, 2**31 - 1, 2**31, 0, -1, True, 1.0, "1", None],
    "skip_bad": [1, 2**20, 2**20 + 1, 0, -1, True, 1.0, "1", None],
    "max_line": [2**60],
    "online": [True],
    "path": ["/etc/passwd"],
    "": [0],
}


class Case:
    """Data of a few rows, and a true certificate about them."""

    def __init__(self, rng: random.Random) -> None:
        self.constant = rng.choice([0.0, 1.0, 0.75, 2.0**-30])
        n, d = rng.randint(3, 6), rng.randint(1, 3)
        scale = rng.choice([1.0, 1.0, 0.1, 2.0**-600, 2.0**400])
        self.X = [[rng.randint(-3, 3) * scale for _ in range(d)] for _ in range(n)]
        labels = rng.choice(LABELS)
        self.y = [rng.choice(labels) for _ in range(n)]
        self.y[: len(labels)] = labels[:n]
        self.positive = rng.choice(labels)
        self.record = self._certified(rng)

    def _certified(self, rng: random.Random) -> dict:
        """By the library, for signs; then the labels are named by hand, since it wants labels that can be ordered."""
        signs = [1 if type(label) is type(self.positive) and label == self.positive else -1 for label in self.y]
        options = {"intercept_scaling": self.constant} if self.constant else {"fit_intercept": False}
        try:
            record = json.loads(nk.certify(self.X, signs, **options).to_json())
        except ValueError:  # scaled too far apart: the next one, then
            self.X = [[math.copysign(1.0, x) if x else 0.0 for x in row] for row in self.X]
            record = json.loads(nk.certify(self.X, signs, **options).to_json())
        others = []
        for label in self.y:
            if not any(type(label) is type(known) and label == known for known in [self.positive, *others]):
                others.append(label)
        record |= {"positive": self.positive, "against": others[0] if len(others) == 1 else others}
        return record | ({"reading": rng.choice(READINGS)} if rng.random() < 0.5 else {})


def in_format_1(record: dict, digest_1: str) -> dict:
    """The same claims; the digest is made in another way."""
    new = dict(record)
    origin = new["constant"] == "through the origin"
    shape = [new.pop("rows"), new.pop("columns")]
    old = {"format": "novikoff certificate 1", "verdict": new.pop("kind"), "shape": shape}
    new["digest"] = digest_1
    old["constant"] = "0x0.0p+0" if origin else new["constant"]
    combination, last = new.pop("combination"), [0] if origin else []
    old |= {"support": combination, "weights": new.pop("separator") + last} if "separator" in new else combination
    if "weak" in new:
        old["weak"] = new.pop("weak") + last
    return old | {name: new[name] for name in new if name not in ("format", "constant", "against", "reading")}


def leaves(value, path=()):
    """The paths to all values inside."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in inner:
        yield (*path, key)
        yield from leaves(item, (*path, key))


def other(old, rng: random.Random):
    """Something else in the place of a value."""
    options = list(ODDS)
    if isinstance(old, int) and not isinstance(old, bool):
        options += 2 * [old + 1, old - 1, -old, 2 * old, hex(old), float(old), str(old), old ^ 1]
    elif isinstance(old, float):
        options += 3 * [math.nextafter(old, math.inf), math.nextafter(old, 0.0), old / 2, old * 2, -old, old.hex()]
    elif isinstance(old, str):
        options += 2 * [old[:-1], old + "0", old.upper(), " " + old, f"0x0{old[2:]}", "-" + old, old[::-1]]
        options += ["through the origin", "0x1.0000000000000p+0", "0x1.0000000000000p-30", "separable", "not separable"]
    elif isinstance(old, list):
        options += 2 * [old[::-1], old[1:], old + old[:1], [*old, 0], old * 2, old[0] if old else None]
    elif isinstance(old, dict):
        options += [dict(reversed(old.items())), old | {"more": 1}, list(old.values())]
    return rng.choice(options)


def forged(rng: random.Random) -> dict:
    """How a file may have been read, or cannot have been."""
    reading = copy.deepcopy(rng.choice(READINGS))
    for name in rng.sample(list(SETTINGS), rng.randint(0, 2)):
        reading["settings"][name] = rng.choice(SETTINGS[name])
    if reading["settings"] and rng.random() < 0.3:
        reading["settings"].pop(rng.choice(list(reading["settings"])))
    if rng.random() < 0.3:
        reading[rng.choice(["skipped", "filled", "paths"])] = rng.choice([0, 1, 3, 4, 2**63 - 1, 2**63, -1, True, 1.0])
    if rng.random() < 0.3:
        reading["columns"] = rng.choice(
            [*([column] for column in COLUMNS), COLUMNS[:2], [], {}, None, COLUMNS[:1] * 10_001]
        )
    if rng.random() < 0.1:
        del reading[rng.choice(list(reading))]
    return reading


def mutated(case: Case, rng: random.Random) -> tuple[str, dict, list, list]:
    """What was done, and the certificate with the data that it is held against."""
    X, y, record = case.X, list(case.y), copy.deepcopy(case.record)
    if rng.random() < 0.3:
        record = in_format_1(record, _digest(X, y, record, 1))
    format = 1 if "verdict" in record else 2
    what = rng.choice(
        [
            *("nothing", "field", "field", "field", "two fields", "labels", "sides", "y", "y", "X", "drop", "sign"),
            *("reading", "reading"),
        ]
    )
    if what in ("field", "two fields"):
        for _ in range(1 + (what == "two fields")):
            *path, last = rng.choice(list(leaves(record)))
            inner = record
            for key in path:
                inner = inner[key]
            inner[last] = other(inner[last], rng)
    elif what == "labels":
        for name in rng.choice([["positive"], ["against"], ["positive", "against"]]):
            if name in record:
                record[name] = rng.choice([*STRANGERS, [rng.choice(y), rng.choice(STRANGERS)], *y])
    elif what == "sides" and "against" in record:
        against = record["against"]
        record["positive"], record["against"] = (
            (against[0], record["positive"])
            if isinstance(against, list)
            else (
                against,
                record["positive"],
            )
        )
    elif what == "y":
        for i in rng.sample(range(len(y)), rng.randint(1, 2)):
            y[i] = rng.choice([*y, rng.choice([v for v in STRANGERS if not isinstance(v, list | None.__class__)])])
    elif what == "X":
        X = [list(row) for row in X]
        row = rng.randrange(len(X))
        X[row][rng.randrange(len(X[row]))] += rng.choice([1.0, -0.5, 2.0**-50])
        if rng.random() < 0.8:  # so that the digest does not hide the rest
            record["digest"] = _digest(X, y, record, format)
    elif what == "reading":
        record["reading"] = forged(rng)
    elif what == "drop":
        del record[rng.choice(list(record))]
    elif what == "sign":  # every row on one side, the digest included
        sign = rng.choice([1, -1])
        record["digest"] = oracle.digest(X, [sign] * len(X), format)
        record["positive"] = rng.choice([*STRANGERS, *y])
        if "separator" in record and case.constant:
            record["separator"] = [0] * len(X[0]) + [sign]
    if what in ("labels", "sides", "y") and rng.random() < 0.7:
        record["digest"] = _digest(X, y, record, format)
    return what, record, X, y


def _digest(X, y, record, format) -> str:
    positive = record.get("positive")
    text = isinstance(positive, str)
    return oracle.digest(X, [1 if isinstance(v, str) == text and v == positive else -1 for v in y], format)


def accepted(record: dict, X: list, y: list, *, reference: bool) -> bool:
    """Does the library accept it?"""
    try:
        verify(record, np.array(X), y, reference=reference)
    except InvalidCertificate:
        return False
    return True


def run(count: int, seed: int, *, problems_of: int = 100) -> Counter:
    """So many mutations, a new problem after every `problems_of`; how many of each kind were accepted and refused."""
    rng = random.Random(seed)
    told: Counter = Counter()
    for k in range(count):
        if k % problems_of == 0:
            case = Case(rng)
        what, record, X, y = mutated(case, rng)
        expected = oracle.accepts(record, X, y)
        for reference in (False, True):
            if accepted(record, X, y, reference=reference) != expected:
                checker = "the reference" if reference else "the fast check"
                did = "refused" if expected else "accepted"
                raise AssertionError(f"{checker} {did}, wrongly: {record!r} about {X!r}, {y!r}")
        told[what, expected] += 1
    return told


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    start = time.perf_counter()
    told = run(given.count, given.seed)
    for (what, accepted), times in sorted(told.items()):
        print(f"{what:12} {'accepted' if accepted else 'refused':9} {times:10,}")
    print(f"{given.count:,} mutations from seed {given.seed}, in {time.perf_counter() - start:.0f} s: all agree")


if __name__ == "__main__":
    sys.exit(main())
