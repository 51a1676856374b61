"""`novikoff fit`."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import Any

from novikoff.certify import NotSeparableError
from novikoff.cli.learners import learner as new
from novikoff.cli.options import GOOD, INTERRUPTED, NOT_SEPARABLE, as_json, report_skipped, tell
from novikoff.data.sources import check_target
from novikoff.fitting import fit_file
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
    cache: Path | None,
    keep_cache: bool,
    json: bool,
    quiet: bool,
) -> int:
    model = new(learner, settings)
    check_target(output, data)
    with held(output, tell):
        return _fit_and_save(
            model, data, output, reading, resume=resume, cache=cache, keep_cache=keep_cache, json=json, quiet=quiet
        )


def _fit_and_save(
    model: Any,
    data: str,
    output: Path,
    reading: dict[str, Any],
    *,
    resume: bool,
    cache: Path | None,
    keep_cache: bool,
    json: bool,
    quiet: bool,
) -> int:
    if "verbose" in model.get_params():
        model.set_params(verbose=0 if quiet else 1)
    try:
        with nullcontext() if quiet else Counted("reading: {:,} examples") as watch:
            fit_file(model, data, resume=resume, cache=cache, keep_cache=keep_cache, watch=watch, **reading)
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
    if str(getattr(model, "stop_reason_", "")).startswith("interrupted"):
        print("novikoff: interrupted; --resume goes on from the last checkpoint", file=sys.stderr)
        return INTERRUPTED
    return GOOD
