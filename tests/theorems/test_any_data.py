"""The Perceptron on any data: its bounds hold, separator or not, they are met, and their hypotheses are needed."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from novikoff import theory
from novikoff.theory import Run
from novikoff.theory.any_data import floor_of_root
from novikoff.theory.exact import inner, sqnorm
from tests import reference
from tests.theorems.exactly import learn, picks, rows_of
from tests.theorems.tally import applied_often, confirmed
from tests.theorems.test_rounding import TRIPLE, best_separator

F = Fraction
FORMS = [theory.REGRET, theory.DEVIATIONS]
BOUNDS = [theory.regret_bound, theory.deviation_bound]


@st.composite
def noisy_runs(draw):
    """Rows with any labels, a vector u of any length, and a run cut off after some updates."""
    d = draw(st.integers(1, 3))
    rows = draw(st.lists(rows_of("any", d), min_size=1, max_size=5))
    signs = [draw(st.sampled_from([-1, 1])) for _ in rows]
    u = [F(draw(st.integers(-4, 4)), draw(st.integers(1, 3))) for _ in range(d)]
    threshold = draw(st.sampled_from([None, F(1), F(1, 3)]))
    moved = [F(draw(st.integers(-2, 2))) for _ in u] if draw(st.integers(0, 4)) == 0 else ()
    zero = draw(st.sampled_from([-1, 0, 1]))
    return learn(rows, signs, u, draw(picks), zero=zero, threshold=threshold, start=moved, most=30)


def counted(run):
    """y<u,x> of the rows of the updates, and how often each was one."""
    return [(run.margins[i], run.updates.count(i)) for i in set(run.updates)]


def radius_of_updates_sq(run):
    return max((sqnorm(run.rows[i]) for i in run.updates), default=F(0))


# They hold -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("theorem", FORMS, ids=lambda t: t.id)
def test_it_holds_whatever_the_labels_and_its_hypotheses_do_often(theorem):
    inseparable = 0
    with applied_often(F(1, 2)) as tally:

        @settings(max_examples=80)
        @given(noisy_runs())
        def each(run):
            nonlocal inseparable
            finding = tally.check(theorem, run)
            arguments = radius_of_updates_sq(run), sqnorm(run.witness), counted(run), run.threshold
            assert finding.conclusion == (len(run.updates) <= theorem.bound(*arguments))
            inseparable += finding.applies and min(run.margins) <= 0

        each()
    assert inseparable >= tally.checks / 4


def test_over_the_updates_the_regret_form_is_the_better_one_and_no_length_of_u_beats_their_number():
    @settings(max_examples=60)
    @given(noisy_runs())
    def each(run):
        if theory.REGRET.check(run).applies:
            arguments = radius_of_updates_sq(run), sqnorm(run.witness), counted(run), run.threshold
            regret, deviation = (bound(*arguments) for bound in BOUNDS)
            assert len(run.updates) <= regret == theory.any_data_bound(*arguments) <= deviation
            assert theory.best_length_bound(*arguments) == len(run.updates)

    each()


# They are tight ------------------------------------------------------------------------------------


@pytest.mark.parametrize("c", [F(1), F(1, 2), F(1, 7), F(0)])
@pytest.mark.parametrize("R", [F(1), F(3)])
def test_orthogonal_examples_meet_both_forms_at_every_loss(R, c):
    """Rows R e_i, and u = c sum y e_i/R: L = n (1 - c), D^2 = n (1 - c)^2, q = c^2 n."""
    n = 6
    rows = [[R if i == j else F(0) for j in range(n)] for i in range(n)]
    signs = [1 if i % 2 else -1 for i in range(n)]
    u = [c * y / R for y in signs]
    run = learn(rows, signs, u, [0])
    more = Run.of(rows, signs, u, [*run.updates, 0])
    q, loss, squares = sqnorm(u) * R**2, n * (1 - c), n * (1 - c) ** 2
    for theorem in FORMS:
        assert confirmed(theorem, run)
        assert theorem.bound(R**2, sqnorm(u), counted(run)) == n == len(run.updates)
        if c == 1:
            assert not theorem.check(more).conclusion, "Novikoff's bound"
            shorter = Run.of(rows, signs, [a * (1 - F(1, 2**40)) for a in u], run.updates)
            assert theorem.check(shorter).conclusion, "a shorter u pays with its losses"
    assert (n - loss) ** 2 == q * n
    assert (n - q - squares) ** 2 == 4 * q * squares


def test_a_margin_above_one_is_no_gain_that_makes_up_for_losses():
    """x = 1 with the label +, u = 2: q is 4, and 4 updates are allowed, whatever 1 - y<u,x> = -1 is."""
    for M, fits in ((4, True), (5, False)):
        run = Run.of([[1]], [1], [2], [0] * M)
        assert [theorem.check(run).conclusion for theorem in FORMS] == [fits, fits]
    assert theory.regret_bound(1, 4, [(2, 9)]) == theory.deviation_bound(1, 4, [(2, 9)]) == 4


def test_the_deviations_are_squared():
    """One loss of 2, and others without: M <= (1 + 2)^2, and M - 2 <= sqrt(M)."""
    for theorem, most in ((theory.DEVIATIONS, 9), (theory.REGRET, 4)):
        for M, fits in ((most, True), (most + 1, False)):
            run = Run.of([[1], [1]], [1, -1], [1], [0] * (M - 1) + [1])
            assert theorem.check(run).conclusion == fits
        assert theorem.bound(1, 1, [(1, 8), (-1, 1)]) == most


def test_without_losses_it_is_novikoffs_bound():
    for R_sq, norm_sq, theta in ((9, F(5, 3), 0), (2, F(7, 2), 1), (1, 1, F(1, 2))):
        allowed = theory.update_bound(R_sq, 1 / F(norm_sq), theta)
        for bound in BOUNDS:
            assert bound(R_sq, norm_sq, [(1, 4), (F(5, 2), 1)], theta) == allowed


def test_noise_on_a_line_costs_what_it_says():
    """x = 1 with both labels in turn: w goes to and fro, and u = 1 has loss 2 on every other update."""
    signs = [1, -1]
    run = Run.of([[1], [1]], signs, [1], [0, 1] * 8)
    assert confirmed(theory.REGRET, run)
    assert theory.REGRET.bound(1, 1, counted(run)) == 20  # L = 16: 16 + 1/2 + sqrt(16 + 1/4)
    assert theory.DEVIATIONS.bound(1, 1, counted(run)) == 44  # D^2 = 32


# Where the losses are added up over more than the updates ------------------------------------------


def test_many_small_losses_are_cheap_as_squares():
    rounds = [(F(99, 100), 10**4)]
    assert theory.regret_bound(1, 1, rounds) == 110
    assert theory.deviation_bound(1, 1, rounds) == 4 == theory.any_data_bound(1, 1, rounds)
    assert theory.best_length_bound(1, 1, rounds) == 1, "u 100/99 times as long has no loss"
    few = [(F(-9), 3)]
    assert theory.regret_bound(1, 1, few) == 36 == theory.any_data_bound(1, 1, few)
    assert theory.deviation_bound(1, 1, few) == 335


def test_the_best_length_is_that_of_the_separator():
    rounds = [(F(1, 10), 500), (F(3, 10), 700), (F(2, 5), 10**6)]
    assert theory.best_length_bound(1, 1, rounds) == 100, "R^2/gamma^2"
    assert theory.best_length_bound(1, 1, [(F(1, 10), 5)]) == 5, "no more updates than rounds"
    assert theory.best_length_bound(1, 1, [(F(-1), 5), (F(0), 2)]) == 7
    noisy = [*rounds, (F(-1, 10), 300)]
    assert theory.best_length_bound(1, 1, noisy) < theory.any_data_bound(1, 100, [(10 * p, n) for p, n in noisy])


@settings(max_examples=60)
@given(
    st.lists(st.tuples(st.fractions(-2, 2, max_denominator=5), st.integers(0, 40)), min_size=1, max_size=5),
    st.fractions(F(1, 4), 9, max_denominator=4),
    st.booleans(),
)
def test_no_length_is_better_than_the_best(products, norm_sq, rounded):
    best = theory.best_length_bound(1, norm_sq, products, rounded=rounded)
    lengths = [F(k, 24) for k in range(120)] + [1 / p for p, _ in products if p > 0]
    found = []
    for s in lengths:
        scaled = [(s * p, n) for p, n in products]
        found.append(theory.any_data_bound(1, s**2 * norm_sq, scaled, rounded=rounded))
        assert best <= found[-1]
    regrets = [
        theory.regret_bound(1, s**2 * norm_sq, [(s * p, n) for p, n in products], rounded=rounded) for s in lengths
    ]
    assert best == min(regrets), "it is one of them"


# Weights that are rounded --------------------------------------------------------------------------


def rounded_run(X, y, u, threshold=None, passes=3):
    result = reference.perceptron(X, y, threshold=threshold, max_iter=passes, rounded=True)
    rows = [[F(float(v)) for v in [*row, 0.0]] for row in X]
    path = [[F(0)] * len(rows[0])]
    for i in result.steps:
        path.append([F(float(a + int(y[i]) * b)) for a, b in zip(path[-1], rows[i], strict=True)])
    assert path[-1] == result.w
    return Run.of(rows, y, [*u, 0], result.steps, threshold=threshold or 0, weights=path)


@pytest.mark.parametrize("threshold", [None, 1.0])
def test_it_holds_where_floats_round(threshold):
    rng = np.random.default_rng(5)
    rounds = 0
    with applied_often(F(1)) as tally:
        for _ in range(60):
            n, d = int(rng.integers(2, 9)), int(rng.integers(1, 4))
            X = rng.standard_normal((n, d)) * 10.0 ** rng.integers(-3, 4, (n, 1))
            run = rounded_run(X, rng.choice([-1, 1], n).tolist(), rng.standard_normal(d), threshold)
            tally.check(theory.REGRET_ROUNDED, run)
            arguments = radius_of_updates_sq(run), sqnorm(run.witness), counted(run), run.threshold
            assert len(run.updates) <= theory.any_data_bound(*arguments, rounded=True)
            rounds += bool(theory.REGRET.check(run).unmet)
    assert rounds >= 30, "weights that round"


def test_without_the_term_for_rounding_it_would_be_false():
    """The three rows of `perceptron-rounded`: u has no losses, q is just below 3, and there are three mistakes."""
    X, y = [[float.fromhex(a) for a in row] for row in TRIPLE], [1, 1, -1]
    run = rounded_run(X, y, best_separator(X, y), passes=1)
    assert len(run.updates) == 3
    assert confirmed(theory.REGRET_ROUNDED, run)
    for theorem in FORMS:
        finding = theorem.check(run)
        assert finding.unmet == ("every update is exactly w + y x",)
        assert not finding.conclusion


@pytest.mark.parametrize(
    ("q", "products"),
    [(F(3), [(F(1), 1)]), (F(2**40), [(F(1, 2), 77)]), (F(2**45), [(F(0), 2**44)]), (F(2**47), [(F(-1), 2**40)])],
)
def test_the_largest_count_that_each_inequality_allows(q, products):
    (product, count) = products[0]
    loss = 1 - product
    e = F(1, 2**50)
    M = theory.regret_bound(q, 1, products, rounded=True)
    for most, allowed in ((M, True), (M + 1, False)):
        spare = most - count * loss
        assert (spare <= 0 or spare**2 <= q * most * (1 + e * most)) == allowed
    M = theory.deviation_bound(q, 1, products, rounded=True)
    for most, allowed in ((M, True), (M + 1, False)):
        spare = most - q * (1 + e * most) - count * loss**2
        assert (spare <= 0 or spare**2 <= 4 * q * (1 + e * most) * count * loss**2) == allowed
    for bound in BOUNDS:
        assert bound(q, 1, products) <= bound(q, 1, products, rounded=True)
    assert theory.REGRET_ROUNDED.bound(q, 1, products) == theory.regret_bound(q, 1, products, rounded=True)


def test_from_some_size_on_nothing_is_promised_of_rounded_weights():
    for bound in (*BOUNDS, theory.any_data_bound):
        assert bound(2**49, 1, [(1, 1)]) == 2**49
        assert bound(2**48, 1, [(1, 1)], rounded=True) == 2**50 // 3
        assert bound(2**49, 1, [(1, 1)], rounded=True) is None
        assert bound(2**50, 1, [(1, 1)], rounded=True) is None
        assert bound(2**60, 1, [(0, 1)], rounded=True) is None
        assert bound(1, 1, [(0, 2**49)], rounded=True) is None
    assert theory.best_length_bound(2**60, 1, [(0, 2**49 - 1)], rounded=True) == 2**49 - 1
    assert theory.best_length_bound(2**60, 1, [(0, 2**49)], rounded=True) is None
    assert theory.best_length_bound(2**60, 1, [(0, 2**49)]) == 2**49


@given(st.fractions(F(1, 9), 9, max_denominator=9), st.fractions(0, 99, max_denominator=9), st.fractions(0, 1))
def test_the_floor_of_a_root(a, b, share):
    c = share * b**2 / a
    x = floor_of_root(a, b, c)
    assert a * x <= b or a * x**2 - 2 * b * x + c <= 0
    assert a * (x + 1) > b
    assert a * (x + 1) ** 2 - 2 * b * (x + 1) + c > 0


# Their hypotheses are needed -----------------------------------------------------------------------

STILL = Run.of([[1]], [1], [1], [0] * 9, weights=[[0]] * 10)


@pytest.mark.parametrize(
    ("run", "without"),
    [
        (Run.of([[1]], [1], [1], [0] * 9, start=[-9]), "starts at 0"),
        (Run.of([[1]], [1], [1], [0] * 9), "only where"),
        (Run.of([[1, 0]], [1], [F(1), 9], [0] * 3, threshold=-1, weights=[[0, 0], *[[-1, 0]] * 3]), "theta >= 0"),
        (STILL, "exactly w + y x"),
    ],
)
def test_a_hypothesis_is_needed(run, without):
    for theorem in FORMS:
        finding = theorem.check(run)
        assert any(without in text for text in finding.unmet)
        assert not finding.conclusion


@pytest.mark.parametrize(
    ("run", "without"),
    [
        (Run.of([[1]], [1], [1], [0] * 9, weights=[[-9 + k] for k in range(10)]), "starts at 0"),
        (Run.of([[1]], [1], [1], [0] * 9), "only where"),
        (STILL, "nearest float64"),
    ],
)
def test_a_hypothesis_is_needed_where_weights_are_rounded(run, without):
    finding = theory.REGRET_ROUNDED.check(run)
    assert [without in text for text in finding.unmet] == [True]
    assert not finding.conclusion


def test_the_radius_is_that_of_the_updates_alone():
    run = Run.of([[1], [100]], [1, 1], [1], [0, 0, 0], threshold=0, weights=[[0], [0], [0], [0]])
    assert not theory.REGRET.check(run).conclusion
    assert inner(run.witness, run.rows[1]) == 100
