"""Elimination: each theorem holds, is met, and needs its hypotheses; the learners follow a transcription in sets."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from novikoff.estimators.boolean import KDNF, Conjunction, Disjunction, MonotoneConjunction, MonotoneDisjunction
from novikoff.theory import elimination as theory
from novikoff.theory.elimination import BooleanGame
from tests.theorems.tally import applied_often, confirmed

# theorem, learner, the literals that a target may have, is it an "and"?
CLASSES = {
    "monotone conjunction": (theory.MONOTONE_CONJUNCTION, MonotoneConjunction, (1,), True),
    "conjunction": (theory.CONJUNCTION, Conjunction, (0, 1), True),
    "monotone disjunction": (theory.MONOTONE_DISJUNCTION, MonotoneDisjunction, (1,), False),
    "disjunction": (theory.DISJUNCTION, Disjunction, (0, 1), False),
    "2-DNF": (theory.KDNF, lambda: KDNF(k=2), (0, 1), False),
}
EACH = pytest.mark.parametrize("name", CLASSES)


def label(x, target, conjunction):
    values = [all(x[i] == b for i, b in term) for term in target]
    return int(all(values) if conjunction else any(values))


@st.composite
def games(draw, name):
    """Examples, and a target of the class."""
    _, _, values, _ = CLASSES[name]
    d = draw(st.integers(1, 6))
    examples = draw(st.lists(st.tuples(*[st.integers(0, 1)] * d), min_size=1, max_size=30))
    literal = st.tuples(st.integers(0, d - 1), st.sampled_from(values))
    most = min(2, d) if name == "2-DNF" else 1
    term = st.lists(literal, min_size=1, max_size=most, unique_by=lambda pair: pair[0])
    return examples, draw(st.lists(term, max_size=4))


def record(learner, examples, truth, target, k=1):
    predictions = []
    for x, y in zip(examples, truth, strict=True):
        predictions.append(learner.predict_one(x))
        learner.learn_one(x, y)
    return BooleanGame(examples, truth, predictions, target, k)


@EACH
@settings(max_examples=50)
@given(data=st.data())
def test_it_holds_for_every_target_and_every_stream(name, data):
    theorem, make, _, conjunction = CLASSES[name]
    examples, target = data.draw(games(name))
    truth = [label(x, target, conjunction) for x in examples]
    learner = make()
    game = record(learner, examples, truth, target, k=2)
    finding = theorem.check(game)
    assert finding.applies
    assert finding.conclusion
    assert learner.mistakes_ == game.mistakes
    assert learner.bound() == theorem.bound(game.d, 2)


@EACH
def test_it_holds_on_whatever_happens(name):
    theorem, make, _, conjunction = CLASSES[name]
    with applied_often() as tally:

        @settings(max_examples=50)
        @given(data=st.data())
        def each(data):
            examples, target = data.draw(games(name))
            bits = st.lists(st.integers(0, 1), min_size=len(examples), max_size=len(examples))
            truth = [label(x, target, conjunction) for x in examples]
            game = record(make(), examples, truth, target, k=2)
            if data.draw(st.booleans()):  # another learner, another truth
                game = BooleanGame(examples, data.draw(bits), data.draw(bits), target, k=2)
            tally.check(theorem, game)

        each()


@EACH
@settings(max_examples=50)
@given(data=st.data())
def test_the_learner_is_its_transcription_in_sets(name, data):
    _, make, values, conjunction = CLASSES[name]
    examples, target = data.draw(games(name))
    d = len(examples[0])
    terms = {((i, b),) for i in range(d) for b in values}
    if name == "2-DNF":
        pairs = {((i, a), (j, b)) for i in range(d) for j in range(i) for a in (0, 1) for b in (0, 1)}
        terms |= pairs | {()}
    learner = make()
    for x in examples:
        true = {term for term in terms if all(x[i] == b for i, b in term)}
        assert learner.predict_one(x) == (true == terms if conjunction else bool(true))
        y = label(x, target, conjunction)
        learner.learn_one(x, y)
        if conjunction and y:
            terms = true
        if not conjunction and not y:
            terms = terms - true
    left = learner.terms_ if name == "2-DNF" else learner.literals_
    assert len(left) == len(terms)
    assert {part for text in left for part in text.split(" & ")} == {
        ("" if b else "~") + f"x[{i}]" for term in terms for i, b in term
    } | ({"1"} if () in terms else set())


def one_zero(d):
    return [tuple(int(i != j) for i in range(d)) for j in range(d)]


def one_one(d):
    return [tuple(int(i == j) for i in range(d)) for j in range(d)]


@pytest.mark.parametrize("d", [1, 2, 3, 10, 65])
def test_the_bounds_are_met(d):
    # The target is constant, and each example costs one position; with negations, the first example costs d.
    streams = {
        "monotone conjunction": (one_zero(d), 1, d),
        "conjunction": ([(1,) * d, *one_zero(d)], 1, d + 1),
        "monotone disjunction": (one_one(d), 0, d),
        "disjunction": ([(0,) * d, *one_one(d)], 0, d + 1),
    }
    for name, (examples, y, count) in streams.items():
        theorem, make, _, _ = CLASSES[name]
        game = record(make(), examples, [y] * len(examples), [])
        assert confirmed(theorem, game)
        assert game.mistakes == count == theorem.bound(d)
    game = record(KDNF(k=1), [(0,) * d, *one_one(d)], [0] * (d + 1), [])
    assert confirmed(theory.KDNF, game)
    assert game.mistakes == d + 1 == theory.KDNF.bound(d, 1)


@pytest.mark.parametrize(("d", "k"), [(1, 1), (3, 1), (3, 2), (4, 3), (5, 2), (2, 4)])
def test_terms_are_counted_and_the_first_mistake_drops_s_of_them(d, k):
    total, true = theory.kdnf_terms(d, k)
    terms = list(theory.terms(d, k))
    assert len(terms) == len({frozenset(term) for term in terms}) == total
    for x in product((0, 1), repeat=d):
        assert sum(theory.holds(term, x) for term in terms) == true
    learner = KDNF(k=k).learn_one((0,) * d, 0)
    assert learner.mistakes_ == 1
    assert len(learner.terms_) == total - true
    assert learner.bound() == total - true + 1 <= total


@pytest.mark.parametrize("k", [2, 3])
def test_a_k_dnf_of_all_variables_is_any_function(k):
    # Then every x errs once at most: with k = d the bound is not met, which is why no test asks for it.
    points = list(product((0, 1), repeat=k))
    game = record(KDNF(k=k), points * 2, [0] * 2 * len(points), [], k)
    assert game.mistakes == len(points) < theory.kdnf_bound(k, k)


# No learner is better, in every dimension -----------------------------------------------------------


@pytest.mark.parametrize("d", [1, 2, 5, 40])
def test_the_points_with_a_single_zero_are_shattered_by_monotone_conjunctions(d):
    # A labelling of them is the conjunction of the variables whose point is 0; so d mistakes can be forced.
    points = one_zero(d)
    for labels in product((0, 1), repeat=d) if d <= 5 else [tuple(k % 3 % 2 for k in range(d))]:
        target = [[(i, 1)] for i, y in enumerate(labels) if y == 0]
        assert tuple(label(x, target, True) for x in points) == labels


@pytest.mark.parametrize("predictions", [[0] * 13, [1] * 13, [0, 1] * 7, [1, 1, 0, 0] * 4, [1, 0, 0] * 5])
@pytest.mark.parametrize("d", [2, 3, 12])
def test_d_plus_1_mistakes_are_forced_on_conjunctions_of_literals(d, predictions):
    """The adversary of the proof, against any predictions: every answer is wrong, and some conjunction fits them."""
    answers, said = [], iter(predictions)

    def ask(x):
        answers.append((x, 1 - next(said)))
        return answers[-1][1]

    def single_zeros(free, fixed):
        """The game of monotone conjunctions over the free variables: one mistake for each of them."""
        for i in free:
            ask(tuple(int(j != i) if fixed is None or j != fixed else 0 for j in range(d)))

    if ask((1,) * d):
        single_zeros(range(d), None)
    else:
        for i in range(d):
            if ask(tuple(int(j != i) for j in range(d))):
                single_zeros([j for j in range(d) if j != i][: d - 1 - i], i)
                break
    assert len(answers) == d + 1
    found = [
        target
        for target in targets(d, answers)
        if all(label(x, [[literal] for literal in target], True) == y for x, y in answers)
    ]
    assert found, "some conjunction agrees with all answers"


def targets(d, answers):
    """Candidates: the literals true in all positives; or not x_0 and not x_1, where there are none."""
    positives = [x for x, y in answers if y]
    yield [(i, b) for i in range(d) for b in (0, 1) if positives and all(x[i] == b for x in positives)]
    yield [(0, 0), (1, 0)]


# Hypotheses are needed: without one, the conclusion fails on some game. -----------------------------

X0, NOT_X0 = [[(0, 1)]], [[(0, 0)]]


@pytest.mark.parametrize(
    ("theorem", "game", "without"),
    [
        # the negation of a variable, by a learner of variables: x = 1 is wrong forever
        (theory.MONOTONE_CONJUNCTION, BooleanGame([(0,), (1,), (1,)], [1, 0, 0], [0, 1, 1], NOT_X0), "the target is"),
        (theory.MONOTONE_DISJUNCTION, BooleanGame([(1,), (0,), (0,)], [0, 1, 1], [1, 0, 0], NOT_X0), "the target is"),
        # x[0] & x[1], by a learner of disjunctions; a game cannot state a target that is no conjunction of literals
        (
            theory.DISJUNCTION,
            BooleanGame([(0, 0), (0, 1), (1, 0), (1, 1), (1, 1)], [0, 0, 0, 1, 1], [1, 1, 1, 0, 0], [[(0, 1), (1, 1)]]),
            "the target is",
        ),
        (
            theory.KDNF,
            BooleanGame([(0, 0), (0, 1), (1, 0), (1, 1), (1, 1)], [0, 0, 0, 1, 1], [1, 1, 1, 0, 0], [[(0, 1), (1, 1)]]),
            "the target is",
        ),
        (theory.MONOTONE_CONJUNCTION, BooleanGame([(1,)] * 2, [0, 0], [1, 1], X0), "the target's"),
        (theory.CONJUNCTION, BooleanGame([(1,), (1,), (1,)], [1, 0, 0], [0, 1, 1], X0), "the target's"),
        (theory.MONOTONE_DISJUNCTION, BooleanGame([(0,)] * 2, [1, 1], [0, 0], X0), "the target's"),
        (theory.DISJUNCTION, BooleanGame([(1,), (1,), (1,)], [0, 1, 1], [1, 0, 0], X0), "the target's"),
        (theory.KDNF, BooleanGame([(1,), (1,), (1,)], [0, 1, 1], [1, 0, 0], X0), "the target's"),
        (theory.MONOTONE_CONJUNCTION, BooleanGame([(0,)] * 2, [0, 0], [1, 1], X0), "the prediction is"),
        (theory.CONJUNCTION, BooleanGame([(0,)] * 3, [0] * 3, [1] * 3, X0), "the prediction is"),
        (theory.MONOTONE_DISJUNCTION, BooleanGame([(1,)] * 2, [1] * 2, [0] * 2, X0), "the prediction is"),
        (theory.DISJUNCTION, BooleanGame([(1,)] * 3, [1] * 3, [0] * 3, X0), "the prediction is"),
        (theory.KDNF, BooleanGame([(1,)] * 3, [1] * 3, [0] * 3, X0), "the prediction is"),
    ],
)
def test_a_hypothesis_is_needed(theorem, game, without):
    finding = theorem.check(game)
    assert len(finding.unmet) == 1
    assert without in finding.unmet[0]
    assert not finding.conclusion
    assert finding.holds
