"""Separable, by what margin; or not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from novikoff.certificates.claim import fields
from novikoff.certificates.claim.fields import Combination, Sides, require
from novikoff.certificates.claim.head import Claim, check_fields, head


@dataclass(frozen=True)
class SeparableClaim(Claim):
    """w separates, and the best margin is between two numbers."""

    sides: Sides
    combination: Combination
    separator: Sequence[int]  # w
    margin: tuple[float, float]  # lower, upper
    radius: float
    closest: int

    kind: ClassVar[str] = "separable"


@dataclass(frozen=True)
class NotSeparableClaim(Claim):
    """The combination vanishes."""

    sides: Sides
    combination: Combination
    weak: Sequence[int] | None  # u

    kind: ClassVar[str] = "not separable"


def separable(record: dict[str, Any], version: int = 2, sides: Sides | None = None) -> SeparableClaim:
    check_fields(record, {"positive", "against", "combination", "separator", "margin", "radius", "closest"})
    about = head(record, version)
    n, d = about.n, about.d
    return SeparableClaim(
        about,
        sides=sides or fields.sides(record["positive"], record["against"]),
        combination=fields.combination(record["combination"], n, d, most=n),
        separator=fields.integers(record["separator"], about.width, d, "its separator is"),
        margin=margin(record["margin"]),
        radius=fields.positive_float(record["radius"], "radius"),
        closest=closest(record["closest"], n),
    )


def not_separable(record: dict[str, Any], version: int = 2, sides: Sides | None = None) -> NotSeparableClaim:
    check_fields(record, {"positive", "against", "combination"}, frozenset({"weak"}))
    about = head(record, version)
    n, d = about.n, about.d
    weak = fields.integers(record["weak"], about.width, d, "its weak separator is") if "weak" in record else None
    return NotSeparableClaim(
        about,
        sides=sides or fields.sides(record["positive"], record["against"]),
        combination=fields.combination(record["combination"], n, d, most=d + 2),
        weak=weak,
    )


def margin(margin: Any) -> tuple[float, float]:
    require(type(margin) is list and len(margin) == 2, "its margin is not two numbers")
    lower = fields.positive_float(margin[0], "margin")
    upper = fields.positive_float(margin[1], "margin")
    require(lower <= upper, "the two ends of its margin are not in order")
    return lower, upper


def closest(row: Any, n: int) -> int:
    require(type(row) is int and 0 <= row < n, "its closest row is not in X")
    return int(row)
