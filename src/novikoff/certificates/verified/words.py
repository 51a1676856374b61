"""What a certificate proves, as an object; and the words that all kinds need."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from html import escape

from novikoff.certificates.claim import LARGEST_FLOAT, ORIGIN, Head, HowRead, Label

SHOWN = 4  # labels that are named in a sentence
DECIMALS = "The numbers are float64; decimals in text stand for the nearest float64."


@dataclass(frozen=True)
class Verified:
    """What a certificate proves: ``positive`` against the labels ``against``, with the constant coordinate or without.

    ``str`` of it is ``implies``, the same in words.
    """

    verdict: str  # the kind of the certificate: "separable" or "not separable", for example
    positive: Label | None  # the label of sign +1; None of many classes
    against: tuple[Label, ...]  # all the other labels of the data, of sign -1
    constant: float | None  # the coordinate appended to every row; None: the hyperplane goes through the origin
    rows: tuple[int, ...]  # of the proof
    implies: str
    margin: tuple[float, float] | None = None
    radius: float | None = None
    mistake_bound: float | None = None  # radius^2 / lower^2, rounded up: of a Perceptron with this constant, unrounded
    weakly_separable: bool = False
    mistakes: tuple[int, int] | None = None  # between these two lies the fewest that a hyperplane makes
    separation: str | None = None  # "complete", "quasi-complete", "overlap"; None: the certificate does not say which
    coefficients: tuple[str, ...] = ()  # of separation, one for each coordinate: what becomes of a logistic regression
    needed: tuple[int, ...] = ()  # the columns that every weak separator needs, of those that are known
    reading: HowRead | None = None  # what the certificate records of how the file was read; nothing checks it
    labels: tuple[Label, ...] = ()  # of many classes, all of them; then no label is positive
    pairs: tuple[Verified, ...] = ()  # one-vs-one: what is proved of each two labels, the later one positive

    def __str__(self) -> str:
        return self.implies

    def __repr__(self) -> str:
        return f"<Verified: {self._sides()}, {self.verdict}, by {_rows(self.rows)}>"

    def _sides(self) -> str:
        if self.labels:
            return f"{len(self.labels)} labels"
        return f"{shown(self.positive)} against {listed(self.against)}"

    def _repr_html_(self) -> str:
        """For notebooks, without a picture: this file stands alone."""
        heading = f"Verified: {self.verdict}, {self._sides()}, by {_rows(self.rows)}"
        return f'<div class="nk-card"><div class="title">{escape(heading)}</div><p>{escape(self.implies)}</p></div>'


def division(positive: Label, against: tuple[Label, ...], head: Head) -> str:
    """Which label against which, and with which constant, in words."""
    return f"{shown(positive)} against {listed(against)}, {coordinate(head)}"


def coordinate(head: Head) -> str:
    """With which constant, in words."""
    return f"with the constant coordinate {head.constant!r}" if head.constant else ORIGIN


def listed(labels: tuple[Label, ...]) -> str:
    """Some of the labels, and how many more there are."""
    others = [shown(label) for label in labels[:SHOWN]]
    if len(labels) > SHOWN:
        others[-1] = f"{len(labels) - SHOWN + 1} other labels"
    last = others.pop()
    return f"{', '.join(others)} and {last}" if others else last


def _rows(rows: tuple[int, ...]) -> str:
    return f"row {rows[0]}" if len(rows) == 1 else f"{len(rows):,} rows"


def recorded(reading: HowRead | None) -> str:
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


def cancel(rows: int) -> str:
    """What so many rows do that add up to zero."""
    return "a row is zero" if rows == 1 else f"{rows} rows with positive weights sum to exactly zero"


def rounded_up(x: Fraction) -> float:
    """The smallest float64 that is not below x."""
    if x > LARGEST_FLOAT:
        return math.inf
    if x < -LARGEST_FLOAT:
        return -math.inf
    near = float(x)
    return near if near >= x else math.nextafter(near, math.inf)
