"""Every pair of labels by itself: the rows of each class are read once, for all pairs that it is in."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from itertools import combinations, compress
from operator import mul
from typing import Any

import numpy as np

from novikoff.certificates.check import whole
from novikoff.certificates.check.classes import (
    NOTHING,
    Floats,
    Products,
    bottoms,
    products,
    surely_bounds,
    tops,
    vectors,
)
from novikoff.certificates.check.data import Data, ExactRows
from novikoff.certificates.check.filter import BEYOND
from novikoff.certificates.claim import Combination, OneVsOneClaim, require
from novikoff.certificates.claim.one_vs_one import Entries, Pair, SeparablePair
from novikoff.certificates.reference.rows import Row, product, square
from novikoff.certificates.reference.separability import bounds_every_margin, signs_balance, vanishes
from novikoff.certificates.verified import Verified, of_pairs, shown

PACE = 64  # rows that are looked at together, at least; no result depends on it


class _Sparse(dict[int, int]):
    """A vector by its coordinates; those that are not there are 0."""

    def __missing__(self, j: int) -> int:
        return 0


class _Task:
    """What is to be shown of one pair: of labels at places a < b, whose rows have the signs -1 and +1."""

    def __init__(self, pair: Pair, a: int, b: int) -> None:
        self.pair, self.a, self.b = pair, a, b
        separable = isinstance(pair, SeparablePair)
        self.entries: Entries | None = pair.separator if isinstance(pair, SeparablePair) else pair.weak
        self.floats = Floats.of(self.entries.columns, self.entries.weights) if self.entries else NOTHING
        self.closest = pair.closest if isinstance(pair, SeparablePair) else None
        self.least = Fraction(0)  # of y<w,x>
        self.most = Fraction(pair.radius) ** 2 if isinstance(pair, SeparablePair) else BEYOND
        self.limit = "that of the closest" if separable else "0"
        self.some = False  # is y<w,x> > 0 on some row?
        self.name = f"of {shown(pair.against)} and {shown(pair.positive)}"

    @cached_property
    def w(self) -> _Sparse:
        return _Sparse(zip(self.entries.columns, self.entries.weights, strict=True)) if self.entries else _Sparse()

    def entries_on(self, row: Row) -> _Sparse:
        """Those of w where the row is not zero: of a long w, few are asked for once."""
        assert self.entries is not None
        asked = np.array([j for j, _ in row.entries], dtype=np.int64)
        at = np.flatnonzero(np.isin(self.floats.columns, asked)).tolist()
        return _Sparse((self.entries.columns[k], self.entries.weights[k]) for k in at)

    def sign(self, place: int) -> int:
        return 1 if place == self.b else -1

    def require(self, holds: object, sentence: str) -> None:
        require(holds, f"{self.name}: {sentence}")


def check_pairs(claim: OneVsOneClaim, data: Data, place: Any, rows: ExactRows) -> Verified:
    """``place`` is that of each row's label among those of the claim, and the rows have no sign."""
    tasks = [
        _Task(pair, a, b) for pair, (a, b) in zip(claim.pairs, combinations(range(len(claim.labels)), 2), strict=True)
    ]
    for task in tasks:
        _check_rows(task, place)
        if isinstance(task.pair, SeparablePair):
            _check_closest(task, task.pair, place, rows)
    for label in range(len(claim.labels)):
        of_label = [task for task in tasks if label in (task.a, task.b) and task.entries is not None]
        if of_label:
            _scan(of_label, label, np.flatnonzero(place == label), data, rows)
    balance = []
    for task in tasks:
        signs = np.where(place[list(task.pair.combination.rows)] == task.b, 1, -1)
        _check_combination(task, signs, data, rows)
        balance.append(signs_balance(_numbered(task.pair.combination), signs.tolist()))
    return of_pairs(claim, balance)


def _check_rows(task: _Task, place: Any) -> None:
    """The rows that it names have one of its two labels."""
    pair = task.pair
    named = place[[*pair.combination.rows, *([pair.closest] if isinstance(pair, SeparablePair) else [])]]
    task.require(np.all((named == task.a) | (named == task.b)), "a row that it names has another label")


def _check_closest(task: _Task, pair: SeparablePair, place: Any, rows: ExactRows) -> None:
    """Every other row is to be as far as the closest, at least: what holds of that one holds of all."""
    closest = rows.of([pair.closest])[pair.closest]
    task.least = task.sign(place[pair.closest]) * product(task.entries_on(closest), closest)
    task.require(task.least > 0, f"its separator does not separate: row {pair.closest} has y<w,x> <= 0")
    length_sq = whole.sqnorm(pair.separator.weights)
    enough = task.least**2 >= Fraction(pair.margin[0]) ** 2 * length_sq
    task.require(enough, "its separator has less than the lower margin")


def _scan(tasks: Sequence[_Task], label: int, members: Any, data: Data, rows: ExactRows) -> None:
    """The rows of one label are on their side of every vector, and no longer than the radius."""
    constant = rows.constant
    v = vectors(data.shape[1], [task.floats for task in tasks])
    signs = np.array([task.sign(label) for task in tasks])
    bottom, top = bottoms([task.least for task in tasks], v.scales), tops([task.most for task in tasks])
    step = max(PACE, data.step // len(tasks))
    for start in range(0, len(members), step):
        part = members[start : start + step]
        clear, some = _clear(products(data, part, v, constant), signs, bottom, top)
        for task in compress(tasks, some):
            task.some = True
        doubts = np.flatnonzero(~clear.all(axis=1))
        rows.of(part[doubts].tolist())
        for k in doubts.tolist():
            i = int(part[k])
            for task in compress(tasks, ~clear[k]):
                _decide(task, i, rows[i], label)
        rows.clear()


@np.errstate(all="ignore")
def _clear(found: Products, signs: Any, bottom: Any, top: Any) -> tuple[Any, Any]:
    """For which rows and vectors all is well for certain; and for which vectors some y<w,x> is surely > 0."""
    dot = signs * found.dot
    short = (found.square + found.excess)[:, None] <= top
    return short & (dot - found.error >= bottom), ((dot > 0) & (dot >= found.error)).any(axis=0)


def _decide(task: _Task, i: int, row: Row, label: int) -> None:
    """A row that floats could not call, by the arithmetic of the reference."""
    found = task.least if i == task.closest else task.sign(label) * product(task.w, row)
    task.require(found >= task.least, f"row {i} has y<w,x> < {task.limit}")
    task.require(square(row) <= task.most, f"its radius is too small: row {i} is longer")
    task.some = task.some or found > 0


def _check_combination(task: _Task, signs: Any, data: Data, rows: ExactRows) -> None:
    pair = task.pair
    if isinstance(pair, SeparablePair):
        proved = surely_bounds(pair.combination, signs, pair.margin[1], data, rows.constant)
        proved = proved or _bounds(pair.combination, signs, Fraction(pair.margin[1]), data, rows)
        task.require(proved, "its combination does not prove the upper margin")
        return
    task.require(pair.weak is None or task.some, "its weak separator has y<u,x> = 0 on every row")
    task.require(_vanishes(pair.combination, signs, data, rows), "its weighted rows do not sum to zero")


def _bounds(combination: Combination, signs: Any, upper: Fraction, data: Data, rows: ExactRows) -> bool:
    total = whole.combined(data, combination.rows, combination.weights, signs, rows.constant)
    if total is not None:
        return Fraction(sum(map(mul, total, total))) <= upper**2 * sum(combination.weights) ** 2
    return bounds_every_margin(_numbered(combination), upper, _signed(combination, signs, rows))


def _vanishes(combination: Combination, signs: Any, data: Data, rows: ExactRows) -> bool:
    total = whole.combined(data, combination.rows, combination.weights, signs, rows.constant)
    return vanishes(_numbered(combination), _signed(combination, signs, rows)) if total is None else not any(total)


def _numbered(combination: Combination) -> Combination:
    """The same about rows that are counted among those of the combination."""
    return Combination(range(len(combination.rows)), combination.weights)


def _signed(combination: Combination, signs: Any, rows: ExactRows) -> dict[int, Row]:
    """The rows of the combination, exactly, with their signs; counted among these."""
    made = rows.of(combination.rows)
    found = [
        made[i] if s > 0 else Row([(j, -z) for j, z in made[i].entries], made[i].denominator)
        for i, s in zip(combination.rows, signs.tolist(), strict=True)
    ]
    rows.clear()
    return dict(enumerate(found))
