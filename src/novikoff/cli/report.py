"""`novikoff report`."""

from __future__ import annotations

import math
import shlex
import warnings
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from novikoff.certificates import NotSeparable, Separable, Undecided, certify
from novikoff.cli.learners import learner as new
from novikoff.cli.options import GOOD, NOT_SEPARABLE, UNDECIDED, as_json, assignments, report_skipped
from novikoff.cli.predict import columns_of
from novikoff.data import Dataset, read
from novikoff.data.options import Reading
from novikoff.data.sources import check_target
from novikoff.display.report import Origin, report
from novikoff.estimators.linear import LinearClassifier
from novikoff.estimators.max_margin import MaxMarginClassifier
from novikoff.estimators.model import LinearModel
from novikoff.inputs import distinct
from novikoff.store import load

ENTRIES = 200_000_000  # that the passes of a fit read in all: a fraction of a second
PASSES = 10  # at least


def report_file(
    data: str,
    output: Path,
    learner: str,
    settings: list[str] | None,
    model_file: Path | None,
    reading: Callable[[dict[str, Any] | None], dict[str, Any]],
    title: str | None,
    gap: float,
    max_seconds: float | None,
    *,
    json: bool,
    quiet: bool,
) -> int:
    """Fit, or load, certify, and write the page. ``reading`` adds what a model knows to the options of the line."""
    model = new(learner, settings) if model_file is None else load(model_file)
    if not isinstance(model, LinearModel):
        raise ValueError(
            f"a report is about a hyperplane, and {type(model).__name__} has none: "
            "use perceptron, margin-perceptron or max-margin"
        )
    check_target(output, data, *([] if model_file is None else [model_file]))
    examples = read(data, **reading(None if model_file is None else columns_of(model)))
    report_skipped(examples.bad)
    if examples.y is None:
        raise ValueError(f"{data} has no labels, and a report is about two of them")
    if len(labels := distinct(examples.y)) > 2:
        raise ValueError(f"{data} has {len(labels)} labels, and a report is about two: keep the rows of two of them")
    constant = {"fit_intercept": model.fit_intercept, "intercept_scaling": model.intercept_scaling}
    proof = certify(examples, gap=gap, max_seconds=max_seconds, verbose=int(not quiet), **constant)
    clf: LinearModel | None = model
    note = ""
    if model_file is None and isinstance(model, MaxMarginClassifier) and math.isinf(model.C):
        if isinstance(proof, Separable):
            model.fit(examples)
        else:
            clf, note = None, "No hyperplane was learned: a hard margin needs data that are known to be separable."
    elif model_file is None:
        note = _fit(model, examples, assignments(settings, "--set"), quiet=quiet)
    how = _words(reading(None) if model_file is None else asdict(examples.reading))
    command = ["novikoff", "report", data, *how, "-o", str(output)]
    command += ["--learner", learner] if model_file is None else ["--model", str(model_file)]
    command += [word for setting in settings or () for word in ("-s", setting)]
    command += ["--title", title] if title else []
    command += ["--gap", f"{gap:g}", *(["--max-seconds", f"{max_seconds:g}"] if max_seconds is not None else [])]
    origin = Origin(shlex.join([data, *how]), shlex.join(command), note)
    page = report(clf, examples, title=title or f"Report on {data}", certificate=proof, origin=origin)
    page.save(output)
    if json:
        print(as_json({"report": str(output), "beside": sorted(page.beside), "verdict": proof.verdict}))
    else:
        print(proof)
        print(f"Written to {output}" + "".join(f", with {name} beside it" for name in page.beside) + ".")
    return UNDECIDED if isinstance(proof, Undecided) else NOT_SEPARABLE if isinstance(proof, NotSeparable) else GOOD


def _fit(model: LinearModel, examples: Dataset, settings: dict[str, Any], *, quiet: bool) -> str:
    """Fit it in about the time of the certificate; what there is to say about that."""
    most = None
    if isinstance(model, LinearClassifier) and "max_iter" not in settings:
        entries = examples.X.nnz if sp.issparse(examples.X) else examples.X.size
        most = min(model.max_iter, max(PASSES, ENTRIES // max(entries, 1)))
        model.set_params(max_iter=most)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the page tells it
        model.set_params(verbose=int(not quiet)).fit(examples)
    model.set_params(verbose=0)
    if most is None or most > model.n_iter_:
        return ""
    return f"The report gave the learner {most:,} passes over the data, and no more; -s max_iter=N gives it N."


def _words(reading: dict[str, Any]) -> list[str]:
    """The options of `read` as words of the command line; those that say nothing are left out."""
    found = []
    for name, value in reading.items():
        if value == getattr(Reading(), name):
            continue
        listed = ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
        text = listed.lower() if isinstance(value, bool) else listed
        if name in ("format", "label", "skip_bad"):
            found.append(f"--{name.replace('_', '-')}={text}")
        else:
            found += ["-r", f"{name}={text}"]
    return found
