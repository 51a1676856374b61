"""What was found: the three verdicts, and the file that proves two of them."""

from __future__ import annotations

import json
import math
import os
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from novikoff.certificates.details import Detail
from novikoff.disk import atomic
from novikoff.examples import Doubted
from novikoff.theory.exact import nearest, round_up, sqrt_down
from novikoff.views import Html, bars, bracket, card, facts, in_words, share
from novikoff.words import agreeing, between, column_name, counted, listed, said, setting, told

if TYPE_CHECKING:
    from novikoff.certificates.joint_verdicts import JointVerdict

FORMAT = "novikoff certificate 2"
ORIGIN = "through the origin"
DECIMALS = "The numbers are float64; decimals in text stand for the nearest float64."
FLOATS_END = "floats bring the two ends no closer"  # of a soft margin
FINEST = 1e-12  # the smallest gap between the ends of a margin: they are floats, rounded outward
SHOWN = 4  # labels that are named in a sentence

COMPLETE = (
    "Complete separation: a logistic regression without a penalty has no maximum likelihood estimate; its likelihood "
    "comes as close to 1 as one likes along any separator, and its coefficients grow without end."
)

DOUBTS = {
    "ids": "integers that differ, as ids do",
    "dates": "dates",
    "levels": "nearly a level a row",
    "numbers as text": "numbers as text",
}

Label = str | int | float | bool


@dataclass(frozen=True)
class About:
    """The data that a proof is about, and which label against which."""

    digest: str
    n: int
    d: int
    constant: float  # the coordinate appended to every row; 0 where the hyperplane goes through the origin
    positive: Any  # the label of sign +1
    against: tuple[Any, ...]  # all the other labels, of sign -1
    sphere: float | None = None  # where the rows are (x, this) / ||(x, this)||, as scale="sphere" learns from them
    reading: dict[str, Any] | None = None  # how the file was read that they come from, as the certificate records it
    doubted: tuple[Doubted, ...] = ()  # the columns of that file that a verdict should not rest on
    labels: tuple[
        Any, ...
    ] = ()  # all k, where the digest is that of k classes: of a pair among them, or of all at once
    names: Any = field(default=None, compare=False)  # of the columns, where they have names: a certificate has none

    def column(self, j: int) -> str:
        """A coordinate of the rows in a sentence."""
        if j == self.d:
            return "the intercept"
        return f"column {j}" if self.names is None else column_name(str(self.names[j]))

    @property
    def sides(self) -> str:
        """Which label against which, in words."""
        if not self.against:
            return f"{len(self.labels):,} labels at once"
        others = [_shown(label) for label in self.against[:SHOWN]]
        if len(self.against) > SHOWN:
            others[-1] = f"{len(self.against) - SHOWN + 1:,} other labels"
        return f"{_shown(self.positive)} against {listed(others)}"

    @property
    def division(self) -> str:
        """The same with the constant coordinate."""
        return f"{self.sides}, {self.coordinate}"

    @property
    def coordinate(self) -> str:
        constant = self.constant if self.sphere is None else self.sphere
        words = f"with the constant coordinate {_short(constant)}" if constant else ORIGIN
        return words if self.sphere is None else f"{words}, each row divided by its norm"

    @property
    def learner(self) -> str:
        """The Perceptron that sees these rows."""
        constant = self.constant if self.sphere is None else self.sphere
        words = f"intercept_scaling={_short(constant)}" if constant else "fit_intercept=False"
        return f"Perceptron({words})" if self.sphere is None else f"Perceptron(scale='sphere', {words})"

    @property
    def learner_in_a_shell(self) -> str:
        """The same, as the command line takes it."""
        constant = self.constant if self.sphere is None else self.sphere
        words = f"-s intercept_scaling={_short(constant)}" if constant else "-s fit_intercept=false"
        return f"a Perceptron ({words})" if self.sphere is None else f"a Perceptron (-s scale=sphere {words})"


@dataclass(frozen=True, eq=False, repr=False)
class Proof(ABC):
    about: About
    passes: int  # over the data

    verdict: ClassVar[str]

    @property
    def _kind(self) -> str:
        """Of certificate."""
        return self.verdict

    def to_json(self) -> str:
        """The certificate: small, and checkable without this library (docs/certificate.md has the format)."""
        return written(self._kind, self.about, self._claims())

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the certificate; nothing half-written is left behind."""
        atomic.write(path, [self.to_json().encode("utf-8")])

    def of_a_pair(self) -> dict[str, Any]:
        """The same as one of the pairs of a certificate of all pairs: vectors without their zeros."""
        named = {"positive": nameable(self.about.positive), "against": nameable(self.about.against[0])}
        claims = self._claims()
        for name in {"separator", "weak"} & claims.keys():
            columns = [j for j, x in enumerate(claims[name]) if x != 0]
            claims[name] = {"columns": columns, "weights": [claims[name][j] for j in columns]}
        return named | {"kind": self.verdict} | claims

    @abstractmethod
    def _claims(self) -> dict[str, Any]:
        """What the certificate says beside what it is about."""

    @abstractmethod
    def _finding(self) -> str:
        """What was found, in half a line."""

    @abstractmethod
    def _picture(self) -> Html:
        """The same to look at."""

    @abstractmethod
    def _details(self) -> list[tuple[str, object]]:
        """What else is known, by name."""

    def __repr__(self) -> str:
        about = self.about
        return f"<{type(self).__name__}: {about.sides}, {counted(about.n, 'row')}; {self._finding()}>"

    def _repr_html_(self) -> str:
        return card(self.verdict.capitalize(), self.about.sides, *self._content(), in_words(self))

    def _content(self) -> tuple[Html, Html]:
        about = self.about
        known = [("Rows", f"{about.n:,} of {counted(about.d, 'column')}, {about.coordinate}"), *self._details()]
        return self._picture(), facts(known)

    def _vector(self, w: Sequence[int]) -> list[int | str]:
        """Through the origin the constant coordinate is not there, and neither is its weight."""
        return [in_json(x) for x in (w if self.about.constant else w[:-1])]


@dataclass(frozen=True, eq=False, repr=False)
class Separable(Proof):
    """A separator exists, and the best margin lies between ``margin[0]`` and ``margin[1]``."""

    margin: tuple[float, float]
    radius: float
    w: tuple[int, ...]  # the separator, the constant coordinate last
    rows: NDArray[np.int64]  # the support, whose combination with `weights` proves the upper end
    weights: tuple[int, ...]
    closest: int  # the row with the smallest margin
    separation: str | None = None  # "complete", if it was asked

    verdict: ClassVar[str] = "separable"
    coefficients: ClassVar[None] = None  # there is no estimate: every separator is a way to its supremum

    @cached_property
    def coef(self) -> NDArray[np.float64]:
        """w as floats of which the largest is between 1/2 and 1."""
        return self._floats[:-1]

    @property
    def last(self) -> float:
        """The weight of the constant coordinate, on the scale of ``coef``."""
        return float(self._floats[-1])

    @property
    def intercept(self) -> float:
        return self.last * self.about.constant

    @cached_property
    def _floats(self) -> NDArray[np.float64]:
        unit = 1 << max(abs(x).bit_length() for x in self.w)
        return np.array([nearest(Fraction(x, unit)) for x in self.w])

    @property
    def mistake_bound(self) -> float:
        """(R / lower)^2: a Perceptron with this constant makes no more mistakes on these rows, in any order.

        This is Novikoff's theorem, for updates that are not rounded.
        """
        return round_up(self._bound)

    @property
    def most_mistakes(self) -> int | None:
        """Of `novikoff.Perceptron`, which rounds w to float64 after each update; None from 2^49 on."""
        bound = self._bound
        return math.floor(bound / (1 - bound / 2**50)) if bound < 2**49 else None

    @property
    def promise(self) -> str:
        """Whose mistakes are bounded, and by how many."""
        learner = f"{told(self.about.learner, self.about.learner_in_a_shell)}, from w = 0"
        most = self.most_mistakes
        if most is None:
            bound = self.mistake_bound
            shown = repr(bound) if math.isfinite(bound) else f"10^{len(str(math.ceil(self._bound)))}"
            return f"{learner}, would make at most {shown} mistakes on these rows if w were not rounded"
        return f"{learner}, makes at most {most:,} mistakes on these rows, in any order"

    @property
    def rests_on(self) -> tuple[Doubted, ...]:
        """The columns of the file that may name the rows, or are not what they seem, and that w gives weight to."""
        return tuple(doubted for doubted in self.about.doubted if any(self.w[place] for place in doubted.features))

    @property
    def _bound(self) -> Fraction:
        return (Fraction(self.radius) / Fraction(self.margin[0])) ** 2

    @cached_property
    def euclidean_margin(self) -> float:
        """The distance from the hyperplane to the nearest example in the original space, rounded down."""
        length_sq = sum(x * x for x in self.w)
        flat_sq = length_sq - self.w[-1] ** 2
        return sqrt_down(Fraction(self.margin[0]) ** 2 * length_sq / flat_sq) if flat_sq else float("inf")

    def _claims(self) -> dict[str, Any]:
        return {
            "separator": self._vector(self.w),
            "combination": _combination(self.rows, self.weights),
            "margin": list(self.margin),
            "radius": self.radius,
            "closest": self.closest,
        }

    def _finding(self) -> str:
        return f"the best margin is {between(self.margin)}"

    def _picture(self) -> Html:
        return bracket(*self.margin)

    def _details(self) -> list[tuple[str, object]]:
        most = self.most_mistakes
        apart = self.about.constant and math.isfinite(self.euclidean_margin)
        return [
            ("Best margin", f"{between(self.margin)}, with R = {self.radius:.6g}"),
            ("In the original space", f"the closest example is {self.euclidean_margin:.6g} away" if apart else ""),
            (f"Mistakes of {self.about.learner}", "" if most is None else f"at most {most:,}, in any order"),
            ("Proved by", f"{counted(len(self.rows), 'row')}; row {self.closest} is the closest"),
            ("Careful", " ".join(self._doubts())),
        ]

    def __str__(self) -> str:
        lower, upper = self.margin
        proving = f"{counted(len(self.rows), 'row')} {agreeing(len(self.rows), 'proves', 'prove')} the upper end"
        lines = [
            f"Separable: a hyperplane puts all {self.about.n:,} rows on their sides, {self.about.division}.",
            f"The best margin is at least {lower:.6g} (this one has it) and at most {upper:.6g}, "
            f"with R = {self.radius:.6g}" + (", the constant coordinate included." if self.about.constant else "."),
            f"So {self.promise}.",
            f"Row {self.closest}, counted from 0, is the closest; {proving}.",
            *self._doubts(),
            DECIMALS,
        ]
        if self.separation is not None:
            lines.insert(1, COMPLETE)
        if self.about.constant:
            lines.insert(
                2 if self.separation is None else 3,
                f"In the original space the closest example is {self.euclidean_margin:.6g} away.",
            )
        return "\n".join(lines)

    def _doubts(self) -> list[str]:
        """What to think of a separator that may tell the rows apart by their names."""
        found = self.rests_on
        if not found:
            return []
        columns = [f"{column_name(doubted.column)} ({DOUBTS[doubted.why]})" for doubted in found]
        shown = [*columns[:SHOWN], f"{len(columns) - SHOWN:,} more"] if len(columns) > SHOWN else columns
        if all(doubted.droppable for doubted in found):
            without = f"by {said('drop', [doubted.column for doubted in found[:SHOWN]])}"
            without += " and so on" if len(found) > SHOWN else ""
        else:
            without = f"with a file that leaves {agreeing(len(found), 'it', 'them')} out"
        return [f"This separator uses {listed(shown)}: ask without, {without}, whether it rests on that."]


@dataclass(frozen=True, eq=False, repr=False)
class NotSeparable(Proof):
    """No separator exists: the rows with these weights cancel exactly, sum of weights * y * (x, constant) == 0.

    They are to blame together: without any one of them the others can be separated. A smaller such set may exist.
    """

    rows: NDArray[np.int64]
    weights: tuple[int, ...]
    weak: tuple[int, ...] | None  # w with y<w,x> >= 0 on every row and > 0 on some
    at_zero_positive: bool  # the weak w is right on every row if 0 counts as +1
    contradiction: bool  # two rows with the same x and different labels
    origin_only: bool  # it is about hyperplanes through the origin, and with a constant these rows do not cancel
    detail: Detail | None = None  # what `separation=True` found
    unanswered: str | None = None  # why it found nothing

    verdict: ClassVar[str] = "not separable"
    margin: ClassVar[tuple[float, float]] = (0.0, 0.0)

    @property
    def separation(self) -> str | None:
        """ "quasi-complete" or "overlap"; None where it was not asked, or is not known."""
        return None if self.detail is None else self.detail.kind

    @property
    def coefficients(self) -> tuple[str, ...] | None:
        """What becomes of each coefficient of a logistic regression without a penalty, that of the constant last.

        "finite"; "+infinity" or "-infinity"; "not determined" by the likelihood; or "dependent", if linear relations
        between the columns leave it open. None where `separation` is.
        """
        return None if self.detail is None else self.detail.coefficients

    @property
    def relations(self) -> tuple[dict[int, int], ...]:
        """The linear relations between the columns, each by its coefficients: their sums are 0 on every row."""
        return () if self.detail is None else self.detail.all_rows.kernel

    @property
    def _kind(self) -> str:
        return self.separation or self.verdict

    def _claims(self) -> dict[str, Any]:
        if self.detail is not None:
            return {"combination": _combination(self.rows, self.weights)} | self.detail.claims(in_json)
        claims: dict[str, Any] = {"combination": _combination(self.rows, self.weights)}
        if self.weak is not None:
            claims["weak"] = self._vector(self.weak)
        return claims

    def _finding(self) -> str:
        if self.contradiction:
            return f"rows {self.rows[0]} and {self.rows[1]} hold the same example with different labels"
        if len(self.rows) == 1:
            return f"row {self.rows[0]} is zero"
        return f"{len(self.rows):,} rows with positive weights add up to zero"

    def _picture(self) -> Html:
        most = max(self.weights)
        shares = sorted((float(Fraction(weight, most)) for weight in self.weights), reverse=True)
        return bars(shares, f"The weights of {counted(len(shares), 'row')}, the heaviest first.")

    def _details(self) -> list[tuple[str, object]]:
        most = max(self.weights)
        size = f"{most:,}" if most < 10**6 else f"{most.bit_length():,} bits"
        weakly = "some w has y<w,x> >= 0 on every row, and not 0 throughout"
        return [
            ("Proved by", self._finding()),
            ("Largest weight", size),
            ("Weakly separable", weakly if self.weak is not None else ""),
            ("Separation", " ".join(self._separation())),
        ]

    def _separation(self) -> list[str]:
        if self.unanswered is not None:
            return [f"Whether it is quasi-complete separation or overlap is not decided: {self.unanswered}."]
        return (
            [] if self.detail is None else self.detail.sentences(self.about.n, self.about.constant, self.about.column)
        )

    def __str__(self) -> str:
        lines = [f"Not separable: no hyperplane puts all {self.about.n:,} rows on their sides, {self.about.division}."]
        if self.contradiction:
            i, j = self.rows[:2]
            lines.append(f"Rows {i} and {j}, counted from 0, hold the same example with different labels.")
        elif len(self.rows) == 1:
            lines.append(f"Row {self.rows[0]}, counted from 0, is zero: it has y<w,x> = 0, whatever w is.")
        else:
            most = max(self.weights)
            size = str(most) if most < 10**6 else f"{most.bit_length():,} bits"
            lines.append(
                f"{len(self.rows)} rows, with positive integer weights of up to {size}, "
                "add up to exactly zero: whatever w is, one of them has y<w,x> <= 0."
            )
        lines += self._separation()
        if self.weak is not None and self.detail is None:
            lines.append("Weakly separable: some w has y<w,x> >= 0 on every row, and not 0 throughout.")
        if self.at_zero_positive:
            lines.append(f"With {setting('at_zero', 'positive')} (0 counts as +1) that w makes no mistake.")
        if self.origin_only and self.about.sphere is None:
            how = told("ask with fit_intercept=True", "ask without --no-intercept and -s fit_intercept=false")
            lines.append(f"A hyperplane beside the origin may separate them: {how}.")
        lines.append(DECIMALS)
        return "\n".join(lines)


@dataclass(frozen=True, eq=False, repr=False)
class Undecided(Proof):
    """The budget ran out, or Ctrl-C came. ``margin`` is what is known by then; it cannot be verified.

    Of a soft margin, ``objective`` is what is known of its optimum.
    """

    margin: tuple[float, float]
    why: str
    objective: tuple[float, float] | None = None

    verdict: ClassVar[str] = "undecided"
    separation: ClassVar[None] = None
    coefficients: ClassVar[None] = None

    def _claims(self) -> dict[str, Any]:
        raise ValueError(f"an undecided verdict proves nothing, so there is nothing to save or verify ({self.why})")

    def _finding(self) -> str:
        return self.why

    def _picture(self) -> Html:
        return bracket(*self.margin) if self.objective is None else Html()

    def _details(self) -> list[tuple[str, object]]:
        if self.objective is None:
            return [("Best margin", between(self.margin)), ("Because", self._finding())]
        lower, upper = self.objective
        return [("Optimum", f"at least {lower:.6g}, at most {upper:.6g}"), ("Because", self._finding())]

    def __str__(self) -> str:
        lower, upper = self.margin
        best = f"the best w so far has {lower:.6g}" if math.isfinite(lower) else "no w has been found"
        most = f"No separator has a margin above {upper:.6g}" if math.isfinite(upper) else "No bound is known"
        known = f"{most}; {best}"
        if self.objective is not None:
            known = f"The optimum is at least {self.objective[0]:.6g} and at most {self.objective[1]:.6g}"
        return (
            f"Undecided, {self.about.division}: {self.why} after {counted(self.passes, 'pass')}. {known}.\n"
            + self._cure()
            + ": then the answer is a proof."
        )

    def _cure(self) -> str:
        if self.why == FLOATS_END:
            return told("Take a smaller C, or a wider gap", "Take a smaller --C, or a wider --gap")
        return told(
            "Allow more passes or seconds, or ask for a wider gap", "Allow more --max-seconds, or a wider --gap"
        )


Verdict = Separable | NotSeparable | Undecided


@dataclass(frozen=True, repr=False)
class RunProof:
    """A run tied to its theorem: updates <= bound, with the separator of ``proof`` as the witness.

    Of a learner whose theorem bounds mistakes alone (``of``), mistakes <= bound.
    """

    proof: Verdict | JointVerdict
    mistakes: int
    updates: int
    bound: int | None  # what the theorem allows; None where it promises nothing
    of: str = "updates"  # what it bounds

    def __repr__(self) -> str:
        allowed = "no number" if self.bound is None else f"{self.bound:,} {self.of}"
        return f"<RunProof: {self._made()}; the theorem allows {allowed}; {self.proof!r}>"

    def _made(self) -> str:
        return f"{counted(self.mistakes, 'mistake')} and {counted(self.updates, 'update')}"

    def _repr_html_(self) -> str:
        bounded = self.mistakes if self.of == "mistakes" else self.updates
        return card(
            "A run and its theorem",
            self.proof.about.sides,
            share(bounded, self.bound, self.of.removesuffix("s")),
            facts([("The run made", self._made()), ("The rows are", self.proof.verdict)]),
            *self.proof._content(),
            in_words(self),
        )

    def __str__(self) -> str:
        counts = f"The run made {self.mistakes:,} mistakes and {self.updates:,} updates"
        if self.bound is None:
            separable = self.proof.margin[0] > 0 and not isinstance(self.proof, Undecided)
            case = "with so small a margin and rounded w" if separable else "without a separator"
            return f"{self.proof}\n{counts}; {case} the theorem promises nothing."
        allowed = f"{self.bound:,}" + (" mistakes" if self.of == "mistakes" else "")
        return f"{self.proof}\n{counts}; with this separator the theorem allows {allowed}. Verified exactly."


def written(kind: str, about: About, claims: dict[str, Any]) -> str:
    """The certificate, as it stands in its file."""
    return json.dumps(record(kind, about, claims), allow_nan=False) + "\n"


def record(kind: str, about: About, claims: dict[str, Any]) -> dict[str, Any]:
    found = {
        "format": FORMAT,
        "kind": kind,
        **_labels(about),
        "constant": about.constant.hex() if about.constant else ORIGIN,
        "rows": about.n,
        "columns": about.d,
        "digest": about.digest,
        **claims,
    }
    return found if about.reading is None else found | {"reading": about.reading}


def _labels(about: About) -> dict[str, Any]:
    """Which labels it is about, as the certificate names them."""
    if not about.against:
        return {"labels": [nameable(label) for label in about.labels]}
    if about.labels:
        raise ValueError(
            f"this verdict on {about.sides} is one of many: save the table of all of them, whose file proves each, or "
            "ask for this one alone, with certify of the rows of its two labels"
        )
    against = [nameable(label) for label in about.against]
    return {"positive": nameable(about.positive), "against": against[0] if len(against) == 1 else against}


class NotSeparableError(ValueError):
    """The data have no separator; ``proof`` shows it."""

    def __init__(self, proof: NotSeparable) -> None:
        super().__init__(f"{proof}\nUse a finite C for a soft margin: {setting('C', 1.0)}.")
        self.proof = proof


def plain(label: Any) -> Any:
    """A Python value for a NumPy bool, number or text; whatever else it is stays as it is (a date would be an int)."""
    return label.item() if isinstance(label, np.generic) and label.dtype.kind in "biufU" else label


def nameable(label: Any) -> Label:
    """The label as a certificate writes it; ValueError, with the cure, if it cannot."""
    value = plain(label)
    if type(value) in (str, bool) or (type(value) in (int, float) and abs(value) < 2**1024):
        return value  # type: ignore[no-any-return]  # mypy does not follow `type(value) in`
    if _is_missing(value):
        cure = "leave out the rows without a label"
    elif type(value) in (int, float):
        cure = "use a finite number below 2^1024, or text"
    else:
        cure = "convert the labels to text, for example with y.astype(str)"
    raise ValueError(f"a certificate cannot name the label {_shown(value)}: {cure}")


def _is_missing(value: Any) -> bool:
    try:
        return value is None or bool(value != value)
    except TypeError:  # pandas.NA
        return True
    except ValueError:  # an array
        return False


def _shown(label: Any) -> str:
    text = repr(plain(label))
    return text if len(text) <= 60 else text[:57] + "..."


def _short(x: float) -> str:
    """Without a point where it is an integer of few digits; with all digits that it needs."""
    return f"{x:g}" if float(f"{x:g}") == x else repr(x)


def _combination(rows: NDArray[np.int64], weights: Sequence[int]) -> dict[str, Any]:
    return {"rows": rows.tolist(), "weights": [in_json(x) for x in weights]}


def in_json(x: int) -> int | str:
    """JSON readers are sure of integers below 2^53 alone; larger ones travel in hexadecimal."""
    return x if abs(x) < 2**53 else hex(x)
