"""What a notebook shows of an estimator: scikit-learn's diagram, and below it what was learned."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

from numpy.typing import NDArray

from novikoff.examples import item
from novikoff.views import Html
from novikoff.words import listed

FEW = 6  # labels or literals that a card names


class Shown:
    """Adds a card to the diagram, once something has been learned."""

    def _html_repr(self) -> str:
        """What scikit-learn takes for notebooks, if its display is "diagram"."""
        parent: Any = super()
        diagram = str(parent._html_repr())
        return f"{diagram}{self._card()}" if self._has_learned() else diagram

    @abstractmethod
    def _has_learned(self) -> bool:
        """Is there anything to show?"""

    @abstractmethod
    def _card(self) -> Html:
        """What was learned."""


def few(items: Sequence[Any] | NDArray[Any]) -> str:
    """The first of them, and how many there are beyond."""
    named = [str(item(each)) for each in items[:FEW]]
    more = len(items) - len(named)
    return listed([*named, f"{more:,} more"]) if more else listed(named) if named else "none"
