"""Halving against the notes' definition: it holds, it is tight, the hypotheses are needed."""

from __future__ import annotations

import pickle
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from novikoff import Halving, NotRealizable, concepts, play
from novikoff.theory import HALVING, Game, halving_bound

tables = st.integers(1, 6).flatmap(
    lambda width: st.lists(st.lists(st.integers(0, 1), min_size=width, max_size=width), min_size=1, max_size=20)
)


def majority(functions, x):
    """MV_F(x) of the notes: 1 if |{f in F: f(x) = 1}| >= |F|/2, else 0."""
    return 1 if sum(f[x] for f in functions) >= Fraction(len(functions), 2) else 0


def game(rows, stream, predictions):
    labels = [[row[x] for row in rows] for x, _ in stream]
    return Game(labels, [y for _, y in stream], predictions)


def learner_sizes(rows, stream):
    """The sizes of the learner's own version space before and after each round."""
    learner = Halving(concepts.table(rows))
    sizes = [learner.version_space_.size]
    for x, y in stream:
        sizes.append(learner.learn_one(x, y).version_space_.size)
    return list(pairwise(sizes))


@given(tables, st.lists(st.tuples(st.integers(0, 5), st.integers(0, 1)), max_size=30))
def test_predictions_are_those_of_the_definition(rows, examples):
    different = [tuple(row) for row in dict.fromkeys(map(tuple, rows))]
    learner = Halving(concepts.table(rows))
    assert learner.concepts.merged == len(rows) - len(different)
    space, wrong = different, 0
    for number, (x, y) in enumerate(examples):
        x %= len(rows[0])
        assert [learner.predict_one(z) for z in range(len(rows[0]))] == [
            majority(space, z) for z in range(len(rows[0]))
        ]
        mistake = majority(space, x) != y
        left = [f for f in space if f[x] == y]
        if not left:
            with pytest.raises(NotRealizable, match=f"round {number}: no concept is left") as error:
                learner.learn_one(x, y)
            assert error.value.round == number
        else:
            learner.learn_one(x, y)
            space, wrong = left, wrong + mistake
            continue
        # the learner is as it was before
        assert learner.version_space_.size == len(learner.version_space_) == len(space)
        assert (learner.rounds_, learner.mistakes_) == (number, wrong)
        return
    assert learner.mistakes_ == wrong
    assert sorted(tuple(c(z) for z in range(len(rows[0]))) for c in learner.version_space_.survivors) == sorted(space)


@given(tables, st.data())
@settings(max_examples=200)
def test_the_bound_holds_for_every_concept_and_sequence(rows, data):
    truth = data.draw(st.sampled_from(rows))
    xs = data.draw(st.lists(st.integers(0, len(rows[0]) - 1), min_size=1, max_size=20))
    different = list(dict.fromkeys(map(tuple, rows)))
    learner = Halving(concepts.table(rows))
    stream = [(x, truth[x]) for x in xs]
    predictions = []
    for x, y in stream:
        predictions.append(learner.predict_one(x))
        learner.learn_one(x, y)
    finding = HALVING.check(game(different, stream, predictions))
    assert finding.applies
    assert finding.conclusion
    rounds = zip(learner_sizes(rows, stream), predictions, stream, strict=True)
    assert all(2 * after <= before for (before, after), prediction, (_, y) in rounds if prediction != y)
    run = play(Halving(concepts.table(rows)), stream)
    assert run.mistakes <= run.bound == halving_bound(len(different))


def test_the_bound_is_met():
    """On all functions of n points half of the concepts err whenever the truth is 0."""
    for n in (1, 2, 3, 4):
        rows = [[number >> x & 1 for x in range(n)] for number in range(2**n)]
        stream = [(x, 0) for x in range(n)]  # a tie predicts 1
        run = play(Halving(concepts.table(rows)), stream)
        assert run.mistakes == run.bound == n


def test_both_hypotheses_are_needed():
    rows = [(0, 0), (0, 1)]
    # Not realizable: no concept is 1 on the first point. (The majority of no concepts is even.)
    unrealizable = HALVING.check(game(rows, [(0, 1), (0, 0)], [0, 1]))
    assert unrealizable.unmet == (HALVING.hypotheses[0].text,)
    assert not unrealizable.conclusion
    # Not the majority: a learner that says 1 on a point where all concepts are 0 errs for ever.
    stubborn = HALVING.check(game(rows, [(0, 0), (0, 0)], [1, 1]))
    assert stubborn.unmet == (HALVING.hypotheses[1].text,)
    assert not stubborn.conclusion
    # A minority that errs leaves more than half of the version space: 2 of 3, one mistake of the one that is allowed.
    three = [(0, 0), (0, 1), (1, 1)]
    slow = HALVING.check(game(three, [(0, 0)], [1]))
    assert slow.unmet == (HALVING.hypotheses[1].text,)
    assert not slow.conclusion
    # With the majority of ties broken to 1, two concepts cost one mistake: the bound, and no more.
    assert HALVING.check(game(rows, [(1, 0), (0, 0)], [1, 0])).holds


@pytest.mark.parametrize(("size", "bound"), [(1, 0), (2, 1), (3, 1), (4, 2), (4095, 11), (4096, 12), (2**24, 24)])
def test_the_bound_is_the_floor_of_the_logarithm(size, bound):
    assert halving_bound(size) == bound


def test_a_class_from_codes_plays_as_its_table():
    rng = np.random.default_rng(3)
    for C in (
        concepts.monotone_conjunctions(6),
        concepts.conjunctions(4),
        concepts.disjunctions(4),
        concepts.parities(5),
    ):
        points = C.domain.points()
        rows = [[c(x) for x in points] for c in C.members(C.whole)]
        listed, direct = Halving(concepts.table(rows)), Halving(C)
        target = C.draw(rng)
        for _ in range(30):
            number = int(rng.integers(len(points)))
            x, y = points[number], target(points[number])
            assert direct.predict_one(x) == listed.predict_one(number)
            direct.learn_one(x, y)
            listed.learn_one(number, y)
            assert direct.version_space_.size == listed.version_space_.size
        assert direct.mistakes_ == listed.mistakes_


def test_many_survivors_are_counted_and_few_are_named():
    learner = Halving(concepts.monotone_conjunctions(12))
    assert learner.version_space_.survivors is None
    assert learner.version_space_.size == 4096
    learner.learn_one((1,) + (0,) * 11, 1)
    assert [str(c) for c in learner.version_space_.survivors] == ["1", "x[0]"]


def test_a_copy_and_a_pickle_go_their_own_way():
    learner = Halving(concepts.thresholds(8)).learn_one(4, 1)
    twin, stored = learner.copy(), pickle.loads(pickle.dumps(learner))
    assert twin._state == stored._state == learner._state
    learner.learn_one(2, 0)
    assert twin._state == stored._state != learner._state
    assert twin.version_space_.size == 5


@pytest.mark.parametrize(
    ("x", "y", "message"),
    [
        ((1, 0), 1, "x has 2 entries"),
        ((1, 0, 3), 1, r"x\[2\] is 3"),
        ((1, 0, 1), -1, "y is -1"),
        ((1, 0, 1), 0.5, "y is"),
    ],
)
def test_bad_input_leaves_the_learner_alone(x, y, message):
    learner = Halving(concepts.monotone_conjunctions(3)).learn_one((0, 1, 1), 0)
    before = learner._state, learner.rounds_, learner.mistakes_
    with pytest.raises(ValueError, match=message):
        learner.learn_one(x, y)
    assert (learner._state, learner.rounds_, learner.mistakes_) == before


def test_not_realizable_survives_a_pickle_and_says_what_to_use():
    learner = Halving(concepts.singletons(3))
    learner.learn_one(0, 1)
    with pytest.raises(NotRealizable, match=r"round 1: .*WeightedMajority") as error:
        learner.learn_one(1, 1)
    again = pickle.loads(pickle.dumps(error.value))
    assert (again.round, str(again)) == (1, str(error.value))
