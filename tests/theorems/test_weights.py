"""Examples with weights: their sum is bounded, and not the number of updates; in rationals and in floats."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from novikoff import theory
from novikoff.theory import Run, WeightedRun
from novikoff.theory.exact import inner, root, sqnorm
from tests import reference
from tests.theorems.exactly import learn, picks, separated
from tests.theorems.tally import applied_often, confirmed
from tests.theorems.test_rounding import TRIPLE, best_separator

F = Fraction
SOME_WEIGHTS = st.sampled_from([F(1), F(1, 3), F(2), F(7, 2), F(1, 10), F(9)])
EXACT = [theory.WEIGHTED, theory.WEIGHTED_MARGIN, theory.WEIGHTED_END]


def learn_weighted(rows, signs, costs, witness, chosen, *, threshold=0, start=(), most=80):
    """Updates on violated examples, chosen by the picks in turn, until none is left or there are too many."""
    w, updates = list(start) or [F(0)] * len(rows[0]), []
    while len(updates) < most:
        violated = [i for i, (x, y) in enumerate(zip(rows, signs, strict=True)) if y * inner(w, x) <= threshold]
        if not violated:
            break
        i = violated[chosen[len(updates) % len(chosen)] % len(violated)]
        w = [a + costs[i] * signs[i] * b for a, b in zip(w, rows[i], strict=True)]
        updates.append(i)
    return WeightedRun.weighted(rows, signs, costs, witness, updates, threshold=threshold, start=start)


@st.composite
def runs(draw):
    rows, signs, witness = draw(separated("any"))
    costs = [draw(SOME_WEIGHTS) for _ in rows]
    if draw(st.integers(0, 9)) == 0:
        costs[-1] = F(draw(st.integers(-1, 0)))
    threshold = draw(st.sampled_from([F(0), F(1), F(5, 2)]))
    start = [F(draw(st.integers(-3, 3))) for _ in witness] if draw(st.integers(0, 3)) == 0 else ()
    return learn_weighted(rows, signs, costs, witness, draw(picks), threshold=threshold, start=start)


# They hold -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("theorem", EXACT, ids=lambda t: t.id)
def test_it_holds_in_any_order_and_its_hypotheses_do_often(theorem):
    with applied_often(F(1, 4)) as tally:

        @settings(max_examples=80)
        @given(runs())
        def each(run):
            finding = tally.check(theorem, run)
            if finding.applies and run.margin_sq and theorem is theory.WEIGHTED:
                gamma, start = root(run.margin_sq)[0], root(sqnorm(run.path[0]))[1]
                assert run.weight <= theorem.bound(run.radius_sq, gamma, max(run.costs), start, run.threshold)
                if run.updates:
                    mean = run.squares / run.weight
                    assert mean <= max(run.costs)
                    assert run.weight <= theorem.bound(run.radius_sq, gamma, mean, start, run.threshold)

        each()


@pytest.mark.parametrize("threshold", [None, F(1)])
def test_with_weights_of_one_it_is_the_old_theorem(threshold):
    @settings(max_examples=40)
    @given(separated("any"), picks, st.booleans())
    def each(problem, chosen, moved):
        rows, signs, witness = problem
        start = [F(2)] * len(witness) if moved else ()
        run = learn(rows, signs, witness, chosen, threshold=threshold, start=start)
        known = {"threshold": run.threshold, "start": start}
        same = WeightedRun.weighted(rows, signs, [1] * len(rows), witness, run.updates, **known)
        assert same.path == run.path
        assert same.weight == same.squares == len(run.updates)
        assert theory.UPPER_END.check(run).conclusion == theory.WEIGHTED_END.check(same).conclusion
        if threshold is None:
            assert theory.START.check(run).conclusion == theory.WEIGHTED.check(same).conclusion
        elif not moved:
            assert theory.THRESHOLD.check(run).conclusion == theory.WEIGHTED_MARGIN.check(same).conclusion

    each()


# They are tight ------------------------------------------------------------------------------------


@pytest.mark.parametrize("c", [F(1), F(5), F(1, 3)])
@pytest.mark.parametrize("n", [1, 2, 7])
def test_orthonormal_examples_of_equal_weight_meet_all_bounds(c, n):
    rows = [[F(3) if i == j else F(0) for j in range(n)] for i in range(n)]
    signs = [1 if i % 2 else -1 for i in range(n)]
    run = learn_weighted(rows, signs, [c] * n, signs, [0])
    assert run.weight == c * n == theory.WEIGHTED.bound(9 * n, 3, c)
    assert confirmed(theory.WEIGHTED, run)
    assert confirmed(theory.WEIGHTED_END, run)
    assert run.margin_sq * run.weight**2 == sqnorm(run.path[-1]), "the upper end is the margin"
    assert theory.WEIGHTED_END.bound(9, sqnorm(run.path[-1]), run.weight) == n
    for costs in ([c * (1 + F(1, 2**30)), *[c] * (n - 1)], [*[c] * (n - 1), c * (1 - F(1, 2**30))]):
        other = replace(run, costs=costs)
        assert theory.WEIGHTED.check(other).conclusion
        if n > 1:
            assert other.weight**2 * run.margin_sq < run.radius_sq * other.squares


def test_with_unequal_weights_the_squares_say_more_than_the_heaviest():
    """Orthonormal examples: C^2 gamma^2 = 64/3, of 30 by the squares, and of 5 x 8 by the heaviest."""
    costs = [F(1), F(2), F(5)]
    rows = [[F(1) if i == j else F(0) for j in range(3)] for i in range(3)]
    run = learn_weighted(rows, [1] * 3, costs, [F(1)] * 3, [0])
    assert confirmed(theory.WEIGHTED, run)
    assert run.weight**2 * run.margin_sq == F(64, 3)
    assert run.squares == 30
    assert theory.WEIGHTED.bound(1, F(4, 7), run.squares / run.weight) < theory.WEIGHTED.bound(1, F(4, 7), 5)


def test_a_threshold_is_met_on_a_line():
    for c, theta in ((F(1), 4), (F(2), 6), (F(1, 2), 3)):
        run = learn_weighted([[F(1)]], [1], [c], [F(1)], [0], threshold=F(theta))
        assert confirmed(theory.WEIGHTED_MARGIN, run)
        assert run.weight == theta + c  # of c + 2 theta
        assert theory.WEIGHTED_MARGIN.bound(1, 1, c, theta) == c + 2 * theta


HEAVY = [[F(1), F(0)], [F(-3, 5), F(4, 5)]], [1, 1], [F(50), F(1)], [F(1), F(2)]


def test_the_number_of_updates_is_not_bounded_by_the_theorem_without_weights():
    """One heavy example, and 31 light steps back: 32 updates, where R^2/gamma^2 is 5."""
    run = learn_weighted(*HEAVY, [0])
    assert run.updates == [0] + [1] * 31
    assert run.radius_sq / run.margin_sq == 5
    assert run.weight == 81
    assert theory.WEIGHTED.bound(1, root(F(1, 5))[0], 50) // 1 == 250
    assert confirmed(theory.WEIGHTED, run)
    assert confirmed(theory.WEIGHTED_END, run)
    plain = Run.of(HEAVY[0], HEAVY[1], HEAVY[3], run.updates)
    assert not theory.START.check(plain).conclusion
    rational = reference.weighted_perceptron(HEAVY[0], HEAVY[1], HEAVY[2])
    assert rational.steps == run.updates
    assert rational.w[:2] == run.path[-1]


def test_a_weight_is_not_a_repetition():
    """Twice the weight is one update of twice the step; the example twice may need no second update."""
    once = reference.weighted_perceptron([[1.0]], [1], [2])
    twice = reference.weighted_perceptron([[1.0], [1.0]], [1, 1], [1, 1])
    assert (once.w[0], once.steps) == (2, [0])
    assert (twice.w[0], twice.steps) == (1, [0])


def test_without_a_threshold_no_margin_is_promised():
    run = learn_weighted([[F(1)]], [1], [F(2)], [F(1)], [0])
    assert theory.WEIGHTED_MARGIN.check(run).unmet == ("theta > 0",)


def test_a_start_is_paid_for():
    run = learn_weighted([[F(1)]], [1], [F(2)], [F(1)], [0], start=[F(-9)])
    assert run.weight == 10
    assert confirmed(theory.WEIGHTED, run)
    assert theory.WEIGHTED.bound(1, 1, 2, 9) == 20
    # C^2 - 2 C <= 18 C, for updates beyond the end of the run
    for M, fits in ((10, True), (11, False)):
        assert theory.WEIGHTED.check(replace(run, updates=[0] * M)).conclusion == fits


def test_the_form_for_floats_ends_where_it_says():
    """C <= c_max R^2 + 2 theta + 2 ||w0|| = 16 on a line, for a light example beside a heavy one that is not met."""
    for M, fits in ((16, True), (17, False)):
        run = WeightedRun.weighted([[1], [1]], [1, 1], [1, 10], [1], [0] * M, threshold=1, start=[2])
        assert theory.WEIGHTED_ROUNDED.check(run).conclusion == fits
        assert not theory.WEIGHTED.check(run).conclusion, "with the squares of the weights it is 7"
    for M, fits in ((7, True), (8, False)):
        run = WeightedRun.weighted([[1], [1]], [1, 1], [1, 10], [1], [0] * M, threshold=1, start=[2])
        assert theory.WEIGHTED.check(run).conclusion == fits


def test_the_bounds_by_hand():
    assert theory.WEIGHTED.bound(9, F(1, 2), F(5, 3)) == 60
    assert theory.WEIGHTED.bound(9, F(1, 2), F(5, 3), 2, F(1, 2)) == 72
    assert theory.WEIGHTED_MARGIN.bound(9, F(1, 2), F(1, 3), F(1, 2)) == 16
    assert theory.WEIGHTED_END.bound(4, 18, F(9, 2)) == 4
    assert theory.WEIGHTED_END.bound(4, 0, 0) == 1
    assert theory.WEIGHTED_ROUNDED.bound(1, 1, 3, 2**49) == 6
    assert theory.WEIGHTED_ROUNDED.bound(1, 1, 3, 2**48, 1, 1) == F(21, 2)
    assert theory.WEIGHTED_ROUNDED.bound(1, 1, 3, 2**50) == 9
    assert theory.WEIGHTED_ROUNDED.bound(1, 1, 3, 2**50 + 1) is None
    assert 0 < theory.WEIGHTED.bound(1, 0.5, 1) - 4 < F(1, 2**47), "a float margin is taken at its lower end"
    with pytest.raises(ValueError, match="positive margin"):
        theory.WEIGHTED.bound(1, 0, 1)
    with pytest.raises(ValueError, match="w = 0 after"):
        theory.WEIGHTED_END.bound(1, 0, 3)


# Their hypotheses are needed -----------------------------------------------------------------------

LINE = {"X": [[1]], "y": [1], "costs": [2], "witness": [1]}


@pytest.mark.parametrize(
    ("theorem", "run", "without"),
    [
        (theory.WEIGHTED, WeightedRun.weighted([[1], [1]], [1, -1], [2, 2], [1], [0, 1] * 5), "w* separates"),
        (theory.WEIGHTED, WeightedRun.weighted([[1]], [1], [-1], [1], [0] * 5), "c > 0"),
        (
            theory.WEIGHTED,
            WeightedRun.weighted([[1, 0]], [1], [1], [0.1, 1], [0] * 6, threshold=-5, start=[-10, 0]),
            "theta >= 0",
        ),
        (theory.WEIGHTED, WeightedRun.weighted(**LINE, updates=[0] * 5, weights=[[0]] * 6), "w + c y x"),
        (theory.WEIGHTED, WeightedRun.weighted(**LINE, updates=[0] * 5), "only where"),
        (theory.WEIGHTED_MARGIN, WeightedRun.weighted([[1], [1]], [1, -1], [2, 2], [1], [0], threshold=1), "separates"),
        (theory.WEIGHTED_MARGIN, WeightedRun.weighted([[1]], [1], [-1], [1], [0] * 3, threshold=1), "c > 0"),
        (theory.WEIGHTED_MARGIN, WeightedRun.weighted([[1]], [1], [1], [1], [], threshold=-1), "theta > 0"),
        (theory.WEIGHTED_MARGIN, WeightedRun.weighted(**LINE, updates=[0] * 5, threshold=1, start=[-8]), "at 0"),
        (
            theory.WEIGHTED_MARGIN,
            WeightedRun.weighted(**LINE, updates=[0] * 5, threshold=1, weights=[*[[0]] * 5, [2]]),
            "w + c y x",
        ),
        (theory.WEIGHTED_MARGIN, WeightedRun.weighted(**LINE, updates=[0] * 5, threshold=1), "only where"),
        (theory.WEIGHTED_MARGIN, WeightedRun.weighted(**LINE, updates=[], threshold=1), "finished"),
        (theory.WEIGHTED_END, WeightedRun.weighted([[1], [3]], [1, 1], [3, -1], [1], [0, 1]), "c > 0"),
        (theory.WEIGHTED_END, WeightedRun.weighted(**LINE, updates=[0], weights=[[0], [1]]), "w + c y x"),
        (theory.WEIGHTED_ROUNDED, WeightedRun.weighted(**LINE, updates=[0] * 9), "only where"),
        (theory.WEIGHTED_ROUNDED, WeightedRun.weighted(**LINE, updates=[0] * 9, weights=[[0]] * 10), "are float64"),
        (
            theory.WEIGHTED_ROUNDED,
            WeightedRun.weighted([[1, 0]], [1], [1], [0.1, 1], [0] * 6, threshold=-5, start=[-10, 0]),
            "theta >= 0",
        ),
        (theory.WEIGHTED_ROUNDED, WeightedRun.weighted([[1], [1]], [1, -1], [2, 2], [1], [0, 1] * 5), "separates"),
        # 2^-540 x 2^-540 is no float, and w never moves
        (
            theory.WEIGHTED_ROUNDED,
            WeightedRun.weighted([[2.0**-540]], [1], [2.0**-540], [1], [0] * 9, weights=[[0]] * 10),
            "loses digits",
        ),
    ],
)
def test_a_hypothesis_is_needed(theorem, run, without):
    finding = theorem.check(run)
    assert any(without in text for text in finding.unmet)
    assert not finding.conclusion


# Weights that are rounded --------------------------------------------------------------------------


def rounded_run(X, y, costs, witness, threshold=0, passes=4, start=()):
    found = reference.weighted_perceptron(
        X, y, costs, threshold=threshold, max_iter=passes, rounded=True, start=[*start, 0.0] if len(start) else ()
    )
    rows = [[*row, 0.0] for row in X]
    return WeightedRun.weighted(rows, y, costs, [*witness, 0], found.steps, threshold=threshold, weights=found.path)


@pytest.mark.parametrize("threshold", [0, 1.0])
def test_it_holds_where_products_and_sums_round(threshold):
    rng = np.random.default_rng(17)
    rounded = 0
    with applied_often(F(9, 10)) as tally:
        for trial in range(60):
            n, d = int(rng.integers(2, 8)), int(rng.integers(1, 4))
            X = rng.standard_normal((n, d)) * 10.0 ** rng.integers(-2, 3, (n, 1))
            witness = rng.standard_normal(d)
            y = np.where(X @ witness > 0, 1, -1).tolist()
            costs = (rng.random(n) * 10.0 ** rng.integers(-2, 3, n)).tolist()
            start = rng.standard_normal(d) if trial % 4 == 0 else ()
            run = rounded_run(X.tolist(), y, costs, witness, threshold, start=start)
            finding = tally.check(theory.WEIGHTED_ROUNDED, run)
            if finding.applies:
                gamma, length = root(run.margin_sq)[0], root(sqnorm(run.path[0]))[1]
                mean = run.squares / run.weight if run.updates else 1
                arguments = len(run.updates), length, threshold
                assert run.weight <= theory.weighted_float_bound(run.radius_sq, gamma, max(run.costs), *arguments)
                assert run.weight <= theory.weighted_float_bound(run.radius_sq, gamma, mean, *arguments)
                rounded += bool(theory.WEIGHTED.check(run).unmet)
    assert rounded >= 30


def test_without_the_term_for_rounding_it_would_be_false():
    """Three rows whose R^2/gamma^2 is just below 3, each with the weight 2: C = 6."""
    X, y = [[float.fromhex(a) for a in row] for row in TRIPLE], [1, 1, -1]
    run = rounded_run(X, y, [2.0] * 3, best_separator(X, y), passes=1)
    assert run.weight == 6
    assert confirmed(theory.WEIGHTED_ROUNDED, run)
    finding = theory.WEIGHTED.check(run)
    assert finding.unmet == ("every update is exactly w + c y x",)
    assert not finding.conclusion


def test_products_that_round_cost_as_well():
    """One example: w is the float of c x, so that C gamma is not quite ||w||. The upper end is off by 2^-53 of it."""
    below = 0
    rng = np.random.default_rng(2)
    for x, c in rng.random((50, 2)).tolist():
        run = rounded_run([[x]], [1], [c], [1], passes=1)
        assert confirmed(theory.WEIGHTED_ROUNDED, run)
        below += not theory.WEIGHTED_END.check(run).conclusion
        upper = root(sqnorm(run.path[-1]))[1] / run.weight
        assert F(x) <= upper * (1 + F(1, 2**52))
    assert below >= 10


@pytest.mark.parametrize("bits", [0, 1, 10, 30, 49, 50])
def test_the_closed_form_covers_the_inequality_of_the_proof(bits):
    """(G + e M (1 + G))^2 <= 1 + 2^-49 M, with G = (1 + eM)(1 + e)^M."""
    with localcontext(prec=60):
        e, M = Decimal(2) ** -53, Decimal(2) ** bits
        G = (1 + e * M) * (M * (1 + e).ln()).exp()
        assert (G + e * M * (1 + G)) ** 2 <= 1 + M / 2**49
        if bits == 50:
            assert (G + e * M * (1 + G)) ** 2 > 1 + M / 2**50, "half of the excess would not do"
