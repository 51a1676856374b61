"""Winnow: the theorems hold, their inequalities are those of the proof, and their hypotheses are needed."""

from __future__ import annotations

import math
from decimal import Context
from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from novikoff.estimators.winnow import Winnow
from novikoff.theory.winnow import WINNOW1, WINNOW2, WinnowGame, log_up, winnow1_bound, winnow2_bound
from tests.theorems.tally import applied_often, confirmed


def record(learner, examples, truth, target, r=1):
    predictions = []
    for x, y in zip(examples, truth, strict=True):
        predictions.append(learner.predict_one(x))
        learner.learn_one(x, y)
    alpha = 1 + Fraction(1, 2 * r) if learner.variant == 2 else Fraction(learner.alpha or 2)
    return WinnowGame(examples, truth, predictions, target, alpha, Fraction(-learner.intercept_[0]), r)


@st.composite
def streams(draw):
    """Examples, and the variables that matter."""
    d = draw(st.integers(1, 8))
    examples = draw(st.lists(st.tuples(*[st.integers(0, 1)] * d), min_size=1, max_size=60))
    target = draw(st.sets(st.integers(0, d - 1), min_size=1, max_size=4))
    return examples, sorted(target)


@settings(max_examples=60)
@given(streams(), st.sampled_from([None, 1.5, 2.0, 4.0]), st.sampled_from([None, 1.0, 3.0, 8.0, 20.0]))
def test_winnow_1_holds_for_every_disjunction_and_every_stream(data, alpha, threshold):
    examples, target = data
    truth = [int(any(x[j] for j in target)) for x in examples]
    learner = Winnow(k=len(target), alpha=alpha, threshold=threshold)
    game = record(learner, examples, truth, target)
    finding = WINNOW1.check(game)
    assert finding.applies
    assert finding.conclusion
    assert learner.mistakes_ == game.mistakes <= learner.bound()
    assert learner.bound() == WINNOW1.bound(game.d, game.k, game.alpha, game.threshold)


@settings(max_examples=60)
@given(streams(), st.integers(1, 4), st.sampled_from([None, 1.0, 3.0, 20.0]))
def test_winnow_2_holds_for_every_r_of_k_and_every_stream(data, r, threshold):
    examples, target = data
    r = min(r, len(target))
    truth = [int(sum(x[j] for j in target) >= r) for x in examples]
    learner = Winnow(variant=2, k=len(target), r=r, threshold=threshold)
    game = record(learner, examples, truth, target, r)
    finding = WINNOW2.check(game)
    assert finding.applies
    assert finding.conclusion
    assert learner.mistakes_ == game.mistakes <= learner.bound()
    assert learner.bound() == WINNOW2.bound(game.d, game.k, r, game.threshold)


@pytest.mark.parametrize("theorem", [WINNOW1, WINNOW2])
def test_it_holds_on_whatever_happens(theorem):
    with applied_often() as tally:

        @settings(max_examples=60)
        @given(
            streams(),
            st.integers(1, 3),
            st.sampled_from([1, 2, Fraction(3, 2), Fraction(7, 6)]),
            st.integers(1, 36),
            st.data(),
        )
        def each(data, r, alpha, quarters, more):
            examples, target = data
            r = 1 if theorem is WINNOW1 else min(r, len(target))
            bits = st.lists(st.integers(0, 1), min_size=len(examples), max_size=len(examples))
            alpha = 1 + Fraction(1, 2 * r) if theorem is WINNOW2 and more.draw(st.integers(0, 3)) else Fraction(alpha)
            theta = Fraction(quarters, 4)
            truth = [int(sum(x[j] for j in target) >= r) for x in examples]
            if more.draw(st.integers(0, 4)) == 0:
                truth = more.draw(bits)
            predictions = followed(examples, truth, alpha, theta, Fraction(0) if theorem is WINNOW1 else 1 / alpha)
            if more.draw(st.integers(0, 4)) == 0:
                predictions = more.draw(bits)
            tally.check(theorem, WinnowGame(examples, truth, predictions, target, alpha, theta, r))

        each()


@settings(max_examples=60)
@given(streams(), st.data())
def test_the_weights_are_those_of_a_transcription_on_any_labels(data, more):
    examples, _ = data
    truth = more.draw(st.lists(st.integers(0, 1), min_size=len(examples), max_size=len(examples)))
    for variant, up, down in ((1, Fraction(2), Fraction(0)), (2, Fraction(3, 2), Fraction(2, 3))):
        learner, d = Winnow(variant=variant), len(examples[0])
        theta = Fraction(d) if variant == 2 else max(Fraction(d, 2), Fraction(1, 2))
        w, mistakes = [Fraction(1)] * d, 0
        for x, y in zip(examples, truth, strict=True):
            weight = sum(a for a, b in zip(w, x, strict=True) if b)
            prediction = learner.predict_one(x)
            learner.learn_one(x, y)
            if variant == 1 or weight != theta:  # 2/3 is no float: a tie may go either way
                assert prediction == (weight > theta)
            if prediction != y:
                mistakes += 1
                w = [a * (up if y else down) if b else a for a, b in zip(w, x, strict=True)]
        assert learner.mistakes_ == mistakes
        assert learner.coef_[0] == pytest.approx([float(a) for a in w], rel=0 if variant == 1 else 1e-12, abs=0)


# The bounds ----------------------------------------------------------------------------------------


def test_bounds_are_floors_of_what_is_stated():
    for m in range(1, 40):
        for k in range(1, 9):
            # 2k floor(log2 d) + 2
            assert winnow1_bound(2**m, k) == 2 * k * m + 2
            if m > 1:
                assert winnow1_bound(2**m + 1, k) == winnow1_bound(2 ** (m + 1) - 1, k) == 2 * k * m + 2
            assert winnow1_bound(3**m, k, 3, 3**m) == 3 * k * (m + 1) + 1
            assert winnow1_bound(3**m, k, 3, 3**m - Fraction(1, 2)) == 3 * k * m + 1
    for d, k, r in product((1, 2, 10, 1000), (1, 3, 10), (1, 2, 5)):
        assert winnow2_bound(d, k, r) == math.floor(8 * r * r + 4 * k + 8 * k * r * math.log(d))
    assert winnow1_bound(100, 3) == 6 * (5 + 1) + 2
    assert winnow1_bound(1, 3) == 2, "theta is 1/2, its logarithm -1: no promotion at all, and d/theta"
    for arguments in ((4, 1, 1), (4, 1, 2, Fraction(1, 3))):
        with pytest.raises(ValueError, match="alpha > 1"):
            winnow1_bound(*arguments)
    with pytest.raises(ValueError, match="theta >= 1"):
        winnow2_bound(4, 1, 1, 0.5)


@given(st.fractions(Fraction(1, 100), 10**6), st.fractions(Fraction(1001, 1000), 50))
def test_logarithms_are_rounded_up_by_little(x, base):
    digits = Context(prec=80)
    ln_x, ln_base = (Fraction(digits.ln(v.numerator)) - Fraction(digits.ln(v.denominator)) for v in (x, base))
    for found, true in ((log_up(x, base), ln_x / ln_base), (log_up(x), ln_x)):
        assert true - Fraction(1, 10**60) <= found <= true + Fraction(1, 10**30)


def test_the_stated_bound_of_winnow_2_is_that_of_its_inequalities_rounded():
    # u + v < (2 - delta) v + B, v < 2 (A + alpha B) / (delta (1 + delta)); d, theta and sum(mu) enter linearly.
    for delta in np.concatenate([np.logspace(-6, 0, 200), np.linspace(0.01, 1, 100)]):
        alpha = 1 + delta / 2
        for theta in (1.0, 1.001, 2.0, 50.0, 1e6, 1e300):
            for d, weight in ((1, 0), (0, 1), (1, 1), (1000, 3)):
                A = alpha * d / ((alpha - 1) * theta)
                B = (1 + math.log(theta) / math.log1p(delta / 2)) * weight
                # the two inequalities v < A + alpha u and u <= (1 - delta) v + B, solved
                v = (
                    (A + alpha * B) / (1 - alpha * (1 - delta))
                    if delta > 1e-3
                    else 2 * (A + alpha * B) / (delta * (1 + delta))
                )
                stated = 8 * d / (delta**2 * theta) + (4 / delta + 8 * math.log(theta) / delta**2) * weight
                assert (2 - delta) * v + B <= stated * (1 + 1e-9)


@cache
def worst(w, k, theta):
    """The most mistakes that a disjunction of the first k variables can force from weights w."""
    most = 0
    for x in product((0, 1), repeat=len(w)):
        y = any(x[:k])
        if (sum(a for a, b in zip(w, x, strict=True) if b) > theta) != y:
            after = [a * 2 * y if b else a for a, b in zip(w, x, strict=True)]
            most = max(most, 1 + worst((*sorted(after[:k]), *sorted(after[k:])), k, theta))
    return most


@pytest.mark.parametrize(("d", "k", "found"), [(4, 1, 3), (4, 2, 5), (4, 3, 6), (6, 2, 6), (6, 3, 8), (7, 3, 9)])
def test_the_worst_stream_of_winnow_1_is_within_the_bound(d, k, found):
    assert worst((1,) * d, k, d / 2) == found <= winnow1_bound(d, k) <= 2.5 * found


@pytest.mark.parametrize(("d", "k"), [(4, 1), (16, 3), (64, 5), (256, 2)])
@pytest.mark.parametrize("alpha", [2.0, 4.0])
def test_the_promotions_of_the_proof_are_met(d, k, alpha):
    # Each relevant variable alone is promoted floor(log theta) + 1 times, and then one negative of all the others.
    learner = Winnow(k=k, alpha=alpha, threshold=float(d) - k - 1 if d > 4 else 2.0)
    theta = -learner.learn_one([0] * d, 0).intercept_[0]
    each = math.floor(log_up(Fraction(theta), Fraction(alpha))) + 1
    examples = [[int(i == j) for i in range(d)] for j in range(k) for _ in range(each + 2)]
    examples.append([int(i >= k) for i in range(d)])
    truth = [1] * (len(examples) - 1) + [0]
    game = record(learner, examples, truth, list(range(k)))
    assert game.mistakes == k * each + 1 <= learner.bound()
    assert confirmed(WINNOW1, game)
    # u is as large as it can be: what is lost between this and the bound is in v alone.
    assert learner.bound() == math.floor(k * each + Fraction(alpha - 1) * k * each + d / Fraction(theta))


def test_winnow_needs_few_mistakes_where_few_variables_matter():
    rng = np.random.default_rng(0)
    X = (rng.random((4000, 500)) < 0.02).astype(float)
    for model, y in ((Winnow(k=3), X[:, :3].any(axis=1)), (Winnow(variant=2, k=3), X[:, :3].any(axis=1))):
        model.fit(X, y)
        assert model.mistakes_ <= model.bound() < 300
        assert model.score(X, y) > 0.97


# Hypotheses are needed -----------------------------------------------------------------------------


def game(examples, truth, predictions, alpha, theta, r=1, target=(0,)):
    return WinnowGame(examples, truth, predictions, target, Fraction(alpha), Fraction(theta), r)


def followed(examples, truth, alpha, theta, down):
    """Predictions of exact Winnow, with 0 at a tie."""
    w, predictions = [Fraction(1)] * len(examples[0]), []
    for x, y in zip(examples, truth, strict=True):
        predictions.append(int(sum((a for a, b in zip(w, x, strict=True) if b), Fraction(0)) > theta))
        if predictions[-1] != y:
            w = [a * (alpha if y else down) if b else a for a, b in zip(w, x, strict=True)]
    return predictions


def slow(alpha, down):
    """x[0] is true, and it takes many small promotions to learn that."""
    examples, truth = [(1, 0)] * 900, [1] * 900
    return examples, truth, followed(examples, truth, alpha, 2, down), alpha, 2


CONTRADICTION = [(1, 1)] * 60, [0, 1] * 30
SLOW = Fraction(1001, 1000)


@pytest.mark.parametrize(
    ("theorem", "played", "without"),
    [
        (WINNOW1, game([(1,)] * 9, [0] + [1] * 8, [1] + [0] * 8, 2, Fraction(1, 2)), "the label is 1"),
        (WINNOW1, game([(1,)], [1], [1], Fraction(11, 10), Fraction(1, 10)), "alpha > 1"),
        (WINNOW1, game([(1,)] * 9, [1] * 9, [0] * 9, 2, 1), "predicts by"),
        (
            WINNOW2,
            game(*CONTRADICTION, followed(*CONTRADICTION, Fraction(3, 2), 2, Fraction(2, 3)), Fraction(3, 2), 2),
            "the label is 1",
        ),
        (WINNOW2, game(*slow(SLOW, 1 / SLOW)), "alpha = 1"),
        (WINNOW2, game([(1,)] * 99, [1] * 99, [0] * 99, Fraction(3, 2), 1), "predicts by"),
    ],
)
def test_a_hypothesis_is_needed(theorem, played, without):
    finding = theorem.check(played)
    assert len(finding.unmet) == 1
    assert without in finding.unmet[0]
    assert not finding.conclusion
    assert finding.holds


# The learner ---------------------------------------------------------------------------------------


def test_weights_neither_overflow_nor_vanish():
    # Wrong forever: x[0] is only ever demoted, with the help of the weight of x[1], which is promoted in between.
    learner = Winnow(variant=2, alpha=1000.0)
    X = np.array([[1.0, 1.0], [0.0, 1.0]] * 2000)
    learner.fit(X, [0, 1] * 2000)
    assert np.isfinite(learner.coef_).all()
    assert (learner.coef_ >= 2.0**-1000).all()
    assert learner.coef_.min() == 2.0**-1000
    learner.fit(np.ones((5000, 3)), np.arange(5000) % 2)
    assert np.isfinite(learner.coef_).all()
    high = Winnow(threshold=1e300).fit(np.ones((3000, 2)), np.ones(3000))
    assert (high.coef_ <= 2e300).all()
    assert high.predict([[1, 1]]) == [1]
    assert Winnow(threshold=1e-300, variant=2).fit(np.ones((3000, 2)), np.zeros(3000)).predict([[1, 1]]) == [0]
    with pytest.raises(ValueError, match="too large"):
        Winnow(threshold=1e308).fit(np.ones((2, 2)), [1, 1])


def test_a_weight_at_zero_stays_there():
    learner = Winnow().learn_one([1, 1, 1, 0], 0)
    assert learner.coef_.tolist() == [[0, 0, 0, 1]]
    assert learner.learn_one([1, 1, 1, 1], 1).coef_.tolist() == [[0, 0, 0, 2]]


def test_what_the_bound_needs():
    x = [[1, 0, 0, 0]]
    assert Winnow().fit(x, [1]).bound() is None
    assert Winnow(k=1).bound() is None
    assert Winnow(k=1).fit(x, [1]).bound() == 6
    assert Winnow(k=1, threshold=0.4).fit(x, [1]).bound() is None
    assert Winnow(variant=2, k=1).fit(x, [1]).bound() == math.floor(12 + 8 * math.log(4))
    assert Winnow(variant=2, k=1, alpha=2.0).fit(x, [1]).bound() is None
    assert Winnow(variant=2, k=1, threshold=0.5).fit(x, [1]).bound() is None
    assert isinstance(Winnow(k=np.int64(1)).fit(x, [1]).bound(), int)


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"variant": 3}, "variant"),
        ({"k": 0}, "'k'"),
        ({"r": 0}, "'r'"),
        ({"r": 2}, "goes with variant=2"),
        ({"variant": 2, "r": 3, "k": 2}, "at most k"),
        ({"alpha": 1.0}, "alpha"),
        ({"alpha": math.nan}, "alpha"),
        ({"threshold": 0.0}, "threshold"),
        ({"threshold": math.inf}, "too large|threshold"),
    ],
)
def test_parameters_are_checked(options, match):
    for call in (lambda m: m.fit([[1]], [1]), lambda m: m.learn_one([1], 1), lambda m: m.predict_one([1])):
        with pytest.raises(ValueError, match=match):
            call(Winnow(**options))


def test_the_decision_function_is_the_weight_less_the_threshold():
    model = Winnow().fit([[1, 0, 0, 0], [1, 0, 0, 0]], [1, 1])
    assert model.coef_.tolist() == [[4, 1, 1, 1]]
    assert model.intercept_.tolist() == [-2]
    assert model.decision_function([[1, 0, 0, 0], [0, 1, 1, 0]]).tolist() == [2, 0]
    assert model.predict([[1, 0, 0, 0], [0, 1, 1, 0]]).tolist() == [1, 0]
    assert not hasattr(Winnow(), "coef_")


def test_one_of_the_variables_is_the_default():
    assert WINNOW2.bound(50, 3) == WINNOW2.bound(50, 3, 1) < WINNOW2.bound(50, 3, 2)
