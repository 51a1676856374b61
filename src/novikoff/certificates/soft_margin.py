"""A soft margin whose optimum is proved to lie between two numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from novikoff.certificates.certificate import DECIMALS, Proof, in_json, nameable, record
from novikoff.certificates.claim.soft_margin import soft_margin
from novikoff.certificates.verified import of_soft_margin
from novikoff.certificates.verified.soft_margin import VerifiedSoftMargin
from novikoff.theory.exact import nearest
from novikoff.views import Html, bars
from novikoff.words import agreeing, counted, told

MEANING = {"hinge": "max(0, 1 - y<w,x>)", "squared_hinge": "max(0, 1 - y<w,x>)^2"}


@dataclass(frozen=True, eq=False, repr=False)
class SoftMargin(Proof):
    """The optimum of ||w||^2 / 2 + C sum loss(1 - y<w,x>) lies between the two ends of ``objective``.

    The separator w has at most ``objective[1]``; the weights ``alpha`` of ``rows``, a point of the dual problem, prove
    that none has less than ``objective[0]``.
    """

    C: float
    loss: str  # "hinge" or "squared_hinge"
    objective: tuple[float, float]
    w: tuple[int, ...]  # the separator times 2^-w_exponent, the constant coordinate last
    w_exponent: int
    rows: NDArray[np.int64]
    alphas: tuple[int, ...]  # alpha times 2^-alpha_exponent
    alpha_exponent: int
    lengths: tuple[float, ...]  # of these rows, the constant included, rounded up
    radius: float  # of the longest row, the same
    weighted: str | None = None  # the digest of the weights that C is multiplied by
    heaviest: float = 1.0  # the largest of them

    verdict: ClassVar[str] = "soft margin"

    @property
    def gap(self) -> float:
        """How far the two ends are apart, relatively to the upper one."""
        lower, upper = map(Fraction, self.objective)
        return nearest((upper - lower) / upper) if upper else 0.0

    @cached_property
    def coef(self) -> NDArray[np.float64]:
        return self._floats[:-1]

    @property
    def last(self) -> float:
        """The weight of the constant coordinate."""
        return float(self._floats[-1])

    @property
    def intercept(self) -> float:
        return self.last * self.about.constant

    @cached_property
    def alpha(self) -> NDArray[np.float64]:
        """The dual weights of ``rows``; all others have 0."""
        return _scaled(self.alphas, self.alpha_exponent)

    @cached_property
    def _floats(self) -> NDArray[np.float64]:
        return _scaled(self.w, self.w_exponent)

    def least_wrong(self, bound: float | None = None) -> int:
        """For every u of length at most ``bound`` (by default that of w) at least so many rows have y<u,x> < 1.

        They are wrong, or within the margin. The constant coordinate counts for the length.
        """
        return self._follows.least_wrong(bound)

    @property
    def first_pass(self) -> int | None:
        """A `novikoff.Perceptron` with this constant makes at most so many mistakes in its first pass over these rows.

        By the bound for any data (``theory.PERCEPTRON_REGRET``, or its other form) with this w for comparison, in any
        order of the rows; None where the certificate does not bound them.
        """
        return self._follows.first_pass

    @cached_property
    def _follows(self) -> VerifiedSoftMargin:
        """What the checker says of a certificate that holds."""
        against = tuple(nameable(label) for label in self.about.against)
        return of_soft_margin(
            soft_margin(record(self.verdict, self.about, self._claims())),
            against,
            self.lengths,
            self.radius,
            self.heaviest,
        )

    def _claims(self) -> dict[str, Any]:
        claims: dict[str, Any] = {
            "loss": self.loss,
            "C": self.C.hex(),
            "separator": {"exponent": self.w_exponent, "integers": self._vector(self.w)},
            "dual": {
                "rows": self.rows.tolist(),
                "exponent": self.alpha_exponent,
                "integers": [in_json(x) for x in self.alphas],
            },
            "objective": list(self.objective),
        }
        return claims if self.weighted is None else claims | {"weighted": self.weighted}

    def _finding(self) -> str:
        return f"the optimum is {_ends(self.objective)}"

    def _picture(self) -> Html:
        most = max(self.alphas)
        shares = sorted((float(Fraction(x, most)) for x in self.alphas), reverse=True)
        return bars(shares, f"The dual weights of {counted(len(shares), 'row')}, the heaviest first.")

    def _details(self) -> list[tuple[str, object]]:
        wrong = self._follows.wrong
        return [
            ("Loss", f"{MEANING[self.loss]}, C = {self.C:g}{'' if self.weighted is None else ' times the weight'}"),
            ("Optimum", f"{_ends(self.objective)}, a gap of {self.gap:.2g}"),
            ("Wrong or within the margin", f"at least {counted(wrong, 'row')}, for any w as short" if wrong else ""),
            ("Proved by", counted(len(self.rows), "row")),
        ]

    def __str__(self) -> str:
        lower, upper = self.objective
        weight = "" if self.weighted is None else " weight"
        follows = self._follows
        rows = counted(len(self.rows), "row")
        lines = [
            f"Soft margin of {self.about.n:,} rows, {self.about.division}:",
            f"no w has ||w||^2/2 + {self.C:g} sum{weight} {MEANING[self.loss]} below {lower:.6g}; "
            f"this one has at most {upper:.6g}, a gap of {self.gap:.2g}.",
        ]
        if follows.wrong:
            have = f"{counted(follows.wrong, 'row')} {agreeing(follows.wrong, 'has', 'have')}"
            lines.append(
                f"For every w no longer than {follows.length:.6g} at least {have} y<w,x> < 1: "
                "wrong, or within the margin."
            )
        if follows.first_pass is not None and follows.first_pass < self.about.n:
            learner = f"{told(self.about.learner, self.about.learner_in_a_shell)}, from w = 0"
            most = f"{follows.first_pass:,} {agreeing(follows.first_pass, 'mistake', 'mistakes')}"
            lines.append(f"So {learner}, makes at most {most} in its first pass over these rows, in any order.")
        lines.append(f"{rows} {agreeing(len(self.rows), 'proves', 'prove')} the lower end.")
        lines.append(DECIMALS)
        return "\n".join(lines)


def _scaled(integers: Sequence[int], exponent: int) -> NDArray[np.float64]:
    unit = Fraction(2) ** exponent
    return np.array([nearest(x * unit) for x in integers])


def _ends(objective: tuple[float, float]) -> str:
    lower, upper = objective
    return f"between {lower:.6g} and {upper:.6g}"
