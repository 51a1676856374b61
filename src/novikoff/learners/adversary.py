"""The adversary: a stream that forces as many mistakes from a learner as any stream can.

Halving is not always the best learner: the Littlestone dimension of the intervals of 11 points is 5.

>>> from novikoff import Halving, concepts, play
>>> C = concepts.intervals(n=11)
>>> stream = worst_case(Halving(C))
>>> play(Halving(C), stream).mistakes
6
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from math import inf
from typing import Any, NamedTuple, Protocol

import numpy as np

from novikoff.concepts import ConceptClass
from novikoff.learners.halving import Halving, VersionSpaceLearner
from novikoff.learners.littlestone import Shattering, StandardOptimal
from novikoff.learners.online import NotRealizable, OnlineLearner
from novikoff.theory.exact import Number, rational
from novikoff.theory.perceptron import bound_from_start

STATES = 2**20  # of a search
LONGEST = 2**10  # stream that it tries: a learner whose states have no end would lead it away for ever
ROUNDS = 2**18  # that it tries with a learner
ENTRIES = 2**26  # of orthonormal examples: half a gigabyte
WRONG_AT_ZERO = {"mistake": 1, "positive": -1, "negative": 1}

Stream = list[tuple[Any, Any]]


def worst_case(learner: Any, C: ConceptClass | None = None, *, gamma: Number | None = None) -> Stream:
    """A stream on which a learner, from its present state on, makes the most mistakes that it can be made to make.

    For a learner of concepts the stream is explained by some concept of C, and no such stream forces more mistakes:
    all are searched, but for those that cannot be better. Only a ``bound`` of the learner that equals the Littlestone
    dimension of C is believed. The learner must be deterministic; it stays as it is. Examples that it refuses
    (`NotRealizable`) are not played.

    For the Perceptron, and any separator of margin gamma over examples of length 1: floor(1/gamma^2) orthonormal
    examples, each of them a mistake, as many as its theorem allows.

    Parameters
    ----------
    learner : a learner of concepts, or a new ``Perceptron(fit_intercept=False)``
    C : the class; that of the learner, and of it what agrees with the examples so far, if it has one
    gamma : for the Perceptron; 0 < gamma <= 1

    Returns
    -------
    list of (x, y)

    Raises
    ------
    ValueError
        If the mistakes have no bound, or there are too many states to search.

    Examples
    --------
    >>> from novikoff import Halving, Perceptron, concepts, play
    >>> learner = Halving(concepts.monotone_conjunctions(d=4))
    >>> play(learner, worst_case(learner)).mistakes
    4
    >>> learner = Perceptron(fit_intercept=False)
    >>> play(learner, worst_case(learner, gamma=1 / 7)).mistakes
    49
    """
    if hasattr(learner, "at_zero"):
        if C is not None:
            raise TypeError(f"{type(learner).__name__} takes gamma, not a class of concepts")
        return _orthonormal(learner, gamma)
    if not isinstance(learner, OnlineLearner):
        raise TypeError(
            f"{type(learner).__name__} is no learner of concepts and no Perceptron: there is no worst case to find"
        )
    if gamma is not None:
        raise TypeError(f"gamma is for the Perceptron; {type(learner).__name__} takes a class of concepts, C")
    if hasattr(learner, "random_state"):
        raise ValueError(
            f"{type(learner).__name__} draws its predictions: only a deterministic learner has a worst case"
        )
    own = getattr(learner, "concepts", None)
    C = own if C is None else C
    if not isinstance(C, ConceptClass):
        raise TypeError(f"give the class of concepts that explain the stream: worst_case({type(learner).__name__}, C)")
    shattering = Shattering(C)
    V = shattering.whole
    if C is own and isinstance(learner, VersionSpaceLearner):
        V = shattering.subset(learner._alive)
    forced, end, left = _down_the_tree(learner.copy(), shattering, V)
    if C is own and type(learner) is StandardOptimal:
        return forced  # its bound, from any version space
    if C is own and type(learner) is Halving:
        return _Search(_HalvingGame(shattering)).longest(V, forced)
    game = _Game(shattering, learner.rounds_)
    if end.bound() == end.mistakes_:
        move = next(game.moves(_Position(end, left)), None)
        if move is None or not move.mistake:
            return forced  # the learner's bound, which is believed
    return _Search(game).longest(_Position(learner.copy(), V), forced)


# The Perceptron ------------------------------------------------------------------------------------


def _orthonormal(learner: Any, gamma: Number | None) -> Stream:
    """e_1, ..., e_n with the label that is wrong at <w,x> = 0. For w* = +-(1, ..., 1)/sqrt(n) all have 1/sqrt(n)."""
    name = type(learner).__name__
    if hasattr(learner, "threshold") or not hasattr(learner, "fit_intercept") or not hasattr(learner, "scale"):
        raise ValueError(f"the worst case of {name} is not known here: take Perceptron(fit_intercept=False)")
    if learner.fit_intercept or learner.scale != "none":
        raise ValueError(
            "orthonormal examples are the worst case without a constant coordinate and without scaling: take "
            f"{name}(fit_intercept=False, scale='none')"
        )
    if learner.at_zero not in WRONG_AT_ZERO:
        raise ValueError(f"at_zero is {learner.at_zero!r}: it must be one of {', '.join(WRONG_AT_ZERO)}")
    if hasattr(learner, "classes_"):
        raise ValueError(f"this {name} has learned: its worst case is that of a new one, which starts at w = 0")
    if gamma is None:
        raise TypeError(f"give the margin that a separator has: worst_case({name}, gamma=...)")
    try:
        inside = 0 < rational(gamma) <= 1
    except (ValueError, OverflowError):  # nan and the infinities have no exact value
        inside = False
    if not inside:
        raise ValueError(f"gamma is {gamma}: it must be above 0 and at most 1, the length of an example")
    n = bound_from_start(1, gamma, 0)
    if n * n > ENTRIES:
        raise ValueError(
            f"gamma = {gamma} allows {n:,} mistakes, in as many dimensions: too large; take a larger gamma"
        )
    y = WRONG_AT_ZERO[learner.at_zero]
    return [(x, y) for x in np.eye(n)]


# Learners of concepts ------------------------------------------------------------------------------


def _down_the_tree(learner: OnlineLearner, shattering: Shattering, V: int) -> tuple[Stream, OnlineLearner, int]:
    """Down a tree that V shatters, always the opposite of the prediction: as many mistakes as V's dimension.

    With the learner at its end, and the concepts that are left.
    """
    stream: Stream = []
    for k in range(shattering.dimension(V), 0, -1):
        number = shattering.root(V, k)
        x, ones = shattering.points[number], V & shattering.masks[number]
        y = 1 - learner.predict_one(x)
        try:
            learner.learn_one(x, y)
        except NotRealizable:
            break
        V = ones if y else V ^ ones
        stream.append((x, y))
    return stream, learner, V


class _Move(NamedTuple):
    x: Any
    y: int
    mistake: bool
    to: Any  # the position after it
    most: float  # no stream that starts with it forces more mistakes


class _Rules(Protocol):
    def moves(self, position: Any) -> Iterator[_Move]:
        """What the adversary can do, mistakes first."""

    def most(self, position: Any) -> float:
        """No stream forces more mistakes."""


class _HalvingGame:
    """Halving over its own class: a position is its version space, an integer."""

    def __init__(self, shattering: Shattering) -> None:
        self._points = list(zip(shattering.points, shattering.masks, strict=True))

    def most(self, V: int) -> float:
        return V.bit_count().bit_length() - 1

    def moves(self, V: int) -> Iterator[_Move]:
        size = V.bit_count()
        seen: set[int] = set()
        splits = []
        for x, mask in self._points:
            ones = V & mask
            if 0 < ones < V and ones not in seen:
                seen.add(ones)
                count = ones.bit_count()
                predicted = int(2 * count >= size)
                few, many = (V ^ ones, ones) if predicted else (ones, V ^ ones)
                splits.append((min(count, size - count), few, many, x, predicted))
        splits.sort(key=lambda split: split[0], reverse=True)
        for smaller, few, _, x, predicted in splits:
            yield _Move(x, 1 - predicted, True, few, smaller.bit_length())
        if splits:
            # Parts of a subset are no larger, so 1 + log2 of the largest smaller part bounds what follows, too.
            later = splits[0][0].bit_length()
            for smaller, _, many, x, predicted in splits:
                yield _Move(x, predicted, False, many, min(later, (size - smaller).bit_length() - 1))


class _Position:
    """A learner's state, and the concepts that agree with the stream so far."""

    __slots__ = ("V", "_hash", "learner", "state")

    def __init__(self, learner: OnlineLearner, V: int) -> None:
        self.state, self.V = learner._state, V
        self.learner: OnlineLearner | None = learner  # None once its moves are known
        self._hash = hash((self.state, V))

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Position) and self.V == other.V and self.state == other.state


class _Game:
    """Any learner.

    Of moves that lead to the same state, one that leaves more concepts is at least as good: whatever stream the
    fewer explain, the more explain, too. So a round without a mistake that changes no state is never needed.
    """

    def __init__(self, shattering: Shattering, first: int) -> None:
        self._points = list(zip(shattering.points, shattering.masks, strict=True))
        self._first = first  # the number of the first round
        self._rounds = 0

    def most(self, position: _Position) -> float:
        return inf

    def moves(self, position: _Position) -> Iterator[_Move]:
        learner, position.learner = position.learner, None
        assert learner is not None
        if learner.rounds_ - self._first > LONGEST:
            raise ValueError(
                f"after {LONGEST:,} rounds the learner still goes from state to new state: too large to search; take "
                "a smaller class"
            )
        predicted = [learner.predict_one(x) for x, _ in self._points]
        wrong = self._children(learner, position.V, [1 - label for label in predicted])
        best: dict[Hashable, list[int]] = {}  # by state, what is left after the moves to it
        yield from self._undominated(wrong, True, best)
        best.setdefault(position.state, []).append(position.V)
        right = self._children(learner, position.V, predicted)
        yield from self._undominated(right, False, best)

    def _children(self, learner: OnlineLearner, V: int, labels: list[int]) -> Iterator[tuple[Any, int, _Position]]:
        for (x, mask), y in zip(self._points, labels, strict=True):
            left = V & mask if y else V & ~mask
            if left:
                self._rounds += 1
                if self._rounds > ROUNDS:
                    raise ValueError(f"more than {ROUNDS:,} rounds tried: too large to search; take a smaller class")
                child = learner.copy()
                try:
                    child.learn_one(x, y)
                except NotRealizable:
                    continue
                yield x, y, _Position(child, left)

    @staticmethod
    def _undominated(
        children: Iterable[tuple[Any, int, _Position]], mistake: bool, best: dict[Hashable, list[int]]
    ) -> Iterator[_Move]:
        for x, y, child in sorted(children, key=lambda move: move[2].V.bit_count(), reverse=True):
            larger = best.setdefault(child.state, [])
            if all(child.V & ~V for V in larger):
                larger.append(child.V)
                yield _Move(x, y, mistake, child, inf)


class _Frame:
    """A position whose moves are being tried."""

    __slots__ = ("low", "move", "moves", "position")

    def __init__(self, position: Any, number: int, moves: Iterator[_Move]) -> None:
        self.position, self.moves = position, moves
        self.low = number  # the first open position that it is known to lead back to
        self.move: _Move | None = None  # the one being tried


class _Search:
    """A longest path, mistakes counted, by Tarjan's search for strongly connected components.

    Rounds without a mistake can lead in a circle: the positions on it have the same value. A circle with a mistake
    forces mistakes without end.
    """

    def __init__(self, rules: _Rules) -> None:
        self._rules = rules
        self._value: dict[Any, int] = {}  # of a position: the mistakes forced from it by what was tried
        self._step: dict[Any, _Move | None] = {}  # the first move towards them
        self._number: dict[Any, int] = {}  # of a position, in the order of their discovery
        self._open: dict[Any, list[tuple[Any, _Move]]] = {}  # not settled: the moves to it from others that are not

    def longest(self, start: Any, known: Stream) -> Stream:
        """The best stream; `known` is a good one already."""
        if self._rules.most(start) <= len(known):
            return known
        frames = [self._enter(start)]
        self._value[start] = len(known)
        while frames:
            frame = frames[-1]
            move = self._next(frame)
            if move is None:
                frames.pop()
                if frame.low == self._number[frame.position]:
                    self._close(frame.position)
                if frames:
                    frames[-1].low = min(frames[-1].low, frame.low)
                    self._follow(frames[-1])
            elif move.to not in self._number:
                frames.append(self._enter(move.to))
            else:
                if move.to in self._open:
                    frame.low = min(frame.low, self._number[move.to])
                self._follow(frame)
        stream: Stream = []
        position = start
        while (step := self._step[position]) is not None:
            stream.append((step.x, step.y))
            position = step.to
        return stream or known

    def _enter(self, position: Any) -> _Frame:
        number = len(self._number)
        if number == STATES:
            raise ValueError(f"more than {STATES:,} states: too large to search; take a smaller class")
        self._number[position], self._value[position], self._step[position] = number, 0, None
        self._open[position] = []
        return _Frame(position, number, self._rules.moves(position))

    def _next(self, frame: _Frame) -> _Move | None:
        """The next move that could force more than those before it."""
        value = self._value[frame.position]
        if frame.move is None or value < self._rules.most(frame.position):
            frame.move = next((move for move in frame.moves if move.most > value), None)
            return frame.move
        return None

    def _follow(self, frame: _Frame) -> None:
        """What can be forced after a move can be forced before it."""
        move, position = frame.move, frame.position
        assert move is not None
        if move.to not in self._open:
            value = self._value[move.to] + move.mistake
            if value > self._value[position]:
                self._value[position], self._step[position] = value, move
        elif move.mistake:
            raise ValueError("no worst case: examples can be repeated for ever so that the learner is wrong for ever")
        else:
            self._open[move.to].append((position, move))

    def _close(self, first: Any) -> None:
        """`first` and all open positions after it lead to each other: they can do what the best of them can."""
        members = [first]
        for position in reversed(self._open):
            if position == first:
                break
            members.append(position)
        best = max(members, key=self._value.__getitem__)
        into = {position: self._open.pop(position) for position in members}
        queue = [best]
        for position in queue:
            for before, move in into.pop(position, ()):
                if before in into and before != best:
                    self._value[before], self._step[before] = self._value[best], move
                    queue.append(before)
