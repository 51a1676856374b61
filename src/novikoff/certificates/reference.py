"""The reference check: the claims of docs/certificate.md, each under its own name, in exact arithmetic.

This is the file to read for whoever does not want to trust the rest. It needs the standard library alone, and it is
slow: every product is a sum of Python's integers. `novikoff.certificates.check` is the fast one; what its floats
cannot tell apart it brings here, and it must agree with this file on every certificate.

    rows            a_i = s_i (x_i, c), with s_i = +1 for the positive label and -1 for the others;
                    a_i = s_i x_i through the origin

    separable       <w, a_i> > 0                            for every i     `separates`
                    <w, a_i>^2 >= lower^2 ||w||^2           for every i     `has_margin`
                    ||a_i||^2 <= radius^2                   for every i     `lies_within`
                    <w, a_closest> <= <w, a_i>              for every i     `is_closest`
                    ||sum p a||^2 <= upper^2 (sum p)^2                      `bounds_every_margin`

    not separable   sum p a = 0                                             `vanishes`
                    <u, a_i> >= 0 for every i, > 0 for some                 `separates_weakly`

Why the last two lines of each are enough: for any w of length 1 some row has <w, a_i> <= sum p <w, a> / sum p, a mean,
which is at most ||sum p a|| / sum p, and 0 where the sum vanishes.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from novikoff.certificates.claim import SEPARABLE, Claim, Combination, Label, is_label, require
from novikoff.certificates.verified import Verified, shown, verified

Example = Sequence[tuple[int, float]]  # the columns and values of the non-zeros of x_i, columns increasing
Vector = Sequence[int]  # w or u, as many integers as there are coordinates


def check(claim: Claim, examples: Sequence[Example], columns: int, labels: Sequence[Label]) -> Verified:
    """What the claim proves about these examples and their labels; `InvalidCertificate` if it does not."""
    ours = [len(examples), columns]
    require([claim.n, claim.d] == ours, f"this proof is about data of shape {[claim.n, claim.d]}; yours is {ours}")
    require(len(labels) == claim.n, f"there are {len(labels)} labels for {claim.n} rows")
    against = other_labels(claim, labels)
    signs = [sign(label, claim.positive) for label in labels]
    digests = [digest(version, examples, columns, signs) for version in (1, 2)]
    require(claim.digest in digests, f"this proof is about data with digest {claim.digest}; yours is {digests[-1]}")

    rows = [row(x, s, claim) for x, s in zip(examples, signs, strict=True)]
    if claim.kind == SEPARABLE:
        check_separable(claim, rows)
    else:
        check_not_separable(claim, rows)
    return verified(claim, against, signs_balance(claim.combination, signs))


# The claims ----------------------------------------------------------------------------------------


def check_separable(claim: Claim, rows: Sequence[Row]) -> None:
    assert claim.separator is not None
    assert claim.margin is not None
    assert claim.radius is not None
    assert claim.closest is not None
    w = claim.separator
    lower, upper = map(Fraction, claim.margin)
    radius = Fraction(claim.radius)
    require(separates(w, rows), "its separator does not separate: some row has y<w,x> <= 0")
    require(has_margin(w, lower, rows), "its separator has less than the lower margin")
    require(lies_within(radius, rows), "its radius is too small: a row is longer")
    require(is_closest(claim.closest, w, rows), "its closest row is not the closest: another has a smaller y<w,x>")
    require(bounds_every_margin(claim.combination, upper, rows), "its combination does not prove the upper margin")


def check_not_separable(claim: Claim, rows: Sequence[Row]) -> None:
    require(vanishes(claim.combination, rows), "its weighted rows do not sum to zero")
    if claim.weak is not None:
        require(separates_weakly(claim.weak, rows), "its weak separator has y<u,x> < 0 on some row, or 0 on every row")


def separates(w: Vector, rows: Sequence[Row]) -> bool:
    return all(product(w, a) > 0 for a in rows)


def has_margin(w: Vector, lower: Fraction, rows: Sequence[Row]) -> bool:
    """Where every <w, a_i> is positive, this is <w, a_i> >= lower ||w||, squared."""
    length_sq = sum(x * x for x in w)
    return all(product(w, a) ** 2 >= lower**2 * length_sq for a in rows)


def lies_within(radius: Fraction, rows: Sequence[Row]) -> bool:
    return all(square(a) <= radius**2 for a in rows)


def is_closest(closest: int, w: Vector, rows: Sequence[Row]) -> bool:
    least = product(w, rows[closest])
    return all(least <= product(w, a) for a in rows)


def bounds_every_margin(combination: Combination, upper: Fraction, rows: Rows) -> bool:
    total = combined(combination, rows)
    return sum(v * v for v in total) <= upper**2 * sum(combination.weights) ** 2


def vanishes(combination: Combination, rows: Rows) -> bool:
    return not any(combined(combination, rows))


def separates_weakly(u: Vector, rows: Sequence[Row]) -> bool:
    products = [product(u, a) for a in rows]
    return min(products) >= 0 and max(products) > 0


def signs_balance(combination: Combination, signs: Sequence[int]) -> bool:
    """Is sum p s = 0? Then the rows of the combination would also sum to zero in a constant coordinate."""
    return sum(p * signs[i] for i, p in zip(combination.rows, combination.weights, strict=True)) == 0


# Rows, exactly -------------------------------------------------------------------------------------


class Row(NamedTuple):
    """a_i = (entries) / denominator: a float64 is an integer over a power of two, and so are the floats of a row."""

    entries: list[tuple[int, int]]  # coordinate and integer, where that is not zero
    denominator: int


Rows = Sequence[Row] | Mapping[int, Row]  # by number


def row(x: Example, s: int, claim: Claim) -> Row:
    """a_i = s_i (x_i, c); through the origin, where c is 0, it has no last coordinate."""
    coordinates = [*x, (claim.d, claim.constant)]
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


# Labels --------------------------------------------------------------------------------------------


def sign(label: Label, positive: Label) -> int:
    """+1 for the positive label. Python compares as the format says: 1 == 1.0 == True, 2^53 + 1 != 2.0^53, "1" != 1."""
    return 1 if label == positive else -1


def other_labels(claim: Claim, labels: Sequence[Label]) -> tuple[Label, ...]:
    """The labels against the positive one. All that are named occur, and all that occur are named."""
    occurring = set(labels)
    require(claim.positive in occurring, f"its label {shown(claim.positive)} does not occur in y")
    if claim.against is None:  # format 1: they are all that occur
        others = [label for label in occurring if label != claim.positive]
        require(others, f"y holds no label beside {shown(claim.positive)}: a separator needs two")
        require(all(map(is_label, others)), "y holds a label that no certificate can name")
        return tuple(sorted(others, key=lambda label: (type(label) is str, label)))
    for label in claim.against:
        require(label in occurring, f"its label {shown(label)} does not occur in y")
    named = {claim.positive, *claim.against}
    for i, label in enumerate(labels):
        require(label in named, f"y[{i}] = {shown(label)}, a label that it does not name")
    return claim.against


# The digest ----------------------------------------------------------------------------------------

BLOCK = 8192  # rows


def digest(version: int, examples: Sequence[Example], columns: int, signs: Sequence[int]) -> str:
    """What names the data in a certificate: version 2, or the older one, which either format may state."""
    if version == 1:
        return digest_1(examples, columns, signs)
    n = len(examples)
    leaves = []
    sign_leaves = []
    for start in range(0, n, BLOCK):
        parts = packed(examples[start : start + BLOCK], "<I")
        leaves.append(sha256(*map(sha256, parts)))
        sign_leaves.append(sha256(bytes_of("<b", signs[start : start + BLOCK])))
    data = sha256(b"novikoff data 2", struct.pack("<qqq", n, columns, BLOCK), *leaves)
    return sha256(data, *sign_leaves).hex()


def digest_1(examples: Sequence[Example], columns: int, signs: Sequence[int]) -> str:
    head = b"novikoff data 1" + struct.pack("<qq", len(examples), columns)
    parts = [*packed(examples, "<q"), bytes_of("<b", signs)]
    return sha256(head, *map(sha256, parts)).hex()


def packed(examples: Sequence[Example], count: str) -> tuple[bytes, bytes, bytes]:
    """The number of non-zeros of each row; their columns, row by row; and their values."""
    counts = bytes_of(count, map(len, examples))
    places = bytes_of("<I", (j for x in examples for j, _ in x))
    values = bytes_of("<d", (value for x in examples for _, value in x))
    return counts, places, values


def bytes_of(format: str, numbers: Iterable[float]) -> bytes:
    return b"".join(struct.pack(format, number) for number in numbers)


def sha256(*parts: bytes) -> bytes:
    return hashlib.sha256(b"".join(parts)).digest()
