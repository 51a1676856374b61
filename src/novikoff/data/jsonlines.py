"""JSON lines: an object a line, with its label and its features."""

from __future__ import annotations

import json
import math
from array import array
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from novikoff.data.block import BadLine, Block, Inexact
from novikoff.data.columns import (
    LABELS,
    MOST_COLUMNS,
    NO_LABEL,
    SAMPLES,
    TOO_WIDE,
    Column,
    LabelError,
    NumberLabels,
    names_size,
    no_value,
    text_labels,
    too_many_names,
)
from novikoff.data.options import Reading
from novikoff.data.svmlight import skip
from novikoff.float64 import may_vanish, nearest, nearest_to_text, shown
from novikoff.words import said

MOST_KEYS = 1000  # that are told as columns
HOLDERS = ("features", "x")  # keys that may hold the features of an example


class _FaultError(Exception):
    def __init__(self, message: str, column: int = 1) -> None:
        super().__init__(message)
        self.column = column


class JsonParser:
    """Lines such as ``{"label": 1, "features": {"age": 41, "job": "cook"}}`` or ``{"y": 0, "x": [0.5, 2]}``.

    Without "features" or "x", all other keys are features. Beside them, "weight" is the importance of the example
    and "tag" its name. Features get their columns on first appearance.
    """

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self._index = {name: column for column, name in enumerate(reading.wanted or ())}
        self._fixed = reading.wanted is not None
        self._size = names_size(self._index)
        self._length: int | None = None  # of the arrays; None before the first line, -1 where features have names
        self._label: str | None = None
        self._label_kind: type | None = None
        self._number_labels = NumberLabels()
        self._filled = 0  # the features of a line that are missing
        self._lost: list[tuple[str, str]] = []  # the features of a line that float64 does not hold: name and value
        self._texts: dict[str, str] = {}  # the features of a line that are levels of text, and the keys of these
        self._keys: dict[str, Column] = {}  # in the order of their appearance, as long as there are not too many

    @property
    def names(self) -> list[str] | None:
        return None if self._length not in (None, -1) else list(self._index)

    @property
    def width(self) -> int:
        return len(self._index) if self._length in (None, -1) else self._length or 0

    @property
    def columns(self) -> tuple[Column, ...]:
        """The keys, as columns of a table; none where there are arrays, or a key for nearly everything."""
        if self._length not in (None, -1) or self._fixed or len(self._keys) > MOST_KEYS:
            return ()
        label = () if self._label is None else (Column(self._label, "label"),)
        return (*self._keys.values(), *label)

    def parse(self, text: bytes | memoryview, line: int, allowed: int) -> Block:
        """Parse whole lines, of which the first has this number, and skip at most `allowed` malformed ones."""
        rows = _Rows()
        bad: list[BadLine] = []
        lines = bytes(text).split(b"\n")
        if not lines[-1]:
            lines.pop()
        parsed = _parsed_with_care if may_vanish(bytes(text)) else _parsed
        for place, content in enumerate(lines):
            if not content.strip():
                continue
            self._lost, self._filled, self._texts = [], 0, {}
            try:
                self._read(parsed(content), rows)
            except _FaultError as fault:
                skip(bad, BadLine(line + place, fault.column, str(fault)), allowed)
            except LabelError as error:
                skip(bad, BadLine(line + place, 1, str(error)), allowed)
            else:
                rows.note(line + place, self._lost)
                rows.filled += self._filled
        return Block(
            self._matrix(rows), rows.y(), rows.importance(), rows.names(), len(lines), bad, rows.inexact, rows.filled
        )

    def _read(self, example: Any, rows: _Rows) -> None:
        """Add an example to the rows, or leave them as they are."""
        if not isinstance(example, dict):
            raise _FaultError("an object is expected: {...}")
        if self._length is None or (self._label is None and self.reading.online):
            self._find_label(example)
        label = self._label_of(example)
        holder = next((key for key in HOLDERS if isinstance(example.get(key), dict | list)), None)
        features = example[holder] if holder else {key: example[key] for key in example if key != self._label}
        weight = _importance(example.get("weight", 1.0)) if holder else 1.0
        tag = str(example.get("tag", "")) if holder else ""
        if isinstance(features, list):
            values = self._array(features)
            self._length = len(values)
            rows.dense.append(values)
        else:
            if self._length not in (None, -1):
                raise _FaultError("an object of features, but those before are arrays")
            entries: dict[str, float] = {}
            for name, value in features.items():
                self._flatten(str(name), value, entries)
            columns = self._columns(entries)
            self._length = -1
            rows.add(columns)
        if label is not None:
            self._label_kind = _kind(label)
            if self._label_kind is float:
                self._number_labels.note(label)
        if self._label is not None or self.reading.online:
            rows.labels.append(label)
        rows.weights.append(weight)
        rows.tags.append(tag)

    def _find_label(self, example: dict[str, Any]) -> None:
        """The first example tells where the labels are."""
        label = self.reading.label
        if label is None:
            self._label = next((word for word in LABELS if word in example), None)
            if self._label is None and self.reading.online:
                return
            self.reading = replace(self.reading, label=False if self._label is None else self._label)
        elif isinstance(label, str):
            self._label = label if label in example or not self._fixed or self.reading.online else None
        elif label is not False:
            raise _FaultError(f"{said('label', label)}: objects have no positions; give the key of the label")

    def _label_of(self, example: dict[str, Any]) -> Any:
        if self._label is None:
            return None
        label = example.get(self._label)
        if label is None and self.reading.online:
            return None
        if label is None:
            raise _FaultError(f"{NO_LABEL}: there is no {self._label!r}")
        if not isinstance(label, bool | int | float | str) or (isinstance(label, float) and not math.isfinite(label)):
            raise _FaultError(f"the label {label!r} is neither a number nor text")
        kind = _kind(label)
        if self._label_kind not in (None, kind):
            raise _FaultError(f"the label {label!r} is of another kind than those before")
        if isinstance(label, str):
            text_labels([label])
        if kind is float:
            fault = self._number_labels.fault(str(label) if isinstance(label, _Tiny) else label)
            if fault is not None:
                raise _FaultError(f"{fault}; in quotes the labels are text")
        return label

    def _array(self, features: list[Any]) -> list[float]:
        if self._length == -1:
            raise _FaultError("an array of features, but those before are objects")
        expected = self._length if self._length is not None else self.reading.width
        if expected not in (None, len(features)):
            raise _FaultError(f"{len(features)} features, but {expected} are expected")
        if len(features) > MOST_COLUMNS:
            raise _FaultError(TOO_WIDE.format(count=len(features)))
        return [self._number(f"[{place}]", self._zero(f"[{place}]", value)) for place, value in enumerate(features)]

    def _zero(self, name: str, value: Any) -> Any:
        if not _missing(value):
            return value
        if self.reading.missing != "zero":
            raise _FaultError(
                f"{name}: {no_value()}" if self.reading.missing == "error" else f"{name}: an array has no names"
            )
        self._filled += 1
        return 0.0

    def _flatten(self, name: str, value: Any, entries: dict[str, float]) -> None:
        """The features that a key holds, by name."""
        if isinstance(value, dict):
            for key, inner in value.items():
                self._flatten(f"{name}.{key}", inner, entries)
            return
        if isinstance(value, list):
            for place, inner in enumerate(value):
                if isinstance(inner, str | list | dict):
                    raise _FaultError(f"{name!r}: an array of numbers is expected")
                self._flatten(f"{name}[{place}]", inner, entries)
            return
        if _missing(value):
            if self.reading.missing == "error":
                raise _FaultError(f"{name!r}: {no_value()}")
            self._filled += 1
            if self.reading.missing == "zero":
                return
            name, value = f"{name}=missing", 1.0
        elif isinstance(value, str) or name in self.reading.categorical:
            key, name, value = name, f"{name}={value}", 1.0
            self._texts[name] = key
        if name in entries:
            raise _FaultError(f"two features are called {name!r}")
        entries[name] = self._number(name, value)

    def _number(self, name: str, value: Any) -> float:
        found, kept = _number(name, value)
        if not kept:
            self._lost.append((name, shown(value)))
        return found

    def _columns(self, entries: dict[str, float]) -> list[tuple[int, float]]:
        if not self._fixed or self.reading.online:
            self._enter([name for name in entries if name not in self._index])
        index = self._index
        return sorted((index[name], value) for name, value in entries.items() if value != 0 and name in index)

    def _enter(self, names: list[str]) -> None:
        """New names get the next columns: all of them, or none."""
        size = self._size
        for name in names:
            size += names_size([name])
            if size > self.reading.max_names:
                raise _FaultError(too_many_names(name, self.reading.max_names))
        self._size = size
        for name in names:
            self._index[name] = len(self._index)
            if len(self._keys) <= MOST_KEYS:
                self._note_key(name)

    def _note_key(self, feature: str) -> None:
        """There is a new feature: a number, or a level of text."""
        key = self._texts.get(feature)
        if key is None and self.reading.missing == "column" and feature.endswith("=missing"):
            return
        if key is None:
            self._keys.setdefault(feature, Column(feature, "number", feature=self._index[feature]))
            return
        known = self._keys.get(key, Column(key, "text"))
        asked = key in self.reading.categorical
        samples = known.samples if asked or len(known.samples) == SAMPLES else (*known.samples, feature[len(key) + 1 :])
        self._keys[key] = Column(key, "text", known.levels + 1, samples)

    def _matrix(self, rows: _Rows) -> Any:
        if self._length not in (None, -1):
            return np.array(rows.dense, dtype=np.float64).reshape(len(rows.dense), self.width)
        indptr = np.array(rows.indptr, dtype=np.int32)
        columns, values = np.array(rows.columns, dtype=np.int32), np.array(rows.values, dtype=np.float64)
        return sp.csr_array((values, columns, indptr), shape=(len(indptr) - 1, self.width))


class _Rows:
    """What was read of a block."""

    def __init__(self) -> None:
        self.dense: list[list[float]] = []
        self.indptr, self.columns, self.values = array("q", [0]), array("q"), array("d")
        self.labels: list[Any] = []
        self.weights: list[float] = []
        self.tags: list[str] = []
        self.inexact: Inexact | None = None
        self.filled = 0

    def note(self, line: int, lost: list[tuple[str, str]]) -> None:
        """The features of the last row that float64 does not hold."""
        if self.inexact is not None:
            self.inexact = self.inexact._replace(many=self.inexact.many + len(lost))
        elif lost:
            (name, value), row = lost[0], len(self.weights) - 1
            self.inexact = Inexact(row, line, repr(name), value, len(lost))

    def add(self, entries: list[tuple[int, float]]) -> None:
        for column, value in entries:
            self.columns.append(column)
            self.values.append(value)
        self.indptr.append(len(self.columns))

    def y(self) -> NDArray[Any] | None:
        if all(label is None for label in self.labels):
            return None
        if None in self.labels:
            given = [label for label in self.labels if label is not None]
            kept = all(not isinstance(label, str) and nearest(label)[1] for label in given)
            return np.array(self.labels, dtype=float if kept else object)
        if any(type(label) is int and not -(2**63) <= label < 2**63 for label in self.labels):
            return np.array([float(label) for label in self.labels])
        return np.array(self.labels)

    def importance(self) -> NDArray[np.float64] | None:
        return None if all(weight == 1 for weight in self.weights) else np.array(self.weights)

    def names(self) -> list[str] | None:
        return self.tags if any(self.tags) else None


def _parsed(content: bytes, decimal: Callable[[str], float] | None = None) -> Any:
    try:
        return json.loads(content.decode("utf-8"), parse_float=decimal, object_pairs_hook=_object)
    except UnicodeDecodeError as error:
        raise _FaultError("the text is not in UTF-8", error.start + 1) from None
    except json.JSONDecodeError as error:
        raise _FaultError(f"this is not JSON: {error.msg}", error.colno) from None
    except (RecursionError, ValueError) as error:  # too deep, or an integer of too many digits
        raise _FaultError(f"this JSON cannot be read: {error}") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = Counter(key for key, _ in pairs)
        raise _FaultError(f"the key {keys.most_common(1)[0][0]!r} appears twice in an object")
    return found


def _kind(label: Any) -> type:
    """Of a label: an integer is as good as another number."""
    return float if isinstance(label, int | float) and not isinstance(label, bool) else type(label)


def _missing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


class _Tiny(float):
    """A decimal of which nothing but zero is left."""

    text: str

    def __str__(self) -> str:
        return self.text


def _parsed_with_care(content: bytes) -> Any:
    """The value of a line of JSON; a decimal that becomes zero in float64, and is not, remembers its text."""

    def decimal(text: str) -> float:
        found, kept = nearest_to_text(text)
        if kept or found != 0:
            return found
        tiny = _Tiny(found)
        tiny.text = text
        return tiny

    return _parsed(content, decimal)


def _number(name: str, value: Any) -> tuple[float, bool]:
    """A number as float64, and whether that holds it."""
    if not isinstance(value, int | float):
        raise _FaultError(f"{name!r} is {value!r}: a number is expected")
    found, kept = (value, True) if type(value) is float else nearest(value)
    if not math.isfinite(found):
        raise _FaultError(f"{name!r} is {found}: a finite number is expected")
    return found, kept and not isinstance(value, _Tiny)


def _importance(weight: Any) -> float:
    found = _number("weight", weight)[0]
    if found < 0:
        raise _FaultError(f"the weight {found} is negative")
    return found
