"""How the loops are compiled: a few decorators.

A kernel is compiled when Python first calls it, and its machine code is kept on disk (`novikoff.engine.machine_code`).
The pieces that it is made of stay plain Python functions for Python, and become machine code inside a kernel.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic, overload, register_jitable

from novikoff.engine.machine_code import KernelCache

F = TypeVar("F", bound=Callable[..., Any])

# A sum in any order, with or without fused multiply-add: what an exact decision may start from.
REASSOCIATE = {"reassoc", "contract", "nsz"}


# Callees inherit these flags, so each decorator states all of them. Loops borrow their arrays
# (`_nrt=False`): without reference counting, an access to `rows.norm` is one load instead of a load
# between two atomic operations.

ALLOCATING: dict[str, Any] = {"_nrt": True, "error_model": "numpy", "forceinline": False, "fastmath": False}
BORROWING = ALLOCATING | {"_nrt": False}
INLINED = BORROWING | {"forceinline": True}
REASSOCIATED = INLINED | {"fastmath": REASSOCIATE}


def inlined(function: F) -> F:
    """Compile a short piece of a kernel into its caller; IEEE arithmetic in the order written."""
    return cast(F, register_jitable(**INLINED)(function))


def reassociated(function: F) -> F:
    """Compile a sum whose order the compiler may choose; its rounding error must be bounded by the caller."""
    return cast(F, register_jitable(**REASSOCIATED)(function))


def outlined(function: F) -> F:
    """Compile what runs rarely, out of the way of the loops."""
    return cast(F, register_jitable(**BORROWING)(function))


def allocating(function: F) -> F:
    """Compile what runs rarely and makes arrays."""
    return cast(F, register_jitable(**ALLOCATING)(function))


def by_type(function: Callable[..., Any], chosen: Callable[..., Any], **options: Any) -> None:
    """Compiled code that calls `function` runs what `chosen` picks by the types of the arguments.

    A named tuple's type has its class as `instance_class`, so a method of that class is picked by it: Python and
    machine code then run the same text. It is compiled with the ``options`` given here, whatever decorates it there.
    """
    overload(function, strict=False, jit_options=options)(chosen)


# In a loop, prefetch(array, index) asks the memory for an entry that is read soon.
if numba.config.DISABLE_JIT:

    def prefetch(array: Any, index: Any) -> None:
        pass

else:

    @intrinsic  # type: ignore[untyped-decorator]  # numba has no type hints
    def prefetch(typing_context: Any, array: Any, index: Any) -> Any:
        def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
            place = builder.bitcast(builder.gep(data, [arguments[1]]), ir.IntType(8).as_pointer())
            number = ir.IntType(32)
            kind = ir.FunctionType(ir.VoidType(), [place.type, number, number, number])
            call = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0i8")
            builder.call(call, [place, number(0), number(3), number(1)])  # to read, into all caches, data
            return context.get_dummy_value()

        return types.void(array, index), emit


def larger(a: float, b: float) -> float:
    """The larger of two floats that are not nan. A loop of it becomes one over vectors; Python's max does not."""
    return max(a, b)


if not numba.config.DISABLE_JIT:

    @intrinsic  # type: ignore[untyped-decorator]  # numba has no type hints
    def _larger(typing_context: Any, a: Any, b: Any) -> Any:
        flags = ("nnan", "nsz")

        def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            first, second = arguments
            return builder.select(builder.fcmp_ordered(">", first, second, flags=flags), first, second, flags=flags)

        return types.float64(types.float64, types.float64), emit

    by_type(larger, lambda a, b: lambda a, b: _larger(a, b), **INLINED)


def kernel(function: F) -> F:
    """Compile a loop that Python calls, and keep the machine code on disk. Other threads may run beside it."""
    return _cached(function, numba.njit(nogil=True, **BORROWING)(function))


def allocating_kernel(function: F) -> F:
    """Compile a loop that Python calls and that makes arrays, and keep the machine code on disk."""
    return _cached(function, numba.njit(**ALLOCATING)(function))


def specialised(compiled: F, *arguments: Any) -> F:
    """The machine code for arguments of these types, past the half microsecond of Numba's dispatch.

    The caller vouches for the types.
    """
    if numba.config.DISABLE_JIT:
        return compiled
    return cast(F, cast(Any, compiled).compile(tuple(numba.typeof(argument) for argument in arguments)))


def _cached(function: F, compiled: Any) -> F:
    if not numba.config.DISABLE_JIT:
        compiled._cache = KernelCache(function)
    return cast(F, compiled)
