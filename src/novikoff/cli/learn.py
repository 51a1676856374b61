"""`novikoff learn`: the online protocol between a pipe and a model file."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

from novikoff.cli.options import GOOD, counted, report_skipped, tell
from novikoff.cli.predict import cure_for_labels, lines
from novikoff.data.lines import Lines
from novikoff.data.options import Reading
from novikoff.data.sources import check_target
from novikoff.estimators.rounds import RefusedError, rounds
from novikoff.store import save

ROOM = 1 << 20  # bytes that are taken at a time, if so many are there


def learn(
    model: Any,
    target: Path,
    data: str,
    reading: dict[str, Any],
    classes: list[Any] | None,
    *,
    every: float,
    json: bool,
    quiet: bool,
) -> int:
    """For each line: the prediction on standard output, then the label is learned. Saves now and then, and at the end.

    Whatever has arrived is taken together, so that a slow pipe gets each answer at once and a fast one is read in
    blocks. An example without a label is predicted, and not learned from.
    """
    check_target(target, data)
    source = Lines(data, Reading(**reading | {"online": True}))
    cure = cure_for_labels(model, classes)
    examples = mistakes = 0
    saved = time.monotonic()
    try:
        with _ended_by_signals():
            for chunk in source.arriving(ROOM):
                report_skipped(chunk.bad)
                if not len(chunk):
                    continue
                refused = None
                try:
                    said, wrong = rounds(model, chunk, classes)
                except RefusedError as error:
                    said, wrong, refused = error.said, error.wrong, error
                examples, mistakes = examples + len(said), mistakes + int(wrong.sum())
                if len(said):
                    tags = chunk.tags and chunk.tags[: len(said)]
                    sys.stdout.buffer.write(lines(said, tags, "label", json=json))
                    sys.stdout.buffer.flush()
                if refused is not None:
                    raise ValueError(f"{source.name}, example {examples + 1}: {refused}{cure}")
                if time.monotonic() - saved >= every:
                    _save(model, source, target)
                    saved = time.monotonic()
    except KeyboardInterrupt:
        tell("stopped")
    finally:
        if examples:
            _save(model, source, target)
    if not quiet:
        tell(
            f"{counted(mistakes, 'mistake')} on {counted(examples, 'example')}"
            + (f"; saved in {target}" if examples else "")
        )
    return GOOD


def _save(model: Any, source: Lines, target: Path) -> None:
    model.reading_ = source.reading
    save(model, target)


@contextmanager
def _ended_by_signals() -> Iterator[None]:
    """SIGTERM ends it as Ctrl-C does."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
