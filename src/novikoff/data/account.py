"""What was read: a line for people, a record for programs, and what should make one doubt.

A verdict about a file is a verdict about the columns that a reader made of it. So each of them is told, and those that
look as if they named the rows, or were not what they seem, are told with their cure.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from novikoff.data.columns import LABELS, Column, number
from novikoff.examples import Doubted, item
from novikoff.words import agreeing, column_name, counted, listed, said

if TYPE_CHECKING:
    from novikoff.data.dataset import Dataset

LOOKED_AT = 1 << 17  # rows, from the first: what is said of the values in a column is said of these
ENOUGH = 20  # rows: of fewer, values that are all different are nothing special
LOOKED_AT_COLUMNS, LOOKED_AT_FIRST = 10_000, 200  # columns of numbers; of the rows those that tell which to look at
SUSPECTS = 20  # columns of numbers that are looked at more closely
AT_ONCE = 1 << 18  # numbers that are compared, or turned into keys
NAMED = 6  # columns, or classes, that are named in a list
LONGEST = 40  # characters of a cell that is told
QUANTITIES = 20  # different labels: of fewer, numbers may be names
KEPT = 200  # columns, or classes, that a model file keeps: its header has few objects

IDS, DATES, LEVELS, WRITTEN_NUMBERS = "ids", "dates", "levels", "numbers as text"  # why a column is doubted

_DAY = r"(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.](?:\d{4}|\d{2}))"
_DATE = re.compile(rf"{_DAY}(?:[T ]\d{{1,2}}:\d{{2}}(?::\d{{2}}(?:[.,]\d+)?)?(?:Z|[+-]\d{{2}}:?\d{{2}})?)?")
_DIGITS = r"(?:\d{1,3}(?:[,.'’ \u00a0\u202f]\d{3})+|\d+)(?:[.,]\d+)?"
_WRITTEN_NUMBER = re.compile(rf"[-+−]?[$€£¥]?\s?[-+−]?{_DIGITS}\s?[%$€£¥]?")
_FIRST_DAY, _LAST_DAY = 19000101, 21001231


class Doubt(NamedTuple):
    """Why a column should be looked at again."""

    column: str | int  # by its position where columns have no names
    why: str  # IDS, DATES, LEVELS or WRITTEN_NUMBERS
    sentence: str


@dataclass(frozen=True)
class Account:
    """What was read of a file: ``str`` tells it in a line, ``warnings`` are the sentences that should make one doubt.

    Attributes
    ----------
    rows, features : what a learner gets
    columns : those of the file, where it is a table
    storage : of sparse rows, how full they are; else empty
    label : the column of the labels, by name or position; None if there are none, or the format keeps them apart
    classes : the labels, in order, and how many rows have each; None if there are none
    positive : the label that `positive=` stands for + (the labels are True and False then), or None
    filled, missing : how many missing values were filled in, and by which rule
    skipped : malformed lines that were left out
    doubts : columns that may name the rows, or are not what they seem
    warnings : these doubts as sentences, and those about rows and the label
    """

    rows: int
    features: int
    columns: tuple[Column, ...]
    storage: str
    label: str | int | None
    classes: tuple[tuple[Any, int], ...] | None
    positive: Any
    filled: int
    missing: str
    skipped: int
    doubts: tuple[Doubt, ...]
    warnings: tuple[str, ...]

    def __str__(self) -> str:
        rows = counted(self.rows, "row")
        if self.columns:
            head = f"{rows}, {counted(len(self.columns), 'column')} → {counted(self.features, 'feature')}"
        else:
            head = f"{rows}, {counted(self.features, 'feature')}{self.storage}"
        about = [*self._kinds(), self._labels()]
        if self.filled:
            marked = ", each marked in a feature of its own" if self.missing == "column" else ""
            about.append(f"{counted(self.filled, 'missing value')} as 0{marked} ({said('missing', self.missing)})")
        if self.skipped:
            about.append(f"{counted(self.skipped, 'line')} skipped")
        return f"{head}: {'; '.join(about)}"

    @property
    def record(self) -> dict[str, Any]:
        """The same for programs, as JSON has it."""
        return {
            "line": str(self),
            "rows": self.rows,
            "features": self.features,
            "columns": self.of_columns,
            "label": self.label,
            "classes": None if self.classes is None else [[label, count] for label, count in self.classes],
            "positive": self.positive,
            "filled": self.filled,
            "missing": self.missing,
            "skipped": self.skipped,
            "warnings": list(self.warnings),
        }

    @property
    def kept(self) -> dict[str, Any]:
        """What a model file keeps of it: the record, but None for columns, or classes, of which there are many."""
        few = {name: len(getattr(self, name) or ()) <= KEPT for name in ("columns", "classes")}
        return {name: value if few.get(name, True) else None for name, value in self.record.items()}

    @property
    def of_columns(self) -> list[dict[str, Any]]:
        """What a certificate records of the columns."""
        return [column.record(why) for column, why in self._with_doubts()]

    def doubted(self, names: NDArray[np.object_] | None, *, droppable: bool = True) -> tuple[Doubted, ...]:
        """The columns that are doubted, and the features that became of them, which have these names.

        ``droppable`` says whether the reader of the file can leave columns out.
        """
        if not self.doubts:
            return ()
        columns = {column.name: column for column in self.columns}
        features: dict[str | int, list[int]] = {column.name: [column.feature] for column in self.columns}
        texts = {str(column.name): column.name for column in self.columns if column.kind == "text"}
        features |= {name: [] for name in texts.values()}
        lengths = sorted({len(text) for text in texts}, reverse=True)
        numbers = {column.feature for column in columns.values()}
        for place, feature in enumerate([] if names is None else names):
            # Of a= and a=b= the longer one is that of a level.
            longest = next((feature[:k] for k in lengths if feature[k : k + 1] == "=" and feature[:k] in texts), None)
            if longest is not None and place not in numbers:
                features[texts[longest]].append(place)
        return tuple(Doubted(name, why, tuple(features[name]), droppable) for name, why, _ in self.doubts)

    def _with_doubts(self) -> list[tuple[Column, str | None]]:
        why = {doubt.column: doubt.why for doubt in self.doubts}
        return [(column, why.get(column.name)) for column in self.columns]

    def _kinds(self) -> list[str]:
        """The columns by what they hold."""
        found = []
        for kind, one, more in (
            ("number", "is a number", "are numbers"),
            ("truth", "is true or false", "are true or false"),
        ):
            names = [column_name(column.name) for column in self.columns if column.kind == kind]
            if names:
                found.append(f"{_some(names)} {agreeing(len(names), one, more)}")
        texts = [column for column in self.columns if column.kind == "text"]
        if texts:
            found.append(_some([_levels(column, self.rows) for column in texts]))
        for kind, words in (("weight", "the weights are {}"), ("index", "{} left out as the index of the rows")):
            columns = [column for column in self.columns if column.kind == kind]
            names = ["the first column" if column.name == "" else column_name(column.name) for column in columns]
            if names:
                found.append(words.format(listed(names)))
        left_out = [column_name(column.name) for column in self.columns if column.kind == "left out"]
        if left_out:
            found.append(f"{_some(left_out)} left out")
        return found

    def _labels(self) -> str:
        if not self.classes:
            return "no labels"
        name = "label" if self.label in (None, "label") else f"label {column_name(self.label)}"
        if self.positive is not None:
            count = dict(self.classes).get(True, 0)
            return f"{name}, + is {_plain(self.positive)} ({count:,}; called True, and all others False)"
        if _are_quantities(self.classes):
            (least, _), *_, (most, _) = self.classes
            return f"{name}, {len(self.classes):,} different numbers from {least:g} to {most:g}"
        told = [f"{_plain(label)} ({count:,})" for label, count in self.classes]
        if len(told) == 2:
            return f"{name}, + is {told[1]} and - is {told[0]}"
        if len(told) == 1:
            return f"{name}, {told[0]} alone"
        return f"{name}, {counted(len(told), 'class')}: {_some(told)}"


def account_of(ds: Dataset) -> Account:
    """What was read into a data set."""
    head = _first_rows(ds.X)
    doubts = tuple(_doubts(ds.columns, head, len(ds), ds.reading.format))
    label = None if ds.reading.label is False else ds.reading.label
    warnings = [*_sentences(doubts), *_about_rows(head, ds.y, len(ds))]
    if ds.columns and not ds.label_given and label is not None and label not in LABELS:
        place = "the last column" if ds.columns[-1].kind == "label" else "the last column that is left"
        among = " that is left" if any(column.name in LABELS for column in ds.columns) else ""
        words = f"{', '.join(LABELS[:-1])} or {LABELS[-1]}"
        named = any(isinstance(column.name, str) for column in ds.columns)
        cure = f"{said('label', 'NAME')} names another" if named else f"{said('label', 0)} takes the first"
        warnings.append(f"the label is {column_name(label)}, {place}, since no column{among} is called {words}: {cure}")
    return Account(
        rows=len(ds),
        features=int(ds.X.shape[1]),
        columns=ds.columns,
        storage=f" (CSR, {ds.X.nnz / max(len(ds), 1):.3g} entries a row)" if sp.issparse(ds.X) else "",
        label=label if ds.columns else None,
        classes=None if ds.y is None else _classes(ds.y),
        positive=ds.reading.positive,
        filled=ds.filled,
        missing=ds.reading.missing,
        skipped=len(ds.bad),
        doubts=doubts,
        warnings=tuple(warnings),
    )


def _first_rows(X: Any) -> Any:
    """Those that are looked at, where they are."""
    if not sp.issparse(X):
        return X[:LOOKED_AT]
    starts = X.indptr[: LOOKED_AT + 1]
    return sp.csr_array((X.data[: starts[-1]], X.indices[: starts[-1]], starts), shape=(len(starts) - 1, X.shape[1]))


def _sentences(doubts: Sequence[Doubt]) -> Iterator[str]:
    """One for each of the first columns that are doubted for a reason, and one for all others."""
    for why in dict.fromkeys(doubt.why for doubt in doubts):
        first, *more = (doubt for doubt in doubts if doubt.why == why)
        yield from (doubt.sentence for doubt in (first, *more[: NAMED - 1]))
        others = [column_name(doubt.column) for doubt in more[NAMED - 1 :]]
        if others:
            yield f"the same holds of {_some(others)}, as of {column_name(first.column)}"


def _classes(y: NDArray[Any]) -> tuple[tuple[Any, int], ...]:
    labels, counts = np.unique(y, return_counts=True)
    return tuple((item(label), int(count)) for label, count in zip(labels, counts, strict=True))


# Columns -------------------------------------------------------------------------------------------


def _doubts(columns: Sequence[Column], head: Any, rows: int, format: str | None) -> Iterable[Doubt]:
    """The columns that may name the rows, or are not what they seem, in the order of the file."""
    suspects = _integers_that_differ(columns, head)
    for column in columns:
        cure = "leave it out of the file" if format == "jsonl" else f"{said('drop', [column.name])} leaves it out"
        if column.kind == "text":
            found = _of_text(column, rows, cure)
        elif column.kind == "number" and column.feature in suspects:
            found = _of_integers(column, suspects[column.feature], rows, cure)
        else:
            found = None
        if found is not None:
            yield found


def _of_text(column: Column, rows: int, cure: str) -> Doubt | None:
    name = column_name(column.name)
    levels = counted(column.levels, "level")
    dates = _nearly_all(column.samples, _is_date)
    if dates:
        return Doubt(
            column.name,
            DATES,
            f"{name} holds dates ({_short(dates[0])}), and each of its {levels} is a feature by itself, which says "
            f"nothing about other days: {cure}, and a column of days since a date would keep its order",
        )
    numbers = _nearly_all(column.samples, _WRITTEN_NUMBER.fullmatch)
    if column.levels > 2 and numbers:
        return Doubt(
            column.name,
            WRITTEN_NUMBERS,
            f"{name} holds numbers as text ({_short(numbers[0])}), and each of its {levels} is a feature by itself: "
            f"{_as_numbers(numbers)}",
        )
    if rows >= ENOUGH and 2 * column.levels > rows:
        return Doubt(
            column.name,
            LEVELS,
            f"{name} has {levels} in {counted(rows, 'row')}, so it nearly names the rows, and a feature for each row "
            f"separates any labels: {cure}",
        )
    return None


def _as_numbers(samples: Sequence[str]) -> str:
    """What makes numbers of numbers that are written as text."""
    if all(number(sample) is not None for sample in samples):
        return "store them as numbers, without quotation marks"
    if all(re.fullmatch(r"[-+]?\d+,\d+", sample) for sample in samples):
        return (
            f"{said('decimal', ',')} reads a comma as the sign of decimals; if it stands between thousands, remove it"
        )
    return "write them in the file without signs of money, %, spaces and marks between thousands"


def _integers_that_differ(columns: Sequence[Column], head: Any) -> dict[int, NDArray[Any]]:
    """The features that are integers, and dates or a different one in each row; with their values."""
    rows = head.shape[0]
    places = [column.feature for column in columns if column.kind == "number" and column.feature >= 0][
        :LOOKED_AT_COLUMNS
    ]
    found: dict[int, NDArray[Any]] = {}
    if rows < ENOUGH or not places:
        return found
    first = head[:LOOKED_AT_FIRST][:, places]
    first = first.toarray() if sp.issparse(first) else first
    for place, values in zip(places, first.T, strict=True):
        whole = bool((values == np.trunc(values)).all())
        if whole and len(found) < SUSPECTS and (_differ(values) or _are_days(values)):
            values = head[:, [place]].toarray().ravel() if sp.issparse(head) else np.asarray(head[:, place])
            if (values == np.trunc(values)).all() and (_differ(values) or _are_days(values)):
                found[place] = values
    return found


def _differ(values: NDArray[Any]) -> bool:
    return len(np.unique(values)) == len(values)


def _are_days(values: NDArray[Any]) -> bool:
    """Whether all are written like 20240131, and not all are the same."""
    if values.min() < _FIRST_DAY or values.max() > _LAST_DAY or values.min() == values.max():
        return False
    month, day = values // 100 % 100, values % 100
    return bool(((month >= 1) & (month <= 12) & (day >= 1) & (day <= 31)).all())


def _of_integers(column: Column, values: NDArray[Any], rows: int, cure: str) -> Doubt:
    name = column_name(column.name)
    if _are_days(values):
        among = "" if len(values) == rows else f" in the first {len(values):,} rows"
        return Doubt(column.name, DATES, f"{name} holds dates ({values[0]:.0f}) as numbers{among}: {cure}")
    among = "row" if len(values) == rows else f"of the first {len(values):,} rows"
    return Doubt(
        column.name,
        IDS,
        f"{name} holds a different integer in each {among}, as ids do, by which a learner can tell rows that have "
        f"nothing else in common: {cure}",
    )


def _nearly_all(samples: Sequence[str], looks: Callable[[str], Any]) -> list[str]:
    """The samples that look so, if nearly all of them do."""
    found = [sample for sample in samples if looks(sample)]
    return found if 10 * len(found) >= 9 * len(samples) else []


def _is_date(text: str) -> bool:
    """Whether it is written like a date, and there are such a month and such a day."""
    if _DATE.fullmatch(text) is None:
        return False
    first, second, third = map(int, re.findall(r"\d+", text)[:3])
    if re.match(r"\d{4}", text):
        return 1 <= second <= 12 and 1 <= third <= 31
    return 1 <= min(first, second) <= 12 and 1 <= max(first, second) <= 31


# Rows ----------------------------------------------------------------------------------------------


def _about_rows(head: Any, y: NDArray[Any] | None, rows: int) -> list[str]:
    """What should be known of rows that are there twice."""
    later, earlier = repeated(head)
    if not len(later):
        return []
    among = "" if head.shape[0] == rows else f"of the first {head.shape[0]:,} rows "
    sentence = (
        f"{among}{counted(len(later), 'row')} {agreeing(len(later), 'has', 'have')} the features of an earlier one"
    )
    if y is None:
        return [sentence]
    others = int(np.count_nonzero(y[later] != y[earlier]))
    if not others:
        return [f"{sentence}, with the same label"]
    if _are_quantities(_classes(y)):
        return [f"{sentence}, {others:,} of them with another label"]
    return [f"{sentence}, {others:,} of them with another label: no hyperplane puts both on their sides"]


def repeated(X: Any) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The rows that equal an earlier one, and the one before each of them that it equals."""
    keys = row_keys(X)
    order = np.argsort(keys, kind="stable")
    same = np.flatnonzero(np.diff(keys[order]) == 0)
    later, earlier = order[same + 1], order[same]
    equal = np.concatenate([np.empty(0, dtype=bool), *_equal(X, later, earlier)])
    return later[equal], earlier[equal]


def row_keys(X: Any) -> NDArray[np.uint64]:
    """An integer for each row; equal rows have equal ones, dense and sparse, on every machine.

    It is the sum of bits(x_j) m_j modulo 2^64 over the entries that are not zero, with odd multipliers m_j.
    """
    keys = np.empty(X.shape[0], dtype=np.uint64)
    step = _rows_at_once(X)
    if sp.issparse(X):
        for start in range(0, X.shape[0], step):
            starts = X.indptr[start : start + step + 1]
            entries = slice(starts[0], starts[-1])
            values = np.where(X.data[entries] == 0, 0.0, X.data[entries]).astype(np.float64)
            terms = _mixed(values.view(np.uint64)) * _multipliers(X.indices[entries])
            sums = np.concatenate([np.zeros(1, dtype=np.uint64), np.cumsum(terms, dtype=np.uint64)])
            ends = sums[starts - starts[0]]
            keys[start : start + step] = ends[1:] - ends[:-1]
        return keys
    multipliers = _multipliers(np.arange(X.shape[1]))
    for start in range(0, X.shape[0], step):
        values = X[start : start + step].astype(np.float64) + 0.0  # of two zeros there is one
        keys[start : start + step] = (_mixed(values.view(np.uint64)) * multipliers).sum(axis=1, dtype=np.uint64)
    return keys


def _rows_at_once(X: Any) -> int:
    entries = X.nnz if sp.issparse(X) else X.shape[0] * X.shape[1]
    return int(max(1, AT_ONCE * X.shape[0] // max(1, entries)))


def _multipliers(columns: NDArray[Any]) -> NDArray[np.uint64]:
    """An odd number for each column: the finaliser of SplitMix64 at the column (Steele, Lea and Flood 2014)."""
    z = (columns.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray((z ^ (z >> np.uint64(31))) | np.uint64(1))


def _mixed(bits: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """High bits come into low ones, since small integers differ in their high bits alone; zero stays zero."""
    return bits ^ (bits >> np.uint64(32))


def _equal(X: Any, rows: NDArray[np.int64], others: NDArray[np.int64]) -> Iterator[NDArray[np.bool_]]:
    """Whether rows equal others, some at a time."""
    step = _rows_at_once(X)
    for start in range(0, len(rows), step):
        these, those = X[rows[start : start + step]], X[others[start : start + step]]
        if sp.issparse(X):
            differences = these - those
            differences.eliminate_zeros()
            yield np.diff(differences.indptr) == 0
        else:
            yield np.all(these == those, axis=1)


# Words ---------------------------------------------------------------------------------------------


def _plain(label: Any) -> str:
    text = str(label)
    text = text.removesuffix(".0") if isinstance(label, float) else text
    return text if text.isprintable() and len(text) <= 60 else repr(text[:60])


def _short(cell: str) -> str:
    """A cell in a sentence."""
    return repr(cell if len(cell) <= LONGEST else f"{cell[:LONGEST]}...")


def _are_quantities(classes: Sequence[tuple[Any, int]]) -> bool:
    """Whether labels are measured rather than named: many numbers, and not all of them whole."""
    return len(classes) > QUANTITIES and any(isinstance(label, float) and label % 1 for label, _ in classes)


def _levels(column: Column, rows: int) -> str:
    remark = ", nearly one a row" if rows >= ENOUGH and 2 * column.levels > rows else ""
    return f"{column_name(column.name)} ({counted(column.levels, 'level')}{remark})"


def _some(items: Sequence[str]) -> str:
    if len(items) > NAMED:
        return f"{', '.join(items[:NAMED])} and {len(items) - NAMED:,} more"
    return listed(items)
