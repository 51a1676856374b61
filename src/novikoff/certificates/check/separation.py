"""Quasi-complete separation, or overlap: products with all rows at once, in floats that stay exact."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from novikoff.certificates.check.data import Data, ExactRows
from novikoff.certificates.check.filter import hashed
from novikoff.certificates.check.minor import regular
from novikoff.certificates.check.products import Products
from novikoff.certificates.claim import Head, OverlapClaim, QuasiCompleteClaim, Span, require
from novikoff.certificates.reference.separability import vanishes
from novikoff.certificates.reference.separation import diverges, fates, is_opposite, open_columns


def check_overlap(claim: OverlapClaim, data: Data, signs: Any, rows: ExactRows) -> None:
    kernel = Products(claim.span.kernel, claim.head)
    orthogonal = True
    for block in hashed(claim.head, data, signs):
        orthogonal = orthogonal and not kernel.signs(block, signs[block.start : block.stop]).any()
    require(orthogonal, "the kernel of its span is not orthogonal to its rows")
    zero = vanishes(claim.combination, rows.of(claim.combination.rows))
    require(zero, "its weighted rows do not sum to zero")
    _check_minors([claim.span], ["its span"], rows, claim.head)


def check_quasi_complete(claim: QuasiCompleteClaim, data: Data, signs: Any, rows: ExactRows) -> Any:
    """Returns which rows are in Z."""
    zero = _check_products(claim, data, signs)
    cancels = vanishes(claim.combination, rows.of(claim.combination.rows))
    require(cancels, "its weighted rows do not sum to zero")
    _check_minors([claim.span, claim.all_rows], ["its span", "the span of all rows"], rows, claim.head)
    exhaustive = sorted(fates(claim)) == open_columns(claim)
    sentence = "the columns that diverge or are not determined are not those that its kernels leave open, each once"
    require(exhaustive, sentence)
    for column in claim.diverges:
        which = column.combination.rows
        require(not zero[which].any(), f"column {column.column} diverges by a row on which its weak separator is 0")
        proved = diverges(column, claim.span, rows.of(which))
        require(proved, f"column {column.column} does not diverge by the rows that it gives")
    for j, k in claim.undetermined.items():
        require(is_opposite(claim.weak[j], claim.others[k].get(j, 0)), f"column {j} has not two signs")
    return zero


def _check_products(claim: QuasiCompleteClaim, data: Data, signs: Any) -> Any:
    """Whatever is claimed of every row, in one scan. Returns which rows are in Z."""
    head = claim.head
    weak = Products([{j: x for j, x in enumerate(claim.weak) if x}], head)
    others, of_zero, of_all = (
        Products(vectors, head) for vectors in (claim.others, claim.span.kernel, claim.all_rows.kernel)
    )
    zero = np.zeros(head.n, dtype=np.bool_)
    wrong = np.zeros(4, dtype=np.bool_)
    for block in hashed(head, data, signs):
        s = signs[block.start : block.stop]
        moved = weak.signs(block, s)[:, 0]
        zero[block.start : block.stop] = moved == 0
        wrong[0] |= bool((moved < 0).any())
        wrong[1] |= bool(of_zero.signs(block, s)[moved == 0].any())
        wrong[2] |= bool(of_all.signs(block, s).any())
        wrong[3] |= bool((others.signs(block, s) < 0).any())
    require(not wrong[0], "its weak separator has y<u,x> < 0 on some row")
    require(not zero.all(), "its weak separator has y<u,x> = 0 on every row")
    require(not wrong[1], "the kernel of its span is not orthogonal to its rows")
    require(not wrong[2], "the kernel of the span of all rows is not orthogonal to its rows")
    require(not wrong[3], "one of its other weak separators has y<u,x> < 0 on some row")
    return zero


def _check_minors(spans: Sequence[Span], names: Sequence[str], rows: ExactRows, head: Head) -> None:
    """Of one span, or of two: where the second has the rows and columns of the first, one elimination does for both."""
    first, last = spans[0], spans[-1]
    together = first.modulus == last.modulus
    together = together and {*first.rows} <= {*last.rows} and {*first.columns} <= {*last.columns}
    if not together:
        for span, name in zip(spans, names, strict=True):
            _check_minors([span], [name], rows, head)
        return
    which, columns = _first_of(first.rows, last.rows), _first_of(first.columns, last.columns)
    place = np.full(head.width, -1)
    place[columns] = np.arange(len(columns))
    table = _table(rows.of(which), which, place, 2**last.modulus - 1)
    for holds, name in zip(regular(table, len(first.rows), last.modulus), (names[0], names[-1]), strict=True):
        require(holds, f"the minor of {name} is 0 modulo 2^{last.modulus} - 1")


def _first_of(some: Sequence[int], all_of_them: Sequence[int]) -> list[int]:
    """All of them, some first."""
    return [*some, *sorted({*all_of_them} - {*some})]


def _table(rows: ExactRows, which: Sequence[int], place: Any, prime: int) -> Any:
    """The entries of the rows modulo the prime, in the places of their columns."""
    table = np.zeros((len(which), len(which)), dtype=np.int64 if prime < 2**63 else object)
    for k, i in enumerate(which):
        kept = [(place[j], z % prime) for j, z in rows[i].entries if place[j] >= 0]
        if kept:
            at, residues = zip(*kept, strict=True)
            table[k, list(at)] = residues
    return table
