"""A run as Python code, points as CSV, and CSV as points."""

from __future__ import annotations

import csv
import io
import math
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from novikoff.certificates import NotSeparable
from novikoff.lab.experiment import LARGEST, LEARNERS, MOST_COORDINATES, MOST_POINTS, Experiment, Label
from novikoff.lab.run import ENOUGH, FOREVER, as_learned, certificate, learn

PLUS = {"1", "+1", "+", "true", "yes", "pos", "positive"}
MINUS = {"-1", "−1", "-", "−", "0", "false", "no", "neg", "negative"}


class Code(msgspec.Struct, frozen=True):
    """Python that repeats the run, and the data as CSV."""

    python: str
    csv: str


class Text(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """CSV: coordinates, then the label."""

    text: Annotated[str, Meta(max_length=40_000)]


class Points(msgspec.Struct, frozen=True):
    """What was read, and which label became +."""

    points: list[list[float]]
    labels: list[Label]
    positive: str
    negative: str


def code(experiment: Experiment) -> Code:
    """The program ends with the counts that the page shows."""
    X, y = experiment.rows()
    separable = not isinstance(certificate(experiment, X, y, as_learned(experiment, X, y)[1]), NotSeparable)
    history = learn(experiment, X, y, ENOUGH if separable else FOREVER)
    estimator = LEARNERS[experiment.learner].estimator
    options: dict[str, Any] = {
        "at_zero": experiment.at_zero,
        "order": "given" if experiment.order == "shuffled" else experiment.order,
        "fit_intercept": experiment.intercept,
        "scale": experiment.scale,
    }
    if experiment.order == "shuffled":
        options |= {"shuffle": True, "random_state": experiment.seed}
    elif experiment.order == "given":
        options["shuffle"] = False
    if not history.finished or history.passes > 1000:
        options["max_iter"] = history.passes
    defaults = estimator().get_params()
    chosen = ", ".join(f"{key}={value!r}" for key, value in options.items() if defaults.get(key) != value)
    mistakes = sum(update.mistake for update in history.updates)
    quiet = "" if history.finished else "warnings.simplefilter('ignore')  # it stops before the points are separated\n"
    lines = [
        *([] if history.finished else ["import warnings"]),
        "import novikoff as nk",
        "",
        f"X = {experiment.points!r}",
        f"y = {experiment.labels!r}",
        f"{quiet}clf = nk.{estimator.__name__}({chosen}).fit(X, y)",
        f"print(clf.mistakes_, clf.updates_)  # {mistakes} {len(history.updates)}",
        f"print(nk.certify(X, y, fit_intercept={experiment.intercept}))",
    ]
    columns = [f"x{i}" for i in range(1, X.shape[1] + 1)]
    table = io.StringIO()
    writer = csv.writer(table, lineterminator="\n")
    writer.writerow([*columns, "label"])
    writer.writerows([*point, label] for point, label in zip(experiment.points, experiment.labels, strict=True))
    return Code("\n".join(lines) + "\n", table.getvalue())


def read(request: Text) -> Points:
    """The points of a CSV text; a first line of names is skipped. Labels are ±1, or any two words."""
    points: list[list[float]] = []
    words: list[str] = []
    dialect = "\t" if "\t" in request.text else ";" if ";" in request.text else ","
    try:
        reader = csv.reader(io.StringIO(request.text), delimiter=dialect, strict=True)
        for cells in reader:
            cells = [cell.strip() for cell in cells]
            if not any(cells):
                continue
            if not points and not words and not _is_number(cells[0]):
                words.append("")  # the names of the columns, once
                continue
            points.append(_numbers(cells, reader.line_num, len(points[0]) if points else None))
            words.append(cells[-1])
    except csv.Error as error:
        raise ValueError(f"this is not CSV: {error}") from None
    words = words[len(words) - len(points) :]
    if not points:
        raise ValueError("there are no points in this text: write one a line, such as 1.5, 2, +1")
    if len(points) > MOST_POINTS:
        raise ValueError(f"{len(points):,} points are too many for the page: {MOST_POINTS} at most")
    positive, negative = _classes(words)
    plus = PLUS if positive == "+1" else {positive.lower()}
    labels: list[Label] = [1 if word.lower() in plus else -1 for word in words]
    return Points(points, labels, positive, negative)


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _numbers(cells: list[str], line: int, width: int | None) -> list[float]:
    if not 2 <= len(cells) <= MOST_COORDINATES + 1:
        raise ValueError(f"line {line}: {len(cells)} columns; one to three coordinates and then the label are expected")
    if width is not None and len(cells) != width + 1:
        raise ValueError(f"line {line}: {len(cells)} columns, but {width + 1} before it")
    values = []
    for column, cell in enumerate(cells[:-1], 1):
        if not _is_number(cell):
            raise ValueError(f"line {line}, column {column}: {cell[:40]!r} is not a number")
        value = float(cell)
        if not math.isfinite(value) or abs(value) > LARGEST:
            raise ValueError(
                f"line {line}, column {column}: {cell[:40]} is not between −{LARGEST:.0f} and {LARGEST:.0f}"
            )
        values.append(value)
    return values


def _classes(words: list[str]) -> tuple[str, str]:
    """The labels for + and −."""
    distinct = sorted(set(words))
    if all(word.lower() in PLUS | MINUS for word in distinct):
        return "+1", "-1"
    if len(distinct) > 2:
        shown = ", ".join(repr(word[:20]) for word in distinct[:4])
        raise ValueError(f"the last column holds {len(distinct)} labels ({shown}, ...): there must be two")
    return distinct[-1], distinct[0]
