"""The journal of a run on disk: checkpoints, from the last of which a killed run is taken up to the same bits."""

from __future__ import annotations

import hashlib
import json
import logging
import secrets
import shutil
import time
import warnings
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import ExitStack, suppress
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff.data.cache import LOCK, discard, make_directory
from novikoff.disk import atomic, locks
from novikoff.estimators.linear import LinearClassifier
from novikoff.examples import item
from novikoff.learners.linear import LinearLearner
from novikoff.learners.state import State
from novikoff.store import InvalidModel, container
from novikoff.store.header import value_in, value_out

SECONDS = 10.0  # between checkpoints; no result depends on it
VERSION = 5
PRODUCER = f"novikoff {version('novikoff')}"
FILE = "journal.nvk"
CURE = "Without resume (--resume) the run begins again, and fresh (--fresh) drops this checkpoint"

_log = logging.getLogger("novikoff")


class DiskJournal:
    """A `novikoff.learners.linear.Journal` in a directory of its own, whose lock is held while the process lives.

    So a directory that nobody holds is that of a killed run: to be taken up, or removed. It is called run-KEY-TOKEN,
    where KEY stands for the learner and its parameters. It is made for the first checkpoint, and that waits until the
    digest of the data is known.
    """

    def __init__(
        self, home: Path, model: LinearClassifier, rows: int, weights: NDArray[np.float64] | None, *, standardize: bool
    ) -> None:
        self.data: Future[str | None] = Future()  # their digest
        self._home, self._rows = home, rows
        weighed = "none" if weights is None else hashlib.sha256(weights.tobytes()).hexdigest()
        parameters = _parameters(model) | {"standardize": str(standardize)}
        self._about = {"learner": type(model).__name__, "parameters": parameters, "weights": weighed}
        self._key = hashlib.sha256(json.dumps(self._about).encode()).hexdigest()[:16]
        self._token = secrets.token_hex(4)
        self._lock = ExitStack()
        self._place: Path | None = None  # the directory that is ours
        self._kept: container.Content | None = None  # the checkpoint that is taken up
        self._start = ""  # the digest of the weights at the beginning
        self._next = time.monotonic() + SECONDS
        self._warned = False

    def close(self) -> None:
        """Leave what is kept to whoever takes it up."""
        self._lock.close()

    def forget(self) -> None:
        """Remove it, and what killed processes left of this run."""
        if self._place:
            shutil.rmtree(self._place, ignore_errors=True)
            self._place = None
        self.close()
        _discard_killed(self._home, self._key)

    # Taking up -----------------------------------------------------------------------------------

    def resume(self, digest: Callable[[], str | None]) -> None:
        """Find a checkpoint of this run; a ValueError if there are only those of others. Without any the run begins."""
        busy = None
        strangers: list[tuple[Path, list[str]]] = []
        for file in sorted(self._home.glob(f"run-*-*/{FILE}"), key=_age):
            with ExitStack() as lock, suppress(FileNotFoundError):  # removed just now
                try:
                    lock.enter_context(locks.exclusive(file.parent / LOCK, wait=False))
                except locks.LockedError as error:
                    if file.parent.name.startswith(f"run-{self._key}-"):
                        busy = error.holder
                    continue
                except locks.NoLocksError:
                    pass
                differences = self._take(file, digest)
                if not differences:
                    self._place, self._lock = file.parent, lock.pop_all()
                    for partial in self._place.glob(atomic.PARTIAL):
                        partial.unlink()
                    return
                strangers.append((file, differences))
        if busy:
            raise ValueError(f"{busy} is at this very run: wait for it, or run without resume (--resume)")
        if strangers:
            file, differences = min(strangers, key=lambda stranger: len(stranger[1]))
            raise _refused(file, *differences)
        _log.warning("there is no checkpoint of this run, so it starts at the beginning")

    def _take(self, file: Path, digest: Callable[[], str | None]) -> list[str]:
        """What makes a checkpoint that of another run; if nothing does, it is taken."""
        try:
            content = container.read(file)
        except InvalidModel:
            return ["it is damaged"]
        found, here = content.header, self._header("")
        if any(found.get(key) != here[key] for key in ("journal", "producer")):
            who = f"{found.get('producer', 'another program')} (journal {found.get('journal')})"
            return [f"it was written by {who}, and this is {PRODUCER} (journal {VERSION})"]
        if found["learner"] != here["learner"]:
            return [f"it is of {found['learner']}, and this is {here['learner']}"]
        theirs, ours = found["parameters"], here["parameters"]
        differences = [
            f"{name} was {theirs.get(name)} and is {value}" for name, value in ours.items() if theirs.get(name) != value
        ]
        if not differences and found.get("weights") != here["weights"]:
            differences.append("the examples had other weights")
        if not differences and found["data"] != digest():
            differences.append("it is of other data: the file has changed since")
        if not differences:
            self._kept = content
        return differences

    def recall(self, learner: LinearLearner) -> tuple[NDArray[np.int64], int | None] | None:
        self._start = hashlib.sha256(learner.W.tobytes()).hexdigest()
        if self._kept is None:
            return None
        assert self._place is not None
        header, arrays, *_ = self._kept
        if header["start"] != self._start:
            raise _refused(self._place / FILE, "it began with other weights (warm_start)")
        try:
            values = {key: value_in(value) for key, value in header["state"].items()}
            of_run = {name: array for name, array in arrays.items() if name not in ("history", "twister")}
            state = State(learner.width, values=values, arrays=of_run)
            kept = LinearLearner.from_state(state, type(learner.rule), running=True)
            state.finish()
        except ValueError as error:
            raise _refused(self._place / FILE, str(error)) from None
        record = kept.state[0]
        if kept.W.shape != learner.W.shape or max(record.at, record.found) > self._rows:
            raise _refused(self._place / FILE, "it does not fit the data")
        learner.__dict__.update(kept.__dict__)
        self._kept = None
        return arrays["history"].copy(), value_in(header["seed"])

    # Keeping -------------------------------------------------------------------------------------

    def keep(self, learner: LinearLearner, history: list[NDArray[np.int64]], seed: int | None) -> None:
        """Write a checkpoint if it is time. Where that fails the run goes on, and it is tried again the next time."""
        if time.monotonic() < self._next or not self.data.done():
            return
        state = State(learner.width)
        learner.write_state(state, running=True)
        arrays = state.arrays | {"history": np.concatenate([np.empty(0, np.int64), *history])}
        values = {key: value_out(value, key) for key, value in state.values.items()}
        header = self._header(self.data.result()) | {"state": values, "seed": value_out(seed, "seed")}
        try:
            atomic.write(self._own_place() / FILE, container.pack(header, arrays), 0o600)
        except OSError as error:
            self._warn(error)
        self._next = time.monotonic() + SECONDS

    def _header(self, data: str | None) -> dict[str, Any]:
        return {
            "journal": VERSION,
            "producer": PRODUCER,
            **self._about,
            "data": data,
            "start": self._start,
        }

    def _own_place(self) -> Path:
        """The directory, locked; made where there is none, or not any more."""
        while self._place is None or not self._place.is_dir():
            self.close()
            place = self._home / f"run-{self._key}-{self._token}"
            make_directory(place)
            with suppress(FileNotFoundError):  # before it was locked, it was taken for a killed run's and removed
                with suppress(locks.NoLocksError):
                    self._lock.enter_context(locks.exclusive(place / LOCK))
                self._place = place
        return self._place

    def _warn(self, error: OSError) -> None:
        if not self._warned:
            self._warned = True
            place = self._place or self._home
            warnings.warn(
                f"{place}: no checkpoint can be written here ({error.strerror or error}). The fit goes on, and tries "
                f"again every {SECONDS:g} seconds",
                stacklevel=2,
            )


def forget_all(home: Path) -> None:
    """Remove what killed processes left, whatever they did."""
    _discard_killed(home, "*")


def _discard_killed(home: Path, key: str) -> None:
    for place in home.glob(f"run-{key}-*"):
        discard(place)


# What can be said otherwise when a run is taken up: no result depends on it.
_FREE = {"verbose", "byte_copy"}


def _parameters(model: LinearClassifier) -> dict[str, str]:
    """What the run depends on, in words."""
    return {name: _stated(value) for name, value in sorted(model.get_params().items()) if name not in _FREE}


def _stated(value: Any) -> str:
    if isinstance(value, np.random.RandomState):
        _, words, *rest = value.get_state()
        digest = hashlib.sha256(np.asarray(words).tobytes() + repr(rest).encode()).hexdigest()
        return f"a RandomState in state {digest[:16]}"
    return repr(item(value))


def _age(file: Path) -> float:
    """The newest first; those that are gone last."""
    try:
        return -file.stat().st_mtime
    except OSError:
        return 0.0


def _refused(file: Path, *reasons: str) -> ValueError:
    return ValueError(f"{file}: this checkpoint is not of this run: {'; '.join(reasons)}. {CURE}")
