"""From a file of any size to a model: `fit_file`, with a journal that a killed run is taken up from."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar, Unpack

import numpy as np

from novikoff.certificates import NotSeparableError
from novikoff.data.account import Account
from novikoff.data.cache import Copy
from novikoff.data.dataset import Dataset
from novikoff.data.options import Options, reading_of, takes_options
from novikoff.data.reading import read
from novikoff.data.sources import read_once
from novikoff.estimators.linear import LinearClassifier
from novikoff.estimators.registry import REGISTRY
from novikoff.fitting.journal import DiskJournal, forget_all
from novikoff.fitting.standardising import standardised_copy
from novikoff.inputs import with_standardised_columns

E = TypeVar("E")


@takes_options
def fit_file(
    estimator: E,
    path: str | os.PathLike[str],
    *,
    standardize: bool = False,
    resume: bool = False,
    fresh: bool = False,
    cache: str | os.PathLike[str] | None = None,
    keep_cache: bool = True,
    watch: Callable[[int], None] | None = None,
    announce: Callable[[Account], None] | None = None,
    **reading: Unpack[Options],
) -> E:
    """Fit an estimator to a file that need not fit into memory; the bits are those of ``estimator.fit(read(path))``.

    The file is parsed once, into a binary copy that is mapped into memory, and the passes run on that.

    Parameters
    ----------
    estimator : any estimator of this library
    path : a file, a pattern of files, or "-" for standard input (which is read into memory, as every pipe)
    standardize : let the estimator see each column minus its mean, divided by its standard deviation, both of all rows
        of the file, whatever they weigh; where rows are sparse and fewer than one number in eight is other than 0,
        divided alone, so that zeros stay zeros. It keeps these numbers in ``standardization_`` and in its model file,
        and from then on takes rows as they are, wherever it is given some. A column of one value is not divided
    resume : take up a run that was killed, from its last checkpoint, to the same bits. The perceptrons write one
        every ten seconds, unless they learn more than two classes apart (``multiclass``); for the others this saves
        the parsing alone. A checkpoint of other data, of another
        learner or of other parameters is refused.
    fresh : make the copy again, and drop the checkpoints of killed runs on this file
    cache : the directory of the binary copies; by default the user's cache directory
    keep_cache : leave the copy for the next time; it is not used any more once the file has changed
    watch : called with the number of rows parsed so far
    announce : called with the account of what was read, before anything is learned
    reading : the options of `novikoff.data.read`

    Returns
    -------
    the estimator, fitted, with ``data_digest_`` (as in a certificate, of the rows of the file), ``reading_`` (how the
    file was read, and under "account" what was read, without the columns, or classes, if they are many) and
    ``skipped_`` (the malformed lines that were left out)
    """
    with fitted_to_file(
        estimator,
        path,
        standardize=standardize,
        resume=resume,
        fresh=fresh,
        cache=cache,
        keep_cache=keep_cache,
        watch=watch,
        announce=announce,
        **reading,
    ):
        return estimator


@contextmanager
def fitted_to_file(
    estimator: Any,
    path: str | os.PathLike[str],
    *,
    standardize: bool,
    resume: bool,
    fresh: bool,
    cache: str | os.PathLike[str] | None,
    keep_cache: bool,
    watch: Callable[[int], None] | None,
    announce: Callable[[Account], None] | None,
    **reading: Unpack[Options],
) -> Iterator[None]:
    """`fit_file`, and then something with the model, such as saving it: the checkpoint stays until that is done."""
    if resume and fresh:
        raise ValueError("resume goes on with what is kept of a run, and fresh drops it: ask for one of the two")
    _check_standardize(estimator, standardize)
    options = reading_of(reading)
    if read_once(path):
        if resume:
            name = "standard input" if os.fspath(path) == "-" else f"{os.fspath(path)} is a pipe, which"
            raise ValueError(f"{name} cannot be read again: save it to a file to resume")
        examples = read(path, **reading)
        if announce:
            announce(examples.account)
        _fit(estimator, examples, with_standardised_columns(examples) if standardize else examples, None)
        yield
        return
    copy = Copy(path, options, None if cache is None else Path(cache))
    with copy.open(watch, fresh=fresh, keep=keep_cache) as examples, ExitStack() as held:
        if announce:
            announce(examples.account)
        if fresh:
            forget_all(copy.home)
        learned = held.enter_context(standardised_copy(examples, copy.home)) if standardize else examples
        if not isinstance(estimator, LinearClassifier):
            _fit(estimator, examples, learned, None)
            yield
            return
        journal = DiskJournal(copy.home, estimator, len(examples), examples.weights, standardize=standardize)
        with closing(journal):
            if resume:
                journal.resume(lambda: examples.digest)
            else:
                journal.forget()
            _fit(estimator, examples, learned, journal)
            yield
            if not estimator.interrupted_:
                journal.forget()


def _check_standardize(model: Any, standardize: Any) -> None:
    """Is it one of two answers, and can this model learn from such rows?"""
    if not isinstance(standardize, bool | np.bool_):
        raise ValueError(f"standardize={standardize!r}: True or False is expected")
    kind = REGISTRY.get(type(model).__name__)
    if standardize and kind is not None and not kind.standardises:
        raise ValueError(
            f"{kind.name} learns from 0 and 1, which are other numbers once they are standardised: leave out "
            "standardize (--standardize)"
        )


def _fit(model: Any, examples: Dataset, learned: Dataset, journal: DiskJournal | None) -> None:
    """Fit a model to the examples, as they are learned from."""
    with ThreadPoolExecutor(1) as beside:
        digest = beside.submit(lambda: examples.digest)
        with _told_of_standardised_rows(learned):
            if journal:
                journal.data = digest
                model._fit_journalled(learned, None, journal)
            else:
                model.fit(learned)
        model.data_digest_ = digest.result()
    model.skipped_ = examples.bad
    model.reading_ = json.loads(json.dumps({**asdict(examples.reading), "account": examples.account.kept}))


@contextmanager
def _told_of_standardised_rows(learned: Dataset) -> Iterator[None]:
    """A proof that they cannot be separated is about the rows as they are learned from."""
    try:
        yield
    except NotSeparableError as error:
        if learned.standardization is not None:
            error.add_note("That is about the rows with standardised columns, which are rounded to float64.")
        raise
