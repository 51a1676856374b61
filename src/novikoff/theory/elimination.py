"""Elimination over {0, 1}^d: conjunctions, disjunctions, k-DNF.

A position is a term: a conjunction of literals, written as pairs (variable, value) that must hold. A conjunction is the
"and" of positions of one literal, a k-DNF the "or" of positions of at most k. The learner starts with all positions
of its class. A conjunction keeps those that no positive example has falsified, a disjunction those that no negative
has satisfied. The target's positions are never dropped, so a conjunction errs on positives only, a disjunction on
negatives only, and every mistake drops a position at least.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product

from novikoff.theory.halving import MEHTA
from novikoff.theory.theorem import Hypothesis, Theorem

Term = tuple[tuple[int, int], ...]
Join = Callable[[Iterable[bool]], bool]


@dataclass(frozen=True)
class Examples:
    """What was seen in a game over {0, 1}^d: for each round a vector of 0 and 1, the label, and the prediction."""

    examples: Sequence[Sequence[int]]
    truth: Sequence[int]
    predictions: Sequence[int]

    @property
    def mistakes(self) -> int:
        return sum(a != b for a, b in zip(self.truth, self.predictions, strict=True))

    @property
    def d(self) -> int:
        return len(self.examples[0])


@dataclass(frozen=True)
class BooleanGame(Examples):
    """A game over {0, 1}^d.

    Parameters
    ----------
    examples
        For each round a vector of 0 and 1.
    truth, predictions
        For each round, 0 or 1.
    target
        The terms of a concept, each a sequence of pairs (variable, value): x_0 and not x_2 is
        [[(0, 1)], [(2, 0)]] as a conjunction of two terms, [[(0, 1), (2, 0)]] as a 2-DNF of one.
    k
        Of k-DNF.
    """

    target: Sequence[Sequence[tuple[int, int]]]
    k: int = 1


def holds(term: Iterable[tuple[int, int]], x: Sequence[int]) -> bool:
    """Is the term true in x?"""
    return all(x[i] == b for i, b in term)


def variables(d: int, k: int = 1) -> Iterator[Term]:
    """x_0, ..., x_(d-1)."""
    return (((i, 1),) for i in range(d))


def literals(d: int, k: int = 1) -> Iterator[Term]:
    """Variables and their negations."""
    return (((i, b),) for b in (1, 0) for i in range(d))


def terms(d: int, k: int) -> Iterator[Term]:
    """All of at most k literals, the empty one first."""
    return (
        tuple(zip(which, values, strict=True))
        for size in range(min(k, d) + 1)
        for which in combinations(range(d), size)
        for values in product((1, 0), repeat=size)
    )


def kdnf_terms(d: int, k: int) -> tuple[int, int]:
    """N, the number of terms of at most k literals, and S, the number of those that are true in a given x."""
    subsets = [math.comb(d, size) for size in range(k + 1)]
    return sum(count << size for size, count in enumerate(subsets)), sum(subsets)


def monotone_bound(d: int, k: int = 1) -> int:
    """d: every mistake drops one of d variables."""
    return d


def literals_bound(d: int, k: int = 1) -> int:
    """d + 1: the first mistake drops one of x_i and its negation for each i, every other one of the d that are left."""
    return d + 1


def kdnf_bound(d: int, k: int) -> int:
    """N - S + 1: the first mistake drops the S terms that are true in x, every other at least one of N - S."""
    total, true = kdnf_terms(d, k)
    return total - true + 1


def _eliminates(game: BooleanGame, positions: Callable[..., Iterator[Term]], join: Join) -> bool:
    """Is every prediction that of the positions which are left?"""
    left = list(positions(game.d, game.k))
    wrong = int(join is all)  # the label on which the learner can err
    for x, y, prediction in zip(game.examples, game.truth, game.predictions, strict=True):
        if prediction != join(holds(term, x) for term in left):
            return False
        if y == wrong:
            left = [term for term in left if holds(term, x) == (join is all)]
    return True


def _theorem(
    name: str,
    title: str,
    what: str,
    statement: str,
    positions: Callable[..., Iterator[Term]],
    join: Join,
    bound: Callable[..., int],
    citation: str,
) -> Theorem:
    def in_class(game: BooleanGame) -> bool:
        known = {frozenset(term) for term in positions(game.d, game.k)}
        # An "and" of terms is the "and" of their literals.
        parts = [[literal] for term in game.target for literal in term] if join is all else game.target
        return all(frozenset(part) in known for part in parts)

    def agrees(game: BooleanGame) -> bool:
        labels = (join(holds(term, x) for term in game.target) for x in game.examples)
        return all(label == y for label, y in zip(labels, game.truth, strict=True))

    kept = "that no positive has falsified" if join is all else "that no negative has satisfied"
    return Theorem(
        name,
        title,
        statement,
        (
            Hypothesis(f"the target is {what}", in_class),
            Hypothesis("every label is the target's", agrees),
            Hypothesis(
                f"the prediction is {what}, of all those {kept} before",
                lambda game: _eliminates(game, positions, join),
            ),
        ),
        bound,
        lambda game: game.mistakes <= bound(game.d, game.k),
        citation,
        about=BooleanGame,
    )


SECTION = MEHTA + ", section 1.1"

MONOTONE_CONJUNCTION = _theorem(
    "monotone-conjunction",
    "Monotone conjunctions",
    "a conjunction of variables",
    "Starting from x_1 & ... & x_d and dropping the variables that are 0 in a positive makes at most d mistakes.",
    variables,
    all,
    monotone_bound,
    SECTION,
)

CONJUNCTION = _theorem(
    "conjunction",
    "Conjunctions",
    "a conjunction of literals",
    "Starting from all 2d literals and dropping those that are false in a positive makes at most d + 1 mistakes.",
    literals,
    all,
    literals_bound,
    SECTION + ", with negations",
)

MONOTONE_DISJUNCTION = _theorem(
    "monotone-disjunction",
    "Monotone disjunctions",
    "a disjunction of variables",
    "Starting from x_1 | ... | x_d and dropping the variables that are 1 in a negative makes at most d mistakes.",
    variables,
    any,
    monotone_bound,
    SECTION + ", dual",
)

DISJUNCTION = _theorem(
    "disjunction",
    "Disjunctions",
    "a disjunction of literals",
    "Starting from all 2d literals and dropping those that are true in a negative makes at most d + 1 mistakes.",
    literals,
    any,
    literals_bound,
    SECTION + ", dual with negations",
)

KDNF = _theorem(
    "k-dnf",
    "k-DNF",
    "a disjunction of terms of at most k literals",
    "Starting from all N = sum of C(d,i) 2^i terms, i <= k, and dropping those that are true in a negative makes at "
    "most N - S + 1 mistakes, S = sum of C(d,i): hence at most N.",
    terms,
    any,
    kdnf_bound,
    SECTION + ", over terms in the place of variables",
)
