"""What the decorators of `novikoff.engine.compile` ask of Numba: imported when a kernel first needs it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic, overload, register_jitable

from novikoff.engine.compile import INLINED, fused, larger, prefetch, product_error
from novikoff.engine.machine_code import KernelCache
from novikoff.engine.pieces import AS_TEXT


def include(function: Callable[..., Any], options: dict[str, Any]) -> None:
    """Compiled code may call this function."""
    register_jitable(**options, **AS_TEXT)(function)


def choose(function: Callable[..., Any], chosen: Callable[..., Any], options: dict[str, Any]) -> None:
    """Compiled code that calls this function runs what `chosen` picks by types."""
    overload(function, strict=False, jit_options=options | AS_TEXT)(chosen)


def dispatcher(function: Callable[..., Any], options: dict[str, Any]) -> Any:
    """What Python calls: the machine code for the types of the arguments, from the disk if it is there."""
    compiled = numba.njit(**options)(function)
    compiled._cache = KernelCache(function)
    return compiled


def machine_code_for(compiled: Any, arguments: tuple[Any, ...]) -> Any:
    return compiled.compile(tuple(numba.typeof(argument) for argument in arguments))


@intrinsic  # type: ignore[untyped-decorator]  # numba has no type hints
def _prefetch(typing_context: Any, array: Any, index: Any) -> Any:
    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        place = builder.bitcast(builder.gep(data, [arguments[1]]), ir.IntType(8).as_pointer())
        number = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [place.type, number, number, number])
        call = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0i8")
        builder.call(call, [place, number(0), number(3), number(1)])  # to read, into all caches, data
        return context.get_dummy_value()

    return types.void(array, index), emit


choose(prefetch, lambda array, index: lambda array, index: _prefetch(array, index), INLINED)


@intrinsic  # type: ignore[untyped-decorator]  # numba has no type hints
def _larger(typing_context: Any, a: Any, b: Any) -> Any:
    flags = ("nnan", "nsz")

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        first, second = arguments
        return builder.select(builder.fcmp_ordered(">", first, second, flags=flags), first, second, flags=flags)

    return types.float64(types.float64, types.float64), emit


choose(larger, lambda a, b: lambda a, b: _larger(a, b), INLINED)


@intrinsic  # type: ignore[untyped-decorator]  # numba has no type hints
def _fused(typing_context: Any, a: Any, b: Any, c: Any) -> Any:
    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.fma(*arguments)

    return types.float64(types.float64, types.float64, types.float64), emit


choose(fused, lambda a, b, c: lambda a, b, c: _fused(a, b, c), INLINED)
choose(product_error, lambda a, b, product: lambda a, b, product: _fused(a, b, -product), INLINED)
