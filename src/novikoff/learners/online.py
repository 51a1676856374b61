"""What learners in the mistake bound model share: labels 0 and 1, one example at a time, and an honest count."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from copy import copy
from typing import Any, Self

from novikoff.concepts import bit
from novikoff.learners.alone import alone
from novikoff.views import Html, card, facts, share
from novikoff.words import counted


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

    def __repr__(self) -> str:
        allowed = self.bound()
        most = "" if allowed is None else f"; the theorem allows {allowed:,}"
        return f"<{type(self).__name__}: {self._made()}{most}>"

    def _made(self) -> str:
        return f"{counted(self.rounds_, 'round')}, {counted(self.mistakes_, 'mistake')}"

    def _repr_html_(self) -> str:
        return card(type(self).__name__, self._made(), *self._content())

    def _content(self) -> tuple[Html, Html]:
        """The mistakes of those that are allowed, and what is known."""
        allowed = self.bound()
        known = [("Rounds", f"{self.rounds_:,}"), ("Mistakes", f"{self.mistakes_:,}"), *self._details()]
        known.append(("The theorem allows", "" if allowed is None else f"{allowed:,}"))
        return share(self.mistakes_, allowed, "mistake"), facts(known)

    def _details(self) -> list[tuple[str, object]]:
        """What else is known, by name."""
        return []

    def copy(self) -> Self:
        """Another learner in the same state."""
        return copy(self)
