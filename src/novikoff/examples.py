"""Rows with their labels, as readers hand them on: what `inputs` needs no scikit-learn for, which takes its time."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novikoff.float64 import Rounded
from novikoff.standardization import Standardization

FLOATS = FLOAT64, FLOAT32 = np.dtype(np.float64), np.dtype(np.float32)


class Doubted(NamedTuple):
    """A column of a file that may name the rows, or is not what it seems."""

    column: str | int
    why: str
    features: tuple[int, ...]  # what became of it
    droppable: bool = True  # can the reader of the file leave it out?


@dataclass(frozen=True, eq=False)
class Examples:
    """Rows with their labels; accepted in the place of X and y."""

    X: Any  # a float array, or a CSR matrix
    y: NDArray[Any] | None  # None where the source has no labels
    names: NDArray[np.object_] | None = None  # of the columns, where they have names
    weights: NDArray[np.float64] | None = None  # the importance of each example, where the source states it
    rounded: Rounded | None = field(default=None, kw_only=True)  # the numbers of the source that float64 does not hold
    record: dict[str, Any] | None = field(default=None, kw_only=True)  # how they were read, as a certificate records it
    doubted: tuple[Doubted, ...] = field(default=(), kw_only=True)  # the columns that a verdict should not rest on
    standardization: Standardization | None = field(default=None, kw_only=True)  # what X is standardised by already


class Said(NamedTuple):
    """What a learner said of rows, before the label of each was learned."""

    places: NDArray[np.intp]  # among the classes
    undecided: NDArray[np.bool_]  # it is a mistake, whatever the label


class RowError(ValueError):
    """A row, or its label, that was refused."""

    said: Said | None = None  # in the online protocol, of the rows before, which have been learned

    def __init__(self, message: str, row: int) -> None:
        super().__init__(message)
        self.row = row


def distinct(labels: Any) -> NDArray[Any]:
    """The different labels, in order."""
    try:
        return np.unique(np.asarray(labels))
    except TypeError as error:
        raise ValueError(f"labels of different types cannot be put in order: {error}") from None


def item(label: Any) -> Any:
    """A plain Python value for a NumPy scalar."""
    return label.item() if isinstance(label, np.generic) else label


def written(label: Any) -> str:
    """A label as a file has it: whole numbers without a point.

    >>> written(2.0), written("2.0"), written(np.float64(0.5))
    ('2', '2.0', '0.5')
    """
    label = item(label)
    if isinstance(label, float) and label.is_integer() and abs(label) < 1e15:
        return str(int(label))
    return str(label)
