"""Littlestone's theorem: the best mistake bound of a finite class, and the learner that has it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from novikoff.theory.halving import REALIZABLE, Game
from novikoff.theory.theorem import Hypothesis, Theorem

LITTLESTONE_1988 = (
    "N. Littlestone, Learning quickly when irrelevant attributes abound: a new linear-threshold algorithm, "
    "Machine Learning 2 (1988) 285-318"
)


def littlestone_bound(domain: Sequence[Sequence[int]]) -> int:
    """Ldim(C), from the definition. For every point of the domain, the labels of all concepts."""
    if not domain or not domain[0]:
        raise ValueError("Ldim(C) needs the labels of all concepts, one at least, on every point of the domain")
    return _dimension(domain)(range(len(domain[0])))


def _dimension(domain: Sequence[Sequence[int]]) -> Callable[[Iterable[int]], int]:
    """Ldim of sets of concepts: -1 if empty, else the largest 1 + min(Ldim(V0), Ldim(V1)) over points that split V."""
    known: dict[frozenset[int], int] = {frozenset(): -1}

    def dimension(concepts: Iterable[int]) -> int:
        V = frozenset(concepts)
        if V not in known:
            parts = [([c for c in V if not row[c]], [c for c in V if row[c]]) for row in domain]
            known[V] = max((1 + min(map(dimension, pair)) for pair in parts if all(pair)), default=0)
        return known[V]

    return dimension


def _optimal(game: Game) -> bool:
    dimension = _dimension(game.domain)
    return all(
        prediction == int(dimension(c for c in alive if row[c]) >= dimension(c for c in alive if not row[c]))
        for row, alive, prediction in zip(game.labels, game.version_spaces, game.predictions, strict=False)
    )


# A plan of the adversary: a concept, by its number, or a point of the domain, by its number, with what follows if the
# truth is 0 and if it is 1.
Tree = int | tuple[int, "Tree", "Tree"]


@dataclass(frozen=True, kw_only=True)
class Forced(Game):
    """A game against a learner down a tree.

    Parameters
    ----------
    tree
        A concept, by its number, or (a point of the domain, by its number; the tree if its label is 0; and if it is 1).
    """

    tree: Tree


def _branches(tree: Tree, before: tuple[tuple[int, int], ...] = ()) -> Iterator[tuple[list[tuple[int, int]], int]]:
    """Every way down: its points with their labels, and the concept at its end."""
    if isinstance(tree, int):
        yield list(before), tree
        return
    point, *parts = tree
    for y, part in enumerate(parts):
        yield from _branches(part, (*before, (point, y)))


def _shattered(game: Forced) -> bool:
    ways = list(_branches(game.tree))
    return len({len(way) for way, _ in ways}) == 1 and all(
        game.domain[point][concept] == y for way, concept in ways for point, y in way
    )


def _deepest(game: Forced) -> bool:
    return max(len(way) for way, _ in _branches(game.tree)) == littlestone_bound(game.domain)


def _down_the_tree(game: Forced) -> bool:
    tree = game.tree
    for row, y, prediction in zip(game.labels, game.truth, game.predictions, strict=True):
        if isinstance(tree, int) or list(row) != list(game.domain[tree[0]]) or y == prediction:
            return False
        tree = tree[1 + y]
    return isinstance(tree, int)


IN_DOMAIN = Hypothesis(
    "every example is a point of the domain",
    lambda game: {tuple(row) for row in game.labels} <= {tuple(row) for row in game.domain},
)
OPTIMAL = Hypothesis(
    "the prediction is the label whose part of the version space has the larger Ldim, 1 if equal", _optimal
)
SHATTERED = Hypothesis(
    "the tree is complete, and the concept at the end of every way down agrees with its labels", _shattered
)
DEEPEST = Hypothesis("the depth of the tree is Ldim(C)", _deepest)
DOWN_THE_TREE = Hypothesis(
    "the game goes down the tree to its end, each time to the label that was not predicted", _down_the_tree
)

LITTLESTONE = Theorem(
    "littlestone",
    "Littlestone: the standard optimal algorithm",
    "Predicting the label whose part of the version space has the larger Littlestone dimension makes at most Ldim(C) "
    "mistakes.",
    (REALIZABLE, IN_DOMAIN, OPTIMAL),
    littlestone_bound,
    lambda game: game.mistakes <= littlestone_bound(game.domain),
    LITTLESTONE_1988,
    about=Game,
)

LITTLESTONE_LOWER = Theorem(
    "littlestone-lower",
    "Littlestone: no learner is better",
    "From any deterministic learner Ldim(C) mistakes can be forced: some concept agrees with the opposite of its "
    "predictions on the points down a shattered tree.",
    (SHATTERED, DEEPEST, DOWN_THE_TREE),
    littlestone_bound,
    lambda game: bool(game.version_spaces[-1]) and game.mistakes == littlestone_bound(game.domain),
    LITTLESTONE_1988,
    about=Forced,
)
