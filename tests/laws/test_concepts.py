"""Concept classes against their definitions, written out."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
import scipy.sparse as sp

from novikoff import concepts
from novikoff.concepts import codes, count, packed, unpacked


def cube(d):
    return list(itertools.product((0, 1), repeat=d))


def subsets(items):
    items = list(items)
    return itertools.chain.from_iterable(itertools.combinations(items, k) for k in range(len(items) + 1))


def functions(points, rule, codes):
    """The different functions x -> rule(code, x), as tuples of labels."""
    return {tuple(int(rule(code, x)) for x in points) for code in codes}


def literals(d):
    """For every variable: absent, plain or negated."""
    return itertools.product((None, 1, 0), repeat=d)


def depends_on_at_most(k, d):
    points = cube(d)
    for values in itertools.product((0, 1), repeat=2**d):
        label = dict(zip(points, values, strict=True))
        relevant = sum(any(label[x] != label[(*x[:i], 1 - x[i], *x[i + 1 :])] for x in points) for i in range(d))
        if relevant <= k:
            yield values


def of_points(C):
    """The labels of every concept on every point, one concept after another."""
    points = C.domain.points()
    return [tuple(c(x) for x in points) for c in C.members(C.whole)]


DEFINED = {
    "monotone conjunctions": (
        concepts.monotone_conjunctions(4),
        functions(cube(4), lambda s, x: all(x[i] for i in s), subsets(range(4))),
        2**4,
    ),
    "monotone disjunctions": (
        concepts.monotone_disjunctions(4),
        functions(cube(4), lambda s, x: any(x[i] for i in s), subsets(range(4))),
        2**4,
    ),
    "conjunctions": (
        concepts.conjunctions(3),
        functions(cube(3), lambda s, x: all(a is None or a == b for a, b in zip(s, x, strict=True)), literals(3)),
        3**3,
    ),
    "disjunctions": (
        concepts.disjunctions(3),
        functions(cube(3), lambda s, x: any(a == b for a, b in zip(s, x, strict=True)), literals(3)),
        3**3,
    ),
    "parities": (
        concepts.parities(4),
        functions(cube(4), lambda s, x: sum(x[i] for i in s) % 2, subsets(range(4))),
        2**4,
    ),
    "juntas": (concepts.juntas(3, 2), set(depends_on_at_most(2, 3)), 38),
    "juntas of one variable": (concepts.juntas(3, 1), set(depends_on_at_most(1, 3)), 2 * 3 + 2),
    "all functions": (concepts.juntas(3, 3), set(depends_on_at_most(3, 3)), 2**8),
    "thresholds": (concepts.thresholds(70), functions(range(70), lambda a, x: x >= a, range(71)), 71),
    "thresholds that fill a word": (concepts.thresholds(63), functions(range(63), lambda a, x: x >= a, range(64)), 64),
    "intervals": (
        concepts.intervals(66),
        functions(range(66), lambda ab, x: ab[0] <= x <= ab[1], itertools.product(range(66), repeat=2)),
        66 * 67 // 2 + 1,
    ),
    "stumps": (
        concepts.decision_stumps(3),
        functions(cube(3), lambda iy, x: (*x, 1)[iy[0]] == iy[1], itertools.product(range(4), (0, 1))),
        2 * 3 + 2,
    ),
    "singletons": (concepts.singletons(65), functions(range(65), lambda a, x: x == a, range(65)), 65),
    "linear thresholds": (
        concepts.linear_thresholds(3, weight=2),
        functions(
            cube(3),
            lambda wb, x: sum(a * b for a, b in zip(wb[0], x, strict=True)) >= wb[1],
            itertools.product(itertools.product(range(-2, 3), repeat=3), range(-7, 8)),
        ),
        104,  # all threshold functions of three variables
    ),
}


@pytest.mark.parametrize("name", DEFINED)
def test_a_class_is_its_definition(name):
    C, expected, size = DEFINED[name]
    # points in the order of the definition
    order = [C.domain.points().index(x) for x in (cube(C.domain.d) if hasattr(C.domain, "d") else C.domain.points())]
    found = [tuple(row[i] for i in order) for row in of_points(C)]
    assert len(found) == len(set(found)) == C.size == len(C) == size
    assert set(found) == expected


@pytest.mark.parametrize("name", DEFINED)
def test_votes_filters_and_masks_agree_with_the_labels(name):
    C, _, _ = DEFINED[name]
    rng = np.random.default_rng(1)
    rows = np.array(of_points(C))
    points, masks = C.masks
    some = C.whole & packed(rng.random(C.whole.size * 64) < 0.5).reshape(C.whole.shape)
    alive = np.isin(codes(C.whole), codes(some))
    assert count(some) == alive.sum() == len(C.members(some))
    for number, x in enumerate(points):
        labels = rows[:, number] == 1
        assert [mask >> i & 1 for mask in masks[number : number + 1] for i in range(C.size)] == labels.tolist()
        assert C.votes(some, count(some), x) == np.sum(alive & labels)
        for y in (0, 1):
            rest = C.filtered(some, x, y)
            assert np.array_equal(codes(rest), codes(C.whole)[alive & (labels == y)])
    assert np.array_equal(codes(some), codes(C.whole)[alive]), "a set is left alone by votes and filters"


def test_descriptions_tell_concepts_apart_and_say_what_they_do():
    for C, _, _ in DEFINED.values():
        names = [str(concept) for concept in C.members(C.whole)]
        assert len(set(names)) == len(names)
    for C in (concepts.conjunctions(3), concepts.disjunctions(3), concepts.parities(3), concepts.decision_stumps(3)):
        for concept in C.members(C.whole):
            for x in C.domain.points():
                text = str(concept).replace("~x", "1 - x").replace("&", "and").replace("|", "or")
                assert bool(eval(text, {"x": x})) == bool(concept(x)), (text, x)
    assert repr(concepts.thresholds(3).members(concepts.thresholds(3).whole)[2]) == "<concept x >= 2>"
    assert repr(concepts.table([[0, 1], [0, 1]])) == "<1 concepts on 2 points, 1 equal ones merged>"


def test_sixteen_million_concepts_are_ordinary():
    C = concepts.monotone_conjunctions(24)
    assert C.size == 2**24
    assert C.whole.nbytes == 2**21
    x = np.zeros(24, dtype=int)
    x[[3, 17]] = 1
    assert C.votes(C.whole, C.size, x) == 4  # the empty one, x3, x17, both
    assert {str(c) for c in C.members(C.filtered(C.whole, x, 1))} == {"1", "x[3]", "x[17]", "x[3] & x[17]"}
    for y in (0, 1):
        assert count(C.filtered(C.whole, x, y)) == (2**24 - 4, 4)[y]
    assert concepts.conjunctions(12).size == 3**12
    assert concepts.parities(20).votes(concepts.parities(20).whole, 2**20, np.ones(20)) == 2**19


def test_equal_concepts_are_merged_and_counted():
    C = concepts.table([[0, 1, 1], [0, 0, 0], [0, 1, 1], [0, 0, 0], [1, 1, 1]])
    assert (C.size, C.merged) == (3, 2)
    assert [str(c) for c in C.members(C.whole)] == ["row 0", "row 1", "row 4"]
    assert concepts.juntas(4, 2).merged == 16 * math.comb(4, 2) - concepts.juntas(4, 2).size
    even = concepts.predicates([lambda x: x % 2 == 0, lambda x: x in (0, 2), lambda x: x > 1], domain=range(4))
    assert (even.size, even.merged) == (2, 1)


def test_predicates_take_any_points():
    def long(word):
        return len(word) > 3

    C = concepts.predicates([long, lambda word: word[0] == "a"], ["an", "apple", "tree"])
    assert [str(c) for c in C.members(C.whole)] == ["long", "predicate 1"]
    assert [c("apple") for c in C.members(C.whole)] == [1, 1]
    assert [str(c) for c in C.consistent(["an", "tree"], [0, 1])] == ["long"]
    vectors = concepts.predicates([lambda x: x[0] > 0], [[0, 1], [1, 0]])
    assert vectors.labels(np.array([1, 0])).ravel()[0] == 1
    assert vectors.labels((0, 1)).ravel()[0] == 0
    with pytest.raises(ValueError, match=r"not one of the 3 points"):
        C.labels("pear")
    with pytest.raises(ValueError, match=r"twice"):
        concepts.predicates([long], ["a", "a"])
    with pytest.raises(ValueError, match=r"the domain is empty"):
        concepts.predicates([long], [])


def test_points_come_in_many_forms():
    C = concepts.monotone_conjunctions(3)
    expected = C.labels((1, 0, 1))
    for x in (
        [1, 0, 1],
        [True, False, True],
        np.array([1.0, 0.0, 1.0]),
        sp.csr_array([[1, 0, 1]]),
        np.array([1, 0, 1], "u1"),
    ):
        assert np.array_equal(C.labels(x), expected)
    assert np.array_equal(concepts.thresholds(5).labels(3), concepts.thresholds(5).labels(np.int32(3)))
    assert np.array_equal(concepts.thresholds(5).labels(3), concepts.thresholds(5).labels(3.0))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: concepts.monotone_conjunctions(3).labels((1, 0)), r"x has 2 entries; .* 3"),
        (lambda: concepts.monotone_conjunctions(3).labels((1, 0, 2)), r"x\[2\] is 2: every entry must be 0 or 1"),
        (lambda: concepts.monotone_conjunctions(3).labels((1, 0, math.nan)), r"x\[2\] is nan"),
        (lambda: concepts.monotone_conjunctions(3).labels("101"), r"one vector"),
        (lambda: concepts.monotone_conjunctions(3).labels(["1", "0", "1"]), r"numbers 0 and 1"),
        (lambda: concepts.monotone_conjunctions(3).labels([[1, 0, 1]]), r"its shape is \(1, 3\)"),
        (lambda: concepts.monotone_conjunctions(3).filtered(np.zeros((1, 1), "u8"), (1, 0, 1), 2), r"y is 2"),
        (lambda: concepts.monotone_conjunctions(3).filtered(np.zeros((1, 1), "u8"), (1, 0, 1), "1"), r"y is '1'"),
        (lambda: concepts.thresholds(3).labels(3), r"x is 3: the points of this class are 0 to 2"),
        (lambda: concepts.thresholds(3).labels(-1), r"x is -1"),
        (lambda: concepts.thresholds(3).labels(0.5), r"integers 0 to 2"),
        (lambda: concepts.thresholds(3).labels(True), r"integers 0 to 2"),
        (lambda: concepts.thresholds(0), r"n is 0: it must be an integer, at least 1"),
        (lambda: concepts.parities(2.0), r"d is 2\.0"),
        (lambda: concepts.juntas(3, 0), r"k is 0"),
        (lambda: concepts.juntas(3, 4), r"k must be at most d"),
        (lambda: concepts.table([]), r"a row for each concept"),
        (lambda: concepts.table(np.zeros((0, 3))), r"no concepts"),
        (lambda: concepts.predicates([], [1, 2]), r"no concepts"),
        (lambda: concepts.table([[0, 1], [0, 3]]), r"3 in row 1, column 1"),
        (
            lambda: concepts.monotone_conjunctions(40),
            r"2\^40 monotone conjunctions.*MonotoneConjunction",
        ),
        (lambda: concepts.linear_thresholds(12), r"too many to tell apart.*EllipsoidPerceptron"),
        (lambda: concepts.decision_stumps(30).masks, r"1,073,741,824 points, too many to list"),
        (lambda: concepts.monotone_conjunctions(18).masks, r"too many for a table"),
        (lambda: concepts.intervals(10**6), r"too many intervals"),
    ],
)
def test_bad_input_is_named(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_packing_is_the_inverse_of_unpacking():
    rng = np.random.default_rng(0)
    for width in (1, 63, 64, 65, 200):
        bits = rng.random((3, width)) < 0.5
        words = packed(bits)
        assert words.shape == (3, -(-width // 64))
        assert np.array_equal(unpacked(words).reshape(3, -1)[:, :width], bits)
        assert not unpacked(words).reshape(3, -1)[:, width:].any()


def test_drawing_reaches_every_concept_and_point():
    rng = np.random.default_rng(0)
    for C in (concepts.conjunctions(2), concepts.intervals(3), concepts.table([[0, 1], [1, 0]])):
        assert {C.draw(rng).code for _ in range(400)} == set(codes(C.whole).tolist())
        assert {C.domain.draw(rng) for _ in range(200)} == set(C.domain.points())
