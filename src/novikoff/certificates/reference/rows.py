"""The rows of a certificate, exactly: a float64 is an integer over a power of two."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from novikoff.certificates.claim import Combination, Head

Example = Sequence[tuple[int, float]]  # the columns and values of the non-zeros of x_i, columns increasing
Vector = Sequence[int] | Mapping[int, int]  # w or u, by coordinate


class Row(NamedTuple):
    """a_i = (entries) / denominator: a float64 is an integer over a power of two, and so are the floats of a row."""

    entries: list[tuple[int, int]]  # coordinate and integer, where that is not zero
    denominator: int


Rows = Sequence[Row] | Mapping[int, Row]  # by number


def row(x: Example, s: int, head: Head) -> Row:
    """a_i = s_i (x_i, c); through the origin, where c is 0, it has no last coordinate."""
    coordinates = [*x, (head.d, head.constant)]
    ratios = [(j, *value.as_integer_ratio()) for j, value in coordinates if value != 0]
    common = max((q for _, _, q in ratios), default=1)  # powers of two divide the largest of them
    return Row([(j, s * p * (common // q)) for j, p, q in ratios], common)


def product(w: Vector, a: Row) -> Fraction:
    """<w, a>."""
    return Fraction(sum(w[j] * z for j, z in a.entries), a.denominator)


def square(a: Row) -> Fraction:
    """||a||^2."""
    return Fraction(sum(z * z for _, z in a.entries), a.denominator**2)


def combined(combination: Combination, rows: Rows) -> list[Fraction]:
    """sum p a over the rows of the combination: the coordinates that some of them has."""
    total: dict[int, int] = {}
    common = max(rows[i].denominator for i in combination.rows)
    for i, p in zip(combination.rows, combination.weights, strict=True):
        factor = p * (common // rows[i].denominator)
        for j, z in rows[i].entries:
            total[j] = total.get(j, 0) + factor * z
    return [Fraction(value, common) for value in total.values()]
