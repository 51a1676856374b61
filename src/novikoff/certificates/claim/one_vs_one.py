"""Every pair of labels by itself: separable, by what margin; or not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, islice
from operator import lt
from typing import Any, ClassVar

from novikoff.certificates.claim import fields, labels, separability
from novikoff.certificates.claim.fields import Combination, Label, Sides, require
from novikoff.certificates.claim.head import Claim, Head, check_fields, head
from novikoff.certificates.claim.separability import NotSeparableClaim, SeparableClaim

NAMES = {"positive", "against", "kind"}
SEPARABLE = NAMES | {"combination", "separator", "margin", "radius", "closest"}
NOT_SEPARABLE = NAMES | {"combination"}


@dataclass(frozen=True)
class Entries:
    """The entries of a vector that are not zero."""

    columns: Sequence[int]
    weights: Sequence[int]

    def dense(self, width: int) -> list[int]:
        """The vector itself."""
        out = [0] * width
        for j, x in zip(self.columns, self.weights, strict=True):
            out[j] = x
        return out


@dataclass(frozen=True)
class SeparablePair:
    """w separates the second label of the pair from the first, and the best margin is between two numbers."""

    positive: Label
    against: Label
    combination: Combination
    separator: Entries  # w
    margin: tuple[float, float]  # lower, upper
    radius: float
    closest: int

    kind: ClassVar[str] = SeparableClaim.kind


@dataclass(frozen=True)
class NotSeparablePair:
    """The combination vanishes."""

    positive: Label
    against: Label
    combination: Combination
    weak: Entries | None  # u

    kind: ClassVar[str] = NotSeparableClaim.kind


Pair = SeparablePair | NotSeparablePair


@dataclass(frozen=True)
class OneVsOneClaim(Claim):
    """What is so for each pair of labels, a before b: (a_0, a_1), (a_0, a_2), ..., (a_1, a_2), ..."""

    labels: tuple[Label, ...]
    pairs: tuple[Pair, ...]

    kind: ClassVar[str] = "one-vs-one"


def one_vs_one(record: dict[str, Any]) -> OneVsOneClaim:
    check_fields(record, {"labels", "pairs"})
    about = head(record, 2)
    named = labels.many(record["labels"])
    expected = list(combinations(named, 2))
    pairs = record["pairs"]
    good = type(pairs) is list and len(pairs) == len(expected)
    require(good, f"its pairs are not {len(expected)}, one for each two of its {len(named)} labels")
    read = [_pair(pair, of, about) for pair, of in zip(pairs, expected, strict=True)]
    return OneVsOneClaim(about, named, tuple(read))


def _pair(pair: Any, of: tuple[Label, Label], about: Head) -> Pair:
    require(type(pair) is dict, "one of its pairs is not an object")
    kind = pair.get("kind")
    good = kind in (SeparablePair.kind, NotSeparablePair.kind)
    require(good, f"the kind of a pair is not {SeparablePair.kind!r} or {NotSeparablePair.kind!r}")
    expected = SEPARABLE if kind == SeparablePair.kind else NOT_SEPARABLE | ({"weak"} & pair.keys())
    require(pair.keys() == expected, f"the fields of a pair are not {sorted(expected)}")
    against, positive = of
    named = all(map(fields.is_label, (pair["positive"], pair["against"])))
    in_order = named and (pair["against"], pair["positive"]) == of
    require(in_order, "its pairs are not those of its labels in order, the later one positive")
    if kind == SeparablePair.kind:
        return _separable(pair, positive, against, about)
    return NotSeparablePair(
        positive,
        against,
        combination=fields.combination(pair["combination"], about.n, about.d, most=about.d + 2),
        weak=_entries(pair["weak"], about, "its weak separator is") if "weak" in pair else None,
    )


def _separable(pair: dict[str, Any], positive: Label, against: Label, about: Head) -> SeparablePair:
    return SeparablePair(
        positive,
        against,
        combination=fields.combination(pair["combination"], about.n, about.d, most=about.n),
        separator=_entries(pair["separator"], about, "its separator is"),
        margin=separability.margin(pair["margin"]),
        radius=fields.positive_float(pair["radius"], "radius"),
        closest=separability.closest(pair["closest"], about.n),
    )


def _entries(value: Any, about: Head, what: str) -> Entries:
    good = type(value) is dict and value.keys() == {"columns", "weights"}
    require(good, f"{what} not columns and weights")
    columns = value["columns"]
    good = type(columns) is list and {*map(type, columns)} <= {int}
    good = good and all(map(lt, columns, islice(columns, 1, None)))
    require(good, f"{what} not of columns in increasing order")
    require(not columns or 0 <= columns[0] <= columns[-1] < about.width, f"{what} of a column that is not there")
    weights = fields.integers(value["weights"], len(columns), about.d, what)
    require(all(weights), f"{what} zero in a column that it names")
    return Entries(columns, weights)


def alone(pair: Pair, head: Head, combination: Combination, closest: int) -> SeparableClaim | NotSeparableClaim:
    """What is claimed of one pair, about its rows alone: with the numbers that the rows have among them."""
    sides = Sides(pair.positive, (pair.against,))
    if not isinstance(pair, SeparablePair):
        weak = None if pair.weak is None else pair.weak.dense(head.width)
        return NotSeparableClaim(head, sides, combination, weak)
    w = pair.separator.dense(head.width)
    return SeparableClaim(head, sides, combination, w, pair.margin, pair.radius, closest)
