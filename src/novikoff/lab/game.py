"""The mistake bound game over a small class of concepts. A request has all moves and is played from the start.

Play the adversary against a learner, or the learner against the adversary.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Annotated, Any, Literal, NamedTuple

import msgspec
from msgspec import Meta

import novikoff as nk
from novikoff.concepts import Concept, ConceptClass
from novikoff.lab.choices import limits
from novikoff.lab.separators import Vectors, vectors
from novikoff.learners.halving import VersionSpaceLearner
from novikoff.learners.littlestone import Shattering
from novikoff.learners.online import OnlineLearner
from novikoff.theory.elimination import literals_bound, monotone_bound
from novikoff.words import counted

MOST_ROUNDS = 64  # of an adversary; a learner who errs in every round has seen the end after |C| - 1
EIGHT = [[number >> x & 1 for x in range(4)] for number in (6, 8, 9, 10, 11, 12, 14, 15)]  # Halving errs once too often
SIGNS = {"&": "∧", "|": "∨", "^": "⊕", "~": "¬", "<=": "≤", ">=": "≥", "==": "="}
Name = Literal[
    "monotone-conjunctions",
    "conjunctions",
    "monotone-disjunctions",
    "disjunctions",
    "thresholds",
    "intervals",
    "singletons",
    "parities",
    "eight",
]
Opponent = Literal["halving", "optimal", "elimination"]
Label = Literal[0, 1]
Size = Annotated[int, Meta(ge=1, le=32)]
Number = Annotated[int, Meta(ge=0, le=63)]  # of a point


class Kind(NamedTuple):
    """A class of concepts, and the sizes at which a worst case from any position is found in a blink."""

    title: str
    letter: str  # of its size
    make: Callable[[int], ConceptClass]
    sizes: tuple[int, int, int]  # least, usual, most
    elimination: Callable[[], OnlineLearner] | None = None  # the learner that needs no list
    negations: bool = False


KINDS: dict[Name, Kind] = {
    "monotone-conjunctions": Kind(
        "Monotone conjunctions", "d", nk.concepts.monotone_conjunctions, (1, 4, 4), nk.MonotoneConjunction
    ),
    "conjunctions": Kind("Conjunctions", "d", nk.concepts.conjunctions, (1, 3, 3), nk.Conjunction, True),
    "monotone-disjunctions": Kind(
        "Monotone disjunctions", "d", nk.concepts.monotone_disjunctions, (1, 4, 4), nk.MonotoneDisjunction
    ),
    "disjunctions": Kind("Disjunctions", "d", nk.concepts.disjunctions, (1, 3, 3), nk.Disjunction, True),
    "thresholds": Kind("Thresholds", "n", nk.concepts.thresholds, (1, 15, 32)),
    "intervals": Kind("Intervals", "n", nk.concepts.intervals, (1, 11, 16)),
    "singletons": Kind("Singletons", "n", nk.concepts.singletons, (1, 16, 32)),
    "parities": Kind("Parities", "d", nk.concepts.parities, (1, 3, 5)),
    "eight": Kind("Eight concepts, where the majority is unwise", "n", lambda n: nk.concepts.table(EIGHT), (4, 4, 4)),
}

TITLES: dict[Opponent, tuple[str, str]] = {  # in the menu, and over the game
    "halving": ("Halving", "Halving"),
    "optimal": ("Standard optimal algorithm", "The standard optimal algorithm"),
    "elimination": ("Elimination of literals", "Elimination of literals"),
}


# What the page asks --------------------------------------------------------------------------------


class Play(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """You are the adversary: the class, the learner, and for every round the number of the point and the true label."""

    concepts: Name
    size: Size
    learner: Opponent
    moves: Annotated[list[tuple[Number, Label]], Meta(max_length=MOST_ROUNDS)] = []


class Learn(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """You are the learner: the class, and your prediction in every round."""

    concepts: Name
    size: Size
    predictions: Annotated[list[Label], Meta(max_length=160)] = []


# What it is told -----------------------------------------------------------------------------------


class Playable(msgspec.Struct, frozen=True):
    """A class to choose."""

    key: str
    title: str
    letter: str
    least: int
    usual: int
    most: int
    elimination: bool  # has its own learner


class Rival(msgspec.Struct, frozen=True):
    """A learner to play against: its name in the menu, and over the game."""

    key: str
    title: str
    heading: str
    eliminates: bool = False  # literals, so it plays those classes only that have its learner
    vectors: bool = False  # it is given vectors, and not points of a class of concepts


class Menu(msgspec.Struct, frozen=True):
    """The classes, the learners, and how long a game may be."""

    classes: list[Playable]
    learners: list[Rival]
    rounds: int  # against a learner
    last_point: int  # the largest number of one
    predictions: int  # against the adversary
    vectors: Vectors


class Tile(msgspec.Struct, frozen=True):
    """A point of the domain: what the learner would predict, and how many of the concepts left say 0 and 1."""

    x: str
    prediction: int
    zeros: int
    ones: int


class Shown(msgspec.Struct, frozen=True):
    """A concept, or a literal, and the round that ruled it out."""

    text: str
    out: int | None


class Round(msgspec.Struct, frozen=True):
    """What happened: rounds count from 1."""

    x: str
    prediction: int
    label: int
    left: int
    halving: int
    optimal: int


class Board(msgspec.Struct, frozen=True):
    """A game, as far as it went, against a learner."""

    name: str
    size: int
    dimension: int
    bound: int
    mistakes: int
    left: int
    over: bool
    rounds: list[Round]
    points: list[Tile]
    concepts: list[Shown]
    literals: list[Shown] | None
    theorem: str
    verdict: str


class Hint(msgspec.Struct, frozen=True):
    """The first move of a worst case from here, and how many mistakes it forces; no move if it forces none."""

    point: int | None
    label: int | None
    more: int
    text: str


class Duel(msgspec.Struct, frozen=True):
    """A game, as far as it went, against the adversary."""

    name: str
    size: int
    dimension: int
    mistakes: int
    left: int
    over: bool
    rounds: list[Round]
    point: Tile | None  # the question; its prediction is that of the standard optimal algorithm
    halving: int | None
    parts: tuple[int, int] | None  # Littlestone dimensions of the concepts that say 0, and of those that say 1
    concepts: list[Shown]
    theorem: str
    verdict: str


# Answers -------------------------------------------------------------------------------------------


def menu() -> Menu:
    """What can be played."""
    kinds = KINDS.items()
    return Menu(
        classes=[
            Playable(key, kind.title, kind.letter, *kind.sizes, kind.elimination is not None) for key, kind in kinds
        ],
        learners=[
            *(Rival(key, *titles, eliminates=key == "elimination") for key, titles in TITLES.items()),
            Rival("perceptron", "Perceptron", "Perceptron", vectors=True),
        ],
        rounds=limits(Play, "moves").max_length,
        last_point=limits(Play, "moves", "item").item_types[0].le,
        predictions=limits(Learn, "predictions").max_length,
        vectors=vectors(),
    )


def play(request: Play) -> Board:
    """The learner's answers to your examples, and what it would say to every other one."""
    table = _Table(request.concepts, request.size)
    learner, out, rounds = _replayed(request, table)
    tiles = [_tile(table, number, learner.predict_one(x)) for number, x in enumerate(table.points)]
    over = all((tile.ones if tile.prediction == 0 else tile.zeros) == 0 for tile in tiles)
    mistakes, bound = learner.mistakes_, table.bound(request.learner)
    return Board(
        name=table.C.name,
        size=table.C.size,
        dimension=table.dimension,
        bound=bound,
        mistakes=mistakes,
        left=table.left,
        over=over,
        rounds=rounds,
        points=tiles,
        concepts=[Shown(text, out.get(number)) for number, text in enumerate(table.texts)],
        literals=_literals(request, table) if request.learner == "elimination" else None,
        theorem=_theorem(request.learner, table, bound),
        verdict=_forced(request, table, mistakes, bound, over),
    )


def hint(request: Play) -> Hint:
    """The best next move of an adversary."""
    table = _Table(request.concepts, request.size)
    learner = _replayed(request, table)[0]
    stream = _worst_case(learner, table)
    if not stream:
        return Hint(None, None, 0, "No example can make it wrong any more.")
    more = nk.play(learner.copy(), stream).mistakes
    x, y = stream[0]
    number = table.points.index(x)
    predicted = learner.predict_one(x)
    effect = "so it is wrong" if predicted != y else "so it is right, which leaves it worse off later"
    made = counted(more, "mistake")
    text = f"Ask {table.names[number]} and say {y}: it predicts {predicted}, {effect}. From here {made} can be forced."
    return Hint(number, y, more, text)


def learn(request: Learn) -> Duel:
    """The adversary's answers to your predictions, and its next question."""
    table = _Table(request.concepts, request.size)
    out: dict[int, int] = {}
    rounds: list[Round] = []
    for number, prediction in enumerate(request.predictions, 1):
        if table.left == 1:
            raise ValueError(f"round {number}: one concept is left, so the game was over: send fewer predictions")
        point = table.hardest()
        votes = table.majority(point), table.optimal(point)
        out |= dict.fromkeys(table.tell(point, 1 - prediction), number)
        rounds.append(Round(table.names[point], prediction, 1 - prediction, table.left, *votes))
    over = table.left == 1
    asked = None if over else table.hardest()
    return Duel(
        name=table.C.name,
        size=table.C.size,
        dimension=table.dimension,
        mistakes=len(rounds),
        left=table.left,
        over=over,
        rounds=rounds,
        point=None if asked is None else _tile(table, asked, table.optimal(asked)),
        halving=None if asked is None else table.majority(asked),
        parts=None if asked is None else table.parts(asked),
        concepts=[Shown(text, out.get(number)) for number, text in enumerate(table.texts)],
        theorem=(
            "From any learner Ldim(C) mistakes can be forced, the Littlestone dimension, and the standard optimal "
            f"algorithm makes no more. For the {table.C.size} {table.C.name}, Ldim(C) = {table.dimension}."
        ),
        verdict=_suffered(table, len(rounds), over),
    )


# The version space ---------------------------------------------------------------------------------


class _Table:
    """A class written out, and the concepts that agree with the game so far: an integer, bit i is concept i."""

    def __init__(self, name: Name, size: int) -> None:
        self.kind = KINDS[name]
        least, _, most = self.kind.sizes
        if not least <= size <= most:
            raise ValueError(
                f"{self.kind.letter} is {size}: {self.kind.title.lower()} are played from {least} to {most}"
            )
        self.C = self.kind.make(size)
        self.shattering = Shattering(self.C)
        self.points = self.shattering.points
        self.names = ["".join(map(str, x)) if isinstance(x, tuple) else str(x) for x in self.points]
        self.members = self.C.members(self.C.whole)
        self.texts = [_written(str(concept)) for concept in self.members]
        self.dimension = self.shattering.dimension(self.shattering.whole)
        self.V = self.shattering.whole

    @property
    def left(self) -> int:
        return self.V.bit_count()

    @property
    def survivors(self) -> list[Concept]:
        return [concept for number, concept in enumerate(self.members) if self.V >> number & 1]

    def bound(self, learner: str) -> int:
        if learner == "optimal":
            return self.dimension
        if learner == "halving":
            return nk.Halving(self.C).bound()
        d = len(self.points[0])
        return literals_bound(d) if self.kind.negations else monotone_bound(d)

    def split(self, point: int) -> tuple[int, int]:
        """The concepts left that say 0, and those that say 1."""
        ones = self.V & self.shattering.masks[point]
        return self.V ^ ones, ones

    def tell(self, point: int, label: int) -> list[int]:
        """The true label of a point; which concepts it rules out."""
        gone = self.split(point)[1 - label]
        self.V ^= gone
        return [number for number in range(self.C.size) if gone >> number & 1]

    def majority(self, point: int) -> int:
        zeros, ones = self.split(point)
        return int(ones.bit_count() >= zeros.bit_count())

    def optimal(self, point: int) -> int:
        zero, one = self.parts(point)
        return int(one >= zero)

    def parts(self, point: int) -> tuple[int, int]:
        zeros, ones = self.split(point)
        return self.shattering.dimension(zeros), self.shattering.dimension(ones)

    def hardest(self) -> int:
        """The question that forces most from a good learner, and among those the one that costs a bad one most.

        Whatever is predicted, the opposite is true: then min(parts) is what can still be forced from the best.
        """

        def cost(point: int) -> tuple[int, int]:
            parts = self.parts(point)
            return min(parts), max(parts)

        return max(range(len(self.points)), key=cost)


def _beginner(request: Play, table: _Table) -> Any:
    """The learner before the first round."""
    if request.learner == "halving":
        return nk.Halving(table.C)
    if request.learner == "optimal":
        return nk.StandardOptimal(table.C)
    if table.kind.elimination is None:
        raise ValueError(f"there is no elimination of literals for {table.C.name}: choose another learner or class")
    return table.kind.elimination()


def _replayed(request: Play, table: _Table) -> tuple[Any, dict[int, int], list[Round]]:
    """The learner after the moves, the round that ruled out each concept, and the rounds."""
    learner = _beginner(request, table)
    out: dict[int, int] = {}
    rounds: list[Round] = []
    for number, (point, label) in enumerate(request.moves, 1):
        if point >= len(table.points):
            raise ValueError(
                f"round {number}: there is no point {point}, the points are numbered from 0 to {len(table.points) - 1}"
            )
        if not table.split(point)[label]:
            raise ValueError(
                f"round {number}: the label of {table.names[point]} cannot be {label}, because no concept would be "
                f"left: all that agree with the rounds before say {1 - label}"
            )
        votes = table.majority(point), table.optimal(point)
        predicted = learner.predict_one(table.points[point])
        learner.learn_one(table.points[point], label)
        out |= dict.fromkeys(table.tell(point, label), number)
        rounds.append(Round(table.names[point], predicted, label, table.left, *votes))
    return learner, out, rounds


def _worst_case(learner: Any, table: _Table) -> list[tuple[Any, Any]]:
    if isinstance(learner, VersionSpaceLearner):
        return nk.worst_case(learner)
    # The learner has no list of concepts: those that are left are the class of what follows.
    left = [concept.__call__ for concept in table.survivors]
    return nk.worst_case(learner, nk.concepts.predicates(left, table.points))


def _tile(table: _Table, point: int, prediction: int) -> Tile:
    zeros, ones = table.split(point)
    return Tile(table.names[point], prediction, zeros.bit_count(), ones.bit_count())


def _literals(request: Play, table: _Table) -> list[Shown]:
    """All literals, those that are gone with the round of the mistake."""
    d = len(table.points[0])
    every = [f"{sign}x[{i}]" for sign in (["", "~"] if table.kind.negations else [""]) for i in range(d)]
    learner = _beginner(request, table)
    out: dict[str, int] = {}
    for number, (point, label) in enumerate(request.moves, 1):
        learner.learn_one(table.points[point], label)
        for literal in set(every).difference(learner.literals_):
            out.setdefault(literal, number)
    return [Shown(_written(literal), out.get(literal)) for literal in every]


def _written(text: str) -> str:
    """A concept with the signs of a blackboard: x[0] & ~x[2] becomes x₀ ∧ ¬x₂."""
    text = re.sub(r"\[(\d)\]", lambda found: chr(ord("₀") + int(found[1])), text)
    for plain, sign in SIGNS.items():
        text = text.replace(plain, sign)
    return text


# Sentences -----------------------------------------------------------------------------------------


def _theorem(learner: str, table: _Table, bound: int) -> str:
    size, name = table.C.size, table.C.name
    if learner == "halving":
        return (
            f"Halving makes at most log₂|C| mistakes: each one removes at least half of the concepts that are left. "
            f"For the {size} {name} that is {bound}."
        )
    if learner == "optimal":
        return (
            f"The standard optimal algorithm makes at most Ldim(C) mistakes, the Littlestone dimension, and no learner "
            f"can promise fewer. For the {size} {name}, Ldim(C) = {bound}."
        )
    why = "every mistake removes at least one literal"
    if table.kind.negations:
        return f"At most d + 1 = {bound} mistakes: the first leaves d of the 2d literals, and then {why}."
    return f"At most d = {bound} mistakes: {why}."


def _forced(request: Play, table: _Table, mistakes: int, bound: int, over: bool) -> str:
    made = f"{counted(mistakes, 'mistake')} in {counted(len(request.moves), 'round')}"
    if not request.moves:
        return f"Choose an example and say what its label is. Can you force {counted(bound, 'mistake')}?"
    if mistakes == bound:
        return f"You forced {made}: all that the theorem allows. Nobody can force more."
    if not over:
        return f"{made[0].upper()}{made[1:]} so far; the theorem allows {bound}."
    ended = f"You forced {made}, and no example can make it wrong any more. The theorem allows {bound}"
    beginner, whole = _beginner(request, table), _Table(request.concepts, request.size)
    best = nk.play(beginner, _worst_case(beginner.copy(), whole)).mistakes
    if mistakes == best:
        return f"{ended}; {best} is the most that anybody can force."
    possible = "so many" if best == bound else str(best)
    return f"{ended}, and {possible} can be forced: begin again, or ask for hints."


def _suffered(table: _Table, mistakes: int, over: bool) -> str:
    made, k = counted(mistakes, "mistake"), table.dimension
    if not over:
        least = mistakes + table.shattering.dimension(table.V)
        if not mistakes:
            return f"Predict the label. The best learner makes {counted(k, 'mistake')} here, and none makes fewer."
        return f"{made[0].upper()}{made[1:]} so far; with perfect predictions from here on it will be {least}."
    answer = table.texts[table.V.bit_length() - 1]
    if mistakes == k:
        return f"Only “{answer}” is left. You made {made}, exactly Ldim(C): no learner makes fewer here."
    return (
        f"Only “{answer}” is left. You made {made}; the standard optimal algorithm would have made {k} = Ldim(C), "
        f"{mistakes - k} fewer."
    )
