"""The transcript that the page draws: it is the run that `fit` makes, and its numbers keep the proof's inequalities."""

from __future__ import annotations

import contextlib
import io
import itertools
import math
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

import novikoff as nk
from novikoff.lab.experiment import LEARNERS, Experiment
from novikoff.lab.gallery import Everything, examples
from novikoff.lab.inequalities import check
from novikoff.lab.run import ENOUGH, run
from novikoff.lab.share import Text, code, read

EXAMPLES = {example.key: example.experiment for example in examples(Everything())}
SETTINGS = [
    dict(zip(("learner", "order", "at_zero", "intercept", "scale"), values, strict=True))
    for values in itertools.product(
        ("perceptron", "margin perceptron"),
        ("given", "first", "worst", "shuffled"),
        ("mistake", "positive", "negative"),
        (True, False),
        ("none", "ball", "sphere"),
    )
]


def estimator(experiment: Experiment, **options: Any) -> Any:
    kind = nk.Perceptron if experiment.learner == "perceptron" else nk.MarginPerceptron
    shuffled = experiment.order == "shuffled"
    return kind(
        at_zero=experiment.at_zero,
        order="given" if shuffled else experiment.order,
        fit_intercept=experiment.intercept,
        scale=experiment.scale,
        shuffle=shuffled,
        random_state=experiment.seed if shuffled else None,
        **options,
    )


@pytest.mark.parametrize("choice", SETTINGS, ids=lambda choice: " ".join(map(str, choice.values())))
def test_the_run_is_the_run_of_fit(choice: dict[str, Any]) -> None:
    # Few points, a margin that is small but not tiny: some ten to a hundred updates.
    problem = nk.problems.separable(14, 2, margin=0.15, random_state=5)
    experiment = Experiment(problem.X.tolist(), problem.y.tolist(), seed=3, **choice)
    shown = run(experiment)
    fitted = estimator(experiment).fit(problem.X, problem.y)
    assert shown.finished
    assert (shown.mistakes, len(shown.row)) == (fitted.mistakes_, fitted.updates_)
    radius = float(np.linalg.norm(np.column_stack([problem.X, np.full(14, float(experiment.intercept))]), axis=1).max())
    unit = radius if experiment.scale == "ball" else 1.0
    w = np.append(fitted.coef_[0], fitted.intercept_ if experiment.intercept else 0.0)
    np.testing.assert_allclose(np.array(shown.w[-1]) * unit, w, rtol=1e-12)
    if experiment.order in ("first", "worst"):
        assert shown.row == [row for row in fitted.history_.tolist() if row >= 0]
    else:
        assert (
            np.bincount(np.array(shown.turn) - 1, minlength=len(fitted.history_)).tolist() == fitted.history_.tolist()
        )
    assert shown.radius == pytest.approx(fitted.radius_)
    assert shown.bound is not None
    assert shown.witness is not None
    lower, upper = fitted.margin_
    assert lower * (1 - 1e-6) <= shown.witness.margin <= upper * (1 + 1e-12)


@pytest.mark.parametrize("scale", ["none", "ball", "sphere"])
@pytest.mark.parametrize("learner", ["perceptron", "margin perceptron"])
@pytest.mark.parametrize("intercept", [True, False])
def test_every_step_adds_its_row(learner: Any, scale: Any, intercept: bool) -> None:
    problem = nk.problems.separable(14, 2, margin=0.15, random_state=5)
    experiment = Experiment(problem.X.tolist(), problem.y.tolist(), learner=learner, scale=scale, intercept=intercept)
    shown = run(experiment)
    rows = np.column_stack([problem.X, np.full(14, float(intercept))])
    lengths = np.linalg.norm(rows, axis=1)
    rows /= {"none": 1.0, "ball": lengths.max(), "sphere": lengths[:, None]}[scale]
    added = (rows * problem.y[:, None])[shown.row]
    w = np.array(shown.w)
    np.testing.assert_allclose(np.diff(w, axis=0), added, atol=1e-12)
    np.testing.assert_allclose(shown.product, np.sum(w[:-1] * added, axis=1), atol=1e-12)
    radius_sq = np.sum(rows**2, axis=1).max()
    theta = radius_sq if learner == "margin perceptron" else 0.0
    assert shown.theta == pytest.approx(theta)
    assert max(shown.product) <= theta + 1e-12
    np.testing.assert_allclose(shown.curves.ceiling, (radius_sq + 2 * theta) * np.arange(len(w)), rtol=1e-9)
    np.testing.assert_allclose(shown.curves.roof, np.sqrt(shown.curves.ceiling))
    np.testing.assert_allclose(shown.curves.norm_sq, np.sum(w**2, axis=1), atol=1e-12)
    assert shown.witness is not None
    assert (rows * problem.y[:, None] @ shown.witness.w).min() == pytest.approx(shown.witness.margin, rel=1e-6)


@pytest.mark.parametrize("key", EXAMPLES)
def test_the_curves_keep_the_inequalities_of_the_proof(key: str) -> None:
    shown = run(EXAMPLES[key])
    curves = shown.curves
    slack = 1 + 1e-9
    assert curves.t == list(range(len(shown.row) + 1))
    assert len(shown.w) == len(curves.t) == len(shown.steps) + 1
    assert all(a <= b * slack for a, b in zip(curves.norm_sq, curves.ceiling, strict=True))
    assert all(product <= shown.theta + 1e-12 for product in shown.product)
    if shown.witness is None:
        assert shown.verdict == "not separable"
        assert (curves.floor, curves.inner, shown.bound) == (None, None, None)
        return
    assert curves.floor is not None
    assert curves.inner is not None
    chain = zip(curves.floor, curves.inner, curves.norm, curves.roof, strict=True)
    assert all(a <= b * slack and b <= c * slack and c <= d * slack for a, b, c, d in chain)
    # w really is the sum of the rows that it was updated with
    points = np.array(EXAMPLES[key].points)
    rows = np.column_stack([points, np.full(len(points), float(EXAMPLES[key].intercept))])
    signed = rows * np.array(EXAMPLES[key].labels)[:, None]
    np.testing.assert_allclose(shown.w[1:], np.cumsum(signed[shown.row], axis=0), atol=1e-9)
    assert len(shown.row) <= int(str(shown.bound).replace(",", ""))
    # and no update was left to make
    if shown.finished:
        assert (signed @ shown.w[-1]).min() > 0


def test_the_two_lines_cross_at_the_bound() -> None:
    curves = run(EXAMPLES["first"]).curves
    assert curves.far is not None
    below = [floor <= roof for floor, roof in zip(*curves.far[1:], strict=True)]
    assert below[1]
    assert not below[-1]
    crossing = curves.far[0][below.index(False)]
    assert crossing == pytest.approx(302, rel=0.02)


def test_the_witness_has_its_margin_and_its_band() -> None:
    experiment = EXAMPLES["first"]
    shown = run(experiment)
    assert shown.witness is not None
    w = np.array(shown.witness.w)
    assert np.linalg.norm(w) == pytest.approx(1)
    products = np.column_stack([experiment.points, np.ones(14)]) @ w * np.array(experiment.labels)
    assert products.min() == pytest.approx(shown.witness.margin, rel=1e-6)
    assert sorted(np.flatnonzero(products < products.min() * 1.001)) == sorted(shown.witness.support)


@pytest.mark.parametrize("scale", ["none", "sphere"])
@pytest.mark.parametrize("key", ["xor", "one-wrong", "virginica"])
def test_the_hulls_meet_at_the_point(key: str, scale: Any) -> None:
    experiment = msgspec.structs.replace(EXAMPLES[key], scale=scale)
    obstacle = run(experiment).obstacle
    assert obstacle is not None
    assert obstacle.point is not None
    for sign in (1, -1):
        mine = [i for i, row in enumerate(obstacle.rows) if experiment.labels[row] == sign]
        weights = np.array(obstacle.weights)[mine]
        assert weights.min() > 0
        assert weights.sum() == pytest.approx(1)
        mean = weights @ np.array(experiment.points)[[obstacle.rows[i] for i in mine]]
        np.testing.assert_allclose(mean, obstacle.point, atol=1e-12)


def test_without_a_constant_the_combination_is_zero() -> None:
    experiment = msgspec.structs.replace(EXAMPLES["line"], intercept=False)
    obstacle = run(experiment).obstacle
    assert obstacle is not None
    assert obstacle.point is None
    rows = np.array(experiment.points)[obstacle.rows] * np.array(experiment.labels)[obstacle.rows][:, None]
    np.testing.assert_allclose(np.array(obstacle.weights) @ rows, 0, atol=1e-12)


def test_the_doubling_sequence_costs_what_its_theorem_says() -> None:
    for d in (2, 3):
        problem = nk.problems.doubling(d)
        shown = run(Experiment(problem.X.tolist(), problem.y.tolist(), intercept=False))
        assert len(shown.row) == (4**d - 1) // 3


def test_a_sentence_has_the_numbers_of_its_step() -> None:
    shown = run(Experiment([[1.0, 0.0], [0.0, 2.0], [-1.0, 0.5]], [1, -1, -1], intercept=False))
    first, second = shown.steps[:2]
    assert first.title == "Update 1 (round 1, pass 1): point 1, label\u00a0+"
    assert first.why == "y⟨w,x⟩ = 0: a mistake, so w ← w + x."
    assert "= 0 + 0 + 1 = 1 ≤ ‖w‖² + R² = 0 + 4" in first.ceiling
    assert second.why == "y⟨w,x⟩ = 0: a mistake, so w ← w − x."
    assert "= 1 + 0 + 4 = 5 ≤ ‖w‖² + R² = 1 + 4" in second.ceiling
    assert second.squeeze is not None
    assert second.squeeze.startswith("γt ≤ ⟨w,w*⟩ ≤ ‖w‖ ≤ R√t: ")


def test_the_margin_perceptron_speaks_of_theta() -> None:
    shown = run(msgspec.structs.replace(EXAMPLES["first"], learner="margin perceptron"))
    assert any("≤ θ" in step.why and "right, but too close" in step.why for step in shown.steps)
    assert all("R² + 2θ" in step.ceiling for step in shown.steps)
    assert shown.mistakes < len(shown.row)


def test_what_cannot_be_separated_is_cut_short_and_said_so() -> None:
    shown = run(EXAMPLES["xor"])
    assert 60 <= len(shown.row) < 64
    assert not shown.finished
    assert "for ever" in shown.summary
    assert "for ever" not in run(msgspec.structs.replace(EXAMPLES["xor"], at_zero="positive")).summary


def test_no_run_is_longer_than_two_thousand() -> None:
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (500, 2))
    y = np.where(X[:, 0] > 1e-4 * X[:, 1], 1, -1)
    X[:, 0] += 1e-3 * y
    shown = run(Experiment(X.tolist(), y.tolist(), learner="margin perceptron", order="given"))
    assert shown.verdict == "separable"
    assert len(shown.row) <= ENOUGH + 500
    assert not shown.finished
    assert "the page stops here" in shown.summary


@pytest.mark.parametrize("key", ["first", "tiny", "doubling", "random", "line"])
@pytest.mark.parametrize("learner", ["perceptron", "margin perceptron"])
@pytest.mark.parametrize("order", ["given", "worst"])
def test_the_exact_check_follows_every_update(key: str, learner: Any, order: Any) -> None:
    experiment = msgspec.structs.replace(EXAMPLES[key], learner=learner, order=order)
    answer = check(experiment)
    assert answer.held is True
    updates = len(run(experiment).row)
    assert f"({min(updates, 250)})" in answer.text


def test_nothing_to_check_without_a_separator() -> None:
    assert check(EXAMPLES["xor"]).held is None


@pytest.mark.parametrize(
    "experiment",
    [
        *(EXAMPLES.values()),
        msgspec.structs.replace(EXAMPLES["first"], learner="margin perceptron", order="shuffled", seed=7),
        msgspec.structs.replace(EXAMPLES["xor"], order="shuffled", seed=1, at_zero="negative"),
        msgspec.structs.replace(EXAMPLES["first"], scale="sphere", order="first", intercept=False),
        msgspec.structs.replace(EXAMPLES["tiny"], scale="ball", order="worst"),
    ],
)
def test_the_exported_program_repeats_the_run(experiment: Experiment) -> None:
    shown = run(experiment)
    out = io.StringIO()
    names: dict[str, Any] = {}
    with (
        pytest.warns(ConvergenceWarning) if not shown.finished else contextlib.nullcontext(),
        contextlib.redirect_stdout(out),
    ):
        # the program silences the warning for its user; here it is to be seen
        exec(code(experiment).python.replace("warnings.simplefilter('ignore')", "pass"), names)
    assert (names["clf"].mistakes_, names["clf"].updates_) == (shown.mistakes, len(shown.row))
    assert out.getvalue().startswith(f"{shown.mistakes} {len(shown.row)}\n")
    assert shown.verdict.capitalize() in out.getvalue()


@pytest.mark.parametrize("key", EXAMPLES)
def test_csv_goes_out_and_comes_back(key: str) -> None:
    experiment = EXAMPLES[key]
    back = read(Text(code(experiment).csv))
    assert (back.points, back.labels) == (experiment.points, experiment.labels)


def test_csv_with_words_and_other_separators() -> None:
    given = read(Text("x;y;kind\n1;2;cat\n\n-1;0.5;dog\r\n"))
    assert (given.points, given.labels) == ([[1.0, 2.0], [-1.0, 0.5]], [-1, 1])
    assert (given.positive, given.negative) == ("dog", "cat")
    assert read(Text("1,+\n2,-\n3,0")).labels == [1, -1, -1]
    assert read(Text("1\t2\t3\tTrue\n1\t2\t3\tfalse")).labels == [1, -1]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no points"),
        ("a,b,c", "no points"),
        ("1,2,+\n1,x,-", "line 2, column 2: 'x' is not a number"),
        ("1,2,+\n1,-", "line 2: 2 columns, but 3 before it"),
        ("1,2,3,4,+", "line 1: 5 columns"),
        ("1", "line 1: 1 columns"),
        ("1,nan,+", "line 1, column 2: nan is not between"),
        ("1,1e7,+", "line 1, column 2: 1e7 is not between"),
        ("1,a\n2,b\n3,c", "holds 3 labels"),
        ("1,+\n" * 501, "501 points are too many"),
        ('1,"2', "not CSV"),
    ],
)
def test_bad_csv_is_refused_with_the_place(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message.replace("(", r"\(")):
        read(Text(text))


@pytest.mark.parametrize(
    ("points", "labels", "message"),
    [
        ([[0.0], [1.0]], [1], "2 points but 1 labels"),
        ([[0.0], [1.0, 2.0]], [1, -1], "1 to 2 coordinates"),
        ([[0.0], [1.0]], [1, 1], "every point has the label +"),
        ([[0.0], [1e-10]], [1, -1], "point 2 has the coordinate 1e-10: make it 0"),
    ],
)
def test_bad_points_are_refused(points: list[list[float]], labels: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message.replace("+", r"\+")):
        run(Experiment(points, labels))


def test_a_zero_row_on_the_sphere_is_named() -> None:
    with pytest.raises(ValueError, match="row 1 is all zeros"):
        run(Experiment([[1.0], [0.0]], [1, -1], intercept=False, scale="sphere"))


values = st.one_of(
    st.integers(-3, 3).map(float),
    st.floats(-1e6, 1e6).filter(lambda v: abs(v) >= 1e-9),
    st.sampled_from([0.0, -0.0, 1e-9, 1e6, 1 + 2**-52]),
)


@settings(max_examples=30, deadline=None)
@given(st.data())
def test_every_run_is_finite_and_keeps_its_bound(data: st.DataObject) -> None:
    n, d = data.draw(st.integers(2, 7)), data.draw(st.integers(1, 3))
    points = data.draw(st.lists(st.lists(values, min_size=d, max_size=d), min_size=n, max_size=n))
    labels = [1, -1, *data.draw(st.lists(st.sampled_from([-1, 1]), min_size=n - 2, max_size=n - 2))]
    experiment = Experiment(points, labels, seed=data.draw(st.integers(0, 9)), **data.draw(st.sampled_from(SETTINGS)))
    if experiment.scale == "sphere" and not experiment.intercept:
        assume(all(map(any, points)))  # zeros have no direction
    shown = run(experiment)
    decoded = msgspec.json.decode(msgspec.json.encode(shown))
    assert all(math.isfinite(v) for curve in ("norm_sq", "ceiling", "norm", "roof") for v in decoded["curves"][curve])
    assert all(math.isfinite(v) for w in decoded["w"] for v in w)
    if shown.bound is not None:
        assert len(shown.row) <= int(shown.bound.replace(",", ""))


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("scale", ["none", "ball", "sphere"])
def test_the_curves_of_every_learner_stay_between_floor_and_ceiling(learner, scale):
    """Steps of other lengths, too: s adds s gamma at least, and s^2 R^2 + 2 s theta at most."""
    points = [[2.0, 1.0], [0.3, -0.2], [-1.0, 2.0], [-0.1, -0.2], [3.0, 2.5]]
    shown = run(Experiment(points, [1, 1, -1, -1, 1], learner=learner, scale=scale))
    curves = shown.curves
    assert len(shown.steps) == len(shown.row) == len(curves.t) - 1 > 0
    for floor, inner, norm, roof in zip(curves.floor, curves.inner, curves.norm, curves.roof, strict=True):
        assert floor <= inner * (1 + 1e-9) + 1e-12
        assert inner <= norm * (1 + 1e-9) + 1e-12
        assert norm <= roof * (1 + 1e-9) + 1e-12
    measured = [step for step in shown.steps if "with τ = " in step.why]
    assert bool(measured) == (learner == "passive aggressive")
    assert (curves.far is None) == bool(measured)
