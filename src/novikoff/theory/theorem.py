"""What a theorem is here: a statement with its hypotheses, a bound, and a check in rationals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

from novikoff.theory.exact import Number, Vector, inner, rational, sqnorm, vector


@dataclass(frozen=True)
class Run:
    """A run of a linear learner in exact rationals: all that the theorems speak of.

    Parameters
    ----------
    rows, signs
        The examples as learned from (constant coordinate and scaling included), y in {-1, +1}.
    witness
        w*, of any length: only its direction matters.
    updates
        The examples on which the learner updated, in that order.
    mistakes
        How many of its predictions were wrong.
    zero
        What the learner predicts at <w,x> = 0: +1, -1, or 0 when zero always counts as a mistake.
    threshold
        theta of the Margin Perceptron; 0 for the Perceptron.
    start
        w before the first update.
    weights
        w as the learner had it, before the first update and after each. Without them w is what the updates make of
        ``start``, in exact arithmetic.
    """

    rows: Sequence[Vector]
    signs: Sequence[int]
    witness: Vector
    updates: Sequence[int]
    mistakes: int
    zero: int = 0
    threshold: Fraction = Fraction(0)
    start: Vector = field(default=())
    weights: Sequence[Vector] = field(default=())

    def __post_init__(self) -> None:
        if self.weights and len(self.weights) != len(self.updates) + 1:
            raise ValueError(
                f"{len(self.updates)} updates were recorded, but w at {len(self.weights)} times: before the first "
                "update and after each"
            )

    @classmethod
    def of(
        cls,
        X: Sequence[Sequence[Number]],
        y: Sequence[int],
        witness: Sequence[Number],
        updates: Sequence[int],
        *,
        mistakes: int | None = None,
        zero: int = 0,
        threshold: Number = 0,
        start: Sequence[Number] = (),
        weights: Sequence[Sequence[Number]] = (),
    ) -> Run:
        """From numbers of any kind, each taken at its exact value."""
        return cls(
            [vector(row) for row in X],
            [int(sign) for sign in y],
            vector(witness),
            [int(i) for i in updates],
            len(updates) if mistakes is None else mistakes,
            zero,
            rational(threshold),
            vector(weights[0] if weights else start),
            [vector(w) for w in weights],
        )

    @cached_property
    def radius_sq(self) -> Fraction:
        return max(sqnorm(row) for row in self.rows)

    @cached_property
    def margins(self) -> list[Fraction]:
        """y<w*,x> for every example; divide by ||w*|| for the margin."""
        return [y * inner(self.witness, row) for row, y in zip(self.rows, self.signs, strict=True)]

    @cached_property
    def margin_sq(self) -> Fraction:
        """gamma^2 of the witness; 0 if it does not separate."""
        worst = min(self.margins)
        return worst**2 / sqnorm(self.witness) if worst > 0 else Fraction(0)

    @cached_property
    def products(self) -> list[Fraction]:
        """y<w,x> of every update, before it."""
        return [self.signs[i] * inner(w, self.rows[i]) for w, i in zip(self.path, self.updates, strict=False)]

    @cached_property
    def finals(self) -> list[Fraction]:
        """y<w,x> of every example at the end."""
        return [y * inner(self.path[-1], row) for row, y in zip(self.rows, self.signs, strict=True)]

    @cached_property
    def path(self) -> list[list[Fraction]]:
        """w_0, w_1, ...: w before the first update and after each."""
        if self.weights:
            return [list(w) for w in self.weights]
        w = list(self.start) or [Fraction(0)] * len(self.witness)
        steps = [w]
        for i in self.updates:
            w = [a + self.signs[i] * x for a, x in zip(w, self.rows[i], strict=True)]
            steps.append(w)
        return steps


@dataclass(frozen=True)
class Hypothesis:
    text: str
    holds: Callable[[Any], bool]  # of a `Run`, or of the game that the theorem is about


@dataclass(frozen=True)
class Finding:
    """What an exact check of a theorem on one run found."""

    theorem: str
    unmet: tuple[str, ...]  # hypotheses that this run does not satisfy
    conclusion: bool  # does the statement's conclusion hold on this run, hypotheses or not?

    @property
    def applies(self) -> bool:
        return not self.unmet

    @property
    def holds(self) -> bool:
        """The implication: true whenever the theorem is."""
        return self.conclusion or not self.applies


@dataclass(frozen=True)
class Theorem:
    id: str
    title: str
    statement: str
    hypotheses: tuple[Hypothesis, ...]
    # the floor of an exact rational, if it counts; a rational, or a float that is no less, if it does not; None where
    # the theorem gives none
    bound: Callable[..., int | Fraction | float | None]
    conclusion: Callable[[Any], bool]
    citation: str
    about: type[Any] = Run  # what `check` takes

    def check(self, run: Any) -> Finding:
        """Hypotheses and conclusion on a run or a game, in exact arithmetic."""
        unmet = tuple(h.text for h in self.hypotheses if not h.holds(run))
        return Finding(self.id, unmet, self.conclusion(run))
