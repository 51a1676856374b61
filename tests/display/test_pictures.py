"""Every display as a picture: with ink, with words that can be read, and without need of colour."""

from __future__ import annotations

import subprocess
import sys

import matplotlib
import numpy as np
import pytest

from novikoff import Halving, MarginPerceptron, MaxMarginClassifier, Perceptron, certify, concepts, play, problems
from novikoff.descent.rates import Entry, Rates, fitted
from novikoff.display import (
    CertificateDisplay,
    GeometryDisplay,
    MarginDisplay,
    MistakeCurveDisplay,
    ProofDisplay,
    RatesDisplay,
)
from novikoff.display.style import literal
from tests.display.pictures import canvas, check, check_without_colour, rendered

matplotlib.use("Agg")
rng = np.random.default_rng(0)
EASY = problems.separable(150, 4, margin=0.1, random_state=1)
NAMES = np.where(EASY.y > 0, "setosa", "virginica")
FLAT = problems.separable(30, 2, margin=0.15, random_state=1)
SOLID = problems.separable(40, 3, margin=0.2, random_state=1)
MIXED = np.vstack([rng.normal(0, 1, (20, 2)), rng.normal(1, 1, (20, 2))]), np.repeat(["ham", "spam"], 20)
NOISE = rng.integers(0, 9, (60, 12)).astype(float), rng.integers(0, 2, 60)
HUGE = np.array([[1e150, 2e150], [-1e150, 3e150], [2e150, -1e150], [-2e150, -1e150]]), [1, 1, -1, -1]
CONJUNCTIONS = concepts.monotone_conjunctions(d=6)


def game(learner, p=EASY, **kwargs):
    return play(learner, p.stream(), **kwargs)


def a_table():
    curve = fitted(np.log([1e3, 1e4, 1e5, 1e6]).tolist(), np.log([1e-6, 2e-5, 3e-4, 2e-3]).tolist())
    quantities = [
        "time per iteration ~ n^p: p",
        "total time ~ n^p: p",
        "time per iteration ~ d^p: p",
        "iterations ~ (log 1/epsilon)^p: p",
        "iterations ~ (1/epsilon)^p: p",
        "iterations ~ k^p, k the condition: p",
    ]
    methods = ("GD", "2GD", "SGD", "2SGD")
    scaled = [curve._replace(y=curve.y + k) for k in range(4)]
    entries = [Entry(m, q, "n", "1", c) for q in quantities for m, c in zip(methods, scaled, strict=True)]
    return Rates(entries, [1.0, 1e-1, 1e-2, 1e-4, 1e-8, 1e-16], 1e-29)


def not_finished():
    with pytest.warns(match="did not separate"):
        return Perceptron(max_iter=3).fit(*MIXED)


PICTURES = {
    "mistakes of a game": lambda ax: MistakeCurveDisplay.from_transcript(
        game(Perceptron(fit_intercept=False), witness=EASY.witness), ax=ax
    ),
    "mistakes and updates": lambda ax: MistakeCurveDisplay.from_transcript(
        game(MarginPerceptron(fit_intercept=False), witness=EASY.witness), ax=ax
    ),
    "mistakes, no bound": lambda ax: MistakeCurveDisplay.from_transcript(game(Perceptron()), ax=ax),
    "no mistakes": lambda ax: MistakeCurveDisplay.from_transcript(
        play(Halving(CONJUNCTIONS), [((1,) * 6, 1)] * 3), ax=ax
    ),
    "one round": lambda ax: MistakeCurveDisplay.from_transcript(play(Perceptron(), [([1.0, 2.0], 1)]), ax=ax),
    "mistakes of a fit": lambda ax: MistakeCurveDisplay.from_estimator(Perceptron().fit(EASY.X, NAMES), ax=ax),
    "not separated": lambda ax: MistakeCurveDisplay.from_estimator(not_finished(), ax=ax),
    "proof of a game": lambda ax: ProofDisplay.from_transcript(
        game(Perceptron(fit_intercept=False), witness=EASY.witness), ax=ax
    ),
    "proof with a threshold": lambda ax: ProofDisplay.from_transcript(
        game(MarginPerceptron(fit_intercept=False), witness=EASY.witness), ax=ax
    ),
    "proof of a fit": lambda ax: ProofDisplay.from_estimator(Perceptron().fit(EASY.X, NAMES), EASY.X, NAMES, ax=ax),
    "proof, far from its end": lambda ax: ProofDisplay.from_transcript(
        play(Perceptron(fit_intercept=False), [([1.0, 1.0], 1), ([-1.0, -0.99], -1)], witness=[1.0, -0.98]), ax=ax
    ),
    "huge proof": lambda ax: ProofDisplay.from_estimator(Perceptron().fit(*HUGE), *HUGE, ax=ax),
    "margins": lambda ax: MarginDisplay.from_estimator(MaxMarginClassifier().fit(EASY.X, NAMES), EASY.X, NAMES, ax=ax),
    "margins of a certificate": lambda ax: MarginDisplay.from_certificate(certify(EASY.X, NAMES), EASY.X, NAMES, ax=ax),
    "margins, some wrong": lambda ax: MarginDisplay.from_estimator(not_finished(), *MIXED, ax=ax),
    "one margin": lambda ax: MarginDisplay.from_estimator(Perceptron().fit(*HUGE), HUGE[0][:1], [1], ax=ax),
    "histogram": lambda ax: MarginDisplay.from_estimator(
        Perceptron().fit(EASY.X, NAMES), EASY.X, NAMES, kind="histogram", ax=ax
    ),
    "hyperplane": lambda ax: GeometryDisplay.from_estimator(Perceptron().fit(FLAT.X, FLAT.y), FLAT.X, FLAT.y, ax=ax),
    "through the origin": lambda ax: GeometryDisplay.from_certificate(
        certify(FLAT.X, FLAT.y, fit_intercept=False), FLAT.X, FLAT.y, ax=ax
    ),
    "hyperplane, some wrong": lambda ax: GeometryDisplay.from_estimator(not_finished(), *MIXED, ax=ax),
    "projection": lambda ax: GeometryDisplay.from_certificate(certify(EASY.X, NAMES), EASY.X, NAMES, ax=ax),
    "one dimension": lambda ax: GeometryDisplay.from_estimator(
        Perceptron().fit([[1.0], [3.0]], ["a", "b"]), [[1.0], [3.0], [1.4]], ["a", "b", "b"], ax=ax
    ),
    "huge values": lambda ax: GeometryDisplay.from_estimator(Perceptron().fit(*HUGE), *HUGE, ax=ax),
    "no weights": lambda ax: GeometryDisplay.from_estimator(
        Perceptron().partial_fit([[0.0, 0.0]], [1], classes=[-1, 1]), FLAT.X, FLAT.y, ax=ax
    ),
    "one example": lambda ax: GeometryDisplay.from_estimator(
        Perceptron().fit(FLAT.X, FLAT.y), FLAT.X[:1], FLAT.y[:1], ax=ax
    ),
    "lopsided": lambda ax: GeometryDisplay.from_certificate(
        certify(FLAT.X * [1e6, 1], FLAT.y), FLAT.X * [1e6, 1], FLAT.y, ax=ax
    ),
    "update": lambda ax: GeometryDisplay.update(
        [2.0, 1.0], [1.8, -0.9], -1, X=[[-1.0, -1.5], [1.5, 2.0], [-1.0, 1.2]], labels=[-1, 1, 1], ax=ax
    ),
    "first update": lambda ax: GeometryDisplay.update([0.0, 0.0], [1.0, 2.0], 1, ax=ax),
    "lift of a line": lambda ax: GeometryDisplay.lift([[1], [1.5], [2], [3], [3.5]], [-1, -1, -1, 1, 1], ax=ax),
    "lift of a plane": lambda ax: GeometryDisplay.lift(FLAT.X + FLAT.y[:, None] + 3, FLAT.y, ax=ax),
    "circle": lambda ax: GeometryDisplay.sphere(FLAT.X, FLAT.y, ax=ax),
    "sphere": lambda ax: GeometryDisplay.sphere(SOLID.X, SOLID.y, ax=ax),
    "hulls": lambda ax: CertificateDisplay.from_certificate(certify(*MIXED), *MIXED, ax=ax),
    "weights": lambda ax: CertificateDisplay.from_certificate(certify(*NOISE), *NOISE, ax=ax),
    "images": lambda ax: CertificateDisplay.from_certificate(certify(*NOISE), *NOISE, image_shape=(3, 4), ax=ax),
    "contradiction": lambda ax: CertificateDisplay.from_certificate(
        certify([[1.0, 2.0], [3.0, 4.0], [1.0, 2.0]], [0, 1, 1]), [[1.0, 2.0], [3.0, 4.0], [1.0, 2.0]], [0, 1, 1], ax=ax
    ),
    "support": lambda ax: CertificateDisplay.from_certificate(certify(EASY.X, NAMES), EASY.X, NAMES, ax=ax),
    "rates": lambda ax: RatesDisplay.from_rates(a_table(), ax=ax),
}


@pytest.mark.parametrize("name", PICTURES)
def test_words_can_be_read(name):
    import matplotlib.pyplot as plt

    before = dict(matplotlib.rcParams)
    shown = PICTURES[name](None)  # a figure of its own size, made by pyplot
    try:
        assert plt.get_fignums()
        assert plt.gcf() is shown.figure_
        check(shown.figure_)
        for ax in shown.figure_.axes:
            check_without_colour(ax)
        assert dict(matplotlib.rcParams) == before
    finally:
        plt.close("all")


@pytest.mark.parametrize("name", ["mistakes of a fit", "proof of a game", "hyperplane", "update", "sphere", "images"])
def test_within_a_figure_of_the_users(name):
    import matplotlib.pyplot as plt

    figure = canvas((14.0, 6.0))
    left, right = figure.subfigures(1, 2, width_ratios=(1, 4))
    left.subplots().plot([1, 2])
    shown = PICTURES[name](right)
    assert shown.figure_ is figure
    assert plt.get_fignums() == []
    assert figure.get_size_inches().tolist() == [14.0, 6.0]
    check(figure)
    # one axes object, divided if need be
    figure = canvas((14.0, 6.0))
    ax = figure.subplots()
    shown = PICTURES[name](ax)
    check(figure)
    assert shown.figure_ is figure
    assert plt.get_fignums() == []


def test_drawing_again_and_other_looks():
    one, other = canvas(), canvas()
    shown = MistakeCurveDisplay.from_estimator(Perceptron().fit(EASY.X, NAMES), ax=one)
    first = shown.line_
    assert shown.plot(other, color="black") is shown
    assert shown.line_ is not first
    assert shown.line_.get_color() == "black"
    assert np.array_equal(shown.line_.get_ydata(), first.get_ydata())
    assert not np.array_equal(rendered(one), rendered(other))
    axes = canvas().subplots(1, 3)
    assert ProofDisplay.from_transcript(game(Perceptron(), witness=EASY.witness), ax=axes).axes_ == list(axes)


@pytest.mark.parametrize("display", [GeometryDisplay, MarginDisplay])
@pytest.mark.parametrize("name", ["$", "in $, or $\\frac{", "_private", "a" * 99])
def test_any_label_is_written_as_it_is(display, name):
    labels = np.where(NAMES == "setosa", name, "other")
    figure = canvas()
    shown = display.from_estimator(Perceptron().fit(EASY.X, labels), EASY.X, labels, ax=figure)
    figure.canvas.draw()  # which would refuse an unfinished formula
    words = [text.get_text().replace(r"\$", "$").strip() for text in figure.axes[0].get_legend().get_texts()]
    assert (name if len(name) < 99 else "a" * 23 + "…") in words
    assert shown.names[0 if name < "other" else 1] == literal(name)


def test_a_hundred_thousand_examples_are_an_image():
    X = np.random.default_rng(1).standard_normal((100_000, 3))
    y = X[:, 0] > 0
    clf = Perceptron(max_iter=50).fit(X[:50], y[:50])
    figure = canvas()
    shown = GeometryDisplay.from_estimator(clf, X, y, ax=figure)
    assert all(dots.get_rasterized() for dots in shown.points_[0])
    check(figure)


def test_matplotlib_is_imported_for_the_first_picture_only():
    code = (
        "import sys; import novikoff, novikoff.display; assert 'matplotlib' not in sys.modules\n"
        "sys.modules['matplotlib'] = None; sys.modules['matplotlib.axes'] = None\n"
        "run = novikoff.play(novikoff.Halving(novikoff.concepts.monotone_conjunctions(d=2)), [((1, 1), 1)])\n"
        "try: novikoff.display.MistakeCurveDisplay.from_transcript(run)\n"
        "except ImportError as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "a plot needs matplotlib: pip install 'novikoff[plots]'\n"
