"""Contradictions that share no row, or share it by weight: as many mistakes are made by every hyperplane.

A contradiction is a positive combination of rows that vanishes. With weights lambda >= 0 of which no row gets more
than 1 in all, every hyperplane makes at least sum lambda mistakes. The best lambda are a linear program over all
contradictions; of those that were found, one of the linear programs of SciPy solves it, and fractions are made of that.

The cheap ones are looked for with one row each that a good hyperplane has wrong: in a packing that proves as many
mistakes as that hyperplane makes, each contradiction has exactly one of these.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
import scipy.sparse as sp
from flint import fmpz_mat
from numpy.typing import NDArray
from scipy.optimize import linprog

from novikoff.certificates import closer as twice
from novikoff.certificates import rational, solve
from novikoff.certificates.mistakes import Contradiction
from novikoff.certificates.solve import CountedRows
from novikoff.engine.rows import Indices
from novikoff.engine.storage import Vector

GAP = 0.01  # between the ends of a margin: any separator will do, but what cancels must be seen
ROUNDS = 4  # of prices
SHARPNESS = 3.0  # of a price, and
STEEPEST = 4.0  # the load from which on it stays what it is
SLIGHT = 1e-3  # the price of a row that is free: fewer rows, and lighter ones, are preferred
FEW = 64  # rows whose dependence is found at once
AMONG = 2048, 32, 4096  # rows among which a contradiction is looked for: at least, for each column, and at most
DENOMINATOR = 10**6  # of lambda
SETTLED = 1e-6  # lambda this close to whole numbers are these


@dataclass
class Packing:
    """The contradictions that were found, and the weights of the best packing of some of them."""

    n: int
    found: list[Contradiction] = field(default_factory=list)
    lambdas: list[Fraction] = field(default_factory=list)
    _known: set[tuple[int, ...]] = field(default_factory=set)

    @property
    def total(self) -> Fraction:
        return sum(self.lambdas, Fraction(0))

    @property
    def lower(self) -> int:
        return math.ceil(self.total)

    def add(self, new: Iterable[Contradiction]) -> bool:
        """Whether one of them was not known: rows with one dependence have one contradiction."""
        fresh = [each for each in {each.rows: each for each in new}.values() if each.rows not in self._known]
        self._known.update(each.rows for each in fresh)
        self.found, self.lambdas = self.found + fresh, self.lambdas + [Fraction(0)] * len(fresh)
        return bool(fresh)

    def take_disjoint(self) -> None:
        """Those that share no row with one before them, if that is a better packing."""
        used = np.zeros(self.n, dtype=np.bool_)
        lambdas = []
        for rows, _ in self.found:
            free = not used[list(rows)].any()
            used[list(rows)] |= free
            lambdas.append(Fraction(int(free)))
        self._take(lambdas)

    def solve(self, seconds: float) -> None:
        """The best packing, unless floats give up."""
        ends = np.cumsum([0, *(len(rows) for rows, _ in self.found)])
        at = np.concatenate([np.array(rows) for rows, _ in self.found])
        uses = sp.csc_matrix((np.ones(len(at)), at, ends), shape=(self.n, len(self.found)))
        result = linprog(
            -np.ones(len(self.found)),
            A_ub=uses,
            b_ub=np.ones(self.n),
            method="highs",
            options={"time_limit": max(0.1, min(seconds, 1e6))},
        )
        if result.status == 0:
            self._take(self._exactly(result.x))

    def _exactly(self, floats: Vector) -> list[Fraction]:
        """Rational weights close to these, of which no row gets more than 1."""
        left = np.full(self.n, DENOMINATOR, dtype=np.int64)
        whole = bool(np.all(np.abs(floats - np.rint(floats)) < SETTLED))
        lambdas = []
        for (rows, _), x in zip(self.found, floats.tolist(), strict=True):
            wanted = round(x) * DENOMINATOR if whole else math.floor(x * DENOMINATOR + 0.5)
            given = max(0, min(wanted, int(left[list(rows)].min())))
            left[list(rows)] -= given
            lambdas.append(Fraction(given, DENOMINATOR))
        return lambdas

    def _take(self, lambdas: list[Fraction]) -> None:
        if sum(lambdas, Fraction(0)) > self.total:
            self.lambdas = lambdas

    def used(self) -> list[tuple[Contradiction, Fraction]]:
        """Those of positive weight."""
        pairs = zip(self.found, self.lambdas, strict=True)
        return [(each, weight) for each, weight in pairs if weight]


# One contradiction ---------------------------------------------------------------------------------


def exactly(data: CountedRows, rows: Indices) -> Contradiction | None:
    """That of these rows, if they have one of one sign."""
    table = rational.integer_rows(data, rows).table
    p = _only_dependence(table) if len(rows) <= FEW else None
    p = p or rational.null_vector(table, data.look)
    p = rational.one_signed(p) if p else None
    return contradiction(rows, p) if p else None


def _only_dependence(table: rational.Table) -> list[int] | None:
    """The dependence of a few rows, if there is one only."""
    found, count = fmpz_mat(table).transpose().nullspace()
    return [int(found[i, 0]) for i in range(len(table))] if count == 1 else None


def contradiction(rows: Indices, p: Sequence[int]) -> Contradiction:
    common = math.gcd(*p)
    used = sorted((int(i), x // common) for i, x in zip(rows, p, strict=True) if x)
    return Contradiction(tuple(i for i, _ in used), tuple(x for _, x in used))


def separator_or_contradiction(data: CountedRows) -> tuple[list[int] | None, Contradiction | None]:
    """Integers w that separate these rows, none of which is zero; or a contradiction."""
    for guess in solve.guesses(data, GAP):
        if guess.lowest > 0 and data.rows.product(data.rows.hardest(guess.w), guess.w) > 0:
            return rational.integers(guess.w)[0], None
    rows, p = guess.rows, [Fraction(x) for x in guess.p.tolist()]
    found = exactly(data, rows)
    if found is None and data.width <= solve.WIDE:
        for closer in twice.guesses(data, GAP, guess):
            rows, p = closer.guess.rows, closer.weights()
        found = exactly(data, rows)
    if found:
        return None, found
    nearest = rational.nearest(data, GAP, rows, p)
    if any(nearest.w):
        return nearest.w, None
    return None, contradiction(nearest.rows, nearest.p)


def obvious(data: CountedRows) -> list[Contradiction]:
    """Each row of zeros; and pairs of the same example with different labels, no row twice."""
    found = [Contradiction((int(i),), (1,)) for i in np.flatnonzero(data.norms == 0.0)]
    keys = data.products(np.random.RandomState(1).standard_normal(data.width)) * data.signs
    order = np.lexsort((np.arange(data.n), keys))
    edges = np.flatnonzero(np.diff(keys[order])) + 1
    for group in np.split(order, edges):
        if len(group) == 1 or abs(int(data.signs[group].astype(np.int64).sum())) == len(group):
            continue
        alike = _examples(data, group[data.norms[group] > 0.0])
        for above, below in alike.values():
            found += [Contradiction((min(i, j), max(i, j)), (1, 1)) for i, j in zip(above, below, strict=False)]
    return found


def _examples(data: CountedRows, group: Indices) -> dict[bytes, tuple[list[int], list[int]]]:
    """Rows of either sign, by their example."""
    found: dict[bytes, tuple[list[int], list[int]]] = {}
    for i in group.tolist():
        example = (data.rows.dense(np.array([i])) * data.signs[i] + 0.0).tobytes()
        found.setdefault(example, ([], []))[int(data.signs[i] < 0)].append(i)
    return found


# Many ----------------------------------------------------------------------------------------------


class Beside:
    """Contradictions of one wrong row each with rows that a hyperplane has right, by linear programs."""

    def __init__(self, data: CountedRows, missed: NDArray[np.bool_]) -> None:
        self._data, self._unit = data, data.with_unit_rows()
        self.wrong = np.flatnonzero(missed & (data.norms > 0.0))
        self._right = np.flatnonzero(~missed)
        least, each, most = AMONG
        self._among = min(most, max(least, each * data.width))
        self._columns = self._unit.columns(self._right)[:, 1:].T

    def cheapest(self, m: int, price: Vector, free: NDArray[np.bool_]) -> tuple[bool, Contradiction | None]:
        """A light one of the row with free ones; and whether there is one, by what floats say."""
        self._data.look()
        usable = self._usable(m, free)
        if len(usable) < 2:  # which is no linear program
            return len(usable) > 0, None
        result = linprog(
            price[self._right[usable]] + SLIGHT,
            A_eq=self._columns[:, usable],
            b_eq=-self._unit.columns(np.array([m]))[0, 1:],
            method="highs-ds",
            options={"time_limit": max(0.1, min(self._data.seconds_left, 1e6))},
        )
        if result.status != 0:
            return False, None
        support = usable[result.x > 1e-12 * result.x.max()]
        return True, exactly(self._data, np.append(self._right[support], m))

    def finest(self, m: int, free: NDArray[np.bool_]) -> Contradiction | None:
        """One of the row with free ones, where columns depend on each other but for rounding and floats fail."""
        which = np.append(self._right[self._usable(m, free)], m)
        found = separator_or_contradiction(self._data.only(which))[1]
        return contradiction(which[list(found.rows)], found.weights) if found else None

    def _usable(self, m: int, free: NDArray[np.bool_]) -> Indices:
        """Places of right rows that are free; of too many, some: others for another m, so that the load is spread."""
        usable = np.flatnonzero(free[self._right])
        return np.roll(usable, -m)[:: -(-len(usable) // self._among) or 1]


def disjoint(beside: Beside, packing: Packing) -> list[int]:
    """Contradictions that share no row, each of one wrong row. Returns the wrong rows that found none."""
    free = np.ones(packing.n, dtype=np.bool_)
    for (rows, _), _ in packing.used():
        free[list(rows)] = False
    none = np.zeros(packing.n)
    left = []
    try:
        for m in beside.wrong[free[beside.wrong]].tolist():
            there, found = beside.cheapest(m, none, free)
            if there and found is None:
                found = beside.finest(m, free)
            if found:
                packing.add([found])
                free[list(found.rows)] = False
            else:
                left.append(m)
    finally:  # also where time ends, or Ctrl-C comes
        packing.take_disjoint()
    return left


def shared(beside: Beside, packing: Packing, upper: int, seconds: Callable[[], float]) -> None:
    """Better packings, of contradictions that share rows by weight.

    Each pass finds one for every wrong row, where a row costs exp(SHARPNESS load) - 1, with its load the mean number of
    contradictions that use it in a pass (Plotkin, Shmoys and Tardos 1995). The linear program then weighs all of them.
    """
    everything = np.ones(packing.n, dtype=np.bool_)
    load = np.zeros(packing.n)
    for rows, _ in packing.found:
        load[list(rows)] += 1.0
    for k in range(1, ROUNDS + 1):
        new = []
        for m in beside.wrong[np.argsort(load[beside.wrong], kind="stable")].tolist():
            price = np.expm1(SHARPNESS * np.minimum(load / k, STEEPEST))
            found = beside.cheapest(m, price, everything)[1]
            if found:
                new.append(found)
                load[list(found.rows)] += 1.0
        if not packing.add(new):
            return
        packing.solve(seconds())
        if packing.lower >= upper:
            return
