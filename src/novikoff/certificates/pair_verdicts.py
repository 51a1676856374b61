"""The verdicts on every pair of labels, as a table and as one file."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any

from novikoff.certificates.certificate import About, Separable, Undecided, Verdict, written
from novikoff.certificates.verdicts import numbers, pictured, shown, table
from novikoff.disk import atomic
from novikoff.words import counted, listed

KIND = "one-vs-one"
FEW = 3  # pairs that a sentence names
COLUMNS = ("pair", "verdict", "best margin", "mistakes of a Perceptron", "rows that prove it")


class PairVerdicts(Mapping[tuple[Any, Any], Verdict]):
    """What ``certify(X, y, multiclass="one-vs-one")`` says: for every pair of labels its verdict, as in a dict.

    A key is (a, b), a before b in the order of the labels, and its verdict is that of b (sign +1) against a, on the
    rows of these two; rows have the numbers that they have in X. ``save`` writes one file that proves them all.

    Examples
    --------
    >>> import novikoff as nk
    >>> verdicts = nk.certify([[0], [1], [2], [1]], ["a", "b", "c", "c"], multiclass="one-vs-one")
    >>> print(verdicts)
    4 rows; each of 3 pairs of labels, with the constant coordinate 1:
    pair          verdict        best margin  mistakes of a Perceptron  rows that prove it
    'a' and 'b'   separable      0.447214     at most 10                2
    'a' and 'c'   separable      0.447214     at most 25                2
    'b' and 'c'   not separable  none         no bound                  2
    >>> print(nk.verify(verdicts, [[0], [1], [2], [1]], ["a", "b", "c", "c"]).pairs[2].verdict)
    not separable
    """

    def __init__(self, about: About, verdicts: Mapping[tuple[Any, Any], Verdict]) -> None:
        self.about = about
        self._verdicts: dict[tuple[Any, Any], Verdict] = dict(verdicts)

    def __getitem__(self, pair: tuple[Any, Any]) -> Verdict:
        return self._verdicts[pair]

    def __iter__(self) -> Iterator[tuple[Any, Any]]:
        return iter(self._verdicts)

    def __len__(self) -> int:
        return len(self._verdicts)

    def to_json(self) -> str:
        """The certificate of all pairs: small, and checkable without this library (docs/certificate.md)."""
        undecided = [_named(pair) for pair, verdict in self.items() if isinstance(verdict, Undecided)]
        if undecided:
            more = [f"{len(undecided) - FEW:,} more"] if len(undecided) > FEW else []
            raise ValueError(
                f"{counted(len(undecided), 'pair')} of labels {'is' if len(undecided) == 1 else 'are'} undecided, and "
                f"proves nothing, so there is nothing to save or verify: {listed([*undecided[:FEW], *more])}"
            )
        return written(KIND, self.about, {"pairs": [verdict.of_a_pair() for verdict in self.values()]})

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the certificate of all pairs; nothing half-written is left behind."""
        atomic.write(path, [self.to_json().encode("utf-8")])

    def __repr__(self) -> str:
        separable = sum(isinstance(verdict, Separable) for verdict in self.values())
        undecided = sum(isinstance(verdict, Undecided) for verdict in self.values())
        parts = [f"{separable:,} separable", f"{len(self) - separable - undecided:,} not separable"]
        parts += [f"{undecided:,} undecided"] if undecided else []
        return f"<PairVerdicts: {counted(len(self), 'pair')} of {len(self.about.labels):,} labels: {', '.join(parts)}>"

    def __str__(self) -> str:
        return table(self._about(), COLUMNS, self._lines())

    def _repr_html_(self) -> str:
        return pictured("Verdicts on pairs", self._about(), COLUMNS, self._lines(), self.values())

    def _about(self) -> str:
        """What was asked."""
        return f"{counted(self.about.n, 'row')}; each of {len(self):,} pairs of labels, {self.about.coordinate}"

    def _lines(self) -> list[tuple[str, ...]]:
        return [(_named(pair), verdict.verdict, *numbers(verdict)) for pair, verdict in self.items()]


def _named(pair: tuple[Any, Any]) -> str:
    return f"{shown(pair[0])} and {shown(pair[1])}"
