"""`novikoff convert`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from novikoff.cli.answers import GOOD, to_json
from novikoff.cli.options import AsJson, ReadingOptions, Source, reads_data
from novikoff.words import counted


@reads_data
def convert(
    source: Source,
    target: Annotated[Path, typer.Argument(help="Its format is told by its name: a.parquet, b.svm.gz.")],
    to: Annotated[str | None, typer.Option(help="The format of the target, where its name does not tell.")] = None,
    *,
    reading: ReadingOptions,
    as_json: AsJson = False,
) -> int:
    """Write the examples of one file in another format."""
    from novikoff.data import convert

    count = convert(source, target, to=to, **reading.given())
    if as_json:
        print(to_json({"target": str(target), "examples": count}))
    else:
        print(f"{counted(count, 'example')} in {target}.")
    return GOOD
