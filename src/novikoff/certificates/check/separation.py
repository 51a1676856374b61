"""Quasi-complete separation, or overlap: products with all rows at once, in floats that stay exact."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from novikoff.certificates.check.data import Data, ExactRows
from novikoff.certificates.check.filter import hashed
from novikoff.certificates.check.minor import is_regular
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
    _check_minor(claim.span, rows, claim.head, "its span")


def check_quasi_complete(claim: QuasiCompleteClaim, data: Data, signs: Any, rows: ExactRows) -> Any:
    """Returns which rows are in Z."""
    zero = _check_products(claim, data, signs)
    cancels = vanishes(claim.combination, rows.of(claim.combination.rows))
    require(cancels, "its weighted rows do not sum to zero")
    _check_minor(claim.span, rows, claim.head, "its span")
    _check_minor(claim.all_rows, rows, claim.head, "the span of all rows")
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


def _check_minor(span: Span, rows: ExactRows, head: Head, what: str) -> None:
    rows.of(span.rows)
    place = np.full(head.width, -1)
    place[list(span.columns)] = np.arange(len(span.columns))
    table = _table(rows, span.rows, place, 2**span.modulus - 1)
    require(is_regular(table, span.modulus), f"the minor of {what} is 0 modulo 2^{span.modulus} - 1")


def _table(rows: ExactRows, which: Sequence[int], place: Any, prime: int) -> Any:
    """The entries of the rows modulo the prime, in the places of their columns."""
    table = np.zeros((len(which), len(which)), dtype=np.int64 if prime < 2**63 else object)
    for k, i in enumerate(which):
        entries: Iterable[tuple[int, int]] = rows[i].entries
        for j, z in entries:
            if place[j] >= 0:
                table[k, place[j]] = z % prime
    return table
