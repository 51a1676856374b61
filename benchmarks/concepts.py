"""Halving on a whole class, and Littlestone's dimension."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from benchmarks.measure import Result, compare
from novikoff import Halving, concepts, littlestone_dimension

BITS = 24
TABLE = 18


def _peak(call) -> int:
    tracemalloc.start()
    call()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def halving() -> Iterator[Result]:
    """One vote and one filter, the version space whole; per live concept."""
    rng = np.random.default_rng(0)
    C = concepts.monotone_conjunctions(BITS)
    learner = Halving(C)
    x = rng.random(BITS) < 0.5
    zeros = np.uint32(sum(1 << i for i in range(BITS) if not x[i]))
    codes = np.arange(2**BITS, dtype=np.uint32)
    inside = (np.arange(2**TABLE) & int(zeros)) == 0  # a column of the table of the smaller class
    everything = np.ones(2**TABLE, dtype=bool)

    for y in (1, 0):

        def ours(y=y):
            fresh = learner.copy()
            guess = fresh.predict_one(x)
            fresh._update(x, y)
            return guess, fresh._size

        def by_codes(y=y):
            labels = (codes & zeros) == 0
            guess = int(2 * np.count_nonzero(labels) >= len(codes))
            return guess, len(codes[labels if y else ~labels])

        def by_table(y=y):
            guess = int(2 * np.count_nonzero(everything & inside) >= len(everything))
            left = everything & inside if y else everything & ~inside
            return guess, np.count_nonzero(left)

        memory = _peak(ours) / 2**20
        yield compare(
            f"Halving, a vote and a filter by y = {y}, 2^{BITS} monotone conjunctions",
            "NumPy on codes",
            ours,
            by_codes,
            same=lambda a, b: a == b,
            bar=10.0,
            remark=f"peak {memory:.0f} MiB beside the class",
        )
        result = compare(
            f"the same for y = {y}, per live concept",
            f"NumPy on a bool table of 2^{TABLE}",
            ours,
            by_table,
            same=None,
            bar=10.0,
            rounds=15,
        )
        each, theirs = result.ours / 2**BITS, result.theirs / 2**TABLE
        yield replace(result, ours=each, theirs=theirs, ratio=theirs / each)


def littlestone() -> Iterator[Result]:
    """Against the clock: the second that was promised."""
    best = float("inf")
    for _ in range(3):
        C = concepts.conjunctions(6)
        start = time.perf_counter()
        assert littlestone_dimension(C) == 7
        best = min(best, time.perf_counter() - start)
    yield Result("Littlestone dimension, 729 conjunctions on 64 points", "one second", best, 1.0, 1.0 / best, 1.0)
