"""Tables in which a column holds the weight of each row, and is no feature."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from novikoff.data.arrays import relabelled
from novikoff.data.block import Block
from novikoff.data.columns import Column
from novikoff.data.dialect import Dialect
from novikoff.data.options import Reading
from novikoff.data.sources import Source
from novikoff.words import said

TABLES = ("csv", "tsv", "parquet", "arrow", "arff")


class Reader(Protocol):
    """Reads a format; what it has learned from one file holds for the next."""

    @property
    def names(self) -> list[str] | None: ...

    @property
    def width(self) -> int: ...

    @property
    def reading(self) -> Reading: ...

    @property
    def dialect(self) -> Dialect | None: ...

    @property
    def columns(self) -> tuple[Column, ...]:
        """Of a table, those of the file as they were read so far; of other formats none."""
        ...

    def blocks(self, source: Source) -> Iterator[Block]: ...


def with_weights_as_features(reading: Reading) -> Reading:
    """For the reader within: the column of the weights is one of numbers, and one of those that are asked for."""
    if reading.format not in TABLES:
        raise ValueError(
            f"{said('weight', reading.weight)} names a column of a table ({', '.join(TABLES)}); VW and JSON lines "
            "state the importance of an example themselves"
        )
    assert reading.weight is not None
    columns = None if reading.columns is None else (*reading.columns, reading.weight)
    features = None if reading.features is None else (*reading.features, reading.weight)
    return replace(reading, weight=None, columns=columns, features=features)


class WeighedReader:
    """A reader of tables, and the column that it takes out of them."""

    def __init__(self, within: Reader, given: Reading) -> None:
        self.within = within
        self._given = given

    @property
    def names(self) -> list[str] | None:
        names = self.within.names
        return None if names is None else [name for name in names if name != self._given.weight]

    @property
    def dialect(self) -> Dialect | None:
        return self.within.dialect

    @property
    def columns(self) -> tuple[Column, ...]:
        return tuple(map(self._without_weight, self.within.columns))

    def _without_weight(self, column: Column) -> Column:
        """As it is beside the features that are left when the weights are taken out of them."""
        if column.name == self._given.weight:
            return Column(column.name, "weight")
        return column._replace(feature=column.feature - (column.feature > self._place()))

    @property
    def width(self) -> int:
        return self.within.width - 1

    @property
    def reading(self) -> Reading:
        return replace(
            self.within.reading, weight=self._given.weight, columns=self._given.columns, features=self._given.features
        )

    def blocks(self, source: Source) -> Iterator[Block]:
        before = 0  # rows of the file
        for block in self.within.blocks(source):
            if block.X.shape[0]:
                X, weights = _taken_out(block.X, self._place())
                bad = np.flatnonzero(weights < 0)
                if len(bad):
                    raise ValueError(
                        f"{source.name}, example {before + bad[0] + 1}: the weight {weights[bad[0]]:g} is negative"
                    )
                before += len(weights)
                block = block._replace(X=X, weights=weights)
            yield block

    def _place(self) -> int:
        name, names = self._given.weight, self.within.names
        if names is None:
            raise ValueError(f"{said('weight', name)} is the name of a column, and the columns have none")
        if name not in names:
            label = self.within.reading.label
            why = "it holds the labels" if name == label else f"the columns are {', '.join(map(repr, names[:20]))}"
            raise ValueError(f"there is no column of numbers {name!r} for the weights: {why}")
        return names.index(name)


def _taken_out(X: Any, place: int) -> tuple[Any, NDArray[np.float64]]:
    """The other columns, and this one."""
    if sp.issparse(X):
        columns = X.indices - (X.indices > place)
        columns[X.indices == place] = -1
        return relabelled(X, columns, X.shape[1] - 1), X[:, [place]].toarray().ravel()
    return np.delete(X, place, axis=1), X[:, place].astype(np.float64)
