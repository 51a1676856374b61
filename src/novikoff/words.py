"""Counts in words, as every sentence of the library says them; and options, as those say them who hear of them."""

from __future__ import annotations

import math
import shlex
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

ENDS_IN_A_HISS = ("s", "x", "ch", "sh")


def counted(count: int, noun: str) -> str:
    """A number of things.

    >>> counted(1, "mistake"), counted(2_000, "mistake"), counted(0, "pass")
    ('1 mistake', '2,000 mistakes', '0 passes')
    """
    return f"{count:,} {noun if count == 1 else plural(noun)}"


def plural(noun: str) -> str:
    """More than one of them.

    >>> plural("row"), plural("search")
    ('rows', 'searches')
    """
    return f"{noun}es" if noun.endswith(ENDS_IN_A_HISS) else f"{noun}s"


def agreeing(count: int, one: str, more: str) -> str:
    """The form of a verb for so many.

    >>> agreeing(1, "was", "were"), agreeing(2, "was", "were")
    ('was', 'were')
    """
    return one if count == 1 else more


def between(margin: tuple[float, float]) -> str:
    """What is known of the best margin, by its two ends; one of them, where both look the same.

    >>> between((0.5, 0.51)), between((0.5, 0.5)), between((-math.inf, 2.0)), between((0.5, math.inf))
    ('0.5 to 0.51', '0.5', 'at most 2', 'at least 0.5')
    """
    lower, upper = (f"{end:.6g}" for end in margin)
    if not margin[0] > 0:
        return f"at most {upper}" if math.isfinite(margin[1]) else "not known"
    if not math.isfinite(margin[1]):
        return f"at least {lower}"
    return lower if lower == upper else f"{lower} to {upper}"


def listed(items: Sequence[str]) -> str:
    """All of them in a sentence.

    >>> listed(["a"]), listed(["a", "b"]), listed(["a", "b", "c"])
    ('a', 'a and b', 'a, b and c')
    """
    *most, last = items
    return f"{', '.join(most)} and {last}" if most else last


def column_name(name: str | int) -> str:
    """A column of a file in a sentence: by its name, or, where it has none, by its number, from 1.

    >>> column_name("age"), column_name(0)
    ('age', 'column 1')
    """
    if isinstance(name, int):
        return f"column {name + 1}"
    return name if name.isprintable() and 0 < len(name) <= 60 else repr(name[:60])


def skipped(lines: int) -> str:
    return f"{counted(lines, 'line')} {agreeing(lines, 'was', 'were')} skipped"


def filled_in(values: int, missing: str) -> str:
    """``missing`` is the rule by which it was done, "zero" or "column"."""
    marked = ", with a 1 in a column of its own" if missing == "column" else ""
    return f"{counted(values, 'missing value')} {agreeing(values, 'was', 'were')} filled in with 0{marked}"


# Options -------------------------------------------------------------------------------------------

_flags: Collection[str] | None = None  # of a shell: the options that have a flag there; None: somebody writes Python


@contextmanager
def in_a_shell(flags: Collection[str]) -> Iterator[None]:
    """Options are said as a shell takes them, some by a flag of their own and all others by ``-r NAME=VALUE``.

    It holds for all threads: those that parse find the faults.
    """
    global _flags
    before, _flags = _flags, flags
    try:
        yield
    finally:
        _flags = before


def said(name: str, value: Any) -> str:
    """An option with its value, as whoever hears it would give it.

    >>> said("label", "kind"), said("categorical", ["zip", "job"])
    ("label='kind'", "categorical=['zip', 'job']")
    >>> with in_a_shell({"label"}):
    ...     said("label", "the kind"), said("categorical", ["zip", "job"]), said("header", False)
    ("--label 'the kind'", '-r categorical=zip,job', '-r header=false')
    >>> with in_a_shell({"drop"}):
    ...     print(said("drop", ["id", 3]), said("drop", ["a,b"]))
    --drop id,3 -r 'drop=['"'"'a,b'"'"']'
    """
    if _flags is None:
        return f"{name}={value!r}"
    if isinstance(value, list | tuple) and not all(map(_is_plain, value)):
        return f"-r {shlex.quote(f'{name}={list(value)!r}')}"
    text = _word(value)
    if name in _flags:
        return f"--{name.replace('_', '-')} {shlex.quote(text)}"
    return f"-r {shlex.quote(f'{name}={text}')}"


def setting(name: str, value: Any) -> str:
    """A parameter of a learner with its value, as whoever hears it would give it.

    >>> setting("max_iter", 5000), setting("scale", "ball")
    ('max_iter=5000', "scale='ball'")
    >>> with in_a_shell(()):
    ...     setting("max_iter", 5000), setting("shuffle", False)
    ('-s max_iter=5000', '-s shuffle=false')
    """
    return f"{name}={value!r}" if _flags is None else f"-s {shlex.quote(f'{name}={_word(value)}')}"


def told(python: str, shell: str) -> str:
    """What is said to somebody who writes Python, or to somebody in a shell.

    >>> told("certify(X, y) tells", "novikoff certify FILE tells")
    'certify(X, y) tells'
    """
    return python if _flags is None else shell


def _is_plain(column: Any) -> bool:
    """Whether it stays what it is among words with commas between them, where an integer is a position."""
    if not isinstance(column, str):
        return True
    return "," not in column and column.isprintable() and not column.removeprefix("-").isdigit() and column != ""


def _word(value: Any) -> str:
    """A value as one word of a shell."""
    text = ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
    text = text.lower() if isinstance(value, bool) else "null" if value is None else text
    return text if text.isprintable() else repr(text)[1:-1]  # nothing that a file holds writes to a terminal
