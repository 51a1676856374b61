"""The theorems for many classes: they hold, they are tight, their hypotheses are needed; two classes are as before."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from novikoff import theory
from novikoff.theory import ClassRun, ClassStream, Run
from novikoff.theory.exact import inner, sqnorm
from novikoff.theory.many_classes import lead, matrix_sq, moved
from tests import reference
from tests.theorems.exactly import learn, picks, rows_of, separated
from tests.theorems.tally import applied_often, confirmed

F = Fraction
ABOUT_RUNS = [theory.MANY_CLASSES, theory.MANY_CLASSES_MARGIN, theory.MANY_CLASSES_END]


def learn_classes(rows, labels, witness, chosen, *, threshold=0, start=(), most=60):
    """Updates on violations, chosen by the picks in turn, until none is left or there are too many."""
    W = list(start) or [[F(0)] * len(rows[0]) for _ in witness]
    updates, mistakes = [], 0
    while len(updates) < most:
        violated = [
            (i, r)
            for i, (x, y) in enumerate(zip(rows, labels, strict=True))
            for r in range(len(witness))
            if r != y and lead(W, x, y, r) <= 2 * threshold
        ]
        if not violated:
            break
        i, r = violated[chosen[len(updates) % len(chosen)] % len(violated)]
        mistakes += any(lead(W, rows[i], labels[i], c) <= 0 for c in range(len(W)) if c != labels[i])
        W = moved(W, rows[i], labels[i], r)
        updates.append((i, r))
    # a mistake is counted where another class violates, too; only those of the class that went down are certain
    run = ClassRun.of(rows, labels, witness, updates, mistakes=0, threshold=threshold, start=start)
    return replace(run, mistakes=min(mistakes, sum(p <= 0 for p in run.products)))


@st.composite
def problems(draw):
    """Rows, classes and a W* that has the largest score on its class, with a margin; at times a label is wrong."""
    d, k = draw(st.integers(2, 3)), draw(st.integers(2, 4))
    rows = draw(st.lists(rows_of("any", d), min_size=2, max_size=5))
    witness = [[F(draw(st.integers(-3, 3))) for _ in range(d)] for _ in range(k)]
    scores = [[inner(w, x) for w in witness] for x in rows]
    labels = [s.index(max(s)) for s in scores]
    apart = [max(s) - max(v for c, v in enumerate(s) if c != y) for s, y in zip(scores, labels, strict=True)]
    kept = [i for i, gap in enumerate(apart) if gap**2 * 8 >= matrix_sq(witness) * sqnorm(rows[i]) > 0]
    rows, labels = [rows[i] for i in kept], [labels[i] for i in kept]
    if not rows:
        witness[0], witness[1] = [F(1)] * d, [F(-1)] * d
        rows, labels, witness = [[F(1)] * d], [0], [*witness[:2], *[[F(0)] * d] * (k - 2)]
    if draw(st.integers(0, 9)) == 0:
        labels[-1] = (labels[-1] + 1) % k
    return rows, labels, witness


@st.composite
def runs(draw):
    rows, labels, witness = draw(problems())
    threshold = draw(st.sampled_from([F(0), F(1, 2), F(1), F(3)]))
    start = ()
    if draw(st.integers(0, 3)) == 0:
        start = [[F(draw(st.integers(-2, 2))) for _ in w] for w in witness]
    return learn_classes(rows, labels, witness, draw(picks), threshold=threshold, start=start)


def reduced(run):
    """The binary run of the proof: rows (x at y, -x at r) for all r != y, in the space of all entries of W."""
    d, k = len(run.rows[0]), len(run.witness)

    def long(x, y, r):
        return [v for row in moved([[F(0)] * d] * k, x, y, r) for v in row]

    pairs = [(i, r) for i in range(len(run.rows)) for r in range(k) if r != run.labels[i]]
    rows = [long(run.rows[i], run.labels[i], r) for i, r in pairs]
    flat = [[v for row in W for v in row] for W in run.path]
    return Run.of(
        rows,
        [1] * len(rows),
        [v for row in run.witness for v in row],
        [pairs.index(update) for update in run.updates],
        mistakes=run.mistakes,
        threshold=2 * run.threshold,
        weights=flat,
    )


# They hold -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("theorem", ABOUT_RUNS, ids=lambda t: t.id)
def test_it_holds_in_any_order_and_its_hypotheses_do_often(theorem):
    with applied_often(F(1, 4)) as tally:

        @settings(max_examples=60)
        @given(runs())
        def each(run):
            tally.check(theorem, run)

        each()


def test_it_is_the_binary_theorem_in_another_space():
    @settings(max_examples=40)
    @given(runs())
    def each(run):
        binary = reduced(run)
        assert binary.radius_sq == 2 * run.radius_sq
        assert binary.margin_sq == 2 * run.margin_sq
        assert theory.UPPER_END.check(binary) == replace_id(theory.MANY_CLASSES_END.check(run), "margin-upper-end")
        if run.threshold > 0:
            old, new = theory.THRESHOLD.check(binary), theory.MANY_CLASSES_MARGIN.check(run)
            assert (old.applies, old.conclusion) == (new.applies, new.conclusion)
        if run.margin_sq > 0:
            square = matrix_sq(run.path[0])
            rest = len(run.updates) * binary.margin_sq - binary.radius_sq - 2 * binary.threshold
            assert theory.MANY_CLASSES.check(run).conclusion == (rest <= 0 or rest**2 <= 4 * binary.margin_sq * square)

    each()


def test_against_any_rows_it_is_the_regret_form_for_two():
    @settings(max_examples=40)
    @given(problems(), picks, st.integers(1, 3))
    def each(problem, chosen, turned):
        rows, labels, U = problem
        run = learn_classes(rows, [(y + turned) % len(U) for y in labels], U, chosen, most=20)
        halves = [(lead(U, run.rows[i], run.labels[i], r) / 2, 1) for i, r in run.updates]
        assert len(run.updates) <= theory.any_data_bound(run.radius_sq, matrix_sq(U) / 2, halves)
        binary = reduced(run)
        assert theory.regret_bound(run.radius_sq, matrix_sq(U) / 2, halves) == theory.REGRET.bound(
            binary.radius_sq, sqnorm(binary.witness) / 4, [(binary.margins[i] / 2, 1) for i in binary.updates]
        )

    each()


def replace_id(finding, name):
    return replace(finding, theorem=name, unmet=("every update is exactly w + y x",) if finding.unmet else ())


@pytest.mark.parametrize("threshold", [None, F(1)])
def test_two_classes_with_opposite_rows_are_the_binary_learner(threshold):
    @settings(max_examples=40)
    @given(separated("any"), picks)
    def each(problem, chosen):
        rows, signs, w = problem
        run = learn(rows, signs, w, chosen, threshold=threshold)
        labels = [(1 + y) // 2 for y in signs]
        witness = [[-a for a in w], w]
        updates = [(i, 1 - labels[i]) for i in run.updates]
        two = ClassRun.of(rows, labels, witness, updates, mistakes=run.mistakes, threshold=run.threshold)
        assert two.path == [[[-a for a in w], w] for w in run.path]
        assert two.margin_sq == run.margin_sq
        assert (two.products, two.finals) == ([2 * p for p in run.products], [2 * p for p in run.finals])
        if threshold is not None:
            old, new = theory.THRESHOLD.check(run), theory.MANY_CLASSES_MARGIN.check(two)
            assert (old.applies, old.conclusion) == (new.applies, new.conclusion)
        for old, new in ((theory.START, theory.MANY_CLASSES), (theory.UPPER_END, theory.MANY_CLASSES_END)):
            if run.threshold == 0:
                assert old.check(run).conclusion == new.check(two).conclusion
        assert theory.MANY_CLASSES.bound(9, F(1, 2), 3, 1) == theory.bound_from_start(9, F(1, 2), 3 / math.sqrt(2), 1)

    each()


@pytest.mark.parametrize("order", ["given", "first", "worst"])
def test_it_holds_on_the_reference_learner(order):
    applied = 0
    rng = np.random.default_rng(4)
    for _ in range(30):
        n, d, k = int(rng.integers(3, 12)), int(rng.integers(2, 4)), int(rng.integers(2, 5))
        X, W = rng.integers(-4, 5, (n, d)), rng.integers(-4, 5, (k, d))
        scores = np.sort(X @ W.T, axis=1)
        X = X[scores[:, -1] > scores[:, -2]]
        if not len(X):
            continue
        labels = np.argmax(X @ W.T, axis=1).tolist()
        for threshold in (0, 3):
            rows = X.tolist()
            found = reference.many_classes(rows, labels, k, threshold=threshold, order=order, max_iter=500)
            run = ClassRun.of(
                [[*row, 0] for row in rows],
                labels,
                [[*w, 0] for w in W.tolist()],
                found.updates,
                mistakes=found.mistakes,
                threshold=threshold,
                weights=found.path,
            )
            assert confirmed(theory.MANY_CLASSES, run)
            assert confirmed(theory.MANY_CLASSES_END, run)
            assert len(run.updates) <= theory.MANY_CLASSES_MARGIN.bound(run.radius_sq, run.margin_sq, threshold)
            if threshold and found.history[-1] in (0, -1):
                assert confirmed(theory.MANY_CLASSES_MARGIN, run)
                applied += 1
    assert applied >= 10


def test_rounded_rows_are_covered_by_the_theorem_on_rounding():
    rng = np.random.default_rng(8)
    rounded = 0
    for _ in range(60):
        n, d, k = int(rng.integers(3, 8)), int(rng.integers(1, 3)), int(rng.integers(2, 4))
        X, W = rng.standard_normal((n, d)) * 10.0 ** rng.integers(-2, 3, (n, 1)), rng.standard_normal((k, d))
        labels = np.argmax(X @ W.T, axis=1).tolist()
        found = reference.many_classes(X.tolist(), labels, k, threshold=1, max_iter=6, rounded=True)
        rows, witness = [[*x, 0] for x in X.tolist()], [[*w, 0] for w in W.tolist()]
        run = ClassRun.of(rows, labels, witness, found.updates, threshold=1, weights=found.path)
        if not run.margin_sq > F(1, 2**20):
            continue
        assert confirmed(theory.ROUNDED, reduced(run))
        rounded += bool(theory.MANY_CLASSES.check(run).unmet)
    assert rounded >= 20


# They are tight ------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 2, 6])
@pytest.mark.parametrize("R", [F(1), F(3)])
def test_orthonormal_examples_of_two_classes_meet_the_bound(R, n):
    rows = [[R if i == j else F(0) for j in range(n)] for i in range(n)]
    labels = [i % 2 for i in range(n)]
    ones = [F(1) if i % 2 else F(-1) for i in range(n)]
    run = ClassRun.of(rows, labels, [[-a for a in ones], ones], [(i, 1 - labels[i]) for i in range(n)])
    for theorem in (theory.MANY_CLASSES, theory.MANY_CLASSES_END):
        assert confirmed(theorem, run)
    assert theory.MANY_CLASSES_MARGIN.bound(R**2, run.margin_sq, 0) == n == len(run.updates)
    assert theory.MANY_CLASSES_END.bound(R**2, matrix_sq(run.path[-1]), n) == n
    assert 2 * run.margin_sq * n**2 == matrix_sq(run.path[-1]), "the upper end is the margin"
    assert not theory.MANY_CLASSES.check(replace(run, mistakes=n + 1)).conclusion


@pytest.mark.parametrize("n", [1, 2, 4])
def test_three_classes_reach_three_quarters_of_the_bound(n):
    """Rows 3 e_y - (1, 1, 1), in n orthogonal spaces: 8 n/3 are allowed, 2 n are made. For n = 1 that is the floor.

    After two updates W is W*. It is the best ratio that we know for more than two classes.
    """
    corners = [[F(3 * (c == y) - 1) for c in range(3)] for y in range(3)]
    rows = [[F(0)] * (3 * s) + x + [F(0)] * (3 * (n - 1 - s)) for s in range(n) for x in corners]
    witness = [[v for _ in range(n) for v in x] for x in corners]
    updates = [pair for s in range(n) for pair in ((3 * s, 1), (3 * s + 2, 1))]
    run = ClassRun.of(rows, [0, 1, 2] * n, witness, updates)
    assert run.radius_sq / run.margin_sq == F(8 * n, 3)
    assert len(run.updates) == 2 * n
    assert run.path[-1] == witness
    for theorem in (theory.MANY_CLASSES, theory.MANY_CLASSES_END):
        assert confirmed(theorem, run)
    if n == 1:
        assert theory.MANY_CLASSES_MARGIN.bound(run.radius_sq, run.margin_sq, 0) == 2


def test_the_margin_that_is_promised_and_the_updates_are_met_on_a_line():
    for theta in (1, 2, 5):
        run = learn_classes([[F(1)]], [1], [[F(-1)], [F(1)]], [0], threshold=F(theta))
        assert len(run.updates) == theta + 1
        assert confirmed(theory.MANY_CLASSES_MARGIN, run)
    family = []
    for g in (F(3, 5), F(7, 25), F(41, 841)):  # rows (g, s) and (g, -s), whose best margin is g
        s = {F(3, 5): F(4, 5), F(7, 25): F(24, 25), F(41, 841): F(840, 841)}[g]
        run = learn_classes([[g, s], [g, -s]], [1, 1], [[F(-1), F(0)], [F(1), F(0)]], [0], threshold=F(1), most=10**4)
        assert confirmed(theory.MANY_CLASSES_MARGIN, run)
        family.append(F(len(run.updates)) * run.margin_sq / 3)
    assert max(family) > F(1, 3), "the best ratio reached here; the binary theorem's family reaches 1"


def test_without_a_threshold_no_margin_is_promised():
    run = learn_classes([[F(1)]], [1], [[F(-1)], [F(1)]], [0])
    assert theory.MANY_CLASSES_MARGIN.check(run).unmet == ("theta > 0",)


def test_a_start_is_paid_for():
    run = learn_classes([[F(1)]], [1], [[F(-1)], [F(1)]], [0], start=[[F(9)], [F(-9)]])
    # ||W0|| = 9 sqrt(2): (1 + 18)/1 allowed
    assert len(run.updates) == 10
    assert confirmed(theory.MANY_CLASSES, run)
    assert theory.MANY_CLASSES.bound(1, 1, 9 * math.sqrt(2)) in (19, 18)
    # 2 (M - 1)^2 <= 4 * 162: M - 1 <= 18
    for mistakes, fits in ((19, True), (20, False)):
        assert theory.MANY_CLASSES.check(replace(run, mistakes=mistakes)).conclusion == fits


def test_the_bounds_by_hand():
    assert theory.MANY_CLASSES.bound(9, F(1, 2)) == 36
    assert theory.MANY_CLASSES.bound(9, F(1, 2), threshold=F(1, 2)) == 40
    assert theory.MANY_CLASSES.bound(2, 1, 10) == 16  # 2 + 10 sqrt(2)
    assert theory.MANY_CLASSES.bound(2**40, 1, rounded=True) == 2**50 // 1023
    assert theory.MANY_CLASSES.bound(2**49, 1, rounded=True) is None
    assert theory.MANY_CLASSES.bound(2**40, 1) == 2**40
    assert ClassRun([], [], [], []).threshold == 0
    assert theory.MANY_CLASSES_MARGIN.bound(9, F(1, 4), F(1, 2)) == 40
    assert theory.MANY_CLASSES_END.bound(4, 18, 3) == 4
    assert theory.NEW_CLASSES.bound(9, F(1, 4)) == 37
    assert theory.NEW_CLASSES.bound(9, F(1, 4), 5) == 41
    with pytest.raises(ValueError, match="positive margin"):
        theory.MANY_CLASSES.bound(1, 0)


# Their hypotheses are needed -----------------------------------------------------------------------

LINE = {"X": [[1]], "labels": [1], "witness": [[-1], [1]]}
WRONG = {"X": [[1], [1]], "labels": [0, 1], "witness": [[-1], [1]]}


@pytest.mark.parametrize(
    ("theorem", "run", "without"),
    [
        (theory.MANY_CLASSES, ClassRun.of(**WRONG, updates=[(0, 1), (1, 0)] * 5), "W* separates"),
        (
            theory.MANY_CLASSES,
            ClassRun.of(
                [[1, 0]], [1], [[-0.1, -1], [0.1, 1]], [(0, 0)] * 6, threshold=-5, start=[[10, 0], [-10, 0]], mistakes=0
            ),
            "theta >= 0",
        ),
        (theory.MANY_CLASSES, ClassRun.of(**LINE, updates=[(0, 0)] * 5, weights=[[[0], [0]]] * 6), "adds exactly"),
        (theory.MANY_CLASSES, ClassRun.of(**LINE, updates=[(0, 1)] * 5), "adds exactly"),
        (theory.MANY_CLASSES, ClassRun.of(**LINE, updates=[(0, 0)] * 5, mistakes=0), "only where"),
        (theory.MANY_CLASSES, ClassRun.of(**LINE, updates=[], mistakes=9), "on every mistake"),
        (theory.MANY_CLASSES_MARGIN, ClassRun.of(**WRONG, updates=[(0, 1)], threshold=1), "W* separates"),
        (theory.MANY_CLASSES_MARGIN, ClassRun.of(**LINE, updates=[(0, 0)] * 3, threshold=-1), "theta > 0"),
        (
            theory.MANY_CLASSES_MARGIN,
            ClassRun.of(**LINE, updates=[(0, 0)] * 8, threshold=1, start=[[6], [-6]]),
            "starts at 0",
        ),
        (
            theory.MANY_CLASSES_MARGIN,
            ClassRun.of(**LINE, updates=[(0, 0)] * 9, threshold=1, weights=[*[[[0], [0]]] * 9, [[-2], [2]]]),
            "adds exactly",
        ),
        (theory.MANY_CLASSES_MARGIN, ClassRun.of(**LINE, updates=[(0, 0)] * 9, threshold=1), "only where"),
        (theory.MANY_CLASSES_MARGIN, ClassRun.of(**LINE, updates=[], threshold=1), "finished"),
        (theory.MANY_CLASSES_END, ClassRun.of(**LINE, updates=[(0, 0)], weights=[[[0], [0]]] * 2), "adds exactly"),
    ],
)
def test_a_hypothesis_is_needed(theorem, run, without):
    finding = theorem.check(run)
    assert any(without in text for text in finding.unmet)
    assert not finding.conclusion


def test_the_upper_end_ends_where_it_says():
    """Two updates, gamma = 1: 2 gamma^2 M^2 = 8 is what ||W - W0||^2 must reach."""
    for end, fits in ((F(2), True), (F(3, 2), False)):
        run = ClassRun.of(**LINE, updates=[(0, 0)] * 2, weights=[[[0], [0]], [[0], [0]], [[-end], [end]]])
        assert theory.MANY_CLASSES_END.check(run).conclusion == fits


def test_a_record_has_all_its_weights():
    with pytest.raises(ValueError, match="W at 2 times"):
        ClassRun.of(**LINE, updates=[], weights=[[[0], [0]]] * 2)


# Classes that appear on the way --------------------------------------------------------------------


def stream_of(rows, labels, witness):
    """The learner on a stream: the lowest of the largest rivals goes down; None where nothing leads alone."""
    W, met = [[F(0)] * len(rows[0]) for _ in witness], set()
    predictions, rivals = [], []
    for x, y in zip(rows, labels, strict=True):
        scores = {c: inner(W[c], x) for c in sorted(met)}
        leaders = [c for c, s in scores.items() if s == max(scores.values())]
        predictions.append(leaders[0] if len(leaders) == 1 else None)
        met.add(y)
        others = {c: s for c, s in scores.items() if c != y}
        worst = max(others.values(), default=None)
        rival = None
        if worst is not None and worst >= scores.get(y, 0):
            rival = next(c for c, s in others.items() if s == worst)
            W = moved(W, x, y, rival)
        rivals.append(rival)
    return ClassStream.of(rows, labels, witness, predictions, rivals)


def test_new_classes_cost_one_mistake_more_than_updates():
    one_more = 0
    with applied_often(F(1, 4)) as tally:

        @settings(max_examples=60)
        @given(problems(), st.lists(st.integers(0, 4), min_size=1, max_size=40))
        def each(problem, rounds):
            nonlocal one_more
            rows, labels, witness = problem
            order = [i % len(rows) for i in rounds]
            stream = stream_of([rows[i] for i in order], [labels[i] for i in order], witness)
            tally.check(theory.NEW_CLASSES, stream)
            assert stream.updates <= stream.mistakes <= stream.updates + 1
            one_more += stream.mistakes == stream.updates + 1

        each()
    assert one_more == tally.checks, "the first example is one"


def test_the_bound_for_new_classes_is_met():
    rows, labels = [[1, 0], [0, 1], [1, 0], [0, 1]], [0, 1, 0, 1]
    stream = stream_of([[F(v) for v in x] for x in rows], labels, [[1, -1], [-1, 1]])
    assert confirmed(theory.NEW_CLASSES, stream)
    assert stream.mistakes == 3 == theory.NEW_CLASSES.bound(stream.radius_sq, stream.margin_sq)
    assert stream.updates == 2


E = [[1, 0], [0, 1]]
APART = [[1], [-1], *[[1]] * 4], [0, 1, 0, 0, 0, 0], [[1], [-1]]


@pytest.mark.parametrize(
    ("stream", "without"),
    [
        # both labels of one example
        (ClassStream.of([[1]] * 6, [0, 1] * 3, [[1], [-1]], [None] * 6, [None, *[0, 1] * 2, 0]), "W* separates"),
        # a mistake on a tie without an update, again and again
        (ClassStream.of([*E, *[[0, 1]] * 3], [0, 1, 1, 1, 1], [[1, -1], [-1, 1]], [None] * 5, [None] * 5), "goes down"),
        # an update that no violation asks for
        (ClassStream.of(*APART, [None, None, *[0] * 4], [None, 0, *[1] * 4]), "goes down"),
        # the class in the lead is not predicted
        (ClassStream.of(*APART, [None] * 6, [None, 0, *[None] * 4]), "in the lead"),
    ],
)
def test_a_hypothesis_about_new_classes_is_needed(stream, without):
    finding = theory.NEW_CLASSES.check(stream)
    assert [without in text for text in finding.unmet] == [True], finding.unmet
    assert not finding.conclusion


def test_from_a_start_every_new_class_may_cost_a_mistake_that_is_no_update():
    """Class 0 scores below 0 on the first examples of classes 1 and 2, and an update has put class 1 there as well."""
    W, met = [[F(-9), F(-9)], [F(0)] * 2, [F(0)] * 2], {0}
    mistakes = updates = 0
    for x, y in (([F(1), F(0)], 1), ([F(0), F(-1)], 1), ([F(0), F(1)], 2)):
        scores = {c: inner(W[c], x) for c in met}
        mistakes += any(s >= scores.get(y, -math.inf) for c, s in scores.items() if c != y)
        met.add(y)
        rivals = [c for c, s in scores.items() if c != y and s >= inner(W[y], x)]
        if rivals:
            updates += 1
            W = moved(W, x, y, rivals[0])
    assert (mistakes, updates) == (3, 1)
