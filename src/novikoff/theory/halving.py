"""Theorems about finite concept classes: a game is its labels, a row for each round and a column for each concept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from novikoff.theory.theorem import Hypothesis, Theorem

MEHTA = "N. Mehta, Machine Learning Theory (CSC 431/531), Lecture 2"


@dataclass(frozen=True)
class Game:
    """A game over a finite class.

    Parameters
    ----------
    labels
        For each round the labels of all concepts, which are different functions.
    truth, predictions
        For each round, 0 or 1.
    domain
        For each point of the domain the labels of all concepts, where a theorem speaks of it.
    """

    labels: Sequence[Sequence[int]]
    truth: Sequence[int]
    predictions: Sequence[int]
    domain: Sequence[Sequence[int]] = ()

    @property
    def mistakes(self) -> int:
        return sum(a != b for a, b in zip(self.truth, self.predictions, strict=True))

    @property
    def size(self) -> int:
        """|C|."""
        return len((self.labels or self.domain)[0])

    @cached_property
    def version_spaces(self) -> list[list[int]]:
        """Before each round and after the last: the concepts that agree with the rounds before."""
        alive = list(range(self.size))
        spaces = [alive]
        for row, y in zip(self.labels, self.truth, strict=True):
            alive = [c for c in alive if row[c] == y]
            spaces.append(alive)
        return spaces


def halving_bound(size: int) -> int:
    """floor(log2 |C|): the version space has |C| concepts at first, half of them go with every mistake, one is left."""
    if size < 1:
        raise ValueError(f"a class has one concept at least; |C| = {size}")
    return size.bit_length() - 1


REALIZABLE = Hypothesis("some concept agrees with every round", lambda game: bool(game.version_spaces[-1]))
MAJORITY = Hypothesis(
    "the prediction is the majority of the version space, 1 if it is even",
    lambda game: all(
        prediction == int(2 * sum(row[c] for c in alive) >= len(alive))
        for row, alive, prediction in zip(game.labels, game.version_spaces, game.predictions, strict=False)
    ),
)


def _halves(game: Game) -> bool:
    """Every mistake leaves at most half of the version space."""
    sizes = pairwise(len(alive) for alive in game.version_spaces)
    rounds = zip(sizes, game.truth, game.predictions, strict=True)
    return all(2 * after <= before for (before, after), y, prediction in rounds if y != prediction)


HALVING = Theorem(
    "halving",
    "Halving",
    "Predicting with the majority of the version space halves it, at least, with every mistake, and so makes at most "
    "log2 |C| mistakes.",
    (REALIZABLE, MAJORITY),
    halving_bound,
    lambda game: _halves(game) and game.mistakes <= halving_bound(game.size),
    MEHTA + ", Theorem 1",
    about=Game,
)
