"""A soft margin whose optimum lies between two numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from novikoff.certificates.claim import fields
from novikoff.certificates.claim.fields import Sides, require
from novikoff.certificates.claim.head import DIGEST, Claim, check_fields, head

LOSSES = "hinge", "squared_hinge"
MOST_EXPONENT = 2**12  # in size, of the power of two that a list of integers is multiplied by
MOST_BITS = 2**13  # of an integer: ||w||^2 / 2 and D(alpha) of larger ones are outside the floats, or below 0


@dataclass(frozen=True)
class Dyadic:
    """The numbers integers * 2^exponent."""

    exponent: int
    integers: Sequence[int]


@dataclass(frozen=True)
class SoftMarginClaim(Claim):
    """No w has an objective below the lower end, and the separator has one of at most the upper end."""

    sides: Sides
    loss: str
    C: float
    weighted: str | None  # the SHA-256 of the weights of the rows; None: each is 1
    separator: Dyadic  # w
    rows: Sequence[int]  # where alpha > 0, increasing
    alpha: Dyadic
    objective: tuple[float, float]  # lower, upper

    kind: ClassVar[str] = "soft margin"


def soft_margin(record: dict[str, Any]) -> SoftMarginClaim:
    own = {"positive", "against", "loss", "C", "separator", "dual", "objective"}
    check_fields(record, own, frozenset({"weighted"}))
    about = head(record, 2)
    d = about.d
    loss = record["loss"]
    require(type(loss) is str and loss in LOSSES, f"its loss is not one of {', '.join(map(repr, LOSSES))}")
    require(fields.is_positive_hex(record["C"]), "its C is not a float.hex() > 0")
    separator = record["separator"]
    good = type(separator) is dict and separator.keys() == {"exponent", "integers"}
    require(good, "its separator is not an exponent and integers")
    rows, alpha = _dual(record["dual"], about.n, d)
    return SoftMarginClaim(
        about,
        sides=fields.sides(record["positive"], record["against"]),
        loss=loss,
        C=float.fromhex(record["C"]),
        weighted=_weighted(record["weighted"]) if "weighted" in record else None,
        separator=_dyadic(separator, about.width, d, "its separator is"),
        rows=rows,
        alpha=alpha,
        objective=_objective(record["objective"]),
    )


def _weighted(digest: Any) -> str:
    good = type(digest) is str and DIGEST.fullmatch(digest)
    require(good, "the digest of its weights is not 64 hexadecimal digits")
    return str(digest)


def _dyadic(value: dict[str, Any], count: int, d: int, what: str) -> Dyadic:
    exponent = value["exponent"]
    good = type(exponent) is int and abs(exponent) <= MOST_EXPONENT
    require(good, f"{what} not integers with an exponent from -{MOST_EXPONENT} to {MOST_EXPONENT}")
    found = fields.integers(value["integers"], count, d, what)
    require(all(x.bit_length() <= MOST_BITS for x in found), f"{what} not below 2^{MOST_BITS} in size")
    return Dyadic(exponent, found)


def _dual(value: Any, n: int, d: int) -> tuple[Sequence[int], Dyadic]:
    good = type(value) is dict and value.keys() == {"rows", "exponent", "integers"}
    require(good, "its dual is not rows, an exponent and integers")
    rows = value["rows"]
    good = type(rows) is list and all(type(i) is int and 0 <= i < n for i in rows)
    require(good, "a row of its dual is not in X")
    require(rows and rows == sorted(set(rows)), "the rows of its dual are not at least one, in increasing order")
    alpha = _dyadic(value, len(rows), d, "the integers of its dual are")
    require(min(alpha.integers) > 0, "an integer of its dual is not positive")
    return rows, alpha


def _objective(ends: Any) -> tuple[float, float]:
    require(type(ends) is list and len(ends) == 2, "its objective is not two numbers")
    lower, upper = ends
    for end in ends:
        good = type(end) in (int, float) and 0 <= end <= fields.LARGEST_FLOAT and float(end) == end
        require(good, "an end of its objective is not a float64 >= 0")
    require(lower <= upper, "the two ends of its objective are not in order")
    return lower + 0.0, upper + 0.0  # a zero has no sign
