"""What follows from a certificate that holds: the numbers, and the same in words."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from html import escape

from novikoff.certificates.claim import LARGEST_FLOAT, ORIGIN, SEPARABLE, Claim, HowRead, Label

SHOWN = 4  # labels that are named in a sentence
DECIMALS = "The numbers are float64; decimals in text stand for the nearest float64."


@dataclass(frozen=True)
class Verified:
    """What a certificate proves: ``positive`` against the labels ``against``, with the constant coordinate or without.

    ``str`` of it is ``implies``, the same in words.
    """

    verdict: str  # "separable" or "not separable"
    positive: Label  # the label of sign +1
    against: tuple[Label, ...]  # all the other labels of the data, of sign -1
    constant: float | None  # the coordinate appended to every row; None: the hyperplane goes through the origin
    margin: tuple[float, float] | None
    radius: float | None
    mistake_bound: float | None  # radius^2 / lower^2, rounded up: of a Perceptron with this constant and exact updates
    rows: tuple[int, ...]  # of the proof
    weakly_separable: bool
    implies: str
    reading: HowRead | None = None  # what the certificate records of how the file was read; nothing checks it

    def __str__(self) -> str:
        return self.implies

    def __repr__(self) -> str:
        return f"<Verified: {self._sides()}, {self.verdict}, by {_rows(self.rows)}>"

    def _sides(self) -> str:
        return f"{shown(self.positive)} against {_listed(self.against)}"

    def _repr_html_(self) -> str:
        """For notebooks, without a picture: this file stands alone."""
        heading = f"Verified: {self.verdict}, {self._sides()}, by {_rows(self.rows)}"
        return f'<div class="nk-card"><div class="title">{escape(heading)}</div><p>{escape(self.implies)}</p></div>'


def verified(claim: Claim, against: tuple[Label, ...], signs_balance: bool) -> Verified:
    """The consequences of a claim that holds.

    ``against`` are the labels of the data beside the positive one. ``signs_balance`` says whether sum p s = 0 over the
    rows of the combination, which matters through the origin only.
    """
    separable = claim.kind == SEPARABLE
    words = _separable(claim) if separable else _not_separable(claim, signs_balance)
    return Verified(
        verdict=claim.kind,
        positive=claim.positive,
        against=against,
        constant=claim.constant or None,
        margin=claim.margin,
        radius=claim.radius,
        mistake_bound=rounded_up(_mistakes(claim)) if separable else None,
        rows=tuple(claim.combination.rows),
        weakly_separable=claim.weak is not None,
        implies=f"{_division(claim, against)}: {words} {DECIMALS}{_recorded(claim.reading)}",
        reading=claim.reading,
    )


def _mistakes(claim: Claim) -> Fraction:
    """Novikoff's bound, R^2 / gamma^2."""
    assert claim.margin is not None
    assert claim.radius is not None
    return (Fraction(claim.radius) / Fraction(claim.margin[0])) ** 2


def _separable(claim: Claim) -> str:
    assert claim.margin is not None
    lower, upper = claim.margin
    return (
        f"a separator exists with margin at least {lower}; no separator has a margin above {upper}. "
        f"{_promise(_mistakes(claim), claim.constant)}"
    )


def _not_separable(claim: Claim, signs_balance: bool) -> str:
    words = (
        f"every w has y<w,x> <= 0 on some row, since {len(claim.combination.rows)} rows with positive weights sum to "
        "exactly zero."
    )
    if claim.weak is not None:
        words += " Some u has y<u,x> >= 0 on every row, and > 0 on some."
    if claim.constant:
        return words
    # With any constant c the same rows sum to (0, c sum p s), which is 0 as well if sum p s is.
    if signs_balance:
        return f"{words} No hyperplane beside the origin separates them either."
    return f"{words} A hyperplane beside the origin, with a constant coordinate, may still separate them."


def _division(claim: Claim, against: tuple[Label, ...]) -> str:
    """Which label against which, and with which constant, in words."""
    constant = f"with the constant coordinate {claim.constant!r}" if claim.constant else ORIGIN
    return f"{shown(claim.positive)} against {_listed(against)}, {constant}"


def _listed(labels: tuple[Label, ...]) -> str:
    """Some of the labels, and how many more there are."""
    others = [shown(label) for label in labels[:SHOWN]]
    if len(labels) > SHOWN:
        others[-1] = f"{len(labels) - SHOWN + 1} other labels"
    last = others.pop()
    return f"{', '.join(others)} and {last}" if others else last


def _rows(rows: tuple[int, ...]) -> str:
    return f"{len(rows):,} rows" if len(rows) > 1 else f"row {rows[0]}"


def _promise(bound: Fraction, constant: float) -> str:
    """At most how many mistakes, and whose."""
    learner = f"Perceptron(intercept_scaling={constant!r})" if constant else "Perceptron(fit_intercept=False)"
    # A Perceptron whose w is rounded to float64 after every update makes at most B / (1 - 2^-50 B) mistakes.
    if bound < 2**49:
        count = math.floor(bound / (1 - bound / 2**50))
        return f"{learner}, from w = 0, makes at most {count} mistakes on these rows, in any order."
    most_of_exact = rounded_up(bound)
    most = f"{most_of_exact}" if math.isfinite(most_of_exact) else f"10^{len(str(math.ceil(bound)))}"
    return f"{learner}, from w = 0, would make at most {most} mistakes on these rows if w were not rounded."


def _recorded(reading: HowRead | None) -> str:
    """How the file was read, by what the certificate says."""
    if reading is None:
        return ""
    if not reading.settings:
        return _of_doubt(reading)
    settings = ", ".join(f"{name}={shown(value)}" for name, value in reading.settings.items())
    return (
        f" By its own record it is about a file that was read with {settings}; "
        f"lines skipped: {reading.skipped}; missing values filled in: {reading.filled}.{_of_doubt(reading)}"
    )


def _of_doubt(reading: HowRead) -> str:
    """The columns that, by its own record, may name the rows or are not what they seem."""
    found = [f"{shown(column['name'])} ({column['doubt']})" for column in reading.columns if "doubt" in column]
    more = f" and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
    return f" By its own record, columns to doubt: {', '.join(found[:SHOWN])}{more}." if found else ""


def shown(value: object) -> str:
    """A label, or a setting, in a sentence."""
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def rounded_up(x: Fraction) -> float:
    """The smallest float64 that is not below x."""
    if x > LARGEST_FLOAT:
        return math.inf
    if x < -LARGEST_FLOAT:
        return -math.inf
    near = float(x)
    return near if near >= x else math.nextafter(near, math.inf)
