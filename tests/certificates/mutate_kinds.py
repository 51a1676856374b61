"""Mutations of certificates of the other kinds: what is proved where nothing separates, and of many classes.

python -m tests.certificates.mutate_kinds --count 1000000 --seed 0 [--kind NAME]

Each module of `tests.certificates.kinds` makes true certificates of its kinds and has an oracle of its own; here they
are changed, and so are the data, and both checkers must say what the oracle says.
"""

from __future__ import annotations

import argparse
import copy
import importlib
import random
import sys
import time
from collections import Counter
from types import ModuleType
from typing import Any

import numpy as np

from novikoff.certificates.claim import InvalidCertificate
from novikoff.certificates.verify import verify
from tests.certificates import kinds, oracle
from tests.certificates.kinds import classes
from tests.certificates.mutate import leaves, other

PROBLEMS_OF = 50  # mutations of one problem

KINDS: dict[str, ModuleType] = {
    name: importlib.import_module(f"{kinds.__name__}.{name}")
    for name in ("separation", "soft_margin", "fewest_mistakes", "one_vs_one", "joint")
}


def mutated(record: dict, X: list, y: list, rng: random.Random, relative: dict) -> tuple[str, dict, list, list]:
    """What was done, and the certificate with the data that it is held against."""
    record, X, y = copy.deepcopy(record), [list(row) for row in X], list(y)
    what = rng.choice(
        ["nothing", *["field"] * 6, "two fields", *["number"] * 6, "drop", "add", "splice", "kind", "X", "y", "rows"]
    )
    if what in ("field", "two fields"):
        for _ in range(1 + (what == "two fields")):
            replace(record, rng.choice(list(leaves(record))), lambda old: other(old, rng))
    elif what == "number":  # one that stays an integer of its form: the mathematics must refuse it, not the format
        places = [path for path in leaves(record) if type(found(record, path)) is int and len(path) > 1]
        if places:
            replace(record, rng.choice(places), lambda old: old + rng.choice([1, -1, 2, -old, -2 * old, old]))
    elif what == "drop":
        *path, last = rng.choice(list(leaves(record)))
        del found(record, path)[last]
    elif what == "add":
        record[rng.choice(["more", *relative])] = copy.deepcopy(rng.choice(list(relative.values())))
    elif what == "splice":  # a part of a certificate about other data
        name = rng.choice(sorted(record.keys() & relative.keys() - {"digest"}))
        record[name] = copy.deepcopy(relative[name])
    elif what == "kind":
        record["kind"] = rng.choice(KIND_NAMES)
    elif what == "X":
        row = rng.randrange(len(X))
        X[row][rng.randrange(len(X[row]))] += rng.choice([1.0, -1.0, -0.5, 2.0**-50])
    elif what == "y":
        y[rng.randrange(len(y))] = rng.choice(y)
    elif what == "rows":
        i, j = rng.randrange(len(X)), rng.randrange(len(X))
        X[i], X[j], y[i], y[j] = X[j], X[i], y[j], y[i]
    if what in ("X", "y", "rows", "splice") and rng.random() < 0.9:  # so that the digest does not hide the rest
        record["digest"] = digest(record, X, y)
    return what, record, X, y


KIND_NAMES = ["separable", "not separable", "overlap", "quasi-complete", "soft margin", "fewest mistakes", "one-vs-one"]
KIND_NAMES += ["joint separable", "joint not separable", "nothing", 3]


def found(record: Any, path: Any) -> Any:
    for key in path:
        record = record[key]
    return record


def replace(record: Any, path: Any, change: Any) -> None:
    *path, last = path
    inner = found(record, path)
    inner[last] = change(inner[last])


def digest(record: dict, X: list, y: list) -> str:
    """That of the data, for the labels as the certificate names them."""
    labels = record.get("labels")
    if isinstance(labels, list):
        places = [next((k for k, label in enumerate(labels) if same(label, v)), 0) for v in y]
        return classes.digest(X, places)
    positive = record.get("positive")
    return oracle.digest(X, [1 if same(positive, v) else -1 for v in y])


def same(label: Any, value: Any) -> bool:
    return isinstance(label, str) == isinstance(value, str) and bool(label == value)


def accepted(record: dict, X: list, y: list, extra: dict, *, reference: bool) -> bool:
    """Does the library accept it?"""
    try:
        verify(record, np.array(X), y, reference=reference, **extra)
    except InvalidCertificate:
        return False
    return True


def run(name: str, count: int, seed: int) -> Counter:
    """So many mutations; how many of each sort were accepted and refused."""
    rng = random.Random(f"{name} {seed}")
    kind = KINDS[name]
    told: Counter = Counter()
    relative = kind.make(rng)[0]
    for k in range(count):
        if k % PROBLEMS_OF == 0:
            before = relative
            record, X, y, extra = kind.make(rng)
            relative = record
        what, changed, data, labels = mutated(record, X, y, rng, before)
        expected = kind.accepts(changed, data, labels, **extra)
        for reference in (False, True):
            if accepted(changed, data, labels, extra, reference=reference) != expected:
                checker = "the reference" if reference else "the fast check"
                did = "refused" if expected else "accepted"
                raise AssertionError(f"{checker} {did}, wrongly: {changed!r} about {data!r}, {labels!r}, {extra!r}")
        told[what, expected] += 1
    return told


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=10_000, help="of each module")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kind", choices=KINDS)
    given = parser.parse_args()
    for name in [given.kind] if given.kind else KINDS:
        start = time.perf_counter()
        told = run(name, given.count, given.seed)
        for (what, held), times in sorted(told.items()):
            print(f"{name:16} {what:12} {'accepted' if held else 'refused':9} {times:10,}")
        took = time.perf_counter() - start
        print(f"{given.count:,} mutations of {name} from seed {given.seed}, in {took:.0f} s: all agree")


if __name__ == "__main__":
    sys.exit(main())
