"""What a certificate says: the file of docs/certificate.md, read with every rule of its format.

There is no mathematics here, and there are no data: whether the claims are true is for the check to say
(`novikoff.certificates.reference`). The standard library is all that it needs.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Label = str | bool | int | float

FORMAT = "novikoff certificate 2"
FORMAT_1 = "novikoff certificate 1"
SEPARABLE = "separable"
NOT_SEPARABLE = "not separable"
ORIGIN = "through the origin"

HEAD = {"format", "kind", "positive", "against", "constant", "rows", "columns", "digest", "combination"}
OF_SEPARABLE = {"separator", "margin", "radius", "closest"}

FLOAT_HEX = re.compile(r"0x[01]\.[0-9a-f]{1,13}p[+-]([0-9]{1,3}|10[01][0-9]|102[0-3])")
ZERO_HEX = "0x0.0p+0"
DIGEST = re.compile(r"[0-9a-f]{64}")
LARGEST_FILE = 2**28  # bytes
LARGEST_FLOAT = 2**1024 - 2**971
SAFE = 2**53  # JSON readers agree on smaller integers
LONGEST_NAME = 1000  # characters of a column's name in `reading`
LONGEST_ENCODING = 40  # characters of its name
MOST_NAMES = 10_000  # in a list of columns there
MOST_SKIPPED = 2**20  # lines; each that a reader skips costs it some memory


class InvalidCertificate(ValueError):  # noqa: N818  # it reads better without Error
    """The certificate does not prove what it says about these data."""


@dataclass(frozen=True)
class Combination:
    """Rows, in increasing order, and the positive integer p that each of them is multiplied by."""

    rows: Sequence[int]
    weights: Sequence[int]


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


@dataclass(frozen=True)
class Claim:
    """A certificate that keeps to the format. Nothing has been compared with the data yet."""

    version: int  # of the format, and in all likelihood of the digest
    kind: str  # SEPARABLE or NOT_SEPARABLE
    positive: Label
    against: tuple[Label, ...] | None  # None: format 1, which does not name them
    constant: float  # c > 0; or 0, through the origin, where there is no constant coordinate
    n: int  # rows
    d: int  # columns
    digest: str
    combination: Combination
    separator: Sequence[int] | None = None  # w
    margin: tuple[float, float] | None = None  # lower, upper
    radius: float | None = None
    closest: int | None = None
    weak: Sequence[int] | None = None  # u
    reading: HowRead | None = None  # None: it is not recorded


def require(holds: object, sentence: str) -> None:
    """What is not so, as the sentence says, refuses the certificate."""
    if not holds:
        raise InvalidCertificate(sentence)


# The file ------------------------------------------------------------------------------------------


def read_claim(certificate: Any) -> Claim:
    """The claim of a path, a parsed dict, or an object with ``to_json``; one that has been read stays what it is."""
    if isinstance(certificate, Claim):
        return certificate
    try:
        record = json.loads(_text(certificate), object_pairs_hook=_each_once)
    except (ValueError, TypeError, RecursionError) as error:
        raise InvalidCertificate(f"this is not a certificate: {error}") from error
    known = type(record) is dict and record.get("format") in (FORMAT, FORMAT_1)
    require(known, f"its format is not {FORMAT!r} or {FORMAT_1!r}")
    if record["format"] == FORMAT_1:
        return _claim(_from_format_1(record), version=1)
    return _claim(record, version=2)


def _text(certificate: Any) -> str:
    if hasattr(certificate, "to_json"):
        return str(certificate.to_json())
    if isinstance(certificate, dict):
        return json.dumps(certificate)
    if isinstance(certificate, Mapping):
        raise TypeError("these are several, one for each label: give one of them")
    with open(certificate, "rb") as file:
        small = os.fstat(file.fileno()).st_size <= LARGEST_FILE
        content = file.read(LARGEST_FILE + 1) if small else b""  # a pipe or a device does not say how much it has
    require(small and len(content) <= LARGEST_FILE, f"the file is too large: {LARGEST_FILE:,} bytes are allowed")
    return content.decode("utf-8")


def _each_once(items: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(items)
    require(len(fields) == len(items), "a field is there twice")
    return fields


# The fields ----------------------------------------------------------------------------------------


def _claim(record: dict[str, Any], *, version: int) -> Claim:
    kind = record.get("kind")
    require(kind in (SEPARABLE, NOT_SEPARABLE), f"its kind is not {SEPARABLE!r} or {NOT_SEPARABLE!r}")
    separable = kind == SEPARABLE
    fields = HEAD | (OF_SEPARABLE if separable else {"weak"} & record.keys()) | ({"reading"} & record.keys())
    require(record.keys() == fields, f"its fields are not {sorted(fields)}")

    n, d = record["rows"], record["columns"]
    counted = all(type(x) is int and 0 <= x < 2**63 for x in (n, d))
    require(counted, "its rows and columns are not two numbers >= 0")
    constant = _constant(record["constant"])
    width = d + 1 if constant else d
    digest = record["digest"]
    require(type(digest) is str and DIGEST.fullmatch(digest), "its digest is not 64 hexadecimal digits")
    positive = record["positive"]
    require(is_label(positive), "its positive label is not text, a bool or a finite number")
    most_rows = n if separable else d + 2

    return Claim(
        version=version,
        kind=SEPARABLE if separable else NOT_SEPARABLE,
        positive=positive,
        against=None if version == 1 else _against(record["against"], positive),
        constant=constant,
        n=n,
        d=d,
        digest=digest,
        combination=_combination(record["combination"], n, d, most_rows),
        separator=_integers(record["separator"], width, d, "its separator is") if separable else None,
        margin=_margin(record["margin"]) if separable else None,
        radius=_positive_float(record["radius"], "radius") if separable else None,
        closest=_closest(record["closest"], n) if separable else None,
        weak=_integers(record["weak"], width, d, "its weak separator is") if "weak" in record else None,
        reading=how_read(record["reading"]) if "reading" in record else None,
    )


def _constant(text: Any) -> float:
    """c > 0; or 0, through the origin."""
    if text == ORIGIN:
        return 0.0
    good = type(text) is str and FLOAT_HEX.fullmatch(text) and float.fromhex(text).hex() == text != ZERO_HEX
    require(good, f"its constant is not a float.hex() > 0, nor {ORIGIN!r}")
    return float.fromhex(text)


def is_label(label: Any) -> bool:
    """Can a certificate name it?"""
    number = type(label) in (int, float) and abs(label) < 2**1024
    return number or type(label) in (str, bool)


def _against(labels: Any, positive: Label) -> tuple[Label, ...]:
    others = tuple(labels) if type(labels) is list else (labels,)
    require(all(map(is_label, others)), "its other labels are not text, bools or finite numbers")
    require(type(labels) is not list or len(others) > 1, "its list of other labels does not hold two of them")
    require(len({positive, *others}) == 1 + len(others), "it names a label twice")
    return others


def _combination(combination: Any, n: int, d: int, most: int) -> Combination:
    good = type(combination) is dict and combination.keys() == {"rows", "weights"}
    require(good, "its combination is not rows and weights")
    rows = combination["rows"]
    good = type(rows) is list and all(type(i) is int and 0 <= i < n for i in rows)
    require(good, "a row of its combination is not in X")
    good = rows == sorted(set(rows)) and 0 < len(rows) <= most
    require(good, f"the rows of its combination are not 1 to {most} in increasing order")
    weights = _integers(combination["weights"], len(rows), d, "the weights of its combination are")
    require(min(weights) > 0, "the weight of one of its rows is not positive")
    return Combination(rows, weights)


def _closest(row: Any, n: int) -> int:
    require(type(row) is int and 0 <= row < n, "its closest row is not in X")
    return int(row)


# Numbers -------------------------------------------------------------------------------------------


def _margin(margin: Any) -> tuple[float, float]:
    require(type(margin) is list and len(margin) == 2, "its margin is not two numbers")
    lower = _positive_float(margin[0], "margin")
    upper = _positive_float(margin[1], "margin")
    require(lower <= upper, "the two ends of its margin are not in order")
    return lower, upper


def _positive_float(x: Any, name: str) -> float:
    """A float64 > 0; one without a fraction may be written as an integer."""
    good = type(x) in (int, float) and 0 < x <= LARGEST_FLOAT and float(x) == x
    require(good, f"its {name} is not a float64 > 0")
    return float(x)


def _integers(values: Any, count: int, d: int, what: str) -> list[int]:
    """A list of ``count`` integers, each of them below 2^53 in size or written in hexadecimal."""
    good = type(values) is list and len(values) == count
    require(good, f"{what} not {count} integers")
    if {*map(type, values)} == {int} and -SAFE < min(values) <= max(values) < SAFE:
        return list(values)
    # Rows are integers below 2^2098 times 2^-1074. Cramer's rule for their Gram matrix, of at most d + 2 rows, and
    # Hadamard's bound leave room.
    form = re.compile(f"-?0x[0-9a-f]{{1,{min(LARGEST_FILE, 1100 * (d + 2))}}}")
    found = [_integer(x, form) for x in values]
    require(None not in found, f"{what} not {count} integers")
    return [x for x in found if x is not None]


def _integer(x: Any, form: re.Pattern[str]) -> int | None:
    if type(x) is int and abs(x) < SAFE:
        return x
    return int(x, 16) if type(x) is str and form.fullmatch(x) else None


# How the file was read -----------------------------------------------------------------------------


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


# Format 1 ------------------------------------------------------------------------------------------

HEAD_1 = {"format", "digest", "shape", "constant", "positive", "verdict", "weights"}


def _from_format_1(old: dict[str, Any]) -> dict[str, Any]:
    """A record of format 1 with its claims under the names of format 2."""
    separable = old.get("verdict") == SEPARABLE
    own = {"support", "margin", "radius", "closest"} if separable else {"rows"} | ({"weak"} & old.keys())
    require(old.keys() == HEAD_1 | own, f"its fields are not {sorted(HEAD_1 | own)}")
    shape = old["shape"]
    require(type(shape) is list and len(shape) == 2, "its shape is not two numbers")
    require(old["constant"] != ORIGIN, "its constant is not a float.hex() >= 0")
    origin = old["constant"] == ZERO_HEX

    new = {name: old[name] for name in ("format", "positive", "digest")}
    new["kind"] = old["verdict"]
    new["against"] = None
    new["constant"] = ORIGIN if origin else old["constant"]
    new["rows"], new["columns"] = shape
    if separable:
        new["combination"] = old["support"]
        new["separator"] = _without_constant(old["weights"]) if origin else old["weights"]
        new |= {name: old[name] for name in ("margin", "radius", "closest")}
    else:
        new["combination"] = {"rows": old["rows"], "weights": old["weights"]}
        if "weak" in old:
            new["weak"] = _without_constant(old["weak"]) if origin else old["weak"]
    return new


def _without_constant(vector: Any) -> Any:
    """Format 1 has a weight for the constant 0, which must be 0."""
    last = vector[-1] if type(vector) is list and vector else None
    unused = (type(last) is int and last == 0) or (type(last) is str and re.fullmatch("-?0x0+", last))
    require(unused, "its weights use a constant that is zero")
    return vector[:-1]
