"""Littlestone's theorem: the best mistake bound of a finite class, and the learner that has it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

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


def _down_a_tree(game: Game) -> bool:
    dimension = _dimension(game.domain)
    depth = littlestone_bound(game.domain)
    return len(game.truth) == depth and all(dimension(V) >= depth - t for t, V in enumerate(game.version_spaces))


IN_DOMAIN = Hypothesis(
    "every example is a point of the domain",
    lambda game: {tuple(row) for row in game.labels} <= {tuple(row) for row in game.domain},
)
OPTIMAL = Hypothesis(
    "the prediction is the label whose part of the version space has the larger Ldim, 1 if equal", _optimal
)
DOWN_A_TREE = Hypothesis(
    "there are Ldim(C) rounds, and after t of them the Ldim of the version space is at least Ldim(C) - t", _down_a_tree
)
ALWAYS_WRONG = Hypothesis(
    "every prediction is wrong", lambda game: all(a != b for a, b in zip(game.truth, game.predictions, strict=True))
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
    (DOWN_A_TREE, ALWAYS_WRONG),
    littlestone_bound,
    lambda game: bool(game.version_spaces[-1]) and game.mistakes >= littlestone_bound(game.domain),
    LITTLESTONE_1988,
    about=Game,
)
