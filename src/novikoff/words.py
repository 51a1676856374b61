"""Counts in words, as every sentence of the library says them."""

from __future__ import annotations

from collections.abc import Sequence

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


def listed(items: Sequence[str]) -> str:
    """All of them in a sentence.

    >>> listed(["a"]), listed(["a", "b"]), listed(["a", "b", "c"])
    ('a', 'a and b', 'a, b and c')
    """
    *most, last = items
    return f"{', '.join(most)} and {last}" if most else last
