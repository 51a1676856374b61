"""`play` sees what a learner really did: every way to leave the proof is noticed, and named with its round."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from novikoff import MarginPerceptron, PassiveAggressive, Perceptron, play, theory
from novikoff.problems import separable

DUE = "it updated where y<w,x> > theta"
SUM = "w did not become w + yx"
GAIN = "<w,w*> grew by less than gamma"
LENGTH = "||w||^2 grew by more than ||x||^2 + 2 theta"
IDLE = "it made a mistake without an update"
SILENT = "w changed without an update"
UPDATES = "it did not count its updates one by one"
MISTAKES = "it did not count its mistakes"


class Honest:
    """A Perceptron in plain floats, for dicts; it may be told to update at a threshold."""

    threshold_ = 0.0

    def __init__(self):
        self.w, self.updates_, self.mistakes_ = {}, 0, 0

    def _sign_of(self, y):
        return y

    def _row_of(self, x):
        return {**x, None: 0.0}

    def weights(self, names=None):
        return {n: a for n, a in self.w.items() if a} if names is None else {n: self.w.get(n, 0.0) for n in names}

    def product(self, x):
        return sum(self.w.get(name, 0.0) * value for name, value in x.items())

    def sign_one(self, x):
        return int(np.sign(self.product(x)))

    def is_due(self, x, y):
        return y * self.product(x) <= self.threshold_

    def add(self, x, y):
        for name, value in x.items():
            self.w[name] = self.w.get(name, 0.0) + y * value
        self.updates_ += 1

    def learn_one(self, x, y):
        self.mistakes_ += self.sign_one(x) != y
        if self.is_due(x, y):
            self.add(x, y)


# w* = (1, 1): y<w*,x> = 3, 1, 4. By hand: 0 -> (2, 1); then (-1, 2)+ has <w,x> = 0 -> (1, 3); then (3, 1)+ is right.
STREAM = [
    ({"a": 2.0, "b": 1.0}, 1),
    ({"a": -1.0, "b": 2.0}, 1),
    ({"a": 3.0, "b": 1.0}, 1),
    ({"a": -3.0, "b": -1.0}, -1),
]
WITNESS = {"a": 1, "b": 1}


class Eager(Honest):
    def is_due(self, x, y):
        return True


class Lavish(Honest):
    """Adds 3x: still the right way, and too far."""

    def add(self, x, y):
        super().add({name: 3 * value for name, value in x.items()}, y)


class Backwards(Honest):
    def add(self, x, y):
        super().add(x, -y)


class Lazy(Honest):
    """Adds half of x: short of gamma."""

    def add(self, x, y):
        super().add({name: value / 4 for name, value in x.items()}, y)


class Sloppy(Honest):
    """One unit in the last place too much."""

    def add(self, x, y):
        super().add(x, y)
        name = next(iter(x))
        self.w[name] = math.nextafter(self.w[name], math.inf)


class Forgetful(Honest):
    def add(self, x, y):
        if self.updates_ < 1:
            super().add(x, y)


class Silent(Honest):
    def add(self, x, y):
        super().add(x, y)
        self.updates_ -= self.updates_ > 1


class Double(Honest):
    def add(self, x, y):
        super().add(x, y)
        self.updates_ += 1


class Vain(Honest):
    """Does not own up to its second mistake."""

    def learn_one(self, x, y):
        super().learn_one(x, y)
        self.mistakes_ = min(self.mistakes_, 1)


class Drifting(Honest):
    """Changes w where nothing is to be changed."""

    def learn_one(self, x, y):
        super().learn_one(x, y)
        if self.sign_one(x) == y and self.updates_ == 2 and x["a"] > 2:
            self.w["a"] += 1.0


@pytest.mark.parametrize(
    ("learner", "failures"),
    [
        (Honest, ()),
        (Eager, (f"in round 2 {DUE}", f"in round 2 {LENGTH}")),
        (Lavish, (f"in round 0 {SUM}", f"in round 0 {LENGTH}")),
        (Backwards, (f"in round 0 {SUM}", f"in round 2 {LENGTH}", f"in round 2 {GAIN}")),
        (Lazy, (f"in round 0 {SUM}", f"in round 1 {GAIN}")),
        (Sloppy, (f"in round 0 {SUM}", f"in round 0 {LENGTH}")),
        (Forgetful, (f"in round 1 {IDLE}",)),
        (Silent, (f"in round 1 {IDLE}", f"in round 1 {SILENT}")),
        (Double, (f"in round 0 {UPDATES}",)),
        (Vain, (f"in round 1 {MISTAKES}",)),
        (Drifting, (f"in round 2 {SILENT}",)),
    ],
)
def test_every_way_to_leave_the_proof_is_seen(learner, failures):
    run = play(learner(), STREAM, WITNESS)
    assert sorted(run.failures) == sorted(failures)
    assert run.inequalities_held is (not failures)
    assert ("the learner did NOT do what the proof is about: " in str(run)) is bool(failures)
    assert ("both inequalities of the proof held at every update, exactly" in str(run)) is (not failures)


def test_a_weight_outside_of_the_rows_is_seen_at_the_end():
    class Elsewhere(Honest):
        def add(self, x, y):
            super().add(x, y)
            self.w["c"] = 5.0

    run = play(Elsewhere(), STREAM, {**WITNESS, "c": 0})
    assert run.failures == ("at the end w has entries that no update has given it",)


def test_the_same_learners_where_sums_round():
    stream = [({name: value / 3 for name, value in x.items()}, y) for x, y in STREAM] * 2
    for learner, fails in ((Honest, False), (Eager, True), (Lavish, True), (Backwards, True), (Lazy, True)):
        run = play(learner(), stream, WITNESS)
        assert bool(run.failures) is fails
    assert play(Eager(), stream, WITNESS).exact is False


def test_a_threshold_makes_more_updates_due():
    class Margin(Eager):
        threshold_ = 100.0

    assert play(Margin(), STREAM, WITNESS).failures == ()
    run = play(Margin(), STREAM * 9, WITNESS)
    assert run.threshold == 100
    assert any(DUE in failure for failure in run.failures)


def test_the_last_bit_of_a_decision_counts():
    # <w,x> = 2^-52 after one update, which floats alone take for 0: an update there is not due.
    x, z = {"a": 1.0, "b": 1.0}, {"a": 1.0 + 2.0**-52, "b": -1.0}

    class Careless(Honest):
        def is_due(self, x, y):
            return y * self.product(x) <= 1e-9

    assert play(Honest(), [(x, 1), (z, 1)], {"a": 1, "b": 0}).failures == ()
    run = play(Careless(), [(x, 1), (z, 1)], {"a": 1, "b": 0})
    assert run.failures == (f"in round 1 {DUE}",), "the inequalities hold up to the rounding of w: the rule was broken"


def test_a_failure_is_told_without_a_separating_witness():
    run = play(Backwards(), [({"a": 1.0}, 1), ({"a": 1.0}, -1)], {"a": 1})
    assert run.inequalities_held is None
    assert any(SUM in failure for failure in run.failures)
    assert "does not separate" in str(run)


@pytest.mark.parametrize("count", [40, pytest.param(2_000, marks=pytest.mark.long)])
def test_the_library_itself_never_leaves_the_proof(count):
    """All settings, rows that round and rows that do not: exact decisions, sums to the nearest float, right counts."""
    rng = np.random.default_rng(5)
    exact = 0
    for _ in range(count):
        n, d = int(rng.integers(3, 25)), int(rng.integers(2, 5))
        problem = separable(n, d, margin=float(rng.uniform(0.02, 0.4)), random_state=int(rng.integers(10**6)))
        learner = rng.choice([Perceptron, MarginPerceptron])
        model = learner(
            at_zero=str(rng.choice(["mistake", "positive", "negative"])),
            scale=str(rng.choice(["none", "ball", "sphere"])),
            fit_intercept=bool(rng.random() < 0.5),
        )
        X = problem.X * (1.0 if rng.random() < 0.5 else 0.1)
        run = play(model, list(zip(X, problem.y.tolist(), strict=True)) * 3, problem.witness)
        assert run.failures == ()
        assert run.inequalities_held
        assert run.exact != model.rounded_
        assert run.updates <= run.bound
        exact += run.exact
    assert count / 10 <= exact <= count * 9 / 10


def test_beyond_the_limit_nothing_is_promised_for_rounded_weights():
    run = play(Perceptron(fit_intercept=False), [([1.0, 2.0**-30], 1), ([-1.0, 2.0**-30], 1)], witness=[0, 1])
    assert run.exact
    assert run.bound == 2**60 + 1
    run = play(Perceptron(fit_intercept=False), [([1.0, 1e-9], 1), ([-0.3, 1.1e-9], 1)], witness=[0, 1])
    assert run.exact is False
    assert run.bound is None
    assert run.inequalities_held
    assert "allows any number for rounded weights, since without rounding it allows 2^49 or more" in str(run)


def test_weights_of_some_columns_are_those_of_all():
    model = Perceptron()
    for x, y in STREAM:
        model.learn_one(x, y)
    whole = model.weights()
    assert model.weights(["a", "b", None, "never"]) == {
        "a": whole.get("a", 0.0),
        "b": whole.get("b", 0.0),
        None: whole.get(None, 0.0),
        "never": 0.0,
    }
    plain = Perceptron(fit_intercept=False).learn_one([1.0, 2.0], 1)
    assert plain.weights([0, np.int64(1), 2, -1, "a", None]) == {0: 1.0, 1: 2.0, 2: 0.0, -1: 0.0, "a": 0.0, None: 0.0}


def test_what_is_measured_is_rounded_to_the_safe_side():
    stream = [([1.0, 0.1], 1), ([0.3, -0.7], -1), ([0.2, 0.9], 1)]
    for witness in ([1, 1], [1, 3], [2, 7]):
        run = play(Perceptron(fit_intercept=False), stream, witness=witness)
        assert Fraction(run.margin) ** 2 <= run.margin_sq
        assert Fraction(math.nextafter(run.margin, 1)) ** 2 > run.margin_sq
        assert Fraction(run.radius) ** 2 >= run.radius_sq


def test_without_a_witness_the_length_of_w_is_followed():
    run = play(Perceptron(fit_intercept=False), [([3.0, 4.0], 1), ([0.0, 2.0], -1)])
    assert run.norm_sq == [25.0, 9.0 + 4.0]


def test_rows_whose_roundings_all_go_one_way_are_measured_exactly():
    """Each of a thousand terms is lost in a float sum; together they make the longest row, and the smallest margin."""
    k, tiny = 1000, 2.0**-27
    long = [1.0, *[tiny] * k]  # floats add its squares up to 1
    other = [1.0, 2.0**-26, *[0.0] * (k - 1)]
    run = play(Perceptron(fit_intercept=False), [(other, 1), (long, 1)], witness=[1, *[0] * k])
    assert run.radius_sq == 1 + Fraction(k, 2**54)
    witness = [1, *[-tiny] * k]  # floats add up <w*,x> of the long row to 1
    run = play(Perceptron(fit_intercept=False), [([1.0, 2.0**-25, *[0.0] * (k - 1)], 1), (long, 1)], witness=witness)
    assert run.margin_sq == (1 - Fraction(k, 2**54)) ** 2 / (1 + Fraction(k, 2**54))


def test_what_is_followed_is_rounded_towards_zero():
    run = play(Perceptron(fit_intercept=False), [([1.0, 0.0], 1), ([0.0, 1.0], 1)], witness=[1, 2])
    for inner, square in zip(run.inner, (Fraction(1, 5), Fraction(9, 5)), strict=True):
        assert Fraction(inner) ** 2 <= square < Fraction(math.nextafter(inner, 9.0)) ** 2


# Any data ------------------------------------------------------------------------------------------


def noise(seed, n=40):
    """Integer rows that nothing separates, and a witness that does what it can."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-3, 4, (n, 2)).astype(float)
    y = np.where(rng.random(n) < 0.2, -1, 1) * np.where(X @ [1, 2] > 0, 1, -1)
    return X.tolist(), y.tolist(), [Fraction(int(a), 2) for a in rng.integers(-3, 4, 2)]


@pytest.mark.parametrize(("threshold", "size"), [(0, 1.0), (3, 1.0), (0, 1 / 16)])
def test_both_bounds_for_any_data_are_those_of_the_updates(threshold, size):
    strict = 0
    for seed in range(40):
        X, y, u = noise(seed)
        if not any(u):
            continue
        X, u = [[size * a for a in x] for x in X], [Fraction(a) / Fraction(size) for a in u]
        model = MarginPerceptron(threshold=threshold, fit_intercept=False)
        run = play(model, zip(X, y, strict=True), u)
        rows = [([Fraction(a) for a in X[i]], y[i]) for i in run.update_rounds]
        products = [(sign * sum(a * b for a, b in zip(u, x, strict=True)), 1) for x, sign in rows]
        longest = max(sum(a * a for a in x) for x, _ in rows)
        told = longest, sum(a * a for a in u), products, threshold
        assert (run.regret, run.deviations) == (theory.regret_bound(*told), theory.deviation_bound(*told))
        assert run.updates <= run.regret <= run.deviations
        assert run.failures == ()
        strict += run.updates < run.regret < run.deviations
        if run.margin <= 0:
            assert f"allows {run.regret:,} updates by its losses, {run.deviations:,} by their squares" in str(run)
    assert strict >= 20


def test_a_learner_that_updates_too_often_breaks_them():
    run = play(Eager(), [({"a": 1.0}, 1)] * 6, {"a": 2})
    assert (run.regret, run.deviations) == (4, 4)
    assert {f"it made more updates than the {name} of the witness allow" for name in ("regret", "deviations")} <= {
        *run.failures
    }
    assert play(Eager(), [({"a": 1.0}, 1)] * 4, {"a": 2}).failures[:1] == (f"in round 1 {DUE}",)


def test_where_sums_round_they_are_those_of_rounded_weights():
    rng = np.random.default_rng(1)
    X = rng.standard_normal((60, 3)) / 3
    y = np.where(rng.random(60) < 0.4, -1, 1)
    run = play(Perceptron(fit_intercept=False), zip(X, y.tolist(), strict=True), [0.5, 1.0, -2.0])
    u = [Fraction(a) for a in (0.5, 1.0, -2.0)]
    rows = [([Fraction(a) for a in X[i].tolist()], int(y[i])) for i in run.update_rounds]
    products = [(sign * sum(a * b for a, b in zip(u, x, strict=True)), 1) for x, sign in rows]
    told = max(sum(a * a for a in x) for x, _ in rows), sum(a * a for a in u), products
    assert run.exact is False
    assert run.regret == theory.regret_bound(*told, rounded=True)
    assert run.deviations == theory.deviation_bound(*told, rounded=True)


@pytest.mark.parametrize(
    "model",
    [PassiveAggressive(), Perceptron().learn_one([1.0, 2.0], 1)],
    ids=["steps of other lengths", "a start that is not zero"],
)
def test_of_other_runs_they_say_nothing(model):
    X, y, _ = noise(0)
    run = play(model, zip(X, y, strict=True), [1, 2])
    assert (run.regret, run.deviations) == (None, None)
    assert "allows" not in str(run)
