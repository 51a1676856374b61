"""How a file is read: every choice of the reader, as a record that a model file can keep."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from numbers import Integral, Real
from typing import Any, Literal, TypedDict, TypeVar

from novikoff.data import encodings
from novikoff.words import said

FORMATS = ("svmlight", "vw", "csv", "tsv", "jsonl", "parquet", "arrow", "npy", "npz", "idx", "arff")
DELIMITERS = {"csv": ",", "tsv": "\t"}
TABS = {"tab": "\t", "\\t": "\t"}  # as a shell passes them on
NO_DELIMITERS = "\"'\r\n\0.+-_"
DECIMALS = (".", ",")
MISSING_RULES = ("error", "zero", "column")
# A file is read in memory at hand, and not as a stream. The features of a model are recorded as columns.
NOT_RECORDED = ("online", "max_line", "max_names", "features")
MOST_RECORDED, LONGEST_RECORDED = 1000, 1000  # columns of a table, and characters of their names
F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True)
class Reading:
    """The options of `read` and `stream`; ``ds.reading`` is the same with what was found in the file filled in.

    Parameters
    ----------
    format : one of svmlight, vw, csv, tsv, jsonl, parquet, arrow, npy, npz, idx, arff
        None: by the name of the file, else by its content.
    label : str, int or False
        The column of the labels, by name or position (-1 is the last); False if there are none. None: the column
        called label, y, target or class, the first of these that exists; else the last column of a table or array.
    positive : str, number or bool
        The label that is +; all others are -. The labels are then True and False. None: they stay what they are, and
        of two the second in order is +.
    weight : str
        The column of a table (csv, tsv, parquet, arrow) that holds the weight of each row, by name; it is no feature.
    header : bool
        Whether the first line of a CSV or TSV file holds the names of the columns. None: it does if none of its
        cells is a number and no two are the same, or if one of them is the word ``label``.
    zero_based : bool
        Whether the columns of svmlight lines count from 0. None: if the first block of the file has a column 0.
    delimiter : str
        What separates the cells of a CSV or TSV file: one character, or "tab". None: a tab in TSV; in CSV the first
        lines tell whether it is a comma, a semicolon, a tab or ``|``, unless the file says so itself (``sep=;``).
    decimal : "." or ","
        The sign between a whole and its fraction in a CSV or TSV file. None: a comma if commas do not separate the
        cells and the numbers of the first lines have it.
    encoding : str
        How characters are written in a file of text: "cp1252", "latin-1" or any other that Python knows. None: UTF-8,
        or UTF-16 if a byte-order mark says so.
    missing : "error", "zero" or "column"
        What a missing value is: an error, a zero, or a zero and a one in a column of its own, ``name=missing``.
    categorical : names or positions
        Columns of a table that are categories although they look like numbers; for the labels: text.
    columns : names
        The columns that are features, and no others: of a table as the file has them, of other formats as `ds.names`
        would. Names of levels, ``name=level``, are taken as `features` are.
    drop : names or positions
        Columns of a table that are left out, as if they were not there.
    features : names
        The columns of a model, as `ds.names` has them: those of the file are matched to them by name, and all others
        are left out. A file without the label column is then one without labels.
    online : bool
        The examples go to a model that learns from a stream: features beyond `features` get columns after these, and a
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
    positive: str | float | bool | None = None
    weight: str | None = None
    header: bool | None = None
    zero_based: bool | None = None
    delimiter: str | None = None
    decimal: str | None = None
    encoding: str | None = None
    missing: str = "error"
    categorical: tuple[str | int, ...] = ()
    columns: tuple[str, ...] | None = None
    drop: tuple[str | int, ...] = ()
    features: tuple[str, ...] | None = None
    online: bool = False
    width: int | None = None
    skip_bad: int = 0
    max_line: int = 1 << 25
    max_names: int = 63 << 20

    def __post_init__(self) -> None:
        for name in ("header", "zero_based", "online"):
            value = getattr(self, name)
            if value is not None and not isinstance(value, bool):
                raise ValueError(f"{said(name, value)}: true or false is expected")
        for name in ("width", "skip_bad"):
            value = getattr(self, name)
            if value is not None and (isinstance(value, bool) or not isinstance(value, Integral)):
                raise ValueError(f"{said(name, value)}: an integer is expected")
        for name in ("categorical", "drop"):
            object.__setattr__(self, name, _listed(name, getattr(self, name)))
        for name in ("columns", "features"):
            names = getattr(self, name)
            if names is not None:
                names = _listed(name, names)
                object.__setattr__(self, name, names)
                if len(set(names)) < len(names):
                    raise ValueError(f"{name} holds a name twice")
        twice = next((name for name in self.columns or () if name in self.drop), None)
        if twice is not None:
            raise ValueError(f"columns asks for {twice!r}, and drop leaves it out")
        self._check_dialect()
        if self.format is not None and self.format not in FORMATS:
            raise ValueError(f"{said('format', self.format)} is not one of {', '.join(FORMATS)}")
        if self.missing not in MISSING_RULES:
            raise ValueError(f"{said('missing', self.missing)} is not one of {', '.join(MISSING_RULES)}")
        if self.label is True:
            raise ValueError("label is the name or the position of a column, or False for none")
        if not isinstance(self.positive, str | bool | Real | None) or self.positive != self.positive:
            raise ValueError(f"{said('positive', self.positive)}: a label is expected, as the file has it")
        if self.weight is not None and not isinstance(self.weight, str):
            raise ValueError(f"{said('weight', self.weight)}: the name of a column is expected")
        if self.weight is not None and self.online:
            raise ValueError(f"{said('weight', self.weight)}: a model that learns from a stream weighs every example 1")
        if self.weight is not None and self.missing == "column":
            raise ValueError(
                f"{said('missing', 'column')} gives a missing weight a column, and no number: take zero or error"
            )
        if self.width is not None and self.width < 1:
            raise ValueError(f"{said('width', self.width)}: at least one column is expected")
        if self.skip_bad is None or self.skip_bad < 0:
            raise ValueError(f"{said('skip_bad', self.skip_bad)}: it is the number of bad lines that may be skipped")
        for name in ("max_line", "max_names"):
            value = getattr(self, name)
            if type(value) is not int or value < 1:
                raise ValueError(f"{said(name, value)}: a number of bytes is expected")

    def model_columns(self, names: Collection[str]) -> tuple[str, ...] | None:
        """The columns of a model, which a table with columns of these names is brought to; None: it stays a table."""
        if self.features is not None or self.columns is None:
            return self.features
        return self.columns if any(name not in names for name in self.columns) else None

    @property
    def wanted(self) -> tuple[str, ...] | None:
        """The features of a format in which they are called as in a model."""
        return self.columns if self.features is None else self.features

    def _check_dialect(self) -> None:
        if self.delimiter is not None:
            delimiter = TABS.get(self.delimiter, self.delimiter) if isinstance(self.delimiter, str) else ""
            if len(delimiter) != 1 or not delimiter.isascii() or delimiter.isalnum() or delimiter in NO_DELIMITERS:
                raise ValueError(
                    f"{said('delimiter', self.delimiter)}: one character is expected, such as ; or |, or tab"
                )
            object.__setattr__(self, "delimiter", delimiter)
        if self.decimal not in (None, *DECIMALS):
            raise ValueError(f"{said('decimal', self.decimal)} is neither a point nor a comma")
        if self.encoding is not None:
            if not isinstance(self.encoding, str):
                raise ValueError(f"{said('encoding', self.encoding)}: the name of an encoding is expected")
            object.__setattr__(self, "encoding", encodings.known(self.encoding))


class Options(TypedDict, total=False):
    """The options of `Reading`, as keyword arguments."""

    format: Literal["svmlight", "vw", "csv", "tsv", "jsonl", "parquet", "arrow", "npy", "npz", "idx", "arff"] | None
    label: str | int | None
    positive: str | float | bool | None
    weight: str | None
    header: bool | None
    zero_based: bool | None
    delimiter: str | None
    decimal: Literal[".", ","] | None
    encoding: str | None
    missing: Literal["error", "zero", "column"]
    categorical: Collection[str | int]
    columns: Collection[str] | None
    drop: Collection[str | int]
    features: Collection[str] | None
    width: int | None
    skip_bad: int
    max_line: int
    max_names: int


def takes_options(function: F) -> F:
    """Show the options of a function that takes them as ``**options: Unpack[Options]``: each one, and its default."""
    own = inspect.signature(function)
    *others, _ = own.parameters.values()
    options = [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=_DEFAULTS[name],
            annotation=Options.__annotations__[name].__forward_arg__,
        )
        for name in Options.__annotations__
    ]
    function.__signature__ = own.replace(parameters=[*others, *options])  # type: ignore[attr-defined]
    return function


_DEFAULTS = {option.name: option.default for option in fields(Reading)}


def reading_of(options: Mapping[str, Any]) -> Reading:
    """The record of these options; a name that is none of them is an error that tells the nearest."""
    check_names(name for name in options if name != "online")  # which the library alone sets
    return Reading(**options)


def check_names(names: Iterable[str]) -> None:
    """Raise a TypeError, as Python does for arguments that nobody expects, if one of these is no option."""
    known = sorted(Options.__annotations__)
    for name in names:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            hint = f" (did you mean {near[0]}?)" if near else ""
            raise TypeError(f"there is no option {name!r}{hint}: {', '.join(known)}")


def record_of(
    reading: Reading, skipped: int, filled: int, columns: Sequence[Mapping[str, Any]], *, idle: Collection[str] = ()
) -> dict[str, Any] | None:
    """What a certificate records of a file that was read with these options; None if there is nothing to say.

    These are the options that were given, but for those that bear on memory alone, and what they did: how many lines
    were left out, and how many missing values were filled in; and the columns of a table, unless it is very wide. What
    else the reader finds out by itself is left to whoever reads the file again; ``idle`` are options that said no more
    than that.
    """
    reading = replace(reading, columns=reading.wanted)
    settings = {
        option.name: _plain(getattr(reading, option.name))
        for option in fields(reading)
        if option.name not in (*NOT_RECORDED, *idle) and getattr(reading, option.name) != option.default
    }
    record: dict[str, Any] = {"settings": settings, "skipped": skipped, "filled": filled}
    if 0 < len(columns) <= MOST_RECORDED and all(len(str(column["name"])) <= LONGEST_RECORDED for column in columns):
        record["columns"] = list(columns)
    return record if settings or "columns" in record else None


def _listed(option: str, values: Iterable[Any]) -> tuple[Any, ...]:
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise ValueError(f"{said(option, values)}: a list of columns is expected")
    return tuple(values)


def _plain(value: Any) -> Any:
    """An option as JSON writes it: lists for tuples, and Python's own types for those of NumPy."""
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    if isinstance(value, str):
        return str(value)
    return int(value) if isinstance(value, Integral) and not isinstance(value, bool) else value
