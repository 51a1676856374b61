"""`novikoff inspect`."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from novikoff.cli.answers import GOOD, to_json
from novikoff.cli.options import AsJson, ModelFile
from novikoff.cli.output import write_all
from novikoff.examples import written

if TYPE_CHECKING:
    from novikoff.estimators.named_weights import NamedWeights


def inspect(
    model: ModelFile,
    weights: Annotated[bool, typer.Option("--weights", help="List all weights by name, and nothing else.")] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="With --weights: as CSV on standard output.")] = False,
    as_json: AsJson = False,
) -> int:
    """Say what is in a model file: learner, labels, features, weights, guarantees. Nothing in it is run."""
    from novikoff.cli.light import travel_light

    if as_csv and not weights:
        raise typer.BadParameter("--csv is for the table of --weights")
    if as_csv and as_json:
        raise typer.BadParameter("--csv and --json ask for different things: give one of them")
    travel_light()
    from novikoff.store import describe

    about = describe(model)
    if not weights:
        print(to_json(about.record()) if as_json else about)
        return GOOD
    if about.weights is None:
        raise ValueError(f"{model}: {about.learner} has no weights: novikoff inspect {model} tells what it has")
    if as_json:
        record = {name: about.record()[name] for name in ("positive", "columns", "fit_intercept", "intercept_scaling")}
        print(to_json({"model": str(model), "classes": about.classes, **record, **_everything(about.weights)}))
    elif as_csv:
        table = io.StringIO()
        csv.writer(table, lineterminator="\n").writerows(_cells(about.weights))
        write_all(sys.stdout.buffer, table.getvalue().encode(errors="replace"))
    else:
        for line in _lines(about.weights):
            print("".join(c if c.isprintable() else "\ufffd" for c in line))
    return GOOD


def _everything(weights: NamedWeights) -> dict[str, Any]:
    heads = [{"label": head.label, "against": head.other} for head in weights.heads]
    return {
        "features": list(weights.features),
        "heads": [
            head | {"weights": w, "intercept": intercept}
            for head, w, intercept in zip(heads, weights.W, weights.intercepts, strict=True)
        ],
    }


def _cells(weights: NamedWeights) -> Iterator[list[Any]]:
    """A row for each feature, in the order of the model, and one for the constant; a column for each head."""
    yield ["feature", *_headings(weights)]
    for name, values in zip(weights.features, weights.W.T, strict=True):
        yield [name, *values.tolist()]
    yield ["(constant)", *weights.intercepts.tolist()]


def _headings(weights: NamedWeights) -> list[str]:
    return ["weight"] if len(weights.heads) == 1 else [str(head) for head in weights.heads]


def _lines(weights: NamedWeights) -> Iterator[str]:
    """The same for people: the largest first, and without those that are 0 everywhere."""
    largest = np.abs(weights.W).max(axis=0, initial=0.0)
    order = np.argsort(-largest, kind="stable")
    order = order[largest[order] > 0]
    headings = [heading[:32] for heading in _headings(weights)]
    widths = [max(12, len(heading)) for heading in headings]
    (head, *more) = weights.heads
    if not more and head.label is not None:
        yield f"Weights above 0 speak for {written(head.label)}, those below for {written(head.other)}."
    yield "  ".join([*(f"{heading:>{width}}" for heading, width in zip(headings, widths, strict=True)), "feature"])

    def line(values: Any, name: Any) -> str:
        cells = (f"{value:>+{width}.6g}" for value, width in zip(values, widths, strict=True))
        return "  ".join([*cells, str(name)])

    for j in order.tolist():
        yield line(weights.W[:, j], weights.features[j])
    yield line(weights.intercepts, "(constant)")
    if zeros := len(largest) - len(order):
        yield f"{zeros:,} more {'is' if zeros == 1 else 'are'} 0."
