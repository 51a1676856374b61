"""The Rates tab: the runs against recursions written out here, and what is said about them."""

from __future__ import annotations

import math
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from novikoff.descent.rates import problem
from novikoff.lab import rates
from novikoff.lab.rates import Descend, Path

ALL: list[Any] = ["GD", "2GD", "SGD", "2SGD"]


def by_method(request: Descend) -> dict[str, Path]:
    return {path.method: path for path in rates.descend(request).paths}


def matrices(request: Descend) -> tuple[Any, Any, Any]:
    F = problem(rates.ROWS, request.d, request.condition, np.random.RandomState(request.seed)).F
    A = next(F.dense())[0][:, :-1]
    return A, F.y, np.linalg.lstsq(A, F.y, rcond=None)[0]


@pytest.mark.parametrize("step", [0.5, 1.0, 1.9])
def test_gradient_descent_is_the_recursion(step: float) -> None:
    request = Descend(["GD"], condition=30.0, d=4, step=step, seed=3)
    path = by_method(request)["GD"]
    A, y, best = matrices(request)
    alpha = step / (2 * np.linalg.eigvalsh(A.T @ A)[-1])
    whole = float(np.sum((A @ best) ** 2))
    w, expected = np.zeros(4), {}
    for t in range(1, max(path.iterations) + 1):
        w = w - alpha * 2 * A.T @ (A @ w - y)
        expected[t] = float(np.sum((A @ (w - best)) ** 2)) / whole
    for t, accuracy in zip(path.iterations, path.accuracy, strict=True):
        if accuracy > 1e-10:
            assert accuracy == pytest.approx(expected[t], rel=1e-4)
    for target, reached in zip(rates.TARGETS, path.reached, strict=True):
        assert reached == next((t for t, e in expected.items() if e <= target), None)


def test_newton_needs_one_step_and_a_shorter_one_shrinks_the_error_by_its_square() -> None:
    path = by_method(Descend(["2GD"]))["2GD"]
    assert path.iterations == [1]
    assert path.accuracy[0] <= 1e-14
    assert path.reached == [1, 1]
    path = by_method(Descend(["2GD"], step=0.5))["2GD"]
    for t, accuracy in zip(path.iterations, path.accuracy, strict=True):
        if accuracy > 1e-13:
            assert accuracy == pytest.approx(0.25**t, rel=1e-3)


def test_the_stochastic_methods_fall_as_one_over_t() -> None:
    paths = by_method(Descend(["SGD", "2SGD"], d=4))
    for method in ("SGD", "2SGD"):
        t, e = np.array(paths[method].iterations), np.array(paths[method].accuracy)
        late = t >= 500
        slope = np.polyfit(np.log(t[late]), np.log(e[late]), 1)[0]
        assert -1.4 < slope < -0.6
        assert paths[method].rows == 1
        assert t[-1] == rates.STEPS


@pytest.mark.parametrize("step", [0.5, 1.0])
def test_sgd_is_the_recursion_averaged_over_runs(step: float) -> None:
    """alpha_t = step/(2 R^2 (1 + m t/(2 R^2))), m the least eigenvalue of A'A/n."""
    request = Descend(["SGD"], condition=10.0, d=3, step=step, seed=2)
    path = by_method(request)["SGD"]
    A, y, best = matrices(request)
    steepest = float(np.max(np.sum(A**2, axis=1)))
    least = float(np.linalg.eigvalsh(A.T @ A)[0]) / len(A)
    whole = float(np.sum((A @ best) ** 2))
    marks = path.iterations[:40]
    runs = []
    for run in range(rates.RUNS):
        rng, w, done = np.random.RandomState(request.seed + run), np.zeros(3), 0
        found = []
        for stop in marks:
            for i in rng.randint(len(A), size=stop - done):
                w = w - step / (2 * steepest + least * done) * 2 * (A[i] @ w - y[i]) * A[i]
                done += 1
            found.append(float(np.sum((A @ (w - best)) ** 2)) / whole)
        runs.append(found)
    assert path.accuracy[:40] == pytest.approx(np.mean(runs, axis=0).tolist(), rel=1e-6)


def test_conditioning_slows_gradient_descent_and_not_newton() -> None:
    easy, hard = (by_method(Descend(["GD", "2SGD", "2GD"], condition=k)) for k in (5.0, 100.0))
    assert easy["GD"].reached[0] is not None
    assert hard["GD"].reached[0] is not None
    assert hard["GD"].reached[0] > 5 * easy["GD"].reached[0]
    assert hard["2GD"].reached == easy["2GD"].reached == [1, 1]
    assert hard["2SGD"].accuracy[-1] < 5 * easy["2SGD"].accuracy[-1]


def test_a_step_above_two_diverges_and_it_is_said() -> None:
    answer = rates.descend(Descend(["GD", "2GD"], step=2.1))
    for path in answer.paths:
        assert path.diverged
        assert max(path.accuracy) > 1
    assert [text for text in answer.seen if "Take a shorter one" in text] == answer.seen
    assert all(entry.measured is None or "diverged" in entry.measured for entry in answer.table)
    assert not any(path.diverged for path in rates.descend(Descend(["GD", "2GD"], step=1.9)).paths)


def test_the_words_are_those_of_the_numbers() -> None:
    answer = rates.descend(Descend(ALL))
    reads = {path.name: path.reached[0] * path.rows for path in answer.paths if path.reached[0] is not None}
    least, most = min(reads, key=lambda name: reads[name]), max(reads, key=lambda name: reads[name])
    assert f"To accuracy 0.01, {least} reads {reads[least]:,} rows, {most} {reads[most]:,}." in answer.seen[0]
    missed = [path.name for path in answer.paths if path.reached[1] is None]
    assert missed == ["Stochastic gradient", "Stochastic Newton"]
    assert answer.seen[1].endswith("Not reached by Stochastic gradient and Stochastic Newton.")
    entry = answer.table[0]
    assert entry.measured is not None
    assert entry.measured.startswith("an iteration multiplies ε by 0.90")
    assert entry.measured.endswith(f"theory: {(1 - 1 / 20) ** 2:.4g} in the end")


def test_same_seed_same_answer_and_methods_do_not_disturb_each_other() -> None:
    together, alone = rates.descend(Descend(ALL, seed=5)), rates.descend(Descend(["SGD"], seed=5))
    assert together == rates.descend(Descend(ALL, seed=5))
    assert alone.paths[0] == together.paths[2]
    assert alone.paths[0] != rates.descend(Descend(["SGD"], seed=6)).paths[0]
    assert [entry.measured is None for entry in alone.table] == [True, True, False, True]


@pytest.mark.parametrize(
    ("value", "text"),
    [(1.0, "1"), (0.02, "0.02"), (1e-6, "10⁻⁶"), (9.7e-7, "10⁻⁶"), (4.2e-10, "4·10⁻¹⁰"), (0.0, "0"), (1e-2, "0.01")],
)
def test_accuracies_as_a_person_writes_them(value: float, text: str) -> None:
    assert rates._power(value) == text


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.sampled_from(ALL), min_size=1, max_size=4),
    st.floats(1, 300),
    st.integers(2, 16),
    st.floats(0.05, 4),
    st.integers(0, 9999),
)
def test_every_request_is_answered_with_finite_numbers(
    methods: list[Any], condition: float, d: int, step: float, seed: int
) -> None:
    request = Descend(methods, condition, d, step, seed)
    msgspec.json.decode(msgspec.json.encode(request), type=Descend)
    answer = rates.descend(request)
    assert [path.method for path in answer.paths] == [method for method in ALL if method in methods]
    for path in answer.paths:
        assert len(path.iterations) == len(path.accuracy)
        assert all(map(math.isfinite, path.accuracy))
        assert all(e > 0 for e in path.accuracy)
        assert path.iterations == sorted(set(path.iterations))
        assert path.ending
