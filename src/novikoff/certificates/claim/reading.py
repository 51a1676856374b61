"""How the file was read that the rows come from: the field `reading` of a certificate."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from novikoff.certificates.claim.fields import is_label, require

LONGEST_NAME = 1000  # characters of a column's name in `reading`
LONGEST_ENCODING = 40  # characters of its name
MOST_NAMES = 10_000  # in a list of columns there
MOST_SKIPPED = 2**20  # lines; each that a reader skips costs it some memory


@dataclass(frozen=True)
class HowRead:
    """How the file was read that the rows come from. It claims nothing about the rows, and is not trusted."""

    settings: dict[str, Any]  # options of the reader that were not at their default
    skipped: int  # malformed lines that were left out
    filled: int  # missing values that were filled in
    columns: tuple[dict[str, Any], ...] = ()  # of a table: name, kind, how many levels, and why one should doubt it

    @property
    def names(self) -> dict[str, Any]:
        """The settings that only name things: with them every line of the file stays a row, every value what it is."""
        return {name: value for name, value in self.settings.items() if name in NAMING}

    @property
    def changes(self) -> dict[str, Any]:
        """The settings that leave something out or make something up, but for those that met nothing to do it to."""
        idle = {name for name, count in (("skip_bad", self.skipped), ("missing", self.filled)) if count == 0}
        return {name: value for name, value in self.settings.items() if name not in NAMING and name not in idle}


def how_read(reading: Any) -> HowRead:
    """The field `reading`. What it holds can name columns and choose among a few words; it holds no path."""
    good = type(reading) is dict and reading.keys() - {"columns"} == {"settings", "skipped", "filled"}
    require(good, "its reading is not settings, skipped and filled, and perhaps columns")
    columns = reading.get("columns", [])
    good = "columns" not in reading or _is_list(columns, _is_described)
    require(good, "the columns of its reading are not each a name and a kind")
    settings = reading["settings"]
    good = type(settings) is dict and settings.keys() <= SETTINGS.keys()
    require(good, f"the settings of its reading are not some of {sorted(SETTINGS)}")
    require(settings or columns, "its reading has neither settings nor columns")
    for name, value in settings.items():
        require(SETTINGS[name](value), f"its reading has a {name} that cannot be")
    skipped = reading["skipped"]
    filled = reading["filled"]
    counted = all(type(x) is int and 0 <= x < 2**63 for x in (skipped, filled))
    require(counted, "its reading does not count the skipped lines and the filled values")
    require(skipped <= settings.get("skip_bad", 0), "its reading skipped more lines than its skip_bad allows")
    require(filled == 0 or "missing" in settings, "its reading filled in values without saying how")
    return HowRead(dict(settings), skipped, filled, tuple(columns))


def _is_name(value: Any) -> bool:
    return type(value) is str and len(value) <= LONGEST_NAME


def _is_column(value: Any) -> bool:
    """By name, or by position, from the end where it is negative."""
    return _is_name(value) or (type(value) is int and -(2**31) <= value < 2**31)


def _is_list(values: Any, belongs: Callable[[Any], bool]) -> bool:
    return type(values) is list and 0 < len(values) <= MOST_NAMES and all(map(belongs, values))


def _is_described(column: Any) -> bool:
    """A column of the file: its name (or its position), its kind, and of text how many levels it has."""
    if type(column) is not dict or not {"name", "kind"} <= column.keys() <= {"name", "kind", "levels", "doubt"}:
        return False
    levels = column.get("levels")
    counted = type(levels) is int and 0 <= levels < 2**63 if column["kind"] == "text" else "levels" not in column
    doubted = "doubt" not in column or column["doubt"] in DOUBTS
    return _is_column(column["name"]) and column["kind"] in KINDS and counted and doubted


def _is_bool(value: Any) -> bool:
    return type(value) is bool


KINDS = "number", "truth", "text", "label", "weight", "index", "left out"
DOUBTS = "ids", "dates", "levels", "numbers as text"
FILE_FORMATS = "svmlight", "vw", "csv", "tsv", "jsonl", "parquet", "arrow", "npy", "npz", "idx", "arff"

SETTINGS: dict[str, Callable[[Any], bool]] = {
    "format": lambda value: value in FILE_FORMATS,
    "label": _is_column,
    "positive": lambda value: is_label(value) and (type(value) is not str or len(value) <= LONGEST_NAME),
    "weight": _is_name,
    "header": _is_bool,
    "zero_based": _is_bool,
    "delimiter": lambda value: type(value) is str and len(value) == 1,
    "decimal": lambda value: value in (".", ","),
    "encoding": lambda value: type(value) is str and 0 < len(value) <= LONGEST_ENCODING,
    "missing": lambda value: value in ("zero", "column"),
    "categorical": lambda values: _is_list(values, _is_column),
    "drop": lambda values: _is_list(values, _is_column),
    "columns": lambda values: _is_list(values, _is_name) and len(set(values)) == len(values),
    "width": lambda value: type(value) is int and 0 < value < 2**31,
    "skip_bad": lambda value: type(value) is int and 0 < value <= MOST_SKIPPED,
}

# All others can leave out a line, a value or a column of the file, or put something in its place: what separates cells
# or numbers, and the encoding, say which cells and numbers there are. With `header`, which
# is recorded where the first line looks otherwise, an example is lost to the names, or the names become an example.
# With `positive` every row stays on a side: True is this label, and False any other.
NAMING = "format", "label", "positive", "zero_based"
