"""Finite concept classes: sets of functions from a domain to {0, 1}.

A concept has a code. The labels of all concepts on one example are bits, 64 to a word, and so is a set of concepts:
the labels of 2^24 conjunctions are 2 MiB, computed from the example and never stored.

>>> from novikoff import concepts
>>> C = concepts.monotone_conjunctions(d=3)
>>> C.size
8
>>> [str(concept) for concept in C.consistent([(1, 0, 1)], [1])]
['1', 'x[0]', 'x[2]', 'x[0] & x[2]']
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import cached_property
from itertools import combinations, product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

Words = NDArray[np.uint64]  # bit c % 64 of word c // 64, rows one after the other, is that of code c
Bits = NDArray[np.bool_]

LARGEST = 2**32  # codes of a class: half a gigabyte of bits
ENUMERABLE = 2**20  # points of a domain, where all are listed
CELLS = 2**31  # of a table: concepts times points
INNER = 2**12  # codes that share the label of their outer part
GROUP = 4  # variables whose combinations are kept
NONE, ALL = np.uint64(0), np.uint64(2**64 - 1)


# Examples ------------------------------------------------------------------------------------------


def boolean(x: Any, d: int | None = None) -> Bits:
    """A vector of d entries 0 or 1, or False and True."""
    if hasattr(x, "toarray"):
        x = x.toarray().ravel()
    vector = np.asarray(x)
    if vector.ndim != 1:
        raise ValueError(f"x must be one vector of 0 and 1; its shape is {vector.shape}")
    if d is not None and len(vector) != d:
        raise ValueError(f"x has {len(vector)} entries; the examples before it, or the class, have {d}")
    if vector.dtype.kind not in "biuf" and not all(isinstance(entry, int | float | np.number) for entry in x):
        raise ValueError("x must hold numbers 0 and 1")
    bits = vector == 1
    wrong = np.flatnonzero(~bits & (vector != 0))
    if len(wrong):
        raise ValueError(f"x[{wrong[0]}] is {vector[wrong[0]]}: every entry must be 0 or 1")
    return np.asarray(bits)


def bit(y: Any) -> int:
    """A label, 0 or 1."""
    if isinstance(y, bool | int | float | np.bool_ | np.number) and y in (0, 1):
        return int(y)
    raise ValueError(f"y is {y!r}: the labels here are 0 and 1")


class Domain(ABC):
    """What the concepts of a class are functions of."""

    size: int

    @abstractmethod
    def point(self, x: Any) -> Any:
        """x in the form that concepts take; ValueError if it is not in the domain."""

    @abstractmethod
    def __getitem__(self, number: int) -> Any:
        """The points in order."""

    def draw(self, rng: np.random.Generator) -> Any:
        """A point at random."""
        return self[int(rng.integers(self.size))]

    def points(self) -> list[Any]:
        """All of them."""
        if self.size > ENUMERABLE:
            raise ValueError(
                f"the domain has {self.size:,} points, too many to list: Halving and the learners of conjunctions, "
                "disjunctions and Winnow need no list; or take a smaller d or n"
            )
        return [self[number] for number in range(self.size)]


class Booleans(Domain):
    """{0, 1}^d."""

    def __init__(self, d: int) -> None:
        self.d, self.size = _at_least(d, 1, "d"), 2**d

    def point(self, x: Any) -> Bits:
        return boolean(x, self.d)

    def __getitem__(self, number: int) -> tuple[int, ...]:
        return tuple(number >> i & 1 for i in range(self.d))

    def draw(self, rng: np.random.Generator) -> tuple[int, ...]:
        return tuple(rng.integers(2, size=self.d).tolist())

    def number(self, x: Any) -> int:
        return sum(1 << i for i in np.flatnonzero(self.point(x)).tolist())


class Numbers(Domain):
    """0, 1, ..., n - 1."""

    def __init__(self, n: int) -> None:
        self.size = _at_least(n, 1, "n")

    def point(self, x: Any) -> int:
        whole = isinstance(x, int | np.integer) and not isinstance(x, bool)
        if not whole and not (isinstance(x, float | np.floating) and float(x).is_integer()):
            raise ValueError(f"x is {x!r}: the points of this class are the integers 0 to {self.size - 1}")
        if not 0 <= x < self.size:
            raise ValueError(f"x is {x}: the points of this class are 0 to {self.size - 1}")
        return int(x)

    number = point

    def __getitem__(self, number: int) -> int:
        return number


class Listed(Domain):
    """Given points."""

    def __init__(self, points: Iterable[Any]) -> None:
        self._points = list(points)
        self.size = len(self._points)
        self._number: dict[Hashable, int] = {}
        for number, x in enumerate(self._points):
            if self._number.setdefault(_key(x), number) != number:
                raise ValueError(f"the point {x!r} is twice in the domain")

    def point(self, x: Any) -> Any:
        return self[self.number(x)]

    def __getitem__(self, number: int) -> Any:
        return self._points[number]

    def number(self, x: Any) -> int:
        try:
            return self._number[_key(x)]
        except KeyError:
            raise ValueError(f"x is {x!r}: it is not one of the {self.size} points of the domain") from None


def _key(x: Any) -> Hashable:
    x = x.tolist() if isinstance(x, np.ndarray | np.generic) else x
    return tuple(map(_key, x)) if isinstance(x, list | tuple) else x


def _at_least(value: Any, least: int, name: str) -> int:
    if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < least:
        raise ValueError(f"{name} is {value!r}: it must be an integer, at least {least}")
    return int(value)


# Classes -------------------------------------------------------------------------------------------


class Pattern(NamedTuple):
    """The labels of all codes on one example: ``words`` in some ``rows`` and 0 elsewhere, or the opposite of that."""

    words: Words
    rows: NDArray[np.int64] | slice = slice(None)
    opposite: bool = False


class Concept(NamedTuple):
    """One function of a class."""

    of: ConceptClass
    code: int

    def __call__(self, x: Any) -> int:
        return int(self.of.labels(x).ravel()[self.code >> 6] >> np.uint64(self.code & 63) & np.uint64(1))

    def __str__(self) -> str:
        return self.of.describe(self.code)

    def __repr__(self) -> str:
        return f"<concept {self}>"


class ConceptClass(ABC):
    """A finite set of different functions from a domain to {0, 1}.

    Attributes
    ----------
    name : str
    domain : the points that the functions take
    size : int
        |C|.
    merged : int
        How many functions were given, or written down in the usual way, that equal one of these.
    """

    def __init__(self, name: str, domain: Domain, whole: Words, merged: int = 0) -> None:
        self.name, self.domain, self.merged = name, domain, merged
        self.whole = whole  # the codes that are concepts: where rows are padded to words, some are not
        self.size = count(whole)
        if self.size == 0:
            raise ValueError("a class with no concepts: it must have one at least")

    @abstractmethod
    def pattern(self, x: Any) -> Pattern:
        """The labels of all codes on x. Bits outside ``whole`` mean nothing."""

    @abstractmethod
    def describe(self, code: int) -> str:
        """The concept in words."""

    def __len__(self) -> int:
        return self.size

    def __str__(self) -> str:
        merged = f", {self.merged:,} equal ones merged" if self.merged else ""
        return f"{self.size:,} {self.name}{merged}"

    def __repr__(self) -> str:
        return f"<{self}>"

    def labels(self, x: Any) -> Words:
        """The labels of all codes on x, a bit for each: what `pattern` says in short."""
        pattern = self.pattern(x)
        words = np.zeros_like(self.whole)
        words[pattern.rows] = pattern.words
        return ~words if pattern.opposite else words

    def votes(self, some: Words, size: int, x: Any) -> int:
        """How many of some concepts say 1; ``size`` is the number of them."""
        pattern = self.pattern(x)
        found = count(some[pattern.rows] & pattern.words)
        return size - found if pattern.opposite else found

    def filtered(self, some: Words, x: Any, y: Any) -> Words:
        """Of some concepts, those with c(x) = y."""
        pattern = self.pattern(x)
        if bit(y) == pattern.opposite:
            rest = some.copy()
            rest[pattern.rows] &= ~pattern.words
        else:
            rest = np.zeros_like(some)
            rest[pattern.rows] = some[pattern.rows] & pattern.words
        return rest

    def draw(self, rng: np.random.Generator) -> Concept:
        """A concept at random."""
        while True:
            code = int(rng.integers(self.whole.size * 64))
            if int(self.whole.flat[code >> 6]) >> (code & 63) & 1:
                return Concept(self, code)

    def members(self, some: Words) -> list[Concept]:
        """A set of concepts as a list."""
        return [Concept(self, code) for code in codes(some).tolist()]

    def consistent(self, X: Iterable[Any], y: Iterable[Any]) -> list[Concept]:
        """The concepts that agree with all examples."""
        some = self.whole
        for x, label in zip(X, y, strict=True):
            some = self.filtered(some, x, label)
        return self.members(some)

    @cached_property
    def masks(self) -> tuple[list[Any], list[int]]:
        """The points, and for each the concepts with c(x) = 1: concept i is bit i of an integer."""
        points = self.domain.points()
        if self.size * len(points) > CELLS:
            raise ValueError(
                f"{self.size:,} concepts on {len(points):,} points are too many for a table: take a smaller class"
            )
        kept = codes(self.whole)
        columns = (np.packbits(unpacked(self.labels(x))[kept], bitorder="little") for x in points)
        return points, [int.from_bytes(column.tobytes(), "little") for column in columns]


def count(some: Words) -> int:
    """How many concepts a set has."""
    return int(np.bitwise_count(some).sum(dtype=np.int64))


def unpacked(words: Words) -> Bits:
    """A bit for every code."""
    return np.unpackbits(words.astype("<u8", copy=False).reshape(-1).view(np.uint8), bitorder="little").view(np.bool_)


def codes(some: Words) -> NDArray[np.int64]:
    """The codes in a set."""
    return np.flatnonzero(unpacked(some))


def packed(bits: ArrayLike) -> Words:
    """Bits into words, every row filled up with zeros."""
    bits = np.asarray(bits, dtype=np.bool_)
    room = np.zeros((*bits.shape[:-1], -(-bits.shape[-1] // 64) * 64), dtype=np.bool_)
    room[..., : bits.shape[-1]] = bits
    return np.packbits(room, axis=-1, bitorder="little").view("<u8").astype(np.uint64, copy=False)


def _below(limit: int, width: int) -> Words:
    """Bits 0, ..., limit - 1 of a row of `width` bits."""
    words = np.zeros(-(-width // 64), dtype=np.uint64)
    words[: limit // 64] = ALL
    if limit % 64:
        words[limit // 64] = 2 ** (limit % 64) - 1
    return words


class _Products(ConceptClass):
    """A choice for every variable; the label is the and, the or, or the exclusive or of what is chosen.

    ``chosen[b]``: the values of the choices when the variable is b. Code: sum of choice_i * radix^i.
    """

    domain: Booleans

    def __init__(self, name: str, d: int, operation: np.ufunc, chosen: list[list[int]], signs: list[str]) -> None:
        domain = Booleans(d)
        self._operation, self._chosen, self._signs = operation, np.array(chosen, dtype=np.bool_), signs
        self._groups: dict[tuple[bool, ...], Bits] = {}
        radix = len(signs)
        if radix**d > LARGEST:
            raise ValueError(
                f"there are {radix}^{d} {name} of {d} variables, too many to enumerate: use the learner that "
                "needs no list (MonotoneConjunction, Conjunction, Disjunction, KDNF or Winnow), or a smaller d"
            )
        self._inner = min(d, int(math.log(INNER, radix)))
        one_row = _below(radix**self._inner, radix**self._inner)
        whole = np.tile(one_row, (radix ** (d - self._inner), 1))
        super().__init__(f"{name} of {d} variables", domain, whole)

    def pattern(self, x: Any) -> Pattern:
        point = self.domain.point(x).tolist()
        outer, inner = self._combined(point[self._inner :]), packed(self._combined(point[: self._inner]))
        if self._operation is np.bitwise_and:
            return Pattern(inner, np.flatnonzero(outer))
        if self._operation is np.bitwise_or:
            return Pattern(~inner, np.flatnonzero(~outer), opposite=True)
        return Pattern(np.where(outer, ALL, NONE)[:, None] ^ inner)

    def _combined(self, point: list[bool]) -> Bits:
        """The labels of all choices for these variables, the first one running fastest."""
        return self._joined(self._group(tuple(point[i : i + GROUP])) for i in range(0, len(point), GROUP))

    def _group(self, values: tuple[bool, ...]) -> Bits:
        if values not in self._groups:
            self._groups[values] = self._joined(self._chosen[int(value)] for value in values)
        return self._groups[values]

    def _joined(self, parts: Iterable[Bits]) -> Bits:
        joined = np.array([self._operation is np.bitwise_and])  # the empty combination
        for part in parts:
            joined = self._operation(part[:, None], joined).ravel()
        return joined

    def describe(self, code: int) -> str:
        radix, inner = len(self._signs), self._inner
        row, column = divmod(code, self.whole.shape[1] * 64)
        number = row * radix**inner + column
        parts = [(i, self._signs[number // radix**i % radix]) for i in range(self.domain.d)]
        mark = {"bitwise_and": " & ", "bitwise_or": " | ", "bitwise_xor": " ^ "}[self._operation.__name__]
        text = mark.join(f"{sign}[{i}]" for i, sign in parts if sign)
        return text or str(int(self._operation is np.bitwise_and))


def monotone_conjunctions(d: int) -> ConceptClass:
    """x[i] & x[j] & ... over {0, 1}^d: 2^d concepts; the empty one is always 1."""
    return _Products("monotone conjunctions", d, np.bitwise_and, [[1, 0], [1, 1]], ["", "x"])


def conjunctions(d: int) -> ConceptClass:
    """Conjunctions of variables or their negations: 3^d concepts (the contradictory ones are left out)."""
    return _Products("conjunctions", d, np.bitwise_and, [[1, 0, 1], [1, 1, 0]], ["", "x", "~x"])


def monotone_disjunctions(d: int) -> ConceptClass:
    """x[i] | x[j] | ... over {0, 1}^d: 2^d concepts; the empty one is always 0."""
    return _Products("monotone disjunctions", d, np.bitwise_or, [[0, 0], [0, 1]], ["", "x"])


def disjunctions(d: int) -> ConceptClass:
    """Disjunctions of variables or their negations: 3^d concepts (those that are always 1 are left out)."""
    return _Products("disjunctions", d, np.bitwise_or, [[0, 0, 1], [0, 1, 0]], ["", "x", "~x"])


def parities(d: int) -> ConceptClass:
    """x[i] ^ x[j] ^ ... over {0, 1}^d: 2^d concepts."""
    return _Products("parities", d, np.bitwise_xor, [[0, 0], [0, 1]], ["", "x"])


class _Juntas(ConceptClass):
    """Row: k variables in increasing order. Code in the row: a truth table of 2^k bits."""

    domain: Booleans

    def __init__(self, d: int, k: int) -> None:
        d, k = Booleans(d).d, _at_least(k, 1, "k")
        if k > d or 2**2**k * math.comb(d, k) > LARGEST:
            raise ValueError(f"functions of k = {k} of d = {d} variables: k must be at most d, and small (4 is large)")
        tables = np.arange(2**2**k)
        entries = np.arange(2**k)
        values = tables[:, None] >> entries[None, :] & 1 == 1
        self._patterns: Words = packed(values.T)
        self._sets = np.array(list(combinations(range(d), k)), dtype=np.int64)
        needs = np.zeros(len(tables), dtype=np.int64)  # which of the k variables a table depends on
        for i in range(k):
            needs |= np.any(values != values[:, entries ^ 1 << i], axis=1).astype(np.int64) << i
        # A function of fewer variables appears with every set that holds them; the first is kept.
        whole = np.zeros((len(self._sets), self._patterns.shape[1]), dtype=np.uint64)
        for need in range(2**k):
            pattern = packed(needs == need)
            rest = k - need.bit_count()
            for row, variables in enumerate(self._sets.tolist()):
                used = {variables[i] for i in range(k) if need >> i & 1}
                others = [i for i in range(d) if i not in used][:rest]
                if sorted(used | set(others)) == variables:
                    whole[row] |= pattern
        super().__init__(f"functions of at most {k} of {d} variables", Booleans(d), whole)
        self.merged = len(tables) * len(self._sets) - self.size

    def pattern(self, x: Any) -> Pattern:
        x = self.domain.point(x)
        entry = x[self._sets].astype(np.int64) @ (1 << np.arange(self._sets.shape[1]))
        return Pattern(self._patterns[entry])

    def describe(self, code: int) -> str:
        row, table = divmod(code, self.whole.shape[1] * 64)
        names = ", ".join(f"x[{i}]" for i in self._sets[row])
        return f"f({names}) with table {table:0{2 ** self._sets.shape[1]}b}"


def juntas(d: int, k: int) -> ConceptClass:
    """Every function of {0, 1}^d that depends on at most k variables."""
    return _Juntas(d, k)


class _Thresholds(ConceptClass):
    domain: Numbers

    def __init__(self, n: int) -> None:
        domain = Numbers(n)
        super().__init__(f"thresholds on {n} points", domain, _below(n + 1, n + 1))

    def pattern(self, x: Any) -> Pattern:
        return Pattern(_below(self.domain.point(x) + 1, self.domain.size + 1))

    def describe(self, code: int) -> str:
        return f"x >= {code}"


def thresholds(n: int) -> ConceptClass:
    """x >= 0, x >= 1, ..., x >= n on the points 0, ..., n - 1: n + 1 concepts."""
    return _Thresholds(n)


class _Intervals(ConceptClass):
    """Row: the first point; bit: the last. A row more for the empty interval, its bit 0."""

    domain: Numbers

    def __init__(self, n: int) -> None:
        domain = Numbers(n)
        if n * n > LARGEST:
            raise ValueError(f"n is {n}: too many intervals to enumerate")
        whole = np.stack([~_below(first, n) & _below(n, n) for first in range(n)] + [_below(1, n)])
        super().__init__(f"intervals of {n} points", domain, whole)

    def pattern(self, x: Any) -> Pattern:
        x = self.domain.point(x)
        return Pattern(~_below(x, self.domain.size), slice(x + 1))

    def describe(self, code: int) -> str:
        first, last = divmod(code, self.whole.shape[1] * 64)
        return f"{first} <= x <= {last}" if first < self.domain.size else "0"


def intervals(n: int) -> ConceptClass:
    """a <= x <= b on the points 0, ..., n - 1, and the empty one: n(n + 1)/2 + 1 concepts."""
    return _Intervals(n)


class _Stumps(ConceptClass):
    domain: Booleans

    def __init__(self, d: int) -> None:
        domain = Booleans(d)
        super().__init__(f"decision stumps of {d} variables", domain, _below(2 * d + 2, 2 * d + 2))

    def pattern(self, x: Any) -> Pattern:
        x = self.domain.point(x)
        return Pattern(packed(np.stack([np.append(False, x), np.append(True, ~x)], axis=1).ravel()))

    def describe(self, code: int) -> str:
        i, negated = divmod(code, 2)
        return f"{'~' * negated}x[{i - 1}]" if i else str(negated)


def decision_stumps(d: int) -> ConceptClass:
    """x[i], its negation, 0 and 1: 2d + 2 concepts."""
    return _Stumps(d)


class _Singletons(ConceptClass):
    domain: Numbers

    def __init__(self, n: int) -> None:
        domain = Numbers(n)
        super().__init__(f"singletons on {n} points", domain, _below(n, n))

    def pattern(self, x: Any) -> Pattern:
        x = self.domain.point(x)
        return Pattern(np.array([1 << x % 64], dtype=np.uint64), slice(x // 64, x // 64 + 1))

    def describe(self, code: int) -> str:
        return f"x == {code}"


def singletons(n: int) -> ConceptClass:
    """x == a on the points 0, ..., n - 1: n concepts."""
    return _Singletons(n)


class _Table(ConceptClass):
    """The labels of all concepts on all points. Equal rows are merged."""

    domain: Booleans | Numbers | Listed

    def __init__(self, name: str, rows: Bits, domain: Booleans | Numbers | Listed, names: Sequence[str]) -> None:
        if len(rows) == 0:
            raise ValueError("a class with no concepts: it must have one at least")
        _, first = np.unique(np.packbits(rows, axis=1), axis=0, return_index=True)
        kept = np.sort(first)
        self._columns: Words = packed(rows[kept].T)
        self._names: list[str] = [names[i] for i in kept.tolist()]
        super().__init__(name, domain, _below(len(kept), len(kept)), len(rows) - len(kept))

    def pattern(self, x: Any) -> Pattern:
        return Pattern(self._columns[self.domain.number(x)])

    def describe(self, code: int) -> str:
        return self._names[code]


def table(rows: ArrayLike) -> ConceptClass:
    """An explicit class: a row of 0 and 1 for each concept, a column for each point; points are column numbers."""
    values = np.asarray(rows)
    if values.ndim != 2 or values.shape[1] == 0:
        raise ValueError(f"a table has a row for each concept and a column for each point; its shape is {values.shape}")
    if not np.isin(values, (0, 1)).all():
        row, column = np.argwhere(~np.isin(values, (0, 1)))[0]
        raise ValueError(f"the table has {values[row, column]} in row {row}, column {column}: it must be 0 or 1")
    names = [f"row {i}" for i in range(len(values))]
    return _Table(f"concepts on {values.shape[1]} points", values == 1, Numbers(values.shape[1]), names)


def predicates(functions: Sequence[Callable[[Any], Any]], domain: Iterable[Any]) -> ConceptClass:
    """Python functions over a given domain; what they return is taken as true or false."""
    points = Listed(domain)
    if points.size == 0:
        raise ValueError("the domain is empty: give the points that examples can be")
    rows = [[bool(function(x)) for x in points.points()] for function in functions]
    names = [getattr(function, "__name__", "") for function in functions]
    names = [name if name.isidentifier() else f"predicate {i}" for i, name in enumerate(names)]
    return _Table(f"predicates on {points.size} points", np.array(rows, dtype=np.bool_), points, names)


def linear_thresholds(d: int, weight: int = 1) -> ConceptClass:
    """<w,x> >= b over {0, 1}^d with integer weights from -weight to weight, any b."""
    domain, weight = Booleans(d), _at_least(weight, 1, "weight")
    vectors = (2 * weight + 1) ** d
    if vectors * (2 * weight * d + 2) * domain.size > CELLS:
        raise ValueError(
            f"{vectors:,} weight vectors over {domain.size:,} points are too many to tell apart: take a smaller d or "
            "weight; EllipsoidPerceptron and Perceptron learn halfspaces without a list"
        )
    points = np.array(domain.points()).T
    found: dict[bytes, str] = {}
    total = 0
    for w in sorted(product(range(-weight, weight + 1), repeat=d), key=lambda w: (sum(map(abs, w)), w[::-1])):
        sums = np.array(w) @ points
        # b from the least sum (always 1) to one above the largest (always 0)
        for b in range(int(sums.min()), int(sums.max()) + 2):
            total += 1
            found.setdefault(np.packbits(sums >= b).tobytes(), f"<{list(w)}, x> >= {b}")
    rows = np.unpackbits(np.frombuffer(b"".join(found), dtype=np.uint8).reshape(len(found), -1), axis=1)
    name = f"linear thresholds of {d} variables with weights up to {weight}"
    made = _Table(name, rows[:, : domain.size].astype(np.bool_), domain, list(found.values()))
    made.merged = total - made.size
    return made
