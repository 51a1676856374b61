"""The theorems of the Passive-Aggressive learners: they hold, they are tight, their hypotheses are needed."""

from __future__ import annotations

import warnings
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from novikoff import PassiveAggressive, play, theory
from novikoff.learners import passive_aggressive as rules
from novikoff.theory import AggressiveRun
from novikoff.theory.exact import inner, root, sqnorm
from novikoff.theory.passive_aggressive import constant, most_mistakes
from tests import reference
from tests.theorems.exactly import separated
from tests.theorems.tally import applied_often, confirmed

F = Fraction
BY_VARIANT = {0: theory.PASSIVE, 1: theory.PASSIVE_1, 2: theory.PASSIVE_2}
NAMES = {0: "PA", 1: "PA-I", 2: "PA-II"}
SOME_C = st.sampled_from([F(1, 10), F(1, 2), F(1), F(7, 2)])


def one(rows, signs, direction):
    """The direction at such a length that y<u,x> >= 1, and = 1 somewhere; as it is if it does not separate."""
    least = min(y * inner(direction, row) for row, y in zip(rows, signs, strict=True))
    return [a / least for a in direction] if least > 0 else direction


def learn(rows, signs, u, *, variant, C=1, start=(), zero=0, max_iter=2):
    result = reference.passive_aggressive(
        rows, signs, variant=variant, C=C, start=[*start, F(0)] if start else (), zero=zero, max_iter=max_iter
    )
    return AggressiveRun.of(
        rows,
        signs,
        u,
        result.updates,
        result.steps,
        mistakes=result.mistakes,
        variant=variant,
        C=C,
        start=start,
    )


# They hold -----------------------------------------------------------------------------------------


@st.composite
def runs(draw, variant):
    """Runs on rational data, most of them such that the hypotheses hold."""
    rows, signs, direction = draw(separated(draw(st.sampled_from(["sphere", "any"]))))
    rows, signs = rows[:4], signs[:4]
    stretched = draw(st.sampled_from([F(1), F(1), F(3, 2), F(1, 2)]))
    u = [stretched * a for a in one(rows, signs, direction)]
    start = [F(draw(st.integers(-2, 2))) for _ in u] if draw(st.integers(0, 4)) == 0 else ()
    turned = variant if draw(st.integers(0, 5)) else (variant + 1) % 3
    return learn(rows, signs, u, variant=turned, C=draw(SOME_C), start=start, zero=draw(st.sampled_from([-1, 0, 1])))


@pytest.mark.parametrize("variant", BY_VARIANT, ids=NAMES.get)
def test_it_holds_on_runs_of_the_formulas_and_its_hypotheses_do_often(variant):
    with applied_often() as tally:

        @settings(max_examples=60)
        @given(runs(variant))
        def each(run):
            tally.check(BY_VARIANT[variant], run)

        each()


@pytest.mark.parametrize("variant", BY_VARIANT, ids=NAMES.get)
def test_every_update_takes_off_the_distance_what_the_proof_says(variant):
    """||w - u||^2 falls by l^2/||x||^2, C l or more, and l^2/(||x||^2 + 1/(2C)), where u has no loss."""

    @settings(max_examples=40)
    @given(separated("any"), SOME_C)
    def each(data, C):
        rows, signs, direction = data
        u = one(rows, signs, direction)
        run = learn(rows[:4], signs[:4], u, variant=variant, C=C)
        if theory.PASSIVE.hypotheses[0].holds(run):
            w = [F(0)] * len(u)
            for i, step, loss in zip(run.updates, run.steps, run.losses, strict=True):
                moved = [a + step * signs[i] * x for a, x in zip(w, rows[i], strict=True)]
                fallen = sum((a - c) ** 2 - (b - c) ** 2 for a, b, c in zip(w, moved, u, strict=True))
                assert fallen >= loss * min(loss / constant(variant, sqnorm(rows[i]), C), C if variant == 1 else loss)
                w = moved

    each()


# They are tight ------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 2, 5])
@pytest.mark.parametrize("R", [F(1), F(3), F(1, 4)])
@pytest.mark.parametrize("variant", BY_VARIANT, ids=NAMES.get)
def test_orthogonal_examples_meet_the_bound(variant, R, n):
    """Rows R e_i: each is met with loss 1, and c sum y e_i / R has loss 1 - c on all of them."""
    C = 1 / R**2 if variant == 1 else F(2, 3)
    c = F(1) if variant < 2 else 2 * C * R**2 / (1 + 2 * C * R**2)  # the best for what PA-II is charged
    rows = [[R if i == j else F(0) for j in range(n)] for i in range(n)]
    signs = [1 if i % 2 else -1 for i in range(n)]
    theorem = BY_VARIANT[variant]

    def run(scale, mistakes):
        u = [scale * c * y / R for y in signs]
        found = learn(rows, signs, u, variant=variant, C=C, max_iter=1)
        assert found.mistakes == n
        return AggressiveRun(**{**vars_of(found), "mistakes": mistakes})

    assert confirmed(theorem, run(F(1), n))
    assert not theorem.check(run(F(1), n + 1)).conclusion
    if variant == 0:
        assert not theorem.check(run(1 - F(1, 2**30), n)).conclusion, "a shorter u would promise too little"
    if variant < 2:
        assert theorem.bound(*((R**2, R**2 / n) if variant == 0 else (R**2, R**2 / n, C))) == n


def vars_of(run):
    return {name: getattr(run, name) for name in AggressiveRun.__dataclass_fields__}


def test_the_losses_are_counted_and_not_the_mistakes_alone():
    """Two examples of length 1 at an angle: the second is no mistake, and its loss takes what is left of the bound."""
    # w = x_1 after the first; y<w,x_2> = 3/5, loss 2/5; u = (1, 1/2) has <u,x_1> = 1 and <u,x_2> = 3/5 + 2/5 = 1.
    rows, signs, u = [[F(1), F(0)], [F(3, 5), F(4, 5)]], [1, 1], [F(1), F(1, 2)]
    for variant in (0, 2):
        run = learn(rows, signs, u, variant=variant, C=F(10**9), max_iter=1)
        assert run.mistakes == 1
        assert confirmed(BY_VARIANT[variant], run)
        spent = sum(loss**2 for loss in run.losses)
        assert F(115, 100) < spent <= sqnorm(u) == F(5, 4)
        shorter = AggressiveRun(**{**vars_of(run), "comparator": [F(1), F(0)]})
        assert BY_VARIANT[variant].check(shorter).conclusion == (variant == 2), "PA-II is charged for the loss of u"


@pytest.mark.parametrize(
    ("theorem", "arguments", "expected"),
    [
        (theory.PASSIVE, (9, F(4, 3)), 6),
        (theory.PASSIVE_1, (9, 2, 1), 4),
        (theory.PASSIVE_1, (9, 2, F(1, 13)), 6),
        (theory.PASSIVE_2, (9, 2, F(1, 4)), 5),
        (theory.PASSIVE_2, (9, 2, F(1, 5)), 5),
        (theory.PASSIVE_2, (9, 2, F(1, 6)), 6),
    ],
)
def test_the_bounds_by_hand(theorem, arguments, expected):
    assert theorem.bound(*arguments) == expected
    with pytest.raises(ValueError, match="positive margin"):
        theorem.bound(arguments[0], 0, *arguments[2:])


def test_the_bound_from_a_start_and_with_rounding_by_hand():
    assert most_mistakes(0, F(1), F(4), F(1, 2), F(0), 0) == 16
    assert most_mistakes(0, F(1), F(4), F(1, 2), F(3), 0) == 100
    assert most_mistakes(1, F(1, 8), F(4), F(1, 2), F(0), 0) == 32
    assert most_mistakes(2, F(1, 8), F(4), F(1, 2), F(0), 0) == 32
    assert most_mistakes(0, F(1), F(2**22), F(1), F(0), 1) == 2**22 + 1, "(1 + 2^-22) alone"
    assert most_mistakes(0, F(1), F(2**22 - 1), F(1), F(0), 1) == 2**22 - 1
    assert most_mistakes(0, F(1), F(2**28), F(1), F(0), 2**42) == (2**28 + 2**22) * (1 + F(1, 2**22)) // 1
    assert most_mistakes(0, F(1), F(1), F(1), F(0), 2**42 + 1) is None
    assert most_mistakes(0, F(1), F(2) ** 800, F(1), F(0), 1) is not None
    assert most_mistakes(0, F(1), F(2) ** 801, F(1), F(0), 1) is None


# Their hypotheses are needed -----------------------------------------------------------------------

LINE = {"rows": [[F(1)]], "signs": [1], "comparator": [F(1)], "updates": [], "steps": [], "mistakes": 0}
BOTH = {"rows": [[F(1)], [F(1)]], "signs": [1, -1], "comparator": [F(1)]}
AWAY = {"updates": [0], "steps": [F(6)], "mistakes": 1, "start": [F(-5)]}
STILL = {"updates": [0] * 3, "steps": [F(0)] * 3, "mistakes": 3}


@pytest.mark.parametrize(
    ("variant", "changes", "without"),
    [
        (0, BOTH | {"updates": [0, 1, 0], "steps": [F(1), F(2), F(2)], "mistakes": 3}, "y<u,x> >= 1"),
        (0, {"comparator": [F(2, 3)], "updates": [0], "steps": [F(1)], "mistakes": 1}, "y<u,x> >= 1"),
        (0, AWAY, "starts at 0"),
        (1, AWAY | {"updates": [0] * 6, "steps": [F(1)] * 6, "mistakes": 6}, "starts at 0"),
        (2, AWAY | {"steps": [F(4)], "C": F(1)}, "starts at 0"),
        *((variant, STILL, "by tau y x") for variant in BY_VARIANT),
        *((variant, {"mistakes": 5}, "every mistake") for variant in BY_VARIANT),
        (1, {"C": F(-1), "updates": [0] * 3, "steps": [F(-1)] * 3, "mistakes": 3}, "C > 0"),
        (2, {"C": F(-1), "updates": [0], "steps": [F(2)], "mistakes": 1}, "C > 0"),
    ],
)
def test_a_hypothesis_is_needed(variant, changes, without):
    finding = BY_VARIANT[variant].check(AggressiveRun(**(LINE | {"variant": variant} | changes)))
    assert [without in text for text in finding.unmet] == [True], finding.unmet
    assert not finding.conclusion


def test_the_step_of_another_variant_is_another_step():
    run = learn([[F(1)]], [1], [F(1)], variant=1, C=F(1, 2))
    assert confirmed(theory.PASSIVE_1, run)
    for theorem in (theory.PASSIVE, theory.PASSIVE_2):
        assert len(theorem.check(run).unmet) == 1


def test_an_update_without_a_loss_is_none():
    run = AggressiveRun.of([[1]], [1], [1], updates=[0, 0], steps=[1, 0], mistakes=1)
    assert len(theory.PASSIVE.check(run).unmet) == 1


@pytest.mark.parametrize("variant", [1, 2])
def test_c_of_zero_is_told_and_not_divided_by(variant):
    finding = BY_VARIANT[variant].check(AggressiveRun(**(LINE | {"variant": variant, "C": F(0)})))
    assert finding.unmet == ("C > 0",)


def test_a_row_of_zeros_takes_no_step_in_the_record_either():
    for variant in (0, 1):
        run = AggressiveRun.of([[0], [1]], [1, 1], [1], updates=[0], steps=[0], mistakes=1, variant=variant)
        assert run.due(F(1), run.rows[0]) == 0


# Weights that are rounded --------------------------------------------------------------------------


def weights(model, width):
    held = model.weights([*range(width), None])
    return [F(held[name]) for name in [*range(width), None]]


def follow(model, X, y, passes):
    """What the learner's own weights cost: the losses of its updates, exactly, and its mistakes."""
    begun = hasattr(model, "classes_")
    updates, mistakes = (model.updates_, model.mistakes_) if begun else (0, 0)
    first, losses = mistakes, []
    for _ in range(passes):
        for x, sign in zip(X, y, strict=True):
            before = weights(model, len(x)) if begun else [F(0)] * (len(x) + 1)
            model.learn_one(x, int(sign))
            begun = True
            row = [F(v) for v in model._row_of(x).values()]
            product = int(sign) * inner(before, [*row, F(0)][: len(before)])
            wrong = product <= 0
            assert model.mistakes_ - mistakes == wrong
            if model.updates_ > updates:
                losses.append(1 - product)
                assert losses[-1] > 0
            else:
                assert product > 1 - F(1, 2**39)
            updates, mistakes = model.updates_, model.mistakes_
    return losses, mistakes - first


def allowed(model, rows, u, start, updates):
    """K V^2 (1 + 2^-48 M)(1 + 2^-22), with V rounded down."""
    variant = {name: number for number, name in NAMES.items()}[model.variant]
    V = root(sqnorm(u))[0] + root(sqnorm(start))[0]
    K = constant(variant, max(sqnorm(row) for row in rows), F(model.C))
    return K * V**2 * (1 + F(updates, 2**48)) * (1 + F(1, 2**22))


def hard_data(rng, kind):
    """Rows and labels with an exact separator through the origin that is nearly the best one."""
    n, d = int(rng.integers(2, 7)), 6
    if kind == "orthogonal":  # but for rounding
        X = np.linalg.qr(rng.standard_normal((d, d)))[0][:n] * 10.0 ** rng.integers(-2, 3)
        return X, np.array([1, -1, *rng.choice([-1, 1], n - 2)])
    X = rng.standard_normal((n, d))
    if kind == "lengths":
        X *= 10.0 ** rng.integers(-6, 7, (n, 1))
    if kind == "near one":  # the second copy has loss near 0, or near 1 where it is turned by nearly a right angle
        X[1:] = X[0] * (1 + 2.0 ** -rng.integers(20, 52, (n - 1, 1))) + 2.0**-30 * X[1:]
        return X, np.ones(n, dtype=int)
    if kind == "near zero":
        X = np.eye(d)[:n] + 2.0**-45 * X
    y = np.where(X @ rng.standard_normal(d) > 0, 1, -1)
    return X, y


def separator(rows, signs):
    """The y x made orthogonal and led to 1: sum of a_i y_i x_i with y<u,x> = 1 on all rows, exactly (Cramer)."""
    n = len(rows)
    gram = [[signs[i] * signs[j] * inner(rows[i], rows[j]) for j in range(n)] + [F(1)] for i in range(n)]
    for k in range(n):  # Gauss-Jordan; the Gram matrix of independent rows is positive definite
        gram[k] = [a / gram[k][k] for a in gram[k]]
        for i in range(n):
            if i != k:
                gram[i] = [a - gram[i][k] * b for a, b in zip(gram[i], gram[k], strict=True)]
    share = [row[-1] for row in gram]
    return [sum(share[i] * signs[i] * rows[i][j] for i in range(n)) for j in range(len(rows[0]))]


@pytest.mark.parametrize("scale", ["none", "sphere"])
@pytest.mark.parametrize("kind", ["orthogonal", "lengths", "near one", "near zero", "any"])
@pytest.mark.parametrize("variant", BY_VARIANT, ids=NAMES.get)
def test_the_rounded_weights_of_the_learner_keep_its_bound(variant, kind, scale):
    rng = np.random.default_rng([variant, len(kind), len(scale)])
    nearly = 0
    for trial in range(12):
        X, y = hard_data(rng, kind)
        model = PassiveAggressive(
            variant=NAMES[variant], C=float(rng.choice([0.01, 1.0, 1000.0])), fit_intercept=False, scale=scale
        )
        start = [F(0)]
        if trial % 4 == 3:
            model.fit(rng.standard_normal((4, 6)), [1, -1, 1, -1])
            start = weights(model, 6)
            model.set_params(warm_start=True)
        losses, mistakes = follow(model, X, y, passes=4)
        rows = [[F(v) for v in model._row_of(x).values()][:6] for x in X]
        u = separator(rows, y.tolist())
        assert all(s * inner(u, row) == 1 for row, s in zip(rows, y.tolist(), strict=True))
        most = allowed(model, rows, u, start, len(losses))
        spent = sum(loss**2 for loss in losses)
        assert mistakes <= most
        assert variant == 1 or spent <= most
        if trial % 4 < 3:
            gamma = root(1 / sqnorm(u))[0]
            assert model.mistakes_ <= model.bound(gamma)
            nearly += spent > most * (1 - F(1, 2**21))
    if kind == "orthogonal" and variant == 0:
        assert nearly == 9, "here the bound is met but for what it allows for rounding"


def test_the_upper_end_of_the_margin_is_true_of_rounded_steps():
    """||w||/sum tau is at least the best margin; on nearly orthogonal rows they are the same but for rounding."""
    rng = np.random.default_rng(1)
    for variant in NAMES.values():
        for _ in range(30):
            X, y = hard_data(rng, "orthogonal")
            model = PassiveAggressive(variant=variant, fit_intercept=False, max_iter=1, C=0.5)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                model.fit(np.vstack([X, X[:1]]), [*y, y[0]])
            rows = [[F(v) for v in row] for row in X.tolist()]
            assert F(model.margin_[1]) ** 2 >= 1 / sqnorm(separator(rows, y.tolist()))


@pytest.mark.parametrize("variant", ["PA-I", "PA-II"])
def test_steps_that_underflow_prove_nothing(variant):
    model = PassiveAggressive(variant=variant, C=5e-324, fit_intercept=False, max_iter=3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit([[0.1], [-0.1]], [1, -1])
    assert not model.coef_.any()
    assert model.margin_[1] >= 0.1, "which is the margin of w* = 1"
    assert "misclassify 2 of 2 rows" in model.stop_reason_


def test_the_sum_of_the_steps_may_leave_the_floats():
    model = PassiveAggressive(variant="PA", fit_intercept=False).fit(np.eye(6) * 2.0**-511, [1, -1] * 3)
    assert model.updates_ == 6, "each of length 2^1022"
    assert model.margin_[0] > 0
    assert model.margin_[1] == np.inf
    assert model.bound(2.0**-513) >= 6


# The game ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scale", ["none", "sphere"])
@pytest.mark.parametrize("variant", BY_VARIANT, ids=NAMES.get)
def test_a_game_is_checked_against_the_proof_of_its_own_rule(variant, scale):
    rng = np.random.default_rng(variant)
    X = rng.standard_normal((40, 3))
    y = np.where(X @ [1.0, 2.0, -1.0] > 0, 1, -1)
    model = PassiveAggressive(variant=NAMES[variant], C=0.5, scale=scale, fit_intercept=False)
    run = play(model, zip(X, y.tolist(), strict=True), witness=[1, 2, -1])
    assert run.failures == ()
    assert run.inequalities_held
    assert run.exact is False
    gamma = F(run.margin)
    assert run.bound == most_mistakes(variant, F(1, 2), run.radius_sq, gamma, F(0), run.updates) >= run.mistakes
    assert "the inequalities of the proof held at every update, up to the rounding of w" in str(run)
    more = play(model, zip(X, y.tolist(), strict=True), witness=[1, 2, -1])
    assert more.inequalities_held
    assert more.bound >= run.bound, "from where it stood"


def test_a_learner_with_other_steps_than_its_rule_is_found_out():
    class Hasty(PassiveAggressive):
        def learn_one(self, x, y):
            super().learn_one(x, y)
            self._learner.w *= 1.5
            return self

    run = play(Hasty(variant="PA", fit_intercept=False), [([1.0], 1), ([2.0], 1), ([-3.0], -1)], witness=[1])
    assert run.inequalities_held is False
    assert "in round 0 w did not become w + step yx with the step of its rule" in run.failures


def test_weights_that_leave_the_separator_behind_are_found_out():
    """The step is that of the rule, and the rule goes three times as far as PA."""

    class Far(rules.PassiveAggressive):
        def step(self, product, sqnorm, weight):
            return 3 * (1 - product) / sqnorm

    class Shown:
        _rule_in_use, scale, n_features_in_, threshold_ = Far(0, 0), "none", 1, 1.0
        updates_ = mistakes_ = 0
        w = 0.0

        def sign_one(self, x):
            return 1 if self.w * x[0] > 0 else 0

        def _sign_of(self, y):
            return y

        def _row_of(self, x):
            return {0: x[0], None: 0.0}

        def weights(self, names=None):
            held = {0: self.w, None: 0.0}
            return {name: held[name] for name in names} if names is not None else {k: v for k, v in held.items() if v}

        def learn_one(self, x, y):
            self.mistakes_ += y * self.w * x[0] <= 0
            if y * self.w * x[0] < 1:
                self.updates_ += 1
                self.w += self._rule_in_use.step(y * self.w * x[0], x[0] ** 2, 1.0) * y * x[0]

    run = play(Shown(), [([1.0], 1)], witness=[1])
    assert run.failures == ("in round 0 w went away from w*/gamma",)
