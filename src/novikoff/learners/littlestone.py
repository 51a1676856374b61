"""Littlestone's dimension: how many mistakes a class is worth, and the learner that makes no more.

A complete binary tree has points at its nodes. It is shattered if for every branch some concept gives the labels along
it. The dimension is the depth of the deepest shattered tree. An adversary that goes down the tree and always answers
the opposite of the prediction forces that many mistakes (`novikoff.theory.LITTLESTONE_LOWER`); the standard optimal
algorithm makes no more (`novikoff.theory.LITTLESTONE`).

>>> from novikoff import concepts
>>> littlestone_dimension(concepts.conjunctions(d=4))
5
>>> print(shattered_tree(concepts.thresholds(n=3)))
1
  0: 2
    0: x >= 3
    1: x >= 2
  1: 0
    0: x >= 1
    1: x >= 0
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from novikoff.concepts import Concept, ConceptClass, Words, codes, unpacked
from novikoff.learners.halving import VersionSpaceLearner


@dataclass(frozen=True)
class Tree:
    """A complete binary tree of points. A leaf has a concept instead: one that agrees with the branch to it.

    Attributes
    ----------
    point : of the domain; None at a leaf
    zero, one : Tree or None
        What follows the label 0, and 1.
    concept : Concept or None
        At a leaf.
    """

    point: Any = None
    zero: Tree | None = None
    one: Tree | None = None
    concept: Concept | None = None

    @property
    def depth(self) -> int:
        return 0 if self.zero is None else 1 + self.zero.depth

    def branches(self) -> list[tuple[list[tuple[Any, int]], Concept]]:
        """For each of the 2^depth branches its examples (x, y), and a concept with c(x) = y for all of them."""
        if self.zero is None or self.one is None:
            assert self.concept is not None
            return [([], self.concept)]
        return [
            ([(self.point, y), *examples], concept)
            for y, below in enumerate((self.zero, self.one))
            for examples, concept in below.branches()
        ]

    def __str__(self) -> str:
        if self.zero is None or self.one is None:
            return str(self.concept)
        below = "".join(f"\n{y}: {tree}".replace("\n", "\n  ") for y, tree in enumerate((self.zero, self.one)))
        return f"{self.point}{below}"


class Shattering:
    """What trees the subsets of a class shatter. A subset is an integer: bit i is concept i.

    A subset V shatters a tree of depth k >= 1 if some point splits it into two parts that shatter one of depth k - 1.
    A tree of depth k has 2^k leaves with different concepts, so no smaller part needs a look.
    """

    def __init__(self, C: ConceptClass) -> None:
        self.points, self.masks = C.masks
        self.whole = (1 << C.size) - 1
        self.codes = codes(C.whole)  # of concept 0, 1, ...
        self._splits: dict[int, int] = {}
        for number, mask in enumerate(self.masks):
            self._splits.setdefault(mask, number)
        # For a subset of four concepts or more: the largest depth proved, the least refuted, and the point at the root.
        self._known: dict[int, tuple[int, int, int]] = {}

    def subset(self, some: Words) -> int:
        """A set of concepts as an integer."""
        return int.from_bytes(np.packbits(unpacked(some)[self.codes], bitorder="little").tobytes(), "little")

    def dimension(self, V: int) -> int:
        """The Littlestone dimension of V; -1 for the empty set."""
        k = -1
        while self.shatters(V, k + 1):
            k += 1
        return k

    def shatters(self, V: int, k: int) -> bool:
        """Does V shatter a tree of depth k?"""
        return self._shatters(V, k, self._splits)

    def root(self, V: int, k: int) -> int:
        """The number of the point at the root of a tree of depth k >= 1 that V shatters."""
        if k > 1 and self.shatters(V, k):
            return self._known[V][2]
        return next(number for number, mask in enumerate(self.masks) if 0 < mask & V < V)

    def _shatters(self, V: int, k: int, above: dict[int, int]) -> bool:
        """Does V shatter a tree of depth k? Each split of V is one of ``above``, cut down to V.

        ``above`` has the different splits of a set that contains V, and for each the number of a point that makes it.
        """
        size = V.bit_count()
        if k <= 1 or size >> k == 0:
            return size >> k > 0  # two concepts are different somewhere
        proved, refuted, root = self._known.get(V, (1, size.bit_length(), -1))
        if k <= proved or k >= refuted:
            return k <= proved
        first = V & -V
        splits: dict[int, int] = {}  # the part without the first concept stands for the split
        for mask, number in above.items():
            part = mask & V
            if part & first:
                part ^= V
            if part:
                splits.setdefault(part, number)
        sizes = ((part.bit_count(), part) for part in splits)
        balanced = sorted(((min(ones, size - ones), part) for ones, part in sizes), reverse=True)
        # The points of a branch split V differently: fewer than k splits are too few.
        for smaller, part in balanced if len(splits) >= k else ():
            if smaller >> (k - 1) == 0:
                break
            few, many = (part, V ^ part) if part.bit_count() == smaller else (V ^ part, part)
            if self._shatters(few, k - 1, splits) and self._shatters(many, k - 1, splits):
                self._known[V] = k, refuted, splits[part]
                return True
        self._known[V] = proved, k, root
        return False


def littlestone_dimension(C: ConceptClass) -> int:
    """The depth of the deepest tree that C shatters: the best mistake bound of any deterministic learner.

    Exact, over all subsets of C that arise; the class needs a table (ValueError for one that is too large).
    """
    search = Shattering(C)
    return search.dimension(search.whole)


def shattered_tree(C: ConceptClass) -> Tree:
    """A witness: a tree that C shatters, as deep as its Littlestone dimension."""
    search = Shattering(C)

    def grow(V: int, k: int) -> Tree:
        if k == 0:
            return Tree(concept=Concept(C, int(search.codes[(V & -V).bit_length() - 1])))
        number = search.root(V, k)
        ones = V & search.masks[number]
        return Tree(search.points[number], grow(V ^ ones, k - 1), grow(ones, k - 1))

    return grow(search.whole, search.dimension(search.whole))


class StandardOptimal(VersionSpaceLearner):
    """Littlestone's standard optimal algorithm: no deterministic learner has a smaller mistake bound.

    It predicts the label whose part of the version space has the larger Littlestone dimension, 1 on a tie. After a
    mistake the dimension is smaller: two parts of the dimension of the whole would make it one larger.

    Parameters
    ----------
    concepts : a class from `novikoff.concepts`, small enough for a table

    Examples
    --------
    >>> from novikoff import Halving, concepts, play
    >>> C = concepts.singletons(n=100)
    >>> Halving(C).bound(), StandardOptimal(C).bound()
    (6, 1)
    >>> play(StandardOptimal(C), [(7, 0), (9, 1), (7, 0)]).mistakes
    1
    """

    def __init__(self, concepts: ConceptClass) -> None:
        super().__init__(concepts)
        self._search = Shattering(concepts)  # what it finds holds for copies, too

    def bound(self) -> int:
        """The most mistakes that the theorem allows, the Littlestone dimension of the class."""
        return self._search.dimension(self._search.whole)

    def predict_one(self, x: Any) -> int:
        labels, search = self.concepts.labels(x), self._search
        zero, one = search.subset(self._alive & ~labels), search.subset(self._alive & labels)
        k = 0
        while search.shatters(zero, k) and search.shatters(one, k):
            k += 1
        return int(search.shatters(one, k) or not search.shatters(zero, k))
