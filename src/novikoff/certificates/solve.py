"""The margin in floats: a separator and a convex combination that nearly meet, or a combination that nearly vanishes.

Nothing here is proof. What it returns is a guess whose claims `novikoff.certify` then makes exact.
"""

from __future__ import annotations

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterator
from copy import copy
from fractions import Fraction
from functools import cached_property
from threading import Event
from typing import NamedTuple, Self

import numpy as np
import scipy.linalg as la
import scipy.sparse as sp
from numpy.typing import NDArray

from novikoff.certificates import corral as wolfe
from novikoff.certificates import dual
from novikoff.engine.rows import Indices, Rows, smallest
from novikoff.engine.storage import Vector

WIDE = 2000  # columns above which rows are not made dense
PAGE = 400  # the fewest violators that join the working set after a pass
POOL = 100  # the worst of the working set, which are candidates
TURNS = 8  # turns of candidates between two looks at the working set
SWEEPS = 20  # over a working set between two passes over the data
SLOW = 400  # passes of coordinate descent before the nearest point takes over
PATIENCE = 20  # turns without visible progress before integers take over
SMALL_SQUARE = 2.0**-900  # below it the squares of entries that matter may have lost digits
STEP = 1 << 25  # entries of the factor that change between two looks at the clock
VANISHED = 2.0**-42  # a residual this small is rounding


class Guess(NamedTuple):
    """w, and the weights p of a convex combination of rows."""

    w: Vector
    lowest: float  # min <w,a>/||w||
    rows: Indices
    p: Vector


class OutOfBudget(Exception):  # noqa: N818  # not an error: the caller asked for it
    """The passes or the seconds that the caller allowed are used up."""


class Counted(ABC):
    """Rows a_i, each of which is to have <w,a_i> > 0, with what is counted while they are read."""

    def __init__(
        self,
        n: int,
        width: int,
        norms: Vector,
        max_passes: int | None,
        max_seconds: float | None,
        halt: Event | None = None,
    ) -> None:
        self.n, self.width, self.norms = n, width, norms
        self.passes = 0
        self._max_passes = max_passes
        self._halt = halt
        self._deadline = None if max_seconds is None else time.monotonic() + max_seconds
        self.page = max(PAGE, width) if width <= WIDE else PAGE
        longest = np.max(self.norms, where=np.isfinite(self.norms), initial=0.0)
        # Dividing by a power of two is exact.
        self.scale = 2.0 ** -(math.frexp(float(longest))[1]) if longest else 1.0
        self.factors = np.full(self.n, self.scale)  # what `columns` multiplies each row with

    def with_unit_rows(self) -> Self:
        """A problem of the same verdict and another margin: each row is scaled by a power of two to a length near 1."""
        twin = copy(self)
        ordinary = np.isfinite(self.norms) & (self.norms > 0)
        twin.factors = np.ldexp(1.0, -np.frexp(np.where(ordinary, self.norms, 1.0))[1])
        return twin

    def within(self, share: float) -> Self:
        """The same rows with this share of the time that is left."""
        twin = copy(self)
        if self._deadline is not None:
            twin._deadline = time.monotonic() + share * max(0.0, self.seconds_left)
        return twin

    @property
    def seconds_left(self) -> float:
        return math.inf if self._deadline is None else self._deadline - time.monotonic()

    def spend(self, passes: int) -> None:
        """Count passes over the data; raise `OutOfBudget` if there are too many, or if it is late."""
        self.passes += passes
        if self._halt is not None and self._halt.is_set():
            raise KeyboardInterrupt
        if self._deadline is not None and time.monotonic() > self._deadline:
            raise OutOfBudget("the time is used up")
        if self._max_passes is not None and self.passes > self._max_passes:
            raise OutOfBudget(f"{self._max_passes} passes over the data are used up")

    def look(self) -> None:
        """Is it late? To be asked several times a second."""
        self.spend(0)

    @abstractmethod
    def products(self, w: Vector) -> Vector:
        """<w, a_i> for every row."""

    @abstractmethod
    def columns(self, which: Indices) -> NDArray[np.float64]:
        """(1, a_i), scaled into the unit ball, for these rows."""

    @abstractmethod
    def used_columns(self) -> Indices:
        """Those that are not zero throughout: of images, some never are."""

    @abstractmethod
    def entries(self, which: Indices) -> tuple[NDArray[np.float64], Indices]:
        """These rows in the columns where some of them is not zero, one column at least; and those columns."""

    @abstractmethod
    def gram(self, which: Indices) -> NDArray[np.float64]:
        """The inner products of these rows, scaled into the unit ball."""

    @abstractmethod
    def sweep(self, which: Indices, p: Vector, w: Vector, ends: Vector) -> None:
        """One step of coordinate descent on each of these rows, with w = sum p a; see `novikoff.certificates.dual`."""

    @abstractmethod
    def combined(self, which: Indices, p: Vector, high: Vector, low: Vector, noise: Vector) -> None:
        """high + low += sum p_i a_i over these rows, where noise sums the sizes of what went into low."""

    def combination(self, which: Indices, p: Vector) -> tuple[Vector, float]:
        """sum p_i a_i in floats, and an upper bound on its length."""
        high, low, noise = np.zeros((3, self.width))
        self.combined(which, p, high, low, noise)
        # Adding up `low` rounded by at most 2 t 2^-53 noise with t terms.
        rest = np.abs(low) + (len(p) + 4) * 2.0**-51 * noise
        return high + low, (length(high) + length(rest)) * (1 + (self.width + 8) * 2.0**-52)

    def upper(self, which: Indices, p: Vector) -> Fraction:
        """||sum p a|| / sum p or a little more: no separator has a larger margin."""
        total = math.fsum(p.tolist()) * (1 - 2.0**-52)  # fsum is the nearest float
        longest = self.combination(which, p)[1]
        # A product too small for its error to be a float leaves no bound but that of the longest row.
        return Fraction(longest) / Fraction(total) if longest < math.inf else Fraction(2 / self.scale)


class CountedRows(Counted):
    """The rows a_i = y_i (x_i, constant)."""

    def __init__(
        self, rows: Rows, max_passes: int | None, max_seconds: float | None, halt: Event | None = None
    ) -> None:
        super().__init__(rows.n, rows.width, rows.norms, max_passes, max_seconds, halt)
        self.rows, self.signs = rows, rows.signs

    def only(self, which: Indices) -> CountedRows:
        """A copy of these rows; the time that is left is shared, passes are counted apart."""
        part = CountedRows(self.rows.only(which, self.signs[which]), None, None)
        part._deadline = self._deadline
        return part

    def products(self, w: Vector) -> Vector:
        """<w, a_i> for every row."""
        self.spend(1)
        return self.rows.products(w)

    def columns(self, which: Indices) -> NDArray[np.float64]:
        """(1, a_i), scaled into the unit ball, for these rows."""
        out = self.rows.dense(which)
        out *= self.factors[which][:, None]
        out[:, 0] = 1.0
        return out

    def sum(self, p: Vector) -> Vector:
        """sum p_i a_i over all rows, in floats."""
        self.spend(1)
        out = np.zeros(self.width)
        for start in range(0, self.n, self.rows.pace):
            dual.total(self.rows.storage, self.signs, p, out, start, min(self.n, start + self.rows.pace))
        return out

    @property
    def density(self) -> float:
        """The share of entries that are stored."""
        return float(self.rows.storage.stored.size / max(1, self.n * (self.width - 1)))

    @cached_property
    def column_signs(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Which columns of X are above zero in some a_i, and which are below."""
        self.spend(1)
        above, below = np.zeros(self.width, dtype=np.bool_), np.zeros(self.width, dtype=np.bool_)
        dual.column_signs(self.rows.storage, self.signs, above, below)
        return above, below

    def used_columns(self) -> Indices:
        """Those that are not zero throughout: of images, some never are."""
        used = self.column_signs[0] | self.column_signs[1]
        used[-1] = self.rows.constant != 0
        return np.flatnonzero(used)

    def entries(self, which: Indices) -> tuple[NDArray[np.float64], Indices]:
        """These rows in the columns where some of them is not zero, one column at least; and those columns."""
        block = self.rows.part(which)
        columns = np.unique(block.indices) if sp.issparse(block) else np.flatnonzero(block.any(axis=0))
        dense = np.zeros((len(which), len(columns) + 1))
        dense[:, :-1] = block[:, columns].toarray() if sp.issparse(block) else block[:, columns]
        if self.rows.constant:
            dense[:, -1] = self.rows.constant
            columns = np.append(columns, self.width - 1)
        elif len(columns):
            dense = dense[:, :-1]
        else:
            columns = np.array([0])
        dense *= self.signs[which][:, None]
        return dense, columns

    def gram(self, which: Indices) -> NDArray[np.float64]:
        """The inner products of these rows, scaled into the unit ball."""
        A = self.rows.part(which) * self.scale
        product = A @ A.T
        gram: NDArray[np.float64] = product.toarray() if sp.issparse(product) else product
        signs = self.signs[which].astype(np.float64)
        gram += (self.rows.constant * self.scale) ** 2
        gram *= np.outer(signs, signs)
        return gram

    def sweep(self, which: Indices, p: Vector, w: Vector, ends: Vector) -> None:
        """One step of coordinate descent on each of these rows, with w = sum p a; see `novikoff.certificates.dual`."""
        dual.sweep(self.rows.storage, self.signs, which, p, w, self._no_ridge, self._no_bound, ends)

    @cached_property
    def _no_ridge(self) -> Vector:
        return np.zeros(self.n)

    @cached_property
    def _no_bound(self) -> Vector:
        return np.full(self.n, math.inf)

    def combined(self, which: Indices, p: Vector, high: Vector, low: Vector, noise: Vector) -> None:
        """high + low += sum p_i a_i over these rows, where noise sums the sizes of what went into low."""
        dual.combine(self.rows.storage, self.signs, which, p, high, low, noise)


def length(v: Vector) -> float:
    """||v||, not by BLAS: see `novikoff.certificates.dual.price`."""
    square = float(np.einsum("i,i->", v, v))
    if square > SMALL_SQUARE or not v.any():
        return math.sqrt(square)
    # Squares underflow: a power of two takes them to where they do not.
    power = math.frexp(float(np.abs(v).max()))[1]
    scaled = np.ldexp(v, -power)
    return math.ldexp(math.sqrt(float(np.einsum("i,i->", scaled, scaled))), power)


def guesses(data: Counted, gap: float) -> Iterator[Guess]:
    """Better and better guesses; the last one is stuck, or the caller is satisfied before."""
    if data.width > WIDE:
        found = yield from _coordinate_descent(data, gap)
        yield from _working_set(data, gap, _gram_columns, found)
    else:
        yield from _working_set(data, gap, None, spread(np.arange(data.n), data.page))


def _working_set(
    data: Counted,
    gap: float,
    coordinates: Callable[[Counted, Indices], NDArray[np.float64]] | None,
    start: Indices,
) -> Iterator[Guess]:
    """Wolfe's method on a set of rows, to which every pass over the data adds the worst violators.

    ``coordinates``: the columns of a whole working set at once, where a row by itself is too wide.
    """
    which = start
    used = data.used_columns() if coordinates is None else np.empty(0, dtype=np.int64)
    kept = np.append(0, 1 + used)
    B = coordinates(data, which) if coordinates else data.columns(which).take(kept, axis=1)
    c = wolfe.corral(B.shape[1], min(data.n, B.shape[1]))
    size = 0
    least = max(gap / 16, 2.0**-40)
    shortest, patience = math.inf, PATIENCE
    while True:
        size = approach(data, c, size, 0, B, least)
        now = length(c.r)
        patience = PATIENCE if now < shortest else patience - 1
        shortest = min(shortest, now)
        rows = which[c.members[:size]]
        p = c.p[:size] * (data.factors[rows] / data.factors.max())
        if coordinates is None:
            w = np.zeros(data.width)
            w[used] = -c.r[1 : 1 + len(used)]
        else:
            w = data.combination(rows, p)[0]
        if not np.any(w):
            yield Guess(w, -math.inf, rows, p)
            return
        w = w / np.abs(w).max()
        z = data.products(w)
        lowest = float(z.min()) / length(w)
        z *= data.factors
        # On the corral <a,w> is constant; a row below that is a violator.
        level = (1 - gap / 4) * (float(np.median(z[rows])) if size else math.inf)
        z[which] = math.inf
        new = smallest(z, np.flatnonzero(z < level), data.page)
        stuck = len(new) == 0 or patience == 0 or now < VANISHED
        yield Guess(w, lowest, rows, p)
        if stuck:
            return
        if coordinates is None:
            if len(which) > 5 * data.page:
                which, B = _pruned(c, size, which, B)
            which, B = np.concatenate([which, new]), np.concatenate([B, data.columns(new).take(kept, axis=1)])
        else:
            which = np.concatenate([rows, new])
            B = coordinates(data, which)
            c = wolfe.corral(B.shape[1], min(data.n, B.shape[1]))
            size = _enter(data, c, 0, 0, B, np.arange(len(rows)), least, len(rows))


def approach(data: Counted, c: wolfe.Corral, size: int, free: int, B: NDArray[np.float64], least: float) -> int:
    """The nearest point over the rows of B, up to the tolerance. Returns the size of its corral."""
    violation = np.empty(len(B))
    shortest, patience = math.inf, PATIENCE
    while True:
        data.look()
        dual.price(B, c.r, violation)
        now = length(c.r)
        worst = np.argsort(-violation, kind="stable")[:POOL]
        worst = worst[violation[worst] > least * now * now]
        # r becomes shorter with every column that enters, if by less than floats can show; but not forever.
        patience = PATIENCE if now < shortest else patience - 1
        if len(worst) == 0 or patience == 0 or now < VANISHED:
            return size
        shortest = min(shortest, now)
        size = _enter(data, c, size, free, B, worst, least, TURNS)


def _enter(
    data: Counted,
    c: wolfe.Corral,
    size: int,
    free: int,
    B: NDArray[np.float64],
    candidates: Indices,
    least: float,
    turns: int,
) -> int:
    """Let the worst of them enter, a few between two looks at the clock. Returns the size of the corral."""
    pace = -(-steps_at_a_time(c) // wolfe.ABREAST)
    for start in range(0, turns, pace):
        data.look()
        size = wolfe.enter(c, size, free, B, candidates, least, min(pace, turns - start))
    wolfe.settle(c, size)
    return size


def steps_at_a_time(c: wolfe.Corral) -> int:
    """How many rows may enter in one call of a loop: a tenth of a second or so. No result depends on it."""
    return max(1, STEP // c.Q.size)


def _pruned(c: wolfe.Corral, size: int, which: Indices, B: NDArray[np.float64]) -> tuple[Indices, NDArray[np.float64]]:
    """The corral and the quarter of the working set that is nearest to violating."""
    violation = np.empty(len(B))
    dual.price(B, c.r, violation)
    kept = np.union1d(c.members[:size], np.argsort(-violation, kind="stable")[: len(which) // 4])
    c.members[:size] = np.searchsorted(kept, c.members[:size])
    return which[kept], B[kept]


def _gram_columns(data: Counted, which: Indices) -> NDArray[np.float64]:
    """Rows with the same inner products in as few coordinates as they span (pivoted Cholesky)."""
    factor, pivots, rank, _ = la.lapack.dpstrf(data.gram(which), lower=1)
    factor = np.tril(factor)[:, :rank]
    out = np.ones((len(which), 1 + rank))
    out[pivots - 1, 1:] = factor
    return out


def _coordinate_descent(data: Counted, gap: float) -> Generator[Guess, None, Indices]:
    """Sweeps over a working set, until the bracket closes or progress is slow; then returns the rows to go on with."""
    p, w, ends = np.zeros(data.n), np.zeros(data.width), np.zeros(2)
    active = spread(np.arange(data.n), data.page)
    shuffle = np.random.RandomState(0).shuffle
    swept = 0
    while data.passes < SLOW:
        first = 0.0
        for _ in range(SWEEPS):
            data.look()
            shuffle(active)
            data.sweep(active, p, w, ends)
            swept += len(active)
            worst = max(-ends[0], ends[1])
            first = first or worst
            if worst < max(first / 10, gap / 8):
                break
        data.spend(swept // data.n)
        swept %= data.n
        z = data.products(w)
        support = np.flatnonzero(p)
        yield Guess(w / np.abs(w).max(), float(z.min()) / length(w), support, p[support] / p.max())
        violators = np.flatnonzero((z < 1 - gap / 4) & (p == 0))
        active = np.concatenate([support, smallest(z, violators, data.page)])
    return support[np.argsort(-p[support], kind="stable")[:WIDE]]


def spread(which: Indices, page: int) -> Indices:
    """A first working set: rows from all over the data."""
    return which[np.unique(np.linspace(0, len(which) - 1, min(len(which), page)).astype(np.int64))]
