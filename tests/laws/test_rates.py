"""The table of costs: what is counted is right, and so is what is fitted. Times are measured, not tested."""

from __future__ import annotations

import itertools
import json
import math

import numpy as np
import pytest
from typer.testing import CliRunner

from novikoff import rates
from novikoff.cli import app
from novikoff.descent.rates import (
    Entry,
    Rates,
    accuracies,
    descent,
    fitted,
    logarithmic,
    needed,
    newton_on_logistic,
    problem,
    schedule,
)


@pytest.mark.parametrize("condition", [1.0, 7.0, 1000.0])
def test_problems_have_the_minimum_and_the_condition_that_they_say(condition):
    made = problem(60, 5, condition, np.random.RandomState(0))
    A, y = made.F.rows.X, made.F.y
    assert np.linalg.lstsq(A, y, rcond=None)[0] == pytest.approx(made.best[:-1], rel=1e-9)
    eigenvalues = np.linalg.eigvalsh(2 * A.T @ A)
    assert eigenvalues[-1] / eigenvalues[0] == pytest.approx(condition, rel=1e-9)
    assert made.hessian[:-1, :-1] == pytest.approx(2 * A.T @ A, abs=1e-9)
    residual = y - A @ made.best[:-1]
    assert np.linalg.norm(residual) == pytest.approx(np.linalg.norm(A @ made.best[:-1]))
    w = np.random.RandomState(1).standard_normal(6)
    w[-1] = 0.0

    def F(v):
        return float(np.sum((A @ v[:-1] - y) ** 2))

    assert made.excess(w) == pytest.approx((F(w) - F(made.best)) / (F(0 * w) - F(made.best)))


def test_gradient_descent_keeps_its_promise():
    made = problem(200, 6, 50.0, np.random.RandomState(0))
    history = descent(made, 1e-10)
    assert history[0] == 1.0
    assert history[-1] <= 1e-10 < history[-2]
    assert all(b <= (1 - 1 / 50.0) ** 2 * a * (1 + 1e-9) for a, b in itertools.pairwise(history))
    assert needed(history, 1e-10) == len(history) - 1
    assert needed([1.0, 0.3, 0.1, 0.01], 0.1) == 2


def test_iterations_grow_with_the_logarithm_and_with_the_condition():
    rng = np.random.RandomState(0)
    line = logarithmic(descent(problem(200, 6, 20.0, rng), 1e-26))
    assert line.slope == pytest.approx(1.0, abs=0.1)
    assert logarithmic([1 / k**4 for k in range(1, 10**6)], 1e-4, 1e-20).slope > 3  # sublinear is told apart
    counts = [needed(descent(problem(200, 6, k, rng), 1e-20), 1e-20) for k in (10.0, 100.0)]
    assert counts[1] / counts[0] == pytest.approx(10.0, rel=0.35)


def test_newton_doubles_the_digits():
    accuracies = newton_on_logistic(np.random.RandomState(0))
    close = [a for a in accuracies if 1e-16 < a < 1e-2]
    assert len(close) >= 3
    assert all(math.log(b) / math.log(a) > 1.5 for a, b in itertools.pairwise(close))
    assert len(accuracies) < 12


@pytest.mark.parametrize("method", ["SGD", "2SGD"])
def test_stochastic_methods_need_one_over_epsilon(method):
    made = problem(500, 4, 10.0, np.random.RandomState(0))
    checkpoints = [2**k for k in range(12, 19)]
    mean = np.mean([list(accuracies(made, schedule(made, method), checkpoints, seed)) for seed in range(40)], axis=0)
    line = fitted((-np.log(mean)).tolist(), np.log(checkpoints).tolist())
    assert line.slope == pytest.approx(1.0, abs=0.2)


def test_the_interval_is_students():
    x, y = [0.0, 1.0, 2.0, 3.0], [0.0, 1.1, 1.9, 3.2]
    line = fitted(x, y)
    # by hand: slope 5.2/5; residuals' squares 0.042; t(2, 97.5 %) = 4.3027
    assert line.slope == pytest.approx(1.04)
    assert line.high - line.slope == pytest.approx(4.30265 * math.sqrt(0.042 / 2 / 5), rel=1e-4)
    assert line.slope - line.low == pytest.approx(line.high - line.slope)


def entry(slope, spread, notes="n", expected="1"):
    curve = fitted([0.0, 1.0, 2.0, 3.0], [0.0, slope + spread, 2 * slope - spread, 3 * slope])
    return Entry("GD", "time per iteration ~ n^p: p", notes, expected, curve)


def test_the_verdict_is_honest():
    assert entry(1.0, 0.01).verdict == "as the notes say"
    assert entry(2.0, 0.01).verdict == "1 was expected"
    assert entry(1.0, 0.01)._replace(slip="n is missing").verdict == "n is missing"
    assert entry(2.0, 0.01, notes="-", expected="2").verdict == "2 in the full form"
    assert entry(1.0, 1.5).verdict.startswith("too noisy to tell")


def test_the_table_has_every_method_and_says_where_the_notes_are_short():
    found = rates(sizes=(100, 200, 400), seeds=1)
    assert {e.method for e in found.entries} == {"GD", "2GD", "SGD", "2SGD"}
    text = str(found)
    for line in ("time per iteration ~ n^p", "(1/epsilon)^p", "Bottou", "n log 1/e", "nd^2 + d^3"):
        assert line in text
    assert found.one_step < 1e-20


@pytest.fixture
def small(monkeypatch):
    made = Rates([entry(1.0, 0.01)], [1.0, 1e-2, 1e-4, 1e-8], 1e-29)
    monkeypatch.setattr("novikoff.descent.rates.rates", lambda seeds: made)


def test_the_command_prints_draws_and_speaks_json(small, tmp_path):
    picture = tmp_path / "rates.png"
    result = CliRunner().invoke(app, ["rates", "--plot", str(picture)])
    assert result.exit_code == 0
    assert "as the notes say" in result.stdout
    assert picture.read_bytes().startswith(b"\x89PNG")
    told = json.loads(CliRunner().invoke(app, ["rates", "--json"]).stdout)
    assert told["entries"][0]["verdict"] == "as the notes say"
    assert told["newton_on_logistic"][-1] == 1e-8


def test_a_place_that_cannot_be_written_is_an_error(small, tmp_path):
    result = CliRunner().invoke(app, ["rates", "--plot", str(tmp_path / "no" / "rates.png")])
    assert result.exit_code == 1
    assert "novikoff:" in result.stderr
