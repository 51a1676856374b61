"""`novikoff play`: a game in the mistake bound model, round by round."""

from __future__ import annotations

import inspect
import json
import sys
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import typer

import novikoff as nk
from novikoff.concepts import ConceptClass

CLASSES: dict[str, Callable[..., ConceptClass]] = {
    function.__name__.replace("_", "-"): function
    for function in (
        nk.concepts.monotone_conjunctions,
        nk.concepts.conjunctions,
        nk.concepts.monotone_disjunctions,
        nk.concepts.disjunctions,
        nk.concepts.thresholds,
        nk.concepts.intervals,
        nk.concepts.decision_stumps,
        nk.concepts.parities,
        nk.concepts.juntas,
        nk.concepts.linear_thresholds,
        nk.concepts.singletons,
    )
}
LEARNERS: dict[str, Callable[[ConceptClass], Any]] = {
    "halving": nk.Halving,
    "standard-optimal": nk.StandardOptimal,
    "weighted-majority": nk.WeightedMajority,
    "randomized-weighted-majority": nk.RandomizedWeightedMajority,
    "monotone-conjunction": lambda _: nk.MonotoneConjunction(),
    "conjunction": lambda _: nk.Conjunction(),
    "monotone-disjunction": lambda _: nk.MonotoneDisjunction(),
    "disjunction": lambda _: nk.Disjunction(),
    "kdnf": lambda _: nk.KDNF(),
    "winnow": lambda _: nk.Winnow(),
}


def concept_class(name: str, given: dict[str, int | None]) -> ConceptClass:
    """The class of that name from the options that it takes."""
    if name not in CLASSES:
        raise typer.BadParameter(f"{name!r} is not one of {', '.join(CLASSES)}", param_hint="--class")
    parameters = inspect.signature(CLASSES[name]).parameters
    chosen = {key: value for key, value in given.items() if value is not None}
    for key in chosen:
        if key not in parameters:
            takes = " and ".join(f"--{parameter}" for parameter in parameters)
            raise typer.BadParameter(f"{name} takes {takes}, not --{key}", param_hint=f"--{key}")
    for key, parameter in parameters.items():
        if parameter.default is parameter.empty and key not in chosen:
            raise typer.BadParameter(f"{name} needs --{key}", param_hint="--class")
    return CLASSES[name](**chosen)


def play_game(concepts: ConceptClass, name: str, adversary: bool, rounds: int, seed: int, *, as_json: bool) -> int:
    if name not in LEARNERS:
        raise typer.BadParameter(f"{name!r} is not one of {', '.join(LEARNERS)}", param_hint="--learner")
    learner = LEARNERS[name](concepts)
    target = None
    if adversary:
        stream: Iterable[tuple[Any, int]] = nk.worst_case(learner, concepts)
    else:
        rng = np.random.default_rng(seed)
        target = concepts.draw(rng)
        points = (concepts.domain.draw(rng) for _ in range(rounds))
        stream = ((x, target(x)) for x in points)
    played: list[dict[str, Any]] = []
    if not as_json:
        print(f"{type(learner).__name__} on {concepts.size:,} {concepts.name}")
        print(f"{'round':>5}  {'x':<{_width(concepts)}}  predicts  truth")
    contradiction = None
    for number, (x, y) in enumerate(stream):
        prediction = learner.predict_one(x)
        try:
            learner.learn_one(x, y)
        except nk.NotRealizable as error:
            contradiction = str(error)
            break
        left = getattr(learner, "version_space_", None)
        record = {"x": x, "prediction": prediction, "label": y, "mistake": prediction != y}
        if left is not None:
            record["concepts_left"] = left.size
        played.append(record)
        if not as_json:
            mark = "MISTAKE" if prediction != y else ""
            counted = "" if left is None else f"{left.size:,} concept{'s' * (left.size != 1)} left"
            line = f"{number:>5}  {_shown(x):<{_width(concepts)}}  {prediction:>8}  {y:>5}  {mark:<7}  {counted}"
            print(line.rstrip())
    mistakes = sum(record["mistake"] for record in played)
    if as_json:
        about = {
            "class": concepts.name,
            "size": concepts.size,
            "learner": type(learner).__name__,
            "target": None if target is None else str(target),
            "rounds": played,
            "mistakes": mistakes,
            "bound": learner.bound,
            "not_realizable": contradiction,
        }
        print(json.dumps(about))
    else:
        allowed = "" if learner.bound is None else f"; the theorem allows {learner.bound}"
        print(f"{len(played)} rounds, {mistakes} mistake{'s' * (mistakes != 1)}{allowed}.")
        if target is not None:
            print(f"The labels were those of: {target}")
    if contradiction:
        print(f"novikoff: {contradiction}", file=sys.stderr)
        return 1
    return 0


def _shown(x: Any) -> str:
    return "".join(map(str, x)) if isinstance(x, tuple) else str(x)


def _width(concepts: ConceptClass) -> int:
    return len(_shown(concepts.domain[concepts.domain.size - 1]))
