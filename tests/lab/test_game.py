"""The games of the lab: against the library's learners played directly, and against brute force over the class."""

from __future__ import annotations

import math
import random
from contextlib import suppress
from functools import cache
from itertools import product
from typing import Any, get_args

import msgspec
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import novikoff as nk
from novikoff.lab import game, separators
from novikoff.lab.game import KINDS, Learn, Name, Play
from novikoff.lab.separators import Against

SMALL: list[tuple[Name, int]] = [
    ("monotone-conjunctions", 4),
    ("conjunctions", 3),
    ("monotone-disjunctions", 3),
    ("disjunctions", 3),
    ("thresholds", 7),
    ("intervals", 6),
    ("singletons", 9),
    ("parities", 3),
    ("eight", 4),
]


def labels(name: Name, size: int) -> list[list[int]]:
    """A row for each concept, a column for each point: from the definitions, not from the library."""
    bits = [tuple(number >> i & 1 for i in range(size)) for number in range(2**size)]
    if name in ("monotone-conjunctions", "conjunctions", "monotone-disjunctions", "disjunctions"):
        kinds = (None, 1, 0) if name in ("conjunctions", "disjunctions") else (None, 1)
        join = all if "conj" in name else any
        return [
            [int(join(x[i] == wanted for i, wanted in enumerate(choice) if wanted is not None)) for x in bits]
            for choice in product(kinds, repeat=size)
        ]
    if name == "parities":
        return [[sum(a & b for a, b in zip(x, mask, strict=True)) % 2 for x in bits] for mask in bits]
    if name == "thresholds":
        return [[int(x >= t) for x in range(size)] for t in range(size + 1)]
    if name == "singletons":
        return [[int(x == t) for x in range(size)] for t in range(size)]
    if name == "intervals":
        pairs = [(a, b) for a in range(size) for b in range(a, size)]
        return [[int(a <= x <= b) for x in range(size)] for a, b in pairs] + [[0] * size]
    return [[number >> x & 1 for x in range(4)] for number in (6, 8, 9, 10, 11, 12, 14, 15)]


def ldim(rows: list[list[int]]) -> int:
    """From the definition."""
    return _ldim(frozenset(map(tuple, rows)))


@cache
def _ldim(rows: frozenset[tuple[int, ...]]) -> int:
    if not rows:
        return -1
    splits = [frozenset(row for row in rows if row[x]) for x in range(len(next(iter(rows))))]
    return max((1 + min(_ldim(rows - ones), _ldim(ones)) for ones in splits if ones and ones != rows), default=0)


def some_moves(rows: list[list[int]], rng: random.Random, n: int) -> list[tuple[int, Any]]:
    """Labels of one concept at random points."""
    target = rng.choice(rows)
    return [(x, target[x]) for x in (rng.randrange(len(target)) for _ in range(n))]


def learner_of(name: Name, size: int, which: str) -> Any:
    if which == "elimination":
        return {
            "monotone-conjunctions": nk.MonotoneConjunction,
            "conjunctions": nk.Conjunction,
            "monotone-disjunctions": nk.MonotoneDisjunction,
            "disjunctions": nk.Disjunction,
        }[name]()
    make = nk.Halving if which == "halving" else nk.StandardOptimal
    return make(KINDS[name].make(size))


# You are the adversary ---------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "size"), SMALL)
@pytest.mark.parametrize("which", ["halving", "optimal", "elimination"])
def test_a_game_is_what_the_learner_does_and_the_version_space_what_the_class_says(
    name: Name, size: int, which: Any
) -> None:
    if which == "elimination" and KINDS[name].elimination is None:
        with pytest.raises(ValueError, match="no elimination"):
            game.play(Play(name, size, which))
        return
    rows, rng = labels(name, size), random.Random(1)
    for n in (0, 1, 3, 8):
        moves = some_moves(rows, rng, n)
        board = game.play(Play(name, size, which, moves))
        learner, points = learner_of(name, size, which), KINDS[name].make(size).domain.points()
        alive = rows
        for (x, y), shown in zip(moves, board.rounds, strict=True):
            ones = sum(row[x] for row in alive)
            assert shown.halving == int(2 * ones >= len(alive))
            assert shown.prediction == learner.predict_one(points[x])
            assert shown.x == str(points[x]) or shown.x == "".join(map(str, points[x]))
            learner.learn_one(points[x], y)
            alive = [row for row in alive if row[x] == y]
            assert (shown.label, shown.left) == (y, len(alive))
        assert (board.size, board.left, board.mistakes) == (len(rows), len(alive), learner.mistakes_)
        assert board.dimension == ldim(rows)
        assert sum(concept.out is None for concept in board.concepts) == len(alive)
        for x, tile in enumerate(board.points):
            assert (tile.zeros, tile.ones) == (sum(not row[x] for row in alive), sum(row[x] for row in alive))
            assert tile.prediction == learner.predict_one(points[x])
        can_err = any(tile.zeros if tile.prediction else tile.ones for tile in board.points)
        assert board.over == (not can_err)
        if learner.bound() is not None:
            assert board.bound == learner.bound()


def test_concepts_are_ruled_out_in_the_round_that_did_it() -> None:
    board = game.play(Play("thresholds", 4, "halving", [(2, 1), (0, 0)]))
    found = [(concept.text, concept.out) for concept in board.concepts]
    assert found == [("x ≥ 0", 2), ("x ≥ 1", None), ("x ≥ 2", None), ("x ≥ 3", 1), ("x ≥ 4", 1)]


def test_literals_go_in_the_round_of_the_mistake() -> None:
    board = game.play(Play("conjunctions", 3, "elimination", [(3, 1), (3, 1), (2, 1)]))  # 110, 110, 010
    assert board.literals is not None
    assert [(one.text, one.out) for one in board.literals] == [
        ("x₀", 3),
        ("x₁", None),
        ("x₂", 1),
        ("¬x₀", 1),
        ("¬x₁", 1),
        ("¬x₂", None),
    ]
    assert board.mistakes == 2


@pytest.mark.parametrize(("name", "size"), SMALL)
@pytest.mark.parametrize("which", ["halving", "optimal", "elimination"])
def test_following_the_hints_forces_the_worst_case_and_each_keeps_its_promise(
    name: Name, size: int, which: Any
) -> None:
    if which == "elimination" and KINDS[name].elimination is None:
        return
    moves: list[tuple[int, Any]] = []
    promised = None
    while (best := game.hint(Play(name, size, which, moves))).point is not None:
        before = game.play(Play(name, size, which, moves)).mistakes
        moves.append((best.point, best.label))
        board = game.play(Play(name, size, which, moves))
        made = board.mistakes - before
        assert promised is None or best.more == promised
        promised = best.more - made
        assert len(moves) <= 40
    assert promised == 0
    assert best.more == 0
    assert board.over
    if which == "optimal":
        assert board.mistakes == ldim(labels(name, size)) == board.bound
    else:
        assert ldim(labels(name, size)) <= board.mistakes <= board.bound
    if name == "eight" and which == "halving":
        assert board.mistakes == 3 > board.dimension == 2
    assert "all that the theorem allows" in board.verdict or "the most that anybody can force" in board.verdict


def test_a_hint_from_the_middle_of_a_game_is_the_best_by_brute_force() -> None:
    """The most mistakes that can be forced, by trying every stream of useful moves."""
    rng = random.Random(5)
    for name, size, which in (
        ("monotone-conjunctions", 3, "elimination"),
        ("disjunctions", 2, "elimination"),
        ("intervals", 4, "halving"),
        ("eight", 4, "halving"),
        ("thresholds", 6, "optimal"),
    ):
        rows = labels(name, size)  # type: ignore[arg-type]
        points = KINDS[name].make(size).domain.points()  # type: ignore[index]

        known: dict[Any, int] = {}

        def most(learner: Any, alive: list[list[int]], points: list[Any] = points, known: Any = known) -> int:
            key = learner._state, tuple(map(tuple, alive))
            if key in known:
                return int(known[key])
            best = 0
            for x, point in enumerate(points):
                for y in (0, 1):
                    left = [row for row in alive if row[x] == y]
                    mistake = learner.predict_one(point) != y
                    if left and (len(left) < len(alive) or mistake):
                        twin = learner.copy()
                        twin.learn_one(point, y)
                        best = max(best, mistake + most(twin, left))
            known[key] = best
            return best

        for n in (0, 1, 2, 3):
            moves = some_moves(rows, rng, n)
            learner, alive = learner_of(name, size, which), rows  # type: ignore[arg-type]
            for x, y in moves:
                learner.learn_one(points[x], y)
                alive = [row for row in alive if row[x] == y]
            assert game.hint(Play(name, size, which, moves)).more == most(learner, alive), (name, which, moves)  # type: ignore[arg-type]


def test_the_verdict_says_what_more_could_have_been_forced() -> None:
    wasted = Play("thresholds", 3, "halving", [(0, 1), (2, 0)])
    board = game.play(msgspec.structs.replace(wasted, moves=[(2, 0)]))
    assert board.over
    assert board.mistakes == 1
    assert "allows 2, and so many can be forced" in board.verdict
    board = game.play(Play("singletons", 8, "halving", [(0, 1)]))
    assert (board.mistakes, board.bound) == (1, 3)
    assert "1 is the most" in board.verdict


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        (Play("thresholds", 4, "halving", [(2, 1), (3, 0)]), "round 2: the label of 3 cannot be 0"),
        (
            Play("thresholds", 4, "halving", [(4, 1)]),
            "round 1: there is no point 4, the points are numbered from 0 to 3",
        ),
        (Play("conjunctions", 4, "halving"), "d is 4: conjunctions are played from 1 to 3"),
        (Play("eight", 3, "halving"), "from 4 to 4"),
        (Play("intervals", 5, "elimination"), "no elimination of literals for intervals of 5 points"),
    ],
)
def test_what_cannot_be_played_is_refused_with_a_sentence(request_: Play, words: str) -> None:
    for answer in (game.play, game.hint):
        with pytest.raises(ValueError, match=words):
            answer(request_)


def test_the_menu_offers_what_can_be_played() -> None:
    menu = game.menu()
    concepts = [rival for rival in menu.learners if not rival.vectors]
    for one in menu.classes:
        for size in {one.least, one.usual, one.most}:
            for rival in concepts:
                if not rival.eliminates or one.elimination:
                    game.play(Play(one.key, size, rival.key))  # type: ignore[arg-type]
                else:
                    with pytest.raises(ValueError, match="no elimination of literals"):
                        game.play(Play(one.key, size, rival.key))  # type: ignore[arg-type]
    assert {rival.key for rival in concepts} == set(get_args(game.Opponent))
    assert {one.key for one in menu.classes} == set(get_args(game.Name))


# You are the learner -----------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "size"), SMALL)
def test_every_learner_makes_at_least_ldim_mistakes_and_the_optimal_one_no_more(name: Name, size: int) -> None:
    rows = labels(name, size)
    rng = random.Random(3)
    for strategy in ("optimal", "halving", "opposite", "random"):
        predictions: list[Any] = []
        alive = rows
        while not (duel := game.learn(Learn(name, size, predictions))).over:
            assert duel.point is not None
            assert duel.left == len(alive) > 1
            x = [tile.x for tile in game.play(Play(name, size, "halving")).points].index(duel.point.x)
            parts = tuple(ldim([row for row in alive if row[x] == y]) for y in (0, 1))
            assert duel.parts == parts
            assert duel.point.prediction == int(parts[1] >= parts[0])
            assert min(parts) == ldim(alive) - 1
            if predictions:
                assert (
                    f"so far; with perfect predictions from here on it will be {len(predictions) + ldim(alive)}."
                    in (duel.verdict)
                )
            ones = sum(row[x] for row in alive)
            assert duel.halving == int(2 * ones >= len(alive))
            choice = {
                "optimal": duel.point.prediction,
                "halving": duel.halving,
                "opposite": 1 - duel.point.prediction,
                "random": rng.randrange(2),
            }[strategy]
            predictions.append(choice)
            alive = [row for row in alive if row[x] == 1 - choice]
        assert len(alive) == 1
        assert duel.mistakes == len(predictions) >= ldim(rows) == duel.dimension
        if strategy == "optimal":
            assert duel.mistakes == ldim(rows)
            assert "exactly Ldim(C)" in duel.verdict
    with pytest.raises(ValueError, match="the game was over"):
        game.learn(Learn(name, size, [*predictions, 0]))


def test_a_bad_learner_pays_for_it() -> None:
    predictions: list[Any] = []
    while not (duel := game.learn(Learn("singletons", 9, predictions))).over:
        assert duel.point is not None
        predictions.append(1 - duel.point.prediction)
    assert duel.dimension == 1
    assert duel.mistakes > 1
    assert f"{duel.mistakes - 1} fewer" in duel.verdict


# The Perceptron ----------------------------------------------------------------------------------


def test_the_perceptron_answers_as_in_the_notes() -> None:
    moves: list[tuple[list[float], Any]] = [([0.6, 0.8], -1), ([0.0, 1.0], -1), ([1.0, 0.0], 1), ([0.0, -0.5], 1)]
    state = separators.perceptron(Against(2, 100, moves))
    w, mistakes = np.zeros(2), 0
    for (x, y), shown in zip(moves, state.rounds, strict=True):
        assert shown.product == pytest.approx(float(w @ x))
        assert shown.prediction == (1 if w @ x >= 0 else -1)
        if shown.prediction != y:
            w, mistakes = w + y * np.array(x), mistakes + 1
        assert shown.norm == pytest.approx(float(np.linalg.norm(w)))
    assert state.w == pytest.approx(w.tolist())
    assert (state.mistakes, state.bound, state.gamma) == (mistakes, 100, 0.1)
    t, ceiling, norm, floor = state.curves
    assert t == list(range(mistakes + 1))
    assert all(
        low <= length + 1e-12 and length <= high + 1e-12 for low, length, high in zip(floor, norm, ceiling, strict=True)
    )


def test_labels_are_allowed_while_some_separator_has_the_margin() -> None:
    """In the plane: try the separators of 36,000 directions."""
    rng = np.random.default_rng(0)
    angles = np.linspace(0, 2 * math.pi, 36_000, endpoint=False)
    directions = np.stack([np.cos(angles), np.sin(angles)])
    for _ in range(12):
        allowed = int(rng.choice([4, 16, 50]))
        gamma = allowed**-0.5
        star = directions[:, rng.integers(36_000)]
        X = rng.uniform(-0.7, 0.7, (6, 2))
        X = X[np.abs(X @ star) >= gamma]
        moves: list[tuple[list[float], Any]] = [(x.tolist(), int(np.sign(x @ star))) for x in X]
        x = rng.uniform(-0.7, 0.7, 2)
        state = separators.perceptron(Against(2, allowed, moves, x.tolist()))
        signed = np.array([np.array(a) * y for a, y in moves]).reshape(-1, 2)
        possible = (signed @ directions >= gamma).all(axis=0)
        best = {y: float(np.min(np.vstack([signed, y * x]) @ directions, axis=0).max()) for y in (-1, 1)}
        assert state.next is not None
        for y, margin in best.items():
            if abs(margin - gamma) > 1e-3:
                assert (y in state.next.labels) == (margin >= gamma)
        if len(moves):
            assert state.arc is not None
            inside = angles[possible]
            width = state.arc[1] - state.arc[0]
            assert width == pytest.approx(len(inside) * 2 * math.pi / 36_000, abs=1e-3)
            middle = np.array([math.cos(sum(state.arc) / 2), math.sin(sum(state.arc) / 2)])
            assert (signed @ middle >= gamma - 1e-9).all()


def test_long_examples_are_divided_by_their_length() -> None:
    state = separators.perceptron(Against(3, 3, [([1.0, 1.0, 0.0], -1)], [0.0, 0.0, 2.0]))
    assert state.rounds[0].x == pytest.approx([math.sqrt(0.5), math.sqrt(0.5), 0.0])
    assert state.next is not None
    assert state.next.x == [0.0, 0.0, 1.0]


@pytest.mark.parametrize("allowed", [2, 5, 12])
def test_the_hints_in_space_force_all_that_the_theorem_allows(allowed: int) -> None:
    moves: list[tuple[list[float], Any]] = []
    while (best := separators.advice(Against(allowed, allowed, moves))).x is not None:
        moves.append((best.x, best.label))
        assert len(moves) <= allowed
    state = separators.perceptron(Against(allowed, allowed, moves))
    assert state.mistakes == len(moves) == allowed
    assert "all that the theorem allows" in state.verdict


@pytest.mark.parametrize("allowed", [4, 25])
def test_the_hints_in_the_plane_are_mistakes_and_leave_a_separator(allowed: int) -> None:
    moves: list[tuple[list[float], Any]] = [([0.3, 0.6], 1)]
    while (best := separators.advice(Against(2, allowed, moves))).x is not None:
        moves.append((best.x, best.label))
        state = separators.perceptron(Against(2, allowed, moves))
        assert state.rounds[-1].prediction != state.rounds[-1].label
    assert 2 <= state.mistakes <= allowed


def test_examples_without_a_separator_are_refused_with_the_round() -> None:
    moves: list[tuple[list[float], Any]] = [([1.0, 0.0], 1), ([0.0, 1.0], 1), ([1.0, 0.1], -1), ([0.5, 0.5], 1)]
    for answer in (separators.perceptron, separators.advice):
        with pytest.raises(ValueError, match=r"round 3: no separator has margin 0\.2"):
            answer(Against(2, 25, moves))
    with pytest.raises(ValueError, match="round 1: the example has 3 coordinates"):
        separators.perceptron(Against(2, 25, [([1.0, 0.0, 0.0], 1)]))
    with pytest.raises(ValueError, match="x: the example is 0"):
        separators.perceptron(Against(2, 25, [], [0.0, 0.0]))


# Whatever passes the types -----------------------------------------------------------------------

LOOSE = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@LOOSE
@given(
    st.sampled_from(sorted(KINDS)),
    st.integers(1, 32),
    st.sampled_from(["halving", "optimal", "elimination"]),
    st.lists(st.tuples(st.integers(0, 63), st.integers(0, 1)), max_size=12),
    st.lists(st.integers(0, 1), max_size=40),
)
def test_a_game_is_answered_or_refused(name: Any, size: int, which: Any, moves: Any, predictions: Any) -> None:
    for answer, request_ in (
        (game.play, Play(name, size, which, moves)),
        (game.hint, Play(name, size, which, moves)),
        (game.learn, Learn(name, size, predictions)),
    ):
        msgspec.json.decode(msgspec.json.encode(request_), type=type(request_))
        with suppress(ValueError):
            msgspec.json.encode(answer(request_))  # type: ignore[operator]


VECTORS = st.lists(st.floats(-1e3, 1e3), min_size=2, max_size=4)


@LOOSE
@given(
    st.integers(2, 4), st.integers(1, 100), st.lists(st.tuples(VECTORS, st.sampled_from([-1, 1])), max_size=5), VECTORS
)
def test_the_perceptron_game_is_answered_or_refused(d: int, allowed: int, moves: Any, x: Any) -> None:
    moves = [((point * 2)[:d], label) for point, label in moves]
    for request_ in (Against(d, allowed, moves, (x * 2)[:d]), Against(d, allowed, moves[:1], x)):
        for answer in (separators.perceptron, separators.advice):
            with suppress(ValueError):
                told = answer(request_)  # type: ignore[operator]
                msgspec.json.encode(told)
                if isinstance(told, separators.Played):
                    assert all(map(math.isfinite, [*told.w, *(shown.norm for shown in told.rounds)]))
