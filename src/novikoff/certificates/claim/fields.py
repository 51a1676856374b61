"""The fields of a certificate that kinds have in common: numbers, labels, combinations of rows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

Label = str | bool | int | float

ORIGIN = "through the origin"

FLOAT_HEX = re.compile(r"0x[01]\.[0-9a-f]{1,13}p[+-]([0-9]{1,3}|10[01][0-9]|102[0-3])")
ZERO_HEX = "0x0.0p+0"
LARGEST_FILE = 2**28  # bytes
LARGEST_FLOAT = 2**1024 - 2**971
SAFE = 2**53  # JSON readers agree on smaller integers


class InvalidCertificate(ValueError):  # noqa: N818  # it reads better without Error
    """The certificate does not prove what it says about these data."""

    __module__ = "novikoff.certificates.claim"  # as tracebacks name it


def require(holds: object, sentence: str) -> None:
    """What is not so, as the sentence says, refuses the certificate."""
    if not holds:
        raise InvalidCertificate(sentence)


# Labels --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Sides:
    """Which label has the sign +1, and which have -1."""

    positive: Label
    against: tuple[Label, ...] | None  # None: format 1, which does not name them


def is_label(label: Any) -> bool:
    """Can a certificate name it?"""
    number = type(label) in (int, float) and abs(label) < 2**1024
    return number or type(label) in (str, bool)


def sides(positive: Any, against: Any) -> Sides:
    require(is_label(positive), "its positive label is not text, a bool or a finite number")
    others = tuple(against) if type(against) is list else (against,)
    require(all(map(is_label, others)), "its other labels are not text, bools or finite numbers")
    require(type(against) is not list or len(others) > 1, "its list of other labels does not hold two of them")
    require(len({positive, *others}) == 1 + len(others), "it names a label twice")
    return Sides(positive, others)


def sides_of_format_1(positive: Any) -> Sides:
    require(is_label(positive), "its positive label is not text, a bool or a finite number")
    return Sides(positive, None)


# Rows ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Combination:
    """Rows, in increasing order, and the positive integer p that each of them is multiplied by."""

    rows: Sequence[int]
    weights: Sequence[int]


def combination(value: Any, n: int, d: int, most: int) -> Combination:
    """Of at most so many of the n rows."""
    good = type(value) is dict and value.keys() == {"rows", "weights"}
    require(good, "its combination is not rows and weights")
    rows = value["rows"]
    good = type(rows) is list and all(type(i) is int and 0 <= i < n for i in rows)
    require(good, "a row of its combination is not in X")
    good = rows == sorted(set(rows)) and 0 < len(rows) <= most
    require(good, f"the rows of its combination are not 1 to {most} in increasing order")
    weights = integers(value["weights"], len(rows), d, "the weights of its combination are")
    require(min(weights) > 0, "the weight of one of its rows is not positive")
    return Combination(rows, weights)


# Numbers -------------------------------------------------------------------------------------------


def is_count(x: Any) -> bool:
    return type(x) is int and 0 <= x < 2**63


def constant(text: Any) -> float:
    """c > 0; or 0, through the origin."""
    if text == ORIGIN:
        return 0.0
    require(is_positive_hex(text), f"its constant is not a float.hex() > 0, nor {ORIGIN!r}")
    return float.fromhex(text)


def is_positive_hex(text: Any) -> bool:
    """Is this a float64 > 0, as `float.hex` writes it?"""
    good = type(text) is str and FLOAT_HEX.fullmatch(text) is not None
    return good and float.fromhex(text).hex() == text != ZERO_HEX


def positive_float(x: Any, name: str) -> float:
    """A float64 > 0; one without a fraction may be written as an integer."""
    good = type(x) in (int, float) and 0 < x <= LARGEST_FLOAT and float(x) == x
    require(good, f"its {name} is not a float64 > 0")
    return float(x)


def integers(values: Any, count: int, d: int, what: str) -> list[int]:
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
