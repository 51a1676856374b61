"""The artists carry the numbers of the run, recomputed here from the rows."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from matplotlib.figure import Figure

from novikoff import (
    Halving,
    MarginPerceptron,
    MaxMarginClassifier,
    Perceptron,
    certify,
    concepts,
    data,
    play,
    problems,
    worst_case,
)
from novikoff.descent.rates import Entry, Rates, fitted
from novikoff.display import (
    CertificateDisplay,
    GeometryDisplay,
    MarginDisplay,
    MistakeCurveDisplay,
    ProofDisplay,
    RatesDisplay,
)

PENCIL = np.array([[2.0, 1.0], [3.0, 0.0], [0.0, 2.0], [-1.0, 1.0]]), np.array([1, 1, -1, -1])
XOR = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), np.array([0, 1, 1, 0])


def problem(n=200, d=4):
    return problems.separable(n, d, margin=0.1, random_state=3)


def updates_of(rows, signs, passes, theta=0.0):
    """The Perceptron as in the notes: w after each update, and where it happened."""
    w, path, at, now = np.zeros(rows.shape[1]), [], [], 0
    for _ in range(passes):
        for x, y in zip(rows, signs, strict=True):
            if y * (w @ x) <= theta:
                w = w + y * x
                path.append(w)
                at.append(now)
            now += 1
    return np.array(path), at


# Mistakes ------------------------------------------------------------------------------------------


def test_the_curve_of_a_game_steps_up_at_every_mistake():
    p = problem()
    run = play(Perceptron(fit_intercept=False), p.stream(), p.witness)
    shown = MistakeCurveDisplay.from_transcript(run, ax=Figure())
    at = updates_of(p.X, p.y, 1)[1]
    x, y = shown.line_.get_data()
    assert shown.line_.get_drawstyle() == "steps-post"
    for rounds in range(run.rounds + 1):
        assert y[np.searchsorted(x, rounds, side="right") - 1] == sum(a < rounds for a in at)
    assert shown.bound_line_.get_ydata()[0] == run.bound == math.floor(p.radius_sq / p.margin_sq)
    assert r"R^2/\gamma^2" in shown.bound_line_.get_label()
    assert str(run.bound) in shown.bound_line_.get_label()
    assert shown.update_line_ is None
    assert shown.ax_.get_title() == f"{len(at)} mistakes; the theorem allows {run.bound}"


def test_a_margin_learner_has_a_curve_of_updates_besides():
    p = problem()
    run = play(MarginPerceptron(threshold=0.5, fit_intercept=False), p.stream(), p.witness)
    shown = MistakeCurveDisplay.from_transcript(run, ax=Figure())
    at = updates_of(p.X, p.y, 1, theta=0.5)[1]
    assert run.update_rounds == at
    assert shown.update_line_.get_ydata()[-1] == len(at) == run.updates
    assert shown.line_.get_ydata()[-1] == run.mistakes < run.updates
    assert r"2\theta" in shown.bound_line_.get_label()


def test_learners_of_concepts_have_curves_too():
    C = concepts.monotone_conjunctions(d=5)
    shown = MistakeCurveDisplay.from_transcript(play(Halving(C), worst_case(Halving(C))), ax=Figure())
    assert shown.line_.get_ydata().tolist() == [0, 1, 2, 3, 4, 5, 5]
    assert shown.ax_.get_title() == "5 mistakes; the theorem allows 5"


@pytest.mark.parametrize("order", ["given", "first", "worst"])
def test_passes_add_up(order):
    clf = Perceptron(order=order).fit(*PENCIL)
    shown = MistakeCurveDisplay.from_estimator(clf, ax=Figure())
    assert shown.line_.get_ydata().tolist() == {"given": [0, 2, 2]}.get(order, [0, 1, 2, 2])
    lower = clf.margin_[0]
    assert shown.bound == clf.bound(lower)
    assert MistakeCurveDisplay.from_estimator(clf, gamma=Fraction(1), ax=Figure()).bound == 10
    assert shown.ax_.get_xlabel().startswith("passes" if order == "given" else "searches")


# The proof -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("theta", [0.0, 0.5])
def test_the_proof_of_a_game(theta):
    p = problem()
    learner = MarginPerceptron(threshold=theta, fit_intercept=False) if theta else Perceptron(fit_intercept=False)
    shown = ProofDisplay.from_transcript(play(learner, p.stream(), p.witness), ax=Figure())
    path = updates_of(p.X, p.y, 1, theta)[0]
    star = p.witness / np.linalg.norm(p.witness)
    lengths = np.linalg.norm(path, axis=1)
    for line, expected in (
        (shown.norm_line_, lengths**2),
        (shown.inner_line_, path @ star),
        (shown.cosine_line_, path @ star / lengths),
    ):
        assert line.get_xdata().tolist() == list(range(1, len(path) + 1))
        assert line.get_ydata() == pytest.approx(expected, rel=1e-12)
    end = float((p.radius_sq + 2 * Fraction(theta)) / p.margin_sq)
    assert shown.crossing_ == end
    # floor^2 and ceiling meet there, and the cosine's floor reaches 1
    t, ceiling = shown.ceiling_.get_data()
    floor_sq = shown.floor_sq_.get_ydata()
    assert np.array_equal((floor_sq < ceiling)[t > 0], (t < end)[t > 0])
    assert np.interp(end, t, ceiling) == pytest.approx(np.interp(end, t, floor_sq), rel=1e-3)
    assert shown.floor_.get_ydata() ** 2 == pytest.approx(floor_sq)
    assert shown.cosine_floor_.get_ydata()[-1] == pytest.approx(1.0, abs=0.01)
    assert np.all(np.interp(np.arange(1, len(path) + 1), t, ceiling) >= shown.norm_line_.get_ydata() - 1e-9)
    assert str(math.floor(end)) in shown.axes_[2].get_title()


@pytest.mark.parametrize("scale", ["none", "ball", "sphere"])
@pytest.mark.parametrize(
    "learner",
    [
        Perceptron(),
        Perceptron(shuffle=True, random_state=5),
        Perceptron(order="first"),
        Perceptron(order="worst", fit_intercept=False),
        MarginPerceptron(intercept_scaling=0.5),
    ],
    ids=["given", "shuffle", "first", "worst", "margin"],
)
@pytest.mark.parametrize("storage", [np.asarray, sp.csr_array])
def test_a_fit_is_repeated_update_by_update(learner, scale, storage):
    p = problem(80, 3)
    names = np.where(p.y > 0, "yes", "no")
    clf = learner.set_params(scale=scale).fit(storage(p.X), names)
    shown = ProofDisplay.from_estimator(clf, storage(p.X), names, ax=Figure())
    assert len(shown.norm_sq) == clf.updates_ > 1
    w = np.append(clf.coef_[0], clf.intercept_[0] / clf.intercept_scaling)
    assert shown.norm_sq[-1] == pytest.approx(w @ w, rel=1e-12)
    t = np.arange(1, clf.updates_ + 1)
    growth = float(shown.radius_sq + 2 * shown.threshold)
    assert np.all(shown.norm_sq <= growth * t * (1 + 1e-12))
    assert np.all(shown.inner >= float(shown.margin_sq) ** 0.5 * t * (1 - 1e-12))
    assert np.all(shown.cosine <= 1 + 1e-12)
    assert clf.updates_ <= shown.crossing_


# Margins -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scale", ["none", "ball", "sphere"])
@pytest.mark.parametrize("storage", [np.asarray, sp.csr_array])
def test_margins_are_those_of_the_theorems(scale, storage):
    p = problem(60, 3)
    clf = Perceptron(scale=scale, intercept_scaling=2.0).fit(storage(p.X), p.y)
    shown = MarginDisplay.from_estimator(clf, storage(p.X), p.y, ax=Figure())
    rows = np.column_stack([p.X, np.full(len(p.X), 2.0)])
    norms = np.linalg.norm(rows, axis=1)
    rows = rows / (norms[:, None] if scale == "sphere" else norms.max() if scale == "ball" else 1.0)
    w = np.append(clf.coef_[0], clf.intercept_[0] / 2.0)
    assert shown.margins == pytest.approx(p.y * (rows @ w) / np.linalg.norm(w))
    assert shown.margins.min() == pytest.approx(clf.margin_[0])
    drawn = np.vstack([np.asarray(points.get_offsets()) for points in shown.points_])
    drawn = drawn[np.argsort(drawn[:, 0])]
    assert drawn[:, 0].tolist() == list(range(1, 61))
    assert drawn[:, 1] == pytest.approx(np.sort(shown.margins))


def test_margins_of_a_certificate_start_at_the_bracket():
    proof = certify(*PENCIL)
    shown = MarginDisplay.from_certificate(proof, *PENCIL, ax=Figure())
    assert shown.margins.min() == pytest.approx(proof.margin[0])
    assert shown.margins[proof.rows] == pytest.approx(proof.margin[0], rel=0.02)
    clf = MaxMarginClassifier().fit(*PENCIL)
    other = MarginDisplay.from_estimator(clf, *PENCIL, ax=Figure())
    assert other.margins == pytest.approx(shown.margins, rel=0.02)
    assert other.support.tolist() == clf.support_.tolist()


def test_a_histogram_counts_everything():
    p = problem()
    clf = Perceptron().fit(p.X, p.y)
    shown = MarginDisplay.from_estimator(clf, p.X, p.y, kind="histogram", ax=Figure())
    assert [bars.sum() for bars in shown.bars_] == [(p.y > 0).sum(), (p.y < 0).sum()]


def test_many_examples_are_thinned_and_stay_the_same_curve():
    rng = np.random.default_rng(0)
    margins = rng.standard_normal(100_000)
    shown = MarginDisplay(margins, np.where(rng.random(100_000) < 0.5, 1, -1), (0.0, 1.0), np.empty(0, dtype=int))
    shown.plot(Figure())
    drawn = np.vstack([np.asarray(points.get_offsets()) for points in shown.points_])
    assert 1000 < len(drawn) <= 2000
    assert drawn[:, 1].min() == margins.min()
    assert drawn[:, 1].max() == margins.max()
    for rank, margin in drawn[::100]:
        assert margin == np.sort(margins)[int(rank) - 1]


# Geometry ------------------------------------------------------------------------------------------


def test_two_columns_are_drawn_as_they_are():
    clf = Perceptron().fit(*PENCIL)
    shown = GeometryDisplay.from_estimator(clf, *PENCIL, ax=Figure())
    (scene,) = shown.scenes
    assert scene.points.tolist() == PENCIL[0].tolist()
    assert scene.normal == pytest.approx(np.array([2.0, -1.0]) / 5**0.5)
    assert scene.margin == pytest.approx(2 / 5**0.5)
    assert list(scene.closest) == [2]  # (0, 2): |2*0 - 2| = 2
    plus, minus = shown.points_[0]
    assert plus.get_offsets().tolist() == PENCIL[0][:2].tolist()
    assert minus.get_offsets().tolist() == PENCIL[0][2:].tolist()


@pytest.mark.parametrize("storage", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("d", [3, 7])
def test_a_projection_keeps_what_lies_in_its_plane(d, storage):
    rng = np.random.default_rng(d)
    X = rng.standard_normal((300, d)) * np.arange(1, d + 1)
    w = rng.standard_normal(d)
    y = np.where(X @ w + 0.3 > 0, 1, -1)
    proof = certify(X, y)
    (scene,) = GeometryDisplay.from_certificate(proof, storage(X), y, ax=Figure()).scenes
    u = proof.coef / np.linalg.norm(proof.coef)
    assert scene.points[:, 0] == pytest.approx(X @ u)
    assert scene.sides == pytest.approx(y * (X @ proof.coef + proof.intercept) / np.linalg.norm(proof.coef))
    assert scene.margin == pytest.approx(proof.euclidean_margin)
    # the second direction, recovered from the picture, is a unit vector orthogonal to w, and the most spread out such
    v = np.linalg.lstsq(X, scene.points[:, 1], rcond=None)[0]
    assert np.linalg.norm(v) == pytest.approx(1.0)
    assert v @ u == pytest.approx(0.0, abs=1e-9)
    rest = (X - X.mean(0)) @ (np.eye(d) - np.outer(u, u))
    assert np.var(scene.points[:, 1]) == pytest.approx(np.linalg.svd(rest)[1][0] ** 2 / len(X), rel=1e-3)
    # distances of points in the plane of u and v
    inside = np.array([[1.0, 2.0], [-3.0, 0.5]]) @ np.vstack([u, v])
    assert np.linalg.norm(inside[0] - inside[1]) == pytest.approx(np.hypot(4.0, 1.5))
    assert "orthogonal to $w$" in scene.axes[1]


@pytest.mark.parametrize("d", [2, 5])
def test_an_update_in_three_panels(d):
    rng = np.random.default_rng(d)
    w, x = rng.standard_normal((2, d))
    y = -1 if w @ x > 0 else 1
    X, labels = rng.standard_normal((6, d)), [1, -1, 1, -1, 1, -1]
    shown = GeometryDisplay.update(w, x, y, X=X, labels=labels, ax=Figure())
    before, example, after = shown.scenes
    arrows = {arrow.label: arrow.end - arrow.start for arrow in example.arrows}
    old, new, step = arrows["$w$"], arrows[r"$w + y\,x$"], arrows["$+x$" if y > 0 else "$-x$"]
    assert new == pytest.approx(old + step)
    assert [v @ v for v in (old, step, new)] == pytest.approx([w @ w, x @ x, (w + y * x) @ (w + y * x)])
    assert old @ step == pytest.approx(y * (w @ x))
    rows, signs = np.vstack([x, X]), np.array([y, *labels])
    assert before.sides == pytest.approx(signs * (rows @ w) / np.linalg.norm(w))
    assert after.sides == pytest.approx(signs * (rows @ (w + y * x)) / np.linalg.norm(w + y * x))
    assert f"{np.sum(signs * (rows @ w) <= 0)} of 7 misclassified" in before.title
    assert (before.example, after.example) == (0, 0)


def test_the_first_update_starts_from_nothing():
    before, example, after = GeometryDisplay.update([0, 0], [3, 4], 1, ax=Figure()).scenes
    assert before.normal is None
    assert [arrow.label for arrow in example.arrows] == ["$x$"]
    assert after.normal == pytest.approx(np.array([0.6, 0.8]))
    # and the way back to 0
    last = GeometryDisplay.update([3, 4], [3, 4], -1, ax=Figure()).scenes[2]
    assert last.normal is None


@pytest.mark.parametrize(
    ("X", "y", "here", "lifted"),
    [
        ([[1], [2], [3], [4]], [-1, -1, 1, 1], False, True),
        ([[-1], [1]], [-1, 1], True, True),
        ([[1], [2], [3]], [-1, 1, -1], False, False),
        ([[1, 1], [2, 1], [3, 3], [4, 3]], [-1, -1, 1, 1], False, True),
    ],
)
def test_the_lift_says_what_is_true(X, y, here, lifted):
    first, second = GeometryDisplay.lift(X, y, ax=Figure()).scenes
    assert (first.normal is not None, second.normal is not None) == (here, lifted)
    assert ("cannot" not in first.title, "cannot" not in second.title) == (here, lifted)
    assert second.points[:, -1].tolist() == [1.0] * len(X)
    assert second.points[:, :-1].tolist() == X
    for scene in (first, second):
        if scene.normal is not None:
            assert scene.offset == 0
            assert np.all(scene.sides > 0)


@pytest.mark.parametrize("d", [2, 3, 6])
def test_the_sphere(d):
    p = problems.separable(50, d, margin=0.3, radius=2.0, random_state=d)
    (scene,) = GeometryDisplay.sphere(p.X, p.y, ax=Figure()).scenes
    assert np.linalg.norm(scene.points, axis=1).max() <= 1 + 1e-12
    assert np.linalg.norm(scene.normal) == pytest.approx(1.0)
    gamma = float(p.margin_sq / p.radius_sq) ** 0.5
    assert scene.margin == pytest.approx(gamma, rel=0.01)
    if d <= 3:
        assert np.linalg.norm(scene.points, axis=1).max() == pytest.approx(1.0)
        # another w has no larger margin
        (other,) = GeometryDisplay.sphere(p.X, p.y, w=p.witness + 0.1, ax=Figure()).scenes
        assert other.margin <= gamma * (1 + 1e-9)


# Certificates --------------------------------------------------------------------------------------


def test_the_hulls_meet_in_the_common_point():
    proof = certify(*XOR)
    shown = CertificateDisplay.from_certificate(proof, *XOR, ax=Figure())
    assert shown.common.tolist() == [0.5, 0.5]
    assert shown.shares.tolist() == [0.25] * 4
    rng = np.random.default_rng(1)
    X = np.vstack([rng.standard_normal((40, 2)), rng.standard_normal((40, 2)) + 1])
    y = np.repeat(["a", "b"], 40)
    shown = CertificateDisplay.from_certificate(certify(X, y), X, y, ax=Figure())
    for sign in (1, -1):
        mine = shown.signs == sign
        mean = shown.shares[mine] @ shown.points[mine] / shown.shares[mine].sum()
        assert mean == pytest.approx(shown.common)
    star = next(line for line in shown.ax_.lines if line.get_marker() == "*")
    assert np.ravel(star.get_data()) == pytest.approx(shown.common)


def test_through_the_origin_zero_is_in_the_hull():
    X, y = np.array([[1.0, 0.0], [0.0, -1.0], [-1.0, -1.0], [-1.0, 1.0]]), [1, -1, 1, 1]
    shown = CertificateDisplay.from_certificate(certify(X, y, fit_intercept=False), X, y, ax=Figure())
    assert shown.common.tolist() == [0.0, 0.0]
    assert shown.shares @ (shown.points * shown.signs[:, None]) == pytest.approx([0.0, 0.0])


def test_images_are_the_heaviest_rows_and_equal_means():
    rng = np.random.default_rng(2)
    X = rng.integers(0, 9, (80, 6)).astype(float)
    y = rng.integers(0, 2, 80)
    proof = certify(X, y)
    shown = CertificateDisplay.from_certificate(proof, X, y, image_shape=(2, 3), ax=Figure())
    plus = np.flatnonzero(shown.signs > 0)
    heaviest = plus[np.argmax(shown.shares[plus])]
    assert np.array_equal(shown.images_[0].get_array(), X[proof.rows[heaviest]].reshape(2, 3))
    one, other = (np.asarray(image.get_array()) for image in shown.images_[-2:])
    assert np.allclose(one, other)
    assert len(shown.images_) == min(12, len(plus)) + min(12, len(proof.rows) - len(plus)) + 2


def test_bars_are_the_shares():
    X = np.random.default_rng(3).standard_normal((60, 5))
    y = np.where(X[:, 0] > 0, "up", "down")
    proof = certify(X, y)
    shown = CertificateDisplay.from_certificate(proof, X, y, ax=Figure())
    widths = sorted((bar.get_width() for bars in shown.bars_ for bar in bars), reverse=True)
    assert widths == pytest.approx(sorted((w / sum(proof.weights) for w in proof.weights), reverse=True))
    assert shown.common is None


def test_one_of_three_labels_against_the_rest():
    X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array(["a", "b", "c", "c"])
    proofs = certify(X, y)
    shown = CertificateDisplay.from_certificate(proofs["b"], X, y, ax=Figure())
    assert shown.names == ("not b", "b")
    assert MarginDisplay.from_certificate(proofs["c"], X, y, ax=Figure()).signs.tolist() == [-1, -1, 1, 1]


# Rates ---------------------------------------------------------------------------------------------


def test_the_table_is_drawn_point_by_point():
    curve = fitted([0.0, 1.0, 2.0, 3.0], [0.0, 1.1, 1.9, 3.0])
    entries = [Entry(method, "time per iteration ~ n^p: p", "n", "1", curve) for method in ("GD", "SGD")]
    entries.append(Entry("GD", "iterations ~ k^p, k the condition: p", "-", "1", curve))
    shown = RatesDisplay.from_rates(Rates(entries, [1.0, 1e-2, 1e-4], 1e-29), ax=Figure())
    assert len(shown.axes_) == 3
    line = shown.lines_["SGD", "time per iteration ~ n^p: p"]
    assert line.get_xdata() == pytest.approx(np.exp(curve.x))
    assert line.get_ydata() == pytest.approx(np.exp(curve.y))
    assert line.get_label() == f"SGD: {curve.slope:.2f} ± {(curve.high - curve.low) / 2:.2f}"
    assert shown.axes_[-1].lines[0].get_ydata() == pytest.approx([1.0, 1e-2, 1e-4])


def test_a_dataset_takes_the_place_of_X_and_y():
    X, y = np.array([[2.0, 1.0], [3.0, 0.0], [0.0, 2.0], [-1.0, 1.0]]), np.array([1, 1, -1, -1])
    both = data.Dataset(X, y)
    clf, proof = Perceptron().fit(both), certify(both)
    for ours, theirs in [
        (ProofDisplay.from_estimator(clf, both, ax=Figure()), ProofDisplay.from_estimator(clf, X, y, ax=Figure())),
        (MarginDisplay.from_estimator(clf, both, ax=Figure()), MarginDisplay.from_estimator(clf, X, y, ax=Figure())),
        (
            MarginDisplay.from_certificate(proof, both, ax=Figure()),
            MarginDisplay.from_certificate(proof, X, y, ax=Figure()),
        ),
    ]:
        axes = [each.figure_.axes for each in (ours, theirs)]
        drawn = [[line.get_xydata().tolist() for ax in some for line in ax.lines] for some in axes]
        assert drawn[0] == drawn[1]
        assert drawn[0]
    GeometryDisplay.from_estimator(clf, both, ax=Figure())
    CertificateDisplay.from_certificate(proof, both, ax=Figure())
