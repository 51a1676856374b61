"""Every pair of labels in one call: what the pairs share is done once, and they run beside each other.

They share the look at every entry, the norms and the digest. Each pair then is the plain question about the rows of its
two labels, in the order of the data, so that its proof is that of a call of its own.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import nullcontext
from dataclasses import replace
from itertools import combinations
from threading import Event
from typing import Any

import numpy as np
import scipy.sparse as sp

from novikoff import inputs
from novikoff.certificates.certificate import About, NotSeparable, Separable, Undecided, Verdict
from novikoff.certificates.divisions import Classes
from novikoff.certificates.pair_verdicts import PairVerdicts
from novikoff.certificates.prove import INTERRUPTED, Question, verdict_on
from novikoff.engine.rows import Indices, Rows
from novikoff.progress import Pairs


def surveyed(X: Any, found: Classes, question: Question, names: Any) -> tuple[Rows, About]:
    """The rows of all labels, which have been looked at, and what a certificate of all of them is about."""
    rows = Rows(X, found.place.astype(np.int32), question.constant)
    with inputs.refusals(X, names):
        rows.survey()
    n, d = X.shape
    about = About(
        rows.digest(),
        n,
        d,
        question.constant,
        None,
        (),
        question.sphere,
        question.reading,
        question.doubted,
        tuple(found.labels),
    )
    return rows, about


def one_vs_one(rows: Rows, about: About, question: Question) -> PairVerdicts:
    """The verdict on each pair of labels."""
    labels = about.labels
    verdicts = dict(settled(rows, about, question))
    return PairVerdicts(about, {(labels[a], labels[b]): verdict for (a, b), verdict in verdicts.items()})


def settled(rows: Rows, about: About, question: Question) -> Iterator[tuple[tuple[int, int], Verdict]]:
    """The verdict on each pair of labels, in order; after Ctrl-C those that are left are undecided.

    Whoever has enough may leave: the pairs that are under way are then halted.
    """
    pairs = list(combinations(range(len(about.labels)), 2))
    halt = Event()
    late = math.inf if question.max_seconds is None else time.monotonic() + question.max_seconds
    members = [np.flatnonzero(rows.signs == place) for place in range(len(about.labels))]
    X = rows.storage.some(slice(None), about.d)

    def settle(pair: tuple[int, int]) -> Verdict:
        left = None if late == math.inf else max(0.0, late - time.monotonic())
        return _settle(X, rows, about, replace(question, verbose=0, max_seconds=left, halt=halt), pair, members)

    shown = Pairs("certify", len(pairs)) if question.verbose else nullcontext()
    with ThreadPoolExecutor(cores()) as pool, shown as watch:
        jobs = {pair: pool.submit(settle, pair) for pair in pairs}
        try:
            without = 0
            for count, (pair, job) in enumerate(jobs.items(), start=1):
                while not job.done():
                    try:
                        wait([job])
                    except KeyboardInterrupt:
                        halt.set()
                verdict = job.result()
                without += isinstance(verdict, NotSeparable)
                if watch:
                    watch(count, without)
                yield pair, verdict
        finally:
            halt.set()
            pool.shutdown(wait=False, cancel_futures=True)


def _settle(
    X: Any, rows: Rows, about: About, question: Question, pair: tuple[int, int], members: list[Indices]
) -> Verdict:
    """The verdict on one pair: the second label against the first."""
    a, b = pair
    which = np.sort(np.concatenate([members[a], members[b]]))
    of_pair = replace(about, n=len(which), positive=about.labels[b], against=(about.labels[a],))
    if question.halt is not None and question.halt.is_set():
        return Undecided(of_pair, 0, (-math.inf, math.inf), INTERRUPTED)
    part, columns = _without_empty_columns(X[which])
    of_two = Rows(part, np.where(rows.signs[which] == b, np.int8(1), np.int8(-1)), rows.constant)
    of_two.take_norms(rows.norms[which])
    return _of_the_whole(verdict_on(of_two, of_pair, question), which, columns, about.d)


def _without_empty_columns(X: Any) -> tuple[Any, Indices | None]:
    """A sparse matrix with those columns alone where it stores something, and their numbers; a dense one, as it is.

    Of many texts two kinds have a part of the words, and vectors are as long as there are columns.
    """
    if not sp.issparse(X):
        return X, None
    stored = np.zeros(X.shape[1], dtype=np.bool_)
    stored[X.indices] = True
    columns = np.flatnonzero(stored)
    place = np.cumsum(stored, dtype=X.indices.dtype) - 1
    return sp.csr_array((X.data, place[X.indices], X.indptr), shape=(X.shape[0], len(columns))), columns


def _of_the_whole(verdict: Verdict, which: Indices, columns: Indices | None, d: int) -> Verdict:
    """With the numbers that its rows and columns have among all of them."""
    if isinstance(verdict, Separable):
        w = _spread(verdict.w, columns, d)
        return replace(verdict, w=w, rows=which[verdict.rows], closest=int(which[verdict.closest]))
    if isinstance(verdict, NotSeparable):
        weak = None if verdict.weak is None else _spread(verdict.weak, columns, d)
        return replace(verdict, weak=weak, rows=which[verdict.rows])
    return verdict


def _spread(w: tuple[int, ...], columns: Indices | None, d: int) -> tuple[int, ...]:
    """A vector over some of the columns, and the constant coordinate, as one over all of them."""
    if columns is None:
        return w
    out = np.zeros(d + 1, dtype=object)
    out[columns] = w[:-1]
    out[d] = w[-1]
    return tuple(out.tolist())


def cores() -> int:
    """As many as this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
