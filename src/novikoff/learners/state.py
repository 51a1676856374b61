"""What makes up a model: named values and arrays, given by learners and taken back with each of them checked.

Learners trust their state, and compiled loops trust it blindly: an array that is too short is memory that belongs to
somebody else. So a state that comes from outside is read through the methods below alone, and nothing may be left over.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T")
Value = Any  # None, bool, int, float, str, or a list of these
MOST = 2**62  # of anything that is counted


class BadState(ValueError):  # noqa: N818  # it is a finding about a file
    """A state that no model has."""


@dataclass
class State:
    """A fitted model without its parameters."""

    width: int  # columns
    classes: NDArray[Any] | None = None  # the two labels
    names: list[Any] | None = None  # of the columns
    growing: bool = False  # new names get new columns
    values: dict[str, Value] = field(default_factory=dict)
    arrays: dict[str, NDArray[Any]] = field(default_factory=dict)

    @classmethod
    def of(cls, model: Any) -> State:
        """What every estimator has."""
        names = getattr(model, "feature_names_in_", None)
        return cls(
            int(model.n_features_in_), getattr(model, "classes_", None), None if names is None else names.tolist()
        )

    def columns(self) -> NDArray[np.object_] | None:
        """The names as estimators have them."""
        return None if self.names is None else np.array(self.names, dtype=object)

    def value(self, name: str) -> Value:
        """Take a value, of any kind."""
        found = self.peek(name)
        del self.values[name]
        return found

    def peek(self, name: str) -> Value:
        """A value, which is left where it is."""
        if name not in self.values:
            raise BadState(f"its state has no {name!r}")
        return self.values[name]

    def like(self, name: str, example: T) -> T:
        """Take a value of the type of an example."""
        value = self.value(name)
        if type(value) is not type(example):
            raise BadState(f"{name} is {_shown(value)}: a value like {example!r} is expected")
        return value

    def integer(self, name: str, least: int = 0, most: int = MOST) -> int:
        value = self.value(name)
        if type(value) is not int or not least <= value <= most:
            raise BadState(f"{name} is {_shown(value)}: an integer from {least} to {most} is expected")
        return value

    def number(self, name: str, least: float = -math.inf, most: float = math.inf) -> float:
        value = self.value(name)
        if type(value) is not float or not least <= value <= most:
            raise BadState(f"{name} is {_shown(value)}: a float from {least} to {most} is expected")
        return value

    def flag(self, name: str) -> bool:
        value = self.value(name)
        if type(value) is not bool:
            raise BadState(f"{name} is {_shown(value)}: true or false is expected")
        return value

    def text(self, name: str) -> str:
        value = self.value(name)
        if type(value) is not str:
            raise BadState(f"{name} is {_shown(value)}: text is expected")
        return value

    def integers(self, name: str, count: int | None = None) -> tuple[int, ...]:
        """Integers of any size."""
        value = self.value(name)
        if type(value) is not list or not all(type(x) is int for x in value) or count not in (None, len(value)):
            raise BadState(f"{name} is not a list of {'' if count is None else f'{count} '}integers")
        return tuple(value)

    def each(self, name: str, count: int) -> list[Value]:
        """A list of so many values, one for each head."""
        value = self.value(name)
        if type(value) is not list or len(value) != count:
            raise BadState(f"{name} is not a list of {count} values")
        return value

    def dimensions(self, name: str) -> int:
        """Of an array: 1 for a vector, which everything but a matrix is taken for."""
        return 2 if name in self.arrays and self.arrays[name].ndim == 2 else 1

    def array(self, name: str, dtype: str, *shape: int | None) -> NDArray[Any]:
        """Take an array, as a copy; None in a shape is any length."""
        if name not in self.arrays:
            raise BadState(f"its state has no array {name!r}")
        array = self.arrays.pop(name)
        fits = len(shape) == array.ndim and all(n in (None, found) for n, found in zip(shape, array.shape, strict=True))
        if array.dtype.str != dtype or not fits:
            expected = ", ".join("any" if n is None else str(n) for n in shape)
            raise BadState(
                f"array {name!r} is {array.dtype.str} of shape {array.shape}; expected is {dtype} of ({expected})"
            )
        return np.array(array, order="C")

    def finish(self) -> None:
        """Nothing may be left over."""
        for name in (*self.values, *self.arrays):
            raise BadState(f"its state has {name!r}, which this learner does not know")


def require(condition: object, message: str) -> None:
    if not condition:
        raise BadState(message)


def _shown(value: Value) -> str:
    text = repr(value) if not isinstance(value, int) or value.bit_length() < 200 else "a huge integer"
    return text if len(text) <= 60 else text[:57] + "..."
