"""Not separable, and which of the two: quasi-complete separation, or overlap."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar

from novikoff.certificates.claim import fields
from novikoff.certificates.claim.fields import Combination, Sides, require
from novikoff.certificates.claim.head import Claim, Head, check_fields, head

MODULI = 61, 89  # the exponents of the primes 2^61 - 1 and 2^89 - 1
MOST_MODULO_LARGER = 512  # rows of a minor modulo the larger one, which no machine multiplies in a word

Sparse = Mapping[int, int]  # coordinates, increasing, and the integers there, which are not 0


@dataclass(frozen=True)
class Span:
    """The minor of these rows and columns is not 0; the kernel is orthogonal to all that the rows span."""

    rows: Sequence[int]
    columns: Sequence[int]
    modulus: int  # of the prime 2^modulus - 1
    kernel: Sequence[Sparse]

    @cached_property
    def touched(self) -> frozenset[int]:
        """The coordinates that are not 0 in some vector of the kernel."""
        return frozenset(j for v in self.kernel for j in v)


@dataclass(frozen=True)
class Divergence:
    """Rows outside Z whose sum with these weights is scale e_j, but for a combination of Z."""

    column: int  # j
    scale: int  # its sign is that of the infinity
    combination: Combination


@dataclass(frozen=True)
class OverlapClaim(Claim):
    """The rows of the combination span all rows."""

    sides: Sides
    combination: Combination
    span: Span  # of all rows

    kind: ClassVar[str] = "overlap"


@dataclass(frozen=True)
class QuasiCompleteClaim(Claim):
    """The weak separator moves every row that one can move, and what becomes of each coefficient."""

    sides: Sides
    combination: Combination
    weak: Sequence[int]  # u
    span: Span  # of Z, the rows with <u,a> = 0
    all_rows: Span
    diverges: Sequence[Divergence]
    undetermined: Mapping[int, int]  # column, and which of the others has the opposite sign there
    others: Sequence[Sparse]  # weak separators

    kind: ClassVar[str] = "quasi-complete"


def overlap(record: dict[str, Any]) -> OverlapClaim:
    check_fields(record, {"positive", "against", "combination", "span"})
    about = head(record, 2)
    combination, of_zero = _combination_and_span(record, about)
    return OverlapClaim(about, fields.sides(record["positive"], record["against"]), combination, of_zero)


def quasi_complete(record: dict[str, Any]) -> QuasiCompleteClaim:
    own = {"weak", "combination", "span", "all_rows", "diverges", "undetermined", "others"}
    check_fields(record, {"positive", "against"} | own)
    about = head(record, 2)
    combination, of_zero = _combination_and_span(record, about)
    others = _list(record["others"], "its other weak separators")
    return QuasiCompleteClaim(
        about,
        sides=fields.sides(record["positive"], record["against"]),
        combination=combination,
        weak=fields.integers(record["weak"], about.width, about.d, "its weak separator is"),
        span=of_zero,
        all_rows=_span(record["all_rows"], about, "the span of all rows"),
        diverges=_divergences(record["diverges"], about),
        undetermined=_undetermined(record["undetermined"], about, len(others)),
        others=[_sparse(v, about, "one of its other weak separators") for v in others],
    )


def _combination_and_span(record: dict[str, Any], about: Head) -> tuple[Combination, Span]:
    """At most 2 r rows, or one where r is 0; r of them are those of the span."""
    found = _span(record["span"], about, "its span")
    most = max(1, 2 * len(found.rows))
    combination = fields.combination(record["combination"], about.n, about.d, most)
    within = set(found.rows) <= set(combination.rows)
    require(within, "a row of its span is not in its combination")
    return combination, found


def _span(value: Any, about: Head, what: str) -> Span:
    good = type(value) is dict and value.keys() == {"rows", "columns", "modulus", "kernel"}
    require(good, f"{what} is not rows, columns, modulus and kernel")
    rows = _increasing(value["rows"], about.n, f"the rows of {what}")
    columns = _increasing(value["columns"], about.width, f"the columns of {what}")
    require(len(rows) == len(columns), f"{what} has not as many rows as columns")
    modulus = value["modulus"]
    require(type(modulus) is int and modulus in MODULI, f"the modulus of {what} is not 61 or 89")
    few = modulus == MODULI[0] or len(rows) <= MOST_MODULO_LARGER
    require(few, f"the minor of {what} has more than {MOST_MODULO_LARGER} rows, and is not modulo 2^{MODULI[0]} - 1")
    kernel = [_sparse(v, about, f"a vector of the kernel of {what}") for v in _list(value["kernel"], what)]
    require(len(rows) + len(kernel) == about.width, f"the rows and the kernel of {what} are not D together")
    ordered = all(min(u) < min(v) for u, v in pairwise(kernel))
    require(ordered, f"the kernel of {what} is not in echelon form")
    return Span(rows, columns, modulus, kernel)


def _divergences(values: Any, about: Head) -> list[Divergence]:
    what = "the columns that diverge"
    found = [_divergence(value, about) for value in _list(values, what)]
    _increasing([each.column for each in found], about.width, what)
    return found


def _divergence(value: Any, about: Head) -> Divergence:
    good = type(value) is dict and value.keys() == {"column", "scale", "rows", "weights"}
    require(good, "a column that diverges has not column, scale, rows and weights")
    scale = fields.integers([value["scale"]], 1, about.d, "the scale of a column that diverges is")[0]
    require(scale != 0, "the scale of a column that diverges is 0")
    part = {"rows": value["rows"], "weights": value["weights"]}
    return Divergence(value["column"], scale, fields.combination(part, about.n, about.d, most=about.n))


def _undetermined(values: Any, about: Head, others: int) -> dict[int, int]:
    what = "the columns that are not determined"
    pairs = _list(values, what)
    good = all(type(pair) is dict and pair.keys() == {"column", "other"} for pair in pairs)
    require(good, f"{what} are not columns, each with another weak separator")
    places = [pair["other"] for pair in pairs]
    good = all(type(k) is int and 0 <= k < others for k in places)
    require(good, f"{what} name a weak separator that is not there")
    columns = _increasing([pair["column"] for pair in pairs], about.width, what)
    return dict(zip(columns, places, strict=True))


def _sparse(value: Any, about: Head, what: str) -> Sparse:
    good = type(value) is dict and value.keys() == {"columns", "values"}
    require(good, f"{what} is not columns and values")
    columns = _increasing(value["columns"], about.width, f"the columns of {what}")
    require(columns, f"{what} is 0")
    values = fields.integers(value["values"], len(columns), about.d, f"the values of {what} are")
    require(all(values), f"{what} has a value that is 0")
    return dict(zip(columns, values, strict=True))


def _list(value: Any, what: str) -> list[Any]:
    require(type(value) is list, f"{what} are not a list")
    return list(value)


def _increasing(values: Any, below: int, what: str) -> list[int]:
    good = type(values) is list and all(type(i) is int and 0 <= i < below for i in values)
    require(good and all(i < j for i, j in pairwise(values)), f"{what} are not numbers below {below} that increase")
    return list(values)
