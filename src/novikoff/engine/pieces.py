"""How Numba compiles a piece of a kernel: to LLVM text, and no further.

Whatever Numba compiles, it optimises to the end and turns into machine code that Python and C could call; then it links
the optimised text into every caller and optimises that once more. Nobody calls a piece but the kernels that it is
linked into, so that is half of the time of a compilation spent for nothing. Here a piece is text: the kernel is
optimised as a whole, once, and machine code is made of the kernel alone.
"""

from __future__ import annotations

from typing import Any

from numba import _dynfunc
from numba.core.codegen import CPUCodeLibrary
from numba.core.compiler import Compiler
from numba.core.compiler_machinery import PassManager, register_pass
from numba.core.typed_passes import NativeLowering


class _Text(CPUCodeLibrary):  # type: ignore[misc]  # numba has no type hints
    """What a kernel is linked with."""

    def _optimize_final_module(self) -> None:
        """Left to the kernel."""

    def _finalize_final_module(self) -> None:
        """The engine that makes machine code is not told of it."""
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True


@register_pass(mutates_CFG=True, analysis_only=False)
class _LowerToText(NativeLowering):  # type: ignore[misc]
    """From Numba's representation to LLVM's."""

    _name = "lower_to_text"

    def run_pass(self, state: Any) -> bool:
        state.library = _Text(state.targetctx.codegen(), state.func_id.func_qualname)
        state.flags.no_compile = True
        super().run_pass(state)
        # Callers find the text by an object that Python could call, if there were machine code.
        piece = state.cr.fndesc
        name = piece.qualname.split(".")[-1]
        key = _dynfunc.make_function(piece.lookup_module(), name, "a piece of a kernel", 0, state.cr.env, ())
        state.targetctx.insert_user_function(key, piece, [state.library])
        state.cr = state.cr._replace(cfunc=key)
        return True


class _PieceCompiler(Compiler):  # type: ignore[misc]
    """Numba's own passes, but for the last step."""

    def define_pipelines(self) -> list[Any]:
        (usual,) = super().define_pipelines()
        passes = PassManager("piece")
        for each, reason in usual.passes:
            passes.add_pass(_LowerToText if each is NativeLowering else each, reason)
        passes.finalize()
        return [passes]


AS_TEXT: dict[str, Any] = {"pipeline_class": _PieceCompiler, "no_cfunc_wrapper": True}
