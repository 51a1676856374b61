"""From columns of numbers and of categories to rows: the rules that all tables share."""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Collection, Iterable, Sequence
from copy import copy
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from novikoff.data.options import Reading
from novikoff.examples import FLOAT32, FLOAT64
from novikoff.float64 import nearest, shown
from novikoff.words import said

MISSING = frozenset(("", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "null", "NULL", "None", "?", "-"))
LABELS_ALONE = {"-"}  # as a label it is none of these: it stands beside +
MISSING_LABELS = MISSING - LABELS_ALONE
LABELS = ("label", "y", "target", "class")
NO_FEATURES = "no column is left for the features"
NO_LABEL = "the label is missing"
MOST_COLUMNS = 1 << 20  # of a dense row of text: a column takes some 400 bytes before it holds a number
TOO_WIDE = (
    "{count:,} columns, and dense rows have at most "
    f"{MOST_COLUMNS:,}; svmlight, VW and JSON lines with names take more, and state only what is not zero"
)
PER_NAME = 4  # bytes that a name takes beside its own: quotes, a comma and a space in the list of a model file

SAMPLES = 50  # levels of a column of text that are kept to look at
NEAR = 10_000  # columns among which the nearest name is looked for
_INTEGER = re.compile(r"([-+]?)0*(\d+)")
_TRUTH = {"true": 1.0, "True": 1.0, "TRUE": 1.0, "false": 0.0, "False": 0.0, "FALSE": 0.0}
_IN_CACHE = 1 << 18  # entries of a tile, whose rows and columns stay in the cache while it is transposed


def no_number(name: str) -> str:
    return f"a number is expected; {said('categorical', [name])} takes the column as categories"


def no_value() -> str:
    return f"the value is missing; {said('missing', 'zero')} or {said('missing', 'column')} fills it in"


class CellError(ValueError):
    """A cell that cannot be used: `row` counts from 0 within the block."""

    def __init__(self, row: int, name: str, message: str) -> None:
        super().__init__(f"row {row}, column {name!r}: {message}")
        self.row = row
        self.name = name
        self.message = message

    def at(self, path: str, before: int) -> ValueError:
        """The error with the row of the file, from 1, for a user. ``before`` rows of it precede the block."""
        return ValueError(f"{path}, row {before + self.row + 1}, column {self.name!r}: {self.message}")


class Column(NamedTuple):
    """A column of a table, as it was read."""

    name: str | int  # by its position where columns have no names
    kind: str  # number, truth, text, label, weight, index, left out
    levels: int = 0  # of text: how many there are, each of them a feature
    samples: tuple[str, ...] = ()  # the first of these, unless it was asked to read the column so
    feature: int = -1  # of numbers: the place among the features

    def record(self, doubt: str | None = None) -> dict[str, Any]:
        """The column as JSON has it, and why it is doubted, if it is."""
        found = {"name": self.name, "kind": self.kind}
        if self.kind == "text":
            found["levels"] = self.levels
        return found if doubt is None else found | {"doubt": doubt}


class Category(NamedTuple):
    """A column of text: each cell is one of the levels, or missing (-1)."""

    codes: NDArray[np.int64]
    levels: Sequence[str]


def number(cell: str, decimal: str = ".") -> float | None:
    """The number that a cell is, as `float` reads it; None if it is none, or not finite.

    Where a comma is the sign of decimals, a point is none: 1.234 may stand for 1234.
    """
    if decimal == ",":
        if "." in cell:
            return None
        cell = cell.replace(",", ".")
    try:
        value = float(cell)
    except ValueError:
        return None
    return value if math.isfinite(value) and "_" not in cell else None


def truth(cell: str) -> float | None:
    """1 or 0 for a cell that says true or false."""
    return _TRUTH.get(cell)


def finite_sum(numbers: NDArray[Any]) -> bool:
    """Whether the sum is finite, which it is only if all terms are: the fast way to see it, nearly always."""
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(np.isfinite(numbers.sum()))


def find_dropped(names: Sequence[str], named: bool, reading: Reading) -> frozenset[int]:
    """The positions of the columns of a table that are left out."""
    found = set()
    for column in reading.drop:
        place = place_of(column, names, named=named)
        if place is not None:
            found.add(place)
        elif reading.features is None:
            raise ValueError(f"{said('drop', [column])}: {no_such_column(column, names, named=named)}")
    return frozenset(found)


def place_of(column: str | int, names: Sequence[str], *, named: bool) -> int | None:
    """The position of a column that is given by its name or its position; None if there is none.

    Where there is no such position a number is a name: a table may have the years as names.
    """
    if not isinstance(column, str) and -len(names) <= column < len(names):
        return column % len(names)
    return names.index(str(column)) if named and str(column) in names else None


def no_such_column(column: str | int, names: Sequence[str], *, named: bool) -> str:
    if not isinstance(column, str):
        return f"there are {len(names)} columns, counted from 0"
    if not named:
        return "there is no such column: the columns have no names"
    near = difflib.get_close_matches(column, names[:NEAR], n=1)
    hint = f" (did you mean {near[0]!r}?)" if near else ""
    return f"there is no such column{hint}; the columns are {', '.join(map(repr, names[:20]))}"


def no_feature(name: str, names: Sequence[str], *, of_model: bool) -> str:
    if of_model:
        return f"there is no column {name!r}, which the model needs"
    return f"{said('columns', [name])}: {no_such_column(name, names, named=True)}"


def find_label(
    names: Sequence[str], named: bool, reading: Reading, without: frozenset[int] = frozenset()
) -> int | None:
    """The position of the label column of a table; None if it has none. Those `without` are not looked at."""
    label, width = reading.label, len(names)
    if label is False:
        return None
    left = [place for place in range(width) if place not in without]
    if label is None:
        if not left:
            raise ValueError("drop leaves no column")
        if named:
            return next((names.index(word) for word in LABELS if word in names and names.index(word) in left), left[-1])
        return None if reading.width == len(left) else left[-1]
    place = _place_of_label(names, named, reading, label, len(left))
    if place in without:
        raise ValueError(f"{said('label', label)} is one of the columns to drop")
    return place


def _place_of_label(names: Sequence[str], named: bool, reading: Reading, label: str | int, width: int) -> int | None:
    place = place_of(label, names, named=named)
    if isinstance(label, str):
        if place is not None:
            return place
        if named and reading.model_columns(names) is not None:
            return None
        raise ValueError(f"{said('label', label)}: {no_such_column(label, names, named=named)}")
    if not named and reading.width == width:
        return None
    if place is None:
        raise ValueError(f"{said('label', label)}, but there are {len(names)} columns")
    return place


def names_size(names: Iterable[str]) -> int:
    """The bytes that `Reading.max_names` counts."""
    return sum(len(name.encode(errors="surrogatepass")) + PER_NAME for name in names)


def too_many_names(name: str, most: int) -> str:
    """The message where, with this one, the names take more bytes than are allowed."""
    more = said("max_names", 2 * most)
    return (
        f"with {name!r} the names of the columns take more than {most:,} bytes; {more} allows more, unless what is in "
        "them should not be part of a name"
    )


class LabelError(ValueError):
    """A label that would become another one: which of the levels it is, and why."""

    def __init__(self, level: int, message: str) -> None:
        super().__init__(message)
        self.level = level


class NumberLabels:
    """The numbers among the labels of a source, which one array has to keep: of int64, or of float64.

    So labels that are integers of 64 bits are kept whatever they are, and beside others those that float64 holds.
    """

    def __init__(self) -> None:
        self._large = ""  # the first of 64 bits that float64 does not hold
        self._other = ""  # the first that is no integer of 64 bits

    def fault(self, label: Any) -> str | None:
        """Why a number (or how it is written) cannot be a label beside those before it, if it cannot."""
        whole = _int64(label)
        held = nearest(label if whole is None else whole)[1]
        if whole is None and not held:
            return f"the label {shown(label)} is none that an integer of 64 bits or float64 holds"
        if not held and self._other:
            return f"float64 does not hold the label {shown(label)}, and {self._other}, one before, is no int64"
        if whole is None and self._large:
            return f"the label {shown(label)} is no int64, and float64 does not hold {self._large}, one before"
        return None

    def note(self, label: Any) -> None:
        """Keep in mind that this number is a label of the file, for those that follow."""
        whole = _int64(label)
        if whole is None:
            self._other = self._other or shown(label)
        elif not nearest(whole)[1]:
            self._large = self._large or shown(label)


def _int64(label: Any) -> int | None:
    """The integer of 64 bits that a number, or how it is written, is; None if it is none."""
    if isinstance(label, str):
        whole = _INTEGER.fullmatch(label)
        if whole is None or len(whole[2]) > 19:
            return None
        label = int(whole[1] + whole[2])
    return label if isinstance(label, int) and -(2**63) <= label < 2**63 else None


def text_labels(levels: Sequence[str]) -> NDArray[np.str_]:
    """Labels that are text, in an array, which would drop a NUL at their end."""
    for place, level in enumerate(levels):
        if level.endswith("\0"):
            raise LabelError(place, f"the label {level!r} ends with a NUL character, which would be lost: remove it")
    return np.array(levels, dtype=np.str_)


class Labels:
    """What labels written as text are: numbers if those of the first block are, else text."""

    def __init__(self, *, text: bool | None, name: str | int = "") -> None:
        self._text = text  # None: the first block tells
        self._name = name
        self.decimal = "."  # of the file that is read
        self._numbers = NumberLabels()

    def accepts(self, label: str) -> bool:
        """Whether a label is of the kind of the first ones."""
        return self._text is not False or number(label, self.decimal) is not None

    def values(self, levels: Sequence[str]) -> NDArray[Any] | None:
        """The labels that different cells stand for; None if one of them is no number although the earlier ones were.

        Integers of 64 bits are integers, if they all are. One that would become another raises a `LabelError`.
        """
        found = [number(level, self.decimal) for level in levels]
        if None in found if self._text is None else self._text:
            return text_labels(levels)
        if None in found:
            return None
        seen = copy(self._numbers)
        levels = self._pointed(levels)
        for place, level in enumerate(levels):
            fault = seen.fault(level)
            if fault is not None:
                raise LabelError(place, f"{fault}; {said('categorical', [self._name])} takes the labels as text")
            seen.note(level)
        whole = [_int64(level) for level in levels]
        return np.array(found, dtype=np.float64) if None in whole else np.array(whole, dtype=np.int64)

    def fix_levels(self, levels: Sequence[str], values: NDArray[Any]) -> None:
        """Labels are what the first ones are, and those later are beside these."""
        if self._text is None and len(values):
            self._text = values.dtype.kind == "U"
        if not self._text:
            for level in self._pointed(levels):
                self._numbers.note(level)

    def _pointed(self, levels: Sequence[str]) -> Sequence[str]:
        """Numbers, with the point that Python writes."""
        return levels if self.decimal == "." else [level.replace(self.decimal, ".") for level in levels]


class Encoder:
    """Numbers keep their column; a category has a column for each level, ``name=level``, on first appearance.

    Columns of the kind None are left out. `numeric` and `categories` are the others, in the order in which `encode`
    takes them.
    """

    def __init__(self, names: Sequence[str], kinds: Sequence[str | None], named: bool, reading: Reading) -> None:
        self._missing = reading.missing
        self._named = named
        self._places = {name: place for place, name in enumerate(names)}
        wanted = reading.model_columns(names)
        self._fixed = wanted is not None
        self.numeric = [name for name, kind in zip(names, kinds, strict=True) if kind == "number"]
        self.categories = [name for name, kind in zip(names, kinds, strict=True) if kind == "category"]
        if wanted is None:
            if reading.columns is not None:
                self.numeric.sort(key=reading.columns.index)
            if not named and reading.width not in (None, len(self.numeric)) and not self.categories:
                raise ValueError(f"{len(self.numeric)} columns, but {said('width', reading.width)}")
            self._index = {name: column for column, name in enumerate(self.numeric)}
        else:
            self._index = {name: column for column, name in enumerate(wanted)}
            self.numeric.sort(key=self._index.__getitem__)
            self._check_complete(wanted, of_model=reading.features is not None)
        if not self.numeric and not self.categories:
            raise ValueError(NO_FEATURES)
        self._targets = np.array([self._index[name] for name in self.numeric], dtype=np.int64)
        self._sparse = bool(self.categories)
        self._max_names = reading.max_names
        self._size = names_size(self._index)
        self.filled = 0  # missing values among the rows that were encoded last
        self._levels: dict[str, list[str]] = {name: [] for name in self.categories}  # the first of each column of text
        self._level_counts = dict.fromkeys(self.categories, 0)

    def _check_complete(self, columns: Sequence[str], *, of_model: bool) -> None:
        known = {*self.numeric, *(f"{name}=missing" for name in self.numeric)}
        prefixes = tuple(f"{name}=" for name in self.categories)
        for name in columns:
            if name not in known and not name.startswith(prefixes):
                raise ValueError(no_feature(name, list(self._places), of_model=of_model))

    @property
    def width(self) -> int:
        return len(self._index)

    @property
    def names(self) -> list[str] | None:
        """Of the columns; None if they are numbers without names alone."""
        return list(self._index) if self._named or self._fixed or len(self._index) > len(self.numeric) else None

    def columns(
        self,
        kinds: Sequence[str | None],
        *,
        label: int | None,
        index: bool = False,
        asked: Collection[int] = (),
    ) -> tuple[Column, ...]:
        """The columns of the table, as they were read so far.

        ``kinds`` are those of the columns, ``label`` is the place of the label, ``index`` says that the first column
        is left out as the index of the rows, and ``asked`` are the places of columns that are text on demand.
        """
        found = []
        for (name, place), kind in zip(self._places.items(), kinds, strict=True):
            shown = name if self._named else place
            if place == label:
                found.append(Column(shown, "label"))
            elif index and place == 0:
                found.append(Column(shown, "index"))
            elif kind is None:
                found.append(Column(shown, "left out"))
            elif kind == "category":
                samples = () if place in asked else tuple(self._levels[name])
                found.append(Column(shown, "text", self._level_counts[name], samples))
            else:
                found.append(Column(shown, kind, feature=self._index.get(name, -1)))
        return tuple(found)

    def encode(self, numbers: NDArray[Any], categories: Sequence[Category]) -> Any:
        """Rows from an array (rows by numeric columns, NaN where missing) and the categorical columns."""
        n = numbers.shape[0]
        self.filled = sum(int((codes < 0).sum()) for codes, _ in categories)
        numbers, absent = self._filled(numbers)
        found: list[tuple[int, int, str]] = []  # first appearances of names: row, place of the column in the file, name
        for name, where in zip(self.numeric, () if absent is None else absent.T, strict=absent is not None):
            if where.any():
                found.append((int(np.argmax(where)), self._places[name], f"{name}=missing"))
        level_names: list[list[str | None]] = []
        for name, (codes, levels) in zip(self.categories, categories, strict=True):
            if self._missing == "error" and (codes < 0).any():
                raise CellError(int(np.argmax(codes < 0)), name, no_value())
            texts = [*(f"{name}={level}" for level in levels), f"{name}=missing" if self._missing == "column" else None]
            first = np.full(len(texts), n)
            first[codes[::-1]] = np.arange(n)[::-1]  # the assignment that stays is the last: the first row
            found += (
                (int(row), self._places[name], text)
                for row, text in zip(first, texts, strict=True)
                if row < n and text is not None
            )
            level_names.append(texts)
        self._place(found)
        extra = [
            np.array([-1 if text is None else self._index.get(text, -1) for text in texts], dtype=np.int64)[codes]
            for texts, (codes, _) in zip(level_names, categories, strict=True)
        ]
        if self._sparse:
            return self._csr(numbers, absent, extra)
        if self._missing == "column" or self._fixed:
            X = np.zeros((n, self.width), dtype=numbers.dtype)
            X[:, self._targets] = numbers
            for name, where in zip(self.numeric, () if absent is None else absent.T, strict=absent is not None):
                if f"{name}=missing" in self._index:
                    X[where, self._index[f"{name}=missing"]] = 1
            return X
        return numbers

    def _filled(self, numbers: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.bool_] | None]:
        """The numbers with 0 for those missing; and, if they get a column, where they were."""
        if finite_sum(numbers):
            return numbers, None
        absent = np.isnan(numbers)
        wrong = ~np.isfinite(numbers) if self._missing == "error" else np.isinf(numbers)
        if wrong.any():
            row, column = divmod(int(np.argmax(wrong)), numbers.shape[1])
            value = numbers[row, column]
            raise CellError(row, self.numeric[column], no_value() if np.isnan(value) else f"{value} is not finite")
        self.filled += int(absent.sum())
        filled = np.where(absent, numbers.dtype.type(0), numbers)
        return filled, absent if self._missing == "column" and absent.any() else None

    def _place(self, found: list[tuple[int, int, str]]) -> None:
        """Columns for new names, in the order of rows and then of the file's columns: no matter how blocks are cut."""
        if self._fixed:
            return
        new: dict[str, int] = {}  # and the places of their columns in the file
        size = self._size
        for row, place, name in sorted(found):
            if name in self._places and name in self._index:
                raise ValueError(f"two columns are called {name!r}: rename one of them in the file")
            if name in self._index or name in new:
                continue
            size += names_size([name])
            if size > self._max_names:
                raise CellError(row, list(self._places)[place], too_many_names(name, self._max_names))
            new[name] = place
        self._size = size
        columns = list(self._places) if new else []
        for name, place in new.items():
            self._index[name] = len(self._index)
            self._count_level(columns[place], name)

    def _count_level(self, column: str, name: str) -> None:
        """There is a new feature of a column of text."""
        if column not in self._levels or (self._missing == "column" and name == f"{column}=missing"):
            return
        self._level_counts[column] += 1
        if len(self._levels[column]) < SAMPLES:
            self._levels[column].append(name.removeprefix(f"{column}="))

    def _csr(self, numbers: NDArray[Any], absent: NDArray[np.bool_] | None, extra: list[NDArray[np.int64]]) -> Any:
        n = numbers.shape[0]
        if absent is not None:
            flags = np.array([self._index.get(f"{name}=missing", -1) for name in self.numeric])
            extra += [np.where(absent[:, column], flags[column], -1) for column in range(absent.shape[1])]
        columns = np.column_stack([np.broadcast_to(self._targets, (n, len(self._targets))), *extra])
        values = np.column_stack([numbers.astype(np.float64, copy=False), np.ones((n, len(extra)))])
        keep = (columns >= 0) & (values != 0)
        columns[~keep] = self.width
        order = np.argsort(columns, axis=1, kind="stable")
        columns, values = np.take_along_axis(columns, order, 1), np.take_along_axis(values, order, 1)
        kept = columns < self.width
        indptr = np.zeros(n + 1, dtype=np.int32)
        np.cumsum(kept.sum(axis=1), out=indptr[1:])
        return sp.csr_array((values[kept], columns[kept].astype(np.int32), indptr), shape=(n, self.width))


def kinds_in_model(names: Sequence[str], columns: Sequence[str]) -> list[str | None]:
    """Whether a model has the columns of a table as numbers or as categories; None for those that it has not."""
    numeric = frozenset(columns)
    bases = {column[: sign.start()] for column in columns for sign in re.finditer("=", column)}
    return ["number" if name in numeric else "category" if name in bases else None for name in names]


def in_rows(columns: Sequence[NDArray[Any]], n: int) -> NDArray[Any]:
    """Columns as a C-contiguous array, float32 if all of them are, transposed tile by tile."""
    narrow = bool(columns) and all(column.dtype == FLOAT32 for column in columns)
    out = np.empty((n, len(columns)), dtype=FLOAT32 if narrow else FLOAT64)
    step = max(64, _IN_CACHE // max(1, len(columns)))
    for start in range(0, n, step):
        tile = out[start : start + step]
        for j, column in enumerate(columns):
            tile[:, j] = column[start : start + step]
    return out
