"""`novikoff warmup`: call every loop once, so that its machine code is in the cache."""

from __future__ import annotations

import logging
import sys
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from novikoff.cli.answers import GOOD
from novikoff.cli.options import Quiet


def warmup(quiet: Quiet = False) -> int:
    """Compile everything now, so that no later command waits for it. Takes a minute or two, once."""
    logging.getLogger("novikoff.compiling").setLevel(logging.WARNING)  # it is said below, job by job
    for name, job in _jobs():
        if not quiet:
            print(f"compiling: {name}", file=sys.stderr)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            job()
    return GOOD


def _jobs() -> Iterator[tuple[str, Callable[[], object]]]:
    import scipy.sparse as sp

    import novikoff as nk
    from novikoff.data.options import Reading
    from novikoff.data.splitting import Splitter
    from novikoff.data.svmlight import SvmlightParser
    from novikoff.engine.moments import moments
    from novikoff.estimators.registry import BY_RULE, REGISTRY

    bits = np.array([[1, 0, 1], [0, 1, 1], [1, 1, 0], [0, 0, 1]])
    y = np.array([1, 0, 1, 0])
    storages: dict[str, Any] = {
        "float64": bits.astype(np.float64),
        "float32": bits.astype(np.float32),
        "sparse": sp.csr_array(bits.astype(np.float64)),
    }
    for storage, X in storages.items():
        for name, entry in REGISTRY.items():
            yield f"{name}, {storage}", partial(_fit, entry.estimator, X, y)
        yield f"certify, {storage}", partial(nk.certify, X, y)
        yield f"means and deviations, {storage}", partial(moments, X)
        for entry in BY_RULE:  # its rule is compiled into every loop
            yield f"{entry.name}, orders and streams, {storage}", partial(_streams, entry.estimator, X, y)
    for entry in BY_RULE:
        yield f"{entry.name}, one example at a time", partial(_one_by_one, entry.estimator)
    yield "svmlight text", lambda: SvmlightParser().parse(b"1 1:0.5\n-1 2:1e-30 1:2\n", 1, 0)
    yield "VW text", _vw
    yield "quoted cells", lambda: Splitter(Reading(format="csv")).cut(memoryview(b'"a",1\n'), complete=False)


def _vw() -> None:
    """Two texts at once, so that new names of the second are renumbered."""
    from novikoff.data.vw import VwParser

    parser = VwParser()
    scans = [parser.scan(text, 1, 0) for text in (b"1 |a b:0.5 c\n-1 |a c:1e-30\n", b"1 |a d\n")]
    for scan in scans:
        parser.settle(scan, 1)


def _fit(kind: Any, X: Any, y: Any) -> None:
    kind().fit(X, y).predict(X)


def _streams(kind: Any, X: Any, y: Any) -> None:
    for order in ("first", "worst"):
        kind(order=order).fit(X, y)
    kind().predict_learn(X, np.where(y == 1, 1, -1))
    kind(scale="sphere").partial_fit(X, y, classes=[0, 1])
    kind(hypothesis="average").fit(X, y).predict_learn(X, y)


def _one_by_one(kind: Any) -> None:
    import novikoff as nk

    nk.play(kind(), [({"a": 1.0}, True), ({"b": 2.0}, False)])
    nk.play(kind(), [([1.0, 0.0], True), ([0.0, 1.0], False)])
