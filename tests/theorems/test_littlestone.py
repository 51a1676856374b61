"""Littlestone's dimension against its definition, its trees, and the learner that meets it."""

from __future__ import annotations

import copy
import pickle
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from novikoff import NotRealizable, concepts, play
from novikoff.learners.halving import Halving
from novikoff.learners.littlestone import StandardOptimal, Tree, littlestone_dimension, shattered_tree
from novikoff.learners.weighted_majority import WeightedMajority
from novikoff.theory import Forced, Game
from novikoff.theory.littlestone import LITTLESTONE, LITTLESTONE_LOWER, littlestone_bound
from tests.theorems.tally import applied_often, confirmed

GAP = (6, 8, 9, 10, 11, 12, 14, 15)  # on 4 points: Halving can be made to make a mistake more


def listed(codes, points):
    """The concepts that codes are bit by bit, as a table."""
    return concepts.table([[code >> x & 1 for x in range(points)] for code in codes])


@st.composite
def tables(draw, most=12):
    points = draw(st.integers(1, 6))
    codes = draw(st.sets(st.integers(0, 2**points - 1), min_size=1, max_size=most))
    return sorted(codes), points


def by_definition(V, points):
    """Ldim of a set of codes."""
    if not V:
        return -1
    parts = [({c for c in V if c >> x & 1}, {c for c in V if not c >> x & 1}) for x in range(points)]
    return max((1 + min(by_definition(a, points), by_definition(b, points)) for a, b in parts if a and b), default=0)


def domain_of(C):
    """For every point the labels of all concepts, asked one by one."""
    members = C.members(C.whole)
    return [[concept(x) for concept in members] for x in C.domain.points()]


def transcript(learner, C, stream, target=None):
    """A game for the theorems: labels are those of the target unless the stream has its own."""
    members, predictions, truth, labels = C.members(C.whole), [], [], []
    for x, *y in stream:
        truth.append(target(x) if target else y[0])
        predictions.append(learner.predict_one(x))
        labels.append([concept(x) for concept in members])
        learner.learn_one(x, truth[-1])
    return Game(labels, truth, predictions, domain_of(C))


# The dimension --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("C", "dimension"),
    [
        *((concepts.monotone_conjunctions(d), d) for d in range(1, 9)),
        *((concepts.monotone_disjunctions(d), d) for d in range(1, 6)),
        *((concepts.conjunctions(d), d + 1) for d in range(2, 7)),
        *((concepts.disjunctions(d), d + 1) for d in range(2, 6)),
        *((concepts.parities(d), d) for d in range(1, 7)),
        *((concepts.thresholds(n), (n + 1).bit_length() - 1) for n in (1, 2, 3, 4, 6, 7, 8, 62, 63, 64, 127, 200)),
        *((concepts.singletons(n), int(n > 1)) for n in (1, 2, 3, 50)),
        (concepts.table([[0, 1, 1]]), 0),
        (concepts.table([[0], [1]]), 1),
        (listed(range(16), 4), 4),
        (listed(GAP, 4), 2),
    ],
    ids=repr,
)
def test_known_dimensions(C, dimension):
    assert littlestone_dimension(C) == dimension
    assert StandardOptimal(C).bound() == dimension
    assert shattered_tree(C).depth == dimension


@given(tables())
def test_it_is_what_the_definition_says(table):
    codes, points = table
    assert littlestone_dimension(listed(codes, points)) == by_definition(set(codes), points)


@given(tables(most=20))
def test_the_transcription_of_the_theory_agrees(table):
    C = listed(*table)
    assert littlestone_dimension(C) == littlestone_bound(domain_of(C))


@pytest.mark.parametrize("n", range(1, 9))
def test_intervals(n):
    codes = {sum(1 << x for x in range(a, b)) for a in range(n) for b in range(a, n + 1)}
    assert len(codes) == concepts.intervals(n).size
    expected = littlestone_bound([[c >> x & 1 for c in codes] for x in range(n)])
    assert littlestone_dimension(concepts.intervals(n)) == expected
    assert n > 6 or expected == by_definition(codes, n)


@pytest.mark.parametrize("seed", range(6))
def test_larger_classes_where_a_greedy_split_misleads(seed):
    random = np.random.default_rng(seed)
    rows = random.random((40, 9)) < random.choice([0.2, 0.3, 0.5])
    C = concepts.table(rows.astype(int))
    assert littlestone_dimension(C) == littlestone_bound(domain_of(C))


def test_a_class_that_is_too_large_is_refused():
    for C in (concepts.conjunctions(d=12), concepts.monotone_disjunctions(d=22)):
        for function in (littlestone_dimension, shattered_tree, StandardOptimal):
            with pytest.raises(ValueError, match=r"too many (for a table|to list)"):
                function(C)


# Trees ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "C",
    [
        concepts.conjunctions(3),
        concepts.monotone_conjunctions(5),
        concepts.thresholds(40),
        concepts.intervals(9),
        concepts.juntas(3, 1),
        concepts.singletons(5),
        concepts.table([[1, 0]]),
        listed(GAP, 4),
        concepts.predicates([str.isupper, str.isdigit, str.isalpha], ["a", "A", "1"]),
    ],
    ids=repr,
)
def test_every_branch_of_the_tree_has_its_concept(C):
    tree = shattered_tree(C)
    branches = tree.branches()
    assert len(branches) == 2**tree.depth == len({concept for _, concept in branches})
    assert [[y for _, y in examples] for examples, _ in branches] == [
        [code >> (tree.depth - 1 - i) & 1 for i in range(tree.depth)] for code in range(2**tree.depth)
    ]
    for examples, concept in branches:
        assert all(concept(x) == y for x, y in examples)
        assert concept in C.members(C.whole)


@given(tables())
def test_trees_of_any_class(table):
    codes, points = table
    tree = shattered_tree(listed(codes, points))
    assert tree.depth == by_definition(set(codes), points)
    for examples, concept in tree.branches():
        assert all(concept(x) == y for x, y in examples)


def test_a_tree_is_read_from_left_to_right():
    tree = shattered_tree(concepts.singletons(3))
    assert str(tree) == "0\n  0: x == 1\n  1: x == 0"
    assert tree == Tree(0, Tree(concept=tree.zero.concept), Tree(concept=tree.one.concept))
    assert str(shattered_tree(concepts.singletons(1))) == "x == 0"
    assert str(shattered_tree(concepts.monotone_conjunctions(2))).splitlines() == [
        "(1, 0)",
        "  0: (0, 1)",
        "    0: x[0] & x[1]",
        "    1: x[1]",
        "  1: (0, 0)",
        "    0: x[0]",
        "    1: 1",
    ]


# The standard optimal algorithm ---------------------------------------------------------------------


@given(tables(), st.data())
def test_it_never_makes_more_mistakes(table, data):
    codes, points = table
    C = listed(codes, points)
    target = data.draw(st.sampled_from(C.members(C.whole)))
    stream = data.draw(st.lists(st.integers(0, points - 1), max_size=12))
    learner = StandardOptimal(C)
    game = transcript(learner, C, [(x,) for x in stream], target)
    assert learner.mistakes_ == game.mistakes <= by_definition(set(codes), points) == learner.bound()
    finding = LITTLESTONE.check(game)
    assert finding.applies
    assert finding.conclusion
    # A majority vote is another learner: the theorem says nothing of it, or holds.
    assert LITTLESTONE.check(transcript(Halving(C), C, [(x,) for x in stream], target)).holds


def test_it_predicts_the_part_of_the_larger_dimension():
    # The dimension decides, not the number: on point 0 three singletons say 0, and two concepts say 1.
    C = listed([0b0010, 0b0100, 0b1000, 0b0001, 0b0011], 4)
    assert littlestone_dimension(C) == 2
    assert StandardOptimal(C).predict_one(0) == 1, "a tie of 1 and 1"
    assert Halving(C).predict_one(0) == 0
    C = listed([0b0000, 0b0010, 0b0100, 0b0110, 0b10001, 0b100001, 0b1000001, 0b10000001, 0b100000001], 9)
    assert StandardOptimal(C).predict_one(0) == 0, "four concepts of dimension 2 beat five of dimension 1"
    assert Halving(C).predict_one(0) == 1


def test_an_empty_part_loses():
    learner = StandardOptimal(concepts.table([[0, 1]]))
    assert [learner.predict_one(x) for x in (0, 1)] == [0, 1]


def test_it_keeps_its_version_space_as_halving_does():
    C = concepts.monotone_conjunctions(3)
    optimal, halving = StandardOptimal(C), Halving(C)
    assert optimal._state == halving._state
    for x, y in [((1, 0, 1), 1), ((0, 1, 1), 0)]:
        twin = optimal.copy()
        optimal.learn_one(x, y)
        halving.learn_one(x, y)
        assert optimal.version_space_ == halving.version_space_
        assert hash(optimal._state) != hash(twin._state)
        assert twin.rounds_ == optimal.rounds_ - 1
    assert [str(concept) for concept in optimal.version_space_.survivors] == ["x[0]", "x[0] & x[2]"]
    for same in (copy.deepcopy(optimal), pickle.loads(pickle.dumps(optimal))):
        assert same._state == optimal._state
        assert same.bound() == 3
        assert same.predict_one((1, 1, 0)) == optimal.predict_one((1, 1, 0))


def test_what_no_concept_explains_is_not_learned():
    learner = StandardOptimal(concepts.thresholds(5)).learn_one(2, 1)
    before = learner._state
    with pytest.raises(NotRealizable, match="round 1: no concept is left") as caught:
        learner.learn_one(3, 0)
    assert caught.value.round == 1
    assert (learner._state, learner.rounds_) == (before, 1)
    for x, y in ((5, 1), (0, 2), (1.5, 1)):
        with pytest.raises(ValueError, match=r"x is|y is"):
            learner.learn_one(x, y)


def test_labels_are_taken_from_the_class_it_was_given():
    # Juntas have codes that are no concepts: bits that mean nothing must not vote.
    C = concepts.juntas(3, 2)
    assert C.merged > 0
    for target in C.members(C.whole)[::5]:
        stream = [(x, target(x)) for x in C.domain.points()]
        learner = StandardOptimal(C)
        assert play(learner, stream).mistakes <= learner.bound() == littlestone_dimension(C)
        assert learner.version_space_.survivors == [target]


# The theorems ---------------------------------------------------------------------------------------

BOTH = [[0, 1]]  # one point, and both functions of it
APART = [[0, 1, 0, 1], [0, 0, 1, 1]]  # two points, and all functions of them
PLAN = (0, (1, 0, 2), (1, 1, 3))  # for them: point 0, then point 1
WALK = {"labels": APART, "truth": [0, 0], "predictions": [1, 1], "domain": APART, "tree": PLAN}


@pytest.mark.parametrize(
    ("theorem", "game", "without"),
    [
        (LITTLESTONE, Game(BOTH * 4, [0, 1, 0, 1], [1, 0, 1, 1], BOTH), "some concept agrees"),
        (LITTLESTONE, Game(APART, [0, 0], [1, 1], APART[:1]), "point of the domain"),
        (LITTLESTONE, Game(BOTH * 2, [0, 0], [1, 1], BOTH), "the larger Ldim"),
        # point 0 twice: no concept is 0 and then 1 on it
        (
            LITTLESTONE_LOWER,
            Forced(
                **WALK | {"labels": [APART[0]] * 2, "truth": [0, 1], "predictions": [1, 0], "tree": (0, PLAN, PLAN)}
            ),
            "agrees with its labels",
        ),
        (LITTLESTONE_LOWER, Forced(APART[:1], [0], [1], APART, tree=(0, 0, 1)), "depth of the tree"),
        (LITTLESTONE_LOWER, Forced(**WALK | {"predictions": [1, 0]}), "not predicted"),
        (LITTLESTONE_LOWER, Forced(APART[:1], [0], [1], APART, tree=PLAN), "to its end"),
    ],
)
def test_a_hypothesis_is_needed(theorem, game, without):
    finding = theorem.check(game)
    assert any(without in text for text in finding.unmet)
    assert len(finding.unmet) == 1 or theorem is LITTLESTONE_LOWER
    assert not finding.conclusion
    assert finding.holds, "a theorem says nothing when a hypothesis fails"


@pytest.mark.parametrize(
    ("change", "without"),
    [
        ({"tree": (0, (1, 0, 2), (1, 1, 2))}, "agrees with its labels"),  # the last concept says 0 on point 0
        ({"tree": (0, (1, 0, 2), (1, 3, 1))}, "agrees with its labels"),
        ({"tree": (0, (1, 0, 2), 1)}, "complete"),
        ({"domain": [*APART, [0, 0, 0, 1]], "tree": (2, (0, (1, 0, 2), (1, 1, 1)), 3)}, "complete"),
        ({"labels": APART[::-1]}, "goes down"),  # the rounds are not those of the plan
        ({"truth": [0, 1]}, "not predicted"),
        ({"labels": [*APART, APART[0]], "truth": [0, 0, 0], "predictions": [1, 1, 1]}, "to its end"),
    ],
)
def test_what_is_no_walk_down_a_shattered_tree_is_named(change, without):
    assert confirmed(LITTLESTONE_LOWER, Forced(**WALK))
    assert any(without in text for text in LITTLESTONE_LOWER.check(Forced(**WALK | change)).unmet)


def test_the_theorem_of_the_optimal_learner_holds_on_whatever_happens():
    with applied_often() as tally:

        @given(tables(most=8), st.data())
        def each(table, data):
            C = listed(*table)
            domain = domain_of(C)
            rounds = data.draw(st.lists(st.sampled_from(domain), max_size=4))
            bits = st.lists(st.integers(0, 1), min_size=len(rounds), max_size=len(rounds))
            concept = data.draw(st.integers(0, C.size - 1))
            truth = [row[concept] for row in rounds] if data.draw(st.integers(0, 3)) else data.draw(bits)
            predictions = optimal(rounds, truth, domain) if data.draw(st.integers(0, 3)) else data.draw(bits)
            tally.check(LITTLESTONE, Game(rounds, truth, predictions, domain))

        each()


def optimal(rounds, truth, domain):
    """The predictions by the definition, from the dimension of codes."""
    points, alive = len(domain), set(range(len(domain[0])))
    codes = {c: sum(row[c] << x for x, row in enumerate(domain)) for c in alive}
    predictions = []
    for row, y in zip(rounds, truth, strict=True):
        parts = [{codes[c] for c in alive if row[c] == label} for label in (0, 1)]
        zero, one = (by_definition(part, points) for part in parts)
        predictions.append(int(one >= zero))
        alive = {c for c in alive if row[c] == y}
    return predictions


# The adversary against the library's learners ------------------------------------------------------


def numbered(tree, C):
    """The library's tree as the theory takes it: points and concepts by their numbers."""
    points, members = list(C.domain.points()), C.members(C.whole)

    def part(node):
        if node.point is None:
            return members.index(node.concept)
        return points.index(node.point), part(node.zero), part(node.one)

    return part(tree)


class Scripted:
    """Any learner: its predictions down the tree are any bits."""

    def __init__(self, bits):
        self.bits = list(bits)

    def predict_one(self, x):
        return self.bits[0]

    def learn_one(self, x, y):
        self.bits.pop(0)


def forced_down(learner, C):
    """Plays the library's shattered tree against a learner, which is told the opposite of what it predicts."""
    members, tree, labels, truth, predictions = C.members(C.whole), shattered_tree(C), [], [], []
    whole = numbered(tree, C)
    while tree.point is not None:
        predictions.append(learner.predict_one(tree.point))
        truth.append(1 - predictions[-1])
        labels.append([concept(tree.point) for concept in members])
        learner.learn_one(tree.point, truth[-1])
        tree = tree.one if truth[-1] else tree.zero
    return Forced(labels, truth, predictions, domain_of(C), tree=whole)


@pytest.mark.parametrize("Learner", [Halving, StandardOptimal, WeightedMajority])
@pytest.mark.parametrize(
    "C",
    [concepts.monotone_conjunctions(3), concepts.conjunctions(2), concepts.thresholds(8), concepts.intervals(5)],
    ids=repr,
)
def test_the_tree_forces_its_depth_from_the_learners_of_the_library(Learner, C):
    learner = Learner(C)
    game = forced_down(learner, C)
    finding = LITTLESTONE_LOWER.check(game)
    assert finding.applies
    assert finding.conclusion
    codes = {sum(concept(x) << i for i, x in enumerate(C.domain.points())) for concept in C.members(C.whole)}
    assert learner.mistakes_ == game.mistakes == by_definition(codes, len(list(C.domain.points())))


def test_no_learner_is_better():
    """Whatever a learner predicts down the tree, the opposite is the truth."""
    with applied_often() as tally:

        @given(tables(), st.lists(st.integers(0, 1), min_size=4, max_size=4))
        def each(table, predictions):
            C = listed(*table)
            finding = tally.check(LITTLESTONE_LOWER, forced_down(Scripted(predictions), C))
            assert finding.applies
            assert finding.conclusion

        each()


def test_every_deterministic_learner_in_turn():
    # All functions of 2 points: at each of the 3 nodes of the tree a learner may predict either label.
    C = listed(range(4), 2)
    for bits in product((0, 1), repeat=2):
        game = forced_down(Scripted(bits), C)
        assert confirmed(LITTLESTONE_LOWER, game)
        assert game.mistakes == 2


def test_the_dimension_needs_the_domain():
    with pytest.raises(ValueError, match="every point of the domain"):
        littlestone_bound([])
    with pytest.raises(ValueError, match="every point of the domain"):
        LITTLESTONE.check(Game(BOTH, [0], [1]))
