"""The verdicts on many classes, each against the rest, as a table."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from novikoff.certificates.certificate import NotSeparable, Separable, Undecided, Verdict
from novikoff.certificates.soft_margin import SoftMargin
from novikoff.views import Html, bracket, card, grid
from novikoff.words import between, counted, listed

FEW = 3  # labels that a short text names
COLUMNS = ("label", "verdict", "best margin", "mistakes of a Perceptron", "rows that prove it")
SOFT = ("label", "verdict", "optimum", "wrong or within the margin", "rows that prove it")


class Verdicts(Mapping[Any, Verdict | SoftMargin]):
    """What `certify` says of many classes: for every label its verdict against all others, as in a dict.

    ``print(verdicts)`` shows a table, ``verdicts[label]`` is the proof of one label.

    Examples
    --------
    >>> import novikoff as nk
    >>> verdicts = nk.certify([[0], [1], [2]], ["a", "b", "c"])
    >>> print(verdicts)
    3 rows; each of 3 labels against all others, with the constant coordinate 1:
    label  verdict        best margin  mistakes of a Perceptron  rows that prove it
    'a'    separable      0.447214     at most 25                2
    'b'    not separable  none         no bound                  3
    'c'    separable      0.27735      at most 65                2
    >>> [label for label, proof in verdicts.items() if proof.verdict == "separable"]
    ['a', 'c']
    """

    def __init__(self, proofs: Mapping[Any, Verdict | SoftMargin]) -> None:
        self._proofs: dict[Any, Verdict | SoftMargin] = dict(proofs)

    def __getitem__(self, label: Any) -> Verdict | SoftMargin:
        return self._proofs[label]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._proofs)

    def __len__(self) -> int:
        return len(self._proofs)

    def __repr__(self) -> str:
        by_verdict: dict[str, list[str]] = {}
        for label, proof in self.items():
            by_verdict.setdefault(proof.verdict, []).append(shown(label))
        parts = (f"{len(labels):,} {verdict} ({_few(labels)})" for verdict, labels in by_verdict.items())
        return f"<Verdicts: {counted(len(self), 'label')}, each against all others: {', '.join(parts)}>"

    def __str__(self) -> str:
        return table(self._about(), self._columns(), self._lines())

    def _repr_html_(self) -> str:
        return pictured("Verdicts", self._about(), self._columns(), self._lines(), self.values())

    def _columns(self) -> tuple[str, ...]:
        return SOFT if any(_objective(proof) for proof in self.values()) else COLUMNS

    def _about(self) -> str:
        """What was asked."""
        about = next(iter(self.values())).about
        return f"{counted(about.n, 'row')}; each of {len(self):,} labels against all others, {about.coordinate}"

    def _lines(self) -> list[tuple[str, ...]]:
        return [(shown(label), _verdict(proof), *numbers(proof)) for label, proof in self.items()]


def _verdict(proof: Verdict | SoftMargin) -> str:
    """With quasi-complete separation or overlap, where it was asked."""
    if isinstance(proof, NotSeparable) and proof.separation is not None:
        return f"{proof.verdict}, {proof.separation}"
    return proof.verdict


def table(about: str, columns: tuple[str, ...], lines: list[tuple[str, ...]]) -> str:
    """In columns as wide as they need."""
    rows = [columns, *lines]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    cells = ("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) for line in rows)
    return "\n".join([f"{about}:", *(line.rstrip() for line in cells)])


def pictured(
    title: str,
    about: str,
    columns: tuple[str, ...],
    lines: list[tuple[str, ...]],
    proofs: Collection[Verdict | SoftMargin],
) -> str:
    """The table as a card, with a picture of each margin."""
    margins = [proof.margin for proof in proofs if not isinstance(proof, SoftMargin)]
    ends = [end for margin in margins for end in margin if math.isfinite(end)]
    top = 1.08 * max(ends, default=0.0) or 1.0
    rows = (
        (label, verdict, _picture(proof, top), *numbers)
        for proof, (label, verdict, *numbers) in zip(proofs, lines, strict=True)
    )
    return card(title, about, grid((columns[0], "verdict", "", *columns[2:]), rows))


def numbers(proof: Verdict | SoftMargin) -> tuple[str, str, str]:
    """The margin, the most mistakes, and how many rows prove it; or the optimum, and how many rows are wrong."""
    objective = _objective(proof)
    if objective is not None:
        ends = f"{objective[0]:.6g} to {objective[1]:.6g}"
        if isinstance(proof, SoftMargin):
            return ends, f"at least {proof.least_wrong():,}", f"{len(proof.rows):,}"
        return f"{ends} so far", "no bound", "none"
    if isinstance(proof, NotSeparable):
        return "none", "no bound", f"{len(proof.rows):,}"
    assert not isinstance(proof, SoftMargin)
    if isinstance(proof, Separable):
        most = proof.most_mistakes
        return between(proof.margin), "no bound" if most is None else f"at most {most:,}", f"{len(proof.rows):,}"
    return between(proof.margin), "no bound", "none"


def _picture(proof: Verdict | SoftMargin, top: float) -> Html:
    """The bracket of the best margin, on the scale of all labels."""
    if isinstance(proof, NotSeparable | SoftMargin) or _objective(proof) is not None:
        return Html()
    return bracket(*proof.margin, width=120, top=top, words=False)


def _objective(proof: Verdict | SoftMargin) -> tuple[float, float] | None:
    return proof.objective if isinstance(proof, SoftMargin | Undecided) else None


def shown(label: Any) -> str:
    text = repr(label)
    return text if len(text) <= 40 else f"{text[:37]}..."


def _few(labels: list[str]) -> str:
    more = len(labels) - FEW
    return listed(labels) if more <= 1 else listed([*labels[:FEW], f"{more:,} more"])
