"""All classes at once: one reading of the rows for the products with the vectors of all labels."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from novikoff.certificates.check.classes import Floats, Products, products, scale_of, tops, vectors
from novikoff.certificates.check.data import Data, ExactRows
from novikoff.certificates.claim import JointNotSeparableClaim, JointSeparableClaim, require
from novikoff.certificates.reference.joint import bounds_every_margin, has_rivals, lead, vanishes
from novikoff.certificates.reference.rows import product, square
from novikoff.certificates.verified import rounded_up


def check_separable(claim: JointSeparableClaim, data: Data, place: Any, rows: ExactRows) -> None:
    """``place`` is that of each row's label among those of the claim, and the rows have no sign."""
    W = claim.separator
    lower, upper = map(Fraction, claim.margin)
    i, rival = claim.closest
    has_rivals(claim.combination, place)
    require(place[i] != rival, "its closest rival is the label of that row")
    least = lead(W, rows.of([i])[i], int(place[i]), rival)
    require(least > 0, f"its separator does not separate: row {i} has <w_y - w_r,x> <= 0")
    length_sq = sum(x * x for w in W for x in w)
    # Every other row and rival is to be as far as the closest, at least: what holds of that one holds of all.
    require(least**2 >= 2 * lower**2 * length_sq, "its separator has less than the lower margin")
    _scan(claim, least, data, place, rows)
    proved = bounds_every_margin(claim.combination, upper, rows.of(claim.combination.rows), place)
    require(proved, "its combination does not prove the upper margin")


def check_not_separable(claim: JointNotSeparableClaim, place: Any, rows: ExactRows) -> None:
    has_rivals(claim.combination, place)
    zero = vanishes(claim.combination, rows.of(claim.combination.rows), place)
    require(zero, "its weighted rows do not sum to zero in every block")


def _scan(claim: JointSeparableClaim, least: Fraction, data: Data, place: Any, rows: ExactRows) -> None:
    """Every row is as far from every rival as the closest, and no longer than the radius."""
    n, d = data.shape
    scale = max(map(scale_of, claim.separator))  # one for all, since products are compared
    everywhere = np.arange(claim.head.width)
    v = vectors(d, [Floats.of(everywhere, w, scale) for w in claim.separator])
    bottom = rounded_up(least / scale)
    top = float(tops([Fraction(claim.radius) ** 2])[0])
    step = max(1, data.step // len(claim.labels))
    for start in range(0, n, step):
        part = np.arange(start, min(n, start + step))
        doubts = part[_unclear(products(data, part, v, rows.constant), place[part], bottom, top)].tolist()
        rows.of(doubts)
        for i in doubts:
            _decide(claim, least, i, int(place[i]), rows)
        rows.clear()


@np.errstate(all="ignore")
def _unclear(found: Products, place: Any, bottom: float, top: float) -> Any:
    """The rows for which floats cannot tell."""
    row = np.arange(len(place))
    true = found.dot[row, place]
    error = found.error + found.error[row, place][:, None]
    error = error * (1 + 2.0**-50) + 2.0**-52 * np.abs(true[:, None] - found.dot)  # of the sum, and of the difference
    far = true[:, None] - found.dot - error >= bottom
    far[row, place] = True
    return ~(far.all(axis=1) & (found.square + found.excess <= top))


def _decide(claim: JointSeparableClaim, least: Fraction, i: int, y: int, rows: ExactRows) -> None:
    """A row that floats could not call, by the arithmetic of the reference."""
    own = product(claim.separator[y], rows[i])
    for r in range(len(claim.labels)):
        if r != y:
            found = own - product(claim.separator[r], rows[i])
            require(found >= least, f"row {i} has <w_y - w_r,x> < that of the closest")
    require(square(rows[i]) <= Fraction(claim.radius) ** 2, f"its radius is too small: row {i} is longer")
