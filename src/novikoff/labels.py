"""What labels mean: the classes of a problem, from whatever users have, to signs and places and back.

Every error about labels is raised here, with the place, the value and what is expected.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff import float64
from novikoff.engine.loops import Signs
from novikoff.examples import RowError, distinct, item

BOOLS = frozenset((bool, np.bool_))


class Labels:
    """Two or more classes, of any type that can be put in order. Of two, the second is +.

    Parameters
    ----------
    classes : array
        The different labels, in order.
    """

    def __init__(self, classes: NDArray[Any]) -> None:
        self.classes = classes
        self._signs: dict[Hashable, int] = {}
        if len(classes) == 2:
            self._signs = {item(classes[0]): -1, item(classes[1]): 1}
            if 1 not in self._signs and -1 not in self._signs:
                self._signs.update({-1: -1, 1: 1})

    @classmethod
    def of(cls, y: Any, n: int) -> Labels:
        """The classes of n labels."""
        y = column(y, n)
        if y.dtype.kind in "biuf":
            ends = np.array([y.min(), y.max()])
            if not np.isfinite(ends).all():
                row = int(np.argmin(np.isfinite(y)))
                raise RowError(f"Input y contains NaN or infinity: y[{row}] = {y[row]}. Labels must be classes", row)
            if ends[0] != ends[1] and bool(np.all((y == ends[0]) | (y == ends[1]))):
                return cls(ends)
        classes = distinct(y)
        from sklearn.utils.multiclass import type_of_target

        kind = type_of_target(y, input_name="y", raise_unknown=True)
        if kind.startswith("continuous"):
            raise ValueError(f"Unknown label type: {kind}. Labels must be classes, not real numbers")
        return cls(classes).several()

    @classmethod
    def declared(cls, classes: Any, y: Any) -> Labels | None:
        """The labels of a stream: those declared; or -1 and +1, or bools, if the first ones are nothing else."""
        if classes is not None:
            return cls(distinct(classes)).several(f"classes must hold the two labels, got {list(classes)!r}")
        kinds = np.asarray(y)
        if kinds.dtype.kind == "b":
            return cls(np.array([False, True]))
        return PLUS_MINUS if kinds.dtype.kind in "if" and np.isin(kinds, (-1, 1)).all() else None

    def several(self, otherwise: str = "") -> Labels:
        """These labels, if there are two or more; else an error."""
        if len(self.classes) < 2:
            raise ValueError(otherwise) if otherwise else one_class(self.classes)
        return self

    def two(self) -> Labels:
        """These labels, if there are not more than two, for a learner that can tell only two apart; else an error."""
        if len(self.classes) > 2:
            raise ValueError(
                "Only binary classification is supported. The type of the target is multiclass: there are "
                f"{len(self.classes)} classes. For more than two, wrap the estimator in "
                "sklearn.multiclass.OneVsRestClassifier"
            )
        return self

    # From labels -------------------------------------------------------------------------------------

    def codes(self, y: Any, n: int) -> NDArray[np.intp]:
        """The place of each label among the classes."""
        y = column(y, n)
        if len(self.classes) == 2:
            second = y == self.classes[1]
            self._refuse(y, ~(second | (y == self.classes[0])))
            return np.asarray(second, dtype=np.intp)
        try:
            found = np.searchsorted(self.classes, y)
        except TypeError as error:
            raise ValueError(f"labels of different types cannot be put in order: {error}") from None
        found = np.minimum(found, len(self.classes) - 1)
        self._refuse(y, self.classes[found] != y)
        return np.asarray(found)

    def signs(self, y: Any, n: int) -> Signs:
        """Of two classes: -1 for the first, +1 for the second."""
        return np.where(self.two().codes(y, n) == 1, np.int8(1), np.int8(-1))

    def signs_so_far(self, y: Any, n: int) -> Signs:
        """Of two classes: -1 or +1, and 0 for a label that is not known yet (None or NaN)."""
        y = _one_column(y)
        known = labelled(y)
        if known.shape != (n,) or known.all():
            return self.signs(y, n)
        signs = np.zeros(n, dtype=np.int8)
        if known.any():
            try:
                signs[known] = self.signs(y[known], int(known.sum()))
            except RowError as error:
                raise self._outside(y, int(np.flatnonzero(known)[error.row])) from None
        return signs

    def sign_of(self, label: Any) -> int:
        """-1 or +1 for one label, or a bool; -1 and +1 stand for themselves unless they are labels."""
        if label.__class__ in BOOLS:
            return 1 if label else -1
        try:
            return self._signs[label]
        except (KeyError, TypeError):
            known = " or ".join(repr(known) for known in self._signs)
            raise ValueError(f"label {label!r} is not known: y must be {known}, or a bool") from None

    # And back ----------------------------------------------------------------------------------------

    def named(self, codes: Any) -> NDArray[Any]:
        """The labels of places among the classes; of two, True stands for the second."""
        return self.classes[np.asarray(codes, dtype=np.intp)]

    def of_signs(self, signs: Signs) -> NDArray[Any]:
        return self.named(signs > 0)

    def _refuse(self, y: NDArray[Any], outside: Any) -> None:
        if np.any(outside):
            raise self._outside(y, int(np.argmax(outside)))

    def _outside(self, y: NDArray[Any], row: int) -> RowError:
        shown = [repr(item(label)) for label in self.classes]
        if len(shown) == 2:
            return RowError(f"y[{row}] = {item(y[row])!r} is neither of the two labels {shown[0]} and {shown[1]}", row)
        listed = ", ".join(shown if len(shown) <= 10 else [*shown[:9], f"... ({len(shown)} in all)"])
        return RowError(f"y[{row}] = {item(y[row])!r} is none of the labels {listed}", row)


PLUS_MINUS = Labels(np.array([-1, 1]))


def column(y: Any, n: int) -> NDArray[Any]:
    """n labels as an array, none of which is missing; of numbers, others look after that."""
    found: NDArray[Any] = y if type(y) is np.ndarray and y.ndim == 1 else _one_column(y)
    if found.shape[0] != n:
        raise ValueError(f"X has {n} rows but y has {found.shape[0]} labels: they must be of the same length")
    if n == 0:
        raise one_class(found)
    if found.dtype.kind == "O":
        for row, label in enumerate(found.tolist()):
            if float64.is_missing(label):
                raise RowError(f"Input y contains NaN: y[{row}] is {label!r}, a label that is missing", row)
    return found


def _one_column(y: Any) -> NDArray[Any]:
    from sklearn.utils.validation import column_or_1d

    return np.asarray(column_or_1d(y, warn=True))


def labelled(y: NDArray[Any]) -> NDArray[np.bool_]:
    """Where a label is known: not None, and no NaN of any kind."""
    if y.dtype.kind == "O":
        return np.array([not float64.is_missing(label) for label in y], dtype=np.bool_)
    return np.asarray(y == y)


def one_class(classes: Any) -> ValueError:
    """For labels of which there are fewer than two."""
    if not len(classes):
        return ValueError("no examples: X has 0 rows")
    return ValueError(f"y holds one class only, {item(classes[0])!r}: a separator needs examples of two classes")
