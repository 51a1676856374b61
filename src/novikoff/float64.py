"""How the user's numbers become float64, and when they do not: the one place that decides it.

A number that has a binary value (an integer of any width, a longdouble, a fraction) is *kept* if float64 holds it, bit
for bit. A decimal with a fraction or an exponent, in a text or as a `Decimal`, stands for the nearest float64, as
every reader has it; it is kept unless it is so small that nothing but zero is left of it. What is not kept is told, as
`Rounded`: certificates refuse it, learners warn. What is too large for every float64 is an error for all, and so is
what is no number: a date, a duration, a record, a value that is masked.

Certificates and their checker have this module in common, and no other: it is the premise of what is proved.
"""

from __future__ import annotations

import inspect
import math
import operator
import re
import unicodedata
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date, time, timedelta
from decimal import Decimal
from fractions import Fraction
from numbers import Integral, Rational
from typing import Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

EXACT = 2**53  # float64 holds every integer up to here
PLAIN = frozenset("?bhilBHILefd") - {np.dtype(np.int64).char, np.dtype(np.uint64).char}  # types that float64 holds
PART = 1 << 20  # entries that are looked at at a time
NUMBERS = frozenset("biuf")  # the kinds of NumPy's types that are numbers
DATES = date, time, timedelta, np.datetime64, np.timedelta64  # numbers only in some unit, which Python chooses

_INTEGER = re.compile(r"\s*([-+]?)0*([0-9]+)\s*")
_MOST_DIGITS = 309  # of an integer that is not beyond the largest float64
# What a text holds if a number in it may be so small that it becomes zero. They begin with letters, to be found fast.
_TINY = (re.compile(rb"e-0*(?:[3-9][0-9]{2}|[1-9][0-9]{3})"), re.compile(rb"E-0*(?:[3-9][0-9]{2}|[1-9][0-9]{3})"))


@dataclass(frozen=True)
class Rounded:
    """Numbers that float64 does not hold: where the first one is, what it is, and how many there are."""

    place: str
    value: str  # as it was given
    count: int = 1

    def __str__(self) -> str:
        others = f" (the first of {self.count:,} such numbers)" if self.count > 1 else ""
        return f"{self.place}: float64 does not hold {self.value}{others}"

    def refuse(self) -> NoReturn:
        raise ValueError(
            f"{self}, and what is proved must be proved of the number itself. Leave the column out if it is a name; "
            "if it is a quantity, round it first: np.float64(x), or a decimal point in a text"
        )

    def warn(self) -> None:
        """Tell whoever called the library."""
        frame, depth = inspect.currentframe(), 1
        while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] == __package__:
            frame, depth = frame.f_back, depth + 1
        warnings.warn(f"{self}; the nearest number that it holds is taken", UserWarning, depth)


def joined(first: Rounded | None, then: Rounded | None) -> Rounded | None:
    """Two as one, in this order."""
    if first is None or then is None:
        return first or then
    return replace(first, count=first.count + then.count)


class TooLargeError(ValueError):
    """A number beyond the largest float64."""

    def __init__(self, place: str, value: str) -> None:
        super().__init__(f"{place}: {value} is too large for float64, and every value must be a finite number")


def _no_number(place: str, value: Any) -> ValueError:
    """For a date or a duration: a number only in a unit, and in which one it does not say."""
    return ValueError(
        f"{place}: {shown(value)} is a date or a duration, and no number. Make numbers of such a column t first, "
        "seconds for example: (t - t.min()) / np.timedelta64(1, 's')"
    )


# One number ------------------------------------------------------------------------------------------------------


def nearest(value: Any) -> tuple[float, bool]:
    """The float64 nearest to a number, and whether the number is kept; infinite and not kept if it is too large.

    >>> nearest(2**60), nearest(2**53 + 1), nearest(10**400)
    ((1.152921504606847e+18, True), (9007199254740992.0, False), (inf, False))
    >>> nearest(Decimal("0.1")), nearest(Fraction(1, 10)), nearest("0.1")
    ((0.1, True), (0.1, False), (0.1, True))
    """
    if isinstance(value, str | bytes):
        return nearest_to_text(value if isinstance(value, str) else value.decode())
    if isinstance(value, Decimal):
        return _nearest_to_decimal(value)
    if isinstance(value, np.ndarray) and value.ndim == 0:
        return nearest(value[()])  # the number that it holds, which compares as it should
    if isinstance(value, DATES):
        raise TypeError(f"{value!r} is a date or a duration, and no number")
    try:
        found = float(value)
    except OverflowError:
        return (math.inf if value > 0 else -math.inf), False
    return found, found != found or _is(value, found)


def _is(value: Any, found: float) -> bool:
    """Whether a number is this float, and not only near it."""
    if isinstance(value, Integral):
        return int(value) == found
    if isinstance(value, Rational):
        return Fraction(int(value.numerator), int(value.denominator)) == found
    try:
        return operator.index(value) == found  # an integer of another library, which may compare as floats do
    except TypeError:
        pass
    try:
        return bool(value == found)
    except (TypeError, ValueError):
        return False


def nearest_to_text(text: str) -> tuple[float, bool]:
    """The float64 nearest to a number as it is written, and whether nothing of that number is lost.

    A number with neither point nor exponent is an integer, and must be held exactly. Any other stands for the nearest
    float64, and is lost only if it becomes zero or infinite.

    >>> nearest_to_text("9007199254740993"), nearest_to_text("9007199254740993.0"), nearest_to_text("1e-400")
    ((9007199254740992.0, False), (9007199254740992.0, True), (0.0, False))
    >>> nearest_to_text("9_007_199_254_740_993")
    (9007199254740992.0, False)
    """
    if "_" in text or not text.isascii():
        text = _in_ascii(text)
    whole = _INTEGER.fullmatch(text)
    if whole is None:
        return _nearest_to_point(text)
    sign, digits = whole.groups()
    negative = sign == "-"
    if len(digits) > _MOST_DIGITS:
        return (-math.inf if negative else math.inf), False
    found, kept = nearest(int(digits))
    return (-found if negative else found), kept


def _in_ascii(text: str) -> str:
    """Without what `float` takes beside the digits of ASCII: those of other scripts, and underscores between digits."""
    float(text)  # else an error: an underscore may not be anywhere
    return "".join(str(unicodedata.decimal(sign)) if sign.isdecimal() else sign for sign in text.replace("_", ""))


def _nearest_to_point(text: str) -> tuple[float, bool]:
    """The float64 nearest to a number with a point or an exponent, or to "inf" or "nan"; and whether it is not lost."""
    found = float(text)
    if found != 0 and not math.isinf(found):
        return found, True
    digits = re.split("[eE]", text)[0]
    if found == 0:
        return found, not re.search("[1-9]", digits)
    return found, not re.search("[0-9]", digits)


def _nearest_to_decimal(value: Decimal) -> tuple[float, bool]:
    """A Decimal has a fraction or an exponent, as a text has, or it is an integer."""
    found = float(value)
    if not value.is_finite():
        return found, True
    exponent = value.as_tuple().exponent
    assert isinstance(exponent, int)
    if exponent <= 0 and not math.isinf(found) and value == value.to_integral_value():
        return found, int(value) == found
    return found, not value or (found != 0 and not math.isinf(found))


def may_vanish(text: bytes) -> bool:
    """Whether a number in this text may be so small that it becomes zero."""
    return any(tiny.search(text) for tiny in _TINY) or b"0" * 300 in text


def is_missing(value: Any) -> bool:
    """None, or what is not equal to itself: NaN; and the NA of pandas, which does not say."""
    if value is None:
        return True
    try:
        return not bool(value == value)
    except (TypeError, ValueError):
        return type(value).__name__ == "NAType"


def shown(value: Any) -> str:
    """A number for a message."""
    try:
        text = str(value)
    except ValueError:  # an int of more digits than Python writes
        return "a huge integer"
    return text if len(text) <= 60 else f"{text[:30]}... ({len(text):,} characters)"


# Arrays ----------------------------------------------------------------------------------------------------------

Place = Callable[[int], str]  # where the k-th number is, row by row


class Lost(NamedTuple):
    """The numbers of an array that are not kept: the first, which is the k-th, and how many there are."""

    k: int
    value: str
    many: int


def floats(array: NDArray[Any], place: Place) -> tuple[NDArray[Any], Lost | None]:
    """The numbers in a type that converts to float64 as they should, and which of them are not kept.

    An array that has such a type is returned as it is, and so is one that does not hold numbers, unless NumPy would
    make numbers of it all the same.
    """
    if array.dtype.char in PLAIN or not array.size:
        return array, None
    if array.dtype.kind in "iu":
        return array, _first(array, _lost_integers(array))
    if array.dtype.kind == "f":
        return _narrowed(array, place)
    if array.dtype.kind in "OUST":
        return _one_by_one(array, place)
    if array.dtype.kind in "mM":
        raise _no_number(place(0), array.reshape(-1)[0])
    if array.dtype.kind == "V":
        raise ValueError(f"{place(0)}: {array.dtype} is a record, and no number. Give each field a column of its own")
    return array, None


def _lost_integers(array: NDArray[Any]) -> NDArray[np.bool_] | None:
    if int(array.min()) >= -EXACT and int(array.max()) <= EXACT:
        return None
    size = np.abs(array).astype(np.uint64, copy=False)  # the smallest int64 stays what it is, which is 2^63
    # m 2^k with m odd is held if m < 2^53: if the lowest bit, 2^k, is more than size / 2^53.
    lowest = np.maximum(size & (~size + np.uint64(1)), np.uint64(1))
    lost: NDArray[np.bool_] = (size >> np.uint64(53)) >= lowest
    return lost


def _narrowed(array: NDArray[Any], place: Place) -> tuple[NDArray[np.float64], Lost | None]:
    """From longdouble."""
    with np.errstate(over="ignore", under="ignore"):
        found = array.astype(np.float64)
    infinite = np.isinf(found) & ~np.isinf(array)
    if infinite.any():
        first = int(np.argmax(infinite))
        raise TooLargeError(place(first), shown(array.reshape(-1)[first]))
    return found, _first(array, (found != array) & ~np.isnan(found))


def _one_by_one(array: NDArray[Any], place: Place) -> tuple[NDArray[Any], Lost | None]:
    found, lost = np.empty(array.size), np.zeros(array.size, dtype=np.bool_)
    for k, value in enumerate(array.reshape(-1).tolist()):
        if is_missing(value):
            found[k] = math.nan
            continue
        try:
            number, kept = nearest(value)
        except (TypeError, ValueError):
            if isinstance(value, DATES):
                raise _no_number(place(k), value) from None
            return array, None
        if math.isinf(number) and not kept:
            raise TooLargeError(place(k), shown(value))
        found[k], lost[k] = number, not kept
    return found.reshape(array.shape), _first(array, lost)


def _first(array: NDArray[Any], lost: NDArray[np.bool_] | None) -> Lost | None:
    if lost is None or not lost.any():
        return None
    k = int(np.argmax(lost))
    return Lost(k, shown(array.reshape(-1)[k]), int(np.count_nonzero(lost)))


def _told(array: NDArray[Any], place: Place) -> tuple[NDArray[Any], Rounded | None]:
    """`floats`, in words."""
    found, lost = floats(array, place)
    return found, None if lost is None else Rounded(place(lost.k), lost.value, lost.many)


# Matrices --------------------------------------------------------------------------------------------------------


def matrix(X: Any) -> tuple[Any, Rounded | None]:
    """X as an array, or as a CSR matrix in order and without duplicates, for `floats`; and what is not kept of it.

    What needs no change is returned as it is, and so is what is no matrix of numbers: whoever reads it next says so.
    """
    if hasattr(X, "tocoo"):
        return _sparse(X)
    if is_frame(X):
        return _frame(X)
    return _array(_as_array(X))


def is_numbers(found: Any) -> bool:
    """Whether what `matrix` found is a matrix of numbers."""
    kind = getattr(getattr(found, "dtype", None), "kind", None)
    return kind in NUMBERS and len(found.shape) == 2


def exact_matrix(X: Any) -> Any:
    """X as floats, if it is a matrix of numbers and all of them are kept; else an error."""
    found, rounded = matrix(X)
    if rounded is not None:
        rounded.refuse()
    if not is_numbers(found):
        raise ValueError("X is not a matrix of numbers")
    return found


def unpacked(examples: Any) -> Any:
    """A pair X, y; that of examples from a file, if every number that was read is kept; else an error."""
    if not hasattr(examples, "rounded"):
        return examples
    if examples.rounded is not None:
        examples.rounded.refuse()
    return examples.X, examples.y


def vector(x: Any) -> tuple[NDArray[Any], Rounded | None]:
    """One example as floats, and what of it was rounded."""
    return _told(_as_array(x, "x"), lambda k: f"x, column {k}")


def _array(array: NDArray[Any]) -> tuple[NDArray[Any], Rounded | None]:
    def place(k: int) -> str:
        row, column = divmod(k, array.shape[1])
        return f"row {row}, column {column}"

    return _told(array, place) if array.ndim == 2 else (array, None)


def _as_array(X: Any, name: str = "X") -> NDArray[Any]:
    if hasattr(X, "__array__"):
        return np.asarray(unmasked(X, name))
    return _listed(X, name)


def _listed(X: Any, name: str) -> NDArray[Any]:
    """A nested list, or what NumPy takes for one, as an array.

    It is one of objects where NumPy would make floats of large integers, or text of numbers, without a word.
    """
    array = np.asarray(X)
    if array.ndim > 1 and hasattr(X, "__getitem__") and not isinstance(X, memoryview):
        for row in range(len(array)):
            unmasked(X[row], f"{name}[{row}]")
    kind = array.dtype.kind
    if kind in "US" or (kind == "f" and array.size and not np.abs(array).max() < EXACT):
        return np.asarray(X, dtype=object)
    return array


def unmasked(array: Any, name: str) -> Any:
    """An array, or whatever it is, if nothing in it is masked; else an error. Others do not look at the mask."""
    if not isinstance(array, np.ma.MaskedArray) or not np.ma.is_masked(array):
        return array
    place = np.argwhere(np.ma.getmaskarray(array))[0].tolist()
    where = f"row {place[0]}, column {place[1]}" if name == "X" and len(place) == 2 else f"{name}{place}"
    raise ValueError(
        f"{where} is masked, so there is no value: leave such rows out, or fill them in, with filled(0) say"
    )


# Frames ----------------------------------------------------------------------------------------------------------


def is_frame(X: Any) -> bool:
    """A frame of pandas or polars, or a table of Arrow."""
    return hasattr(X, "columns") and any(hasattr(X, name) for name in ("iloc", "get_columns", "column_names"))


def _frame(X: Any) -> tuple[Any, Rounded | None]:
    if hasattr(X, "iloc"):
        return _pandas(X)
    if hasattr(X, "get_columns"):
        return _stacked(X, X.columns, [_polars_column(column) for column in X.get_columns()])
    return _stacked(X, X.column_names, [arrow_column(column) for column in X.columns])


def _pandas(X: Any) -> tuple[Any, Rounded | None]:
    types = list(X.dtypes)
    if types and all(hasattr(kind, "fill_value") and kind.fill_value == 0 for kind in types):
        return _sparse_pandas(X)
    if types and all(isinstance(kind, np.dtype) for kind in types):
        common = np.result_type(*types) if all(kind.kind in NUMBERS for kind in types) else types[0]
        if all(kind.char in PLAIN for kind in types) or set(types) == {common}:
            return _stacked(X, list(X.columns), [X.to_numpy(dtype=common)])
    return _stacked(X, list(X.columns), [_pandas_column(X.iloc[:, place]) for place in range(X.shape[1])])


def _stacked(X: Any, names: list[Any], parts: list[NDArray[Any]]) -> tuple[Any, Rounded | None]:
    """Columns, or all of them as one array, beside each other; X itself where some hold no numbers."""
    rounded: Rounded | None = None
    found: list[NDArray[Any]] = []
    for first, part in enumerate(parts):

        def place(k: int, first: int = first, wide: bool = part.ndim == 2) -> str:
            row, column = divmod(k, len(names)) if wide else (k, first)
            return f"row {row}, column {column} ({names[column]!r})"

        numbers, told = _told(part, place)
        if numbers.dtype.kind not in NUMBERS:
            return X, None
        found.append(numbers)
        rounded = joined(rounded, told)
    if len(found) == 1 and found[0].ndim == 2:
        return found[0], rounded
    common = np.result_type(*(part.dtype for part in found)) if found else np.float64
    safe = common if all(part.dtype == common or part.dtype.char in PLAIN for part in found) else np.float64
    return np.column_stack([part.astype(safe, copy=False) for part in found]) if found else X, rounded


def _pandas_column(column: Any) -> NDArray[Any]:
    kind = np.dtype(getattr(column.dtype, "numpy_dtype", object))
    if isinstance(column.dtype, np.dtype) or kind.kind not in NUMBERS:
        return np.asarray(column)
    filled = column.array.fillna(kind.type(0)).to_numpy(dtype=kind)
    return _with_gaps(filled, np.asarray(column.isna(), dtype=np.bool_))


def _polars_column(column: Any) -> NDArray[Any]:
    kind = column.dtype
    if kind.is_decimal() or not (kind.is_numeric() or str(kind) == "Boolean"):
        return _objects(column.to_list())
    filled = column.fill_null(strategy="zero") if kind.is_numeric() else column.fill_null(False)
    return _with_gaps(filled.to_numpy(), column.is_null().to_numpy())


def arrow_column(column: Any) -> NDArray[Any]:
    """A column of Arrow as an array for `floats`."""
    kind = str(column.type)
    if not kind.startswith(("int", "uint", "float", "double", "halffloat", "bool")):
        return _objects(column.to_pylist())
    filled = column.fill_null(False if kind == "bool" else 0)
    return _with_gaps(np.asarray(filled), np.asarray(column.is_null()))


def _objects(values: list[Any]) -> NDArray[np.object_]:
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def _with_gaps(values: NDArray[Any], absent: NDArray[np.bool_]) -> NDArray[Any]:
    """NaN where a number is missing."""
    if not absent.any():
        return values
    if values.dtype.char in PLAIN:
        return np.where(absent, np.nan, values)
    gaps = values.astype(object)
    gaps[absent] = None
    return gaps


def _sparse_pandas(X: Any) -> tuple[Any, Rounded | None]:
    """A frame of sparse columns becomes a sparse matrix; what each of them stores is looked at before."""
    rounded: Rounded | None = None
    for column, name in enumerate(X.columns):
        stored = X.iloc[:, column].array

        def place(k: int, rows: Any = stored.sp_index.indices, column: int = column, name: Any = name) -> str:
            return f"row {rows[k]}, column {column} ({name!r})"

        rounded = joined(rounded, _told(stored.sp_values, place)[1])
    return _sparse(X.sparse.to_coo())[0], rounded


# Sparse matrices -------------------------------------------------------------------------------------------------


class Entries(NamedTuple):
    """What a sparse matrix stores."""

    rows: NDArray[Any]
    columns: NDArray[Any]
    values: NDArray[Any]


def _sparse(X: Any) -> tuple[Any, Rounded | None]:
    if len(X.shape) != 2:
        return X, None
    check_ends(X)
    ordered = X.format == "csr" and in_order(X.indices, X.indptr)
    if ordered and X.data.dtype.char in PLAIN:
        return X, None
    entries = _entries(X)

    def place(k: int) -> str:
        return f"row {entries.rows[k]}, column {entries.columns[k]}"

    values, rounded = _told(entries.values, place)
    if values.dtype.kind not in NUMBERS or (ordered and values is entries.values):
        return X, rounded
    if ordered:
        parts: Any = values, entries.columns, X.indptr
    else:
        *parts, twice = _summed(entries._replace(values=values), *X.shape)
        rounded = joined(rounded, twice)
    kind = type(type(X)((1, 1)).tocsr())
    return kind(tuple(parts), shape=X.shape), rounded


def check_ends(X: Any) -> None:
    """An error for a sparse matrix whose rows, or columns, are not where it says: each would read another matrix."""
    if X.format not in ("csr", "csc", "bsr"):
        return
    ends = X.indptr
    along = X.shape[-1] if X.format == "csc" else X.shape[0] if len(X.shape) == 2 else 1
    high = X.blocksize[0] if X.format == "bsr" else 1
    leads = len(ends) == along // high + 1 and ends[0] == 0 and bool(np.all(ends[:-1] <= ends[1:]))
    if not leads or ends[-1] > min(len(X.data), len(X.indices)):
        raise ValueError(
            "X is a damaged sparse matrix: its indptr does not lead through its entries, from the first one on. "
            "Make it again, from a dense array or from rows, columns and values"
        )


def _entries(X: Any) -> Entries:
    """Row by row where X is in rows; nothing is added up."""
    if X.format in ("csr", "csc"):
        along = np.repeat(np.arange(len(X.indptr) - 1), np.diff(X.indptr))
        across, values = X.indices[: len(along)], X.data[: len(along)]
        found = Entries(along, across, values) if X.format == "csr" else Entries(across, along, values)
    else:
        X = X.tocoo()
        found = Entries(X.row, X.col, X.data)
    inside = len(found.rows) == len(found.columns) == len(found.values) and all(
        len(places) == 0 or 0 <= places.min() <= places.max() < size
        for places, size in zip(found[:2], X.shape, strict=True)
    )
    if not inside:
        raise ValueError("X is a damaged sparse matrix: it stores entries outside its rows and columns")
    return found


def in_order(indices: NDArray[Any], indptr: NDArray[Any]) -> bool:
    """Whether the columns of every row ascend, so that none is there twice. What it says of itself may be false."""
    stored = int(indptr[-1])
    for start in range(1, stored, PART):
        stop = min(start + PART, stored)
        falls = indices[start:stop] <= indices[start - 1 : stop - 1]
        begins = indptr[(indptr >= start) & (indptr < stop)]
        falls[begins - start] = False  # where a row begins they may fall
        if falls.any():
            return False
    return True


def _summed(entries: Entries, n: int, d: int) -> tuple[Any, Any, Any, Rounded | None]:
    """The parts of a CSR matrix. Entries of one cell are added up as numbers, exactly, or it is told where not."""
    order = np.lexsort((entries.columns, entries.rows))
    rows, columns, values = (part[order] for part in entries)
    first = np.ones(len(rows), dtype=np.bool_)
    first[1:] = (rows[1:] != rows[:-1]) | (columns[1:] != columns[:-1])
    starts = np.flatnonzero(first)
    rounded: Rounded | None = None
    if len(starts) < len(rows):
        values = values.astype(np.float64)
        rows, columns, (values, rounded) = rows[starts], columns[starts], _sums(values, starts, rows, columns)
    # Of 32 bits where they fit, as those of a CSR matrix are: what reads them is compiled for either type.
    index = np.int32 if max(len(rows), d) < 2**31 else np.int64
    ends = np.searchsorted(rows, np.arange(n + 1))
    return values, columns.astype(index, copy=False), ends.astype(index), rounded


def _sums(values: NDArray[np.float64], starts: Any, rows: Any, columns: Any) -> tuple[Any, Rounded | None]:
    """The sum of each group of entries, correctly rounded, and where it had to be."""
    sizes = np.diff(np.append(starts, len(values)))
    sums, rounded = values[starts], None
    for k in np.flatnonzero(sizes > 1).tolist():
        start, group = starts[k], values[starts[k] : starts[k] + sizes[k]].tolist()
        place = f"row {rows[start]}, column {columns[start]}"
        what = f"the sum of the {sizes[k]} entries that are stored there"
        if not all(map(math.isfinite, group)):
            sums[k] = math.nan
            continue
        exact = sum(map(Fraction, group), Fraction(0))
        sums[k], kept = nearest(exact)
        if math.isinf(sums[k]):
            raise TooLargeError(place, what)
        if not kept:
            rounded = joined(rounded, Rounded(place, what))
    return sums, rounded
