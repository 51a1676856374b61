"""All classes at once: a vector for each class, such that on every row that of its own has the largest product; or not.

A row i and a *rival* r, a label that it has not, are in Kesler's construction one row of k D coordinates: x_i in the
block of its own label, -x_i in that of r, and 0 elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from novikoff.certificates.claim import fields, labels, separability
from novikoff.certificates.claim.fields import Label, require
from novikoff.certificates.claim.head import Claim, Head, check_fields, head


@dataclass(frozen=True)
class RivalCombination:
    """Rows with a rival each, in lexicographic order, and the positive integer p that each is multiplied by."""

    rows: Sequence[int]
    rivals: Sequence[int]  # places among the labels
    weights: Sequence[int]


@dataclass(frozen=True)
class JointSeparableClaim(Claim):
    """W separates every row from every rival, and the best margin is between two numbers."""

    labels: tuple[Label, ...]
    combination: RivalCombination
    separator: Sequence[Sequence[int]]  # W, a vector for each label
    margin: tuple[float, float]  # lower, upper
    radius: float
    closest: tuple[int, int]  # row, rival

    kind: ClassVar[str] = "joint separable"


@dataclass(frozen=True)
class JointNotSeparableClaim(Claim):
    """The combination vanishes."""

    labels: tuple[Label, ...]
    combination: RivalCombination

    kind: ClassVar[str] = "joint not separable"


def separable(record: dict[str, Any]) -> JointSeparableClaim:
    check_fields(record, {"labels", "combination", "separator", "margin", "radius", "closest"})
    about = head(record, 2)
    named = labels.many(record["labels"])
    return JointSeparableClaim(
        about,
        labels=named,
        combination=_combination(record["combination"], about, len(named), most=about.n * (len(named) - 1)),
        separator=_separator(record["separator"], about, len(named)),
        margin=separability.margin(record["margin"]),
        radius=fields.positive_float(record["radius"], "radius"),
        closest=_closest(record["closest"], about.n, len(named)),
    )


def not_separable(record: dict[str, Any]) -> JointNotSeparableClaim:
    check_fields(record, {"labels", "combination"})
    about = head(record, 2)
    named = labels.many(record["labels"])
    # So many rows of k D coordinates, whose blocks add up to zero, are dependent.
    most = (len(named) - 1) * (about.d + 1) + 1
    combination = _combination(record["combination"], about, len(named), most=most)
    return JointNotSeparableClaim(about, labels=named, combination=combination)


def _combination(value: Any, about: Head, k: int, most: int) -> RivalCombination:
    """Of at most so many pairs of a row and a rival."""
    good = type(value) is dict and value.keys() == {"rows", "rivals", "weights"}
    require(good, "its combination is not rows, rivals and weights")
    rows, rivals = value["rows"], value["rivals"]
    good = type(rows) is list and all(type(i) is int and 0 <= i < about.n for i in rows)
    require(good, "a row of its combination is not in X")
    good = type(rivals) is list and all(type(r) is int and 0 <= r < k for r in rivals)
    require(good, "a rival of its combination is not one of its labels")
    pairs = list(zip(rows, rivals, strict=False))
    good = len(rows) == len(rivals) and pairs == sorted(set(pairs)) and 0 < len(pairs) <= most
    require(good, f"the rows and rivals of its combination are not 1 to {most} in increasing order")
    weights = fields.integers(value["weights"], len(rows), k * (about.d + 2), "the weights of its combination are")
    require(min(weights) > 0, "the weight of one of its rows is not positive")
    return RivalCombination(rows, rivals, weights)


def _separator(value: Any, about: Head, k: int) -> list[list[int]]:
    good = type(value) is list and len(value) == k
    require(good, f"its separator is not {k} vectors, one for each label")
    digits = k * (about.d + 2)
    return [fields.integers(w, about.width, digits, "a vector of its separator is") for w in value]


def _closest(value: Any, n: int, k: int) -> tuple[int, int]:
    good = type(value) is list and len(value) == 2
    require(good, "its closest is not a row and a rival")
    row, rival = value
    good = type(rival) is int and 0 <= rival < k
    require(good, "its closest rival is not one of its labels")
    return separability.closest(row, n), rival
