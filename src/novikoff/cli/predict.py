"""`novikoff predict`, `novikoff eval` and `novikoff explain`: what a model says of new examples."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from novikoff.cli.options import GOOD, as_json, counted, report_skipped
from novikoff.cli.output import write_all
from novikoff.data import Dataset, stream
from novikoff.data.sources import check_target
from novikoff.disk import atomic
from novikoff.estimators.rounds import RefusedError, rounds
from novikoff.float64 import nearest
from novikoff.inputs import item
from novikoff.store import load

CHUNK = 50_000  # rows at a time


def columns_of(model: Any) -> dict[str, Any]:
    """How to read a file for a model: as the one that it learned from, its columns matched to the model's."""
    names = getattr(model, "feature_names_in_", None)
    known = dict(getattr(model, "reading_", None) or {})
    for name in ("format", "skip_bad"):  # of that file alone
        known.pop(name, None)
    if names is not None:
        return known | {"columns": tuple(names), "width": None}
    return known | {"columns": None, "width": model.n_features_in_}


def two_labels(classes: str | None) -> list[Any] | None:
    """no,yes -> two labels, numbers if they are."""
    if classes is None:
        return None
    found: list[Any] = [label.strip() for label in classes.split(",")]
    if len(found) != 2:
        raise ValueError(f"--classes {classes}: two labels are expected, with a comma between them")
    try:
        numbers = [float(label) for label in found]
    except ValueError:
        return found
    if all(nearest(label)[1] for label in found):
        return numbers
    try:
        return [int(label) for label in found]
    except ValueError:
        raise ValueError(f"--classes {classes}: float64 does not hold one of these labels") from None


def predict(
    model_file: Path,
    data: str,
    output: Path | None,
    reading: Callable[[Any], dict[str, Any]],
    *,
    scores: bool,
    json: bool,
) -> int:
    model = load(model_file)
    if output is not None:
        check_target(output, data, model_file)
    if scores and not hasattr(model, "decision_function"):
        raise ValueError(f"{type(model).__name__} has no scores: leave out --scores")
    with _written(output) as out:
        for chunk in stream(data, CHUNK, **reading(model)):
            said = model.decision_function(chunk) if scores else model.predict(chunk)
            write_all(out, lines(said, chunk.tags, "score" if scores else "label", json=json))
            report_skipped(chunk.bad)
    return GOOD


def lines(values: NDArray[Any], tags: list[str] | None, name: str, *, json: bool) -> bytes:
    """One value a line, followed by the tag where there is one; numbers so that they can be read back."""
    if json:
        ends = [{"tag": tag} for tag in tags] if tags else [{}] * len(values)
        records = ({name: value, **end} for value, end in zip(values.tolist(), ends, strict=True))
        return "".join(as_json(record) + "\n" for record in records).encode()
    different, which = np.unique(values, return_inverse=True)
    words = [text(value) for value in different.tolist()]
    if tags:
        told = [f"{words[i]} {tag}".rstrip() for i, tag in zip(which.tolist(), tags, strict=True)]
    else:
        told = np.array(words, dtype=object)[which].tolist()
    return ("\n".join(told) + "\n").encode(errors="surrogateescape")


def text(label: Any) -> str:
    """A label as it is written: whole numbers without a point."""
    if isinstance(label, float) and label.is_integer() and abs(label) < 1e15:
        return str(int(label))
    return str(label)


@contextmanager
def _written(output: Path | None) -> Iterator[BinaryIO]:
    """Standard output, or a file that appears when it is complete."""
    if output is None:
        yield sys.stdout.buffer
        return
    with atomic.replacing(output) as place, open(place, "wb", closefd=False) as file:
        yield file


# eval --------------------------------------------------------------------------------------------


def evaluate(model_file: Path, data: str, reading: Callable[[Any], dict[str, Any]], *, json: bool) -> int:
    """A model on examples whose labels are known."""
    model = load(model_file)
    counts: Counter[tuple[Any, Any]] = Counter()
    for chunk in stream(data, CHUNK, **reading(model)):
        if chunk.y is None:
            raise ValueError(f"{data} has no labels to compare with")
        pairs, times = np.unique(_coded(model, chunk.y, model.predict(chunk)), return_counts=True)
        for pair, count in zip(pairs.tolist(), times.tolist(), strict=True):
            counts[divmod(pair, 2)] += count
        report_skipped(chunk.bad)
    classes = [item(label) for label in model.classes_]
    total = sum(counts.values())
    wrong = sum(count for (truth, said), count in counts.items() if truth != said)
    record = {
        "examples": total,
        "mistakes": wrong,
        "accuracy": 1 - wrong / total,
        "confusion": [[counts[truth, said] for said in (0, 1)] for truth in (0, 1)],
        "classes": classes,
    }
    if json:
        print(as_json(record))
        return GOOD
    print(f"{counted(wrong, 'mistake')} on {counted(total, 'example')}: accuracy {1 - wrong / total:.4%}.")
    table = Table("true label", *(f"predicted {text(label)}" for label in classes), box=None)
    for truth, label in enumerate(classes):
        table.add_row(text(label), *(f"{counts[truth, said]:,}" for said in (0, 1)))
    Console(highlight=False).print(table)
    return GOOD


def _coded(model: Any, truth: NDArray[Any], said: NDArray[Any]) -> NDArray[np.int64]:
    """2 * (number of the true label) + (number of the predicted one)."""
    strange = ~np.isin(truth, model.classes_)
    if strange.any():
        first = item(truth[np.argmax(strange)])
        raise ValueError(f"the label {first!r} is not one of the model's, {model.classes_.tolist()}")
    return np.asarray(2 * (truth == model.classes_[1]) + (said == model.classes_[1]), dtype=np.int64)


class DoublingTable:
    """Vowpal Wabbit's table, its columns named: a line whenever the number of examples has doubled."""

    HEADINGS = ("examples", "mistakes", "rate so far", "since last", "true label", "predicted", "features")

    def __init__(self, show: bool) -> None:
        self._show = show
        self._next = 1
        self.examples = self.mistakes = 0
        self._before = (0, 0)

    def add(self, X: Any, truth: NDArray[Any], said: NDArray[Any], wrong: NDArray[np.bool_]) -> None:
        done = np.cumsum(wrong)
        for i in _doublings(self.examples, len(truth), self._next):
            self._next *= 2
            # At <w,x> = 0 a linear learner may predict nothing, which is a mistake.
            answer = "none" if wrong[i] and said[i] == truth[i] else text(item(said[i]))
            self._line(self.examples + i + 1, self.mistakes + int(done[i]), X, text(item(truth[i])), answer, i)
        self.examples += len(truth)
        self.mistakes += int(done[-1])

    def end(self) -> None:
        if self._show and self._before[0] != self.examples:
            self._print(self.examples, self.mistakes, "", "", "")

    def _line(self, examples: int, mistakes: int, X: Any, truth: str, answer: str, i: int) -> None:
        if self._show:
            if examples == 1:
                print("  ".join(f"{heading:>11}" for heading in self.HEADINGS), file=sys.stderr)
            features = int(X.indptr[i + 1] - X.indptr[i]) if sp.issparse(X) else X.shape[1]
            self._print(examples, mistakes, truth, answer, f"{features:,}")

    def _print(self, examples: int, mistakes: int, *rest: str) -> None:
        seen, made = self._before
        rates = f"{mistakes / examples:.6f}", f"{(mistakes - made) / (examples - seen):.6f}"
        print("  ".join(f"{cell:>11}" for cell in (f"{examples:,}", f"{mistakes:,}", *rates, *rest)), file=sys.stderr)
        self._before = examples, mistakes


def _doublings(before: int, count: int, at: int) -> Iterator[int]:
    while at <= before + count:
        yield at - before - 1
        at *= 2


def cure_for_labels(model: Any, classes: list[Any] | None) -> str:
    """What to do about a label that is refused, if it can be done: a model that has begun keeps its two."""
    return "" if hasattr(model, "classes_") or classes else "; --classes names the two labels of a new model"


def progressive(
    model: Any, data: str, reading: dict[str, Any], classes: list[Any] | None, *, json: bool, quiet: bool
) -> int:
    """Predict each example before learning it."""
    table = DoublingTable(not quiet)
    cure = cure_for_labels(model, classes)
    for chunk in stream(data, CHUNK, **reading):
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
    if json:
        print(as_json({"examples": table.examples, "mistakes": table.mistakes, "rate": rate}))
    else:
        print(
            f"{counted(table.mistakes, 'mistake')} on {counted(table.examples, 'example')}, each predicted before it "
            f"was learned: {rate:.4%}."
        )
    return GOOD


# explain -----------------------------------------------------------------------------------------


def explain(
    model_file: Path, data: str, row: int, top: int, reading: Callable[[Any], dict[str, Any]], *, json: bool
) -> int:
    """Each feature's share of one score."""
    model = load(model_file)
    if not hasattr(model, "coef_"):
        raise ValueError(f"{type(model).__name__} has no weights to share a score out: see novikoff inspect")
    example = _row(data, row, reading(model))
    columns, values = _entries(example)
    weights, intercept = np.ravel(model.coef_)[columns], float(np.ravel(model.intercept_)[0])
    shares = weights * values
    names = getattr(model, "feature_names_in_", None)
    first = int((getattr(model, "reading_", None) or {}).get("zero_based") is False)  # the file's number of column 0
    score = float(np.ravel(model.decision_function(example))[0])
    order = np.argsort(-np.abs(shares), kind="stable")
    record = {
        "row": row,
        "predicted": item(model.predict(example)[0]),
        "true": None if example.y is None else item(example.y[0]),
        "score": score,
        "intercept": intercept,
        "shares": [
            {
                "feature": int(columns[k]) + first if names is None else str(names[columns[k]]),
                "value": values[k],
                "weight": weights[k],
                "share": shares[k],
            }
            for k in order[:top]
        ],
        "rest": float(shares[order[top:]].sum()),
    }
    if json:
        print(as_json(record))
        return GOOD
    true = "" if record["true"] is None else f" (true label {text(record['true'])})"
    print(f"Example {row}: predicted {text(record['predicted'])}{true}, score {score:.6g}.")
    table = Table("feature", "value", "weight", "share", box=None)
    for part in record["shares"]:
        table.add_row(str(part["feature"]), *(f"{part[key]:.6g}" for key in ("value", "weight", "share")))
    if len(order) > top:
        table.add_row(f"{len(order) - top:,} more", "", "", f"{record['rest']:.6g}")
    table.add_row("(constant)", "", "", f"{intercept:.6g}")
    Console(highlight=False).print(table)
    return GOOD


def _row(data: str, row: int, reading: dict[str, Any]) -> Dataset:
    before = 0
    for chunk in stream(data, CHUNK, **reading):
        if row < before + len(chunk):
            if chunk.rounded is not None:
                chunk.rounded.warn()
            part = slice(row - before, row - before + 1)
            return Dataset(chunk.X[part], None if chunk.y is None else chunk.y[part], chunk.names)
        before += len(chunk)
    raise ValueError(f"{data} has {before:,} examples, so there is no row {row} (they count from 0)")


def _entries(example: Dataset) -> tuple[NDArray[Any], NDArray[Any]]:
    X = example.X
    if sp.issparse(X):
        return X.indices, X.data
    columns = np.flatnonzero(X[0])
    return columns, X[0, columns]
