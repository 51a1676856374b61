"""Halving: the majority of the concepts that agree with all examples so far (`novikoff.theory.HALVING`)."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, NamedTuple

from novikoff.concepts import Concept, ConceptClass, Words
from novikoff.learners.online import NotRealizable, OnlineLearner
from novikoff.theory.halving import halving_bound

FEW = 1000  # survivors that are listed


class VersionSpace(NamedTuple):
    """The concepts that agree with every example so far."""

    size: int
    survivors: list[Concept] | None  # None if there are more than 1000

    def __len__(self) -> int:
        return self.size


class VersionSpaceLearner(OnlineLearner):
    """Keeps the concepts that agree with every example so far; a subclass says how they predict."""

    def __init__(self, concepts: ConceptClass) -> None:
        self.concepts = concepts
        self._alive: Words = concepts.whole
        self._size = concepts.size

    @property
    def _state(self) -> Hashable:
        return self._alive.tobytes()

    @property
    def version_space_(self) -> VersionSpace:
        return VersionSpace(self._size, self.concepts.members(self._alive) if self._size <= FEW else None)

    def _details(self) -> list[tuple[str, object]]:
        return [
            ("Class", self.concepts),
            ("Concepts left", f"{self._size:,} of {self.concepts.size:,}"),
        ]

    def _update(self, x: Any, y: int) -> None:
        ones = self.concepts.votes(self._alive, self._size, x)
        size = ones if y else self._size - ones
        if size == 0:
            raise NotRealizable(
                f"round {self.rounds_}: no concept is left. The {self._size:,} {self.concepts.name} that agree with "
                f"the {self.rounds_} examples before it all say {1 - y}. WeightedMajority learns from such data",
                self.rounds_,
            )
        self._alive, self._size = self.concepts.filtered(self._alive, x, y), size


class Halving(VersionSpaceLearner):
    """Majority vote over the version space; a tie predicts 1. At most floor(log2 |C|) mistakes.

    Parameters
    ----------
    concepts : a class from `novikoff.concepts`

    Examples
    --------
    >>> from novikoff import Halving, concepts, play
    >>> learner = Halving(concepts.monotone_conjunctions(d=3))
    >>> run = play(learner, [((1, 0, 1), 1), ((0, 1, 1), 0), ((1, 1, 0), 1)])
    >>> run.mistakes, run.bound
    (1, 3)
    >>> learner.version_space_.survivors
    [<concept x[0]>]
    """

    def bound(self) -> int:
        """The most mistakes that the theorem allows: floor(log2 |C|)."""
        return halving_bound(self.concepts.size)

    def predict_one(self, x: Any) -> int:
        return int(2 * self.concepts.votes(self._alive, self._size, x) >= self._size)
