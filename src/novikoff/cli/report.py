"""`novikoff report`."""

from __future__ import annotations

import math
import shlex
import warnings
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from novikoff.cli.answers import report_skipped, to_json
from novikoff.cli.certify import exit_code
from novikoff.cli.options import (
    FLAGS,
    AsJson,
    Learner,
    Quiet,
    ReadingOptions,
    Set,
    Source,
    assignments,
    flag,
    reads_data,
)
from novikoff.cli.reading import announce
from novikoff.words import said

if TYPE_CHECKING:
    from novikoff.data import Dataset
    from novikoff.estimators.hyperplane import LinearModel

ENTRIES = 200_000_000  # that the passes of a fit read in all: a fraction of a second
PASSES = 10  # at least


@reads_data
def report(
    data: Source,
    output: Annotated[Path, typer.Option("--output", "-o", help="Where to write the page: report.html.")],
    learner: Learner = "perceptron",
    set_: Set = None,
    model: Annotated[Path | None, typer.Option(help="Report on this model instead of learning one.")] = None,
    title: Annotated[str | None, typer.Option(help="The heading.")] = None,
    gap: Annotated[float, typer.Option(help="Relative distance of the two ends of the margin.")] = 0.01,
    max_seconds: Annotated[
        float | None, typer.Option(help="Give up the search for a proof after so many seconds.")
    ] = None,
    *,
    reading: ReadingOptions,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> int:
    """Learn, certify, and write one HTML page with all that is known. Exit codes as those of `certify`."""
    from novikoff.certificates import Separable, Verdicts, certify
    from novikoff.cli.predictions import about_data, columns_of
    from novikoff.data.sources import check_target
    from novikoff.display.report import Origin, report
    from novikoff.estimators.max_margin import MaxMarginClassifier
    from novikoff.inputs import standardised_for

    found = _model(learner, set_, model)
    check_target(output, data, *([] if model is None else [model]))
    examples = _read(data, reading.given(None if model is None else columns_of(found)))
    announce(examples.account, quiet=quiet)
    constant: dict[str, Any] = {"fit_intercept": found.fit_intercept, "intercept_scaling": found.intercept_scaling}
    rows = examples if found.standardization_ is None else standardised_for(found, examples)
    proof = certify(rows, gap=gap, max_seconds=max_seconds, verbose=int(not quiet), **constant)
    proofs = dict(proof) if isinstance(proof, Verdicts) else {"": proof}
    clf: LinearModel | None = found
    note = ""
    if model is None and isinstance(found, MaxMarginClassifier) and math.isinf(found.C):
        if isinstance(proof, Separable | Verdicts):  # many labels it refuses, and says who takes them
            found.fit(examples)
        else:
            clf, note = None, "No hyperplane was learned: a hard margin needs data that are known to be separable."
    elif model is None:
        note = _fit(found, examples, assignments(set_, "--set"), quiet=quiet)

    given = _words(reading.given())
    command = ["novikoff", "report", data, *given, "-o", str(output)]
    command += ["--learner", learner] if model is None else ["--model", str(model)]
    command += [word for setting in set_ or () for word in ("-s", setting)]
    command += ["--title", title] if title else []
    command += ["--gap", f"{gap:g}", *(["--max-seconds", f"{max_seconds:g}"] if max_seconds is not None else [])]
    how = given if model is None else _words(_of_the_file(examples))
    origin = Origin(shlex.join([data, *how]), shlex.join(command), note)
    page = report(clf, examples, title=title or f"Report on {data}", certificate=proof, origin=origin)
    page.save(output)
    if as_json:
        verdicts = {str(label): one.verdict for label, one in proofs.items()}
        record: dict[str, Any] = {"report": str(output), "beside": sorted(page.beside)}
        record |= {"verdict": verdicts if isinstance(proof, Verdicts) else verdicts[""]}
        estimate = page.cross_validated and {**asdict(page.cross_validated), "rate": page.cross_validated.rate}
        print(to_json(record | {"cross_validated": estimate} | about_data(examples, constant)))
    else:
        print(proof)
        if found.standardization_ is not None:
            print("That is about these rows as the model learns from them, with standardised columns.")
        if page.cross_validated:
            print(page.cross_validated)
        print(f"Written to {output}" + "".join(f", with {name} beside it" for name in page.beside) + ".")
    return max(map(exit_code, proofs.values()))


def _model(learner: str, settings: list[str] | None, file: Path | None) -> LinearModel:
    """The one of a file, or a new one; it must have a hyperplane."""
    from novikoff.cli.learners import new_learner
    from novikoff.estimators.hyperplane import LinearModel
    from novikoff.store import load

    model = new_learner(learner, settings) if file is None else load(file)
    if not isinstance(model, LinearModel):
        raise ValueError(
            f"a report is about a hyperplane, and {type(model).__name__} has none: "
            "use perceptron, margin-perceptron, passive-aggressive or max-margin"
        )
    return model


def _read(data: str, options: dict[str, Any]) -> Dataset:
    from novikoff.data import read

    examples = read(data, **options)
    report_skipped(examples.bad)
    if examples.y is None:
        raise ValueError(f"{data} has no labels, and a report is about them: {said('label', 'NAME')} names the column")
    return examples


def _fit(model: LinearModel, examples: Dataset, settings: dict[str, Any], *, quiet: bool) -> str:
    """Fit it in about the time of the certificate; what there is to say about that."""
    import scipy.sparse as sp
    from sklearn.exceptions import ConvergenceWarning

    from novikoff.estimators.linear import LinearClassifier

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


def _of_the_file(examples: Dataset) -> dict[str, Any]:
    """How to read the same columns once more, without the model that asked for them."""
    reading = asdict(examples.reading)
    columns = reading.pop("features")
    return reading | ({} if columns is None else {"columns": columns})


def _words(reading: dict[str, Any]) -> list[str]:
    """The options of `read` as words of the command line; those that say nothing are left out."""
    from novikoff.data.options import Reading

    found = []
    for name, value in reading.items():
        if value == getattr(Reading(), name):
            continue
        listed = ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
        text = listed.lower() if isinstance(value, bool) else listed
        if name in FLAGS:
            found.append(f"{flag(name)}={text}")
        else:
            found += ["-r", f"{name}={text}"]
    return found
