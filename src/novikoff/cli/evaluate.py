"""`novikoff eval`."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from typing import Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray

from novikoff.cli.answers import GOOD, report_skipped, to_json
from novikoff.cli.options import AsJson, Learner, Quiet, ReadingOptions, Set, reads_data
from novikoff.words import counted


@reads_data
def evaluate(
    arguments: Annotated[
        list[str],
        typer.Argument(
            metavar="[MODEL] DATA",
            show_default=False,
            help="Labelled examples; before them a model file, unless one is to be learned here.",
        ),
    ],
    progressive: Annotated[
        bool, typer.Option("--progressive", "-p", help="Predict each example before learning it; needs no model.")
    ] = False,
    folds: Annotated[
        int | None,
        typer.Option(min=2, help="Cross-validate: hold out each of so many parts of the data; needs no model."),
    ] = None,
    learner: Learner = "perceptron",
    set_: Set = None,
    classes: Annotated[str | None, typer.Option(help="The labels, for --progressive: no,yes")] = None,
    *,
    reading: ReadingOptions,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> int:
    """Count a model's mistakes on labelled examples; or a learner's: example by example, or on parts held out.

    On the rows that a model learned from, its mistakes are no estimate of those on new rows: --folds gives one.
    """
    from novikoff.cli.learners import new_learner
    from novikoff.cli.predictions import columns_of, labels_of
    from novikoff.store import load

    *models, data = arguments
    if progressive and folds:
        raise typer.BadParameter("--progressive and --folds ask for different things: give one of them")
    if len(models) != 1 and not ((progressive or folds) and not models):
        raise typer.BadParameter("a model and data are expected; with --progressive or --folds, data alone will do")
    model = load(models[0]) if models else new_learner(learner, set_)
    options = reading.given(columns_of(model) if models else None)
    if folds:
        return _in_folds(model, data, options, folds, as_json=as_json)
    if progressive:
        return _progressive(model, data, options, labels_of(classes), as_json=as_json, quiet=quiet)
    return _compare(model, data, options, as_json=as_json)


def _compare(model: Any, data: str, options: dict[str, Any], *, as_json: bool) -> int:
    """A model on examples whose labels are known."""
    from novikoff.cli.predictions import CHUNK, about_model
    from novikoff.data import stream
    from novikoff.inputs import item

    counts: Counter[tuple[int, int]] = Counter()
    for chunk in stream(data, CHUNK, **options):
        if chunk.y is None:
            raise ValueError(f"{data} has no labels to compare with")
        pairs, times = np.unique(_coded(model, chunk.y, model.predict(chunk)), return_counts=True)
        for pair, count in zip(pairs.tolist(), times.tolist(), strict=True):
            counts[divmod(pair, len(model.classes_))] += count
        report_skipped(chunk.bad)
    classes = [item(label) for label in model.classes_]
    total = sum(counts.values())
    wrong = sum(count for (truth, said), count in counts.items() if truth != said)
    if as_json:
        record = {
            "examples": total,
            "mistakes": wrong,
            "accuracy": 1 - wrong / total,
            "confusion": [[counts[truth, said] for said in range(len(classes))] for truth in range(len(classes))],
        }
        print(to_json(record | about_model(model)))
    else:
        print(f"{counted(wrong, 'mistake')} on {counted(total, 'example')}: accuracy {1 - wrong / total:.4%}.")
        _print_confusion(counts, classes)
    return GOOD


def _in_folds(model: Any, data: str, options: dict[str, Any], folds: int, *, as_json: bool) -> int:
    """The settings of a model on parts of the data, each after learning from the others."""
    from novikoff.cli.predictions import about_data, constants_of
    from novikoff.data import read
    from novikoff.estimators.folds import cross_validated

    examples = read(data, **options)
    report_skipped(examples.bad)
    if examples.y is None:
        raise ValueError(f"{data} has no labels to learn from")
    found = cross_validated(model, examples, folds=folds)
    if as_json:
        record = {"examples": sum(found.rows), "mistakes": sum(found.mistakes), "rate": found.rate}
        print(to_json(record | {"folds": asdict(found), "estimate": True} | about_data(examples, constants_of(model))))
    else:
        print(found)
    return GOOD


def _coded(model: Any, truth: NDArray[Any], said: NDArray[Any]) -> NDArray[np.int64]:
    """k times the place of the true label among the k classes, and that of the predicted one."""
    from novikoff.inputs import item
    from novikoff.labels import Labels

    strange = ~np.isin(truth, model.classes_)
    if strange.any():
        first = item(truth[np.argmax(strange)])
        raise ValueError(f"the label {first!r} is not one of the model's, {model.classes_.tolist()}")
    labels = Labels(model.classes_)
    return len(model.classes_) * labels.codes(truth, len(truth)) + labels.codes(said, len(said))


def _print_confusion(counts: Counter[tuple[int, int]], classes: list[Any]) -> None:
    from rich.console import Console
    from rich.table import Table

    from novikoff.examples import written

    table = Table("true label", *(f"predicted {written(label)}" for label in classes), box=None)
    for truth, label in enumerate(classes):
        table.add_row(written(label), *(f"{counts[truth, said]:,}" for said in range(len(classes))))
    Console(highlight=False).print(table)


def _progressive(
    model: Any, data: str, options: dict[str, Any], classes: list[Any] | None, *, as_json: bool, quiet: bool
) -> int:
    """Predict each example before learning it."""
    from novikoff.cli.doubling import DoublingTable
    from novikoff.cli.predictions import CHUNK, about_model, cure_for_labels
    from novikoff.data import stream
    from novikoff.estimators.new_data import of_stream
    from novikoff.estimators.rounds import RefusedError, rounds

    table = DoublingTable(not quiet)
    cure = cure_for_labels(model, classes)
    begun = hasattr(model, "classes_")
    for chunk in stream(data, CHUNK, **options):
        if chunk.y is None:
            raise ValueError(f"{data} has no labels to learn from")
        try:
            answers = rounds(model, chunk, classes)
        except RefusedError as error:
            place = table.examples + len(error.answers.said) + 1
            raise ValueError(f"{data}, example {place}: {error}{cure}") from None
        table.add(chunk.X, chunk.y, answers.said, answers.wrong)
        report_skipped(chunk.bad)
    table.end()
    rate = table.mistakes / table.examples
    says = of_stream(table.mistakes, table.examples, begun=begun)
    if as_json:
        record = {"examples": table.examples, "mistakes": table.mistakes, "rate": rate}
        print(to_json(record | {"new_data": asdict(says)} | about_model(model)))
    else:
        print(
            f"{counted(table.mistakes, 'mistake')} on {counted(table.examples, 'example')}, each predicted before it "
            f"was learned: {rate:.4%}."
        )
        print(says)
    return GOOD
