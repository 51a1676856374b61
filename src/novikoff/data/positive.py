"""One label against all others: True and False in place of what the file has."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff.data.columns import number
from novikoff.examples import distinct, item
from novikoff.words import agreeing, listed, said

MOST_NAMED = 20  # labels


class OneAgainstAll:
    """Labels become True where they are the one that was asked for; the others that were met are remembered."""

    def __init__(self, positive: str | float | bool) -> None:
        self._positive = positive
        self._met = False
        self._others: dict[Any, None] = {}

    def __call__(self, y: NDArray[Any] | None) -> NDArray[Any] | None:
        """The labels as bools; those that are missing on a stream stay None."""
        if y is None:
            return None
        if y.dtype == object and None in y.tolist():
            labelled = np.array([label is not None for label in y.tolist()])
        else:
            labelled = ~np.isnan(y) if y.dtype.kind == "f" else np.ones(len(y), dtype=bool)
        told = np.zeros(len(y), dtype=bool)
        for label in distinct(y[labelled]):
            if self._is_positive(item(label)):
                self._met = True
                told |= labelled & (y == label)
            elif len(self._others) <= MOST_NAMED:
                self._others[item(label)] = None
        if labelled.all():
            return told
        kept: NDArray[Any] = told.astype(object)
        kept[~labelled] = None
        return kept

    def check_met(self) -> None:
        """Raise if no row had the label."""
        if self._met or not self._others:
            return
        names = [repr(label) for label in self._others]
        more = f"{', '.join(names[:MOST_NAMED])} and others" if len(names) > MOST_NAMED else listed(names)
        others = f"{agreeing(len(names), 'is', 'are')} {more}"
        raise ValueError(f"{said('positive', self._positive)}: no row has this label; there {others}")

    def _is_positive(self, label: Any) -> bool:
        """A label is text or a number, and so is the one that was asked for, which a shell has as text alone."""
        asked = self._positive
        if isinstance(asked, str) and isinstance(label, bool):
            return asked.lower() == str(label).lower()
        if isinstance(asked, str) and not isinstance(label, str):
            return bool(number(asked) == label)
        if isinstance(label, str) and not isinstance(asked, str):
            return label == str(asked)
        return bool(label == asked) and isinstance(label, bool) == isinstance(asked, bool)
