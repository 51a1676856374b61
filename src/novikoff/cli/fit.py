"""`novikoff fit`."""

from __future__ import annotations

from contextlib import ExitStack, nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import Any

from novikoff.certificates import NotSeparableError
from novikoff.cli.learners import learner as new
from novikoff.cli.options import GOOD, INTERRUPTED, NOT_SEPARABLE, as_json, report_skipped, tell
from novikoff.data.sources import check_target
from novikoff.fitting import fitted_to_file
from novikoff.progress import Counted
from novikoff.store import describe, save
from novikoff.store.held import held


def fit(
    learner: str,
    settings: list[str] | None,
    data: str,
    output: Path,
    reading: dict[str, Any],
    *,
    resume: bool,
    fresh: bool,
    cache: Path | None,
    keep_cache: bool,
    json: bool,
    quiet: bool,
) -> int:
    model = new(learner, settings)
    check_target(output, data)
    if "verbose" in model.get_params():
        model.set_params(verbose=0 if quiet else 1)
    with held(output, tell), ExitStack() as kept:  # the checkpoint, until the model is saved
        try:
            with nullcontext() if quiet else Counted("reading: {:,} examples") as watch:
                options = {"resume": resume, "fresh": fresh, "cache": cache, "keep_cache": keep_cache, **reading}
                kept.enter_context(fitted_to_file(model, data, watch=watch, **options))
        except NotSeparableError as error:
            print(as_json({"verdict": error.proof.verdict, "rows": error.proof.rows}) if json else error.proof)
            return NOT_SEPARABLE
        report_skipped(model.skipped_)
        if "verbose" in model.get_params():
            model.set_params(verbose=0)
        save(model, output)
    about = describe(output)
    if json:
        print(as_json({"model": str(output), **asdict(about)}))
    else:
        print(model.summary() if hasattr(model, "summary") else about)
        print(f"Saved in {output}.")
    if getattr(model, "interrupted_", False):
        tell("interrupted; --resume goes on from the last checkpoint, if there is one yet")
        return INTERRUPTED
    return GOOD
