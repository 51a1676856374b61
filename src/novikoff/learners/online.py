"""What learners in the mistake bound model share: labels 0 and 1, one example at a time, and an honest count."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from copy import copy
from typing import Any, Self

from novikoff.concepts import bit
from novikoff.learners.alone import alone


class NotRealizable(ValueError):  # noqa: N818  # it is a finding about the data
    """No concept of the class agrees with the examples.

    Attributes
    ----------
    round : int
        The round, from 0, at which none was left.
    examples : tuple of int
        Rounds whose examples contradict each other, where the learner knows them; that round is the last.
    """

    def __init__(self, message: str, round: int, examples: Sequence[int] = ()) -> None:
        super().__init__(message)
        self.round, self.examples = round, tuple(examples)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.round, self.examples)


class OnlineLearner(ABC):
    """Predicts a label, sees the true one, learns.

    Attributes
    ----------
    rounds_, mistakes_ : int
        Examples learned from, and how many of them it would have got wrong.
    """

    rounds_ = 0
    mistakes_ = 0

    @abstractmethod
    def bound(self) -> int | None:
        """The most mistakes that its theorem allows; None as long as it promises nothing."""

    @property
    @abstractmethod
    def _state(self) -> Hashable:
        """All that its predictions depend on."""

    @abstractmethod
    def predict_one(self, x: Any) -> int:
        """0 or 1."""

    @abstractmethod
    def _update(self, x: Any, y: int) -> None:
        """Learn from a true label; raise before anything has changed. Replaces what it changes, so copies share."""

    @alone
    def learn_one(self, x: Any, y: Any) -> Self:
        """See one example with its true label. On an error the learner is as it was before."""
        y = bit(y)
        wrong = self.predict_one(x) != y
        self._update(x, y)
        self.rounds_ += 1
        self.mistakes_ += wrong
        return self

    def copy(self) -> Self:
        """Another learner in the same state."""
        return copy(self)
