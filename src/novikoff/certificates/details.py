"""Quasi-complete separation or overlap, as a proof holds it: for the file, and in a statistician's words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from novikoff.theory.exact import nearest
from novikoff.words import agreeing, counted, listed

Sparse = dict[int, int]  # an integer vector: its coordinates that are not 0, increasing
Name = Callable[[int], str]  # of a column
Number = Callable[[int], int | str]  # as JSON has it

SHOWN = 6  # columns or relations that are named in a sentence

FINITE, DEPENDENT, OPEN = "finite", "dependent", "not determined"
UP, DOWN = "+infinity", "-infinity"


@dataclass(frozen=True)
class Span:
    """Rows and columns whose minor is not zero modulo 2^modulus - 1, and the vectors orthogonal to what they span."""

    rows: tuple[int, ...]
    columns: tuple[int, ...]
    modulus: int
    kernel: tuple[Sparse, ...]  # the first coordinate of each is beyond that of the one before

    def record(self, number: Number) -> dict[str, Any]:
        return {
            "rows": list(self.rows),
            "columns": list(self.columns),
            "modulus": self.modulus,
            "kernel": [_record(v, number) for v in self.kernel],
        }


@dataclass(frozen=True)
class Diverging:
    """scale e_j - sum weights a is in the span of Z: the coefficient goes to infinity with the sign of the scale."""

    column: int
    scale: int
    rows: tuple[int, ...]
    weights: tuple[int, ...]


@dataclass(frozen=True)
class Fates:
    """What becomes of the coefficients that neither converge nor are left open by dependent columns."""

    weak: Sparse  # moves every row outside Z
    diverges: tuple[Diverging, ...]
    undetermined: tuple[tuple[int, int], ...]  # columns, and which of the others has the opposite sign of `weak` there
    others: tuple[Sparse, ...]  # weak separators
    needed: tuple[int, ...]  # columns that every weak separator needs


@dataclass(frozen=True)
class Detail:
    """What is proved beyond "not separable"."""

    width: int  # D
    span: Span  # of Z, the rows that no weak separator moves
    all_rows: Span
    moved: int  # rows outside Z
    fates: Fates | None  # None: Z is all rows

    @property
    def kind(self) -> str:
        return "overlap" if self.fates is None else "quasi-complete"

    @cached_property
    def weak(self) -> tuple[int, ...] | None:
        """The weak separator, with all its coordinates."""
        return None if self.fates is None else tuple(self.fates.weak.get(j, 0) for j in range(self.width))

    @cached_property
    def coefficients(self) -> tuple[str, ...]:
        """What becomes of each, towards the supremum of the likelihood."""
        dependent = {j for v in self.all_rows.kernel for j in v}
        found = [DEPENDENT if j in dependent else FINITE for j in range(self.width)]
        if self.fates is not None:
            for column in self.fates.diverges:
                found[column.column] = UP if column.scale > 0 else DOWN
            for j, _ in self.fates.undetermined:
                found[j] = OPEN
        return tuple(found)

    def claims(self, number: Number) -> dict[str, Any]:
        """What the certificate says beside what it is about, and the combination."""
        if self.fates is None:
            return {"span": self.span.record(number)}
        return {
            "weak": [number(x) for x in self.weak or ()],
            "span": self.span.record(number),
            "all_rows": self.all_rows.record(number),
            "diverges": [
                {
                    "column": each.column,
                    "scale": number(each.scale),
                    "rows": list(each.rows),
                    "weights": [number(x) for x in each.weights],
                }
                for each in self.fates.diverges
            ],
            "undetermined": [{"column": j, "other": k} for j, k in self.fates.undetermined],
            "others": [_record(v, number) for v in self.fates.others],
        }

    def sentences(self, n: int, constant: float, name: Name) -> list[str]:
        """What it means for a logistic regression, a line each."""
        return [
            *(self._overlap() if self.fates is None else self._quasi_complete(n, name)),
            *self._relations(constant, name),
        ]

    def _overlap(self) -> list[str]:
        spanning = "these rows span all others, so whatever w is not 0 on every row has y<w,x> < 0 on some."
        return [
            f"Overlap: {spanning if self.span.rows else 'every row is zero, and no w moves any.'}",
            "So a logistic regression without a penalty has its maximum likelihood estimate at a finite point.",
        ]

    def _quasi_complete(self, n: int, name: Name) -> list[str]:
        assert self.fates is not None
        lines = [
            f"Quasi-complete separation: some w has {self.moved:,} of {n:,} rows strictly on their side, the most that "
            "any w can have, and the others at 0; these are at 0 for every such w.",
            "So a logistic regression without a penalty has no maximum likelihood estimate. Towards the supremum of "
            "its likelihood",
        ]
        for fate, words in (
            (UP, "to +infinity"),
            (DOWN, "to -infinity"),
            (OPEN, "either way, or nowhere: the likelihood does not say"),
        ):
            columns = [j for j, found in enumerate(self.coefficients) if found == fate]
            if columns:
                verb = agreeing(len(columns), "goes", "go")
                lines.append(f"  {counted(len(columns), 'coefficient')} {verb} {words}: {_some(columns, name)};")
        finite = self.coefficients.count(FINITE)
        lines.append(f"  {counted(finite, 'coefficient')} {agreeing(finite, 'stays', 'stay')} finite.")
        if self.fates.needed:
            lines.append(f"Every such w needs {_some(self.fates.needed, name)}.")
        return lines

    def _relations(self, constant: float, name: Name) -> list[str]:
        """Columns that are 0, and relations between others."""
        zero = [min(v) for v in self.all_rows.kernel if len(v) == 1]
        others = [v for v in self.all_rows.kernel if len(v) > 1]
        lines = []
        if zero:
            verb = agreeing(len(zero), "is", "are")
            lines.append(f"{counted(len(zero), 'column')} {verb} 0 on every row: {_some(zero, name)}.")
        if others:
            shown = [_relation(v, self.width - 1 if constant else None, constant, name) for v in others[:SHOWN]]
            more = f"; and {len(others) - SHOWN:,} more" if len(others) > SHOWN else ""
            dependent = counted(self.coefficients.count(DEPENDENT) - len(zero), "coefficient")
            lines.append(f"Dependent columns leave {dependent} open, whatever the labels: {'; '.join(shown)}{more}.")
            if self.fates is not None:
                lines.append("Leave out one column of each relation, and ask again, to see which of these diverge.")
        return lines


def _record(v: Sparse, number: Number) -> dict[str, Any]:
    return {"columns": list(v), "values": [number(x) for x in v.values()]}


def _some(columns: Sequence[int], name: Name) -> str:
    shown = [name(j) for j in columns[:SHOWN]]
    return listed([*shown, f"{len(columns) - SHOWN:,} more"] if len(columns) > SHOWN else shown)


def _relation(v: Sparse, last: int | None, constant: float, name: Name) -> str:
    """What adds up to 0 as an equation between columns, the constant coordinate as a number."""
    left = [_term(x, name(j)) for j, x in v.items() if j != last and x > 0]
    right = [_term(-x, name(j)) for j, x in v.items() if j != last and x < 0]
    if last in v:
        number = -v[last] * Fraction(constant)
        (right if number > 0 else left).append(f"{nearest(abs(number)):g}")
    return f"{_sum(left)} = {_sum(right)}"


def _term(x: int, name: str) -> str:
    return name if x == 1 else f"{x:,} {name}" if x < 2**53 else f"(an integer of {x.bit_length():,} bits) {name}"


def _sum(terms: list[str]) -> str:
    shown = [*terms[:SHOWN], f"{len(terms) - SHOWN:,} more"] if len(terms) > SHOWN else terms
    return " + ".join(shown) if shown else "0"
