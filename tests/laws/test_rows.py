"""The rows of a problem: what is asked of them does not depend on who asked before, nor on their storage."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given
from hypothesis import strategies as st

from novikoff import MarginPerceptron, PassiveAggressive, Perceptron
from novikoff.certificates.dual import column_signs
from novikoff.engine import loops
from novikoff.engine.csr import CsrRows
from novikoff.engine.heads import Heads
from novikoff.engine.plane import Plane
from novikoff.engine.rows import BadRowError, Rows
from novikoff.learners.linear import LinearLearner
from novikoff.learners.margin_perceptron import MarginPerceptron as Rule
from tests import problems

W = np.array([1.0, -2.0, 0.5])


@pytest.fixture
def rows() -> Rows:
    X = np.array([[1.0, 2.0], [3.0, -4.0], [0.5, 0.25], [-1.0, 1.0]])
    return Rows(X, np.array([1, -1, 1, -1], dtype=np.int8), 1.0)


def learner() -> LinearLearner:
    return LinearLearner(Rule(auto=True), 2, 1.0, unit=False)


@pytest.mark.parametrize("order", ["given", "first", "worst"])
def test_a_second_learner_meets_the_rows_as_the_first_did(rows: Rows, order: str) -> None:
    first, second = learner(), learner()
    outcomes = [one.run(rows, order, 50) for one in (first, second)]
    assert np.array_equal(outcomes[0].history, outcomes[1].history)
    assert np.array_equal(first.w, second.w)
    assert first.radius == second.radius == rows.radius == np.sqrt(26.0)
    assert first.theta == second.theta == 26.0


@pytest.mark.parametrize("order", ["given", "first", "worst"])
def test_a_survey_before_a_run_changes_nothing(rows: Rows, order: str) -> None:
    fresh, surveyed = learner(), learner()
    untouched = Rows(rows.storage.X, rows.signs, 1.0)
    assert rows.radius == np.sqrt(26.0)
    a, b = fresh.run(untouched, order, 3), surveyed.run(rows, order, 3)
    assert np.array_equal(a.history, b.history)
    assert (fresh.theta, fresh.radius) == (surveyed.theta, surveyed.radius)


def test_after_a_run_the_rows_know_their_radius(rows: Rows) -> None:
    learner().run(rows, "given", 1)
    assert rows.radius == np.sqrt(26.0)
    assert np.allclose(rows.norms, [np.sqrt(6), np.sqrt(26), np.sqrt(1.3125), np.sqrt(3)])


@given(problems.any_data(), st.sampled_from([np.asarray, sp.csr_array]))
def test_the_hardest_row_is_the_first_of_the_smallest_products(data, storage):
    X, y = data
    rows = Rows(storage(X), y.astype(np.int8), 1.0)
    w = np.arange(X.shape[1] + 1) - 1.5
    exact = [
        int(sign) * sum((Fraction(a) * Fraction(b) for a, b in zip([*x, 1.0], w, strict=True)), Fraction(0))
        for x, sign in zip(X.tolist(), y, strict=True)
    ]
    assert rows.hardest(w) == exact.index(min(exact))
    assert rows.product(rows.hardest(w), w) == min(exact)


@given(
    problems.any_data(),
    st.sampled_from([np.asarray, sp.csr_array]),
    st.booleans(),
    st.sampled_from([-1, 0, 1]),
    st.data(),
)
def test_errors_are_counted_exactly(data, storage, unit, zero, draw):
    X, y = data
    # Rows of the data as weights: on grids and near ties many products are 0, or nearly.
    w = np.append(X[draw.draw(st.integers(0, len(X) - 1))], draw.draw(st.sampled_from([0.0, 1.0, -0.5])))
    rows = Rows(storage(X), y.astype(np.int8), 1.0, unit=unit)
    try:
        rows.survey()
    except BadRowError:
        assume(False)
    sides = y * np.sign(rows.scores(w))
    assert rows.examine(Plane(w), zero)[1] == np.sum((sides < 0) | ((sides == 0) & (y != zero)))


@pytest.mark.parametrize("storage", [np.asarray, sp.csr_array])
def test_which_way_columns_point(storage) -> None:
    """A column of zeros, stored or not, points no way; y turns the others round."""
    X = storage(np.array([[1.0, -1.0, 7.0, 2.0], [3.0, 4.0, 0.0, 0.0]]))
    if sp.issparse(X):
        X.data[X.data == 7.0] = 0.0  # stays stored
    else:
        X[0, 2] = 0.0
    y = np.array([1, -1], dtype=np.int8)
    above, below = np.zeros(5, dtype=bool), np.zeros(5, dtype=bool)
    column_signs(Rows(X, y, 0.0).storage, y, above, below)
    assert above.tolist() == [True, False, False, True, False]
    assert below.tolist() == [True, True, False, False, False]


def test_a_margin_of_zero_has_no_sign() -> None:
    """<w,x> = 0 on the row that is closest: the margin is 0, and is not written -0."""
    rows = Rows(np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([1, 1], dtype=np.int8), 0.0)
    one = learner()
    one.w[:] = [1.0, 0.0, 0.0]
    assert one.examine(rows) == (False, 1)
    assert str(one.lower) == "0.0"


def test_the_first_row_that_will_not_do_is_named() -> None:
    X = np.array([[1.0], [np.inf], [np.nan]])
    with pytest.raises(BadRowError) as bad:
        Rows(X, np.ones(3, dtype=np.int8), 0.0).survey()
    assert bad.value.row == 1


@pytest.mark.parametrize("size", [2.0**-100, 1.0, 2.0**100])
@pytest.mark.parametrize("unit", [False, True])
@pytest.mark.parametrize("storage", [np.asarray, sp.csr_array])
def test_how_far_floats_are_off_is_bounded_at_any_size(storage, unit, size) -> None:
    rng = np.random.default_rng(4)
    X = rng.standard_normal((50, 8))
    X[:, 4:] = -X[:, :4] * (1 + 2.0**-40)  # products cancel
    w = np.tile(rng.standard_normal(4), 2)
    rows = Rows(storage(X * size), rng.choice([-1, 1], 50).astype(np.int8), 0.0, unit=unit)
    weights = Plane(np.append(w, 0.0))
    state = LinearLearner(Rule(), 8, 0.0, unit=False).state
    state[0].norm = loops.norm_above(weights)
    off = []
    for i in range(50):
        p, error = loops._estimate(rows._measured(), rows.signs, i, weights, state[0])
        exact = rows.product(i, weights.w)
        assert abs(Fraction(p) - exact) <= Fraction(error) <= Fraction(2.0**-40 * (1 if unit else size))
        off.append(abs(Fraction(p) - exact))
    assert any(off)


@pytest.mark.parametrize("storage", [np.asarray, sp.csr_array])
def test_a_row_that_nobody_can_rank_is_named(storage) -> None:
    rows = Rows(storage([[1.0, 2.0], [np.nan, 1.0], [np.inf, 1.0]]), np.ones(3, dtype=np.int8), 1.0)
    with pytest.raises(BadRowError) as bad:
        rows.rankings(Heads(np.ones((3, 3)), np.empty(3)))
    assert bad.value.row == 1


def test_a_matrix_of_more_columns_than_an_index_names_is_refused() -> None:
    X = sp.csr_array((1, 2**31 + 1))
    with pytest.raises(ValueError, match="X has 2,147,483,649 columns, and 2,147,483,648 are the most"):
        CsrRows.over(X, np.full(1, np.nan), 0.0, False)


def test_what_a_theorem_bounds_is_said_by_the_rule() -> None:
    X, y = [[1.0], [2.0], [-1.0], [-3.0]], [1, 1, -1, -1]
    of = [model.fit(X, y).certify(X, y).of for model in (Perceptron(), MarginPerceptron(), PassiveAggressive())]
    assert of == ["updates", "updates", "mistakes"]
    rules = [
        model.fit(X, y)._rule_in_use for model in (Perceptron(), MarginPerceptron(), PassiveAggressive(variant="PA"))
    ]
    assert [rule.formula() for rule in rules] == ["R²/γ²", "(R² + 2θ)/γ²", "R²/γ²"]
