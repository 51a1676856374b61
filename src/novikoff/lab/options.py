"""All that the page lets one choose, and how far it goes: the page asks once, and writes down none of it."""

from __future__ import annotations

import msgspec

from novikoff.lab import game, rates
from novikoff.lab.choices import Choice, Option, limits, option
from novikoff.lab.experiment import LEARNERS, SMALLEST, Experiment
from novikoff.lab.gallery import Everything
from novikoff.lab.run import ENOUGH
from novikoff.lab.share import Text


class About(msgspec.Struct, frozen=True):
    """What the page must know of a learner to speak of it."""

    noun: str  # what its theorem bounds: "mistake" or "update"
    bound: str  # in symbols
    threshold: bool  # it has a θ


class Limits(msgspec.Struct, frozen=True):
    """Of the points, and of what comes from elsewhere."""

    points: int
    coordinates: int
    largest: float  # coordinate
    smallest: float  # coordinate that is not 0
    updates: int  # of a run that is shown
    characters: int  # of a text with points


class Bench(msgspec.Struct, frozen=True):
    """The options of an experiment, what its learners are, and its limits."""

    options: list[Option]
    learners: dict[str, About]
    limits: Limits


class Options(msgspec.Struct, frozen=True):
    """For each part of the page."""

    experiment: Bench
    game: game.Menu
    rates: rates.Comparison


def options(_: Everything) -> Options:
    """What can be chosen, and within which limits."""
    return Options(_bench(), game.menu(), rates.comparison())


def _bench() -> Bench:
    controls = [
        option(Experiment, key) for key in Experiment.__struct_fields__ if key not in ("points", "labels", "learner")
    ]
    about = {name: About(one.noun, one.bound, one.threshold) for name, one in LEARNERS.items()}
    return Bench([_learner(), *controls], about, _limits())


def _learner() -> Option:
    choices = [Choice(name, learner.title) for name, learner in LEARNERS.items()]
    return msgspec.structs.replace(option(Experiment, "learner"), choices=choices)


def _limits() -> Limits:
    points = limits(Experiment, "points")
    return Limits(
        points=points.max_length,
        coordinates=points.item_type.max_length,
        largest=points.item_type.item_type.le,
        smallest=SMALLEST,
        updates=ENOUGH + points.max_length,  # the last pass begins before there are enough
        characters=limits(Text, "text").max_length,
    )
