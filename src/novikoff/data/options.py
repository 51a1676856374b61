"""How a file is read: every choice of the reader, as a record that a model file can keep."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, fields
from numbers import Integral
from typing import Any

FORMATS = ("svmlight", "vw", "csv", "tsv", "jsonl", "parquet", "arrow", "npy", "npz")
DELIMITERS = {"csv": ",", "tsv": "\t"}
MISSING_RULES = ("error", "zero", "column")
NOT_RECORDED = ("online", "max_line", "max_names")  # a file is read in memory at hand, and not as a stream


@dataclass(frozen=True)
class Reading:
    """The options of `read` and `stream`; ``ds.reading`` is the same with what was found in the file filled in.

    Parameters
    ----------
    format : one of svmlight, vw, csv, tsv, jsonl, parquet, arrow, npy, npz
        None: by the name of the file, else by its content.
    label : str, int or False
        The column of the labels, by name or position (-1 is the last); False if there are none. None: the column
        called label, y, target or class, the first of these that exists; else the last column of a table or array.
    weight : str
        The column of a table (csv, tsv, parquet, arrow) that holds the weight of each row, by name; it is no feature.
    header : bool
        Whether the first line of a CSV or TSV file holds the names of the columns. None: it does if none of its
        cells is a number and no two are the same, or if one of them is the word ``label``.
    zero_based : bool
        Whether the columns of svmlight lines count from 0. None: if the first block of the file has a column 0.
    missing : "error", "zero" or "column"
        What a missing value is: an error, a zero, or a zero and a one in a column of its own, ``name=missing``.
    categorical : names or positions
        Columns of a table that are categories although they look like numbers; for the labels: text.
    columns : names
        The columns of a model: those of the file are matched to them by name, and all others are dropped. A file
        without the label column is then one without labels.
    online : bool
        The examples go to a model that learns from a stream: features beyond `columns` get columns after these, and a
        label may be missing (VW and JSON lines).
    width : int
        The number of columns, where they have no names.
    skip_bad : int
        How many malformed lines of text may be skipped (``ds.bad`` lists them).
    max_line : int
        The most bytes of a line of text; of a record, where quoted cells hold line ends. A longer one is refused
        before it takes more memory. (A parser takes up to thirty times as much as its line.)
    max_names : int
        The most bytes of the names of all columns, each with 4 more for its place in a list. The default is what a
        model file holds.
    """

    format: str | None = None
    label: str | int | None = None
    weight: str | None = None
    header: bool | None = None
    zero_based: bool | None = None
    missing: str = "error"
    categorical: tuple[str | int, ...] = ()
    columns: tuple[str, ...] | None = None
    online: bool = False
    width: int | None = None
    skip_bad: int = 0
    max_line: int = 1 << 25
    max_names: int = 63 << 20

    def __post_init__(self) -> None:
        for name in ("header", "zero_based", "online"):
            value = getattr(self, name)
            if value is not None and not isinstance(value, bool):
                raise ValueError(f"{name}={value!r}: true or false is expected")
        for name in ("width", "skip_bad"):
            value = getattr(self, name)
            if value is not None and (isinstance(value, bool) or not isinstance(value, Integral)):
                raise ValueError(f"{name}={value!r}: an integer is expected")
        object.__setattr__(self, "categorical", _listed("categorical", self.categorical))
        if self.columns is not None:
            object.__setattr__(self, "columns", _listed("columns", self.columns))
            assert self.columns is not None
            if len(set(self.columns)) < len(self.columns):
                raise ValueError("columns holds a name twice")
        if self.format is not None and self.format not in FORMATS:
            raise ValueError(f"format={self.format!r} is not one of {', '.join(FORMATS)}")
        if self.missing not in MISSING_RULES:
            raise ValueError(f"missing={self.missing!r} is not one of {', '.join(MISSING_RULES)}")
        if self.label is True:
            raise ValueError("label is the name or the position of a column, or False for none")
        if self.weight is not None and not isinstance(self.weight, str):
            raise ValueError(f"weight={self.weight!r}: the name of a column is expected")
        if self.weight is not None and self.online:
            raise ValueError(f"weight={self.weight!r}: a model that learns from a stream weighs every example 1")
        if self.weight is not None and self.missing == "column":
            raise ValueError("missing='column' gives a missing weight a column, and no number: take 'zero' or 'error'")
        if self.width is not None and self.width < 1:
            raise ValueError(f"width={self.width}: at least one column is expected")
        if self.skip_bad is None or self.skip_bad < 0:
            raise ValueError(f"skip_bad={self.skip_bad}: it is the number of bad lines that may be skipped")
        for name in ("max_line", "max_names"):
            value = getattr(self, name)
            if type(value) is not int or value < 1:
                raise ValueError(f"{name}={value!r}: a number of bytes is expected")


def reading_of(options: Mapping[str, Any]) -> Reading:
    """The record of these options; a name that is none of them is an error that tells the nearest."""
    check_names(name for name in options if name != "online")  # which the library alone sets
    return Reading(**options)


def check_names(names: Iterable[str]) -> None:
    """Raise a TypeError, as Python does for arguments that nobody expects, if one of these is no option."""
    known = sorted(field.name for field in fields(Reading) if field.name != "online")
    for name in names:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            hint = f" (did you mean {near[0]}?)" if near else ""
            raise TypeError(f"there is no option {name!r}{hint}: {', '.join(known)}")


def record_of(reading: Reading, skipped: int, filled: int, *, idle: Collection[str] = ()) -> dict[str, Any] | None:
    """What a certificate records of a file that was read with these options; None if there is nothing to say.

    These are the options that were given, but for those that bear on memory alone, and what they did: how many lines
    were left out, and how many missing values were filled in. What the reader finds out by itself is left to whoever
    reads the file again; ``idle`` are options that said no more than that.
    """
    settings = {
        option.name: _plain(getattr(reading, option.name))
        for option in fields(reading)
        if option.name not in (*NOT_RECORDED, *idle) and getattr(reading, option.name) != option.default
    }
    return {"settings": settings, "skipped": skipped, "filled": filled} if settings else None


def _listed(option: str, values: Iterable[Any]) -> tuple[Any, ...]:
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise ValueError(f"{option}={values!r}: a list of columns is expected")
    return tuple(values)


def _plain(value: Any) -> Any:
    """An option as JSON writes it: lists for tuples, and Python's own types for those of NumPy."""
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    if isinstance(value, str):
        return str(value)
    return int(value) if isinstance(value, Integral) and not isinstance(value, bool) else value
