"""`novikoff explain`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray

from novikoff.cli.answers import GOOD, to_json
from novikoff.cli.options import AsJson, ModelFile, ReadingOptions, Source, reads_data

if TYPE_CHECKING:
    from novikoff.data import Dataset


@reads_data
def explain(
    model: ModelFile,
    data: Source,
    row: Annotated[int, typer.Option(min=0, help="Which example, from 0.")] = 0,
    top: Annotated[int, typer.Option(min=1, help="How many features to list.")] = 10,
    *,
    reading: ReadingOptions,
    as_json: AsJson = False,
) -> int:
    """Explain one prediction: each feature's share of the score."""
    from novikoff.cli.predictions import about_model, columns_of
    from novikoff.inputs import matrix
    from novikoff.store import load

    clf = load(model)
    if not hasattr(clf, "coef_"):
        raise ValueError(f"{type(clf).__name__} has no weights to share a score out: see novikoff inspect")
    if getattr(clf, "multiclass", "") == "one-vs-one" and len(clf.classes_) > 2:
        raise ValueError("pairs of classes vote, and no feature has a share in that: learn one-vs-rest, or joint")
    example = _row(data, row, reading.given(columns_of(clf)))
    columns, values = _entries(matrix(clf, example))
    record = {"row": row} | _record(clf, example, columns, values, top) | about_model(clf)
    if as_json:
        print(to_json(record))
    else:
        _print(record, others=len(columns) - top)
    return GOOD


def _record(clf: Any, example: Dataset, columns: NDArray[Any], values: NDArray[Any], top: int) -> dict[str, Any]:
    """The score, the label that it speaks for if it is positive, and what the features add to it, the largest first."""
    from novikoff.estimators.named_weights import feature_names
    from novikoff.inputs import item

    scores = clf.decision_function(example)
    place = int(np.argmax(scores[0])) if scores.ndim == 2 else 0  # of many classes that which is predicted
    weights = np.atleast_2d(clf.coef_)[place][columns]
    shares = weights * values
    given = values if clf.standardization_ is None else _values_in_the_file(example, columns)
    order = np.argsort(-np.abs(shares), kind="stable")
    names = feature_names(clf)
    return {
        "predicted": item(clf.predict(example)[0]),
        "label": item(clf.classes_[place if scores.ndim == 2 else -1]) if hasattr(clf, "classes_") else None,
        "true": None if example.y is None else item(example.y[0]),
        "score": float(scores[0, place] if scores.ndim == 2 else scores[0]),
        "intercept": float(np.ravel(clf.intercept_)[place]),
        "shares": [
            {
                "feature": names[int(columns[k])],
                "value": given[k],
                **({} if clf.standardization_ is None else {"standardised": values[k]}),
                "weight": weights[k],
                "share": shares[k],
            }
            for k in order[:top]
        ],
        "rest": float(shares[order[top:]].sum()),
    }


def _print(record: dict[str, Any], others: int) -> None:
    from rich.console import Console
    from rich.table import Table

    from novikoff.examples import written

    true = "" if record["true"] is None else f" (true label {written(record['true'])})"
    score = f"score {record['score']:.6g}"
    if record["label"] is not None:
        score += f" for {written(record['label'])}"
    print(f"Example {record['row']}: predicted {written(record['predicted'])}{true}, {score}.")
    standardised = any("standardised" in part for part in record["shares"])
    numbers = ["value", *(["standardised"] if standardised else []), "weight", "share"]
    blank = [""] * (len(numbers) - 1)
    table = Table("feature", *numbers, box=None)
    for part in record["shares"]:
        table.add_row(str(part["feature"]), *(f"{part[key]:.6g}" for key in numbers))
    if others > 0:
        table.add_row(f"{others:,} more", *blank, f"{record['rest']:.6g}")
    table.add_row("(constant)", *blank, f"{record['intercept']:.6g}")
    Console(highlight=False).print(table)


def _row(data: str, row: int, reading: dict[str, Any]) -> Dataset:
    from novikoff.cli.predictions import CHUNK
    from novikoff.data import Dataset, stream

    before = 0
    for chunk in stream(data, CHUNK, **reading):
        if row < before + len(chunk):
            if chunk.rounded is not None:
                chunk.rounded.warn()
            part = slice(row - before, row - before + 1)
            return Dataset(chunk.X[part], None if chunk.y is None else chunk.y[part], chunk.names)
        before += len(chunk)
    raise ValueError(f"{data} has {before:,} examples, so there is no row {row} (they count from 0)")


def _entries(X: Any) -> tuple[NDArray[Any], NDArray[Any]]:
    """The columns and values of a row that are not zero, as it is scored."""
    import scipy.sparse as sp

    if sp.issparse(X):
        return X.indices, X.data
    columns = np.flatnonzero(X[0])
    return columns, X[0, columns]


def _values_in_the_file(example: Dataset, columns: NDArray[Any]) -> NDArray[Any]:
    X = example.X
    return np.asarray((X.toarray() if hasattr(X, "toarray") else X)[0, columns])
