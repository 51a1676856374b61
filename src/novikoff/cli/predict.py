"""`novikoff predict`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, BinaryIO

import typer

from novikoff.cli.answers import GOOD, report_skipped
from novikoff.cli.options import AsJson, ModelFile, ReadingOptions, Source, reads_data
from novikoff.cli.output import write_all


@reads_data
def predict(
    model: ModelFile,
    data: Source,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="A file instead of standard output.")] = None,
    scores: Annotated[bool, typer.Option("--scores", help="Write ⟨w,x⟩ instead of labels.")] = False,
    *,
    reading: ReadingOptions,
    as_json: AsJson = False,
) -> int:
    """Write the predicted label of each example, one a line. Labels in the data are not needed, and not looked at."""
    from novikoff.cli.light import read_light, travel_light

    travel_light(decisions=not scores)
    read_light()
    from novikoff.cli.predictions import CHUNK, about_model, columns_of, lines
    from novikoff.data import stream
    from novikoff.data.sources import check_target
    from novikoff.store import load

    clf: Any = load(model)
    if output is not None:
        check_target(output, data, model)
    if scores and not hasattr(clf, "decision_function"):
        raise ValueError(f"{type(clf).__name__} has no scores: leave out --scores")
    name, more = "label", {}
    if scores:  # which label they speak for
        known = about_model(clf)
        which = "positive" if known["positive"] is not None else "classes"
        name, more = "score", {which: known[which]}
    with _written(output) as out:
        for chunk in stream(data, CHUNK, **reading.given(columns_of(clf))):
            said = clf.decision_function(chunk) if scores else clf.predict(chunk)
            write_all(out, lines(said, chunk.tags, name, more, json=as_json))
            report_skipped(chunk.bad)
    return GOOD


@contextmanager
def _written(output: Path | None) -> Iterator[BinaryIO]:
    """Standard output, or a file that appears when it is complete."""
    from novikoff.disk import atomic

    if output is None:
        yield sys.stdout.buffer
        return
    with atomic.replacing(output) as place, open(place, "wb", closefd=False) as file:
        yield file
