"""What the page is told it may ask for is what the server takes: all of it, and nothing beyond."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from msgspec import inspect

from novikoff.estimators.registry import Entry
from novikoff.lab import server
from novikoff.lab.choices import Option
from novikoff.lab.endpoints import ENDPOINTS
from novikoff.lab.experiment import LEARNERS, Experiment, Learner
from novikoff.lab.gallery import Everything
from novikoff.lab.options import options
from novikoff.lab.rates import Descend
from novikoff.lab.run import ENOUGH, run
from tests.lab.careful import CarefulPerceptron

SERVED = options(Everything())
LIMITS = SERVED.experiment.limits
TWO = {"points": [[1.0, 2.0], [-1.0, 0.5]], "labels": [1, -1]}
GAME = {"concepts": "thresholds", "size": 2}
VECTORS = SERVED.game.vectors


def answer(path: str, **request: Any) -> Any:
    """What the server makes of a request; a ValueError where it refuses."""
    kind, function = ENDPOINTS[path]
    return function(msgspec.json.decode(msgspec.json.encode(request), type=kind))


def refused(path: str, **request: Any) -> None:
    with pytest.raises(ValueError, match=r"\w"):  # msgspec's ValidationError is one
        answer(path, **request)


def within(option: Option) -> list[Any]:
    """All values that a control can be put to; of the numbers, the least and the largest."""
    if option.choices:
        return [choice.value for choice in option.choices]
    return [False, True] if isinstance(option.default, bool) else [option.least, option.most]


def beyond(option: Option) -> Iterator[Any]:
    if option.least is not None and option.most is not None:
        yield from (option.least - 1e-6, option.least - 1, option.most + 1, option.most + 1e-6)
    elif isinstance(option.default, str):
        yield from ("", "another", *(f"{choice.value} " for choice in option.choices))
    else:
        yield from (0, 1, "true")


@pytest.mark.parametrize("option", SERVED.experiment.options, ids=lambda option: option.key)
def test_an_experiment_takes_what_is_offered_and_nothing_else(option: Option) -> None:
    assert option.default in within(option)
    assert getattr(Experiment([[1.0]], [1]), option.key) == option.default
    for value in within(option):
        assert answer("/api/run", **TWO, **{option.key: value}).steps
    for value in beyond(option):
        refused("/api/run", **TWO, **{option.key: value})


@pytest.mark.parametrize("option", SERVED.rates.options, ids=lambda option: option.key)
def test_the_methods_take_what_is_offered_and_nothing_else(option: Option) -> None:
    assert getattr(Descend(["2GD"]), option.key) == option.default
    assert not option.choices or option.default in within(option)
    for value in {*within(option), option.least, option.most}:
        assert answer("/api/rates", methods=["2GD"], **{option.key: value}).seen
    for value in beyond(option):
        refused("/api/rates", methods=["2GD"], **{option.key: value})


def test_all_that_a_request_takes_is_offered() -> None:
    offered = {option.key: option for option in SERVED.experiment.options}
    info = inspect.type_info(Experiment)
    assert isinstance(info, inspect.StructType)
    assert [field.name for field in info.fields] == ["points", "labels", *offered]
    for field in info.fields:
        kind = field.type.type if isinstance(field.type, inspect.Metadata) else field.type
        if isinstance(kind, inspect.LiteralType):
            assert {choice.value for choice in offered[field.name].choices} == set(kind.values)
    assert [choice.value for choice in offered["learner"].choices] == list(LEARNERS) == list(SERVED.experiment.learners)
    for option in (*SERVED.experiment.options, *SERVED.rates.options):
        texts = [choice.text for choice in option.choices]
        assert option.title
        assert all(texts)
        assert len(set(texts)) == len(texts)


def test_an_option_without_effect_says_what_it_needs() -> None:
    seed = next(option for option in SERVED.experiment.options if option.only_with)
    assert seed.only_with is not None
    key, value = seed.only_with
    needed = next(option for option in SERVED.experiment.options if option.key == key)
    assert seed.key == "seed"
    assert value in within(needed)
    points = {"points": [[float(i % 7), float(i % 5)] for i in range(30)], "labels": [1, -1, -1] * 10}
    for one in within(needed):
        first, second = (answer("/api/run", **points, **{key: one, seed.key: number}).row for number in (1, 2))
        assert (first != second) == (one == value)


@pytest.mark.parametrize("learner", LEARNERS.values(), ids=list(LEARNERS))
def test_what_is_told_of_a_learner_is_what_its_run_shows(learner: Learner) -> None:
    name = next(key for key, one in LEARNERS.items() if one is learner)
    told = SERVED.experiment.learners[name]
    shown = answer("/api/run", **TWO, learner=name)
    assert told.threshold == (shown.theta > 0)
    assert ("θ" in told.bound) <= told.threshold, "that of the Passive-Aggressive learners is 1, and in no bound"
    assert f"at most {shown.bound} {told.noun}s" in " ".join(shown.proof)
    assert answer("/api/check", **TWO, learner=name).held is True
    assert f"nk.{learner.estimator.__name__}(" in answer("/api/code", **TWO, learner=name).python


def test_a_new_learner_is_one_line_of_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    refused("/api/run", **TWO, learner="careful")
    monkeypatch.setitem(LEARNERS, "careful", Learner(Entry(CarefulPerceptron, ())))
    assert answer("/api/run", **TWO, learner="careful").theta == 2.0
    assert LEARNERS["careful"].noun == "update"
    assert LEARNERS["perceptron"].noun == "mistake"
    assert options(Everything()).experiment.options[0].choices[-1].text == "Careful Perceptron"


def test_points_go_as_far_as_is_said() -> None:
    n, d, far, near = LIMITS.points, LIMITS.coordinates, LIMITS.largest, LIMITS.smallest
    labels = [1, -1] * n
    assert answer("/api/run", points=[[1.0], [-1.0]] * (n // 2), labels=labels[:n]).finished
    refused("/api/run", points=[[1.0], [-1.0]] * n, labels=labels[: n + 1])
    refused("/api/run", points=([[1.0], [-1.0]] * n)[: n + 1], labels=labels[: n + 1])
    for size, good in ((d, True), (d + 1, False), (0, False)):
        request = {"points": [[1.0] * size, [-1.0] * size], "labels": [1, -1]}
        assert answer("/api/run", **request) if good else refused("/api/run", **request) is None
    for value in (far, -far, near, -near):
        assert answer("/api/run", points=[[value], [0.5]], labels=[1, -1]).proof
    for value in (np.nextafter(far, 2 * far), -np.nextafter(far, 2 * far), near / 2, -near / 2):
        refused("/api/run", points=[[float(value)], [0.5]], labels=[1, -1])


def test_texts_go_as_far_as_is_said() -> None:
    text = "1,+\n2,-\n"
    assert answer("/api/read", text=text.ljust(LIMITS.characters)).labels == [1, -1]
    refused("/api/read", text=text.ljust(LIMITS.characters + 1))
    row = ",".join(["1"] * LIMITS.coordinates)
    assert answer("/api/read", text=f"{row},+").points == [[1.0] * LIMITS.coordinates]
    refused("/api/read", text=f"{row},1,+")
    assert answer("/api/read", text=f"{LIMITS.largest:.0f},+").points == [[LIMITS.largest]]
    refused("/api/read", text=f"{LIMITS.largest + 1:.0f},+")


def test_no_run_is_longer_than_is_said() -> None:
    """A pass of updates only, that begins with one update less than enough, is the longest."""
    turn = LIMITS.updates - ENOUGH
    assert turn == LIMITS.points
    x = [[1.0, 0.0, 1e-6], [-1.0, 0.0, -1e-6]]  # y x is the same for both, and w grows slowly towards a margin of 1e-6
    flat = [[0.0, 1e3, 1e-6], [0.0, -1e3, 1e-6]]
    points = [x[i % 2] if i % 4 < 2 else flat[i % 2] for i in range(turn)]
    shown = run(Experiment(points, [1, -1] * (turn // 2), learner="margin perceptron", intercept=False))
    assert ENOUGH <= len(shown.row) <= LIMITS.updates


def test_games_go_as_far_as_is_said() -> None:
    menu = SERVED.game
    play = {**GAME, "learner": "halving"}
    assert len(answer("/api/game/play", **play, moves=[[0, 1]] * menu.rounds).rounds) == menu.rounds
    refused("/api/game/play", **play, moves=[[0, 1]] * (menu.rounds + 1))
    kind = ENDPOINTS["/api/game/play"][0]  # no class of the menu has so many points: only the type is asked
    msgspec.convert({**play, "moves": [(menu.last_point, 1)]}, kind)
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({**play, "moves": [(menu.last_point + 1, 1)]}, kind)
    kind = ENDPOINTS["/api/game/learn"][0]
    msgspec.convert({**GAME, "predictions": [0] * menu.predictions}, kind)
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({**GAME, "predictions": [0] * (menu.predictions + 1)}, kind)
    most = max(answer("/api/game/learn", concepts=one.key, size=one.most).size for one in menu.classes)
    assert most - 1 <= menu.predictions  # a game to its end can be sent
    for one in menu.classes:
        for size in (one.least, one.usual, one.most):
            assert answer("/api/game/learn", concepts=one.key, size=size).size
        for size in (one.least - 1, one.most + 1):
            refused("/api/game/learn", concepts=one.key, size=size)


def test_examples_for_the_perceptron_go_as_far_as_is_said() -> None:
    def ask(d: int, allowed: int, rounds: int = 0, x: list[float] | None = None) -> dict[str, Any]:
        example = [1.0] + [0.0] * (d - 1)
        return {"d": d, "allowed": allowed, "moves": [[example, 1]] * rounds, "x": x}

    path, plane, space = "/api/game/perceptron", VECTORS.plane, VECTORS.space
    for allowed in {plane.least, plane.usual, plane.most, *plane.offered}:
        assert answer(path, **ask(2, allowed)).bound == allowed
    for d in {space.least, space.usual, space.most, *space.offered}:
        assert answer(path, **ask(d, d)).bound == d
    for wrong in (ask(2, plane.least - 1), ask(2, plane.most + 1)):
        refused(path, **wrong)
    for d in (space.least - 1, space.most + 1):
        refused(path, **ask(d, d))
    assert len(answer(path, **ask(2, 4, VECTORS.rounds)).rounds) == VECTORS.rounds
    refused(path, **ask(2, 4, VECTORS.rounds + 1))
    assert answer(path, **ask(2, 4, 0, [VECTORS.shortest, 0.0])).next
    refused(path, **ask(2, 4, 0, [VECTORS.shortest / 2, 0.0]))


def test_the_rates_are_those_of_the_menu() -> None:
    menu = SERVED.rates
    shown = answer("/api/rates", methods=menu.methods)
    assert [path.method for path in shown.paths] == [entry.method for entry in shown.table] == menu.methods
    assert shown.n == menu.rows
    assert {len(path.reached) for path in shown.paths} == {len(menu.targets)}
    assert [text for text in menu.targets if not any(f"To accuracy {text}," in seen for seen in shown.seen)] == []
    refused("/api/rates", methods=["XGD"])
    refused("/api/rates", methods=[])


# The page ----------------------------------------------------------------------------------------


def scripts() -> dict[str, str]:
    found = {path: asset.body.decode() for path, asset in server.assets().items() if asset.type.startswith("text/java")}
    return {path: text for path, text in found.items() if not path.startswith("/vendor")}


def test_the_page_writes_no_name_of_what_it_offers() -> None:
    menu = SERVED.game
    names = {*LEARNERS, *SERVED.rates.methods, *(one.key for one in menu.classes), *(one.key for one in menu.learners)}
    texts = {choice.text for option in SERVED.experiment.options for choice in option.choices}
    titles = {option.title for option in (*SERVED.experiment.options, *SERVED.rates.options)}
    titles |= {one.title for one in menu.classes}
    columns = {"optimal"}  # of the table of rounds, as in its answer
    for path, text in scripts().items():
        quoted = set(re.findall(r"[\"`]([^\"`]*)[\"`]", text)) | set(re.findall(r"\b(\w+):", text))
        assert quoted & {*names, *titles, *(one for one in texts if " " in one)} <= columns, path


def test_the_page_writes_no_limit() -> None:
    """Those that are large or small enough to be nothing else."""
    every = [*SERVED.experiment.options, *SERVED.rates.options]
    numbers = {LIMITS.largest, LIMITS.smallest, LIMITS.updates, LIMITS.characters, VECTORS.shortest}
    numbers |= {option.most for option in every if option.most is not None and option.most > 1000}
    assert len(numbers) == 7
    for path, text in scripts().items():
        written = re.findall(r"(?<![\w./])\d[\d_]*(?:\.\d+)?(?:e-?\d+)?", text)  # a part of an address is none
        assert {float(number) for number in written} & numbers == set(), path


def test_the_guide_says_the_limits() -> None:
    guide = (Path(__file__).parents[2] / "docs/guides/lab.md").read_text()
    assert f"({LIMITS.points} points, {LIMITS.updates:,} updates," in guide
    titles = [option.title.partition(" (")[0] for option in SERVED.experiment.options if not option.only_with]
    assert [title for title in titles if f"| {title} |" not in guide] == []
