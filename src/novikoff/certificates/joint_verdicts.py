"""The verdicts on all classes at once, and their files."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from novikoff.certificates.certificate import DECIMALS, Proof, Undecided, in_json
from novikoff.theory.exact import nearest, round_up
from novikoff.theory.rounding import float_bound
from novikoff.views import Html, bars, bracket
from novikoff.words import agreeing, between, counted


@dataclass(frozen=True, eq=False, repr=False)
class _JointProof(Proof):
    """Rows with a rival each, a place among ``about.labels``, and positive weights."""

    rows: NDArray[np.int64]
    rivals: NDArray[np.int64]
    weights: tuple[int, ...]

    def _combination(self) -> dict[str, Any]:
        return {
            "rows": self.rows.tolist(),
            "rivals": self.rivals.tolist(),
            "weights": [in_json(x) for x in self.weights],
        }

    @property
    def _opening(self) -> str:
        return f"all {self.about.n:,} rows of {len(self.about.labels):,} labels, {self.about.coordinate}"


@dataclass(frozen=True, eq=False, repr=False)
class JointSeparable(_JointProof):
    """There is a w for each label such that on every row that of its own label has a larger product than any other.

    ``margin`` has the best <w_y - w_r,x>/(sqrt(2) ||W||), the smallest over rows and rivals, between its two ends.
    """

    margin: tuple[float, float]
    radius: float
    W: tuple[tuple[int, ...], ...]  # a vector for each label, the constant coordinate last
    closest: tuple[int, int]  # the row with the smallest lead, and the rival

    verdict: ClassVar[str] = "joint separable"

    @cached_property
    def coef(self) -> NDArray[np.float64]:
        """W as floats of which the largest is between 1/2 and 1, without the constant coordinate: a row a label."""
        return self._floats[:, :-1]

    @property
    def intercept(self) -> NDArray[np.float64]:
        return self._floats[:, -1] * self.about.constant

    @cached_property
    def _floats(self) -> NDArray[np.float64]:
        unit = 1 << max(abs(x).bit_length() for w in self.W for x in w)
        return np.array([[nearest(Fraction(x, unit)) for x in w] for w in self.W])

    @property
    def mistake_bound(self) -> float:
        """(R / lower)^2: a Perceptron for these classes makes no more mistakes on these rows, in any order.

        This is the theorem on many classes, for updates that are not rounded.
        """
        return round_up((Fraction(self.radius) / Fraction(self.margin[0])) ** 2)

    @property
    def most_mistakes(self) -> int | None:
        """Of `novikoff.Perceptron`, which rounds W to float64 after each update; None from 2^49 on."""
        return float_bound(Fraction(self.radius) ** 2, Fraction(self.margin[0]) ** 2)

    def _claims(self) -> dict[str, Any]:
        return {
            "separator": [self._vector(w) for w in self.W],
            "combination": self._combination(),
            "margin": list(self.margin),
            "radius": self.radius,
            "closest": list(self.closest),
        }

    def _finding(self) -> str:
        return f"the best margin is {between(self.margin)}"

    def _picture(self) -> Html:
        return bracket(*self.margin)

    def _details(self) -> list[tuple[str, object]]:
        most = self.most_mistakes
        return [
            ("Best margin", f"{between(self.margin)}, with R = {self.radius:.6g}"),
            (f"Mistakes of {self.about.learner}", "" if most is None else f"at most {most:,}, in any order"),
            ("Proved by", f"{counted(len(self.rows), 'pair')} of a row and a rival"),
        ]

    def __str__(self) -> str:
        lower, upper = self.margin
        row, rival = self.closest
        most = self.most_mistakes
        promise = f"at most {most:,} mistakes" if most is not None else f"at most {self.mistake_bound!r}, unrounded"
        proving = f"{counted(len(self.rows), 'pair')} of a row and a rival"
        return "\n".join(
            [
                f"Separable at once: {self._opening}; each row's own label has a larger <w,x> than any other.",
                f"The best margin, of <w_y - w_r,x>/(sqrt(2) ||W||), is at least {lower:.6g} (this W has it) and at "
                f"most {upper:.6g}, with R = {self.radius:.6g}.",
                f"So {self.about.learner}, from W = 0, makes {promise} on these rows, in any order.",
                f"Row {row}, counted from 0, is the closest, with the rival {self.about.labels[rival]!r}; {proving} "
                f"{agreeing(len(self.rows), 'proves', 'prove')} the upper end.",
                DECIMALS,
            ]
        )


@dataclass(frozen=True, eq=False, repr=False)
class JointNotSeparable(_JointProof):
    """Whatever w there is for each label, on some row another label is not behind its own.

    The rows with these rivals and weights cancel exactly: the sum of weight * x is zero in the block of every label,
    where a row counts +x in that of its own label and -x in that of its rival.
    """

    verdict: ClassVar[str] = "joint not separable"
    margin: ClassVar[tuple[float, float]] = (0.0, 0.0)

    def _claims(self) -> dict[str, Any]:
        return {"combination": self._combination()}

    def _finding(self) -> str:
        if len(self.rows) == 1:
            return f"row {self.rows[0]} is zero"
        return f"{len(self.rows):,} rows with rivals and positive weights add up to zero"

    def _picture(self) -> Html:
        most = max(self.weights)
        shares = sorted((float(Fraction(weight, most)) for weight in self.weights), reverse=True)
        return bars(shares, f"The weights of {counted(len(shares), 'row')}, the heaviest first.")

    def _details(self) -> list[tuple[str, object]]:
        return [("Proved by", self._finding())]

    def __str__(self) -> str:
        lines = [f"Not separable at once: {self._opening}."]
        places = sorted({*self.rivals.tolist()})
        # With a constant coordinate every label of these rows is a rival, since its block would not cancel else.
        if len(places) == 2 and self.about.constant:
            first, second = (repr(self.about.labels[place]) for place in places)
            lines.append(f"The labels {first} and {second} have no separator of their own rows already.")
        if len(self.rows) == 1:
            lines.append(
                f"Row {self.rows[0]}, counted from 0, is zero: no label has a larger <w,x> there than another."
            )
            return "\n".join([*lines, DECIMALS])
        lines.append(
            f"{len(self.rows)} rows with rivals, and with positive integer weights, add up to exactly zero: whatever w "
            "there is for each label, one of these rows has <w_y - w_r,x> <= 0 for its label y and its rival r."
        )
        return "\n".join([*lines, DECIMALS])


JointVerdict = JointSeparable | JointNotSeparable | Undecided
