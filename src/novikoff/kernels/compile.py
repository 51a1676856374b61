"""How the loops are compiled: a few decorators, and a disk cache that notices every edit.

A kernel is compiled when Python first calls it. The pieces that it is made of stay plain Python
functions for Python, and become machine code inside a kernel.

Numba's own cache watches one source file, so an edit in a function that is inlined from another
file silently runs the old code. Here the key is a digest of all kernel sources, and a directory
that cannot be written to, or a damaged file in it, costs a compilation and never an error.
"""

from __future__ import annotations

import hashlib
import os
import pickle
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.caching import CompileResultCacheImpl, FunctionCache, _CacheLocator
from numba.extending import intrinsic, register_jitable

F = TypeVar("F", bound=Callable[..., Any])

# A sum in any order, with or without fused multiply-add: what an exact decision may start from.
REASSOCIATE = {"reassoc", "contract", "nsz"}


# Callees inherit these flags, so each decorator states all of them. Loops borrow their arrays
# (`_nrt=False`): without reference counting, an access to `rows.norm` is one load instead of a load
# between two atomic operations.

ALLOCATING: dict[str, Any] = {"_nrt": True, "error_model": "numpy", "forceinline": False, "fastmath": False}
BORROWING = ALLOCATING | {"_nrt": False}
INLINED = BORROWING | {"forceinline": True}


def inlined(function: F) -> F:
    """Compile a short piece of a kernel into its caller; IEEE arithmetic in the order written."""
    return cast(F, register_jitable(**INLINED)(function))


def reassociated(function: F) -> F:
    """Compile a sum whose order the compiler may choose; its rounding error must be bounded by the caller."""
    return cast(F, register_jitable(**(INLINED | {"fastmath": REASSOCIATE}))(function))


def outlined(function: F) -> F:
    """Compile what runs rarely, out of the way of the loops."""
    return cast(F, register_jitable(**BORROWING)(function))


def allocating(function: F) -> F:
    """The same for what makes arrays."""
    return cast(F, register_jitable(**ALLOCATING)(function))


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


def kernel(function: F) -> F:
    """Compile a loop that Python calls, and keep the machine code on disk. Other threads may run beside it."""
    return _cached(function, numba.njit(nogil=True, **BORROWING)(function))


def allocating_kernel(function: F) -> F:
    """The same for one that makes arrays."""
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
        compiled._cache = _DigestCache(function)
    return cast(F, compiled)


def cache_directory() -> Path:
    """`$NOVIKOFF_CACHE_DIR`, else the user's cache directory."""
    chosen = os.environ.get("NOVIKOFF_CACHE_DIR")
    if chosen:
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path(os.path.expanduser("~"), ".cache")) / "novikoff"


def _digest() -> str:
    sources = sorted(Path(__file__).parent.glob("*.py"))
    return hashlib.sha256(b"\0".join(source.read_bytes() for source in sources)).hexdigest()[:16]


_DIGEST = _digest()


class _DigestLocator(_CacheLocator):  # type: ignore[misc]  # numba has no type hints
    def __init__(self, name: str) -> None:
        self._name = name

    @classmethod
    def from_function(cls, py_func: Callable[..., Any], py_file: str) -> _DigestLocator:
        return cls(py_func.__qualname__)

    def get_cache_path(self) -> str:
        return str(cache_directory() / f"kernels-{_DIGEST}")

    def get_source_stamp(self) -> str:
        return _DIGEST

    def get_disambiguator(self) -> str:
        return self._name


class _DigestCacheImpl(CompileResultCacheImpl):  # type: ignore[misc]  # the same
    _locator_classes = (_DigestLocator,)


class _DigestCache(FunctionCache):  # type: ignore[misc]  # the same
    _impl_class = _DigestCacheImpl

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except (OSError, EOFError, ValueError, pickle.UnpicklingError):
            with suppress(OSError):
                self.flush()  # begin a new index, or the damaged one would stay
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        with suppress(OSError, EOFError, ValueError, pickle.UnpicklingError):
            super().save_overload(sig, data)
