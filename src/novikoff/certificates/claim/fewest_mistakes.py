"""Between two numbers lies the fewest mistakes that a hyperplane makes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from novikoff.certificates.claim import fields
from novikoff.certificates.claim.fields import Combination, Sides, require
from novikoff.certificates.claim.head import Claim, check_fields, head

PLANE = 3  # coordinates, the constant among them, in which hyperplanes may be enumerated,
MOST_ROWS = 2**14  # and of how many rows: it takes their square


class Contradiction(NamedTuple):
    """Rows that cancel, which count ``numerator`` over the common denominator."""

    combination: Combination
    numerator: int


@dataclass(frozen=True)
class FewestMistakesClaim(Claim):
    """w makes at most upper mistakes, and no vector makes fewer than lower."""

    sides: Sides
    separator: Sequence[int]  # w
    mistakes: tuple[int, int]  # lower, upper
    contradictions: Sequence[Contradiction]
    denominator: int
    enumerated: bool  # lower is what is found among all hyperplanes of a plane

    kind: ClassVar[str] = "fewest mistakes"

    @property
    def rows(self) -> tuple[int, ...]:
        """Of all contradictions."""
        return tuple(sorted({i for each in self.contradictions for i in each.combination.rows}))


def fewest_mistakes(record: dict[str, Any]) -> FewestMistakesClaim:
    own = {"positive", "against", "separator", "mistakes", "contradictions", "denominator"}
    check_fields(record, own, frozenset({"enumerated"}))
    about = head(record, 2)
    if "enumerated" in record:
        require(record["enumerated"] is True, "its field enumerated is there, and is not true")
        require(about.width <= PLANE, f"hyperplanes of more than {PLANE} coordinates are not enumerated")
        require(about.n <= MOST_ROWS, f"hyperplanes of more than {MOST_ROWS} rows are not enumerated")
    return FewestMistakesClaim(
        about,
        sides=fields.sides(record["positive"], record["against"]),
        separator=fields.integers(record["separator"], about.width, about.d, "its separator is"),
        mistakes=_mistakes(record["mistakes"], about.n),
        contradictions=_contradictions(record["contradictions"], about.n, about.d),
        denominator=_positive(record["denominator"], about.d, "its denominator"),
        enumerated="enumerated" in record,
    )


def _mistakes(value: Any, n: int) -> tuple[int, int]:
    good = type(value) is list and len(value) == 2 and all(map(fields.is_count, value))
    require(good and value[0] <= value[1] <= n, f"its mistakes are not two numbers in order from 0 to {n}")
    return value[0], value[1]


def _contradictions(values: Any, n: int, d: int) -> list[Contradiction]:
    require(type(values) is list, "its contradictions are not a list")
    return [_contradiction(value, n, d) for value in values]


def _contradiction(value: Any, n: int, d: int) -> Contradiction:
    good = type(value) is dict and value.keys() == {"rows", "weights", "numerator"}
    require(good, "one of its contradictions is not rows, weights and a numerator")
    combined = fields.combination({name: value[name] for name in ("rows", "weights")}, n, d, most=d + 2)
    return Contradiction(combined, _positive(value["numerator"], d, "the numerator of a contradiction"))


def _positive(value: Any, d: int, what: str) -> int:
    (number,) = fields.integers([value], 1, d, f"{what} is")
    require(number > 0, f"{what} is not positive")
    return number
