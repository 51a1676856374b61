"""From a file of any size to a model: `fit_file`, with a journal that a killed run is taken up from."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff import atomic
from novikoff.data.cache import Copy
from novikoff.data.options import Reading
from novikoff.data.reading import read
from novikoff.estimators.linear import LinearClassifier
from novikoff.kernels.decide import STATE
from novikoff.learners.linear import LinearLearner
from novikoff.store import InvalidModel, container

SECONDS = 10.0  # between entries of the journal; no result depends on it


def fit_file(
    estimator: Any,
    path: str | os.PathLike[str],
    *,
    resume: bool = False,
    cache: str | os.PathLike[str] | None = None,
    keep_cache: bool = True,
    watch: Callable[[int], None] | None = None,
    **reading: Any,
) -> Any:
    """Fit an estimator to a file that need not fit into memory; the bits are those of ``estimator.fit(read(path))``.

    The file is parsed once, into a binary copy that is mapped into memory, and the passes run on that.

    Parameters
    ----------
    estimator : any estimator of this library
    path : a file, a pattern of files, or "-" for standard input (which is read into memory)
    resume : take up a run that was killed, from its last checkpoint, to the same bits. The perceptrons write one
        every ten seconds; for the others this saves the parsing alone.
    cache : the directory of the binary copies; by default the user's cache directory
    keep_cache : leave the copy for the next time; it is not used any more once the file has changed
    watch : called with the number of rows parsed so far
    reading : the options of `novikoff.data.read`

    Returns
    -------
    the estimator, fitted, with ``data_digest_`` (as in a certificate), ``reading_`` (how the file was read) and
    ``skipped_`` (the malformed lines that were left out)
    """
    options = Reading(**reading)
    if os.fspath(path) == "-":
        if resume:
            raise ValueError("standard input cannot be read again: save it to a file to resume")
        examples = read("-", **reading)
        return _fitted(estimator, examples, None)
    copy = Copy(path, options, None if cache is None else Path(cache))
    try:
        examples = copy.open(watch)
        journal = None
        if isinstance(estimator, LinearClassifier):
            journal = DiskJournal(copy.place / f"run-{_key(estimator)}.nvk", len(examples))
            if not resume:
                journal.forget()
        return _fitted(estimator, examples, journal)
    finally:
        if not keep_cache:
            copy.remove()


def _fitted(model: Any, examples: Any, journal: DiskJournal | None) -> Any:
    with ThreadPoolExecutor(1) as beside:
        digest = beside.submit(lambda: examples.digest)
        if isinstance(model, LinearClassifier):
            model.fit_journalled(examples, None, journal)
        else:
            model.fit(examples)
        model.data_digest_ = digest.result()
    model.skipped_ = examples.bad
    model.reading_ = json.loads(json.dumps(asdict(examples.reading)))
    if journal and not model.interrupted_:
        journal.forget()
    return model


def _key(model: Any) -> str:
    """The same for the same learner with the same parameters."""
    text = f"{type(model).__name__} {sorted(model.get_params().items(), key=lambda pair: pair[0])!r}"
    return hashlib.sha256(text.encode()).hexdigest()[:16]


class DiskJournal:
    """A `novikoff.learners.linear.Journal` in a file that is replaced at once."""

    def __init__(self, path: Path, rows: int) -> None:
        self._path, self._rows = path, rows
        self._next = time.monotonic() + SECONDS

    def forget(self) -> None:
        """Remove it, and what a killed process left of writing it."""
        for file in (self._path, *self._path.parent.glob(".novikoff-*.partial")):
            file.unlink(missing_ok=True)

    def keep(self, learner: LinearLearner, history: list[NDArray[np.int64]], generator: Any) -> None:
        if time.monotonic() < self._next:
            return
        arrays = {
            "w": learner.w,
            "state": learner.state.view(np.uint8),
            "history": np.concatenate([np.empty(0, np.int64), *history]),
        }
        header: dict[str, Any] = {"start_norm": learner.start_norm.hex(), "generator": None}
        if generator is not None:
            header["generator"] = [generator[2], generator[3], float(generator[4]).hex()]
            arrays["twister"] = generator[1]
        atomic.write(self._path, container.pack(header, arrays))
        self._next = time.monotonic() + SECONDS

    def recall(self, learner: LinearLearner) -> tuple[NDArray[np.int64], Any] | None:
        try:
            header, arrays, *_ = container.read(self._path)
        except (FileNotFoundError, InvalidModel):
            return None
        if not {"w", "state", "history"} <= arrays.keys() or arrays["state"].size != STATE.itemsize:
            return None  # of another version
        w, state = arrays["w"], arrays["state"].view(STATE)
        if w.shape != learner.w.shape or not 0 <= state[0].at <= self._rows or not 0 <= state[0].found < self._rows + 1:
            return None
        learner.w, learner.state = w.copy(), state.copy()
        learner.start_norm = float.fromhex(header["start_norm"])
        generator = None
        if header["generator"] is not None:
            place, has_gauss, gauss = header["generator"]
            generator = ("MT19937", arrays["twister"].copy(), place, has_gauss, float.fromhex(gauss))
        return arrays["history"].copy(), generator
