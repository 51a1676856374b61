"""The loops can be left and entered anywhere, interrupted, and run without a compiler."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from novikoff import MarginPerceptron, PassiveAggressive, Perceptron
from novikoff.engine.rows import BadRowError, Rows
from novikoff.estimators import linear as estimators
from novikoff.learners import linear
from novikoff.learners.margin_perceptron import MarginPerceptron as MarginRule
from novikoff.learners.passive_aggressive import PassiveAggressive as PassiveRule
from novikoff.learners.perceptron import Perceptron as PerceptronRule
from novikoff.problems import doubling, separable
from tests import problems


def paced(size: int) -> type[Rows]:
    """Rows of which a loop may take so many at a time."""
    return type("Paced", (Rows,), {"pace": size})


RULES = [
    PerceptronRule(),
    MarginRule(auto=True),
    *(PassiveRule(variant=variant, C=0.3, tol=tol) for variant, tol in ((0, -1.0), (1, 0.01), (2, 0.0))),
]


@given(problems.any_data(), st.sampled_from(RULES), st.sampled_from(["given", "first", "worst"]), st.integers(1, 30))
def test_the_budget_of_a_call_changes_nothing(data, rule, order, budget):
    X, y = data
    runs = []
    for size in (budget, 10**9):
        learner = linear.LinearLearner(rule, X.shape[1], 1.0, unit=False)
        rows = paced(size)(X, y.astype(np.int8), 1.0)
        try:
            outcome = learner.run(rows, order, 12)
        except BadRowError as error:
            runs.append((error.code, error.row))
            continue
        found = learner.examine(rows)
        ends = learner.lower, learner.upper
        runs.append((learner.w.tobytes(), outcome.history.tolist(), outcome.finished, found, ends))
    assert runs[0] == runs[1]


def test_ctrl_c_leaves_a_usable_model(monkeypatch):
    problem = doubling(30)  # (4^30 - 1)/3 mistakes

    class Impatient(estimators.Passes):
        def __call__(self, passes, found):
            raise KeyboardInterrupt

    monkeypatch.setattr(estimators, "Passes", Impatient)
    model = Perceptron(fit_intercept=False, max_iter=10**9, verbose=1).fit(problem.X, problem.y)
    assert model.stop_reason_.startswith("interrupted after")
    assert model.passes_ == len(model.history_) > 0
    assert model.mistakes_ > 0
    assert model.margin_[0] == -np.inf
    assert model.margin_[1] < np.inf
    assert set(model.predict(problem.X)) <= {-1, 1}


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT for one process")
def test_ctrl_c_from_outside_is_heard_inside_a_compiled_loop():
    code = """
import signal
from novikoff import Perceptron
signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job starts with it ignored
model = Perceptron(max_iter=10**12, verbose=1)
model.fit([[1.0, 2.0], [1.0, 2.0], [0.5, 1.0]], [0, 1, 1])
print(model.stop_reason_)
"""
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert child.stderr.readline().startswith("Perceptron: pass")
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=120)
    assert child.returncode == 0, err
    assert out.startswith("interrupted after")


def test_verbose_writes_plain_lines_when_there_is_no_terminal(capsys):
    problem = separable(50, 3, margin=0.05, random_state=0)
    Perceptron(verbose=1).fit(problem.X, problem.y)
    Perceptron(order="worst", verbose=1).fit(problem.X, problem.y)
    lines = capsys.readouterr().err.splitlines()
    assert any(line.startswith("Perceptron: pass") for line in lines)
    assert any("found row" in line for line in lines)


RUN = """
import json, warnings
import numpy as np, scipy.sparse as sp
from novikoff import MarginPerceptron, PassiveAggressive, Perceptron
warnings.simplefilter("ignore")
rng = np.random.default_rng(7)
X = rng.integers(-3, 4, (25, 4)) * 10.0 ** rng.integers(-2, 3, 4)
y = np.where(X[:, 0] + rng.integers(-1, 2, 25) > 0, 1, -1)
found = {}
for number, model in enumerate((
    Perceptron(max_iter=5),
    Perceptron(order="worst", max_iter=5),
    MarginPerceptron(scale="sphere", order="first", max_iter=5),
    PassiveAggressive(variant="PA", max_iter=5),
    PassiveAggressive(variant="PA-II", C=0.3, order="worst", scale="sphere", max_iter=5),
    PassiveAggressive(C=0.1, tol=0.01, max_iter=5),
)):
    large = 1e150 if isinstance(model, PassiveAggressive) else 1e160  # where ||x||^2 is still a float, or no longer
    for storage, data in {"dense": X, "csr": sp.csr_array(X), "large": X * large}.items():
        model.fit(data, y)
        signs = np.sign(model.decision_function(data)).tolist()
        found[f"{number} {storage}"] = [model.coef_.tobytes().hex(), model.mistakes_, model.history_.tolist(), signs]
model = PassiveAggressive(C=0.1)
for x, label in zip(X, y):
    model.learn_one(x, label)
found["one by one"] = [model.coef_.tobytes().hex(), model.predict_one(X[1]), model.predict(X).tolist()]
print(json.dumps(found))
"""


def run(**environment):
    done = subprocess.run(
        [sys.executable, "-c", RUN],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def compiled():
    return run()


def test_plain_python_takes_the_same_decisions(compiled):
    assert run(NUMBA_DISABLE_JIT="1") == compiled


@pytest.mark.long
def test_another_processor_takes_the_same_decisions(compiled):
    # The generic target has no vector units beyond the base set and no fused multiply-add.
    assert run(NUMBA_CPU_NAME="generic") == compiled


@pytest.mark.parametrize(
    "learner",
    [Perceptron, *(pytest.param(kind, marks=pytest.mark.long) for kind in (MarginPerceptron, PassiveAggressive))],
)
def test_fit_allocates_in_proportion_to_rows_and_columns(learner):
    import tracemalloc

    problem = separable(20_000, 50, margin=0.3, random_state=0)
    S = sp.csr_array(problem.X)
    n, d = problem.X.shape
    for data in (problem.X, problem.X.astype(np.float32), S):
        learner().fit(data, problem.y)  # whatever is made once
        tracemalloc.start()
        learner().fit(data, problem.y)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < 8 * (12 * (n + d)) + 1_500_000 < problem.X.nbytes / 2
