"""The parameters of an estimator, each written once: name, type, default, and what is allowed.

scikit-learn reads parameters off the signature of ``__init__``, wants it to store them and to do nothing else, and
checks them in ``fit`` by ``_parameter_constraints``. A dataclass makes the first two, and the third is beside it. What
is allowed is said by the classes below, which become scikit-learn's own where that is imported.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from numbers import Integral
from typing import Any, Literal, TypeVar, cast, dataclass_transform, get_args

import numpy as np

from novikoff import estimators

C = TypeVar("C", bound=type)


class Allowed(ABC):
    """Values that a parameter may have."""

    @abstractmethod
    def allows(self, value: Any) -> bool: ...

    @abstractmethod
    def to_sklearn(self) -> Any:
        """The same as a constraint of scikit-learn."""


@dataclass(frozen=True)
class Interval(Allowed):
    """Numbers of a type between two ends; None is no end. ``closed`` says which ends belong to it."""

    type: Any
    left: float | None
    right: float | None
    closed: str

    def allows(self, value: Any) -> bool:
        if not isinstance(value, self.type):
            return False
        left = -math.inf if self.left is None else self.left
        right = math.inf if self.right is None else self.right
        above = left <= value if self.closed in ("left", "both") else left < value
        below = value <= right if self.closed in ("right", "both") else value < right
        return bool(above and below)

    def to_sklearn(self) -> Any:
        from sklearn.utils._param_validation import Interval

        return Interval(self.type, self.left, self.right, closed=self.closed)


@dataclass(frozen=True)
class Options(Allowed):
    """Some values of a type."""

    type: Any
    values: frozenset[Any]

    def allows(self, value: Any) -> bool:
        return isinstance(value, self.type) and value in self.values

    def to_sklearn(self) -> Any:
        from sklearn.utils._param_validation import Options, StrOptions

        return StrOptions(set(self.values)) if self.type is str else Options(self.type, set(self.values))


@dataclass(frozen=True)
class Kind(Allowed):
    """What scikit-learn has a word, or None, for."""

    word: str | None

    def allows(self, value: Any) -> bool:
        if self.word == "random_state":
            return value is None or SEEDS.allows(value) or isinstance(value, np.random.RandomState)
        if self.word == "verbose" and not isinstance(value, bool | np.bool_):
            return COUNTS.allows(value)
        return value is None if self.word is None else isinstance(value, bool | np.bool_)

    def to_sklearn(self) -> Any:
        return self.word


@dataclass(frozen=True)
class Instance(Allowed):
    """Whatever is of a type."""

    type: Any

    def allows(self, value: Any) -> bool:
        return isinstance(value, self.type)

    def to_sklearn(self) -> Any:
        return self.type


SEEDS = Interval(Integral, 0, 2**32 - 1, closed="both")
COUNTS = Interval(Integral, 0, None, closed="left")

Auto = Literal["auto"]  # the library decides

BOOLEAN, RANDOM, VERBOSE, NONE = Kind("boolean"), Kind("random_state"), Kind("verbose"), Kind(None)


def one_of(*choices: Any) -> Options:
    """One of the words of these types, each a `Literal`: what a type checker takes is what `fit` takes."""
    return Options(str, frozenset(word for choice in choices for word in get_args(choice)))


def checked_by_sklearn(name: str, allowed: Mapping[str, Sequence[Allowed]], values: dict[str, Any]) -> None:
    """Raise the error by which scikit-learn refuses parameters of an estimator of this name."""
    from sklearn.utils._param_validation import validate_parameter_constraints

    validate_parameter_constraints(_constraints(allowed), values, caller_name=name)


def _constraints(allowed: Mapping[str, Sequence[Allowed]]) -> dict[str, list[Any]]:
    return {name: [each.to_sklearn() for each in listed] for name, listed in allowed.items()}


def parameter(*allowed: Allowed, default: Any, kw_only: bool = True) -> Any:
    """A parameter of an estimator.

    Parameters
    ----------
    allowed : what it may be, of which one must hold
    default, kw_only : as type checkers know them (`typing.dataclass_transform`)
    """
    return field(default=default, kw_only=kw_only, metadata={"allowed": allowed})


@dataclass_transform(eq_default=False, kw_only_default=True, field_specifiers=(parameter,))
def estimator(cls: C) -> C:
    """The class with an ``__init__`` that takes the parameters which it and its bases declare."""
    made: Any = dataclass(eq=False, repr=False, match_args=False)(cls)
    allowed = {each.name: list(each.metadata["allowed"]) for each in fields(made)}
    made._parameter_constraints = allowed if estimators.BARE else _constraints(allowed)
    return cast(C, made)
