"""The online protocol: predict, see the true label, update; and what the proof says of the run."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Protocol, cast, runtime_checkable

from novikoff.engine.rule import Facts, Rule
from novikoff.theory import (
    bound_from_start,
    deviation_bound,
    float_bound,
    float_bound_from_start,
    regret_bound,
    update_bound,
)
from novikoff.theory.exact import Number, nearest, rational, sqrt_down, sqrt_up
from novikoff.views import card, facts, in_words, steps
from novikoff.words import counted

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

    def sign_one(self, x: Any) -> int: ...
    def learn_one(self, x: Any, y: Any) -> Any: ...
    def _sign_of(self, y: Any) -> int: ...
    def _row_of(self, x: Any) -> Row: ...
    def weights(self, names: Iterable[Hashable] | None = None) -> Row: ...


@dataclass(frozen=True, repr=False)
class Transcript:
    """What happened in a game.

    Attributes
    ----------
    rounds, mistakes : int
    mistake_rounds : list of int
        The rounds, from 0, in which the prediction was wrong.
    bound : int or None
        The most mistakes that the theorem allows: the learner's own bound where it has one, that of
        the witness for a linear learner (`novikoff.theory.ROUNDED` unless ``exact``), else None.
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
        Did the learner do what the proof is about? Every update was due, y<w,x> <= theta; was w + yx, to the nearest
        floats; and added at least gamma to <w,w*>, and at most ||x||^2 + 2 theta to ||w||^2. Every mistake was an
        update, and every count is right. Checked in rationals on the learner's own w, before and after each
        round. None without a witness that separates the stream. Of a learner whose steps have other lengths the same
        for w + step yx with the step of its rule; and one whose theorem bounds mistakes also came closer to w*/gamma
        with every update, but for the rounding of w.
    failures : tuple of str
        Where it did not: the first round of each kind.
    regret, deviations : int or None
        How many updates the two theorems for any data, separable or not, allow such a run (`novikoff.theory.REGRET`,
        `DEVIATIONS`), by what the witness loses on the rows of the updates. Here its length matters: y<w*,x> >= 1 is
        no loss. Both are checked: more updates would be a failure. None where steps have other lengths, if the learner
        did not start from w = 0, and where nothing is promised for rounded weights.
    inequalities : str
        What was checked, in words.
    exact : bool or None
        Was every update exactly w + yx? If not, the inequalities were checked up to half a unit in the last place
        of each entry of w, and ``bound`` is that for rounded weights.
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
    failures: tuple[str, ...] = ()
    regret: int | None = None
    deviations: int | None = None
    inequalities: str = "both inequalities"

    def __repr__(self) -> str:
        allowed = "" if self.bound is None else f"; the theorem allows {self.bound:,}"
        return f"<Transcript: {self._made()}{allowed}>"

    def _made(self) -> str:
        return f"{counted(self.rounds, 'round')}, {counted(self.mistakes, 'mistake')}"

    def _repr_html_(self) -> str:
        held = {True: "held at every update", False: "did not hold at every update", None: ""}[self.inequalities_held]
        margin = "" if self.margin is None else f"{self.margin:.6g}, on rows of norm at most {self.radius:.6g}"
        known: list[tuple[str, object]] = [
            ("Mistakes", f"{self.mistakes:,} in {counted(self.rounds, 'round')}"),
            ("Updates", "" if self.updates is None else f"{self.updates:,}"),
            ("The theorem allows", "" if self.bound is None else f"{self.bound:,}"),
            ("Margin of the witness", margin),
            (self.inequalities.capitalize(), held),
        ]
        curve = steps(self.mistake_rounds, self.rounds, self.bound, "mistake")
        return card("Transcript", self._made(), curve, facts(known), in_words(self))

    def __str__(self) -> str:
        text = f"{self.rounds:,} rounds, {self.mistakes:,} mistakes"
        if self.bound is not None:
            text += f"; the theorem allows {self.bound:,}" + (" for rounded weights" if self.exact is False else "")
        elif self.inequalities_held is not None:
            text += "; the theorem allows any number for rounded weights, since without rounding it allows 2^49 or more"
        if self.inequalities_held:
            how = "exactly" if self.exact else "up to the rounding of w"
            text += f"; {self.inequalities} of the proof held at every update, {how}"
        elif self.margin is not None and self.inequalities_held is None:
            text += "; the witness does not separate the stream"
            if self.regret is not None and self.deviations is not None:
                text += (
                    f", and allows {self.regret:,} updates by its losses, {self.deviations:,} by their squares"
                    f" ({self.updates:,} were made)"
                )
        if self.failures:
            text += f"; the learner did NOT do what the proof is about: {'; '.join(self.failures)}"
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
        a dict from feature to weight (the constant under None). Its length matters for ``regret`` and ``deviations``
        alone, which need no separator.

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
        if isinstance(learner, Linear):
            said, truth = learner.sign_one(x), learner._sign_of(y)
        else:
            said, truth = learner.predict_one(x), y
        mistake = bool(said != truth)
        if mistake:
            wrong.append(rounds)
        learner.learn_one(x, y)
        if follower:
            follower.see(x, int(truth), rounds, mistake)
        rounds += 1
    known = follower.report() if follower else {}
    if not follower and callable(own := getattr(learner, "bound", None)):
        known["bound"] = own()
    return Transcript(rounds, len(wrong), wrong, known.pop("bound", None), **known)


class _Follower:
    """Follows the weights of a linear learner through a game."""

    def __init__(self, learner: Linear, witness: Sequence[Number] | Mapping[Hashable, Number] | None) -> None:
        self._learner = learner
        self._given = witness
        self._witness: Exact | None = None
        self._scale = Fraction(1)  # how many times what was given
        self._updates, self._mistakes = self._count("updates_"), self._count("mistakes_")
        self.update_rounds: list[int] = []
        self.norm_sq: list[float] = []
        self.inner: list[float] = []
        self.potential: list[float] = []
        # With a witness: the learner's own w, as it was when last looked at, and sums over its entries in rationals.
        self._w: dict[Hashable, float] = {} if witness is None else dict(learner.weights())
        self._start = sum((Fraction(a) ** 2 for a in self._w.values()), Fraction(0))
        self._length_sq = self._start
        self._along = Fraction(0)  # <w - w0, w*>
        self._radius_sq = Fraction(0)
        self._worst: Fraction | None = None
        self._least_gain: tuple[Fraction, int] | None = None  # the least that an update added to <w,w*>, and where
        self._exact = True
        self._products: list[tuple[Fraction, int]] = []  # y<w*,x> of each update
        self._longest_sq = Fraction(0)  # the largest ||x||^2 of an update
        self._moves: list[tuple[Fraction, Fraction, int]] = []  # what steps of other lengths added to ||w||^2, <w,w*>
        self._failures: dict[str, str] = {}  # the first round of each kind

    def _count(self, name: str) -> int:
        return int(getattr(self._learner, name, 0))

    def _theta(self) -> Fraction:
        return Fraction(float(getattr(self._learner, "threshold_", 0.0)))

    @property
    def _rule(self) -> Rule | None:
        """The learner's rule, if its steps are not all of length 1."""
        rule: Rule | None = getattr(self._learner, "_rule_in_use", None)
        return None if rule is None or (not rule.measures() and rule.step(0.0, 0.0, 1.0) == 1.0) else rule

    def _step(self, row: Row, y: int) -> float:
        """The step of the rule, from y<w,x> and ||x||^2 as it is given them: the nearest floats."""
        if self._rule is None:
            return 1.0
        product = sum((Fraction(self._w.get(name, 0.0)) * Fraction(x) for name, x in row.items()), Fraction(0))
        unit = getattr(self._learner, "scale", "none") == "sphere"
        square = 1.0 if unit else nearest(sum((Fraction(x) ** 2 for x in row.values()), Fraction(0)))
        return self._rule.step(nearest(y * product), square, 1.0)

    def _compare_distances(self, witness_sq: Fraction) -> None:
        """Did every update lead towards u = w*/gamma? Rounding may add 2^-48 (||u|| + ||w0||)^2."""
        assert self._worst is not None
        slack = (witness_sq / self._worst**2 + self._start) / 2**48
        for growth, gain, at in self._moves:
            self._require(growth - 2 * gain / self._worst <= slack, at, "w went away from w*/gamma")

    def _require(self, condition: bool, at: int, failure: str) -> None:
        if not condition:
            self._failures.setdefault(failure, f"in round {at} {failure}")

    def see(self, x: Any, y: int, at: int, mistake: bool) -> None:
        """After the learner has learned (x, y) in round ``at``, having predicted it wrongly or not."""
        counted = self._count("updates_") - self._updates
        self._updates += counted
        if counted:
            self.update_rounds.append(at)
        if self._given is None:
            if counted:
                self.norm_sq.append(sum(a * a for a in self._learner.weights().values()))
            return
        row = self._learner._row_of(x)
        if self._witness is None:
            width = int(getattr(self._learner, "n_features_in_", len(row) - 1))
            self._witness, self._scale = _by_name(self._given, row, width)
        self._measure(row, y)
        after = self._learner.weights(row)
        self._require(counted in (0, 1), at, "it did not count its updates one by one")
        self._require(counted > 0 or not mistake, at, "it made a mistake without an update")
        if hasattr(self._learner, "mistakes_"):
            counted_mistakes, self._mistakes = self._count("mistakes_") - self._mistakes, self._count("mistakes_")
            self._require(counted_mistakes == mistake, at, "it did not count its mistakes")
        if counted:
            self._follow(row, y, after, at)
        else:
            unchanged = all(value == self._w.get(name, 0.0) for name, value in after.items())
            self._require(unchanged, at, "w changed without an update")
        self._w.update(after)

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

    def _follow(self, row: Row, y: int, after: Row, at: int) -> None:
        """One update from w to ``after``: was it due, was it w + yx, and the two inequalities of the proof."""
        assert self._witness is not None
        step = self._step(row, y)  # w <- w + step y x
        length = Fraction(step)
        product = growth = size = gain = correct = Fraction(0)
        length_slack = gain_slack = Fraction(0)  # what the rounding of ``after`` can do to each
        added = True
        for name, value in row.items():
            w, x, now = Fraction(self._w.get(name, 0.0)), Fraction(value), Fraction(after[name])
            along = self._witness.get(name, Fraction(0))
            product += y * w * x
            correct += y * along * x
            size += x * x
            growth += now * now - w * w
            gain += (now - w) * along
            added &= after[name] == self._w.get(name, 0.0) + y * step * value
            if now != w + y * length * x:
                self._exact = False
                # now = v + e, where e is at most half a unit in the last place, and as much of the product step x:
                # now^2 <= v^2 + 2 |now| |e|.
                half = Fraction(math.ulp(after[name])) / 2
                if step != 1.0:
                    half += Fraction(math.ulp(step * value)) / 2
                length_slack += 2 * abs(now) * half
                gain_slack += abs(along) * half
        theta = self._theta()
        self._require(product <= theta, at, "it updated where y<w,x> > theta")
        due = "w + yx" if self._rule is None else "w + step yx with the step of its rule"
        self._require(added, at, f"w did not become {due}")
        most = length**2 * size + 2 * length * theta + length_slack
        self._require(growth <= most, at, "||w||^2 grew by more than ||x||^2 + 2 theta")
        if length and (self._least_gain is None or (gain + gain_slack) / length < self._least_gain[0]):
            self._least_gain = (gain + gain_slack) / length, at
        if self._rule is None:
            self._products.append((correct / self._scale, 1))
            self._longest_sq = max(self._longest_sq, size)
        else:
            self._moves.append((growth, gain, at))
        self._length_sq += growth
        self._along += gain
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
        if self._least_gain is not None:
            gain, at = self._least_gain
            self._require(gain >= self._worst, at, "<w,w*> grew by less than gamma")
        if self._rule is not None and self._rule.bounds() == "mistakes" and separates:
            self._compare_distances(length_sq)
            known["inequalities"] = "the inequalities"
        if self._rule is None and self._start == 0:
            known |= self._for_any_data(length_sq / self._scale**2)
        if dict(self._learner.weights()) != {name: value for name, value in self._w.items() if value}:
            self._failures["end"] = "at the end w has entries that no update has given it"
        known.update(
            inner=self.inner,
            potential=self.potential,
            radius_sq=self._radius_sq,
            margin_sq=margin_sq if separates else Fraction(0),
            radius=sqrt_up(self._radius_sq),
            margin=gamma,
            inequalities_held=not self._failures if separates else None,
            failures=tuple(self._failures.values()),
            exact=self._exact,
            threshold=self._theta(),
            start_sq=self._start,
        )
        if separates:
            known["bound"] = self._bound(margin_sq, gamma)
        return known

    def _for_any_data(self, witness_sq: Fraction) -> dict[str, int | None]:
        """What the witness allows by its losses on the updates; more of them than that would be a failure."""
        run = self._longest_sq, witness_sq, self._products, self._theta()
        allowed = {
            "regret": regret_bound(*run, rounded=not self._exact),
            "deviations": deviation_bound(*run, rounded=not self._exact),
        }
        for name, most in allowed.items():
            if most is not None and len(self._products) > most:
                self._failures[name] = f"it made more updates than the {name} of the witness allow"
        return allowed

    def _bound(self, margin_sq: Fraction, gamma: float) -> int | None:
        """What the theorem allows: Novikoff's, or the one for weights that were rounded; or that of another rule."""
        if self._rule is not None:
            start, made = Fraction(sqrt_up(self._start)), len(self.update_rounds)
            run = Facts(self._radius_sq, self._theta(), start, made, Fraction(0), not self._exact)
            return cast("int | None", self._rule.bound(Fraction(gamma), run))
        if self._start == 0:
            most = update_bound if self._exact else float_bound
            return most(self._radius_sq, margin_sq, self._theta())
        from_start = bound_from_start if self._exact else float_bound_from_start
        return from_start(self._radius_sq, Fraction(gamma), Fraction(sqrt_up(self._start)), self._theta())


def _signed_root(a: Fraction, b: Fraction) -> float:
    """a / sqrt(b)."""
    return math.copysign(sqrt_down(a * a / b), a)


def _by_name(witness: Sequence[Number] | Mapping[Hashable, Number], row: Row, width: int) -> tuple[Exact, Fraction]:
    """The witness as a dict over the names of a row's coordinates, its largest weight between 1 and 2; and how many
    times itself it then is.
    """
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
    return {name: value * scale for name, value in named.items()}, scale
