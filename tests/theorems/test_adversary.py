"""The adversary against a search that leaves nothing out, and against the bounds that it must meet."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from novikoff import MarginPerceptron, MaxMarginClassifier, NotRealizable, Perceptron, concepts, play
from novikoff.estimators.boolean import Conjunction, Disjunction, MonotoneConjunction, MonotoneDisjunction
from novikoff.estimators.winnow import Winnow
from novikoff.learners import adversary
from novikoff.learners.adversary import worst_case
from novikoff.learners.halving import Halving
from novikoff.learners.littlestone import StandardOptimal, littlestone_dimension
from novikoff.learners.online import OnlineLearner
from tests.theorems.test_littlestone import GAP, listed, tables

# Learners -------------------------------------------------------------------------------------------


class Toy(OnlineLearner):
    """A learner with a state that is replaced."""

    def __init__(self, state, bound=None):
        self._held, self._bound = state, bound

    def bound(self):
        return self._bound

    @property
    def _state(self):
        return self._held


class Automaton(Toy):
    """Moves with every round; predicts what it `remembers`, "all" or its "mistakes", and else as its state says."""

    def __init__(self, predictions, moves, remembers):
        super().__init__((0, ()))
        self.predictions, self.moves, self.remembers = predictions, moves, remembers

    def predict_one(self, x):
        number, seen = self._held
        return dict(seen).get(x, self.predictions[number][x])

    def _update(self, x, y):
        number, seen = self._held
        if self.remembers == "all" or (self.remembers == "mistakes" and self.predict_one(x) != y):
            seen = tuple(sorted({**dict(seen), x: y}.items()))
        self._held = self.moves[number][x][y], seen


class Stubborn(Toy):
    """Always says 1."""

    def predict_one(self, x):
        return 1

    def _update(self, x, y):
        pass


class Drawn(Stubborn):
    """Would not say the same again."""

    random_state = 0


class Elimination(Toy):
    """Monotone conjunctions: all variables at first, less those that a positive has not."""

    def __init__(self, d, bound):
        super().__init__(frozenset(range(d)), bound)

    def predict_one(self, x):
        return int(all(x[i] for i in self._held))

    def _update(self, x, y):
        if y:
            self._held = frozenset(i for i in self._held if x[i])
        elif self.predict_one(x):
            raise NotRealizable("no monotone conjunction agrees", self.rounds_)


@st.composite
def automata(draw, points, remembers):
    states = range(draw(st.integers(1, 4)))
    bit, state = st.integers(0, 1), st.integers(0, states[-1])
    predictions = [[draw(bit) for _ in range(points)] for _ in states]
    moves = [[[draw(state) for _ in range(2)] for _ in range(points)] for _ in states]
    return Automaton(predictions, moves, remembers)


def value(learner, C):
    """The most mistakes, by sweeps over all positions until nothing changes; inf if that does not end."""
    examples = [(x, y) for x in C.domain.points() for y in (0, 1)]
    labels = {concept: [concept(x) for x in C.domain.points()] for concept in C.members(C.whole)}
    start = learner._state, frozenset(labels)
    learners, edges = {start: learner.copy()}, {}
    queue = [start]
    for position in queue:
        edges[position] = []
        for number, (x, y) in enumerate(examples):
            left = frozenset(concept for concept in position[1] if labels[concept][number // 2] == y)
            if not left:
                continue
            child = learners[position].copy()
            mistake = child.predict_one(x) != y
            try:
                child.learn_one(x, y)
            except NotRealizable:
                continue
            to = child._state, left
            edges[position].append((mistake, to))
            if to not in learners:
                learners[to] = child
                queue.append(to)
    values = dict.fromkeys(learners, 0)
    while True:
        swept = {p: max((m + values[to] for m, to in edges[p]), default=0) for p in values}
        if swept == values:
            return values[start]
        if swept[start] > len(values):
            return math.inf
        values = swept


def forced(learner, C=None):
    """The mistakes on the worst case, which must leave the learner alone and be explained by a concept."""
    before = learner._state, learner.rounds_, learner.mistakes_
    stream = worst_case(learner, C)
    assert (learner._state, learner.rounds_, learner.mistakes_) == before
    assert (C or learner.concepts).consistent([x for x, _ in stream], [y for _, y in stream])
    return play(learner.copy(), stream).mistakes


# Learners of concepts -------------------------------------------------------------------------------


@given(tables(most=9))
def test_halving_and_the_optimal_learner_against_the_whole_search(table):
    C = listed(*table)
    assert forced(Halving(C)) == value(Halving(C), C) <= Halving(C).bound()
    assert forced(StandardOptimal(C)) == value(StandardOptimal(C), C) == littlestone_dimension(C)


@given(tables(most=6), tables(most=6))
def test_a_class_that_is_not_the_learners_own(own, other):
    points = min(own[1], other[1])
    own, other = (listed(codes, points) for codes, _ in (own, other))
    for learner in (Halving(own), StandardOptimal(own)):
        assert forced(learner, other) == value(learner, other)


@given(st.data(), st.sampled_from(["all", "mistakes", "nothing"]))
def test_learners_that_move_without_mistakes(data, remembers):
    codes, points = data.draw(tables(most=6).filter(lambda table: table[1] <= 4))
    C = listed(codes, points)
    learner = data.draw(automata(points, remembers))
    expected = value(learner, C)
    if expected == math.inf:
        assert remembers == "nothing"
        with pytest.raises(ValueError, match="wrong for ever"):
            worst_case(learner, C)
    else:
        assert forced(learner, C) == expected >= littlestone_dimension(C)


@pytest.mark.parametrize("seed", [*range(60), 319, 522])
def test_circles_of_every_kind(seed):
    draw = random.Random(seed)
    points = draw.randint(2, 4)
    C = listed(draw.sample(range(2**points), draw.randint(1, min(2**points, 5))), points)
    states = range(draw.randint(3, 6))
    predictions = [[draw.randint(0, 1) if draw.random() < 0.5 else 1 for _ in range(points)] for _ in states]
    moves = [[[draw.choice(states) for _ in range(2)] for _ in range(points)] for _ in states]
    learner = Automaton(predictions, moves, draw.choice(["all", "mistakes", "mistakes", "nothing"]))
    expected = value(learner, C)
    if expected == math.inf:
        with pytest.raises(ValueError, match="wrong for ever"):
            worst_case(learner, C)
    else:
        assert forced(learner, C) == expected


def test_a_circle_without_mistakes_is_walked_as_far_as_needed():
    # States 0, 1, 2 follow each other. In state 2 point 0 is wrong, and leads to state 3, where point 1 is wrong.
    moves = [[[1, 1]] * 3, [[2, 2]] * 3, [[3, 3], [0, 0], [0, 0]], [[3, 3]] * 3]
    learner = Automaton([[1, 1, 1], [1, 1, 1], [0, 1, 1], [1, 0, 1]], moves, remembers="all")
    C = concepts.table([[1, 1, 1]])
    assert forced(learner, C) == value(learner, C) == 2


def test_fewer_concepts_can_be_worth_more():
    # A right first round leads to state 1. On point 0 it leaves four concepts, worth 3 mistakes; on others it leaves
    # fewer, with the last of them, which is worth 4. After a wrong one, state 2 or 3 knows almost all.
    near, far = [1, 0, 1, 1, 1], [0, 1, 0, 0, 0, 1, 1]
    C = concepts.table([*([*near, a, b] for a in (0, 1) for b in (0, 1)), far])
    first = [[3 if x in (1, 5, 6) else 2, 1] for x in range(7)]
    moves = [first, *([[number] * 2] * 7 for number in (1, 2, 3))]
    learner = Automaton([[1] * 7, [1] * 7, far, [*near, 1, 1]], moves, remembers="mistakes")
    assert forced(learner, C) == value(learner, C) == 4


def test_halving_can_make_a_mistake_more_than_the_optimal_learner():
    C = listed(GAP, 4)
    assert littlestone_dimension(C) == forced(StandardOptimal(C)) == 2
    assert forced(Halving(C)) == value(Halving(C), C) == Halving(C).bound() == 3


def test_a_round_without_a_mistake_can_cost_one_later():
    C = listed([128, 192, 34, 130, 32, 105, 176, 113, 52], 8)
    stream = worst_case(Halving(C))
    run = play(Halving(C), stream)
    assert run.mistakes == value(Halving(C), C) == 3
    assert run.rounds > run.mistakes, "with mistakes alone there are 2"


@pytest.mark.parametrize("d", range(1, 8))
def test_halving_meets_its_bound_on_monotone_conjunctions(d):
    assert forced(Halving(concepts.monotone_conjunctions(d))) == d


@pytest.mark.parametrize(
    ("C", "halving", "optimal"),
    [
        (concepts.conjunctions(4), 5, 5),
        (concepts.intervals(11), 6, 5),
        (concepts.intervals(16), 6, 6),
        (concepts.singletons(70), 1, 1),
        (concepts.thresholds(100), 6, 6),
        (concepts.decision_stumps(4), 3, 3),
    ],
    ids=repr,
)
def test_larger_classes(C, halving, optimal):
    assert forced(Halving(C)) == halving
    assert forced(StandardOptimal(C)) == optimal


@pytest.mark.parametrize("C", [concepts.intervals(5), concepts.intervals(6), concepts.conjunctions(2)], ids=repr)
def test_some_of_them_in_full(C):
    assert forced(Halving(C)) == value(Halving(C), C)


@pytest.mark.parametrize("d", range(1, 6))
def test_elimination_meets_its_bound(d):
    C = concepts.monotone_conjunctions(d)
    for bound in (d, None):
        assert forced(Elimination(d, bound), C) == d
    assert d > 3 or value(Elimination(d, d), C) == d


@pytest.mark.parametrize("d", range(1, 6))
@pytest.mark.parametrize(
    ("learner", "family", "more"),
    [
        (MonotoneConjunction(), concepts.monotone_conjunctions, 0),
        (MonotoneDisjunction(), concepts.monotone_disjunctions, 0),
        (Conjunction(), concepts.conjunctions, 1),
        (Disjunction(), concepts.disjunctions, 1),
    ],
)
def test_no_learner_is_better_than_elimination(learner, family, more, d):
    assert forced(learner, family(d)) == d + more == littlestone_dimension(family(d)) + more * (d == 1)


def test_winnow_is_not_believed_where_more_variables_matter():
    C = concepts.monotone_disjunctions(3)
    learner = Winnow(k=1, threshold=8)
    assert forced(learner, C) == value(learner, C) > learner.copy().learn_one((1, 1, 1), 1).bound()


def test_a_bound_that_does_not_hold_is_not_believed():
    C = concepts.monotone_conjunctions(4)
    for bound in range(4):
        assert forced(Elimination(4, bound), C) == 4
    assert forced(Elimination(4, 9), C) == 4
    # Of the tree of depth 1 nothing is left to force, but more examples are: the end of the tree is looked at.
    learner = Automaton([[0] * 4], [[[0, 0]] * 4], remembers="all")
    learner._bound = 1
    assert forced(learner, concepts.table([[1, 1, 1, 1], [1, 1, 1, 0]])) == 4


def test_from_the_present_state_on():
    C = concepts.monotone_conjunctions(3)
    for learner in (Halving(C), StandardOptimal(C)):
        stream = worst_case(learner)
        for done, (x, y) in enumerate(stream):
            assert forced(learner) == 3 - done == value(learner, C)
            learner.learn_one(x, y)
        assert worst_case(learner) == []
    learner = Elimination(3, 3).learn_one((1, 0, 0), 1)
    assert learner.mistakes_ == 1
    assert forced(learner, C) == value(learner, C) == 1


def test_a_vote_of_another_kind_is_searched_as_it_is():
    class Minority(Halving):
        def predict_one(self, x):
            divided = len({concept(x) for concept in self.version_space_.survivors}) == 2
            return super().predict_one(x) ^ divided

        def bound(self):
            return None

    C = concepts.thresholds(4)
    assert forced(Minority(C)) == value(Minority(C), C) > forced(Halving(C))


def test_mistakes_without_end():
    with pytest.raises(ValueError, match="wrong for ever"):
        worst_case(Stubborn(0), concepts.singletons(3))
    assert worst_case(Stubborn(0), concepts.table([[1, 1]])) == []


def test_what_is_too_large_says_so(monkeypatch):
    class Counter(Stubborn):
        def _update(self, x, y):
            self._held += 1

    with pytest.raises(ValueError, match="from state to new state: too large to search; take a smaller class"):
        worst_case(Counter(0), concepts.singletons(3))
    monkeypatch.setattr(adversary, "ROUNDS", 1000)
    with pytest.raises(ValueError, match="rounds tried: too large to search; take a smaller class"):
        worst_case(Counter(0), concepts.singletons(3))
    monkeypatch.setattr(adversary, "STATES", 3)
    with pytest.raises(ValueError, match="states: too large to search; take a smaller class"):
        worst_case(Halving(concepts.intervals(8)))
    with pytest.raises(ValueError, match="too many for a table: take a smaller class"):
        worst_case(Halving(concepts.conjunctions(12)))


# The Perceptron -------------------------------------------------------------------------------------


@pytest.mark.parametrize("at_zero", ["mistake", "positive", "negative"])
@pytest.mark.parametrize(
    ("gamma", "n"),
    [
        (1, 1),
        (1.0, 1),
        (0.9, 1),
        (0.7, 2),
        (Fraction(1, 2), 4),
        (1 / 7, 49),
        (np.float64(1 / 7), 49),
        (1 / math.sqrt(10), 10),
        (Fraction(1, 7), 49),
        (Fraction(1, 7) + Fraction(1, 10**9), 48),
    ],
)
def test_orthonormal_examples_are_mistakes_one_and_all(at_zero, gamma, n):
    stream = worst_case(Perceptron(fit_intercept=False, at_zero=at_zero), gamma=gamma)
    witness = [y for _, y in stream]
    run = play(Perceptron(fit_intercept=False, at_zero=at_zero), stream, witness=witness)
    assert run.mistakes == run.rounds == run.bound == n
    assert run.radius_sq == 1
    assert run.margin_sq == Fraction(1, n)
    # the trust in a float is 2^-51 of its value
    assert run.margin_sq >= Fraction(gamma) ** 2 * (1 - Fraction(1, 2**50))


def test_every_float_one_over_a_root_is_that_many():
    for n in range(1, 120):
        assert len(worst_case(Perceptron(fit_intercept=False), gamma=1 / math.sqrt(n))) == n
        assert len(worst_case(Perceptron(fit_intercept=False), gamma=math.sqrt(1 / n))) == n


# Bad input ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("gamma", [0, 0.0, -0.5, 1.01, 2, math.nan, math.inf, -math.inf, "wide"])
def test_a_margin_that_no_unit_example_has(gamma):
    with pytest.raises(ValueError, match="above 0 and at most 1"):
        worst_case(Perceptron(fit_intercept=False), gamma=gamma)


@pytest.mark.parametrize(
    ("learner", "keywords", "error", "words"),
    [
        (Perceptron(), {"gamma": 0.5}, ValueError, r"take Perceptron\(fit_intercept=False, scale='none'\)"),
        (Perceptron(fit_intercept=False, scale="sphere"), {"gamma": 0.5}, ValueError, "scale='none'"),
        (Perceptron(fit_intercept=False, scale="ball"), {"gamma": 0.5}, ValueError, "scale='none'"),
        (Perceptron(fit_intercept=False, at_zero="maybe"), {"gamma": 0.5}, ValueError, "at_zero is 'maybe'"),
        (Perceptron(fit_intercept=False), {"gamma": 1e-4}, ValueError, "100,000,000 mistakes.*too large"),
        (Perceptron(fit_intercept=False), {}, TypeError, "gamma="),
        (Perceptron(fit_intercept=False), {"C": concepts.singletons(2)}, TypeError, "takes gamma"),
        (MarginPerceptron(fit_intercept=False), {"gamma": 0.5}, ValueError, "MarginPerceptron is not known"),
        (MaxMarginClassifier(), {"gamma": 0.5}, TypeError, "no learner of concepts and no Perceptron"),
        (Drawn(0), {"C": concepts.singletons(2)}, ValueError, "draws its predictions"),
        (object(), {}, TypeError, "no learner of concepts"),
        (Halving(concepts.singletons(2)), {"gamma": 0.5}, TypeError, "gamma is for the Perceptron"),
        (Halving(concepts.singletons(2)), {"C": [[0, 1]]}, TypeError, "give the class"),
        (Stubborn(0), {}, TypeError, "give the class"),
    ],
)
def test_bad_input(learner, keywords, error, words):
    with pytest.raises(error, match=words):
        worst_case(learner, **keywords)


def test_a_perceptron_that_has_learned_is_another_problem():
    learner = Perceptron(fit_intercept=False).learn_one([1.0, 0.0], 1)
    with pytest.raises(ValueError, match="starts at w = 0"):
        worst_case(learner, gamma=0.5)
