"""What the compiler made of the loops: `NUMBA_CPU_NAME=znver4 python -m tests.laws.vectors` prints a line for each.

Or for those with a text in their label: `python -m tests.laws.vectors "loops.cycle float32" products`.

A loop over contiguous memory must read it by contiguous vector loads. If LLVM cannot prove that an index does not wrap
around, it reads the same entries by gathers, several times slower on most processors, and no test of results notices.
So the loops are compiled for a named processor, of which nothing is executed, and the LLVM text is read.
"""

from __future__ import annotations

import gc
import importlib
import json
import pkgutil
import re
import sys
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numba import typeof

import novikoff
from novikoff.certificates import corral, dual, faces, modular, twofold
from novikoff.descent import sweeps
from novikoff.engine import abreast, loops
from novikoff.engine.byte_rows import ByteRows
from novikoff.engine.compile import Kernel
from novikoff.engine.csr import CsrRows
from novikoff.engine.decide import STATE
from novikoff.engine.dense import DenseRows
from novikoff.engine.heads import Heads
from novikoff.engine.keeping import LAST, NOBODY, Average
from novikoff.engine.loops import TRACE
from novikoff.engine.plane import Plane
from novikoff.learners import boolean_loops
from novikoff.learners.margin_perceptron import MarginPerceptron
from novikoff.learners.passive_aggressive import PassiveAggressive
from novikoff.learners.perceptron import Perceptron

GATHER = re.compile(r"\bcall .*@llvm\.masked\.gather\.[^(]*\(<\d+ x ptr>[^%]*%(?P<places>[\w.]+)")
VECTOR_LOAD = re.compile(r"= load <\d+ x (?:double|float|i8|i16|i32)>")
BLOCK = re.compile(r'^("?[\w.$-]+"?):', re.MULTILINE)
# A sum that may be reassociated, one term at a time; and the same over vectors.
SCALAR_SUM = re.compile(r"= fadd reassoc[^<\n]*(?:double|float) %")
VECTOR_SUM = re.compile(r"= fadd reassoc[^\n]*<\d+ x (?:double|float)>")
SCALAR_LOAD = re.compile(r"= load (?:double|float)")
BYTE_SUM = re.compile(r"= sext <\d+ x i8>")  # bytes, many at a time
COPY = re.compile(r"\.(?:prol|epil|\d+)(?!\w)")  # of a loop, for what is left over
SPECIAL = re.compile(
    r"\.us\d*(?!\w)"
)  # a copy of a loop for another case, such as rows that are short or have no columns

# Loops of the parsers read bytes one by one; these others read nothing by rows, or stop at the first entry of a kind.
SCALAR = {
    "novikoff.engine.storage.nonzeros": "it moves single entries, those that are not zero",
    "novikoff.engine.order._shuffle": "it moves single entries",
    "novikoff.engine.sums.exact_dot": "digits of a long accumulator",
    "novikoff.engine.sums.exact_sqnorm": "digits of a long accumulator",
    "novikoff.engine.moments.add_columns": "digits of long accumulators",
    "novikoff.certificates.modular._substitute": "a triangle is solved once, for the size of an answer",
    "novikoff.certificates.dual.column_signs": "it sets flags, entry by entry",
    "novikoff.learners.boolean_loops.winnow_scores": "sums in the order of the columns, which is a promise",
    "novikoff.learners.boolean_loops.winnow": "sums in the order of the columns, which is a promise",
}


class Loop(NamedTuple):
    """A kernel, and what stores the rows that it is compiled for."""

    kernel: Any
    arguments: tuple[Any, ...]
    storage: str = "vectors"  # float64, float32, csr, or none of them

    @property
    def rule(self) -> str:
        return "".join(type(argument).__name__ for argument in self.arguments if hasattr(argument, "violated"))

    @property
    def label(self) -> str:
        return f"{name_of(self.kernel)} {self.storage} {self.rule}"


def _storages() -> Iterator[tuple[str, Any]]:
    norm = np.zeros(1)
    for dtype in (np.float64, np.float32):
        yield np.dtype(dtype).name, DenseRows(np.zeros((1, 1), dtype), norm, 1.0, False)
    yield "csr", CsrRows(np.zeros(1), np.zeros(1, np.uint32), np.zeros(2, np.int64), norm, 1.0, False)


def all_loops() -> Iterator[Loop]:
    """Every loop that reads rows or vectors, for every storage."""
    v, ints, signs = np.zeros(1), np.zeros(1, np.int64), np.zeros(1, np.int8)
    state, trace, tally = np.zeros(1, STATE), np.zeros(0, TRACE), np.zeros(0, np.uint32)
    flags, table, rounds = np.zeros(1, np.bool_), np.zeros((2, 1), np.bool_), np.zeros((2, 1), np.int64)
    ones, M, codes = np.zeros(1, np.uint8), np.zeros((1, 1)), np.zeros(1, np.int32)
    plane, heads = Plane(v), Heads(M, v)
    x = 1.0
    for name, rows in _storages():
        by_rule = (Perceptron(), MarginPerceptron(), PassiveAggressive()) if name == "float64" else (Perceptron(),)
        for rule in by_rule:
            way = rows, signs, v, ints, 0, False, plane, NOBODY, rule
            yield Loop(loops.cycle, (*way, state, 1, ints, trace, tally), name)
            yield Loop(loops.climb, (rows, signs, v, plane, LAST, rule, state, 1, ints, trace, tally), name)
            yield Loop(loops.rounds, (rows, signs, plane, LAST, rule, state, 1, 1, v), name)
        yield Loop(loops.quiet, (rows, signs, ints, ints, 1, plane, state), name)
        way = rows, signs, v, ints, 0, False, plane, Average(plane, plane), Perceptron()
        yield Loop(loops.cycle, (*way, state, 1, ints, trace, tally), f"{name}, average")
        many = f"{name}, many classes"
        way = rows, codes, v, ints, 0, False, heads, NOBODY, Perceptron()
        yield Loop(loops.cycle, (*way, state, 1, ints, trace, tally), many)
        yield Loop(loops.climb, (rows, codes, v, heads, LAST, Perceptron(), state, 1, ints, trace, tally), many)
        yield Loop(loops.rounds_of_heads, (rows, codes, heads, LAST, Perceptron(), state, 1, 1, M), many)
        yield Loop(loops.quiet, (rows, codes, ints, ints, 1, heads, state), many)
        yield Loop(loops.examine, (rows, codes, heads, 0, state, 1, 1, flags), many)
        yield Loop(loops.scores_of_heads, (rows, heads, 1, 1, M), many)
        kind = abreast.Abreast if name == "csr" else abreast.Stacked
        few = kind(M, ints, 0, v, v, v)
        no_place = abreast.SurvivorsOfAll(
            np.zeros((1, 0, 1, 1)), *np.zeros((2, 1, 0), np.int64), np.zeros((1, 1), np.int64)
        )
        for kept in (no_place, abreast.Averages(M)):
            way = rows, codes, v, ints, 0, few, kept, Perceptron(), state, 1, ints, np.zeros(0, np.uint64)
            yield Loop(abreast.together, way, f"{name}, {type(kept).__name__.lower()}")
        yield Loop(loops.survey, (rows, 1, state, 1, 1), name)
        yield Loop(loops.examine, (rows, signs, plane, 0, state, 1, 1, flags), name)
        yield Loop(loops.products, (rows, signs, v, 1, 1, v), name)
        yield Loop(loops.some_rows, (rows, signs, ints, M), name)
        yield Loop(loops.scores, (rows, v, 1, 1, v), name)
        yield Loop(dual.total, (rows, signs, v, v, 1, 1), name)
        if name == "csr":  # dense rows go through BLAS
            yield Loop(dual.squares, (rows, ints, v, M), name)
        yield Loop(dual.combine, (rows, signs, ints, v, v, v, v), name)
        yield Loop(twofold.products, (rows, signs, twofold.corral(1, 1).r, 1, 1, v), name)
        yield Loop(dual.sweep, (rows, signs, ints, v, v, v, v, v), name)
        yield Loop(dual.sweep_rivals, (rows, codes, ints, ints, v, M, v), name)
        yield Loop(sweeps.gradient, (rows, v, v, v, 1, 1, v), name)
        yield Loop(sweeps.products, (rows, v, 1, 1, v), name)
        yield Loop(sweeps.combination, (rows, v, 1, 1, v), name)
        yield Loop(sweeps.sqnorms, (rows, 1, 1, v), name)
        yield Loop(sweeps.sgd, (rows, v, v, ints, x, x, 1, v, v), name)
        yield Loop(sweeps.kaczmarz, (rows, v, v, ints, v), name)
        yield Loop(sweeps.newton_sgd, (rows, v, v, ints, x, x, 1, M, v), name)
        yield Loop(sweeps.recursive, (rows, v, v, 1, 1, M, v, v), name)
        yield Loop(boolean_loops.accepts, (rows, v, x, flags), name)
        yield Loop(boolean_loops.sweep, (rows, flags, 1, v, x, table, table, rounds, ones, ints, ints, ints), name)
        yield Loop(boolean_loops.first_failure, (rows, flags, 1, v, x, table, rounds, ones), name)
        yield Loop(boolean_loops.settle, (rows, 1, v, x, v, x, table, rounds, ones, ints, ints, ints), name)
    for dtype in (np.float64, np.float32):
        q, short = np.zeros((1, 1), np.int8), np.zeros(1, np.int16)
        rows = ByteRows(np.zeros((1, 1), dtype), v, 1.0, False, q, v, v, v, short, ints)
        name = f"{np.dtype(dtype).name} with bytes"
        way = rows, signs, v, ints, 0, False, plane, NOBODY, Perceptron()
        yield Loop(loops.cycle, (*way, state, 1, ints, trace, tally), name)
        yield Loop(loops.examine, (rows, signs, plane, 0, state, 1, 1, flags), name)
        yield Loop(loops.quiet, (rows, signs, ints, ints, 1, plane, state), name)
        single = np.zeros(1, dtype)
        yield Loop(boolean_loops.first_not_boolean, (single,), single.dtype.name)
        yield Loop(loops.learn_dense, (single, 1, plane, LAST, Perceptron(), state), single.dtype.name)
        yield Loop(loops.score_dense, (single, v, state), single.dtype.name)
        yield Loop(loops.rank_dense, (single, heads, state), f"{single.dtype.name}, many classes")
    columns = np.zeros(1, np.uint32)
    yield Loop(loops.learn_sparse, (columns, v, 1, plane, LAST, Perceptron(), state), "csr")
    yield Loop(loops.score_sparse, (columns, v, v, state), "csr")
    yield Loop(loops.rank_sparse, (columns, v, heads, state), "csr")
    yield Loop(loops.norm_above, (plane,))
    yield Loop(loops.norm_above, (heads,))
    yield Loop(modular._bring_up, (M, M, 1, ints, 1))
    yield Loop(modular._subtract_product, (M, M, M, 1))
    yield Loop(modular._invert, (M, 1, ints))
    yield Loop(modular._echelon, (M, 1, ints, 1, 1, 1))
    yield Loop(modular._reduce, (M, v, 1, 1))
    yield Loop(dual.price, (M, v, v))
    yield Loop(faces._count_signs, (M, ints, 1, ints, ints))
    c = corral.corral(1, 1)
    yield Loop(corral.enter, (c, 1, 1, M, ints, x, 1))
    yield Loop(corral.settle, (c, 1))
    yield Loop(corral.span, (c, 1, M, 1, 1))
    closer = twofold.corral(1, 1)
    yield Loop(twofold.enter, (closer, 1, M, ints, x))
    yield Loop(twofold.price, (M, closer.r, v))
    yield Loop(twofold.settle, (closer, 1))


def name_of(kernel: Any) -> str:
    return f"{kernel.__module__}.{kernel.__qualname__}"


def kernels() -> set[str]:
    """The names of all kernels of the package, but those of the parsers."""
    found = set()
    for module in pkgutil.walk_packages(novikoff.__path__, "novikoff."):
        if module.name.startswith(("novikoff.data", "novikoff.lab", "novikoff.display", "novikoff.cli")):
            continue
        for each in vars(importlib.import_module(module.name)).values():
            if isinstance(each, Kernel):
                found.add(name_of(each))
    return {name for name in found if name.startswith("novikoff.")}


def _inner_loops(text: str) -> Iterator[tuple[str, str]]:
    """The loops of one basic block, by their labels: all that are innermost and do not branch."""
    parts = BLOCK.split(text)
    for label, rest in zip(parts[1::2], parts[2::2], strict=True):
        block = rest.split("\n}")[0]
        ends = [line for line in block.splitlines() if line.startswith("  br ")]
        if ends and re.search(rf"label %{re.escape(label)}(?![\w.])", ends[-1]):
            yield label, block


def _slow_sums(text: str) -> int:
    """Loops that add up one term at a time, beyond those that finish what a loop over vectors began."""
    one_by_one, by_vectors = set(), 0
    for label, block in _inner_loops(text):
        if VECTOR_SUM.search(block) and VECTOR_LOAD.search(block):
            by_vectors += not label.startswith("vec.epilog")
        elif SCALAR_SUM.search(block) and SCALAR_LOAD.search(block) and not SPECIAL.search(label):
            one_by_one.add(COPY.sub("", label))
    return max(0, len(one_by_one) - by_vectors)


def _gathers(text: str) -> int:
    """Gathers from memory that is, or may be, contiguous.

    The constant coordinates of many classes are one in every row of a matrix: where rows have no columns, nothing else
    is left of a loop over the classes, and it reads them with their stride.
    """
    found = 0
    for gather in GATHER.finditer(text):
        before = text[: gather.start()]
        place = before.rpartition(f"%{gather['places']} = getelementptr")[2].splitlines()[0]
        index = place.rpartition("%")[2]
        found += not before.rpartition(f"%{index} = ")[2].startswith("mul <")
    return found


def census(loop: Loop) -> dict[str, Any]:
    """How often the text of a loop, compiled for the processor that the environment names, gathers and loads."""
    from numba.core.caching import NullCache

    compiled = loop.kernel.compiled
    compiled._cache = NullCache()  # what is compiled for another processor is not kept
    signature = tuple(typeof(argument) for argument in loop.arguments)
    compiled.compile(signature)
    text = compiled.inspect_llvm(signature)
    return {
        "kernel": name_of(loop.kernel),
        "storage": loop.storage,
        "rule": loop.rule,
        "gathers": _gathers(text),
        "vector_loads": len(VECTOR_LOAD.findall(text)),
        "slow_sums": _slow_sums(text),
        "byte_sums": len(BYTE_SUM.findall(text)),
    }


def main() -> None:
    gc.disable()  # compilers leave little garbage, and looking for it takes a twelfth of the time
    chosen = sys.argv[1:]
    for loop in all_loops():
        if not chosen or any(text in loop.label for text in chosen):
            print(json.dumps(census(loop)), flush=True)


if __name__ == "__main__":
    main()
