"""All classes at once: each claim under its own name, as one formula.

A row i of class y and a rival r != y stand for a row of k blocks of D coordinates (Kesler's construction),

    z_ir = a_i in block y, -a_i in block r, 0 elsewhere,    so that <W, z_ir> = <w_y - w_r, a_i>

with a_i = (x_i, c), or x_i through the origin, and ||z_ir||^2 = 2 ||a_i||^2. The margin of W is the smallest
<W, z_ir> / (sqrt(2) ||W||).

    joint separable         <W, z_ir> > 0                           for every i and r != y      `separates`
                            <W, z_ir>^2 >= 2 lower^2 ||W||^2        for every i and r != y      `has_margin`
                            ||a_i||^2 <= radius^2                   for every i                 `lies_within`
                            <W, z_closest> <= <W, z_ir>             for every i and r != y      `is_closest`
                            ||sum p z||^2 <= 2 upper^2 (sum p)^2                                `bounds_every_margin`

    joint not separable     sum p z = 0, in every block                                         `vanishes`

Why the last line of each is enough: for any W with ||W|| = 1 some pair has <W, z> <= sum p <W, z> / sum p, a mean,
which is at most ||sum p z|| / sum p, and 0 where the sum vanishes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from novikoff.certificates.claim import JointNotSeparableClaim, JointSeparableClaim, require
from novikoff.certificates.claim.joint import RivalCombination
from novikoff.certificates.reference.rows import Row, Rows, Vector, product
from novikoff.certificates.reference.separability import lies_within

Matrix = Sequence[Vector]  # W, a vector for each label
Places = Sequence[int]  # of the label of each row, y, among all labels


def check_separable(claim: JointSeparableClaim, rows: Sequence[Row], place: Places) -> None:
    W = claim.separator
    lower, upper = map(Fraction, claim.margin)
    row, rival = claim.closest
    require(place[row] != rival, "its closest rival is the label of that row")
    has_rivals(claim.combination, place)
    require(separates(W, rows, place), "its separator does not separate: some row has <w_y - w_r,x> <= 0")
    require(has_margin(W, lower, rows, place), "its separator has less than the lower margin")
    require(lies_within(Fraction(claim.radius), rows), "its radius is too small: a row is longer")
    smallest = is_closest(lead(W, rows[row], place[row], rival), W, rows, place)
    require(smallest, "its closest row and rival are not the closest: another has a smaller <w_y - w_r,x>")
    proved = bounds_every_margin(claim.combination, upper, rows, place)
    require(proved, "its combination does not prove the upper margin")


def check_not_separable(claim: JointNotSeparableClaim, rows: Sequence[Row], place: Places) -> None:
    has_rivals(claim.combination, place)
    require(vanishes(claim.combination, rows, place), "its weighted rows do not sum to zero in every block")


def has_rivals(combination: RivalCombination, place: Places) -> None:
    pairs = zip(combination.rows, combination.rivals, strict=True)
    require(all(place[i] != r for i, r in pairs), "a rival of its combination is the label of that row")


def lead(W: Matrix, a: Row, y: int, r: int) -> Fraction:
    """<w_y - w_r, a>."""
    return product(W[y], a) - product(W[r], a)


def leads(W: Matrix, rows: Sequence[Row], place: Places) -> Iterator[Fraction]:
    """Those of every row, against every rival."""
    for a, y in zip(rows, place, strict=True):
        scores = [product(w, a) for w in W]
        yield from (scores[y] - score for r, score in enumerate(scores) if r != y)


def separates(W: Matrix, rows: Sequence[Row], place: Places) -> bool:
    return all(value > 0 for value in leads(W, rows, place))


def has_margin(W: Matrix, lower: Fraction, rows: Sequence[Row], place: Places) -> bool:
    """Where every lead is positive, this is <w_y - w_r, a> >= lower sqrt(2) ||W||, squared."""
    length_sq = sum(x * x for w in W for x in w)
    return all(value**2 >= 2 * lower**2 * length_sq for value in leads(W, rows, place))


def is_closest(least: Fraction, W: Matrix, rows: Sequence[Row], place: Places) -> bool:
    return all(least <= value for value in leads(W, rows, place))


def bounds_every_margin(combination: RivalCombination, upper: Fraction, rows: Rows, place: Places) -> bool:
    total = combined(combination, rows, place)
    return sum(v * v for v in total) <= 2 * upper**2 * sum(combination.weights) ** 2


def vanishes(combination: RivalCombination, rows: Rows, place: Places) -> bool:
    return not any(combined(combination, rows, place))


def combined(combination: RivalCombination, rows: Rows, place: Places) -> list[Fraction]:
    """sum p z: the coordinates, of all blocks, that some of the rows has."""
    total: dict[tuple[int, int], int] = {}
    common = max(rows[i].denominator for i in combination.rows)
    for i, r, p in zip(combination.rows, combination.rivals, combination.weights, strict=True):
        factor = p * (common // rows[i].denominator)
        for j, z in rows[i].entries:
            total[place[i], j] = total.get((place[i], j), 0) + factor * z
            total[r, j] = total.get((r, j), 0) - factor * z
    return [Fraction(value, common) for value in total.values()]
