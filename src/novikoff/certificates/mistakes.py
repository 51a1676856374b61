"""The fewest mistakes, as an object: a hyperplane, contradictions, and the two numbers that they prove."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novikoff.certificates.certificate import DECIMALS, Proof, _combination, in_json
from novikoff.theory.exact import nearest
from novikoff.views import Html, bars
from novikoff.words import agreeing, counted, told

NAMED = 20  # rows that a text names


class Contradiction(NamedTuple):
    """Rows in increasing order, positive weights; the rows have no other dependence."""

    rows: tuple[int, ...]
    weights: tuple[int, ...]


@dataclass(frozen=True, eq=False, repr=False)
class FewestMistakes(Proof):
    """The fewest mistakes, rows with y<w,x> <= 0, of any hyperplane: between ``bracket[0]`` and ``bracket[1]``.

    ``coef`` and ``intercept`` are a hyperplane that makes ``bracket[1]`` of them, on the rows ``mistakes``. Each of the
    ``contradictions`` is rows with positive weights that cancel, so that every hyperplane errs on one of its rows; it
    counts ``shares[k]``, a fraction, of which no row gets more than 1 in all. ``enumerated``: in the plane, all lines
    were looked at.

    Examples
    --------
    >>> import novikoff as nk
    >>> found = nk.fewest_mistakes([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
    >>> found.bracket
    (1, 1)
    >>> print(found)
    The fewest mistakes of a hyperplane on these 4 rows are exactly 1, 1 against 0, with the constant coordinate 1.
    A mistake is a row with y<w,x> <= 0. The hyperplane found makes 1, on row ..., counted from 0.
    No hyperplane makes fewer: a contradiction, rows that cancel, has a mistake of each of them.
    The numbers are float64; decimals in text stand for the nearest float64.
    """

    bracket: tuple[int, int]
    w: tuple[int, ...]  # the constant coordinate last
    mistakes: NDArray[np.int64]
    contradictions: tuple[Contradiction, ...]
    shares: tuple[Fraction, ...]
    enumerated: bool
    why: str  # why the search ended before its end; or nothing

    verdict: ClassVar[str] = "fewest mistakes"

    @property
    def exact(self) -> bool:
        """Whether the two ends meet."""
        return self.bracket[0] == self.bracket[1]

    @cached_property
    def coef(self) -> NDArray[np.float64]:
        """w as floats of which the largest is between 1/2 and 1."""
        return self._floats[:-1]

    @property
    def intercept(self) -> float:
        return float(self._floats[-1]) * self.about.constant

    @cached_property
    def _floats(self) -> NDArray[np.float64]:
        unit = 1 << max(abs(x).bit_length() for x in self.w)
        return np.array([nearest(Fraction(x, unit)) for x in self.w])

    def _claims(self) -> dict[str, Any]:
        denominator = math.lcm(*(share.denominator for share in self.shares))
        claims: dict[str, Any] = {
            "separator": self._vector(self.w),
            "mistakes": list(self.bracket),
            "contradictions": [
                _combination(np.array(rows), weights) | {"numerator": in_json(int(share * denominator))}
                for (rows, weights), share in zip(self.contradictions, self.shares, strict=True)
            ],
            "denominator": in_json(denominator),
        }
        return claims | ({"enumerated": True} if self.enumerated else {})

    def _finding(self) -> str:
        lower, upper = self.bracket
        return f"the fewest mistakes are {lower:,}" if self.exact else f"the fewest mistakes are {lower:,} to {upper:,}"

    def _picture(self) -> Html:
        sizes = sorted((float(len(rows)) for rows, _ in self.contradictions), reverse=True)
        said = f"How many rows each of {counted(len(sizes), 'contradiction')} has."
        return bars(sizes, said) if sizes else Html()

    def _details(self) -> list[tuple[str, object]]:
        lower, upper = self.bracket
        return [
            ("Fewest mistakes", f"{lower:,}" if self.exact else f"at least {lower:,}, at most {upper:,}"),
            ("Rows on the wrong side", self._wrong_rows()),
            ("Because of", f"{counted(len(self.contradictions), 'contradiction')} among the rows"),
            ("Looked at", "all lines of the plane" if self.enumerated else ""),
            ("Ended early", self.why),
        ]

    def _wrong_rows(self) -> str:
        shown = ", ".join(f"{i:,}" for i in self.mistakes[:NAMED])
        more = len(self.mistakes) - NAMED
        return f"{shown} and {more:,} more" if more > 0 else shown

    def __str__(self) -> str:
        lower, upper = self.bracket
        lines = [
            f"The fewest mistakes of a hyperplane on these {self.about.n:,} rows are "
            + (f"exactly {lower:,}" if self.exact else f"at least {lower:,} and at most {upper:,}")
            + f", {self.about.division}.",
            f"A mistake is a row with y<w,x> <= 0. The hyperplane found makes {upper:,}"
            + (
                f", on {agreeing(upper, 'row', 'rows')} {self._wrong_rows()}, counted from 0."
                if upper
                else ": it separates the rows."
            ),
            *self._why_not_fewer(),
            *([f"The search ended early: {self.why}. {self._cure()}"] if self.why and not self.exact else []),
            DECIMALS,
        ]
        return "\n".join(lines)

    def _why_not_fewer(self) -> list[str]:
        lower = self.bracket[0]
        if lower == 0:
            return []
        if self.enumerated:
            return ["No hyperplane makes fewer: all lines of the plane were looked at."]
        count = len(self.contradictions)
        what = f"{counted(count, 'contradiction')}, rows that cancel"
        if count == 1:
            return ["No hyperplane makes fewer: a contradiction, rows that cancel, has a mistake of each of them."]
        if all(share == 1 for share in self.shares):
            return [
                f"No hyperplane makes fewer than {lower:,}: each of {what}, has a mistake of every hyperplane, and "
                "they share no row."
            ]
        return [
            f"No hyperplane makes fewer than {lower:,}: each of {what}, has a mistake of every hyperplane, and counted "
            f"by weights of which no row gets more than 1 they are {math.ceil(sum(self.shares)):,}, rounded up."
        ]

    def _cure(self) -> str:
        return told("Allow more max_seconds", "Allow more --max-seconds") + " for ends that may be closer together."
