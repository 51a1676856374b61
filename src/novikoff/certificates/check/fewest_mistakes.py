"""The fewest mistakes, between two ends: in one scan of the data, and a few rows exactly; in the plane, all lines."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from novikoff.certificates.check.data import Data, ExactRows
from novikoff.certificates.check.filter import BEYOND, Filter, hashed
from novikoff.certificates.check.plane import Plane
from novikoff.certificates.claim import FewestMistakesClaim, require
from novikoff.certificates.reference.fewest_mistakes import check_contradictions
from novikoff.certificates.reference.rows import product


def check_fewest_mistakes(claim: FewestMistakesClaim, data: Data, signs: Any, rows: ExactRows) -> None:
    lower, upper = claim.mistakes
    require(_mistakes(claim, data, signs, rows) <= upper, f"its separator makes more than {upper} mistakes")
    check_contradictions(claim, rows.of(claim.rows))
    if claim.enumerated:
        everything = rows.of(range(claim.head.n))
        plane = Plane([everything[i] for i in range(claim.head.n)])
        better = plane.better(claim.head.n - lower)
        require(better is None, f"some hyperplane makes fewer than {lower} mistakes")


def _mistakes(claim: FewestMistakesClaim, data: Data, signs: Any, rows: ExactRows) -> int:
    """Of the separator; floats count where rounding cannot matter."""
    w = claim.separator
    floats = Filter(w, Fraction(0), BEYOND, claim.head.constant)
    wrong = 0
    unclear: list[int] = []
    for block in hashed(claim.head, data, signs):
        on_side, off_side = floats.sides(block, signs[block.start : block.stop])
        wrong += int(np.count_nonzero(off_side))
        unclear += (block.start + np.flatnonzero(~(on_side | off_side))).tolist()
    for start in range(0, len(unclear), data.step):
        part = unclear[start : start + data.step]
        exact = rows.of(part)
        wrong += sum(product(w, exact[i]) <= 0 for i in part)
        if start + data.step < len(unclear):  # many rows are unclear: only those of one part are held at a time
            rows.clear()
    return wrong
