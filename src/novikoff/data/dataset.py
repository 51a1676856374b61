"""Examples as a reader hands them over."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from novikoff import float64
from novikoff.data.account import Account, account_of
from novikoff.data.columns import Column
from novikoff.data.dialect import Dialect
from novikoff.data.options import Reading
from novikoff.engine.rows import Rows
from novikoff.examples import Examples, distinct
from novikoff.views import card, facts, tag
from novikoff.words import listed

NAMED = 12  # columns that a card names


class Skipped(NamedTuple):
    """A malformed line that was left out."""

    path: str
    line: int
    column: int
    message: str

    def __str__(self) -> str:
        return f"{self.path}, line {self.line}, column {self.column}: {self.message}"


@dataclass(frozen=True, eq=False, repr=False)
class Dataset(Examples):
    """Examples from a file: ``X, y = ds`` unpacks them, ``print(ds)`` describes them in a line.

    X is a C-contiguous float array or a CSR array, y the labels (None if the file has none), ``names`` those of the
    columns, ``weights`` the importance of each example and ``tags`` its name (None where the file states none).
    ``rounded`` tells which numbers of the file float64 does not hold (None if it holds them all): learners warn of
    them, and so does unpacking, after which X alone is left; `certify` and `verify` refuse. So give them the Dataset:
    ``ds.X`` holds the nearest float64, and of ``certify(ds.X, ds.y)`` nobody can tell that it is about these.
    ``account`` tells what was read, column by column, with warnings where something looks as if it named the rows.
    ``record`` is what a certificate records of that: the options that were given, what they did, and the columns
    (None if there is nothing to say, or these are not all the rows of the file).
    """

    tags: list[str] | None = None
    reading: Reading = field(default_factory=Reading)  # how the file was read, the detected options filled in
    bad: tuple[Skipped, ...] = ()  # the lines that were left out
    filled: int = 0  # the values that are missing in the file, and were filled in as `reading.missing` says
    dialect: Dialect | None = None  # how the table is written, as it was found; of several files, the last one
    columns: tuple[Column, ...] = ()  # those of the file, where it is a table
    label_given: bool = True  # whether the reader was told where the labels are

    def __len__(self) -> int:
        return int(self.X.shape[0])

    def __iter__(self) -> Iterator[Any]:
        if self.rounded is not None:  # of which X alone knows nothing
            self.rounded.warn()
        return iter((self.X, self.y))

    @cached_property
    def digest(self) -> str | None:
        """The digest of a certificate about these rows, with the second of the two labels as +; else None."""
        labels = np.empty(0) if self.y is None else distinct(self.y)
        if len(labels) != 2:
            return None
        signs = np.where(self.y == labels[1], np.int8(1), np.int8(-1))
        return Rows(float64.matrix(self.X)[0], signs, 0.0).digest()

    @cached_property
    def account(self) -> Account:
        """What was read."""
        return account_of(self)

    def __str__(self) -> str:
        return str(self.account)

    def __repr__(self) -> str:
        return f"<Dataset: {self}>"

    def _repr_html_(self) -> str:
        names = [] if self.names is None else [str(name) for name in self.names]
        more = len(names) - NAMED
        shown = [*names[:NAMED], f"{more:,} more"] if more > 0 else names
        careful = (tag("p", warning) for warning in self.account.warnings)
        return card("Dataset", "", tag("p", self), *careful, facts([("Features", listed(shown) if shown else "")]))
