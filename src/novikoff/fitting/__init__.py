"""From a file of any size to a model: `fit_file`, with a journal that a killed run is taken up from."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar, Unpack

from novikoff.data.cache import Copy
from novikoff.data.dataset import Dataset
from novikoff.data.options import Options, reading_of, takes_options
from novikoff.data.reading import read
from novikoff.data.sources import read_once
from novikoff.estimators.linear import LinearClassifier
from novikoff.fitting.journal import DiskJournal, forget_all

E = TypeVar("E")


@takes_options
def fit_file(
    estimator: E,
    path: str | os.PathLike[str],
    *,
    resume: bool = False,
    fresh: bool = False,
    cache: str | os.PathLike[str] | None = None,
    keep_cache: bool = True,
    watch: Callable[[int], None] | None = None,
    **reading: Unpack[Options],
) -> E:
    """Fit an estimator to a file that need not fit into memory; the bits are those of ``estimator.fit(read(path))``.

    The file is parsed once, into a binary copy that is mapped into memory, and the passes run on that.

    Parameters
    ----------
    estimator : any estimator of this library
    path : a file, a pattern of files, or "-" for standard input (which is read into memory, as every pipe)
    resume : take up a run that was killed, from its last checkpoint, to the same bits. The perceptrons write one
        every ten seconds, unless they learn more than two classes apart (``multiclass``); for the others this saves
        the parsing alone. A checkpoint of other data, of another
        learner or of other parameters is refused.
    fresh : make the copy again, and drop the checkpoints of killed runs on this file
    cache : the directory of the binary copies; by default the user's cache directory
    keep_cache : leave the copy for the next time; it is not used any more once the file has changed
    watch : called with the number of rows parsed so far
    reading : the options of `novikoff.data.read`

    Returns
    -------
    the estimator, fitted, with ``data_digest_`` (as in a certificate), ``reading_`` (how the file was read) and
    ``skipped_`` (the malformed lines that were left out)
    """
    with fitted_to_file(
        estimator, path, resume=resume, fresh=fresh, cache=cache, keep_cache=keep_cache, watch=watch, **reading
    ):
        return estimator


@contextmanager
def fitted_to_file(
    estimator: Any,
    path: str | os.PathLike[str],
    *,
    resume: bool,
    fresh: bool,
    cache: str | os.PathLike[str] | None,
    keep_cache: bool,
    watch: Callable[[int], None] | None,
    **reading: Unpack[Options],
) -> Iterator[None]:
    """`fit_file`, and then something with the model, such as saving it: the checkpoint stays until that is done."""
    if resume and fresh:
        raise ValueError("resume goes on with what is kept of a run, and fresh drops it: ask for one of the two")
    options = reading_of(reading)
    if read_once(path):
        if resume:
            name = "standard input" if os.fspath(path) == "-" else f"{os.fspath(path)} is a pipe, which"
            raise ValueError(f"{name} cannot be read again: save it to a file to resume")
        _fit(estimator, read(path, **reading), None)
        yield
        return
    copy = Copy(path, options, None if cache is None else Path(cache))
    with copy.open(watch, fresh=fresh, keep=keep_cache) as examples:
        if fresh:
            forget_all(copy.home)
        if not isinstance(estimator, LinearClassifier):
            _fit(estimator, examples, None)
            yield
            return
        with closing(DiskJournal(copy.home, estimator, len(examples), examples.weights)) as journal:
            if resume:
                journal.resume(lambda: examples.digest)
            else:
                journal.forget()
            _fit(estimator, examples, journal)
            yield
            if not estimator.interrupted_:
                journal.forget()


def _fit(model: Any, examples: Dataset, journal: DiskJournal | None) -> None:
    with ThreadPoolExecutor(1) as beside:
        digest = beside.submit(lambda: examples.digest)
        if journal:
            journal.data = digest
            model._fit_journalled(examples, None, journal)
        else:
            model.fit(examples)
        model.data_digest_ = digest.result()
    model.skipped_ = examples.bad
    model.reading_ = json.loads(json.dumps(asdict(examples.reading)))
