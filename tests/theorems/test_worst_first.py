"""Always the most violated example: the whole margin, in rationals and in the library."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from novikoff import MarginPerceptron, theory
from novikoff.problems import separable
from novikoff.theory import Run, WorstFirst
from novikoff.theory.exact import inner, sqnorm
from tests.theorems.tally import applied_often, confirmed

F = Fraction


def along_the_worst(rows, signs, hull, *, threshold=None, rounds=30):
    """Updates on the smallest y<w,x>, the last of them if several are, while it is at most the threshold."""
    w, updates = [F(0)] * len(rows[0]), []
    while len(updates) < rounds:
        products = [y * inner(w, row) for row, y in zip(rows, signs, strict=True)]
        worst = min(products)
        if threshold is not None and worst > threshold:
            break
        i = len(products) - 1 - products[::-1].index(worst)
        w = [a + signs[i] * b for a, b in zip(w, rows[i], strict=True)]
        updates.append(i)
    return WorstFirst.along(rows, signs, hull, updates, threshold=threshold or 0)


@st.composite
def hulls(draw):
    """Rows g e_1 +- u, whose hull has g e_1 nearest to the origin, others beyond it, and the weights of the hull."""
    d = draw(st.integers(2, 3))
    whole = st.integers(-3, 3)
    g = F(draw(st.integers(0, 2)))
    u = [F(draw(whole)) for _ in range(d - 1)]
    further = [
        [g + draw(st.integers(0, 2)), *(F(draw(whole)) for _ in range(d - 1))] for _ in range(draw(st.integers(0, 3)))
    ]
    rows = [[g, *u], [g, *(-v for v in u)], *further]
    signs = [draw(st.sampled_from([-1, 1])) for _ in rows]
    hull = [F(1, 2), F(1, 2)] + [F(0)] * len(further)
    if draw(st.integers(0, 4)) == 0:
        hull = [F(1, len(rows))] * len(rows)  # at times not the nearest point
    return [[y * v for v in row] for row, y in zip(rows, signs, strict=True)], signs, hull


def test_w_stays_near_the_line_through_the_nearest_point():
    with applied_often() as tally:

        @settings(max_examples=60)
        @given(hulls())
        def each(problem):
            tally.check(theory.WORST_FIRST, along_the_worst(*problem))

        each()


def test_a_threshold_bounds_updates_and_promises_a_margin():
    with applied_often() as tally:

        @settings(max_examples=60)
        @given(hulls(), st.sampled_from([F(0), F(1), F(7, 2), F(12)]))
        def each(problem, theta):
            run = along_the_worst(*problem, threshold=theta, rounds=60)
            if tally.check(theory.WORST_MARGIN, run).applies:
                assert len(run.updates) <= theory.WORST_MARGIN.bound(run.radius_sq, run.best_sq, theta)

        each()


# They are tight ------------------------------------------------------------------------------------


def test_one_update_is_as_far_as_it_can_be():
    run = along_the_worst([[F(1), F(2)], [F(1), F(-2)]], [1, 1], [F(1, 2)] * 2, rounds=1)
    assert confirmed(theory.WORST_FIRST, run)
    assert sqnorm([a - b for a, b in zip(run.path[1], run.witness, strict=True)]) == run.radius_sq - run.best_sq == 4


def test_one_example_has_its_whole_margin_at_once():
    for theta in (0, 1, 10):
        run = along_the_worst([[F(3)]], [1], [F(1)], threshold=F(9 * theta))
        assert confirmed(theory.WORST_MARGIN, run)
        assert len(run.updates) == theta + 1 == theory.WORST_MARGIN.bound(9, 9, 9 * theta)


def test_the_promised_margin_tends_to_the_best():
    promised = []
    for k in range(8):
        theta = 10**k
        M = theory.WORST_MARGIN.bound(4, 1, theta)
        promised.append(theta / (M + math.sqrt(3 * M)))
    assert promised == sorted(promised)
    assert promised[0] < 0.2
    assert promised[4] > 0.9
    assert promised[-1] > 0.998


# Where the conclusions end -------------------------------------------------------------------------

TWO = [[1, 1], [1, -1]], [1, 1], [F(1, 2), F(1, 2)]  # gamma = 1, R^2 = 2


def test_a_step_too_far_is_seen():
    # (2, 2) - 2 (1, 0) has the square 4, and 2 (R^2 - gamma^2) is 2.
    run = WorstFirst.along(*TWO, updates=[0, 0])
    assert not theory.WORST_FIRST.check(run).conclusion
    assert theory.WORST_FIRST.check(WorstFirst.along(*TWO, updates=[0, 1, 1])).conclusion


@pytest.mark.parametrize(("theta", "count"), [(0, 3), (1, 4), (5, 10)])
def test_updates_end_where_they_say(theta, count):
    # (M - 1) - theta <= sqrt(2 (M - 1)); from far along the nearest point the margin is wide
    assert count - 1 - theta <= math.sqrt(2 * (count - 1))
    assert count - theta > math.sqrt(2 * count)
    for M, fits in ((count, True), (count + 1, False)):
        run = WorstFirst.along(*TWO, [k % 2 for k in range(M)], threshold=theta, start=[100, 0])
        assert theory.WORST_MARGIN.check(run).conclusion == fits
    assert theory.WORST_MARGIN.bound(2, 1, theta) == count


def test_the_margin_ends_where_it_says():
    # After M = 4 updates it is at least theta/(4 + 2); w = (4, t) from a start has 4 - t and the length sqrt(16 + t^2).
    theta = 3
    edge = (16 - math.sqrt(112)) / 3  # 4 (4 - t)^2 = 16 + t^2
    assert (4 - edge) / math.hypot(4, edge) == pytest.approx(theta / 6)
    for t, fits in ((F(edge) - F(1, 10**9), True), (F(edge) + F(1, 10**9), False)):
        run = WorstFirst.along(*TWO, [0, 1, 0, 1], threshold=theta, start=[0, t])
        assert run.path[-1] == [4, t]
        assert theory.WORST_MARGIN.check(run).conclusion == fits
    run = WorstFirst.along(*TWO, [0, 1, 0, 1], threshold=theta, start=[0, 4])
    assert not theory.WORST_MARGIN.check(run).conclusion, "a margin of 0 is none"


# Hypotheses are needed -----------------------------------------------------------------------------

ASIDE = [[1, 1], [1, -1], [1, 0]], [1, 1, 1]


def given_witness(rows, signs, hull, witness, updates):
    run = Run.of(rows, signs, witness, updates)
    return WorstFirst(**vars(run), hull=[F(a) for a in hull])


@pytest.mark.parametrize(
    ("theorem", "run", "without"),
    [
        (
            theory.WORST_FIRST,
            given_witness([[1, 1], [1, -1]], [1, 1], [F(1, 2)] * 2, [F(1, 2), 0], [0, 1] * 4),
            "w* = sum",
        ),
        (theory.WORST_FIRST, WorstFirst.along([[1], [3]], [1, 1], [F(3, 2), F(-1, 2)], updates=[0] * 10), "w* = sum"),
        (theory.WORST_FIRST, WorstFirst.along([[1], [3]], [1, 1], [0, 1], updates=[0]), "y<w*,x> >="),
        (theory.WORST_FIRST, WorstFirst.along(*TWO, updates=[0], start=[0, 5]), "starts at 0"),
        (theory.WORST_FIRST, WorstFirst.along(*TWO, updates=[0, 0]), "smallest"),
        (theory.WORST_MARGIN, WorstFirst.along([[1], [3]], [1, 1], [0, 1], [0] * 3, threshold=2), "y<w*,x> >="),
        (theory.WORST_MARGIN, WorstFirst.along([[1], [1]], [1, -1], [F(1, 2)] * 2, [0], threshold=1), "gamma > 0"),
        (theory.WORST_MARGIN, WorstFirst.along([[1]], [1], [1], [0] * 9, threshold=1, start=[-6]), "starts at 0"),
        (theory.WORST_MARGIN, WorstFirst.along(*TWO, [0] * 3, threshold=2), "smallest"),
        (theory.WORST_MARGIN, WorstFirst.along([[1]], [1], [1], [], threshold=-1), "theta >= 0"),
        (theory.WORST_MARGIN, WorstFirst.along([[1]], [1], [1], [0] * 9, threshold=1), "only where"),
        (theory.WORST_MARGIN, WorstFirst.along(*TWO, [0], threshold=3), "finished"),
    ],
)
def test_a_hypothesis_is_needed(theorem, run, without):
    finding = theorem.check(run)
    assert any(without in text for text in finding.unmet)
    assert not finding.conclusion
    assert finding.holds


@pytest.mark.parametrize(
    ("theorem", "run", "weights"),
    [
        (theory.WORST_FIRST, WorstFirst.along(*TWO, updates=[0]), [[0, 0], [9, 9]]),
        (theory.WORST_MARGIN, WorstFirst.along(*TWO, updates=[0] * 9), [[0, 0]] * 9 + [[5, 0]]),
    ],
)
def test_the_update_is_needed(theorem, run, weights):
    finding = theorem.check(replace(run, weights=weights))
    assert finding.unmet == ("every update is exactly w + y x",)
    assert not finding.conclusion


@pytest.mark.parametrize(
    ("hull", "met"), [([F(1, 2), F(1, 2), 0], True), ([F(1, 3)] * 3, True), ([1, 1, -1], False), ([1, 1, 0], False)]
)
def test_the_weights_of_the_hull_are_checked(hull, met):
    run = WorstFirst.along(*ASIDE, hull, updates=[])
    assert (theory.WORST_FIRST.hypotheses[0].text not in theory.WORST_FIRST.check(run).unmet) == met


def test_what_bounds_need():
    assert theory.WORST_FIRST.bound(5, 1, F(1, 2)) == 16
    assert theory.WORST_FIRST.bound(1, 1, 1) == 1
    with pytest.raises(ValueError, match="epsilon > 0"):
        theory.WORST_FIRST.bound(2, 1, 0)
    for arguments in ((1, 0, 1), (1, 2, 1), (2, 1, -1)):
        with pytest.raises(ValueError, match="0 < gamma <= R and theta >= 0"):
            theory.WORST_MARGIN.bound(*arguments)


# The library ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
def test_the_worst_order_finds_nearly_the_whole_margin(seed):
    problem = separable(30, 3, margin=0.25, random_state=seed)
    R_sq, gamma = float(problem.radius_sq), problem.margin
    shares = []
    for factor in (1, 10, 1000):
        theta = factor * R_sq
        model = MarginPerceptron(threshold=theta, order="worst", fit_intercept=False, max_iter=10**7)
        model.fit(problem.X, problem.y)
        M = model.updates_
        allowed = theory.WORST_MARGIN.bound(problem.radius_sq, problem.margin_sq, theta)
        assert allowed >= M
        rest = math.sqrt(M * (R_sq - gamma**2))
        assert np.linalg.norm(model.coef_[0] - M * gamma * problem.witness / np.linalg.norm(problem.witness)) <= rest
        assert model.margin_[0] >= theta / (M * gamma + rest) * (1 - 1e-12)
        assert model.margin_[1] <= gamma + math.sqrt((R_sq - gamma**2) / M) * (1 + 1e-12)
        shares.append(model.margin_[0] / gamma)
    assert shares[-1] > 0.99


def test_without_a_threshold_it_is_zero():
    assert WorstFirst.along([[1]], [1], [1], []).threshold == 0
