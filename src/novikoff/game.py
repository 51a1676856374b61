"""The online protocol: predict, see the true label, update; and what the proof says of the run."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Protocol, runtime_checkable

from novikoff.theory import bound_from_start, update_bound
from novikoff.theory.exact import Number, nearest, rational, sqrt_down, sqrt_up

Row = Mapping[Hashable, float]
Exact = dict[Hashable, Fraction]
CONSTANT = None  # the name of the constant coordinate
ORDINARY = 2.0**-900  # sums of products between this and its inverse neither overflow nor underflow


class Learner(Protocol):
    """Anything that predicts and learns one example at a time."""

    def predict_one(self, x: Any) -> Any: ...
    def learn_one(self, x: Any, y: Any) -> Any: ...


@runtime_checkable
class Linear(Protocol):
    """A learner whose weights can be followed."""

    def predict_one(self, x: Any) -> Any: ...
    def learn_one(self, x: Any, y: Any) -> Any: ...
    def sign_of(self, y: Any) -> int: ...
    def row_of(self, x: Any) -> Row: ...
    def weights(self, names: Iterable[Hashable] | None = None) -> Row: ...


@dataclass(frozen=True)
class Transcript:
    """What happened in a game.

    Attributes
    ----------
    rounds, mistakes : int
    mistake_rounds : list of int
        The rounds, from 0, in which the prediction was wrong.
    bound : int or None
        The most mistakes that the theorem allows: the learner's own bound where it has one, that of
        the witness for a linear learner, else None.
    updates, update_rounds : int and list of int, or None
        For a linear learner: how many, and in which rounds.
    norm_sq, inner, potential : list of float
        After each update: ||w||^2; and with a witness (taken at length 1) <w,w*> and <w,w*>/||w||.
    radius, margin : float or None
        R and the witness's gamma over the stream, rows as learned from. ``radius_sq`` and ``margin_sq``
        are exact; gamma <= 0 means that the witness does not separate the stream (``margin_sq`` is then 0).
    threshold, start_sq : Fraction or None
        With a witness: the learner's theta at the end (0 but for a margin learner), and ||w||^2 before the first round.
    inequalities_held : bool or None
        Did every update add at least gamma to <w,w*>, and at most ||x||^2 + 2 theta to ||w||^2? Checked in
        rationals on a w that is carried exactly. None without a witness that separates the stream.
    exact : bool or None
        Was the learner's float w always equal to that exact w? If not, the second inequality was
        checked up to twice |x| times the proved rounding of w.
    """

    rounds: int
    mistakes: int
    mistake_rounds: list[int]
    bound: int | None
    updates: int | None = None
    norm_sq: list[float] = field(default_factory=list)
    inner: list[float] = field(default_factory=list)
    potential: list[float] = field(default_factory=list)
    radius_sq: Fraction | None = None
    margin_sq: Fraction | None = None
    radius: float | None = None
    margin: float | None = None
    inequalities_held: bool | None = None
    exact: bool | None = None
    update_rounds: list[int] | None = None
    threshold: Fraction | None = None
    start_sq: Fraction | None = None

    def __str__(self) -> str:
        allowed = "" if self.bound is None else f"; the theorem allows {self.bound:,}"
        text = f"{self.rounds:,} rounds, {self.mistakes:,} mistakes{allowed}"
        if self.inequalities_held is not None:
            how = "exactly" if self.exact else "up to the rounding of w"
            verdict = "held" if self.inequalities_held else "FAILED"
            text += f"; both inequalities of the proof {verdict} at every update, {how}"
        elif self.margin is not None:
            text += "; the witness does not separate the stream"
        return text


def play(
    learner: Learner,
    stream: Iterable[tuple[Any, Any]],
    witness: Sequence[Number] | Mapping[Hashable, Number] | None = None,
) -> Transcript:
    """Let a learner predict, reveal the label, let it learn; count, and check the proof if there is a witness.

    Parameters
    ----------
    learner : anything with ``predict_one`` and ``learn_one``
    stream : pairs (x, y), of any length
    witness : w* for a linear learner: d weights, or d + 1 with that of the constant coordinate last, or
        a dict from feature to weight (the constant under None). Its length does not matter.

    Examples
    --------
    >>> from novikoff import Perceptron, play
    >>> e1, e2 = [1.0, 0.0], [0.0, 1.0]
    >>> run = play(Perceptron(fit_intercept=False), [(e1, 1), (e2, -1), (e1, 1)], witness=[1, -1])
    >>> run.mistakes, run.bound, run.mistake_rounds
    (2, 2, [0, 1])
    >>> print(run)
    3 rounds, 2 mistakes; the theorem allows 2; both inequalities of the proof held at every update, exactly
    """
    follower = _Follower(learner, witness) if isinstance(learner, Linear) else None
    if witness is not None and follower is None:
        raise TypeError(f"a witness is for linear learners; {type(learner).__name__} does not show its weights")
    rounds = 0
    wrong: list[int] = []
    for x, y in stream:
        truth = learner.sign_of(y) if follower and isinstance(learner, Linear) else y
        if learner.predict_one(x) != truth:
            wrong.append(rounds)
        learner.learn_one(x, y)
        if follower:
            follower.see(x, int(truth), rounds)
        rounds += 1
    own = getattr(learner, "bound", None)
    known = {} if follower is None else follower.report()
    if isinstance(own, int):
        known["bound"] = own
    return Transcript(rounds, len(wrong), wrong, known.pop("bound", None), **known)


class _Follower:
    """Follows the weights of a linear learner through a game."""

    def __init__(self, learner: Linear, witness: Sequence[Number] | Mapping[Hashable, Number] | None) -> None:
        self._learner = learner
        self._given = witness
        self._witness: Exact | None = None
        self._updates = self._count()
        self.update_rounds: list[int] = []
        self.norm_sq: list[float] = []
        self.inner: list[float] = []
        self.potential: list[float] = []
        # with a witness, in rationals
        self._w: Exact = (
            {name: Fraction(value) for name, value in learner.weights().items()} if witness is not None else {}
        )
        self._start = sum((a * a for a in self._w.values()), Fraction(0))
        self._length_sq = self._start
        self._along = Fraction(0)  # <w - w0, w*>
        self._rounding: Exact = {}  # a bound on |float w - exact w|, by coordinate
        self._radius_sq = Fraction(0)
        self._worst: Fraction | None = None
        self._least_gain: Fraction | None = None
        self._grew_enough = True
        self._exact = True

    def _count(self) -> int:
        return int(getattr(self._learner, "updates_", 0))

    def _theta(self) -> Fraction:
        return Fraction(float(getattr(self._learner, "threshold_", 0.0)))

    def see(self, x: Any, y: int, at: int) -> None:
        """After the learner has learned (x, y) in round ``at``."""
        updated = self._count() > self._updates
        self._updates = self._count()
        if updated:
            self.update_rounds.append(at)
        if self._given is None:
            if updated:
                self.norm_sq.append(sum(a * a for a in self._learner.weights().values()))
            return
        row = self._learner.row_of(x)
        if self._witness is None:
            self._witness = _by_name(self._given, row, int(getattr(self._learner, "n_features_in_", len(row) - 1)))
        self._measure(row, y)
        if updated:
            self._follow({name: Fraction(value) for name, value in row.items()}, y)

    def _measure(self, row: Row, y: int) -> None:
        """R and gamma over all rounds; rationals only for rows that floats cannot rule out."""
        assert self._witness is not None
        slack = 2.0**-50 * (len(row) + 2)
        square = sum(a * a for a in row.values())
        if not (ORDINARY < square < 1 / ORDINARY and square * (1 + slack) < self._radius_sq):
            self._radius_sq = max(self._radius_sq, sum((Fraction(a) ** 2 for a in row.values()), Fraction(0)))
        terms = [float(self._witness.get(name, 0)) * a * y for name, a in row.items()]
        size = sum(map(abs, terms))
        if self._worst is None or not (ORDINARY < size < 1 / ORDINARY and sum(terms) - slack * size > self._worst):
            margin = y * sum(
                (self._witness.get(name, Fraction(0)) * Fraction(a) for name, a in row.items()), Fraction(0)
            )
            self._worst = margin if self._worst is None else min(self._worst, margin)

    def _follow(self, row: Exact, y: int) -> None:
        """One update of the exact w, and the two inequalities of the proof."""
        assert self._witness is not None
        product = y * sum((self._w.get(name, Fraction(0)) * x for name, x in row.items()), Fraction(0))
        rounding = sum((self._rounding.get(name, Fraction(0)) * abs(x) for name, x in row.items()), Fraction(0))
        if product > self._theta() + rounding:
            self._grew_enough = False
        gain = y * sum((self._witness.get(name, Fraction(0)) * x for name, x in row.items()), Fraction(0))
        self._least_gain = gain if self._least_gain is None else min(self._least_gain, gain)
        self._length_sq += 2 * product + sum((x * x for x in row.values()), Fraction(0))
        self._along += gain
        floats = self._learner.weights(row)
        for name, x in row.items():
            self._w[name] = self._w.get(name, Fraction(0)) + y * x
            difference = abs(Fraction(floats[name]) - self._w[name])
            if difference or name in self._rounding:
                self._exact = False
                # one addition rounds by at most half a unit in the last place
                self._rounding[name] = self._rounding.get(name, Fraction(0)) + Fraction(math.ulp(floats[name])) / 2
                if difference > self._rounding[name]:
                    self._grew_enough = False
        witness_sq = sum((a * a for a in self._witness.values()), Fraction(0))
        self.norm_sq.append(nearest(self._length_sq))
        self.inner.append(_signed_root(self._along, witness_sq))
        self.potential.append(_signed_root(self._along, witness_sq * self._length_sq) if self._length_sq else 0.0)

    def report(self) -> dict[str, Any]:
        """The fields of a `Transcript`."""
        known: dict[str, Any] = {
            "updates": len(self.update_rounds),
            "update_rounds": self.update_rounds,
            "norm_sq": self.norm_sq,
        }
        if self._witness is None or self._worst is None:
            return known
        length_sq = sum((a * a for a in self._witness.values()), Fraction(0))
        separates = self._worst > 0
        margin_sq = self._worst**2 / length_sq
        gamma = sqrt_down(margin_sq) if separates else -sqrt_up(margin_sq)
        known.update(
            inner=self.inner,
            potential=self.potential,
            radius_sq=self._radius_sq,
            margin_sq=margin_sq if separates else Fraction(0),
            radius=sqrt_up(self._radius_sq),
            margin=gamma,
            inequalities_held=self._grew_enough and (self._least_gain is None or self._least_gain >= self._worst)
            if separates
            else None,
            exact=self._exact,
            threshold=self._theta(),
            start_sq=self._start,
        )
        if separates:
            known["bound"] = (
                update_bound(self._radius_sq, margin_sq, self._theta())
                if self._start == 0
                else bound_from_start(self._radius_sq, Fraction(gamma), Fraction(sqrt_up(self._start)), self._theta())
            )
        return known


def _signed_root(a: Fraction, b: Fraction) -> float:
    """a / sqrt(b)."""
    return math.copysign(sqrt_down(a * a / b), a)


def _by_name(witness: Sequence[Number] | Mapping[Hashable, Number], row: Row, width: int) -> Exact:
    """The witness as a dict over the names of a row's coordinates, its largest weight between 1 and 2."""
    if isinstance(witness, Mapping):
        named = {name: rational(value) for name, value in witness.items()}
    else:
        if not all(name is CONSTANT or isinstance(name, int) for name in row):
            raise ValueError("the examples are dicts, so the witness must be one, too: feature -> weight")
        if len(witness) not in (width, width + 1):
            raise ValueError(
                f"the witness has {len(witness)} weights; the examples have {width} features and a constant coordinate"
            )
        names: list[Hashable] = [*range(width), CONSTANT]
        named = {name: rational(value) for name, value in zip(names, witness, strict=False)}
    if not any(named.values()):
        raise ValueError("the witness is zero: it must point somewhere")
    largest = max(abs(value) for value in named.values())
    scale = Fraction(2) ** (largest.denominator.bit_length() - largest.numerator.bit_length())
    return {name: value * scale for name, value in named.items()}
