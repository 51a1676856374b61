"""How the loops are compiled: a few decorators.

A kernel is compiled when Python first calls it, and its machine code is kept on disk (`novikoff.engine.machine_code`).
The pieces that it is made of stay plain Python functions for Python, and become machine code inside a kernel.

Numba takes a third of a second to import, so nothing here imports it before a kernel needs it: what the decorators have
to tell it waits until then (`novikoff.engine.compiler`). A process that has little to do may do without, and let the
interpreter run the same text (`interpret_small_work`).
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from functools import cached_property, update_wrapper
from threading import RLock, current_thread, main_thread
from typing import Any, TypeVar, cast

import numpy as np

F = TypeVar("F", bound=Callable[..., Any])

INTERPRETED = os.environ.get("NUMBA_DISABLE_JIT", "") not in ("", "0")  # everything, for a debugger or for coverage

# A sum in any order, with or without fused multiply-add: what an exact decision may start from.
REASSOCIATE = {"reassoc", "contract", "nsz"}


# Callees inherit these flags, so each decorator states all of them. Loops borrow their arrays
# (`_nrt=False`): without reference counting, an access to `rows.norm` is one load instead of a load
# between two atomic operations.

ALLOCATING: dict[str, Any] = {"_nrt": True, "error_model": "numpy", "forceinline": False, "fastmath": False}
BORROWING = ALLOCATING | {"_nrt": False}
INLINED = BORROWING | {"forceinline": True}
REASSOCIATED = INLINED | {"fastmath": REASSOCIATE}


# Pieces of kernels ---------------------------------------------------------------------------------


def inlined(function: F) -> F:
    """Compile a short piece of a kernel into its caller; IEEE arithmetic in the order written."""
    return _piece(function, INLINED)


def reassociated(function: F) -> F:
    """Compile a sum whose order the compiler may choose; its rounding error must be bounded by the caller."""
    return _piece(function, REASSOCIATED)


def outlined(function: F) -> F:
    """Compile what runs rarely, out of the way of the loops."""
    return _piece(function, BORROWING)


def allocating(function: F) -> F:
    """Compile what runs rarely and makes arrays."""
    return _piece(function, ALLOCATING)


def by_type(function: Callable[..., Any], chosen: Callable[..., Any], **options: Any) -> None:
    """Compiled code that calls `function` runs what `chosen` picks by the types of the arguments.

    A named tuple's type has its class as `instance_class`, so a method of that class is picked by it: Python and
    machine code then run the same text. It is compiled with the ``options`` given here, whatever decorates it there.
    """
    _tell(lambda compiler: compiler.choose(function, chosen, options))


def prefetch(array: Any, index: Any) -> None:
    """In a loop, ask the memory for an entry that is read soon. For the interpreter there is nothing to do."""


def larger(a: float, b: float) -> float:
    """The larger of two floats that are not nan. A loop of it becomes one over vectors; Python's max does not."""
    return max(a, b)


def product_error(a: float, b: float, product: float) -> float:
    """a b - product, exactly, for the rounded product (Dekker). Machine code has one instruction for it."""
    ta, tb = 134217729.0 * a, 134217729.0 * b  # 2^27 + 1
    a1, b1 = ta - (ta - a), tb - (tb - b)
    a0, b0 = a - a1, b - b1
    return ((a1 * b1 - product) + a1 * b0 + a0 * b1) + a0 * b0


def fused(a: float, b: float, c: float) -> float:
    """A b + c, rounded once: one instruction of machine code. Here it may round once more, after Dekker's error."""
    product = a * b
    return (product + c) + product_error(a, b, product)


def _piece(function: F, options: dict[str, Any]) -> F:
    _tell(lambda compiler: compiler.include(function, options))
    return function


# The compiler --------------------------------------------------------------------------------------

_waiting: list[Callable[[Any], None]] = []  # what the compiler has not been told yet
_one_at_a_time = RLock()


def _tell(message: Callable[[Any], None]) -> None:
    if not INTERPRETED:
        _waiting.append(message)


def compiler() -> Any:
    """`novikoff.engine.compiler`, which has been told of everything that was decorated so far."""
    from novikoff.engine import compiler

    with _one_at_a_time:
        while _waiting:
            _waiting.pop(0)(compiler)
    return compiler


# Kernels -------------------------------------------------------------------------------------------


class _SmallWork:
    """How many more entries of arrays the interpreter may be handed, before the compiler is worth its import."""

    left = 0


def interpret_small_work(entries: int) -> None:
    """Let the interpreter run the kernels, until they have been handed so many entries of rows or of text in all.

    Every decision is the same; the last bits of a float that was summed up in an order of the machine's choice are
    not. So this is for a process that asks for decisions, and is over soon.
    """
    _SmallWork.left = entries


def is_small_work(entries: int) -> bool:
    """Would the interpreter be handed so many entries?"""
    return entries < _SmallWork.left


class Kernel:
    """A loop that Python calls, as machine code."""

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        update_wrapper(self, function)
        self._function, self._options = function, options

    @cached_property
    def compiled(self) -> Any:
        """What Numba makes of it; its machine code is compiled, or read from the disk, for each type of arguments."""
        return compiler().dispatcher(self._function, self._options)

    def __call__(self, *arguments: Any) -> Any:
        if _SmallWork.left > 0:
            _SmallWork.left -= _entries(arguments[0])  # what it works on; room for results comes after
            if _SmallWork.left > 0:
                return _interpreted(self._function, arguments)
        return self.compiled(*arguments)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "compiled":
            raise AttributeError(name)
        return getattr(self.compiled, name)


def _interpreted(function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    """As machine code does it: without warnings, and without an interrupt in the middle, which waits for the end."""
    if current_thread() is not main_thread():  # which no interrupt reaches
        with np.errstate(all="ignore"):
            return function(*arguments)
    waiting: list[Any] = []
    handler = signal.signal(signal.SIGINT, lambda number, frame: waiting.append((number, frame)))
    try:
        with np.errstate(all="ignore"):
            return function(*arguments)
    finally:
        signal.signal(signal.SIGINT, signal.SIG_DFL if handler is None else handler)
        if waiting and callable(handler):
            handler(*waiting[0])


def _entries(data: Any) -> int:
    """How much work it is: the entries of an array or of rows; of a table, which is mostly room to grow, an eighth."""
    if isinstance(data, np.ndarray):
        return data.size
    if hasattr(data, "stored"):
        return int(data.stored.size)
    return sum(map(_entries, data)) // 8 if isinstance(data, tuple) else 0


def kernel(function: F) -> F:
    """Compile a loop that Python calls, and keep the machine code on disk. Other threads may run beside it."""
    return _kernel(function, BORROWING | {"nogil": True})


def allocating_kernel(function: F) -> F:
    """Compile a loop that Python calls and that makes arrays, and keep the machine code on disk."""
    return _kernel(function, ALLOCATING)


def _kernel(function: F, options: dict[str, Any]) -> F:
    return function if INTERPRETED else cast(F, Kernel(function, options))


def specialised(compiled: F, *arguments: Any) -> F:
    """The machine code for arguments of these types, past the half microsecond of Numba's dispatch.

    The caller vouches for the types.
    """
    if INTERPRETED:
        return compiled
    return cast(F, compiler().machine_code_for(cast(Any, compiled).compiled, arguments))
