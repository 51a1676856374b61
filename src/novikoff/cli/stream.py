"""The stream of `novikoff learn`: a model, the lines that it learns from, and its file."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from novikoff.cli.answers import report_skipped, sentence, tell
from novikoff.cli.output import write_all
from novikoff.cli.predictions import cure_for_labels, lines
from novikoff.cli.stopping import Stopping
from novikoff.data.dataset import Dataset
from novikoff.data.lines import Lines
from novikoff.estimators.rounds import Answers, RefusedError, rounds
from novikoff.store import save
from novikoff.words import agreeing, counted

ROOM = 1 << 20  # bytes that are taken at a time, if so many are there


class Stream:
    """A model, the lines that it learns from, and how far it has come."""

    def __init__(self, model: Any, source: Lines, classes: list[Any] | None, *, json: bool) -> None:
        self.model, self.source, self._classes, self._json = model, source, classes, json
        self._before = getattr(model, "stream_", None) or {"lines": 0, "answered": 0, "learned": 0}
        self._cure = cure_for_labels(model, classes)
        self._read = 0  # lines
        self.answered = self._labelled = self._mistakes = 0

    @property
    def lines(self) -> int:
        """Lines read, in this run and in those before it."""
        return int(self._before["lines"]) + self._read

    def blocks(self, stop: Stopping) -> Iterator[Dataset]:
        """What arrives, whatever is there together, until the end or until a signal asks for one."""
        return self.source.arriving(ROOM, stop.more_wanted)

    def take(self, block: Dataset) -> None:
        """Learn a block, and answer it. If a line is refused, those before it are learned and answered."""
        report_skipped(block.bad)
        if not len(block):
            self._read = self.source.lines
            return
        try:
            answers = rounds(self.model, block, self._classes)
        except RefusedError as error:
            place = self.answered + len(error.answers.said) + 1
            self._count(error.answers, self.source.lines_before(len(error.answers.said)))
            self._answer(error.answers, block.tags)
            raise ValueError(f"{self.source.name}, example {place}: {error}{self._cure}") from None
        self._count(answers, self.source.lines)
        self._answer(answers, block.tags)

    def pass_blank_lines(self) -> None:
        """Count the lines after the last example, up to the end or to a bad one."""
        self._read = self.source.lines

    def _count(self, answers: Answers, read: int) -> None:
        self._read = read
        self.answered += len(answers.said)
        self._labelled += int(answers.labelled.sum())
        self._mistakes += int(answers.wrong.sum())

    def _answer(self, answers: Answers, tags: list[str] | None) -> None:
        if len(answers.said):
            text = lines(answers.said, tags and tags[: len(answers.said)], "label", json=self._json)
            try:
                write_all(sys.stdout.buffer, text)
            except OSError as error:
                raise type(error)(error.errno, error.strerror, "standard output") from None

    def save(self, target: Path) -> None:
        """The model, with how it was read, and how far."""
        self.model.reading_ = self.source.reading
        self.model.stream_ = {
            "lines": self.lines,
            "answered": self._before["answered"] + self.answered,
            "learned": self._before["learned"] + self._labelled,
        }
        self.model.__dict__.pop("data_digest_", None)  # of the data of a fit, and more has been learned since
        save(self.model, target)

    def summary(self) -> str:
        """How many mistakes on how many examples; those without a label are none."""
        text = f"{counted(self._mistakes, 'mistake')} on {counted(self._labelled, 'labelled example')}"
        others = self.answered - self._labelled
        return text + (f", and {counted(others, 'example')} without a label" if others else "")


class Keeper:
    """Saves a stream: at once, then every so many seconds, and at the end. A failure is told, and tried again."""

    def __init__(self, stream: Stream, target: Path, every: float) -> None:
        self._stream, self._target, self._every = stream, target, every
        self._due = -math.inf
        self._saved = stream.lines, 0  # lines read and examples answered, when it was saved last
        self._failures = 0  # one after another
        self.ever_saved = False

    def save_if_due(self) -> None:
        if time.monotonic() < self._due or not self._unsaved():
            return
        error = self._failure()
        self._due = time.monotonic() + self._every
        if error is None:
            if self._failures:
                tell(f"saved again in {self._target}, with all lines so far")
            self._failures = 0
            return
        self._failures += 1
        if self._failures & (self._failures - 1) == 0:  # the first, second, fourth, eighth ... in a row
            tell(f"{error}; {self._lost()} not saved yet, and it will be tried again")

    def save_at_the_end(self) -> bool:
        """Whether everything is saved."""
        error = self._failure() if self._unsaved() else None
        if error is not None:
            tell(f"{error}; {self._lost()} NOT saved")
        return error is None

    def _unsaved(self) -> bool:
        """Whether there is something to save: not before a new model has met its first example."""
        if self._saved == (self._stream.lines, self._stream.answered):
            return False
        try:
            check_is_fitted(self._stream.model)
        except NotFittedError:
            return False
        return True

    def _failure(self) -> str | None:
        """Save; if that fails, why."""
        try:
            self._stream.save(self._target)
        except (OSError, ValueError, MemoryError) as error:
            return f"{self._target} cannot be saved ({sentence(error)})"
        self._saved = self._stream.lines, self._stream.answered
        self.ever_saved = True
        return None

    def _lost(self) -> str:
        count = self._stream.answered - self._saved[1]
        return f"{counted(count, 'answered line')} {agreeing(count, 'is', 'are')}"
