"""`novikoff warmup`: call every loop once, so that its machine code is in the cache."""

from __future__ import annotations

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
    from novikoff.estimators.registry import REGISTRY

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
        yield f"orders and streams, {storage}", partial(_streams, X, y)
    yield "one example at a time", lambda: nk.play(nk.Perceptron(), [({"a": 1.0}, True), ({"b": 2.0}, False)])
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


def _streams(X: Any, y: Any) -> None:
    import novikoff as nk

    for order in ("first", "worst"):
        nk.Perceptron(order=order).fit(X, y)
    nk.Perceptron().predict_learn(X, np.where(y == 1, 1, -1))
    nk.Perceptron(scale="sphere").partial_fit(X, y, classes=[0, 1])
