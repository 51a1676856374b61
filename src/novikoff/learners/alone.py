"""One thread at a time learns with a model: an overlap is refused, before anything has changed.

Two threads that change the same weights at once would leave weights that no sequence of examples gives, and counts
that are not theirs. Waiting would hide that the order of the examples, on which every theorem here
depends, is left to chance: so the second one is told.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from threading import get_ident
from typing import Any, Concatenate, ParamSpec, TypeVar

P = ParamSpec("P")
Model = TypeVar("Model")
T = TypeVar("T")

LEARNING: dict[int, int] = {}  # the id of a model, and the thread that is learning with it now


def alone(method: Callable[Concatenate[Model, P], T]) -> Callable[Concatenate[Model, P], T]:
    """For a method that changes a model: it may call others of its kind, and no other thread may be inside one."""

    @wraps(method)
    def guarded(self: Model, /, *args: P.args, **kwargs: P.kwargs) -> T:
        me = get_ident()
        if LEARNING.get(id(self)) == me:
            return method(self, *args, **kwargs)
        # One step for the interpreter: of two threads, one finds the other's number.
        if LEARNING.setdefault(id(self), me) != me:
            raise _occupied(self)
        try:
            return method(self, *args, **kwargs)
        finally:
            del LEARNING[id(self)]

    return guarded


def check_alone(model: Any) -> None:
    """Refuse an overlap in a step that is too short to be marked; asked only if `LEARNING` holds anything."""
    me = get_ident()
    if LEARNING.get(id(model), me) != me:
        raise _occupied(model)


def _occupied(model: Any) -> RuntimeError:
    return RuntimeError(
        f"another thread is learning with this {type(model).__name__}, and the order of the examples would be left to "
        "chance: let one thread learn, hold a lock of your own around it, or give each thread a model"
    )
