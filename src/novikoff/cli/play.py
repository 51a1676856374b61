"""`novikoff play`: a game in the mistake bound model, round by round."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

import novikoff as nk
from novikoff.cli.answers import ERROR, GOOD, tell
from novikoff.cli.options import AsJson
from novikoff.words import counted

if TYPE_CHECKING:
    from novikoff.concepts import ConceptClass

CLASSES = (
    "monotone-conjunctions",
    "conjunctions",
    "monotone-disjunctions",
    "disjunctions",
    "thresholds",
    "intervals",
    "decision-stumps",
    "parities",
    "juntas",
    "linear-thresholds",
    "singletons",
)
LEARNERS: dict[str, Callable[[ConceptClass], Any]] = {
    "halving": lambda concepts: nk.Halving(concepts),
    "standard-optimal": lambda concepts: nk.StandardOptimal(concepts),
    "weighted-majority": lambda concepts: nk.WeightedMajority(concepts),
    "randomized-weighted-majority": lambda concepts: nk.RandomizedWeightedMajority(concepts),
    "monotone-conjunction": lambda _: nk.MonotoneConjunction(),
    "conjunction": lambda _: nk.Conjunction(),
    "monotone-disjunction": lambda _: nk.MonotoneDisjunction(),
    "disjunction": lambda _: nk.Disjunction(),
    "kdnf": lambda _: nk.KDNF(),
    "winnow": lambda _: nk.Winnow(),
}


def play(
    class_: Annotated[str, typer.Option("--class", help="monotone-conjunctions, parities, thresholds, ...")],
    learner: Annotated[str, typer.Option(help="halving, standard-optimal, conjunction, winnow, ...")] = "halving",
    d: Annotated[int | None, typer.Option(help="Variables, for classes over {0, 1}^d.")] = None,
    n: Annotated[int | None, typer.Option(help="Points, for thresholds, intervals and singletons.")] = None,
    k: Annotated[int | None, typer.Option(help="Relevant variables, for juntas.")] = None,
    weight: Annotated[int | None, typer.Option(help="The largest weight, for linear-thresholds.")] = None,
    adversary: Annotated[bool, typer.Option("--adversary", help="The worst examples that a concept explains.")] = False,
    rounds: Annotated[int, typer.Option(min=1, help="Random examples, without an adversary.")] = 20,
    seed: Annotated[int, typer.Option(min=0, help="Of the random examples and the concept that labels them.")] = 0,
    as_json: AsJson = False,
) -> int:
    """Play the mistake bound game, round by round. Exit 0; 1: an error, or a learner that has no concept left."""
    concepts = _concept_class(class_, {"d": d, "n": n, "k": k, "weight": weight})
    if learner not in LEARNERS:
        raise typer.BadParameter(f"{learner!r} is not one of {', '.join(LEARNERS)}", param_hint="--learner")
    player = LEARNERS[learner](concepts)
    target = None
    if adversary:
        stream: Iterable[tuple[Any, int]] = nk.worst_case(player, concepts)
    else:
        rng = np.random.default_rng(seed)
        target = concepts.draw(rng)
        points = (concepts.domain.draw(rng) for _ in range(rounds))
        stream = ((x, target(x)) for x in points)

    board = None if as_json else _Board(concepts)
    if board:
        print(f"{type(player).__name__} on {concepts.size:,} {concepts.name}")
        board.head()
    played, contradiction = _played(player, stream, board)
    mistakes = sum(record["mistake"] for record in played)
    if as_json:
        about = {
            "class": concepts.name,
            "size": concepts.size,
            "learner": type(player).__name__,
            "target": None if target is None else str(target),
            "rounds": played,
            "mistakes": mistakes,
            "bound": player.bound(),
            "not_realizable": contradiction,
        }
        print(json.dumps(about))
    else:
        allowed = "" if player.bound() is None else f"; the theorem allows {player.bound()}"
        print(f"{counted(len(played), 'round')}, {counted(mistakes, 'mistake')}{allowed}.")
        if target is not None:
            print(f"The labels were those of: {target}")
    if contradiction:
        tell(contradiction)
        return ERROR
    return GOOD


def _concept_class(name: str, given: dict[str, int | None]) -> ConceptClass:
    """The class of that name from the options that it takes."""
    if name not in CLASSES:
        raise typer.BadParameter(f"{name!r} is not one of {', '.join(CLASSES)}", param_hint="--class")
    make: Callable[..., ConceptClass] = getattr(nk.concepts, name.replace("-", "_"))
    parameters = inspect.signature(make).parameters
    chosen = {key: value for key, value in given.items() if value is not None}
    for key in chosen:
        if key not in parameters:
            takes = " and ".join(f"--{parameter}" for parameter in parameters)
            raise typer.BadParameter(f"{name} takes {takes}, not --{key}", param_hint=f"--{key}")
    for key, parameter in parameters.items():
        if parameter.default is parameter.empty and key not in chosen:
            raise typer.BadParameter(f"{name} needs --{key}", param_hint="--class")
    return make(**chosen)


def _played(
    player: Any, stream: Iterable[tuple[Any, int]], board: _Board | None
) -> tuple[list[dict[str, Any]], str | None]:
    """The rounds, and what the learner said if no concept was left to it."""
    played: list[dict[str, Any]] = []
    for x, y in stream:
        prediction = player.predict_one(x)
        try:
            player.learn_one(x, y)
        except nk.NotRealizable as error:
            return played, str(error)
        record = {"x": x, "prediction": prediction, "label": y, "mistake": prediction != y}
        left = getattr(player, "version_space_", None)
        if left is not None:
            record["concepts_left"] = left.size
        if board:
            board.line(len(played), record)
        played.append(record)
    return played, None


class _Board:
    """A line a round."""

    def __init__(self, concepts: ConceptClass) -> None:
        self._width = len(_shown(concepts.domain[concepts.domain.size - 1]))

    def head(self) -> None:
        print(f"{'round':>5}  {'x':<{self._width}}  predicts  truth")

    def line(self, number: int, record: dict[str, Any]) -> None:
        mark = "MISTAKE" if record["mistake"] else ""
        left = f"{counted(record['concepts_left'], 'concept')} left" if "concepts_left" in record else ""
        round_ = f"{number:>5}  {_shown(record['x']):<{self._width}}  {record['prediction']:>8}  {record['label']:>5}"
        print(f"{round_}  {mark:<7}  {left}".rstrip())


def _shown(x: Any) -> str:
    return "".join(map(str, x)) if isinstance(x, tuple) else str(x)
