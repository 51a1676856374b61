"""Weighted Majority, plain and randomised: the same as the definition in rationals, and within its bound."""

from __future__ import annotations

import math
import pickle
from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from novikoff import Halving, concepts
from novikoff.game import play
from novikoff.learners.weighted_majority import RandomizedWeightedMajority, WeightedMajority
from novikoff.theory import experts as theory

BETAS = [Fraction(1, 3), 0.5, 0.9, 0.1, Fraction(99, 100), 1 - 2.0**-53, 2.0**-1074]


@st.composite
def games(draw):
    """A small class with few different rows, so that weights tie, and a stream: noise, or a concept with some noise."""
    points = draw(st.integers(1, 4))
    C = concepts.table(draw(st.lists(st.lists(st.integers(0, 1), min_size=points, max_size=points), min_size=1)))
    xs = draw(st.lists(st.integers(0, points - 1), min_size=1, max_size=25))
    noise = draw(st.lists(st.sampled_from([0, 0, 0, 1]), min_size=len(xs), max_size=len(xs)))
    concept = C.members(C.whole)[draw(st.integers(0, C.size - 1))]
    if draw(st.booleans()):
        noise = [0] * len(xs)
    return C, [(x, concept(x) ^ n) for x, n in zip(xs, noise, strict=True)]


def votes(C, stream, learner):
    """The game as the theorems see it, with the learner's predictions, and its bound after each round."""
    predictions = []
    for x, y in stream:
        predictions.append(learner.predict_one(x))
        learner.learn_one(x, y)
    labels = [[concept(x) for concept in C.members(C.whole)] for x, _ in stream]
    return theory.Vote(labels, [y for _, y in stream], predictions, beta=theory.penalty(learner.beta))


@settings(max_examples=60)
@given(games(), st.sampled_from(BETAS))
def test_weighted_majority_is_its_definition(game, beta):
    C, stream = game
    learner = WeightedMajority(C, beta)
    vote = votes(C, stream, learner)
    finding = theory.WEIGHTED_MAJORITY.check(vote)
    assert finding.unmet == ()  # every prediction is that of the exact weights, ties included
    assert finding.conclusion
    assert learner.mistakes_ == vote.mistakes <= learner.bound()
    assert learner.best_mistakes_ == vote.best
    assert vote.counts[-1][[c.code for c in C.members(C.whole)].index(learner.best_.code)] == vote.best
    assert learner.bound() == theory.WEIGHTED_MAJORITY.bound(C.size, vote.best, beta)


def transcribed(labels, truth, beta, draws):
    """The randomised vote by its definition: predictions, and the sum of the probabilities of being wrong."""
    weights = [Fraction(1)] * len(labels[0])
    predictions, expected = [], Fraction(0)
    for row, y, draw in zip(labels, truth, draws, strict=True):
        share = sum(w for w, label in zip(weights, row, strict=True) if label) / sum(weights)
        predictions.append(int(Fraction(draw, 2**64) < share))
        expected += share if y == 0 else 1 - share
        weights = [w if label == y else w * beta for w, label in zip(weights, row, strict=True)]
    return predictions, expected


@settings(max_examples=60)
@given(games(), st.sampled_from(BETAS[:-1]), st.integers(0, 50))
def test_the_randomised_vote_is_its_definition(game, beta, seed):
    C, stream = game
    learner = RandomizedWeightedMajority(C, beta, random_state=seed)
    vote = votes(C, stream, learner)
    draws = [int(np.random.PCG64([seed, t]).random_raw()) for t in range(len(stream))]
    predictions, expected = transcribed(vote.labels, vote.truth, vote.beta, draws)
    assert vote.predictions == predictions
    assert learner.mistakes_ == vote.mistakes
    vote = replace(vote, probabilities=vote.shares)
    assert vote.expected == expected
    assert learner.expected_mistakes_ == pytest.approx(float(expected), abs=1e-12)
    finding = theory.RANDOMIZED.check(vote)
    assert finding.unmet == ()
    assert finding.conclusion
    assert learner.expected_mistakes_ <= learner.bound()
    assert learner.bound() == theory.RANDOMIZED.bound(C.size, vote.best, beta)


def test_unclear_weights_are_compared_exactly():
    # beta^2 + beta = 1 at the golden ratio: the two fractions of Fibonacci numbers around it differ by 1e-35.
    fibonacci = [1, 1]
    while len(fibonacci) < 90:
        fibonacci.append(fibonacci[-1] + fibonacci[-2])
    below, above = sorted(Fraction(fibonacci[k], fibonacci[k + 1]) for k in (85, 86))
    assert float(below) == float(above)
    assert below**2 + below < 1 < above**2 + above
    # Point 0: c0 alone says 1. c1 has been wrong once, on point 1, and c2 twice, on points 1 and 2.
    C = concepts.table([[1, 0, 0], [0, 1, 0], [0, 1, 1]])
    for beta, prediction in ((below, 1), (above, 0)):
        learner = WeightedMajority(C, beta).learn_one(1, 0).learn_one(2, 0)
        assert learner.predict_one(0) == prediction


def test_a_draw_next_to_the_share_is_decided_exactly(monkeypatch):
    C = concepts.table([[1, 0], [0, 0], [0, 1]])  # a third says 1
    for draw, prediction in ((2**64 // 3, 1), (2**64 // 3 + 1, 0), (0, 1), (2**64 - 1, 0)):
        monkeypatch.setattr(RandomizedWeightedMajority, "_draw", lambda self, draw=draw: draw)
        assert RandomizedWeightedMajority(C).predict_one(0) == prediction
    half = concepts.table([[1], [0]])
    for draw, prediction in ((2**63 - 1, 1), (2**63, 0)):
        monkeypatch.setattr(RandomizedWeightedMajority, "_draw", lambda self, draw=draw: draw)
        assert RandomizedWeightedMajority(half).predict_one(0) == prediction


@settings(max_examples=40)
@given(st.integers(1, 4), st.integers(0, 10**6))
def test_a_small_beta_is_halving_on_realizable_data(d, seed):
    # While some concept has made no mistake, all others weigh less than one in the sum: 3^d beta < 1.
    C, rng = concepts.conjunctions(d), np.random.default_rng(seed)
    target = C.members(C.whole)[rng.integers(C.size)]
    weighted, halving = WeightedMajority(C, 2.0**-20), Halving(C)
    for x in rng.integers(0, 2, (30, d)):
        alive = halving.version_space_.survivors
        if 2 * sum(concept(x) for concept in alive) != len(alive):  # at a tie the small weights decide
            assert weighted.predict_one(x) == halving.predict_one(x)
        weighted.learn_one(x, target(x))
        halving.learn_one(x, target(x))
    assert weighted.best_mistakes_ == 0
    assert weighted.bound() == halving.bound()
    assert weighted.mistakes_ <= halving.bound()


# How tight ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("k", [1, 2, 5, 10])
@pytest.mark.parametrize("beta", [2.0**-10, 0.01, 0.5])
def test_the_bound_is_met_without_noise(k, beta):
    # All labels of k points, and 0 on each of them: the vote is tied every time, and says 1.
    C = concepts.table(list(product([0, 1], repeat=k)))
    run = play(WeightedMajority(C, beta), [(x, 0) for x in range(k)])
    assert run.mistakes == k
    if beta < 0.05:
        assert run.bound == k


def test_the_randomised_bound_is_nearly_met():
    # One of two concepts is always wrong: the sum of beta^t/(1 + beta^t) is about ln 2/(1 - beta).
    C = concepts.table([[0], [1]])
    for beta, rounds, ratio in ((0.5, 40, 0.9), (0.9, 300, 0.98), (0.99, 2000, 0.99)):
        learner = RandomizedWeightedMajority(C, beta)
        play(learner, [(0, 1)] * rounds)
        limit = math.log(2) / (1 - beta)
        assert ratio * limit < learner.expected_mistakes_ < limit
        assert learner.bound() == math.ceil(limit)
    assert RandomizedWeightedMajority(C).bound() == 2, "1 is less than the 1.26 mistakes that are expected"


def test_many_draws_agree_with_the_expectation():
    C = concepts.thresholds(6)
    stream = [(x, int(x >= 3) ^ (t % 7 == 0)) for t, x in enumerate([0, 5, 2, 4, 3, 1, 5] * 6)]
    made = [RandomizedWeightedMajority(C, 0.8, random_state=seed) for seed in range(60)]
    runs = [play(learner, stream).mistakes for learner in made]
    assert runs == [learner.mistakes_ for learner in made]
    assert len(set(runs)) > 5
    expected = made[0].expected_mistakes_
    assert {learner.expected_mistakes_ for learner in made} == {expected}
    assert abs(np.mean(runs) - expected) < 4 * np.std(runs) / math.sqrt(len(runs))


# Bounds ---------------------------------------------------------------------------------------------


@given(st.integers(1, 2**40), st.integers(0, 30), st.sampled_from([*BETAS[:5], Fraction(2, 3), 0.75, 0.25]))
def test_the_bound_is_the_largest_integer_that_the_proof_allows(size, best, beta):
    M, b = theory.weighted_majority_bound(size, best, beta), theory.penalty(beta)
    assert b**best <= size * ((1 + b) / 2) ** M
    assert b**best > size * ((1 + b) / 2) ** (M + 1)


def test_bounds_at_the_ends():
    assert theory.weighted_majority_bound(1, 0, 0.5) == theory.randomized_bound(1, 0, 0.5) == 0
    # ln(1/beta)/ln(2/(1+beta)) = 2 + (1-beta)/2 + ...: 32 digits are not enough
    near = 1 - Fraction(1, 10**60)
    assert theory.weighted_majority_bound(1, 7, near) == 14
    assert theory.randomized_bound(1, 7, near) == 8
    assert theory.weighted_majority_bound(8, 0, Fraction(1, 10**60)) == 3, "just above 3"
    assert theory.randomized_bound(2, 3, Fraction(1, 2)) == math.ceil(8 * math.log(2))
    for size, best, beta in ((0, 0, 0.5), (1, -1, 0.5), (2, 0, 1), (2, 0, 0), (2, 0, math.nan)):
        for bound in (theory.weighted_majority_bound, theory.randomized_bound):
            with pytest.raises(ValueError, match=r"beta|one concept"):
                bound(size, best, beta)


def test_logarithms_are_enclosed():
    for value in (Fraction(1), Fraction(2), Fraction(1, 3), Fraction(10**40 + 1, 10**40), Fraction(7**200, 3)):
        low, high = theory.logarithm(value, 20)
        better = theory.logarithm(value, 90)
        assert low <= better[0] <= better[1] <= high
        assert high - low <= Fraction(1, 10**14)
    assert theory.logarithm(1, 9) == (0, 0)


# Hypotheses are needed ------------------------------------------------------------------------------

TWO = [[1, 0]] * 9
HALF, THIRD = Fraction(1, 2), Fraction(1, 3)


@pytest.mark.parametrize(
    ("theorem", "vote", "without"),
    [
        (theory.WEIGHTED_MAJORITY, theory.Vote(TWO, [1] * 9, [1] * 9, beta=Fraction(1)), "0 < beta < 1"),
        (theory.WEIGHTED_MAJORITY, theory.Vote(TWO, [1] * 9, [0] * 9), "larger weight"),
        (theory.RANDOMIZED, theory.Vote(TWO, [1] * 9, [0] * 9, probabilities=[THIRD] * 9), "the share"),
        (
            theory.RANDOMIZED,
            theory.Vote(TWO, [1] * 9, [0] * 9, beta=Fraction(1), probabilities=[HALF] * 9),
            "0 < beta < 1",
        ),
    ],
)
def test_a_hypothesis_is_needed(theorem, vote, without):
    finding = theorem.check(vote)
    assert len(finding.unmet) == 1
    assert without in finding.unmet[0]
    assert not finding.conclusion
    assert finding.holds


# The learners ---------------------------------------------------------------------------------------

BOTH = pytest.mark.parametrize("Learner", [WeightedMajority, RandomizedWeightedMajority])


@BOTH
def test_the_state_is_what_predictions_depend_on(Learner):
    # After 300 wrong examples and as many right ones all concepts are equal again, but the draws are others.
    learner = Learner(concepts.table([[0, 1], [1, 0], [1, 1]]), 0.5)
    start = learner._state
    for y in [0] * 300 + [1] * 300:
        learner.learn_one(0, y)
    assert learner.best_mistakes_ == 300
    assert (learner._state == start) == (Learner is WeightedMajority)
    assert not learner._counts.any()


@BOTH
@pytest.mark.parametrize("wide", [2**8, 2**16])
def test_counts_are_as_wide_as_need_be(Learner, wide):
    learner = Learner(concepts.table([[0, 1], [1, 0], [1, 1]]), 0.5)
    learner._counts = np.array([0, wide - 2, wide - 2], dtype=np.min_scalar_type(wide - 1))
    learner._all = np.bincount(learner._counts)
    for _ in range(4):
        learner.learn_one(0, 0)
    assert learner._counts.tolist() == [0, wide + 2, wide + 2]
    assert learner._all.nonzero()[0].tolist() == [0, wide + 2]
    assert (str(learner.best_), learner.best_mistakes_, learner.predict_one(0)) == ("row 0", 0, 0)
    for k in range(1, 5):
        learner.learn_one(0, 1)
        assert learner.best_mistakes_ == k
        assert learner._counts.tolist() == [0, wide + 2 - k, wide + 2 - k]
        assert learner._counts.dtype == np.min_scalar_type(wide + 2 - k), "equal states have equal bytes"


@BOTH
def test_the_codes_of_a_class_need_not_be_dense(Learner):
    C = concepts.juntas(4, 2)
    assert C.whole.size * 64 > C.size
    target = next(c for c in C.members(C.whole) if c.code > 200)
    learner = Learner(C)
    for number in list(range(16)) * 4:
        x = C.domain[number]
        learner.learn_one(x, target(x))
    assert learner.best_ == target
    assert learner.best_mistakes_ == 0
    assert all(learner.predict_one(C.domain[n]) == target(C.domain[n]) for n in range(16))


@BOTH
def test_it_learns_from_what_halving_refuses(Learner):
    learner = Learner(concepts.thresholds(3))
    for _ in range(20):
        learner.learn_one(1, 0).learn_one(1, 1)
    assert learner.best_mistakes_ == 20
    assert learner.rounds_ == 40


@BOTH
@pytest.mark.parametrize(("x", "y"), [((1, 0), 2), ((1, 0), -1), ((1, 0), "1"), ((1, 0, 1), 1), ((0.5, 1), 1)])
def test_bad_input_changes_nothing(Learner, x, y):
    learner = Learner(concepts.monotone_conjunctions(2)).learn_one((1, 1), 0)
    before = learner._state, learner.rounds_, learner.mistakes_, learner.best_mistakes_, learner.bound()
    with pytest.raises(ValueError, match="x|y"):  # noqa: RUF043
        learner.learn_one(x, y)
    assert before == (learner._state, learner.rounds_, learner.mistakes_, learner.best_mistakes_, learner.bound())


@BOTH
@pytest.mark.parametrize("beta", [0, 1, -0.5, 1.5, math.nan, math.inf, Fraction(3, 2)])
def test_beta_is_between_0_and_1(Learner, beta):
    with pytest.raises(ValueError, match="0 < beta < 1"):
        Learner(concepts.thresholds(2), beta)


@pytest.mark.parametrize("seed", [-1, 0.5, None, True])
def test_seeds_are_integers(seed):
    with pytest.raises(ValueError, match="random_state"):
        RandomizedWeightedMajority(concepts.thresholds(2), random_state=seed)


@BOTH
def test_copies_and_repeated_predictions(Learner):
    C = concepts.thresholds(9)
    learner = Learner(C, 0.7)
    for x, y in [(3, 1), (5, 0), (4, 0), (8, 1)] * 5:
        assert len({learner.predict_one(z) for z in [x] * 5}) == 1
        others = [learner.predict_one(z) for z in range(9)]
        copy, again = learner.copy(), pickle.loads(pickle.dumps(learner))
        state, mistakes, said = learner._state, learner.mistakes_, learner.predict_one(x)
        copy.learn_one(x, 1 - y)
        assert learner._state == state == again._state != copy._state
        learner.learn_one(x, y)
        assert again.learn_one(x, y)._state == learner._state
        assert [again.predict_one(z) for z in range(9)] == [learner.predict_one(z) for z in range(9)]
        assert learner.mistakes_ - mistakes == (said != y) == (others[x] != y)


def test_a_penalty_that_is_nearly_none_has_a_bound():
    beta = Fraction(10**40 - 1, 10**40)
    # ln 10 / ln(2/(1+beta)) is about 2 ln 10 * 10^40
    assert 46 * 10**39 < theory.WEIGHTED_MAJORITY.bound(10, 0, beta) < 47 * 10**39
