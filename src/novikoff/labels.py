"""What labels mean: the classes of a problem, from whatever users have, to signs and places and back.

Every error about labels is raised here, with the place, the value and what is expected.
"""

from __future__ import annotations

from collections.abc import Hashable
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff import float64
from novikoff.engine.loops import Signs
from novikoff.examples import RowError, distinct, item
from novikoff.words import told

BOOLS = frozenset((bool, np.bool_))
NO_SIGNS = "signs, and the game of play, are for two"


class Labels:
    """Classes of any type. Of two, the second is +; of more, the first wins a tie.

    Parameters
    ----------
    classes : array
        The different labels. Those that were known at once are in order, later ones follow as they came.
    unmet : tuple of int
        The places of classes that no example has had yet, and that stand there for the other of two: -1 before
        anything but 1 has come. Whichever label comes instead takes the place.
    fixed : bool
        These are declared to be all: no other label may join.
    """

    def __init__(self, classes: NDArray[Any], unmet: tuple[int, ...] = (), *, fixed: bool = False) -> None:
        self.classes, self.unmet, self.fixed = classes, unmet, fixed
        labels = [item(label) for label in classes]
        self._targets: dict[Hashable, int]  # what a loop calls a label: a sign of two, a place of more
        self._targets = {label: 2 * place - 1 if self.heads == 1 else place for place, label in enumerate(labels)}
        if len(labels) == 2 and all(isinstance(label, str | bool) for label in labels):
            self._targets.update({-1: -1, 1: 1})  # no numbers are labels, so signs can be

    @property
    def heads(self) -> int:
        """How many vectors of weights tell them apart: one for two."""
        return 1 if len(self.classes) <= 2 else len(self.classes)

    @cached_property
    def pair(self) -> tuple[Any, Any]:
        """Of two classes: those on the two sides, None for one that is not known."""
        labels = [item(label) for label in self.classes[:2]]
        return (labels[0], labels[1] if len(labels) > 1 else None)

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
    def declared(cls, classes: Any) -> Labels:
        """The labels of a stream, of which there are no others."""
        return cls(distinct(classes), fixed=True).several(
            f"classes must hold the labels, two at least, got {classes!r}"
        )

    @classmethod
    def begun(cls, y: Any, n: int) -> Labels:
        """The labels of the first batch of a stream: others may join, and one may be all that there is."""
        y = column(y, n)
        if y.dtype.kind == "b" or (y.dtype.kind in "if" and np.isin(y, (-1, 1)).all()):
            return PLUS_MINUS.joined_by(y, n)
        classes = distinct(y)
        return cls(classes) if len(classes) == 1 else cls.of(y, n)

    def several(self, otherwise: str = "") -> Labels:
        """These labels, if there are two or more; else an error."""
        if len(self.classes) < 2:
            raise ValueError(otherwise) if otherwise else one_class(self.classes)
        return self

    def two(self, otherwise: str = "") -> Labels:
        """These labels, if there are not more than two, for a learner that can tell only two apart; else an error."""
        if len(self.classes) > 2 and otherwise:
            raise ValueError(f"there are {len(self.classes)} classes: {otherwise}")
        if len(self.classes) > 2:
            raise ValueError(
                "Only binary classification is supported. The type of the target is multiclass: there are "
                f"{len(self.classes)} classes. For more than two, "
                + told(
                    "wrap the estimator in sklearn.multiclass.OneVsRestClassifier, or take Perceptron, "
                    "MarginPerceptron or PassiveAggressive",
                    "take --learner perceptron, margin-perceptron or passive-aggressive",
                )
            )
        return self

    # Labels that join --------------------------------------------------------------------------------

    def joined(self, label: Any) -> Labels:
        """These labels after an example with this one, which may be new."""
        label = item(label)
        if len(self.unmet) == 2:  # nothing has been met
            return self._first(label)
        target = self.target_of(label)
        if target is not None:
            place = (target + 1) // 2 if self.heads == 1 else target
            unmet = tuple(other for other in self.unmet if other != place)
            return self if unmet == self.unmet else Labels(self.classes, unmet)
        labels = [item(known) for known in self.classes]
        if self.fixed or _kind(label) is None or any(_kind(label) != _kind(known) for known in labels):
            raise self._unknown(label)
        if self.unmet:
            labels[self.unmet[0]] = label
        else:
            labels.append(label)
        return Labels(_array(labels))

    def _first(self, label: Any) -> Labels:
        if type(label) is bool:
            return Labels(np.array([False, True]), (int(not label),))
        if _kind(label) is None:
            raise self._unknown(label)
        if _kind(label) == "number" and label in (-1, 1):
            return Labels(self.classes, (int(label < 0),))
        return Labels(_array([label]))

    def joined_by(self, y: Any, n: int) -> Labels:
        """These labels after a batch: new ones join in order."""
        y = column(y, n)
        labels = self
        if y.dtype.kind == "b" and len(self.unmet) < 2:
            return self
        for label in distinct(y):
            try:
                labels = labels.joined(label)
            except ValueError:
                raise labels.outside(y, int(np.argmax((y == label) | ((y != y) & (label != label))))) from None
        return labels

    # From labels -------------------------------------------------------------------------------------

    def codes(self, y: Any, n: int) -> NDArray[np.intp]:
        """The place of each label among the classes."""
        y = column(y, n)
        if len(self.classes) <= 2:
            second = y == self.classes[-1] if len(self.classes) == 2 else np.zeros(n, dtype=np.bool_)
            self._refuse(y, ~(second | (y == self.classes[0])))
            return np.asarray(second, dtype=np.intp)
        order = np.argsort(self.classes, kind="stable")
        try:
            found = np.searchsorted(self.classes, y, sorter=order)
        except TypeError as error:
            raise ValueError(f"labels of different types cannot be put in order: {error}") from None
        places = order[np.minimum(found, len(self.classes) - 1)]
        self._refuse(y, self.classes[places] != y)
        return np.asarray(places)

    def targets(self, y: Any, n: int) -> NDArray[Any]:
        """What loops learn from: signs of two classes, places of more."""
        return self.signs(y, n) if self.heads == 1 else self.codes(y, n).astype(np.int32)

    def signs(self, y: Any, n: int) -> Signs:
        """Of two classes: -1 for the first, +1 for the second."""
        return 2 * self.two().codes(y, n).astype(np.int8) - np.int8(1)

    def targets_so_far(self, y: Any, n: int) -> NDArray[Any]:
        """The same, and 0 as a sign, or -1 as a place, for a label that is not known yet (None or NaN)."""
        y = one_column(y, n)
        known = labelled(y)
        if known.all():
            return self.targets(y, n)
        targets = np.zeros(n, dtype=np.int8) if self.heads == 1 else np.full(n, -1, dtype=np.int32)
        if known.any():
            try:
                targets[known] = self.targets(y[known], int(known.sum()))
            except RowError as error:
                raise self.outside(y, int(np.flatnonzero(known)[error.row])) from None
        return targets

    def target_of(self, label: Any) -> int | None:
        """What loops learn from for one label; None if it is not known. Of two classes a bool may say which."""
        if label.__class__ in BOOLS:
            return None if self.heads > 1 else 1 if label else -1
        try:
            return self._targets.get(label)
        except TypeError:  # nothing that could be a label
            raise self._unknown(label) from None

    def sign_of(self, label: Any) -> int:
        """Of two classes: -1 or +1 for one label, or a bool."""
        target = self.two(NO_SIGNS).target_of(label)
        if target is None:
            raise self._unknown(label)
        return target

    def _unknown(self, label: Any) -> ValueError:
        known = [repr(item(known)) for known in self.classes]
        listed = " or ".join(known if len(known) <= 10 else [*known[:9], f"one more of {len(known)}"])
        return ValueError(
            f"label {label!r} is not known: {told('y must be', 'it must be')} {listed}"
            + (told(", or a bool", "") if self.heads == 1 else "")
        )

    # And back ----------------------------------------------------------------------------------------

    def named_one(self, place: int) -> Any:
        """The label of one place."""
        return item(self.classes[place])

    def named(self, codes: Any) -> NDArray[Any]:
        """The labels of places among the classes; of two, True stands for the second."""
        return self.classes[np.asarray(codes, dtype=np.intp)]

    def of_signs(self, signs: Signs) -> NDArray[Any]:
        return self.named(signs > 0)

    def _refuse(self, y: NDArray[Any], outside: Any) -> None:
        if np.any(outside):
            raise self.outside(y, int(np.argmax(outside)))

    def outside(self, y: NDArray[Any], row: int) -> RowError:
        """The label of this row is none of these."""
        shown = [repr(item(label)) for label in self.classes]
        if len(shown) == 2:
            return RowError(f"y[{row}] = {item(y[row])!r} is neither of the two labels {shown[0]} and {shown[1]}", row)
        listed = ", ".join(shown if len(shown) <= 10 else [*shown[:9], f"... ({len(shown)} in all)"])
        return RowError(f"y[{row}] = {item(y[row])!r} is none of the labels {listed}", row)


PLUS_MINUS = Labels(np.array([-1, 1]), (0, 1))


def _kind(label: Any) -> str | None:
    """Labels of one kind can stand side by side."""
    if float64.is_missing(label):
        return None
    if isinstance(label, bool | np.bool_):
        return "bool"
    if isinstance(label, str | bytes):
        return type(label).__name__
    return "number" if isinstance(label, int | float | np.number) else type(label).__name__


def _array(labels: list[Any]) -> NDArray[Any]:
    """As NumPy would have it, if that changes none of them."""
    made = np.array(labels)
    same = made.shape == (len(labels),) and all(item(a) == b for a, b in zip(made, labels, strict=True))
    if same and made.dtype.kind != "O":
        return made
    made = np.empty(len(labels), dtype=object)
    made[:] = labels
    return made


def column(y: Any, n: int) -> NDArray[Any]:
    """n labels as an array, none of which is missing; of numbers, others look after that."""
    found = one_column(y, n)
    if n == 0:
        raise one_class(found)
    if found.dtype.kind == "O":
        for row, label in enumerate(found.tolist()):
            if float64.is_missing(label):
                raise RowError(f"Input y contains NaN: y[{row}] is {label!r}, a label that is missing", row)
    return found


def one_column(y: Any, n: int) -> NDArray[Any]:
    """n labels as an array; some may be missing."""
    from sklearn.utils.validation import column_or_1d

    plain = type(y) is np.ndarray and y.ndim == 1
    found: NDArray[Any] = y if plain else np.asarray(column_or_1d(y, warn=True))
    if found.shape[0] != n:
        raise ValueError(f"X has {n} rows but y has {found.shape[0]} labels: they must be of the same length")
    return found


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
