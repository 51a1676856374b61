"""`novikoff fit`."""

from __future__ import annotations

from contextlib import ExitStack, nullcontext
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from novikoff.cli.answers import GOOD, NOT_SEPARABLE, report_skipped, tell, to_json
from novikoff.cli.interruption import INTERRUPTED
from novikoff.cli.options import AsJson, Learner, Quiet, ReadingOptions, Set, Source, reads_data
from novikoff.cli.reading import announce
from novikoff.words import setting


@reads_data
def fit(
    data: Source,
    output: Annotated[Path, typer.Option("--output", "-o", help="Where to write the model.")],
    learner: Learner = "perceptron",
    set_: Set = None,
    standardize: Annotated[
        bool,
        typer.Option(
            "--standardize", help="Bring each column to mean 0 and deviation 1; the model does so with later files."
        ),
    ] = False,
    resume: Annotated[bool, typer.Option("--resume", help="Go on from the last checkpoint of a killed run.")] = False,
    fresh: Annotated[bool, typer.Option("--fresh", help="Parse the file again, and drop its checkpoints.")] = False,
    cache_dir: Annotated[Path | None, typer.Option(help="Where the binary copy of the data is kept.")] = None,
    keep_cache: Annotated[bool, typer.Option(help="Leave the binary copy for the next time.")] = True,
    *,
    reading: ReadingOptions,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> int:
    """Learn a model from a file of any size.

    The file is parsed once, into a binary copy that later passes and later runs read from.
    """
    from novikoff.certificates import NotSeparableError
    from novikoff.cli.learners import new_learner
    from novikoff.cli.light import begin_without_compiler
    from novikoff.data.sources import check_target
    from novikoff.fitting import fitted_to_file
    from novikoff.progress import Counted
    from novikoff.store import describe, save
    from novikoff.store.held import held

    said = partial(announce, quiet=quiet)
    options = {"resume": resume, "fresh": fresh, "cache": cache_dir, "keep_cache": keep_cache, **reading.given()}
    options["standardize"] = standardize
    model = new_learner(learner, set_)
    begin_without_compiler(model)
    check_target(output, data)
    if "verbose" in model.get_params():
        model.set_params(verbose=0 if quiet else 1)
    with held(output, tell), ExitStack() as kept:  # the checkpoint, until the model is saved
        try:
            with nullcontext() if quiet else Counted("reading: {:,} examples") as watch:
                kept.enter_context(fitted_to_file(model, data, watch=watch, announce=said, **options))
        except NotSeparableError as error:
            print(to_json({"verdict": error.proof.verdict, "rows": error.proof.rows}) if as_json else error.proof)
            for note in getattr(error, "__notes__", ()):
                tell(note)
            tell(f"no model is written; {setting('C', 1.0)} learns one that accepts errors")
            return NOT_SEPARABLE
        report_skipped(model.skipped_)
        if "verbose" in model.get_params():
            model.set_params(verbose=0)
        save(model, output)
    about = describe(output)
    if as_json:
        print(to_json({"model": str(output), **about.record()}))
    else:
        print(model.summary() if hasattr(model, "summary") else about)
        print(f"Saved in {output}.")
    if getattr(model, "interrupted_", False):
        tell("interrupted; --resume goes on from the last checkpoint, if there is one yet")
        return INTERRUPTED
    return GOOD
