"""Decision 1: the same values give the same bits, however they are stored and fed."""

from __future__ import annotations

import warnings
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from novikoff import MarginPerceptron, PassiveAggressive, Perceptron
from novikoff.engine.order import Order
from tests import problems, reference

# With tol=0 a run ends only when nothing is left to update, as those of the others do.
AGGRESSIVE = [
    partial(PassiveAggressive, variant=name, C=C, tol=0.0) for name, C in (("PA", 1), ("PA-I", 0.3), ("PA-II", 2))
]
LEARNERS = st.sampled_from([Perceptron, MarginPerceptron, *AGGRESSIVE])
# What is kept for an average does not depend on the rule.
RETURNED = st.sampled_from(
    [*((learner, "last") for learner in (Perceptron, MarginPerceptron, *AGGRESSIVE)), (Perceptron, "average")]
)
# Each loop is compiled for each rule and each storage, which takes seconds. A rule sees of a row what the loop has read
# of it: the sign of its product with w, or the product and the norm. So the less common storages are tried with a rule
# of one kind or the other, or with those that ask for all of it.
AT_ZERO = st.sampled_from(["mistake", "positive", "negative"])
ORDER = st.sampled_from(["given", "first", "worst"])
SCALE = st.sampled_from(["none", "ball", "sphere"])
ZERO = {"mistake": 0, "positive": 1, "negative": -1}


def fit(model, X, y):
    """Fit, or the message of the error."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        try:
            return model.fit(X, y)
        except ValueError as error:
            return str(error)


def bits(model):
    if isinstance(model, str):
        return model
    return (
        model.coef_.tobytes(),
        model.intercept_.tobytes(),
        model.mistakes_,
        model.updates_,
        model.history_.tolist(),
        model.radius_,
        model.margin_,
        model.stop_reason_,
    )


def unsorted_csr(X, rng):
    """The same matrix with the entries of every row in random order, some zeros stored."""
    A = sp.csr_array(X)
    data, indices, indptr = [], [], [0]
    for row in X:
        order = rng.permutation(len(row))
        order = [j for j in order if row[j] != 0 or rng.random() < 0.5]
        data.extend(row[order])
        indices.extend(order)
        indptr.append(len(data))
    B = sp.csr_array((np.array(data, dtype=X.dtype), short(indices), short(indptr)), shape=X.shape)
    assert (A != B).nnz == 0
    return B


def doubled_csr(X):
    """The same matrix, if halving is exact: every entry is stored as two halves."""
    n, d = X.shape
    columns = np.tile(np.repeat(np.arange(d), 2), n)
    return sp.csr_array((X.ravel().repeat(2) / 2, short(columns), short(np.arange(n + 1) * 2 * d)), shape=X.shape)


def short(indices):
    """Indices of 32 bits, which SciPy keeps if all are."""
    return np.array(indices, dtype=np.int32)


@given(problems.any_data(), LEARNERS, AT_ZERO, ORDER, SCALE, st.booleans(), st.integers(0, 9))
def test_storage_does_not_matter(data, learner, at_zero, order, scale, intercept, seed):
    X, y = data
    make = partial(learner, at_zero=at_zero, order=order, scale=scale, fit_intercept=intercept, max_iter=15)
    expected = bits(fit(make(), X, y))
    rng = np.random.default_rng(seed)
    halves = doubled_csr(X)
    before = halves.data.copy()
    variants = [
        sp.csr_array(X),
        sp.csr_matrix(X),
        sp.csc_array(X),
        unsorted_csr(X, rng),
        np.asfortranarray(X),
        X.repeat(2, axis=0)[::2],
    ]
    if np.array_equal(halves.toarray(), X):  # halving is exact unless it underflows
        variants.append(halves)
    if learner in AGGRESSIVE:
        wide = sp.csr_array(X)
        wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
        variants.append(wide)
    for variant in variants:
        assert bits(fit(make(), variant, y)) == expected
    assert np.array_equal(halves.data, before), "duplicates are summed on a copy"


@pytest.mark.parametrize(
    ("learners", "make"),
    [
        pytest.param([Perceptron], np.asarray, id="product-dense", marks=pytest.mark.compiles),
        pytest.param(AGGRESSIVE, sp.csr_array, id="norm-csr", marks=pytest.mark.long),
        pytest.param([Perceptron], sp.csr_array, id="product-csr", marks=pytest.mark.long),
        pytest.param(AGGRESSIVE, np.asarray, id="norm-dense", marks=pytest.mark.long),
    ],
)
@given(problems.grids(), st.data(), ORDER, SCALE)
def test_float32_of_the_same_values(learners, make, data, draw, order, scale):
    X, y = data
    learner = draw.draw(st.sampled_from(learners))
    expected = bits(fit(learner(order=order, scale=scale, max_iter=15), X, y))
    single = make(X.astype(np.float32))
    assert bits(fit(learner(order=order, scale=scale, max_iter=15), single, y)) == expected


@given(problems.grids(), AT_ZERO, ORDER, st.sampled_from([None, "auto", 0.0, 1.0]), st.sampled_from([0.0, 0.5, 1.0]))
def test_the_reference_in_rationals_agrees(data, at_zero, order, threshold, constant):
    X, y = data
    options = {
        "at_zero": at_zero,
        "order": order,
        "shuffle": False,
        "max_iter": 20,
        "fit_intercept": constant > 0,
        "intercept_scaling": constant or 1.0,
    }
    model = Perceptron(**options) if threshold is None else MarginPerceptron(threshold=threshold, **options)
    assume(threshold != "auto" or X.any(axis=1).all() or constant > 0)
    expected = reference.perceptron(
        X, y, constant=constant, zero=ZERO[at_zero], order=order, max_iter=20, threshold=threshold
    )
    fit(model, X, y)
    assert [*model.last_coef_[0]] == expected.w[:-1]
    assert model.last_intercept_[0] == expected.w[-1] * Fraction(constant)
    assert (model.mistakes_, model.updates_) == (expected.mistakes, expected.updates)
    assert model.history_.tolist() == expected.history


@given(
    st.one_of(problems.grids(), problems.near_ties()),
    st.sampled_from([("PA", 0), ("PA-I", 1), ("PA-II", 2)]),
    st.sampled_from([0.01, 0.3, 1.0, 1e6]),
    AT_ZERO,
    ORDER,
    st.sampled_from([None, 0.0, 0.01, 0.5]),
    st.sampled_from([0.0, 0.5, 1.0]),
)
def test_every_step_is_the_formula_of_a_product_and_a_norm_that_are_correctly_rounded(
    data, variant, C, at_zero, order, tol, constant
):
    X, y = data
    name, number = variant
    model = PassiveAggressive(
        variant=name,
        C=C,
        tol=tol,
        at_zero=at_zero,
        order=order,
        shuffle=False,
        fit_intercept=constant > 0,
        intercept_scaling=constant or 1.0,
        max_iter=6,
    )
    expected = reference.passive_aggressive(
        X.tolist(),
        y.tolist(),
        variant=number,
        C=C,
        tol=tol,
        zero=ZERO[at_zero],
        order=order,
        constant=constant,
        max_iter=6,
        rounded=True,
    )
    for storage in (X, sp.csr_array(X)):
        fit(model, storage, y)
        assert list(model.weights([*range(X.shape[1]), None]).values()) == expected.w
        assert (model.mistakes_, model.updates_) == (expected.mistakes, len(expected.updates))
        assert model.history_.tolist() == expected.history
    trace = model.trace(X, y)
    assert trace.rows.tolist() == expected.updates
    assert trace.steps.tolist() == expected.steps


@given(problems.near_ties(), AT_ZERO, ORDER, st.sampled_from([None, 0.0]), st.sampled_from([0.0, 1.0]))
def test_decisions_are_exact_where_the_weights_round(data, at_zero, order, threshold, constant):
    X, y = data
    options = {"at_zero": at_zero, "order": order, "shuffle": False, "max_iter": 6, "fit_intercept": constant > 0}
    model = Perceptron(**options) if threshold is None else MarginPerceptron(threshold=threshold, **options)
    expected = reference.perceptron(
        X, y, constant=constant, zero=ZERO[at_zero], order=order, max_iter=6, threshold=threshold, rounded=True
    )
    for variant in (X, sp.csr_array(X)):
        fit(model, variant, y)
        assert [*model.last_coef_[0], *model.last_intercept_] == [*expected.w[:-1], expected.w[-1] * Fraction(constant)]
        assert (model.mistakes_, model.updates_) == (expected.mistakes, expected.updates)
        assert model.history_.tolist() == expected.history


@given(problems.any_data(), RETURNED, AT_ZERO, SCALE, st.integers(1, 3), st.data())
def test_any_split_into_batches(data, returned, at_zero, scale, passes, draw):
    X, y = data
    learner, hypothesis = returned
    options = {"at_zero": at_zero, "scale": scale, "hypothesis": hypothesis}
    whole = fit(learner(max_iter=passes, shuffle=False, **options), X, y)
    assume(not isinstance(whole, str))
    batched, online, sparse = (learner(**options) for _ in range(3))
    for _ in range(whole.passes_):
        cuts = sorted(draw.draw(st.lists(st.integers(1, len(X) - 1), max_size=3, unique=True)))
        for part in np.split(np.arange(len(X)), cuts):
            batched.partial_fit(X[part], y[part], classes=[-1, 1])
        for x, label in zip(X, y, strict=True):
            online.learn_one(x, label)
            sparse.learn_one(sp.csr_array(x[None]), bool(label > 0))
    for other in (batched, online, sparse):
        assert other.coef_.tobytes() == whole.coef_.tobytes()
        assert other.intercept_.tobytes() == whole.intercept_.tobytes()
        assert (other.mistakes_, other.updates_, other.radius_) == (whole.mistakes_, whole.updates_, whole.radius_)
        assert other.margin_[1] == whole.margin_[1]
        assert other.margin_[0] == -np.inf


@given(problems.grids(), LEARNERS, st.permutations(range(5)))
def test_dicts_agree_by_name(data, learner, shuffled):
    X, y = data
    whole = fit(learner(max_iter=1, shuffle=False, hypothesis="last"), X, y)
    online = learner()
    for x, label in zip(X, y, strict=True):
        online.learn_one({f"x{j}": x[j] for j in shuffled if j < len(x)}, label)
    named = online.weights([f"x{j}" for j in range(X.shape[1])] + [None])
    assert list(named.values()) == [*whole.coef_[0], *whole.intercept_]
    assert (online.mistakes_, online.updates_) == (whole.mistakes_, whole.updates_)


@given(problems.any_data(), SCALE, st.booleans())
def test_decision_function_has_the_exact_sign(data, scale, intercept):
    X, y = data
    model = fit(Perceptron(scale=scale, fit_intercept=intercept, max_iter=3), X, y)
    assume(not isinstance(model, str))
    scores = model.decision_function(X)
    assert np.array_equal(scores > 0, model.decision_function(sp.csr_array(X)) > 0)
    w = [Fraction(v) for v in [*model.coef_[0], *model.intercept_]]
    for x, score in zip(X, scores, strict=True):
        row = model._row_of(x)
        truth = sum(w[j] * Fraction(row[j]) for j in range(len(x))) + w[-1] * Fraction(row[None])
        assert np.sign(score) == (truth > 0) - (truth < 0)
        assert model.sign_one(x) == np.sign(score)


@given(problems.grids(rows=(4, 30)), st.integers(0, 5))
def test_the_same_seed_gives_the_same_bits(data, seed):
    X, y = data
    first, again = (bits(fit(Perceptron(shuffle=True, random_state=seed, max_iter=9), X, y)) for _ in range(2))
    assert first == again
    assert bits(fit(Perceptron(shuffle=True, random_state=seed, max_iter=9), sp.csr_array(X), y)) == first


@given(problems.grids(rows=(4, 30)), st.integers(0, 5))
def test_every_pass_has_an_order_of_its_own(data, seed):
    """So that the passes, laid one after the other, are one pass over a longer list."""
    X, y = data
    model = fit(Perceptron(shuffle=True, random_state=seed, max_iter=9, hypothesis="last"), X, y)
    order = np.concatenate([Order(len(X), seed).ahead(turn, 0)[0][: len(X)] for turn in range(model.passes_)])
    one = fit(Perceptron(shuffle=False, max_iter=1, hypothesis="last"), X[order], y[order])
    assert (one.mistakes_, one.coef_.tobytes()) == (model.mistakes_, model.coef_.tobytes())


@given(problems.any_data())
def test_the_ball_changes_what_is_reported_and_nothing_else(data):
    X, y = data
    plain, ball = fit(Perceptron(max_iter=9), X, y), fit(Perceptron(scale="ball", max_iter=9), X, y)
    assume(not isinstance(plain, str))
    assert bits(ball)[:5] == bits(plain)[:5]
    assert ball.radius_ == 1.0
    for scaled, raw in zip(ball.margin_, plain.margin_, strict=True):
        assert scaled == pytest.approx(raw / plain.radius_, rel=1e-12)
