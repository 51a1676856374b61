"""What cannot be drawn is refused in words."""

from __future__ import annotations

import matplotlib
import numpy as np
import pytest
from matplotlib.figure import Figure

from novikoff import LeastSquaresClassifier, Perceptron, certify, fewest_mistakes, play, problems, report
from novikoff.display import (
    CertificateDisplay,
    GeometryDisplay,
    MarginDisplay,
    MistakeCurveDisplay,
    ProofDisplay,
)

matplotlib.use("Agg")
X, Y = np.array([[2.0, 1.0], [3.0, 0.0], [0.0, 2.0], [-1.0, 1.0]]), np.array([1, 1, -1, -1])
THREE = [0, 1, 2, 2]
XOR = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
SLOW = problems.doubling(9)
STREAM = [([1.0, 0.0], 1), ([0.0, 1.0], -1)]


def fitted():
    return Perceptron().fit(X, Y)


def unfinished():
    with pytest.warns(match="did not separate"):
        return Perceptron(max_iter=5).fit(*XOR)


def continued():
    return play(fitted(), [([-2.0, 0.0], 1)], witness=[-1.0, 0.0])


REFUSALS = {
    "three classes": (lambda: GeometryDisplay.lift(X, [0, 1, 2, 2]), "3 classes"),
    "one class": (lambda: GeometryDisplay.sphere(X, [1, 1, 1, 1]), "one class only"),
    "another label": (lambda: MarginDisplay.from_estimator(fitted(), X, [1, 1, -1, 5]), r"y\[3\] = 5 is neither"),
    "another width": (lambda: GeometryDisplay.from_estimator(fitted(), X[:, :1], Y), "1 features"),
    "not finite": (lambda: GeometryDisplay.lift([[np.nan], [1.0]], [0, 1]), "NaN"),
    "a stream has no passes": (
        lambda: MistakeCurveDisplay.from_estimator(Perceptron().learn_one([1.0], 1)),
        "from_transcript",
    ),
    "no witness": (lambda: ProofDisplay.from_transcript(play(Perceptron(), STREAM)), "witness=w"),
    "a wrong witness": (
        lambda: ProofDisplay.from_transcript(play(Perceptron(), STREAM, witness=[-1.0, 1.0])),
        "does not separate",
    ),
    "another start": (lambda: ProofDisplay.from_transcript(continued()), "did not start at w = 0"),
    "no separator": (lambda: ProofDisplay.from_estimator(unfinished(), *XOR), "has no floor. Not separable"),
    "a shuffle that is gone": (
        lambda: ProofDisplay.from_estimator(Perceptron(random_state=None).fit(X, Y), X, Y),
        "random_state is an int",
    ),
    "other data": (lambda: ProofDisplay.from_estimator(fitted(), X[::-1], Y[::-1]), "cannot be repeated"),
    "a warm start": (
        lambda: ProofDisplay.from_estimator(Perceptron(warm_start=True).fit(-X, Y).fit(X, Y), X, Y),
        "cannot be repeated",
    ),
    "no weights": (
        lambda: MarginDisplay.from_estimator(Perceptron(fit_intercept=False).learn_one([0.0, 0.0], 1), X, Y),
        "w = 0 has no margin",
    ),
    "a kind": (lambda: MarginDisplay.from_estimator(fitted(), X, Y, kind="pie"), "'sorted' or 'histogram'"),
    "a vector": (lambda: GeometryDisplay.update([1.0, 2.0], [1.0], 1), "one length"),
    "a sign": (lambda: GeometryDisplay.update([1.0, 2.0], [1.0, 0.0], 2), "-1 or \\+1, got 2"),
    "nothing to add": (lambda: GeometryDisplay.update([1.0, 2.0], [0.0, 0.0], 1), "x = 0"),
    "narrow examples": (
        lambda: GeometryDisplay.update([1.0, 2.0], [1.0, 0.0], 1, X=[[1.0], [2.0]], labels=[1, -1]),
        "X has 1 columns, but w has 2 weights",
    ),
    "a lift of space": (lambda: GeometryDisplay.lift(np.eye(3), [1, 1, -1]), "X has 3 columns"),
    "a sphere on a line": (lambda: GeometryDisplay.sphere([[1.0], [-1.0]], [1, -1]), "2 dimensions or more"),
    "a sphere without separator": (lambda: GeometryDisplay.sphere(*XOR), "no w through the origin"),
    "a short w": (lambda: GeometryDisplay.sphere(X, Y, w=[1.0]), "2 finite weights"),
    "other rows": (lambda: MarginDisplay.from_certificate(certify(X, Y), X + 1, Y), "not the data of the certificate"),
    "fewer rows": (lambda: CertificateDisplay.from_certificate(certify(*XOR), XOR[0][:3], XOR[1][:3]), "4 rows"),
    "an image": (
        lambda: CertificateDisplay.from_certificate(certify(*XOR), *XOR, image_shape=(3, 3)),
        "holds 9 values; a row has 2",
    ),
    "no image": (lambda: CertificateDisplay.from_certificate(certify(*XOR), *XOR, kind="images"), "image_shape"),
    "no hulls": (lambda: CertificateDisplay.from_certificate(certify(X, Y), X, Y, kind="hulls"), "non-separability"),
    "one pair of many": (
        lambda: CertificateDisplay.from_certificate(certify(X, THREE, multiclass="one-vs-one")[0, 1], X, THREE),
        "certify the rows of two of the labels",
    ),
    "too few axes": (lambda: ProofDisplay.from_estimator(fitted(), X, Y, ax=Figure().subplots(1, 2)), "3 axes"),
}
WRONG_TYPES = {
    "least squares": (lambda: MarginDisplay.from_estimator(LeastSquaresClassifier(), X, Y), "LeastSquaresClassifier"),
    "no perceptron": (lambda: MistakeCurveDisplay.from_estimator("clf"), "str does not"),
    "no run": (lambda: ProofDisplay.from_estimator("clf", X, Y), "not of str"),
    "no margins": (lambda: MarginDisplay.from_certificate(certify(*XOR), *XOR), "'not separable'"),
    "no hyperplane": (lambda: GeometryDisplay.from_certificate(certify(*XOR), *XOR), "'not separable'"),
    "many verdicts": (
        lambda: CertificateDisplay.from_certificate(certify(X, [0, 1, 2, 2]), X, [0, 1, 2, 2]),
        r"verdicts\[label\]",
    ),
    "pairs": (
        lambda: CertificateDisplay.from_certificate(certify(X, THREE, multiclass="one-vs-one"), X, THREE),
        "PairVerdicts: certify the rows of two of the labels",
    ),
    "all labels at once": (
        lambda: GeometryDisplay.from_certificate(certify(X, THREE, multiclass="joint"), X, THREE),
        "certify the rows of two of the labels",
    ),
    "a soft margin": (lambda: MarginDisplay.from_certificate(certify(X, Y, C=1.0), X, Y), r"certify\(X, y\) says"),
    "the fewest mistakes": (
        lambda: CertificateDisplay.from_certificate(fewest_mistakes(X, Y), X, Y),
        r"fewest mistakes: pass what certify\(X, y\) says",
    ),
    "a report on a soft margin": (lambda: report(None, X, Y, certificate=certify(X, Y, C=1.0)), "without C"),
    "a report on soft margins": (lambda: report(None, X, THREE, certificate=certify(X, THREE, C=1.0)), "leave certif"),
    "a report on pairs": (
        lambda: report(None, X, THREE, certificate=certify(X, THREE, multiclass="one-vs-one")),
        "leave certificate out",
    ),
    "a report of a proof": (lambda: report(certify(X, Y), X, Y), "passed as certificate="),
    "undecided": (
        lambda: CertificateDisplay.from_certificate(certify(SLOW.X, SLOW.y, max_passes=0), SLOW.X, SLOW.y),
        "undecided",
    ),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_values(name):
    call, message = REFUSALS[name]
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize("name", WRONG_TYPES)
def test_types(name):
    call, message = WRONG_TYPES[name]
    with pytest.raises(TypeError, match=message):
        call()


def test_a_refusal_leaves_no_figure_behind():
    import matplotlib.pyplot as plt

    with pytest.raises(ValueError, match="kind"):
        MarginDisplay.from_estimator(fitted(), X, Y, kind="pie")
    with pytest.raises(ValueError, match="kind"):
        CertificateDisplay.from_certificate(certify(*XOR), *XOR, kind="pie")
    assert plt.get_fignums() == []
