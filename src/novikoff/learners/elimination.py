"""Elimination: a conjunction of literals, less what a positive falsifies (`novikoff.theory.CONJUNCTION`).

A disjunction is the negation of a conjunction of negated literals, so one learner serves both: with ``dual`` the labels
are exchanged. Sets of literals are Python integers. Let L be the literals that no positive has falsified. The
conjunctions that agree with the positives are the subsets of L, and L itself rejects most: some conjunction agrees with
all examples if and only if every negative has a false literal in L. So a negative is remembered by those, and that is
little: equal sets are one, and a set with a literal that another negative needs by itself adds nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from copy import copy
from itertools import combinations, product
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from novikoff.concepts import Bits
from novikoff.engine.storage import Storage, over
from novikoff.learners.boolean_loops import MARK, NEVER, Flags, Rounds, accepts, first_failure, settle, sweep
from novikoff.learners.online import NotRealizable
from novikoff.learners.state import State, require
from novikoff.theory.elimination import kdnf_terms

WIDEST = 2**25  # variables: up to here the sums of the kernels are exact
CHUNK = 2**22  # cells of a table of bits; no result depends on it
FEW = 10  # rounds that a message names
LARGEST = 2**30  # bytes of the sets that a state from outside may make


class Terms:
    """The terms of at most k literals over d variables, as Boolean features."""

    def __init__(self, d: int, k: int) -> None:
        self.d, self.k, self.size = d, k, kdnf_terms(d, k)[0]
        _check_width(self.size, "term")
        self._tables: list[tuple[NDArray[np.intp], Flags]] = []  # for each number of literals: variables, values
        for size in range(1, min(k, d) + 1):
            which = np.array(list(combinations(range(d), size)), dtype=np.intp)
            values = np.array(list(product((True, False), repeat=size)))
            self._tables.append((np.repeat(which, len(values), axis=0), np.tile(values, (len(which), 1))))

    def __call__(self, bits: Flags) -> Flags:
        """For each row, which terms are true in it; the empty one comes first."""
        true = [np.ones((*bits.shape[:-1], 1), dtype=np.bool_)]
        for which, values in self._tables:
            found = bits[..., which[:, 0]] == values[:, 0]
            for place in range(1, which.shape[1]):
                found &= bits[..., which[:, place]] == values[:, place]
            true.append(found)
        return np.concatenate(true, axis=-1)

    def __getitem__(self, number: int) -> list[tuple[int, int]]:
        """A term as pairs (variable, value)."""
        number -= 1
        for which, values in self._tables:
            if 0 <= number < len(which):
                return list(zip(which[number].tolist(), values[number].astype(int).tolist(), strict=True))
            number -= len(which)
        return []


def _check_width(width: int, position: str) -> None:
    if width > WIDEST:
        raise ValueError(f"{width:,} {position}s are too many: at most {WIDEST:,} are taken")


class Nouns(NamedTuple):
    """How a class speaks of itself."""

    concept: str  # "monotone conjunction"
    position: str  # "variable"


class Negative(NamedTuple):
    """An example that must be rejected."""

    since: int  # the round from which on its false literals in L are what they are
    round: int
    false: int  # all its false literals


class Elimination:
    """The learner over vectors of `width` bits.

    Parameters
    ----------
    width : int
    sides : does it start with the variables, with their negations?
    dual : are labels exchanged?
    nouns : for the message when no concept is left
    """

    def __init__(self, width: int, sides: tuple[bool, bool], dual: bool, nouns: Nouns) -> None:
        _check_width(width, nouns.position)
        self.width, self.sides, self.dual, self.nouns = width, sides, dual, nouns
        self._full = (1 << width) - 1
        self.left = (1 << width * sum(sides)) - 1
        self._removed = np.full((2, width), -1, dtype=np.int64)  # when each literal was dropped
        self._drops: list[tuple[int, int]] = []  # the rounds that dropped literals, and which
        self._negatives: dict[int, Negative] = {}  # by the false literals that are left
        self._needed = 0  # the literals that are such a set by themselves

    def copy(self) -> Self:
        twin = copy(self)
        twin._removed, twin._drops = self._removed.copy(), self._drops.copy()
        twin._negatives = self._negatives.copy()
        return twin

    # One example -------------------------------------------------------------------------------

    def predict_one(self, x: Bits) -> int:
        return int((self.left & self._false(x) == 0) != self.dual)

    def learn(self, x: Bits, y: int, round: int) -> None:
        """An example with its label; NotRealizable before anything has changed."""
        false = self._false(x)
        rest = self.left & false
        if y == self.dual:
            if not rest:
                raise self._contradiction(round, round, false)
            if rest not in self._negatives and not rest & self._needed:
                self._negatives[rest] = Negative(round, round, false)
                if _is_single(rest):
                    self._keep(self._negatives)
        elif rest:
            lost = [(kept.bit_count(), *negative) for kept, negative in self._negatives.items() if kept & ~rest == 0]
            if lost:
                _, _, other, its = min(lost)
                raise self._contradiction(round, other, its)
            self._drop(round, rest)
            self._removed = self._removed.copy()
            self._removed.reshape(-1)[self._places(rest)] = round
            self._compress(self._negatives.values())

    def _false(self, x: Bits) -> int:
        ones = _integer(x)
        zeros = self._full ^ ones
        return zeros | ones << self.width if all(self.sides) else zeros if self.sides[0] else ones

    def _drop(self, round: int, gone: int) -> None:
        self.left &= ~gone
        self._drops.append((round, gone))

    def _since(self, round: int, false: int) -> int:
        """The last round that changed which of these literals, false in the example of a round, are left."""
        for when, gone in reversed(self._drops):
            if when <= round:
                break
            if gone & false:
                return when
        return round

    def _compress(self, negatives: Iterable[Negative]) -> None:
        """Of negatives with equal sets, the first that came to it. It does not depend on when this is called."""
        found: dict[int, Negative] = {}
        for _, round, false in negatives:
            kept = self.left & false
            mine = Negative(self._since(round, false), round, false)
            found[kept] = min(mine, found.get(kept, mine))
        self._keep(found)

    def _keep(self, negatives: dict[int, Negative]) -> None:
        """All but the sets that hold a needed literal and another."""
        self._needed = sum(kept for kept in negatives if _is_single(kept))
        self._negatives = {
            kept: negative for kept, negative in negatives.items() if _is_single(kept) or not kept & self._needed
        }

    def _contradiction(self, now: int, negative: int, false: int) -> NotRealizable:
        """The rounds of a negative and of what dropped its false literals."""
        others = [round for round, gone in self._drops if gone & false]
        others += [now] if now != negative else []
        concept, position = self.nouns
        no, yes = int(self.dual), int(not self.dual)
        value = "true" if self.dual else "false"
        message = f"round {now}: no {concept} is left. "
        if others:
            message += (
                f"Every {position} that is {value} in round {negative}, labelled {no}, is {value} in "
                f"{_listed(others)}, labelled {yes}: a {concept} that is {yes} there is {yes} in round {negative} too"
            )
        else:
            message += f"No {position} is {value} in round {negative}, labelled {no}: every {concept} is {yes} there"
        return NotRealizable(message, now, sorted({*others, negative}))

    # Many --------------------------------------------------------------------------------------

    def one_pass(self, rows: Storage, labels: Flags, round: int) -> int:
        """Rows in their order, the first in this round; returns the mistakes. After an error the learner is spoilt."""
        positive = labels != self.dual
        before = self.copy()
        alive, ones = self._bits(self.left), np.empty(self.width, dtype=np.uint8)
        needed = self._bits(self._needed)
        # For the literals that are needed already no row is noted: it would come later.
        since, who = np.where(needed, -1, NEVER).reshape(-1), np.zeros(2 * self.width, dtype=np.int64)
        left = np.empty(len(positive) - np.count_nonzero(positive), dtype=np.int64)
        v, total = _score(alive + MARK * needed)
        mistakes, found = sweep(rows, positive, round, v, total, alive, needed, self._removed, ones, since, who, left)
        self._read_drops(round)
        lost = [negative for negative in self._negatives.values() if not self.left & negative.false]
        if found > 0 and not lost:
            marked, numbered = alive + MARK * needed, alive * np.arange(2.0 * self.width).reshape(2, -1)
            scores = *_score(marked), *_score(numbered)
            found = settle(rows, round, *scores, alive, self._removed, ones, since, who, left[:found])
        if found < 0 or lost:
            failure = first_failure(rows, positive, round, *_score(alive), alive, self._removed, ones)
            failure = min([failure, *(self._since(negative.round, negative.false) for negative in lost)])
            # The learner of one example says which rounds contradict each other.
            before.one_pass(rows, labels[: failure - round], round)
            before.learn(_rows_as_bits(rows, [failure - round], self.width)[0], int(labels[failure - round]), failure)
            raise AssertionError("a round without a concept had one")
        chosen = np.concatenate([who[(since >= 0) & (since < NEVER)], left[:found]])
        new = self._read_negatives(rows, chosen, round)
        if mistakes:
            self._compress([*self._negatives.values(), *new])
        elif len(chosen):
            self._keep({self.left & negative.false: negative for negative in reversed([*new])} | self._negatives)
        return mistakes

    def predictions(self, rows: Storage, n: int) -> Flags:
        out = np.empty(n, dtype=np.bool_)
        accepts(rows, *_score(self._bits(self.left)), out)
        return np.not_equal(out, self.dual)

    def _read_negatives(self, rows: Storage, chosen: Rounds, round: int) -> Iterator[Negative]:
        """Rows that are worth remembering."""
        step = max(1, CHUNK // self.width)
        for start in range(0, len(chosen), step):
            some = chosen[start : start + step]
            bits = _rows_as_bits(rows, some, self.width)
            false = np.concatenate([side for side, taken in zip((~bits, bits), self.sides, strict=True) if taken], 1)
            packed = np.packbits(false, axis=1, bitorder="little")
            size, data = packed.shape[1], packed.tobytes()
            for place, when in enumerate((some + round).tolist()):
                yield Negative(when, when, int.from_bytes(data[place * size : (place + 1) * size], "little"))

    def _read_drops(self, round: int) -> None:
        """The drops of a pass that began in this round."""
        places = np.flatnonzero(self._removed.reshape(-1) >= round)
        when = self._removed.reshape(-1)[places]
        order = np.argsort(when, kind="stable")
        starts = np.flatnonzero(np.diff(when[order], prepend=-1))
        for some in np.split(order, starts[1:]) if len(order) else []:
            gone = np.zeros((2, self.width), dtype=np.bool_)
            gone.reshape(-1)[places[some]] = True
            self._drop(int(when[some[0]]), _integer(gone[np.array(self.sides)]))

    # Sets of literals --------------------------------------------------------------------------

    def _bits(self, some: int) -> Flags:
        """Two rows of bits: variables, negations."""
        bits = np.zeros((2, self.width), dtype=np.bool_)
        bits[np.array(self.sides)] = _unpacked(some, self.width * sum(self.sides)).reshape(-1, self.width)
        return bits

    def _places(self, some: int) -> NDArray[np.int64]:
        """Literals as numbers: j for x_j, width + j for its negation."""
        return np.flatnonzero(self._bits(some))

    def remaining(self) -> list[tuple[int, int]]:
        """What is left as pairs (variable, value that it must have), variables first."""
        sides, variables = np.nonzero(self._bits(self.left))
        return [(j, 1 - side) for side, j in zip(sides.tolist(), variables.tolist(), strict=True)]

    # To keep and take up again ------------------------------------------------------------------

    def write_state(self, state: State) -> None:
        """When each literal was dropped, and the negatives that count; all else follows from these."""
        size = -(-self.width * sum(self.sides) // 8)
        negatives = list(self._negatives.values())
        data = b"".join(negative.false.to_bytes(size, "little") for negative in negatives)
        state.arrays["removed"] = self._removed[np.array(self.sides)]
        state.arrays["negative_rounds"] = np.array([negative.round for negative in negatives], dtype=np.int64)
        state.arrays["negatives"] = np.frombuffer(data, dtype=np.uint8).reshape(len(negatives), size)

    def read_state(self, state: State, rounds: int) -> None:
        """Take over the state of a learner that has seen so many rounds; this one must be fresh."""
        sides, size = sum(self.sides), -(-self.width * sum(self.sides) // 8)
        removed = state.array("removed", "<i8", sides, self.width)
        when = state.array("negative_rounds", "<i8", None)
        false = state.array("negatives", "|u1", len(when), size)
        require(((removed >= -1) & (removed < rounds)).all(), "a literal was dropped in a round that was not played")
        require(((when >= 0) & (when < rounds)).all(), "a negative is of a round that was not played")
        require(not np.isin(when, removed).any(), "a round of a negative has dropped literals")
        require(len(np.unique(when)) == len(when), "two negatives are of one round")
        require(len(np.unique(removed)) * size <= LARGEST, "it dropped literals in too many rounds")
        self._removed[np.array(self.sides)] = removed
        self._read_drops(0)
        negatives = [
            Negative(round, round, int.from_bytes(row.tobytes(), "little"))
            for round, row in zip(when.tolist(), false, strict=True)
        ]
        for negative in negatives:
            require(negative.false >> self.width * sides == 0, "a negative has literals that do not exist")
            require(negative.false & self.left, "a negative has no false literal left")
        self._compress(negatives)
        require(len(self._negatives) == len(negatives), "a negative adds nothing to the others")


class TermElimination:
    """A disjunction of terms: elimination over the terms in the place of variables."""

    def __init__(self, d: int, k: int) -> None:
        self.terms = Terms(d, k)
        self._over = Elimination(self.terms.size, (False, True), True, Nouns(f"{k}-DNF", "term"))

    @property
    def left(self) -> int:
        return self._over.left

    def copy(self) -> Self:
        twin = copy(self)
        twin._over = self._over.copy()
        return twin

    def predict_one(self, x: Bits) -> int:
        return self._over.predict_one(self.terms(x))

    def learn(self, x: Bits, y: int, round: int) -> None:
        self._over.learn(self.terms(x), y, round)

    def one_pass(self, rows: Storage, labels: Flags, round: int) -> int:
        parts = self._expanded(rows, len(labels))
        return sum(self._over.one_pass(some, labels[part], round + part.start) for some, part in parts)

    def predictions(self, rows: Storage, n: int) -> Flags:
        parts = self._expanded(rows, n)
        return np.concatenate([self._over.predictions(some, part.stop - part.start) for some, part in parts])

    def remaining(self) -> list[list[tuple[int, int]]]:
        """The terms that are left."""
        return [self.terms[j] for j, _ in self._over.remaining()]

    def _expanded(self, rows: Storage, n: int) -> Iterator[tuple[Storage, slice]]:
        """The terms that are true in each row, some rows at a time."""
        step = max(1, CHUNK // self.terms.size)
        for start in range(0, n, step):
            part = slice(start, min(start + step, n))
            true = self.terms(_rows_as_bits(rows, range(part.start, part.stop), self.terms.d))
            yield over(true.astype(np.float32), 0.0), part

    def write_state(self, state: State) -> None:
        state.values["k"] = self.terms.k
        self._over.write_state(state)

    def read_state(self, state: State, rounds: int) -> None:
        self._over.read_state(state, rounds)


def _is_single(some: int) -> bool:
    return some & some - 1 == 0


def _score(alive: NDArray[Any]) -> tuple[NDArray[np.float64], float]:
    """v and the total of `novikoff.learners.boolean_loops`."""
    weights = alive.astype(np.float64)
    return weights[0] - weights[1], float(weights[0].sum())


def _integer(bits: Flags) -> int:
    return int.from_bytes(np.packbits(bits.reshape(-1), bitorder="little").tobytes(), "little")


def _unpacked(some: int, count: int) -> Flags:
    words = np.frombuffer(some.to_bytes(-(-count // 8), "little"), dtype=np.uint8)
    return np.unpackbits(words, count=count, bitorder="little").view(np.bool_)


def _rows_as_bits(rows: Storage, some: Iterable[int], width: int) -> Flags:
    """Some of the rows as bits."""
    part = rows.part(np.fromiter(some, dtype=np.int64), width)
    return np.asarray((part.toarray() if hasattr(part, "toarray") else part) != 0)


def _listed(rounds: list[int]) -> str:
    *most, last = map(str, rounds)
    if not most:
        return f"round {last}"
    shown = ", ".join(most if len(most) <= FEW else [*most[:FEW], "..."])
    return f"one of the rounds {shown} and {last}"
