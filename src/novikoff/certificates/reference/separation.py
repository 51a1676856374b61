"""Quasi-complete separation, or overlap: each claim under its own name, as one formula.

With N the kernel of the span of Z, and L that of all rows:

    both            sum p a = 0                                              `separability.vanishes`
                    the minor of r rows of the combination is not 0          `is_independent`
                    <v, a_i> = 0 for every v in N and every i in Z           `is_orthogonal`

    overlap         Z is all rows

    quasi-complete  <u, a_i> >= 0 for every i, > 0 for some;                 `separability.separates_weakly`
                    Z is where it is 0                                       `zero_rows`
                    the same two claims of r rows, L and every i: rank and kernel of all rows
                    j diverges: <v, scale e_j - sum p a> = 0 for v in N,
                    and the rows of the sum are outside Z                    `diverges`
                    j is not determined: <t, a_i> >= 0 for every i,          `is_weak`
                    and u_j t_j < 0                                          `is_opposite`
                    every j with N_j != 0 and L_j = 0 is one of these,
                    and no other is                                          `open_columns`

Why this is enough. The minor says that the rows of the combination, which lie in Z, span at least r dimensions; N, in
echelon form, has D - r independent vectors orthogonal to Z: so they span what Z spans, and N is all that is orthogonal
to it. A weak separator t has sum p <t, a> = 0 with every term >= 0: it is 0 on the combination, so on its span, so on
Z. Where Z is all rows, no weak separator moves a row (overlap: the likelihood of a logistic regression has its maximum
at a finite point). Else Z is exactly the rows that no weak separator moves, and the others are the largest set that
one moves. Towards the supremum <b, a> goes to infinity outside Z, and b converges on Z: coefficient j converges where
e_j is in the span of Z, which is where N_j = 0; goes to the infinity of the sign of the scale where scale e_j is a
positive combination of rows outside and of Z; and else the likelihood alone does not say.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from novikoff.certificates.claim import Divergence, OverlapClaim, QuasiCompleteClaim, Span, Sparse, require
from novikoff.certificates.reference.rows import Row, Rows, Vector, product
from novikoff.certificates.reference.separability import separates_weakly, vanishes


def check_overlap(claim: OverlapClaim, rows: Sequence[Row]) -> None:
    require(vanishes(claim.combination, rows), "its weighted rows do not sum to zero")
    check_span(claim.span, rows, rows, "its span")


def check_quasi_complete(claim: QuasiCompleteClaim, rows: Sequence[Row]) -> None:
    u = claim.weak
    require(vanishes(claim.combination, rows), "its weighted rows do not sum to zero")
    require(separates_weakly(u, rows), "its weak separator has y<u,x> < 0 on some row, or 0 on every row")
    zero = zero_rows(u, rows)
    check_span(claim.span, rows, [rows[i] for i in zero], "its span")
    check_span(claim.all_rows, rows, rows, "the span of all rows")
    require(
        [*sorted(fates(claim))] == open_columns(claim),
        "the columns that diverge or are not determined are not those that its kernels leave open, each once",
    )
    for column in claim.diverges:
        outside = not zero.intersection(column.combination.rows)
        require(outside, f"column {column.column} diverges by a row on which its weak separator is 0")
        sentence = f"column {column.column} does not diverge by the rows that it gives"
        require(diverges(column, claim.span, rows), sentence)
    for t in claim.others:
        require(is_weak(t, rows), "one of its other weak separators has y<u,x> < 0 on some row")
    for j, k in claim.undetermined.items():
        require(is_opposite(claim.weak[j], claim.others[k].get(j, 0)), f"column {j} has not two signs")


def check_span(span: Span, rows: Rows, spanned: Iterable[Row], what: str) -> None:
    require(is_independent(span, rows), f"the minor of {what} is 0 modulo 2^{span.modulus} - 1")
    require(is_orthogonal(span.kernel, spanned), f"the kernel of {what} is not orthogonal to its rows")


def is_independent(span: Span, rows: Rows) -> bool:
    """Is the minor of these rows and columns other than 0? Each row over a power of two, which is not 0, either."""
    place = {j: k for k, j in enumerate(span.columns)}
    table = []
    for i in span.rows:
        entries = [0] * len(place)
        for j, z in rows[i].entries:
            if j in place:
                entries[place[j]] = z
        table.append(entries)
    return is_regular(table, 2**span.modulus - 1)


def is_regular(table: list[list[int]], prime: int) -> bool:
    """Has the square matrix a determinant other than 0 modulo the prime? By elimination of one column after another."""
    left = [[z % prime for z in row] for row in table]
    while left:
        pivot = next((row for row in left if row[-1]), None)
        if pivot is None:
            return False
        left.remove(pivot)
        inverse = pow(pivot[-1], -1, prime)
        for k, row in enumerate(left):
            factor = row[-1] * inverse % prime
            left[k] = [(z - factor * q) % prime for z, q in zip(row[:-1], pivot, strict=False)]
    return True


def is_orthogonal(kernel: Sequence[Sparse], spanned: Iterable[Row]) -> bool:
    return all(sparse_product(v, a) == 0 for a in spanned for v in kernel)


def sparse_product(v: Sparse, a: Row) -> int:
    """<v, a> times the denominator of a: an integer of the same sign."""
    return sum(v[j] * z for j, z in a.entries if j in v)


def zero_rows(u: Vector, rows: Sequence[Row]) -> set[int]:
    """Z: the rows with <u, a_i> = 0."""
    return {i for i, a in enumerate(rows) if product(u, a) == 0}


def open_columns(claim: QuasiCompleteClaim) -> list[int]:
    """The columns that Z leaves open, and dependent columns do not: those that have a fate."""
    return sorted(claim.span.touched - claim.all_rows.touched)


def fates(claim: QuasiCompleteClaim) -> list[int]:
    """The columns that are said to diverge, or not to be determined."""
    return [*(column.column for column in claim.diverges), *claim.undetermined]


def diverges(column: Divergence, span: Span, rows: Rows) -> bool:
    """Is scale e_j - sum p a orthogonal to the kernel of Z, and so a combination of Z?"""
    combination = column.combination
    common = max(rows[i].denominator for i in combination.rows)
    rest = {column.column: column.scale * common}
    for i, p in zip(combination.rows, combination.weights, strict=True):
        factor = p * (common // rows[i].denominator)
        for j, z in rows[i].entries:
            rest[j] = rest.get(j, 0) - factor * z
    return all(sum(x * rest.get(j, 0) for j, x in v.items()) == 0 for v in span.kernel)


def is_weak(t: Sparse, rows: Sequence[Row]) -> bool:
    return all(sparse_product(t, a) >= 0 for a in rows)


def is_opposite(x: int, y: int) -> bool:
    return x * y < 0


def needed_columns(claim: QuasiCompleteClaim, outside: Iterable[int]) -> tuple[int, ...]:
    """The columns that every weak separator needs, of those that diverge.

    If the rows of the sum for column j are enough to span, with Z, all rows, then a weak separator t with t_j = 0 has
    0 = scale t_j = sum p <t, a>, so it is 0 on these rows, and on Z: it moves nothing. ``outside``: the rows of the
    minor of all rows that are outside Z; these are enough.
    """
    basis = set(outside)
    return tuple(column.column for column in claim.diverges if basis <= set(column.combination.rows))
