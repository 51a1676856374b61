"""The trace of a run is the run: its rows, turns and steps lead to the weights that were returned, bit for bit."""

from __future__ import annotations

import warnings
from collections import Counter
from functools import partial

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from novikoff import MarginPerceptron, PassiveAggressive, Perceptron
from novikoff.engine import trace as traces
from novikoff.engine.rows import BadRowError, Rows
from novikoff.learners.linear import LinearLearner
from tests import problems

LEARNERS = [Perceptron, MarginPerceptron, *(partial(PassiveAggressive, variant=v) for v in ("PA", "PA-I", "PA-II"))]
ORDERS = ["given", "first", "worst"]


def fitted(make, X, y, **options):
    model = make(max_iter=12, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        try:
            return model.fit(X, y)
        except ValueError:
            return None


@given(
    problems.any_data(),
    st.sampled_from(LEARNERS),
    st.sampled_from(ORDERS),
    st.sampled_from(["none", "ball", "sphere"]),
    st.booleans(),
    st.booleans(),
    st.booleans(),
)
def test_the_path_ends_in_the_weights_that_were_returned(data, make, order, scale, intercept, shuffle, sparse):
    X, y = data
    options = {"order": order, "scale": scale, "fit_intercept": intercept}
    options |= {"shuffle": shuffle and order == "given", "random_state": 3}
    data = sp.csr_array(X) if sparse else X
    model = fitted(make, data, y, **options)
    assume(model is not None)
    trace = model.trace(data, y)
    last = np.zeros(X.shape[1] + 1)
    seen = 0
    for block in trace.path():
        seen += len(block)
        last = block[-1]
    held = model.weights([*range(X.shape[1]), None])
    assert seen == len(trace) == model.updates_
    assert last.tolist() == list(held.values())
    assert len(trace.rows) == len(trace.turns) == len(trace.places) == len(trace.mistakes) == len(trace.steps)
    assert trace.mistakes.sum() <= model.mistakes_
    assert (trace.steps > 0).all()
    if order == "given":
        counts = Counter(trace.turns.tolist())
        assert [counts[turn] for turn in range(model.passes_)] == model.history_.tolist()
        assert (np.diff(trace.turns * len(X) + trace.places) > 0).all(), "a row has one turn in a pass"
        if not shuffle:
            assert np.array_equal(trace.places, trace.rows)
    else:
        assert trace.rows.tolist() == [row for row in model.history_.tolist() if row >= 0]
        assert trace.turns.tolist() == list(range(len(trace)))


def test_rows_turns_places_mistakes_and_steps_by_hand():
    """PA on the line: w = 1/2, then the loss of x = 1 is 1/2."""
    X, y = [[2.0], [1.0], [-4.0]], [1, 1, -1]
    trace = PassiveAggressive(variant="PA", fit_intercept=False, shuffle=False, max_iter=9).fit(X, y).trace(X, y)
    assert trace.rows.tolist() == [0, 1]
    assert trace.turns.tolist() == [0, 0]
    assert trace.places.tolist() == [0, 1]
    assert trace.mistakes.tolist() == [True, False]
    assert trace.steps.tolist() == [0.25, 0.5]
    assert np.concatenate(list(trace.path())).tolist() == [[0.5, 0.0], [1.0, 0.0]]


@pytest.mark.parametrize("make", LEARNERS)
def test_a_long_run_turns_its_pages(make, monkeypatch):
    monkeypatch.setattr(traces, "PAGE", 7)
    monkeypatch.setattr(traces, "BLOCK", 5)
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 4))
    y = np.where(X[:, 0] + 0.4 * rng.standard_normal(60) > 0, 1, -1)
    model = fitted(make, X, y)
    trace = model.trace(X, y)
    assert len(trace) == model.updates_ > 50
    path = np.concatenate(list(trace.path()))
    assert path.shape == (model.updates_, 5)
    assert np.array_equal(path[-1, :-1], model.last_coef_[0])


@given(problems.any_data(), st.sampled_from(LEARNERS), st.sampled_from(ORDERS), st.booleans())
def test_the_tally_counts_the_updates_of_each_row(data, make, order, shuffle):
    X, y = data
    model = fitted(make, X, y)
    assume(model is not None)
    rows = Rows(X, y.astype(np.int8), 1.0)
    learner = LinearLearner(model._learner.rule, X.shape[1], 1.0, unit=False)
    trace, tally = traces.Trace(rows), np.zeros(len(X), dtype=np.uint32)
    seed = 1 if shuffle and order == "given" else None
    try:
        learner.run(rows, order, 12, seed=seed, trace=trace, tally=tally)
    except BadRowError:  # in this order the weights reach where a step is no float
        assume(False)
    assert tally.tolist() == np.bincount(trace.rows, minlength=len(X)).tolist()
    assert tally.sum() == learner.updates


def test_a_run_that_cannot_be_repeated_is_refused():
    X, y = [[1.0], [-1.0]], [1, -1]
    model = PassiveAggressive().fit(X, y)
    with pytest.raises(ValueError, match="not the data it saw last"):
        model.trace([[3.0], [-1.0]], y)
    warm = PassiveAggressive(warm_start=True).fit([[1.0], [-9.0]], [1, -1]).fit(X, y)
    with pytest.raises(ValueError, match="started from other weights"):
        warm.trace(X, y)
    with pytest.raises(ValueError, match="random_state is an int"):
        PassiveAggressive(random_state=None).fit(X, y).trace(X, y)
