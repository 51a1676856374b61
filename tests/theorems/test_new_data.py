"""What a run says about new data: on finite distributions with every sample enumerated, in rationals."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from novikoff import theory
from novikoff.theory import Draws, Samples
from novikoff.theory.exact import inner, logarithm
from novikoff.theory.new_data import _log_at_most, independent
from tests import reference
from tests.theorems.tally import applied_often, confirmed

F = Fraction
THIRD, HALF = F(1, 3), F(1, 2)
OF_DRAWS = [theory.ONLINE_TO_BATCH, theory.FIRST_PASS]


@st.composite
def distributions(draw, most=4, *, noisy=True):
    """Examples (row, sign) with rational probabilities; if noisy, the same row may have both signs."""
    d = draw(st.integers(1, 2))
    m = draw(st.integers(2, most))
    examples = [([draw(st.integers(-2, 2)) for _ in range(d)], draw(st.sampled_from([-1, 1]))) for _ in range(m)]
    if not noisy:
        examples = [(x, 1 if 2 * x[0] > x[-1] else -1) for x, _ in examples if 2 * x[0] != x[-1]] or [([1] * d, 1)]
    parts = [draw(st.integers(1, 5)) for _ in examples]
    return examples, [F(part, sum(parts)) for part in parts]


def online(examples, zero=0):
    """The Perceptron as a hypothesis of its past: on which examples it errs after one pass over them."""

    def hypothesis(past):
        w = [F(0)] * len(examples[0][0])
        for i in past:
            x, y = examples[i]
            if wrong(w, x, y):
                w = [a + y * b for a, b in zip(w, x, strict=True)]
        return [wrong(w, x, y) for x, y in examples]

    def wrong(w, x, y):
        product = y * inner(w, x)
        return product < 0 or (product == 0 and zero != y)

    return hypothesis


def until_clean(examples, order="given", threshold=None):
    """The Perceptron until nothing is violated: the places that it updated on, and where it errs."""

    def learner(sample):
        X, y = [examples[i][0] for i in sample], [examples[i][1] for i in sample]
        if not sample:
            return (), [True] * len(examples)
        found = reference.perceptron(X, y, order=order, threshold=threshold, max_iter=12)
        ended = found.history[-1] == (0 if order == "given" else -1)
        errs = [sign * inner(found.w[:-1], [F(v) for v in x]) <= 0 for x, sign in examples]
        return (sorted(set(found.steps)) if ended else None), errs

    return learner


# They hold -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("theorem", OF_DRAWS, ids=lambda t: t.id)
def test_it_holds_for_the_perceptron_on_any_distribution(theorem):
    mistaken = 0
    with applied_often(F(1)) as tally:

        @settings(max_examples=40)
        @given(distributions(3), st.integers(1, 4), st.sampled_from([-1, 0, 1]))
        def each(distribution, n, zero):
            nonlocal mistaken
            examples, chances = distribution
            draws = Draws.of(chances, n, online(examples, zero))
            tally.check(theorem, draws)
            mistaken += any(mistakes < n * mean for _, mistakes, mean, _ in draws.outcomes)

        each()
    assert mistaken >= tally.checks / 4, "samples that look better than they are"


def test_it_holds_for_many_classes():
    corners = [([2, -1], 0), ([-1, 2], 1), ([-1, -1], 2), ([1, 0], 1)]

    def hypothesis(past):
        found = reference.many_classes(
            [corners[i][0] for i in past] or [[0, 0]], [corners[i][1] for i in past] or [0], 3, max_iter=1
        )
        scores = [[inner(w[:2], [F(v) for v in x]) for w in found.W] for x, _ in corners]
        return [any(s[r] >= s[y] for r in range(3) if r != y) for s, (_, y) in zip(scores, corners, strict=True)]

    draws = Draws.of([F(2, 5), THIRD, F(1, 5), F(1, 15)], 3, hypothesis)
    for theorem in OF_DRAWS:
        assert confirmed(theorem, draws)


def test_the_vote_may_be_for_one_of_many_classes():
    """Hypotheses say 0, 1 or 2 of two examples: the vote is for what most of them say, or the lowest of several."""
    truth = [1, 2]
    pasts = [past for t in range(4) for past in product(range(2), repeat=t)]
    says = {past: [sum(past) % 3, (1 + len(past)) % 3] for past in pasts}
    draws = Draws.of([THIRD, 1 - THIRD], 4, lambda past: [p != y for p, y in zip(says[past], truth, strict=True)])
    votes, strict = {}, 0
    for s in draws.samples:
        ballots = [Counter(column) for column in zip(*(says[s[:t]] for t in range(4)), strict=True)]
        winners = [min(ballot, key=lambda c: (-ballot[c], c)) for ballot in ballots]
        votes[s] = [winner != y for winner, y in zip(winners, truth, strict=True)]
        strict += votes[s] != draws.outvoted(s)
    assert strict, "a vote can be right where half of them err"
    for theorem in OF_DRAWS:
        assert confirmed(theorem, replace(draws, votes=votes))


def test_the_vote_must_be_one():
    """Hypotheses without an error, and a vote that is always wrong."""
    draws = replace(Draws.of([HALF, HALF], 2, lambda past: [False, False]), votes={(0, 1): [True, True]})
    finding = theory.ONLINE_TO_BATCH.check(draws)
    assert finding.unmet == ("the vote is right wherever more than half of the hypotheses are",)
    assert not finding.conclusion
    assert theory.FIRST_PASS.check(draws).conclusion, "a quarter of the samples is below exp(-1)"
    always = replace(draws, votes={s: [True, True] for s in draws.samples})
    finding = theory.FIRST_PASS.check(always)
    assert finding.unmet == ("the vote is right wherever more than half of the hypotheses are",)
    assert not finding.conclusion


@pytest.mark.parametrize("order", ["given", "first", "worst"])
@pytest.mark.parametrize("threshold", [None, 1])
def test_compression_holds_for_the_perceptron_in_every_order(order, threshold):
    ended = 0
    with applied_often(F(1)) as tally:

        @settings(max_examples=10)
        @given(st.one_of(distributions(), distributions(noisy=False)), st.integers(2, 3))
        def each(distribution, n):
            nonlocal ended
            examples, chances = distribution
            found = Samples.of(chances, n, until_clean(examples, order, threshold))
            tally.check(theory.COMPRESSION, found)
            ended += any(size < n for _, size, _ in found.outcomes)

        each()
    assert ended >= tally.checks / 2


# They are tight ------------------------------------------------------------------------------------


@pytest.mark.parametrize("digits", [15, 25, 60])
def test_logarithms_are_compared_with_as_many_digits_as_it_takes(digits):
    """1/e, cut off and rounded up after so many digits, is below and above it."""
    with localcontext(prec=digits + 10):
        cut = F(int(Decimal(-1).exp().scaleb(digits)), 10**digits)
    assert _log_at_most(cut, F(-1))
    assert not _log_at_most(cut + F(1, 10**digits), F(-1))


def test_a_vote_can_err_twice_as_often_as_its_members():
    """One example, on which the first of two hypotheses errs: the vote is even, which counts as an error."""
    draws = Draws.of([1], 2, lambda past: [not past])
    assert draws.outcomes == [(1, 1, HALF, 1)]
    for theorem in OF_DRAWS:
        assert confirmed(theorem, draws)
    assert theory.ONLINE_TO_BATCH.bound(1, 2) == HALF


def test_more_errors_than_the_mistakes_count_are_seen():
    """The identity is one: a hypothesis that errs a little more on what it has not met is seen."""
    draws = Draws.of([HALF, HALF], 2, lambda past: [0 in past, False])
    assert confirmed(theory.ONLINE_TO_BATCH, draws)
    errs = {s: [[True, False], *rest[1:]] for s, rest in draws.errs.items()}
    more = replace(draws, errs=errs)
    assert confirmed(theory.ONLINE_TO_BATCH, more), "it is true of this learner, too"
    peeking = replace(draws, errs={s: [[s[0] == 1, s[0] == 0], *rest[1:]] for s, rest in draws.errs.items()})
    assert not theory.ONLINE_TO_BATCH.check(peeking).conclusion


def test_the_exponent_cannot_be_more_than_a_twelfth_larger():
    """A hypothesis that errs on half of the draws: P(M <= n/2 - n z) for n = 1600 and z = 1/8, the best ratio here."""
    n, k = 1600, 600
    tail = F(sum(math.comb(n, i) for i in range(k + 1)), 2**n)
    z = HALF - F(k, n)
    low, high = logarithm(tail, 30)
    assert high <= -2 * n * z**2
    assert low > F(13, 12) * -2 * n * z**2
    small = Draws.of([HALF, HALF], 8, lambda past: [True, False])
    assert confirmed(theory.FIRST_PASS, small)


@pytest.mark.parametrize("n", [1, 2, 4])
def test_a_hypothesis_without_support_meets_the_compression_bound(n):
    found = Samples.of([THIRD, 1 - THIRD], n, lambda s: (None if 0 in s else (), [True, False]))
    assert confirmed(theory.COMPRESSION, found)
    assert sum(p for p, _, _ in found.outcomes) == (1 - THIRD) ** n


@pytest.mark.parametrize("reach", [1, 2, 4])
def test_with_one_support_row_it_comes_as_close_as_one_likes(reach):
    """h_a is right on a, a + 1, ..., on a circle of 12. Of two draws one explains the other: ratio 1 - 1/(2 reach)."""
    m = 12

    def learner(sample):
        if not sample:
            return None, [True] * m
        for place, a in enumerate(sample):
            if all((b - a) % m < reach for b in sample):
                return (place,), [(i - a) % m >= reach for i in range(m)]
        return None, [True] * m

    found = Samples.of([F(1, m)] * m, 2, learner)
    assert confirmed(theory.COMPRESSION, found)
    ended = sum(p for p, _, _ in found.outcomes)
    assert ended / (2 * F(reach, m)) == 1 - F(1, 2 * reach)


# Their hypotheses are needed -----------------------------------------------------------------------


def two(samples, errs):
    return Draws([HALF, HALF], samples, {s: errs(s) for s in samples})


TWICE = two({(0, 0): HALF, (1, 1): HALF}, lambda s: [[False, False], [s[0] == 1, s[0] == 0]])
SORTED = two({(0, 0): F(1, 4), (0, 1): HALF, (1, 1): F(1, 4)}, lambda s: [[False, True], [True, False]])
PEEKING = two(independent([HALF, HALF], 2), lambda s: [[i == 1, i == 0] for i in s])
OTHERS = two({s: F(s == (0, 0)) for s in independent([HALF, HALF], 2)}, lambda s: [[False, True]] * 2)


@pytest.mark.parametrize(
    ("draws", "without"),
    [
        (TWICE, "independent"),  # a draw that comes twice
        (SORTED, "independent"),  # an order that was chosen by looking at the rows
        (OTHERS, "independent"),  # draws from another distribution
        (PEEKING, "before its round alone"),  # a hypothesis that knows its row
    ],
)
def test_a_hypothesis_about_the_first_pass_is_needed(draws, without):
    for theorem in OF_DRAWS:
        finding = theorem.check(draws)
        assert [without in text for text in finding.unmet] == [True]
        assert not finding.conclusion


def test_an_example_without_a_chance_changes_nothing():
    draws = Draws.of([HALF, HALF, 0], 2, lambda past: [0 in past, False, 2 not in past])
    for theorem in OF_DRAWS:
        assert confirmed(theorem, draws)
    odd = {s: [[True] * 3] * 2 if 2 in s else errs for s, errs in draws.errs.items()}
    for theorem in OF_DRAWS:
        odder = replace(draws, errs=odd, votes={(2, 2): [False] * 3, (0, 2): [True] * 3})
        assert confirmed(theorem, odder), "what the learner does with it is nobody's concern"
    lost = Draws.of([F(3, 2), F(-1, 2)], 1, lambda past: [False, True])
    assert theory.FIRST_PASS.check(lost).unmet == ("the draws are independent, all from one distribution",)


def test_the_identity_and_the_vote_are_two_claims():
    """Hypotheses that err on their own row alone: the mistakes are more than the errors, and the vote is no worse."""
    own = two(independent([HALF, HALF], 2), lambda s: [[i == 0, i == 1] for i in s])
    assert not theory.ONLINE_TO_BATCH.check(own).conclusion
    assert theory.FIRST_PASS.check(own).conclusion


def test_knowing_all_rows_is_not_the_past_alone():
    """A Perceptron that is shown the sample before it goes through it knows what is asked in its first round."""
    examples, chances = [([1], 1), ([-1], 1), ([2], -1)], [THIRD] * 3
    fresh = online(examples)
    samples = independent(chances, 2)
    warm = Draws(chances, samples, {s: [fresh(s), fresh((*s, s[0]))] for s in samples})
    finding = theory.ONLINE_TO_BATCH.check(warm)
    assert finding.unmet == ("a hypothesis depends on the draws before its round alone",)
    assert not finding.conclusion


def copied(samples):
    return Samples([F(1, 4)] * 4, samples, {s: ((0,), [i != s[0] for i in range(4)]) for s in [*samples, *ONES]})


ONES = [(i,) for i in range(4)]
ALL = independent([F(1, 4)] * 4, 2)


@pytest.mark.parametrize(
    ("found", "without"),
    [
        (copied({(i, i): F(1, 4) for i in range(4)}), "independent"),
        (Samples([F(1, 4)] * 4, ALL, dict.fromkeys([(), *ALL], ((), [True] * 4))), "errs on none"),
        (
            Samples(
                [F(1, 4)] * 4, ALL, {(): ((), [True] * 4), **{s: ((), [i not in s for i in range(4)]) for s in ALL}}
            ),
            "support rows alone",
        ),
    ],
)
def test_a_hypothesis_about_compression_is_needed(found, without):
    finding = theory.COMPRESSION.check(found)
    assert [without in text for text in finding.unmet] == [True]
    assert not finding.conclusion


def test_a_threshold_from_all_rows_is_not_one_of_the_support():
    """theta = R^2 of all rows, for `order="worst"`: without the longest row it is another one, and so is the run."""
    examples = [([1, 0], 1), ([0, 3], 1), ([0, -1], -1), ([1, 1], 1)]

    def learner(sample):
        if not sample:
            return (), [True] * 4
        X, y = [examples[i][0] for i in sample], [examples[i][1] for i in sample]
        found = reference.perceptron(X, y, order="first", threshold="auto", max_iter=60)
        return sorted(set(found.steps)), [inner(found.w[:2], [y * F(v) for v in x]) <= 0 for x, y in examples]

    same = Samples.of([F(1, 4)] * 4, 3, learner)
    ends = {
        s: reference.perceptron(
            [examples[i][0] for i in s], [examples[i][1] for i in s], order="first", threshold="auto", max_iter=60
        ).w
        for s in same.runs
        if s
    }
    assert any(ends[s] != ends[tuple(s[place] for place in support)] for s, support, _ in same.ended())


# The formulas --------------------------------------------------------------------------------------


def test_the_bounds_by_hand():
    B = 13 / 100 + math.sqrt(math.log(20) / 200)
    assert 0 <= theory.first_pass_bound(13, 100) - B < 1e-15
    assert 0 <= theory.vote_bound(13, 100) - 2 * B < 1e-15
    assert theory.FIRST_PASS.bound(13, 100, F(95, 100)) <= theory.first_pass_bound(13, 100, 0.95)
    assert theory.first_pass_bound(100, 100) == theory.vote_bound(45, 100) == theory.first_pass_bound(0, 1) == 1
    assert theory.first_pass_bound(0, 10**6, F(1, 2)) == pytest.approx(math.sqrt(math.log(2) / 2e6), rel=1e-15)
    e = (math.log(math.comb(200, 7)) + math.log(200) + math.log(20)) / 193
    assert 0 <= theory.compression_bound(7, 200) - e < 1e-15
    assert theory.compression_bound(0, 200, F(9, 10)) == pytest.approx(math.log(2000) / 200, rel=1e-15)
    assert theory.compression_bound(3, 3) == theory.compression_bound(0, 1) == theory.compression_bound(60, 100) == 1
    assert isinstance(theory.compression_bound(3, 3), float)


@given(st.integers(1, 2000), st.data())
def test_no_bound_is_rounded_down(n, data):
    k, c = data.draw(st.integers(0, n)), data.draw(st.sampled_from([F(1, 2), F(19, 20), F(999, 1000)]))
    low = logarithm(1 / (1 - c), 60)[0]
    B = F(theory.first_pass_bound(k, n, c))
    assert B == 1 or (B - F(k, n)) ** 2 * 2 * n >= low
    assert theory.vote_bound(k, n, c) == min(1, 2 * B)
    if k < n:
        e = F(theory.compression_bound(k, n, c))
        assert e == 1 or e * (n - k) >= logarithm(math.comb(n, k) * n, 60)[0] + low


@pytest.mark.parametrize(("k", "n"), [(1000, 2000), (1000, 5000), (1500, 2600), (4000, 5000)])
def test_stirlings_upper_end_is_above_and_close(k, n):
    exact = (logarithm(math.comb(n, k) * n * 20, 60)[0]) / (n - k)
    found = F(theory.compression_bound(k, n, F(19, 20)))
    assert found == 1 or exact <= found <= exact + F(1, 1000 * (n - k))


def test_a_large_run_needs_no_large_numbers():
    assert theory.compression_bound(10**8, 10**9) == pytest.approx(0.3612, abs=1e-4)


def test_the_probability_that_the_bound_fails_is_below_delta():
    """All samples of the Perceptron on two points, one of them noisy: how often the error is above the bound."""
    examples, chances = [([1], 1), ([1], -1), ([2], 1)], [HALF, F(1, 8), F(3, 8)]
    draws = Draws.of(chances, 4, online(examples))
    for confidence in (F(1, 4), F(1, 2), F(3, 4), F(9, 10)):
        failed = sum(p for p, m, mean, _ in draws.outcomes if mean > theory.first_pass_bound(m, 4, confidence))
        assert failed <= 1 - confidence
    found = Samples.of(chances, 3, until_clean(examples))
    for confidence in (F(1, 10), F(1, 2), F(9, 10)):
        failed = sum(p for p, k, error in found.outcomes if error > theory.compression_bound(k, 3, confidence))
        assert failed <= 1 - confidence


@pytest.mark.parametrize("confidence", [0, 1, -0.5, 1.5, 0.0, 1.0, 1 - 2**-53, math.nan, math.inf])
def test_a_confidence_that_is_none_is_refused(confidence):
    for bound in (theory.first_pass_bound, theory.vote_bound, theory.compression_bound):
        with pytest.raises(ValueError, match="a confidence is above 0 and below 1"):
            bound(1, 10, confidence)


@pytest.mark.parametrize(("count", "n"), [(-1, 3), (4, 3), (0, 0)])
def test_counts_that_cannot_be_are_refused(count, n):
    for bound in (theory.first_pass_bound, theory.vote_bound, theory.compression_bound):
        with pytest.raises(ValueError, match="the bound needs 0 <="):
            bound(count, n)
