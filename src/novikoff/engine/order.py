"""The order in which shuffled passes meet the rows: a function of (n, seed, pass) alone, which never changes.

A pass over a file that is larger than memory cannot jump about in all of it, and the same rows in memory are to give
the same bits. So there is one order for both, which jumps about in at most 65,536 rows at a time:

1. The rows 0 .. n-1 are cut into b = ceil(n/256) *blocks* of 256 consecutive rows; the last may be short.
2. There are G = ceil(b/256) *groups*. Of each run of G consecutive blocks every group is dealt one, at random; the last
   run may be short, and then some groups are dealt none of it.
3. The pass goes through the groups 0 .. G-1, and through the rows of each in an order drawn at random from all. (Which
   group comes first needs no draw: the groups were dealt at random.)

So a group has at most 256 blocks, and no more than one of any G neighbours: it is a sample of the whole file, and rows
that are sorted by label come mixed. Up to 65,536 rows are one group, and the order is any permutation of them.

What is drawn is defined to the bit. A stream of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014) begins at a *key*,
`key_of` (seed, pass, part): part k deals the k-th run, and part 256 + g orders group g. Each puts a list into a random
order by Fisher and Yates: the last of m entries changes places with the entry `_below` m, then the last but one of
those that are left, and so on. The list of run k is its blocks, and group g is dealt the g-th; that of a group is its
rows, upwards.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novikoff.engine.compile import inlined, kernel

Indices = NDArray[np.int64]

BLOCK = 256  # rows that are read together
MOST = 256  # blocks in a group

GIVEN: tuple[Indices, int] = np.empty(0, dtype=np.int64), 0  # what `Order.ahead` would say of the given order

GAMMA, FIRST, SECOND = (np.uint64(n) for n in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB))
U27, U30, U31, U32 = (np.uint64(n) for n in (27, 30, 31, 32))
TWO32, LOW32 = np.uint64(1 << 32), np.uint64((1 << 32) - 1)


@inlined
def _mix(z: Any) -> Any:
    """SplitMix64's one-to-one map of 64 bits; of an array, entry by entry."""
    z = (z ^ (z >> U30)) * FIRST
    z = (z ^ (z >> U27)) * SECOND
    return z ^ (z >> U31)


@inlined
def _below(place: np.uint64, bound: np.uint64) -> tuple[np.uint64, np.uint64]:
    """The stream's next place, and a number from 0 to bound - 1 (Lemire, ACM TOMACS 29:3, 2019); bound is below 2^32.

    Of the 2^32 products x bound of 32 random bits, as many are taken for each number: those whose low half is at least
    2^32 mod bound.
    """
    while True:
        place = place + GAMMA
        product = (_mix(place) >> U32) * bound
        low = product & LOW32
        if low >= bound or low >= (TWO32 - bound) % bound:
            return place, product >> U32


@kernel
def _shuffle(lists: NDArray[np.int64], keys: NDArray[np.uint64]) -> None:
    """Put each list into an order drawn from the stream that begins at its key."""
    for k in range(lists.shape[0]):
        place = keys[k]
        for left in range(lists.shape[1], 1, -1):
            place, chosen = _below(place, np.uint64(left))
            lists[k, left - 1], lists[k, chosen] = lists[k, chosen], lists[k, left - 1]


def _shuffled(lists: NDArray[np.int64], seed: int, turn: Any, part: Any) -> NDArray[np.int64]:
    """The lists, in the order of these parts of these passes."""
    with np.errstate(over="ignore"):  # which is meant: numbers modulo 2^64
        _shuffle(lists, np.broadcast_to(key_of(seed, turn, part), len(lists)).copy())
    return lists


def key_of(seed: int, turn: Any, part: Any) -> NDArray[np.uint64]:
    """Where streams begin; `turn` and `part` may be arrays."""
    key = np.zeros(1, dtype=np.uint64)
    for number in (np.uint64(seed), turn, part):
        key = _mix(key + np.asarray(number, dtype=np.uint64) + GAMMA)
    return key


class Group(NamedTuple):
    """A group of a pass of several."""

    number: int
    starts: Indices  # the first rows of its blocks, upwards
    block: int  # the rows of each, but for one that ends with the data
    begins: int  # its first position
    size: int  # rows


class Order:
    """The rows of shuffled passes, a stretch at a time: at most 65,536 in hand.

    Parameters
    ----------
    n : rows, at least one
    seed : from 0 to 2^64 - 1
    """

    def __init__(self, n: int, seed: int) -> None:
        self._n, self._seed = n, seed
        self._runs = 1  # how many passes the next stretch may have, if several fit into one
        self._begins, self._stretch = 0, GIVEN[0]  # with positions counted through all passes
        self._memory = self._stretch
        self._turn, self._dealt = -1, np.empty((0, 0), dtype=np.int64)  # of which pass: see `_deal`
        self._sizes = self._ends = GIVEN[0]  # of its groups

    def ahead(self, turn: int, at: int) -> tuple[Indices, int]:
        """A stretch with the row at this position of this pass; where it begins, counted from the pass's first row.

        It may begin before the pass, and go on after it.
        """
        here = turn * self._n + at
        if not self._begins <= here < self._begins + len(self._stretch):
            turn_there, at_there = divmod(here, self._n)
            if self._n <= BLOCK * MOST:
                self._draw_passes(turn_there)
            else:
                self._draw_group(turn_there, at_there)
        return self._stretch, self._begins - turn * self._n

    def group_from(self, turn: int, at: int) -> Group | None:
        """The group that begins at this position; None if none does, or if a pass is a single one."""
        if self._n <= BLOCK * MOST or at == self._n:
            return None
        group = self._group(turn, at)
        return group if at == group.begins else None

    def _draw_passes(self, turn: int) -> None:
        """This one and, of few rows, some more: twice as many each time, so few are drawn in vain."""
        passes = min(self._runs, BLOCK * MOST // self._n)
        self._runs = 2 * passes
        rows = self._room(passes * self._n).reshape(passes, self._n)
        rows[:] = np.arange(self._n)
        self._stretch = _shuffled(rows, self._seed, np.arange(turn, turn + passes), MOST).reshape(-1)
        self._begins = turn * self._n

    def _draw_group(self, turn: int, at: int) -> None:
        group = self._group(turn, at)
        rows = self._room(len(group.starts) * BLOCK)
        np.add(group.starts[:, None], np.arange(BLOCK), out=rows.reshape(-1, BLOCK))
        # Only the last block may be short.
        self._stretch = _shuffled(rows[None, : group.size], self._seed, turn, MOST + group.number)[0]
        self._begins = turn * self._n + group.begins

    def _group(self, turn: int, at: int) -> Group:
        """That of this position."""
        if turn != self._turn:
            self._turn, self._dealt = turn, self._deal(turn)
            self._sizes = np.clip(self._n - BLOCK * self._dealt, 0, BLOCK).sum(axis=0)
            self._ends = np.cumsum(self._sizes)
        number = int(np.searchsorted(self._ends, at, side="right"))
        size = int(self._sizes[number])
        starts = BLOCK * self._dealt[:, number]
        return Group(number, starts[starts < self._n], BLOCK, int(self._ends[number]) - size, size)

    def _deal(self, turn: int) -> Indices:
        """[k, g]: the block of run k that group g is dealt; one that does not exist for none."""
        blocks = -(-self._n // BLOCK)
        groups = -(-blocks // MOST)
        runs = -(-blocks // groups)
        lists = np.arange(runs * groups).reshape(runs, groups)
        return _shuffled(lists, self._seed, turn, np.arange(runs))

    def _room(self, size: int) -> Indices:
        """For a stretch, in place of the last one."""
        if len(self._memory) < size:
            self._memory = np.empty(size, dtype=np.int64)
        return self._memory[:size]
