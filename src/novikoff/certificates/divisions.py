"""Which labels there are, which stands against which, and that a certificate can name them all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novikoff.certificates.certificate import Label, nameable, plain
from novikoff.engine.loops import Signs
from novikoff.labels import one_class


class Division(NamedTuple):
    """One label against all the others."""

    positive: Label
    against: tuple[Label, ...]
    signs: Signs


class Classes(NamedTuple):
    """The labels in order, and the place of each row's label among them."""

    labels: list[Label]
    place: NDArray[np.int64]


def classes(y: Any, n: int) -> Classes:
    """What the n labels are: two at least, each of which a certificate can name."""
    from sklearn.utils.multiclass import type_of_target  # which takes its time

    y = _column(y)
    if y.shape[0] != n:
        raise ValueError(f"X has {n} rows but y has {y.shape[0]} labels: they must be of the same length")
    labels, place = _distinct(y)
    if len(labels) < 2:
        raise one_class(labels)
    if len(labels) > 2 and y.dtype.kind == "f" and type_of_target(y).startswith("continuous"):
        raise ValueError("Unknown label type: continuous. Labels must be classes, not real numbers")
    return Classes(labels, place)


def divisions(found: Classes) -> Iterator[Division]:
    """Every division that has a verdict of its own: of two labels the second against the first; of more, each one."""
    labels, place = found
    for k in range(len(labels)) if len(labels) > 2 else [1]:
        yield Division(labels[k], (*labels[:k], *labels[k + 1 :]), np.where(place == k, np.int8(1), np.int8(-1)))


def _column(y: Any) -> NDArray[Any]:
    """The labels as they are: those of a list keep their types where an array would make text or floats of them."""
    if hasattr(y, "__array__") or not isinstance(y, Iterable):
        return _flat(np.asarray(y))
    values = [plain(label) for label in y]
    kinds = {*map(type, values)}
    typed = np.asarray(values) if kinds <= {str, int, float, bool} else None
    if typed is not None and typed.tolist() == values:
        return typed
    return np.fromiter(values, dtype=object)


def _flat(y: NDArray[Any]) -> NDArray[Any]:
    from sklearn.utils.validation import column_or_1d

    column: NDArray[Any] = column_or_1d(y, warn=True)
    return column.astype(object) if column.dtype.kind == "T" else column  # strings of any length


def _distinct(y: NDArray[Any]) -> tuple[list[Label], NDArray[np.int64]]:
    """The labels in order, all of which a certificate can name, and the place of each row's label among them."""
    if y.dtype.kind == "O":
        return _distinct_values([plain(label) for label in y])
    found, first, place = np.unique(y, return_index=True, return_inverse=True)
    return [_named(label, int(row)) for label, row in zip(found, first, strict=True)], place


def _distinct_values(values: list[Any]) -> tuple[list[Label], NDArray[np.int64]]:
    for row, label in enumerate(values):
        _named(label, row)
    try:
        labels = sorted(set(values))
    except TypeError as error:
        raise ValueError(f"labels of different types cannot be put in order: {error}") from None
    order = {label: k for k, label in enumerate(labels)}
    return labels, np.array([order[label] for label in values], dtype=np.int64)


def _named(label: Any, row: int) -> Label:
    try:
        return nameable(label)
    except ValueError as error:
        raise ValueError(f"y[{row}]: {error}") from None
