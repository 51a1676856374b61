"""`novikoff learn`: the online protocol between a pipe and a model file."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from novikoff.cli.answers import ERROR, GOOD, tell
from novikoff.cli.interruption import INTERRUPTED
from novikoff.cli.options import AsJson, Learner, ModelFile, Quiet, ReadingOptions, Set, Source, reads_data


@reads_data
def learn(
    model: ModelFile,
    data: Source = "-",
    learner: Learner = "perceptron",
    set_: Set = None,
    classes: Annotated[
        str | None, typer.Option(help="The labels of a new model, if there are to be no others: no,yes")
    ] = None,
    every: Annotated[float, typer.Option(min=0, metavar="SECONDS", help="How often to save.")] = 10.0,
    *,
    reading: ReadingOptions,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> int:
    """Learn from a stream: for each line, write the prediction, then learn its label.

    `tail -f events.vw | novikoff learn model.nvk`

    The model goes on from where its file stands; without a file a new one is made. It is saved after the first lines,
    then now and then, and at the end: of the input, or by Ctrl-C, SIGTERM or SIGHUP, which wait for the lines at hand.
    A line without a label is predicted only.
    """
    from novikoff.cli.learners import new_learner
    from novikoff.cli.light import begin_without_compiler
    from novikoff.cli.predictions import labels_of
    from novikoff.cli.stopping import Stopping
    from novikoff.cli.stream import Keeper, Stream
    from novikoff.data.block import FormatError
    from novikoff.data.lines import Lines
    from novikoff.data.options import Reading
    from novikoff.data.sources import check_target
    from novikoff.store import load
    from novikoff.store.held import held

    known_labels = labels_of(classes)
    check_target(model, data)
    # A block is learned, answered and counted without interruption, since signals only ask for an end after it. So
    # whatever ends the stream, but for a kill, the lines answered are those learned, and those saved.
    with held(model, tell), Stopping() as stop:
        known = load(model) if model.exists() else None
        source = Lines(data, Reading(**_options(reading, known)))
        taught = new_learner(learner, set_) if known is None else known
        begin_without_compiler(taught)
        stream = Stream(taught, source, known_labels, json=as_json)
        keeper = Keeper(stream, model, every)
        begins_at = stream.lines
        try:
            for block in stream.blocks(stop):
                if begins_at and not quiet:
                    tell(f"{model} goes on after line {begins_at:,}")
                    begins_at = 0
                stream.take(block)
                keeper.save_if_due()
            stream.pass_blank_lines()
        except BaseException as error:
            if isinstance(error, FormatError):
                stream.pass_blank_lines()
            if isinstance(error, BrokenPipeError):
                tell(f"nobody reads standard output any more: stopped after line {stream.lines:,}")
            keeper.save_at_the_end()
            raise
        saved = keeper.save_at_the_end()
    if stop.asked:
        tell(f"stopped by {stop.asked} after line {stream.lines:,}")
    if not saved:
        return ERROR
    if not quiet:
        tell(stream.summary() + (f"; saved in {model}" if keeper.ever_saved else ""))
    # Of a file, which has an end, something was left out.
    return INTERRUPTED if stop.asked and data != "-" else GOOD


def _options(reading: ReadingOptions, known: Any) -> dict[str, Any]:
    """How to read the lines for the model of the file, or for a new one (None)."""
    from novikoff.cli.predictions import columns_of

    found = None if known is None else columns_of(known) | {"width": None}
    return reading.given(found) | {"online": True}
